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
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "exec/internal.h"

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { VARIABLE_GRAIN = 256 };

u64 global_variable_bytes(const struct memory *m, const struct global_variable *g)
{
	const u64 word = m->bounds == BOUNDS_ALLOCATION ? VARIABLE_GRAIN : 4;

	return (g->size + word - 1) & ~(word - 1);
}

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
static bool bad(char *message, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, size, format, args);
	va_end(args);
	return false;
}

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

static bool set_clusters(struct machine *m, const struct launch *l, char *message, size_t size)
{
	const struct ir_limits *limits = &l->kernel->function->limits;

	m->blocks_per_cluster = 1;
	for (int d = 0; d < 3; d++) {
		const u32 required = limits->required_cluster[d];
		m->cluster_shape[d] = l->cluster[0] ? max_u32(1, l->cluster[d]) : required ? required : 1;
		if (l->cluster[0] && required && required != m->cluster_shape[d])
			return bad(message, size, "kernel '%s' requires cluster dimension %c = %u, not %u",
				   l->kernel->name, 'x' + d, required, m->cluster_shape[d]);
		m->grid[d] = l->grid[d] * (limits->blocks_are_clusters ? m->cluster_shape[d] : 1);
		if (m->grid[d] % m->cluster_shape[d])
			return bad(message, size, "grid dimension %c (%u) is not a multiple of the cluster's (%u)",
				   'x' + d, m->grid[d], m->cluster_shape[d]);
		m->clusters_grid[d] = m->grid[d] / m->cluster_shape[d];
		m->blocks_per_cluster *= m->cluster_shape[d];
	}
	m->explicit_cluster = l->cluster[0] || limits->required_cluster[0];
	if (m->explicit_cluster && m->arch < 90)
		return bad(message, size, "clusters need sm_90 or later");
	if (m->blocks_per_cluster > 16)
		return bad(message, size, "a cluster of %u blocks is too large: 16 is the most", m->blocks_per_cluster);
	return true;
}

static bool machine_init(struct machine *m, const struct launch *l, char *message, size_t size)
{
	const struct arch *a = l->program->arch;

	m->launch = l;
	m->threads = l->threads ? l->threads : &m->own_threads;
	m->program = l->program;
	m->kernel = l->kernel;
	m->memory = l->memory;
	m->map = address_map(l->program->address_bits);
	m->machine_arch = a;
	m->arch = a->cc;
	m->independent = a->divergence == ARCH_INDEPENDENT;
	if (!check_shape(l, a, message, size) || !check_registers(l, a, message, size) ||
	    !check_shared(l, a, message, size) || !set_clusters(m, l, message, size))
		return false;
	m->block_threads = l->block[0] * l->block[1] * l->block[2];
	m->warps_per_block = (m->block_threads + WARP_LANES - 1) / WARP_LANES;
	m->block_count = (u64)m->grid[0] * m->grid[1] * m->grid[2];
	m->cluster_count = m->block_count / m->blocks_per_cluster;
	m->end_cluster = l->end_cluster ? min_u64(l->end_cluster, m->cluster_count) : m->cluster_count;
	m->next_cluster = m->first_cluster = min_u64(l->first_cluster, m->end_cluster);
	m->shared_bytes = l->kernel->dynamic_shared_offset + l->dynamic_shared;
	/* Residency of the whole sample GPU, with shared memory and warps as limits. */
	u64 blocks_sm = min_u64(a->max_blocks_sm, a->max_warps_sm / m->warps_per_block);
	if (m->shared_bytes)
		blocks_sm = min_u64(blocks_sm, a->shared_sm / m->shared_bytes);
	m->resident_limit = max_u64(1, max_u64(1, blocks_sm) * a->sms / m->blocks_per_cluster);
	m->async = l->program->asynchronous ? l->async.mode : ASYNC_EAGER;
	m->async_checker = l->async_checker;
	if (m->async == ASYNC_STRICT && !m->async_checker)
		m->async = ASYNC_EAGER;
	m->limit_left = (s64)min_u64(l->instruction_limit ? l->instruction_limit : INT64_MAX, INT64_MAX);
	m->fault_block = UINT64_MAX;
	m->places_left = (s64)min_u64(m->resident_limit, INT64_MAX);
	pthread_mutex_init(&m->lock, NULL);
	pthread_mutex_init(&m->print_lock, NULL);
	return true;
}

/* --- Workers -------------------------------------------------------------------------------- */

static u32 worker_limit(const struct machine *m)
{
	const struct launch *l = m->launch;
	const bool ordered = l->kernel->order_dependent && !l->any_order;

	const u64 clusters = m->end_cluster - m->first_cluster;

	if (ordered || clusters <= 1)
		return 1;
	/* Asking for the number of cores opens a file: a launch that needs no answer takes half the time. */
	const long cores = l->jobs ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
	const u64 jobs = l->jobs ? l->jobs : cores > 0 ? (u64)cores : 1;
	return (u32)max_u64(1, min_u64(min_u64(jobs, clusters), 256));
}

static bool worker_init(struct worker *k, struct machine *m, u32 number)
{
	memset(k, 0, sizeof *k);
	k->machine = m;
	k->number = number;
	k->pause_at = UINT64_MAX;
	arena_init(&k->arena, &k->out_of_memory);
	if (setjmp(k->out_of_memory))
		return false;
	k->frames = ARENA_ARRAY(&k->arena, m->program->code_count + 1, struct frame *);
	return true;
}

/* False: the worker was suspended. */
static bool work(struct worker *k)
{
	if (setjmp(k->out_of_memory)) {
		machine_fault_memory(k->machine);
		worker_ends(k);
		return true;
	}
	fp_save(k);
	const bool finished = worker_run(k);
	fp_restore(k);
	return finished;
}

