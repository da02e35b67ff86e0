/* SPDX-License-Identifier: Apache-2.0
 *
 * The debugger's engine: runs launches on the calling thread and stops them where it is asked to,
 * forwards and backwards, and shows and changes what they hold. It prints nothing and asks
 * nothing: a front end (command line, full screen, Debug Adapter Protocol) drives it by calls
 * that return when something happened.
 *
 *     d = debug_new(...);
 *     struct debug_event e = debug_go(d, DEBUG_CONTINUE, 1);     start: stops at the first launch
 *     debug_break(d, "saxpy.ptx:20", NULL);
 *     e = debug_go(d, DEBUG_CONTINUE, 1);                        e.reason says why it stopped
 *     debug_evaluate(d, "%r3*4", debug_focus(d).lane, &value);
 *     e = debug_back(d, DEBUG_STEP, 1);
 *
 * The engine stops only where a warp is about to execute an instruction of the text: that warp is
 * the current one. Its position is the number of warp instructions that the launch has executed:
 * the same position is the same state, however it was reached. The focus, on which commands work,
 * is a block, warp and lane that the user may choose.
 *
 * Programs must be lowered with keep_registers. Not thread-safe, except debug_interrupt. Texts that
 * are returned live until the next motion unless stated otherwise; what runs out of memory unwinds
 * the arena that debug_new was given.
 */
#ifndef PTXSIM_DEBUG_DEBUG_H
#define PTXSIM_DEBUG_DEBUG_H

#include "dwarf/dwarf.h"
#include "exec/launch.h"
#include "observe/accounting.h"

struct debug;

/* --- Where launches come from, and where text goes -------------------------------------------- */

/* An array of the host's. */
struct debug_buffer {
	u16 type; /* token of its elements */
	u32 rank;
	u64 dims[3]; /* outermost first */
	u64 address;
};

struct debug_source {
	void *context;
	/* Prepares the next launch; what *l points at lives until `done`. False: there is none (an
	 * error is the source's to tell). `print` and `observers` of *l are the engine's to fill. */
	bool (*next)(void *context, struct launch *l);
	/* A launch has ended, finished, faulted or abandoned. */
	void (*done)(void *context, enum launch_status status, const struct launch_stats *stats,
		     const struct fault *fault);
	/* Brings memory and launches back to the start, for debug_restart. May be NULL. */
	bool (*restart)(void *context);
	/* The buffer of that name, which may not have been made yet (address 0), or, without a name, the one at an
	 * address; false: there is none. May be NULL. */
	bool (*buffer)(void *context, const char *name, u64 address, struct debug_buffer *b);
	/* What a kernel prints, once: not again when it is run through a second time. May be NULL. */
	void (*print)(void *context, const char *text, size_t length);
};

enum { DEBUG_HISTORY_DEFAULT_MIB = 512 };

struct debug_options {
	bool no_history;     /* no going back: nothing is kept */
	u64 history_bytes;   /* for checkpoints; 0: DEBUG_HISTORY_DEFAULT_MIB */
	u64 history_spacing; /* warp instructions between checkpoints; 0: chosen by what one costs */
	bool counters;       /* count memory accesses while running, for debug_counters */
	struct accounting_options accounting;
};

/* All arguments live as long as the engine. */
struct debug *debug_new(struct arena *arena, const struct program *program, const struct debug_source *source,
			const struct debug_options *options);
void debug_free(struct debug *d);
const struct program *debug_program(const struct debug *d);
/* A launch could not be run, or gone back in, for want of the host's memory. */
bool debug_no_memory(const struct debug *d);
/* Why the last call failed. */
const char *debug_message(const struct debug *d);

/* --- Places ------------------------------------------------------------------------------------ */

/* An instruction of the text, in one kernel's code. */
struct debug_place {
	const struct code *code; /* NULL: nowhere */
	u32 instruction;         /* index into code->function->body */
};

