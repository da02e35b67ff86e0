/* SPDX-License-Identifier: Apache-2.0
 *
 * Fat binaries: a header of 16 bytes, then entries, each with a header of its own and a payload that may be packed.
 * Executables keep them in a section; several stand behind one another there, padded with zeros. Objects that were compiled
 * to be linked (nvcc -dc) keep theirs in a section of another name, and archives (nvcc -lib) are such objects one after
 * another.
 */
#include "config.h"

#include <string.h>
#ifdef HAVE_LZ4
#include <lz4.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "sass/elf.h"
#include "sass/images.h"

enum {
	FAT_MAGIC = 0xba55ed50,
	FAT_HEADER_BYTES = 16,
	ENTRY_HEADER_BYTES = 64,
	FLAG_LZ4 = 0x2000,
	FLAG_ZSTD = 0x8000,
	FLAG_ACCELERATED = 0x100000,
};

#define ARCHIVE_MAGIC "!<arch>\n"
enum { ARCHIVE_MAGIC_BYTES = 8, MEMBER_BYTES = 60 };

/* No image of a GPU is larger; a header that says so is broken. */
#define MOST_BYTES (1ull << 31)

static bool fail(const char **why, const char *text)
{
	*why = text;
	return false;
}

static void add(struct arena *a, struct images *to, struct image image)
{
	if (to->count == to->capacity) {
		const u64 capacity = to->capacity ? 2 * to->capacity : 16;
		struct image *more = ARENA_ARRAY(a, capacity, struct image);

		if (to->count)
			memcpy(more, to->items, to->count * sizeof *more);
		to->items = more;
		to->capacity = capacity;
	}
	to->items[to->count++] = image;
}

/* One entry at `at`; returns where the next one stands, 0 if this one is broken. */
static u64 read_entry(struct arena *a, const u8 *bytes, u64 at, u64 end, struct images *to)
{
	const u8 *p = bytes + at;
	const u32 header = end - at >= ENTRY_HEADER_BYTES ? read_u32(p + 4) : 0;
	const u64 padded = header ? read_u64(p + 8) : 0, flags = header ? read_u64(p + 40) : 0;
	struct image i;

	if (header < ENTRY_HEADER_BYTES || header > end - at || padded > end - at - header)
		return 0;
	i = (struct image){
		.kind = read_u16(p),
		.binary = to->binaries,
		.sm = read_u32(p + 28),
		.accelerated = flags & FLAG_ACCELERATED,
		.packing = flags & FLAG_LZ4    ? IMAGE_LZ4
			   : flags & FLAG_ZSTD ? IMAGE_ZSTD
					       : IMAGE_PLAIN,
		.bytes = p + header,
		.stored_bytes = padded,
		.bytes_unpacked = padded,
	};
	if (i.packing != IMAGE_PLAIN) {
		i.stored_bytes = read_u32(p + 16);
		i.bytes_unpacked = read_u64(p + 56);
		if (i.stored_bytes > padded || i.bytes_unpacked > MOST_BYTES)
			return 0;
	}
	add(a, to, i);
	return at + header + padded;
}

/* A fat binary at `at`; returns where it ends, 0 if it is broken. */
static u64 read_fat(struct arena *a, const u8 *bytes, u64 at, u64 size, struct images *to)
{
	const u32 header = read_u16(bytes + at + 6);
	const u64 held = read_u64(bytes + at + 8);
	u64 entry = at + header, end;

	if (header < FAT_HEADER_BYTES || header > size - at || held > size - at - header)
		return 0;
	end = entry + held;
	while (entry < end) {
		entry = read_entry(a, bytes, entry, end, to);
		if (!entry)
			return 0;
	}
	to->binaries++;
	return end;
}

static bool read_fats(struct arena *a, const u8 *bytes, u64 size, struct images *to, const char **why)
{
	u64 at = 0;

	while (size >= FAT_HEADER_BYTES && at <= size - FAT_HEADER_BYTES) {
		if (read_u32(bytes + at) != FAT_MAGIC) {
			at += 8;
			continue;
		}
		at = read_fat(a, bytes, at, size, to);
		if (!at)
			return fail(why, "a fat binary is cut off or contradicts itself");
		at = (at + 7) & ~7ull;
	}
	return true;
}

/* *found: there was a section for them. */
static bool read_host(struct arena *a, const struct elf *e, struct images *to, bool *found, const char **why)
{
	static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin"};

	for (u32 k = 0; k < e->section_count; k++)
		for (u32 n = 0; n < COUNT_OF(sections); n++) {
			if (strcmp(e->sections[k].name, sections[n]) || !e->sections[k].bytes)
				continue;
			*found = true;
			if (!read_fats(a, e->sections[k].bytes, e->sections[k].size, to, why))
				return false;
		}
	return true;
}

