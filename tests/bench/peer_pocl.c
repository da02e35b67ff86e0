/* SPDX-License-Identifier: Apache-2.0
 *
 * PoCL, the Portable Computing Language, as the third who solves the problems: OpenCL on the host's processors.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { TEXT_MAX = 1 << 16 };

struct opencl {
	cl_context context;
	cl_device_id device;
	cl_command_queue queue;
	cl_program program;
	cl_mem memory[MAX_BUFFERS];
	cl_kernel kernels[MAX_STEPS];
};

static bool failed(cl_int error, const char *what)
{
	if (error)
		fprintf(stderr, "bench: OpenCL: %s: error %d\n", what, error);
	return error != 0;
}

static bool find_platform(cl_platform_id *platform)
{
	cl_platform_id list[16];
	cl_uint count = 0;

	if (clGetPlatformIDs(16, list, &count))
		return false;
	for (cl_uint k = 0; k < count && k < 16; k++) {
		char name[256] = "";
		clGetPlatformInfo(list[k], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (strstr(name, "Portable Computing Language")) {
			*platform = list[k];
			return true;
		}
	}
	return false;
}

static bool open_device(struct opencl *o, uint32_t threads)
{
	cl_platform_id platform;
	char number[16];
	cl_int error;

	snprintf(number, sizeof number, "%u", threads);
	setenv("POCL_MAX_PTHREAD_COUNT", number, 1);
	if (!find_platform(&platform) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &o->device, NULL)) {
		fputs("bench: no PoCL among the OpenCL platforms\n", stderr);
		return false;
	}
	o->context = clCreateContext(NULL, 1, &o->device, NULL, NULL, &error);
	if (failed(error, "context"))
		return false;
	o->queue = clCreateCommandQueue(o->context, o->device, 0, &error);
	return !failed(error, "queue");
}

static bool build_program(struct opencl *o, const struct peer *r)
{
	char path[4096], *text = zeroed(TEXT_MAX);
	const char *texts[] = {text};
	cl_int error;

	snprintf(path, sizeof path, "%s/%s.cl", r->folder, r->p->name);
	FILE *f = fopen(path, "rb");
	const size_t length = f ? fread(text, 1, TEXT_MAX - 1, f) : 0;
	if (f)
		fclose(f);
	o->program = clCreateProgramWithSource(o->context, 1, texts, NULL, &error);
	const bool bad = !length || failed(error, path) ||
			 failed(clBuildProgram(o->program, 1, &o->device, "-cl-std=CL1.2", NULL, NULL), path);
	if (bad && length &&
	    !clGetProgramBuildInfo(o->program, o->device, CL_PROGRAM_BUILD_LOG, TEXT_MAX - 1, text, NULL))
		fputs(text, stderr);
	free(text);
	return !bad;
}

static bool set_argument(struct opencl *o, cl_kernel kernel, uint32_t k, const struct arg *a)
{
	const cl_int error = a->kind == ARG_F32   ? clSetKernelArg(kernel, k, sizeof a->value, &a->value)
			     : a->kind == ARG_U32 ? clSetKernelArg(kernel, k, sizeof a->number, &a->number)
						  : clSetKernelArg(kernel, k, sizeof(cl_mem), &o->memory[a->number]);

	return !failed(error, "argument");
}

static bool open_steps(struct opencl *o, const struct problem *p)
{
	cl_int error;

	for (uint32_t k = 0; k < p->buffer_count; k++) {
		o->memory[k] = clCreateBuffer(o->context, CL_MEM_READ_WRITE, p->buffers[k].bytes, NULL, &error);
		if (failed(error, "buffer"))
			return false;
	}
	for (uint32_t n = 0; n < p->step_count; n++) {
		const struct step *s = &p->steps[n];
		o->kernels[n] = clCreateKernel(o->program, s->kernel, &error);
		if (failed(error, s->kernel))
			return false;
		for (uint32_t k = 0; k < s->arg_count; k++)
			if (!set_argument(o, o->kernels[n], k, &s->args[k]))
				return false;
	}
	return true;
}

static bool open_pocl(struct peer *r)
{
	struct opencl *o = r->own = zeroed(sizeof *o);

	r->contents[r->p->output] = zeroed(r->p->buffers[r->p->output].bytes);
	return open_device(o, r->threads) && build_program(o, r) && open_steps(o, r->p);
}

static bool fill_pocl(struct peer *r)
{
	struct opencl *o = r->own;

	for (uint32_t k = 0; k < r->p->buffer_count; k++)
		if (failed(clEnqueueWriteBuffer(o->queue, o->memory[k], CL_TRUE, 0, r->p->buffers[k].bytes,
						r->p->buffers[k].initial, 0, NULL, NULL),
			   "write"))
			return false;
	return !clFinish(o->queue);
}

static bool run_pocl(struct peer *r)
{
	struct opencl *o = r->own;

	for (uint32_t n = 0; n < r->p->step_count; n++) {
		const struct step *s = &r->p->steps[n];
		const size_t local[2] = {s->block[0], s->block[1]};
		const size_t global[2] = {(size_t)s->block[0] * s->grid[0], (size_t)s->block[1] * s->grid[1]};
		if (failed(clEnqueueNDRangeKernel(o->queue, o->kernels[n], 2, NULL, global, local, 0, NULL, NULL),
			   s->kernel))
			return false;
	}
	return !failed(clFinish(o->queue), "finish");
}

static const void *output_pocl(struct peer *r)
{
	struct opencl *o = r->own;
	const uint32_t k = r->p->output;

	clEnqueueReadBuffer(o->queue, o->memory[k], CL_TRUE, 0, r->p->buffers[k].bytes, r->contents[k], 0, NULL, NULL);
	return r->contents[k];
}

const struct peer_kind peer_pocl = {"pocl", open_pocl, fill_pocl, run_pocl, output_pocl};
