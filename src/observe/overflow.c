/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of address arithmetic that wraps. Before the run: which registers of 32 bits become part of an address, and
 * whether they are widened with their sign. During the run such registers have an exact value beside their own.
 *
 *      shl.b32   %r1, %i, 12          exact value beside %r1: 64 bits, by lane
 *      add.s32   %r2, %r1, %k         exact(r2) = exact(r1) + k: does not fit in 32 bits: note this site
 *      cvt.s64.s32 %rd1, %r2          widened: told, with both places
 *      ld.global [%rd1]
 *
 * What wraps and is never widened (hashes, counters) is not told.
 */
#include "observe/overflow.h"

#include <stdio.h>
#include <string.h>

#include "decode/operands.h"
#include "exec/run.h"
#include "isa/form.h"
#include "isa/opcodes.h"
#include "observe/sites.h"

enum { BUCKETS = 256 };

/* How a register takes part: in 64 bits; in 32, which are widened with or without their sign. Bits. */
enum part { PART_WIDE = 1, PART_SIGNED = 2, PART_UNSIGNED = 4, PART_NARROW = PART_SIGNED | PART_UNSIGNED };

enum role { ROLE_NONE, ROLE_COMPUTES, ROLE_OTHER, ROLE_WIDENS };

struct overflow_code {
	u8 *parts; /* by register: enum part */
	u8 *roles; /* by decoded instruction */
};

/* A register of a warp. */
struct exact {
	s64 value[WARP_LANES];
	u32 valid;            /* lanes that have one */
	u32 site[WARP_LANES]; /* where it first was more than 32 bits hold; NO_SITE: it is not */
};

struct overflow_block {
	struct overflow_block *next;
	const struct block *block;
	struct exact **registers; /* by warp and code; by register, made when one is written first */
};

struct overflow {
	struct observer observer;
	const struct check_sites *where;
	struct check_findings *findings;
	struct overflow_code *codes;
	struct overflow_block *blocks[BUCKETS];
};

/* --- Before the run: backwards from addresses ------------------------------------------------------ */

static const struct ir_register *register_of(const struct ir_operand *o)
{
	return o->kind == OPERAND_REGISTER && o->symbol && o->symbol->kind == SYM_REGISTER &&
			       o->symbol->reg->vector == 1
		       ? o->symbol->reg
		       : NULL;
}

static bool mark(u8 *parts, const struct ir_operand *o, u8 more)
{
	const struct ir_register *r = register_of(o);

	if (!r || (parts[r->index] & more) == more)
		return false;
	parts[r->index] |= more;
	return true;
}

static u32 integer_bits(int type) { return type_class(type) == 'f' ? 0 : (u32)type_bits(type); }

static bool is_widening_product(const struct form *f)
{
	return (f->opcode == OP_mul || f->opcode == OP_mad) && form_has(f, M_wide) &&
	       integer_bits(form_type(f, 0)) == 32;
}

static bool is_widening(const struct form *f)
{
	return f->opcode == OP_cvt && integer_bits(form_type(f, 0)) == 64 && integer_bits(form_type(f, 1)) == 32;
}

static u8 sign_of(int type) { return type_class(type) == 's' ? PART_SIGNED : PART_UNSIGNED; }

/* Sums, products and copies; the operands that are values come first. */
static u32 value_operands(const struct form *f, const struct ir_instruction *x)
{
	switch (f->opcode) {
	case OP_mov:
	case OP_cvta:
		return 1;
	case OP_shl:
		return 1;
	case OP_add:
	case OP_sub:
	case OP_selp:
		return 2;
	case OP_mul:
		return form_has(f, M_lo) ? 2 : 0;
	case OP_mad:
		return form_has(f, M_lo) ? min_u32(3, x->operand_count - 1) : 0;
	default:
		return 0;
	}
}

