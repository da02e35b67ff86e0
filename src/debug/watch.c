/* SPDX-License-Identifier: Apache-2.0
 *
 * Watchpoints and catchpoints. What an instruction touches is worked out before it runs, what it
 * changed afterwards; the launch then stops before the next instruction.
 *
 * One instruction under a watchpoint, in the order of calls (hooked by debug/run.c for instructions that access memory
 * or write registers, while any point asks for it):
 *
 *      watch_before    which lanes touch the watched bytes (touched, written), and the bytes as they are (before)
 *      the instruction
 *      watch_after     the bytes again: a hit sets run.event and run.stopped
 *      next stop       the launch is suspended before the next instruction; the event is reported there
 *
 * Watched variables of the source live in different places from instruction to instruction, so they are compared at
 * stops instead (watch_at_stop, of_variable). Catchpoints use whichever of these moments fits them.
 */
#include <stdio.h>
#include <string.h>

#include "debug/internal.h"
#include "decode/operands.h"
#include "isa/sass.h"

enum { WATCH_MAX = 4096 };

static const char *const catch_names[DEBUG_CATCH_COUNT] = {[DEBUG_CATCH_FAULT] = "fault",
							   [DEBUG_CATCH_DIVERGENCE] = "divergence",
							   [DEBUG_CATCH_RECONVERGENCE] = "reconvergence",
							   [DEBUG_CATCH_BARRIER] = "barrier",
							   [DEBUG_CATCH_CONFLICT] = "conflict",
							   [DEBUG_CATCH_SECTORS] = "sectors",
							   [DEBUG_CATCH_LOCK] = "lock"};

const char *debug_catch_name(enum debug_catch kind) { return kind < DEBUG_CATCH_COUNT ? catch_names[kind] : NULL; }

/* --- Making them -------------------------------------------------------------------------------- */

/* A watchpoint belongs to the thread that was in focus when it was made: its register, its local memory, its block's
 * shared memory. Any warp may touch it. */
static struct debug_point watch_of(const struct debug *d)
{
	return (struct debug_point){.kind = DEBUG_WATCH,
				    .owner_block = d->focus.block,
				    .owner_warp = d->focus.warp,
				    .owner_lane = d->focus.lane,
				    .any_block = true,
				    .any_warp = true,
				    .lanes = FULL_MASK,
				    .enabled = true};
}

/* What the text names: a register of the focused frame, or memory. */
static bool resolve(struct debug *d, const char *what, u64 bytes, struct debug_point *p)
{
	struct debug_memory_place at;

	*p = watch_of(d);
	while (*what == ' ')
		what++;
	if (!debug_find_variable(d, what, d->focus.lane, &at, &p->reg))
		return false;
	if (run_has_ended(d) && (p->reg.name[0] || (at.space != SPACE_GLOBAL && at.space != SPACE_GENERIC)))
		return debug_fail(d, "the launch has ended: '%s' does not change any more", what);
	if (p->reg.name[0]) {
		if (!p->reg.place.bits)
			return debug_fail(d, "%s cannot be watched", what);
		p->of_register = true;
		p->value_type = p->reg.type;
		p->size = p->reg.place.bits == 1 ? 4 : p->reg.place.bits * (p->reg.pair ? 8 : 4);
		return true;
	}
	p->space = at.space;
	p->address = at.address;
	p->value_type = at.type;
	p->size = bytes ? bytes : at.size;
	const struct warp *w = run_find_warp(d, d->focus.block, d->focus.warp);
	if (p->space == SPACE_GENERIC)
		p->space = w ? generic_space(w, &p->address) : SPACE_GLOBAL;
	if (p->size > WATCH_MAX)
		return debug_fail(d, "%llu bytes are too many to watch: %d are the most", (unsigned long long)p->size,
				  WATCH_MAX);
	u8 byte;
	for (u64 k = 0; k < p->size; k++)
		if (!debug_read(d, p->space, p->address + k, d->focus.lane, &byte, 1))
			return false;
	return true;
}

