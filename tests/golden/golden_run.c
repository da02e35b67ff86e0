/* SPDX-License-Identifier: Apache-2.0
 *
 * golden-run: runs recording packs and compares what memory ends as with what the hardware left.
 *
 * Cases that share a module form a group: a child process reads and lowers the module once, runs
 * the group's cases one by one, and tells the parent of each through a pipe. A child that dies
 * loses the case it was at and no other: a new one goes on after it.
 */
#include <argp.h>
#include <poll.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

/* All cases of a pack that use one module, in the manifest's order. */
struct group {
	const struct pack *pack;
	const char *module;
	VEC_OF(const struct pack_case *) cases;
	u32 done; /* cases whose result is known */
};

/* What a child tells of a case. */
struct result {
	bool passed;
	bool unbound; /* the target's machine code has no such kernel */
	char message[CASE_MESSAGE];
};

struct child {
	pid_t pid; /* 0: a free place */
	int from;
	struct group *group;
	size_t have; /* bytes of `result` that came */
	struct result result;
};

enum { MAX_JOBS = 64 };

/* A case that is known to differ from its recording, and why. */
struct difference {
	const char *name, *reason;
};

struct runner {
	struct arena arena;
	const char *filter, *cubins;
	u32 sm; /* the cubins' target: cases whose kernel they lack are none of it; 0: any, and all must be there */
	regex_t expression;
	long jobs, timeout_seconds;
	bool quiet, counts;
	struct case_options options;
	struct check_options check;
	VEC_OF(const char *) stems;
	VEC_OF(struct group *) groups;
	size_t next_group;
	u32 passed, failed, known, unbound;
	VEC_OF(struct difference) differences;
	struct child children[MAX_JOBS];
};

/* --- In the child --------------------------------------------------------------------------- */

static void tell(int to, const struct result *r)
{
	const u8 *at = (const u8 *)r;
	size_t left = sizeof *r;

	while (left) {
		const ssize_t n = write(to, at, left);
		if (n <= 0)
			_exit(3);
		at += n;
		left -= (size_t)n;
	}
}

static void first_lines(char *to, const char *text)
{
	size_t used = 0;

	for (u32 lines = 0; text[used] && used < CASE_MESSAGE - 1; used++) {
		if (text[used] == '\n' && ++lines == 4)
			break;
		to[used] = text[used];
	}
	to[used] = 0;
}

/* The module's machine code, MODULE.cubin in place of MODULE.ptx. */
static bool read_cubin(struct session *s, const struct runner *r, const struct group *g, struct bytes *text,
		       char *message)
{
	const char *ending = strrchr(g->module, '.');
	const int stem = ending ? (int)(ending - g->module) : (int)strlen(g->module);
	const char *path = arena_printf(&s->arena, "%s/%.*s.cubin", r->cubins, stem, g->module);

	if (pack_read_file(&s->arena, path, text))
		return true;
	snprintf(message, CASE_MESSAGE, "%s cannot be read", path);
	return false;
}

/* Whether a cubin is of the target that --arch names. */
static bool is_of_target(const struct runner *r, const struct bytes *text, char *message)
{
	const u32 sm = text->size > 52 ? text->data[49] : 0;

	if (!r->sm || sm == r->sm)
		return true;
	snprintf(message, CASE_MESSAGE, "machine code of sm_%u, not of sm_%u", sm, r->sm);
	return false;
}

/* Reads and lowers the group's module; false with a message. */
static bool prepare(struct session *s, const struct runner *r, const struct group *g, char *message, bool *bound)
{
	/* Unmodelled forms fail the cases that reach them, not the whole module. */
	const struct lower_options options = {.allow_unmodelled = true};
	struct bytes text;

	const char *path = arena_printf(&s->arena, "%s%s", g->pack->folder, g->module);
	if (r->cubins) {
		*bound = read_cubin(s, r, g, &text, message);
		if (!*bound || !is_of_target(r, &text, message))
			return false;
	} else if (!pack_read_file(&s->arena, path, &text)) {
		snprintf(message, CASE_MESSAGE, "%s cannot be read", path);
		return false;
	}
	session_add_text(s, g->module, (const char *)text.data, text.size);
	if (session_build(s, &options))
		return true;
	first_lines(message, session_diagnostics(s, false));
	return false;
}

/* What a case's launches have counted. */
enum { LAUNCHES_MOST = 256 };
struct counted {
	struct launch_stats launches[LAUNCHES_MOST], now;
	u32 count, differing; /* differing: the first that counts otherwise when it runs again, plus 1 */
	bool again;
};

