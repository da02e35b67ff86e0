/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks of floating-point numbers. Operands are kept before an instruction, since its result may take the place of one,
 * and looked at with the result behind it.
 */
#include "observe/numbers.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decode/form_address.h"
#include "decode/operands.h"
#include "exec/run.h"
#include "isa/form.h"
#include "isa/opcodes.h"
#include "observe/defined.h"

/* OPERANDS: sources that are kept. */
enum { OPERANDS = 16, SHOWN = 4, NUMBER_TEXT = 64 };

/* A format: how many bits each part has; none: not a floating-point number. */
struct format {
	u8 bits, exponent, fraction;
	bool pair; /* two of them in 32 bits */
};

/* A decoded instruction that is looked at. */
struct number_site {
	const struct defined_insn *plan;
	const struct form *form;
	struct format result, sources, middle; /* middle: of the factors of a matrix product; else as `sources` */
	u8 results, kept;
	bool flushes;
	bool in_memory; /* the result is what an addition leaves there */
};

struct numbers {
	struct observer observer;
	const struct check_sites *where;
	struct check_options options;
	struct check_findings *findings;
	struct number_site **of; /* by code and decoded instruction; plan NULL: it is not looked at */
	/* Of the instruction under way: */
	u64 kept[OPERANDS][WARP_LANES];
	u32 unfit, denormal; /* lanes with a source that is not finite, that is denormal */
};

/* --- Formats ----------------------------------------------------------------------------------- */

static struct format format_of(int type)
{
	switch (type) {
	case T_f16:
		return (struct format){16, 5, 10, false};
	case T_f16x2:
		return (struct format){16, 5, 10, true};
	case T_bf16:
		return (struct format){16, 8, 7, false};
	case T_bf16x2:
		return (struct format){16, 8, 7, true};
	case T_f32:
	case T_tf32:
		return (struct format){32, 8, 23, false};
	case T_f64:
		return (struct format){64, 11, 52, false};
	default:
		return (struct format){0};
	}
}

/* The exponent as it is stored: all ones are infinities and NaNs, zero are denormals and zeros. */
static u64 exponent_of(const struct format *f, u64 bits) { return bits >> f->fraction & ((1ull << f->exponent) - 1); }
static u64 fraction_of(const struct format *f, u64 bits) { return bits & ((1ull << f->fraction) - 1); }

static bool is_unfit(const struct format *f, u64 bits)
{
	const u64 most = (1ull << f->exponent) - 1;

	return f->bits && (exponent_of(f, bits) == most || (f->pair && exponent_of(f, bits >> f->bits) == most));
}

static bool is_denormal(const struct format *f, u64 bits)
{
	return f->bits && !exponent_of(f, bits) && fraction_of(f, bits);
}

static double number_of(const struct format *f, u64 bits)
{
	const s64 bias = (s64)(1ull << (f->exponent - 1)) - 1, exponent = (s64)exponent_of(f, bits);
	const double fraction = (double)fraction_of(f, bits);
	double value;

	if ((u64)exponent == (1ull << f->exponent) - 1)
		value = fraction_of(f, bits) ? (double)NAN : (double)INFINITY;
	else if (exponent)
		value = ldexp(fraction + ldexp(1, f->fraction), (int)(exponent - bias - f->fraction));
	else
		value = ldexp(fraction, (int)(1 - bias - f->fraction));
	return bits >> (f->bits - 1) & 1 ? -value : value;
}

static void say_number(const struct format *f, u64 bits, char text[NUMBER_TEXT])
{
	if (!f->bits)
		snprintf(text, NUMBER_TEXT, "0x%llx", (unsigned long long)bits);
	else if (f->pair)
		snprintf(text, NUMBER_TEXT, "{%g, %g}", number_of(f, bits & 0xffff), number_of(f, bits >> 16));
	else
		snprintf(text, NUMBER_TEXT, f->bits == 64 ? "%.17g" : "%.9g", number_of(f, bits));
}

