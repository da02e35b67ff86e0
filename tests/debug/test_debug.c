/* SPDX-License-Identifier: Apache-2.0
 *
 * The debugger's engine by itself: walks forwards and backwards over samples, in which a position's
 * state is the same however it was reached; that running under it changes no result; that what the user
 * changes is there when the walk comes by again.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "front/debuggee.h"
#include "tests/unit/main.h"

enum { STEPS = 1000, POSITIONS = 1 << 20 };

struct fixture {
	struct session session;
	struct run_options run;
	struct debuggee debuggee;
	struct debug *d;
};

static void print_nothing(void *context, const char *text, size_t length)
{
	(void)context;
	(void)text;
	(void)length;
}

static void open_file(struct fixture *f, const char *path, const struct debug_options *options)
{
	memset(f, 0, sizeof *f);
	ck_assert(session_open(&f->session));
	ck_assert_int_eq(SESSION_ENTER(&f->session), 0);
	arena_init(&f->run.arena, NULL);
	VEC_PUSH(&f->run.arena, &f->run.files, arena_copy_text(&f->run.arena, path, strlen(path)));
	f->run.choices.async.mode = ASYNC_STRICT;
	f->debuggee.print = print_nothing;
	ck_assert_msg(debuggee_open(&f->debuggee, &f->session, &f->run, options), "%s cannot be opened", path);
	f->d = f->debuggee.debug;
}

static void open_sample(struct fixture *f, const char *name, const struct debug_options *options)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s.ptx", SAMPLES, name);
	open_file(f, path, options);
}

static void close_fixture(struct fixture *f)
{
	debuggee_close(&f->debuggee);
	session_close(&f->session);
	arena_free(&f->run.arena);
}

/* --- Walks ----------------------------------------------------------------------------------------- */

static u64 next_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* The hash of a position when it was first seen. */
struct seen {
	u64 *hashes;
	u32 places, again;
};

static void look(struct fixture *f, struct seen *s, const char *name)
{
	const u64 position = debug_position(f->d);
	u64 hash = debug_state_hash(f->d);

	ck_assert_uint_lt(position, POSITIONS);
	hash += !hash;
	if (!s->hashes[position])
		s->places++;
	else
		s->again++;
	if (!s->hashes[position])
		s->hashes[position] = hash;
	ck_assert_msg(s->hashes[position] == hash, "%s: the state at position %llu is another one", name,
		      (unsigned long long)position);
}

static struct debug_event move_at_random(struct fixture *f, u64 *state)
{
	static const enum debug_motion motions[] = {DEBUG_STEP, DEBUG_STEP, DEBUG_NEXT, DEBUG_STEP_LINE};
	const u64 r = next_random(state), count = 1 + (r >> 8) % 40;
	const enum debug_motion motion = motions[r >> 4 & 3];

	if (r % 16 == 0)
		return debug_goto(f->d, next_random(state) % (debug_furthest(f->d) + 1));
	if (r % 16 == 1)
		return debug_back(f->d, DEBUG_TO_BARRIER, 1);
	if (r % 16 == 2)
		return debug_go(f->d, DEBUG_TO_RECONVERGENCE, 1);
	return r & 8 ? debug_go(f->d, motion, count) : debug_back(f->d, motion, 1 + count / 8);
}

static void walk(const char *name, u64 spacing, u64 seed)
{
	const struct debug_options options = {.history_spacing = spacing};
	struct seen s = {.hashes = calloc(POSITIONS, sizeof *s.hashes)};
	struct fixture f;
	u64 state = seed;

	ck_assert_ptr_nonnull(s.hashes);
	open_sample(&f, name, &options);
	ck_assert_int_eq(debug_go(f.d, DEBUG_CONTINUE, 1).reason, DEBUG_LAUNCHED);
	look(&f, &s, name);
	for (u32 k = 0; k < STEPS; k++) {
		const struct debug_event e = move_at_random(&f, &state);
		ck_assert_msg(e.reason != DEBUG_FAILED || debug_state(f.d) != DEBUG_STOPPED, "%s: %s", name, e.text);
		if (debug_state(f.d) == DEBUG_BETWEEN || e.reason == DEBUG_WARP_ENDED)
			debug_goto(f.d, next_random(&state) % debug_furthest(f.d));
		look(&f, &s, name);
	}
	/* Every place that was seen once more, from the far end. */
	for (u64 p = POSITIONS; p-- > 0;)
		if (s.hashes[p] && p % 7 == 0) {
			debug_goto(f.d, p);
			ck_assert_uint_eq(debug_position(f.d), p);
			look(&f, &s, name);
		}
	ck_assert_uint_gt(s.again, 100);
	close_fixture(&f);
	free(s.hashes);
}

static const char *const walked[] = {"warp_reduce", "histogram", "recursion", "spinlock",
				     "mandelbrot",  "scan",      "attention", "wgmma_ring"};

START_TEST(walks_end_where_they_began)
{
	walk(walked[_i], 0, 42);
	walk(walked[_i], 97, 4711);
}
END_TEST

/* --- Results --------------------------------------------------------------------------------------- */

