/* SPDX-License-Identifier: Apache-2.0
 *
 * The native tier: which kernels are compiled, when, and who keeps their code. One tier serves the launches of a
 * context; all of its functions may be called by several threads. Without the plug-in, or on a processor that it does
 * not know, every kernel is interpreted.
 */
#ifndef PTXSIM_NATIVE_TIER_H
#define PTXSIM_NATIVE_TIER_H

#include "exec/native.h"

enum native_mode {
	NATIVE_OFF,
	NATIVE_AUTO,   /* kernels that have run for long, by another thread */
	NATIVE_ALWAYS, /* every kernel, before it first runs */
};

/* What became of a kernel's regions: for reports. */
struct native_report {
	u32 insns, covered, regions, refused;
	size_t code_bytes;
	double seconds;
	bool cached; /* it was found in the cache folder */
};

struct native;

/* "auto", "always", "off"; false: none of these. NULL: what the environment variable PTXSIM_NATIVE says, auto without it. */
bool native_mode_read(const char *text, enum native_mode *mode);

/* NULL: no memory. Loads nothing yet. The programs of its kernels must outlive it. */
struct native *native_open(void);
/* Waits for nothing that takes long: a thread that compiles ends by itself. */
void native_close(struct native *n);
/* Whether such a thread is there. exit() would wait for it; a program that has written all it has to may _exit(). */
bool native_underway(void);
/* What a launch of the kernel is to have as its `native`; NULL: nothing. With NATIVE_ALWAYS it is compiled when a launch
 * begins, if that can be. */
struct native_kernel *native_kernel_of(struct native *n, const struct program *p, const struct kernel *k,
				       enum native_mode mode);
/* Whether native code can be made here; if not, why. Loads the plug-in. */
bool native_available(struct native *n, char *message, size_t size);
/* The plug-in's description, or NULL. */
const char *native_description(const struct native *n);
/* Of a kernel that native_kernel_of gave. */
const struct native_report *native_report_of(const struct native_kernel *k);

#endif
