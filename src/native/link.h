/* SPDX-License-Identifier: Apache-2.0
 *
 * From the object files that the plug-in makes of regions to code that can be run. Objects may come from the cache
 * folder, in a process that has not loaded the plug-in: a small linker of its own reads what LLVM makes of regions, one
 * global function each, constants, and references to native_services. Whatever else stands in an object is refused.
 */
#ifndef PTXSIM_NATIVE_LINK_H
#define PTXSIM_NATIVE_LINK_H

#include <stddef.h>

#include "native/plugin.h"
#include "native/processor.h"

/* The code of a kernel's regions in memory. */
struct native_image {
	u8 *base;
	size_t bytes;
};

/* An object file, at an address that 8 divides; bytes: 0 if there is none. */
struct native_object {
	const u8 *start;
	size_t bytes;
	bool untried; /* the compiler has not come to it */
};

/* Links them; entries[k] is the function of the k-th, or NULL. False: one is damaged, or there is no memory. */
bool image_link(struct native_image *image, const struct native_object *objects, u32 count, native_fn **entries);
void image_free(struct native_image *image);
/* Of an object's function, in bytes; 0: it is damaged. */
size_t object_code_bytes(const struct native_object *object);

/* Code, not to be called from C: see keep.c. */
void native_keep_avx512(void);
void native_keep_avx2(void);
void native_keep_or_leave_avx512(void);
void native_keep_or_leave_avx2(void);

/* Runs a region. Where it leaves for good, what stands above on the stack is gone: nothing there may want to be undone. */
u32 native_run_region(struct native_run *r, struct warp *w, u8 *rows, native_fn *run);

#endif
