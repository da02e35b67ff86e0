/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls on ways that are rarely taken. An ordinary call would have the compiler keep every row that it crosses in memory,
 * on the usual way as well; these change no register but the one with the result. What is called gets its arguments as
 * usual, and its address in the result's register.
 */
#include "native/llvm/internal.h"

#define EACH_GENERAL(DO) DO(rcx) DO(rdx) DO(rsi) DO(rdi) DO(r8) DO(r9) DO(r10) DO(r11)
#define PUSH(r)          "	push %" #r "\n"
#define POP8             "	pop %r11\n	pop %r10\n	pop %r9\n	pop %r8\n	pop %rdi\n	pop %rsi\n	pop %rdx\n	pop %rcx\n"

#define EACH_16(DO, OP, V)                                                                                   \
	DO(OP, V, 0)                                                                                         \
	DO(OP, V, 1) DO(OP, V, 2) DO(OP, V, 3) DO(OP, V, 4) DO(OP, V, 5) DO(OP, V, 6) DO(OP, V, 7) DO(OP, V, 8) \
		DO(OP, V, 9) DO(OP, V, 10) DO(OP, V, 11) DO(OP, V, 12) DO(OP, V, 13) DO(OP, V, 14) DO(OP, V, 15)
#define EACH_UPPER(DO, OP, V)                                                                                  \
	DO(OP, V, 16)                                                                                          \
	DO(OP, V, 17) DO(OP, V, 18) DO(OP, V, 19) DO(OP, V, 20) DO(OP, V, 21) DO(OP, V, 22) DO(OP, V, 23)      \
		DO(OP, V, 24) DO(OP, V, 25) DO(OP, V, 26) DO(OP, V, 27) DO(OP, V, 28) DO(OP, V, 29)            \
			DO(OP, V, 30) DO(OP, V, 31)
#define EACH_8(DO, OP, V) \
	DO(OP, V, 0) DO(OP, V, 1) DO(OP, V, 2) DO(OP, V, 3) DO(OP, V, 4) DO(OP, V, 5) DO(OP, V, 6) DO(OP, V, 7)
#define SAVE(OP, V, n)    "	" #OP " %" #V #n ", 64*" #n "(%rsp)\n"
#define LOAD(OP, V, n)    "	" #OP " 64*" #n "(%rsp), %" #V #n "\n"
#define SAVE_K(OP, V, n)  "	" #OP " %" #V #n ", 2048+8*" #n "(%rsp)\n"
#define LOAD_K(OP, V, n)  "	" #OP " 2048+8*" #n "(%rsp), %" #V #n "\n"

/* The frame is aligned for the vectors, and for what is called. */
#define KEEPING(NAME, SAVES, LOADS)                                                                 \
	__asm__(".pushsection .text\n	.balign 16\n	.hidden " #NAME "\n	.globl " #NAME "\n" #NAME ":\n" \
		"	push %rbp\n	mov %rsp, %rbp\n" EACH_GENERAL(PUSH)                        \
		"	sub $2176, %rsp\n	and $-64, %rsp\n" SAVES                             \
		"	vzeroupper\n	call *%rax\n" LOADS                                         \
		"	lea -64(%rbp), %rsp\n" POP8 "	pop %rbp\n	ret\n.popsection\n")

KEEPING(native_keep_avx512,
	EACH_16(SAVE, vmovaps, zmm) EACH_UPPER(SAVE, vmovaps, zmm) EACH_8(SAVE_K, kmovq, k),
	EACH_16(LOAD, vmovaps, zmm) EACH_UPPER(LOAD, vmovaps, zmm) EACH_8(LOAD_K, kmovq, k));
KEEPING(native_keep_avx2, EACH_16(SAVE, vmovaps, ymm), EACH_16(LOAD, vmovaps, ymm));
