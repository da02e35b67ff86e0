/* SPDX-License-Identifier: Apache-2.0
 *
 * Eight threads that do to the same streams, events, memory, modules and graphs whatever a program may, without asking one
 * another: calls may fail, as what they name may be gone, but nothing may crash or hang. And what is gone only when its work
 * is done.
 */
#include <pthread.h>

#include "tests/cuda/linked.h"
#include "tests/unit/main.h"

enum { THREADS = 8, SHARED = 8, MODULES = 4, STEPS = 2000, SEEDS = 6 };

static const char text[] = "//\n.version 7.8\n.target sm_80\n.address_size 64\n"
			   ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\nld.param.u64 %a, [p];\nret;\n}\n";

static struct {
	struct cu_context *context;
	struct cu_stream *streams[SHARED];
	struct cu_event *events[SHARED];
	u64 memory[SHARED];
	struct cu_module *modules[MODULES];
	struct cu_function *functions[MODULES];
	struct cu_exec *graphs[MODULES];
} shared;

struct actor {
	pthread_t thread;
	u32 state;
};

/* What the thread does next, and to which. */
struct step {
	u32 what, first, second;
};

static struct step next_step(struct actor *a)
{
	a->state = a->state * 1103515245 + 12345;
	return (struct step){a->state >> 24 & 15, a->state >> 16 & 7, a->state >> 20 & 7};
}

/* Threads see each other's handles in the middle: that is the point. */
#define LOAD(x)     __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define TAKE(x)     __atomic_exchange_n(&(x), 0, __ATOMIC_RELAXED)
#define STORE(x, y) __atomic_store_n(&(x), y, __ATOMIC_RELAXED)

static void renew(const struct step *s)
{
	struct cu_stream *stream = NULL;
	struct cu_event *event = NULL;
	u64 memory = 0;

	switch (s->what) {
	case 0:
		cuStreamDestroy_v2(TAKE(shared.streams[s->first]));
		cuStreamCreate(&stream, s->first & 1);
		STORE(shared.streams[s->first], stream);
		break;
	case 1:
		cuEventDestroy_v2(TAKE(shared.events[s->first]));
		cuEventCreate(&event, 0);
		STORE(shared.events[s->first], event);
		break;
	default:
		cuMemFree_v2(TAKE(shared.memory[s->first]));
		cuMemAlloc_v2(&memory, 256);
		STORE(shared.memory[s->first], memory);
		break;
	}
}

static void load_module(u32 k)
{
	struct cu_module *m = NULL;
	struct cu_function *f = NULL;

	cuModuleUnload(TAKE(shared.modules[k]));
	if (!cuModuleLoadData(&m, text))
		cuModuleGetFunction(&f, m, "k");
	STORE(shared.modules[k], m);
	STORE(shared.functions[k], f);
}

static void launch(u32 function, u32 blocks, struct cu_stream *s)
{
	u64 at = LOAD(shared.memory[0]);
	void *args[] = {&at};

	cuLaunchKernel(LOAD(shared.functions[function]), blocks, 1, 1, 32, 1, 1, 0, s, args, NULL);
}

static void capture(const struct step *s)
{
	struct cu_stream *stream = LOAD(shared.streams[s->first]);
	struct cu_graph *g = NULL;
	struct cu_exec *x = NULL;

	cuStreamBeginCapture_v2(stream, 2);
	launch(s->second % MODULES, 1, stream);
	cuStreamEndCapture(stream, &g);
	if (g && !cuGraphInstantiateWithFlags(&x, g, 0))
		cuGraphExecDestroy(__atomic_exchange_n(&shared.graphs[s->second % MODULES], x, __ATOMIC_RELAXED));
	cuGraphDestroy(g);
}

static void use_event(const struct step *s)
{
	struct cu_event *e = LOAD(shared.events[s->first]);
	struct cu_stream *stream = LOAD(shared.streams[s->second]);
	float milliseconds;

	if (s->what == 5)
		cuEventRecord(e, stream);
	else if (s->what == 6)
		cuStreamWaitEvent(stream, e, 0);
	else if (!cuEventElapsedTime_v2(&milliseconds, e, LOAD(shared.events[s->second])))
		cuEventSynchronize(e);
}

/* Another thread may capture the stream: then the copy takes place whenever it launches the graph. */
static const char nothing[64];

static void move(const struct step *s)
{
	u64 at = LOAD(shared.memory[s->first]);
	struct cu_stream *stream = LOAD(shared.streams[s->second]);
	char bytes[64];

	if (s->what == 8)
		cuMemcpyHtoDAsync_v2(at, nothing, sizeof nothing, stream);
	else if (s->what == 9)
		cuMemcpyDtoH_v2(bytes, at, sizeof bytes);
	else if (s->what == 10)
		cuMemsetD8Async(at, 0, 256, stream);
	else if (!cuMemAllocAsync(&at, 1000, LOAD(shared.streams[s->first])))
		cuMemFreeAsync(at, stream);
}

