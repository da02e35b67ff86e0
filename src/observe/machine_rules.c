/* SPDX-License-Identifier: Apache-2.0
 *
 * Each handler has a row: its operands, and a function that says what of its results is undefined, given values and undefined
 * bits of its sources. What a handler's operands mean stands beside it in sem/machine_*.c.
 */
#include "observe/machine_rules.h"

#include <string.h>

#include "decode/machine_operands.h"
#include "exec/run.h"
#include "isa/form.h"

/* --- Values ------------------------------------------------------------------------------------------ */

static void whole(struct rule_lane *l)
{
	for (u32 k = 0; k < RULE_RESULTS; k++)
		l->result[k] = UINT64_MAX;
}

/* d = (a & b ^ c) + imm: a copy, a complement, a negative, a sign that is taken away. */
static void modify(struct rule_lane *l)
{
	const struct insn *i = l->i;
	const u64 kept = l->undefined[0] & i->b;

	l->result[0] = defined_sum((l->value[0] & i->b) ^ i->c, kept, (u32)i->imm, 0, 0);
	if (i->b == UINT32_MAX)
		l->named = i->c ? l->name[0] ^ DEFINED_NEGATED : l->name[0];
}

static void pair(struct rule_lane *l)
{
	l->result[0] = l->undefined[0] | l->undefined[1] << 32;
	l->is_copy = true;
}

static void part(struct rule_lane *l)
{
	l->result[0] = l->undefined[0] & UINT32_MAX;
	l->result[1] = l->undefined[0] >> 32;
	l->is_copy = true;
}

/* Whether it is a number decides about the sign. */
static void sign_of_double(struct rule_lane *l) { l->result[0] = l->undefined[0] | 1ull << 63; }

/* --- Predicates: combined as values of one bit ------------------------------------------------------- */

struct truth {
	bool value, undefined;
};

static struct truth truth_of(const struct rule_lane *l, u32 k, bool negated)
{
	return (struct truth){(l->value[k] != 0) != negated, l->undefined[k] != 0};
}

static struct truth invert(struct truth a) { return (struct truth){!a.value, a.undefined}; }

/* how: 0 and, 1 or, 2 xor. */
static struct truth combine(u32 how, struct truth a, struct truth b)
{
	const bool absorbing = how == 1; /* what decides alone */
	struct truth x = {how == 0   ? a.value && b.value
			  : how == 1 ? a.value || b.value
				     : a.value != b.value,
			  a.undefined || b.undefined};

	if (how < 2 && ((!a.undefined && a.value == absorbing) || (!b.undefined && b.value == absorbing)))
		x = (struct truth){absorbing, false};
	return x;
}

static void logic_pred(struct rule_lane *l)
{
	l->result[0] = combine(l->i->c, truth_of(l, 0, l->i->aux & 1), truth_of(l, 1, l->i->aux & 2)).undefined;
}

/* The outcome of a comparison, and its opposite, each combined with source 2. */
static void combine_both(struct rule_lane *l, struct truth outcome)
{
	const struct truth with = truth_of(l, 2, l->i->aux & 1);

	l->result[0] = combine(l->list[3], outcome, with).undefined;
	l->result[1] = combine(l->list[3], invert(outcome), with).undefined;
}

static void plop3(struct rule_lane *l)
{
	for (u32 table = 0; table < 2; table++) {
		u32 seen = 0;
		for (u32 k = 0; k < 8; k++) {
			u32 entry = 0;
			for (u32 n = 0; n < 3; n++) {
				const struct truth t = truth_of(l, n, l->i->aux >> n & 1);
				entry |= (u32)(t.undefined ? k >> n & 1 : t.value) << (2 - n);
			}
			seen |= 1u << (l->list[5 + table] >> entry & 1);
		}
		l->result[table] = seen == 3;
	}
}

/* Some bit of source 0 is set. */
static void lop3_pred(struct rule_lane *l)
{
	const u64 known = l->value[0] & ~l->undefined[0];
	const struct truth some = {l->value[0] != 0, l->undefined[0] && !known};

	l->result[0] = combine(l->list[2] ? 0 : 1, some, truth_of(l, 1, l->i->aux & 1)).undefined;
}

static void sign(struct rule_lane *l) { l->result[0] = l->undefined[0] >> 31 & 1; }

