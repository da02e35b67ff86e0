/* SPDX-License-Identifier: Apache-2.0
 *
 * When things are released: the buffers for a linker's messages before the linker, and modules, streams, events and host
 * memory when no context is current any more. And the functions by which a cooperative grid waits for itself, and calls
 * for graphics. Linked with the library as a program would be.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/cuda/linked.h"
#include "tests/unit/main.h"

enum {
	INPUT_PTX = 1,
	JIT_ERROR = 5,
	JIT_ERROR_SIZE = 6,
	INVALID_CONTEXT = 201,
	INVALID_PTX = 218,
	INVALID_HANDLE = 400
};

#define HEAD "//\n.version 7.8\n.target sm_80\n.address_size 64\n"

static char good[] = HEAD ".visible .entry k() { ret; }\n";
static char bad[] = HEAD ".visible .entry k() { ret foo }\n";

static u64 address_of(const void *p) { return (u64)(uintptr_t)p; }

START_TEST(messages_of_a_linker)
{
	char *text = calloc(1, 400);
	void **values = calloc(2, sizeof *values), *image;
	int options[] = {JIT_ERROR, JIT_ERROR_SIZE};
	struct cu_link *l;
	size_t size;

	use_device();
	values[0] = text;
	values[1] = (void *)(uintptr_t)400;
	OK(cuLinkCreate_v2(2, options, values, &l));
	FAILS(cuLinkAddData_v2(l, INPUT_PTX, bad, sizeof bad, "bad", 0, NULL, NULL), INVALID_PTX);
	/* At once, not when the linker goes. */
	ck_assert_ptr_nonnull(strstr(text, "error   :"));
	ck_assert_uint_eq(address_of(values[1]), strlen(text));
	FAILS(cuLinkAddData_v2(l, INPUT_PTX, bad, sizeof bad, "bad", 0, NULL, NULL), INVALID_PTX);
	ck_assert_ptr_nonnull(strstr(strstr(text, "error   :") + 1, "error   :"));
	OK(cuLinkAddData_v2(l, INPUT_PTX, good, sizeof good, "good", 0, NULL, NULL));
	OK(cuLinkComplete(l, &image, &size));

	/* From here on the program may do with its buffers what it likes. */
	memset(text, 'x', 400);
	values[0] = values[1] = NULL;
	OK(cuLinkDestroy(l));
	ck_assert(text[0] == 'x' && !values[1]);
	free(values);
	free(text);
}
END_TEST

START_TEST(releases_without_a_context)
{
	struct cu_module *m;
	struct cu_stream *s;
	struct cu_event *e;
	struct cu_link *l;
	void *pinned, *own = malloc(4096);
	u64 at;

	use_device();
	OK(cuModuleLoadData(&m, good));
	OK(cuStreamCreate(&s, 0));
	OK(cuEventCreate(&e, 0));
	OK(cuLinkCreate_v2(0, NULL, NULL, &l));
	OK(cuMemAllocHost_v2(&pinned, 64));
	OK(cuMemHostRegister_v2(own, 4096, 0));
	OK(cuMemAlloc_v2(&at, 64));
	OK(cuCtxSetCurrent(NULL));
	FAILS(cuMemAlloc_v2(&at, 64), INVALID_CONTEXT);
	OK(cuLinkDestroy(l));
	OK(cuEventDestroy_v2(e));
	OK(cuStreamDestroy_v2(s));
	OK(cuModuleUnload(m));
	OK(cuMemFreeHost(pinned));
	OK(cuMemHostUnregister(own));
	OK(cuMemFree_v2(at));
	FAILS(cuModuleUnload(m), INVALID_HANDLE);
	FAILS(cuStreamDestroy_v2(s), INVALID_HANDLE);
	free(own);
}
END_TEST

