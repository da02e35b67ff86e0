/* SPDX-License-Identifier: Apache-2.0
 *
 * The six benchmark problems: sizes, inputs, references computed on the host, and the exact
 * number of PTX thread-instructions that the kernels of this folder execute (one instruction
 * executed by one active thread; branches count whether taken or not). Shared by all peers, so
 * that each runs the same work and is checked against the same bits.
 */
#ifndef PTXSIM_TESTS_BENCH_PROBLEM_H
#define PTXSIM_TESTS_BENCH_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROBLEM_BUFFERS = 3, PROBLEM_ARGS = 6 };

enum argument_kind { ARGUMENT_BUFFER, ARGUMENT_U32, ARGUMENT_F32 };

struct argument {
	enum argument_kind kind;
	uint32_t number; /* a buffer's number, or the value */
	float value;
};

struct problem {
	const char *name;
	uint32_t block[2], grid[2];
	uint32_t n; /* the kernel's size, in its own sense */
	uint32_t buffer_count, output, arg_count;
	size_t bytes[PROBLEM_BUFFERS];
	void *initial[PROBLEM_BUFFERS]; /* NULL: zeros */
	void *reference;                /* what the output must end as */
	struct argument args[PROBLEM_ARGS];
	uint64_t thread_instructions;
};

/* The problem at a scale: 0 is the full size, each step halves the linear size. NULL if there is
 * none of that name. Aborts the process when memory runs out. */
struct problem *problem_make(const char *name, unsigned scale);
void problem_free(struct problem *p);
/* Puts the initial contents into a buffer. */
void problem_fill(const struct problem *p, uint32_t buffer, void *to);
bool problem_check(const struct problem *p, const void *output);

/* Seconds on a clock that only goes forward. */
double problem_now(void);
/* One line for a measured repetition:
 * R,who,kernel,scale,threads,repetition,seconds,thread_instructions,million_a_second,OK|WRONG,
 * maxrss_kB,cpu_seconds */
void problem_report(const struct problem *p, const char *who, unsigned scale, const char *threads, int repetition,
		    double seconds, bool right);

#endif
