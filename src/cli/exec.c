/* SPDX-License-Identifier: Apache-2.0
 *
 * `ptxsim exec PROGRAM ARGUMENTS...`: runs a CUDA program with libcuda.so.1 and libcudart.so of this project in front of
 * NVIDIA's, and prints afterwards what its kernels did wrong. The program's exit status is passed on.
 *
 * Options travel to the libraries in the program's environment (PTXSIM_CHECK, PTXSIM_REPORT, ...), results come back in
 * files that it names (PTXSIM_FINDINGS, PTXSIM_REPORT_FILE): the program's own output stays as it is. All options are
 * checked here, before the program starts, because the library could only refuse them in the middle of its output.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/device.h"
#include "base/file.h"
#include "cli/cli.h"

static const char usage_text[] =
	"Usage: ptxsim exec [OPTION...] PROGRAM [ARGUMENT...]\n"
	"Runs a CUDA program with the simulator as its GPU.\n\n"
	"      --check[=LIST]    find what goes wrong unseen: some of races,unwritten,sync,leaks,\n"
	"                        neighbours, all of them if LIST is left out; and provenance,nan,\n"
	"                        denormals,overflow,plain-reads,lane-stores\n"
	"                        (see docs/checks.md)\n"
	"  -r, --report FORMAT   count what launches cost: text, json, csv or html\n"
	"  -o, --output FILE     where the report goes (standard output)\n"
	"      --max-findings N  findings that are kept of a launch (100)\n"
	"      --suppress FILE   leave out findings that FILE has a line for, as they print it\n"
	"      --sarif FILE      write what is found to FILE, as SARIF 2.1.0\n"
	"      --kernel NAME     check and count launches of this kernel only\n"
	"      --launch N[-M]    check and count launches N to M of those only, from 1\n"
	"      --devices LIST    what GPUs the program finds: h200 (at first), a100, rtx4090,\n"
	"                        t4, sm_86 and the like, or several: h200,h200\n"
	"      --memory SIZE     how much memory each of them has, like 8G, if not a card's\n"
	"      --trace FILE      write each call of the driver interface, with arguments and\n"
	"                        result\n"
	"      --bounds WHERE    where accesses of kernels must end: page (at first), as on a card, with\n"
	"                        a warning if no object is there, or object; --check: object\n"
	"      --no-execute      kernels do nothing\n"
	"      --error-exitcode N  the exit status if --check found something and the program\n"
	"                        ended with 0 (1); 0: the program's own in any case\n"
	"  -q, --quiet           no progress bar for long launches\n"
	"  -h, --help            this text\n\n"
	"The program must be linked with 'nvcc -cudart shared', or use the driver interface. What\n"
	"is wrong with its kernels is printed when it has ended. The exit status is the program's\n"
	"own; see --error-exitcode; 2: it could not be started, or what was found could not be\n"
	"printed, as where what reads it has ended.\n";

struct exec_options {
	bool checks, quiet, help;
	const char *report, *output;
	int status_of_findings;
};

static int wrong(const char *format, const char *what)
{
	fprintf(stderr, "ptxsim exec: ");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	fprintf(stderr, format, what);
#pragma GCC diagnostic pop
	fputc('\n', stderr);
	return CLI_WRONG;
}

/* --- The run ------------------------------------------------------------------------------------------- */

/* A file that the libraries write to, named to them by a variable. */
struct passed_file {
	char path[sizeof "/proc/2147483647/fd/2147483647"];
	bool is_there;
};

/* One without a name, which nobody has to take away: none stays behind if this process is killed. The program and those
 * that it starts reach it as an open file of this process. */
static bool pass_unnamed_file(struct passed_file *f, const char *variable)
{
#ifdef __linux__
	const int file = memfd_create("ptxsim-exec", MFD_CLOEXEC);

	if (file < 0)
		return false;
	snprintf(f->path, sizeof f->path, "/proc/%d/fd/%d", (int)getpid(), file);
	f->is_there = !access(f->path, R_OK | W_OK);
	if (!f->is_there)
		close(file);
	return f->is_there && setenv(variable, f->path, 1) == 0;
#else
	(void)f;
	(void)variable;
	return false;
#endif
}

/* The name has no meaning to anyone else: made by mkstemp, mode 0600. */
static void pass_file(struct passed_file *f, const char *variable)
{
	strcpy(f->path, "/tmp/ptxsim-exec-XXXXXX");
	const int file = mkstemp(f->path);

	f->is_there = file >= 0;
	if (!f->is_there)
		return;
	close(file);
	setenv(variable, f->path, 1);
}