/* --- Telling ----------------------------------------------------------------------------------- */

static u64 value_at(const u8 *rows, const struct defined_operand *o, u32 lane)
{
	const u8 *row = rows + o->row;

	return o->bits <= 32 ? ((const u32 *)(const void *)row)[lane] : ((const u64 *)(const void *)row)[lane];
}

static const struct format *source_format(const struct number_site *s, u32 k)
{
	return s->kept > s->results && k + s->results < s->kept ? &s->middle : &s->sources;
}

static void tell(const struct numbers *n, const struct number_site *s, const struct warp *w, const struct insn *i,
		 enum fault_kind kind, u32 lanes, u64 result)
{
	char text[NUMBER_TEXT], name[100];
	const u32 lane = (u32)__builtin_ctz(lanes);
	size_t used;
	struct fault *f = check_tell(n->findings, kind, w, check_site(n->where, w, i), lanes, NO_SITE);

	if (!f)
		return;
	isa_form_text(s->form, name, sizeof name);
	say_number(&s->result, result, text);
	used = (size_t)snprintf(f->detail, sizeof f->detail, "%s gives %s for", name, text);
	for (u32 k = 0; k < s->kept && k < SHOWN; k++) {
		say_number(source_format(s, k), n->kept[k][lane], text);
		used += (size_t)snprintf(f->detail + used, sizeof f->detail - used, "%s %s", k ? "," : "", text);
	}
	if (s->kept > SHOWN)
		snprintf(f->detail + used, sizeof f->detail - used, " and others");
}

/* --- Looking ------------------------------------------------------------------------------------- */

static const struct number_site *site_at(const struct numbers *n, const struct warp *w, const struct insn *i)
{
	const struct code *code = w->frame->code;

	return &n->of[code->index][i - grid_entry(w->grid, code)];
}

/* Where a lane's addition in memory takes place; NULL: the address is wrong, which the access tells itself. */
static const u8 *place_of(const struct number_site *s, struct warp *w, const struct insn *i, const u8 *rows, u32 lane)
{
	const u64 bytes = s->result.pair ? 4 : s->result.bits / 8;
	u64 at = row_address(rows, i->a, i->imm, form_base_bits(s->form) == 64, lane);
	enum ir_space space = form_space(s->form);

	if (space == SPACE_GENERIC)
		space = generic_space(w, &at);
	if (space == SPACE_SHARED) {
		const struct block *owner = shared_owner(w, at);
		at &= (1u << SHARED_RANK_SHIFT) - 1;
		return owner && at + bytes <= owner->shared_bytes ? owner->shared + at : NULL;
	}
	const struct allocation *m = space == SPACE_GLOBAL ? memory_find(w->grid->memory, at, bytes) : NULL;
	return m ? m->host + (at - m->base) : NULL;
}

static u64 number_in_memory(const struct number_site *s, struct warp *w, const struct insn *i, const u8 *rows, u32 lane)
{
	const u8 *from = place_of(s, w, i, rows, lane);
	u64 bits = 0;

	if (from)
		memcpy(&bits, from, s->result.pair ? 4 : s->result.bits / 8);
	return bits;
}

static u32 unfit_in_memory(const struct number_site *s, struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	u32 lanes = 0;

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		lanes |= (u32)is_unfit(&s->result, number_in_memory(s, w, i, rows, l)) << l;
	}
	return lanes;
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct numbers *n = context;
	const struct number_site *s = site_at(n, w, i);
	u32 k = 0;

	n->unfit = n->denormal = 0;
	for (u32 o = 0; o < s->plan->count && k < s->kept; o++) {
		if (s->plan->operands[o].role != DEFINED_SOURCE)
			continue;
		const struct format *f = source_format(s, k);
		for (u32 l = 0; l < WARP_LANES; l++) {
			const u64 bits = value_at(rows, &s->plan->operands[o], l);
			n->kept[k][l] = bits;
			n->unfit |= (u32)is_unfit(f, bits) << l;
			n->denormal |= (u32)is_denormal(f, bits) << l;
		}
		k++;
	}
	if (s->in_memory && n->options.nan)
		n->unfit |= unfit_in_memory(s, w, i, rows, mask);
	if (n->unfit & mask && s->form->row->traits & TRAIT_MULTIPLIES)
		n->unfit = FULL_MASK;
}

