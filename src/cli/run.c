/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim run: launches given by options, or those that the file describes.
 *
 * What comes after what:
 *
 *  read files            front_read_files, run_read_launches: PTX and launch lines, all errors at once
 *  build                 session_build: lower, lay out memory
 *  play                  play_run: statement by statement (script/play.c); on ranks, launches go to ranks_launch
 *  print                 print_results: buffers, launches, faults, reports, expectations: in this order, also
 *                        where several of them go to files
 *
 * With --mpi rank 0 does all this, and the others wait in ranks_serve for blocks to run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/file_new.h"
#include "cli/cli.h"
#include "cli/explore.h"
#include "front/options.h"
#include "ranks/ranks.h"
#include "report/csv.h"
#include "report/finding_sarif.h"
#include "report/html.h"
#include "report/lines.h"
#include "report/memory.h"
#include "report/picture.h"
#include "report/progress.h"
#include "report/summary.h"

/* What kernels print goes to `context`. */
static void print_text(void *context, const char *text, size_t length)
{
	fwrite(text, 1, length, context);
	/* Nobody reads it, or it cannot be kept: a kernel may print without end. */
	if (ferror(context))
		exit(CLI_WRONG);
}

/* Starts the progress bar anew for a launch. */
static void on_launch(void *context, const struct launch *l)
{
	if (context)
		progress_start(context, l->kernel->name, (u64)l->grid[0] * l->grid[1] * l->grid[2]);
}

/* What was asked about memory accesses; false if a counter's name is not known. */
static bool print_accounts(FILE *to, const struct run_options *o, const struct play *p)
{
	const struct account_run **runs =
		ARENA_ARRAY(&p->session->arena, p->launches.count + 1, const struct account_run *);
	const char *bad;
	size_t length;
	bool explained = false;

	for (size_t k = 0; k < p->launches.count; k++) {
		runs[k] = p->launches.items[k].account;
		if (o->report == REPORT_TEXT)
			report_memory(to, &p->session->arena, p->accounting, runs[k]);
		if (o->annotate) {
			report_annotate_source(to, &p->session->arena, p->accounting, runs[k]);
			report_annotate(to, &p->session->arena, p->accounting, runs[k]);
		}
		explained |= o->explain && report_explain(to, p->accounting, runs[k], o->explain);
		if (o->metrics && !report_metrics(to, runs[k], o->metrics, &bad, &length)) {
			fprintf(stderr, "ptxsim: unknown counter '%.*s' ('--metrics help' lists them)\n", (int)length,
				bad);
			return false;
		}
	}
	if (o->explain && !explained) {
		fprintf(stderr, "ptxsim: no memory access of line %u was executed\n", o->explain);
		return false;
	}
	switch (o->report) {
	case REPORT_JSON:
		return report_json(to, &p->session->arena, p->accounting, runs, p->launches.count);
	case REPORT_HTML:
		return report_html(to, &p->session->arena, p->accounting, o->files.items[0], runs, p->launches.count);
	case REPORT_CSV:
		return report_csv(to, &p->session->arena, p->accounting, runs, p->launches.count);
	default:
		return true;
	}
}

/* To the file, which is there whole or not at all, or to standard output. */
static bool write_accounts(const struct run_options *o, const struct play *p)
{
	struct file_new file;
	const char *message;

	if (!o->output)
		return print_accounts(stdout, o, p);
	if (!file_new_begin(&file, o->output, true, &message)) {
		fprintf(stderr, "ptxsim: %s: %s\n", o->output, message);
		return false;
	}
	const bool told = print_accounts(file.to, o, p);
	const bool written = file_new_end(&file, &message);
	if (!written)
		fprintf(stderr, "ptxsim: %s: %s\n", o->output, message);
	return told && written;
}

static void print_checks(const struct play *p, bool colour)
{
	for (size_t k = 0; k < p->checks.count; k++) {
		const struct play_check *c = &p->checks.items[k];
		u32 line, column;
		if (c->passed)
			continue;
		const struct source *text = p->session->sources.files.items[c->span.file];
		source_place(text, c->span.begin, &line, &column);
		fprintf(stderr, "%s:%u: %s %s%s:%s %s\n", text->name, line, c->text, colour_failure(colour),
			play_verdict(c), colour_end(colour), c->message);
	}
}