/* The point is made only once the text is known to name something; points_add() has linked it into the list, so its
 * link, number and text survive the assignment. */
struct debug_point *debug_watch(struct debug *d, const char *what, enum debug_watch kind, u64 bytes)
{
	struct debug_point found;

	if (!resolve(d, what, bytes, &found))
		return NULL;
	/* The compiler moves a variable about: its value is what is looked at. */
	found.of_variable = found.of_register && kind == DEBUG_WATCH_CHANGE && what[strspn(what, " ")] != '%';
	if (found.of_variable)
		found.last_known = debug_evaluate_object(d, what, d->focus.lane, &found.last);
	found.last_position = d->position;
	struct debug_point *p = points_add(d, DEBUG_WATCH, what);
	const u32 number = p->number;
	const char *text = p->what;
	struct debug_point *next = p->next;
	*p = found;
	p->number = number;
	p->what = text;
	p->next = next;
	p->watch = kind;
	p->before = ARENA_ARRAY(d->arena, p->size + 1, u8);
	debug_point_changed(d);
	return p;
}

struct debug_point *debug_catch(struct debug *d, enum debug_catch kind, u64 above)
{
	char text[64];

	if (kind >= DEBUG_CATCH_COUNT) {
		debug_fail(d, "no such catchpoint");
		return NULL;
	}
	if (kind == DEBUG_CATCH_CONFLICT || kind == DEBUG_CATCH_SECTORS)
		snprintf(text, sizeof text, "%s above %llu", catch_names[kind], (unsigned long long)above);
	else
		snprintf(text, sizeof text, "%s", catch_names[kind]);
	struct debug_point *p = points_add(d, DEBUG_CATCH, text);
	p->catch = kind;
	p->above = above;
	debug_point_changed(d);
	return p;
}

bool watch_wants_access(const struct debug *d)
{
	for (const struct debug_point *p = d->points.first; p; p = p->next)
		if (p->enabled && p->kind != DEBUG_BREAK && !(p->kind == DEBUG_CATCH && p->catch == DEBUG_CATCH_FAULT))
			return true;
	return false;
}

/* --- Bytes of what is watched -------------------------------------------------------------------- */

/* False: it is not there now (its block or frame has gone). */
static bool read_watched(struct debug *d, const struct debug_point *p, u8 *to)
{
	struct warp *w = run_find_warp(d, p->owner_block, p->owner_warp);

	if (!p->of_register) {
		const struct debug_focus focus = d->focus;
		d->focus = (struct debug_focus){p->owner_block, p->owner_warp, p->owner_lane, 0};
		const bool ok = debug_read(d, p->space, p->address, p->owner_lane, to, p->size);
		d->focus = focus;
		return ok;
	}
	if (!w || !w->live)
		return false;
	/* Frames are used again: the watched one is there while some call of the warp is in it. */
	for (const struct frame *f = d->access.at.w == w ? w->frame : NULL; f; f = f->caller)
		if (f == p->reg.frame) {
			memcpy(to, f->rows + p->reg.place.offset, p->size);
			return true;
		}
	struct debug_split splits[WARP_LANES];
	const u32 count = debug_splits(d, w, splits);
	for (u32 k = 0; k < count; k++)
		for (const struct frame *f = splits[k].frame; f; f = f->caller)
			if (f == p->reg.frame) {
				memcpy(to, f->rows + p->reg.place.offset, p->size);
				return true;
			}
	return false;
}

/* Hooks on accesses are set only while a point wants them: a launch without watchpoints runs at full speed. */
void watch_refresh(struct debug *d) { d->run.hooks_stale |= watch_wants_access(d) != d->run.access_hooked; }

/* --- What an instruction touches ------------------------------------------------------------------ */

