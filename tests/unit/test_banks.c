/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared-memory accounting for 9.0 against what Nsight Compute read on an H200: every recorded
 * pattern of the kernels whose access maps one to one to machine code. The rules of earlier
 * generations are in test_banks_old.c.
 */
#include "memory/banks.h"
#include "recorded.h"
#include "main.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

/* What each kernel does once a warp. */
static const struct kernel {
	const char *name;
	enum bank_kind kind;
	u32 width;
	u32 matrices;
} kernels[] = {
	{"sld_b8", BANK_LOAD, 1, 0},
	{"sld_b16", BANK_LOAD, 2, 0},
	{"sld_b32", BANK_LOAD, 4, 0},
	{"sld_b64", BANK_LOAD, 8, 0},
	{"sld_v2", BANK_LOAD, 8, 0},
	{"sld_v4", BANK_LOAD, 16, 0},
	{"sld_v2b64", BANK_LOAD, 16, 0},
	{"sst_b8", BANK_STORE, 1, 0},
	{"sst_b16", BANK_STORE, 2, 0},
	{"sst_b32", BANK_STORE, 4, 0},
	{"sst_b64", BANK_STORE, 8, 0},
	{"sst_v2", BANK_STORE, 8, 0},
	{"sst_v4", BANK_STORE, 16, 0},
	{"satom_add_u32", BANK_ATOM, 4, 0},
	{"satom_min_s32", BANK_ATOM, 4, 0},
	{"satom_inc_u32", BANK_ATOM, 4, 0},
	{"satom_exch_b32", BANK_ATOM, 4, 0},
	{"satom_or_b32", BANK_ATOM, 4, 0},
	{"satom_exch_b64", BANK_ATOM, 8, 0},
	{"satom_cas_b32", BANK_ATOM_CAS, 4, 0},
	{"satom_cas_b64", BANK_ATOM_CAS, 8, 0},
	{"satom_add_u64", BANK_ATOM_LOOP, 8, 0},
	{"satom_add_f32", BANK_ATOM_LOOP, 4, 0},
	{"sred_add_u32", BANK_ATOM, 4, 0},
	{"sred_max_u32", BANK_ATOM, 4, 0},
	{"sred_and_b32", BANK_ATOM, 4, 0},
	{"sred_add_f32", BANK_ATOM_LOOP, 4, 0},
	{"sred_add_u64", BANK_ATOM_LOOP, 8, 0},
	{"sred_one", BANK_ATOM_COUNT, 4, 0},
	{"ldm_x1", BANK_LDMATRIX, 16, 1},
	{"ldmt_x1", BANK_LDMATRIX, 16, 1},
	{"ldm_x2", BANK_LDMATRIX, 16, 2},
	{"ldmt_x2", BANK_LDMATRIX, 16, 2},
	{"ldm_x4", BANK_LDMATRIX, 16, 4},
	{"ldmt_x4", BANK_LDMATRIX, 16, 4},
	{"stm_x1", BANK_STMATRIX, 16, 1},
	{"stmt_x1", BANK_STMATRIX, 16, 1},
	{"stm_x2", BANK_STMATRIX, 16, 2},
	{"stmt_x2", BANK_STMATRIX, 16, 2},
	{"stm_x4", BANK_STMATRIX, 16, 4},
	{"stmt_x4", BANK_STMATRIX, 16, 4},
	{"cpa_s_ca4", BANK_ASYNC, 4, 0},
	{"cpa_s_ca8", BANK_ASYNC, 8, 0},
	{"cpa_s_ca16", BANK_ASYNC, 16, 0},
	{"cpa_s_cg16", BANK_ASYNC_BYPASS, 16, 0},
};

static const struct kernel *kernel_of(const struct recorded_case *c)
{
	for (size_t i = 0; i < COUNT_OF(kernels); i++)
		if (strcmp(kernels[i].name, c->kernel) == 0)
			return &kernels[i];
	return NULL;
}

/* The counters of a launch, by the profiler's part of the name. */
struct launch {
	u32 ld, st, atom; /* wavefronts */
	u32 ld_conflicts, st_conflicts, atom_conflicts, ldgsts_conflicts;
	u32 rounds, loop_loads, ideal, all;
	u32 async, async_conflicts, matrix, matrix_conflicts;
};

