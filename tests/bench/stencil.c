/* SPDX-License-Identifier: Apache-2.0 */
/* Bits: the sum's order is fixed, and only the last product is fused. */
#include <math.h>
#include <string.h>

#include "bench.h"

enum { NX = 256, NY = 256, NZ = 48, PLANE = NX * NY };

static void pass(const float *restrict in, float *restrict out)
{
	const float c0 = 0.4f, c1 = 0.1f;

#pragma omp parallel for schedule(static)
	for (int z = 0; z < NZ; z++)
		for (int y = 0; y < NY; y++) {
			const float *row = in + z * PLANE + y * NX;
			const float *up = y ? row - NX : row, *down = y + 1 < NY ? row + NX : row;
			const float *before = z ? row - PLANE : row, *behind = z + 1 < NZ ? row + PLANE : row;
			float *to = out + z * PLANE + y * NX;
			for (int x = 1; x < NX - 1; x++)
				to[x] = fmaf(c1, row[x - 1] + row[x + 1] + up[x] + down[x] + before[x] + behind[x],
					     c0 * row[x]);
			to[0] = fmaf(c1, row[0] + row[1] + up[0] + down[0] + before[0] + behind[0], c0 * row[0]);
			const int e = NX - 1;
			to[e] = fmaf(c1, row[e - 1] + row[e] + up[e] + down[e] + before[e] + behind[e], c0 * row[e]);
		}
}

static void plain(void *const *b)
{
	pass(b[0], b[1]);
	pass(b[1], b[0]);
}

static float at(const float *in, int x, int y, int z)
{
	x = x < 0 ? 0 : x >= NX ? NX - 1 : x;
	y = y < 0 ? 0 : y >= NY ? NY - 1 : y;
	z = z < 0 ? 0 : z >= NZ ? NZ - 1 : z;
	return in[z * PLANE + y * NX + x];
}

void make_stencil(struct problem *p)
{
	float *in = add_buffer(p, PLANE * NZ * 4), *middle = add_buffer(p, PLANE * NZ * 4);
	uint64_t seed = 3;

	for (int i = 0; i < PLANE * NZ; i++)
		in[i] = draw_float(&seed, -1, 1);
	add_step(p, "stencil", NX / 32, NY / 8, 32, 8, "bbuuuff", 0, 1, NX, NY, NZ, 0.4, 0.1);
	add_step(p, "stencil", NX / 32, NY / 8, 32, 8, "bbuuuff", 1, 0, NX, NY, NZ, 0.4, 0.1);
	p->plain = plain;
	float *out = add_reference(p, 0, 0, 0);
	for (int n = 0; n < 2; n++)
		for (int z = 0; z < NZ; z++)
			for (int y = 0; y < NY; y++)
				for (int x = 0; x < NX; x++) {
					const float *f = n ? middle : in;
					float sum = at(f, x - 1, y, z) + at(f, x + 1, y, z);
					sum += at(f, x, y - 1, z);
					sum += at(f, x, y + 1, z);
					sum += at(f, x, y, z - 1);
					sum += at(f, x, y, z + 1);
					(n ? out : middle)[z * PLANE + y * NX + x] =
						fmaf(0.1f, sum, 0.4f * at(f, x, y, z));
				}
	memset(middle, 0, PLANE * NZ * 4);
}
