/* SPDX-License-Identifier: Apache-2.0
 *
 * The options that describe launches, as words of a command line.
 */
#include "front/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observe/counters.h"

enum {
	OPTION_LIMIT = 256,
	OPTION_SET,
	OPTION_SAVE,
	OPTION_SEED,
	OPTION_SCRIPT,
	OPTION_HEADS,
	OPTION_CLUSTER,
	OPTION_METRICS,
	OPTION_SARIF,
	OPTION_EXPLORE,
	OPTION_ANNOTATE,
	OPTION_EXPLAIN,
	OPTION_BANK_MODE,
	OPTION_L1,
	OPTION_REGISTERS,
	OPTION_OF_BLOCK,
	OPTION_PER_BLOCK,
	OPTION_CACHES,
	OPTION_COOPERATIVE
};

/* Blocks that are counted apart, each of which takes about 5 KB. */
enum { BLOCKS_APART = 1024, BLOCKS_APART_MOST = 1 << 18 };

static const struct argp_option options[] = {
	{"kernel", 'k', "NAME", 0, "Kernel to launch (default: the only one)", 1},
	{"grid", 'g', "X[,Y[,Z]]", 0, "Blocks in the grid (default 1)", 1},
	{"block", 'b', "X[,Y[,Z]]", 0, "Threads in a block (default 1)", 1},
	{"cluster", OPTION_CLUSTER, "X[,Y[,Z]]", 0, "Blocks in a cluster", 1},
	{"cooperative", OPTION_COOPERATIVE, NULL, 0, "Run all blocks at once, so that they may wait for one another",
	 1},
	{"shared", 's', "BYTES", 0, "Dynamic shared memory of a block", 1},
	{"arg", 'a', "SPEC", 0,
	 "Next argument: a number, [NAME=]TYPE[N] GENERATOR, load FILE.npy, or {TYPE:VALUE, ...}", 1},
	{"save", OPTION_SAVE, "NAME=FILE", 0, "Write a buffer to a .npy or raw file afterwards", 1},
	{"script", OPTION_SCRIPT, "FILE", 0, "Take the launches from this file instead", 2},
	{"set", OPTION_SET, "NAME=NUMBER", 0, "Override a `let` of the launches", 2},
	{"seed", OPTION_SEED, "N", 0, "Mix N into every random generator", 2},
	{"arch", 't', "sm_XX", 0, "Architecture to model (default: the file's .target)", 3},
	{"limit", OPTION_LIMIT, "N", 0, "Stop a launch after N warp instructions", 3},
	{"report", 'r', "KIND", 0, "Tell what was counted: text, json, csv or html, on standard output or to -o FILE",
	 4},
	{"output", 'o', "FILE", 0, "Write the report, and what --metrics, --annotate and --explain print, to FILE", 4},
	{"explore", OPTION_EXPLORE, "N", 0,
	 "Run the launches under N schedules and tell what differs from the usual one: results, faults, deadlocks", 4},
	{"sarif", OPTION_SARIF, "FILE", 0, "Write faults and what --check finds to FILE, as SARIF 2.1.0", 4},
	{"metrics", OPTION_METRICS, "NAME,...", 0,
	 "Print these counters (names, profilers' names, patterns with * and ?); 'help' lists them", 4},
	{"annotate", OPTION_ANNOTATE, NULL, 0,
	 "Print the PTX, and the source that .loc lines name, with counts beside each line", 4},
	{"explain", OPTION_EXPLAIN, "LINE", 0, "Print this line's costliest memory access, lane by lane", 4},
	{"bank-mode", OPTION_BANK_MODE, "4|8", 0, "How sm_3x places words in its banks (default 4)", 4},
	{"l1", OPTION_L1, "on|off", 0, "Whether loads on sm_2x and sm_3x go through the first-level cache", 4},
	{"registers", OPTION_REGISTERS, "N", 0,
	 "Registers of a thread, for the occupancy (default: an estimate from the PTX)", 4},
	{"of-block", OPTION_OF_BLOCK, "N", 0, "Count only what block number N does (from 0, x fastest)", 4},
	{"per-block", OPTION_PER_BLOCK, "N", OPTION_ARG_OPTIONAL,
	 "Count the first N blocks of each launch apart, too (default 1024), for --report json and csv", 4},
	{"caches", OPTION_CACHES, "cold|warm", OPTION_ARG_OPTIONAL,
	 "Estimate cache hits, each launch from cold (default) or with what the one before left in the second "
	 "level; on one host thread",
	 4},
	{"heads", OPTION_HEADS, "N", 0, "Print the first N elements of each buffer (default 8)", 4},
	{"quiet", 'q', NULL, 0, "Print only what the kernels print, and errors", 4},
	{0},
};

bool run_accounts(const struct run_options *o) { return o->report || o->metrics || o->annotate || o->explain; }

