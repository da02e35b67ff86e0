/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver: its objects, and what its files share. One process has one driver, as on a machine; its lock is held by every
 * call from begin to end, but not while a call waits for work, nor by the work itself.
 *
 * Memory has the same address for kernels and for the host. All devices' memory lies in one ptxsim context, so that
 * contexts and devices share the address space, and what a context's death means is kept here.
 */
#ifndef PTXSIM_CUDA_DRIVER_DRIVER_H
#define PTXSIM_CUDA_DRIVER_DRIVER_H

#include <pthread.h>
#include <stdio.h>

#include "api/context.h"
#include "cuda/driver/order.h"
#include "cuda/driver/texts.h"
#include "cuda/driver/types.h"

enum { DRIVER_VERSION = 13000, DEVICES_MOST = 16, STREAM_LOWEST = 0, STREAM_HIGHEST = -5, LIMITS = 10 };

/* --- Handles: every object that a program holds ---------------------------------------------- */

enum handle_kind {
	HANDLE_FREE,
	HANDLE_CONTEXT,
	HANDLE_MODULE,
	HANDLE_LIBRARY,
	HANDLE_DEVICE_NODE,
	HANDLE_FUNCTION,
	HANDLE_STREAM,
	HANDLE_EVENT,
	HANDLE_ARRAY,
	HANDLE_MIPMAP,
	HANDLE_GRAPH,
	HANDLE_NODE,
	HANDLE_EXEC,
	HANDLE_POOL,
	HANDLE_LINK,
	HANDLE_TEXREF,
	HANDLE_USER_OBJECT,
	HANDLE_RESOURCES,
	HANDLE_GREEN,
	HANDLE_NOTIFICATION,
};

/* Remembers an object; false: no memory. */
bool handle_add(const void *object, enum handle_kind kind);
void handle_drop(const void *object);
/* Is it an object of that kind? Any pointer may be asked for. */
bool handle_is(const void *object, enum handle_kind kind);

/* --- Memory ---------------------------------------------------------------------------------- */

struct shared_name;

/* Address space of a device, given out by its own rules: heap.c. */
struct heap {
	u8 *base;
	u64 bytes, used;          /* used: what is given out, for cuMemGetInfo */
	u64 top;                  /* offset of the first byte never given out */
	u64 chunk, chunk_end;     /* of the chunk that small blocks come from */
	struct heap_free **small; /* by grains */
	struct heap_extent *extents;
	u32 extent_count, extent_room;
	struct heap_shared *shared; /* with other processes */
	u8 *pages;                  /* for each chunk: it is there on the modelled device; atomic */
};
bool heap_open(struct heap *h, u64 bytes);
/* Zeroed bytes; NULL: there is no room. */
void *heap_take(struct heap *h, u64 bytes);
void heap_give(struct heap *h, void *at, u64 bytes);
/* What an allocation of that many bytes takes. */
u64 heap_whole(u64 bytes);
/* Does the modelled device have a page there, given out or not? From any thread. */
bool heap_has_page(const struct heap *h, u64 address);
/* Bytes that have been taken have no pages of their own: addresses alone. */
void heap_hide(struct heap *h, const void *at, u64 bytes);
/* Makes the block's memory a file's that other processes can map, and says which: *n's file, id, offset and file_bytes. */
bool heap_share(struct heap *h, u8 *at, u64 bytes, struct shared_name *n);
/* Whole pages to map something else over; given back so. */
void *heap_take_apart(struct heap *h, u64 bytes);
void heap_give_apart(struct heap *h, void *at, u64 bytes);

enum block_kind {
	BLOCK_DEVICE,
	BLOCK_HOST,
	BLOCK_REGISTERED,
	BLOCK_MANAGED,
	BLOCK_ASYNC,
	BLOCK_VARIABLE,
	BLOCK_MAPPED,
	BLOCK_MANAGED_VARIABLE,
	BLOCK_IMPORTED /* from another process */
};

