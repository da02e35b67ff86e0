/* SPDX-License-Identifier: Apache-2.0 */
#pragma omp declare target
static double scale = 2.0;
#pragma omp end declare target

double dot(const float *a, const float *b, int n)
{
	double s = 0;

#pragma omp target teams distribute parallel for reduction(+ : s) map(to : a [0:n], b [0:n])
	for (int i = 0; i < n; i++)
		s += scale * a[i] * b[i];
	return s;
}

int main(void)
{
	const float a[] = {1, 2}, b[] = {3, 4};

	return dot(a, b, 2) != 22;
}
