/* SPDX-License-Identifier: Apache-2.0
 *
 * CUDA's device runtime: kernels that launch kernels, copy and fill (CUDA C++ Programming Guide, "CUDA Dynamic
 * Parallelism", for this generation; cuda_device_runtime_api.h). All that is asked for waits in the launch's queue
 * (exec/child_grids.h) and runs in the order in which it was asked for, so streams and events order nothing further.
 *
 * Names are those of cuda_device_runtime_api.h behind "__cudaCDP2"; each lane calls for itself. A launch in device code
 * is two calls:
 *
 *      buffer = cudaGetParameterBufferV2(kernel, grid, block, shared)     buffer_v2: memory for the arguments
 *      ... the kernel stores its arguments there ...
 *      cudaLaunchDeviceV2(buffer, stream)                                 launch_v2: the request goes to the queue
 */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/device.h"
#include "decode/resources.h"
#include "exec/child_grids.h"
#include "sem/external.h"

/* cudaError_t, as device code may see it. */
enum {
	RUNTIME_OK = 0,
	RUNTIME_INVALID_VALUE = 1,
	RUNTIME_NO_MEMORY = 2,
	RUNTIME_INVALID_CONFIGURATION = 9,
	RUNTIME_TOO_MANY_PENDING = 69,
	RUNTIME_INVALID_FUNCTION = 98,
	RUNTIME_UNSUPPORTED_LIMIT = 215,
	RUNTIME_NOT_SUPPORTED = 801,
};

/* cudaStreamTailLaunch. */
enum { STREAM_TAIL = 3 };

/* A call of one lane. */
struct runtime_call {
	struct warp *w;
	const struct insn *i;
	u8 *rows;
	const struct call_site *site;
	u32 lane;
	bool faulted;
};

typedef u64 runtime_fn(struct runtime_call *c);

static u64 argument(const struct runtime_call *c, u32 k)
{
	return k < c->site->in_count ? call_argument(c->w, c->rows, c->site, k, 0, c->lane) : 0;
}

/* A dim3 is passed by value: 12 bytes in one parameter. */
static void read_dim3(const struct runtime_call *c, u32 k, u32 d[3])
{
	const u64 low = call_argument(c->w, c->rows, c->site, k, 0, c->lane);

	d[0] = (u32)low;
	d[1] = (u32)(low >> 32);
	d[2] = (u32)call_argument(c->w, c->rows, c->site, k, 8, c->lane);
}

static struct grid_queue *queue_of(const struct runtime_call *c) { return c->w->grid->launch->grids; }
static struct memory *memory_of(const struct runtime_call *c) { return c->w->grid->memory; }

/* Whether the pointer leads to words of the lane's local memory, and where in it. */
static bool find_local(const struct runtime_call *c, u64 address, u32 bytes, u64 *offset)
{
	*offset = address - c->w->grid->map->local_window;
	return !(*offset & 3) && *offset < c->w->local_bytes && c->w->local_bytes - *offset >= bytes;
}

/* The bytes of shared memory that the pointer leads to; NULL: it leads elsewhere. */
static u8 *find_shared(const struct runtime_call *c, u64 address, u32 bytes)
{
	struct block *b = generic_space(c->w, &address) == SPACE_SHARED ? shared_owner(c->w, address) : NULL;

	address &= (1u << SHARED_RANK_SHIFT) - 1;
	return b && address <= b->shared_bytes && bytes <= b->shared_bytes - address ? b->shared + address : NULL;
}

/* Stores a result where the kernel's pointer says, global, shared or local; a bad pointer is the caller's fault. */
static bool store(struct runtime_call *c, u64 address, u64 value, u32 bytes)
{
	struct allocation a;
	u64 local;

	if (find_local(c, address, bytes, &local)) {
		for (u32 at = 0; at < bytes; at += 4)
			memcpy(local_word(c->w, local + at, c->lane), (u8 *)&value + at, 4);
		return true;
	}
	u8 *to = find_shared(c, address, bytes);
	if (!to && memory_look(memory_of(c), address, bytes, &a))
		to = a.host + (address - a.base);
	if (to) {
		memcpy(to, &value, bytes);
		return true;
	}
	warp_fault(c->w, c->i, FAULT_OUT_OF_BOUNDS, 1u << c->lane, "%s stores its result at 0x%llx", c->site->external,
		   (unsigned long long)address);
	c->faulted = true;
	return false;
}