/* Sources 2 and up are the predicates. */
static void p2r(struct rule_lane *l)
{
	const u32 shift = 8 * (u32)l->i->imm;
	u64 all = 0;

	for (u32 k = 0; k < MACHINE_PREDICATES; k++)
		all |= (u64)(l->undefined[2 + k] != 0) << k;
	const u64 taken = l->value[1] << shift, chosen = l->undefined[1] << shift;
	l->result[0] = (all << shift & taken) | (l->undefined[0] & ~taken) | chosen;
}

static void r2p(struct rule_lane *l)
{
	const u32 shift = (u32)l->i->imm;

	for (u32 k = 0; k < MACHINE_PREDICATES; k++)
		l->result[k] = l->undefined[1] >> k & 1 ? 1
			       : l->value[1] >> k & 1   ? l->undefined[0] >> (k + shift) & 1
							: l->undefined[2 + k];
}

/* --- Sums -------------------------------------------------------------------------------------------- */

/* One summand, with its complement taken. */
struct summand {
	u64 value, undefined;
	u32 name;
};

static struct summand summand(const struct rule_lane *l, u32 k, bool complemented)
{
	return (struct summand){complemented ? ~l->value[k] & UINT32_MAX : l->value[k], l->undefined[k],
				l->name[k] && complemented ? l->name[k] ^ DEFINED_NEGATED : l->name[k]};
}

/* What was added may be taken away again: two undefined values of which one is the other's negative give something defined. */
static void cancel(struct summand *s, u32 count)
{
	for (u32 a = 0; a < count; a++)
		for (u32 b = a + 1; b < count; b++)
			if (s[a].name && s[a].name == (s[b].name ^ DEFINED_NEGATED))
				s[a] = (struct summand){s[a].value, 0, 0}, s[b] = (struct summand){s[b].value, 0, 0};
}

/* The name of the only undefined one. */
static u32 name_of_sum(const struct summand *s, u32 count)
{
	u32 name = 0, undefined = 0;

	for (u32 k = 0; k < count; k++)
		if (s[k].undefined) {
			name = s[k].name;
			undefined++;
		}
	return undefined == 1 ? name : 0;
}

struct total {
	u64 value, undefined, least, most;
};

static struct total add(struct rule_lane *l, struct summand *s, u32 count, u64 more)
{
	struct total t = {.value = more, .least = more, .most = more};

	cancel(s, count);
	for (u32 k = 0; k < count; k++) {
		t.undefined = defined_sum(t.value, t.undefined, s[k].value, s[k].undefined, 0);
		t.value += s[k].value;
		t.least += s[k].value & ~s[k].undefined;
		t.most += s[k].value | s[k].undefined;
	}
	l->named = name_of_sum(s, count);
	return t;
}

static void iadd3(struct rule_lane *l)
{
	struct summand s[] = {summand(l, 0, false), summand(l, 1, false), summand(l, 2, false)};

	l->result[0] = add(l, s, COUNT_OF(s), 0).undefined;
}

static struct summand carry(const struct rule_lane *l, u32 k, bool negated)
{
	return (struct summand){(l->value[k] != 0) != negated, l->undefined[k] != 0, 0};
}

static void iadd3_carry(struct rule_lane *l)
{
	const u32 flags = l->list[0];
	struct summand s[] = {summand(l, 0, flags & MACHINE_NOT_A), summand(l, 1, flags & MACHINE_NOT_B),
			      summand(l, 2, flags & MACHINE_NOT_C), carry(l, 3, flags & MACHINE_NOT_X),
			      carry(l, 4, flags & MACHINE_NOT_Y)};
	const struct total t = add(l, s, COUNT_OF(s), l->list[1]);

	l->result[0] = t.undefined;
	l->result[1] = (t.least >> 32 > 0) != (t.most >> 32 > 0);
	l->result[2] = (t.least >> 32 > 1) != (t.most >> 32 > 1);
}

/* --- Products ---------------------------------------------------------------------------------------- */

