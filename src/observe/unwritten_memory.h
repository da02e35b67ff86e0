/* SPDX-License-Identifier: Apache-2.0
 *
 * What the check of unwritten values knows of each space of memory, and where a lane's access goes. A part of that check,
 * for its own files alone.
 */
#ifndef PTXSIM_OBSERVE_UNWRITTEN_MEMORY_H
#define PTXSIM_OBSERVE_UNWRITTEN_MEMORY_H

#include "exec/run.h"
#include "observe/check_findings.h"
#include "observe/check_options.h"
#include "observe/sites.h"
#include "observe/written.h"
#include "observe/written_kept.h"

enum { UNWRITTEN_BUCKETS = 256, UNWRITTEN_WARPS = 32 };

struct unwritten_block {
	struct unwritten_block *next;
	const struct block *block;
	struct written shared;
	struct written local[UNWRITTEN_WARPS]; /* lane after lane, `stride` bytes each */
	u64 stride[UNWRITTEN_WARPS];
};

/* Global memory that came unwritten, or holds something undefined. */
struct unwritten_memory {
	struct unwritten_memory *next;
	u64 base;
	bool taken; /* from what is kept: written_kept_take */
	struct written written;
};

struct unwritten {
	struct observer observer;
	struct arena *arena; /* of the program: of what outlives a launch */
	const struct check_sites *where;
	const struct site_list *sites;
	struct check_options options;
	struct check_findings *findings;
	struct grid *grid;
	bool slow;                     /* something undefined has been read: every instruction is watched */
	bool begins_slow;              /* a register may be read before it is written */
	bool looks_at_global;          /* some of it came unwritten */
	bool in_team, gave_up;         /* unwritten_team.c */
	struct written_proof **proofs; /* of kernels that have run, by code; see has_proof */
	bool *has_proof;
	const struct code *proved; /* whose instructions `quiet` is about, in this launch; NULL: of none */
	const bool *quiet;         /* by instruction of the text: all that it reads of shared memory is written */
	bool shared_is_written;    /* whatever reads shared memory reads what is written: that is not looked at */
	struct arena *program_arena;
	struct arena *lasting;       /* of the program, while `arena` is of the launch; or NULL */
	struct written_kept *kept;   /* of launches before this check was made; or NULL */
	bool **texels;               /* by code and decoded instruction: it takes some of a texture or surface */
	struct defined_insn **plans; /* by code and decoded instruction, of the launch; NULL: none yet */
	struct unwritten_block *blocks[UNWRITTEN_BUCKETS];
	struct unwritten_memory *memories[UNWRITTEN_BUCKETS];
	struct unwritten_memory *last;
};

/* Where a lane's access goes. */
struct unwritten_place {
	struct written *written; /* NULL: all of it is */
	u64 offset;
	const struct allocation *memory; /* global */
};

struct unwritten_block *unwritten_record(const struct unwritten *u, const struct block *b);
/* Did nothing write the allocation when it was made? */
bool unwritten_came(const struct allocation *a);
/* NULL: all of it is written; `make`: then it is made. */
struct unwritten_memory *unwritten_memory_of(struct unwritten *u, const struct allocation *a, bool make);
/* A warp's local memory, as large as it is now. */
struct written *unwritten_local_of(struct unwritten *u, struct unwritten_block *r, const struct warp *w);
/* A tensor copy stores by the map at that generic address: its boxes are not followed, so the whole of the tensor's allocation
 * counts as written. */
void unwritten_tensor_store(struct unwritten *u, const struct warp *w, u64 map);
/* False: the access itself tells what is wrong with the address, or nobody can write there. */
bool unwritten_spot(struct unwritten *u, struct warp *w, u32 lane, enum ir_space space, u64 address, u64 size,
		    struct unwritten_place *s);

/* All further instructions are watched, in this launch; what has run before has left only defined values. False: other
 * threads run blocks of the launch, too, and it has to run again on one. */
bool unwritten_watch_all(struct unwritten *u);

/* Structures are copied with their padding: the beginning of a word, a power of two of bytes, is defined, and the rest
 * is not; or an element of a vector is wholly undefined, and another wholly defined. */
bool unwritten_is_padding(const u8 *mask, u32 bytes, u32 elements);

#endif