/* Prints what is in it and takes it away. True if there was something. */
static bool print_file(struct passed_file *f, FILE *to)
{
	size_t length = 0;
	const char *message;

	if (!f->is_there)
		return false;
	char *text = file_read_whole(f->path, (size_t)1 << 30, &length, &message);
	if (!strncmp(f->path, "/tmp/", strlen("/tmp/")))
		unlink(f->path);
	if (text && length)
		fwrite(text, 1, length, to);
	fflush(to);
	free(text);
	return length > 0;
}

/* The same, to a file of the user's; false: it could not all be written, and why has been said. */
static bool save_file(struct passed_file *f, const char *path)
{
	FILE *to = fopen(path, "w");

	if (to)
		print_file(f, to);
	const bool failed = !to || ferror(to);
	if ((to && fclose(to)) || failed)
		return fprintf(stderr, "ptxsim exec: %s: %s\n", path, strerror(errno)), false;
	return true;
}

/* The program, for the handler of signals. */
static volatile pid_t running;

static void pass_on(int number) { kill(running, number); }

/* Starts it and waits for its end; false: it could not be started. */
static bool run_program(const char *path, char **words, int *status)
{
	static const int passed[] = {SIGTERM, SIGHUP};
	const struct sigaction passing = {.sa_handler = pass_on};
	struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
	sigset_t held, all;

	/* A signal that comes meanwhile waits until there is someone to pass it to. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &held);
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0)
		sigprocmask(SIG_SETMASK, &held, NULL);
	if (child == 0) {
#ifdef __linux__
		/* SIGKILL cannot be passed on: who ends this process so wants the program ended, too. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
		execv(path, words);
		fprintf(stderr, "ptxsim exec: %s: %s\n", path, strerror(errno));
		_exit(CLI_WRONG);
	}
	/* Ctrl-C is the program's; its report is wanted all the same. Who ends this process wants the program ended. */
	running = child;
	for (size_t k = 0; child > 0 && k < COUNT_OF(passed); k++)
		sigaction(passed[k], &passing, NULL);
	sigaction(SIGINT, &ignored, &before);
	sigprocmask(SIG_SETMASK, &held, NULL);
	while (child > 0 && waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before, NULL);
	return child > 0;
}

/* 128 + signal, as shells do, where the program was ended by one. */
static int run(const char *path, char **words, const struct exec_options *o)
{
	struct passed_file findings, report = {.is_there = false};
	int status;

	/* Several processes append to it. A report is written whole, under another name, so its file needs one. */
	if (!pass_unnamed_file(&findings, "PTXSIM_FINDINGS"))
		pass_file(&findings, "PTXSIM_FINDINGS");
	/* By way of here too where the report has a file of the user's, so that a failure to write it shows. */
	if (o->report)
		pass_file(&report, "PTXSIM_REPORT_FILE");
	const bool started = run_program(path, words, &status);
	bool saved = true;
	if (o->output && report.is_there)
		saved = save_file(&report, o->output);
	else
		print_file(&report, stdout);
	const bool found = print_file(&findings, stderr) && o->checks;
	if (!started)
		return wrong("cannot start a process: %s", strerror(errno));
	if (WIFSIGNALED(status)) {
		fprintf(stderr, "ptxsim exec: %s ended by signal %d\n", path, WTERMSIG(status));
		return 128 + WTERMSIG(status);
	}
	if (o->checks)
		fprintf(stderr, "ptxsim exec: the checks found %s; the program's own exit status is %d\n",
			found ? "something, see above" : "nothing", WEXITSTATUS(status));
	if (!saved)
		return CLI_WRONG;
	return found && !WEXITSTATUS(status) ? o->status_of_findings : WEXITSTATUS(status);
}

/* --- Options --------------------------------------------------------------------------------------------- */

enum {
	OPTION_CHECK = 256,
	OPTION_KERNEL,
	OPTION_LAUNCH,
	OPTION_DEVICES,
	OPTION_MEMORY,
	OPTION_TRACE,
	OPTION_BOUNDS,
	OPTION_NO_EXECUTE,
	OPTION_STATUS,
	OPTION_MAX_FINDINGS,
	OPTION_SUPPRESS,
	OPTION_SARIF
};

