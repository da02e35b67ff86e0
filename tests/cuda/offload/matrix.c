/* SPDX-License-Identifier: Apache-2.0
 * A product of matrices over two collapsed loops, with simd inside. */
#include "offload.h"
int main(void)
{
	enum { N = 64 };
	static double a[N][N], b[N][N], c[N][N];

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a[i][j] = i + j, b[i][j] = i - j;
#pragma omp target teams distribute parallel for collapse(2) map(to : a, b) map(from : c)
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double s = 0;
#pragma omp simd reduction(+ : s)
			for (int k = 0; k < N; k++)
				s += a[i][k] * b[k][j];
			c[i][j] = s;
		}
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			double s = 0;
			for (int k = 0; k < N; k++)
				s += a[i][k] * b[k][j];
			CHECK(c[i][j] == s);
		}
	DONE();
}
