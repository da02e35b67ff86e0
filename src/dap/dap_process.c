/* SPDX-License-Identifier: Apache-2.0
 *
 * See dap_process.h. Two threads: one reads what the session in the program says; the other what the program prints, and
 * waits for its end.
 */
#include "dap/dap_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dap/dap.h"

/* READS_AFTER: what a pipe holds when the program has ended is all that it has said. */
enum { CHUNK = 16384, TICK_MS = 50, READS_AFTER = 64 };

extern char **environ;

/* --- Environment --------------------------------------------------------------------------------------- */

struct environment {
	char **words; /* "NAME=VALUE", ended by NULL */
	size_t count;
	bool failed;
};

static size_t place_of(const struct environment *e, const char *name)
{
	const size_t length = strlen(name);
	size_t k = 0;

	while (k < e->count && (strncmp(e->words[k], name, length) || e->words[k][length] != '='))
		k++;
	return k;
}

static const char *value_of(const struct environment *e, const char *name)
{
	const size_t k = place_of(e, name);

	return k < e->count ? e->words[k] + strlen(name) + 1 : NULL;
}

/* value NULL: the name is left out. */
static void set(struct environment *e, const char *name, const char *value)
{
	const size_t k = place_of(e, name);
	char *word = NULL;

	if (k < e->count) {
		free(e->words[k]);
		e->words[k] = e->words[--e->count];
		e->words[e->count] = NULL;
	}
	if (!value)
		return;
	char **words = realloc(e->words, (e->count + 2) * sizeof *words);
	if (words)
		e->words = words;
	if (!words || asprintf(&word, "%s=%s", name, value) < 0) {
		e->failed = true;
		return;
	}
	words[e->count++] = word;
	words[e->count] = NULL;
}

static void copy_own(struct environment *e)
{
	for (char **at = environ; *at && !e->failed; at++) {
		char *name = strndup(*at, strcspn(*at, "="));
		if (name)
			set(e, name, strchr(*at, '=') ? strchr(*at, '=') + 1 : "");
		e->failed |= !name;
		free(name);
	}
}

static void environment_free(struct environment *e)
{
	for (size_t k = 0; k < e->count; k++)
		free(e->words[k]);
	free(e->words);
}

/* This process's own, changed by "env"; then what the libraries must be told. socket < 0: no debugger. */
static bool make_environment(struct environment *e, json_t *launch, int socket, int token,
			     char message[PROGRAM_MESSAGE])
{
	static const char *const keys[][2] = {
		{"kernel", "PTXSIM_KERNEL"}, {"launches", "PTXSIM_LAUNCH"}, {"devices", "PTXSIM_DEVICES"}};
	const char *name;
	char text[32];
	json_t *value;

	copy_own(e);
	json_object_foreach(json_object_get(launch, "env"), name, value) set(e, name, json_string_value(value));
	char *folders = program_library_path(value_of(e, "LD_LIBRARY_PATH"), message);
	if (!folders)
		return false;
	set(e, "LD_LIBRARY_PATH", folders);
	free(folders);
	for (size_t k = 0; k < COUNT_OF(keys); k++)
		if (json_is_string(json_object_get(launch, keys[k][0])))
			set(e, keys[k][1], json_string_value(json_object_get(launch, keys[k][0])));
	snprintf(text, sizeof text, "dap:%d:%d", socket, token);
	set(e, "PTXSIM_DEBUG", socket < 0 ? NULL : text);
	/* Nobody stops at a fault then. */
	if (socket < 0)
		set(e, "PTXSIM_FINDINGS", "/dev/stderr");
	if (e->failed)
		snprintf(message, PROGRAM_MESSAGE, "no memory");
	return !e->failed;
}

/* --- Its output and its end ------------------------------------------------------------------------------ */

/* What is read from one of its outputs: the beginning of a character may wait for its rest. */
struct printed {
	int file; /* -1: at its end */
	const char *category;
	char bytes[CHUNK + 4];
	size_t kept;
};