static error_t parse_text_option(int key, char *text, struct run_options *o)
{
	switch (key) {
	case 'k':
		o->kernel = text;
		return 0;
	case 'g':
		o->grid = text;
		return 0;
	case 'b':
		o->block = text;
		return 0;
	case OPTION_CLUSTER:
		o->cluster = text;
		return 0;
	case 's':
		o->shared = text;
		return 0;
	case 't':
		o->arch = text;
		return 0;
	case OPTION_SCRIPT:
		o->script = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static enum report_kind report_kind(const struct argp_state *state, const char *text)
{
	static const char *const names[] = {
		[REPORT_TEXT] = "text", [REPORT_JSON] = "json", [REPORT_CSV] = "csv", [REPORT_HTML] = "html"};

	for (enum report_kind k = REPORT_TEXT; k < COUNT_OF(names); k++)
		if (!strcmp(names[k], text))
			return k;
	argp_error(state, "unknown kind of report '%s': expected text, json, csv or html", text);
	return REPORT_SUMMARY;
}

/* What is to be told about memory accesses. */
static error_t parse_account_option(int key, char *text, struct argp_state *state)
{
	struct run_options *o = state->input;

	switch (key) {
	case 'r':
		o->report = report_kind(state, text);
		return 0;
	case 'o':
		o->output = text;
		return 0;
	case OPTION_EXPLORE:
		o->explore = (u32)min_u64(front_number(state, "explore", text, 1), UINT32_MAX);
		return 0;
	case OPTION_SARIF:
		o->sarif = text;
		return 0;
	case OPTION_REGISTERS:
		o->accounting.registers = (u32)front_number(state, "registers", text, 1);
		return 0;
	case OPTION_OF_BLOCK:
		o->accounting.one_block = true;
		o->accounting.block = front_number(state, "of-block", text, 0);
		return 0;
	case OPTION_PER_BLOCK:
		o->accounting.blocks_apart = text ? front_number(state, "per-block", text, 1) : BLOCKS_APART;
		if (o->accounting.blocks_apart > BLOCKS_APART_MOST)
			argp_error(state, "--per-block is at most %d", BLOCKS_APART_MOST);
		return 0;
	case OPTION_BANK_MODE:
		if (strcmp(text, "4") && strcmp(text, "8"))
			argp_error(state, "--bank-mode is 4 or 8, not '%s'", text);
		o->accounting.bank_mode = *text == '8' ? BANK_MODE_8 : BANK_MODE_4;
		return 0;
	case OPTION_L1:
		if (strcmp(text, "on") && strcmp(text, "off"))
			argp_error(state, "--l1 is on or off, not '%s'", text);
		o->accounting.l1 = strcmp(text, "on") ? ACCOUNT_L1_OFF : ACCOUNT_L1_ON;
		return 0;
	case OPTION_CACHES:
		if (text && strcmp(text, "cold") && strcmp(text, "warm"))
			argp_error(state, "--caches is cold or warm, not '%s'", text);
		o->accounting.caches = text && *text == 'w' ? ACCOUNT_CACHES_WARM : ACCOUNT_CACHES_COLD;
		return 0;
	case OPTION_ANNOTATE:
		o->annotate = true;
		return 0;
	case OPTION_EXPLAIN:
		o->explain = (u32)front_number(state, "explain", text, 1);
		return 0;
	case OPTION_METRICS:
		if (!strcmp(text, "help")) {
			counters_print(stdout);
			exit(CLI_OK);
		}
		o->metrics = text;
		return 0;
	default:
		return parse_text_option(key, text, o);
	}
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct run_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->choices;
		return 0;
	case 'a':
		VEC_PUSH(&o->arena, &o->args, text);
		return 0;
	case OPTION_SET:
		if (!strchr(text, '='))
			argp_error(state, "--set: expected NAME=NUMBER, not '%s'", text);
		VEC_PUSH(&o->arena, &o->sets, text);
		return 0;
	case OPTION_SAVE:
		if (!strchr(text, '='))
			argp_error(state, "--save: expected NAME=FILE, not '%s'", text);
		VEC_PUSH(&o->arena, &o->saves, text);
		return 0;
	case OPTION_SEED:
		o->seed = front_number(state, "seed", text, 0);
		return 0;
	case OPTION_LIMIT:
		o->limit = front_number(state, "limit", text, 1);
		return 0;
	case OPTION_HEADS:
		o->heads = (u32)front_number(state, "heads", text, 0);
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case OPTION_COOPERATIVE:
		o->cooperative = true;
		return 0;
	case ARGP_KEY_ARG:
		VEC_PUSH(&o->arena, &o->files, text);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no file given");
		return 0;
	case ARGP_KEY_END:
		if (o->accounting.blocks_apart && o->report != REPORT_JSON && o->report != REPORT_CSV)
			argp_error(state, "--per-block is for --report json and csv");
		if (o->output && !run_accounts(o))
			argp_error(state, "-o is for --report, --metrics, --annotate and --explain");
		return 0;
	default:
		return parse_account_option(key, text, state);
	}
}

static const struct argp_child children[] = {{&front_launch_argp, 0, NULL, 0}, {0}};

const struct argp run_options_argp = {.options = options, .parser = parse_option, .children = children};
