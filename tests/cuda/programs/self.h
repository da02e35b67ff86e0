/* SPDX-License-Identifier: Apache-2.0 */
// For programs that check their own results: s*.cu.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)     check_((call) == cudaSuccess, #call, __LINE__)
#define WANT(condition) check_((condition), #condition, __LINE__)

static void check_(bool holds, const char *what, int line)
{
	if (holds)
		return;
	printf("FAILED: line %d: %s\n", line, what);
	exit(1);
}
