/* SPDX-License-Identifier: Apache-2.0
 *
 * See kernel_run.h.
 */
#include "kernel_run.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptxsim.h"

void kernel_add(struct kernel_text *t, const char *format, ...)
{
	va_list args;

	if (t->size - t->used < 4096) {
		t->size = 2 * t->size + 65536;
		t->text = realloc(t->text, t->size);
		ck_assert(t->text != NULL);
	}
	va_start(args, format);
	const int length = vsnprintf(t->text + t->used, t->size - t->used, format, args);
	va_end(args);
	ck_assert(length >= 0 && (size_t)length < t->size - t->used);
	t->used += (size_t)length;
}

void kernel_free(struct kernel_text *t)
{
	free(t->text);
	memset(t, 0, sizeof *t);
}

uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545f4914f6cdd1dull;
}

uint32_t random_below(uint64_t *state, uint32_t end) { return (uint32_t)((random_next(state) >> 32) * end >> 32); }

uint64_t random_value(uint64_t *state, uint32_t bits)
{
	static const uint64_t edges[] = {0,
					 1,
					 0x7f,
					 0x80,
					 0xff,
					 0x7fff,
					 0x8000,
					 0xffff,
					 0x7f7f7f7f,
					 0x80808080,
					 0x80008000,
					 0x7fffffff,
					 0x80000000,
					 0xffffffff,
					 0x8000000000000000,
					 0x7fffffffffffffff,
					 ~0ull};
	const uint64_t keep = bits < 64 ? (1ull << bits) - 1 : ~0ull, r = random_next(state);

	switch (random_below(state, 4)) {
	case 0:
		return r & keep;
	case 1:
		return edges[r % (sizeof edges / sizeof *edges)] & keep;
	case 2:
		return (uint64_t)((int64_t)(r % 601) - 300) & keep;
	default:
		return ((1ull << r % bits) + (r >> 32) % 3 - 1) & keep;
	}
}

static void keep_error(ptxsim_context *sim, char *error)
{
	if (error)
		snprintf(error, 200, "%s%s", ptxsim_module_diagnostics(ptxsim_get_module(sim, 0)), ptxsim_message(sim));
}

/* tests/evidence/evidence_test.sh asks which rows oracles have tried. */
static void keep_text(const struct kernel_text *t)
{
	const char *folder = getenv("PTXSIM_EVIDENCE_TEXTS");
	static unsigned number;
	char path[1000];

	if (!folder)
		return;
	snprintf(path, sizeof path, "%s/%d-%u.ptx", folder, (int)getpid(), number++);
	FILE *to = fopen(path, "w");
	ck_assert_msg(to != NULL, "%s", path);
	ck_assert_uint_eq(fwrite(t->text, 1, t->used, to), t->used);
	fclose(to);
}

bool kernel_run(const struct kernel_text *t, const void *in, size_t in_bytes, void *out, size_t out_bytes,
		uint32_t threads, char *error)
{
	ptxsim_context *sim = ptxsim_context_create(NULL);
	ptxsim_module_create(sim);
	struct ptxsim_launch launch = PTXSIM_LAUNCH_INIT;
	uint64_t from, to;
	const void *args[] = {&from, &to};

	ck_assert(sim != NULL);
	const ptxsim_status added = ptxsim_module_add_text(ptxsim_get_module(sim, 0), "k.ptx", t->text, t->used);
	bool ok = added == PTXSIM_OK && ptxsim_module_build(ptxsim_get_module(sim, 0), NULL) == PTXSIM_OK;
	if (ok) {
		ck_assert_int_eq(ptxsim_alloc(sim, in_bytes, &from), PTXSIM_OK);
		ck_assert_int_eq(ptxsim_alloc(sim, out_bytes, &to), PTXSIM_OK);
		ck_assert_int_eq(ptxsim_write(sim, from, in, in_bytes), PTXSIM_OK);
		ck_assert_int_eq(ptxsim_write(sim, to, out, out_bytes), PTXSIM_OK);
		launch.block[0] = threads;
		launch.args = args;
		launch.arg_count = 2;
		ok = ptxsim_launch(sim, ptxsim_find_function(ptxsim_get_module(sim, 0), "k"), &launch) == PTXSIM_OK;
		ck_assert_int_eq(ptxsim_read(sim, out, to, out_bytes), PTXSIM_OK);
	}
	if (ok)
		keep_text(t);
	else
		keep_error(sim, error);
	ptxsim_context_free(sim);
	return ok;
}
