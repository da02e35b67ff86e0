/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code from damaged files: images, cubins, listings, and every instruction that they hold; cubins are run.
 */
#include "fuzz_text.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "sass/images.h"
#include "sass/instruction.h"
#include "sass/listing.h"

/* What is decoded of one function at most: a damaged size is found out by reading, not by decoding all of it. */
enum { MOST_INSTRUCTIONS = 256 };

/* A decoder is large, and the same for each damaged file: made once. */
static const struct sass_decoder *decoder_of(u32 sm)
{
	static struct sass_decoder *decoders[256];
	static struct arena arena;

	if (sm >= COUNT_OF(decoders))
		return NULL;
	if (!decoders[sm])
		decoders[sm] = sass_decoder_new(&arena, sm);
	return decoders[sm];
}

static void decode_cubin(const struct cubin *c)
{
	const struct sass_decoder *d = decoder_of(c->sm);

	for (u32 f = 0; d && f < c->function_count; f++)
		for (u64 at = 0;
		     at + SASS_INSN_BYTES <= c->functions[f].code_bytes && at < MOST_INSTRUCTIONS * SASS_INSN_BYTES;
		     at += SASS_INSN_BYTES) {
			const u8 *code = c->functions[f].code + at;
			char text[SASS_TEXT];
			struct sass_insn i;

			if (sass_decode(d, read_u64(code), read_u64(code + 8), (u32)at, &i) && !sass_print(d, &i, text))
				abort(); /* an instruction without a text */
		}
}

static void read_images(struct arena *a, const u8 *bytes, u64 size, bool runs)
{
	const char *why;
	struct images found;

	images_find(a, bytes, size, &found, &why);
	for (u64 k = 0; k < found.count; k++) {
		const u8 *unpacked;
		struct cubin c;
		u64 unpacked_size;

		if (found.items[k].kind == IMAGE_CUBIN &&
		    image_unpack(a, &found.items[k], &unpacked, &unpacked_size, &why) &&
		    cubin_read(a, unpacked, unpacked_size, &c, &why)) {
			decode_cubin(&c);
			if (runs)
				fuzz_variant("baseline", (const char *)unpacked, unpacked_size);
		}
	}
}

static void read_all(const char *bytes, size_t length, bool runs)
{
	jmp_buf out_of_memory;
	struct arena a;
	struct cubin c;
	const char *why;
	u32 line;

	arena_init(&a, &out_of_memory);
	if (!setjmp(out_of_memory)) {
		if (images_are((const u8 *)bytes, length))
			read_images(&a, (const u8 *)bytes, length, runs);
		else if (sass_listing_is(bytes, length) && sass_listing_read(&a, bytes, length, &c, &line, &why))
			decode_cubin(&c);
	}
	arena_free(&a);
}

void fuzz_sass(const char *bytes, size_t length) { read_all(bytes, length, true); }

void fuzz_sass_read(const char *bytes, size_t length) { read_all(bytes, length, false); }
