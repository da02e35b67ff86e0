/* SPDX-License-Identifier: Apache-2.0
 * Data that stays on the device between regions; array sections; structures with pointers. */
#include "offload.h"
struct holder {
	int n;
	float *values;
};
int main(void)
{
	enum { N = 5000 };
	float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
	struct holder h = {N, x};

	for (int i = 0; i < N; i++)
		x[i] = (float)i, y[i] = 1;
#pragma omp target enter data map(to : x [0:N]) map(to : y [0:N])
	for (int k = 0; k < 3; k++) {
#pragma omp target teams distribute parallel for
		for (int i = 0; i < N; i++)
			y[i] += 2 * x[i];
	}
	CHECK(y[10] == 1);
#pragma omp target exit data map(from : y [0:N]) map(release : x [0:N])
	for (int i = 0; i < N; i++)
		CHECK(y[i] == 1 + 6 * (float)i);
#pragma omp target map(to : h) map(tofrom : h.values [0:h.n])
	for (int i = 0; i < h.n; i++)
		h.values[i] += 1;
	CHECK(x[N - 1] == N);
	int *own = omp_target_alloc(400, omp_get_default_device()), back[100];
	CHECK(own != NULL);
#pragma omp target is_device_ptr(own)
	for (int i = 0; i < 100; i++)
		own[i] = i * i;
	omp_target_memcpy(back, own, 400, 0, 0, omp_get_initial_device(), omp_get_default_device());
	CHECK(back[99] == 9801);
	omp_target_free(own, omp_get_default_device());
	free(x);
	free(y);
	DONE();
}