/* The lowest bits of a product depend on the lowest bits of its factors alone; a power of two only moves bits. */
static u64 product(u64 a, u64 undefined_a, u64 b, u64 undefined_b)
{
	if (undefined_a && undefined_b)
		return ~(u64)0 << __builtin_ctzll(undefined_a | undefined_b);
	if (undefined_b)
		return product(b, undefined_b, a, 0);
	if (!undefined_a || !b)
		return 0;
	if (!(b & (b - 1)))
		return undefined_a << __builtin_ctzll(b);
	const u32 from = (u32)__builtin_ctzll(undefined_a) + (u32)__builtin_ctzll(b);
	return from > 63 ? 0 : ~(u64)0 << from;
}

static void imad(struct rule_lane *l)
{
	const u64 undefined = product(l->value[0], l->undefined[0], l->value[1], l->undefined[1]) & UINT32_MAX;
	const u32 k = l->value[0] == 1 ? 1 : 0; /* times 1 */
	const bool is_same = !l->undefined[1 - k] && l->value[1 - k] == 1;
	struct summand s[] = {{l->value[0] * l->value[1] & UINT32_MAX, undefined, is_same ? l->name[k] : 0},
			      summand(l, 2, false)};

	l->result[0] = add(l, s, COUNT_OF(s), 0).undefined;
}

static u64 extended(u64 x, bool is_signed) { return is_signed ? (u64)(s64)(s32)(u32)x : x & UINT32_MAX; }

/* All 64 bits of a product and what is added: sources 2 and 3 are its words. */
static u64 product_wide(const struct rule_lane *l, bool is_signed, u64 flip, u64 carry, u64 undefined_carry)
{
	const u64 a = extended(l->value[0], is_signed), b = extended(l->value[1], is_signed);
	const u64 undefined = product(a, extended(l->undefined[0], is_signed), b, extended(l->undefined[1], is_signed)),
		  added = (l->value[2] | l->value[3] << 32) ^ flip,
		  undefined_added = l->undefined[2] | l->undefined[3] << 32;

	if (!undefined_carry)
		return defined_sum(a * b, undefined, added, undefined_added, carry);
	const u64 all = defined_sum(a * b, undefined, added, undefined_added, 0) | 1;
	return ~(u64)0 << __builtin_ctzll(all);
}

static void imad_wide_of(struct rule_lane *l, bool is_signed)
{
	const u64 undefined = product_wide(l, is_signed, 0, 0, 0);

	l->result[0] = undefined & UINT32_MAX;
	l->result[1] = undefined >> 32;
	l->is_copy = (!l->undefined[0] && !l->value[0]) || (!l->undefined[1] && !l->value[1]);
}
static void imad_wide(struct rule_lane *l) { imad_wide_of(l, false); }
static void imad_wide_signed(struct rule_lane *l) { imad_wide_of(l, true); }

/* Results: the word, the carry, with MACHINE_WIDE the upper word. */
static void imad_carry(struct rule_lane *l)
{
	const u32 flags = l->list[0];
	const struct summand x = carry(l, 4, flags & MACHINE_NOT_X);
	const u64 undefined =
		product_wide(l, flags & MACHINE_SIGNED, flags & MACHINE_NOT_C ? UINT64_MAX : 0, x.value, x.undefined);

	l->result[0] = flags & MACHINE_HIGH ? undefined >> 32 : undefined & UINT32_MAX;
	l->result[1] = undefined != 0;
	l->result[2] = undefined >> 32;
}

static void lea(struct rule_lane *l)
{
	const u32 shift = (u32)l->i->imm;
	struct summand s[] = {
		{l->value[0] << shift & UINT32_MAX, l->undefined[0] << shift & UINT32_MAX, shift ? 0 : l->name[0]},
		summand(l, 1, false)};

	l->result[0] = add(l, s, COUNT_OF(s), 0).undefined;
	l->is_copy = !shift && !s[1].undefined && !s[1].value; /* times 1, and 0 added */
}

static u64 shifted(u64 low, u64 high, u32 shift, bool takes_high)
{
	const u64 all = (low | high << 32) << shift;

	return takes_high ? all >> 32 : all & UINT32_MAX;
}