static u64 store_result(struct runtime_call *c, u64 address, u64 value, u32 bytes)
{
	if (!address)
		return RUNTIME_INVALID_VALUE;
	store(c, address, value, bytes);
	return RUNTIME_OK;
}

/* --- Launches ------------------------------------------------------------------------------------ */

/* As the caller lays arguments out in its buffer: each aligned as its type is. */
static u64 bytes_of_params(const struct kernel *k)
{
	u64 bytes = 0;

	if (k->function->machine)
		return k->function->machine->param_bytes;
	for (size_t p = 0; p < k->function->params.count; p++) {
		const struct ir_variable *v = k->function->params.items[p];
		const u64 align = v->align ? v->align : 1;
		bytes = (bytes + align - 1) / align * align + v->size;
	}
	return bytes;
}

static u64 buffer_v2(struct runtime_call *c)
{
	const struct program *p = c->w->grid->launch->program;
	const struct kernel *k = program_kernel_at(p, argument(c, 0));
	struct grid_buffer b = {.shared_bytes = (u32)argument(c, 3)};

	if (!k) {
		warp_fault(c->w, c->i, FAULT_BAD_PC, 1u << c->lane, "0x%llx is not the address of a kernel",
			   (unsigned long long)argument(c, 0));
		c->faulted = true;
		return 0;
	}
	b.kernel = (u32)(k - (p->whole ? p->whole : p)->kernels);
	b.bytes = bytes_of_params(k);
	read_dim3(c, 1, b.grid);
	read_dim3(c, 2, b.block);
	return grids_buffer(queue_of(c), memory_of(c), &b);
}

static u64 buffer_v1(struct runtime_call *c)
{
	enum { MOST = 32768 };
	const struct grid_buffer b = {.kernel = NO_OPERAND, .bytes = argument(c, 1)};

	return b.bytes > MOST ? 0 : grids_buffer(queue_of(c), memory_of(c), &b);
}

/* Against the architecture's limits; the kernel's own directives are checked when it is launched. */
static bool shape_fits(const struct arch *a, const struct grid_buffer *b)
{
	u64 threads = 1;

	for (int d = 0; d < 3; d++) {
		if (!b->grid[d] || !b->block[d] || b->grid[d] > a->max_grid[d] || b->block[d] > a->max_block[d])
			return false;
		threads *= b->block[d];
	}
	return threads <= a->max_threads_block;
}

/* Takes the request, whose arguments are filled in. */
static u64 launch(struct runtime_call *c, struct grid_request *g, const struct grid_buffer *b, u64 stream)
{
	if (!shape_fits(c->w->grid->launch->program->arch, b)) {
		free(g);
		return RUNTIME_INVALID_CONFIGURATION;
	}
	g->act = GRID_LAUNCH;
	g->kernel = b->kernel;
	memcpy(g->grid, b->grid, sizeof g->grid);
	memcpy(g->block, b->block, sizeof g->block);
	g->shared_bytes = b->shared_bytes;
	return grids_add(queue_of(c), g, stream == STREAM_TAIL) ? RUNTIME_OK : RUNTIME_TOO_MANY_PENDING;
}

/* The buffer is released: its arguments are in the request now. */
static struct grid_request *take_buffer(struct runtime_call *c, u64 address, struct grid_buffer *b)
{
	struct grid_request *g = grids_from_buffer(queue_of(c), memory_of(c), address, b);

	/* The worker's next access there must not find what it remembers. */
	memset(c->w->worker->allocations, 0, sizeof c->w->worker->allocations);
	return g;
}

static u64 launch_v2(struct runtime_call *c)
{
	struct grid_buffer b;
	struct grid_request *g = take_buffer(c, argument(c, 0), &b);

	return g ? launch(c, g, &b, argument(c, 1)) : RUNTIME_INVALID_VALUE;
}

static u64 launch_v1(struct runtime_call *c)
{
	const struct program *p = c->w->grid->launch->program;
	const struct kernel *k = program_kernel_at(p, argument(c, 0));
	struct grid_buffer b;
	struct grid_request *g = k ? take_buffer(c, argument(c, 1), &b) : NULL;

	if (!g)
		return RUNTIME_INVALID_VALUE;
	if (b.bytes < bytes_of_params(k)) {
		free(g);
		return RUNTIME_INVALID_VALUE;
	}
	b.kernel = (u32)(k - (p->whole ? p->whole : p)->kernels);
	read_dim3(c, 2, b.grid);
	read_dim3(c, 3, b.block);
	b.shared_bytes = (u32)argument(c, 4);
	return launch(c, g, &b, argument(c, 5));
}