static void add_up(struct launch *t, const struct kernel *k, const struct bank_count *n)
{
	bool load = k->kind == BANK_LOAD || k->kind == BANK_LDMATRIX;
	bool store = k->kind == BANK_STORE || k->kind == BANK_STMATRIX;

	t->all += n->wavefronts + n->load_wavefronts;
	t->ideal += n->ideal;
	t->ld += load ? n->wavefronts : n->load_wavefronts;
	t->ld_conflicts += load ? n->conflicts : n->load_conflicts;
	t->st += store ? n->wavefronts : 0;
	t->st_conflicts += store ? n->conflicts : 0;
	if (k->kind >= BANK_ATOM) {
		t->atom += n->wavefronts;
		t->atom_conflicts += n->conflicts;
		t->rounds += n->rounds;
		t->loop_loads += k->kind == BANK_ATOM_LOOP ? n->rounds : 0;
	}
	if (k->kind == BANK_ASYNC || k->kind == BANK_ASYNC_BYPASS) {
		t->async += n->wavefronts;
		t->async_conflicts += n->conflicts;
		t->ldgsts_conflicts += k->kind == BANK_ASYNC ? n->conflicts : 0;
	}
	if (k->matrices) {
		t->matrix += n->wavefronts;
		t->matrix_conflicts += n->conflicts;
	}
}

static struct launch count_launch(const struct recorded_case *c, const struct kernel *k)
{
	const struct arch *arch = arch_find("sm_90");
	struct launch t = {0};

	for (u32 w = 0; w < c->warps; w++) {
		struct bank_access access = {k->kind, BANK_MODE_4, k->width, c->mask};
		u32 address[WARP_LANES];
		struct bank_count n;

		if (k->matrices && k->matrices < 4)
			access.mask &= (1u << 8 * k->matrices) - 1;
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = c->table[l] + w * c->wstride;
		banks_count(arch, &access, address, &n, NULL);
		add_up(&t, k, &n);
	}
	return t;
}

#define WAVEFRONTS "l1tex__data_pipe_lsu_wavefronts_mem_shared_"
#define CONFLICTS  "l1tex__data_bank_conflicts_pipe_lsu"

/* Hardware counters: only one warp's, since several warps also meet at the data stage. */
static void compare_hardware(struct recorded_score *s, const struct recorded_case *c, const struct kernel *k,
			     const struct launch *t)
{
	recorded_compare(s, c, WAVEFRONTS "op_ld.sum", t->ld);
	recorded_compare(s, c, WAVEFRONTS "op_st.sum", t->st);
	recorded_compare(s, c, WAVEFRONTS "op_atom.sum", t->atom);
	recorded_compare(s, c, WAVEFRONTS "cmd_write.sum", t->st + t->atom);
	recorded_compare(s, c, CONFLICTS "_mem_shared_op_ld.sum", t->ld_conflicts);
	recorded_compare(s, c, CONFLICTS "_mem_shared_op_st.sum", t->st_conflicts);
	recorded_compare(s, c, CONFLICTS "_mem_shared_op_atom.sum", t->atom_conflicts);
	recorded_compare(s, c, CONFLICTS "_mem_shared_op_ldgsts.sum", t->ldgsts_conflicts);
	recorded_compare(s, c, CONFLICTS "_mem_shared.sum",
			 t->ld_conflicts + t->st_conflicts + t->atom_conflicts + t->ldgsts_conflicts);
	recorded_compare(s, c, "smsp__inst_executed_op_shared_atom.sum", t->rounds);
	if (k->kind >= BANK_ATOM)
		recorded_compare(s, c, "smsp__inst_executed_op_shared_ld.sum", t->loop_loads);
	if (k->kind == BANK_ASYNC || k->kind == BANK_ASYNC_BYPASS)
		return; /* cp.async.wait_group itself reads, without an access of the program's */
	recorded_compare(s, c, WAVEFRONTS "cmd_read.sum", t->ld + t->atom);
	recorded_compare(s, c, CONFLICTS ".sum", t->ld_conflicts + t->st_conflicts + t->atom_conflicts);
}

