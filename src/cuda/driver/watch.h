/* SPDX-License-Identifier: Apache-2.0
 *
 * What `ptxsim exec` asks to know about launches: checks, counters, a progress bar. The environment says it:
 *
 *     PTXSIM_CHECK     what is checked, as --check has it; "" for all
 *     PTXSIM_REPORT    text, json, csv or html; PTXSIM_REPORT_FILE: where to (standard output if there is none)
 *     PTXSIM_KERNEL, PTXSIM_LAUNCH    which launches are checked and counted: of that name; 3, or 2-5 of those
 *     PTXSIM_PROGRESS  draw a bar on standard error during long launches
 *
 * Launches of several streams may be watched at once. Reports are gathered launch by launch in a form of their own, so that
 * modules may be unloaded, and written when the process ends.
 */
#ifndef PTXSIM_CUDA_DRIVER_WATCH_H
#define PTXSIM_CUDA_DRIVER_WATCH_H

#include "api/watching.h"
#include "cuda/driver/driver.h"
#include "report/progress.h"

/* A launch that is watched. */
struct watched {
	struct watching watching;
	struct progress progress;
	char *name;                    /* of the kernel, as its source has it; from malloc */
	u64 number;                    /* of the launches that are watched */
	const char *kernel;            /* its mangled name, which is the function's; NULL: it is none */
	const struct host_place *from; /* where the program launched it; NULL: not known */
	const struct order *order;     /* NULL: it is not compared with other streams' */
};

/* Reads what is asked for; false after telling what is wrong with it. */
bool watch_open(void);
/* Are kernels checked? */
bool watch_checks(void);
/* Where the program's call that runs was made, if kernels are checked: messages tell it. NULL: not known. */
const struct host_place *watch_place(void);
/* Is there anything to watch? Fills *w, or not. */
bool watch_begin(const char *kernel, const struct ptxsim_launch *launch, struct watched *w);
void watch_end(struct watched *w, const struct outcome *o);
/* The program has a stream of its own: from now on what launches touch is compared with that of other streams, if races are
 * looked for. */
void watch_streams(void);
/* What the check of unwritten values has to know of memory. Device memory begins, with nothing written, and ends; a copy or
 * a fill is done, or something else writes. A copy to the host of what nothing has written is told of. */
void watch_memory_begins(u64 base, u64 bytes);
void watch_memory_ends(u64 base, u64 bytes);
void watch_copy(const struct task *t);
void watch_fill(const struct task *t);
void watch_write(u64 address, u64 bytes);
/* A stream comes to where memory is given to what follows, or is about to be freed: what uses it comes after the one, and before the
 * other. */
void watch_given(const struct task *t, u64 base, u64 bytes);
void watch_freed(const struct task *t, u64 base, u64 bytes);
/* Tells of what the program itself has done to memory, or has not, in one line. */
void watch_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* After how many seconds in which nothing changes a kernel that waits is told of; 0: never. */
u32 watch_patience(void);
/* How launches are to run: the mode in which misuse of asynchronous instructions is found, where checks are asked for. */
ptxsim_async watch_async(void);
/* Does PTXSIM_KERNEL or PTXSIM_LAUNCH choose the next launch of the kernel? For the debugger, which counts it. */
enum choice { CHOICE_NOT_ASKED, CHOICE_LEFT_OUT, CHOICE_CHOSEN };
enum choice watch_choice(const char *kernel);
/* Counting begins, or ends, as cuProfilerStart and cuProfilerStop say. The first start forgets what was before it. */
void watch_profile(bool start);

#endif