/* --- Copies and fills ------------------------------------------------------------------------------ */

/* Copies and fills wait in the same queue as launches, so they happen in order with them. */
static u64 move(struct runtime_call *c, const struct grid_request *wanted, u64 stream)
{
	struct grid_request *g = malloc(sizeof *g);

	if (!g)
		return RUNTIME_NO_MEMORY;
	*g = *wanted;
	return grids_add(queue_of(c), g, stream == STREAM_TAIL) ? RUNTIME_OK : RUNTIME_TOO_MANY_PENDING;
}

static u64 copy(struct runtime_call *c)
{
	return move(c,
		    &(struct grid_request){.act = GRID_COPY,
					   .to = argument(c, 0),
					   .from = argument(c, 1),
					   .width = argument(c, 2),
					   .height = 1},
		    argument(c, 4));
}

static u64 copy_2d(struct runtime_call *c)
{
	return move(c,
		    &(struct grid_request){.act = GRID_COPY,
					   .to = argument(c, 0),
					   .to_pitch = argument(c, 1),
					   .from = argument(c, 2),
					   .from_pitch = argument(c, 3),
					   .width = argument(c, 4),
					   .height = argument(c, 5)},
		    argument(c, 7));
}

/* Copies whole slices: rows of the first to those of the last, each its pitch after the one before. */
static u64 move_slices(struct runtime_call *c, struct grid_request g, u64 rows, u64 from_rows, u64 depth, u64 stream)
{
	u64 status = RUNTIME_OK;

	for (u64 z = 0; z < depth && !status; z++) {
		status = move(c, &g, stream);
		g.to += g.to_pitch * rows;
		g.from += g.from_pitch * from_rows;
	}
	return status;
}

/* A word of what a pointer of the kernel's points to; a bad one is the caller's fault. */
static u64 load(struct runtime_call *c, u64 address)
{
	struct allocation a;
	u64 local, value = 0;

	if (find_local(c, address, sizeof value, &local))
		for (u32 at = 0; at < sizeof value; at += 4)
			memcpy((u8 *)&value + at, local_word(c->w, local + at, c->lane), 4);
	else if (memory_look(memory_of(c), address, 8, &a))
		memcpy(&value, a.host + (address - a.base), 8);
	else if (!c->faulted) {
		warp_fault(c->w, c->i, FAULT_OUT_OF_BOUNDS, 1u << c->lane, "%s reads its parameters at 0x%llx",
			   c->site->external, (unsigned long long)address);
		c->faulted = true;
	}
	return value;
}

/* By the layout of struct cudaMemcpy3DParms; in arrays it cannot copy. */
static u64 copy_3d(struct runtime_call *c)
{
	enum { FROM_ARRAY, FROM_X, FROM_Y, FROM_Z, FROM, FROM_PITCH, FROM_WIDTH, FROM_ROWS };
	enum { TO_ARRAY = 8, TO_X, TO_Y, TO_Z, TO, TO_PITCH, TO_WIDTH, TO_ROWS, WIDTH, HEIGHT, DEPTH, WORDS };
	u64 v[WORDS];

	for (u32 k = 0; k < WORDS; k++)
		v[k] = load(c, argument(c, 0) + 8 * k);
	if (c->faulted || v[FROM_ARRAY] || v[TO_ARRAY])
		return RUNTIME_INVALID_VALUE;
	return move_slices(c,
			   (struct grid_request){.act = GRID_COPY,
						 .to = v[TO] + v[TO_X] + v[TO_PITCH] * (v[TO_Y] + v[TO_ROWS] * v[TO_Z]),
						 .to_pitch = v[TO_PITCH],
						 .from = v[FROM] + v[FROM_X] +
							 v[FROM_PITCH] * (v[FROM_Y] + v[FROM_ROWS] * v[FROM_Z]),
						 .from_pitch = v[FROM_PITCH],
						 .width = v[WIDTH],
						 .height = v[HEIGHT]},
			   v[TO_ROWS], v[FROM_ROWS], v[DEPTH], argument(c, 1));
}

static u64 part_of_argument(const struct runtime_call *c, u32 k, u32 word)
{
	return call_argument(c->w, c->rows, c->site, k, 8 * word, c->lane);
}

