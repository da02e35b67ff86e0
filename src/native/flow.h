/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel's decoded instructions as native code sees them: what each reads and writes, basic blocks, and which rows
 * are live where. An instruction that native code does not run is a wall: a block of its own that no region enters.
 */
#ifndef PTXSIM_NATIVE_FLOW_H
#define PTXSIM_NATIVE_FLOW_H

#include "decode/program.h"
#include "exec/native.h"

enum step_kind {
	STEP_NOTHING, /* hoisted: its rows are there */
	STEP_COUNT,
	STEP_JOIN,
	STEP_GUARD,
	STEP_BRANCH,
	STEP_BRANCH_IF,
	STEP_PLAIN,
	STEP_WALL
};

enum { STEP_OPERANDS_MAX = 16, NO_BLOCK_NUMBER = 0xffffffff };

/* Where an instruction names an operand: in a field, or in its list from the first on; or it stands behind one that is named; or it is what
 * another operand, a scaled row, is made of (native/scaled.h). */
enum step_place { PLACE_D, PLACE_A, PLACE_B, PLACE_C, PLACE_LIST, PLACE_INDEX = 253, PLACE_BASE, PLACE_BEHIND };

/* A row as an operand. `row`: its number in the flow. */
struct step_operand {
	u32 row;
	u8 bits;
	u8 place; /* enum step_place */
	bool read, written;
};

struct step {
	u8 kind;
	bool opaque;        /* of a wall: what it reads is not known; all is taken to be live */
	const char *reason; /* of a wall: why it is one, in words for a user; NULL: it goes with the one beside it */
	bool ends;          /* nothing comes after it */
	bool prefixed;      /* the instruction before it belongs to it: */
	bool guarded;       /* a guard, whose predicate that one reads; */
	bool whole;         /* or it says that all lanes run this, whichever run: machine code's uniform instructions */
	bool by_mask;       /* what it gives depends on which lanes run */
	bool jumps, falls;  /* it may go to insn.imm; to the next one */
	bool parts;         /* BRANCH_IF: lanes that part here meet at `join`; else they must not part */
	u8 negated;         /* BRANCH_IF: a bit for each of its predicates */
	u32 join;           /* BRANCH_IF: the instruction at which its lanes meet; NO_OPERAND: the code does not say */
	u8 words;           /* machine code: of its list */
	bool branches;      /* by a predicate, whoever runs it */
	u8 told;            /* enum native_telling */
	u32 repeat;         /* NATIVE_REPEATS: its place in struct native_repeats */
	bool together;      /* exchanges among all lanes of the warp, which must stand here; */
	bool alone;         /* or a barrier at which there is nobody else to wait for: it only counts */
	bool sums;          /* an atomic operation whose old value nobody reads, and of which no order shows */
	const struct meaning *meaning;
	const struct form *form;
	u8 operand_count;
	struct step_operand *operands;
};

/* A value that instructions name, as long as it is one (native/webs.h). Several may have a place in the frame in turn, of which at most
 * one is live anywhere. */
struct flow_row {
	u32 offset;
	u32 home; /* the number that all of these have in common */
	u8 bits;
	bool constant; /* an immediate or an address: `value` in all lanes */
	u64 value;
	bool affine; /* each lane has that much more than the first, modulo the row's width: native/affine.h: */
	u64 step;    /* more than the lane before it; not 0 where they are at other distances, */
	const u64 *distances; /* by lane; NULL: at equal ones */
	bool of_block; /* one number in all lanes, which each warp of a block has in its frame from the block's start on */
	/* Wherever it is read it is base + index * 2^shift + from, lane by lane, without a sign or with it: native/scaled.h. */
	bool scaled, is_signed;
	u8 shift;
	s32 from;
	u32 index, base; /* rows; no base: NO_OPERAND */
	u32 via;         /* the scaled row that the instruction which writes it reads; NO_OPERAND: none */
};

/* How much more than the first lane's number that lane's is, of an affine row, modulo its width. */
static inline u64 lane_distance(const struct flow_row *row, u32 lane)
{
	return row->distances ? row->distances[lane] : row->step * lane;
}

/* How a part of the code uses memory that warps share: shared [0] and global [1]. */
struct shared_use {
	u32 sums[2];   /* the kind of atomic operations of which no order shows; 0: there are none */
	bool other[2]; /* whatever else may read or write it */
	bool clashes;  /* the order in which warps come shows: in what is read beside sums, or in sums of two kinds */
};
void shared_use_add(struct shared_use *to, const struct shared_use *more);

struct code_block {
	u32 first, end; /* instructions */
	u32 successors[2];
	u32 successor_count;
	u32 *predecessors;
	u32 predecessor_count;
	bool wall;
	u32 after; /* the block that all ways from here come to; block_count: none */
	struct shared_use use;
	u64 *live; /* rows live at its start */
};

