/* SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
static int bad;
#define OK(x)                                                                                                  \
	do {                                                                                                   \
		cudaError_t e_ = (x);                                                                          \
		if (e_ != cudaSuccess) {                                                                       \
			printf("%s:%d: %s -> %d %s\n", __FILE__, __LINE__, #x, (int)e_, cudaGetErrorName(e_)); \
			bad++;                                                                                 \
		}                                                                                              \
	} while (0)
#define CHECK(c)                                                                           \
	do {                                                                               \
		if (!(c)) {                                                                \
			printf("%s:%d: expectation failed: %s\n", __FILE__, __LINE__, #c); \
			bad++;                                                             \
		}                                                                          \
	} while (0)
#define SHOW(x)                                                             \
	do {                                                                \
		cudaError_t e_ = (x);                                       \
		printf("%s -> %d %s\n", #x, (int)e_, cudaGetErrorName(e_)); \
	} while (0)
#define DONE()                                                 \
	do {                                                   \
		printf(bad ? "FAILED %d\n" : "PASSED\n", bad); \
		return bad != 0;                               \
	} while (0)