/* Fault number n of launch k, if an earlier launch has not had the same finding: a kernel in a loop of launches would
 * repeat it each time. *launches: how many launches have it; *times: how often in all. */
static const struct fault_report *new_fault(const struct play *p, size_t k, size_t n, u64 *launches, u64 *times)
{
	const struct fault_report *f = &p->launches.items[k].faults.items[n];

	*launches = 0;
	*times = 0;
	for (size_t l = 0; l < p->launches.count; l++) {
		const struct play_launch *x = &p->launches.items[l];
		for (size_t m = 0; m < x->faults.count && f->times; m++) {
			if (!fault_is_same(f, &x->faults.items[m]))
				continue;
			if (l < k)
				return NULL;
			++*launches;
			*times += x->faults.items[m].times;
		}
	}
	return f;
}

/* Faults that the script expects are not printed. */
static void print_faults(const struct play *p, size_t k, bool colour)
{
	const struct play_launch *l = &p->launches.items[k];
	u64 launches, times;

	for (size_t n = 0; n < l->fault_texts.count && !l->fault_expected; n++) {
		if (!new_fault(p, k, n, &launches, &times))
			continue;
		colour_fault(stderr, l->fault_texts.items[n], colour);
		if (launches > 1)
			fprintf(stderr, "  in %llu launches, %llu times in all\n", (unsigned long long)launches,
				(unsigned long long)times);
	}
}

/* What launch lines do to memory. */
static void add_host_findings(json_t *list, const struct play *p)
{
	for (size_t k = 0; k < p->checks.count; k++) {
		const struct play_check *c = &p->checks.items[k];
		u32 line, column;
		if (c->passed || !c->is_finding)
			continue;
		const struct source *text = p->session->sources.files.items[c->span.file];
		source_place(text, c->span.begin, &line, &column);
		json_array_append_new(list, sarif_host(text->name, line, c->message));
	}
}

/* Writes all findings of all launches, each once, to the file of --sarif. */
static bool write_sarif(const struct run_options *o, const struct play *p)
{
	struct file_new file;
	const char *message;
	json_t *list = json_array();
	u64 launches, times;

	for (size_t k = 0; k < p->launches.count; k++) {
		const struct play_launch *l = &p->launches.items[k];
		for (size_t n = 0; n < l->faults.count && !l->fault_expected; n++) {
			const struct fault_report *f = new_fault(p, k, n, &launches, &times);
			if (f)
				json_array_append_new(list, sarif_finding(f, l->fault_texts.items[n], times));
		}
	}
	add_host_findings(list, p);
	if (!file_new_begin(&file, o->sarif, true, &message)) {
		fprintf(stderr, "ptxsim: %s: %s\n", o->sarif, message);
		json_decref(list);
		return false;
	}
	const bool told = sarif_print(file.to, list);
	const bool written = file_new_end(&file, &message);
	if (!written)
		fprintf(stderr, "ptxsim: %s: %s\n", o->sarif, message);
	return told && written;
}

/* Prints everything that is to be seen of a run, and returns the exit status: a report that cannot be written counts as
 * wrong usage, faults and expectations that do not hold as failed. */
static int print_results(const struct run_options *o, const struct play *p, const struct ranks *ranks)
{
	const bool quiet = o->quiet || (o->report >= REPORT_JSON && !o->output);
	const bool colour = colour_for(o->choices.colour, stderr);

	fflush(stdout);
	if (!quiet)
		script_print_buffers(stdout, p->script, o->heads);
	for (size_t k = 0; k < p->launches.count; k++) {
		const struct play_launch *l = &p->launches.items[k];
		if (!quiet)
			report_launch(stdout, demangle_short(&p->session->arena, l->kernel->name), l->grid, l->block,
				      &l->stats);
		print_faults(p, k, colour);
	}
	if (!quiet && ranks)
		ranks_report(ranks, stdout);
	bool told = !p->options.account || write_accounts(o, p);
	told &= !o->sarif || write_sarif(o, p);
	fflush(stdout);
	print_checks(p, colour);
	if (!quiet && p->checks.count)
		printf("%zu of %zu expectations hold\n", p->checks.count - p->checks_failed, p->checks.count);
	return !told ? CLI_WRONG : p->faulted || p->checks_failed ? CLI_FAILED : CLI_OK;
}

struct run_command {
	struct run_options options;
	bool mpi;
	struct ranks *ranks; /* NULL: this process runs alone */
};

