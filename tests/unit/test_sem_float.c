/* SPDX-License-Identifier: Apache-2.0
 *
 * The floating-point, half-precision, approximate and conversion families: every form of every row,
 * in every vector width that the host has, on special and random operands, under full and partial
 * masks, with registers wider than the types where cvt allows them; against the scalar functions of
 * number/, which the recordings have proved.
 */
#include "sem_oracle.h"

#include <check.h>
#include <stdio.h>

#include "base/arena.h"
#include "evidence.h"
#include "exec/run.h"
#include "sem/families.h"
#include "main.h"

enum { ROW_BYTES = 256, ROWS = 6, BATCHES = 9 };
static const char *const variants[] = {"baseline", "avx2", "avx512"};

/* One warp with six rows: the destination, then the sources. */
struct stand {
	struct worker worker;
	struct code code;
	struct frame frame;
	struct warp warp;
	u32 operands[ROWS];
	u8 rows[ROWS * ROW_BYTES] __attribute__((aligned(64)));
	u64 in[ROWS][WARP_LANES]; /* by operand: 0 is the destination's value before */
	u64 seed;
	u32 forms;
	const char *variant;
};

static u64 random_bits(struct stand *s)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return s->seed * 0x2545f4914f6cdd1dull;
}

/* Bits of numbers where something changes, for each width. */
static u64 special_bits(u64 pick, u32 bits)
{
	static const u16 half[] = {0,      1,      0x3ff,  0x400,  0x7bff, 0x7c00, 0x7c01, 0x7e00,
				   0x3c00, 0x3800, 0x3bff, 0x7f80, 0x7f81, 0x7fff, 0x80,   0x7f,
				   0x3f80, 0x7f7f, 0x7ff7, 0x4248, 0x5bff, 0x1400};
	static const u32 single[] = {0,          1,          0x7fffff,   0x800000,   0x7f7fffff, 0x7f800000,
				     0x7f800001, 0x7fc00000, 0x3f800000, 0x3f7fffff, 0x3f000000, 0x4b000001,
				     0x4f000000, 0x4effffff, 0x5f000000, 0x5f7fffff, 0x437f8000, 0x42ff0000,
				     0x477fe000, 0x477ff000, 0x38800000, 0x387fe000, 0x33000000, 0x7fffffff,
				     0x40200000, 0x3fc00000, 0x477fff80, 0x7e800001, 0x3effffff};
	static const u64 wide[] = {0,
				   1,
				   0xfffffffffffff,
				   0x10000000000000,
				   0x7fefffffffffffff,
				   0x7ff0000000000000,
				   0x7ff0000000000001,
				   0x7ff8000000000000,
				   0x3ff0000000000000,
				   0x3fe0000000000000,
				   0x41dfffffffc00000,
				   0x41f0000000000000,
				   0x43e0000000000000,
				   0x43f0000000000000,
				   0x47efffffe0000000,
				   0x47efffffefffffff,
				   0x47effffff0000000,
				   0x3810000000000000,
				   0x380fffffffffffff,
				   0x36a0000000000000,
				   0x3690000000000001,
				   0x40effc0000000000,
				   0x4004000000000000,
				   0x7fffffffffffffff,
				   0x406fe00000000000};
	const u64 sign = pick >> 40 & 1;

	pick &= 0xffffffff;
	switch (bits) {
	case 64:
		return wide[pick % COUNT_OF(wide)] | sign << 63;
	case 32:
		return single[pick % COUNT_OF(single)] | sign << 31;
	default:
		return half[pick % COUNT_OF(half)] | sign << 15;
	}
}

/* A third special, a third random bits, a third with an exponent near one. */
static u64 operand_bits(struct stand *s, u32 lane_bits)
{
	const u64 r = random_bits(s), pick = random_bits(s);

	switch (pick >> 60 & 3) {
	case 0:
		return r;
	case 1:
		return lane_bits == 32 && pick >> 59 & 1 ? special_bits(r, 16) | special_bits(r >> 20, 16) << 16
							 : special_bits(r, lane_bits);
	case 2:
		return special_bits(r, lane_bits) + (pick & 3) - 1;
	default:
		return lane_bits == 64 ? (r & 0x800fffffffffffff) | (0x3fc0000000000000 + (pick % 128 << 52))
				       : (r & 0x807fffff) | (0x3b800000 + (pick % 32 << 23));
	}
}

/* Positive, of the size of one: a warp of such operands alone goes a way of its own through the approximate functions. */
static u64 usual_bits(struct stand *s, u32 lane_bits)
{
	const u64 r = random_bits(s), pick = random_bits(s);

	return lane_bits == 64 ? (r & 0x000fffffffffffff) | (0x3fc0000000000000 + (pick % 10 << 52))
			       : (r & 0x007fffff) | (0x3b800000 + (pick % 14 << 23));
}

static u64 low_bits(u64 v, u32 bits) { return bits >= 64 ? v : v & ((1ull << bits) - 1); }

