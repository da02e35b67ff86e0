/* SPDX-License-Identifier: Apache-2.0
 *
 * What is told of a kernel, with the places of the program's own calls: where the launch was asked for, and where memory that
 * the message is about was given and freed.
 */
#ifndef PTXSIM_CUDA_DRIVER_FINDING_H
#define PTXSIM_CUDA_DRIVER_FINDING_H

#include "cuda/driver/driver.h"
#include "cuda/driver/host_place.h"

struct finding {
	const char *title, *text;          /* the kernel's name; the message, of one or more lines */
	const struct fault_memory *memory; /* that it is about; NULL, or of kind 0: see address */
	u64 address;                       /* in global memory, if nothing is known of the memory; 0: none */
	const char *kernel;                /* its mangled name, or NULL */
	const struct host_place *launched; /* NULL: not known */
};

/* Prints it. With the driver's lock, as memory is looked up. */
void finding_print(FILE *to, const struct finding *f);
/* "cudaMalloc at app.cu:3 in main", or the call's name alone; into text[0..room). */
void finding_giver(const struct region *b, const char *call, char *text, size_t room);
/* The program has freed an address inside of its memory, or memory that it had freed before, by `call`: told of if kernels are
 * checked. With the driver's lock. */
void finding_wrong_free(u64 address, const char *call);
/* A call of the program's is refused, since it accesses bytes that are not all memory: told of if some are, or were. With the
 * driver's lock. */
void finding_refused(u64 address, u64 bytes, const char *call);
/* It copies bytes that overlap with those that it copies them to. With the driver's lock. */
void finding_overlap(u64 to, u64 from, u64 bytes);
/* Remembers whose memory it was. With the driver's lock. */
void finding_forget_later(const struct region *b);

#endif
