/* SPDX-License-Identifier: Apache-2.0
 * OpenACC: two queues that wait for one another, data regions, updates. */
#include "offload.h"
int main(void)
{
	enum { N = 10000 };
	static int a[N], b[N], c[N];

	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma acc data copyin(a) create(b) copyout(c)
	{
#pragma acc parallel loop async(1) present(a, b)
		for (int i = 0; i < N; i++)
			b[i] = a[i] * 2;
#pragma acc parallel loop async(2) wait(1) present(b, c)
		for (int i = 0; i < N; i++)
			c[i] = b[i] + 1;
#pragma acc wait
#pragma acc update self(b)
		CHECK(b[N - 1] == 2 * (N - 1));
	}
	for (int i = 0; i < N; i++)
		CHECK(c[i] == 2 * i + 1);
	DONE();
}
