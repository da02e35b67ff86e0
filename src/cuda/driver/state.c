/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's state: its one struct, the table of handles, the frame of every call, the trace.
 *
 * Any pointer may come from the program as a handle, so none is followed before it was found in the table of handles
 * (handle_is). Every call goes through call_begin and call_end (calls.c): lock, state, context, trace.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cuda/driver/debugging.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/errors.h"
#include "cuda/driver/logs.h"

struct driver driver = {.lock = PTHREAD_MUTEX_INITIALIZER};
__thread struct thread self;

/* --- Handles: open addressing, no tombstones but DROPPED -------------------------------------- */

struct handle {
	const void *object;
	enum handle_kind kind;
};
static struct {
	struct handle *list;
	size_t room, used; /* room: a power of two; used: dropped ones too */
} handles;

static size_t slot_of(const void *object) { return ((uintptr_t)object >> 4) * 0x9e3779b97f4a7c15ull >> 20; }

/* The handle's entry, dropped or not; NULL: never seen. */
static struct handle *look(const void *object)
{
	if (!handles.room || !object)
		return NULL;
	for (size_t at = slot_of(object);; at++) {
		struct handle *h = &handles.list[at & (handles.room - 1)];
		if (h->object == object)
			return h;
		if (!h->object)
			return NULL;
	}
}

static bool grow(void)
{
	const size_t old = handles.room, room = old ? old * 2 : 256;
	struct handle *before = handles.list, *list = calloc(room, sizeof *list);

	if (!list)
		return false;
	handles.list = list;
	handles.room = room;
	handles.used = 0;
	for (size_t k = 0; k < old; k++)
		if (before[k].kind != HANDLE_FREE)
			handle_add(before[k].object, before[k].kind);
	free(before);
	return true;
}

/* An address that was dropped and comes again, as freed memory does, takes its old entry. */
bool handle_add(const void *object, enum handle_kind kind)
{
	struct handle *known = look(object);

	if (known) {
		known->kind = kind;
		return true;
	}
	if (handles.used * 2 >= handles.room && !grow())
		return false;
	for (size_t at = slot_of(object);; at++) {
		struct handle *h = &handles.list[at & (handles.room - 1)];
		if (h->object)
			continue;
		*h = (struct handle){object, kind};
		handles.used++;
		return true;
	}
}

void handle_drop(const void *object)
{
	struct handle *h = look(object);

	if (h)
		h->kind = HANDLE_FREE;
}

bool handle_is(const void *object, enum handle_kind kind)
{
	const struct handle *h = look(object);

	return h && h->kind == kind;
}

/* --- The frame of a call ----------------------------------------------------------------------- */

/* In a process that the program forked: threads that held locks and ran kernels are not there, so all calls fail from
 * now on, as on the card. */
void driver_forget(void)
{
	driver.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	driver.ready = false;
	driver.away = 0;
	driver.forked = true;
	debugging_in_child();
}

void driver_let_go(void) { pthread_mutex_unlock(&driver.lock); }
void driver_take(void) { pthread_mutex_lock(&driver.lock); }

void driver_leave(void)
{
	driver.away++;
	driver_let_go();
}

void driver_return(void)
{
	driver_take();
	driver.away--;
}

/* Takes the lock; what the call needs to be there, or its error. own_stream: the call's default stream is the thread's
 * own. */
int call_begin(const char *name, enum needs needs, bool own_stream)
{
	driver_take();
	if (!self.number)
		self.number = ++driver.next_thread;
	self.own_stream = own_stream;
	self.call = name;
	if (needs == NEEDS_NONE)
		return CU_OK;
	if (!driver.ready)
		return CU_NOT_INITIALIZED;
	if (self.in_callback)
		return CU_NOT_PERMITTED;
	if (needs == NEEDS_READY)
		return CU_OK;
	const struct cu_context *c = context_current();
	if (!c)
		return needs == NEEDS_OWNER ? CU_OK : CU_INVALID_CONTEXT;
	return c->destroyed ? CU_CONTEXT_DESTROYED : driver_error();
}