static bool is_narrow(const struct form *f)
{
	return f->opcode == OP_mov ? type_bits(form_type(f, 0)) == 32 : integer_bits(form_type(f, 0)) == 32;
}

/* What the operands of an instruction take part in, by its result.
 * One step of the analysis: if the result takes part in an address, so do the sources that it is made of. True:
 * something changed. */
static bool step_back(u8 *parts, const struct ir_instruction *x, const struct form *f)
{
	const struct ir_register *d = x->operand_count > 1 ? register_of(&x->operands[0]) : NULL;
	const u8 part = d ? parts[d->index] : 0;
	bool changed = false;

	if (!part || !f->row || f->row->flags & (ISA_MEMORY | ISA_PARAM | ISA_CALL))
		return false;
	if (part & PART_WIDE && is_widening(f))
		return mark(parts, &x->operands[1], sign_of(form_type(f, 1)));
	if (part & PART_WIDE && is_widening_product(f)) {
		for (u32 k = 1; k < 3; k++)
			changed |= mark(parts, &x->operands[k], sign_of(form_type(f, 0)));
		return changed | (x->operand_count > 3 && mark(parts, &x->operands[3], PART_WIDE));
	}
	const u8 handed = is_narrow(f) ? part & PART_NARROW : part & PART_WIDE;
	for (u32 k = 1; handed && k <= value_operands(f, x) && k < x->operand_count; k++)
		changed |= mark(parts, &x->operands[k], handed);
	return changed;
}

static void mark_addresses(u8 *parts, const struct ir_instruction *x)
{
	for (u32 k = 0; k < x->operand_count; k++) {
		const struct ir_operand *o = &x->operands[k];
		const struct ir_register *r =
			o->kind == OPERAND_ADDRESS && o->item_count ? register_of(&o->items[0]) : NULL;
		if (r && type_bits(r->type) == 64)
			mark(parts, &o->items[0], PART_WIDE);
	}
}

static enum role role_of(const u8 *parts, const struct ir_instruction *x, const struct form *f)
{
	const struct ir_register *d = x->operand_count > 1 ? register_of(&x->operands[0]) : NULL;

	if (!d || !f->row)
		return ROLE_NONE;
	if (parts[d->index] & PART_WIDE && (is_widening(f) || is_widening_product(f)))
		return ROLE_WIDENS;
	if (!(parts[d->index] & PART_NARROW))
		return ROLE_NONE;
	return value_operands(f, x) && is_narrow(f) && f->opcode != OP_selp && !x->guard ? ROLE_COMPUTES : ROLE_OTHER;
}

/* To a fixed point, backwards over the text; loops need more than one sweep. */
static void describe(struct overflow_code *c, struct arena *arena, const struct code *code)
{
	const struct ir_function *f = code->function;

	c->parts = ARENA_ARRAY(arena, f->register_slots + (size_t)1, u8);
	c->roles = ARENA_ARRAY(arena, code->insn_count + (size_t)1, u8);
	for (u32 k = 0; k < f->body.count; k++)
		mark_addresses(c->parts, &f->body.items[k]);
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 k = f->body.count; k-- > 0;)
			changed |= step_back(c->parts, &f->body.items[k], &code->forms[k]);
	}
	for (u32 k = 0; k < code->insn_count; k++) {
		const u32 origin = code->origin[k];
		if (origin != NO_OPERAND && code->forms[origin].row && sites_is_own(code, k))
			c->roles[k] = (u8)role_of(c->parts, &f->body.items[origin], &code->forms[origin]);
	}
}

/* --- During the run ------------------------------------------------------------------------------ */

static struct overflow_block **bucket_of(struct overflow *o, const struct block *b)
{
	struct overflow_block **at = &o->blocks[(uintptr_t)b / sizeof *b % BUCKETS];

	while (*at && (*at)->block != b)
		at = &(*at)->next;
	return at;
}

