/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the engine share.
 */
#ifndef PTXSIM_DEBUG_INTERNAL_H
#define PTXSIM_DEBUG_INTERNAL_H

#include "debug/debug.h"
#include "exec/run.h"
#include "exec/stepping.h"
#include "sass/registers.h"

enum { NO_POINT = 0xffffffff, TEXT_SIZE = 8192, FOUND_REGISTERS = 8 };

/* One function's decoded code as the engine sees it: where it can stop. */
struct stops {
	u32 *next;  /* by decoded instruction: the first stop at or after it, or NO_POINT */
	s32 *done;  /* of a stop: instructions of the text since the last accounting point */
	u32 *of;    /* by instruction of the text: its stop, or NO_POINT where it left no code */
	u32 *real;  /* likewise: the decoded instruction that does the work, behind a guard; of several the last, or
		     * the one that accesses memory */
	u32 *last;  /* likewise: the last one */
	u8 *breaks; /* by decoded instruction: a breakpoint stands there */
};

/* A warp about to execute the instruction of a stop. */
struct standing {
	struct warp *w;
	const struct code *code;
	u32 insn; /* decoded */
	u32 mask;
	u64 position;
};

/* What the user did that the launch's course depends on. Applied at its position when that is run
 * through again. */
enum input_kind { INPUT_SCHEDULE, INPUT_WRITE };
struct input {
	enum input_kind kind;
	u64 position;
	u64 block; /* SCHEDULE: let this warp go on, or NO_BLOCK_INDEX: as it comes. WRITE: for whom */
	u32 warp, lanes;
	enum ir_space space; /* WRITE; SPACE_REG: a register */
	u64 address;         /* SPACE_REG: the row's place, and the frame's depth in `depth` */
	u32 depth, size, bits;
	u8 *bytes;
};
#define NO_BLOCK_INDEX (~(u64)0)

/* A module's debug sections, read when they are first asked for. */
struct module_dwarf {
	bool is_read;
	const struct dwarf *dwarf;
};
struct type_table;

struct checkpoint;
struct history;

/* A search through executed instructions; see find_last. */
struct search {
	bool (*matches)(struct debug *d, const struct standing *s, void *context);
	/* Asked behind an instruction, with the stop before it; NULL: only stops are searched. */
	bool (*accesses)(struct debug *d, const struct standing *s, void *context, const struct insn *i,
			 const u8 *rows);
	void *context;
	u64 found; /* the last position that matches */
	bool any;
};

/* The register that was last looked up while a condition was asked. */
struct found_register {
	const char *reader; /* where in the text it is named */
	const struct warp *w;
	const struct frame *frame; /* of the function that it is in: going back may have put it elsewhere */
	const struct code *code;
	u64 position;
	struct debug_register reg;
};

struct convenience {
	const char *name;
	struct debug_object object;
};

/* run.c: the grid under way, between two stops. */
struct running {
	bool (*ask)(struct debug *d, const struct standing *s);
	u64 until;      /* stop at the first place at or after this position */
	u64 resumed_at; /* the stop that is just being left */
	bool all_hooked, access_hooked, hooks_stale;
	bool quiet; /* points do not stop, and nothing is counted */
	volatile bool interrupted;
	struct debug_event event; /* what stopped it */
	bool stopped;             /* event is set: stop at the next opportunity */
	bool user_stop;           /* it stopped for the user's sake */
	bool hold, held;          /* no other warp goes on when the chosen one's turn ends; so it happened */
	struct search *search;
	struct standing last; /* the last stop that was passed */
};

/* run.c: what the launch has printed. */
struct output {
	char *text; /* from malloc */
	size_t length, room, shown;
};

/* motion.c: what is being waited for, and how it is stepped. */
struct motion {
	bool locked, by_text;
	bool (*question)(struct debug *d, const struct standing *s);
	u32 depth;
	struct debug_line line;
	const struct debug_place *until;
	u32 until_count;
};