/* What writes memory: atomics do both. Asynchronous copies are left out here, since their bytes arrive later. */
static bool is_store(const struct account_site *s)
{
	return s->operation != ACCOUNT_LOAD && s->operation != ACCOUNT_LDMATRIX && s->operation != ACCOUNT_ASYNC &&
	       s->operation != ACCOUNT_ASYNC_BYPASS;
}

static bool is_load(const struct account_site *s)
{
	return s->operation != ACCOUNT_STORE && s->operation != ACCOUNT_STMATRIX;
}

/* Lanes whose bytes overlap the watched range. */
static u32 overlap(const struct debug_point *p, const struct account_site *s, enum ir_space space, const struct warp *w,
		   u32 mask, const u64 address[WARP_LANES])
{
	const bool local = space == SPACE_LOCAL;
	u32 lanes = 0;

	if (p->of_register || space != p->space || (space == SPACE_SHARED && w->block->index != p->owner_block) ||
	    (local && (w->block->index != p->owner_block || w->index != p->owner_warp)))
		return 0;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (address[l] < p->address + p->size && p->address < address[l] + s->width &&
		    (!local || l == p->owner_lane))
			lanes |= 1u << l;
	}
	return lanes;
}

/* Rows that the instruction names as results, in the order of its operands; returns how many. */
static u32 result_rows(const struct code *code, u32 insn, u32 rows[FORM_USES])
{
	const struct form *f = &code->forms[code->origin[insn]];
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = f->row && !sass_is_row(f->row) ? isa_operand_specs(f, specs) : 0;
	u32 found = 0, at = 0;

	for (u32 k = 0; k < count; k++) {
		const u32 width = specs[k].kind == '@' ? 2 : specs[k].vector + (specs[k].second != TOKEN_NONE);
		if (specs[k].immediate)
			continue;
		for (u32 e = 0; specs[k].written && e < width && found < FORM_USES; e++)
			rows[found++] = insn_operand(code, f, &code->insns[insn], at + e);
		at += width;
	}
	return found;
}

/* Does the text's operand name that row of the frame? */
static bool operand_names(const struct code *code, const struct ir_operand *x, u32 row)
{
	if (x->kind == OPERAND_REGISTER && x->symbol && x->symbol->kind == SYM_REGISTER) {
		const struct ir_register *r = x->symbol->reg;
		const u32 first = x->element < 4 ? x->element : 0,
			  last = x->element < 4 ? first : max_u32(r->vector, 1) - 1;
		for (u32 e = first; e <= last; e++)
			if (code->registers[r->index + e].bits && code->registers[r->index + e].offset == row)
				return true;
		return false;
	}
	if (x->kind != OPERAND_VECTOR && x->kind != OPERAND_PAIR && x->kind != OPERAND_LIST)
		return false;
	for (u32 k = 0; k < x->item_count; k++)
		if (operand_names(code, &x->items[k], row))
			return true;
	return false;
}

/* Results that were put together by internal instructions are not among an instruction's rows. */
static bool text_writes(const struct code *code, u32 insn, u32 row)
{
	const u32 origin = code->origin[insn];
	const struct form *f = &code->forms[origin];
	const struct ir_instruction *x = &code->function->body.items[origin];
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = f->row && !code->function->listing ? isa_operand_specs(f, specs) : 0;

	for (u32 k = 0; k < count && k < x->operand_count; k++)
		if (specs[k].written && operand_names(code, &x->operands[k], row))
			return true;
	return false;
}

/* A return writes the results that its call names.
 * A call's results reach the caller's registers when the callee returns: the instruction is then in another frame than
 * the watched register. */
static bool return_writes(const struct warp *w, const struct form *f, const struct debug_point *p)
{
	if (!f->row || !(f->row->flags & ISA_RET) || w->frame->caller != p->reg.frame)
		return false;
	for (const struct join *j = w->open_joins; j; j = j->next_open)
		for (u32 k = 0; j->is_return && j->callee == w->frame && k < j->site->out_count; k++)
			if (j->site->out[k].to_register && j->site->out[k].to == p->reg.place.offset)
				return true;
	return false;
}

