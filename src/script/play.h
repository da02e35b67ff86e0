/* SPDX-License-Identifier: Apache-2.0
 *
 * Playing a launch script on a built session: making buffers, launching, checking expectations.
 * What happened is collected for whoever prints it; nothing is printed here.
 */
#ifndef PTXSIM_SCRIPT_PLAY_H
#define PTXSIM_SCRIPT_PLAY_H

#include "api/session.h"
#include "script/script.h"
#include "observe/accounting.h"
#include "observe/async_check.h"
#include "observe/checks.h"
#include "observe/checks_team.h"

struct play;

struct play_options {
	enum native_mode native;
	u32 jobs;                     /* 0: not given */
	bool any_order;               /* of blocks, even if it shows in results */
	u64 limit;                    /* warp instructions a launch; 0: none */
	u64 seed;                     /* mixed into every generator's */
	struct lock_order lock_order; /* of listings' locks */
	struct schedule_choice schedule;
	struct async_choice async; /* when asynchronous operations take effect */
	struct observer *observer; /* or NULL */
	bool account;              /* count memory accesses, though no expectation asks for it */
	bool no_counters;          /* never count, whatever expectations ask for */
	struct accounting_options accounting;
	struct check_options check;                                    /* for what each launch is checked */
	void (*print)(void *context, const char *text, size_t length); /* what kernels print; may be NULL */
	void *print_context;
	/* Runs a launch in launch_run's place; NULL: that does. */
	enum launch_status (*run)(void *run_context, struct play *p, const struct launch *l, struct launch_stats *stats,
				  struct fault *fault, char *message, size_t message_size);
	void *run_context;
	void (*launching)(void *context, const struct launch *l); /* before each launch; may be NULL */
	void *launching_context;
};

struct play_launch {
	const struct script_statement *statement;
	const struct kernel *kernel;
	u32 grid[3], block[3];
	bool is_child; /* a kernel launched it, one of the statement's; what it prints is kept with that */
	struct launch_stats stats;
	enum launch_status status;
	struct account_run *account;        /* NULL if accesses were not counted */
	const char *fault;                  /* full description of the first fault, or NULL */
	VEC_OF(struct fault_report) faults; /* what stopped it, and what was found beside that */
	VEC_OF(const char *) fault_texts;
	bool fault_expected;
	char *printed; /* from malloc; kept up to a limit */
	size_t printed_length;
};

/* An expectation, or what was found wrong with a statement about memory. */
struct play_check {
	struct span span;
	bool passed;
	bool is_finding;
	const char *text;    /* the statement as written */
	const char *message; /* why it failed */
};

struct play {
	struct session *session;
	struct script *script;
	struct play_options options;
	struct accounting *accounting; /* NULL if accesses are not counted */
	VEC_OF(struct play_launch) launches;
	VEC_OF(struct play_check) checks;
	u32 checks_failed;
	bool faulted;   /* a launch failed, or something was found in it, and nothing expected it */
	bool stopped;   /* by a fault that nothing expected: nothing is played after it */
	bool failed;    /* the script cannot be played */
	bool no_memory; /* the host's memory ran out on the way */
	size_t next;    /* statement */
	bool ended;     /* what the end of the script tells has been told */
	struct play_launch current;
	struct checks_team *team;                         /* of these, by host threads; NULL like it */
	struct checks *watch;                             /* what launches are checked for; NULL: nothing */
	struct observer *observers[3 + CHECKS_OBSERVERS]; /* of the current launch */
};

/* Plays all statements, up to the first launch that fails unexpectedly. False if the script cannot be
 * played: unknown kernel, wrong argument, missing file; see the session's diagnostics. */
bool play_run(struct play *p);
/* The same launch by launch, for whoever runs them: plays on up to the next launch. False: there is none
 * (p->failed: the script cannot be played). */
bool play_next(struct play *p, struct launch *l);
/* What became of that launch. */
void play_done(struct play *p, const struct launch *l, enum launch_status status, const struct launch_stats *stats,
	       const struct fault *fault, const char *message);
void play_free(struct play *p);

/* Makes and fills a buffer. False with a diagnostic. */
bool play_fill(struct play *p, struct buffer *b);
/* Writes a buffer whose host bytes are there. False with a diagnostic. */
bool play_generate(struct play *p, struct buffer *b);
/* fill and free, and what was allocated and never freed: findings. */
bool play_fill_part(struct play *p, const struct script_statement *st);
void play_free_buffer(struct play *p, const struct script_statement *st);
/* The host reads elements of a buffer: a finding if nothing has written one. */
void play_note_read(struct play *p, struct span at, const struct buffer *b, u64 first, u64 count);
bool play_read_buffer(struct play *p, const struct script_statement *st);
void play_find_leaks(struct play *p);
void play_add_finding(struct play *p, struct span at, const char *message);
/* "does not hold" of an expectation, or "is wrong". */
static inline const char *play_verdict(const struct play_check *c)
{
	return c->is_finding ? "is wrong" : "does not hold";
}
/* A counter that every run has, by name; false if there is none. */
bool play_counter(const struct launch_stats *s, const char *name, u64 *value);
/* Adds the outcome of an expectation about the newest launch. */
void play_expect(struct play *p, const struct script_statement *st);
/* Makes the texture object in the session's memory; its handle, or 0: no memory is left. */
u64 play_texture(struct play *p, const struct script_texture *x);
/* The kernel's parameters from the launch's arguments; NULL with a diagnostic. */
u8 *play_params(struct play *p, const struct script_launch *l, struct span at, const struct kernel *k);

#endif
