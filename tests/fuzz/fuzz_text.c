/* SPDX-License-Identifier: Apache-2.0
 *
 * One damaged text of PTX or SASS. Launch lines are read but not played: fuzz_script does that.
 */
#include "fuzz_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "exec/launch.h"
#include "native/processor.h"
#include "script/script.h"

enum {
	KERNELS = 4,
	INSTRUCTIONS = 3000,
	NATIVE_INSTRUCTIONS = 1 << 18, /* gangs, and so native code, run only where the limit is far */
	BUFFER = 4096,
	SHARED = 1024,
	THREADS = 40,
	PARAM = 3
};
static const u64 MEMORY = 256 << 20;

/* How kernels run. */
struct way {
	const char *variant;
	u32 threads; /* of a block */
	u64 limit;   /* instructions of a launch */
	enum native_mode native;
	u32 kernels; /* so many of the program's; */
	u32 *ended; /* counts those that end before the limit; nothing counts from the first that does not. NULL: all counts */
};

static void print_nothing(void *context, const char *text, size_t length)
{
	(void)context;
	(void)text;
	(void)length;
}

static u64 hash_more(u64 hash, const void *bytes, size_t length)
{
	const u8 *at = bytes;

	for (size_t k = 0; k < length; k++)
		hash = (hash ^ at[k]) * 0x100000001b3u;
	return hash;
}

/* Wide parameters point to a buffer, all others are a small number. */
static u8 *fill_params(struct session *s, const struct kernel *k, u64 buffer)
{
	u8 *params = ARENA_ARRAY(&s->arena, k->param_bytes + 8, u8);

	for (size_t p = 0; p < k->function->params.count; p++) {
		const u64 value = k->function->params.items[p]->size == 8 ? buffer : PARAM;
		const u64 size = k->function->params.items[p]->size;
		memcpy(params + k->param_offsets[p], &value, size < 8 ? size : 8);
	}
	return params;
}

/* As the kernel asks, where that is not much, and one warp if that is what blocks are to have. */
static void require_threads(const struct ir_limits *limits, const struct way *w, u32 block[3])
{
	u32 asked[3] = {w->threads, 1, 1};

	for (int d = 0; d < 3; d++)
		if (limits->required_threads[d] && limits->required_threads[d] <= 64)
			asked[d] = limits->required_threads[d];
	if (w->threads != WARP_LANES || asked[0] * asked[1] * asked[2] <= WARP_LANES)
		memcpy(block, asked, sizeof asked);
}

/* Runs a kernel; the hash of what it leaves. False: neither this nor one behind it counts. */
static bool run_kernel(struct session *s, const struct way *w, const struct kernel *k, u64 *hash)
{
	const struct ir_limits *limits = &k->function->limits;
	const u64 buffer = memory_allocate(&s->memory, BUFFER, 256, "fuzz", 0);
	struct launch l = {.program = s->program,
			   .kernel = k,
			   .memory = &s->memory,
			   .grid = {2, 1, 1},
			   .block = {w->threads, 1, 1},
			   .dynamic_shared = SHARED,
			   .jobs = 1,
			   .instruction_limit = w->limit,
			   .native = session_native(s, s->program, k, w->native),
			   .print = print_nothing};
	struct launch_stats stats = {0};
	struct fault fault;
	char text[1000] = "";

	if (!buffer)
		return false;
	require_threads(limits, w, l.block);
	for (int d = 0; d < 3; d++)
		if (limits->required_cluster[d] && limits->required_cluster[d] <= 4)
			l.grid[d] = limits->required_cluster[d];
	l.params = fill_params(s, k, buffer);
	const enum launch_status status = launch_run(&l, &stats, &fault, text, sizeof text);
	if (w->ended && status == LAUNCH_FAULT && fault.kind == FAULT_LIMIT)
		return false;
	if (status == LAUNCH_FAULT)
		fault_describe(&s->memory, &l, &fault, text, sizeof text);
	else
		*hash = hash_more(*hash, &stats.warp_instructions, sizeof stats.warp_instructions);
	if (w->ended)
		++*w->ended;
	*hash = hash_more(*hash, &status, sizeof status);
	*hash = hash_more(*hash, text, strlen(text));
	*hash = hash_more(*hash, memory_find(&s->memory, buffer, BUFFER)->host, BUFFER);
	return true;
}

