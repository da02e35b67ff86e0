/* SPDX-License-Identifier: Apache-2.0 */
// Graphs that change between launches: parameters by another capture, memory of other sizes, bodies chosen by kernels.
#include "self.h"
#include <vector>

__global__ void add(int *p, int n, int value)
{
	const int k = blockIdx.x * blockDim.x + threadIdx.x;

	if (k < n)
		p[k] += value;
}

__global__ void count_down(cudaGraphConditionalHandle handle, int *left)
{
	cudaGraphSetConditional(handle, --*left > 0);
}

static cudaGraph_t capture(cudaStream_t stream, int *p, int n, int value, int times)
{
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(p, 0, n * sizeof *p, stream));
	for (int k = 0; k < times; k++)
		add<<<(n + 127) / 128, 128, 0, stream>>>(p, n, value);
	CHECK(cudaStreamEndCapture(stream, &graph));
	return graph;
}

static int last_of(const int *p, int n)
{
	int value;

	CHECK(cudaMemcpy(&value, p + n - 1, sizeof value, cudaMemcpyDeviceToHost));
	return value;
}

// What has the same nodes is taken over; what has others is refused, and the old graph goes on.
static void parameters(cudaStream_t stream)
{
	const int n = 300;
	cudaGraphExecUpdateResultInfo told;
	cudaGraphExec_t exec;
	int *p;

	CHECK(cudaMalloc(&p, n * sizeof *p));
	cudaGraph_t first = capture(stream, p, n, 5, 2), second = capture(stream, p, n, 7, 2);
	cudaGraph_t longer = capture(stream, p, n, 7, 3);
	CHECK(cudaGraphInstantiate(&exec, first, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	WANT(last_of(p, n) == 10);
	CHECK(cudaGraphExecUpdate(exec, second, &told));
	WANT(told.result == cudaGraphExecUpdateSuccess);
	WANT(cudaGraphExecUpdate(exec, longer, &told) == cudaErrorGraphExecUpdateFailure);
	WANT(told.result == cudaGraphExecUpdateErrorTopologyChanged);
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	WANT(last_of(p, n) == 14);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(first));
	CHECK(cudaGraphDestroy(second));
	CHECK(cudaGraphDestroy(longer));
	CHECK(cudaFree(p));
}

static unsigned long long graph_bytes(cudaGraphMemAttributeType attribute)
{
	unsigned long long bytes;

	CHECK(cudaDeviceGetGraphMemAttribute(0, attribute, &bytes));
	return bytes;
}

// A program that captures each step anew, with buffers of another size each time.
static void memory(cudaStream_t stream)
{
	for (int step = 0; step < 5; step++) {
		const int n = 100 + 300000 * step;
		std::vector<int> result(n);
		cudaGraph_t graph;
		cudaGraphExec_t exec;
		int *p;

		CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
		CHECK(cudaMallocAsync(&p, n * sizeof *p, stream));
		CHECK(cudaMemsetAsync(p, 0, n * sizeof *p, stream));
		add<<<(n + 127) / 128, 128, 0, stream>>>(p, n, step + 1);
		CHECK(cudaMemcpyAsync(result.data(), p, n * sizeof *p, cudaMemcpyDeviceToHost, stream));
		CHECK(cudaFreeAsync(p, stream));
		CHECK(cudaStreamEndCapture(stream, &graph));
		CHECK(cudaGraphInstantiate(&exec, graph, 0));
		for (int launch = 0; launch < 2; launch++) {
			result[n - 1] = -1;
			CHECK(cudaGraphLaunch(exec, stream));
			CHECK(cudaStreamSynchronize(stream));
			WANT(result[n - 1] == step + 1);
		}
		CHECK(cudaGraphExecDestroy(exec));
		CHECK(cudaGraphDestroy(graph));
	}
	WANT(graph_bytes(cudaGraphMemAttrUsedMemCurrent) == 0);
	WANT(graph_bytes(cudaGraphMemAttrReservedMemCurrent) > 0);
	CHECK(cudaDeviceGraphMemTrim(0));
	WANT(graph_bytes(cudaGraphMemAttrReservedMemCurrent) == 0);
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t *after, void *kernel, void **arguments)
{
	cudaKernelNodeParams parameters = {};
	cudaGraphNode_t node;

	parameters.func = kernel;
	parameters.gridDim = parameters.blockDim = dim3(1);
	parameters.kernelParams = arguments;
	CHECK(cudaGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &parameters));
	return node;
}

static void loop(cudaStream_t stream)
{
	int start[2] = {6, 0}, *p, one = 1, three = 3;
	cudaGraphConditionalHandle handle;
	cudaGraphNodeParams condition = {};
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaGraph_t graph;

	CHECK(cudaMalloc(&p, sizeof start));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
	condition.type = cudaGraphNodeTypeConditional;
	condition.conditional.handle = handle;
	condition.conditional.type = cudaGraphCondTypeWhile;
	condition.conditional.size = 1;
	CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &condition));
	int *sum = p + 1;
	void *adding[] = {&sum, &one, &three}, *counting[] = {&handle, &p};
	node = add_kernel(condition.conditional.phGraph_out[0], nullptr, (void *)add, adding);
	add_kernel(condition.conditional.phGraph_out[0], &node, (void *)count_down, counting);
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int launch = 0; launch < 2; launch++) {
		CHECK(cudaMemcpy(p, start, sizeof start, cudaMemcpyHostToDevice));
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaStreamSynchronize(stream));
		WANT(last_of(p, 2) == 18);
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaFree(p));
}

int main()
{
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	parameters(stream);
	memory(stream);
	loop(stream);
	CHECK(cudaStreamDestroy(stream));
	puts("PASSED");
}