bool context_lend(struct cu_context *c)
{
	self.refusal = !c ? CU_INVALID_CONTEXT : c->destroyed ? CU_CONTEXT_DESTROYED : driver_error();
	if (self.refusal)
		return false;
	self.stack[0] = c;
	self.depth = 1;
	self.lent = true;
	return true;
}

bool context_of(int device)
{
	const struct cu_device *d = device >= 0 && device < driver.device_count ? &driver.devices[device] : NULL;

	return context_current() || context_lend(d && d->primary_users ? d->primary : NULL);
}

/* What the call has as its result, with the lent context given back. */
static int end_of_loan(int result)
{
	if (self.lent)
		self.depth = 0;
	if (result && self.refusal)
		result = self.refusal;
	self.lent = false;
	self.refusal = CU_OK;
	return result;
}

static void trace_argument(FILE *f, char letter, va_list *args)
{
	switch (letter) {
	case 'p':
		fprintf(f, "%p", va_arg(*args, void *));
		return;
	case 's': {
		const char *text = va_arg(*args, const char *);
		fprintf(f, text ? "\"%.60s\"" : "NULL", text);
		return;
	}
	case 'i':
		fprintf(f, "%d", va_arg(*args, int));
		return;
	case 'u':
		fprintf(f, "%u", va_arg(*args, unsigned));
		return;
	case 'x':
		fprintf(f, "0x%llx", (unsigned long long)va_arg(*args, u64));
		return;
	case 'z':
		fprintf(f, "%zu", va_arg(*args, size_t));
		return;
	case 'f':
		fprintf(f, "%g", va_arg(*args, double));
		return;
	case 'l': {
		const struct cu_location l = va_arg(*args, struct cu_location);
		fprintf(f, "{%d, %d}", l.type, l.id);
		return;
	}
	case 'h': {
		const struct cu_ipc_handle h = va_arg(*args, struct cu_ipc_handle);
		fprintf(f, "{0x%llx, ...}", (unsigned long long)h.words[0]);
		return;
	}
	}
}

/* A trace with gaps would mislead: it ends where it cannot be written. */
static void trace_flush(void)
{
	if (!fflush(driver.trace) && !ferror(driver.trace))
		return;
	driver_tell("PTXSIM_TRACE cannot be written any further: %s", strerror(errno));
	fclose(driver.trace);
	driver.trace = NULL;
}

int call_end(const char *name, int result, const char *format, ...)
{
	self.own_stream = false;
	self.call = NULL;
	result = end_of_loan(result);
	if (!driver.trace) {
		driver_let_go();
		if (result && result != CU_NOT_READY)
			logs_add(name, result);
		return result;
	}
	va_list args;
	va_start(args, format);
	fprintf(driver.trace, "%.6f [%llu] %s(", seconds_now(), (unsigned long long)self.number, name);
	for (const char *c = format; *c; c++) {
		fputs(c == format ? "" : ", ", driver.trace);
		trace_argument(driver.trace, *c, &args);
	}
	va_end(args);
	const char *error = cuda_error_name(result);
	fprintf(driver.trace, ") = %d%s%s\n", result, error ? " " : "", error ? error : "");
	trace_flush();
	driver_let_go();
	if (result && result != CU_NOT_READY)
		logs_add(name, result);
	return result;
}

int call_absent(const char *name)
{
	driver_take();
	if (driver.trace) {
		fprintf(driver.trace, "%.6f [%llu] %s: not implemented = 801 CUDA_ERROR_NOT_SUPPORTED\n", seconds_now(),
			(unsigned long long)self.number, name);
		trace_flush();
	}
	driver_let_go();
	logs_add(name, CU_NOT_SUPPORTED);
	return CU_NOT_SUPPORTED;
}

void driver_tell(const char *format, ...)
{
	enum { TEXTS = 32 };
	static const char *told[TEXTS];
	static u32 count;
	va_list args;

	for (u32 k = 0; k < count; k++)
		if (told[k] == format)
			return;
	if (count < TEXTS)
		told[count++] = format;
	fputs("ptxsim: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}
