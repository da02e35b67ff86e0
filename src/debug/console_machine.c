/* SPDX-License-Identifier: Apache-2.0
 *
 * What machine code alone has: the scoreboard's barriers, which the control bits of instructions set and wait for. Results
 * here never depend on them; they say what the hardware would wait for at this place.
 */
#include <stdio.h>

#include "debug/console_internal.h"
#include "sass/lines.h"
#include "sass/registers.h"

enum { SCOREBOARDS = 6, NO_SCOREBOARD = 7 };

/* The nearest instruction above that sets the barrier, unless one behind it has waited for it. */
static bool find_setter(const struct ir_function *f, u32 from, u32 barrier, u32 *found, bool *reads)
{
	struct sass_insn i;

	for (u32 k = from; k-- > 0 && f->body.items[k].address < f->body.items[from].address;) {
		if (!sass_instruction_at(f, k, &i))
			continue;
		const struct sass_control control = sass_control_of(&i);
		if (control.write_barrier == barrier || control.read_barrier == barrier) {
			*found = k;
			*reads = control.read_barrier == barrier;
			return true;
		}
		if (control.wait >> barrier & 1)
			return false;
	}
	return false;
}

void info_scoreboard(struct console *c, char *rest)
{
	struct debug_place place;
	struct sass_insn i;
	u32 at, shown = 0;
	bool reads;

	(void)rest;
	if (!debug_focus_place(c->d, &place)) {
		console_error(c, "no kernel is running");
		return;
	}
	const struct ir_function *f = place.code->function;
	if (!f->machine || !sass_instruction_at(f, place.instruction, &i)) {
		console_error(c, "the scoreboard is of machine code");
		return;
	}
	const struct sass_control here = sass_control_of(&i);
	for (u32 b = 0; b < SCOREBOARDS; b++) {
		if (!find_setter(f, place.instruction, b, &at, &reads))
			continue;
		const struct debug_place setter = {place.code, at};
		const struct debug_line l = debug_line(&setter);
		fprintf(c->out, "SB%u  %s  %s:%u\t%.*s%s\n", b, reads ? "its sources are read" : "its result is there",
			l.file, l.line, (int)l.length, l.text, here.wait >> b & 1 ? "\twaited for here" : "");
		shown++;
	}
	if (!shown)
		fputs("No barrier of the scoreboard is set on the way here.\n", c->out);
	fprintf(c->out, "This instruction: stall %u%s", here.stall, here.yield ? ", may yield" : "");
	if (here.write_barrier != NO_SCOREBOARD)
		fprintf(c->out, ", sets SB%u when its result is there", here.write_barrier);
	if (here.read_barrier != NO_SCOREBOARD)
		fprintf(c->out, ", sets SB%u when its sources are read", here.read_barrier);
	fputc('\n', c->out);
}