static void lea_carry(struct rule_lane *l)
{
	const u32 flags = l->list[0], shift = l->list[4];
	const bool high = flags & MACHINE_HIGH;
	const u64 value = shifted(l->value[0], high ? l->value[2] : 0, shift, high),
		  undefined = shifted(l->undefined[0], high ? l->undefined[2] : 0, shift, high);
	struct summand s[] = {{flags & MACHINE_NOT_A ? ~value & UINT32_MAX : value, undefined, 0},
			      summand(l, 1, flags & MACHINE_NOT_B),
			      carry(l, 3, flags & MACHINE_NOT_X)};
	const struct total t = add(l, s, COUNT_OF(s), l->list[1]);

	l->result[0] = t.undefined;
	l->result[1] = t.least >> 32 != t.most >> 32;
}

/* {c, a} shifted by b, as the handler has it. */
static void shf(struct rule_lane *l)
{
	const u32 how = (u32)l->i->imm, width = how & 16 ? 64 : 32;
	const u64 both = l->undefined[0] | l->undefined[2] << 32;
	const u32 given = (u32)l->value[1], count = how & 2 ? given & (width - 1) : min_u32(given, width);
	const u64 left = count < 64 ? both << count : 0, right = count < 64 ? both >> count : 0,
		  extended_right = (u64)((s64)both >> min_u32(count, 63)),
		  moved = how & 1 ? (how & 8 ? extended_right : right) : left;

	if (l->undefined[1] & (how & 2 ? width - 1 : UINT32_MAX))
		l->result[0] = UINT64_MAX;
	else
		l->result[0] = how & 4 ? moved >> 32 : moved & UINT32_MAX;
}

static void least_bytes(struct rule_lane *l)
{
	const u64 any = l->undefined[0] | l->undefined[1];

	for (u32 at = 0; at < 32; at += 8)
		l->result[0] |= any >> at & 255 ? 255ull << at : 0;
}

/* --- Comparisons ------------------------------------------------------------------------------------- */

static bool compare(u32 how, u64 a, u64 b, bool below)
{
	const bool extends = how & 16 && (how & 7) != 0 && (how & 7) != 7;

	if (a == b)
		return extends ? below : how & 2;
	return how & (a < b ? 1u : 4u);
}

/* Order: the least of one against the greatest of the other, and the other way round. Equality: a defined bit that differs
 * tells, else any may be. */
static struct truth compare_undefined(const struct rule_lane *l, u32 how)
{
	const u64 flip = how & 8 ? 0x80000000 : 0, a = l->value[0] ^ flip, b = l->value[1] ^ flip;
	const u64 ua = l->undefined[0], ub = l->undefined[1];
	const struct truth below = truth_of(l, 3, l->i->aux & 2);
	struct truth t = {compare(how, a, b, below.value), false};

	if (((how & 1) != 0) == ((how & 4) != 0)) {
		const bool differs = (a ^ b) & ~(ua | ub), unequal = compare(how, 0, 1, false);
		const bool either = below.undefined && compare(how, 0, 0, false) != compare(how, 0, 0, true);
		t.undefined = !differs && (either || ((ua | ub) && unequal != compare(how, 0, 0, below.value)));
		return t;
	}
	for (u32 k = 0; k < 4; k++) {
		const bool x = below.undefined ? k & 1 : below.value;
		const bool outcome = k & 2 ? compare(how, a & ~ua, b | ub, x) : compare(how, a | ua, b & ~ub, x);
		t.undefined |= outcome != t.value;
	}
	return t;
}

static void isetp(struct rule_lane *l) { combine_both(l, compare_undefined(l, l->list[4])); }

static void fsetp(struct rule_lane *l) { combine_both(l, (struct truth){false, l->undefined[0] || l->undefined[1]}); }

static void dsetp(struct rule_lane *l)
{
	if (l->list[4] & 32)
		whole(l);
	else
		fsetp(l);
}

/* --- What lanes tell one another --------------------------------------------------------------------- */

static const struct defined_operand *nth(const struct defined_insn *d, u32 role, u32 n)
{
	for (u32 k = 0; k < d->count; k++)
		if (d->operands[k].role == role && !n--)
			return &d->operands[k];
	return NULL;
}

static void put_all(const struct frame *f, const struct defined_operand *o, u32 lanes, u64 undefined, u32 origin)
{
	for (; lanes; lanes &= lanes - 1)
		defined_put(f, o, (u32)__builtin_ctz(lanes), undefined, origin);
}