/* Every thread stores its rank and, when all have, reads the next block's. */
static char grid[] =
	HEAD ".extern .func (.param .b64 h) cudaCGGetIntrinsicHandle (.param .b32 scope);\n"
	     ".extern .func (.param .b32 e) cudaCGSynchronize (.param .b64 h, .param .b32 flags);\n"
	     ".extern .func (.param .b32 e) cudaCGGetSize (.param .b64 threads, .param .b64 grids, .param .b64 h);\n"
	     ".extern .func (.param .b32 e) cudaCGGetRank (.param .b64 thread, .param .b64 grid, .param .b64 h);\n"
	     ".visible .entry meet(.param .u64 to) {\n"
	     "	.local .align 4 .b32 own[4];\n"
	     "	.reg .b64 %h, %a, %b, %c, %to;\n"
	     "	.reg .b32 %e, %rank, %count, %other;\n"
	     "	ld.param.u64 %to, [to];\n"
	     "	mov.u64 %a, own;\n"
	     "	cvta.local.u64 %a, %a;\n"
	     "	add.s64 %b, %a, 4;\n"
	     "	call (%h), cudaCGGetIntrinsicHandle, (1);\n"
	     "	call (%e), cudaCGGetRank, (%a, %b, %h);\n"
	     "	ld.u32 %rank, [%a];\n"
	     "	call (%e), cudaCGGetSize, (%a, %b, %h);\n"
	     "	ld.u32 %count, [%a];\n"
	     "	mul.wide.u32 %c, %rank, 4;\n"
	     "	add.s64 %c, %to, %c;\n"
	     "	st.global.u32 [%c], %rank;\n"
	     "	call (%e), cudaCGSynchronize, (%h, 0);\n"
	     "	add.u32 %other, %rank, 64;\n"
	     "	rem.u32 %other, %other, %count;\n"
	     "	mul.wide.u32 %a, %other, 4;\n"
	     "	add.s64 %a, %to, %a;\n"
	     "	ld.volatile.global.u32 %other, [%a];\n"
	     "	call (%e), cudaCGSynchronize, (%h, 0);\n"
	     "	mad.lo.u32 %other, %other, 1000, %e;\n"
	     "	st.global.u32 [%c], %other;\n"
	     "	ret;\n"
	     "}\n"
	     ".visible .entry refused(.param .u64 to) {\n"
	     "	.reg .b64 %h, %to;\n"
	     "	.reg .b32 %e;\n"
	     "	ld.param.u64 %to, [to];\n"
	     "	call (%h), cudaCGGetIntrinsicHandle, (1);\n"
	     "	call (%e), cudaCGSynchronize, (%h, 0);\n"
	     "	st.global.u32 [%to], %e;\n"
	     "	call (%e), cudaCGGetSize, (%h, %h, %h);\n"
	     "	st.global.u32 [%to+4], %e;\n"
	     "	ret;\n"
	     "}\n";

START_TEST(a_grid_waits_for_itself)
{
	enum { BLOCKS = 6, THREADS = 64, ALL = BLOCKS * THREADS };
	struct cu_function *f;
	struct cu_module *m;
	u32 back[ALL];
	u64 at;

	use_device();
	OK(cuModuleLoadData(&m, grid));
	OK(cuModuleGetFunction(&f, m, "meet"));
	OK(cuMemAlloc_v2(&at, sizeof back));
	void *args[] = {&at};
	OK(cuLaunchCooperativeKernel(f, 3, 2, 1, 16, 2, 2, 0, NULL, args));
	OK(cuMemcpyDtoH_v2(back, at, sizeof back));
	for (u32 k = 0; k < ALL; k++)
		ck_assert_uint_eq(back[k], (k + THREADS) % ALL * 1000);

	/* Without a cooperative launch there is no handle: the calls refuse, and none waits. */
	OK(cuModuleGetFunction(&f, m, "refused"));
	OK(cuLaunchKernel(f, 2, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
	OK(cuMemcpyDtoH_v2(back, at, 8));
	ck_assert_uint_eq(back[0], 1);
	ck_assert_uint_eq(back[1], 1);
}
END_TEST

/* Programs such as FFmpeg load these by name before anything else, and give up CUDA if one is not there. */
int cuGLGetDevices_v2(void), cuGraphicsGLRegisterImage(void), cuEGLStreamProducerConnect(void), cuVDPAUGetDevice(void);

START_TEST(graphics_are_refused)
{
	use_device();
	FAILS(cuGLGetDevices_v2(), CU_NOT_SUPPORTED);
	FAILS(cuGraphicsGLRegisterImage(), CU_NOT_SUPPORTED);
	FAILS(cuEGLStreamProducerConnect(), CU_NOT_SUPPORTED);
	FAILS(cuVDPAUGetDevice(), CU_NOT_SUPPORTED);
}
END_TEST

/* A graph outlives its kernels' module, and is refused then: it ran what had been freed. */
START_TEST(graphs_whose_module_is_gone)
{
	struct cu_module *m;
	struct cu_library *l;
	struct cu_function *f;
	struct cu_stream *s;
	struct cu_graph *g;
	struct cu_exec *of_module, *of_library;

	use_device();
	OK(cuStreamCreate(&s, 1));
	OK(cuModuleLoadData(&m, good));
	OK(cuModuleGetFunction(&f, m, "k"));
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphInstantiateWithFlags(&of_module, g, 0));
	OK(cuLibraryLoadData(&l, good, NULL, NULL, 0, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&f, l, "k"));
	OK(cuStreamBeginCapture_v2(s, 0));
	OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL));
	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphInstantiateWithFlags(&of_library, g, 0));
	OK(cuGraphLaunch(of_module, s));
	OK(cuGraphLaunch(of_library, s));
	OK(cuModuleUnload(m));
	OK(cuLibraryUnload(l));
	FAILS(cuGraphLaunch(of_module, s), INVALID_HANDLE);
	FAILS(cuGraphLaunch(of_library, s), INVALID_HANDLE);
	FAILS(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL), INVALID_HANDLE);
	OK(cuStreamSynchronize(s));
}
END_TEST

UNIT_TESTS("release", 0)
{
	UNIT_TEST(graphs_whose_module_is_gone);
	UNIT_TEST(graphics_are_refused);
	UNIT_TEST(messages_of_a_linker);
	UNIT_TEST(releases_without_a_context);
	UNIT_TEST(a_grid_waits_for_itself);
}
