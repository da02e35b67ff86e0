/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim in a web page: what the WebAssembly module exports. Everything is said in JSON: the page asks, and has the
 * answer when the call returns. Shared by its parts; web.c lists the functions that are exported.
 */
#ifndef PTXSIM_WEB_WEB_H
#define PTXSIM_WEB_WEB_H

#include <jansson.h>

#include "front/options.h"

/* Bytes of global memory that a page's kernels may have, unless they ask for less: a browser gives a module 4 GiB at
 * most, which holds the debugger's history, too. */
enum { WEB_MEMORY_MIB = 512 };

/* --- What is exported: web.c. Texts are JSON; those that are given back are valid until the next call. -------------- */

/* Takes a message of the Debug Adapter Protocol; the first one opens a session. Gives back the messages that it led
 * to, as a list. */
const char *ptxsim_web_message(const char *text);
/* Ends the session of the debugger, if there is one. */
void ptxsim_web_close(void);
/* {"check": {...}} or {"run": {...}}: see below. */
const char *ptxsim_web_ask(const char *text);
/* Makes or replaces a file that launches can then name. 0: it cannot be written. */
int ptxsim_web_write(const char *path, const char *bytes, size_t size);

/* --- Its parts ------------------------------------------------------------------------------------------------- */

/* web_options.c: reads the words of a command line, as `ptxsim run` does, as far as a page has a use for them:
 * --arch, --kernel, --grid, --block, --cluster, --shared, --arg, --set, --seed, --limit, --async, --check,
 * --memory-limit, --cooperative, each with its value behind it. False after telling what is wrong on standard error. */
bool web_read_options(struct run_options *o, int count, char **words);

/* web_run.c. Each answers a request with an object, to be freed, or NULL: no memory. */
/* {"name", "text", "arch"}: what `ptxsim check` says. */
json_t *web_check(json_t *request);
/* {"files": [...], "args": [...], "report": "json" or "html"}: plays the launches at full speed. */
json_t *web_run(json_t *request);

#endif
