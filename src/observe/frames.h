/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of the source in a function's local memory, all of which nvcc puts into one variable of PTX: as its debug
 * sections (-G) have them. A part of the check of neighbours.
 */
#ifndef PTXSIM_OBSERVE_FRAMES_H
#define PTXSIM_OBSERVE_FRAMES_H

#include "decode/program.h"

struct frames;

struct frame_variable {
	const char *name;
	u64 at, size;   /* bytes into the variable of PTX: as the sections say, whatever that is */
	bool has_parts; /* an array or a structure */
};

/* Lives as long as the arena; the program must too. */
struct frames *frames_new(struct arena *arena, const struct program *program);
/* The one that has that byte of the function's variable. False: there is none, or it shares its place with others. */
bool frames_find(struct frames *f, const struct ir_function *function, const struct ir_variable *v, u64 byte,
		 struct frame_variable *found);

#endif
