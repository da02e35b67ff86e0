// The sums of the rows of 32x32 tiles, one warp a tile. samples/lines.ptx is this file compiled with
// line information, so that ptxsim's reports speak of these lines:
//     ptxsim run samples/lines.ptx --report html > lines.html

__device__ float row_sum(const float *tile, int row)
{
	float sum = 0;

	for (int k = 0; k < 32; k++)
		sum += tile[row * 32 + k]; // rows are 32 words apart: all lanes meet in one bank
	return sum;
}

__global__ void row_sums(float *sums, const float *in)
{
	__shared__ float tile[32 * 32];
	const int x = threadIdx.x, first = blockIdx.x * 1024;

	for (int k = 0; k < 32; k++)
		tile[k * 32 + x] = in[first + k * 32 + x];
	__syncthreads();
	if (x < 24)
		sums[blockIdx.x * 32 + x] = row_sum(tile, x);
	else
		sums[blockIdx.x * 32 + x] = 0;
}
