/* SPDX-License-Identifier: Apache-2.0
 *
 * libptxsim: what launches cost, what is wrong with them though they end, and their events as they happen. Part of
 * ptxsim.h's interface.
 *
 *     ptxsim_watch(context, &(struct ptxsim_watching){.struct_size = sizeof(struct ptxsim_watching), .count = 1});
 *     ptxsim_record *record;
 *     launch.record = &record;
 *     ptxsim_launch(context, kernel, &launch);
 *     puts(ptxsim_record_report(record, PTXSIM_REPORT_TEXT));
 *     ptxsim_record_free(record);
 */
#ifndef PTXSIM_OBSERVE_H
#define PTXSIM_OBSERVE_H

#include "ptxsim.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* --- What is watched --------------------------------------------------------------------------- */

struct ptxsim_watching {
	size_t struct_size; /* sizeof(struct ptxsim_watching) */
	int count;          /* instructions, lanes and memory accesses: see docs/counters.md */
	/* What is looked for, as docs/checks.md describes it: threads that access the same bytes with nothing between
	 * that orders them; values that nothing has written, where they matter; barriers and masks that not all threads
	 * come to. A launch that runs to its end with findings gives PTXSIM_ERROR_FAULT. With any of them, launches run on
	 * one host thread if they are counted, too, or if the order of blocks can show in what they leave; findings are the
	 * same for any number of threads. */
	int races, unwritten, sync;
	/* Races of plain reads that a compare and swap validates; unwritten values at the first arithmetic. */
	int plain_reads, strict_unwritten;
	unsigned max_findings; /* that are kept of a launch; 0: 100 */
	const char *suppress;  /* path of a file with the lines of findings to leave out, or NULL; must last */
	/* Further checks, as --check names them in docs/checks.md, with commas between ("neighbours,nan"), or NULL; must
	 * last. Leaks are the caller's own business. */
	const char *checks;
};

/* Says what is watched in the context's launches from now on: those by ptxsim_launch and those that streams are given,
 * with the grids that kernels launch themselves, unless a launch says so itself (ptxsim_launch.watching). NULL: nothing,
 * as at first. ARGUMENT: no context, or a struct of no known size. */
ptxsim_status ptxsim_watch(ptxsim_context *context, const struct ptxsim_watching *watching);

/* --- The last launch --------------------------------------------------------------------------- */

/* These tell of the context's last launch by ptxsim_launch, unless that gave its record to the caller. What they return
 * is valid until the next launch; they may not be called while another thread launches in this context. */

/* A counter by its name in docs/counters.md or a profiler's name for it. STATE: that launch was not counted, or did not
 * begin. NOT_FOUND: there is no such counter. After a fault: what was counted up to there. */
ptxsim_status ptxsim_counter(const ptxsim_context *context, const char *name, double *value);
/* The text report, what costs most first; "" if the launch was not counted. */
const char *ptxsim_report(const ptxsim_context *context);
/* What the checks found, a message each; NULL: there are not so many. */
const char *ptxsim_finding(const ptxsim_context *context, size_t index);

/* --- Records ----------------------------------------------------------------------------------- */

/* What is known of one launch: how it ended, and what was watched. A launch whose `record` is not NULL puts one there when
 * it ends, watched or not; NULL if the call was wrong (a wrong number of arguments among them) or memory ran out. A launch
 * in a stream does so at the latest when ptxsim_stream_synchronize returns, and leaves NULL there if it did not run. The
 * caller owns the record and frees it; NULL is allowed.
 *
 * Different records may be used by different threads, each record by one at a time. What a function returns is valid as
 * long as the record. When a launch's module or context is freed, which no thread may do while another uses the record,
 * reports and lines that were not asked for yet are gone; all else stays. */
