/* SPDX-License-Identifier: Apache-2.0
 *
 * See logs.h. A line reads as the driver's: time, thread, source, severity, entry point, what happened. CUDA_LOG_FILE names
 * "stdout", "stderr" or a file that gets all of them.
 */
#include "cuda/driver/logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/errors.h"

/* BYTES_MOST: what the driver keeps, as documented. */
enum { LINE_MOST = 256, BYTES_MOST = 25600, LINES_MOST = BYTES_MOST / 64, CALLBACKS_MOST = 32, LEVEL_ERROR = 0 };

static const char CUT[] = "Older log messages have been dropped.\n";
static const char NO_ROOM[] = "The buffer has no room for older log messages.\n";

struct cu_log_callback {
	cu_log_fn *function;
	void *data;
};

static struct {
	pthread_mutex_t lock;
	char *lines[LINES_MOST]; /* a ring: line n at n % LINES_MOST */
	u32 first, end;          /* numbers of those that are kept */
	size_t bytes;
	struct cu_log_callback callbacks[CALLBACKS_MOST]; /* function NULL: free */
	FILE *file;
	bool file_sought;
} logs = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- Adding ---------------------------------------------------------------------------------------------- */

static size_t compose(char text[LINE_MOST], const char *call, int error)
{
	const char *name = cuda_error_name(error);
	struct timespec now;
	struct tm day;
	char clock[16];

	clock_gettime(CLOCK_REALTIME, &now);
	strftime(clock, sizeof clock, "%H:%M:%S", localtime_r(&now.tv_sec, &day));
	const int length = snprintf(text, LINE_MOST, "[%s.%03ld][%ld][CUDA][E][%s] Returning %d (%s)\n", clock,
				    now.tv_nsec / 1000000, syscall(SYS_gettid), call, error, name ? name : "unknown");
	return length < 0 ? 0 : (size_t)length;
}

static void drop_first(void)
{
	char **line = &logs.lines[logs.first++ % LINES_MOST];

	logs.bytes -= strlen(*line);
	free(*line);
	*line = NULL;
}

static void keep(const char *text, size_t length)
{
	char *copy = strdup(text);

	if (!copy)
		return;
	while (logs.first < logs.end && (logs.bytes + length > BYTES_MOST || logs.end - logs.first == LINES_MOST))
		drop_first();
	logs.lines[logs.end++ % LINES_MOST] = copy;
	logs.bytes += length;
}

static void write_file(const char *text, size_t length)
{
	const char *path = logs.file_sought ? NULL : getenv("CUDA_LOG_FILE");

	logs.file_sought = true;
	if (path && *path)
		logs.file = !strcmp(path, "stdout") ? stdout : !strcmp(path, "stderr") ? stderr : fopen(path, "w");
	if (!logs.file)
		return;
	fwrite(text, 1, length, logs.file);
	fflush(logs.file);
}

void logs_add(const char *call, int error)
{
	struct cu_log_callback callbacks[CALLBACKS_MOST];
	char text[LINE_MOST];
	const size_t length = compose(text, call, error);

	pthread_mutex_lock(&logs.lock);
	keep(text, length);
	write_file(text, length);
	memcpy(callbacks, logs.callbacks, sizeof callbacks);
	pthread_mutex_unlock(&logs.lock);
	for (u32 k = 0; k < CALLBACKS_MOST; k++)
		if (callbacks[k].function)
			callbacks[k].function(callbacks[k].data, LEVEL_ERROR, text, length);
}

/* --- Callbacks ------------------------------------------------------------------------------------------- */

int drv_cuLogsRegisterCallback(cu_log_fn *function, void *data, struct cu_log_callback **made)
{
	int result = CU_OUT_OF_MEMORY;

	if (!function)
		return CU_INVALID_VALUE;
	pthread_mutex_lock(&logs.lock);
	for (u32 k = 0; k < CALLBACKS_MOST && result; k++) {
		if (logs.callbacks[k].function)
			continue;
		logs.callbacks[k] = (struct cu_log_callback){function, data};
		if (made)
			*made = &logs.callbacks[k];
		result = CU_OK;
	}
	pthread_mutex_unlock(&logs.lock);
	return result;
}

