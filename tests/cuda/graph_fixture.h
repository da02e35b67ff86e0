/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of the driver's graphs and memory: two kernels, an empty graph, some memory, and ways to run a graph.
 */
#ifndef PTXSIM_TESTS_CUDA_GRAPH_FIXTURE_H
#define PTXSIM_TESTS_CUDA_GRAPH_FIXTURE_H

#include "tests/cuda/linked.h"

enum { INVALID_VALUE = 1, INVALID_DEVICE = 101, INVALID_HANDLE = 400, ILLEGAL_STATE = 401, NOT_SUPPORTED = 801 };
enum { GRANULE = 2 << 20 };

/* add: p[tid] += n. down: lowers the word at p by one, p[1] counts. */
static char TEXT[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
		     ".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
		     "	.reg .b32 %t, %n; .reg .b64 %a;\n"
		     "	ld.param.u64 %a, [p]; ld.param.u32 %n, [n];\n"
		     "	mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 4, %a;\n"
		     "	ld.global.u32 %t, [%a]; add.u32 %t, %t, %n; st.global.u32 [%a], %t; ret;\n}\n"
		     ".visible .entry down(.param .u64 p, .param .u64 count)\n{\n"
		     "	.reg .b32 %t; .reg .b64 %a, %c;\n"
		     "	ld.param.u64 %a, [p]; ld.param.u64 %c, [count];\n"
		     "	ld.global.u32 %t, [%a]; sub.u32 %t, %t, 1; st.global.u32 [%a], %t;\n"
		     "	ld.global.u32 %t, [%c]; add.u32 %t, %t, 1; st.global.u32 [%c], %t; ret;\n}\n";

struct fixture {
	struct cu_context *context;
	struct cu_module *module;
	struct cu_function *add, *down;
	struct cu_graph *graph;
	u64 at; /* 64 words of 0 */
};

static inline struct fixture begin(void)
{
	struct fixture f;

	f.context = use_device();
	OK(cuModuleLoadData(&f.module, TEXT));
	OK(cuModuleGetFunction(&f.add, f.module, "add"));
	OK(cuModuleGetFunction(&f.down, f.module, "down"));
	OK(cuGraphCreate(&f.graph, 0));
	OK(cuMemAlloc_v2(&f.at, 256));
	OK(cuMemsetD32_v2(f.at, 0, 64));
	return f;
}

static inline u32 word(u64 at)
{
	u32 value;

	OK(cuMemcpyDtoH_v2(&value, at, sizeof value));
	return value;
}

static inline void launch(struct cu_exec *x)
{
	OK(cuGraphLaunch(x, NULL));
	OK(cuCtxSynchronize());
}

static inline void run_graph(struct cu_graph *g)
{
	struct cu_exec *x;

	OK(cuGraphInstantiateWithFlags(&x, g, 0));
	launch(x);
	OK(cuGraphExecDestroy(x));
}

#endif
