/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines from a terminal, with editing, history and completion by libedit; or from a file, where each
 * is shown behind the prompt, so that a transcript reads like a session.
 */
#ifndef PTXSIM_FRONT_DEBUG_TERMINAL_H
#define PTXSIM_FRONT_DEBUG_TERMINAL_H

#include "debug/console.h"

struct terminal;

/* NULL: no memory. `complete` may be set later. */
struct terminal *terminal_new(void);
void terminal_free(struct terminal *t);
void terminal_complete_from(struct terminal *t, struct console *c);
/* The next line, without its end, until the next call; NULL at the end. A console_read_fn. */
char *terminal_read(void *terminal, const char *prompt);

#endif
