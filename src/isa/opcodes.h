/* SPDX-License-Identifier: Apache-2.0
 *
 * Opcodes that rules outside the table have to know by name: what the assembler makes of them, and what lowering
 * puts in itself. Whatever else is known of instructions stands in their rows, as flags and traits (isa/isa.h).
 * A misspelt name is a compile error; test_forms checks that the table has each.
 */
#ifndef PTXSIM_ISA_OPCODES_H
#define PTXSIM_ISA_OPCODES_H

/* clang-format off */

/* X(name): OP_name stands for "name". */
#define ISA_OPCODES(X)                                                                                 \
	/* which ptxas rewrites, or rewrites others into */                                            \
	X(abs) X(add) X(and) X(bfi) X(cos) X(cvt) X(cvta) X(div) X(ex2) X(fma) X(lg2) X(mad) X(max) X(min)     \
	X(mov) X(mul) X(neg) X(or) X(rcp) X(rsqrt) X(selp) X(set) X(shl) X(shr) X(sin) X(slct) X(sqrt) X(sub)        \
	X(bfe) X(lop3) X(not) X(prmt) X(setp) X(shf) X(szext) X(testp) X(xor)                                          \
	/* whose names say what they are before they are matched */                                    \
	X(atom) X(bar) X(barrier) X(call) X(mbarrier)                                                  \
	/* which differ from others by a rule of their operands */                                     \
	X(ld) X(setmaxnreg) X(wgmma) X(wmma)                                                                         \
	/* SASS: what is spelt in two ways, and what puts entries on the reconvergence stack */         \
	X(BAR) X(SSY) X(PBK) X(PCNT) X(PRET)

/* X(name): OP_internal_name stands for "%name", a row that only lowering uses. */
#define ISA_INTERNAL_OPCODES(X)                                                                        \
	X(bra) X(bra_if) X(brx) X(call) X(count) X(cvt_wide) X(element) X(exit) X(fms) X(fnm) X(fnms)  \
	X(guard) X(join) X(kept) X(mul_scaled) X(quotient_sum) X(ret) X(skip) X(sreg_read) X(sub) X(unmodelled)                      \
	/* SASS, which has a %join of its own */                                                       \
	X(condition) X(end) X(modify) X(pair)

enum opcode {
	OP_NONE, /* any other */
#define X(name) OP_##name,
	ISA_OPCODES(X)
#undef X
#define X(name) OP_internal_##name,
	ISA_INTERNAL_OPCODES(X)
#undef X
	OPCODE_COUNT
};
/* clang-format on */

/* What a %quotient_sum does besides adding: the bits of its immediate. */
enum quotient {
	QUOTIENT_FULL = 1,         /* div.full, not div.approx */
	QUOTIENT_MINUS = 2,        /* -(a / b) */
	QUOTIENT_MINUS_ADDEND = 4, /* -c */
	QUOTIENT_SATURATES = 8,
};

/* As it stands in the table: "add", "%join". */
const char *opcode_text(enum opcode opcode);
/* OP_NONE if no rule knows it. `length` bytes of `text` count. */
enum opcode opcode_find(const char *text, unsigned length);

#endif
