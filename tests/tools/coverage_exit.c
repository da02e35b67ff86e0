/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded by `./dev coverage` into all that tests start. Counters are written when a process exits, so one that a test ends
 * by a signal (a server, a full screen whose terminal goes away, one whose reader has seen enough) would leave none: here it
 * exits instead. Not for anything else, since a signal may come in the middle of what exit() does.
 */
#include <signal.h>
#include <stdlib.h>

static void leave(int number) { exit(128 + number); }

__attribute__((constructor)) static void take_signals(void)
{
	static const int ends[] = {SIGTERM, SIGHUP, SIGPIPE};

	for (unsigned k = 0; k < sizeof ends / sizeof *ends; k++) {
		struct sigaction now;
		if (!sigaction(ends[k], NULL, &now) && now.sa_handler == SIG_DFL) {
			now.sa_handler = leave;
			sigaction(ends[k], &now, NULL);
		}
	}
}
