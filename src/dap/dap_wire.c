/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of the Debug Adapter Protocol between two files: a header with Content-Length, an empty line, JSON. One
 * thread of the host reads them and interrupts the engine when one comes in while it runs; the other one answers them.
 *
 * A session, and which thread does what:
 *
 *   editor            reader's thread                 engine's thread
 *     | -- continue -->  queue ---- receive ---------->  runs
 *     | -- pause ----->  queue; interrupt_until_seen ->  stops, sees has_request
 *     | <-------------------------------- stopped ----  send_message
 *     | -- variables ->  queue ---- receive ---------->  answers
 *
 * All fields of struct wire from `first` on are used with `lock` held. The engine's thread alone writes to `out`.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "dap/dap.h"
#include "front/arguments.h"

/* More than this many requests are not taken in before they are answered. */
enum { MESSAGE_MAX = 64 << 20, WAITING_MAX = 1024 };

/* A message that has been read and not yet taken, in a list in order of arrival. */
struct waiting {
	json_t *message;
	struct waiting *next;
};

struct wire {
	FILE *in, *out;
	pthread_t reader;
	pthread_mutex_t lock;
	pthread_cond_t arrived, taken;
	struct waiting *first, **last;
	u32 count;         /* of those waiting */
	bool closed;       /* the input has ended */
	bool ending;       /* nobody wants more */
	bool failed;       /* there was no memory for a message */
	const char *wrong; /* why the input could not be read to its end; NULL: it could */
	struct debug *running;
};

/* The length of the next message; 0: the input ends here, or *wrong says why it is none of this protocol. A header has
 * the protocol's two fields and no other line, so that nothing else (a browser's POST) is ever taken for one. */
static size_t read_header(FILE *in, const char **wrong)
{
	char line[256];
	size_t length = 0;
	bool begun = false;

	for (; fgets(line, sizeof line, in); begun = true) {
		if (!strcmp(line, "\r\n") || !strcmp(line, "\n")) {
			if (!length || length > MESSAGE_MAX)
				*wrong = "a header has no Content-Length from 1 to 67108864";
			return length > MESSAGE_MAX ? 0 : length;
		}
		if (!strncasecmp(line, "Content-Length:", 15)) {
			length = strtoul(line + 15, NULL, 10);
		} else if (strncasecmp(line, "Content-Type:", 13)) {
			*wrong = "a line is not of a message's header, which is 'Content-Length: N'";
			return 0;
		}
	}
	if (begun)
		*wrong = "the input ends within a header";
	return 0;
}

/* The next message, or NULL at the end of the input; *failed: there was no memory for it. */
static json_t *read_message(FILE *in, bool *failed, const char **wrong)
{
	json_t *message = NULL;
	const size_t length = read_header(in, wrong);
	char *text = length ? malloc(length) : NULL;

	*failed = length && !text;
	if (text && fread(text, 1, length, in) != length) {
		*wrong = "the input ends within a message";
	} else if (text) {
		message = json_loadb(text, length, 0, NULL);
		if (!message)
			message = json_object(); /* not JSON: answered as what it is, no request */
	}
	free(text);
	return message;
}

/* A motion forgets, as it begins, what came just before: so again and again. Called with the lock held. */
static void interrupt_until_seen(struct wire *w)
{
	const struct timespec pause = {.tv_nsec = 2000000};

	while (w->running && (w->first || w->closed)) {
		debug_interrupt(w->running);
		pthread_mutex_unlock(&w->lock);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&w->lock);
	}
}

/* The reader's thread: until the input ends, or nobody wants more. It stops reading while WAITING_MAX messages wait, so
 * that an editor that never listens cannot fill the memory. */
static void *read_messages(void *context)
{
	struct wire *w = context;
	bool more = true;

	while (more) {
		bool failed;
		const char *wrong = NULL;
		json_t *message = read_message(w->in, &failed, &wrong);
		struct waiting *entry = message ? calloc(1, sizeof *entry) : NULL;
		more = entry != NULL;
		pthread_mutex_lock(&w->lock);
		w->wrong = wrong;
		w->failed |= failed || (message && !entry);
		if (entry) {
			entry->message = message;
			*w->last = entry;
			w->last = &entry->next;
			w->count++;
		} else {
			json_decref(message);
			w->closed = true;
		}
		pthread_cond_signal(&w->arrived);
		interrupt_until_seen(w);
		while (w->count >= WAITING_MAX && !w->ending)
			pthread_cond_wait(&w->taken, &w->lock);
		more &= !w->ending;
		pthread_mutex_unlock(&w->lock);
	}
	return NULL;
}

static struct wire *wire_open(FILE *in, FILE *out)
{
	struct wire *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	w->in = in;
	w->out = out;
	w->last = &w->first;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->arrived, NULL);
	pthread_cond_init(&w->taken, NULL);
	if (pthread_create(&w->reader, NULL, read_messages, w)) {
		free(w);
		return NULL;
	}
	return w;
}

