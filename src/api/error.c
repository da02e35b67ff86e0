/* SPDX-License-Identifier: Apache-2.0
 *
 * The last error of each thread. It is the thread's, as errno is, since a context may be used by several at once, and calls
 * that make one have none to keep it in.
 */
#include "api/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* As long as the message of a fault, which is the longest. */
enum { ERROR_BYTES = 8192 + 64 };

static _Thread_local char last_error[ERROR_BYTES];

ptxsim_status call_fails(const char *call, ptxsim_status status, const char *words, ...)
{
	char text[ERROR_BYTES]; /* the words may hold what last_error says */
	const size_t used = (size_t)snprintf(text, sizeof text, "%.60s: ", call);
	va_list list;

	snprintf(text + used, sizeof text - used, "%s", ptxsim_status_text(status));
	if (words) {
		va_start(list, words);
		vsnprintf(text + used, sizeof text - used, words, list);
		va_end(list);
	}
	memcpy(last_error, text, strlen(text) + 1);
	return status;
}

const char *ptxsim_last_error(void) { return last_error; }
