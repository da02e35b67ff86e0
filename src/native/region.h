/* SPDX-License-Identifier: Apache-2.0
 *
 * A region: a part of a kernel that native code runs for one warp at a time from its first instruction to its end,
 * where all lanes stand together again. It has one entrance and one end, no instruction at which a warp may wait,
 * and may hold branches and loops whose lanes go different ways.
 *
 * This is all that the compiler of native code needs to know; it sees neither forms nor rows of the table.
 */
#ifndef PTXSIM_NATIVE_REGION_H
#define PTXSIM_NATIVE_REGION_H

#include "native/flow.h"
#include "sem/native_proven.h"

struct region_operand {
	u32 row; /* in region->rows */
	u8 bits;
	u8 place; /* enum step_place */
	bool read, written;
	char widened; /* where the instruction is affine: 's' or 'u', if its lanes must not wrap around as a number with sign or without */
};

struct region_insn {
	const struct insn *plain; /* what a warp by itself runs */
	u32 number;               /* its number in the code */
	const char *meaning;      /* "FILE:NAME" of what may be inlined; NULL: call the handler */
	const u32 *
		list; /* operands that do not fit the instruction: offsets in the frame; or what PROVEN_WINDOW has there */
	u32 list_count;
	const struct region_operand *operands;
	u32 operand_count;
	u32 guard; /* a predicate row; NO_OPERAND: none */
	bool guard_negated;
	bool prefixed; /* the instruction before belongs to it: a guard, or what makes it `whole`: */
	bool whole;    /* it runs for all lanes of the warp, whichever run, if the guard holds for any */
	bool merges;   /* lanes that do not take part keep their part of its results */
	bool accesses; /* memory: it may fault */
	bool of_floats;
	bool other_mode; /* under another floating-point mode than the region's */
	bool together;   /* runs only while all lanes of the warp stand here */
	bool hoisted;    /* its rows are there, or it has none: it is only told, and counted */
	bool scales;     /* its result is a scaled row: nothing computes it */
	bool moves;      /* a load or store: no atomic operation */
	bool affine;     /* the first lane's results, found from those of its operands, tell all others, */
	bool may_wrap;   /* unless an operand wraps around among the lanes */
	u16 proven;      /* of its addresses: enum native_proven */
	u8 shapes;       /* of these: a set of enum access_shape, or 0, */
	u32 reach; /* and how far those that come with it reach beyond its offset: words below, and 2^16 times words above */
	u32 place; /* accesses: where in worker->allocations it remembers what it has reached */
	u32 spot;  /* accesses of one place in global memory that come together: a number, from 1 on; 0: it is alone */
	bool finds_spot; /* the first of them */
	const struct region_insn
		*ahead; /* an access that goes where this load says; NULL: none is known (native/ahead.h) */
	u8 told;        /* enum native_telling: what observers are told before it runs, */
	u8 guard_told;  /* and before its guard does */
	u32 repeat;     /* NATIVE_REPEATS: its place in struct native_repeats */
	const u64 *
		live; /* rows that count if a warp leaves before it: of accesses, or where it runs together, or may wrap around */
	bool ends_alone; /* these are no more than it reads itself */
	bool leaves; /* where an access is not within reach, it faults, or one that surely comes with it does: no handler is tried */
};

/* The row of an access's addresses; NO_OPERAND: there is none. */
static inline u32 address_row(const struct region_insn *x)
{
	for (u32 o = 0; o < x->operand_count; o++)
		if (x->operands[o].place == PLACE_A)
			return x->operands[o].row;
	return NO_OPERAND;
}

static inline bool insn_writes(const struct region_insn *x, u32 row)
{
	for (u32 o = 0; o < x->operand_count; o++)
		if (x->operands[o].written && x->operands[o].row == row)
			return true;
	return false;
}

enum region_end { REGION_NEXT, REGION_JUMP, REGION_BRANCH };