/* An allocation of the program's. */
struct region {
	struct region *next, **at; /* of the hash chain */
	u64 base, size;
	enum block_kind kind;
	struct cu_context *context;
	struct cu_pool *pool;
	int device;
	u32 flags;
	u64 id;
	u32 granted,
		read_only; /* bit k: device k may access it, may only read it: of a mapping, and of a graph's memory */
	u8 advice;         /* bit 0: read mostly; bit 1: preferred location; bit 2: accessed by */
	int preferred, accessed_by;
	int prefetched;
	struct graph_memory *of_graph;          /* that of a graph, with which it goes; or NULL */
	bool of_array;                          /* of an array or a mipmapped one */
	bool of_condition;                      /* a conditional handle's value, which no program frees */
	u64 freeing;                            /* a stream is to free it: the number of that request; 0: none */
	u8 sync;                                /* CU_POINTER_ATTRIBUTE_SYNC_MEMOPS */
	const struct host_place *given, *freed; /* where the program asked for it, and gave it back; NULL: not known */
};
struct region *block_at(u64 base);
/* The block that holds the address. */
struct region *block_of(u64 address);
struct region *block_add(struct cu_context *c, u64 base, u64 size, enum block_kind kind);
/* Books only, for what is in memory already; and out of the books. */
struct region *block_book(struct cu_context *c, u64 base, u64 size, enum block_kind kind);
void block_unbook(struct region *b);
/* Takes it out of memory and out of the books; its bytes go back to where they came from. */
void block_remove(struct region *b);
/* peers.c: whether a device's kernels and fills may access it. */
bool peer_may_access(const struct region *b, int device);
/* After anything that changes this: kernels find it so. */
void peer_settle(const struct region *b);
/* The same for all blocks of a device. */
void peer_settle_all(int device);
/* Whether a device's streams may copy from the address, or to it. */
bool peer_may_copy(u64 address, int device, bool to);
/* Whether they may fill it. */
bool peer_may_fill(u64 address, int device);
/* Bit k: the pool gives device k access to its memory, beside its own. */
u32 pool_grants(const struct cu_pool *pool);
/* Device memory, whatever is being captured. */
int block_allocate(u64 *dptr, size_t bytesize);
int block_allocate_on(int device, u64 *dptr, size_t bytesize);
void blocks_remove_of(struct cu_context *c);
/* Whether it is another process's allocation from a pool. */
bool pool_imported(const struct region *b);
/* Its pool, if it has one, has room again. */
void pool_give_back(struct region *b);
/* The bytes of a handle by which another process finds the block, and a block from those; a CUresult. */
int ipc_export(u64 base, u8 handle[64]);
int ipc_import(const u8 handle[64], u64 *address);
/* Unmaps a BLOCK_IMPORTED. */
void ipc_unmap(const struct region *b);
/* Prints what the program has allocated and not freed. */
void blocks_tell_leaks(void);
/* Bytes that graphs have. */

/* --- Contexts --------------------------------------------------------------------------------- */

/* What the card would have reserved for the memory of graphs (graph_memory.c). */
struct graph_account {
	struct graph_pages *pages;
	u64 used_high, reserved_high;
};

struct cu_device {
	const struct device *model;
	u64 memory_bytes, free_bytes; /* the model's, or what PTXSIM_MEMORY leaves of them */
	struct heap heap;
	struct cu_context *primary; /* made once, kept for the process */
	u32 primary_users, primary_flags;
	bool lost; /* a sticky error met cuDevicePrimaryCtxReset */
	struct cu_pool *default_pool, *pool;
	struct graph_account graphs;
	u64 peers; /* bit k: its contexts may access device k */
};

struct cu_context {
	int device;
	bool primary, destroyed;
	u32 flags;
	bool prints, has_heap; /* a kernel has been launched that prints, or allocates */
	u64 id;
	size_t limits[LIMITS];
	int cache_config, shared_config;
	struct cu_stream *legacy;
	struct cu_stream *streams; /* all */
	u32 gone_streams;          /* of these, those that the program has destroyed */
	struct cu_module *modules;
	struct coredump *coredump; /* its own settings, or NULL */
	char *printed;             /* by kernels, for the next synchronisation */
	size_t printed_length, printed_room;
	pthread_mutex_t print_lock;
	u32 captures; /* streams that capture */
	u32 attached; /* times, by cuCtxAttach */
};