static void note_counts(void *context, const struct launch *l, const struct launch_stats *now)
{
	struct counted *c = context;
	struct launch_stats *then = &c->launches[c->count++ % LAUNCHES_MOST];

	(void)l;
	if (!c->again)
		*then = *now;
	else if (!c->differing &&
		 (then->warp_instructions != now->warp_instructions ||
		  then->thread_instructions != now->thread_instructions || then->branches != now->branches ||
		  then->divergent_branches != now->divergent_branches))
		c->now = *now, c->differing = c->count;
}

/* As case_run; with --counts, the case is run interpreted, too, and must count the same. */
static bool run_case(struct session *s, const struct runner *r, const struct group *g, const struct pack_case *c,
		     char *message)
{
	struct case_options options = r->options;
	struct counted counted = {.count = 0};

	if (!r->counts)
		return case_run(s, g->pack, c, &options, message);
	options.native = NATIVE_OFF;
	options.ran = note_counts;
	options.context = &counted;
	if (!case_run(s, g->pack, c, &options, message))
		return false;
	counted.again = true;
	counted.count = 0;
	options.native = r->options.native;
	if (!case_run(s, g->pack, c, &options, message))
		return false;
	if (!counted.differing)
		return true;
	const struct launch_stats *then = &counted.launches[(counted.differing - 1) % LAUNCHES_MOST],
				  *now = &counted.now;
	snprintf(message, CASE_MESSAGE,
		 "launch %u counts %llu instructions of warps, %llu of threads, %llu branches, %llu divergent; "
		 "interpreted "
		 "%llu, %llu, %llu, %llu",
		 counted.differing, (unsigned long long)now->warp_instructions,
		 (unsigned long long)now->thread_instructions, (unsigned long long)now->branches,
		 (unsigned long long)now->divergent_branches, (unsigned long long)then->warp_instructions,
		 (unsigned long long)then->thread_instructions, (unsigned long long)then->branches,
		 (unsigned long long)then->divergent_branches);
	return false;
}

static void child_main(const struct runner *r, const struct group *g, int to)
{
	struct session s;
	struct result result = {0};
	char broken[CASE_MESSAGE];

	alarm((unsigned)r->timeout_seconds);
	if (!session_open(&s)) {
		fprintf(stderr, "golden-run: PTXSIM_VARIANT names no variant that runs on this host\n");
		_exit(3);
	}
	if (SESSION_ENTER(&s)) {
		fprintf(stderr, "golden-run: no memory left\n");
		_exit(3);
	}
	bool bound = true;
	const bool ready = prepare(&s, r, g, broken, &bound);
	for (size_t k = g->done; k < g->cases.count; k++) {
		memset(&result, 0, sizeof result);
		alarm((unsigned)r->timeout_seconds);
		result.unbound = r->sm && (!bound || (ready && !program_kernel(s.program, g->cases.items[k]->entry)));
		if (result.unbound)
			result.passed = false;
		else if (ready)
			result.passed = run_case(&s, r, g, g->cases.items[k], result.message);
		else
			memcpy(result.message, broken, sizeof broken);
		tell(to, &result);
	}
	session_close(&s);
	/* Not _exit: what a build with --enable-gcov has counted is written at exit. The parent's buffers are empty. */
	exit(0);
}

/* --- In the parent -------------------------------------------------------------------------- */

/* Why the case is known to differ, or NULL. */
static const char *known_reason(const struct runner *r, const char *name)
{
	for (size_t k = 0; name && k < r->differences.count; k++)
		if (!strcmp(r->differences.items[k].name, name))
			return r->differences.items[k].reason;
	return NULL;
}

static void report(struct runner *r, struct group *g, const struct result *result)
{
	const struct pack_case *c = g->cases.items[g->done++];
	const char *reason = known_reason(r, c->name);

	if (result->unbound) {
		r->unbound++;
		return;
	}
	if (reason && !result->passed) {
		r->known++;
		printf("known: %s: %s\n", c->name, reason);
		return;
	}
	if (reason) {
		r->failed++;
		printf("FAIL %s %s passes: it no longer belongs among the known differences\n", g->pack->base, c->name);
		return;
	}
	if (result->passed) {
		r->passed++;
		return;
	}
	r->failed++;
	if (!r->quiet)
		printf("FAIL %s %s [%s] %s\n", g->pack->base, c->name ? c->name : "?", c->form, result->message);
}

static void start(struct runner *r, struct child *place, struct group *g)
{
	int ends[2];

	fflush(NULL);
	if (pipe(ends) || (place->pid = fork()) < 0) {
		perror("golden-run");
		exit(2);
	}
	if (place->pid == 0) {
		close(ends[0]);
		child_main(r, g, ends[1]);
	}
	close(ends[1]);
	place->from = ends[0];
	place->group = g;
	place->have = 0;
}