/* Blocks are numbered from 0, the entrance; the number of blocks stands for the region's end. */
struct region_block {
	u32 at; /* the first instruction's number in the code */
	struct region_insn *insns;
	u32 insn_count;
	bool joins;   /* begins with a %join, or a BSYNC: lanes wait there for others */
	u32 join_run; /* of a BSYNC: instructions to count by lanes that come there */
	enum region_end end;
	u32 run;       /* instructions to count at its end; 0: none */
	u8 end_told;   /* enum native_telling: of the instruction there */
	u32 condition; /* REGION_BRANCH: a predicate row */
	bool uniform;  /* of which all lanes have the same */
	bool negated;  /* its lanes branch where it is false */
	u32 second;    /* another one that must hold, too; NO_OPERAND: none */
	bool second_negated;
	bool parts;          /* its lanes may part, else they go to the interpreter if they would; */
	bool fewer_first;    /* the fewer of them go first, else those that branch: in machine code */
	u32 next, target;    /* blocks */
	u32 join;            /* where they meet again; NO_BLOCK_NUMBER: they must not part */
	bool backward;       /* the branch goes up: a loop */
	const u64 *live;     /* rows live at its start */
	u32 at_end;          /* the number of its last instruction in the code, */
	const u64 *live_end; /* and rows live before it */
};

struct region_row {
	u32 offset; /* in the frame */
	u8 bits;
	bool written; /* by the region */
	bool enters;  /* its value at the entrance counts */
	bool leaves;  /* its value at the end counts */
	bool constant;
	bool barrier; /* machine code: of the rows B0 to B15, which say what lanes meet at a BSYNC */
	u64 value;
	bool affine;   /* as struct flow_row has it; */
	bool of_block; /* likewise */
	u64 step;
	const u64 *distances;
	bool scaled, is_signed; /* made of others, as struct flow_row has it, wherever it is read */
	u8 shift;
	s32 from;
	u32 index, base; /* in region->rows; no base: NO_OPERAND */
};

/* What there is more or less of in a region, and takes time to compile: native/costs.c counts it, and has the prices. */
enum cost_part {
	COST_REGION,     /* the region itself */
	COST_INSN,       /* instructions in line, */
	COST_HALF,       /* of halves, */
	COST_LONG,       /* of other families whose meanings are long, */
	COST_DOUBLE,     /* besides, with floating-point operands of 64 bits, */
	COST_AFFINE,     /* of which the first lane tells the others */
	COST_HANDLER,    /* calls of handlers */
	COST_KNOWN,      /* accesses at equal distances that are known for certain; */
	COST_TOGETHER,   /* some that have one range test; */
	COST_ACCESS,     /* other loads and stores, */
	COST_SHAPE,      /* each shape that has a way in line, */
	COST_OTHER,      /* and the way for any other; */
	COST_ATOMIC,     /* atomic operations; */
	COST_SOME,       /* besides, accesses by some lanes */
	COST_BRANCH,     /* branches that may part lanes */
	COST_LEFT_ROW,   /* rows that a warp writes where it leaves, in each place */
	COST_MERGED_ROW, /* written rows, for each instruction by some lanes, */
	COST_DOUBLE_ROW, /* and for each COST_DOUBLE */
	COST_PARTS
};

struct region {
	bool of_machine; /* machine code: lanes meet as exec/converge.h has it */
	bool lean; /* of a kernel so large that how long compiling takes comes before how fast the code is: native/costs.h */
	u64 cost;                   /* microseconds of processor time that compiling it takes, about: */
	u64 cost_parts[COST_PARTS]; /* what it is the sum of */
	bool left;                  /* to the interpreter, since all that may be spent on the kernel goes to others */
	u32 first, end;             /* instructions of the code: where it begins, and where the warp goes on */
	bool agrees;                /* lanes would part, but never have in the trial: a warp whose lanes do leaves */
	bool is_last;               /* threads end behind it */
	bool through_warps;         /* its function goes through all warps of a gang (native/through.h) */
	u32 size;                   /* instructions in it */
	u8 fp;                      /* the floating-point mode that it runs under (enum fp_mode) */
	struct region_block *blocks;
	u32 block_count;
	struct region_row *rows;
	u32 row_count, words; /* words: of a set of rows */
	u32 spot_count;
};

struct regions {
	struct region *items;
	u32 count;
	u32 insns, covered; /* of the code: all that may run, and those in regions */
	u32 row_threads;    /* only for such blocks, as struct code_flow has it; */
	bool one_warp;      /* likewise */
};

/* All regions of the kernel. They refer to nothing of it, nor of its program. lean: small ones, with less code for each instruction. */
struct regions regions_find(const struct code_flow *f, bool lean);

#endif
