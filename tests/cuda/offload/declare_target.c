/* SPDX-License-Identifier: Apache-2.0
 * Variables and functions of the device; updates of them from the host. */
#include "offload.h"
#pragma omp declare target
int scale = 3;
static int table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
static int power(int i) { return table[i & 7] * scale; }
#pragma omp end declare target
int main(void)
{
	int got[8];

#pragma omp target map(from : got)
	for (int i = 0; i < 8; i++)
		got[i] = power(i);
	for (int i = 0; i < 8; i++)
		CHECK(got[i] == 3 << i);
	scale = 5;
#pragma omp target update to(scale)
#pragma omp target map(from : got)
	{
		for (int i = 0; i < 8; i++)
			got[i] = power(i);
		scale = 9;
	}
#pragma omp target update from(scale)
	CHECK(got[7] == 640 && scale == 9);
	DONE();
}