/* The child closed its pipe: it has ended, or died at the case after the last that it told of. */
static void finish(struct runner *r, struct child *place)
{
	struct group *g = place->group;
	int status = 0;

	close(place->from);
	waitpid(place->pid, &status, 0);
	place->pid = 0;
	if (g->done == g->cases.count)
		return;
	struct result lost = {0};
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		snprintf(lost.message, sizeof lost.message, "ran longer than %ld seconds", r->timeout_seconds);
	else if (WIFSIGNALED(status))
		snprintf(lost.message, sizeof lost.message, "the simulator crashed: %s", strsignal(WTERMSIG(status)));
	else
		snprintf(lost.message, sizeof lost.message, "the simulator ended with status %d", WEXITSTATUS(status));
	report(r, g, &lost);
	if (g->done < g->cases.count)
		start(r, place, g);
}

static void hear(struct runner *r, struct child *place)
{
	const ssize_t n = read(place->from, (u8 *)&place->result + place->have, sizeof place->result - place->have);

	if (n <= 0) {
		finish(r, place);
		return;
	}
	place->have += (size_t)n;
	if (place->have == sizeof place->result) {
		place->have = 0;
		report(r, place->group, &place->result);
	}
}

static void run_groups(struct runner *r)
{
	for (;;) {
		struct pollfd waits[MAX_JOBS];
		nfds_t running = 0;
		for (long k = 0; k < r->jobs; k++) {
			struct child *place = &r->children[k];
			if (!place->pid && r->next_group < r->groups.count)
				start(r, place, r->groups.items[r->next_group++]);
			waits[k] = (struct pollfd){.fd = place->pid ? place->from : -1, .events = POLLIN};
			running += place->pid != 0;
		}
		if (!running)
			return;
		if (poll(waits, (nfds_t)r->jobs, -1) < 0)
			continue;
		for (long k = 0; k < r->jobs; k++)
			if (r->children[k].pid && waits[k].revents)
				hear(r, &r->children[k]);
	}
}

static bool selected(const struct runner *r, const struct pack_case *c)
{
	return !r->filter || (c->name && !regexec(&r->expression, c->name, 0, NULL, 0)) ||
	       !regexec(&r->expression, c->form, 0, NULL, 0);
}

static void add_pack(struct runner *r, const struct pack *p)
{
	const size_t first = r->groups.count;

	for (size_t k = 0; k < p->cases.count; k++) {
		const struct pack_case *c = &p->cases.items[k];
		const char *module = c->module ? c->module : "";
		size_t g = first;
		if (!selected(r, c))
			continue;
		while (g < r->groups.count && strcmp(r->groups.items[g]->module, module))
			g++;
		if (g == r->groups.count) {
			struct group *fresh = ARENA_NEW(&r->arena, struct group);
			fresh->pack = p;
			fresh->module = module;
			VEC_PUSH(&r->arena, &r->groups, fresh);
		}
		VEC_PUSH(&r->arena, &r->groups.items[g]->cases, c);
	}
}

/* --- Options -------------------------------------------------------------------------------- */

static const struct argp_option options[] = {
	{"filter", 'f', "RE", 0, "Run only cases whose name or form matches the extended regular expression", 0},
	{"jobs", 'j', "N", 0, "Run N modules at a time (default: the number of processors)", 0},
	{"exact", 'e', NULL, 0, "Compare bytes whatever the case's cmp says", 0},
	{"timeout", 't', "SECONDS", 0, "Give up on a case after this time (default 120)", 0},
	{"known", 'k', "FILE", 0, "Cases listed there (a name and a reason a line) must differ, and count apart", 0},
	{"async", 'a', "MODE", 0, "Asynchronous operations: eager (default), strict or random:SEED", 0},
	{"native", 'n', "MODE", 0, "Machine code: off (default) or always, which fails where none can be made", 0},
	{"counts", 'N', NULL, 0, "Run each case interpreted, too, and compare what was counted", 0},
	{"cubins", 'c', "FOLDER", 0, "Run FOLDER/MODULE.cubin, machine code, in place of MODULE.ptx", 0},
	{"arch", 'A', "sm_XX", 0, "With --cubins: their target; cases whose kernel they lack are not counted", 0},
	{"threads", 'T', "N", 0, "Run each launch on up to N host threads (default: 1)", 0},
	{"any-order", 'o', NULL, 0, "Let them run blocks in any order, even if that shows in the results", 0},
	{"check", 'C', "WHAT,...", OPTION_ARG_OPTIONAL,
	 "Cases in which the checks find something fail: as of ptxsim run", 0},
	{"quiet", 'q', NULL, 0, "Print the totals only", 0},
	{0},
};

