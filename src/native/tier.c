/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the kernels that have run, and has the hot ones compiled by a thread of its own, one after the other.
 *
 * The life of a kernel's record; the lock guards all of it but `ready`, which launches read as they go:
 *
 *      first launch     native_kernel_of: the record is made; instructions are counted (native_warm)
 *      warm             put into the queue; the compiler's thread takes it, finds its regions, and looks for their code in
 *                       the cache folder, if there is one
 *      hot              likewise, if nothing was found: LLVM compiles them; the lock is given up meanwhile
 *      ready            blocks that begin now take native code, at first by turns, to compare the two (native_note)
 *      refused          slower than interpreting: `ready` goes back to NULL
 */
#include "native/tier.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

#include "base/clock.h"
#include "native/build.h"
#include "native/cache.h"
#include "native/enter.h"
#include "native/load.h"
#include "native/plugin.h"

/* Warp instructions that a kernel runs before it is compiled: what compiling costs, about 0.8 ms an instruction, is
 * then soon won back. To look for its code elsewhere costs little more than to start a thread. */
enum { HEAT_EACH = 100000, HEAT_LEAST = 2000000, HEAT_LOOK_UP = 200000 };

/* Once for each kind of mistake. */
enum { REPLACED_MOST = 3 };

struct kernel_record {
	struct native_kernel common;
	struct native *tier;
	const struct program *program;
	const struct code *code;
	struct kernel_record *next;   /* of the tier's list */
	struct kernel_record *queued; /* the next one to compile */
	struct kernel_code *refused;  /* slower than interpreting */
	struct kernel_code *replaced
		[REPLACED_MOST];     /* by code for lanes that part, for blocks of several warps, or for all shapes; */
	u32 replaced_count;          /* blocks may still run it */
	bool any_shape;              /* the sample's shapes were mistaken */
	struct native_sample sample; /* of its first launch that asked for code */
	struct native_watch watch;   /* of launches with observers, with arrays of its own; or NULLs */
	struct native_builder *builder; /* not found in the cache folder, and not hot yet; or NULL */
	bool builder_chooses;           /* as it was told */
	bool waits;                     /* in the queue */
	u64 hot;                        /* the heat at which it is compiled */
	bool done;
	bool always; /* compiled before a launch that it is for */
	struct native_report report;
};

struct native {
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t changed;
	struct kernel_record *kernels, *queue;
	const struct kernel_record *in_work;
	bool reads_program; /* what is in work: it must not go yet */
	bool has_thread, ending;
	bool gives_way; /* the thread, to those that run kernels */
	bool left;      /* closed while its thread was at work, which is to free it */
	pthread_t thread;
	pid_t process; /* a child of it has the code that was made, and makes none: the thread and LLVM's locks stay behind */
	bool lock_lost; /* atomic: in such a child, held by a thread of the parent */
	bool has_cache; /* there may be code in the cache folder */
	bool tried;     /* to load it */
	const struct native_plugin *plugin;
	struct native_compiler *compiler;
	char message[256]; /* why there is none */
};

/* Threads of closed tiers that still compile. The one thing that belongs to the process, since it cannot end well
 * before them. */
static u32 threads_left;

bool native_mode_read(const char *text, enum native_mode *mode)
{
	static const char *const names[] = {[NATIVE_AUTO] = "auto", [NATIVE_ALWAYS] = "always", [NATIVE_OFF] = "off"};

	*mode = NATIVE_AUTO;
	if (!text)
		text = getenv("PTXSIM_NATIVE");
	for (size_t k = 0; text && k < COUNT_OF(names); k++)
		if (!strcmp(text, names[k])) {
			*mode = (enum native_mode)k;
			return true;
		}
	return !text;
}

struct native *native_open(void)
{
	struct native *n = calloc(1, sizeof *n);

	if (!n)
		return NULL;
	n->process = getpid();
	n->has_cache = cache_is_there();
	pthread_mutex_init(&n->lock, NULL);
	pthread_cond_init(&n->changed, NULL);
	return n;
}

/* Takes the lock. False: a thread that fork has left behind in the parent holds it, and will not give it up in this process: nobody
 * writes here any more, so who only reads needs no lock. */
static bool enter(struct native *n)
{
	enum { LONG = 100 }; /* milliseconds: nobody compiles under the lock of a child */
	struct timespec until;

	if (!pthread_mutex_trylock(&n->lock))
		return true;
	if (n->process == getpid())
		return !pthread_mutex_lock(&n->lock);
	if (__atomic_load_n(&n->lock_lost, __ATOMIC_RELAXED) || clock_gettime(CLOCK_REALTIME, &until))
		return false;
	until.tv_nsec += LONG * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	if (!pthread_mutex_timedlock(&n->lock, &until))
		return true;
	__atomic_store_n(&n->lock_lost, true, __ATOMIC_RELAXED);
	return false;
}

