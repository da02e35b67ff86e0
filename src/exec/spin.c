/* SPDX-License-Identifier: Apache-2.0
 *
 * What lanes that spin look at, and which instructions could change it: for the message of a deadlock. All that such
 * lanes see is the same in every round, so the address registers hold what they will hold when the loop comes there.
 */
#include <stdio.h>
#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/fault_report.h"
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

static bool is_mbarrier(const struct form *f) { return f && f->row && f->row->traits & TRAIT_MBARRIER; }

static bool waits_for_mbarrier(const struct form *f)
{
	return is_mbarrier(f) && (form_has(f, M_test_wait) || form_has(f, M_try_wait));
}

/* The number of the first load, atomic operation or wait at or behind `from`; insn_count: there is none. Of several that became of
 * one statement, the last one waits. */
static u32 find_look(const struct code *code, u32 from)
{
	for (u32 k = from; k < code->insn_count && k < from + SEARCHED; k++) {
		if (reads_memory(form_at(code, k)))
			return k;
		if (!waits_for_mbarrier(form_at(code, k)))
			continue;
		while (k + 1 < code->insn_count && code->origin[k + 1] == code->origin[k])
			k++;
		return k;
	}
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

/* --- Lines that could change it ----------------------------------------------------------------- */

/* "61 (k.cu:9), 64": of the instructions that `is` chooses. */
struct lines {
	char text[LINES_NAMED * FAULT_PLACE_TEXT];
	u32 count, last;
};

static void add_line(struct lines *l, const struct code *code, u32 insn)
{
	const size_t length = strlen(l->text);
	char source[FAULT_SOURCE_TEXT];
	struct fault_place p;

	fault_find_place(code, insn, &p);
	if (p.line == l->last)
		return;
	l->last = p.line;
	fault_place_source(&p, source);
	if (l->count++ < LINES_NAMED)
		snprintf(l->text + length, sizeof l->text - length, "%s%u%s", length ? ", " : "", p.line, source);
}

static const char *plural(const struct lines *l) { return l->count > 1 ? "s" : ""; }
static const char *and_others(const struct lines *l) { return l->count > LINES_NAMED ? " and others" : ""; }

/* Lines of the kernel, and of the function that spins, that write memory of the space. */
static void say_writers(const struct warp *w, struct fault *f, const struct code *code, size_t used)
{
	const enum ir_space space = (enum ir_space)f->space;
	struct lines lines = {.count = 0};

	for (u32 k = 0; k < code->insn_count; k++) {
		const struct form *form = form_at(code, k);
		const enum ir_space at = writes_memory(form) ? form_space(form) : SPACE_PARAM;
		if (at == space || at == SPACE_GENERIC || (space == SPACE_GENERIC && at != SPACE_PARAM))
			add_line(&lines, code, k);
	}
	if (used >= sizeof f->detail || code != w->grid->kernel->code)
		return;
	if (!lines.count)
		snprintf(f->detail + used, sizeof f->detail - used, ", and nothing in this kernel writes such memory");
	else
		snprintf(f->detail + used, sizeof f->detail - used, ", which line%s %s%s of this kernel could change",
			 plural(&lines), lines.text, and_others(&lines));
}

void spin_tell_mbarriers(const struct grid *grid, char *text, size_t size)
{
	const struct code *code = grid->kernel->code;
	struct lines made = {.count = 0}, arrived = {.count = 0};

	for (u32 k = 0; k < code->insn_count; k++) {
		const struct form *f = form_at(code, k);
		if (!is_mbarrier(f) || waits_for_mbarrier(f))
			continue;
		add_line(form_has(f, M_init) ? &made : &arrived, code, k);
	}
	if (made.count)
		snprintf(text, size, "; the kernel initialises mbarriers at line%s %s%s and arrives at line%s %s%s",
			 plural(&made), made.text, and_others(&made), plural(&arrived),
			 arrived.count ? arrived.text : "none", and_others(&arrived));
}

/* A loop that waits for an mbarrier. */
static void explain_mbarrier(struct warp *w, const struct split *s, struct fault *f, u32 at)
{
	const struct code *code = s->frame->code;
	const struct form *form = form_at(code, at);
	const struct insn *i = &code->insns[at];
	const size_t used = strlen(f->detail);
	u64 word;

	f->address = row_address(s->frame->rows, insn_operand(code, form, i, 1), (s32)insn_operand(code, form, i, 2),
				 form->operand_bits[1] == 64, f->lane);
	f->size = sizeof word;
	f->space = (int)form_space(form);
	const u8 *bytes = bytes_of(w, SPACE_SHARED, f->address, f->size);
	if (w->grid->async == ASYNC_STRICT || f->space != SPACE_SHARED || !bytes)
		return;
	memcpy(&word, bytes, sizeof word);
	const int length =
		snprintf(f->detail + used, sizeof f->detail - used,
			 "; the mbarrier waits for %u of %u arrivals in a phase of parity %u", mbarrier_pending(word),
			 (u32)word & MBARRIER_COUNT_MASK, (u32)(word >> MBARRIER_PHASE));
	if (length > 0 && used + (size_t)length < sizeof f->detail)
		spin_tell_mbarriers(w->grid, f->detail + used + length, sizeof f->detail - used - (size_t)length);
}

void spin_tell_wait(struct warp *w, const struct split *s, char text[ASYNC_WAIT_TEXT])
{
	struct fault f = {.lanes = s->mask, .lane = (u32)__builtin_ctz(s->mask)};
	const struct code *code = s->frame->code;
	const struct insn *entry = w->grid->insns ? w->grid->insns[code->index] : code->insns;
	const u32 at = find_look(code, (u32)(s->pc - entry));

	async_tell_wait(w, text);
	if (*text || at == code->insn_count || code->function->machine || !waits_for_mbarrier(form_at(code, at)))
		return;
	explain_mbarrier(w, s, &f, at);
	snprintf(text, ASYNC_WAIT_TEXT, "%.*s", ASYNC_WAIT_TEXT - 1, f.detail);
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
	if (waits_for_mbarrier(form)) {
		explain_mbarrier(w, s, f, at);
		return;
	}
	f->address = row_address(s->frame->rows, i->a, i->imm, form->operand_bits[form->base_at] == 64, f->lane);
	f->size = form_vector(form) * type_bits(form_type(form, 0)) / 8;
	f->space = (int)form_space(form);
	used = say_value(w, f, used);
	if (used > strlen(f->detail))
		used = strlen(f->detail);
	say_writers(w, f, code, used);
}
