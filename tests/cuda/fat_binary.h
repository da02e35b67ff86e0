/* SPDX-License-Identifier: Apache-2.0
 *
 * A fat binary of one text, and its wrapper, as nvcc embeds them in programs: for programs that are built without it.
 */
#ifndef PTXSIM_TESTS_CUDA_FAT_BINARY_H
#define PTXSIM_TESTS_CUDA_FAT_BINARY_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { FAT_TEXT = 2048, FAT_PTX = 1, FAT_CUBIN = 2 };

struct fat_binary {
	uint32_t magic;
	uint16_t version, header;
	uint64_t bytes;
	uint16_t kind, entry_version;
	uint32_t entry_header;
	uint64_t payload;
	uint32_t compressed, pad[2], arch;
	uint64_t pad_2, flags, pad_3, unpacked;
	char text[FAT_TEXT];
} __attribute__((aligned(8)));

struct fat_wrapper {
	int magic, version;
	const void *data, *list;
};

/* Fills both in; they must stay where they are. arch: 80 is sm_80. */
static inline void fat_binary_fill(struct fat_binary *b, struct fat_wrapper *w, const char *text, uint16_t kind,
				   uint32_t arch)
{
	const size_t length = strlen(text) + 1;

	assert(length <= FAT_TEXT);
	*b = (struct fat_binary){.magic = 0xba55ed50,
				 .version = 1,
				 .header = 16,
				 .kind = kind,
				 .entry_version = 0x101,
				 .entry_header = 64,
				 .payload = (length + 7) / 8 * 8,
				 .arch = arch,
				 .flags = 0x11};
	b->bytes = b->entry_header + b->payload;
	memcpy(b->text, text, length);
	*w = (struct fat_wrapper){0x466243b1, 1, b, NULL};
}

#endif
