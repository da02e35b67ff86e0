/* SPDX-License-Identifier: Apache-2.0
 *
 * See ending.h. A signal's handler may neither take locks nor print: it writes to a pipe that a thread reads.
 */
#include "cuda/driver/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/types.h"

static const int ending_signals[] = {SIGTERM, SIGINT, SIGHUP};

static struct {
	int pipe[2];
	pid_t process;
	void (*finish)(void);
} ending;

static void end_by(int number)
{
	signal(number, SIG_DFL);
	kill(getpid(), number);
}

static void on_signal(int number)
{
	const int before = errno;
	const u8 byte = (u8)number;

	/* A process that the program forked has no such thread: it ends as it would have. */
	if (getpid() != ending.process || write(ending.pipe[1], &byte, 1) != 1)
		end_by(number);
	errno = before;
}

static void *wait_for_signal(void *unused)
{
	u8 number;

	(void)unused;
	while (read(ending.pipe[0], &number, 1) != 1)
		if (errno != EINTR)
			return NULL;
	ending.finish();
	end_by(number);
	return NULL;
}

/* A thread that the program's signals do not reach. */
static bool start_thread(void)
{
	sigset_t all, before;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const bool started = pthread_create(&thread, NULL, wait_for_signal, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started && pthread_detach(thread) == 0;
}

void ending_begin(void (*finish)(void))
{
	const struct sigaction handled = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct sigaction now;

	if (ending.finish || pipe2(ending.pipe, O_CLOEXEC) != 0)
		return;
	ending.finish = finish;
	ending.process = getpid();
	if (!start_thread())
		return;
	for (size_t k = 0; k < COUNT_OF(ending_signals); k++)
		if (!sigaction(ending_signals[k], NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
		    now.sa_handler == SIG_DFL)
			sigaction(ending_signals[k], &handled, NULL);
}
