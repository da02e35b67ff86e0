/* SPDX-License-Identifier: Apache-2.0
 *
 * What a benchmark problem is: buffers with their first contents, launches one after the other, what the output must be,
 * and the same work in plain C. Each problem's file NAME.c has a function make_NAME that fills one in; NAME.ptx and
 * NAME.cl hold its kernels, NAME.cu what the PTX was compiled from, sm_90a/NAME.cubin what ptxas 13.0 made of the PTX.
 */
#ifndef PTXSIM_TESTS_BENCH_H
#define PTXSIM_TESTS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_BUFFERS = 8, MAX_STEPS = 40, MAX_ARGS = 12 };

/* CONSTANT: a buffer that is a module-scope variable in PTX, and an argument in OpenCL only. */
enum arg_kind { ARG_BUFFER, ARG_CONSTANT, ARG_U32, ARG_F32 };

struct arg {
	enum arg_kind kind;
	uint32_t number; /* a buffer's, or the value */
	float value;
};

struct step {
	const char *kernel;
	uint32_t grid[2], block[2];
	uint32_t arg_count;
	struct arg args[MAX_ARGS];
};

struct buffer {
	size_t bytes;
	void *initial;
	const char *variable; /* of the module; NULL: an allocation */
};

struct problem {
	const char *name;
	uint32_t buffer_count, step_count, output;
	struct buffer buffers[MAX_BUFFERS];
	struct step steps[MAX_STEPS];
	void *reference; /* what the output must be, bit by bit; or, as floats, */
	double absolute; /* within absolute + relative * |wanted|, if one of them is not 0 */
	double relative;
	size_t moves;          /* bytes that must be read or written; 0: those of all buffers */
	uint64_t instructions; /* that threads must have executed, or 0; branches count whether taken or not */
	int any_order;         /* every order of blocks gives a right output, so several threads run them in any */
	void (*plain)(void *const *buffers);
};

/* Zeroed memory, aligned to a page; ends the program if there is none. */
void *zeroed(size_t bytes);
/* A zeroed buffer; returns its first contents, to be filled in. */
void *add_buffer(struct problem *p, size_t bytes);
/* A buffer of whole numbers from -8 to 7: every order of their sums, fused or not, gives the same bits. */
float *add_small_floats(struct problem *p, size_t count, uint64_t seed);
/* The arguments: letters of `kinds` are b (buffer number), c (the same, constant), u, f (double). */
void add_step(struct problem *p, const char *kernel, uint32_t gx, uint32_t gy, uint32_t bx, uint32_t by,
	      const char *kinds, ...);
/* Memory for the reference, as large as the output. */
void *add_reference(struct problem *p, uint32_t output, double absolute, double relative);
/* The reference is what the plain version makes of the inputs. */
void reference_by_plain(struct problem *p);
/* Copies of all buffers' first contents. */
void copy_buffers(const struct problem *p, void **to);
/* Whether the output is right; says on standard error where it is not. */
bool check_output(const struct problem *p, const char *who, const void *output);
void free_problem(struct problem *p);

uint32_t draw(uint64_t *state);
float draw_float(uint64_t *state, float low, float high);

/* Who solves the problems: opened once, then filled and run many times. */
struct peer {
	const struct problem *p;
	const char *folder; /* of the kernels */
	uint32_t threads;
	uint64_t instructions, warp_instructions; /* of the last run, where they are counted */
	void *contents[MAX_BUFFERS];
	void *own; /* the kind's */
};
struct peer_kind {
	const char *name;
	bool (*open)(struct peer *r);
	bool (*fill)(struct peer *r);
	bool (*run)(struct peer *r);
	const void *(*output)(struct peer *r); /* NULL: nothing to check */
};
bool fill_contents(struct peer *r);
const void *output_contents(struct peer *r);

extern const struct peer_kind peer_ptxsim, peer_sass, peer_pocl, peer_plain, peer_copy;

#endif
