// SPDX-License-Identifier: Apache-2.0
// A tile of 16 x 8 by the matrix unit: one HMMA, fed from registers.
#include <cuda_fp16.h>

extern "C" __global__ void hmma(const __half *a, const __half *b, float *c)
{
	int lane = threadIdx.x, row = lane / 4, pair = lane % 4 * 2;
	const unsigned *a32 = (const unsigned *)a;
	unsigned fa[4], fb[2];
	float fc[4] = {0, 0, 0, 0};

	fa[0] = a32[(row * 16 + pair) / 2];
	fa[1] = a32[((row + 8) * 16 + pair) / 2];
	fa[2] = a32[(row * 16 + pair + 8) / 2];
	fa[3] = a32[((row + 8) * 16 + pair + 8) / 2];
	for (int k = 0; k < 2; k++)
		fb[k] = __half_as_ushort(b[(pair + 8 * k) * 8 + row]) | __half_as_ushort(b[(pair + 8 * k + 1) * 8 + row]) << 16;
	asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
	    : "+f"(fc[0]), "+f"(fc[1]), "+f"(fc[2]), "+f"(fc[3])
	    : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
	c[row * 8 + pair] = fc[0];
	c[row * 8 + pair + 1] = fc[1];
	c[(row + 8) * 8 + pair] = fc[2];
	c[(row + 8) * 8 + pair + 1] = fc[3];
}
