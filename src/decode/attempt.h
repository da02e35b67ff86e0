/* SPDX-License-Identifier: Apache-2.0
 *
 * One try at matching an instruction with a row: what decode/match.c, which goes through the rows and the operand
 * words, shares with decode/operand.c (values) and decode/address.c (what stands in brackets). Every function here
 * pushes the uses that its operand stands for, or says what is wrong with it and returns false.
 */
#ifndef PTXSIM_DECODE_ATTEMPT_H
#define PTXSIM_DECODE_ATTEMPT_H

#include "decode/match.h"

/* A try at one row: where the operands are collected, and the first thing that was wrong. */
struct attempt {
	struct matcher *m;
	const struct ir_instruction *x;
	const struct spelled_row *row;
	struct form *form;
	struct use uses[FORM_USES]; /* `count` of them */
	u8 bits[FORM_USES];         /* of the registers they are, for picking a meaning */
	u32 count;
	u32 addresses;
	bool list_shape;
	u32 text_operands; /* operands of the text taken so far */
	u32 ptx, sm;       /* what operands need beyond the form; 0: nothing */
	const char *wrong;
	struct span wrong_at;
};

/* Always false. */
bool attempt_wrong(struct attempt *t, struct span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool attempt_push(struct attempt *t, struct use use);

/* One value of the operand word `s`. */
bool attempt_scalar(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u16 type);
bool attempt_register(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u16 type);
/* `count` values, in braces or in a vector register. */
bool attempt_vector(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o, u32 count);
/* Has it neither a selector nor a minus sign? Those stand at whole operands of video instructions alone. */
bool attempt_plain(struct attempt *t, const struct ir_operand *o);
/* Is a constant what the row says it may be? */
bool attempt_within_limits(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o);

bool attempt_address(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o);
bool attempt_tensor(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o);
bool attempt_texture(struct attempt *t, const struct operand_spec *s, const struct ir_operand *o);

#endif