/* An instruction of machine code, which names its results by number. */
static bool machine_writes(const struct code *code, u32 insn, const struct debug_point *p)
{
	const u32 bytes = p->reg.place.bits == 1 ? 4 : WARP_LANES * 4;
	struct sass_effects effects;

	sass_effects_at(code->function, code->origin[insn], &effects);
	for (u32 k = 0; k < effects.count; k++)
		for (u32 r = 0; effects.items[k].written && r < effects.items[k].count; r++) {
			const struct row_place *at = &code->registers[effects.items[k].first + r];
			if (at->bits == p->reg.place.bits && at->offset >= p->reg.place.offset &&
			    at->offset < p->reg.place.offset + (p->reg.pair ? 2 : 1) * bytes)
				return true;
		}
	return false;
}

/* The lanes for which the instruction names the watched register as a result. A write of the same value counts. */
static u32 register_writes(const struct debug *d, const struct debug_point *p, const struct warp *w, u32 mask)
{
	const struct code *code = d->access.at.code;
	u32 rows[FORM_USES];

	if (!p->of_register || w->block->index != p->owner_block)
		return 0;
	if (w->frame != p->reg.frame)
		return return_writes(w, &code->forms[code->origin[d->access.at.insn]], p) ? mask : 0;
	if (code->function->machine)
		return machine_writes(code, d->access.at.insn, p) ? mask : 0;
	const u32 count = result_rows(code, d->access.at.insn, rows);
	for (u32 k = 0; k < count; k++)
		if (rows[k] == p->reg.place.offset)
			return mask;
	return text_writes(code, d->access.at.insn, p->reg.place.offset) ? mask : 0;
}

/* Which of the handlers of an instruction is about to run: machine code has instructions of several. */
enum part { PART_FIRST = 1, PART_ACCESS = 2, PART_LAST = 4 };

static u32 part_of(const struct debug *d, const struct code *code, u32 insn)
{
	const struct stops *s = &d->stops[code->index];
	const u32 origin = code->origin[insn];

	if (!code->function->machine)
		return PART_FIRST | PART_ACCESS | PART_LAST;
	return (s->of[origin] == insn ? PART_FIRST : 0) | (s->real[origin] == insn ? PART_ACCESS : 0) |
	       (s->last[origin] == insn ? PART_LAST : 0);
}

/* The record of one point over all parts of an instruction: the first part clears it and keeps the bytes, the access
 * adds lanes of memory, the last part lanes of registers. */
static void note_touched(struct debug *d, struct debug_point *p, struct warp *w, u32 mask, enum ir_space space,
			 u32 active, u32 part)
{
	const struct account_site *s = part & PART_ACCESS ? d->access.site : NULL;

	if (part & PART_FIRST)
		p->touched = p->written = 0;
	if (s && !p->of_register) {
		const u32 lanes = overlap(p, s, space, w, active, d->access.addresses);
		p->touched = is_load(s) ? lanes : 0;
		p->written = is_store(s) ? lanes : 0;
	}
	if (part & PART_LAST)
		p->written |= register_writes(d, p, w, mask);
	if (part & PART_FIRST)
		p->there = read_watched(d, p, p->before);
}

/* What the instruction accesses, before it does. */
static void note_access(struct debug *d, struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	u32 active = mask;

	d->access.site = access_site(d, d->access.at.code, d->access.at.insn);
	d->access.space = SPACE_GENERIC;
	if (d->access.site)
		d->access.space = access_addresses(d->access.site, w, i, rows, &active, d->access.addresses);
	d->access.mask = active;
	if (d->access.site && i->b != NO_OPERAND && form_has(d->access.site->form, M_cas) &&
	    type_bits(form_type(d->access.site->form, 0)) <= 64)
		memcpy(d->access.compare, rows + i->b, type_bits(form_type(d->access.site->form, 0)) == 64 ? 256 : 128);
}