static const struct option long_options[] = {{"check", optional_argument, NULL, OPTION_CHECK},
					     {"report", required_argument, NULL, 'r'},
					     {"output", required_argument, NULL, 'o'},
					     {"max-findings", required_argument, NULL, OPTION_MAX_FINDINGS},
					     {"suppress", required_argument, NULL, OPTION_SUPPRESS},
					     {"sarif", required_argument, NULL, OPTION_SARIF},
					     {"kernel", required_argument, NULL, OPTION_KERNEL},
					     {"launch", required_argument, NULL, OPTION_LAUNCH},
					     {"devices", required_argument, NULL, OPTION_DEVICES},
					     {"memory", required_argument, NULL, OPTION_MEMORY},
					     {"trace", required_argument, NULL, OPTION_TRACE},
					     {"bounds", required_argument, NULL, OPTION_BOUNDS},
					     {"no-execute", no_argument, NULL, OPTION_NO_EXECUTE},
					     {"error-exitcode", required_argument, NULL, OPTION_STATUS},
					     {"quiet", no_argument, NULL, 'q'},
					     {"help", no_argument, NULL, 'h'},
					     {NULL, 0, NULL, 0}};

/* The program may change its folder. */
static void set_path(const char *variable, const char *path)
{
	char folder[EXEC_PATH], whole[2 * EXEC_PATH];

	if (*path != '/' && getcwd(folder, sizeof folder)) {
		snprintf(whole, sizeof whole, "%s/%s", folder, path);
		path = whole;
	}
	setenv(variable, path, 1);
}

/* Whether the file that a variable names, if it does, can be written: found out before the program runs, whose results
 * would be lost else. */
static bool can_write(const char *variable)
{
	const char *path = getenv(variable);
	struct stat about;

	if (!path)
		return true;
	const bool is_new = lstat(path, &about) != 0;
	/* A pipe that nobody reads yet is no error. */
	const int file = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
	if (file < 0 && errno != ENXIO)
		return fprintf(stderr, "ptxsim exec: %s: %s\n", path, strerror(errno)), false;
	if (file >= 0)
		close(file);
	if (is_new)
		unlink(path);
	return true;
}

static bool take_status(const char *text, int *status)
{
	char *end;
	const long number = strtol(text, &end, 10);

	if (!*text || *end || number < 0 || number > 255)
		return wrong("--error-exitcode is a number from 0 to 255, not '%s'", text), false;
	*status = (int)number;
	return true;
}

static bool take_option(int key, const char *value, struct exec_options *o)
{
	static const char *const variables[] = {[OPTION_KERNEL - OPTION_CHECK] = "PTXSIM_KERNEL",
						[OPTION_LAUNCH - OPTION_CHECK] = "PTXSIM_LAUNCH",
						[OPTION_DEVICES - OPTION_CHECK] = "PTXSIM_DEVICES",
						[OPTION_MEMORY - OPTION_CHECK] = "PTXSIM_MEMORY"};

	switch (key) {
	case OPTION_CHECK:
		o->checks = true;
		return setenv("PTXSIM_CHECK", value ? value : "", 1) == 0;
	case 'r':
		o->report = value;
		return setenv("PTXSIM_REPORT", value, 1) == 0;
	case 'o':
		o->output = value;
		set_path("PTXSIM_REPORT_FILE", value);
		return true;
	case OPTION_TRACE:
		set_path("PTXSIM_TRACE", value);
		return true;
	case OPTION_MAX_FINDINGS:
		return setenv("PTXSIM_MAX_FINDINGS", value, 1) == 0;
	case OPTION_SUPPRESS:
		set_path("PTXSIM_SUPPRESS", value);
		return true;
	case OPTION_SARIF:
		set_path("PTXSIM_SARIF", value);
		return true;
	case OPTION_BOUNDS:
		if (strcmp(value, "page") && strcmp(value, "object"))
			return wrong("--bounds is page or object, not '%s'", value), false;
		return setenv("PTXSIM_BOUNDS", value, 1) == 0;
	case OPTION_NO_EXECUTE:
		return setenv("PTXSIM_EXECUTE", "no", 1) == 0;
	case OPTION_STATUS:
		return take_status(value, &o->status_of_findings);
	case 'q':
		o->quiet = true;
		return true;
	case 'h':
		o->help = true;
		return true;
	case OPTION_KERNEL:
	case OPTION_LAUNCH:
	case OPTION_DEVICES:
	case OPTION_MEMORY:
		return setenv(variables[key - OPTION_CHECK], value, 1) == 0;
	default:
		return false; /* told by getopt_long */
	}
}

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

