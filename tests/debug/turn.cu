// A 32 x 32 tile turned over through shared memory: the reads of a column meet in one bank.
extern "C" __global__ void turn(const int *in, int *out)
{
	__shared__ int tile[32][32];
	int x = threadIdx.x, y = threadIdx.y;

	tile[y][x] = in[32 * y + x];
	__syncthreads();
	out[32 * y + x] = tile[x][y];
}
