/* SPDX-License-Identifier: Apache-2.0
 *
 * NumPy's .npy files: one array with its type and shape. Little-endian, C order, up to three
 * dimensions; anything else is refused with a reason.
 */
#ifndef PTXSIM_SCRIPT_NPY_H
#define PTXSIM_SCRIPT_NPY_H

#include <stdio.h>

#include "script/element.h"

enum { NPY_RANK = 3 };

struct npy {
	enum element_type type;
	u32 rank;
	u64 dims[NPY_RANK];
	u64 count;      /* elements */
	const u8 *data; /* within the bytes given */
};

/* Whether bytes[0..size) begin as a .npy file does; what begins so is never taken for raw bytes. */
bool npy_begins(const u8 *bytes, size_t size);
/* Reads the array in bytes[0..size); NULL, or why it cannot be used (static text). */
const char *npy_parse(const u8 *bytes, size_t size, struct npy *array);
/* False if writing failed. */
bool npy_write(FILE *f, enum element_type type, u32 rank, const u64 *dims, const u8 *data);

#endif