/* How many bytes at the end are the beginning of a UTF-8 character that is not complete. */
static size_t open_end(const char *bytes, size_t count)
{
	for (size_t back = 1; back <= 3 && back <= count; back++) {
		const u8 c = (u8)bytes[count - back];
		if ((c & 0xc0) == 0x80)
			continue;
		const size_t whole = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
		return whole > back ? back : 0;
	}
	return 0;
}

static void tell_output(struct dap_process *p, struct printed *f, size_t count)
{
	if (count)
		wire_put(p->wire, FROM_OUTPUT,
			 json_pack("{s:s, s:s, s:o}", "type", "event", "event", "output", "body",
				   dap_output_body(f->category, f->bytes, count)));
}

/* False: nothing was there to read. */
static bool read_printed(struct dap_process *p, struct printed *f)
{
	const ssize_t got = read(f->file, f->bytes + f->kept, CHUNK);

	if (got < 0)
		return false;
	const size_t count = f->kept + (size_t)got;
	f->kept = got ? open_end(f->bytes, count) : 0;
	tell_output(p, f, count - f->kept);
	memmove(f->bytes, f->bytes + count - f->kept, f->kept);
	if (!got)
		f->file = -1;
	return got > 0;
}

/* A descriptor that can be polled for the end of the process; -1: this system has none. */
static int open_end_of(pid_t id)
{
#ifdef SYS_pidfd_open
	return (int)syscall(SYS_pidfd_open, id, 0);
#else
	(void)id;
	return -1;
#endif
}

static bool has_ended(pid_t id)
{
	siginfo_t about = {0};

	return waitid(P_PID, (id_t)id, &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid == id;
}

/* Until both outputs are at their ends, or the program has ended: its children may keep them open. False: nobody wants
 * to know any more. */
static bool read_output(struct dap_process *p, struct printed *flows, int end)
{
	u32 reads_after = 0;

	while (flows[0].file >= 0 || flows[1].file >= 0) {
		struct pollfd wanted[4] = {
			{flows[0].file, POLLIN, 0}, {flows[1].file, POLLIN, 0}, {p->wake, POLLIN, 0}, {end, POLLIN, 0}};
		if (poll(wanted, 4, end < 0 ? TICK_MS : -1) < 0 && errno != EINTR)
			break;
		if (wanted[2].revents)
			return false;
		const bool over = has_ended(p->id);
		for (u32 k = 0; k < 2; k++)
			if (wanted[k].revents)
				read_printed(p, &flows[k]);
		if (over && ((!wanted[0].revents && !wanted[1].revents) || ++reads_after > READS_AFTER))
			break;
	}
	return true;
}

/* Waits for the end of a program that has closed its outputs. */
static bool await_end(struct dap_process *p, int end)
{
	while (!has_ended(p->id)) {
		struct pollfd wanted[2] = {{p->wake, POLLIN, 0}, {end, POLLIN, 0}};
		poll(wanted, 2, end < 0 ? TICK_MS : -1);
		if (wanted[0].revents)
			return false;
	}
	return true;
}

/* What the session in a program that has ended has said last is still to be read; then its reader ends. */
static void read_rest(struct dap_process *p)
{
	if (!p->reads)
		return;
	shutdown(fileno(p->from), SHUT_RD);
	pthread_join(p->reader, NULL);
	p->reads = false;
}

static void *pump(void *context)
{
	struct dap_process *p = context;
	struct printed *flows = calloc(2, sizeof *flows);
	int status = 0;

	for (u32 k = 0; flows && k < 2; k++) {
		flows[k].file = p->output[k];
		flows[k].category = k ? "stderr" : "stdout";
	}
	const int end = open_end_of(p->id);
	const bool wanted = (!flows || read_output(p, flows, end)) && await_end(p, end);
	if (end >= 0)
		close(end);
	for (u32 k = 0; flows && k < 2; k++)
		tell_output(p, &flows[k], flows[k].kept);
	free(flows);
	if (!wanted)
		return NULL;
	while (waitpid(p->id, &status, 0) < 0 && errno == EINTR)
		;
	read_rest(p);
	wire_put(p->wire, FROM_END, json_pack("{s:i}", "status", status));
	return NULL;
}

static void *read_session(void *context)
{
	struct dap_process *p = context;
	json_t *message;
	const char *wrong;
	bool failed;

	while ((message = wire_read(p->from, &failed, &wrong)))
		if (!wire_put(p->wire, FROM_PROGRAM, message))
			break;
	return NULL;
}

/* --- Its start ------------------------------------------------------------------------------------------- */

/* The program's words, which are the launch's own. NULL: no memory. */
static char **make_words(json_t *launch)
{
	json_t *args = json_object_get(launch, "args");
	const size_t count = json_array_size(args);
	char **words = calloc(count + 2, sizeof *words);

	if (!words)
		return NULL;
	words[0] = (char *)(uintptr_t)json_string_value(json_object_get(launch, "program"));
	for (size_t k = 0; k < count; k++)
		words[k + 1] = (char *)(uintptr_t)json_string_value(json_array_get(args, k));
	return words;
}

/* The descriptors of a program that starts: the session's socket, standard output and error, and debugging.h's token. */
enum { OF_SOCKET, OF_OUTPUT, OF_ERROR, OF_TOKEN, OF_ALL };

/* The program is the first of a group of its own. */
static int spawn(struct dap_process *p, const char *path, char **words, char **environment, const int ends[OF_ALL])
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t how;
	sigset_t none, ours;

	sigemptyset(&none);
	sigemptyset(&ours);
	sigaddset(&ours, SIGPIPE);
	sigaddset(&ours, SIGINT);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[OF_OUTPUT], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[OF_ERROR], STDERR_FILENO);
	/* To themselves: they stay open there. */
	if (ends[OF_SOCKET] >= 0) {
		posix_spawn_file_actions_adddup2(&actions, ends[OF_SOCKET], ends[OF_SOCKET]);
		posix_spawn_file_actions_adddup2(&actions, ends[OF_TOKEN], ends[OF_TOKEN]);
	}
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&how, 0);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setsigdefault(&how, &ours);
	const int error = posix_spawn(&p->id, path, &actions, &how, words, environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&how);
	if (error)
		p->id = 0;
	return error;
}