/* Under the lock. What was in work when a child was made stays so in it, where nobody works. */
static void wait_for_work(struct native *n)
{
	while (n->in_work && n->process == getpid())
		pthread_cond_wait(&n->changed, &n->lock);
}

/* By one thread at a time: under the lock, or while `in_work` says so. */
static bool load(struct native *n)
{
	if (n->process != getpid())
		return false;
	if (!n->tried) {
		n->tried = true;
		n->compiler = native_load_compiler(&n->plugin, n->message, sizeof n->message);
	}
	return n->compiler;
}

bool native_available(struct native *n, char *message, size_t size)
{
	const bool entered = enter(n);
	if (entered)
		wait_for_work(n);
	const bool available = entered && load(n);
	snprintf(message, size, "%s", n->message);
	if (entered)
		pthread_mutex_unlock(&n->lock);
	return available;
}

const char *native_description(const struct native *n) { return n->compiler ? n->plugin->description : NULL; }

/* --- Compiling ---------------------------------------------------------------------------------- */

/* Finds the regions of k, whose program may go afterwards. */
static void find_regions(struct native *n, struct kernel_record *k, bool choosy)
{
	if (!k->builder || k->builder_chooses != choosy) {
		native_build_abandon(k->builder);
		k->builder = native_build_begin(k->program->isa, k->code, k->watch.told ? &k->watch : NULL,
						k->sample.taken && !k->any_shape ? &k->sample : NULL, choosy);
		k->builder_chooses = choosy;
	}
	pthread_mutex_lock(&n->lock);
	n->reads_program = false;
	pthread_cond_broadcast(&n->changed);
	pthread_mutex_unlock(&n->lock);
}

/* Looks for code in the cache folder, and has it compiled if it is not there and `compile` says so. False: it is not known
 * yet what can be run natively. */
static bool make_code(struct native *n, struct kernel_record *k, bool compile, bool choosy, struct kernel_code **code)
{
	*code = NULL;
	find_regions(n, k, choosy);
	struct native_builder *b = k->builder;
	if (b && !native_build_cached(b, code, &k->report)) {
		if (!compile)
			return false;
		if (load(n))
			*code = native_build_finish(b, n->plugin, n->compiler, &n->ending, &k->report);
		else
			native_build_abandon(b);
	}
	k->builder = NULL;
	return true;
}

/* Under the lock, which is given up meanwhile. */
static void build(struct native *n, struct kernel_record *k, bool compile, bool choosy)
{
	struct kernel_code *code;

	n->in_work = k;
	n->reads_program = true;
	pthread_mutex_unlock(&n->lock);
	const bool known = make_code(n, k, compile, choosy, &code);
	pthread_mutex_lock(&n->lock);
	n->in_work = NULL;
	pthread_cond_broadcast(&n->changed);
	if (!known)
		return;
	if (!choosy)
		__atomic_store_n(&k->common.settled, true, __ATOMIC_RELAXED);
	if (k->common.ready)
		k->replaced[k->replaced_count++] = (struct kernel_code *)(void *)k->common.ready;
	__atomic_store_n(&k->common.ready, code ? &code->common : NULL, __ATOMIC_RELEASE);
	k->done = true;
}

enum { COMPILER_NICENESS = 5 };

/* Where two threads run kernels on two processors, the compiler then gets a third of what each of them gets; where a processor
 * is idle it loses nothing. Not more: exit() may have to wait for it. Of the calling thread alone. */
static void give_way(void)
{
#ifdef __linux__
	const id_t self = (id_t)syscall(SYS_gettid);

	setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + COMPILER_NICENESS);
#endif
}

/* The kernel has become warm, or hot. */
static void build_by_heat(struct native *n, struct kernel_record *k)
{
	const u64 hot = k->hot;

	if (!k->done && __atomic_load_n(&k->common.heat, __ATOMIC_RELAXED) < hot) {
		build(n, k, false, true);
		__atomic_store_n(&k->common.wanted, hot, __ATOMIC_RELAXED);
	}
	if (k->done || n->ending || __atomic_load_n(&k->common.heat, __ATOMIC_RELAXED) < hot)
		return;
	if (!n->gives_way)
		give_way();
	n->gives_way = true;
	build(n, k, true, true);
}

static void free_all(struct native *n, bool own);