/* A struct cudaPitchedPtr, the value, and a struct cudaExtent. */
static u64 fill_3d(struct runtime_call *c)
{
	const u64 rows = part_of_argument(c, 0, 3);

	return move_slices(c,
			   (struct grid_request){.act = GRID_FILL,
						 .to = argument(c, 0),
						 .to_pitch = part_of_argument(c, 0, 1),
						 .value = (u8)argument(c, 1),
						 .width = argument(c, 2),
						 .height = part_of_argument(c, 2, 1)},
			   rows, 0, part_of_argument(c, 2, 2), argument(c, 3));
}

static u64 fill(struct runtime_call *c)
{
	return move(c,
		    &(struct grid_request){.act = GRID_FILL,
					   .to = argument(c, 0),
					   .value = (u8)argument(c, 1),
					   .width = argument(c, 2),
					   .height = 1},
		    argument(c, 3));
}

static u64 fill_2d(struct runtime_call *c)
{
	return move(c,
		    &(struct grid_request){.act = GRID_FILL,
					   .to = argument(c, 0),
					   .to_pitch = argument(c, 1),
					   .value = (u8)argument(c, 2),
					   .width = argument(c, 3),
					   .height = argument(c, 4)},
		    argument(c, 5));
}

/* --- Streams, events, queries ------------------------------------------------------------------------ */

static u64 nothing(struct runtime_call *c)
{
	(void)c;
	return RUNTIME_OK;
}

/* A stream or an event; whatever the handle, it orders nothing further. */
static u64 new_handle(struct runtime_call *c)
{
	enum { FIRST = 0x100 };
	struct grid_queue *q = queue_of(c);

	pthread_mutex_lock(&q->lock);
	const u64 handle = FIRST + ++q->handles;
	pthread_mutex_unlock(&q->lock);
	return store_result(c, argument(c, 0), handle, 8);
}

static u64 zero(struct runtime_call *c) { return store_result(c, argument(c, 0), 0, 4); }
static u64 device_number(struct runtime_call *c)
{
	return store_result(c, argument(c, 0), c->w->grid->launch->device_number, 4);
}
static u64 device_count(struct runtime_call *c)
{
	const u32 count = c->w->grid->launch->device_count;

	return store_result(c, argument(c, 0), count ? count : 1, 4);
}
static u64 version(struct runtime_call *c) { return store_result(c, argument(c, 0), 13000, 4); }

static u64 device_attribute_of(struct runtime_call *c)
{
	const struct device *d = c->w->grid->launch->device;
	s32 value;

	if (!d || !device_attribute(d, (int)argument(c, 1), &value))
		return RUNTIME_INVALID_VALUE;
	return store_result(c, argument(c, 0), (u32)value, 4);
}

static u64 allocate(struct runtime_call *c)
{
	const u64 size = argument(c, 1), heap = c->w->grid->launch->heap_bytes;
	const struct code *code = c->w->frame->code;
	const struct memory_act by = {code, (u32)(c->i - grid_entry(c->w->grid, code)), c->w->block->index,
				      c->w->index * WARP_LANES + c->lane};
	const u64 at = size ? memory_allocate_heap(memory_of(c), size, heap ? heap : 8 << 20, "device heap", &by) : 0;

	return size && !at ? RUNTIME_NO_MEMORY : store_result(c, argument(c, 0), at, 8);
}

static u64 release(struct runtime_call *c)
{
	const u64 address = argument(c, 0);
	struct allocation a;

	if (!address)
		return RUNTIME_OK;
	if (!memory_look(memory_of(c), address, 1, &a) || a.base != address || !(a.flags & ALLOCATION_HEAP))
		return RUNTIME_INVALID_VALUE;
	memory_release(memory_of(c), address);
	memset(c->w->worker->allocations, 0, sizeof c->w->worker->allocations);
	return RUNTIME_OK;
}