/* Registers of 8 and 16 bits stand in 32-bit lanes. */
static void put_lane(u8 *row, u32 lane, u32 bits, u64 v)
{
	if (bits == 64)
		((u64 *)row)[lane] = v;
	else
		((u32 *)row)[lane] = (u32)low_bits(v, bits);
}
static u64 get_lane(const u8 *row, u32 lane, u32 bits)
{
	return bits == 64 ? ((const u64 *)row)[lane] : ((const u32 *)row)[lane];
}

/* A cvt to a narrow integer type extends its result to the register. */
static u64 extend(const struct form *f, u64 v)
{
	const int type = form_type(f, 0);
	const u32 bits = type_bits(type), reg = f->operand_bits[0];

	if (!form_has(f, M_pack) && type_class(type) == 's' && bits < reg)
		v = (u64)((s64)(v << (64 - bits)) >> (64 - bits));
	return low_bits(v, reg);
}

static void check_lanes(struct stand *s, const struct form *f, u32 mask, u32 predicate)
{
	char text[96];

	isa_form_text(f, text, sizeof text);
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u64 *const lane = &s->in[0][l];
		struct oracle o = {f, {0}, 0};
		for (u32 k = 0; k < ROWS; k++)
			o.in[k] = low_bits(lane[k * WARP_LANES], f->operand_bits[k]);
		ASSERT_EACH(oracle_run(&o), "%s: nothing here computes it", text);
		const u64 want = mask >> l & 1 ? extend(f, o.out) : o.in[0];
		const u64 got = f->operand_bits[0] == 1 ? predicate >> l & 1 : get_lane(s->rows, l, f->operand_bits[0]);
		ASSERT_EACH(
			got == want,
			"%s (%s, d %u bits, a %u bits, mask %08x) lane %u: a %#llx b %#llx c %#llx: %#llx, not %#llx",
			text, s->variant, f->operand_bits[0], f->operand_bits[1], mask, l, (unsigned long long)o.in[1],
			(unsigned long long)o.in[2], (unsigned long long)o.in[3], (unsigned long long)got,
			(unsigned long long)want);
	}
}

static u8 mode_of(const struct form *f)
{
	const bool flushes = form_has(f, M_ftz) && !(f->type_count == 1 && f->types[0] == T_f64);
	return (u8)(oracle_round(f) & 3) | (flushes ? FP_FTZ : 0);
}

static void run_form(struct stand *s, const struct form *f)
{
	const struct meaning *m = f->row->meaning(f);
	const u8 mode = form_pick(f, M_rn, M_rp) ? mode_of(f) : form_has(f, M_ftz) ? FP_FTZ : FP_RN;
	const struct insn i = {.d = 0, .a = ROW_BYTES, .b = 2 * ROW_BYTES, .c = 3 * ROW_BYTES, .fp = mode};

	ck_assert_ptr_nonnull(m);
	for (u32 batch = 0; batch < BATCHES; batch++) {
		/* In the last three batches all operands are usual ones, but for those of a lane in two of them. */
		const u32 other = batch < 6 ? FULL_MASK : batch == 6 ? 0 : 1u << (random_bits(s) & 31);
		const u32 mask = batch < 3 || batch > 5 ? FULL_MASK : batch == 3 ? 1u << 17 : (u32)random_bits(s);
		u32 predicate = 0;
		for (u32 k = 0; k < f->operand_count; k++)
			for (u32 l = 0; l < WARP_LANES; l++) {
				const u32 bits = f->operand_bits[k];
				const u32 lane_bits = bits == 64 ? 64 : bits == 32 ? 32 : 16;
				s->in[k][l] = other >> l & 1 ? operand_bits(s, lane_bits) : usual_bits(s, lane_bits);
				put_lane(s->rows + k * ROW_BYTES, l, bits, s->in[k][l]);
				predicate |= (u32)(s->in[0][l] & 1) << l;
			}
		if (f->operand_bits[0] == 1)
			*(u32 *)s->rows = predicate;
		ASSERT_EACH(m->run(&s->warp, &i, s->rows, mask) == &i + 1, "%s ends elsewhere", s->variant);
		fp_enter(&s->warp, FP_RN);
		check_lanes(s, f, mask, *(u32 *)s->rows);
	}
	s->forms++;
}

/* Wide conversions need a whole launch: see tests/forms. */
static bool has_own_test(const struct form *f) { return !strcmp(f->row->form, "%cvt_wide"); }