/* Runs inside the launch, before each hooked instruction. `d->access` describes it until watch_after(). */
void watch_before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct debug *d = context;
	const struct code *code = w->frame->code;
	const u32 insn = (u32)(i - grid_entry(w->grid, code)), part = part_of(d, code, insn);

	d->access.at =
		(struct standing){.w = w, .code = code, .mask = mask, .position = d->run.last.position, .insn = insn};
	d->access.frame = w->frame;
	if (part & (PART_FIRST | PART_ACCESS))
		note_access(d, w, i, rows, mask);
	if (part & PART_FIRST)
		d->access.divergences = w->divergent_branches;
	for (struct debug_point *p = d->points.first; p; p = p->next)
		if (p->kind == DEBUG_WATCH && p->enabled && !p->of_variable)
			note_touched(d, p, w, mask, d->access.space, d->access.mask, part);
	if (d->points.wanted)
		note_touched(d, d->points.wanted, w, mask, d->access.space, d->access.mask, part);
}

/* --- What it did ---------------------------------------------------------------------------------- */

static bool changed(struct debug *d, const struct debug_point *p, u8 *now)
{
	return p->there && read_watched(d, p, now) && memcmp(now, p->before, p->size) != 0;
}

/* Lanes of a register row that differ. */
static u32 changed_lanes(const struct debug_point *p, const u8 *now)
{
	const u32 bits = p->reg.place.bits;
	u32 lanes = 0;

	if (bits == 1) {
		u32 a, b;
		memcpy(&a, p->before, 4);
		memcpy(&b, now, 4);
		return a ^ b;
	}
	for (u32 l = 0; l < p->size * 8 / bits; l++)
		lanes |= (u32)(memcmp(p->before + l * (bits / 8), now + l * (bits / 8), bits / 8) != 0)
			 << l % WARP_LANES;
	return lanes;
}

/* The value at the watched place as text; of a register in that lane. */
static void put_value(const struct debug_point *p, const u8 *bytes, u32 lane, char *text, size_t size)
{
	struct debug_value v = {.type = p->value_type};
	const u32 bits = p->reg.place.bits;

	if (p->of_register && bits == 1)
		v.bytes[0] = bytes[lane / 8] >> lane % 8 & 1;
	else if (p->of_register)
		memcpy(v.bytes, bytes + lane * (bits / 8), bits / 8);
	else
		memcpy(v.bytes, bytes, min_u64(p->size, sizeof v.bytes));
	if (p->of_register && p->reg.pair)
		memcpy(v.bytes + 4, bytes + (WARP_LANES + lane) * 4, 4);
	debug_format(&v, 0, text, size);
}

static void say_watch(struct debug *d, const struct debug_point *p, const u8 *now, u32 lanes, bool has_changed)
{
	const u32 lane = lanes ? (u32)__builtin_ctz(lanes) : 0;
	char before[64], after[64];

	put_value(p, p->before, lane, before, sizeof before);
	put_value(p, now, lane, after, sizeof after);
	if (has_changed)
		snprintf(d->text, sizeof d->text, "%s: old value %s, new value %s", p->what, before, after);
	else
		snprintf(d->text, sizeof d->text, "%s: value %s", p->what, before);
	if (p->of_register && lanes)
		snprintf(d->text + strlen(d->text), sizeof d->text - strlen(d->text), " (lane %u)", lane);
}