static bool read_elf(struct arena *a, const u8 *bytes, u64 size, struct images *to, bool *found, const char **why)
{
	struct elf e;

	if (!elf_read(a, bytes, size, &e, why))
		return false;
	if (e.machine != ELF_MACHINE_CUDA)
		return read_host(a, &e, to, found, why);
	add(a, to,
	    (struct image){.kind = IMAGE_CUBIN,
			   .binary = to->binaries++,
			   .bytes = bytes,
			   .stored_bytes = size,
			   .bytes_unpacked = size});
	*found = true;
	return true;
}

static bool is_archive(const u8 *bytes, u64 size)
{
	return size >= ARCHIVE_MAGIC_BYTES && !memcmp(bytes, ARCHIVE_MAGIC, ARCHIVE_MAGIC_BYTES);
}

/* A member's size: decimal digits, then blanks. False: something else. */
static bool member_size(const u8 *header, u64 *size)
{
	enum { SIZE_AT = 48, DIGITS = 10 };
	u32 k = 0;

	*size = 0;
	for (; k < DIGITS && header[SIZE_AT + k] >= '0' && header[SIZE_AT + k] <= '9'; k++)
		*size = *size * 10 + (header[SIZE_AT + k] - '0');
	for (u32 rest = k; rest < DIGITS; rest++)
		if (header[SIZE_AT + rest] != ' ')
			return false;
	return k && header[MEMBER_BYTES - 2] == '`' && header[MEMBER_BYTES - 1] == '\n';
}

/* Members begin at even places. Those that are not ELF, the tables of symbols and names among them, hold nothing for us. */
static bool read_archive(struct arena *a, const u8 *bytes, u64 size, struct images *to, bool *found, const char **why)
{
	for (u64 at = ARCHIVE_MAGIC_BYTES, held; at < size; at += held + (held & 1)) {
		if (size - at < MEMBER_BYTES || !member_size(bytes + at, &held) || held > size - at - MEMBER_BYTES)
			return fail(why, "an archive is cut off or contradicts itself");
		at += MEMBER_BYTES;
		if (elf_is(bytes + at, held) && !read_elf(a, bytes + at, held, to, found, why))
			return false;
	}
	return true;
}

bool images_are(const u8 *bytes, u64 size)
{
	return elf_is(bytes, size) || is_archive(bytes, size) ||
	       (size >= FAT_HEADER_BYTES && read_u32(bytes) == FAT_MAGIC);
}

bool images_find(struct arena *a, const u8 *bytes, u64 size, struct images *to, const char **why)
{
	bool found = false;

	memset(to, 0, sizeof *to);
	if (size >= FAT_HEADER_BYTES && read_u32(bytes) == FAT_MAGIC)
		return read_fats(a, bytes, size, to, why);
	if (is_archive(bytes, size)) {
		if (!read_archive(a, bytes, size, to, &found, why))
			return false;
	} else if (!elf_is(bytes, size)) {
		return fail(why, "neither a cubin nor a fat binary nor an executable, object or archive");
	} else if (!read_elf(a, bytes, size, to, &found, why)) {
		return false;
	}
	return found || fail(why, "holds no code for a GPU");
}

static bool unpack_lz4(u8 *to, const struct image *i, const char **why)
{
#ifdef HAVE_LZ4
	const int got =
		LZ4_decompress_safe((const char *)i->bytes, (char *)to, (int)i->stored_bytes, (int)i->bytes_unpacked);

	return (got >= 0 && (u64)got == i->bytes_unpacked) || fail(why, "the packed bytes (LZ4) are broken");
#else
	(void)to, (void)i;
	return fail(why, "the image is packed with LZ4, which this build cannot unpack (liblz4)");
#endif
}

static bool unpack_zstd(u8 *to, const struct image *i, const char **why)
{
#ifdef HAVE_ZSTD
	const size_t got = ZSTD_decompress(to, i->bytes_unpacked, i->bytes, i->stored_bytes);

	return (!ZSTD_isError(got) && got == i->bytes_unpacked) || fail(why, "the packed bytes (zstd) are broken");
#else
	(void)to, (void)i;
	return fail(why, "the image is packed with zstd, which this build cannot unpack (libzstd)");
#endif
}

/* A frame of a few bytes may say that it unpacks to gigabytes: neither format packs tighter than this. */
static bool is_plausible(const struct image *i) { return i->bytes_unpacked / 65536 <= i->stored_bytes; }

bool image_unpack(struct arena *a, const struct image *i, const u8 **bytes, u64 *size, const char **why)
{
	u8 *to;

	*bytes = i->bytes;
	*size = i->stored_bytes;
	if (i->packing == IMAGE_PLAIN)
		return true;
	if (!is_plausible(i))
		return fail(why, "the compressed data is too short for the size in its header");
	to = arena_alloc(a, i->bytes_unpacked + 1);
	*bytes = to;
	*size = i->bytes_unpacked;
	return i->packing == IMAGE_LZ4 ? unpack_lz4(to, i, why) : unpack_zstd(to, i, why);
}