/* --- Streams and work -------------------------------------------------------------------------- */

/* Nodes of a graph under capture. */
struct tips {
	struct cu_node **list;
	u32 count;
};

/* What a program says of a stream and may ask back: see cuStreamSetAttribute. */
enum { STREAM_ATTRIBUTES = 4, ATTRIBUTE_BYTES = 64 };

/* Memory that a stream is to free, which it may give again before. */
struct freed {
	u64 address, bytes, number;
	const struct cu_pool *pool;
};

struct cu_stream {
	struct cu_context *context;
	struct cu_stream *next;
	struct queue *queue;
	u32 flags; /* 1: does not wait for the legacy stream */
	int priority;
	u64 id;
	u64 thread; /* whose default stream it is; 0: nobody's */
	bool gone;  /* destroyed; it stays in the context's list until its work is done */
	struct capture *capture;
	struct tips tips;       /* what its next node needs */
	struct cu_green *green; /* whose stream it is, or NULL */
	struct freed freed[8];  /* the newest, in a ring */
	u32 freed_count;        /* so far */
	u8 attributes[STREAM_ATTRIBUTES][ATTRIBUTE_BYTES];
};

enum { EVENT_NO_TIMES = 2, EVENT_INTERPROCESS = 4, EVENT_FLAGS = 7 };

/* What processes share of an event. */
struct shared_event {
	int process, file;
	u64 id;
	bool watched; /* by work that may outlive the event: the counts stay mapped */
	struct shared_counts {
		u64 recorded, done; /* atomic */
	} * counts;
};

struct cu_event {
	struct cu_context *context;
	u32 flags;
	struct shared_event *shared; /* or NULL */
	struct queue *queue;         /* where it was last recorded */
	u64 number;                  /* the piece of work that records it */
	u64 recorded, done;          /* records given, and done; atomic */
	double seconds;              /* when it was last done */
	u32 users;                   /* the program, and records that are not done; atomic */
	struct capture *capture;     /* last recorded in it; NULL: not in one */
	struct tips tips;
};

/* Takes `shared` if it succeeds. CU_OK or why not. */
int event_new(struct cu_event **made, u32 flags, struct shared_event *shared);
struct shared_event *shared_event_new(void);
void shared_event_free(struct shared_event *e);

enum task_kind {
	TASK_EMPTY,
	TASK_KERNEL,
	TASK_COPY,
	TASK_FILL,
	TASK_HOST,
	TASK_RECORD,
	TASK_WAIT,
	TASK_CHILD,
	TASK_FREE,
	TASK_ALLOCATE,
	TASK_GIVEN, /* memory is there for what comes behind; only where somebody asks what races */
	TASK_WRITE,
	TASK_CONDITION,
	TASK_BATCH, /* of waits and writes; only in graphs */
	TASK_TAILS  /* behind a graph: what its kernels asked for */
};

/* Of a node that allocates, and its copies. */
struct graph_memory {
	u64 address, bytes;
	u32 users;
	u32 allocated, freed; /* by nodes of a graph, while one is added */
	int device;
	bool live; /* a launch has allocated it, and nothing has freed it since */
	struct graph_pages *pages;
};

/* What a conditional node asks. */
struct condition {
	struct condition *next;
	u64 address;
	u32 first;
	bool resets; /* to `first`, before each launch of the graph */
};

struct copy {
	u8 *to;
	const u8 *from;
	u64 to_pitch, to_slice, from_pitch, from_slice; /* bytes */
	u64 width, height, depth;                       /* bytes, rows, slices */
};

struct fill {
	u8 *to;
	u64 pitch;
	u32 value, element; /* bytes: 1, 2, 4 */
	u64 width, height;  /* elements, rows */
};