static u64 read_build_run(struct session *s, const struct way *w, const char *bytes, size_t length)
{
	const struct lower_options options = {.allow_unmodelled = true};
	struct script script;
	u64 hash = 0xcbf29ce484222325u;

	s->memory_limit = MEMORY;
	session_add_text(s, "/nonexistent/fuzz.ptx", bytes, length);
	const u32 errors = s->diags.error_count;
	script_init(&script, &s->arena, &s->strings, &s->diags);
	script_read(&script, s->modules.items[0]->source, false);
	if (!errors)
		s->diags.error_count = 0; /* launch lines with errors keep nothing from being built */
	const bool built = session_build(s, &options);
	/* What is refused must be told. */
	if (!built && !s->diags.error_count)
		abort();
	const char *told = session_diagnostics(s, false);
	hash = hash_more(hash, told, strlen(told));
	for (u32 k = 0; built && k < s->program->kernel_count && k < w->kernels; k++)
		if (!run_kernel(s, w, &s->program->kernels[k], &hash))
			break;
	return hash;
}

static const char *const variants[] = {"baseline", "avx2", "avx512"};

/* The setting holds for this session alone: other targets open theirs with the setting of the user. */
static bool open_variant(struct session *s, const char *variant)
{
	const char *asked = getenv("PTXSIM_VARIANT");
	char *before = asked ? strdup(asked) : NULL;

	if (asked && !before)
		return false;
	setenv("PTXSIM_VARIANT", variant, 1);
	const bool there = session_open(s);
	if (before)
		setenv("PTXSIM_VARIANT", before, 1);
	else
		unsetenv("PTXSIM_VARIANT");
	free(before);
	return there;
}

/* To build the tables of instructions takes far longer than to read a text. */
bool fuzz_session_open(struct session *s, const char *variant)
{
	static struct session tables[COUNT_OF(variants)];
	static enum { UNTRIED, THERE, LACKING } state[COUNT_OF(variants)];
	u32 which = 0;

	for (u32 k = 0; k < COUNT_OF(variants); k++)
		which = !strcmp(variants[k], variant) ? k : which;
	if (state[which] == UNTRIED)
		state[which] = open_variant(&tables[which], variants[which]) ? THERE : LACKING;
	return state[which] == THERE && session_open_with(s, &tables[which]);
}

/* *hash is of all that came of it. */
static bool run_way(const struct way *w, const char *bytes, size_t length, u64 *hash)
{
	struct session s;
	volatile u64 result = 0;

	if (!fuzz_session_open(&s, w->variant))
		return false;
	if (!SESSION_ENTER(&s))
		result = read_build_run(&s, w, bytes, length);
	session_close(&s);
	*hash = result;
	return true;
}

static bool run_variant(const char *variant, const char *bytes, size_t length, u64 *hash)
{
	const struct way w = {.variant = variant,
			      .threads = THREADS,
			      .limit = INSTRUCTIONS,
			      .native = NATIVE_OFF,
			      .kernels = KERNELS};

	return run_way(&w, bytes, length, hash);
}

bool fuzz_variant(const char *variant, const char *bytes, size_t length)
{
	u64 hash;

	return run_variant(variant, bytes, length, &hash);
}

void fuzz_text(const char *bytes, size_t length)
{
	const char *asked = getenv("PTXSIM_FUZZ_VARIANT");
	const u64 which = hash_more(0, bytes, length) >> 32;

	if (asked && !fuzz_variant(asked, bytes, length))
		abort();
	if (!asked && !fuzz_variant(variants[which % COUNT_OF(variants)], bytes, length))
		fuzz_variant("baseline", bytes, length);
}

void fuzz_variants(const char *bytes, size_t length)
{
	u64 first, hash;

	run_variant(variants[0], bytes, length, &first);
	for (size_t k = 1; k < COUNT_OF(variants); k++)
		if (run_variant(variants[k], bytes, length, &hash) && hash != first)
			abort();
}

static bool native_is_there(void)
{
	static enum { UNTRIED, THERE, LACKING } state;

	if (state == UNTRIED) {
		char why[256] = "no memory";
		struct native *n = native_open();
		state = n && native_available(n, why, sizeof why) ? THERE : LACKING;
		native_close(n);
		if (state == LACKING)
			fprintf(stderr, "no native code is tried: %s\n", why);
	}
	return state == THERE;
}

void fuzz_native(const char *bytes, size_t length)
{
	u32 ended = 0, ended_too = 0;
	u64 interpreted, native;
	/* One warp runs after the other in native code, so blocks have one: several might race. */
	struct way w = {.variant = processor_vector_bytes() == 64 ? "avx512" : "avx2",
			.threads = WARP_LANES,
			.limit = NATIVE_INSTRUCTIONS,
			.native = NATIVE_OFF,
			.kernels = KERNELS,
			.ended = &ended};

	if (!native_is_there() || !run_way(&w, bytes, length, &interpreted))
		return;
	w.native = NATIVE_ALWAYS;
	w.limit *= 2;
	w.kernels = ended;
	w.ended = &ended_too;
	run_way(&w, bytes, length, &native);
	if (native != interpreted)
		abort();
}