static u32 origin_of(const struct defined_insn *d, const struct frame *f, u32 mask, u32 site)
{
	const struct defined_operand *o;

	for (u32 n = 0; (o = nth(d, DEFINED_SOURCE, n)) != NULL; n++)
		if (defined_lanes(f, o, mask))
			return *defined_origin(f, o->row) == NO_SITE ? site : *defined_origin(f, o->row);
	return site;
}

/* Any lane's undefined source counts for all. */
static void together(const struct defined_insn *d, const struct warp *w, u32 mask, u32 to, u32 site)
{
	const struct defined_operand *o;
	bool any = false;

	for (u32 n = 0; (o = nth(d, DEFINED_SOURCE, n)) != NULL; n++)
		any |= defined_lanes(w->frame, o, mask) != 0;
	const u32 origin = origin_of(d, w->frame, mask, site);
	for (u32 n = 0; (o = nth(d, DEFINED_RESULT_OF, n)) != NULL; n++)
		put_all(w->frame, o, to, any ? UINT64_MAX : 0, origin);
}

static void match(const struct defined_insn *d, const struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
		  u32 site)
{
	(void)i;
	(void)rows;
	together(d, w, mask, mask, site);
}

static void to_uniform(const struct defined_insn *d, const struct warp *w, const struct insn *i, const u8 *rows,
		       u32 mask, u32 site)
{
	(void)i;
	(void)rows;
	together(d, w, mask, FULL_MASK, site);
}

/* A defined lane may decide; of a ballot each lane has its bit. */
static void vote(const struct defined_insn *d, const struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
		 u32 site)
{
	const u32 *list = w->frame->code->operands + i->imm;
	const struct defined_operand *p = nth(d, DEFINED_SOURCE, 0);
	const u32 undefined = defined_lanes(w->frame, p, mask), defined = mask & ~undefined,
		  origin = origin_of(d, w->frame, mask, site);
	u32 holds = 0;

	for (u32 left = defined; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		holds |= (u32)((defined_value(rows, p, l) != 0) != (i->aux & 1)) << l;
	}
	const bool decided = list[0] == 0 ? defined & ~holds : list[0] == 1 ? holds != 0 : holds && defined & ~holds;
	put_all(w->frame, nth(d, DEFINED_RESULT_OF, 0), list[4] ? FULL_MASK : mask, undefined, origin);
	put_all(w->frame, nth(d, DEFINED_RESULT_OF, 1), list[4] ? FULL_MASK : mask, undefined && !decided, origin);
}

/* As the handler finds it: modes 0 idx, 1 up, 2 down, 3 bfly. */
static u32 source_lane(u32 mode, u32 l, u32 b, u32 c)
{
	const u32 segment = c >> 8 & 31, last = (l & segment) | (c & 31 & ~segment);
	s32 j = mode == 0 ? (s32)((l & segment) | (b & 31 & ~segment)) : (s32)(l ^ (b & 31));

	if (mode == 1) {
		j = (s32)l - (s32)(b & 31);
		return j >= (s32)last ? (u32)j & 31 : l;
	}
	if (mode == 2)
		j = (s32)(l + (b & 31));
	return j <= (s32)last ? (u32)j & 31 : l;
}

static void shfl(const struct defined_insn *d, const struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
		 u32 site)
{
	const u32 mode = w->frame->code->operands[i->imm + 5];
	const struct defined_operand *value = nth(d, DEFINED_SOURCE, 0), *to = nth(d, DEFINED_RESULT_OF, 0);
	const struct frame *f = w->frame;
	u64 undefined[WARP_LANES];
	u32 name[WARP_LANES];
	const u32 known = *defined_origin(f, value->row);

	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u32 from = source_lane(mode, l, (u32)defined_value(rows, nth(d, DEFINED_SOURCE, 1), l),
					     (u32)defined_value(rows, nth(d, DEFINED_SOURCE, 2), l));
		const bool absent = !(mask >> from & 1);
		undefined[l] = absent ? UINT64_MAX : defined_get(f, value, from);
		name[l] = absent || !undefined[l] ? 0 : defined_name(f, value, from);
	}
	put_all(f, nth(d, DEFINED_RESULT_OF, 1), mask, 0, site);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		defined_put(f, to, l, undefined[l], name[l] && known != NO_SITE ? known : site);
		defined_rename(f, to, l, name[l]);
	}
}

