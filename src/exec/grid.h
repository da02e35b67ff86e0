/* SPDX-License-Identifier: Apache-2.0
 *
 * One launch: the grid, its blocks and host threads. Owned by exec/launch.c; handlers see the
 * parts they need through exec/run.h.
 */
#ifndef PTXSIM_EXEC_GRID_H
#define PTXSIM_EXEC_GRID_H

#include <pthread.h>

#include "exec/explore.h"
#include "exec/host_threads.h"
#include "exec/native.h"
#include "exec/warp.h"

enum { BARRIERS_PER_BLOCK = 16, ALLOCATION_CACHE = 64, GANG_WARPS = 32 };

/* What an observer is told: before and after a watched instruction runs for the lanes in mask.
 * Calls come from the host thread that runs the block; `context` must be per worker or locked. */
struct observer {
	void *context;
	/* Asked once for each decoded instruction before the run. */
	bool (*wants)(void *context, const struct code *code, u32 insn);
	void (*before)(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask);
	void (*after)(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask);
	/* In place of `before`, for the warps of a gang (exec/gang.h) that take part; `i` is what they would
	 * run on their own. The gang may run the instruction for some of them only, and the others come back to it
	 * later; nobody is told of that. An observer that has `before` or `after`, but not this, keeps gangs from
	 * forming; `after` is never called for gangs. */
	void (*gang_before)(void *context, const struct gang *g, const struct insn *i);
	/* Whether native code may tell it of what the block's warps do, one warp after the other, by `before`: of the registers,
	 * only addresses and predicates of guards and branches are then up to date. NULL: native code ends before each instruction
	 * that it watches, which the interpreter runs. */
	bool (*natively)(void *context, const struct block *b);
	/* Asked after `wants`: whether, of an instruction in native code, sums are enough. Then `tallied` gets those of all blocks
	 * that a worker has run, in place of `before`. Both NULL: they are not. */
	bool (*tallies)(void *context, const struct code *code, u32 insn);
	void (*tallied)(void *context, const struct worker *k, const struct code *code, u32 insn,
			const struct native_tally *t);
	/* Whether it wants to know the order in time of what the block's warps do; then `timed` is called before each instruction
	 * that is tallied, but for guards. Both NULL: it does not. */
	bool (*times)(void *context, const struct block *b);
	void (*timed)(void *context, const struct warp *w, const struct code *code, u32 insn, u32 mask);
	/* Asked after `tallies`: whether the instruction is the same to the observer whenever a warp of that number in its block
	 * runs it with all lanes, by whatever block. Then `before` is called the first time, and `repeated` for all others by one
	 * worker: `w` is some warp of the launch, rows[i->a] the addresses. Both NULL: it is not. */
	bool (*repeats)(void *context, const struct code *code, u32 insn);
	void (*repeated)(void *context, const struct warp *w, const struct insn *i, const u8 *rows, u64 times);
	/* Asked after `repeats`: whether it has patterns of the instruction; *tallies: and apart from them only wants sums. Then
	 * `pattern` is called once by each worker, before its first block; the pattern is the observer's, which may change
	 * it in `before`. Both NULL: it has none. */
	bool (*likens)(void *context, const struct code *code, u32 insn, bool *tallies);
	struct native_pattern *(*pattern)(void *context, const struct worker *k, const struct code *code, u32 insn);
	void (*block_start)(void *context, struct block *b);
	void (*block_end)(void *context, struct block *b);
	/* The launch ends early, and lanes of the warp have executed body instructions [first, end) of a straight run
	 * that they will not finish. */
	void (*cut)(void *context, const struct warp *w, const struct code *code, u32 first, u32 end, u32 mask);
};

/* When asynchronous operations take effect: see exec/async.h. */
enum async_mode { ASYNC_EAGER, ASYNC_STRICT, ASYNC_RANDOM };
struct async_choice {
	enum async_mode mode;
	u64 seed; /* of ASYNC_RANDOM */
};

/* Which of the lanes of a lock-load that want one lock gets it: the lowest, or one by chance. */
struct lock_order {
	bool random;
	u64 seed;
};

struct grid_queue;
struct device;
struct grid;
/* From now on the observer, one of the launch's, is told of every instruction. For launches on one host thread, and not
 * for those that are stepped through. */
void grid_watch_all(struct grid *grid, const struct observer *o);

/* What a kernel changes of a kernel node of the driver's graphs (cudaGraphKernelNodeField). */
enum node_field { NODE_GRID = 1, NODE_PARAMS, NODE_ENABLED };

struct node_update {
	u64 node; /* as the driver names it to kernels */
	enum node_field field;
	u32 grid[3];
	const u8 *bytes; /* of parameters: `size` of them at `offset` */
	u64 offset, size;
	bool enabled;
};