static void *compiler_main(void *tier)
{
	struct native *n = tier;

	pthread_mutex_lock(&n->lock);
	while (!n->ending) {
		struct kernel_record *k = n->queue;
		if (!k || n->in_work) {
			pthread_cond_wait(&n->changed, &n->lock);
			continue;
		}
		n->queue = k->queued;
		k->waits = false;
		build_by_heat(n, k);
	}
	const bool left = n->left;
	pthread_mutex_unlock(&n->lock);
	if (left) {
		free_all(n, true);
		__atomic_fetch_sub(&threads_left, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Under the lock. */
static void enqueue(struct native *n, struct kernel_record *k)
{
	struct kernel_record **end = &n->queue;

	while (*end)
		end = &(*end)->queued;
	if (!k->waits) {
		*end = k;
		k->queued = NULL;
		k->waits = true;
	}
	if (!n->has_thread)
		n->has_thread = !pthread_create(&n->thread, NULL, compiler_main, n);
	pthread_cond_broadcast(&n->changed);
}

/* A kernel has become warm, or hot. */
static void want(struct native_kernel *kernel, const struct grid *grid)
{
	struct kernel_record *k = (struct kernel_record *)(void *)kernel;
	struct native *n = k->tier;

	if (n->process != getpid())
		return;
	pthread_mutex_lock(&n->lock);
	if (grid && !k->sample.taken)
		sample_take(&k->sample, grid);
	if (!k->done)
		enqueue(n, k);
	pthread_mutex_unlock(&n->lock);
}

/* What of the sample is not to be relied upon when the code is made again. False: nothing more. */
static bool learn(struct kernel_record *k)
{
	const struct kernel_code *code = (const struct kernel_code *)(const void *)k->common.ready;

	if (!code || !k->sample.taken || k->any_shape)
		return false;
	if (__atomic_load_n(&code->mistakes, __ATOMIC_RELAXED) >= MISTAKES_MOST) {
		k->any_shape = true;
		return true;
	}
	if (!k->sample.several_warps && __atomic_load_n(&code->crowds, __ATOMIC_RELAXED)) {
		k->sample.several_warps = true;
		return true;
	}
	const bool parts = !k->sample.parts;
	k->sample.parts = true;
	return parts;
}

/* Made again: by the next launch where every launch waits for code. Not for a kernel whose code was refused meanwhile. */
static void mistaken(struct native_kernel *kernel)
{
	struct kernel_record *k = (struct kernel_record *)(void *)kernel;
	struct native *n = k->tier;

	if (n->process != getpid())
		return;
	pthread_mutex_lock(&n->lock);
	if (k->done && learn(k)) {
		k->done = false;
		if (!k->always)
			enqueue(n, k);
	}
	pthread_mutex_unlock(&n->lock);
}

/* Blocks may still run what is refused; it goes with the kernel. */
static void settle(struct native_kernel *kernel)
{
	struct kernel_record *k = (struct kernel_record *)(void *)kernel;
	const struct native_trial *native = &kernel->trials[NATIVE_TURN_NATIVE];
	const struct native_trial *other = &kernel->trials[NATIVE_TURN_INTERPRETED];
	struct native *n = k->tier;

	if (!enter(n))
		return;
	if (!kernel->settled &&
	    native->ticks / (native->blocks - TRIAL_COLD) >= other->ticks / (other->blocks - TRIAL_COLD)) {
		k->refused = (struct kernel_code *)(void *)kernel->ready;
		__atomic_store_n(&kernel->ready, NULL, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&kernel->settled, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&n->lock);
}

/* --- Kernels ------------------------------------------------------------------------------------ */

static struct native_kernel *begin(struct native_kernel *kernel, const struct native_watch *watch,
				   const struct grid *grid, double *seconds);

static void record_free(struct kernel_record *k)
{
	if (k->common.ready)
		native_build_free((struct kernel_code *)(void *)k->common.ready);
	if (k->refused)
		native_build_free(k->refused);
	for (u32 n = 0; n < k->replaced_count; n++)
		native_build_free(k->replaced[n]);
	native_build_abandon(k->builder);
	sample_free(&k->sample);
	free((void *)(uintptr_t)k->watch.gang_insns);
	free((void *)(uintptr_t)k->watch.told);
	free(k);
}

static bool keep_watch(struct kernel_record *k, const struct native_watch *watch)
{
	const u32 count = k->code->insn_count;
	struct insn *insns = malloc((count + 1) * sizeof *insns);
	u8 *told = malloc(count + 1);

	k->watch = (struct native_watch){insns, told};
	if (!insns || !told)
		return false;
	memcpy(insns, watch->gang_insns, count * sizeof *insns);
	memcpy(told, watch->told, count);
	return true;
}

static struct kernel_record *record_new(struct native *n, const struct program *p, const struct code *code,
					const struct native_watch *watch)
{
	struct kernel_record *k = calloc(1, sizeof *k);

	if (!k)
		return NULL;
	*k = (struct kernel_record){.tier = n, .program = p, .code = code, .next = n->kernels};
	if (watch && !keep_watch(k, watch)) {
		record_free(k);
		return NULL;
	}
	k->common.want = want;
	k->common.settle = settle;
	k->common.mistaken = mistaken;
	k->common.begin = begin;
	k->hot = max_u64(HEAT_LEAST, (u64)code->insn_count * HEAT_EACH);
	k->common.wanted = n->has_cache ? HEAT_LOOK_UP : k->hot;
	n->kernels = k;
	return k;
}

static struct kernel_record *record_of(const struct native *n, const struct code *code,
				       const struct native_watch *watch)
{
	for (struct kernel_record *k = n->kernels; k; k = k->next)
		if (k->code == code && !k->watch.told == !watch &&
		    (!watch || !memcmp(k->watch.told, watch->told, code->insn_count)))
			return k;
	return NULL;
}

struct native_kernel *native_kernel_of(struct native *n, const struct program *p, const struct kernel *kernel,
				       enum native_mode mode)
{
	struct kernel_record *k;

	if (!n || mode == NATIVE_OFF)
		return NULL;
	const bool entered = enter(n);
	k = record_of(n, kernel->code, NULL);
	if (!entered)
		return k ? &k->common : NULL;
	if (!k && kernel->code && kernel->code->gang_insns)
		k = record_new(n, p, kernel->code, NULL);
	if (k && mode == NATIVE_ALWAYS)
		k->always = true;
	pthread_mutex_unlock(&n->lock);
	return k ? &k->common : NULL;
}

static struct native_kernel *begin(struct native_kernel *kernel, const struct native_watch *watch,
				   const struct grid *grid, double *seconds)
{
	struct kernel_record *const plain = (struct kernel_record *)(void *)kernel, *k = plain;
	struct native *n = plain->tier;

	/* Machine code that is watched is interpreted. */
	if (watch && plain->code->steps)
		return NULL;
	const bool entered = enter(n);
	if (watch) {
		k = record_of(n, plain->code, watch);
		if (!k && entered)
			k = record_new(n, plain->program, plain->code, watch);
	}
	if (k && entered && plain->always && !k->done) {
		const double start = seconds_now();
		wait_for_work(n);
		if (!k->done && !k->sample.taken)
			sample_take(&k->sample, grid);
		if (!k->done && n->process == getpid())
			build(n, k, true, false);
		*seconds = seconds_now() - start;
	}
	if (entered)
		pthread_mutex_unlock(&n->lock);
	return k ? &k->common : NULL;
}

const struct native_report *native_report_of(const struct native_kernel *k)
{
	return &((const struct kernel_record *)(const void *)k)->report;
}

static void free_all(struct native *n, bool own)
{
	while (n->kernels) {
		struct kernel_record *k = n->kernels;
		n->kernels = k->next;
		record_free(k);
	}
	if (own && n->compiler)
		n->plugin->close(n->compiler);
	/* In a child of the process, the thread that waited for it is not there to wake up, and destroying it would wait. */
	if (own) {
		pthread_cond_destroy(&n->changed);
		pthread_mutex_destroy(&n->lock);
	}
	free(n);
}

/* This library may be unloaded: no thread may be in it then. */
static void wait_for_threads(void)
{
	while (native_underway())
		usleep(1000);
}

bool native_underway(void) { return __atomic_load_n(&threads_left, __ATOMIC_ACQUIRE) != 0; }

/* Lets the thread go on with the region that it compiles, which nobody wants any more: it cannot be stopped, and takes
 * up to a second. True: it frees everything. */
static bool leave_thread(struct native *n)
{
	while (n->reads_program)
		pthread_cond_wait(&n->changed, &n->lock);
	if (!n->in_work || atexit(wait_for_threads))
		return false;
	n->left = true;
	__atomic_fetch_add(&threads_left, 1, __ATOMIC_RELAXED);
	pthread_detach(n->thread);
	return true;
}

void native_close(struct native *n)
{
	if (!n)
		return;
	const bool own = n->process == getpid();
	if (own && n->has_thread) {
		pthread_mutex_lock(&n->lock);
		__atomic_store_n(&n->ending, true, __ATOMIC_RELAXED);
		const bool left = leave_thread(n);
		pthread_cond_broadcast(&n->changed);
		pthread_mutex_unlock(&n->lock);
		if (left)
			return;
		pthread_join(n->thread, NULL);
	}
	free_all(n, own);
}
