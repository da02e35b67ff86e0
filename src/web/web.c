/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that the WebAssembly module exports. A module serves one page and runs on one thread, so that its
 * state may be global: the session of the debugger, and the text of the last answer.
 */
#include "web/web.h"

#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

#include "dap/dap.h"

static struct dap *session;
static json_t *outbox; /* what the session has sent since it was last asked */
static char *answer;

static void on_send(void *context, json_t *message)
{
	(void)context;
	json_array_append_new(outbox, message);
}

/* Gives the page a value, which it takes over, as text: valid until the next call. */
static const char *give(json_t *value)
{
	free(answer);
	answer = value ? json_dumps(value, JSON_COMPACT) : NULL;
	json_decref(value);
	return answer ? answer : "{\"error\":\"no memory left\"}";
}

EMSCRIPTEN_KEEPALIVE void ptxsim_web_close(void)
{
	if (session)
		dap_close(session);
	session = NULL;
}

EMSCRIPTEN_KEEPALIVE const char *ptxsim_web_message(const char *text)
{
	static const struct dap_link link = {.send = on_send, .read_options = web_read_options};
	json_t *message = json_loads(text, 0, NULL);

	outbox = json_array();
	if (!session)
		session = dap_open(&link);
	if (!session || !message || !dap_take(session, message)) {
		json_decref(outbox);
		outbox = NULL;
	}
	if (session && (!outbox || dap_is_over(session)))
		ptxsim_web_close();
	return give(outbox);
}

EMSCRIPTEN_KEEPALIVE const char *ptxsim_web_ask(const char *text)
{
	json_t *request = json_loads(text, 0, NULL), *body;
	json_t *to = NULL;

	if ((body = json_object_get(request, "check")))
		to = web_check(body);
	else if ((body = json_object_get(request, "run")))
		to = web_run(body);
	json_decref(request);
	return give(to);
}

EMSCRIPTEN_KEEPALIVE int ptxsim_web_write(const char *path, const char *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");

	if (!f)
		return 0;
	const bool good = fwrite(bytes, 1, size, f) == size;
	return !fclose(f) && good;
}
