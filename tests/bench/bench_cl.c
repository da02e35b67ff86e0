/* SPDX-License-Identifier: Apache-2.0
 *
 * bench-cl KERNEL SCALE REPETITIONS THREADS KERNELS.cl: the same problems on the first OpenCL
 * platform (PoCL). The first launch compiles and is not measured.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

struct bench {
	struct problem *p;
	cl_context context;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem buffers[PROBLEM_BUFFERS];
};

static void check(cl_int error, const char *what)
{
	if (!error)
		return;
	fprintf(stderr, "bench-cl: %s: error %d\n", what, error);
	exit(1);
}

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text = calloc(1, 1 << 16);

	if (!f || !text || !fread(text, 1, (1 << 16) - 1, f))
		exit(2);
	fclose(f);
	return text;
}

static void build(struct bench *b, const char *path)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_int error;
	const char *text = read_text(path);

	check(clGetPlatformIDs(1, &platform, NULL), "no platform");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no device");
	b->context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "context");
	b->queue = clCreateCommandQueue(b->context, device, 0, &error);
	check(error, "queue");
	cl_program program = clCreateProgramWithSource(b->context, 1, &text, NULL, &error);
	check(error, "program");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
	b->kernel = clCreateKernel(program, b->p->name, &error);
	check(error, "kernel");
}

static void set_arguments(struct bench *b)
{
	cl_int error;

	for (uint32_t k = 0; k < b->p->buffer_count; k++) {
		b->buffers[k] = clCreateBuffer(b->context, CL_MEM_READ_WRITE, b->p->bytes[k], NULL, &error);
		check(error, "buffer");
	}
	for (uint32_t k = 0; k < b->p->arg_count; k++) {
		const struct argument *a = &b->p->args[k];
		if (a->kind == ARGUMENT_BUFFER)
			error = clSetKernelArg(b->kernel, k, sizeof(cl_mem), &b->buffers[a->number]);
		else if (a->kind == ARGUMENT_U32)
			error = clSetKernelArg(b->kernel, k, 4, &a->number);
		else
			error = clSetKernelArg(b->kernel, k, 4, &a->value);
		check(error, "argument");
	}
}

static double run_once(struct bench *b, bool *right)
{
	const struct problem *p = b->p;
	const size_t local[2] = {p->block[0], p->block[1]};
	const size_t global[2] = {(size_t)p->block[0] * p->grid[0], (size_t)p->block[1] * p->grid[1]};

	for (uint32_t k = 0; k < p->buffer_count; k++) {
		void *bytes = malloc(p->bytes[k]);
		problem_fill(p, k, bytes);
		check(clEnqueueWriteBuffer(b->queue, b->buffers[k], CL_TRUE, 0, p->bytes[k], bytes, 0, NULL, NULL),
		      "write");
		free(bytes);
	}
	check(clFinish(b->queue), "finish");
	const double start = problem_now();
	check(clEnqueueNDRangeKernel(b->queue, b->kernel, 2, NULL, global, local, 0, NULL, NULL), "launch");
	check(clFinish(b->queue), "finish");
	const double seconds = problem_now() - start;
	void *output = malloc(p->bytes[p->output]);
	check(clEnqueueReadBuffer(b->queue, b->buffers[p->output], CL_TRUE, 0, p->bytes[p->output], output, 0, NULL,
				  NULL),
	      "read");
	*right = problem_check(p, output);
	free(output);
	return seconds;
}

int main(int count, char **words)
{
	struct bench b;
	bool right = false;

	if (count != 6)
		return 2;
	const unsigned scale = (unsigned)atoi(words[2]);
	b.p = problem_make(words[1], scale);
	if (!b.p)
		return 2;
	build(&b, words[5]);
	set_arguments(&b);
	for (int k = -1; k < atoi(words[3]); k++) {
		const double seconds = run_once(&b, &right);
		if (k >= 0)
			problem_report(b.p, "pocl", scale, words[4], k, seconds, right);
	}
	fflush(stdout);
	_Exit(right ? 0 : 1); /* PoCL's own exit handlers are slow and prove nothing */
}
