/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses among the vector widths that were built, by what the host's processor has.
 */
#include "config.h"

#include "sem/families.h"

#include <string.h>

extern const struct isa_family *const sem_list_baseline[], *const sass_list_baseline[];
#ifdef HOST_X86_64
extern const struct isa_family *const sem_list_avx2[], *const sass_list_avx2[];
extern const struct isa_family *const sem_list_avx512[], *const sass_list_avx512[];

static bool host_has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("fma");
}
static bool host_has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

const char *sem_host_variant(void)
{
#ifdef HOST_X86_64
	if (host_has_avx512())
		return "avx512";
	if (host_has_avx2())
		return "avx2";
#endif
	return "baseline";
}

/* One of the lists of each width, by the width's name. */
static const struct isa_family *const *choose(const char *name, const struct isa_family *const *baseline,
					      const struct isa_family *const *avx2,
					      const struct isa_family *const *avx512)
{
	if (!name)
		name = sem_host_variant();
#ifdef HOST_X86_64
	if (!strcmp(name, "avx512"))
		return host_has_avx512() ? avx512 : NULL;
	if (!strcmp(name, "avx2"))
		return host_has_avx2() ? avx2 : NULL;
#else
	(void)avx2;
	(void)avx512;
#endif
	return strcmp(name, "baseline") ? NULL : baseline;
}

#ifdef HOST_X86_64
#define LISTS(list) list##_baseline, list##_avx2, list##_avx512
#else
#define LISTS(list) list##_baseline, NULL, NULL
#endif

const struct isa_family *const *sem_families(const char *name) { return choose(name, LISTS(sem_list)); }
const struct isa_family *const *sem_sass_families(const char *name) { return choose(name, LISTS(sass_list)); }
