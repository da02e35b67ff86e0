/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables in machine code: see debug/machine.h.
 */
#include "debug/machine.h"

#include <string.h>

u32 machine_place(const struct ir_function *f, u32 instruction)
{
	return f->machine && instruction < f->body.count ? f->body.items[instruction].address : instruction;
}

u32 machine_entry(const struct ir_function *f)
{
	u32 k = 0;

	while (f->machine && k < f->body.count && f->body.items[k].address != f->machine->address)
		k++;
	return k < f->body.count ? k : 0;
}

u32 machine_words(const struct debug_frame *f, const char *name, u16 registers[SASS_WORDS])
{
	const struct ir_function *fn = f->place.code->function;

	return f->place.instruction < fn->body.count ? sass_registers_of(fn, f->place.instruction, name, registers) : 0;
}

/* The list of names begins with all R, in order of their numbers; the other files follow. */
static const char *name_of(const struct ir_function *f, u16 index)
{
	for (size_t k = 0; k < f->registers.count; k++)
		if (f->registers.items[k]->index == index)
			return f->registers.items[k]->name;
	return NULL;
}

bool machine_register(struct debug *d, const struct debug_frame *f, u16 index, bool pair, struct debug_register *r)
{
	const char *name = name_of(f->place.code->function, index);

	if (!name || !register_in_frame(d, f, name, r))
		return false;
	/* What the instructions around take it for does not matter: the debug sections know. */
	r->pair = pair;
	r->upper = false;
	if (type_bits(r->type) > 1)
		r->type = pair ? T_b64 : T_b32;
	return true;
}

bool machine_frame(struct debug *d, const struct debug_frame *f, u32 lane, u64 *base)
{
	const struct ir_function *fn = f->place.code->function;
	const struct dwarf *w = debug_dwarf(d, fn->module);
	struct debug_register r;
	u64 reg, above;

	if (!w || !dwarf_frame_at(w, machine_place(fn, f->place.instruction), &reg, &above) ||
	    !machine_register(d, f, sass_frame_register(reg), false, &r))
		return debug_fail(d, "the debug sections do not say where the function's frame is");
	const struct debug_value v = debug_register_lane(d, &r, lane);
	*base = value_word(&v) + above;
	return true;
}

bool machine_address(const struct debug_frame *f, const struct dwarf_location *l, enum ir_space *space, u64 *address)
{
	const struct ir_function *fn = f->place.code->function;

	*space = l->space;
	*address = l->value;
	if (l->space == SPACE_PARAM) {
		*address -= fn->machine->param_base;
		return l->value >= fn->machine->param_base;
	}
	return l->space == SPACE_SHARED;
}
