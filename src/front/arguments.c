/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of command lines: what every command takes, and the options of how launches run.
 *
 * Wrong words end the program within argp_error, with the exit status of wrong usage: readers below return only what is
 * right.
 */
#include "front/arguments.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "native/load.h"
#include "observe/suppressions.h"

enum { OPTION_COLOUR = 0x5000, COMMON_GROUP = -1 };

static const struct argp_option common_options[] = {
	{"color", OPTION_COLOUR, "WHEN", OPTION_ARG_OPTIONAL,
	 "Colour messages: auto (default: on a terminal, unless NO_COLOR is set), always, never", COMMON_GROUP},
	{"colour", OPTION_COLOUR, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, COMMON_GROUP},
	{NULL, 'h', NULL, OPTION_HIDDEN, "The same as --help", COMMON_GROUP},
	{0},
};

static error_t parse_common(int key, char *text, struct argp_state *state)
{
	static const char *const words[] = {
		[COLOUR_AUTO] = "auto", [COLOUR_ALWAYS] = "always", [COLOUR_NEVER] = "never"};
	enum colour_choice *choice = state->input;

	switch (key) {
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case OPTION_COLOUR:
		for (size_t k = 0; k < COUNT_OF(words); k++)
			if (!strcmp(text ? text : "always", words[k])) {
				*choice = (enum colour_choice)k;
				return 0;
			}
		argp_error(state, "--color is auto, always or never, not '%s'", text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp front_common_argp = {.options = common_options, .parser = parse_common};

/* argp asserts that it has memory, and would abort without a word. For the time of parsing this stands in for SIGABRT:
 * only functions that a signal handler may call. */
static void on_abort(int number)
{
	static const char message[] = "ptxsim: no memory left\n";

	(void)number;
	const ssize_t told = write(STDERR_FILENO, message, sizeof message - 1);
	(void)told;
	_exit(CLI_WRONG);
}

void front_parse(const struct argp *argp, int count, char **words, void *input)
{
	void (*const before)(int) = signal(SIGABRT, on_abort);

	errno = 0;
	if (argp_parse(argp, count, words, 0, NULL, input))
		exit(front_no_memory());
	signal(SIGABRT, before);
}

/* A whole number of at least `low`, in any base that C has. strtoull accepts a minus sign, so that is looked for. */
u64 front_number(struct argp_state *state, const char *option, const char *text, u64 low)
{
	char *end;

	errno = 0;
	const unsigned long long n = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || n < low)
		argp_error(state, "--%s: expected a whole number of at least %llu, not '%s'", option,
			   (unsigned long long)low, text);
	return n;
}

static struct lock_order read_lock_order(struct argp_state *state, const char *text)
{
	struct lock_order order = {.random = !strncmp(text, "random:", 7)};
	char *end;

	if (!order.random) {
		if (strcmp(text, "lowest"))
			argp_error(state, "--lock-order is lowest or random:SEED, not '%s'", text);
		return order;
	}
	errno = 0;
	order.seed = strtoull(text + 7, &end, 0);
	if (errno || *end || end == text + 7)
		argp_error(state, "--lock-order random: expected a whole number as the seed, not '%s'", text + 7);
	return order;
}

static struct async_choice read_async(struct argp_state *state, const char *text)
{
	struct async_choice choice;

	if (!async_choice_read(text, &choice))
		argp_error(state, "--async is strict, eager, random or random:SEED, not '%s'", text);
	return choice;
}

static enum memory_bounds read_bounds(struct argp_state *state, const char *text)
{
	enum memory_bounds bounds = BOUNDS_DEFAULT;

	if (!memory_bounds_read(text, &bounds))
		argp_error(state, "--bounds is object, word or allocation, not '%s'", text);
	return bounds;
}

static struct schedule_choice read_schedule(struct argp_state *state, const char *text)
{
	struct schedule_choice choice;

	if (!schedule_choice_read(text, &choice))
		argp_error(state, "--schedule is usual, random[:SEED] or priority[:SEED], not '%s'", text);
	return choice;
}

/* The path, if it can be read and is no folder; otherwise the program ends with the reason. */
static const char *readable(const struct argp_state *state, const char *path)
{
	struct stat about;

	if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
		argp_failure(state, CLI_WRONG, EISDIR, "%s", path);
	if (access(path, R_OK))
		argp_failure(state, CLI_WRONG, errno, "%s", path);
	return path;
}

/* --check alone stands for the usual ones. */
static void read_checks(struct argp_state *state, const char *text, struct check_options *options)
{
	if (!text)
		check_options_usual(options);
	else if (!check_options_read(text, options))
		argp_error(state, "--check is some of %s, not '%s'", check_options_words(), text);
}

/* A number of bytes, with K, M, G or T behind it for its multiples by 1024. */
static u64 read_bytes(struct argp_state *state, const char *option, const char *text)
{
	static const char units[] = "KMGT";
	char *end;

	errno = 0;
	unsigned long long n = strtoull(text, &end, 0);
	const char *unit = *end && end != text ? strchr(units, *end) : NULL;
	if (unit && !__builtin_mul_overflow(n, 1ull << 10 * (unit - units + 1), &n))
		end++;
	if (errno || end == text || *end || *text == '-' || !n)
		argp_error(state, "--%s: expected a number of bytes, such as 100000, 512M or 2G, not '%s'", option,
			   text);
	return n;
}

static void add_source_folder(struct argp_state *state, struct launch_choices *c, const char *folder)
{
	if (c->source_folder_count == FRONT_SOURCE_FOLDERS)
		argp_error(state, "--source-path can be given %d times at most", FRONT_SOURCE_FOLDERS);
	else
		c->source_folders[c->source_folder_count++] = folder;
}

enum {
	OPTION_ASYNC = 0x4000,
	OPTION_LOCK_ORDER,
	OPTION_CHECK,
	OPTION_STRICT_UNWRITTEN,
	OPTION_MAX_FINDINGS,
	OPTION_SUPPRESS,
	OPTION_SCHEDULE,
	OPTION_MEMORY,
	OPTION_ALLOW_PATHS,
	OPTION_OVERWRITE,
	OPTION_SOURCE_PATH,
	OPTION_ANY_ORDER,
	OPTION_BOUNDS,
	OPTION_NATIVE,
	OPTION_NO_CACHE
};

static const struct argp_option launch_options[] = {
	{"jobs", 'j', "N", 0, "Host threads; results are the same for any number", FRONT_LAUNCH_GROUP},
	{"any-order", OPTION_ANY_ORDER, NULL, 0,
	 "Let blocks run in any order on several host threads, even if that shows in the results", FRONT_LAUNCH_GROUP},
	{"native", OPTION_NATIVE, "WHEN", 0,
	 "Compile kernels to host code, if LLVM is there: auto (those that run for long; default), always or off; "
	 "without the option, what the environment variable PTXSIM_NATIVE says",
	 FRONT_LAUNCH_GROUP},
	{"no-cache", OPTION_NO_CACHE, NULL, 0,
	 "Neither take host code from the cache folder nor keep it there, as PTXSIM_CACHE=off does",
	 FRONT_LAUNCH_GROUP},
	{"lock-order", OPTION_LOCK_ORDER, "ORDER", 0,
	 "Which lane gets a shared word's lock that several want: lowest (default) or random:SEED", FRONT_LAUNCH_GROUP},
	{"schedule", OPTION_SCHEDULE, "ORDER", 0,
	 "In what order warps and blocks run: usual (default), random[:SEED], or priority[:SEED] (see docs/checks.md)",
	 FRONT_LAUNCH_GROUP},
	{"async", OPTION_ASYNC, "MODE", 0,
	 "When asynchronous copies and wgmma take effect: strict (default; a missing wait is a fault), eager "
	 "(at once, fastest), random:SEED (at any allowed time)",
	 FRONT_LAUNCH_GROUP},
	{"check", OPTION_CHECK, "WHAT,...", OPTION_ARG_OPTIONAL,
	 "Find what goes wrong unseen: races, unwritten (values that nothing has written, where they matter), sync "
	 "(barriers and masks), leaks, neighbours (of one variable's address), all of them if left out; and "
	 "provenance, nan, "
	 "denormals, overflow, plain-reads, lane-stores (see docs/checks.md)",
	 FRONT_LAUNCH_GROUP},
	{"strict-unwritten", OPTION_STRICT_UNWRITTEN, NULL, 0, "Report unwritten values at the first arithmetic, too",
	 FRONT_LAUNCH_GROUP},
	{"suppress", OPTION_SUPPRESS, "FILE", 0,
	 "Leave out the findings of the checks that FILE has a line for, as they print it themselves",
	 FRONT_LAUNCH_GROUP},
	{"max-findings", OPTION_MAX_FINDINGS, "N", 0, "Findings of the checks that are kept of a launch (default: 100)",
	 FRONT_LAUNCH_GROUP},
	{"memory-limit", OPTION_MEMORY, "BYTES", 0,
	 "Global memory that kernels and buffers may have (K, M, G or T may follow; default: the host's, 64G at most)",
	 FRONT_LAUNCH_GROUP},
	{"bounds", OPTION_BOUNDS, "WHERE", 0,
	 "Where accesses to global memory must end: object (at the object's end), word (a read that begins in the "
	 "object "
	 "may end past it), allocation (as the driver rounds sizes up); default: word for module-scope variables, "
	 "object "
	 "for the rest",
	 FRONT_LAUNCH_GROUP},
	{"allow-paths", OPTION_ALLOW_PATHS, NULL, 0,
	 "Let //@ lines load and save files anywhere, not only below their own file's folder", FRONT_FILE_GROUP},
	{"overwrite", OPTION_OVERWRITE, NULL, 0, "Let //@ save replace files that exist", FRONT_FILE_GROUP},
	{"source-path", OPTION_SOURCE_PATH, "FOLDER", 0,
	 "Look below FOLDER, too, for the sources that .file lines name; can be given several times", FRONT_FILE_GROUP},
	{0},
};

/* text: NULL stands for PTXSIM_NATIVE. */
static enum native_mode read_native(struct argp_state *state, const char *text)
{
	enum native_mode mode;

	if (!native_mode_read(text, &mode))
		argp_error(state, "%s is auto, always or off, not '%s'", text ? "--native" : "PTXSIM_NATIVE",
			   text ? text : getenv("PTXSIM_NATIVE"));
	return mode;
}

/* Who asks for native code in any case is told that there is none. */
static void tell_native(enum native_mode mode)
{
	char why[256];

	if (mode == NATIVE_ALWAYS && !native_is_possible(why, sizeof why))
		fprintf(stderr, "ptxsim: kernels are interpreted, though native code was asked for: %s\n", why);
}

static error_t parse_check_option(int key, char *text, struct argp_state *state, struct check_options *c)
{
	switch (key) {
	case OPTION_CHECK:
		read_checks(state, text, c);
		return 0;
	case OPTION_STRICT_UNWRITTEN:
		c->unwritten = c->strict_unwritten = true;
		return 0;
	case OPTION_SUPPRESS:
		c->suppress = readable(state, text);
		suppressions_warn(c->suppress, stderr);
		return 0;
	case OPTION_MAX_FINDINGS:
		c->most = (u32)min_u64(front_number(state, "max-findings", text, 1), UINT32_MAX);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_launch_option(int key, char *text, struct argp_state *state)
{
	struct launch_choices *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->colour;
		return 0;
	case 'j':
		c->jobs = (u32)front_number(state, "jobs", text, 1);
		return 0;
	case OPTION_ANY_ORDER:
		c->any_order = true;
		return 0;
	case OPTION_NATIVE:
		c->native = read_native(state, text);
		c->native_given = true;
		return 0;
	case ARGP_KEY_END: /* not before: --native overrides it, and argp has no name to tell errors by until options are read */
		if (!c->native_given)
			c->native = read_native(state, NULL);
		tell_native(c->native);
		return 0;
	case OPTION_NO_CACHE:
		return setenv("PTXSIM_CACHE", "off", 1) ? ENOMEM : 0;
	case OPTION_SCHEDULE:
		c->schedule = read_schedule(state, text);
		return 0;
	case OPTION_ASYNC:
		c->async = read_async(state, text);
		return 0;
	case OPTION_LOCK_ORDER:
		c->lock_order = read_lock_order(state, text);
		return 0;
	case OPTION_MEMORY:
		c->memory_limit = read_bytes(state, "memory-limit", text);
		return 0;
	case OPTION_BOUNDS:
		c->bounds = read_bounds(state, text);
		return 0;
	case OPTION_ALLOW_PATHS:
		c->allow_paths = true;
		return 0;
	case OPTION_OVERWRITE:
		c->overwrite = true;
		return 0;
	case OPTION_SOURCE_PATH:
		add_source_folder(state, c, text);
		return 0;
	default:
		return parse_check_option(key, text, state, &c->check);
	}
}

static const struct argp_child launch_children[] = {{&front_common_argp, 0, NULL, 0}, {0}};

const struct argp front_launch_argp = {
	.options = launch_options, .parser = parse_launch_option, .children = launch_children};
