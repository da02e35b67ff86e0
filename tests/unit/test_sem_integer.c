/* SPDX-License-Identifier: Apache-2.0
 *
 * The integer, bit, carry, compare and logic families: every form of every row, in every vector
 * width that the host has, on special and random operands, under full and partial masks, against
 * the oracle. Lanes that are not active must keep what they had.
 */
#include "integer_oracle.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "evidence.h"
#include "exec/run.h"
#include "sem/families.h"
#include "main.h"

enum { ROW_BYTES = 256, ROWS = 8, BATCHES = 6 };
static const char *const variants[] = {"baseline", "avx2", "avx512"};

/* One warp with a row for each flattened operand. */
struct stand {
	struct worker worker;
	struct code code;
	struct frame frame;
	struct warp warp;
	u32 operands[ROWS + 1]; /* a list, should the form need one: rows, then lop3's table */
	u8 rows[ROWS * ROW_BYTES] __attribute__((aligned(64)));
	u64 in[ROWS][WARP_LANES];
	u64 seed;
	u32 forms;
	const char *variant;
};

/* How a form's operands lie: results first. */
struct layout {
	u32 results, operands;
	bool is_list;
	int types[ROWS];
};

static u64 random_bits(struct stand *s)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return s->seed * 0x2545f4914f6cdd1dull;
}

/* A quarter each: any bits, small numbers (shift counts, lengths), numbers near a power of two,
 * bits of floats where something changes, in every half. */
static u64 operand_bits(struct stand *s, int type)
{
	static const u16 halves[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x007f, 0x0080, 0x7c00, 0xfc00,
				     0x7c01, 0x7e00, 0x7f80, 0xff80, 0x7f81, 0x7fff, 0xffff, 0x3c00, 0xbc00, 0x3f80};
	const u64 r = random_bits(s), pick = random_bits(s);
	const u32 bits = type_bits(type);

	if (bits == 1)
		return r >> 40 & 1;
	switch (pick >> 61 & 3) {
	case 0:
		return r;
	case 1:
		return (r >> 20) % 70;
	case 2:
		return (1ull << (r >> 32) % bits) + (r & 3) - 2;
	default:
		return (u64)halves[r % 20] << (bits - 16) | (r >> 30 & 1) | (r >> 33 & 1 ? halves[(r >> 40) % 20] : 0);
	}
}

static u64 low_bits(u64 v, u32 bits) { return bits >= 64 ? v : v & ((1ull << bits) - 1); }

static void put(struct stand *s, u32 row, u32 lane, u32 bits, u64 v)
{
	u8 *at = s->rows + row * ROW_BYTES;

	s->in[row][lane] = v = low_bits(v, bits);
	if (bits == 64)
		((u64 *)at)[lane] = v;
	else if (bits > 1)
		((u32 *)at)[lane] = (u32)v;
	else
		*(u32 *)at = (*(u32 *)at & ~(1u << lane)) | (u32)v << lane;
}
static u64 get(const struct stand *s, u32 row, u32 lane, u32 bits)
{
	const u8 *at = s->rows + row * ROW_BYTES;

	return bits == 64 ? ((const u64 *)at)[lane] : bits > 1 ? ((const u32 *)at)[lane] : *(const u32 *)at >> lane & 1;
}

/* Lays the operands out as lowering does: see decode/program.h. */
static struct layout lay_out(const struct form *f)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(f, specs);
	struct layout layout = {0};

	for (u32 k = 0; k < count; k++) {
		if (specs[k].immediate)
			continue;
		layout.results += specs[k].written;
		layout.types[layout.operands++] = specs[k].type;
		if (specs[k].second != TOKEN_NONE) {
			layout.results++;
			layout.types[layout.operands++] = specs[k].second;
		}
	}
	layout.is_list = layout.results > 1 || layout.operands > 4;
	return layout;
}

static void tell_difference(const struct stand *s, const struct integer_case *c, u32 lane, bool active,
			    const char *what, u64 got, u64 want)
{
	char text[96];

	isa_form_text(c->f, text, sizeof text);
	ck_abort_msg("%s (%s, %s) lane %u: a %#llx b %#llx c %#llx table %#llx: %s %#llx, not %#llx", text, s->variant,
		     active ? "active" : "not active", lane, (unsigned long long)c->in[0], (unsigned long long)c->in[1],
		     (unsigned long long)c->in[2], (unsigned long long)c->table, what, (unsigned long long)got,
		     (unsigned long long)want);
}

static void check_lane(const struct stand *s, const struct form *f, const struct layout *layout, u32 lane, bool active,
		       const u32 carries[2], u64 table, u32 negated)
{
	struct integer_case c = {.f = f, .table = table, .carry = carries[0] >> lane & 1};
	u32 predicates = 0;

	memcpy(c.opcode, f->row->form, strcspn(f->row->form, ".[("));
	for (u32 k = layout->results; k < layout->operands; k++) {
		const bool flips = layout->types[k] == T_pred && negated >> predicates++ & 1;
		c.in[k - layout->results] = s->in[k][lane] ^ flips;
	}
	if (!integer_oracle(&c))
		tell_difference(s, &c, lane, active, "nothing here computes it", 0, 0);
	if (!active) {
		c.carry = carries[0] >> lane & 1;
		for (u32 k = 0; k < layout->results; k++)
			c.out[k] = s->in[k][lane];
	}
	for (u32 k = 0; k < layout->results; k++) {
		const u64 got = get(s, k, lane, type_bits(layout->types[k]));
		if (got != c.out[k])
			tell_difference(s, &c, lane, active, k ? "second result" : "result", got, c.out[k]);
	}
	if ((carries[1] >> lane & 1) != c.carry)
		tell_difference(s, &c, lane, active, "carry", carries[1] >> lane & 1, c.carry);
}