struct debug_line {
	const char *file; /* as given; NULL: none */
	u32 line, column;
	const char *text; /* of the instruction, `length` bytes, not terminated */
	u32 length;
	const char *loc_file; /* by .loc, or NULL */
	u32 loc_line;
	const char *ptx_file; /* of machine code that has its PTX beside it: "x.cubin.ptx", or NULL */
	u32 ptx_line, ptx_length;
	const char *ptx_text; /* that line */
};
struct debug_line debug_line(const struct debug_place *p);
/* As the source names it, without parameters: "scale<float>". */
const char *debug_function_name(const struct debug *d, const struct code *code);
/* Places of a location: FILE:LINE or LINE (of the text, or of CUDA C through .loc; without code there, the
 * next line that has some), FUNCTION (as PTX or the source names it; behind what fetches its arguments, if the
 * debug sections tell), LABEL, FUNCTION:LABEL, FUNCTION+N (its N-th instruction), @MNEMONIC (add, ld.shared:
 * every instruction that begins so). Returns how many, at most `room` of them in `places`; 0 and a message if
 * there are none. */
u32 debug_resolve(struct debug *d, const char *location, struct debug_place *places, u32 room);
/* The line's text, without its end; NULL if there is none. */
const char *debug_source_text(const struct debug *d, const char *file, u32 line, u32 *length);

/* --- Moving ------------------------------------------------------------------------------------ */

enum debug_reason {
	DEBUG_LAUNCHED, /* a launch begins: at its first instruction */
	DEBUG_STEPPED,  /* the motion is done */
	DEBUG_AT_BREAKPOINT,
	DEBUG_WATCHED, /* a watchpoint */
	DEBUG_CAUGHT,  /* a catchpoint */
	DEBUG_FAULT,   /* the kernel failed; its state can be looked at */
	DEBUG_INTERRUPTED,
	DEBUG_WARP_ENDED,   /* the focused warp has no live lane left */
	DEBUG_BLOCKED,      /* the focused warp waits, and scheduler-locking keeps the others */
	DEBUG_LAUNCH_ENDED, /* the launch is over: between launches */
	DEBUG_OVER,         /* there are no more launches */
	DEBUG_AT_START,     /* going back: the history begins here */
	DEBUG_FAILED,       /* the motion is not possible: see text; nothing has changed */
};

struct debug_event {
	enum debug_reason reason;
	u64 position;
	u32 number; /* of the breakpoint, watchpoint or catchpoint, or 0 */
	u32 lanes;  /* those that hit */
	u64 block;  /* the warp that it is about */
	u32 warp;
	struct debug_place place; /* where that warp stands or, for what has been executed, stood */
	const char *text;         /* one line more: values, fault; or NULL */
};

enum debug_motion {
	DEBUG_CONTINUE,
	DEBUG_STEP,      /* one instruction of the focused warp */
	DEBUG_NEXT,      /* the same, over calls */
	DEBUG_STEP_LINE, /* until the focused warp stands on another source line (.loc; else the text's) */
	DEBUG_NEXT_LINE,
	DEBUG_PAST_LINE,        /* until it stands on a later line of this function, or in its caller */
	DEBUG_FINISH,           /* until the focused lane's function has returned */
	DEBUG_STEP_BLOCK,       /* one instruction of each warp of the focused block that can go on, in turn */
	DEBUG_TO_BARRIER,       /* until the focused warp stands before a block barrier */
	DEBUG_TO_OTHER_WARP,    /* until another warp comes next */
	DEBUG_TO_RECONVERGENCE, /* until all live lanes of the focused warp are in one split */
	DEBUG_TO_LAUNCH,        /* the end of this launch, and the start of the next one */
	DEBUG_TO_START,         /* backwards only: the launch's first instruction */
};

/* Moves `count` times (DEBUG_CONTINUE: passes count - 1 stops). Breakpoints and the like stop every
 * motion. Before the first launch and between launches every motion begins the next one. */
