/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts by opcode, and what the profiler's metrics make of them.
 */
#include "observe/opcodes.h"

#include <stdlib.h>
#include <string.h>

#include "sass/lines.h"
#include "sass/registers.h"

/* --- Counting ----------------------------------------------------------------------------------- */

/* The opcode and its modifiers, without the guard before them. */
static const char *name_of(struct arena *a, const struct sass_decoder *d, const struct sass_insn *i)
{
	char text[SASS_TEXT];

	sass_print(d, i, text);
	const char *from = text + (*text == '@' ? strcspn(text, " ") + 1 : 0);
	return arena_copy_text(a, from, strcspn(from, " "));
}

static void add(struct arena *a, struct opcode_counts *to, const char *name, u16 opcode, const struct flow_count *n)
{
	size_t k = 0;

	while (k < to->items.count && (to->items.items[k].opcode != opcode || strcmp(to->items.items[k].name, name)))
		k++;
	if (k == to->items.count)
		VEC_PUSH(a, &to->items, ((struct opcode_count){.name = name, .opcode = opcode}));
	to->items.items[k].executed += n->executed;
	to->items.items[k].threads += n->lanes - min_u64(n->off, n->lanes);
}

static int by_executed(const void *x, const void *y)
{
	const struct opcode_count *a = x, *b = y;

	if (a->executed != b->executed)
		return a->executed < b->executed ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Of [R1+0x8]: where in the frame; false: another address. */
static bool stack_place(const struct sass_insn *i, u64 *at)
{
	for (u32 k = 0; k < i->operand_count; k++)
		if (i->operands[k].arg == ARG_ADDRESS) {
			*at = i->operands[k].value;
			return i->operands[k].base == 1 && i->operands[k].uniform == SASS_NO_REGISTER;
		}
	return false;
}

struct spills {
	bool possible;
	VEC_OF(u64) places;
};

/* Stores come before loads in the text; places that only loads name are arguments of calls. */
static void note_spill(struct arena *a, struct opcode_counts *to, struct spills *s, const struct sass_insn *i,
		       const struct flow_count *n)
{
	u64 at;
	size_t k = 0;

	if (!s->possible || (i->opcode != SASS_OP_STL && i->opcode != SASS_OP_LDL) || !stack_place(i, &at))
		return;
	while (k < s->places.count && s->places.items[k] != at)
		k++;
	if (i->opcode == SASS_OP_LDL) {
		to->spill_loads += k < s->places.count ? n->executed : 0;
		return;
	}
	if (k == s->places.count)
		VEC_PUSH(a, &s->places, at);
	to->spill_stores += n->executed;
}

/* As recorded of loads that acquire and stores that release (sm_90). A fence of wider scope than the block has ERRBAR and
 * CGAERRBAR behind it, and counts with them. */
static u32 order_passes(const struct sass_insn *i)
{
	enum { SCOPE_GPU = 2, SCOPE_SYS = 3, IVALL = 4 };
	const u32 scope = sass_modifier(i, MOD_MEMBAR_SCOPE);

	if (i->opcode == SASS_OP_MEMBAR)
		return scope == SCOPE_GPU || scope == SCOPE_SYS ? 2 : 0;
	return i->opcode == SASS_OP_CCTL && sass_modifier(i, MOD_CCTL) == IVALL ? 1 : 0;
}

/* Counts of instructions (flow) become counts of opcodes with modifiers, as the profiler lists them. Spills are local
 * stores to the frame where the PTX has no local memory, so that only the assembler can have made them. */
void opcodes_count(struct arena *arena, const struct program *p, struct flow_count *const *flow,
		   struct opcode_counts *to)
{
	memset(to, 0, sizeof *to);
	for (u32 c = 0; c < p->code_count; c++) {
		const struct ir_function *f = p->codes[c]->function;
		struct spills spills = {.possible = f->machine && !sass_ptx_has(f, ".local")};
		struct sass_insn i;
		for (u32 k = 0; f->machine && k < f->body.count; k++) {
			struct flow_count n = flow[c][k];
			if (!n.executed || !sass_instruction_at(f, k, &i))
				continue;
			if (i.guard == SASS_PT && i.guard_negated)
				n.off = n.lanes; /* @!PT */
			note_spill(arena, to, &spills, &i, &n);
			to->order_passes += n.lanes > n.off ? order_passes(&i) * n.executed : 0;
			add(arena, to, name_of(arena, sass_decoder_of(f), &i), i.opcode, &n);
		}
		to->spilled += (u32)spills.places.count;
	}
	if (to->items.count)
		qsort(to->items.items, to->items.count, sizeof *to->items.items, by_executed);
}

/* --- Metrics ------------------------------------------------------------------------------------ */

/* What the profiler's names mean in opcodes. Found from its own counts of 253 programs on an H200, which these sums equal;
 * an opcode that is in none of those programs stands with its kin. */
#define OP(name) SASS_OP_##name
/* clang-format off */
static const u16 copies[] = {OP(LDGSTS)};
static const u16 branches[] = {OP(BRA), OP(BRX), OP(CALL), OP(RET)};
static const u16 branch_unit[] = {OP(BRA), OP(BRX), OP(BSYNC), OP(CALL), OP(ENDCOLLECTIVE), OP(EXIT), OP(RET), OP(WARPSYNC), OP(YIELD)};
static const u16 convergence[] = {OP(BMOV), OP(BSSY), OP(BSYNC), OP(BREAK), OP(CALL), OP(ENDCOLLECTIVE), OP(EXIT), OP(RET), OP(WARPSYNC),
	OP(YIELD)};
static const u16 constants[] = {OP(LDC)};
static const u16 local_loads[] = {OP(LDL)}, local_stores[] = {OP(STL)}, shared_loads[] = {OP(LDS)}, shared_stores[] = {OP(STS)},
	shared_atomics[] = {OP(ATOMS)}, generic_loads[] = {OP(LD)}, generic_stores[] = {OP(ST)}, global_loads[] = {OP(LDG)},
	global_stores[] = {OP(STG)}, global_reductions[] = {OP(REDG), OP(RED)};
static const u16 transcendental[] = {OP(BREV), OP(F2F), OP(F2I), OP(FCHK), OP(FLO), OP(FRND), OP(I2F), OP(MUFU), OP(POPC)};
static const u16 doubles[] = {OP(DADD), OP(DFMA), OP(DMUL), OP(DSETP)};
static const u16 adds64[] = {OP(DADD)}, fused64[] = {OP(DFMA)}, products64[] = {OP(DMUL)}, sums64[] = {OP(DADD), OP(DFMA), OP(DMUL)};
static const u16 adds32[] = {OP(FADD)}, fused32[] = {OP(FFMA)}, products32[] = {OP(FMUL)}, sums32[] = {OP(FADD), OP(FFMA), OP(FMUL)};
static const u16 products16[] = {OP(HMUL2)};
static const u16 singles[] = {OP(FADD), OP(FCHK), OP(FFMA), OP(FMNMX), OP(FMUL), OP(FSEL), OP(FSET), OP(FSETP), OP(MUFU)};
static const u16 halves[] = {OP(HADD2), OP(HFMA2), OP(HMNMX2), OP(HMUL2), OP(HSET2), OP(HSETP2)};
static const u16 conversions[] = {OP(F2F), OP(F2FP), OP(F2I), OP(F2IP), OP(FRND), OP(I2F), OP(I2FP), OP(I2I), OP(I2IP)};
static const u16 integers[] = {OP(BMSK), OP(FLO), OP(IABS), OP(IADD3), OP(IDP), OP(IMAD), OP(IMNMX), OP(ISETP), OP(LEA), OP(LOP3), OP(POPC),
	OP(SGXT), OP(SHF), OP(VIADD), OP(VIADDMNMX), OP(VIMNMX), OP(VIMNMX3)};
static const u16 bits[] = {OP(BREV), OP(P2R), OP(PLOP3), OP(PRMT), OP(R2P), OP(SEL)};
static const u16 control[] = {OP(BRA), OP(BREAK), OP(BRX), OP(BSSY), OP(BSYNC), OP(CALL), OP(CGAERRBAR), OP(ENDCOLLECTIVE), OP(ERRBAR), OP(EXIT),
	OP(RET), OP(WARPSYNC), OP(YIELD)};
static const u16 memory[] = {OP(ATOM), OP(ATOMG), OP(ATOMS), OP(LD), OP(LDC), OP(LDG), OP(LDL), OP(LDS), OP(LDSM), OP(MEMBAR), OP(RED),
	OP(REDG), OP(ST), OP(STG), OP(STL), OP(STS), OP(STSM)};
static const u16 exchange[] = {OP(MATCH), OP(REDUX), OP(SHFL), OP(VOTE), OP(VOTEU)};
static const u16 others[] = {OP(B2R), OP(BAR), OP(BMOV), OP(CS2R), OP(MOV), OP(NOP), OP(R2UR), OP(S2R), OP(S2UR), OP(VABSDIFF), OP(VABSDIFF4)};
static const u16 uniforms[] = {OP(UFLO), OP(UIADD3), OP(UIMAD), OP(UISETP), OP(ULDC), OP(ULEA), OP(ULOP3), OP(UMOV), OP(UPLOP3), OP(UPOPC),
	OP(UPRMT), OP(USEL), OP(USGXT), OP(USHF)};
static const u16 uniform_unit[] = {OP(UFLO), OP(UIADD3), OP(UIMAD), OP(UISETP), OP(ULEA), OP(ULOP3), OP(UPRMT), OP(USEL), OP(USGXT), OP(USHF)};
static const u16 logic_unit[] = {OP(BMSK), OP(CS2R), OP(F2FP), OP(FMNMX), OP(FSEL), OP(FSET), OP(FSETP), OP(HMNMX2), OP(HSET2), OP(HSETP2), OP(I2FP), OP(IABS), OP(IADD3),
	OP(IMNMX), OP(ISETP), OP(LEA), OP(LOP3), OP(MOV), OP(P2R), OP(PLOP3), OP(PRMT), OP(R2P), OP(R2UR), OP(SEL), OP(SGXT), OP(SHF),
	OP(VABSDIFF), OP(VABSDIFF4), OP(VIADDMNMX), OP(VIMNMX), OP(VIMNMX3), OP(VOTE)};
static const u16 product_unit[] = {OP(FADD), OP(FFMA), OP(FMUL), OP(HADD2), OP(HFMA2), OP(HMUL2), OP(IDP), OP(IMAD), OP(VIADD)};
/* clang-format on */
#undef OP

static const struct metric {
	const char *name;
	const u16 *opcodes; /* NULL: all */
	u32 count;
	bool by_threads;
} metrics[] = {
#define WARPS(name, list)                         \
	{                                         \
		name, list, COUNT_OF(list), false \
	}
#define THREADS(name, list)                                                                        \
	{                                                                                          \
		"smsp__sass_thread_inst_executed_" name "_pred_on.sum", list, COUNT_OF(list), true \
	}
	{"smsp__inst_executed.sum", NULL, 0, false},
	{"smsp__sass_inst_executed.sum", NULL, 0, false},
	{"smsp__inst_executed_shader_cs.sum", NULL, 0, false},
	{"smsp__thread_inst_executed_pred_on.sum", NULL, 0, true},
	{"smsp__sass_thread_inst_executed_pred_on.sum", NULL, 0, true},
	WARPS("smsp__sass_branch_targets.sum", branches),
	WARPS("smsp__inst_executed_op_branch.sum", branch_unit),
	WARPS("smsp__inst_executed_op_ldc.sum", constants),
	WARPS("smsp__inst_executed_op_ldgsts.sum", copies),
	WARPS("smsp__inst_executed_op_local_ld.sum", local_loads),
	WARPS("smsp__inst_executed_op_local_st.sum", local_stores),
	WARPS("smsp__inst_executed_op_shared_ld.sum", shared_loads),
	WARPS("smsp__inst_executed_op_shared_st.sum", shared_stores),
	WARPS("smsp__inst_executed_op_shared_atom.sum", shared_atomics),
	WARPS("smsp__inst_executed_op_generic_ld.sum", generic_loads),
	WARPS("smsp__inst_executed_op_generic_st.sum", generic_stores),
	WARPS("smsp__inst_executed_op_global_ld.sum", global_loads),
	WARPS("smsp__inst_executed_op_global_st.sum", global_stores),
	WARPS("smsp__inst_executed_op_global_red.sum", global_reductions),
	WARPS("smsp__inst_executed_pipe_alu.sum", logic_unit),
	WARPS("smsp__inst_executed_pipe_cbu.sum", convergence),
	WARPS("smsp__inst_executed_pipe_fma.sum", product_unit),
	WARPS("smsp__inst_executed_pipe_fp64.sum", doubles),
	WARPS("smsp__inst_executed_pipe_uniform.sum", uniform_unit),
	WARPS("smsp__inst_executed_pipe_xu.sum", transcendental),
	THREADS("op_bit", bits),
	THREADS("op_control", control),
	THREADS("op_conversion", conversions),
	THREADS("op_dadd", adds64),
	THREADS("op_dfma", fused64),
	THREADS("op_dmul", products64),
	THREADS("op_fadd", adds32),
	THREADS("op_ffma", fused32),
	THREADS("op_fmul", products32),
	THREADS("op_hmul", products16),
	THREADS("op_fp16", halves),
	THREADS("op_fp32", singles),
	THREADS("op_fp64", doubles),
	THREADS("op_integer", integers),
	THREADS("op_inter_thread_communication", exchange),
	THREADS("op_memory", memory),
	THREADS("op_misc", others),
	THREADS("op_uniform", uniforms),
	THREADS("ops_dadd_dmul_dfma", sums64),
	THREADS("ops_fadd_fmul_ffma", sums32),
#undef WARPS
#undef THREADS
};

/* HFMA2.MMA is the matrix unit's. */
static bool is_of(const struct metric *m, const struct opcode_count *c)
{
	if (m->opcodes == product_unit && c->opcode == SASS_OP_HFMA2 && !strncmp(c->name, "HFMA2.MMA", 9))
		return false;
	for (u32 k = 0; k < m->count; k++)
		if (m->opcodes[k] == c->opcode)
			return true;
	return !m->opcodes;
}

const char *opcodes_metric_name(u32 index) { return index < COUNT_OF(metrics) ? metrics[index].name : NULL; }

/* "inst_executed:IMAD.WIDE" */
static bool named_metric(const struct opcode_counts *counts, const char *metric, u64 *value)
{
	static const char warps[] = "inst_executed:", threads[] = "thread_inst_executed_true:";
	const bool by_threads = !strncmp(metric, threads, sizeof threads - 1);

	if (!by_threads && strncmp(metric, warps, sizeof warps - 1) != 0)
		return false;
	const char *name = metric + (by_threads ? sizeof threads : sizeof warps) - 1;
	for (size_t k = 0; k < counts->items.count; k++)
		if (!strcmp(counts->items.items[k].name, name))
			*value += by_threads ? counts->items.items[k].threads : counts->items.items[k].executed;
	return true;
}

bool opcodes_metric(const struct opcode_counts *counts, const char *metric, u64 *value)
{
	u32 k = 0;

	*value = 0;
	if (named_metric(counts, metric, value))
		return true;
	while (k < COUNT_OF(metrics) && strcmp(metrics[k].name, metric))
		k++;
	if (k == COUNT_OF(metrics))
		return false;
	for (size_t n = 0; n < counts->items.count; n++)
		if (is_of(&metrics[k], &counts->items.items[n]))
			*value += metrics[k].by_threads ? counts->items.items[n].threads
							: counts->items.items[n].executed;
	return true;
}

/* --- Pipes -------------------------------------------------------------------------------------- */

static bool holds(const u16 *list, u32 count, u16 opcode)
{
	for (u32 k = 0; k < count; k++)
		if (list[k] == opcode)
			return true;
	return false;
}

enum pipe {
	PIPE_ALU,
	PIPE_FMA,
	PIPE_FP64,
	PIPE_XU,
	PIPE_LSU,
	PIPE_UNIFORM,
	PIPE_CBU,
	PIPE_TENSOR,
	PIPE_OTHER,
	PIPE_COUNT
};

const char *opcodes_pipe_name(u32 index)
{
	static const char *const names[PIPE_COUNT] = {"alu",     "fma", "fp64",   "xu",   "lsu",
						      "uniform", "cbu", "tensor", "other"};

	return index < PIPE_COUNT ? names[index] : NULL;
}

const char *opcodes_pipe(const struct opcode_count *c)
{
	static const u16 matrices[] = {SASS_OP_HMMA,  SASS_OP_IMMA,  SASS_OP_BMMA,  SASS_OP_DMMA, SASS_OP_QMMA,
				       SASS_OP_HGMMA, SASS_OP_IGMMA, SASS_OP_QGMMA, SASS_OP_BGMMA};
	static const struct {
		const u16 *list;
		u32 count;
		enum pipe pipe;
	} pipes[] = {{logic_unit, COUNT_OF(logic_unit), PIPE_ALU}, {product_unit, COUNT_OF(product_unit), PIPE_FMA},
		     {doubles, COUNT_OF(doubles), PIPE_FP64},      {transcendental, COUNT_OF(transcendental), PIPE_XU},
		     {memory, COUNT_OF(memory), PIPE_LSU},         {uniforms, COUNT_OF(uniforms), PIPE_UNIFORM},
		     {branches, COUNT_OF(branches), PIPE_CBU},     {convergence, COUNT_OF(convergence), PIPE_CBU},
		     {matrices, COUNT_OF(matrices), PIPE_TENSOR}};

	if (c->opcode == SASS_OP_HFMA2 && !strncmp(c->name, "HFMA2.MMA", 9))
		return opcodes_pipe_name(PIPE_TENSOR);
	for (u32 k = 0; k < COUNT_OF(pipes); k++)
		if (holds(pipes[k].list, pipes[k].count, c->opcode))
			return opcodes_pipe_name(pipes[k].pipe);
	return opcodes_pipe_name(PIPE_OTHER);
}
