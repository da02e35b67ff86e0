/* SPDX-License-Identifier: Apache-2.0
 *
 * A recording pack in memory: the manifest's cases, input bytes, and what the hardware left.
 * All files may be compressed with gzip. Used by the recording runner only.
 */
#ifndef PTXSIM_TESTS_GOLDEN_PACK_H
#define PTXSIM_TESTS_GOLDEN_PACK_H

#include "base/arena.h"

enum pack_argument_kind { ARG_IN, ARG_OUT, ARG_INOUT, ARG_B32, ARG_B64, ARG_RAW, ARG_TENSOR_MAP, ARG_TEXTURE };

struct pack_argument {
	enum pack_argument_kind kind;
	size_t in, out, length; /* offsets into the pack's bytes */
	u64 value;
	const char *text; /* fields of a tensor map or texture */
};

enum pack_print { PRINT_NONE, PRINT_TEXT, PRINT_LINES };

struct pack_case {
	const char *name, *module, *entry, *form, *cmp, *fault; /* fault: NULL if it must succeed */
	u32 grid[3], block[3], cluster[3];
	u64 shared_bytes;
	u64 align; /* of buffers, in bytes; 0: as the driver puts them, one behind the other */
	struct pack_argument *args;
	u32 arg_count;
	enum pack_print print;
	const char *broken; /* what this runner cannot do with the line, or NULL */
};

struct bytes {
	u8 *data;
	size_t size;
};

struct pack {
	const char *stem, *folder, *base; /* as given; its folder with a slash, or ""; the rest */
	struct bytes in, out, text;
	VEC_OF(struct pack_case) cases;
};

/* A whole file, or the same with .gz appended; false if neither can be read. A NUL follows the
 * bytes. */
bool pack_read_file(struct arena *arena, const char *path, struct bytes *to);
/* Reads the pack; NULL with a message on standard error. */
struct pack *pack_read(struct arena *arena, const char *stem);
/* What the case printed when it was recorded; false if the pack's text has no such entry. */
bool pack_recorded_text(const struct pack *p, const char *name, struct bytes *text);

#endif