/* A piece of work; as a node of a graph, or in a stream. */
struct task {
	enum task_kind kind;
	struct order *order;    /* where it stands among others, from malloc; NULL: nobody asks */
	struct order_node node; /* of the graph's launch that it is a part of */
	union {
		struct {
			struct cu_function *function;
			struct cu_function *handle; /* by which the program named it */
			struct ptxsim_launch launch;
			struct cu_exec *exec; /* the graph that it runs as a part of, or NULL */
			struct cu_node *node; /* of that graph, if kernels may change it: what it says then; or NULL */
			u8 *params;           /* from malloc, the task's; NULL: behind the operation */
			u32 param_bytes;
			u32 shared_bytes;
			bool loose;                    /* begins when the kernel before it in the stream lets it */
			const struct host_place *from; /* where the program launches it; NULL: not known */
		} kernel;
		struct copy copy;
		struct fill fill;
		struct {
			cu_host_fn *function;
			cu_stream_fn *callback; /* instead */
			void *data;
			struct cu_stream *stream;
		} host;
		struct cu_event *event;
		struct cu_graph *graph; /* child */
		struct cu_exec *exec;   /* whose tails */
		struct graph_memory *memory;
		struct {
			u64 handle;
			int type;
			u32 count;
			struct cu_graph **bodies;
		} condition;
		struct {
			u64 address;
			u64 number; /* of the request, as in struct region; 0: a graph's */
		} free;
		struct {
			u64 address, bytes;
		} given;
		struct {
			u64 address, value;
			u32 bytes;
		} write;
		struct {
			struct cu_stream_operation *list; /* from malloc, the task's */
			u32 count;
		} batch;
	};
};

/* Puts a task into a stream, or into the graph that the stream captures into. `params`: param_bytes bytes to copy, for
 * kernels. CU_OK or why not. */
int stream_give(struct cu_stream *s, const struct task *t, const void *params);
/* The stream that a handle means in the current context; NULL: no such stream. Where no context is current, that of the stream
 * is, for the rest of the call. */
struct cu_stream *stream_of(struct cu_stream *handle);
/* Waits until all that is in it is done, the lock let go meanwhile; the context's error. */
int stream_finish(struct cu_stream *s);
int context_finish(struct cu_context *c);
/* What a synchronous call needs first: no capture under way. CU_OK or why not. */
int capture_forbids(struct cu_context *c);
/* What a call needs first that may wait for the device. CU_OK or why not. */
int capture_forbids_unsafe(struct cu_context *c);
struct cu_stream *stream_new(struct cu_context *c, u32 flags, int priority);
void stream_delete(struct cu_stream *s);
/* All of a context that has no work left, but the legacy one. */
void streams_delete(struct cu_context *c);
/* Runs a task here and now; in work of a stream. */
void task_run(struct cu_context *c, const struct task *t, const u8 *params);
/* A piece that does nothing, but runs only after `number` pieces of another queue (NULL: none), and once the word at
 * `watch` (NULL: none) is as the wait says. */
struct value_wait {
	const u8 *watch;
	u64 value;
	u32 bytes, how; /* how: 0: >=, 1: ==, 2: and, 3: nor */
};
int stream_give_wait(struct cu_stream *s, struct queue *queue, u64 number, const struct value_wait *v);
/* Prints what kernels printed. */
void context_flush(struct cu_context *c);

/* --- Graphs ------------------------------------------------------------------------------------ */

/* What kernels know a node as that they may change; shared by the node and that of the executable graph. */
struct cu_device_node {
	struct cu_node *node; /* the executable graph's; NULL: there is none */
	u32 users;
};

struct cu_node {
	struct cu_graph *graph;
	struct cu_node *next;
	struct cu_node *origin; /* of a clone's: the node it was copied from */
	struct cu_node *update; /* of an executable graph's: the node that last updated it */
	struct task task;
	struct cu_node **needs;
	u32 need_count;
	u32 mark;
	bool disabled;
	struct cu_device_node *updatable; /* by kernels; or NULL */
	void **pointers;                  /* to its parameters, for who asks */
	u8 *attributes;                   /* of a launch, that only programs ask for: by number, or NULL */
	struct cu_copy_3d copy;           /* of a copy, as it was given */
};