static bool are_devices(const char *list)
{
	char names[512], known[512] = "", *rest = names, *name;
	int at = snprintf(names, sizeof names, "%s", list);

	if (at >= (int)sizeof names)
		return wrong("%s", "--devices has too many names"), false;
	while ((name = strsep(&rest, ", "))) {
		if (!*name || device_find(name))
			continue;
		at = 0;
		for (size_t k = 0; device_row(k) && at < (int)sizeof known; k++)
			at += snprintf(known + at, sizeof known - (size_t)at, "%s %s", k ? "," : "",
				       device_row(k)->name);
		fprintf(stderr, "ptxsim exec: --devices: there is no device '%s'; known are%s\n", name, known);
		return false;
	}
	return true;
}

/* Options that choose launches and devices. */
static bool choices_fit(const struct exec_options *o)
{
	const char *launches = getenv("PTXSIM_LAUNCH"), *devices = getenv("PTXSIM_DEVICES");
	u64 first, last;

	if ((getenv("PTXSIM_KERNEL") || launches) && !o->report && !o->checks)
		return wrong("%s", "--kernel and --launch need --check or --report"), false;
	if (launches && !check_launches_read(launches, &first, &last))
		return wrong("--launch is a number from 1, or two like 2-5, not '%s'", launches), false;
	return !devices || are_devices(devices);
}

/* What the library would refuse when the program has begun. */
static bool options_fit(const struct exec_options *o)
{
	static const char *const formats[] = {"text", "json", "csv", "html", NULL};
	struct check_options check = {0};
	const char *list = getenv("PTXSIM_CHECK");

	if (o->report && !is_one_of(o->report, formats))
		return wrong("--report is text, json, csv or html, not '%s'", o->report), false;
	if (o->output && !o->report)
		return wrong("%s", "-o needs --report"), false;
	if (!choices_fit(o))
		return false;
	const char *most = getenv("PTXSIM_MAX_FINDINGS"), *suppress = getenv("PTXSIM_SUPPRESS");
	if (most && (!*most || most[strspn(most, "0123456789")] || !strtoull(most, NULL, 10)))
		return wrong("--max-findings is a number from 1, not '%s'", most), false;
	struct stat about;
	if (suppress && !stat(suppress, &about) && S_ISDIR(about.st_mode))
		return wrong("--suppress: '%s' is a folder", suppress), false;
	if (suppress && access(suppress, R_OK))
		return wrong("--suppress: '%s' cannot be read", suppress), false;
	if (o->checks && list && *list && !check_options_read(list, &check))
		return wrong("--check has a word that is not known: '%s'", list), false;
	return true;
}

/* The number of the first word that is not an option; 0: wrong usage. */
static int read_options(int count, char **words, struct exec_options *o)
{
	int key;

	optind = 0;
	words[0] = (char *)(uintptr_t) "ptxsim exec";
	while ((key = getopt_long(count, words, "+r:o:qh", long_options, NULL)) != -1)
		if (!take_option(key, optarg, o))
			return 0;
	if (!o->quiet)
		setenv("PTXSIM_PROGRESS", "yes", 1);
	return options_fit(o) ? optind : 0;
}

bool exec_prepare(const char *name, char path[EXEC_PATH])
{
	char message[PROGRAM_MESSAGE];
	char *folders =
		program_find(name, path, message) ? program_library_path(getenv("LD_LIBRARY_PATH"), message) : NULL;

	/* The dynamic linker looks there first. */
	const bool done = folders && setenv("LD_LIBRARY_PATH", folders, 1) == 0;
	if (!done)
		wrong("%s", folders ? "no memory" : message);
	free(folders);
	return done;
}

int cli_exec(int count, char **words)
{
	char path[EXEC_PATH];
	struct exec_options o = {.status_of_findings = CLI_FAILED};
	const int first = read_options(count, words, &o);

	if (!first)
		return CLI_WRONG;
	if (o.help || first >= count) {
		fputs(usage_text, o.help ? stdout : stderr);
		return o.help ? CLI_OK : CLI_WRONG;
	}
	if (!can_write("PTXSIM_REPORT_FILE") || !can_write("PTXSIM_TRACE") || !can_write("PTXSIM_SARIF") ||
	    !exec_prepare(words[first], path))
		return CLI_WRONG;
	return run(path, words + first, &o);
}
