/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses that are only known again add what they would if each were looked at: random sequences of accesses with
 * few shapes and many places, counted with one memory and with a fresh one for each.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/gang.h"
#include "observe/count.h"
#include "main.h"

enum { SEQUENCES = 400, ACCESSES = 300, WARPS = 8 };

static u64 draw(u64 *state, u64 below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 11) % below;
}

/* One site's state, twice. */
struct counted {
	struct account sums;
	struct memo memo;
};

static struct account_site random_site(u64 *state)
{
	static const enum ir_space spaces[] = {SPACE_GLOBAL, SPACE_GLOBAL, SPACE_GLOBAL,
					       SPACE_SHARED, SPACE_LOCAL,  SPACE_CONST};
	static const struct {
		enum account_operation operation;
		enum bank_kind banks;
		enum sector_kind sectors;
		u32 narrowest, widest;
	} kinds[] = {
		{ACCOUNT_LOAD, BANK_LOAD, SECTOR_LOAD, 1, 16},
		{ACCOUNT_STORE, BANK_STORE, SECTOR_STORE, 1, 16},
		{ACCOUNT_RED, BANK_ATOM_COUNT, SECTOR_RED, 4, 8},
		{ACCOUNT_ATOM, BANK_ATOM, SECTOR_ATOM, 4, 8},
		{ACCOUNT_ATOM, BANK_ATOM_CAS, SECTOR_ATOM_CAS, 4, 8},
		{ACCOUNT_ATOM, BANK_ATOM_HALF, SECTOR_ATOM_HALF, 2, 2},
	};
	const enum ir_space space = spaces[draw(state, COUNT_OF(spaces))];
	const u32 k = (u32)draw(state, space == SPACE_CONST ? 1 : space == SPACE_LOCAL ? 2 : COUNT_OF(kinds));
	u32 width = kinds[k].narrowest;

	while (width < kinds[k].widest && draw(state, 3))
		width *= 2;
	return (struct account_site){.operation = kinds[k].operation,
				     .space = space,
				     .bank_kind = kinds[k].banks,
				     .sector_kind = kinds[k].sectors,
				     .width = width,
				     .matrix_mask = FULL_MASK,
				     .wide = space == SPACE_GLOBAL || draw(state, 2),
				     .through_l1 = draw(state, 2)};
}

/* Lanes' distances from the first place. */
static void random_shape(u64 *state, u32 width, u64 shape[WARP_LANES])
{
	static const u32 strides[] = {0, 1, 1, 1, 2, 8, 32, 33, 64, 129};
	const u64 stride = strides[draw(state, COUNT_OF(strides))] * width, apart = draw(state, 5000) * width;
	const u32 kind = (u32)draw(state, 4), reach = 1u << (1 + draw(state, 12));

	for (u64 l = 0; l < WARP_LANES; l++)
		shape[l] = kind == 0   ? draw(state, reach) * width
			   : kind == 1 ? l % 16 * stride + l / 16 * apart
			   : kind == 2 ? (31 - l) * stride
				       : l * stride;
}

static u64 random_place(u64 *state, u32 width)
{
	const u64 grain = 1u << draw(state, 10);

	return 0x100000 + draw(state, 4) * grain * width +
	       (draw(state, 3) ? 0 : draw(state, 64) << (7 + draw(state, 14)));
}

static void same(const struct account *x, const struct account *y, const struct account_site *s, const char *arch,
		 u32 sequence)
{
	for (u32 k = 0; k < ACCOUNT_FIELD_COUNT; k++)
		ck_assert_msg(x->n[k] == y->n[k], "sequence %u, %s, space %u, %s of %u bytes: %s is %llu, not %llu",
			      sequence, arch, s->space, account_operation_name(s->operation), s->width,
			      account_field_name((enum account_field)k), (unsigned long long)x->n[k],
			      (unsigned long long)y->n[k]);
	ck_assert(!memcmp(x->degree, y->degree, sizeof x->degree));
	ck_assert(!memcmp(x->banks, y->banks, sizeof x->banks));
	ck_assert_int_eq(x->worst.taken, y->worst.taken);
	ck_assert_uint_eq(x->worst.excess, y->worst.excess);
	ck_assert_uint_eq(x->worst.order, y->worst.order);
	ck_assert(!memcmp(x->worst.address, y->worst.address, sizeof x->worst.address));
}