struct event {
	struct overflow *o;
	struct warp *w;
	const struct overflow_code *about;
	const struct ir_instruction *x;
	const struct form *f;
	const struct insn *i;
	const u8 *rows;
	u32 mask, site;
};

/* Made at first use and kept for the block object, which later blocks use again (block_start clears it). */
static struct exact *exact_of(const struct event *e, const struct ir_register *r)
{
	struct overflow_block *b = *bucket_of(e->o, e->w->block);
	const u32 slots = e->w->frame->code->function->register_slots + 1;
	const u32 codes = e->o->where->program->code_count;
	struct exact **function = &b->registers[(size_t)e->w->index * codes + e->w->frame->code->index];

	if (!*function)
		*function = ARENA_ARRAY(e->o->findings->arena, slots, struct exact);
	return &(*function)[r->index];
}

static bool fits(s64 value, u8 part) { return part & PART_SIGNED ? value == (s32)value : value == (s64)(u32)value; }

/* What a source is in a lane, and where it first did not fit.
 * The exact value is used only while the register still holds its low half: instructions that are not watched may have
 * written it. */
static s64 source(const struct event *e, u32 k, u32 lane, u32 *site)
{
	const struct ir_operand *o = &e->x->operands[k];
	const u32 row = insn_operand(e->w->frame->code, e->f, e->i, k);
	const struct ir_register *r = register_of(o);
	const u32 own = row == NO_OPERAND ? 0 : ((const u32 *)(const void *)(e->rows + row))[lane];
	const u8 part = r ? e->about->parts[r->index] : 0;

	*site = NO_SITE;
	if (o->kind == OPERAND_INTEGER)
		return (s64)(s32)(u32)o->value;
	if (!r)
		return own;
	const struct exact *x = part & PART_NARROW ? exact_of(e, r) : NULL;
	if (x && x->valid >> lane & 1 && (u32)x->value[lane] == own) {
		*site = x->site[lane];
		return x->value[lane];
	}
	return part & PART_SIGNED ? (s64)(s32)own : (s64)own;
}

/* *site: where one of the sources first did not fit. Beyond 64 bits the value is INT64_MAX, which fits nowhere. */
static s64 computed(const struct event *e, u32 lane, u32 *site)
{
	u32 sites[3] = {NO_SITE, NO_SITE, NO_SITE};
	s64 v[3] = {0}, result;
	bool wraps = false;

	for (u32 k = 0; k < 3 && k + 1 < e->x->operand_count; k++)
		v[k] = source(e, k + 1, lane, &sites[k]);
	*site = sites[0] != NO_SITE ? sites[0] : sites[1] != NO_SITE ? sites[1] : sites[2];
	switch (e->f->opcode) {
	case OP_mov:
		return v[0];
	case OP_add:
		wraps = __builtin_add_overflow(v[0], v[1], &result);
		break;
	case OP_sub:
		wraps = __builtin_sub_overflow(v[0], v[1], &result);
		break;
	case OP_shl:
		wraps = v[1] < 0 || v[1] > 31 || __builtin_mul_overflow(v[0], (s64)1 << v[1], &result);
		break;
	default:
		wraps = __builtin_mul_overflow(v[0], v[1], &result);
		wraps |= !wraps && __builtin_add_overflow(result, v[2], &result);
		break;
	}
	return wraps ? INT64_MAX : result;
}

static void compute(const struct event *e)
{
	const struct ir_register *d = register_of(&e->x->operands[0]);
	struct exact *x = exact_of(e, d);

	for (u32 left = e->mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u32 site;
		const s64 value = computed(e, l, &site);
		x->value[l] = value;
		x->site[l] = fits(value, e->about->parts[d->index]) ? NO_SITE : site != NO_SITE ? site : e->site;
	}
	x->valid |= e->mask;
}