/* By the numbers of enum cudaLimit. */
static u64 limit(struct runtime_call *c)
{
	enum { STACK, PRINTF, HEAP, SYNC_DEPTH, PENDING, FETCH };
	enum {
		STACK_DEFAULT = 1024,
		PRINTF_BYTES = 8650752,
		HEAP_DEFAULT = 8 << 20,
		PENDING_COUNT = 2048,
		FETCH_BYTES = 64
	};
	const struct launch *l = c->w->grid->launch;
	const u64 values[] = {[STACK] = l->local_limit_bytes ? l->local_limit_bytes : STACK_DEFAULT,
			      [PRINTF] = PRINTF_BYTES,
			      [HEAP] = l->heap_bytes ? l->heap_bytes : HEAP_DEFAULT,
			      [PENDING] = PENDING_COUNT,
			      [FETCH] = FETCH_BYTES};
	const u64 which = (u32)argument(c, 1);

	if (which == SYNC_DEPTH || which >= COUNT_OF(values))
		return RUNTIME_UNSUPPORTED_LIMIT;
	return store_result(c, argument(c, 0), values[which], 8);
}

/* The kernel whose address an argument is, as it was lowered; of a large module, kernels that nobody has launched are not. */
static const struct kernel *kernel_of(const struct runtime_call *c, u64 address, u64 *status)
{
	const struct kernel *k = program_kernel_at(c->w->grid->launch->program, address);

	*status = k ? RUNTIME_NOT_SUPPORTED : RUNTIME_INVALID_FUNCTION;
	if (k && k->compiled)
		k = k->compiled->kernels;
	return k && k->code ? k : NULL;
}

/* By the layout of struct cudaFuncAttributes, the end of which is zero. */
static u64 function_attributes(struct runtime_call *c)
{
	enum { WORDS = 36, PREFERRED_NONE = -1, SHARED_MOST = 49152 };
	const struct program *p = c->w->grid->launch->program;
	u64 status, at = argument(c, 0);
	const struct kernel *k = kernel_of(c, argument(c, 1), &status);

	if (!k || !at)
		return k ? RUNTIME_INVALID_VALUE : status;
	const u64 constant = program_constant_bytes(p), local = kernel_local_bytes(k);
	const u32 words[WORDS] = {(u32)k->static_shared_bytes,
				  (u32)(k->static_shared_bytes >> 32),
				  (u32)constant,
				  (u32)(constant >> 32),
				  (u32)local,
				  (u32)(local >> 32),
				  kernel_threads_most(k, p->arch),
				  kernel_registers(k, p->arch),
				  k->function->module->arch,
				  p->arch->cc,
				  0,
				  SHARED_MOST - (u32)min_u64(SHARED_MOST, k->static_shared_bytes),
				  (u32)PREFERRED_NONE};
	for (u32 n = 0; n < WORDS; n++)
		if (!store(c, at + 4 * n, words[n], 4))
			break;
	return RUNTIME_OK;
}

static u64 resident_blocks(struct runtime_call *c)
{
	const struct arch *a = c->w->grid->launch->program->arch;
	const u32 threads = (u32)argument(c, 2);
	const u64 dynamic = argument(c, 3);
	u64 status;
	const struct kernel *k = kernel_of(c, argument(c, 1), &status);

	if (!k)
		return status;
	if (!threads)
		return RUNTIME_INVALID_VALUE;
	const u64 shared = k->static_shared_bytes + dynamic;
	const bool fits = threads <= kernel_threads_most(k, a) && dynamic <= a->shared_sm && shared <= a->shared_sm;
	return store_result(c, argument(c, 0),
			    fits ? arch_occupancy(a, threads, kernel_registers(k, a), (u32)shared).blocks : 0, 4);
}

/* --- Errors ------------------------------------------------------------------------------------------- */

