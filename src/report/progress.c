/* SPDX-License-Identifier: Apache-2.0
 *
 * See progress.h. Blocks may end on several host threads.
 */
#include "report/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Shorter runs draw nothing. */
static const double FIRST_AFTER_SECONDS = 0.5, EVERY_SECONDS = 0.1;
enum { BAR_COLUMNS = 40 };

static bool wants_nothing(void *context, const struct code *code, u32 insn)
{
	(void)context;
	(void)code;
	(void)insn;
	return false;
}

static void draw(struct progress *p, double seconds)
{
	char bar[BAR_COLUMNS + 1];
	const double part = p->blocks ? (double)p->done / (double)p->blocks : 1;
	const int filled = (int)(part * BAR_COLUMNS);

	memset(bar, ' ', BAR_COLUMNS);
	memset(bar, '#', (size_t)filled);
	bar[BAR_COLUMNS] = 0;
	fprintf(stderr, "\r%s [%s] %3.0f%%  %.0f s left \033[K", p->kernel, bar, part * 100,
		part > 0 ? seconds / part - seconds : 0);
	p->visible = true;
}

static void on_block_end(void *context, struct block *b)
{
	struct progress *p = context;
	(void)b;

	pthread_mutex_lock(&p->lock);
	p->done++;
	const double at = seconds_now();
	if (at - p->started > FIRST_AFTER_SECONDS && at - p->drawn > EVERY_SECONDS) {
		p->drawn = at;
		draw(p, at - p->started);
	}
	pthread_mutex_unlock(&p->lock);
}

bool progress_is_seen(void) { return isatty(STDERR_FILENO); }

void progress_init(struct progress *p)
{
	*p = (struct progress){.observer = {.context = p, .wants = wants_nothing, .block_end = on_block_end}};
	pthread_mutex_init(&p->lock, NULL);
}

void progress_start(struct progress *p, const char *kernel, u64 blocks)
{
	p->kernel = kernel;
	p->blocks = blocks;
	p->done = 0;
	p->started = p->drawn = seconds_now();
}

void progress_end(struct progress *p)
{
	if (p->visible)
		fputs("\r\033[K", stderr);
	p->visible = false;
}
