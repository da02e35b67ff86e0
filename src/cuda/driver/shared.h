/* SPDX-License-Identifier: Apache-2.0
 *
 * Files in memory that processes share: one process makes a file, tells its name to another one by whatever means the
 * program has, and the other one opens it. A name means nothing once the process that made the file has closed it or ended.
 */
#ifndef PTXSIM_CUDA_DRIVER_SHARED_H
#define PTXSIM_CUDA_DRIVER_SHARED_H

#include "base/types.h"

/* The 64 bytes of a CUipcMemHandle or CUipcEventHandle: a file, and what of it. */
struct shared_name {
	u32 magic, kind;
	int process, file; /* number and descriptor there */
	u64 id;            /* of the file, at random */
	u64 offset, bytes; /* what is meant; the file may be longer */
	u64 file_bytes;
	u32 device, reserved[3];
};

enum { SHARED_MAGIC = 0x50545849, SHARED_MEMORY = 1, SHARED_EVENT = 2 };

/* A new file of zeros; its descriptor, or -1. */
int shared_make(u64 bytes, u64 *id);
/* Opens it, here or in another process; -1: there is no such file, or not of that kind and size. */
int shared_open(const struct shared_name *n, u32 kind);

#endif
