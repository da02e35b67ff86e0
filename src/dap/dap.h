/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim dap: a server of the Debug Adapter Protocol (1.68) over the debugger's engine. Shared by its parts.
 *
 * A thread of the protocol is a warp of a resident block; its stack is that of the warp's first live lane, or
 * of the lane that the console last chose.
 *
 * A session is given one message after the other, and gives messages back; it knows no file and no thread. What
 * carries the messages is a link: two files (dap_wire.c), where one thread of the host reads and interrupts the engine
 * when a message comes in while it runs; or a page in a browser (src/web).
 */
#ifndef PTXSIM_DAP_DAP_H
#define PTXSIM_DAP_DAP_H

#include <jansson.h>

#include "front/debuggee.h"
#include "debug/console.h"

/* --- The link -------------------------------------------------------------------------------------- */

struct dap_link {
	void *context;
	/* Takes a message over. */
	void (*send)(void *context, json_t *message);
	/* A request waits that was sent while the engine ran; NULL: none ever does. */
	bool (*has_request)(void *context);
	/* The next request, the caller's to free; NULL at the end. */
	json_t *(*receive)(void *context);
	/* The engine that an incoming request is to interrupt (`debug` NULL: none runs). May be NULL. */
	void (*interrupts)(void *context, struct debug *debug);
	/* A CUDA program that the keys of a launch name, which runs by itself, with the debugger's engine in it; NULL:
	 * there are none here. Finds out whether they name one; *error: why it cannot run. */
	bool (*find_program)(void *context, json_t *launch, const char **error);
	/* It can start: the editor has said all that it has to say before. */
	void (*start_program)(void *context);
	/* The session is in such a program: engines come and go with its modules (dap_engine_add). */
	bool is_inside;
	/* Reads the words of a launch's "args" and "program"; words[0] is the command's name. False after telling
	 * what is wrong on standard error. */
	bool (*read_options)(struct run_options *o, int count, char **words);
	const char *token; /* that `launch` must carry; NULL: none is wanted */
};

/* --- The session ----------------------------------------------------------------------------------- */

enum dap_scope {
	SCOPE_ARGUMENTS, /* of the source */
	SCOPE_LOCALS,
	SCOPE_REGISTERS,
	SCOPE_UNIFORM, /* these three of machine code */
	SCOPE_PREDICATES,
	SCOPE_BARRIERS,
	SCOPE_SPECIAL,
	SCOPE_PARAMETERS,
	SCOPE_SHARED,
	SCOPE_LOCAL,
	SCOPE_GLOBAL,
	SCOPE_COUNTERS,
	SCOPE_COUNT,
	SCOPE_LANES,    /* a register's 32 lanes: `name` */
	SCOPE_ELEMENTS, /* a variable's elements: `name` */
	SCOPE_PARTS,    /* members, elements, what is pointed at, of the expression `name` */
};

struct dap_container {
	enum dap_scope scope;
	struct debug_focus focus;
	const char *name;
};

/* An engine: the one of the launched files, or that of a module of a program. */
struct dap_engine {
	u32 number; /* from 0, in the order of their coming */
	struct debug *d;
	struct console *console;
};

enum dap_point_kind { POINT_LINE, POINT_FUNCTION, POINT_INSTRUCTION, POINT_DATA, POINT_EXCEPTION };

/* A breakpoint as the editor wants it, whether or not a module has its place. */
struct dap_point {
	u32 id;
	enum dap_point_kind kind;
	const char *what;      /* location, name of a function, id of data, filter */
	const char *path;      /* of a line: the editor's file */
	const char *condition; /* these four: NULL: none */
	const char *hits;
	const char *log;
	const char *access;
	bool of_engine; /* in the engine with the number `engine` only */
	u32 engine;
	bool verified; /* as last told */
};

/* A point of an engine that stands for one of those. */
struct dap_binding {
	u32 id;
	const struct debug *d;
	u32 number;
};

/* Where a source of the PTX was found; path NULL: it was not. */
struct dap_origin {
	const char *name, *path;
};

/* A text of a module. One that is in no file has a reference by which the editor asks for it: its place in the list, from
 * 1. */
struct dap_text {
	u32 engine;
	const char *name;
	const char *path; /* the file that has the same bytes; NULL: none is known */
};