static void run_form(struct stand *s, const struct form *f, const struct layout *layout, u64 table)
{
	const struct meaning *m = f->row->meaning(f);
	struct insn i = {.d = 0,
			 .a = ROW_BYTES,
			 .b = 2 * ROW_BYTES,
			 .c = 3 * ROW_BYTES,
			 .fp = form_has(f, M_ftz) ? FP_FTZ : FP_RN};
	const u32 word = m->word ? m->word(f) : 0;

	for (u32 k = 0; k < layout->operands; k++)
		s->operands[k] = k * ROW_BYTES;
	s->operands[layout->operands] = (u32)table;
	if (layout->is_list)
		i.c = word;
	else
		i.imm = (s32)(word | table);
	for (u32 batch = 0; batch < BATCHES; batch++) {
		const u32 mask = batch < 3 ? FULL_MASK : batch == 3 ? 1u << 17 : (u32)random_bits(s);
		u32 carries[2] = {(u32)random_bits(s), 0};
		s->warp.carry = carries[0];
		i.aux = batch & 3;
		for (u32 k = 0; k < layout->operands; k++)
			for (u32 l = 0; l < WARP_LANES; l++)
				put(s, k, l, type_bits(layout->types[k]), operand_bits(s, layout->types[k]));
		ck_assert_ptr_eq(m->run(&s->warp, &i, s->rows, mask), &i + 1);
		fp_enter(&s->warp, FP_RN);
		carries[1] = s->warp.carry;
		for (u32 l = 0; l < WARP_LANES; l++)
			check_lane(s, f, layout, l, mask >> l & 1, carries, table, i.aux);
	}
	s->forms++;
}

static void each_form(void *context, const struct form *given)
{
	struct stand *s = context;
	struct form f = *given;
	const struct layout layout = lay_out(&f);

	f.arch = 90;
	if (strncmp(f.row->form, "lop3", 4)) {
		run_form(s, &f, &layout, 0);
		return;
	}
	for (u32 table = 0; table < 256; table++) {
		f.immediate_count = 1;
		f.immediates[0] = table;
		run_form(s, &f, &layout, table);
	}
}

static void check_family(const char *heading, u32 least_forms)
{
	for (u32 v = 0; v < COUNT_OF(variants); v++) {
		const struct isa_family *const *families = sem_families(variants[v]);
		struct stand *s = aligned_alloc(64, (sizeof *s + 63) & ~(size_t)63);

		ck_assert_ptr_nonnull(s);
		*s = (struct stand){.seed = 0x9e3779b97f4a7c15, .variant = variants[v]};
		s->code.operands = s->operands;
		s->frame.code = &s->code;
		s->warp.frame = &s->frame;
		s->warp.worker = &s->worker;
		fp_switch(&s->worker, FP_RN);
		for (u32 k = 0; families && families[k]; k++)
			if (!strcmp(families[k]->name, heading))
				for (u32 r = 0; r < families[k]->count; r++) {
					const u32 before = s->forms;
					isa_expand_row(&families[k]->rows[r], each_form, s);
					if (s->forms > before)
						evidence_note("oracle", &families[k]->rows[r]);
				}
		ck_assert(!families || s->forms >= least_forms);
		free(s);
	}
}

START_TEST(integer_family) { check_family("Integer arithmetic", 114); }
END_TEST
START_TEST(bit_family) { check_family("Bit counts and fields", 27); }
END_TEST
START_TEST(extended_family) { check_family("Extended-precision integer arithmetic", 48); }
END_TEST
START_TEST(compare_family) { check_family("Comparison and selection", 4000); }
END_TEST
START_TEST(logic_family) { check_family("Logic and shift", 800); }
END_TEST

/* The assembler's constant: see pick_bfe. */
START_TEST(constant_field_beyond_the_sign)
{
	struct arena arena;
	jmp_buf no_memory;
	struct form f;
	u32 row, bad;
	const char *const modifiers[] = {"s32"};

	ck_assert_int_eq(setjmp(no_memory), 0);
	arena_init(&arena, &no_memory);
	const struct isa *isa = isa_build(&arena, sem_families("baseline"));
	ck_assert_int_eq(isa_match_form(isa, "bfe", modifiers, 1, 0, &f, &row, &bad), ISA_MATCHED);
	const struct meaning *usual = f.row->meaning(&f);
	f.constant_mask = 0xc;
	f.constants[2] = 31;
	f.constants[3] = 1;
	ck_assert_ptr_eq(f.row->meaning(&f), usual);
	f.constants[2] = 32;
	ck_assert_ptr_ne(f.row->meaning(&f), usual);
	f.constants[3] = 0;
	ck_assert_ptr_eq(f.row->meaning(&f), usual);
	f.constants[3] = 1;
	f.constant_mask = 0xe;
	ck_assert_ptr_eq(f.row->meaning(&f), usual);
	arena_free(&arena);
}
END_TEST

UNIT_TESTS("sem_integer", 120)
{
	UNIT_TEST(integer_family);
	UNIT_TEST(bit_family);
	UNIT_TEST(extended_family);
	UNIT_TEST(compare_family);
	UNIT_TEST(logic_family);
	UNIT_TEST(constant_field_beyond_the_sign);
}
