/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of the Debug Adapter Protocol: a header with Content-Length, an empty line, JSON.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "dap/dap.h"

/* More than this many requests are not taken in before they are answered. */
enum { MESSAGE_MAX = 64 << 20, WAITING_MAX = 1024 };

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
	u32 count;   /* of those waiting */
	bool closed; /* the input has ended */
	bool ending; /* nobody wants more */
	bool failed; /* there was no memory for a message */
	json_int_t sequence;
	struct debug *running;
};

/* The length of the next message; 0: the input ends here, or is none of this protocol. A header has the protocol's
 * two fields and no other line, so that nothing else (a browser's POST) is ever taken for one. */
static size_t read_header(FILE *in)
{
	char line[256];
	size_t length = 0;

	while (fgets(line, sizeof line, in)) {
		if (!strcmp(line, "\r\n") || !strcmp(line, "\n"))
			return length;
		if (!strncasecmp(line, "Content-Length:", 15))
			length = strtoul(line + 15, NULL, 10);
		else if (strncasecmp(line, "Content-Type:", 13))
			return 0;
	}
	return 0;
}

static json_t *read_message(FILE *in, bool *failed)
{
	json_t *message = NULL;
	const size_t length = read_header(in);
	char *text = length && length <= MESSAGE_MAX ? malloc(length) : NULL;

	*failed = length && length <= MESSAGE_MAX && !text;
	if (text && fread(text, 1, length, in) == length) {
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

static void *read_messages(void *context)
{
	struct wire *w = context;
	bool more = true;

	while (more) {
		bool failed;
		json_t *message = read_message(w->in, &failed);
		struct waiting *entry = message ? calloc(1, sizeof *entry) : NULL;
		more = entry != NULL;
		pthread_mutex_lock(&w->lock);
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
	if (pthread_create(&w->reader, NULL, read_messages, w)) {
		free(w);
		return NULL;
	}
	return w;
}

/* The reader may stand in a read that never ends: it is left behind then, with what it holds. */
void wire_close(struct wire *w, bool ends)
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

json_t *wire_receive(struct wire *w)
{
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

bool wire_failed(struct wire *w)
{
	pthread_mutex_lock(&w->lock);
	const bool failed = w->failed;
	pthread_mutex_unlock(&w->lock);
	return failed;
}

bool wire_has_request(struct wire *w)
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

void wire_send(struct wire *w, json_t *message)
{
	json_object_set_new(message, "seq", json_integer(++w->sequence));
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
