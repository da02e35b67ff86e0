/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim test: plays the launches of files and reports their expectations, for people, as TAP
 * (Test Anything Protocol), or as JUnit's XML.
 *
 *      paths -> list_below (folders in the order of names) -> test_file, each in a session of its own
 *            -> outcomes: one for each expectation, each unexpected fault, or one for a file that is wrong
 *            -> report_human, report_tap or report_junit
 *
 * With --mpi ranks take files from a common list (ranks/hand_out.h), and rank 0 reports.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "cli/cli.h"
#include "ranks/hand_out.h"
#include "ranks/ranks.h"

enum { OPTION_TAP = 256, OPTION_JUNIT, OPTION_MPI };

enum format { FORMAT_HUMAN, FORMAT_TAP, FORMAT_JUNIT };

/* One expectation, or one file that could not be played. */
struct outcome {
	u32 line; /* 0: of the whole file */
	bool passed;
	const char *text, *message;
};

struct tested_file {
	const char *path;
	size_t given; /* below which of the paths it was found */
	VEC_OF(struct outcome) outcomes;
	size_t launches;
	double seconds;
};

/* A file that is to be tried. */
struct listed_file {
	const char *path;
	bool optional; /* found in a folder: it may have no launches */
	size_t given;  /* below which of the paths */
};

struct tests {
	struct arena arena;
	VEC_OF(char *) paths;
	VEC_OF(struct listed_file) listed;
	VEC_OF(struct tested_file *) files;
	enum format format;
	const char *arch;
	struct launch_choices choices;
	bool mpi;
	size_t passed, failed;
	bool wrong;     /* a file has errors, or cannot be read */
	bool no_memory; /* not all could be tried */
};

