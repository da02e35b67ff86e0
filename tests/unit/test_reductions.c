/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions of NaNs, infinities and subnormal numbers, beside what an H200 left: every line of
 * nan-reductions.tsv is an operation, the value in memory, the one added, and the result.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "main.h"
#include "ptxsim.h"

enum { TEXT_BYTES = 1 << 16 };

/* The instruction for each of the recording's names; %a: the place in memory, %v, %w, %h: the value, %s: shared memory. */
static const struct operation {
	const char *name, *type, *instruction;
	enum { IN_GLOBAL, IN_SHARED, IN_NEIGHBOUR, IN_BULK } where;
} operations[] = {
	{"bulk.add.f64", "64", "add.f64", IN_BULK},
	{"bulk.add.f32", "32", "add.f32", IN_BULK},
	{"bulk.add.f16", "16", "add.noftz.f16", IN_BULK},
	{"bulk.add.bf16", "16", "add.noftz.bf16", IN_BULK},
	{"bulk.min.f16", "16", "min.f16", IN_BULK},
	{"bulk.max.f16", "16", "max.f16", IN_BULK},
	{"bulk.min.bf16", "16", "min.bf16", IN_BULK},
	{"bulk.max.bf16", "16", "max.bf16", IN_BULK},
	{"red.global.add.f64", "64", "red.global.add.f64 [%a], %v;", IN_GLOBAL},
	{"red.shared::cluster.add.f64", "64", "red.shared::cluster.add.f64 [%far], %v;", IN_NEIGHBOUR},
	{"red.generic.far.add.f64", "64", "red.add.f64 [%generic], %v;", IN_NEIGHBOUR},
	{"red.shared.add.f64", "64", "red.shared.add.f64 [%own], %v;", IN_SHARED},
	{"atom.shared::cluster.add.f64", "64", "atom.shared::cluster.add.f64 %t, [%far], %v;", IN_NEIGHBOUR},
	{"atom.global.add.f64", "64", "atom.global.add.f64 %t, [%a], %v;", IN_GLOBAL},
	{"red.global.add.f32", "32", "red.global.add.f32 [%a], %v;", IN_GLOBAL},
	{"red.shared::cluster.add.f32", "32", "red.shared::cluster.add.f32 [%far], %v;", IN_NEIGHBOUR},
	{"red.generic.far.add.f32", "32", "red.add.f32 [%generic], %v;", IN_NEIGHBOUR},
	{"red.shared.add.f32", "32", "red.shared.add.f32 [%own], %v;", IN_SHARED},
	{"atom.shared::cluster.add.f32", "32", "atom.shared::cluster.add.f32 %t, [%far], %v;", IN_NEIGHBOUR},
	{"atom.global.add.f32", "32", "atom.global.add.f32 %t, [%a], %v;", IN_GLOBAL},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static const char BULK[] =
	"	{ .reg .b16 %%h; .reg .b32 %%i; .reg .pred %%q;\n"
	"	mov.b32 %%i, 0;\n"
	"fill:	add.u32 %%own, %%own, %%i; st.shared.b%s [%%own], %%v; sub.u32 %%own, %%own, %%i;\n"
	"	add.u32 %%i, %%i, %s / 8; setp.lt.u32 %%q, %%i, 16; @%%q bra fill;\n"
	"	fence.proxy.async.shared::cta;\n"
	"	cp.reduce.async.bulk.global.shared::cta.bulk_group.%s [%%a], [%%own], 16;\n"
	"	cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; }\n";
/* The block of rank 1 holds what its neighbour changes. */
static const char SHARED[] = "	st.shared.b%s [%%own], %%m;\n"
			     "	barrier.cluster.arrive; barrier.cluster.wait;\n"
			     "	@%%other bra changed;\n"
			     "	%s\n"
			     "changed:	barrier.cluster.arrive; barrier.cluster.wait;\n"
			     "	@%%keep bra done;\n"
			     "	ld.shared.b%s %%m, [%%own]; st.global.b%s [%%a], %%m;\n"
			     "done:\n";

static void add_kernel(char *text, size_t number)
{
	const struct operation *o = &operations[number];
	char *at = text + strlen(text);

	at += sprintf(at,
		      ".visible .entry k%zu(.param .u64 place, .param .b%s value) {\n"
		      "	.shared .align 16 .b8 s[16];\n"
		      "	.reg .b64 %%a, %%generic; .reg .b32 %%own, %%far, %%rank; .reg .b%s %%v, %%m; .reg .f%s %%t; "
		      ".reg .pred "
		      "%%other, %%keep;\n"
		      "	ld.param.u64 %%a, [place]; ld.param.b%s %%v, [value]; ld.global.b%s %%m, [%%a];\n"
		      "	mov.u32 %%own, s; mov.u32 %%rank, %%cluster_ctarank;\n"
		      "	mapa.shared::cluster.u32 %%far, %%own, 1; cvt.u64.u32 %%generic, %%own; cvta.shared.u64 "
		      "%%generic, "
		      "%%generic; mapa.u64 %%generic, %%generic, 1;\n"
		      "	setp.ne.u32 %%other, %%rank, 0; setp.%s.u32 %%keep, %%rank, 0;\n",
		      number, o->type, o->type, *o->type == '1' ? "16" : o->type, o->type, o->type,
		      o->where == IN_SHARED ? "ne" : "eq");
	if (o->where == IN_BULK)
		at += sprintf(at, BULK, o->type, o->type, o->instruction);
	else if (o->where == IN_GLOBAL)
		at += sprintf(at, "	%s\n", o->instruction);
	else
		at += sprintf(at, SHARED, o->type, o->instruction, o->type, o->type);
	sprintf(at, "	ret;\n}\n");
}

static ptxsim_context *built(void)
{
	static char text[TEXT_BYTES];
	ptxsim_context *c = ptxsim_context_create(NULL);
	ptxsim_module *m = ptxsim_module_create(c);

	strcpy(text, ".version 8.0\n.target sm_90a\n.address_size 64\n");
	for (size_t k = 0; k < OPERATIONS; k++)
		add_kernel(text, k);
	ck_assert_msg(ptxsim_module_add_text(m, "reductions.ptx", text, strlen(text)) == PTXSIM_OK, "%s",
		      ptxsim_module_diagnostics(m));
	ck_assert_msg(ptxsim_module_build(m, NULL) == PTXSIM_OK, "%s", ptxsim_module_diagnostics(m));
	return c;
}

static uint64_t reduce(ptxsim_context *c, uint64_t place, size_t number, uint64_t memory, uint64_t value)
{
	const struct operation *o = &operations[number];
	const size_t bytes = (size_t)atoi(o->type) / 8;
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	const void *args[] = {&place, &value};
	uint8_t all[16];
	uint64_t result = 0;
	char name[16];

	for (size_t at = 0; at < sizeof all; at += bytes)
		memcpy(all + at, &memory, bytes);
	ptxsim_write(c, place, all, sizeof all);
	l.args = args;
	l.arg_count = 2;
	l.jobs = 1;
	if (o->where == IN_SHARED || o->where == IN_NEIGHBOUR)
		l.grid[0] = l.cluster[0] = 2;
	snprintf(name, sizeof name, "k%zu", number);
	const ptxsim_function *f = ptxsim_find_function(ptxsim_get_module(c, 0), name);
	ck_assert_msg(ptxsim_launch(c, f, &l) == PTXSIM_OK, "%s: %s", o->name, ptxsim_message(c));
	ptxsim_read(c, &result, place, bytes);
	return result;
}

START_TEST(as_recorded)
{
	ptxsim_context *c = built();
	FILE *f = fopen(UNIT_DIR "/nan-reductions.tsv", "r");
	uint64_t place, memory, value, recorded;
	char line[200], name[60];
	int lines = 0, wrong = 0;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(ptxsim_alloc(c, 16, &place), PTXSIM_OK);
	while (fgets(line, sizeof line, f)) {
		size_t k = 0;
		if (*line == '#')
			continue;
		ck_assert_int_eq(
			sscanf(line, "%59s %" SCNx64 " %" SCNx64 " %" SCNx64, name, &memory, &value, &recorded), 4);
		while (k < OPERATIONS && strcmp(operations[k].name, name))
			k++;
		ck_assert_msg(k < OPERATIONS, "%s", name);
		const uint64_t got = reduce(c, place, k, memory, value);
		if (got != recorded)
			fprintf(stderr, "%s: %" PRIx64 " and %" PRIx64 " gave %" PRIx64 ", recorded %" PRIx64 "\n",
				name, memory, value, got, recorded);
		wrong += got != recorded;
		lines++;
	}
	fclose(f);
	ck_assert_int_eq(wrong, 0);
	ck_assert_int_gt(lines, 3000);
	ptxsim_context_free(c);
}
END_TEST

UNIT_TESTS("reductions", 120) { UNIT_TEST(as_recorded); }