/* Does it hit? *lanes: those that touched it; `now` has room for its bytes. */
static bool watch_hits(struct debug *d, const struct debug_point *p, u8 *now, u32 *lanes, bool *has_changed)
{
	*has_changed = changed(d, p, now);
	if (!*has_changed)
		memcpy(now, p->before, p->size);
	*lanes = p->written | p->touched;
	if (p->of_register && *has_changed)
		*lanes = changed_lanes(p, now);
	switch (p->watch) {
	case DEBUG_WATCH_CHANGE:
		return *has_changed;
	case DEBUG_WATCH_WRITE:
		return p->written || *has_changed;
	case DEBUG_WATCH_READ:
		return p->touched != 0;
	default:
		return p->touched || p->written || *has_changed;
	}
}

/* Asks the point's condition for each lane, counts the hit, and keeps the access for `explain`. False: the point does
 * not stop here. */
static bool fill_event(struct debug *d, struct debug_point *p, enum debug_reason reason, u32 lanes)
{
	const struct standing *s = &d->access.at;
	u32 seen = lanes ? lanes : s->mask;

	d->points.asking = *s;
	const bool holds = points_condition(d, p, s->w, &seen);
	d->points.asking.w = NULL;
	if (!holds || !points_hit(d, p))
		return false;
	if (d->access.site)
		access_keep(d, s->w, d->access.site, d->access.space, d->access.mask, d->access.addresses);
	d->run.event = (struct debug_event){.reason = reason,
					    .number = p->number,
					    .lanes = seen,
					    .text = d->text,
					    .position = s->position,
					    .block = s->w->block->index,
					    .warp = s->w->index,
					    .place = {s->code, s->code->origin[s->insn]}};
	return true;
}

static bool watch_point_hits(struct debug *d, struct debug_point *p)
{
	u8 now[WATCH_MAX];
	u32 lanes;
	bool has_changed;

	if (!watch_hits(d, p, now, &lanes, &has_changed))
		return false;
	say_watch(d, p, now, lanes, has_changed);
	return fill_event(d, p, DEBUG_WATCHED, lanes);
}

/* --- Catchpoints ---------------------------------------------------------------------------------- */

/* Lanes whose compare-and-swap did not swap. */
static u32 failed_lanes(const struct debug *d, const struct insn *i, const u8 *rows)
{
	const struct account_site *s = d->access.site;
	u32 lanes = 0;

	if (!s || !form_has(s->form, M_cas) || i->d == NO_OPERAND || i->b == NO_OPERAND)
		return 0;
	const u32 bits = type_bits(form_type(s->form, 0)), bytes = bits == 64 ? 8 : 4;
	for (u32 left = d->access.at.mask; left && bits <= 64; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		lanes |= (u32)(memcmp(rows + i->d + l * bytes, d->access.compare + l * bytes, bits / 8) != 0) << l;
	}
	return lanes;
}

/* `conflict` is for shared memory and counts wavefronts beyond the ideal; `sectors` is for global and local memory and
 * counts sectors of 32 bytes in all. */
static bool catch_cost(struct debug *d, const struct debug_point *p)
{
	const enum ir_space space = d->access.space;
	const bool shared = space == SPACE_SHARED;
	struct account_sample s = {.space = space, .mask = d->access.mask};

	if (!d->access.site || (!shared && space != SPACE_GLOBAL && space != SPACE_LOCAL) ||
	    shared != (p->catch == DEBUG_CATCH_CONFLICT))
		return false;
	memcpy(s.address, d->access.addresses, sizeof s.address);
	accounting_cost(d->accounting, d->access.site, d->access.at.w, &s);
	if ((shared ? s.excess : s.cost) <= p->above)
		return false;
	snprintf(d->text, sizeof d->text, "%u %s%s, %u would do", s.cost, shared ? "wavefront" : "sector",
		 plural_s(s.cost), s.cost - s.excess);
	return true;
}