struct dap {
	const struct dap_link *link;
	json_int_t sequence;        /* of the last message sent */
	struct run_options options; /* of the launch */
	struct session session;
	struct arena arena; /* of the connection */
	struct debuggee debuggee;
	struct debug *d; /* NULL: nothing is launched; of a program: it runs none of its kernels */
	struct console *console;
	VEC_OF(struct dap_engine) engines;
	u32 engines_made;
	bool is_program;    /* a program is launched, and this session is in it or starts it */
	bool is_configured; /* it may run */
	bool into_next;     /* it stops at the beginning of its next launch */
	json_t *launch;     /* of a program: the keys */
	char *console_text;
	size_t console_size;
	FILE *console_out;
	bool ended, leaving, terminating;
	bool lines_from_0;
	bool stop_at_entry; /* as launched */
	bool stop_on_entry; /* and still to come */
	bool pause_wanted;
	bool begins; /* the first launch goes on when the answer is out */
	bool moves;  /* a motion starts when the answer is out: */
	bool next_backwards;
	bool moved; /* the console moved: to be told */
	enum debug_motion next_motion;
	bool by_text; /* lines of the text even where .loc gives others */
	struct debug_event event;
	VEC_OF(struct debug_focus) frames;
	VEC_OF(struct dap_container) containers;
	VEC_OF(struct dap_origin) origins;
	VEC_OF(struct dap_point) points;
	VEC_OF(struct dap_binding) bindings;
	u32 last_point;
	VEC_OF(struct dap_text) texts;
};

/* A request's answer: its body, or NULL with `error` set. The body may be NULL without an error. */
typedef json_t *dap_request_fn(struct dap *s, json_t *arguments, const char **error);

struct dap_request {
	const char *name;
	dap_request_fn *answer;
};

/* Tables of requests, by part: each ends in {0}. */
extern const struct dap_request dap_point_requests[], dap_state_requests[], dap_memory_requests[], dap_move_requests[],
	dap_view_requests[], dap_source_requests[];

/* Numbers a message and hands it over. */
void dap_send(struct dap *s, json_t *message);
bool dap_has_request(const struct dap *s);
void dap_event(struct dap *s, const char *name, json_t *body);
/* An output event; `category`: "stdout", "stderr", "console". */
void dap_output(struct dap *s, const char *category, const char *text, size_t length);
/* Its body. */
json_t *dap_output_body(const char *category, const char *text, size_t length);

/* The launch's counters so far that are not 0, as variables. */
void dap_put_counters(struct account_run *run, json_t *list);

/* Threads: dap_state.c. */
s64 dap_thread_of(u64 block, u32 warp);
/* Focus on the warp's first live lane; false and an error: there is none such. */
bool dap_focus_thread(struct dap *s, json_t *arguments, const char **error);
/* Focus on a frameId; false and an error. */
bool dap_focus_frame(struct dap *s, json_t *frame_id, const char **error);
/* What was shown is out of date. */
void dap_forget_places(struct dap *s);
u32 dap_add_container(struct dap *s, const struct dap_container *c);
const struct dap_container *dap_container(const struct dap *s, json_int_t reference);
/* "source" and "line" of a line of a module's text. */
void dap_put_text(struct dap *s, json_t *to, const struct debug_place *p, const struct debug_line *l);
/* "source" and "line" of a file. */
void dap_put_file(struct dap *s, json_t *to, const char *file, u32 line);
/* The name of the engine's text that has the bytes of that file; NULL: none has. */
const char *dap_text_like(struct dap *s, const struct dap_engine *e, const char *path);
/* The source of a program's kernel that is named from the root on, if it is there: the program was built here. NULL: it is
 * not. */
const char *dap_host_file(struct dap *s, const char *name);
/* Where a place is in a file, "source" and "line": of CUDA C if that is shown and found, else of the text. */
void dap_put_place(struct dap *s, json_t *to, const struct debug_place *p);
/* The same; by_text: of the text in any case. */
void dap_put_line(struct dap *s, json_t *to, const struct debug_place *p, bool by_text);
/* Is the place shown in its source, or in the text? */
bool dap_shows_source(struct dap *s, const struct debug_place *p);

/* Variables of the source: dap_source.c. */
void dap_put_locals(struct dap *s, const struct dap_container *c, json_t *list);
void dap_put_parts(struct dap *s, const struct dap_container *c, u64 first, u64 count, json_t *list);
/* Where the parts of an expression's value are listed; 0: it has none. */
u32 dap_add_parts(struct dap *s, const struct debug_focus *f, const char *expression, const struct debug_object *o);
/* The expression of one of its parts, "[3]", "*" or a member. */
const char *dap_part_expression(struct dap *s, const char *whole, const char *part);
/* "shared:BLOCK:WARP:LANE:0x40" and back. */
json_t *dap_memory_reference(const struct debug_focus *f, enum ir_space space, u64 address);

/* Points: dap_points.c. Those of the editor are made in the engine, and it is told which have found their place; and the
 * reverse. */
