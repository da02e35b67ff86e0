/* SPDX-License-Identifier: Apache-2.0
 * OpenACC: routines, private arrays, atomics. */
#include "offload.h"
#pragma acc routine seq
static int collatz(int n)
{
	int steps = 0;

	for (; n > 1; steps++)
		n = n & 1 ? 3 * n + 1 : n / 2;
	return steps;
}
int main(void)
{
	enum { N = 2000 };
	int histogram[200] = {0}, expected[200] = {0};

	for (int i = 1; i <= N; i++)
		expected[collatz(i) % 200]++;
#pragma acc parallel loop copy(histogram)
	for (int i = 1; i <= N; i++) {
		const int k = collatz(i) % 200;
#pragma acc atomic update
		histogram[k]++;
	}
	for (int i = 0; i < 200; i++)
		CHECK(histogram[i] == expected[i]);
	DONE();
}