static bool catch_hits(struct debug *d, struct debug_point *p, const struct insn *i, const u8 *rows)
{
	struct warp *w = d->access.at.w;
	u32 lanes = d->access.at.mask;

	d->text[0] = 0;
	switch (p->catch) {
	case DEBUG_CATCH_DIVERGENCE:
		if (w->divergent_branches == d->access.divergences)
			return false;
		snprintf(d->text, sizeof d->text, "the lanes 0x%08x diverge", lanes);
		break;
	case DEBUG_CATCH_CONFLICT:
	case DEBUG_CATCH_SECTORS:
		if (!catch_cost(d, p))
			return false;
		break;
	case DEBUG_CATCH_LOCK:
		lanes = w->frame == d->access.frame ? failed_lanes(d, i, rows) : 0;
		if (!lanes)
			return false;
		snprintf(d->text, sizeof d->text, "lanes 0x%08x found another value", lanes);
		break;
	default:
		return false;
	}
	return fill_event(d, p, DEBUG_CAUGHT, lanes);
}

/* A search backwards (history_find_last) looks at all hits of a stretch and keeps the last; a run forwards stops at the
 * first. */
void watch_after(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct debug *d = context;

	(void)mask;
	if (!(part_of(d, d->access.at.code, d->access.at.insn) & PART_LAST))
		return;
	if (d->run.search) {
		if (d->run.search->accesses && d->access.at.position < d->run.until &&
		    d->run.search->accesses(d, &d->access.at, d->run.search->context, i, rows)) {
			d->run.search->found = d->access.at.position;
			d->run.search->any = true;
		}
	} else if (!d->run.quiet && !d->run.stopped && w->stop != STOP_FAULT) {
		for (struct debug_point *p = d->points.first; p && !d->run.stopped; p = p->next)
			if (p->enabled)
				d->run.stopped =
					(p->kind == DEBUG_WATCH && !p->of_variable && watch_point_hits(d, p)) ||
					(p->kind == DEBUG_CATCH && catch_hits(d, p, i, rows));
	}
	d->access.at.w = NULL;
}

/* --- At stops -------------------------------------------------------------------------------------- */

static bool stop_hits(struct debug *d, const struct debug_point *p, const struct standing *s)
{
	const struct debug_place place = {s->code, s->code->origin[s->insn]};

	if (p->catch == DEBUG_CATCH_BARRIER) {
		snprintf(d->text, sizeof d->text, "lanes 0x%08x are about to arrive", s->mask);
		return place_is_barrier(&place);
	}
	if (p->catch != DEBUG_CATCH_RECONVERGENCE)
		return false;
	snprintf(d->text, sizeof d->text, "lanes 0x%08x go on together", s->mask);
	return d->run.last.w == s->w && d->run.last.position < s->position &&
	       (d->run.last.mask & s->mask) == d->run.last.mask && d->run.last.mask != s->mask;
}

/* The variable's value differs from what it was at the stop before. What lies in the past of that is not known:
 * after going back the first stop only notes the value. */
static bool variable_hits(struct debug *d, struct debug_point *p, const struct standing *s)
{
	const struct debug_focus focus = d->focus;
	char before[300], after[300];
	struct debug_object now;

	if (s->w->block->index != p->owner_block || s->w->index != p->owner_warp || s->w->frame != p->reg.frame ||
	    !(s->mask >> p->owner_lane & 1))
		return false;
	d->focus = (struct debug_focus){p->owner_block, p->owner_warp, p->owner_lane, 0};
	d->points.asking = *s;
	const bool known = debug_evaluate_object(d, p->what, p->owner_lane, &now);
	const bool differs = known && p->last_known && s->position > p->last_position &&
			     memcmp(now.value.bytes, p->last.value.bytes, sizeof now.value.bytes) != 0;
	if (differs) {
		debug_object_text(d, &p->last, p->owner_lane, 0, before, sizeof before);
		debug_object_text(d, &now, p->owner_lane, 0, after, sizeof after);
		snprintf(d->text, sizeof d->text, "%s: old value %s, new value %s", p->what, before, after);
	}
	d->points.asking.w = NULL;
	d->focus = focus;
	if (known) {
		p->last = now;
		p->last_known = true;
		p->last_position = s->position;
	} else if (s->position <= p->last_position) {
		p->last_known = false;
	}
	return differs;
}