struct debug_event debug_go(struct debug *d, enum debug_motion motion, u64 count);
/* Until the focused warp is at one of the places, in the same or an outer function. */
struct debug_event debug_until(struct debug *d, const struct debug_place *places, u32 count);
/* The same backwards: to the last time that ... Within the launch. */
struct debug_event debug_back(struct debug *d, enum debug_motion motion, u64 count);
/* To a position of the launch, either way, past everything. */
struct debug_event debug_goto(struct debug *d, u64 position);
/* Everything from the beginning, to the first launch. */
struct debug_event debug_restart(struct debug *d);
/* Abandons the launch under way, if one is; the next motion asks the source for another, even if it had no more. */
void debug_end_launch(struct debug *d);
/* Stops a running motion soon. From a signal handler or another thread. */
void debug_interrupt(struct debug *d);

/* After a launch has begun: does a breakpoint stand at its first instruction? *e is that stop. */
bool debug_breaks_here(struct debug *d, struct debug_event *e);
/* What a line is to motions by lines: one of the text, or (the default) of the source where .loc names it. */
void debug_step_by_text(struct debug *d, bool on);

/* Others stay while the focused warp moves (else they take their turns). */
void debug_lock_scheduler(struct debug *d, bool on);
bool debug_scheduler_locked(const struct debug *d);

/* --- The state --------------------------------------------------------------------------------- */

enum debug_state { DEBUG_IDLE, DEBUG_STOPPED, DEBUG_FAULTED, DEBUG_BETWEEN, DEBUG_ENDED };
enum debug_state debug_state(const struct debug *d);
const struct launch *debug_launch(const struct debug *d); /* NULL: none is under way */
u32 debug_launch_number(const struct debug *d);           /* from 1 */
u64 debug_position(const struct debug *d);
/* The highest position reached in this launch. */
u64 debug_furthest(const struct debug *d);
/* Of the current launch's registers, memory, splits, barriers and output. */
u64 debug_state_hash(struct debug *d);
/* What has been printed in this launch up to this position. */
const char *debug_output(const struct debug *d, size_t *length);
const struct fault *debug_fault(const struct debug *d); /* NULL: none */

struct debug_focus {
	u64 block; /* linear index */
	u32 warp, lane;
	u32 frame; /* 0: innermost */
};
struct debug_focus debug_focus(const struct debug *d);
/* False and a message: the block is not resident, or there is no such warp or lane. */
bool debug_set_focus(struct debug *d, struct debug_focus focus);

/* Linear index of a block and its coordinates. */
void debug_block_index(const struct debug *d, u64 block, u32 ctaid[3]);
/* Coordinates of a thread in its block. */
void debug_thread_index(const struct debug *d, u32 warp, u32 lane, u32 tid[3]);

/* Resident blocks in the order of their start; at most `room` in `blocks`, returns how many there are. */
u32 debug_blocks(const struct debug *d, const struct block **blocks, u32 room);
const struct warp *debug_warp(const struct debug *d, u64 block, u32 warp); /* NULL: not resident */
const struct warp *debug_current_warp(const struct debug *d);              /* NULL: none */

enum debug_lanes { DEBUG_READY, DEBUG_AT_WARP_SYNC, DEBUG_AT_BARRIER, DEBUG_AT_CLUSTER, DEBUG_AT_JOIN, DEBUG_ON_STACK };

/* Lanes of a warp that are at one place together. */
struct debug_split {
	u32 mask;
	enum debug_lanes state;
	bool next;                /* the one that the warp executes next */
	struct debug_place place; /* next instruction; AT_*: what it waits at */
	const struct frame *frame;
	const struct join *join; /* where it meets others, or NULL */
	u32 waits_for;           /* AT_WARP_SYNC, AT_JOIN: lanes that are missing */
	u32 barrier;             /* AT_BARRIER */
	enum stack_kind stack;   /* ON_STACK, of a listing: the entry's kind; place is where its lanes go on */
};
/* Splits of a warp, the next one first; at most 32. */
u32 debug_splits(const struct debug *d, const struct warp *w, struct debug_split splits[WARP_LANES]);
/* A place where lanes that have parted meet again, or to which a call returns. */
struct debug_join {
	u32 expected, arrived; /* lanes */
	s32 parent;            /* its number among them, or -1: the whole warp */
	bool is_return;
	struct debug_place place;
	const struct join *join;
};
/* Those of a warp that are open, the newest first; at most `room`, returns how many there are. */
u32 debug_joins(const struct debug *d, const struct warp *w, struct debug_join *joins, u32 room);
/* Where entry k of a listing's reconvergence stack (w->stack) goes on. */
struct debug_place debug_stack_place(const struct debug *d, const struct warp *w, size_t k);
/* The split of the focused lane; false if the lane has exited or there is no launch. */
bool debug_focus_split(const struct debug *d, struct debug_split *split);
/* Where the focused lane is in the focused frame. */
bool debug_focus_place(const struct debug *d, struct debug_place *place);

