/* SPDX-License-Identifier: Apache-2.0 */
#include "native/processor.h"

#include <stdlib.h>
#include <string.h>

#ifdef NATIVE_HERE
#include <cpuid.h>

u32 processor_vector_bytes(void)
{
	const char *asked = getenv("PTXSIM_VARIANT");

	if (!(asked && !strcmp(asked, "avx2")) && __builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("fma"))
		return 64;
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2") ? 32
														 : 0;
}

void processor_identity(u32 words[PROCESSOR_WORDS])
{
	u32 a, b, c, d;

	memset(words, 0, PROCESSOR_WORDS * sizeof *words);
	words[0] = processor_vector_bytes();
	if (__get_cpuid(0, &a, &b, &c, &d)) /* the maker */
		words[1] = b, words[2] = c, words[3] = d;
	if (__get_cpuid(1, &a, &b, &c, &d)) /* model and features; b has the number of the core */
		words[4] = a, words[5] = c, words[6] = d;
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d))
		words[7] = b, words[8] = c, words[9] = d;
	if (__get_cpuid_count(7, 1, &a, &b, &c, &d))
		words[10] = a, words[11] = d;
}
#else
u32 processor_vector_bytes(void) { return 0; }

void processor_identity(u32 words[PROCESSOR_WORDS]) { memset(words, 0, PROCESSOR_WORDS * sizeof *words); }
#endif