/* To the end of everything with motions of all kinds: what the sample expects holds. */
static void expect_results(const char *name, enum debug_motion motion, bool back)
{
	struct fixture f;
	const struct debug_options options = {.history_spacing = 1000};

	open_sample(&f, name, &options);
	for (;;) {
		const struct debug_event e = debug_go(f.d, motion, 100000);
		if (e.reason == DEBUG_OVER)
			break;
		ck_assert_msg(e.reason != DEBUG_FAILED && e.reason != DEBUG_FAULT, "%s: %s", name, e.text);
		if (back && e.reason == DEBUG_LAUNCH_ENDED) {
			back = false;
			ck_assert_int_eq(debug_back(f.d, DEBUG_STEP, 5).reason, DEBUG_STEPPED);
			ck_assert_int_eq(debug_back(f.d, DEBUG_TO_START, 1).reason, DEBUG_AT_START);
		}
	}
	ck_assert_msg(debuggee_tell(&f.debuggee, stderr), "%s: what it expects does not hold", name);
	close_fixture(&f);
}

START_TEST(results_stay)
{
	static const char *const names[] = {"warp_reduce", "histogram", "recursion", "spinlock", "saxpy", "transpose"};

	for (size_t k = 0; k < COUNT_OF(names); k++) {
		expect_results(names[k], DEBUG_CONTINUE, true);
		expect_results(names[k], DEBUG_STEP, true);
		expect_results(names[k], DEBUG_STEP_BLOCK, false);
	}
}
END_TEST

/* --- Changes --------------------------------------------------------------------------------------- */

START_TEST(changes_are_part_of_the_past)
{
	struct fixture f;
	struct debug_value v;

	open_sample(&f, "saxpy", &(struct debug_options){0});
	debug_go(f.d, DEBUG_CONTINUE, 1);
	debug_go(f.d, DEBUG_STEP, 5);
	const u64 here = debug_position(f.d);
	ck_assert(debug_assign(f.d, "%r1 = 12345", 1));
	const u64 changed = debug_state_hash(f.d);
	debug_go(f.d, DEBUG_STEP, 1);
	const u64 after = debug_state_hash(f.d);
	ck_assert_int_eq(debug_back(f.d, DEBUG_STEP, 3).reason, DEBUG_STEPPED);
	debug_goto(f.d, here);
	ck_assert_uint_eq(debug_state_hash(f.d), changed);
	ck_assert(debug_evaluate(f.d, "%r1", 0, &v));
	ck_assert_int_eq(v.bytes[0] | v.bytes[1] << 8, 12345);
	debug_go(f.d, DEBUG_STEP, 1);
	ck_assert_uint_eq(debug_state_hash(f.d), after);
	/* Another change in the past forgets what came after it. */
	debug_goto(f.d, here - 1);
	ck_assert(debug_assign(f.d, "%r1 = 1", 2));
	ck_assert_uint_eq(debug_furthest(f.d), here - 1);
	debug_go(f.d, DEBUG_STEP, 1);
	ck_assert_uint_ne(debug_state_hash(f.d), changed);
	close_fixture(&f);
}
END_TEST

START_TEST(order_of_warps_is_part_of_the_past)
{
	struct fixture f;
	u64 hashes[40], positions[40];

	open_sample(&f, "warp_reduce", &(struct debug_options){.history_spacing = 50});
	debug_go(f.d, DEBUG_CONTINUE, 1);
	for (u32 k = 0; k < 40; k++) {
		debug_go(f.d, k % 3 ? DEBUG_STEP : DEBUG_STEP_BLOCK, 1 + k % 5);
		hashes[k] = debug_state_hash(f.d);
		positions[k] = debug_position(f.d);
	}
	for (u32 k = 40; k-- > 0;) {
		debug_goto(f.d, positions[k]);
		ck_assert_uint_eq(debug_position(f.d), positions[k]);
		ck_assert_uint_eq(debug_state_hash(f.d), hashes[k]);
	}
	close_fixture(&f);
}
END_TEST

/* --- Bounds ---------------------------------------------------------------------------------------- */

START_TEST(history_keeps_within_its_memory)
{
	struct fixture f;
	const struct debug_options options = {.history_spacing = 10, .history_bytes = 1 << 20};

	open_sample(&f, "histogram", &options);
	debug_go(f.d, DEBUG_CONTINUE, 1);
	debug_go(f.d, DEBUG_CONTINUE, 1);
	const struct debug_history h = debug_history(f.d);
	ck_assert_uint_gt(h.spacing, 10);
	ck_assert_uint_le(h.bytes, (u64)1 << 20);
	ck_assert_int_eq(debug_back(f.d, DEBUG_TO_START, 1).reason, DEBUG_AT_START);
	ck_assert_uint_eq(debug_position(f.d), 0);
	close_fixture(&f);
}
END_TEST

UNIT_TESTS("debug", 120)
{
	tcase_add_loop_test(unit, walks_end_where_they_began, 0, (int)COUNT_OF(walked));
	UNIT_TEST(results_stay);
	UNIT_TEST(changes_are_part_of_the_past);
	UNIT_TEST(order_of_warps_is_part_of_the_past);
	UNIT_TEST(history_keeps_within_its_memory);
}