void dap_points_bind(struct dap *s, const struct dap_engine *e);
void dap_points_drop(struct dap *s, const struct debug *d);
/* What the editor knows a point of the current engine as; NULL: the console has made it. */
const struct dap_point *dap_point_of(const struct dap *s, u32 number);
/* The text that an editor's sourceReference means; NULL: there is none. */
const struct dap_text *dap_text(const struct dap *s, json_t *source);
const struct dap_engine *dap_engine_numbered(const struct dap *s, u32 number);
const struct dap_engine *dap_engine_of(const struct dap *s, const struct debug *d);
/* The one that the code is of. */
const struct dap_engine *dap_engine_with(const struct dap *s, const struct code *code);

/* Addresses: dap_memory.c. */
void dap_put_instruction(const struct dap *s, json_t *to, const struct debug_place *p);
/* "FUNCTION+N" of an instruction's address, in the engine of that number. */
void dap_instruction_name(const struct dap *s, u64 address, char *text, size_t size, u32 *engine);

/* Motions: dap_move.c. Goes on until something is to be told, and tells it. */
void dap_run(struct dap *s, enum debug_motion motion, bool backwards);
/* From the first launch on, which has begun. */
void dap_begin(struct dap *s);
/* The launch is over. */
bool dap_is_end(const struct debug_event *e);
/* A launch ends at a fault that nothing goes on from: the program gets its error. */
bool dap_leaves_fault(const struct dap *s, bool backwards);
/* Tells an event that a command of the console has led to. */
void dap_tell(struct dap *s, const struct debug_event *e);
/* Ends the session: what the launches' expectations came to. */
void dap_tell_end(struct dap *s);
/* Answers the requests that have come in. */
void dap_answer_waiting(struct dap *s);

/* --- The doors ------------------------------------------------------------------------------------- */

/* NULL after telling why not. The link outlives the session. */
struct dap *dap_open(const struct dap_link *link);
/* Answers a message, which it frees, and does what follows from it. False: there was no memory, and the session can
 * only be closed. */
bool dap_take(struct dap *s, json_t *message);
/* The editor has left: no further message is to be given. */
bool dap_is_over(const struct dap *s);
void dap_close(struct dap *s);

/* Within a program: dap_inside.c. A module's engine comes, with its console made by the caller, and goes. */
void dap_engine_add(struct dap *s, struct debug *d, struct console *c);
void dap_engine_drop(struct dap *s, const struct debug *d);
/* What the engines' consoles print goes here, and who catches what runs out of memory in them. */
FILE *dap_console(const struct dap *s);
jmp_buf *dap_out_of_memory(struct dap *s);
/* The options of the engines. */
struct debug_options dap_engine_options(const struct dap *s);

/* A launch of the program that an engine has been given. */
struct dap_launch {
	struct debug *d;
	const char *kernel; /* its mangled name */
	u64 number;         /* among all launches, from 1 */
	bool is_chosen;     /* by the keys "kernel" and "launches" */
};
/* Begins it, and runs it to a stop or to its end. False: there was no memory. */
bool dap_launch_begin(struct dap *s, const struct dap_launch *l);
/* Whether it is under way; if not, the engine is the caller's again. */
bool dap_launch_stands(struct dap *s);
/* The editor is gone, the program stays: no point holds from now on, and the launch under way runs to its end. */
void dap_let_go(struct dap *s);

/* --- Serving --------------------------------------------------------------------------------------- */

/* Where messages come from and go to. */
struct dap_transport {
	FILE *in, *out;
	const char *token;          /* that `launch` must carry; NULL: none is wanted */
	bool tells;                 /* on standard error, what cannot be read, which is status 2 then */
	bool ends;                  /* `in` ends by itself, or by: */
	void (*end)(void *context); /* lets reading from `in` end; may be NULL */
	void *context;
};

/* dap_serve.c: serves one editor, to its end: the exit code. */
int dap_serve(const struct dap_transport *t);
int dap_serve_standard(void);

/* dap_keys.c: what is wrong with a value among the keys of a launch, in the arena, or NULL. Tells the console of keys that
 * are not known. */
const char *dap_wrong_key(struct dap *s, json_t *launch);
/* Tells it of those that would mean something for a program. */
void dap_tell_program_keys(struct dap *s, json_t *launch);

/* dap_port.c: serves at this port of 127.0.0.1, one editor at a time; 0: any port. The port and the token are told on
 * standard output. */
int dap_serve_port(u16 port);
/* Whether `given` (may be NULL) is the token; takes as long for every text of its length. */
bool dap_token_is(const char *token, const char *given);

#endif