static void helper_main(void *worker) { work(worker); }

bool machine_work(struct machine *m) { return work(&m->workers[0]); }

void machine_start_helpers(struct machine *m)
{
	const u32 limit = m->worker_limit;

	while (m->worker_count < limit) {
		struct worker *k = &m->workers[m->worker_count];
		if (!worker_init(k, m, m->worker_count))
			return;
		worker_begins(m);
		if (!host_threads_do(m->threads, helper_main, k)) {
			worker_ends(k);
			return;
		}
		__atomic_store_n(&m->worker_count, m->worker_count + 1, __ATOMIC_RELEASE);
	}
}

static void worker_end(struct worker *k, struct launch_stats *stats)
{
	stats->blocks += k->stats.blocks;
	stats->warps += k->stats.warps;
	stats->warp_instructions += k->stats.warp_instructions;
	stats->thread_instructions += k->stats.thread_instructions;
	stats->branches += k->stats.branches;
	stats->divergent_branches += k->stats.divergent_branches;
	arena_free(&k->arena);
}

/* What the driver gives a cooperative launch: a size, and the barrier of all blocks. */
enum { GRID_WORKSPACE = 16 };

static enum launch_status begin_cooperation(struct machine *m, char *message, size_t size)
{
	if (!m->launch->cooperative)
		return LAUNCH_OK;
	if (m->arch < 60) {
		bad(message, size, "cooperative launches need sm_60 or later");
		return LAUNCH_BAD_CONFIG;
	}
	if (m->cluster_count > m->resident_limit) {
		bad(message, size, "a cooperative launch of %llu blocks is too large: %s runs %llu of them at once",
		    (unsigned long long)m->block_count, m->machine_arch->name,
		    (unsigned long long)m->resident_limit * m->blocks_per_cluster);
		return LAUNCH_BAD_CONFIG;
	}
	m->grid_workspace = memory_allocate(m->memory, GRID_WORKSPACE, 1, "grid workspace", 0);
	return m->grid_workspace ? LAUNCH_OK : LAUNCH_NO_MEMORY;
}

static void end_cooperation(struct machine *m)
{
	if (m->grid_workspace)
		memory_forget(m->memory, m->grid_workspace);
}

enum launch_status machine_begin(struct machine *m, const struct launch *l, struct arena *arena, bool alone,
				 char *message, size_t size)
{
	if (!machine_init(m, l, message, size))
		return LAUNCH_BAD_CONFIG;
	const enum launch_status status = begin_cooperation(m, message, size);
	if (status)
		return status;
	m->worker_limit = alone ? 1 : worker_limit(m);
	/* Blocks that wait for one another run in the order in which the hardware starts them. */
	m->run_limit = m->worker_limit == 1 || m->kernel->order_dependent ? 1 : 256;
	m->workers = calloc(m->worker_limit, sizeof *m->workers);
	if (!m->workers)
		return LAUNCH_NO_MEMORY;
	m->gang_insns = m->kernel->code->gang_insns;
	m->gang_limit = m->gang_insns ? GANG_WARPS : 0;
	machine_watch(m, arena);
	/* Who watches or checks, or steps through, sees every instruction. */
	if (m->gang_limit && !m->observer_count && !alone && m->async == ASYNC_EAGER)
		m->native = l->native;
	if (!worker_init(&m->workers[0], m, 0))
		return LAUNCH_NO_MEMORY;
	m->worker_count = 1;
	worker_begins(m);
	return LAUNCH_OK;
}

/* After machine_begin failed, or memory ran out in it. */
void machine_drop(struct machine *m)
{
	end_cooperation(m);
	if (!m->workers)
		return;
	arena_free(&m->workers[0].arena);
	free(m->workers);
	pthread_mutex_destroy(&m->lock);
	pthread_mutex_destroy(&m->print_lock);
}

enum launch_status machine_end(struct machine *m, struct launch_stats *stats, struct fault *fault)
{
	host_threads_wait(m->threads);
	host_threads_end(&m->own_threads);
	stats->jobs = m->worker_count;
	for (u32 k = 0; k < m->worker_count; k++)
		worker_end(&m->workers[k], stats);
	end_cooperation(m);
	*fault = m->fault;
	free(m->workers);
	pthread_mutex_destroy(&m->lock);
	pthread_mutex_destroy(&m->print_lock);
	return m->faulted                                                              ? LAUNCH_FAULT
	       : m->launch->stop && __atomic_load_n(m->launch->stop, __ATOMIC_RELAXED) ? LAUNCH_INTERRUPTED
										       : LAUNCH_OK;
}

u64 launch_clusters(const struct launch *l)
{
	struct machine m;
	char message[2];

	memset(&m, 0, sizeof m);
	if (!machine_init(&m, l, message, sizeof message))
		return 0;
	pthread_mutex_destroy(&m.lock);
	pthread_mutex_destroy(&m.print_lock);
	return m.cluster_count;
}

enum launch_status launch_run(const struct launch *l, struct launch_stats *stats, struct fault *fault, char *message,
			      size_t message_size)
{
	struct machine m;
	struct arena watched;
	jmp_buf out_of_memory;
	volatile enum launch_status status = LAUNCH_NO_MEMORY;
	const double start = seconds_now();

	memset(stats, 0, sizeof *stats);
	memset(fault, 0, sizeof *fault);
	memset(&m, 0, sizeof m);
	arena_init(&watched, &out_of_memory);
	if (!setjmp(out_of_memory))
		status = machine_begin(&m, l, &watched, false, message, message_size);
	if (status == LAUNCH_OK) {
		machine_work(&m);
		status = machine_end(&m, stats, fault);
	} else {
		machine_drop(&m);
	}
	stats->seconds = seconds_now() - start;
	arena_free(&watched);
	return status;
}
