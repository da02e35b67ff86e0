/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of encodings: one row a form of an instruction, which both decodes and prints. Private to sass/.
 *
 *     ROW(FFMA, 0x023, "124567", ALL, "", ".fmz.round.sat d, -|a, -|b:f32, -|c:f32")
 *          |      |       |       |    |    +-- text: modifiers, then operands, in the order of the printed text
 *          |      |       |       |    +------- bits that must have a value for the row to hold: "74=1 81:3=7"; 72:2!3: it must
 *          |      |       |       |    |        not have it; ^: bits 32-63 are a power of two
 *          |      |       |       +------------ first and last target: ALL, FROM(90), TO(89), OF(80, 89)
 *          |      |       +-------------------- values of bits 9-11; g: the guard is uniform; u: and bit 91 set; x: 91 is free
 *          |      +---------------------------- bits 0-8
 *          +----------------------------------- opcode and mnemonic
 *
 * The first row that holds is taken. Bit 91 must be set in forms 6 and 7 and clear in others unless the row or its condition
 * says otherwise; in forms 3 and 5 it says that the bank is in a uniform register.
 *
 * Modifiers: .name is a list of sass/modifiers.h in the list's usual bits, .name@78:2 in others; .NAME is always printed;
 * =name at the place of an operand is a word of a list without a dot.
 *
 * Operands, separated by ", ":
 *
 *     [-[bit]][|[bit]][~][!] name [.part[@bits]] [:type] [?]
 *
 *   d a     registers at 16 and 24;   UR@60:3+73:5   one whose number lies in two runs of bits
 *   b c     second and third source, where the form has them (SLOTS, below): register, immediate, constant, uniform register
 *   s       the only other source of an instruction with two or one: at 32 in every form
 *   ud ua ub uc us       the same of the uniform datapath;   R@40 UR@24 P@81 UP@16 B@16 SB@44; Pi@64: inverted, ! at the next bit   at a place of their own
 *   pu pv   predicates at 81 and 84;   pp pq pr   at 87, 77, 68 with ! at 90, 80, 71;   upu ... uniform ones
 *   #72:8   an unsigned number, in hexadecimal; #40:24s with sign; #16:3d in decimal; #34:48s*4 times four
 *   goto    target of a branch; near: of BSSY, in bytes; raw: the distance itself;  sreg  a special register at 72;  'PR'  a word
 *   [...]   addresses: see sass_addresses in compile.c
 *   - |     sign and absolute value, in the bits of the operand's slot (24: 72, 73; 32: 63, 62; 64: 75, 74) or in those named
 *   ~       with - : the sign is a complement          !  negation of a predicate
 *   :f32 :f64 :f16 :bf16 :s   the type of an immediate
 *   ?       left out of the text if it is PT, RZ, or 0;  ?- up to sm_90 only;  ?* always
 */
#ifndef PTXSIM_SASS_ENCODING_H
#define PTXSIM_SASS_ENCODING_H

#include "sass/instruction.h"

struct sass_row {
	u16 opcode, bits; /* bits 0-8 */
	const char *forms;
	u8 since, until;
	const char *when, *text;
};

#define ROW(name, bits, forms, targets, when, text) {SASS_OP_##name, bits, forms, targets, when, text},
#define ALL                                         75, 255
#define FROM(sm)                                    sm, 255
#define TO(sm)                                      75, sm
#define OF(since, until)                            since, until

struct sass_family {
	const struct sass_row *rows;
	u32 count;
	bool is_arithmetic; /* forms 3 and 5, with a constant as operand, ended with sm_89 */
};

#define SASS_FAMILIES(X) \
	X(move)          \
	X(integer) X(float) X(half) X(convert) X(memory) X(atomic) X(control) X(uniform) X(tensor) X(async) X(texture)
#define X(name) extern const struct sass_family sass_rows_##name;
SASS_FAMILIES(X)
#undef X
#define SASS_FAMILY(name, rows)            const struct sass_family sass_rows_##name = {rows, COUNT_OF(rows), false}
#define SASS_ARITHMETIC_FAMILY(name, rows) const struct sass_family sass_rows_##name = {rows, COUNT_OF(rows), true}

/* Up to three runs of bits, the lowest first. */
struct sass_bits {
	u8 low[3], width[3];
	u8 scale; /* times */
	bool is_signed;
};

enum sass_field_kind {
	FIELD_MODIFIER, /* .word of a list */
	FIELD_WORD,     /* =word of a list, in an operand's place */
	FIELD_FIXED,    /* .TEXT */
	FIELD_OPERAND,
};

/* How an address is put together: see sass_addresses. */
struct sass_address_form {
	const char *name, *prefix;
	u8 base, uniform, descriptor; /* lowest bit of the register's field, 0: none */
	struct sass_bits offset;
	u8 scale; /* bit of the scale, 0: none */
	bool always_uniform;
	bool next;    /* the uniform register behind the one that the field names */
	u8 wide;      /* the bit that says .64 or .U32; 255: always .64; NO_BIT: neither */
	u8 described; /* the bit that says that the uniform register is a descriptor */
};

enum { NO_BIT = 0 };

struct sass_field {
	u8 kind;                                    /* enum sass_field_kind */
	u16 list;                                   /* modifier, or the operand's part: enum sass_modifier_kind */
	u8 arg;                                     /* enum sass_arg */
	u8 minus_bit, bars_bit, not_bit, reuse_bit; /* NO_BIT: none */
	bool has_flags;                             /* one of these bits, or the next */
	bool complement, optional, optional_old, unprinted, decimal, inverted;
	bool register_beside, uniform_beside; /* ARG_CONSTANT: c[bank][register + offset] */
	bool comma;                           /* a comma stands before it, else a blank */
	u8 type;                              /* enum sass_float, of an immediate */
	struct sass_bits bits;                /* of the modifier or of the operand's number */
	u64 meaningless[4];                   /* of a modifier: its values without a meaning, a bit each */
	struct sass_bits part;                /* of the operand's part */
	const char *text;                     /* FIELD_FIXED, ARG_WORD: the characters */
	u8 length;                            /* of text */
	const struct sass_address_form *address;
};

enum { SASS_FIELDS = 20 };

struct sass_rule {
	u64 mask_low, mask_high, low, high; /* the row holds where (word & mask) == value */
	const struct sass_row *row;
	u16 number;
	u8 field_count;
	bool uniform_guard;
	bool power_of_two; /* it holds where bits 32-63 are one, too */
	u8 excluded_count;
	struct {
		u8 low, width, value;
	} excluded[2]; /* it does not hold where these bits have that value */
	struct sass_field *fields;
};

struct sass_decoder {
	u32 sm;
	u16 first[4096], count[4096]; /* of the rules with these bits 0-11 */
	struct sass_rule *rules;
	u32 rule_count;
};

struct sass_modifier_list {
	const char *name, *bits;
	const char *const *words;
	u16 count;
};
extern const struct sass_modifier_list sass_modifier_lists[MOD_COUNT];

/* Writes the fields of a row for one form. False: the row's text is wrong; `why` says how. */
bool sass_compile(struct arena *a, u32 sm, const struct sass_row *row, u32 form, struct sass_rule *to,
		  const char **why);

#endif
