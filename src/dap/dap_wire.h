/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of the Debug Adapter Protocol between two files, and their queue. One thread of the host reads the editor's and
 * interrupts the engine when one comes in while it runs; the session's thread takes them and answers. Others may put
 * messages of their own into the queue, so that one thread alone knows the session.
 *
 * Used by `ptxsim dap`, and within programs that run under the adapter (cuda/driver/debugging_editor.c).
 */
#ifndef PTXSIM_DAP_DAP_WIRE_H
#define PTXSIM_DAP_DAP_WIRE_H

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>

#include "debug/debug.h"

struct wire;

/* Who has put a message into the queue. */
enum wire_origin {
	FROM_EDITOR,
	FROM_PROGRAM, /* the session in it */
	FROM_OUTPUT,  /* what the program printed: an event */
	FROM_END,     /* the program has ended */
	FROM_LAUNCH,  /* in the program: its threads */
};

/* Reads from `in` from now on, in a thread of its own. NULL: no memory. */
struct wire *wire_open(FILE *in, FILE *out);
/* Nobody takes messages from now on, or has an engine to interrupt. */
void wire_stop(struct wire *w);
/* `ends`: the input has ended or is about to, so that the reader can be waited for. Else it may stand in a read that
 * never ends: it is left behind then, with what it holds. */
void wire_close(struct wire *w, bool ends);

/* The next message, waited for, the caller's; NULL: the editor's input has ended. By the session's thread. */
json_t *wire_receive(struct wire *w, enum wire_origin *origin);
/* By any thread; takes the message over. Waits while too many wait already. False: nobody wants more. */
bool wire_put(struct wire *w, enum wire_origin origin, json_t *message);
/* Whether a motion ought to stop for a message. */
bool wire_has_message(struct wire *w);
/* The engine that messages interrupt from now on; NULL: none. */
void wire_interrupts(struct wire *w, struct debug *d);
/* Writes a message to the editor and frees it. */
void wire_send(struct wire *w, json_t *message);
/* Why the input could not be read to its end; NULL: it could. */
const char *wire_wrong(struct wire *w);
/* There was no memory for a message. */
bool wire_failed(struct wire *w);

/* One message from a file, which need not be a wire's; NULL at its end. *failed: there was no memory for it. */
json_t *wire_read(FILE *in, bool *failed, const char **wrong);
/* Writes a message to a file and frees it; false: no memory. */
bool wire_write(FILE *out, json_t *message);
/* Starts a thread that the process's signals do not reach. */
bool wire_thread(pthread_t *thread, void *(*body)(void *), void *context);

#endif
