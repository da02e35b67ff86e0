/* SPDX-License-Identifier: Apache-2.0 */
// Surfaces that kernels write, and objects that are destroyed as soon as the launch is under way.
#include "self.h"

__global__ void fill(cudaSurfaceObject_t surface, int width)
{
	const int x = threadIdx.x, y = blockIdx.x;

	if (x < width)
		surf2Dwrite((float)(y * 100 + x), surface, x * (int)sizeof(float), y);
}

__global__ void turn(cudaTextureObject_t texture, float *out, int width, int height)
{
	const int x = threadIdx.x, y = blockIdx.x;

	if (x < width)
		out[y * width + x] = tex2D<float>(texture, width - x - 0.5f, height - y - 0.5f);
}

__global__ void fill_layers(cudaSurfaceObject_t surface)
{
	surf2DLayeredwrite((short)(threadIdx.x + blockIdx.x * 10 + blockIdx.y * 100), surface, threadIdx.x * 2,
			   blockIdx.x, blockIdx.y);
}

__global__ void outside(cudaSurfaceObject_t surface, int *out)
{
	const int x = (int)threadIdx.x - 4;
	int clamped, zero;

	surf1Dread(&clamped, surface, x * 4, cudaBoundaryModeClamp);
	surf1Dread(&zero, surface, x * 4, cudaBoundaryModeZero);
	out[threadIdx.x] = clamped * 1000 + zero;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
	cudaResourceDesc resource = {};
	cudaSurfaceObject_t surface;

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	CHECK(cudaCreateSurfaceObject(&surface, &resource));
	return surface;
}

static cudaTextureObject_t texture_of(cudaArray_t array)
{
	cudaResourceDesc resource = {};
	cudaTextureDesc texture = {};
	cudaTextureObject_t object;

	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
	return object;
}

// The objects go while the kernels that use them may not have begun.
static void written_and_read()
{
	const int width = 24, height = 10;
	const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
	static float result[width * height];
	cudaArray_t array;
	float *out;

	CHECK(cudaMallocArray(&array, &channels, width, height, cudaArraySurfaceLoadStore));
	CHECK(cudaMalloc(&out, sizeof result));
	const cudaSurfaceObject_t surface = surface_of(array);
	const cudaTextureObject_t texture = texture_of(array);
	fill<<<height, 32>>>(surface, width);
	turn<<<height, 32>>>(texture, out, width, height);
	CHECK(cudaDestroySurfaceObject(surface));
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cudaFreeArray(array));
	CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
	for (int k = 0; k < width * height; k++)
		WANT(result[k] == (height - 1 - k / width) * 100 + width - 1 - k % width);
	CHECK(cudaFree(out));
}

static void layers()
{
	const cudaChannelFormatDesc channels = cudaCreateChannelDesc<short>();
	const cudaExtent extent = make_cudaExtent(6, 5, 3);
	short result[90];
	cudaArray_t array;
	cudaMemcpy3DParms copy = {};

	CHECK(cudaMalloc3DArray(&array, &channels, extent, cudaArrayLayered | cudaArraySurfaceLoadStore));
	const cudaSurfaceObject_t surface = surface_of(array);
	fill_layers<<<dim3(5, 3), 6>>>(surface);
	copy.srcArray = array;
	copy.dstPtr = make_cudaPitchedPtr(result, 12, 6, 5);
	copy.extent = extent;
	copy.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&copy));
	for (int k = 0; k < 90; k++)
		WANT(result[k] == k % 6 + k / 6 % 5 * 10 + k / 30 * 100);
	CHECK(cudaDestroySurfaceObject(surface));
	CHECK(cudaFreeArray(array));
}

static void boundaries()
{
	const cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
	int values[8], result[16], *out;
	cudaArray_t array;

	for (int k = 0; k < 8; k++)
		values[k] = k + 1;
	CHECK(cudaMallocArray(&array, &channels, 8, 0, cudaArraySurfaceLoadStore));
	CHECK(cudaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1, cudaMemcpyHostToDevice));
	CHECK(cudaMalloc(&out, sizeof result));
	const cudaSurfaceObject_t surface = surface_of(array);
	outside<<<1, 16>>>(surface, out);
	CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
	for (int k = 0; k < 16; k++) {
		const int x = k - 4, inside = x < 0 ? 0 : x > 7 ? 7 : x;
		WANT(result[k] == (inside + 1) * 1000 + (x == inside ? x + 1 : 0));
	}
	CHECK(cudaDestroySurfaceObject(surface));
	CHECK(cudaFreeArray(array));
	CHECK(cudaFree(out));
}

int main()
{
	written_and_read();
	layers();
	boundaries();
	puts("PASSED");
}
