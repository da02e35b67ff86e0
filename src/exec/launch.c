/* SPDX-License-Identifier: Apache-2.0
 *
 * Launching: checks the configuration, starts workers, and puts the counts together.
 *
 * The calling thread is the first worker; others are started only once the launch has turned out
 * to be long enough to pay for them. Clusters (of one block, unless the launch has clusters) are
 * claimed in order. After a fault the workers finish the blocks that come before it, so that the
 * fault reported is that of the lowest block, whatever the number of workers.
 */
#include "exec/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/clock.h"
#include "exec/in_order.h"
#include "exec/internal.h"
#include "exec/spread.h"

enum { VARIABLE_GRAIN = 256 };

/* In bytes. With bounds by allocation, a module's variables fill 256-byte units as the driver's do; else whole
 * words. */
u64 global_variable_bytes(const struct memory *m, const struct global_variable *g)
{
	const u64 word = m->bounds == BOUNDS_ALLOCATION ? VARIABLE_GRAIN : 4;

	return (g->size + word - 1) & ~(word - 1);
}

/* Maps and initialises the module's variables; a second load of the same program resets them. `next` is moved past
 * them, so that later allocations come behind. False: no room, or not enough memory. */
bool memory_load_program(struct memory *m, const struct program *p)
{
	for (u32 k = 0; k < p->variable_count; k++) {
		const struct global_variable *g = &p->variables[k];
		if (!g->size)
			continue;
		const struct allocation *a = memory_find(m, g->address, g->size);
		if (a) {
			memset(a->host, 0, g->size);
		} else {
			const u32 flags = ALLOCATION_VARIABLE | (g->space == SPACE_CONST ? ALLOCATION_CONST : 0);
			if (!memory_map(m, g->address, global_variable_bytes(m, g), NULL, g->variable->name, flags))
				return false;
			a = memory_find(m, g->address, g->size);
			if (g->space != SPACE_CONST && m->next < g->address + g->size + 512)
				m->next = (g->address + g->size + 512 + 255) & ~255ull;
		}
		global_variable_fill(g, a->host);
	}
	return true;
}

/* "eager", "strict", "random" or "random:SEED"; false: the text is none of these. */
bool async_choice_read(const char *text, struct async_choice *choice)
{
	char *end;

	*choice = (struct async_choice){ASYNC_RANDOM, 1};
	if (!strcmp(text, "random"))
		return true;
	if (!strncmp(text, "random:", 7)) {
		choice->seed = strtoull(text + 7, &end, 0);
		return text[7] >= '0' && text[7] <= '9' && !*end;
	}
	choice->mode = strcmp(text, "strict") ? ASYNC_EAGER : ASYNC_STRICT;
	return choice->mode == ASYNC_STRICT || !strcmp(text, "eager");
}

/* --- Configuration -------------------------------------------------------------------------- */

static bool bad(char *message, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Writes the message of a refused launch; always false, so that checks can return it. */
static bool bad(char *message, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, size, format, args);
	va_end(args);
	return false;
}

/* Against the architecture's limits and the kernel's own directives (.reqntid, .maxntid); shapes are in threads and
 * blocks. */
static bool check_shape(const struct launch *l, const struct arch *a, char *message, size_t size)
{
	const struct ir_limits *limits = &l->kernel->function->limits;
	u64 threads = 1;

	for (int d = 0; d < 3; d++) {
		if (!l->grid[d] || !l->block[d])
			return bad(message, size, "grid and block dimensions must be at least 1");
		if (l->block[d] > a->max_block[d])
			return bad(message, size, "block dimension %c is %u; %s allows %u", 'x' + d, l->block[d],
				   a->name, a->max_block[d]);
		if (l->grid[d] > a->max_grid[d])
			return bad(message, size, "grid dimension %c is %u; %s allows %u", 'x' + d, l->grid[d], a->name,
				   a->max_grid[d]);
		if (limits->required_threads[d] && limits->required_threads[d] != l->block[d])
			return bad(message, size, "kernel '%s' requires block dimension %c = %u (.reqntid), not %u",
				   l->kernel->name, 'x' + d, limits->required_threads[d], l->block[d]);
		threads *= l->block[d];
	}
	if (threads > a->max_threads_block)
		return bad(message, size, "a block of %llu threads is too large: %s allows %u",
			   (unsigned long long)threads, a->name, a->max_threads_block);
	const u64 most =
		(u64)limits->max_threads[0] * max_u32(1, limits->max_threads[1]) * max_u32(1, limits->max_threads[2]);
	if (most && threads > most)
		return bad(message, size, "a block of %llu threads is too large: kernel '%s' says .maxntid %llu",
			   (unsigned long long)threads, l->kernel->name, (unsigned long long)most);
	return true;
}

