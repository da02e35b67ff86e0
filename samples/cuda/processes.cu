// SPDX-License-Identifier: Apache-2.0
// Two processes work on the same device memory, as MPI programs do: one makes a handle of it, the other opens that.
//
//     nvcc -arch=sm_90 -cudart shared processes.cu -o processes && ptxsim exec ./processes
//
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *p, int value) { p[threadIdx.x] += value; }

static int child(int from)
{
	cudaIpcMemHandle_t handle;
	int *p;

	if (read(from, &handle, sizeof handle) != sizeof handle ||
	    cudaIpcOpenMemHandle((void **)&p, handle, cudaIpcMemLazyEnablePeerAccess))
		return 1;
	add<<<1, 32>>>(p, 10);
	return cudaDeviceSynchronize() || cudaIpcCloseMemHandle(p);
}

int main()
{
	int pipes[2], *p, have[32], status;
	cudaIpcMemHandle_t handle;

	if (pipe(pipes))
		return 1;
	// Before the first call of CUDA: it is for one process.
	if (!fork())
		_exit(child(pipes[0]));
	cudaMalloc(&p, sizeof have);
	cudaMemset(p, 0, sizeof have);
	add<<<1, 32>>>(p, 5);
	cudaDeviceSynchronize();
	if (cudaIpcGetMemHandle(&handle, p) || write(pipes[1], &handle, sizeof handle) != sizeof handle)
		return 1;
	wait(&status);
	cudaMemcpy(have, p, sizeof have, cudaMemcpyDeviceToHost);
	printf("%d after the other process\n", have[31]);
	return status || have[31] != 15;
}