/* How launches are played, as the options say. progress: NULL without a bar. */
static struct play_options options_of(const struct run_command *c, struct progress *progress)
{
	const struct run_options *o = &c->options;

	return (struct play_options){.jobs = o->choices.jobs,
				     .native = o->choices.native,
				     .any_order = o->choices.any_order,
				     .limit = o->limit,
				     .async = o->choices.async,
				     .lock_order = o->choices.lock_order,
				     .schedule = o->choices.schedule,
				     .seed = o->seed,
				     .observer = progress ? &progress->observer : NULL,
				     .accounting = o->accounting,
				     .check = o->choices.check,
				     .account = run_accounts(o),
				     .print = print_text,
				     /* A report is never mixed with what kernels print. */
				     .print_context = o->report && !o->output ? stderr : stdout,
				     .run = c->ranks ? ranks_launch : NULL,
				     .run_context = c->ranks,
				     .launching = on_launch,
				     .launching_context = progress};
}

static int run(struct session *s, void *command)
{
	const struct run_command *c = command;
	const struct run_options *o = &c->options;
	struct script script;
	struct progress bar, *progress = o->quiet || !progress_is_seen() ? NULL : &bar;

	if (progress)
		progress_init(progress);
	script_init(&script, &s->arena, &s->strings, &s->diags);
	front_set_limits(&o->choices, s, &script);
	if (!front_read_files(s, o->files.items, o->files.count) || s->diags.error_count ||
	    !run_read_launches(s, &script, o))
		return CLI_WRONG;
	const struct lower_options lower = {.arch = o->arch ? o->arch : script.arch};
	if (!session_build(s, &lower))
		return CLI_WRONG;
	if (c->ranks)
		ranks_share(c->ranks, s, lower.arch);
	struct play play = {.session = s, .script = &script, .options = options_of(c, progress)};

	if (o->explore)
		return explore_schedules(&play, o->explore);
	const bool played = play_run(&play);
	if (progress)
		progress_end(progress);
	if (play.no_memory)
		front_no_memory();
	const int status = played ? print_results(o, &play, c->ranks) : CLI_WRONG;
	play_free(&play);
	return status;
}

/* One of the processes that mpirun has started. mpirun collects what the ranks print, so none of them has a terminal of
 * its own: automatic colours are off. */
static int run_on_ranks(struct run_command *c)
{
	char *why;
	const struct transport *t = transport_begin(&why);
	const struct ranks_options options = {.jobs = c->options.choices.jobs, .quiet = c->options.quiet};
	int status = CLI_OK;

	if (!t) {
		fprintf(stderr, "ptxsim: --mpi: %s\n", why ? why : "no memory left");
		free(why);
		return CLI_WRONG;
	}
	c->options.choices.colour = colour_of_ranks(c->options.choices.colour);
	c->ranks = ranks_begin(t, &options);
	if (!c->ranks) {
		t->abort(CLI_WRONG);
		return front_no_memory();
	}
	if (t->rank)
		ranks_serve(c->ranks);
	else
		status = front_in_session(run, c, c->options.choices.colour);
	ranks_end(c->ranks);
	return status;
}

enum { OPTION_MPI = 0x8000 };

static const struct argp_option options[] = {
	{"mpi", OPTION_MPI, NULL, 0,
	 "Share the blocks of each launch with the other processes that mpirun started; the results are the same", 3},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct run_command *c = state->input;

	(void)text;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->options;
		return 0;
	case OPTION_MPI:
		c->mpi = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cli_run(int count, char **words)
{
	static const struct argp_child children[] = {{&run_options_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.args_doc = "FILE...",
		.doc = "Runs a kernel, or the launches that the files' //@ lines describe.\v"
		       "Example: ptxsim run saxpy.ptx --grid 4 --block 256 --arg 1000 --arg 2.0 "
		       "--arg 'x=f32[1000] iota' --arg 'y=f32[1000] const 1'"};
	struct run_command c = {.options = {.heads = 8, .choices.async.mode = ASYNC_STRICT}};

	arena_init(&c.options.arena, NULL);
	front_parse(&argp, count, words, &c);
	const int status = c.mpi ? run_on_ranks(&c) : front_in_session(run, &c, c.options.choices.colour);
	arena_free(&c.options.arena);
	return status;
}