/* An object of the program's that a graph keeps alive. */
struct kept_object {
	struct kept_object *next;
	struct cu_user_object *object;
	u32 count;
};

struct cu_graph {
	struct cu_node *first, **last;
	struct kept_object *kept;
	u32 count;
	u32 users; /* executable graphs and parents do not keep it; captures do */
	u64 id;
};

struct capture {
	u32 users; /* the capture itself while it is under way, and events that were recorded in it */
	struct cu_graph *graph;
	struct cu_stream *origin;
	u64 id;
	int mode; /* 0: global, 1: of the thread, 2: relaxed */
	u64 thread;
	bool broken;      /* invalidated */
	bool given;       /* the graph is the program's */
	struct tips left; /* of streams that took part and are destroyed */
};

/* Graphs that kernels have asked to launch. */
struct asked {
	struct cu_exec **list;
	u32 count;
};

enum { GRAPH_AUTO_FREE = 1, GRAPH_DEVICE_LAUNCH = 4 }; /* CUgraphInstantiate_flags */

struct cu_exec {
	u64 flags;
	u32 users;                 /* its handle, launches that have not ended, entries of `fired` and `tails` */
	u32 fired_count;           /* that its kernels have asked for in this launch */
	struct asked fired, tails; /* device_graph.c */
	struct cu_graph *graph;    /* its own copy */
	struct cu_node **order;
	struct order_plan *plan; /* of these; NULL: nobody asks which of them race */
	u64 last_stream;         /* where it was launched last, by its id; 0: nowhere yet */
	struct cu_node *found;   /* by the last look-up; the next one is often for the node behind it */
};

struct cu_node *graph_add(struct cu_graph *g, struct cu_node **needs, size_t count, const struct task *t,
			  const void *params);
/* Adds a node for a program; checks all it is given. CU_OK or why not. */
int node_add(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count, const struct task *t,
	     const void *params);
/* CU_OK if a node with these needs can be added. */
int node_needs_fit(const struct cu_graph *g, struct cu_node **needs, size_t count);
/* CU_OK if the handle is a node of that kind. */
int node_is(struct cu_node *n, enum task_kind kind);
/* The executable graph's copy of a node of its graph, or NULL. */
struct cu_node *exec_node(struct cu_exec *x, struct cu_node *n);
/* Adds a node whose memory is at *address. */
int graph_add_memory(struct cu_node **made, struct cu_graph *g, struct cu_node **needs, size_t count, int device,
		     size_t bytes, u64 *address);