/* What the instruction would give without .ftz; 0: that is not known. */
static double exact(const struct number_site *s, const u64 (*kept)[WARP_LANES], u32 lane)
{
	double v[3] = {0};

	for (u32 k = 0; k < s->kept && k < 3; k++)
		v[k] = s->sources.bits ? number_of(&s->sources, kept[k][lane]) : 0;
	switch (s->form->opcode) {
	case OP_add: /* of three: a product is part of it, whose sign is not known here */
		return s->kept == 2 ? v[0] + v[1] : 0;
	case OP_sub:
		return s->kept == 2 ? v[0] - v[1] : 0;
	case OP_mul:
		return v[0] * v[1];
	case OP_fma:
	case OP_mad:
		return fma(v[0], v[1], v[2]);
	case OP_div:
		return v[0] / v[1];
	case OP_rcp:
		return 1 / v[0];
	case OP_ex2:
		return exp2(v[0]);
	case OP_cvt:
		return v[0];
	default:
		return 0;
	}
}

/* Lanes whose operands or result .ftz makes zero. */
static u32 flushed_lanes(const struct numbers *n, const struct number_site *s, const u8 *rows, u32 mask)
{
	const struct defined_operand *d = &s->plan->operands[0];
	u32 lanes = n->denormal & mask;

	if (s->result.bits != 32 || s->results != 1 || s->kept > 3 || d->role != DEFINED_RESULT_OF)
		return lanes;
	for (u32 left = mask & ~lanes; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const double e = exact(s, n->kept, l);
		if (fabs(e) > 0x1p-150 && fabs(e) < (double)FLT_MIN && !(value_at(rows, d, l) & 0x7fffffff))
			lanes |= 1u << l;
	}
	return lanes;
}

static void after(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct numbers *n = context;
	const struct number_site *s = site_at(n, w, i);

	if (w->stop == STOP_FAULT || !mask)
		return;
	if (s->in_memory && n->options.nan) {
		const u32 lanes = unfit_in_memory(s, w, i, rows, mask & ~n->unfit);
		if (lanes)
			tell(n, s, w, i, FAULT_NOT_FINITE, lanes,
			     number_in_memory(s, w, i, rows, (u32)__builtin_ctz(lanes)));
		return;
	}
	for (u32 o = 0; n->options.nan && o < s->plan->count; o++) {
		const struct defined_operand *d = &s->plan->operands[o];
		u32 lanes = 0;
		if (d->role != DEFINED_RESULT_OF || d->bits == 1)
			continue;
		for (u32 left = mask & ~n->unfit; left; left &= left - 1) {
			const u32 l = (u32)__builtin_ctz(left);
			lanes |= (u32)is_unfit(&s->result, value_at(rows, d, l)) << l;
		}
		if (lanes)
			tell(n, s, w, i, FAULT_NOT_FINITE, lanes, value_at(rows, d, (u32)__builtin_ctz(lanes)));
	}
	if (!n->options.denormals || !s->flushes)
		return;
	const u32 lost = flushed_lanes(n, s, rows, mask);
	if (lost)
		tell(n, s, w, i, FAULT_DENORMAL_LOST, lost,
		     value_at(rows, &s->plan->operands[0], (u32)__builtin_ctz(lost)));
}

/* Without `nan`, only instructions that flush matter. */
static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct numbers *n = context;
	const struct number_site *s = n->of[code->index] ? &n->of[code->index][insn] : NULL;

	return s && s->plan && (n->options.nan || s->flushes);
}

/* --- Before the run ------------------------------------------------------------------------------ */