/* A call: the innermost first. */
struct debug_frame {
	struct debug_place place; /* the next instruction; of a caller: the call */
	const struct frame *frame;
	u32 lanes;
};
u32 debug_frames(const struct debug *d, struct debug_frame *frames, u32 room);
/* The focused one; false: the lane has exited, or there is no launch. */
bool debug_focus_frame(const struct debug *d, struct debug_frame *frame);

/* --- Values ------------------------------------------------------------------------------------ */

/* A value with the type token that says how it reads: T_u32, T_f32, T_pred, ... */
struct debug_value {
	u16 type;
	u8 bytes[16]; /* little-endian */
};

/* A register or special register by name, as one function sees it. */
struct debug_register {
	char name[80];
	u16 type;
	struct row_place place; /* bits 0: special, read by debug_register_lane alone */
	u16 sreg;               /* enum sreg, or SREG_NONE */
	u8 element;
	const struct frame *frame;
	bool pair;    /* of machine code: 64 bits, of which the upper words are the row behind */
	u8 file;      /* of machine code: enum sass_file */
	bool uniform; /* of machine code: one value for the warp */
	bool upper;   /* of machine code: the upper half of the pair that the register before begins */
};
/* "%r3", "%v.x", "%tid.x" in the focused frame; false and a message if there is none. In machine code "R4", "UR4", "P0",
 * "UP0", "B0", of the types that the instructions around give them. */
bool debug_find_register(struct debug *d, const char *name, struct debug_register *r);
/* All declared registers of the focused frame, one by one: false at the end. */
bool debug_register_at(const struct debug *d, u32 index, struct debug_register *r);
struct debug_value debug_register_lane(const struct debug *d, const struct debug_register *r, u32 lane);
/* Lanes in `lanes` get the value. */
bool debug_set_register(struct debug *d, const struct debug_register *r, u32 lanes, const struct debug_value *v);
/* The special registers that can be read, one by one: NULL at the end. */
const char *debug_special_at(u32 index);

/* Bytes of a space as the focused warp and `lane` see them. False and a message: not accessible. */
bool debug_read(struct debug *d, enum ir_space space, u64 address, u32 lane, void *to, u64 bytes);
bool debug_write(struct debug *d, enum ir_space space, u64 address, u32 lane, const void *from, u64 bytes);

/* An expression of C over variables and parameters of the source (where the module has debug sections), CUDA
 * C's threadIdx and the like, registers (%r3), special registers (%tid.x), variables and parameters of PTX,
 * buffers, convenience variables ($x, $1) and memory (shared[0x40]: a word; (f32)shared[0x40];
 * *(.f32*)address: generic), for one lane. Of an array or a structure the value is its address. */
bool debug_evaluate(struct debug *d, const char *text, u32 lane, struct debug_value *v);
/* "LEFT = RIGHT" in the lanes of `lanes`; LEFT: a register, memory, variable or $name. */
bool debug_assign(struct debug *d, const char *text, u32 lanes);
/* The '=' that makes the text an assignment; NULL: it is none. */
const char *debug_find_equals(const char *text);

struct debug_memory_place {
	enum ir_space space;
	u64 address;
	u16 type; /* what stands there: of an array its elements', T_b32 if not known */
	u64 size; /* bytes */
};
/* What an address means: where a variable lies, or what a pointer points at: "array", "array[3]", "pointer",
 * "shared:0x40", "0x7f0002000100". */