/* points.c keeps the list, hits.c asks conditions. */
struct points {
	struct debug_point *first;
	u32 last_number;
	struct debug_point *wanted; /* of debug_who_wrote */
	struct found_register found_registers[FOUND_REGISTERS];
	struct standing asking; /* where a condition is asked: that warp's lanes are in no queue */
	char why[1100];         /* the last condition could not be evaluated, or "" */
};

/* watch.c: the instruction that is being executed, and what it touches. */
struct touching {
	struct standing at;
	const struct account_site *site;
	const struct frame *frame;
	enum ir_space space;
	u32 mask;
	u64 addresses[WARP_LANES];
	u8 compare[256]; /* of a compare-and-swap */
	u64 divergences; /* of its warp, before it */
};

/* access.c: the last access of the focused warp, for pictures. */
struct shown_access {
	struct account_sample sample;
	const struct account_site *site;
};

/* values.c: types of the registers of machine code at the place that was last looked at. */
struct seen_registers {
	struct debug_place place;
	struct sass_seen seen[SASS_INDEX_COUNT];
};

/* names.c, types.c, object.c, locations.c: what names mean. Made when they are first asked for. */
struct names {
	const char **functions; /* by code, as the source has them */
	struct seen_registers *seen;
	VEC_OF(struct convenience) variables;
	struct module_dwarf *dwarfs; /* by module */
	struct type_table *types;
	const struct dwarf_type *coordinates; /* of threadIdx */
};

struct debug {
	struct arena *arena;
	const struct program *program;
	struct debug_source source;
	struct debug_options options;
	struct accounting *accounting;
	struct arena counter_arena;
	u32 **sites;         /* by code and decoded instruction: accounting site + 1 */
	struct stops *stops; /* by code */

	/* The launch. */
	enum debug_state state;
	u32 launch_number;
	bool end_told;  /* the source knows how it ended; there is no other one, so what it left is kept */
	bool refused;   /* the last launch could not begin */
	bool no_memory; /* for want of it */
	struct launch launch;
	struct observer *observers[2];
	struct grid grid;
	struct hooks hooks;
	struct arena run_arena;
	struct fault fault;
	struct launch_stats stats;
	u64 position, furthest;
	struct standing current; /* w NULL: none */
	bool at_stop;            /* `current` stands suspended where the grid will go on */
	struct warp *direct;     /* the warp that goes on out of order; NULL: as it comes */
	struct debug_focus focus;

	struct running run;
	struct output output;
	struct motion motion;
	struct points points;
	struct touching access;
	struct shown_access shown;
	struct names names;
	struct history *history;
	VEC_OF(struct input) inputs;
	char text[TEXT_SIZE], found_text[TEXT_SIZE]; /* of events */
	char message[1024];
};

