/* SPDX-License-Identifier: Apache-2.0
 *
 * What lanes that spin look at, and which instructions could change it: for the message of a deadlock. All that such
 * lanes see is the same in every round, so the address registers hold what they will hold when the loop comes there.
 */
#include <stdio.h>
#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/internal.h"
#include "exec/spin.h"
#include "isa/form.h"

/* How far behind the loop's head what it looks at is searched for; lines that are named. */
enum { SEARCHED = 256, LINES_NAMED = 4 };

static const struct form *form_at(const struct code *code, u32 insn)
{
	const u32 origin = code->origin[insn];

	return origin == NO_OPERAND || origin >= code->function->body.count ? NULL : &code->forms[origin];
}

static bool is_single(const struct form *f)
{
	return f && f->row && (f->layout == LAYOUT_MEMORY || f->layout == LAYOUT_MEMORY_LIST);
}

static bool reads_memory(const struct form *f)
{
	const enum ir_space space = f ? form_space(f) : SPACE_GENERIC;

	return is_single(f) && (f->row->flags & ISA_ATOMIC || f->row->traits & TRAIT_LOADS) && space != SPACE_PARAM &&
	       space != SPACE_CONST && space != SPACE_LOCAL;
}

static bool writes_memory(const struct form *f)
{
	return is_single(f) && (f->row->flags & ISA_ATOMIC || f->row->traits & (TRAIT_STORES | TRAIT_REDUCES));
}

/* The number of the first load or atomic operation at or behind `from`; insn_count: there is none. */
static u32 find_look(const struct code *code, u32 from)
{
	for (u32 k = from; k < code->insn_count && k < from + SEARCHED; k++)
		if (reads_memory(form_at(code, k)))
			return k;
	return code->insn_count;
}

/* Host bytes of [address, address + size), if they can be looked at here. */
static const u8 *bytes_of(struct warp *w, enum ir_space space, u64 address, u32 size)
{
	struct allocation a;

	if (space == SPACE_SHARED)
		return address + size <= w->block->shared_bytes ? w->block->shared + address : NULL;
	return space == SPACE_GLOBAL && memory_look(w->grid->memory, address, size, &a) ? a.host + (address - a.base)
											: NULL;
}

static size_t say_value(struct warp *w, struct fault *f, size_t used)
{
	u64 address = f->address, value = 0;
	enum ir_space space = (enum ir_space)f->space;

	if (space == SPACE_GENERIC)
		space = generic_space(w, &address);
	const u8 *bytes = f->size <= sizeof value ? bytes_of(w, space, address, f->size) : NULL;
	if (!bytes)
		return used;
	memcpy(&value, bytes, f->size);
	return used + (size_t)snprintf(f->detail + used, sizeof f->detail - used, "; what they look at is 0x%llx",
				       (unsigned long long)value);
}

static u32 line_of(const struct code *code, u32 insn)
{
	const struct ir_instruction *x = &code->function->body.items[code->origin[insn]];
	u32 line, column;

	source_place(code->function->module->sources->files.items[x->span.file], x->span.begin, &line, &column);
	return line;
}

/* Lines of the kernel, and of the function that spins, that write memory of the space. */
static void say_writers(const struct warp *w, struct fault *f, const struct code *code, size_t used)
{
	const enum ir_space space = (enum ir_space)f->space;
	u32 count = 0, last = 0;
	char lines[100] = "";

	for (u32 k = 0; k < code->insn_count; k++) {
		const struct form *form = form_at(code, k);
		if (!writes_memory(form))
			continue;
		const enum ir_space at = form_space(form);
		const u32 line = line_of(code, k);
		if ((at != space && at != SPACE_GENERIC && space != SPACE_GENERIC) || line == last)
			continue;
		last = line;
		const size_t length = strlen(lines);
		if (count++ < LINES_NAMED)
			snprintf(lines + length, sizeof lines - length, "%s%u", length ? ", " : "", line);
	}
	if (used >= sizeof f->detail || code != w->grid->kernel->code)
		return;
	if (!count)
		snprintf(f->detail + used, sizeof f->detail - used, ", and nothing in this kernel writes such memory");
	else
		snprintf(f->detail + used, sizeof f->detail - used, ", which line%s %s%s of this kernel could change",
			 count > 1 ? "s" : "", lines, count > LINES_NAMED ? " and others" : "");
}

void spin_explain(struct warp *w, const struct split *s, struct fault *f)
{
	const struct code *code = s->frame->code;
	const struct insn *entry = w->grid->insns ? w->grid->insns[code->index] : code->insns;
	const u32 at = find_look(code, (u32)(s->pc - entry));
	size_t used = strlen(f->detail);

	/* Machine code keeps an address's halves in rows of their own, which have gone on since. */
	if (at == code->insn_count || code->function->listing || code->function->machine)
		return;
	const struct form *form = form_at(code, at);
	const struct insn *i = &code->insns[at];
	f->address = row_address(s->frame->rows, i->a, i->imm, form->operand_bits[form->base_at] == 64, f->lane);
	f->size = form_vector(form) * type_bits(form_type(form, 0)) / 8;
	f->space = (int)form_space(form);
	used = say_value(w, f, used);
	if (used > strlen(f->detail))
		used = strlen(f->detail);
	say_writers(w, f, code, used);
}