void ptxsim_record_free(ptxsim_record *record);
/* What ptxsim_launch returned for it. ARGUMENT: no record. */
ptxsim_status ptxsim_record_status(const ptxsim_record *record);
/* Why it failed, in full; "" if it did not. */
const char *ptxsim_record_message(const ptxsim_record *record);
/* The fault by its parts. STATE: it did not fault. */
ptxsim_status ptxsim_record_fault(const ptxsim_record *record, struct ptxsim_fault *fault);
/* Counts that every launch has. */
ptxsim_status ptxsim_record_stats(const ptxsim_record *record, struct ptxsim_stats *stats);
/* What the checks found, a message each; NULL: there are not so many. */
const char *ptxsim_record_finding(const ptxsim_record *record, size_t index);
/* The record of a grid that the kernel launched itself, or one of those, in the order in which they ran; the parent's,
 * and freed with it. NULL: there are not so many, or nothing was watched. */
ptxsim_record *ptxsim_record_grid(const ptxsim_record *record, size_t index);

/* A counter, as ptxsim_counter has it. */
ptxsim_status ptxsim_record_counter(const ptxsim_record *record, const char *name, double *value);

/* The counters that there are, in the order of docs/counters.md. */
size_t ptxsim_counter_count(void);
/* "shared.conflicts"; the unit in words, "" of a ratio; what is counted, in a sentence. Constants. NULL: no such one. */
const char *ptxsim_counter_name(size_t index);
const char *ptxsim_counter_unit(size_t index);
const char *ptxsim_counter_definition(size_t index);

typedef enum ptxsim_report_format {
	PTXSIM_REPORT_TEXT = 0, /* what costs most first, then tables */
	PTXSIM_REPORT_JSON = 1, /* docs/report.schema.json describes it */
	PTXSIM_REPORT_HTML = 2, /* a page that needs nothing else, with the source beside its counts */
	PTXSIM_REPORT_CSV = 3
} ptxsim_report_format;

/* The report of a counted launch, as `ptxsim run --report` writes it; made when it is first asked for. "": the launch was
 * not counted, its module is gone, or memory ran out: ptxsim_last_error says which. */
const char *ptxsim_record_report(ptxsim_record *record, ptxsim_report_format format);

typedef enum ptxsim_lines {
	PTXSIM_LINES_SOURCE = 0,      /* of what PTX was compiled from, as .loc lines tell; none without them */
	PTXSIM_LINES_PTX = 1,         /* of the PTX, or listing */
	PTXSIM_LINES_INSTRUCTIONS = 2 /* instruction by instruction */
} ptxsim_lines;

/* What a line cost. */
struct ptxsim_line {
	size_t struct_size;     /* sizeof(struct ptxsim_line), set by the caller */
	const char *file;       /* that the line is in */
	uint32_t line;          /* from 1 */
	const char *function;   /* that its code was inlined from, as the compiler mangled it; or NULL */
	const char *text;       /* PTXSIM_LINES_INSTRUCTIONS: the instruction; else NULL */
	const char *source;     /* of a line of PTX: the file and line that it was compiled from; or NULL */
	uint32_t source_line;   /* 0: not known */
	const double *counters; /* ptxsim_counter_count() of them, in that order; those of a launch as a whole are 0 */
};

/* Lines that ran, by file and number; NOT_FOUND: there are not so many. STATE: the launch was not counted, or its module is
 * gone. */
ptxsim_status ptxsim_record_line(ptxsim_record *record, ptxsim_lines kind, size_t index, struct ptxsim_line *line);

/* --- Observers --------------------------------------------------------------------------------- */

typedef enum ptxsim_space {
	PTXSIM_SPACE_GLOBAL = 0,
	PTXSIM_SPACE_SHARED = 1,
	PTXSIM_SPACE_LOCAL = 2,
	PTXSIM_SPACE_CONST = 3,
	PTXSIM_SPACE_PARAM = 4
} ptxsim_space;

typedef enum ptxsim_access {
	PTXSIM_ACCESS_LOAD = 0,
	PTXSIM_ACCESS_STORE = 1,
	PTXSIM_ACCESS_ATOMIC = 2,   /* its result is used */
	PTXSIM_ACCESS_REDUCTION = 3 /* its result is not */
} ptxsim_access;