struct code_flow {
	struct arena *arena;
	const struct code *code;
	struct step *steps;
	struct step *hoisted; /* by instruction: what a hoisted one does; no form: none is, or nothing is known of it */
	struct flow_row *rows;
	u32 row_count, words; /* words: of a set of rows */
	u32 *row_numbers;     /* by offset / 4: the row as it is where the kernel begins; NO_OPERAND: none */
	struct code_block *blocks;
	u32 block_count;
	u32 *block_of;    /* by instruction */
	const u8 *shapes; /* likewise: a set of enum access_shape, or 0; NULL: nothing is known (native/shapes.h) */
	u64 **merged; /* by block: rows of which lanes that wait elsewhere need what they have; NULL: none; of affine_find, where it understands
		       * the code */
	/* All of this holds only for blocks of which so many threads are a row: 32, or a multiple of that; of less, as many exactly, and a warp
	 * has whole rows of one plane. 0: for any. */
	u32 row_threads;
	bool one_warp; /* likewise, for blocks of one whole warp: barriers are passed */
};

/* Whether blocks have such rows. */
static inline bool has_rows_of(const u32 block[3], u32 row_threads)
{
	if (!row_threads || row_threads == WARP_LANES)
		return !row_threads || block[0] % WARP_LANES == 0;
	return block[0] == row_threads && block[1] * row_threads % WARP_LANES == 0;
}

/* Whether a block is one whole warp. */
static inline bool is_one_warp(const u32 block[3]) { return (u64)block[0] * block[1] * block[2] == WARP_LANES; }

/* Nothing of such code is compiled, whatever its instructions; says why. */
bool code_flow_refuses(const struct code *code, char *message, size_t size);

/* told: by instruction, enum native_telling; or NULL. one_warp: blocks are one warp each. NULL: the kernel is too large, or has what
 * no native code can be made for. */
struct code_flow *code_flow_build(struct arena *arena, const struct isa *isa, const struct code *code, const u8 *told,
				  bool one_warp);

/* --- Of those that build it: flow.c, flow_machine.c, flow_ways.c --- */

/* Adds an operand to a step; false: there are too many. */
bool step_add(struct code_flow *f, struct step *s, u8 place, u32 offset, u32 bits, bool read, bool written);
/* What an instruction is that its form has made a row of PTX. */
void step_by_form(struct code_flow *f, struct step *s, const struct insn *i);
/* Why a step is left to the interpreter. */
const char *step_wall_reason(const struct step *s, const struct insn *i);
/* What an insn of machine code is. */
void step_of_machine(struct code_flow *f, const struct isa *isa, u32 k);
/* False: rows of machine code overlap. */
bool flow_rows_are_apart(const struct code_flow *f);
/* Finds for each block the one that all ways from it come to. */
void flow_find_meetings(struct code_flow *f);

/* What a scaled row is made of is read where it is only where native code does not make the row: elsewhere it need not be live. */
static inline bool is_part_of_scaled(const struct step_operand *o)
{
	return o->place == PLACE_INDEX || o->place == PLACE_BASE;
}

static inline bool row_in(const u64 *set, u32 row) { return set[row / 64] >> row % 64 & 1; }
static inline void row_add(u64 *set, u32 row) { set[row / 64] |= 1ull << row % 64; }
static inline void row_remove(u64 *set, u32 row) { set[row / 64] &= ~(1ull << row % 64); }

/* Whether it computes with floating-point values, or moves them. */
bool form_has_floats(const struct form *f);

/* Room for walks over the blocks of a flow. */
struct block_walk {
	u32 *list;        /* the blocks of the last walk */
	u32 *seen, visit; /* seen[b] == visit: block b is among them */
};
struct block_walk block_walk_new(const struct code_flow *f);
/* All blocks that may be passed from block `from` on before `until`, in walk->list; returns how many. */
u32 flow_blocks_between(const struct code_flow *f, struct block_walk *walk, u32 from, u32 until);

/* Which rows, by home, are named by instructions that only their handlers understand: these may write them. From the flow's arena. */
bool *flow_named_by_opaque(const struct code_flow *f);
/* The row of an access's addresses; NULL: there is none. */
static inline const struct flow_row *address_of(const struct code_flow *f, const struct step *s)
{
	for (u32 o = 0; o < s->operand_count; o++)
		if (s->operands[o].place == PLACE_A)
			return &f->rows[s->operands[o].row];
	return NULL;
}
/* The row that has this place in the frame where the kernel begins; NO_OPERAND: none. */
static inline u32 flow_row_at(const struct code_flow *f, u32 offset)
{
	return offset < f->code->frame_bytes && offset % 4 == 0 ? f->row_numbers[offset / 4] : NO_OPERAND;
}

/* The set of rows that are live behind a block. */
void code_flow_behind(const struct code_flow *f, const struct code_block *x, u64 *live);
/* Takes the set of rows that are live after instruction k to the set before it. */
void code_flow_before(const struct code_flow *f, u32 k, u64 *live);

#endif