/* Accesses that no allocation holds, but what the hardware has there: it lets them pass. */
struct astray {
	u64 times;
	struct fault first; /* if `times` is not 0: what it would have been as a fault */
};

/* Parameters of a launch; all borrowed for its duration. */
struct launch {
	const struct program *program;
	const struct kernel *kernel;
	struct memory *memory;
	struct host_threads *threads;      /* to share with other launches, one at a time; NULL: its own */
	u32 grid[3], block[3], cluster[3]; /* cluster 0,0,0: none given */
	u64 first_cluster, end_cluster;    /* runs only these, by linear index; end 0: up to the last */
	u64 dynamic_shared;
	bool cooperative;                  /* all blocks run at once, and can wait for one another */
	const u8 *params;                  /* kernel->param_bytes bytes */
	struct astray *astray;             /* told of such accesses; NULL: they are faults */
	u32 jobs;                          /* host threads; 0: as many as are sensible */
	bool any_order;                    /* kernels that show the order of blocks may use several threads, too */
	u64 instruction_limit;             /* warp instructions for the launch; 0: none */
	struct observer *const *observers; /* NULL-terminated, or NULL */
	/* vprintf output, by the thread that launches; with any_order by any thread of the launch, one at a time. */
	void (*print)(void *context, const char *text, size_t length);
	void (*print_error)(void *context, const char *text, size_t length); /* failed assertions; NULL: as print */
	void *print_context;
	u64 heap_bytes;
	u64 local_limit_bytes; /* for each lane; 0: default */
	volatile bool *stop;   /* set from outside to interrupt; may be NULL */
	bool shared_memory;    /* others may write to memory meanwhile: to spin is no deadlock */
	u32 patience_seconds; /* unless nothing has changed for so long, and the host cannot write what is looked at; 0: never */
	struct async_choice async;
	const struct async_checker *async_checker; /* what checks in strict mode; without one, it is eager */
	struct lock_order lock_order;
	struct schedule_choice schedule;
	struct grid_queue *grids;    /* what kernels ask to be run after them: exec/child_grids.h; NULL: they cannot */
	const struct device *device; /* that they ask for attributes; or NULL */
	u32 device_number;           /* what kernels are told of it */
	u32 device_count;            /* and of all; 0: it is the only one */
	/* A kernel asks for a graph of the driver's to be launched, by any thread of the launch; a cudaError_t. NULL: there are
	 * no graphs. */
	u32 (*launch_graph)(void *context, u64 graph, u64 stream);
	void *graph_context;
	/* A kernel changes a node of a graph, the same way. */
	u32 (*update_node)(const struct node_update *update);
	u64 graph;                    /* that the kernel is of, if kernels may launch it, or 0: %current_graph_exec */
	struct native_kernel *native; /* the kernel's native code, there or to come; NULL: none is to be used */
};

struct launch_stats {
	u64 blocks, warps;
	u64 warp_instructions, thread_instructions;
	u64 branches, divergent_branches;
	double seconds;
	u32 jobs;
};

struct barrier {
	u32 arrived;                    /* threads */
	u32 expected;                   /* threads, 0: all of the block */
	u32 red_count, red_and, red_or; /* accumulated for barrier.red */
	u64 phase;
	const struct code *last_code; /* the newest arrival: where, and whose */
	u32 last_insn, last_warp;
};

/* How far a pass over a block's warps has come; exec/schedule.c draws one. It stands here, not in local variables, since a
 * launch that is stepped through may be suspended within a pass and gone on with later. */
struct block_turns {
	bool open;    /* the pass has begun */
	bool entered; /* and the time slice of warp `next`, or of the one that leads */
	bool live;    /* some warp has not ended */
	int result;   /* enum pass: the best outcome of a slice so far */
	u32 next;     /* the warp whose slice is next */
	u64 before;   /* warp instructions that it had issued when its slice began */
	u32 ganged;   /* warps below this one have begun their slices in a gang */
	u32 led;      /* the warp that was let before the others, plus 1; 0: none */
	bool in_gang; /* the slice began in a gang: what is left of it is the warp's own */
	u64 order;    /* of warps, drawn for this pass; 0: not yet, or the usual one */
};

/* Locks of a block's shared words, of machines that have lock-loads. */
enum { SHARED_LOCKS = 256 };
struct shared_lock {
	bool held;
	u8 lane;
	u16 warp;
	u32 address;
};
struct shared_locks {
	u32 held;
	struct shared_lock lock[SHARED_LOCKS];
};