typedef enum ptxsim_barrier {
	PTXSIM_BARRIER_WARP = 0,   /* bar.warp.sync */
	PTXSIM_BARRIER_BLOCK = 1,  /* bar, barrier: arriving, waiting or both */
	PTXSIM_BARRIER_CLUSTER = 2 /* barrier.cluster */
} ptxsim_barrier;

/* What happens to a warp. Everything is valid for the call alone. Fields that an event does not have are 0. */
struct ptxsim_event {
	size_t struct_size; /* sizeof(struct ptxsim_event) of the library: fields are only added at the end */
	uint64_t launch;    /* number of the context's watched launch or grid, from 1 */
	const ptxsim_function *kernel; /* that was launched */
	uint32_t host_thread;          /* of the launch's, from 0: of events of one, none overlap */
	uint32_t grid[3], block_shape[3];
	uint32_t block[3], warp; /* the block in the grid, the warp in the block */
	uint32_t lanes;          /* bit mask of those that take part; never 0 but in events of blocks */
	/* Of instructions, accesses and barriers: */
	const char *function;      /* that the instruction is in */
	const char *file;          /* of the text */
	uint32_t line;             /* in it, from 1 */
	const char *instruction;   /* its text, not ended by a null byte: */
	size_t instruction_length; /* bytes */
	/* Of accesses: */
	ptxsim_access access;
	ptxsim_space space;
	uint32_t bytes; /* of each lane */
	/* 32, of which those of `lanes` count. Of global memory as kernels have them; of shared memory from the beginning of the
	 * block's on, of another block of the cluster with (its rank + 1) * 2^24 added; of local memory within the thread's. */
	const uint64_t *addresses;
	/* Of barriers: */
	ptxsim_barrier barrier;
	uint32_t barrier_number; /* of PTXSIM_BARRIER_BLOCK, 0 to 15 */
};

typedef void ptxsim_event_fn(void *observer_context, const struct ptxsim_event *event);

/* What a program wants to be told of launches. Functions that are NULL cost nothing, nor do instructions that none of the
 * others is for; a launch without an observer runs the code that it always ran. */
struct ptxsim_observer {
	size_t struct_size; /* sizeof(struct ptxsim_observer) */
	void *observer_context;
	/* 0: launches run on one host thread, and no calls of one launch overlap. Else they run on as many as
	 * ptxsim_launch.jobs says, and calls of different host threads may overlap. Launches in different streams may
	 * always call at the same time. */
	int any_thread;
	/* Before a launch's first block, and after its end; on the thread that runs it. */
	void (*launch_begin)(void *observer_context, uint64_t launch, const ptxsim_function *kernel,
			     const struct ptxsim_launch *shape);
	void (*launch_end)(void *observer_context, uint64_t launch, ptxsim_status status);
	ptxsim_event_fn *block_begin, *block_end; /* a block that is cut short by a fault does not end */
	/* Before each instruction of the text, for the lanes whose guard lets them; an instruction for which lanes wait for
	 * one another may be told in parts. */
	ptxsim_event_fn *instruction;
	/* Before each load, store, atomic operation, reduction, ldmatrix, stmatrix, fragment of wmma, and cp.async (its load
	 * of global memory, then its store to shared memory), space by space; `instruction` is called first. What is wrong
	 * with an address is found afterwards. Bulk and tensor copies, mbarriers, textures, surfaces, the operands of wgmma, and
	 * the machine code of cubins are told as instructions only. */
	ptxsim_event_fn *access;
	/* Before a warp's lanes come to a barrier; `instruction` is called first. */
	ptxsim_event_fn *barrier;
};

/* Sets the context's observer in place of the last one; it is copied. NULL: none, as at first. No launch may be under way.
 * The functions may call ptxsim_stop, ptxsim_read of memory that no kernel writes meanwhile, and the functions that ask
 * about devices and functions; nothing else of this context. They must return. ARGUMENT: no context, or a struct of no
 * known size. */
ptxsim_status ptxsim_observe(ptxsim_context *context, const struct ptxsim_observer *observer);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
