// SPDX-License-Identifier: Apache-2.0
// clang-19 --target=nvptx64-nvidia-cuda -nogpulib -Xclang -target-cpu -Xclang sm_70 -O0 -g -S: locals lie in a frame.
struct body {
	float position[2];
	int id;
};

__attribute__((always_inline)) static inline int scaled(int value, int factor)
{
	int product = value * factor;
	return product + 1;
}

__attribute__((noinline)) static int sum_of(const int *from, int count)
{
	int total = 0;
	for (int k = 0; k < count; k++) {
		int doubled = scaled(from[k], 2);
		total += doubled;
	}
	return total;
}

__attribute__((nvptx_kernel)) void gather(const int *in, int *out, int count)
{
	int t = __nvvm_read_ptx_sreg_tid_x();
	struct body mine = {{0.5f, 1.5f}, t + 7};
	if (t < count) {
		int part = sum_of(in + t, count - t);
		out[t] = part + mine.id;
	}
}