/* Sets the registers' widths from the operand words, then tries wider ones for integers of cvt. */
static void each_form(void *context, const struct form *given)
{
	struct stand *s = context;
	struct operand_spec specs[FORM_OPERANDS];
	struct form f = *given;
	u8 widths[FORM_USES] = {0};
	const u32 count = isa_operand_specs(&f, specs);

	if (has_own_test(&f))
		return;
	f.arch = 90;
	f.operand_count = 0;
	f.operand_bits = widths;
	for (u32 k = 0; k < count; k++)
		for (u32 e = 0; e < specs[k].vector; e++) {
			const u32 bits = type_bits(specs[k].type);
			widths[f.operand_count++] = (u8)(bits == 4 || bits == 2 ? 8 : bits);
		}
	run_form(s, &f);
	if (!(f.row->flags & ISA_RELAXED))
		return;
	const u8 dest = f.operand_bits[0], source = f.operand_bits[1];
	const bool to_int = type_class(form_type(&f, 0)) != 'f', from_int = type_class(form_type(&f, 1)) != 'f';
	for (u32 d = dest; d <= (to_int ? 64u : dest); d *= 2)
		for (u32 a = source; a <= (from_int ? 64u : source); a *= 2) {
			widths[0] = (u8)d;
			widths[1] = (u8)a;
			run_form(s, &f);
		}
}

static struct stand *stand_new(struct arena *arena, const char *variant)
{
	struct stand *s = arena_alloc(arena, sizeof *s + 64);

	s = (struct stand *)(((uintptr_t)s + 63) & ~(uintptr_t)63);
	*s = (struct stand){.seed = 0x9e3779b97f4a7c15, .variant = variant};
	for (u32 k = 0; k < ROWS; k++)
		s->operands[k] = k * ROW_BYTES;
	s->code.operands = s->operands;
	s->frame.code = &s->code;
	s->warp.frame = &s->frame;
	s->warp.worker = &s->worker;
	fp_switch(&s->worker, FP_RN);
	return s;
}

/* Runs every form of the family in every variant. */
static void check_family(const char *heading, u32 least_forms)
{
	for (u32 v = 0; v < COUNT_OF(variants); v++) {
		const struct isa_family *const *families = sem_families(variants[v]);
		struct arena arena;
		jmp_buf no_memory;

		if (!families)
			continue;
		ck_assert_int_eq(setjmp(no_memory), 0);
		arena_init(&arena, &no_memory);
		struct stand *s = stand_new(&arena, variants[v]);
		for (u32 k = 0; families[k]; k++)
			if (!strcmp(families[k]->name, heading))
				for (u32 r = 0; r < families[k]->count; r++) {
					const u32 before = s->forms;
					isa_expand_row(&families[k]->rows[r], each_form, s);
					if (s->forms > before)
						evidence_note("oracle", &families[k]->rows[r]);
				}
		ck_assert_uint_ge(s->forms, least_forms);
		arena_free(&arena);
	}
}

/* (1 + u)^2 - 1 = 2u + u^2 loses u^2 to the cut, where fma keeps it. */
START_TEST(old_mad_cuts_the_product)
{
	struct arena arena;
	jmp_buf no_memory;

	ck_assert_int_eq(setjmp(no_memory), 0);
	arena_init(&arena, &no_memory);
	u32 built = 0;
	while (!sem_families(variants[built]))
		built++;
	struct stand *s = stand_new(&arena, variants[built]);
	const struct isa *isa = isa_build(&arena, sem_families(variants[built]));
	const char *modifiers[] = {"f32"};
	struct form f;
	u32 row, bad;
	const struct insn i = {.d = 0, .a = ROW_BYTES, .b = 2 * ROW_BYTES, .c = 3 * ROW_BYTES};

	ck_assert_int_eq(isa_match_form(isa, "mad", modifiers, 1, 0, &f, &row, &bad), ISA_MATCHED);
	f.arch = 13;
	const struct meaning *m = f.row->meaning(&f);
	ck_assert_ptr_nonnull(m);
	for (u32 l = 0; l < WARP_LANES; l++) {
		put_lane(s->rows + ROW_BYTES, l, 32, 0x3f800001);
		put_lane(s->rows + 2 * ROW_BYTES, l, 32, 0x3f800001);
		put_lane(s->rows + 3 * ROW_BYTES, l, 32, l & 1 ? 0xbf800000 : 0x7fc00000);
	}
	m->run(&s->warp, &i, s->rows, FULL_MASK);
	ck_assert_uint_eq(get_lane(s->rows, 0, 32), F32_NAN);
	ck_assert_uint_eq(get_lane(s->rows, 1, 32), 0x34800000);
	arena_free(&arena);
}
END_TEST

START_TEST(float_family) { check_family("Floating-point arithmetic", 280); }
END_TEST
START_TEST(half_family) { check_family("Half-precision floating-point arithmetic", 140); }
END_TEST
START_TEST(approx_family) { check_family("Approximate functions", 30); }
END_TEST
START_TEST(convert_family) { check_family("Conversion: integers", 2000); }
END_TEST
START_TEST(convert_float_family) { check_family("Conversion: floating point", 200); }
END_TEST

UNIT_TESTS("sem_float", 120)
{
	UNIT_TEST(old_mad_cuts_the_product);
	UNIT_TEST(float_family);
	UNIT_TEST(half_family);
	UNIT_TEST(approx_family);
	UNIT_TEST(convert_family);
	UNIT_TEST(convert_float_family);
}