struct block {
	struct grid *grid;
	struct worker *worker;
	u64 index; /* linear */
	u32 ctaid[3];
	u32 cluster_rank;
	struct cluster *cluster;
	u8 *shared;
	u64 shared_bytes;
	u64 near_bytes; /* of these, what addresses without a rank reach: none in clusters of cubins */
	struct warp *warps;
	u32 warp_count;
	u32 thread_count;
	u32 live_threads;
	u32 open_barriers; /* bit k: threads have arrived at barrier k */
	struct barrier barriers[BARRIERS_PER_BLOCK];
	struct shared_locks *locks; /* NULL until a lock-load runs */
	struct block_turns turns;
	const struct insn *gang_insns; /* what gangs of its warps run: */
	struct native_code *native;    /* this one's, or if NULL the grid's */
	u64 native_began;              /* of a block on trial: when */
	u8 native_turn;                /* enum native_turn */
	bool at_start;                 /* none of its instructions has run */
	bool gathers;                  /* a warp has ended its turn early, so that all can go on as a gang */
	bool leads;  /* warp number `lead` comes before the others: it was the last at a barrier, and without gangs */
	u32 lead;    /* would have gone on at once */
	bool intact; /* its warps are as gang_start_block leaves them: no need to reset them */
};

struct async_cluster;
struct async_watch;

/* Bytes of global memory that a cluster which polls looks at, and what was there; and how it stands: see exec/doze.h. */
struct polled {
	const u8 *host;
	u32 size;
	u8 value[16];
};
enum doze_state { DOZE_AWAKE, DOZE_SPUN, DOZE_LOOKING, DOZE_ASLEEP };
struct doze {
	enum doze_state state;
	u32 slept;             /* ASLEEP: rounds */
	u32 rest;              /* passes that spin, before the next one is looked at */
	struct polled *polled; /* `count` of them, room for `room` */
	u32 count, room;
	u64 generation; /* of memory, when they were noted */
};
struct doze_look;

struct cluster {
	struct block **blocks; /* by rank */
	u32 count;
	u32 index[3];
	u32 live_threads;
	u32 arrived; /* at barrier.cluster */
	u64 phase;
	struct async_cluster *async; /* records of asynchronous operations; NULL in eager mode */
	bool used;                   /* some thread has arrived at barrier.cluster */
	struct doze doze;
	struct cluster *next;
	bool pass_open; /* a pass over the blocks is under way: */
	int pass_worst; /* its result so far, and the next block */
	u32 pass_rank;
};

/* A remembered range of global memory: guest [low, high) lies at host + (address - low). */
struct remembered {
	u64 low, high;
	u8 *host;
	u32 flags;
	u32 room; /* REMEMBERED_BYTES from low + n on are within it if n is less than this, which is one comparison */
};
enum { REMEMBERED_BYTES = 256 };

struct arch;

enum standstill_verdict { STANDSTILL_NONE, STANDSTILL_DEADLOCK, STANDSTILL_AFTER_FAULT };

/* Of one worker, what it knows of a launch that stands still: see exec/standstill.c. */
struct standstill {
	u32 passes;  /* over states that stay the same */
	u64 seen;    /* the grid's `moves` when they began */
	bool agreed; /* this worker is among the grid's `still_workers` */
};

struct worker {
	struct grid *grid;
	u32 number;
	u8 fp;          /* enum fp_mode now in force on this host thread */
	bool probing;   /* a fault is not to be raised yet: see gang_try */
	bool exclusive; /* its atomic operations have their memory to themselves: see exec/in_order.h */
	u32 fp_saved;   /* the caller's control word */
	struct native_tally
		*tallies; /* by instruction of the kernel; NULL: there are no observers, or no native code */
	struct native_repeats repeats;
	struct native_pattern **patterns; /* by instruction of the kernel; NULL: it has none */
	u64 first_native; /* the lowest block that has run natively, if observers are told; later ones are above */
	struct remembered allocations[ALLOCATION_CACHE];
	u64 generation;         /* of memory when `allocations` was filled */
	struct bound *textures; /* that the launch has looked up, by handle (sem/texture_access.h); NULL: none yet */
	struct cluster *active, *spare;
	u32 active_count;
	struct frame **frames; /* free ones, by code index */
	struct warp *all_warps;
	struct doze_look *look, *look_room; /* `look`: that of the cluster that is looked at now, or NULL */
	struct gang_split *gang_split;      /* room for the lanes' ways of the gang that runs; NULL until needed */
	struct launch_stats stats;
	struct arena arena;
	jmp_buf out_of_memory;
	u64 clock;  /* warp instructions issued, for %clock */
	u64 idled;  /* by warps of blocks that have ended: their sum */
	u64 warmed; /* of these, those that the kernel's heat has */
	/* The state of worker_run, which may return and be called again. */
	bool running, more, round_progress, suspended;
	bool keeps_place;      /* on the modelled GPU, of its last cluster for its next */
	bool follows;          /* a gang that has ended its block may begin the next one (exec/blocks.h) */
	u64 started;           /* by the host's clock, in nanoseconds; the first worker's alone */
	u64 run_next, run_end; /* clusters that are the worker's to start */
	struct schedule_state schedule;
	struct standstill still;
	struct cluster **round_at; /* where in `active` the round is; NULL between rounds */
	u64 elapsed;               /* warp instructions of all warps, up to the last end of a turn */
	u64 change;                /* `elapsed` when clusters were taken up for the last time, or one ended */
	u64 drift_start; /* `elapsed` when a warp last did something else than to go around a loop that may wait */
	volatile u64 pause_at; /* after a turn that brings `elapsed` here, worker_run returns */
};