static bool start_threads(struct dap_process *p)
{
	const bool reads = p->from && wire_thread(&p->reader, read_session, p);

	p->reads = reads;
	p->pumps = wire_thread(&p->pump, pump, p);
	return p->pumps && (reads || !p->from);
}

static void close_all(const int *files, size_t count)
{
	for (size_t k = 0; k < count; k++)
		if (files[k] >= 0)
			close(files[k]);
}

/* The ends of the socket and of the two pipes: ours and the program's. The token is all the program's. */
static bool open_ends(int ours[OF_ALL], int theirs[OF_ALL], bool debugs)
{
	int ends[2];

	for (u32 k = 0; k < OF_ALL; k++)
		ours[k] = theirs[k] = -1;
	if (debugs && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		ours[OF_SOCKET] = ends[0];
		theirs[OF_SOCKET] = ends[1];
		theirs[OF_TOKEN] = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	}
	for (u32 k = OF_OUTPUT; k <= OF_ERROR; k++)
		if (!pipe2(ends, O_CLOEXEC)) {
			ours[k] = ends[0];
			theirs[k] = ends[1];
		}
	return ours[OF_OUTPUT] >= 0 && ours[OF_ERROR] >= 0 && (theirs[OF_TOKEN] >= 0 || !debugs);
}

static bool open_session(struct dap_process *p, int socket)
{
	const int second = dup(socket);

	p->from = fdopen(socket, "r");
	p->to = second < 0 ? NULL : fdopen(second, "w");
	fcntl(second, F_SETFD, FD_CLOEXEC);
	return p->from && p->to;
}

