/* SPDX-License-Identifier: Apache-2.0
 * Atomic updates and captures from many threads; a critical section. */
#include "offload.h"
int main(void)
{
	enum { N = 10000, BINS = 16 };
	int bins[BINS] = {0}, expected[BINS] = {0}, tickets = 0, guarded = 0;
	static int ticket[N];
	static char seen[N];

	for (int i = 0; i < N; i++)
		expected[i * 7 % 13 % BINS]++;
#pragma omp target teams distribute parallel for map(tofrom : bins, tickets) map(from : ticket)
	for (int i = 0; i < N; i++) {
		int mine;
#pragma omp atomic
		bins[i * 7 % 13 % BINS]++;
#pragma omp atomic capture
		mine = tickets++;
		ticket[i] = mine;
	}
#pragma omp target map(tofrom : guarded)
#pragma omp parallel for
	for (int i = 0; i < 100; i++) {
#pragma omp critical
		guarded += i;
	}
	CHECK(tickets == N && guarded == 4950);
	for (int i = 0; i < BINS; i++)
		CHECK(bins[i] == expected[i]);
	for (int i = 0; i < N; i++)
		seen[ticket[i]]++;
	for (int i = 0; i < N; i++)
		CHECK(seen[i] == 1);
	DONE();
}