/* A listing's registers are the machine's: a block must get them all. */
static bool check_registers(const struct launch *l, const struct arch *a, char *message, size_t size)
{
	const u32 threads = l->block[0] * l->block[1] * l->block[2], registers = l->kernel->registers;

	if (!registers || arch_occupancy(a, threads, registers, 0).blocks)
		return true;
	return bad(message, size, "a block of %u threads with %u registers each is too large: %s has %u for a block",
		   threads, registers, a->name, a->registers_block);
}

static bool check_shared(const struct launch *l, const struct arch *a, char *message, size_t size)
{
	const u64 bytes = l->kernel->dynamic_shared_offset - l->kernel->reserved_shared + l->dynamic_shared;
	const u64 most = a->shared_block_optin ? a->shared_block_optin : a->shared_block;

	if (bytes > most)
		return bad(message, size, "%llu bytes of shared memory are too much: %s allows %llu for a block",
			   (unsigned long long)bytes, a->name, (unsigned long long)most);
	return true;
}

u64 launch_shared_bytes(const struct launch *l)
{
	const u64 own = l->kernel->dynamic_shared_offset + l->dynamic_shared, above = l->kernel->reserved_above;

	return above ? (own + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT + above : own;
}

/* The launch's cluster shape wins over the kernel's .reqnctapercluster, but must equal it. With .blocksareclusters the
 * grid is given in clusters. 16 blocks are the most that sm_90 allows (with the non-portable attribute). */
static bool set_clusters(struct grid *grid, const struct launch *l, char *message, size_t size)
{
	const struct ir_limits *limits = &l->kernel->function->limits;

	grid->blocks_per_cluster = 1;
	for (int d = 0; d < 3; d++) {
		const u32 required = limits->required_cluster[d];
		grid->cluster_shape[d] = l->cluster[0] ? max_u32(1, l->cluster[d]) : required ? required : 1;
		if (l->cluster[0] && required && required != grid->cluster_shape[d])
			return bad(message, size, "kernel '%s' requires cluster dimension %c = %u, not %u",
				   l->kernel->name, 'x' + d, required, grid->cluster_shape[d]);
		grid->size[d] = l->grid[d] * (limits->blocks_are_clusters ? grid->cluster_shape[d] : 1);
		if (grid->size[d] % grid->cluster_shape[d])
			return bad(message, size, "grid dimension %c (%u) is not a multiple of the cluster's (%u)",
				   'x' + d, grid->size[d], grid->cluster_shape[d]);
		grid->clusters[d] = grid->size[d] / grid->cluster_shape[d];
		grid->blocks_per_cluster *= grid->cluster_shape[d];
	}
	grid->explicit_cluster = l->cluster[0] || limits->required_cluster[0];
	if (grid->explicit_cluster && grid->arch < 90)
		return bad(message, size, "clusters need sm_90 or later");
	if (grid->blocks_per_cluster > 16)
		return bad(message, size, "a cluster of %u blocks is too large: 16 is the most",
			   grid->blocks_per_cluster);
	return true;
}

void grid_clear(struct grid *grid)
{
	memset(grid, 0, offsetof(struct grid, fault));
	fault_clear(&grid->fault);
}

/* Fills in what does not change while the launch runs. `resident_limit` is in clusters and bounds how many are active
 * at once: a kernel that needs more than the GPU holds must hang here, too. */
static bool grid_init(struct grid *grid, const struct launch *l, char *message, size_t size)
{
	const struct arch *a = l->program->arch;

	grid->launch = l;
	grid->threads = l->threads ? l->threads : &grid->own_threads;
	grid->program = l->program;
	grid->kernel = l->kernel;
	grid->memory = l->memory;
	grid->map = address_map(l->program->address_bits);
	grid->arch_row = a;
	grid->arch = a->cc;
	grid->independent = a->divergence == ARCH_INDEPENDENT;
	if (!check_shape(l, a, message, size) || !check_registers(l, a, message, size) ||
	    !check_shared(l, a, message, size) || !set_clusters(grid, l, message, size))
		return false;
	grid->block_threads = l->block[0] * l->block[1] * l->block[2];
	grid->warps_per_block = (grid->block_threads + WARP_LANES - 1) / WARP_LANES;
	grid->block_count = (u64)grid->size[0] * grid->size[1] * grid->size[2];
	grid->cluster_count = grid->block_count / grid->blocks_per_cluster;
	grid->end_cluster = l->end_cluster ? min_u64(l->end_cluster, grid->cluster_count) : grid->cluster_count;
	grid->next_cluster = grid->first_cluster = min_u64(l->first_cluster, grid->end_cluster);
	grid->shared_bytes = launch_shared_bytes(l);
	/* Residency of the whole sample GPU, with shared memory and warps as limits. */
	u64 blocks_sm = min_u64(a->max_blocks_sm, a->max_warps_sm / grid->warps_per_block);
	if (grid->shared_bytes)
		blocks_sm = min_u64(blocks_sm, a->shared_sm / grid->shared_bytes);
	grid->resident_limit = max_u64(1, max_u64(1, blocks_sm) * a->sms / grid->blocks_per_cluster);
	grid->async = l->program->asynchronous ? l->async.mode : ASYNC_EAGER;
	grid->async_checker = l->async_checker;
	if (grid->async == ASYNC_STRICT && !grid->async_checker)
		grid->async = ASYNC_EAGER;
	grid->limit_left = (s64)min_u64(l->instruction_limit ? l->instruction_limit : INT64_MAX, INT64_MAX);
	grid->fault_block = UINT64_MAX;
	grid->places_left = (s64)min_u64(grid->resident_limit, INT64_MAX);
	grid->lock = grid->print_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	return true;
}

/* --- Workers -------------------------------------------------------------------------------- */

/* One thread where results could depend on the order of blocks, unless it can be kept or the launch says that any order will
 * do; at most 256. */
static u32 worker_limit(const struct grid *grid)
{
	const struct launch *l = grid->launch;
	const bool ordered = l->kernel->order_dependent && !l->any_order;

	const u64 clusters = grid->end_cluster - grid->first_cluster;

	if ((ordered && !in_order_may_pay(grid)) || clusters <= 1 || l->schedule.mode)
		return 1;
	const u32 jobs = l->jobs ? l->jobs : processors_allowed();
	return (u32)max_u64(1, min_u64(min_u64(jobs, clusters), 256));
}

/* What a small launch's only worker may leave to the next launch. */
enum { ROOM_MOST = 128 << 10 };

/* All zero, but for what an arena may have to give. A launch of one small block takes a fifth of its time to get memory for a
 * worker, and to give it back. */
static struct worker *take_workers(struct grid *grid)
{
	struct worker *k = grid->worker_limit == 1 ? grid->threads->room : NULL;

	if (!k)
		return calloc(grid->worker_limit, sizeof *k);
	grid->threads->room = NULL;
	const struct arena arena = k->arena;
	memset(k, 0, sizeof *k);
	k->arena = arena;
	return k;
}

void worker_free(struct worker *k)
{
	if (k)
		arena_free(&k->arena);
	free(k);
}

/* All but the first have been freed. */
static void give_workers_back(struct grid *grid, struct worker *k)
{
	const bool small = grid->worker_limit == 1 && k->arena.used_bytes <= ROOM_MOST && !k->arena.aside;

	if (!small || grid->threads == &grid->own_threads || grid->threads->room) {
		worker_free(k);
		return;
	}
	arena_reset(&k->arena);
	grid->threads->room = k;
}

/* `k` is one of the grid's, from take_workers(). */
static bool worker_init(struct worker *k, struct grid *grid, u32 number)
{
	k->grid = grid;
	k->number = number;
	k->pause_at = UINT64_MAX;
	k->arena.out_of_memory = &k->out_of_memory;
	if (setjmp(k->out_of_memory))
		return false;
	k->frames = ARENA_ARRAY(&k->arena, grid->program->code_count + 1, struct frame *);
	return true;
}

/* Runs a worker with the host's rounding mode and flags saved: handlers change them. Out of memory in its arena ends
 * here as a fault of the launch. */
static enum worker_state work(struct worker *k)
{
	if (setjmp(k->out_of_memory)) {
		grid_fault_memory(k->grid);
		worker_ends(k);
		return WORKER_ENDED;
	}
	fp_save(k);
	const enum worker_state state = worker_run(k);
	fp_restore(k);
	worker_give_tallies(k);
	return state;
}

static void helper_main(void *worker) { work(worker); }

/* As many as the launch may have; fewer if the host has no more threads or memory. */
static void start_helpers(struct grid *grid)
{
	const u32 limit = grid->worker_limit;

	while (grid->worker_count < limit) {
		struct worker *k = &grid->workers[grid->worker_count];
		if (!worker_init(k, grid, grid->worker_count))
			return;
		worker_begins(grid);
		if (!host_threads_do(grid->threads, helper_main, k)) {
			worker_ends(k);
			arena_free(&k->arena);
			return;
		}
		__atomic_store_n(&grid->worker_count, grid->worker_count + 1, __ATOMIC_RELEASE);
	}
}

bool grid_work(struct grid *grid)
{
	enum worker_state state;

	while ((state = work(&grid->workers[0])) == WORKER_WANTS_OTHERS)
		start_helpers(grid);
	return state == WORKER_ENDED;
}

static void add_counts(const struct worker *k, struct launch_stats *stats)
{
	stats->blocks += k->stats.blocks;
	stats->warps += k->stats.warps;
	stats->warp_instructions += k->stats.warp_instructions;
	stats->thread_instructions += k->stats.thread_instructions;
	stats->branches += k->stats.branches;
	stats->divergent_branches += k->stats.divergent_branches;
}

/* What the driver gives a cooperative launch: a size, and the barrier of all blocks. */
enum { GRID_WORKSPACE = 16 };

static enum launch_status begin_cooperation(struct grid *grid, char *message, size_t size)
{
	if (!grid->launch->cooperative)
		return LAUNCH_OK;
	if (grid->arch < 60) {
		bad(message, size, "cooperative launches need sm_60 or later");
		return LAUNCH_BAD_CONFIG;
	}
	if (grid->cluster_count > grid->resident_limit) {
		bad(message, size, "a cooperative launch of %llu blocks is too large: %s runs %llu of them at once",
		    (unsigned long long)grid->block_count, grid->arch_row->name,
		    (unsigned long long)grid->resident_limit * grid->blocks_per_cluster);
		return LAUNCH_BAD_CONFIG;
	}
	grid->workspace = memory_allocate(grid->memory, GRID_WORKSPACE, 1, "grid workspace", 0);
	return grid->workspace ? LAUNCH_OK : LAUNCH_NO_MEMORY;
}

static void end_cooperation(struct grid *grid)
{
	if (grid->workspace)
		memory_forget(grid->memory, grid->workspace);
}

/* `alone`: for the debugger, which steps the only worker itself. Nothing has run when this returns; observers' `wants`
 * has been asked. On failure the caller calls grid_drop(). */
enum launch_status grid_begin(struct grid *grid, const struct launch *l, struct arena *arena, bool alone, char *message,
			      size_t size)
{
	if (!grid_init(grid, l, message, size))
		return LAUNCH_BAD_CONFIG;
	const enum launch_status status = begin_cooperation(grid, message, size);
	if (status)
		return status;
	grid->worker_limit = alone ? 1 : worker_limit(grid);
	if (grid->worker_limit > 1 && grid->kernel->order_dependent && !l->any_order)
		in_order_begin(grid, arena);
	/* Blocks that wait for one another run in the order in which the hardware starts them. */
	grid->run_limit = grid->worker_limit == 1 || grid->kernel->order_dependent ? 1 : 256;
	grid->workers = take_workers(grid);
	if (!grid->workers)
		return LAUNCH_NO_MEMORY;
	grid->gang_insns = grid->kernel->code->gang_insns;
	grid->gang_limit = grid->gang_insns ? GANG_WARPS : 0;
	grid_watch(grid, arena);
	explore_watch(grid, arena);
	/* Who checks, or steps through, sees every instruction. */
	if (grid->gang_limit && !alone && grid->async == ASYNC_EAGER)
		grid->native = grid_watch_native(grid, arena, l->native);
	if (!worker_init(&grid->workers[0], grid, 0))
		return LAUNCH_NO_MEMORY;
	grid->worker_count = 1;
	worker_begins(grid);
	return LAUNCH_OK;
}

/* After grid_begin() failed, or memory ran out in it. */
void grid_drop(struct grid *grid)
{
	struct worker *const workers = grid->workers;

	end_cooperation(grid);
	if (!workers)
		return;
	grid->workers = NULL; /* an interrupt may come now */
	in_order_end(grid->in_order);
	grid->in_order = NULL;
	give_workers_back(grid, workers);
	pthread_mutex_destroy(&grid->lock);
	pthread_mutex_destroy(&grid->print_lock);
}

/* Readable at any time: a suspended launch has results so far. */
enum launch_status grid_result(const struct grid *grid, struct launch_stats *stats, struct fault *fault)
{
	stats->jobs = grid->worker_count;
	for (u32 k = 0; k < grid->worker_count; k++)
		add_counts(&grid->workers[k], stats);
	if (grid->faulted)
		*fault = grid->fault;
	else
		fault_clear(fault);
	return grid->faulted                                                                 ? LAUNCH_FAULT
	       : grid->launch->stop && __atomic_load_n(grid->launch->stop, __ATOMIC_RELAXED) ? LAUNCH_INTERRUPTED
											     : LAUNCH_OK;
}

enum launch_status grid_end(struct grid *grid, struct launch_stats *stats, struct fault *fault)
{
	host_threads_wait(grid->threads);
	host_threads_end(&grid->own_threads);
	const enum launch_status status = grid_result(grid, stats, fault);
	for (u32 k = 1; k < grid->worker_count; k++)
		arena_free(&grid->workers[k].arena);
	grid_drop(grid);
	return status;
}

/* For callers that divide a launch among processes; 0: the configuration is invalid. */
u64 launch_clusters(const struct launch *l)
{
	struct grid grid;
	char message[2];

	grid_clear(&grid);
	if (!grid_init(&grid, l, message, sizeof message))
		return 0;
	pthread_mutex_destroy(&grid.lock);
	pthread_mutex_destroy(&grid.print_lock);
	return grid.cluster_count;
}

/* `status` is volatile because setjmp may return a second time, when memory runs out in grid_begin(). */
enum launch_status launch_run(const struct launch *l, struct launch_stats *stats, struct fault *fault, char *message,
			      size_t message_size)
{
	struct grid grid;
	struct arena watched;
	jmp_buf out_of_memory;
	volatile enum launch_status status = LAUNCH_NO_MEMORY;
	const double start = seconds_now();

	memset(stats, 0, sizeof *stats);
	fault_clear(fault);
	grid_clear(&grid);
	arena_init(&watched, &out_of_memory);
	if (!setjmp(out_of_memory))
		status = grid_begin(&grid, l, &watched, false, message, message_size);
	if (status == LAUNCH_OK) {
		grid_work(&grid);
		status = grid_end(&grid, stats, fault);
	} else {
		grid_drop(&grid);
	}
	stats->seconds = seconds_now() - start - grid.compiling;
	arena_free(&watched);
	return status;
}
