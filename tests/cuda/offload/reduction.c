/* SPDX-License-Identifier: Apache-2.0
 * Sums and a maximum over teams. */
#include "offload.h"
int main(void)
{
	enum { N = 20000 };
	static double a[N];
	double sum = 0, most = -1, expected = 0;
	int odd = 0;

	for (int i = 0; i < N; i++)
		a[i] = (i * 37 % 1009) * 0.5, expected += a[i];
#pragma omp target teams distribute parallel for map(to : a) map(tofrom : sum, odd) reduction(+ : sum, odd)
	for (int i = 0; i < N; i++) {
		sum += a[i];
		odd += (int)(a[i] * 2) & 1;
	}
#pragma omp target teams distribute parallel for map(to : a) map(tofrom : most) reduction(max : most)
	for (int i = 0; i < N; i++)
		most = a[i] > most ? a[i] : most;
	CHECK(sum == expected && most == 504 && odd > 0);
	DONE();
}
