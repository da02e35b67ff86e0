/* SPDX-License-Identifier: Apache-2.0
 *
 * From the object files that the plug-in makes of regions to code that can be run. Objects may come from the cache
 * folder, in a process that has not loaded the plug-in: a small linker of its own reads what LLVM makes of regions, a
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

/* Links them; entries[k], of NULLs before, becomes the function of the kernel's k-th region, if an object has it. False: one is damaged,
 * or there is no memory. */
bool image_link(struct native_image *image, const struct native_object *objects, u32 count, native_fn **entries,
		u32 entry_count);
void image_free(struct native_image *image);
/* Of an object's functions, in bytes; 0: it is damaged. */
size_t object_code_bytes(const struct native_object *object);

/* Code, not to be called from C: see keep.c. */
void native_keep_avx512(void);
void native_keep_avx2(void);
void native_keep_or_leave_avx512(void);
void native_keep_or_leave_avx2(void);

/* Runs a region. Where it leaves for good, what stands above on the stack is gone: nothing there may want to be undone. The compiler
 * sees that next to all registers change, and keeps them once for all warps of a gang. */
static inline u32 native_run_region(struct native_run *r, struct warp *w, u8 *rows, native_fn *run)
{
#ifdef NATIVE_HERE
	register struct native_run *in_r12 __asm__("r12") = r;
	register struct warp *in_r13 __asm__("r13") = w;
	register u8 *in_r14 __asm__("r14") = rows;
	u32 how;

	/* Past what the compiler may keep below the stack's end. The region's function aligns the stack itself. */
	__asm__ volatile("lea -144(%%rsp), %%rsp\n\t"
			 "mov %%rbp, (%%rsp)\n\t"
			 "mov %%rsp, (%%r12)\n\t"
			 "call *%4\n\t"
			 "lea 144(%%rsp), %%rsp"
			 : "=a"(how), "+r"(in_r12), "+r"(in_r13), "+r"(in_r14)
			 : "b"(run)
			 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r15", "xmm0", "xmm1", "xmm2", "xmm3",
			   "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
			   "xmm15", "cc", "memory");
	return how;
#else
	return run(r, w, rows);
#endif
}

#endif