static bool point_at_stop(struct debug *d, struct debug_point *p, const struct standing *s)
{
	if (p->kind == DEBUG_WATCH)
		return p->of_variable && variable_hits(d, p, s);
	return p->kind == DEBUG_CATCH && stop_hits(d, p, s);
}

/* Asked wherever the run may stop, before an instruction: for points that no single access decides. */
bool watch_at_stop(struct debug *d, const struct standing *s)
{
	if (!d->run.access_hooked)
		return false;
	for (struct debug_point *p = d->points.first; p; p = p->next) {
		u32 lanes = p->of_variable ? 1u << p->owner_lane : s->mask;
		if (!p->enabled || !point_at_stop(d, p, s))
			continue;
		d->points.asking = *s;
		const bool holds = points_condition(d, p, s->w, &lanes);
		d->points.asking.w = NULL;
		if (!holds || !points_hit(d, p))
			continue;
		d->run.event = (struct debug_event){.reason = p->of_variable ? DEBUG_WATCHED : DEBUG_CAUGHT,
						    .number = p->number,
						    .lanes = lanes,
						    .text = d->text,
						    .position = s->position,
						    .block = s->w->block->index,
						    .warp = s->w->index};
		if (!p->of_variable)
			d->run.event.place = (struct debug_place){s->code, s->code->origin[s->insn]};
		return true;
	}
	return false;
}

/* --- Searching back -------------------------------------------------------------------------------- */

bool watch_search(struct debug *d, const struct standing *s, void *context, const struct insn *i, const u8 *rows)
{
	struct debug_event *e = context;

	(void)s;
	for (struct debug_point *p = d->points.first; p; p = p->next)
		if (p->enabled && ((p->kind == DEBUG_WATCH && !p->of_variable && watch_point_hits(d, p)) ||
				   (p->kind == DEBUG_CATCH && catch_hits(d, p, i, rows)))) {
			*e = d->run.event;
			d->run.event = (struct debug_event){.reason = DEBUG_FAILED};
			memcpy(d->found_text, d->text, sizeof d->found_text);
			e->text = d->found_text;
			return true;
		}
	return false;
}

/* For `who wrote`: the temporary point `points.wanted`, and of a register only the focused lane. */
bool watch_search_one(struct debug *d, const struct standing *s, void *context, const struct insn *i, const u8 *rows)
{
	struct debug_event *e = context;
	u8 now[WATCH_MAX];
	u32 lanes;
	bool has_changed;

	(void)i;
	(void)rows;
	if (!watch_hits(d, d->points.wanted, now, &lanes, &has_changed))
		return false;
	/* A lane into which the same value was written as before has been written to. */
	lanes |= d->points.wanted->written;
	if (d->points.wanted->of_register && !(lanes >> d->focus.lane & 1))
		return false;
	if (d->points.wanted->of_register)
		lanes = 1u << d->focus.lane;
	say_watch(d, d->points.wanted, now, lanes, true);
	memcpy(d->found_text, d->text, sizeof d->found_text);
	*e = (struct debug_event){.reason = DEBUG_STEPPED, .lanes = lanes & s->mask, .text = d->found_text};
	return true;
}

bool watch_search_begin(struct debug *d, const char *what)
{
	static const struct debug_point none;
	struct debug_point *p = ARENA_NEW(d->arena, struct debug_point);

	*p = none;
	if (!resolve(d, what, 0, p))
		return false;
	p->what = arena_copy_text(d->arena, what, strlen(what));
	p->watch = DEBUG_WATCH_WRITE;
	p->before = ARENA_ARRAY(d->arena, p->size + 1, u8);
	d->points.wanted = p;
	return true;
}

void watch_search_end(struct debug *d)
{
	d->points.wanted = NULL;
	d->run.hooks_stale = true;
}
