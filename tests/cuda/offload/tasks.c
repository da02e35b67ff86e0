/* SPDX-License-Identifier: Apache-2.0
 * Deferred target tasks with dependences, and tasks of the host between them. */
#include "offload.h"
int main(void)
{
	enum { N = 4096 };
	static int a[N], b[N], c[N];

#pragma omp parallel
#pragma omp single
	{
#pragma omp target nowait map(from : a) depend(out : a)
		for (int i = 0; i < N; i++)
			a[i] = i;
#pragma omp target nowait map(from : b) depend(out : b)
		for (int i = 0; i < N; i++)
			b[i] = 2 * i;
#pragma omp target nowait map(to : a, b) map(from : c) depend(in : a, b) depend(out : c)
		for (int i = 0; i < N; i++)
			c[i] = a[i] + b[i];
#pragma omp task depend(inout : c) shared(c)
		for (int i = 0; i < N; i++)
			c[i]++;
#pragma omp taskwait
	}
	for (int i = 0; i < N; i++)
		CHECK(c[i] == 3 * i + 1);
	DONE();
}