static void act(const struct step *s)
{
	switch (s->what) {
	case 0:
	case 1:
	case 2:
		renew(s);
		break;
	case 3:
	case 4:
		launch(s->first % MODULES, 1 + s->second, LOAD(shared.streams[s->first]));
		break;
	case 5:
	case 6:
	case 14:
		use_event(s);
		break;
	case 7:
		cuStreamSynchronize(LOAD(shared.streams[s->first]));
		break;
	case 11:
		if (!s->second)
			load_module(s->first % MODULES);
		break;
	case 12:
		capture(s);
		break;
	case 13:
		cuGraphLaunch(LOAD(shared.graphs[s->first % MODULES]), LOAD(shared.streams[s->second]));
		break;
	default:
		move(s);
		break;
	}
}

static void *play(void *actor)
{
	struct actor *a = actor;

	cuCtxSetCurrent(shared.context);
	for (u32 k = 0; k < STEPS; k++) {
		const struct step s = next_step(a);
		act(&s);
	}
	return NULL;
}

START_TEST(threads_may_do_anything)
{
	struct actor actors[THREADS];

	shared.context = use_device();
	for (u32 k = 0; k < SHARED; k++) {
		OK(cuStreamCreate(&shared.streams[k], k & 1));
		OK(cuEventCreate(&shared.events[k], 0));
		OK(cuMemAlloc_v2(&shared.memory[k], 256));
	}
	for (u32 k = 0; k < MODULES; k++)
		load_module(k);
	for (u32 k = 0; k < THREADS; k++) {
		actors[k].state = (u32)(_i * THREADS + (int)k) * 7919 + 1;
		ck_assert_int_eq(pthread_create(&actors[k].thread, NULL, play, &actors[k]), 0);
	}
	for (u32 k = 0; k < THREADS; k++)
		pthread_join(actors[k].thread, NULL);
	cuCtxSynchronize();
	OK(cuDevicePrimaryCtxReset_v2(0));
}
END_TEST

/* The stream that has the last record is gone, and the record before it comes later. */
START_TEST(the_last_record_counts)
{
	struct cu_stream *slow, *fast;
	struct cu_event *e;
	u64 flag;

	use_device();
	OK(cuMemAlloc_v2(&flag, 256));
	OK(cuMemsetD32_v2(flag, 0, 1));
	OK(cuStreamCreate(&slow, 1));
	OK(cuStreamCreate(&fast, 1));
	OK(cuEventCreate(&e, 0));
	OK(cuStreamWaitValue32_v2(slow, flag, 1, 0));
	OK(cuEventRecord(e, slow));
	FAILS(cuEventQuery(e), 600);
	OK(cuEventRecord(e, fast));
	OK(cuStreamDestroy_v2(fast));
	OK(cuEventQuery(e));
	OK(cuStreamWriteValue32_v2(NULL, flag, 1, 0));
	OK(cuStreamSynchronize(slow));
	OK(cuEventQuery(e));
	OK(cuEventSynchronize(e));
	OK(cuStreamWaitEvent(slow, e, 0));
	OK(cuStreamSynchronize(slow));
}
END_TEST

/* A stream that waits for the program may be destroyed; whoever waits for the context waits for its work. */
START_TEST(a_destroyed_stream_does_its_work)
{
	struct cu_stream *s;
	u64 flag;
	u32 done = 0;

	use_device();
	OK(cuMemAlloc_v2(&flag, 256));
	OK(cuMemsetD32_v2(flag, 0, 2));
	OK(cuStreamCreate(&s, 1));
	OK(cuStreamWaitValue32_v2(s, flag, 1, 0));
	OK(cuMemsetD32Async(flag + 4, 7, 1, s));
	OK(cuStreamDestroy_v2(s));
	FAILS(cuStreamQuery(s), 400);
	OK(cuMemcpyDtoH_v2(&done, flag + 4, sizeof done));
	ck_assert_uint_eq(done, 0);
	OK(cuStreamWriteValue32_v2(NULL, flag, 1, 0));
	OK(cuCtxSynchronize());
	OK(cuMemcpyDtoH_v2(&done, flag + 4, sizeof done));
	ck_assert_uint_eq(done, 7);
}
END_TEST

UNIT_TESTS("threads", 60)
{
	tcase_add_loop_test(unit, threads_may_do_anything, 0, SEEDS);
	UNIT_TEST(the_last_record_counts);
	UNIT_TEST(a_destroyed_stream_does_its_work);
}
