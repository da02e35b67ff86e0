/* SPDX-License-Identifier: Apache-2.0
 *
 * cuda-gdb's words for the focus and for what is on the GPU.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/console_internal.h"

enum { BLOCKS_SHOWN = 1024 };

/* --- cuda block 1 thread 3 ---------------------------------------------------------------------------- */

static const char *const coordinates[] = {"kernel", "block", "thread", "warp", "lane", "device", "sm"};

/* "3", "1,0,0" or "(1,0,0)" of a shape, taken off. */
static bool take_index(struct console *c, char **rest, const char *whole, const u32 shape[3], u64 *index)
{
	char *at = *rest, *end = at;

	if (*at == '(') {
		end = strchr(at, ')');
		if (!end)
			return console_error(c, "')' expected"), false;
		end++;
	} else {
		while (*end && !isspace((unsigned char)*end))
			end++;
	}
	char word[64];
	snprintf(word, sizeof word, "%.*s", (int)(end - at), at);
	*rest = end + strspn(end, " \t,");
	return console_index(c, word, whole, shape, index);
}

static bool take_coordinate(struct console *c, const char *what, char **rest, struct debug_focus *f)
{
	const struct launch *l = debug_launch(c->d);
	static const u32 one[3] = {1, 1, 1}, warps[3] = {32, 1, 1};
	const u32 lanes[3] = {WARP_LANES, 1, 1};
	u64 n;

	switch (*what) {
	case 'b':
		if (!take_index(c, rest, "grid", l->grid, &n))
			return false;
		*f = (struct debug_focus){.block = n};
		return true;
	case 't':
		if (!take_index(c, rest, "block", l->block, &n))
			return false;
		f->warp = (u32)(n / WARP_LANES);
		f->lane = (u32)(n % WARP_LANES);
		return true;
	case 'w':
		if (!take_index(c, rest, "block", warps, &n))
			return false;
		f->warp = (u32)n;
		f->lane = 0;
		return true;
	case 'l':
		if (!take_index(c, rest, "warp", lanes, &n))
			return false;
		f->lane = (u32)n;
		return true;
	case 'k':
		if (!console_number(c, console_word(rest), &n))
			return false;
		return n + 1 == debug_launch_number(c->d) ||
		       (console_error(c, "kernel %llu is not running", (unsigned long long)n), false);
	default:
		/* SMs and devices are not told apart. */
		return take_index(c, rest, "machine", one, &n);
	}
}

static const char *coordinate_named(const char *word)
{
	for (size_t k = 0; k < COUNT_OF(coordinates); k++)
		if (*word && !strcmp(coordinates[k], word))
			return coordinates[k];
	return NULL;
}

COMMAND(cuda)
{
	struct debug_focus f = debug_focus(c->d);
	bool any = false;

	if (!debug_launch(c->d))
		return console_error(c, "no kernel is running");
	f.frame = 0;
	while (*rest) {
		const char *word = console_word(&rest), *what = coordinate_named(word);
		if (!what)
			return console_error(c, "kernel, block, thread, warp or lane expected, not '%s'", word);
		/* "cuda block thread" only asks. */
		if (!*rest || isalpha((unsigned char)*rest))
			continue;
		if (!take_coordinate(c, what, &rest, &f))
			return true;
		any = true;
	}
	return any ? console_focus(c, f) : command_focus(c, rest);
}

/* --- info cuda ------------------------------------------------------------------------------------------- */

static void info_kernels(struct console *c)
{
	const struct launch *l = debug_launch(c->d);

	if (!l) {
		fprintf(c->out, "No kernels.\n");
		return;
	}
	fprintf(c->out, "  Kernel  GridDim  BlockDim  Invocation\n");
	fprintf(c->out, "* %6u  (%u,%u,%u)  (%u,%u,%u)  ", debug_launch_number(c->d) - 1, l->grid[0], l->grid[1],
		l->grid[2], l->block[0], l->block[1], l->block[2]);
	show_invocation(c);
	fputc('\n', c->out);
}

static void info_devices(struct console *c)
{
	const struct arch *a = debug_program(c->d)->arch;

	fprintf(c->out, "* 0  interpreted  %s  %u lanes a warp\n", a->name, WARP_LANES);
}

/* Lanes at one place, in neighbouring threads of a block. */
struct thread_run {
	u64 block;
	u32 first, count;
	struct debug_place place;
	bool focused;
};

static void show_run(struct console *c, const struct thread_run *r)
{
	const struct debug_line l = debug_line(&r->place);
	const u32 last = r->first + r->count - 1;
	u32 block[3], from[3], to[3];

	if (!r->count)
		return;
	debug_block_index(c->d, r->block, block);
	debug_thread_index(c->d, r->first / WARP_LANES, r->first % WARP_LANES, from);
	debug_thread_index(c->d, last / WARP_LANES, last % WARP_LANES, to);
	fprintf(c->out, "%s (%u,%u,%u)  (%u,%u,%u) to (%u,%u,%u)  %u  ", r->focused ? "*" : " ", block[0], block[1],
		block[2], from[0], from[1], from[2], to[0], to[1], to[2], r->count);
	if (l.loc_file && l.loc_line)
		fprintf(c->out, "%s:%u  ", l.loc_file, l.loc_line);
	fprintf(c->out, "%s:%u\n", l.file ? l.file : "?", l.line);
}

static void add_lane(struct console *c, struct thread_run *r, const struct block *b, u32 thread,
		     const struct debug_place *place)
{
	const struct debug_focus f = debug_focus(c->d);

	if (!r->count || r->block != b->index || r->first + r->count != thread || r->place.code != place->code ||
	    r->place.instruction != place->instruction) {
		show_run(c, r);
		*r = (struct thread_run){.block = b->index, .first = thread, .place = *place};
	}
	r->count++;
	r->focused |= f.block == b->index && f.warp * WARP_LANES + f.lane == thread;
}

static void add_warp(struct console *c, struct thread_run *r, const struct warp *w)
{
	struct debug_split splits[WARP_LANES];
	const u32 count = debug_splits(c->d, w, splits);

	for (u32 l = 0; l < WARP_LANES; l++)
		for (u32 k = 0; k < count; k++)
			if (splits[k].mask >> l & 1)
				add_lane(c, r, w->block, w->index * WARP_LANES + l, &splits[k].place);
}

static void info_threads(struct console *c)
{
	const struct block *blocks[BLOCKS_SHOWN];
	const u32 count = debug_blocks(c->d, blocks, BLOCKS_SHOWN);
	struct thread_run r = {0};

	fprintf(c->out, "  BlockIdx  ThreadIdx to ThreadIdx  Count  Place\n");
	for (u32 k = 0; k < count && k < BLOCKS_SHOWN; k++)
		for (u32 n = 0; n < blocks[k]->warp_count; n++)
			add_warp(c, &r, &blocks[k]->warps[n]);
	show_run(c, &r);
}

void info_cuda(struct console *c, char *rest)
{
	static const char *const words[] = {"kernels", "blocks", "warps", "lanes", "threads", "devices"};
	const size_t length = strlen(rest);
	size_t k = 0;

	while (k < COUNT_OF(words) && (!length || strncmp(words[k], rest, length)))
		k++;
	if (k == COUNT_OF(words)) {
		console_error(c, "info cuda kernels, blocks, warps, lanes, threads or devices%s%s",
			      *rest ? ", not " : "", rest);
		return;
	}
	switch (k) {
	case 0:
		info_kernels(c);
		break;
	case 4:
		info_threads(c);
		break;
	case 5:
		info_devices(c);
		break;
	default:
		info_by_name(c, words[k]);
	}
}
