/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of machine code of sm_75 and later for which PTX has no row: sums with carries, convergence barriers, votes
 * of the lanes that run together. Lowering (sass/lower.h) asks for them by these names; sem/machine_*.c defines them.
 *
 * Rows: R0 and up are rows of 32 x 32 bits in order, so that pairs are neighbours; predicates are masks. Operands are
 * d, a, b, c, or stand in a list at insn.imm: beside each handler in sem/machine_*.c it says which.
 */
#ifndef PTXSIM_ISA_MACHINE_H
#define PTXSIM_ISA_MACHINE_H

#include "isa/isa.h"

/* clang-format off */
#define MACHINE_HANDLERS(X)                                                                            \
	/* Rows */                                                                                     \
	X(all) X(one) X(modify) X(modify_absolute) X(pair) X(part) X(quad) X(unquad) X(logic_pred) X(sign_of_double) X(fchk) X(mufu_circle)                                                \
	/* Integers */                                                                                 \
	X(iadd3) X(iadd3_carry) X(imad) X(imad_wide) X(imad_wide_signed) X(imad_carry) X(imad_low_carry) X(lea_wide) X(lea) X(lea_carry) \
	X(shf) X(isetp) X(least_bytes) X(lop3_pred) X(fsetp) X(dsetp)                                                 \
	/* Predicates */                                                                               \
	X(plop3) X(p2r) X(r2p) X(sign)                                                                 \
	/* Lanes that run together, constant banks */                                                  \
	X(vote) X(shfl) X(match) X(redux) X(elect) X(r2ur) X(differs) X(bank) X(arrive) X(await) X(nibbles) X(turns)                                     \
	/* Textures and surfaces */                                                                    \
	X(texture) X(texture_size) X(suld) X(sust) X(sured)                                            \
	/* Control */                                                                                  \
	X(bra) X(bra_div) X(brx) X(ends) X(end) X(bssy) X(bsync) X(warpsync) X(collect) X(disperse) X(leave) X(yield)         \
	X(help) X(help_ends) X(quad_lead) X(trap) X(not_known) X(apart) X(system_call)
/* clang-format on */

enum machine_handler {
#define X(name) MACHINE_##name,
	MACHINE_HANDLERS(X)
#undef X
		MACHINE_COUNT
};

/* One entry of a file's table of handlers; a table ends with a meaning of NULL. */
struct machine_entry {
	enum machine_handler handler;
	const struct meaning *meaning;
};

/* Bits of insn.aux of control instructions: the guard's and the second predicate's negation; the loop waits for others; all
 * lanes branch if one does; they branch if all have met, not if some have not; of those that part the fewer go first. */
enum {
	MACHINE_NOT_GUARD = 1,
	MACHINE_SPIN = 2,
	MACHINE_NOT_SECOND = 4,
	MACHINE_ANY = 8,
	MACHINE_MET = 16,
	MACHINE_FEWER_FIRST = 32
};
/* Bits of the first word of the lists of sums: complements of the three sources, what else differs. */
enum {
	MACHINE_NOT_A = 1,
	MACHINE_NOT_B = 2,
	MACHINE_NOT_C = 4,
	MACHINE_SIGNED = 8,
	MACHINE_HIGH = 16,
	MACHINE_WIDE = 32,
	MACHINE_NOT_X = 64,
	MACHINE_NOT_Y = 128
};

/* What `help` keeps of a warp, from the row c on: its predicates, which lanes ran, and in the rows behind it the registers. */
enum { MACHINE_KEPT_PREDICATES = 32, MACHINE_KEPT_LANES = 64, MACHINE_FIRST_REGISTER = 64 };

/* The list of `texture`: what is asked, rows, or NO_OPERAND where the instruction has none such. The handle has 32 bits. */
enum machine_texture_operand {
	MACHINE_TEXTURE_ASKED, /* enum machine_texture_bits */
	MACHINE_TEXTURE_HANDLE,
	MACHINE_TEXTURE_ABSENT, /* predicate: the texel is not in memory */
	MACHINE_TEXTURE_TO,     /* four channels */
	MACHINE_TEXTURE_LAYER = MACHINE_TEXTURE_TO + 4,
	MACHINE_TEXTURE_AT, /* three coordinates */
	MACHINE_TEXTURE_LEVEL = MACHINE_TEXTURE_AT + 3,
	MACHINE_TEXTURE_SAMPLE,
	MACHINE_TEXTURE_OFFSET, /* of the texel: four bits a dimension, from bit 0, of gathers eight; see HIGH_OFFSET */
	MACHINE_TEXTURE_STEP,   /* along x and y, for each dimension */
	MACHINE_TEXTURE_OPERANDS = MACHINE_TEXTURE_STEP + 6
};
enum machine_texture_bits {
	MACHINE_TEXTURE_DIMENSIONS = 3, /* bits 0 and 1 */
	MACHINE_TEXTURE_CUBE = 4,
	MACHINE_TEXTURE_INTEGERS = 8,
	MACHINE_TEXTURE_BOUNDED = 16, /* whole coordinates are moved inside */
	MACHINE_TEXTURE_GATHER = 32,
	MACHINE_TEXTURE_HIGH_OFFSET = 64, /* the offset stands from bit 16 on, the layer below */
	MACHINE_TEXTURE_HALVES = 128,     /* two channels to a row */
	MACHINE_TEXTURE_CHANNEL_SHIFT = 8 /* of a gather: two bits from here on */
};

/* The list of `suld`, `sust` and `sured`. */
enum machine_surface_operand {
	MACHINE_SURFACE_ASKED, /* enum machine_surface_bits */
	MACHINE_SURFACE_HANDLE,
	MACHINE_SURFACE_BYTES,                         /* of the datum; of sust, 0: a texel is converted */
	MACHINE_SURFACE_AT,                            /* three coordinates, one of which may be the layer */
	MACHINE_SURFACE_DATA = MACHINE_SURFACE_AT + 3, /* four words */
	MACHINE_SURFACE_OPERANDS = MACHINE_SURFACE_DATA + 4
};
enum machine_surface_bits {
	MACHINE_SURFACE_DIMENSIONS = 3, /* bits 0 and 1 */
	MACHINE_SURFACE_LAYERED = 4,    /* the layer is the coordinate behind the last */
	MACHINE_SURFACE_TEXELS = 8,     /* the first coordinate counts texels, not bytes */
	MACHINE_SURFACE_CLAMP = 16,
	MACHINE_SURFACE_TRAP = 32,
	MACHINE_SURFACE_SIGNED = 64, /* a narrow datum is extended, a reduction compares so */
	MACHINE_SURFACE_FORMAT = 128 /* the texels' format says whether */
};

/* Addresses of code, without address_map's function_base: where the functions are that the system supplies, behind all code;
 * code->starts has theirs behind that of the body's end. A file may call so many different ones. */
enum { MACHINE_SYSTEM_BASE = 0x70000000, MACHINE_SYSTEM_STEP = 16, MACHINE_SYSTEM_FUNCTIONS = 64 };

#endif
