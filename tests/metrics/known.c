/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of known differences. Exact patterns stand for themselves; what has a '*' was also read of
 * patterns that are not in this tree, or depends on more than the pattern.
 */
#include "tests/metrics/known.h"

#include <fnmatch.h>

#define SUB_WORD "the data stage of stores of 1 and 2 bytes with more than 4 tag wavefronts follows no rule found"
#define LINES    "conflicts of a store to scattered lines are off by 1"
#define AROUND   "the assembler branches around a copy that no lane makes, and its three loads with it"
#define FRAME                                                                                                \
	"depends on where the launch's frames lie: one pattern launched again and again reads 36 and 32 in " \
	"turn"
#define FRAME_DATA "depends on where the launch's frames lie, and no rule was found for one place"

#define BYPASS  "the source counters of cp.async.cg follow no rule found"
#define BOTH    "the source counters' passes of a copy that is scattered on both sides"
#define BARRIER "a barrier and the end of a group of copies pass the data stage, too, once a warp"
#define FOLLOW  "stores right behind one another share passes, or wait for one another"
#define VALUES  "which lanes try again depends on the values: one that changes nothing lets the next through"
#define WARPS   "warps that swap the same words at a time make one another try again"
#define CUT     "how a store of more than 8 tag wavefronts is cut into parts is not known in full"
#define SOURCE  "one of 60: the source counters do not join here what they join elsewhere"
#define GENERIC "a generic atomic instruction counts as none of shared memory"
#define NO_READ "a copy that reads nothing is a request nevertheless"
#define PARTIAL "copies of fewer bytes than they fill: two recordings"

/* Data wavefronts and bank conflicts, without cmd_read. */
#define WRITES "l1tex__data_*[!d].sum"

const struct known known_differences[] = {
	{"gst_b8.rand*", WRITES, SUB_WORD},
	{"gst_b8.line*", WRITES, SUB_WORD},
	{"gst_b16.rand*", WRITES, SUB_WORD},
	{"gst_b16.line*", WRITES, SUB_WORD},
	{"gst_b16.new_perm_28", WRITES, SUB_WORD},
	{"gst_b8.more_rand_26", WRITES, SUB_WORD},
	{"gst_b16.probe_first_17", WRITES, SUB_WORD},
	{"gst_b16.probe_first_24", WRITES, SUB_WORD},
	{"gst_b16.probe_first_28", WRITES, SUB_WORD},
	{"gst_b16.probe_first_31", WRITES, SUB_WORD},
	{"gst_b16.probe_banks8", WRITES, SUB_WORD},
	{"gst_b16.probe_few_banks_2", WRITES, SUB_WORD},
	{"gst_b16.probe_few_banks_5", WRITES, SUB_WORD},
	{"gst_b16.probe_few_banks_6", WRITES, SUB_WORD},
	{"xscs_b16.line_5", WRITES, SUB_WORD},
	{"xswb_b8.line_3", WRITES, SUB_WORD},
	{"xswb_b16.line_1", WRITES, SUB_WORD},
	{"gst_b32.lines_0", "l1tex__data_bank_conflicts*", LINES},
	{"gst_b32.lines_3", "l1tex__data_bank_conflicts*", LINES},
	{"cpa_s_cg16.more_pair_92", "smsp__inst_executed_op_shared_ld.sum", AROUND},
	{"*_cg16.*", "smsp__sass_*", BYPASS},
	{"*_cg16.*", "memory_*", BYPASS},
	{"xcpb_ca*", "smsp__sass_*", BOTH},
	{"xcpb_ca*", "memory_*", BOTH},
	{"xcp*", "l1tex__data_pipe_lsu_wavefronts_mem_lgds*", BARRIER},
	{"xtwo_sls.*", "l1tex__data_pipe_lsu_wavefronts_mem_lgds*", BARRIER},
	{"xtwo_gss.*", "l1tex__data_*", FOLLOW},
	{"xcps_ca8.mix_tiny_18", "l1tex__t_*_ldgsts_cache_access.sum", NO_READ},
	{"xcps_cg16.mix_rand_40", "l1tex__data_bank_conflicts_*", PARTIAL},
	{"xsatom_add_f64.warps_*", "*", WARPS},
	{"satom_add_f32.src_stride_68", "*", WARPS},
	{"gst_cg_b64.src_rand_225", "l1tex__data_*", CUT},
	{"sld_v4.join_11", "*", SOURCE},
	{"x?atom_add_*f16.*", "*", VALUES},
	{"xs*_m??_?64.*", "*", VALUES},
	{"xsred_*64.*", "*", VALUES},
	{"xag?_add_u32.*", "*", GENERIC},
	{"loc_*", "l1tex__t_output_wavefronts_*", FRAME},
	{"loc_*", "l1tex__data_*", FRAME_DATA},
	{"xloc*", "l1tex__t_output_wavefronts_*", FRAME},
	{"xloc*", "l1tex__data_*", FRAME_DATA},
};

const size_t known_count = sizeof known_differences / sizeof *known_differences;

#define OTHER_CODE "was recorded with another version of the module, whose code has fewer instructions"
#define A_ROUND_LATER                                                                                              \
	"one lane in fifty of those that meet in a loop goes round once more than the rule says, and no rule was " \
	"found for it"

/* Of machine code alone: how often instructions run. */
static const struct known machine_differences[] = {
	{"satom_*_?64.mc*", "smsp__*inst_executed.sum", OTHER_CODE},
	{"satom_*_?64.[frs]*", "smsp__*inst_executed.sum", OTHER_CODE},
	{"s*_add_*.*", "smsp__*inst_executed.sum", A_ROUND_LATER},
};

const struct known *known_of_machine_code(const char *pattern, const char *metric)
{
	for (size_t k = 0; k < sizeof machine_differences / sizeof *machine_differences; k++)
		if (!fnmatch(machine_differences[k].pattern, pattern, 0) &&
		    !fnmatch(machine_differences[k].metric, metric, 0))
			return &machine_differences[k];
	return known_find(pattern, metric);
}

const struct known *known_find(const char *pattern, const char *metric)
{
	for (size_t k = 0; k < known_count; k++)
		if (!fnmatch(known_differences[k].pattern, pattern, 0) &&
		    !fnmatch(known_differences[k].metric, metric, 0))
			return &known_differences[k];
	return NULL;
}