/* engine.c: sets the message; false. */
bool debug_fail(struct debug *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* points.c */
struct debug_point *points_add(struct debug *d, enum debug_point_kind kind, const char *what);

/* hits.c */
/* True: one of the breakpoints at this stop hits; fills d->event. */
bool points_at_stop(struct debug *d, const struct standing *s);
/* Narrows *lanes of the warp to those for which filters and condition hold; false: none. */
bool points_condition(struct debug *d, const struct debug_point *p, const struct warp *w, u32 *lanes);
bool points_hit(struct debug *d, struct debug_point *p);

/* motion.c */
struct debug_event debug_failed(struct debug *d);

/* stops.c */
void stops_build(struct debug *d);
/* The place of a program counter: the next stop. */
struct debug_place place_of_pc(const struct debug *d, const struct code *code, const struct insn *pc);
struct debug_place place_of_insn(const struct debug *d, const struct code *code, u32 insn);
static inline bool same_place(const struct debug_place *a, const struct debug_place *b)
{
	return a->code == b->code && a->instruction == b->instruction;
}
const struct form *place_form(const struct debug_place *p);
const struct ir_instruction *place_instruction(const struct debug_place *p);
bool place_is_barrier(const struct debug_place *p);

/* run.c: the grid under way. */
enum ran { RAN_STOPPED, RAN_PAUSED, RAN_FAULTED, RAN_ENDED };
/* Begins the next launch; false: there is none, or it cannot begin (message). */
bool run_begin(struct debug *d);
/* Ends it, and forgets what it left. */
void run_close(struct debug *d);
/* A launch runs, or the last one has ended and its blocks can still be looked at. */
bool run_is_open(const struct debug *d);
bool run_has_ended(const struct debug *d);
/* Runs until d->ask or a point stops it, or d->run_until. `all`: every stop is asked about. */
enum ran run_grid(struct debug *d, bool all);
/* To exactly that position, quietly, while searching (NULL: without); false: there is no such one. */
bool run_to(struct debug *d, u64 position, struct search *search);
/* To the first place at or after it. */
enum ran run_past(struct debug *d, u64 position, struct search *search);
void run_hooks(struct debug *d, bool all);
/* Lets `w` go on from here on (NULL: as it comes), and notes it. */
void run_schedule(struct debug *d, struct warp *w);
void run_apply_inputs(struct debug *d);
/* Notes an input at the current position; the future that was known is forgotten. */
void run_note_input(struct debug *d, const struct input *in);
/* Clusters that can be looked at: those that are resident, or, after the end, the last ones that were. */
const struct cluster *run_clusters(const struct debug *d);
struct warp *run_find_warp(const struct debug *d, u64 block, u32 warp);

/* watch.c: watchpoints and catchpoints. */
void watch_before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask);
void watch_after(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask);
bool watch_at_stop(struct debug *d, const struct standing *s);
void watch_refresh(struct debug *d);
bool watch_wants_access(const struct debug *d);
/* For searches: any watchpoint or catchpoint; the one of debug_who_wrote. */
bool watch_search(struct debug *d, const struct standing *s, void *context, const struct insn *i, const u8 *rows);
bool watch_search_one(struct debug *d, const struct standing *s, void *context, const struct insn *i, const u8 *rows);
bool watch_search_begin(struct debug *d, const char *what);
void watch_search_end(struct debug *d);

/* state.c */
void state_write_row(u8 *row, u32 bits, u32 lanes, const u8 *bytes);
bool state_write_memory(struct debug *d, struct warp *w, enum ir_space space, u64 address, u32 lane, const u8 *bytes,
			u64 size);
/* The frame at that depth of the call that lanes of the warp are in; NULL: none. */
struct frame *state_frame(const struct warp *w, u32 lanes, u32 depth);

/* history.c */
void history_open(struct debug *d);
void history_close(struct debug *d);
/* Takes a checkpoint here if one is due. */
void history_note(struct debug *d);
/* Where the next checkpoint is due; UINT64_MAX: none. */
u64 history_due(const struct debug *d);
/* Forgets what lies after the current position. */
void history_truncate(struct debug *d);
/* The last position before `before` at which the search matches; false: none. Leaves the grid
 * somewhere in the past. */
bool history_find_last(struct debug *d, u64 before, struct search *s, u64 *found);
/* Puts the grid at exactly that position. */
bool history_go(struct debug *d, u64 position);

/* access.c: what a memory instruction touches. */
void access_build(struct debug *d);
const struct account_site *access_site(const struct debug *d, const struct code *code, u32 insn);
/* Addresses of the lanes of *mask and their space; generic ones are resolved: *mask becomes the lanes
 * in the space of the first. */
enum ir_space access_addresses(const struct account_site *site, const struct warp *w, const struct insn *i,
			       const u8 *rows, u32 *mask, u64 address[WARP_LANES]);
/* Keeps the access of the instruction that the focused warp is about to execute, for debug_access. */
void access_note(struct debug *d, const struct standing *s);
/* Keeps one that has been executed. */
void access_keep(struct debug *d, const struct warp *w, const struct account_site *site, enum ir_space space, u32 mask,
		 const u64 address[WARP_LANES]);

/* expression.c: can the text be read? Its names must mean something in one of the places' functions, or, with
 * NULL, in any. */
bool expression_check(struct debug *d, const char *text, const struct debug_place *places, u32 count);

/* values.c: a declared register of the frame; false and a message if there is none. */
bool register_in_frame(struct debug *d, const struct debug_frame *f, const char *name, struct debug_register *r);

#endif