/* What native code does where there is room. */
static bool note_natively(struct native_pattern *p, const u8 *row, u32 mask, u64 order)
{
	if (p->logged >= p->log_end)
		return false;
	memcpy(p->log->base[p->logged], row, sizeof p->log->base[0]);
	p->log->mask[p->logged] = mask;
	p->log->order[p->logged++] = order;
	return true;
}

static void run_sequence(u32 sequence)
{
	static const char *const archs[] = {"sm_90", "sm_90", "sm_50", "sm_35", "sm_20", "sm_13", "sm_10"};
	static struct counted once, each;
	static struct native_log log;
	static u8 rows[WARPS][8 * WARP_LANES] __attribute__((aligned(64)));
	u64 state = (sequence + 1) * 0x9e3779b97f4a7c15ull, shape[WARP_LANES];
	const struct account_site s = random_site(&state);
	const struct accounting_options options = {.bank_mode = BANK_MODE_4};
	const char *arch = archs[draw(&state, COUNT_OF(archs))];
	struct counting a = {.arch = arch_find(arch), .options = &options};
	struct block block = {.warp_count = WARPS + 1};
	struct warp warps[WARPS] = {{.block = &block, .live = FULL_MASK}};
	const struct insn i = {.a = 0, .imm = (s32)(draw(&state, 3) * s.width)};
	u32 mask = FULL_MASK;

	memset(&once, 0, sizeof once);
	memset(&each, 0, sizeof each);
	alike_choose(NULL, &a.alike);
	once.memo.pattern.log = count_logs(&a, &s) ? &log : NULL;
	for (u32 n = 0; n < ACCESSES; n++) {
		const bool gang = mask == FULL_MASK && draw(&state, 2);
		const u32 count = gang ? 1 + (u32)draw(&state, WARPS) : 1;
		if (!n || !draw(&state, 30)) {
			random_shape(&state, s.width, shape);
			mask = draw(&state, 3) ? FULL_MASK : (u32)draw(&state, FULL_MASK) + 1;
			continue;
		}
		block.index = n / 40;
		for (u32 w = 0; w < count; w++) {
			const u64 place = random_place(&state, s.width);
			warps[w] = (struct warp){.block = &block, .index = w, .live = FULL_MASK};
			for (u32 l = 0; l < WARP_LANES; l++)
				if (s.wide)
					((u64 *)(void *)rows[w])[l] = place + shape[l];
				else
					((u32 *)(void *)rows[w])[l] = (u32)(place + shape[l]);
			memset(&each.memo, 0, sizeof each.memo);
			count_access(&a, &s, &each.sums, &each.memo, &warps[w], &i, rows[w], mask, false);
			count_finish(&a, &s, &each.memo, NULL, &each.sums);
		}
		const struct gang g = {
			.rows = rows[0], .stride = sizeof rows[0], .count = count, .warps = warps, .block = &block};
		if (gang)
			count_gang(&a, &s, &once.sums, &once.memo, NULL, &g, &i, false);
		else if (!note_natively(&once.memo.pattern, rows[0], mask, warp_order(&warps[0])))
			count_access(&a, &s, &once.sums, &once.memo, &warps[0], &i, rows[0], mask, false);
	}
	count_finish(&a, &s, &once.memo, NULL, &once.sums);
	same(&once.sums, &each.sums, &s, arch, sequence);
}

START_TEST(known_again)
{
	for (u32 k = 0; k < SEQUENCES / 10; k++)
		run_sequence((u32)_i * (SEQUENCES / 10) + k);
}
END_TEST

UNIT_TESTS("memo", 60) { tcase_add_loop_test(unit, known_again, 0, 10); }