#define SASS_WAVEFRONTS "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_"
#define SASS_CONFLICTS  "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_"

static void compare_source(struct recorded_score *s, const struct recorded_case *c, const struct kernel *k,
			   const struct launch *t)
{
	bool matrix = k->matrices, bypass = k->kind == BANK_ASYNC_BYPASS;

	recorded_compare(s, c, "memory_l1_wavefronts_shared", t->all);
	recorded_compare(s, c, "memory_l1_wavefronts_shared_ideal", t->ideal);
	recorded_compare(s, c, SASS_WAVEFRONTS "op_atom.sum", t->atom);
	recorded_compare(s, c, SASS_WAVEFRONTS "op_ld.sum", matrix ? 0 : t->ld);
	recorded_compare(s, c, SASS_WAVEFRONTS "op_st.sum", matrix ? 0 : t->st);
	recorded_compare(s, c, SASS_WAVEFRONTS "op_ldsm.sum", matrix ? t->ld : 0);
	recorded_compare(s, c, SASS_WAVEFRONTS "op_stsm.sum", matrix ? t->st : 0);
	recorded_compare(s, c, SASS_CONFLICTS "op_ldsm.sum", matrix ? t->ld_conflicts : 0);
	recorded_compare(s, c, SASS_CONFLICTS "op_stsm.sum", matrix ? t->st_conflicts : 0);
	recorded_compare(s, c, SASS_WAVEFRONTS "op_ldgsts.sum", t->async);
	recorded_compare(s, c, SASS_CONFLICTS "op_ldgsts.sum", t->async_conflicts);
	recorded_compare(s, c, SASS_WAVEFRONTS "op_ldgsts_cache_access.sum", bypass ? 0 : t->async);
	recorded_compare(s, c, SASS_WAVEFRONTS "op_ldgsts_cache_bypass.sum", bypass ? t->async : 0);
}

START_TEST(equals_the_recordings)
{
	struct recorded_score score = {0};
	u32 patterns = 0;

	recorded_load();
	for (size_t i = 0; i < recorded_cases(); i++) {
		const struct recorded_case *c = recorded_case(i);
		const struct kernel *k = kernel_of(c);

		if (!k)
			continue;
		struct launch t = count_launch(c, k);
		if (c->warps == 1)
			compare_hardware(&score, c, k, &t);
		compare_source(&score, c, k, &t);
		patterns++;
	}
	ck_assert_uint_gt(patterns, 800);
	ck_assert(recorded_finish(&score, "shared memory"));
}
END_TEST

START_TEST(knows_which_atomics_are_native)
{
	ck_assert_int_eq(banks_atomic_kind(BANK_ATOMIC_OTHER, 32, true), BANK_ATOM);
	ck_assert_int_eq(banks_atomic_kind(BANK_ATOMIC_OTHER, 32, false), BANK_ATOM_LOOP);
	ck_assert_int_eq(banks_atomic_kind(BANK_ATOMIC_OTHER, 64, true), BANK_ATOM_LOOP);
	ck_assert_int_eq(banks_atomic_kind(BANK_ATOMIC_EXCH, 64, true), BANK_ATOM);
	ck_assert_int_eq(banks_atomic_kind(BANK_ATOMIC_CAS, 64, true), BANK_ATOM_CAS);
	ck_assert_int_eq(banks_atomic_kind(BANK_ATOMIC_CAS, 16, true), BANK_ATOM_HALF_CAS);
	ck_assert_int_eq(banks_atomic_kind(BANK_ATOMIC_ADD_ONE_UNUSED, 32, true), BANK_ATOM_COUNT);
	ck_assert_int_eq(banks_atomic_kind(BANK_ATOMIC_ADD_ONE_UNUSED, 64, true), BANK_ATOM_LOOP);
}
END_TEST

UNIT_TESTS("banks", 0)
{
	UNIT_TEST(equals_the_recordings);
	UNIT_TEST(knows_which_atomics_are_native);
}
