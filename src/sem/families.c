/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses among the vector widths that were built, by what the host's processor has.
 */
#include "config.h"

#include "sem/families.h"

#include <string.h>

/* The lists of a width; NULL if it was not built (configure --enable-vector-variants). */
#define BUILT(WIDTH) sem_list_##WIDTH, sass_list_##WIDTH, machine_list_##WIDTH
#define DECLARE(WIDTH)                                                                        \
	extern const struct isa_family *const sem_list_##WIDTH[], *const sass_list_##WIDTH[]; \
	extern const struct machine_entry *const machine_list_##WIDTH[]
#ifdef BUILD_AVX512
DECLARE(avx512);
#define AVX512 BUILT(avx512)
#else
#define AVX512 NULL, NULL, NULL
#endif
#ifdef BUILD_AVX2
DECLARE(avx2);
#define AVX2 BUILT(avx2)
#else
#define AVX2 NULL, NULL, NULL
#endif
#ifdef BUILD_BASELINE
DECLARE(baseline);
#define BASELINE BUILT(baseline)
#else
#define BASELINE NULL, NULL, NULL
#endif

static bool host_has_all(void) { return true; }
#if defined __x86_64__
static bool host_has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("fma");
}
static bool host_has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
static bool host_has_avx512(void) { return false; }
static bool host_has_avx2(void) { return false; }
#endif

/* The widest first. */
static const struct width {
	const char *name;
	bool (*host_has)(void);
	const struct isa_family *const *ptx, *const *sass;
	const struct machine_entry *const *machine;
} widths[] = {
	{"avx512", host_has_avx512, AVX512},
	{"avx2", host_has_avx2, AVX2},
	{"baseline", host_has_all, BASELINE},
};

/* NULL: the host cannot run it, or it was not built, or the name is unknown. */
static const struct width *choose(const char *name)
{
	for (size_t k = 0; k < COUNT_OF(widths); k++)
		if (widths[k].ptx && widths[k].host_has() && (!name || !strcmp(name, widths[k].name)))
			return &widths[k];
	return NULL;
}

const char *sem_host_variant(void)
{
	const struct width *w = choose(NULL);

	return w ? w->name : "none";
}

const struct isa_family *const *sem_families(const char *name)
{
	const struct width *w = choose(name);

	return w ? w->ptx : NULL;
}

const struct isa_family *const *sem_sass_families(const char *name)
{
	const struct width *w = choose(name);

	return w ? w->sass : NULL;
}

const struct meaning *const *sem_machine_handlers(struct arena *arena, const char *name)
{
	const struct width *w = choose(name);
	const struct meaning **all = ARENA_ARRAY(arena, MACHINE_COUNT, const struct meaning *);

	for (u32 k = 0; w && w->machine[k]; k++)
		for (const struct machine_entry *e = w->machine[k]; e->meaning; e++)
			all[e->handler] = e->meaning;
	return all;
}

const struct isa_row *sem_machine_row(void)
{
	static const struct isa_row row = {
		.form = "%machine", .operands = "", .doc = "An instruction of machine code."};

	return &row;
}