/* Lines of a case's name and the reason why it differs; # starts a comment line. */
static bool read_differences(struct runner *r, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[1024], name[256], reason[768];

	if (!file)
		return false;
	while (fgets(line, sizeof line, file))
		if (line[0] != '#' && sscanf(line, "%255s %767[^\n]", name, reason) == 2) {
			const struct difference d = {arena_copy_text(&r->arena, name, strlen(name)),
						     arena_copy_text(&r->arena, reason, strlen(reason))};
			VEC_PUSH(&r->arena, &r->differences, d);
		}
	fclose(file);
	return true;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct runner *r = state->input;

	switch (key) {
	case 'f':
		r->filter = text;
		if (regcomp(&r->expression, text, REG_EXTENDED | REG_NOSUB))
			argp_error(state, "'%s' is no regular expression", text);
		return 0;
	case 'j':
		r->jobs = strtol(text, NULL, 10);
		if (r->jobs < 1)
			argp_error(state, "--jobs wants a number of at least 1");
		return 0;
	case 'n':
		if (!native_mode_read(text, &r->options.native) || r->options.native == NATIVE_AUTO)
			argp_error(state, "--native is off or always, not '%s'", text);
		return 0;
	case 'N':
		r->counts = true;
		return 0;
	case 't':
		r->timeout_seconds = strtol(text, NULL, 10);
		if (r->timeout_seconds < 1)
			argp_error(state, "--timeout wants a number of at least 1");
		return 0;
	case 'T':
		r->options.threads = (u32)strtoul(text, NULL, 10);
		if (r->options.threads < 1 || r->options.threads > MAX_JOBS)
			argp_error(state, "--threads wants a number from 1 to %d", MAX_JOBS);
		return 0;
	case 'o':
		r->options.any_order = true;
		return 0;
	case 'e':
		r->options.exact = true;
		return 0;
	case 'k':
		if (!read_differences(r, text))
			argp_error(state, "cannot read '%s'", text);
		return 0;
	case 'a':
		if (!async_choice_read(text, &r->options.async))
			argp_error(state, "--async is eager, strict or random:SEED, not '%s'", text);
		return 0;
	case 'c':
		r->cubins = text;
		return 0;
	case 'A':
		if (strncmp(text, "sm_", 3) || !(r->sm = (u32)strtoul(text + 3, NULL, 10)))
			argp_error(state, "--arch is a target such as sm_80, not '%s'", text);
		return 0;
	case 'C':
		if (!text)
			check_options_usual(&r->check);
		else if (!check_options_read(text, &r->check))
			argp_error(state, "--check is some of%s, not '%s'", check_options_words(), text);
		r->options.check = &r->check;
		return 0;
	case 'q':
		r->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		VEC_PUSH(&r->arena, &r->stems, text);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no pack given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* A pack may be named by its manifest too. */
static const char *stem_of(struct arena *arena, const char *name)
{
	static const char *const endings[] = {".cases", ".cases.gz"};
	const size_t length = strlen(name);

	for (size_t k = 0; k < COUNT_OF(endings); k++) {
		const size_t ending = strlen(endings[k]);
		if (length > ending && !strcmp(name + length - ending, endings[k]))
			return arena_copy_text(arena, name, length - ending);
	}
	return name;
}

int main(int count, char **words)
{
	static const struct argp argp = {.options = options,
					 .parser = parse_option,
					 .args_doc = "STEM...",
					 .doc = "Runs recording packs: STEM.cases and its files, in any folder, "
						"compressed with gzip or not."};
	struct runner r = {.timeout_seconds = 120};

	argp_err_exit_status = 2;
	arena_init(&r.arena, NULL);
	r.options.native = NATIVE_OFF;
	r.jobs = sysconf(_SC_NPROCESSORS_ONLN);
	argp_parse(&argp, count, words, 0, NULL, &r);
	if (r.jobs > MAX_JOBS)
		r.jobs = MAX_JOBS;
	for (size_t k = 0; k < r.stems.count; k++) {
		const struct pack *p = pack_read(&r.arena, stem_of(&r.arena, r.stems.items[k]));
		if (!p)
			return 2;
		add_pack(&r, p);
	}
	run_groups(&r);
	if (r.unbound)
		printf("%u are not in the machine code of sm_%u\n", r.unbound, r.sm);
	if (r.known)
		printf("%u known to differ from the recording\n", r.known);
	printf("%u passed, %u failed\n", r.passed, r.failed);
	arena_free(&r.arena);
	return r.failed ? 1 : 0;
}
