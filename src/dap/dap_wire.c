/* SPDX-License-Identifier: Apache-2.0
 *
 * See dap_wire.h. Messages between two files: a header with Content-Length, an empty line, JSON.
 *
 * A session, and which thread does what:
 *
 *   editor            reader's thread                 session's thread
 *     | -- continue -->  queue ---- receive ---------->  runs
 *     | -- pause ----->  queue; interrupt_until_seen ->  stops, sees has_request
 *     | <-------------------------------- stopped ----  send_message
 *     | -- variables ->  queue ---- receive ---------->  answers
 *
 * All fields of struct wire from `first` on are used with `lock` held. The session's thread alone writes to `out`.
 */
#include "dap/dap_wire.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* More than this many requests are not taken in before they are answered. */
enum { MESSAGE_MAX = 64 << 20, WAITING_MAX = 1024 };

/* A message that has been read and not yet taken, in a list in order of arrival. */
struct waiting {
	enum wire_origin origin;
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
json_t *wire_read(FILE *in, bool *failed, const char **wrong)
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

/* With the lock held: takes the message over, NULL ends what `origin` says. False: there was no memory for it. */
static bool put_locked(struct wire *w, enum wire_origin origin, json_t *message)
{
	struct waiting *entry = message ? calloc(1, sizeof *entry) : NULL;

	if (entry) {
		*entry = (struct waiting){.origin = origin, .message = message};
		*w->last = entry;
		w->last = &entry->next;
		w->count++;
	} else {
		json_decref(message);
		w->failed |= message != NULL;
		w->closed |= origin == FROM_EDITOR;
	}
	pthread_cond_broadcast(&w->arrived);
	return entry != NULL;
}

bool wire_put(struct wire *w, enum wire_origin origin, json_t *message)
{
	pthread_mutex_lock(&w->lock);
	while (w->count >= WAITING_MAX && !w->ending)
		pthread_cond_wait(&w->taken, &w->lock);
	const bool done = put_locked(w, origin, message) && !w->ending;
	pthread_mutex_unlock(&w->lock);
	return done;
}

/* The editor's reader: until the input ends, or nobody wants more. It stops reading while WAITING_MAX messages wait, so
 * that an editor that never listens cannot fill the memory. */
static void *read_messages(void *context)
{
	struct wire *w = context;
	bool more = true;

	while (more) {
		bool failed;
		const char *wrong = NULL;
		json_t *message = wire_read(w->in, &failed, &wrong);
		pthread_mutex_lock(&w->lock);
		w->wrong = wrong;
		w->failed |= failed;
		more = put_locked(w, FROM_EDITOR, message);
		interrupt_until_seen(w);
		while (w->count >= WAITING_MAX && !w->ending)
			pthread_cond_wait(&w->taken, &w->lock);
		more &= !w->ending;
		pthread_mutex_unlock(&w->lock);
	}
	return NULL;
}

/* A thread that the process's signals do not reach. */
bool wire_thread(pthread_t *thread, void *(*body)(void *), void *context)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const bool started = pthread_create(thread, NULL, body, context) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

struct wire *wire_open(FILE *in, FILE *out)
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
	if (!wire_thread(&w->reader, read_messages, w)) {
		free(w);
		return NULL;
	}
	return w;
}

void wire_stop(struct wire *w)
{
	pthread_mutex_lock(&w->lock);
	w->running = NULL;
	w->ending = true;
	pthread_cond_broadcast(&w->taken);
	pthread_mutex_unlock(&w->lock);
}

void wire_close(struct wire *w, bool ends)
{
	pthread_mutex_lock(&w->lock);
	const bool closed = w->closed;
	w->ending = true;
	pthread_cond_broadcast(&w->taken);
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

json_t *wire_receive(struct wire *w, enum wire_origin *origin)
{
	json_t *message = NULL;

	pthread_mutex_lock(&w->lock);
	while (!w->first && !w->closed)
		pthread_cond_wait(&w->arrived, &w->lock);
	struct waiting *entry = w->first;
	if (entry) {
		message = entry->message;
		*origin = entry->origin;
		w->first = entry->next;
		if (!w->first)
			w->last = &w->first;
		w->count--;
		pthread_cond_broadcast(&w->taken);
		free(entry);
	}
	pthread_mutex_unlock(&w->lock);
	return message;
}

const char *wire_wrong(struct wire *w)
{
	pthread_mutex_lock(&w->lock);
	const char *wrong = w->wrong;
	pthread_mutex_unlock(&w->lock);
	return wrong;
}

bool wire_failed(struct wire *w)
{
	pthread_mutex_lock(&w->lock);
	const bool failed = w->failed;
	pthread_mutex_unlock(&w->lock);
	return failed;
}

bool wire_has_message(struct wire *w)
{
	pthread_mutex_lock(&w->lock);
	const bool has = w->first || w->closed;
	pthread_mutex_unlock(&w->lock);
	return has;
}

void wire_interrupts(struct wire *w, struct debug *d)
{
	pthread_mutex_lock(&w->lock);
	w->running = d;
	pthread_mutex_unlock(&w->lock);
}

bool wire_write(FILE *out, json_t *message)
{
	char *text = json_dumps(message, JSON_COMPACT);

	if (text) {
		fprintf(out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
		fflush(out);
	}
	free(text);
	json_decref(message);
	return text != NULL;
}

void wire_send(struct wire *w, json_t *message)
{
	if (wire_write(w->out, message))
		return;
	pthread_mutex_lock(&w->lock);
	w->failed = true;
	pthread_mutex_unlock(&w->lock);
}