void graph_memory_let_go(struct graph_memory *m);
/* The program frees what a launch has left. */
void graph_memory_free(struct graph_memory *m);
/* The same; false: the block is no graph's any longer, and to be removed. */
bool graph_memory_free_later(struct region *b);
/* Reckons what a launch, or an upload, in that stream maps. CU_OK or why there can be none. */
int graph_memory_launch(struct cu_exec *x, const struct cu_stream *s);
int graph_memory_upload(struct cu_exec *x, const struct cu_stream *s);
void graph_memory_exec_ends(const struct cu_exec *x);
void graph_let_go_of_objects(struct cu_graph *g);
bool condition_copy(struct task *to, const struct task *from);
void condition_free(struct task *t);
/* A batch's own list of operations; false: no memory. */
bool batch_copy(struct task *to, const struct task *from);
/* One wait for a value (or write of one) as a node of the stream's capture. */
int batch_capture(struct cu_stream *s, bool waits, u64 address, u64 value, u32 bytes, u32 flags);
/* Gives the operations to the stream. CU_OK or why not. */
int batch_give(struct cu_stream *s, const struct task *t);
/* The attributes of launches, from one node to another; false: no memory. */
bool node_copy_attributes(struct cu_node *to, const struct cu_node *from);
/* Before a launch; and when its turn has come. */
void condition_begin(const struct task *t);
void condition_run(struct cu_context *c, const struct task *t);
/* Runs a graph's nodes one after another, as a piece of work. of: what its kernels are a part of, or NULL. */
void graph_run_here(struct cu_context *c, const struct cu_graph *g, struct cu_exec *of);
void graph_run_nodes(struct cu_context *c, struct cu_node *const *order, u32 count, struct cu_exec *of);
/* Launches from kernels of graphs: what the kernel calls, and what runs what it asked for. */
u32 graph_ask(void *exec, u64 graph, u64 stream);
void exec_run_fired(struct cu_context *c, struct cu_exec *by);
void exec_run_tails(struct cu_context *c, struct cu_exec *by);
bool graph_fits_device(const struct cu_graph *g);
/* One user less, with the lock held. */
void exec_let_go(struct cu_exec *x);
/* The copy, in a clone, of a node. */
struct cu_node *node_copy_of(const struct cu_graph *g, const struct cu_node *origin);
/* Give a node another task of its kind. CU_OK or why not. */
int node_replace(struct cu_node *n, const struct task *t, const void *params);
int node_set_kernel(struct cu_node *n, const struct cu_kernel_node *node);
int node_set_fill(struct cu_node *n, const struct cu_memset_node *node);
int node_set_copy(struct cu_node *n, const struct cu_copy_3d *copy);
int node_set_host(struct cu_node *n, const struct cu_host_node *node);
/* Gives the task to the stream's capture. */
int capture_give(struct cu_stream *s, const struct task *t, const void *params);
/* A node that allocates. */
int capture_allocate(struct cu_stream *s, size_t bytes, u64 *address);
int capture_record(struct cu_stream *s, struct cu_event *e);
int capture_wait(struct cu_stream *s, struct cu_event *e);
/* The event was recorded elsewhere, or is no more. */
void capture_leave(struct cu_event *e);
/* The stream goes: its capture ends without a graph, or goes on without it and fails. */
void capture_abandon(struct cu_stream *s);
/* A task of its own memory; false: there is none. */
bool task_copy(struct task *to, const struct task *from, const void *params);
void task_free(struct task *t);
/* Packs a kernel node's task from what the program says. */
int kernel_task(const struct cu_kernel_node *n, struct task *t, u8 *params, size_t room);
int fill_task(const struct cu_memset_node *n, struct task *t);
int copy_resolve(const struct cu_copy_3d *c, struct copy *to);

/* --- Modules ----------------------------------------------------------------------------------- */

struct cu_function {
	struct cu_function *next;
	struct cu_module *module;   /* NULL: of a library, each context has its own */
	struct cu_library *library; /* NULL: of a module */
	char *name;
	const ptxsim_function *function;
	const struct kernel *kernel; /* once it is compiled */
	struct ptxsim_attributes attributes;
	bool known; /* `attributes` are filled in */
	bool launched;
	bool told_astray;         /* an access of its beyond an allocation, that passed, has been told of; atomic */
	struct cu_function *here; /* of a library: the function of the context with the number here_context */
	u64 here_context;
	u32 dynamic_most; /* bytes that a launch may ask for; 0: as the device has it */
	int cluster_size_any, cluster_policy, carveout;
	struct legacy_launch *legacy; /* of cuParamSet and the like; or NULL */
};

struct cu_module {
	struct cu_context *context;
	struct cu_module *next, *next_instance;
	struct cu_library *library; /* whose instance it is; or NULL */
	ptxsim_module *module;
	struct cu_function *functions;
	struct cu_texref *texrefs;
	u8 *variables;
	u64 variable_bytes;
};

/* Frees a module's texture and surface references. */
void texrefs_free(struct cu_module *m);

struct cu_library {
	struct image_texts texts; /* to be linked together */
	struct cu_function *kernels;
	struct cu_module *instances; /* one for each context that has used it */
};
void module_forget_library(struct cu_module *m);

/* Dynamic shared memory that a launch may ask for, in bytes. */
u32 function_dynamic_most(const struct cu_function *f);
/* The function's own in a context, compiled; CU_OK or why not. */
int function_ready_in(struct cu_function *handle, struct cu_context *context, struct cu_function **f);

/* --- The driver -------------------------------------------------------------------------------- */

