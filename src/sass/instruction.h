/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code of sm_75 and later: one decoded instruction, and the decoder and printer of a target.
 * Who uses it: loaders and listings (sass/), what lowers machine code, the debugger's panes.
 *
 * An instruction is 128 bits. What stands where, in bits of the whole word:
 *
 *     127 126 125      105 104              72 71   64 63              32 31   24 23   16 15 14..12 11..9 8..0
 *    +-------+------------+------------------+-------+------------------+-------+-------+--+------+-----+-----+
 *    |   0   |  control   | modifiers,       |  Rc   | Rb, immediate,   |  Ra   |  Rd   |! |guard |form |oper-|
 *    |       |            | predicates       |       | constant, offset |       |       |  |      |     |ation|
 *    +-------+------------+------------------+-------+------------------+-------+-------+--+------+-----+-----+
 *
 *    Control: 105-108 stall, 109 yield, 110-112 write barrier, 113-115 read barrier, 116-121 wait mask, 122-124 reuse
 *    The form says where the second and third source stand: see sass/encoding.h, which has a row for each form.
 *
 * A decoded instruction is an opcode (SASS_OP_FFMA), the guard, modifiers (MOD_ROUND with a value), and operands in the order of
 * the row's text, whether the text shows them or not: an operand that a row names is always there, so that an executor
 * finds it at the same index in every instruction with that opcode and row. RZ and URZ are number 255 on every target,
 * PT and UPT number 7.
 *
 *    @!P0 FFMA.FTZ.RZ R4, -R5, |R6|, 1.5        opcode      SASS_OP_FFMA
 *      |    |   |   |   |   |    |    |         guard       0, guard_negated
 *      |    |   |   |   |   |    |    +---- operands[3]     ARG_FLOAT, bits = 0x3fc00000 (type SASS_F32)
 *      |    |   |   |   |   |    +--------- operands[2]     ARG_REGISTER 6, SASS_BARS
 *      |    |   |   |   |   +-------------- operands[1]     ARG_REGISTER 5, SASS_MINUS
 *      |    |   |   |   +------------------ operands[0]     ARG_REGISTER 4
 *      |    |   |   +---------------------- modifiers       MOD_ROUND = SASS_ROUND_RZ
 *      |    |   +-------------------------- modifiers       MOD_FMZ = 1
 *      |    +------------------------------ sass_opcode_names[SASS_OP_FFMA]
 *      +----------------------------------- sass_modifier(&insn, MOD_SAT) is 0 where a row has no such modifier
 *
 * Stable: the fields of struct sass_insn and struct sass_operand, the names SASS_OP_*, MOD_* and ARG_*, that modifiers' values
 * count the words of their list in sass/modifiers.h from 0, and the order of operands. Opcodes, modifiers and words are
 * added, never renumbered within one run: do not store the numbers in files.
 */
#ifndef PTXSIM_SASS_INSTRUCTION_H
#define PTXSIM_SASS_INSTRUCTION_H

#include "base/arena.h"
#include "sass/modifiers.h"
#include "sass/opcodes.h"

enum sass_arg {
	ARG_NONE,
	ARG_REGISTER,   /* number: R0-R254, RZ */
	ARG_UREGISTER,  /* number: UR0-UR62, from sm_100 on UR254; URZ */
	ARG_PREDICATE,  /* number: P0-P6, PT; SASS_NOT */
	ARG_UPREDICATE, /* number: UP0-UP6, UPT; SASS_NOT */
	ARG_BARRIER,    /* number: convergence barrier B0-B15 */
	ARG_SPECIAL,    /* number: special register, sass_special_name */
	ARG_INTEGER,    /* value: sign-extended where the machine does so */
	ARG_FLOAT, /* bits as the instruction computes with them, `type` says of what kind: an f64's upper half stands in place */
	ARG_CONSTANT,    /* c[bank][register + offset]: bank in number, register in base, offset in value */
	ARG_UCONSTANT,   /* the same with the bank or the register in a uniform register: `uniform` */
	ARG_ADDRESS,     /* [base + uniform + value], `wide`, `scale`, `descriptor` */
	ARG_TARGET,      /* value: byte address in the function, as the instruction has been decoded at `address` */
	ARG_SCOREBOARD,  /* number: SB0-SB5 */
	ARG_SCOREBOARDS, /* value: a mask of SB0-SB5, {5,4} */
	ARG_WORD,        /* a word of the text with no value of its own: PR, Rpc.LO, gsb0 */
};

