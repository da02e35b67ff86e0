/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls on ways that are rarely taken. An ordinary call would have the compiler keep every row that it crosses in memory,
 * on the usual way as well; these change no register but the one with the result. What is called gets its arguments as
 * usual, and its address in %r10. The frame is aligned for the vectors, and for what is called.
 *
 * native_keep_or_leave does not return where what it has called gives 0: the region ends there. As no way leads from such a call out
 * of the region, LLVM knows that all goes on behind it, and does not move what was to be done before to places behind it.
 */
#include "native/link.h"

_Static_assert(offsetof(struct native_run, stack) == 0 && NATIVE_STOP == 1, "as the code below has it");

#ifdef NATIVE_HERE

__asm__(".pushsection .text\n"
	".macro native_keep_begin name\n"
	"	.balign 16\n"
	"	.hidden \\name\n"
	"	.globl \\name\n"
	"\\name:	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	.irp x, rcx, rdx, rsi, rdi, r8, r9, r10, r11\n"
	"	push %\\x\n"
	"	.endr\n"
	"	sub $2176, %rsp\n"
	"	and $-64, %rsp\n"
	".endm\n"
	".macro native_keep_end\n"
	"	lea -64(%rbp), %rsp\n"
	"	.irp x, r11, r10, r9, r8, rdi, rsi, rdx, rcx\n"
	"	pop %\\x\n"
	"	.endr\n"
	"	pop %rbp\n"
	"	ret\n"
	".endm\n"

	".macro native_keep_call leaves\n"
	"	vzeroupper\n"
	"	call *%r10\n"
	"	.if \\leaves\n"
	"	test %al, %al\n"
	"	jz native_region_left\n"
	"	.endif\n"
	".endm\n"
	/* As if the region's function returned NATIVE_STOP to native_run_region, which has left %rbp where the stack ended, and the return
	 * address below. */
	"native_region_left:\n"
	"	mov -32(%rbp), %rdi\n"
	"	mov (%rdi), %rsp\n"
	"	mov (%rsp), %rbp\n"
	"	mov $1, %eax\n"
	"	sub $8, %rsp\n"
	"	ret\n"

	".macro native_keep_zmm name, leaves\n"
	"	native_keep_begin \\name\n"
	"	.irp x, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
	"	vmovaps %zmm\\x, 64*\\x(%rsp)\n"
	"	.endr\n"
	"	.irp x, 0,1,2,3,4,5,6,7\n"
	"	kmovq %k\\x, 2048+8*\\x(%rsp)\n"
	"	.endr\n"
	"	native_keep_call \\leaves\n"
	"	.irp x, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
	"	vmovaps 64*\\x(%rsp), %zmm\\x\n"
	"	.endr\n"
	"	.irp x, 0,1,2,3,4,5,6,7\n"
	"	kmovq 2048+8*\\x(%rsp), %k\\x\n"
	"	.endr\n"
	"	native_keep_end\n"
	".endm\n"
	".macro native_keep_ymm name, leaves\n"
	"	native_keep_begin \\name\n"
	"	.irp x, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	vmovaps %ymm\\x, 64*\\x(%rsp)\n"
	"	.endr\n"
	"	native_keep_call \\leaves\n"
	"	.irp x, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	vmovaps 64*\\x(%rsp), %ymm\\x\n"
	"	.endr\n"
	"	native_keep_end\n"
	".endm\n"
	"	native_keep_zmm native_keep_avx512, 0\n"
	"	native_keep_zmm native_keep_or_leave_avx512, 1\n"
	"	native_keep_ymm native_keep_avx2, 0\n"
	"	native_keep_ymm native_keep_or_leave_avx2, 1\n"
	".popsection\n");

#else
void native_keep_avx512(void) {}
void native_keep_avx2(void) {}
void native_keep_or_leave_avx512(void) {}
void native_keep_or_leave_avx2(void) {}
#endif