/* The value of the lowest running lane. */
static void r2ur(const struct defined_insn *d, const struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
		 u32 site)
{
	const struct defined_operand *from = nth(d, DEFINED_SOURCE, 0);
	const u32 first = (u32)__builtin_ctz(mask), origin = *defined_origin(w->frame, from->row);

	(void)i;
	(void)rows;
	put_all(w->frame, nth(d, DEFINED_RESULT_OF, 0), FULL_MASK, defined_get(w->frame, from, first),
		origin == NO_SITE ? site : origin);
}

/* --- The rows ---------------------------------------------------------------------------------------- */

static const struct machine_rule rules[MACHINE_COUNT] = {
	[MACHINE_modify] = {modify, NULL, true},
	[MACHINE_modify_absolute] = {whole, NULL, true},
	[MACHINE_pair] = {pair, NULL, false},
	[MACHINE_part] = {part, NULL, false},
	[MACHINE_quad] = {whole, NULL, false},
	[MACHINE_unquad] = {whole, NULL, false},
	[MACHINE_logic_pred] = {logic_pred, NULL, true},
	[MACHINE_sign_of_double] = {sign_of_double, NULL, true},
	[MACHINE_fchk] = {whole, NULL, true},
	[MACHINE_mufu_circle] = {whole, NULL, true},
	[MACHINE_iadd3] = {iadd3, NULL, true},
	[MACHINE_iadd3_carry] = {iadd3_carry, NULL, true},
	[MACHINE_imad] = {imad, NULL, true},
	[MACHINE_imad_wide] = {imad_wide, NULL, true},
	[MACHINE_imad_wide_signed] = {imad_wide_signed, NULL, true},
	[MACHINE_imad_carry] = {imad_carry, NULL, true},
	[MACHINE_lea] = {lea, NULL, true},
	[MACHINE_lea_carry] = {lea_carry, NULL, true},
	[MACHINE_shf] = {shf, NULL, false},
	[MACHINE_isetp] = {isetp, NULL, true},
	[MACHINE_least_bytes] = {least_bytes, NULL, true},
	[MACHINE_lop3_pred] = {lop3_pred, NULL, true},
	[MACHINE_fsetp] = {fsetp, NULL, true},
	[MACHINE_dsetp] = {dsetp, NULL, true},
	[MACHINE_plop3] = {plop3, NULL, true},
	[MACHINE_p2r] = {p2r, NULL, false},
	[MACHINE_r2p] = {r2p, NULL, false},
	[MACHINE_sign] = {sign, NULL, true},
	[MACHINE_vote] = {NULL, vote, true},
	[MACHINE_shfl] = {NULL, shfl, false},
	[MACHINE_match] = {NULL, match, true},
	[MACHINE_redux] = {NULL, to_uniform, true},
	[MACHINE_elect] = {NULL, to_uniform, true},
	[MACHINE_r2ur] = {NULL, r2ur, false},
	[MACHINE_differs] = {NULL, match, true},
	[MACHINE_nibbles] = {NULL, match, true},
	[MACHINE_bank] = {whole, NULL, false},
	[MACHINE_turns] = {whole, NULL, false},
	[MACHINE_arrive] = {whole, NULL, false},
	[MACHINE_texture] = {whole, NULL, false},
	[MACHINE_texture_size] = {whole, NULL, false},
	[MACHINE_suld] = {whole, NULL, false},
	[MACHINE_sust] = {whole, NULL, false},
	[MACHINE_sured] = {whole, NULL, false},
	[MACHINE_bra] = {whole, NULL, false},
	[MACHINE_bra_div] = {whole, NULL, false},
	[MACHINE_brx] = {whole, NULL, false},
	[MACHINE_ends] = {whole, NULL, false},
	[MACHINE_leave] = {whole, NULL, false},
	[MACHINE_trap] = {whole, NULL, false},
	[MACHINE_apart] = {whole, NULL, false},
	[MACHINE_bssy] = {whole, NULL, false},
	[MACHINE_warpsync] = {whole, NULL, false},
	[MACHINE_collect] = {whole, NULL, false},
	[MACHINE_system_call] = {whole, NULL, false},
};

const struct machine_rule *machine_rule(u32 handler)
{
	return handler < MACHINE_COUNT && (rules[handler].lane || rules[handler].across) ? &rules[handler] : NULL;
}