static const struct {
	u32 number;
	const char *name, *text;
} errors[] = {
	{RUNTIME_OK, "cudaSuccess", "no error"},
	{RUNTIME_INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"},
	{RUNTIME_NO_MEMORY, "cudaErrorMemoryAllocation", "out of memory"},
	{RUNTIME_INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
	{RUNTIME_TOO_MANY_PENDING, "cudaErrorLaunchPendingCountExceeded", "launch pending count exceeded"},
	{RUNTIME_INVALID_FUNCTION, "cudaErrorInvalidDeviceFunction", "invalid device function"},
	{RUNTIME_UNSUPPORTED_LIMIT, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
	{RUNTIME_NOT_SUPPORTED, "cudaErrorNotSupported", "operation not supported"},
};

static u64 error_words(struct runtime_call *c, bool name)
{
	const u32 number = (u32)argument(c, 0);
	size_t k = 0;

	while (k < COUNT_OF(errors) && errors[k].number != number)
		k++;
	return grids_text(queue_of(c), memory_of(c), (u32)(name ? 0 : GRID_TEXTS / 2) + (u32)k % (GRID_TEXTS / 2),
			  k == COUNT_OF(errors) ? "unrecognized error code"
			  : name                ? errors[k].name
						: errors[k].text);
}

static u64 error_name(struct runtime_call *c) { return error_words(c, true); }
static u64 error_string(struct runtime_call *c) { return error_words(c, false); }

static u64 last_error(const struct runtime_call *c, bool forget)
{
	return grids_error(queue_of(c), c->w->block->index, c->w->index * WARP_LANES + c->lane, forget);
}

static u64 get_last_error(struct runtime_call *c) { return last_error(c, true); }
static u64 peek_at_last_error(struct runtime_call *c) { return last_error(c, false); }

/* The condition of a graph's node: a word of its own in memory, whose address is the handle. */
static u64 set_condition(struct runtime_call *c)
{
	const u64 handle = argument(c, 0);
	const u32 value = (u32)argument(c, 1);
	struct allocation a;

	if (memory_look(memory_of(c), handle, sizeof value, &a) && a.base == handle && a.size == sizeof value)
		__atomic_store_n((u32 *)(void *)a.host, value, __ATOMIC_RELEASE);
	return RUNTIME_OK;
}

/* --- Graphs ---------------------------------------------------------------------------------------------- */

static u64 launch_graph(struct runtime_call *c)
{
	const struct launch *l = c->w->grid->launch;

	return l->launch_graph ? l->launch_graph(l->graph_context, argument(c, 0), argument(c, 1))
			       : RUNTIME_NOT_SUPPORTED;
}

enum { VALUE_MOST = 32764 }; /* bytes of parameters that a kernel can have */

/* Bytes where the kernel's pointer leads, global or local. */
static bool load_bytes(const struct runtime_call *c, u64 address, u8 *to, u64 bytes)
{
	const u64 local = address - c->w->grid->map->local_window;
	struct allocation a;

	if (local < c->w->local_bytes && c->w->local_bytes - local >= bytes) {
		for (u64 k = 0; k < bytes; k++)
			to[k] = ((const u8 *)local_word(c->w, (local + k) & ~3ull, c->lane))[(local + k) & 3];
		return true;
	}
	if (!bytes || !memory_look(memory_of(c), address, bytes, &a))
		return false;
	memcpy(to, a.host + (address - a.base), bytes);
	return true;
}

static u64 update_node(const struct runtime_call *c, const struct node_update *u)
{
	const struct launch *l = c->w->grid->launch;

	return l->update_node ? l->update_node(u) : RUNTIME_NOT_SUPPORTED;
}

/* A value that is written into a node's parameters. */
static u64 update_params(const struct runtime_call *c, u64 node, u64 value, u64 offset, u64 size)
{
	u64 result = RUNTIME_INVALID_VALUE;
	u8 *bytes = size && size <= VALUE_MOST ? malloc(size) : NULL;

	if (bytes && load_bytes(c, value, bytes, size))
		result = update_node(
			c, &(struct node_update){
				   .node = node, .field = NODE_PARAMS, .bytes = bytes, .offset = offset, .size = size});
	free(bytes);
	return result;
}

static u64 set_node_param(struct runtime_call *c)
{
	return update_params(c, argument(c, 0), argument(c, 2), argument(c, 1), argument(c, 3));
}

static u64 set_node_enabled(struct runtime_call *c)
{
	return update_node(c, &(struct node_update){
				      .node = argument(c, 0), .field = NODE_ENABLED, .enabled = argument(c, 1) & 0xff});
}

static u64 set_node_grid(struct runtime_call *c)
{
	struct node_update u = {.node = argument(c, 0), .field = NODE_GRID};

	read_dim3(c, 1, u.grid);
	return update_node(c, &u);
}

/* cudaGraphKernelNodeUpdate */
struct node_change {
	u64 node;
	u32 field, pad;
	union {
		u32 grid[3];
		struct {
			u64 value, offset, size;
		} param;
		u32 enabled;
	};
};

/* Until the first that cannot be applied. */
static u64 apply_updates(struct runtime_call *c)
{
	const u64 at = argument(c, 0), count = argument(c, 1);
	struct node_change change;
	u64 result = RUNTIME_OK;

	for (u64 k = 0; k < count && !result; k++) {
		if (!load_bytes(c, at + k * sizeof change, (u8 *)&change, sizeof change))
			return RUNTIME_INVALID_VALUE;
		struct node_update u = {.node = change.node, .field = change.field};
		if (change.field == NODE_PARAMS) {
			result = update_params(c, u.node, change.param.value, change.param.offset, change.param.size);
			continue;
		}
		if (change.field == NODE_GRID)
			memcpy(u.grid, change.grid, sizeof u.grid);
		u.enabled = change.enabled != 0;
		result = update_node(c, &u);
	}
	return result;
}

static u64 current_graph(struct runtime_call *c) { return c->w->grid->launch->graph; }

struct runtime_function {
	const char *name;
	runtime_fn *fn;
};

/* By their whole names. */
static const struct runtime_function graph_functions[] = {
	{"cudaGraphSetConditional", set_condition},          {"cudaGraphLaunch", launch_graph},
	{"cudaGetCurrentGraphExec", current_graph},          {"cudaGraphKernelNodeSetParam", set_node_param},
	{"cudaGraphKernelNodeSetEnabled", set_node_enabled}, {"cudaGraphKernelNodeSetGridDim", set_node_grid},
	{"cudaGraphKernelNodeUpdatesApply", apply_updates},
};

static const struct runtime_function functions[] = {
	{"GetParameterBuffer", buffer_v1},
	{"GetParameterBufferV2", buffer_v2},
	{"LaunchDevice", launch_v1},
	{"LaunchDeviceV2", launch_v2},
	{"StreamCreateWithFlags", new_handle},
	{"StreamDestroy", nothing},
	{"StreamWaitEvent", nothing},
	{"EventCreateWithFlags", new_handle},
	{"EventRecord", nothing},
	{"EventRecordWithFlags", nothing},
	{"EventDestroy", nothing},
	{"GetLastError", get_last_error},
	{"PeekAtLastError", peek_at_last_error},
	{"GetErrorName", error_name},
	{"GetErrorString", error_string},
	{"GetDeviceCount", device_count},
	{"GetDevice", device_number},
	{"DeviceGetAttribute", device_attribute_of},
	{"DeviceGetLimit", limit},
	{"DeviceGetCacheConfig", zero},
	{"DeviceGetSharedMemConfig", zero},
	{"FuncGetAttributes", function_attributes},
	{"OccupancyMaxActiveBlocksPerMultiprocessor", resident_blocks},
	{"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", resident_blocks},
	{"Malloc", allocate},
	{"Free", release},
	{"MemcpyAsync", copy},
	{"Memcpy2DAsync", copy_2d},
	{"Memcpy3DAsync", copy_3d},
	{"MemsetAsync", fill},
	{"Memset2DAsync", fill_2d},
	{"Memset3DAsync", fill_3d},
	{"RuntimeGetVersion", version},
};

/* Its own stream for each thread makes no difference. */
static bool is_name(const char *called, const char *name)
{
	const size_t length = strlen(name);

	return !strncmp(called, name, length) && (!called[length] || !strcmp(called + length, "_ptsz"));
}

static runtime_fn *find(const char *external)
{
	static const char prefix[] = "__cudaCDP2";

	for (size_t k = 0; k < COUNT_OF(graph_functions); k++)
		if (!strcmp(external, graph_functions[k].name))
			return graph_functions[k].fn;
	if (strncmp(external, prefix, sizeof prefix - 1))
		return NULL;
	for (size_t k = 0; k < COUNT_OF(functions); k++)
		if (is_name(external + sizeof prefix - 1, functions[k].name))
			return functions[k].fn;
	return NULL;
}

/* Is a result other than 0 an error of the thread's? */
static bool fails(runtime_fn *fn)
{
	return fn != buffer_v1 && fn != buffer_v2 && fn != get_last_error && fn != peek_at_last_error &&
	       fn != error_name && fn != error_string && fn != current_graph;
}

bool device_runtime_call(struct warp *w, const struct insn *i, u8 *rows, const struct call_site *site, u32 lane)
{
	struct runtime_call c = {w, i, rows, site, lane, false};
	runtime_fn *fn = queue_of(&c) ? find(site->external) : NULL;

	if (!fn) {
		warp_fault(w, i, FAULT_UNMODELLED, 1u << lane, "system function '%s'", site->external);
		return false;
	}
	const u64 result = fn(&c);
	if (!c.faulted)
		call_result(w, rows, site, lane, result);
	if (result && fails(fn))
		grids_fail(queue_of(&c), w->block->index, w->index * WARP_LANES + lane, (u32)result);
	return !c.faulted;
}
