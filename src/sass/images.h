/* SPDX-License-Identifier: Apache-2.0
 *
 * What a file holds for GPUs: a cubin itself; a fat binary, an archive of cubins and PTX for several targets; an executable,
 * object or library with fat binaries in it, or an archive of objects. Images are listed without unpacking or decoding any; the chosen one is
 * unpacked when asked for. Used by `ptxsim disasm` and by whatever loads modules.
 */
#ifndef PTXSIM_SASS_IMAGES_H
#define PTXSIM_SASS_IMAGES_H

#include "base/arena.h"

enum image_kind { IMAGE_PTX = 1, IMAGE_CUBIN = 2, IMAGE_INTERMEDIATE = 8 };
enum image_packing { IMAGE_PLAIN, IMAGE_LZ4, IMAGE_ZSTD };

struct image {
	enum image_kind kind;
	u32 sm;           /* 75, 90 ...; 0: a cubin outside of fat binaries, whose header says it */
	bool accelerated; /* 'a' */
	u32 binary; /* number of the fat binary that it is in; images of one are the same code for several targets */
	enum image_packing packing;
	const u8 *bytes; /* as stored */
	u64 stored_bytes, bytes_unpacked;
};

struct images {
	struct image *items;
	u64 count, capacity;
	u32 binaries;
};

/* Whether the bytes begin as a file does that can hold images. */
bool images_are(const u8 *bytes, u64 size);
/* Lists the images in a file's bytes. False, and `why`, if it holds none or is broken; what was found before a broken place
 * stays in the list. Memory is the arena's. */
bool images_find(struct arena *a, const u8 *bytes, u64 size, struct images *to, const char **why);
/* The image's own bytes, unpacked into the arena if they are packed. False, and `why`: they are broken, or this build has no
 * library that unpacks them. */
bool image_unpack(struct arena *a, const struct image *i, const u8 **bytes, u64 *size, const char **why);

#endif