bool debug_find_address(struct debug *d, const char *text, u32 lane, struct debug_memory_place *p);
/* Where a variable itself lies: in memory, or in the register *reg (reg->name "" if it does not). */
bool debug_find_variable(struct debug *d, const char *text, u32 lane, struct debug_memory_place *p,
			 struct debug_register *reg);

/* What an expression comes to, with its type in the source. */
struct debug_object {
	struct debug_value value;      /* of an array or a structure in memory: its address */
	const struct dwarf_type *type; /* NULL: value.type says it */
	bool in_memory;
	enum ir_space space; /* in memory: where */
	u64 address;
	enum ir_space target; /* of a pointer: the memory that it points into */
	u32 repeat;           /* of "x@4": how many of it follow one another; else 0 */
};
/* Gives a convenience variable, "$3", that value. */
void debug_keep_value(struct debug *d, const char *name, const struct debug_object *o);
bool debug_evaluate_object(struct debug *d, const char *text, u32 lane, struct debug_object *o);
/* As gdb writes it: {x = 1, y = {2, 3}}. Formats: see debug_format. Cut off with "..." */
void debug_object_text(struct debug *d, const struct debug_object *o, u32 lane, char format, char *text, size_t size);
/* "float [4]", ".b32"; in the arena. */
const char *debug_object_type(struct debug *d, const struct debug_object *o, struct arena *a);
/* The type that the text names: "Body *", "unsigned char"; NULL: it is not a type. */
const struct dwarf_type *debug_find_type(struct debug *d, const char *text);
/* Members, elements, what a pointer points at: how many, and one of them with its name ("mass", "[3]", "*"). */
u64 debug_object_parts(const struct debug_object *o);
bool debug_object_part(struct debug *d, const struct debug_object *o, u32 lane, u64 index, char name[80],
		       struct debug_object *part);

/* Arguments and variables of the source that the focused frame sees, from the innermost { } outwards: false
 * and a message at the end, or if nothing is known of them. */
struct debug_local {
	const struct dwarf_variable *variable;
	struct debug_object object;
	bool kept; /* false: the compiler does not keep it at this place */
	u32 level; /* 0: of the innermost { } */
};
bool debug_local_at(struct debug *d, u32 index, u32 lane, struct debug_local *l);
/* What the call at that place, which has just returned to the focused lane, has given back: false and a
 * message if it gives back nothing. */
bool debug_returned(struct debug *d, const struct debug_place *call, const struct code *callee, u32 lane,
		    struct debug_object *o);
/* What the debug sections say; NULL: the module has none, nothing is said of the function. */
const struct dwarf *debug_dwarf(struct debug *d, const struct ir_module *m);
/* At one of its instructions: a kernel of machine code has those of the functions that it calls, too. */
const struct dwarf_function *debug_source_function(struct debug *d, const struct ir_function *f, u32 instruction);
/* Of the kernel itself, or the function of PTX. */
const struct dwarf_function *debug_own_function(struct debug *d, const struct ir_function *f);
/* Format letters: x hex, d signed, u unsigned, t binary, c character, f float of the size, h halves,
 * b bf16 halves, a address; 0: by type. */
void debug_format(const struct debug_value *v, char format, char *text, size_t size);
bool debug_value_true(const struct debug_value *v);
/* As a number, converted. */
s64 debug_value_whole(const struct debug_value *v);
f64 debug_value_number(const struct debug_value *v);

/* --- Breakpoints, watchpoints, catchpoints ------------------------------------------------------ */

enum debug_point_kind { DEBUG_BREAK, DEBUG_WATCH, DEBUG_CATCH };
enum debug_watch { DEBUG_WATCH_CHANGE, DEBUG_WATCH_WRITE, DEBUG_WATCH_READ, DEBUG_WATCH_ACCESS };
enum debug_catch {
	DEBUG_CATCH_FAULT,
	DEBUG_CATCH_DIVERGENCE,
	DEBUG_CATCH_RECONVERGENCE,
	DEBUG_CATCH_BARRIER,  /* a warp is about to arrive at one */
	DEBUG_CATCH_CONFLICT, /* more than `above` extra wavefronts in shared memory */
	DEBUG_CATCH_SECTORS,  /* more than `above` sectors in global or local memory */
	DEBUG_CATCH_LOCK,     /* a compare-and-swap that swapped nothing in some lane */
	DEBUG_CATCH_COUNT
};