int drv_cuLogsUnregisterCallback(struct cu_log_callback *callback)
{
	int result = CU_INVALID_VALUE;

	pthread_mutex_lock(&logs.lock);
	for (u32 k = 0; k < CALLBACKS_MOST; k++)
		if (callback == &logs.callbacks[k] && callback->function) {
			callback->function = NULL;
			result = CU_OK;
		}
	pthread_mutex_unlock(&logs.lock);
	return result;
}

/* --- Reading --------------------------------------------------------------------------------------------- */

int drv_cuLogsCurrent(u32 *iterator, u32 flags)
{
	if (!iterator || flags)
		return CU_INVALID_VALUE;
	pthread_mutex_lock(&logs.lock);
	*iterator = logs.end;
	pthread_mutex_unlock(&logs.lock);
	return CU_OK;
}

/* The first line to give; *cut: some before it are gone. */
static u32 begin(const u32 *iterator, bool *cut)
{
	const u32 wanted = !iterator ? 0 : *iterator > logs.end ? logs.end : *iterator;

	*cut = wanted < logs.first;
	return max_u32(wanted, logs.first);
}

int drv_cuLogsDumpToFile(u32 *iterator, const char *path, u32 flags)
{
	bool cut;

	FILE *to = path && !flags ? fopen(path, "w") : NULL;
	if (!to)
		return CU_INVALID_VALUE;
	pthread_mutex_lock(&logs.lock);
	u32 at = begin(iterator, &cut);
	if (cut)
		fputs(CUT, to);
	for (; at != logs.end; at++)
		fputs(logs.lines[at % LINES_MOST], to);
	if (iterator)
		*iterator = at;
	pthread_mutex_unlock(&logs.lock);
	const bool failed = ferror(to);
	return fclose(to) || failed ? CU_INVALID_VALUE : CU_OK;
}

static size_t bytes_from(u32 at)
{
	size_t bytes = 0;

	for (; at != logs.end; at++)
		bytes += strlen(logs.lines[at % LINES_MOST]);
	return bytes;
}

/* The newest lines that fit behind a first one that says that others do not. */
static u32 first_that_fits(u32 at, size_t room)
{
	while (at != logs.end && bytes_from(at) + sizeof NO_ROOM - 1 > room)
		at++;
	return at;
}

/* room: of the buffer, less the NUL. False: not one line fits. */
static bool dump(u32 at, bool cut, char *buffer, size_t room, size_t *size)
{
	const char *head = cut ? CUT : "";

	if (strlen(head) + bytes_from(at) > room) {
		head = NO_ROOM;
		at = first_that_fits(at, room);
		if (at == logs.end)
			return false;
	}
	size_t length = strlen(head);
	memcpy(buffer, head, length);
	for (; at != logs.end; at++) {
		const char *line = logs.lines[at % LINES_MOST];
		memcpy(buffer + length, line, strlen(line));
		length += strlen(line);
	}
	buffer[length] = 0;
	*size = length;
	return true;
}

int drv_cuLogsDumpToMemory(u32 *iterator, char *buffer, size_t *size, u32 flags)
{
	int result = CU_OK;
	bool cut;

	if (!buffer || !size || !*size || flags)
		return CU_INVALID_VALUE;
	const size_t room = *size - 1;
	*buffer = 0;
	*size = 0;
	pthread_mutex_lock(&logs.lock);
	const u32 at = begin(iterator, &cut);
	if (at != logs.end && !dump(at, cut, buffer, room, size))
		result = CU_INVALID_VALUE;
	else if (iterator)
		*iterator = logs.end;
	pthread_mutex_unlock(&logs.lock);
	return result;
}