/* Registers that are widened in both ways are left alone. */
static void widen(const struct event *e)
{
	const u32 sources = is_widening(e->f) ? 1 : 2;

	for (u32 k = 1; k <= sources; k++) {
		const struct ir_register *r = register_of(&e->x->operands[k]);
		const u8 part = r ? e->about->parts[r->index] & PART_NARROW : 0;
		for (u32 left = part && part != PART_NARROW ? e->mask : 0; left; left &= left - 1) {
			const u32 l = (u32)__builtin_ctz(left);
			char place[CHECK_PLACE_TEXT];
			u32 site;
			const s64 value = source(e, k, l, &site);
			if (fits(value, part) || site == NO_SITE)
				continue;
			struct fault *f = check_tell(e->o->findings, FAULT_OVERFLOW, e->w, site, 1u << l, e->site);
			if (!f)
				continue;
			check_site_place(e->o->where, e->site, place);
			snprintf(f->detail, sizeof f->detail,
				 "%lld does not fit in 32 %s bits, which become part of an address at %s",
				 (long long)value, part & PART_SIGNED ? "signed" : "unsigned", place);
			check_tell_other(f, e->o->where, FAULT_ROLE_READS, e->site, e->w->block->index,
					 e->w->index * WARP_LANES + l);
		}
	}
}

/* Roles other than computing and widening only forget: the register has been written by something that is not
 * followed. */
static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct overflow *o = context;
	const struct code *code = w->frame->code;
	const u32 insn = (u32)(i - grid_entry(w->grid, code));
	const struct overflow_code *about = &o->codes[code->index];

	if (!mask)
		return;
	const struct event e = {.o = o,
				.w = w,
				.about = about,
				.x = &code->function->body.items[code->origin[insn]],
				.f = &code->forms[code->origin[insn]],
				.i = i,
				.rows = rows,
				.mask = mask,
				.site = o->where->bases[code->index] + insn};
	switch ((enum role)about->roles[insn]) {
	case ROLE_COMPUTES:
		compute(&e);
		break;
	case ROLE_WIDENS:
		widen(&e);
		break;
	default:
		exact_of(&e, register_of(&e.x->operands[0]))->valid &= ~mask;
	}
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct overflow *o = context;

	return o->codes[code->index].roles && o->codes[code->index].roles[insn] != ROLE_NONE;
}

static void block_start(void *context, struct block *b)
{
	struct overflow *o = context;
	struct overflow_block **at = bucket_of(o, b);
	const struct program *program = o->where->program;

	if (!*at) {
		*at = ARENA_NEW(o->findings->arena, struct overflow_block);
		(*at)->block = b;
		(*at)->registers = ARENA_ARRAY(o->findings->arena, (size_t)b->warp_count * program->code_count + 1,
					       struct exact *);
	}
	for (size_t k = 0; k < (size_t)b->warp_count * program->code_count; k++) {
		const u32 slots = program->codes[k % program->code_count]->function->register_slots + 1;
		for (u32 r = 0; (*at)->registers[k] && r < slots; r++)
			(*at)->registers[k][r].valid = 0;
	}
}

/* --- Around the run -------------------------------------------------------------------------------- */

struct overflow *overflow_new(struct arena *arena, const struct check_sites *where)
{
	struct overflow *o = ARENA_NEW(arena, struct overflow);
	const struct program *program = where->program;

	o->where = where;
	o->observer = (struct observer){.context = o, .wants = wants, .before = before, .block_start = block_start};
	o->codes = ARENA_ARRAY(arena, program->code_count + 1, struct overflow_code);
	for (u32 c = 0; c < program->code_count; c++)
		if (!program->codes[c]->function->listing && !program->codes[c]->function->machine)
			describe(&o->codes[c], arena, program->codes[c]);
	return o;
}

void overflow_begin(struct overflow *o, struct check_findings *findings)
{
	o->findings = findings;
	memset(o->blocks, 0, sizeof o->blocks);
}

struct observer *overflow_observer(struct overflow *o) { return &o->observer; }