/* `ends`: the input has ended or is about to, so that the reader can be waited for.
 * The reader may stand in a read that never ends: it is left behind then, with what it holds. */
static void wire_close(struct wire *w, bool ends)
{
	pthread_mutex_lock(&w->lock);
	const bool closed = w->closed;
	w->ending = true;
	pthread_cond_signal(&w->taken);
	pthread_mutex_unlock(&w->lock);
	if (!closed && !ends) {
		pthread_detach(w->reader);
		return;
	}
	pthread_join(w->reader, NULL);
	while (w->first) {
		struct waiting *next = w->first->next;
		json_decref(w->first->message);
		free(w->first);
		w->first = next;
	}
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->arrived);
	pthread_cond_destroy(&w->taken);
	free(w);
}

/* The next message, waited for; NULL: the input has ended. Called by the engine's thread. */
static json_t *receive(void *context)
{
	struct wire *w = context;
	json_t *message = NULL;

	pthread_mutex_lock(&w->lock);
	while (!w->first && !w->closed)
		pthread_cond_wait(&w->arrived, &w->lock);
	struct waiting *entry = w->first;
	if (entry) {
		message = entry->message;
		w->first = entry->next;
		if (!w->first)
			w->last = &w->first;
		w->count--;
		pthread_cond_signal(&w->taken);
		free(entry);
	}
	pthread_mutex_unlock(&w->lock);
	return message;
}

static const char *wire_wrong(struct wire *w)
{
	pthread_mutex_lock(&w->lock);
	const char *wrong = w->wrong;
	pthread_mutex_unlock(&w->lock);
	return wrong;
}

static bool wire_failed(struct wire *w)
{
	pthread_mutex_lock(&w->lock);
	const bool failed = w->failed;
	pthread_mutex_unlock(&w->lock);
	return failed;
}

/* Whether a motion ought to stop for a message. */
static bool has_request(void *context)
{
	struct wire *w = context;
	pthread_mutex_lock(&w->lock);
	const bool has = w->first || w->closed;
	pthread_mutex_unlock(&w->lock);
	return has;
}

/* d: the debugger that messages interrupt from now on; NULL: none. */
static void interrupts(void *context, struct debug *d)
{
	struct wire *w = context;

	pthread_mutex_lock(&w->lock);
	w->running = d;
	pthread_mutex_unlock(&w->lock);
}

/* Writes a message and frees it. */
static void send_message(void *context, json_t *message)
{
	struct wire *w = context;
	char *text = json_dumps(message, JSON_COMPACT);
	if (text) {
		fprintf(w->out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
		fflush(w->out);
	} else {
		pthread_mutex_lock(&w->lock);
		w->failed = true;
		pthread_mutex_unlock(&w->lock);
	}
	free(text);
	json_decref(message);
}

/* --- Serving ---------------------------------------------------------------------------------------- */

static bool read_options(struct run_options *o, int count, char **words)
{
	return !argp_parse(&run_options_argp, count, words, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, o);
}

/* True at the end of the input or of the session. */
static bool serve(struct dap *s, struct wire *w)
{
	while (!dap_is_over(s)) {
		json_t *message = receive(w);
		if (!message)
			return true;
		if (!dap_take(s, message))
			return false;
	}
	return true;
}

/* Serves one session, from the first message to the last. The exit status is the command's. */
int dap_serve(const struct dap_transport *t)
{
	struct wire *w = wire_open(t->in, t->out);

	if (!w)
		return front_no_memory();
	const struct dap_link link = {.context = w,
				      .send = send_message,
				      .has_request = has_request,
				      .receive = receive,
				      .interrupts = interrupts,
				      .read_options = read_options,
				      .token = t->token};
	struct dap *s = dap_open(&link);
	int status = s ? CLI_OK : CLI_WRONG;
	if (s && (!serve(s, w) || wire_failed(w)))
		status = front_no_memory();
	const char *wrong = wire_wrong(w);
	if (t->tells && status == CLI_OK && wrong) {
		fprintf(stderr, "ptxsim dap: this is not the Debug Adapter Protocol: %s\n", wrong);
		status = CLI_WRONG;
	}
	interrupts(w, NULL);
	if (t->end)
		t->end(t->context);
	wire_close(w, t->ends);
	if (s)
		dap_close(s);
	return status;
}

/* The protocol keeps standard output to itself: whatever else prints goes to standard error. */
int dap_serve_standard(void)
{
	const int fd = dup(STDOUT_FILENO);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		perror("ptxsim dap");
		return CLI_WRONG;
	}
	const struct dap_transport t = {.in = stdin, .out = out, .tells = true};
	const int status = dap_serve(&t);
	return fclose(out) ? CLI_WRONG : status;
}