struct debug_point {
	enum debug_point_kind kind;
	u32 number;
	bool enabled, temporary;
	const char *what;      /* as given */
	const char *condition; /* an expression that must hold in some lane, or NULL */
	u64 hits, ignore;      /* hits so far; how many of the next to pass */
	bool any_block, any_warp;
	u64 block;                  /* filters */
	u32 warp, lanes;            /* lanes: FULL_MASK for any */
	struct debug_place *places; /* BREAK */
	u32 place_count;
	enum debug_watch watch;
	bool of_register; /* WATCH: of a register of one warp, else of memory */
	bool of_variable; /* WATCH: of a variable of the source that moves from register to register */
	enum ir_space space;
	u64 address, size;
	u64 owner_block; /* shared: the block; local, register: block and warp */
	u32 owner_warp, owner_lane;
	struct debug_register reg;
	enum debug_catch catch;
	u64 above;
	u16 value_type;           /* WATCH: how the value reads */
	struct debug_object last; /* the engine's, of a variable: what it was at which position; */
	u64 last_position;
	bool last_known;
	u8 *before; /* the bytes before an instruction, whether they are there, */
	bool there; /* and the lanes that read and wrote them */
	u32 touched, written;
	struct debug_point *next;
};

/* These return the point, or NULL with a message. Filters and the condition may be set afterwards
 * (debug_point_changed then). */
struct debug_point *debug_break(struct debug *d, const char *location, const char *condition);
/* An expression that names a register or memory; bytes 0: as large as it is. */
struct debug_point *debug_watch(struct debug *d, const char *what, enum debug_watch kind, u64 bytes);
struct debug_point *debug_catch(struct debug *d, enum debug_catch kind, u64 above);
struct debug_point *debug_first_point(const struct debug *d); /* then ->next */
struct debug_point *debug_point(const struct debug *d, u32 number);
/* Sets the condition (NULL: none); false and a message if it cannot be read. */
bool debug_set_condition(struct debug *d, struct debug_point *p, const char *condition);
void debug_delete(struct debug *d, struct debug_point *p);
/* The same for one that was just made and that nobody has seen: its number is used again. */
void debug_withdraw(struct debug *d, struct debug_point *p);
/* After fields of a point were changed. */
void debug_point_changed(struct debug *d);
/* "divergence": DEBUG_CATCH_DIVERGENCE; NULL at the end. */
const char *debug_catch_name(enum debug_catch kind);

/* Backwards to the instruction that last wrote the register or memory; nothing before it stops. The
 * event's place is that instruction, about to be executed. */
struct debug_event debug_who_wrote(struct debug *d, const char *what);

/* --- History ----------------------------------------------------------------------------------- */

struct debug_history {
	bool on;
	u64 checkpoints, bytes, limit_bytes, spacing;
	u64 first; /* lowest position that can be reached */
};
struct debug_history debug_history(const struct debug *d);
/* Turning it off throws the past away; turning it on starts it here. */
bool debug_set_history(struct debug *d, bool on);
bool debug_set_history_limit(struct debug *d, u64 bytes);

/* --- Memory accesses ---------------------------------------------------------------------------- */

/* What the instruction at the focus would access now, lane by lane; false and a message if it
 * accesses no memory that is modelled by banks or sectors. With `executed`, the access that the
 * focused warp executed last. */
bool debug_access(struct debug *d, bool executed, const struct account_site **site, struct account_sample *sample);
/* The launch's counts so far; NULL if they are not counted (debug_options.counters). */
struct account_run *debug_counters(struct debug *d);
const struct accounting *debug_accounting(const struct debug *d);

#endif
