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

struct dap_log {
	u32 number; /* of the breakpoint */
	const char *text;
};

/* Where a source of the PTX was found; path NULL: it was not. */
struct dap_origin {
	const char *name, *path;
};

struct dap {
	const struct dap_link *link;
	json_int_t sequence;        /* of the last message sent */
	struct run_options options; /* of the launch */
	struct session session;
	struct arena arena; /* of the connection */
	struct debuggee debuggee;
	struct debug *d; /* NULL: nothing is launched */
	struct console *console;
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
	VEC_OF(struct dap_log) logs;
	VEC_OF(struct dap_origin) origins;
	VEC_OF(u32) function_points, instruction_points, data_points, exception_points;
};

/* A request's answer: its body, or NULL with `error` set. The body may be NULL without an error. */
typedef json_t *dap_request_fn(struct dap *s, json_t *arguments, const char **error);

struct dap_request {
	const char *name;
	dap_request_fn *answer;
};

/* Tables of requests, by part: each ends in {0}. */
extern const struct dap_request dap_point_requests[], dap_state_requests[], dap_memory_requests[], dap_move_requests[],
	dap_view_requests[];

/* Numbers a message and hands it over. */
void dap_send(struct dap *s, json_t *message);
bool dap_has_request(const struct dap *s);
void dap_event(struct dap *s, const char *name, json_t *body);
/* An output event; `category`: "stdout", "stderr", "console". */
void dap_output(struct dap *s, const char *category, const char *text, size_t length);

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
/* Where a place is in a file: "source" and "line". */
void dap_put_place(struct dap *s, json_t *to, const struct debug_place *p);
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

/* Addresses: dap_memory.c. */
void dap_put_instruction(json_t *to, const struct debug_place *p);
/* "FUNCTION+N" of an instruction's address. */
void dap_instruction_name(const struct dap *s, u64 address, char *text, size_t size);

/* Motions: dap_move.c. Goes on until something is to be told, and tells it. */
void dap_run(struct dap *s, enum debug_motion motion, bool backwards);
/* From the first launch on, which has begun. */
void dap_begin(struct dap *s);
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

/* Where messages come from and go to. */
struct dap_transport {
	FILE *in, *out;
	const char *token;          /* that `launch` must carry; NULL: none is wanted */
	bool tells;                 /* on standard error, what cannot be read, which is status 2 then */
	bool ends;                  /* `in` ends by itself, or by: */
	void (*end)(void *context); /* lets reading from `in` end; may be NULL */
	void *context;
};

/* dap_wire.c: serves one editor, to its end: the exit code. */
int dap_serve(const struct dap_transport *t);
int dap_serve_standard(void);

/* dap_keys.c: what is wrong with a value among the keys of a launch, in the arena, or NULL. Tells the console of keys that
 * are not known. */
const char *dap_wrong_key(struct dap *s, json_t *launch);

/* dap_port.c: serves at this port of 127.0.0.1, one editor at a time; 0: any port. The port and the token are told on
 * standard output. */
int dap_serve_port(u16 port);
/* Whether `given` (may be NULL) is the token; takes as long for every text of its length. */
bool dap_token_is(const char *token, const char *given);

#endif