/* Does it add floating-point numbers in memory, one for a lane? */
static bool adds_in_memory(const struct form *f)
{
	return f->row->flags & ISA_ATOMIC && f->row->flags & ISA_MEMORY && form_has(f, M_add) && form_vector(f) == 1 &&
	       !(f->row->traits & (TRAIT_ASYNC | TRAIT_MULTIPLIES)) && format_of(form_type(f, 0)).bits;
}

/* The formats of a form's result and sources; false: it makes no floating-point number of its operands. */
static bool find_formats(struct number_site *s, const struct form *f)
{
	const u32 others = ISA_MEMORY | ISA_PARAM | ISA_CALL | ISA_ATOMIC;
	const bool multiplies = f->row->traits & TRAIT_MULTIPLIES;

	if (f->row->flags & others || f->row->traits & TRAIT_ASYNC || (f->row->flags & ISA_CROSS_LANE && !multiplies))
		return false;
	s->result = s->sources = s->middle = format_of(form_type(f, 0));
	if (f->opcode == OP_cvt) {
		s->sources = s->middle = format_of(form_type(f, 1));
	} else if (multiplies) {
		s->middle = format_of(form_type(f, 1));
		s->sources = format_of(form_type(f, 3));
		s->middle.pair = s->middle.bits == 16;
		s->sources.pair = s->sources.bits == 16;
		s->result.pair = s->result.bits == 16;
		if (!s->middle.bits)
			return false;
	}
	return s->result.bits != 0;
}

/* Describes a decoded instruction, if it is one whose operands and result can be followed through rows. */
static void describe(struct number_site *s, struct arena *arena, const struct code *code, u32 insn)
{
	const struct form *f = code->origin[insn] == NO_OPERAND ? NULL : &code->forms[code->origin[insn]];
	struct defined_insn *plan;
	u32 results = 0, sources = 0;

	if (!f || !f->row)
		return;
	s->in_memory = adds_in_memory(f);
	s->result = s->sources = s->middle = format_of(form_type(f, 0));
	if (!s->in_memory && !find_formats(s, f))
		return;
	plan = ARENA_NEW(arena, struct defined_insn);
	defined_describe(plan, arena, code, insn);
	for (u32 k = 0; k < plan->count; k++) {
		results += plan->operands[k].role == DEFINED_RESULT_OF && plan->operands[k].bits > 1;
		sources += plan->operands[k].role == DEFINED_SOURCE;
	}
	if (!plan->own || sources > OPERANDS)
		return;
	if (s->in_memory ? code->insns[insn].a == NO_OPERAND : !results || plan->operands[0].row == NO_OPERAND)
		return;
	s->plan = plan;
	s->form = f;
	s->results = f->row->traits & TRAIT_MULTIPLIES ? (u8)results : 1;
	s->kept = (u8)sources;
	s->flushes = form_has(f, M_ftz) && !s->in_memory;
}

/* Machine code and listings are not followed: their instructions are split into several handlers. */
struct numbers *numbers_new(struct arena *arena, const struct check_sites *where, const struct check_options *options)
{
	struct numbers *n = ARENA_NEW(arena, struct numbers);
	const struct program *program = where->program;

	n->where = where;
	n->options = *options;
	n->observer = (struct observer){.context = n, .wants = wants, .before = before, .after = after};
	n->of = ARENA_ARRAY(arena, program->code_count + 1, struct number_site *);
	for (u32 c = 0; c < program->code_count; c++) {
		const struct code *code = program->codes[c];
		if (code->function->listing || code->function->machine)
			continue;
		n->of[c] = ARENA_ARRAY(arena, code->insn_count + 1, struct number_site);
		for (u32 k = 0; k < code->insn_count; k++)
			describe(&n->of[c][k], arena, code, k);
	}
	return n;
}

void numbers_begin(struct numbers *n, struct check_findings *findings) { n->findings = findings; }

struct observer *numbers_observer(struct numbers *n) { return &n->observer; }