struct driver {
	pthread_mutex_t lock;
	bool ready;
	bool forked;              /* this process is a child of the one that started the driver: it has no device */
	u32 away;                 /* calls that have left the lock for a while */
	struct cu_stream *buried; /* streams that are gone, to be freed when no call is away */
	bool answers_only;        /* PTXSIM_EXECUTE is "no": kernels do nothing */
	bool prefers_code;        /* PTXSIM_CODE is "machine": machine code is taken before PTX */
	ptxsim_context *machine;
	struct cu_device devices[DEVICES_MOST];
	int error; /* of a kernel, for the rest of the process; atomic, as streams' threads find it */
	int device_count;
	FILE *trace, *findings;
	struct condition *conditions; /* kept for the process */
	u64 next_id, next_thread;
};
extern struct driver driver;

/* Of the calling thread. */
enum { CONTEXT_STACK = 256 };
struct thread {
	u64 number;
	struct cu_context *stack[CONTEXT_STACK];
	u32 depth;
	bool in_callback; /* it runs a function of the program's, which may call nothing here */
	bool own_stream;  /* the call that runs means the thread's own default stream */
	int capture_mode;
	const char *call; /* that runs; for messages */
	bool lent;        /* the only context is current for this call alone */
	int refusal;      /* why it failed, if it fails: what it names has no context that could be current */
};
extern __thread struct thread self;

/* The current context or NULL. */
/* Sticky: CU_OK as long as no kernel has failed. */
static inline int driver_error(void) { return __atomic_load_n(&driver.error, __ATOMIC_ACQUIRE); }
static inline struct cu_context *context_current(void) { return self.depth ? self.stack[self.depth - 1] : NULL; }
static inline struct cu_device *device_current(void) { return &driver.devices[context_current()->device]; }
static inline int function_ready(struct cu_function *handle, struct cu_function **f)
{
	return function_ready_in(handle, context_current(), f);
}

/* What a call needs. NEEDS_OWNER: it names what knows its own context, so none need be current, but the one that is
 * must be without an error. */
enum needs { NEEDS_NONE, NEEDS_READY, NEEDS_OWNER, NEEDS_CONTEXT };
/* Where no context is current, this one is for the rest of the call, if it can be: NULL, destroyed and failed ones cannot, and
 * say why the call fails. */
bool context_lend(struct cu_context *c);
/* The same with the device's primary context, for calls that name a device. True: a context is current. */
bool context_of(int device);
/* Begins a call: takes the lock, checks what it needs. CU_OK, or the call's result. */
int call_begin(const char *name, enum needs needs, bool own_stream);
/* Ends it: lets the lock go, writes the trace. Returns `result`. */
int call_end(const char *name, int result, const char *format, ...);
int call_absent(const char *name);
/* The lock let go while waiting for work. */
void driver_let_go(void);
void driver_take(void);
/* The same in the middle of a call, which goes on with what it has looked up: no stream is freed meanwhile. */
void driver_leave(void);
void driver_return(void);
void driver_forget(void);
/* One line on standard error, each text once. */
void driver_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The symbol's address by cuGetProcAddress's rule; *why: 0 found, 1 no such name, 2 the version is too low. */
void *driver_find(const char *name, int version, bool own_stream, int *why);

/* Every handler, by the table of calls. */
/* Nodes that kernels change: device_graph.c. */
int node_make_updatable(struct cu_node *n, void *value);
bool graph_is_updatable(const struct cu_graph *g);
/* The copies of such nodes in an executable graph are what kernels change. False: there is another one. */
bool graph_take_updates(struct cu_graph *of_exec);
void node_let_go_of_updates(struct cu_node *n);
u32 node_update(const struct node_update *u);
/* The kernel's task as the node says now, its parameters from malloc; false: the node is disabled, or no memory. */
bool node_read(struct task *t);

#define CALL(symbol, handler, version, needs, params, args, format) int drv_##handler params;
#define ABSENT(symbol, version)
#include "cuda/driver/calls.inc"
#undef CALL
#undef ABSENT

#endif