/* The process under way, with its threads; false: it is ended. */
static bool serve(struct dap_process *p, const int ours[OF_ALL], bool debugs)
{
	p->output[0] = ours[OF_OUTPUT];
	p->output[1] = ours[OF_ERROR];
	p->wake = eventfd(0, EFD_CLOEXEC);
	if (p->wake >= 0 && (!debugs || open_session(p, ours[OF_SOCKET])) && start_threads(p))
		return true;
	process_end(p);
	while (!p->pumps && waitpid(p->id, NULL, 0) < 0 && errno == EINTR)
		;
	return false;
}

struct dap_process *process_start(const char *path, json_t *launch, struct wire *w, char message[PROGRAM_MESSAGE])
{
	const bool debugs = !json_is_true(json_object_get(launch, "noDebug"));
	struct dap_process *p = calloc(1, sizeof *p);
	struct environment e = {0};
	int ours[OF_ALL], theirs[OF_ALL], error = ENOMEM;

	const bool opened = open_ends(ours, theirs, debugs);
	char **words = make_words(launch);
	snprintf(message, PROGRAM_MESSAGE, "%s", strerror(opened ? ENOMEM : errno));
	if (p && opened && words && make_environment(&e, launch, theirs[OF_SOCKET], theirs[OF_TOKEN], message)) {
		p->wire = w;
		error = spawn(p, path, words, e.words, theirs);
		snprintf(message, PROGRAM_MESSAGE, "%s: %s", path, strerror(error));
	}
	environment_free(&e);
	free(words);
	close_all(theirs, OF_ALL);
	if (!error && serve(p, ours, debugs))
		return p;
	if (error) {
		close_all(ours, OF_ALL);
		free(p);
	} else {
		process_close(p);
	}
	return NULL;
}

/* --- Its end --------------------------------------------------------------------------------------------- */

static void signal_all(const struct dap_process *p, int number)
{
	if (!p->is_over && kill(-p->id, number))
		kill(p->id, number);
}

void process_ask_to_end(const struct dap_process *p) { signal_all(p, SIGTERM); }
void process_end(const struct dap_process *p) { signal_all(p, SIGKILL); }
void process_is_over(struct dap_process *p) { p->is_over = true; }

static void stop_reading(struct dap_process *p)
{
	const u64 one = 1;

	if (p->pumps && write(p->wake, &one, sizeof one) == sizeof one)
		pthread_join(p->pump, NULL);
	p->pumps = false;
}

/* A process of its own reads on, since this one may be about to end, and the program would be ended by its next line
 * else. Only calls that are safe in a child of several threads. */
void process_let_go(struct dap_process *p)
{
	struct pollfd wanted[2] = {{p->output[0], POLLIN, 0}, {p->output[1], POLLIN, 0}};
	char bytes[CHUNK];

	stop_reading(p);
	p->is_over = true;
	if (fork())
		return;
	setsid();
	/* The editor waits for the ends of what this process has open. */
	for (int k = 0; k < (int)sysconf(_SC_OPEN_MAX); k++)
		if (k != p->output[0] && k != p->output[1])
			close(k);
	while (wanted[0].fd >= 0 || wanted[1].fd >= 0) {
		poll(wanted, 2, -1);
		for (u32 k = 0; k < 2; k++)
			if (wanted[k].revents && read(wanted[k].fd, bytes, sizeof bytes) <= 0)
				wanted[k].fd = -1;
	}
	_exit(0);
}

void process_close(struct dap_process *p)
{
	/* Its children may hold the other end open. */
	if (p->from)
		shutdown(fileno(p->from), SHUT_RDWR);
	/* One that has been ended ends by itself; the other was stopped. */
	if (p->pumps)
		pthread_join(p->pump, NULL);
	if (p->reads)
		pthread_join(p->reader, NULL);
	if (p->to)
		fclose(p->to);
	if (p->from)
		fclose(p->from);
	close_all(p->output, 2);
	close_all(&p->wake, 1);
	free(p);
}
