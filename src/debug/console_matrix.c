/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands of matrix instructions as the matrices they are: report/fragment.h knows how, here is
 * which instruction, and whose registers.
 */
#include <ctype.h>

#include "debug/console_internal.h"
#include "exec/warp.h"
#include "report/fragment.h"

/* The decoded instruction that does an instruction's work: the last of its own. */
static bool find_operand(struct fragment *x, const struct debug_frame *f, u32 instruction, u32 warp, char letter)
{
	const struct code *code = f->place.code;

	for (u32 k = code->insn_count; k-- > 0;)
		if (code->origin[k] == instruction)
			return fragment_find(x, code, k, f->frame->rows, warp, letter);
	return false;
}

COMMAND(matrix)
{
	const char *word = console_word(&rest);
	const char letter = *word ? (char)toupper((unsigned char)*word) : 'D';
	struct debug_place place;
	struct debug_frame f;
	struct fragment x;

	if (*rest)
		return console_error(c, "unexpected '%s' after 'matrix %s'", rest, word);
	if (*word && (word[1] || letter < 'A' || letter > 'D'))
		return console_error(c, "matrix A, B, C or D, not '%s'", word);
	if (!debug_focus_frame(c->d, &f) || !f.place.code)
		return console_error(c, "no launch is under way, or the lane has exited");
	place = f.place;
	for (u32 at = f.place.instruction + 1; at-- > 0;) {
		if (!find_operand(&x, &f, at, debug_focus(c->d).warp, letter))
			continue;
		place.instruction = at;
		show_line(c, &place, 0);
		fragment_print(c->out, &x);
		return true;
	}
	return console_error(c, "there is no matrix instruction with operand %c in registers here or before", letter);
}