struct hooks; /* exec/stepping.h */
struct in_order;

/* In which a kernel gets shared memory: recorded. */
enum { SHARED_UNIT = 128 };

struct grid {
	const struct launch *launch;
	const struct program *program;
	const struct kernel *kernel;
	struct memory *memory;
	const struct address_map *map;
	u32 arch; /* numeric */
	const struct arch *arch_row;
	bool independent; /* thread scheduling: sm_70 and later */
	u32 block_threads, warps_per_block, blocks_per_cluster;
	u64 block_count, cluster_count;
	u32 size[3]; /* in blocks */
	u32 cluster_shape[3], clusters[3];
	bool explicit_cluster;
	u64 shared_bytes;
	u64 first_cluster, end_cluster;  /* those that this launch runs */
	u64 run_limit;                   /* clusters that a worker takes at once, at most */
	struct in_order *in_order;       /* what keeps the order of blocks where several workers run them; or NULL */
	u64 resident_limit;              /* clusters in flight, that the modelled GPU holds */
	u64 workspace;                   /* address of what cooperative groups keep of the grid; 0: none */
	s64 limit_left;                  /* instructions, atomic; without a limit more than any turn takes */
	u32 gang_limit;                  /* warps in a gang; 0: none form */
	struct native_kernel *native;    /* NULL: gangs are interpreted */
	double compiling;                /* seconds that it took when the launch began */
	const struct insn *gang_insns;   /* what gangs of the kernel's warps run, without native code */
	struct insn *watched_gang_insns; /* the same, a copy of an observed run; else NULL */
	/* Observed runs: instructions are patched copies; originals by code index. */
	struct insn **insns;
	meaning_fn ***originals;
	meaning_fn ***unexplored;    /* the same of instructions before which warps may give way; or NULL */
	gang_fn **gang_originals;    /* of gang_insns */
	u16 **watchers;              /* for each instruction of each code: bit k: observer k wants it */
	struct observer **observers; /* the launch's, and the asynchronous checker's */
	u32 observer_count;
	bool watches_all;                          /* grid_watch_all: no block runs natively any more */
	struct hooks *hooks;                       /* of a launch that is stepped through; or NULL */
	struct async_watch *async_watch;           /* strict: what is known of the program's instructions */
	enum async_mode async;                     /* eager if the program has nothing asynchronous */
	const struct async_checker *async_checker; /* of strict mode: see exec/async.h */
	pthread_mutex_t print_lock;
	pthread_mutex_t lock; /* of what follows, and of atomic operations on 128 bits */
	bool faulted;         /* atomic */
	u64 fault_block;
	struct worker *workers;
	u32 worker_count, worker_limit;
	struct host_threads *threads, own_threads; /* the launch's, else its own */
	/* Under `lock`, for deadlock detection: see exec/standstill.c. */
	u64 moves;        /* grows when a worker that stood still moves, begins to stand still, or ends */
	u32 busy_workers; /* have clusters, or may still take some */
	double still_since; /* seconds, where others may write to memory: all have stood still from then on; 0: they have not */
	u32 still_workers; /* of these, those that have found no change since `moves` grew last */
	enum standstill_verdict verdict;
	/* What all workers change, apart from what they read, as each change takes the cache line from the others. */
	u8 apart[64];
	u64 next_cluster; /* the first that is no worker's yet, atomic */
	s64 places_left;  /* of resident_limit, atomic; only for workers that wait for one another's clusters */
	/* Under `lock`: that of the lowest block. The last field, since most of it need not be cleared. */
	struct fault fault;
};

/* Puts a launch's warps in an order. */
static inline u64 warp_order(const struct warp *w) { return w->block->index << 8 | w->index; }

/* Whether others may change memory while a warp runs: other host threads of the launch, other launches, the host. */
static inline bool grid_shares_memory(const struct grid *grid)
{
	return grid->worker_limit > 1 || grid->launch->shared_memory;
}

/* First decoded instruction of a function in this run: the original, or the copy that is watched. */
static inline const struct insn *grid_entry(const struct grid *grid, const struct code *code)
{
	return grid->insns ? grid->insns[code->index] : code->insns;
}

#endif