enum sass_operand_flag {
	SASS_MINUS = 1, /* the negative of a number, or its complement where the row says ~ */
	SASS_BARS = 2,  /* the absolute value, before the sign */
	SASS_NOT = 4,   /* of a predicate */
	SASS_REUSE = 8, /* operand cache: nothing for results */
	SASS_WIDE =
		16, /* of an address: the base is 64 bits, two registers; with SASS_U32 32 bits beside a uniform base of 64 */
	SASS_U32 = 32,
	SASS_COMPLEMENT = 64, /* SASS_MINUS stands for ~ */
	SASS_HIDDEN = 128,    /* the text leaves it out: a predicate PT, and the like */
};

enum sass_float { SASS_F32 = 1, SASS_F64, SASS_F16X2, SASS_BF16X2 };

enum { SASS_RZ = 255, SASS_PT = 7, SASS_NO_REGISTER = 254, SASS_OPERANDS = 9, SASS_MODIFIERS = 12 };

struct sass_operand {
	u8 arg;    /* enum sass_arg */
	u8 flags;  /* enum sass_operand_flag */
	u8 number; /* register, predicate, barrier, bank */
	u8 part; /* of a register: value of a list of modifiers.h, as `part_of` names: .H0_H0, .B1, .COL, .X4 of an address */
	u8 base;       /* address, constant: register, SASS_RZ if none */
	u8 uniform;    /* address: uniform register, SASS_NO_REGISTER if none (SASS_RZ: named and zero) */
	u8 descriptor; /* address: uniform register with the descriptor, SASS_NO_REGISTER if none */
	u8 type;       /* ARG_FLOAT: enum sass_float */
	u16 part_of;   /* enum sass_modifier_kind, MOD_NONE if there is no part */
	u64 value;     /* integer, address' offset, target: as s64; bits of a float */
};

struct sass_insn {
	u64 low, high; /* the encoding */
	u32 address;   /* bytes from the start of the function */
	u16 opcode;    /* enum sass_opcode */
	u16 row;       /* of the table: sass_row_text */
	u8 guard;      /* predicate, 7: PT */
	bool guard_negated, guard_uniform;
	bool invalid; /* a modifier has a value without a meaning: it can be printed, not executed */
	u8 operand_count, modifier_count;
	u16 modifier_kinds[SASS_MODIFIERS]; /* enum sass_modifier_kind */
	u8 modifier_values[SASS_MODIFIERS];
	struct sass_operand operands[SASS_OPERANDS];
};

/* The bits that order instructions, which results do not depend on. */
struct sass_control {
	u8 stall;                       /* cycles before the warp issues again */
	bool yield;                     /* a hint */
	u8 write_barrier, read_barrier; /* 0-5; 7: none */
	u8 wait;                        /* bit k: issue waits for barrier k */
};

/* The value of a modifier, 0 if the instruction's row has none of that kind. */
static inline u32 sass_modifier(const struct sass_insn *i, enum sass_modifier_kind kind)
{
	for (u32 k = 0; k < i->modifier_count; k++)
		if (i->modifier_kinds[k] == kind)
			return i->modifier_values[k];
	return 0;
}

/* ATOMS.POPC.INC, which adds up the lanes that want one word. */
static inline bool sass_counts_lanes(const struct sass_insn *i)
{
	enum { POPC_INC = 10, POPC_INC90 = 11 };

	return sass_modifier(i, MOD_POPC_INC) == POPC_INC || sass_modifier(i, MOD_POPC_INC90) == POPC_INC90;
}

struct sass_control sass_control_of(const struct sass_insn *i);

struct sass_decoder; /* of one target; immutable, so threads may share it */

/* sm: 75, 80, 86, 89, 90, 100, 120 and their kin (87, 103, 121 decode as the next lower target); NULL for other machines. */
struct sass_decoder *sass_decoder_new(struct arena *a, u32 sm);
/* Decodes one instruction at byte `address` of its function. False: not an instruction of this target. */
bool sass_decode(const struct sass_decoder *d, u64 low, u64 high, u32 address, struct sass_insn *to);

enum { SASS_TEXT = 256 };
/* The text as the vendor's disassembler prints it, without address and semicolon, with the guard; at most SASS_TEXT bytes
 * with the final zero. Returns its length. */
u32 sass_print(const struct sass_decoder *d, const struct sass_insn *i, char text[SASS_TEXT]);
/* The row that an instruction was decoded by, for reports and for `ptxsim isa --sass`. */
const char *sass_row_text(const struct sass_decoder *d, const struct sass_insn *i);

extern const char *const sass_opcode_names[SASS_OP_COUNT];
/* SR_TID.X; NULL for numbers that no listing has. */
const char *sass_special_name(u32 number);

#endif