static const struct argp_option options[] = {
	{"tap", OPTION_TAP, NULL, 0, "Report as TAP", 0},
	{"junit", OPTION_JUNIT, NULL, 0, "Report as JUnit XML", 0},
	{"arch", 't', "sm_XX", 0, "Architecture to model (default: each file's)", 0},
	{"mpi", OPTION_MPI, NULL, 0, "Share the files with the other processes that mpirun started", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct tests *t = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &t->choices;
		return 0;
	case OPTION_TAP:
		t->format = FORMAT_TAP;
		return 0;
	case OPTION_JUNIT:
		t->format = FORMAT_JUNIT;
		return 0;
	case 't':
		t->arch = text;
		return 0;
	case OPTION_MPI:
		t->mpi = true;
		return 0;
	case ARGP_KEY_ARG:
		VEC_PUSH(&t->arena, &t->paths, text);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no file or folder given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* --- Playing -------------------------------------------------------------------------------- */

static const char *keep(struct tests *t, const char *text)
{
	return text ? arena_copy_text(&t->arena, text, strlen(text)) : NULL;
}

/* A NULL message means that it holds. */
static void add(struct tests *t, struct tested_file *f, u32 line, const char *text, const char *message)
{
	const struct outcome o = {line, !message, keep(t, text), keep(t, message)};

	VEC_PUSH(&t->arena, &f->outcomes, o);
	t->passed += o.passed;
	t->failed += !o.passed;
}

static u32 line_of(const struct session *s, struct span at)
{
	u32 line, column;

	source_place(s->sources.files.items[at.file], at.begin, &line, &column);
	return line;
}

/* Launches that failed unexpectedly, then the expectations; a file with none of either passes once. */
static void collect(struct tests *t, struct tested_file *f, const struct play *p)
{
	const struct session *s = p->session;

	f->launches = p->launches.count;
	for (size_t k = 0; k < p->launches.count; k++) {
		const struct play_launch *l = &p->launches.items[k];
		f->seconds += l->stats.seconds;
		for (size_t n = 0; n < l->fault_texts.count && !l->fault_expected; n++)
			add(t, f, line_of(s, l->statement->span), l->kernel->name, l->fault_texts.items[n]);
	}
	for (size_t k = 0; k < p->checks.count; k++)
		add(t, f, line_of(s, p->checks.items[k].span), p->checks.items[k].text, p->checks.items[k].message);
	if (!f->outcomes.count)
		add(t, f, 1, "runs", NULL);
}

/* A file that was named must have launches; of those found in folders the ones without are passed over. */
static void play_file(struct tests *t, struct tested_file *f, struct session *s, bool optional)
{
	struct script script;
	char *path = (char *)f->path;
	const char *message;

	if (!session_add_file(s, path, &message)) {
		t->no_memory |= errno == ENOMEM;
		add(t, f, 0, "the file can be read", message);
		t->wrong = true;
		return;
	}
	script_init(&script, &s->arena, &s->strings, &s->diags);
	front_set_limits(&t->choices, s, &script);
	script_read_module(&script, s->modules.items[0]);
	if (!script.launch_count && !s->diags.error_count) {
		if (!optional)
			add(t, f, 0, "the file has launches", "the file has no //@ launch lines");
		return;
	}
	const struct lower_options lower = {.arch = t->arch ? t->arch : script.arch};
	struct play play = {.session = s,
			    .script = &script,
			    .options = {.jobs = t->choices.jobs,
					.native = t->choices.native,
					.any_order = t->choices.any_order,
					.async = t->choices.async,
					.lock_order = t->choices.lock_order,
					.schedule = t->choices.schedule,
					.check = t->choices.check}};
	if (session_build(s, &lower) && play_run(&play)) {
		collect(t, f, &play);
	} else if (play.no_memory || s->memory.host_refused) {
		t->no_memory = true;
	} else {
		add(t, f, 0, "the file can be run", session_diagnostics(s, false));
		t->wrong = true;
	}
	play_free(&play);
}

static void test_file(struct tests *t, const struct listed_file *listed)
{
	struct tested_file *f = ARENA_NEW(&t->arena, struct tested_file);
	struct session s;

	f->path = keep(t, listed->path);
	f->given = listed->given;
	if (!front_open(&s))
		exit(CLI_WRONG);
	if (SESSION_ENTER(&s))
		t->no_memory = true;
	else
		play_file(t, f, &s, listed->optional);
	session_close(&s);
	if (f->outcomes.count)
		VEC_PUSH(&t->arena, &t->files, f);
}

/* --- What is to be tried ---------------------------------------------------------------------- */

static void list_file(struct tests *t, const char *path, bool optional, size_t given)
{
	const struct listed_file f = {keep(t, path), optional, given};

	VEC_PUSH(&t->arena, &t->listed, f);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

static int is_visible_entry(const struct dirent *e) { return strcmp(e->d_name, ".") && strcmp(e->d_name, ".."); }

static bool ends_in(const char *name, const char *ending)
{
	const size_t length = strlen(name), end = strlen(ending);

	return length > end && !strcmp(name + length - end, ending);
}

/* A folder on the way, from the innermost. */
struct way {
	const struct way *up;
	dev_t device;
	ino_t file;
};

static bool is_on_way(const struct way *w, const struct stat *about)
{
	for (; w; w = w->up)
		if (w->device == about->st_dev && w->file == about->st_ino)
			return true;
	return false;
}

static bool cannot(const char *path)
{
	fprintf(stderr, "ptxsim: %s: %s\n", file_name_shown(path), strerror(errno));
	return false;
}

/* A file, or all below a folder in the order of names; `up` is NULL for what was given.
 * Symbolic links are followed, but not into a folder that is being listed already. */
static bool list_below(struct tests *t, const char *path, const struct way *up, size_t given)
{
	struct dirent **entries;
	struct stat about;

	if (stat(path, &about))
		return cannot(path);
	if (S_ISREG(about.st_mode)) {
		if (!up || ends_in(path, ".ptx") || ends_in(path, ".sass") || ends_in(path, ".cubin"))
			list_file(t, path, up != NULL, given);
		return true;
	}
	if (!S_ISDIR(about.st_mode) || is_on_way(up, &about))
		return true;
	const int count = scandir(path, &entries, is_visible_entry, by_name);
	if (count < 0)
		return cannot(path);
	const struct way here = {up, about.st_dev, about.st_ino};
	bool good = true;
	for (int k = 0; k < count; k++) {
		if (good)
			good = list_below(t, arena_printf(&t->arena, "%s/%s", path, entries[k]->d_name), &here, given);
		free(entries[k]);
	}
	free(entries);
	return good;
}

/* Whether there was something to try below each of the paths; those that cannot be read are NULL. */
static bool all_found(const struct tests *t)
{
	bool all = true;

	for (size_t p = 0; p < t->paths.count; p++) {
		bool found = !t->paths.items[p];
		for (size_t k = 0; k < t->files.count; k++)
			found |= t->files.items[k]->given == p;
		if (!found && !t->no_memory)
			fprintf(stderr, "ptxsim: %s: no .ptx, .sass or .cubin file with //@ launch lines\n",
				t->paths.items[p]);
		all &= found;
	}
	return all;
}

/* --- On several ranks ------------------------------------------------------------------------- */

/* What came of a file, to rank 0.
 * Outcomes as bytes, in the order in which take_tested() reads them. */
static void put_tested(struct parcel *w, const struct tests *t)
{
	parcel_put_number(w, (t->wrong ? 1 : 0) | (t->no_memory ? 2 : 0));
	parcel_put_number(w, t->files.count);
	for (size_t k = 0; k < t->files.count; k++) {
		const struct tested_file *f = t->files.items[k];
		parcel_put_text(w, f->path);
		parcel_put_number(w, f->given);
		parcel_put_number(w, f->launches);
		parcel_put(w, &f->seconds, sizeof f->seconds);
		parcel_put_number(w, f->outcomes.count);
		for (size_t n = 0; n < f->outcomes.count; n++) {
			const struct outcome *o = &f->outcomes.items[n];
			parcel_put_number(w, o->line);
			parcel_put_text(w, o->text);
			parcel_put_text(w, o->message);
		}
	}
}

static void take_tested(void *tests, u64 job, struct parcel *w)
{
	struct tests *t = tests;
	const u64 flags = parcel_take_number(w);

	(void)job;
	t->wrong |= flags & 1;
	t->no_memory |= (flags & 2) != 0;
	for (u64 left = parcel_take_number(w); left; left--) {
		struct tested_file *f = ARENA_NEW(&t->arena, struct tested_file);
		f->path = keep(t, parcel_take_text(w));
		f->given = parcel_take_number(w);
		f->launches = parcel_take_number(w);
		memcpy(&f->seconds, parcel_take(w, sizeof f->seconds), sizeof f->seconds);
		for (u64 n = parcel_take_number(w); n; n--) {
			const u32 line = (u32)parcel_take_number(w);
			const char *text = parcel_take_text(w);
			add(t, f, line, text, parcel_take_text(w));
		}
		VEC_PUSH(&t->arena, &t->files, f);
	}
}

/* On any rank: one file, in an arena of its own. */
static void test_listed(void *tests, u64 job, struct parcel *result)
{
	const struct tests *all = tests;
	struct tests one = {.format = all->format, .arch = all->arch, .choices = all->choices};

	arena_init(&one.arena, NULL);
	test_file(&one, &all->listed.items[job]);
	put_tested(result, &one);
	arena_free(&one.arena);
}

/* False: this is not the rank that reports, or MPI is not there; *status is then the exit status. */
static bool test_on_ranks(struct tests *t, int *status)
{
	char *why;
	const struct transport *transport = transport_begin(&why);
	const struct hand_out jobs = {.count = t->listed.count, .work = test_listed, .take = take_tested, .context = t};

	if (!transport) {
		fprintf(stderr, "ptxsim: --mpi: %s\n", why ? why : "no memory left");
		free(why);
		*status = CLI_WRONG;
		return false;
	}
	if (!t->choices.jobs)
		t->choices.jobs = ranks_default_jobs(transport);
	t->choices.colour = colour_of_ranks(t->choices.colour);
	hand_out(transport, &jobs);
	transport->end();
	*status = CLI_OK;
	return !transport->rank;
}

/* --- Reports -------------------------------------------------------------------------------- */

static void print_failure(const struct outcome *o)
{
	if (o->line)
		printf("     line %u: %s\n       %s\n", o->line, o->text, o->message);
	else
		printf("     expected: %s\n       %s\n", o->text, o->message);
}

static void report_human(const struct tests *t)
{
	const bool colour = colour_for(t->choices.colour, stdout);

	for (size_t k = 0; k < t->files.count; k++) {
		const struct tested_file *f = t->files.items[k];
		size_t passed = 0;
		for (size_t n = 0; n < f->outcomes.count; n++)
			passed += f->outcomes.items[n].passed;
		const bool ok = passed == f->outcomes.count;
		printf("%s%s%s %s: %zu of %zu expectations hold, %zu launch%s, %.1f ms\n",
		       ok ? colour_success(colour) : colour_failure(colour), ok ? "ok  " : "FAIL", colour_end(colour),
		       f->path, passed, f->outcomes.count, f->launches, f->launches == 1 ? "" : "es", f->seconds * 1e3);
		for (size_t n = 0; n < f->outcomes.count; n++) {
			const struct outcome *o = &f->outcomes.items[n];
			if (!o->passed)
				print_failure(o);
		}
	}
	printf("%zu passed, %zu failed\n", t->passed, t->failed);
}

/* A text with every newline followed by `lead`. */
static void print_led(const char *text, const char *lead)
{
	for (; *text; text++) {
		putchar(*text);
		if (*text == '\n' && text[1])
			fputs(lead, stdout);
	}
	putchar('\n');
}

static void report_tap(const struct tests *t)
{
	size_t number = 0;

	printf("TAP version 13\n1..%zu\n", t->passed + t->failed);
	for (size_t k = 0; k < t->files.count; k++) {
		const struct tested_file *f = t->files.items[k];
		for (size_t n = 0; n < f->outcomes.count; n++) {
			const struct outcome *o = &f->outcomes.items[n];
			printf("%s %zu - %s:%u: %s\n", o->passed ? "ok" : "not ok", ++number, f->path,
			       o->line ? o->line : 1, o->text);
			if (o->passed)
				continue;
			fputs("# ", stdout);
			print_led(o->message, "# ");
		}
	}
}

/* Text as XML allows it: no control characters but newlines. */
static void print_xml(const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", stdout);
			break;
		case '<':
			fputs("&lt;", stdout);
			break;
		case '>':
			fputs("&gt;", stdout);
			break;
		case '"':
			fputs("&quot;", stdout);
			break;
		default:
			putchar((u8)*text < ' ' && *text != '\n' ? ' ' : *text);
		}
}

static void report_junit(const struct tests *t)
{
	printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%zu\" failures=\"%zu\">\n",
	       t->passed + t->failed, t->failed);
	for (size_t k = 0; k < t->files.count; k++) {
		const struct tested_file *f = t->files.items[k];
		size_t failed = 0;
		for (size_t n = 0; n < f->outcomes.count; n++)
			failed += !f->outcomes.items[n].passed;
		printf("  <testsuite name=\"");
		print_xml(f->path);
		printf("\" tests=\"%zu\" failures=\"%zu\" time=\"%.6f\">\n", f->outcomes.count, failed, f->seconds);
		for (size_t n = 0; n < f->outcomes.count; n++) {
			const struct outcome *o = &f->outcomes.items[n];
			printf("    <testcase classname=\"");
			print_xml(f->path);
			printf("\" name=\"line %u: ", o->line ? o->line : 1);
			print_xml(o->text);
			if (o->passed) {
				printf("\"/>\n");
				continue;
			}
			printf("\">\n      <failure>");
			print_xml(o->message);
			printf("</failure>\n    </testcase>\n");
		}
		printf("  </testsuite>\n");
	}
	printf("</testsuites>\n");
}

int cli_test(int count, char **words)
{
	static const struct argp_child children[] = {{&front_launch_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.args_doc = "PATH...",
		.doc = "Runs every launch that the files, or the .ptx, .sass and .cubin files of folders, describe, "
		       "and "
		       "checks what they expect.",
	};
	struct tests t = {.format = FORMAT_HUMAN, .choices.async.mode = ASYNC_STRICT};

	arena_init(&t.arena, NULL);
	front_parse(&argp, count, words, &t);
	bool readable = true;
	int status;
	for (size_t k = 0; k < t.paths.count; k++)
		if (!list_below(&t, t.paths.items[k], NULL, k)) {
			t.paths.items[k] = NULL;
			readable = false;
		}
	if (t.mpi && !test_on_ranks(&t, &status)) {
		arena_free(&t.arena);
		return status;
	}
	for (size_t k = 0; !t.mpi && k < t.listed.count; k++)
		test_file(&t, &t.listed.items[k]);
	readable &= all_found(&t);
	if (t.format == FORMAT_TAP)
		report_tap(&t);
	else if (t.format == FORMAT_JUNIT)
		report_junit(&t);
	else
		report_human(&t);
	arena_free(&t.arena);
	if (t.no_memory)
		return front_no_memory();
	return !readable || t.wrong ? CLI_WRONG : t.failed ? CLI_FAILED : CLI_OK;
}
