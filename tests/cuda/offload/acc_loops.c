/* SPDX-License-Identifier: Apache-2.0
 * OpenACC: gangs, workers, vectors, reductions. */
#include "offload.h"
int main(void)
{
	enum { N = 256, M = 100 };
	static float a[N][M], row[N];
	double sum = 0, expected = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			a[i][j] = (float)(i ^ j), expected += i ^ j;
#pragma acc parallel loop gang copyin(a) copyout(row) reduction(+ : sum)
	for (int i = 0; i < N; i++) {
		float s = 0;
#pragma acc loop vector reduction(+ : s)
		for (int j = 0; j < M; j++)
			s += a[i][j];
		row[i] = s;
		sum += s;
	}
	CHECK(sum == expected);
	for (int i = 0; i < N; i++) {
		float s = 0;
		for (int j = 0; j < M; j++)
			s += a[i][j];
		CHECK(row[i] == s);
	}
	DONE();
}
