/* SPDX-License-Identifier: Apache-2.0
 *
 * A cubin, the machine code of one target as ptxas writes it: functions with what the driver must know of them, constant
 * banks, variables, relocations. Read from the file's bytes, which the caller keeps as long as the result; all other
 * memory is the arena's. Nothing is decoded here: sass/instruction.h decodes the chosen function's code.
 */
#ifndef PTXSIM_SASS_CUBIN_H
#define PTXSIM_SASS_CUBIN_H

#include "sass/elf.h"

enum { SASS_INSN_BYTES = 16, CUBIN_BANKS = 18 };

struct cubin_param {
	u32 ordinal, offset, size; /* bytes; the offset from the first parameter */
};

/* A function inside the section of a kernel: a routine for division and the like. */
struct cubin_routine {
	const char *name;
	u64 offset, size; /* bytes from the start of the section's code */
};

struct cubin_function {
	const char *name;
	bool is_kernel, blocks_are_clusters;
	u32 section;
	const u8 *code; /* 16 bytes an instruction */
	u64 code_bytes;
	u32 registers;                /* of a thread; 0: the file does not say */
	u32 frame_bytes, stack_bytes; /* own frame; with all that it calls */
	u32 barriers;                 /* named barriers */
	u64 shared_bytes;             /* static; from sm_90 on with the system's 1,024 */
	u32 param_base, param_bytes;  /* bank 0: where parameters begin, and their size */
	u32 param_count;
	struct cubin_param *params;                       /* by ordinal */
	u32 required_block[3], most_block[3], cluster[3]; /* 0: not given */
	const u8 *banks[CUBIN_BANKS];                     /* constant banks of this function */
	u64 bank_bytes[CUBIN_BANKS];
	const u8 *externs; /* numbers of symbols, 4 bytes each: functions of others that it calls */
	u32 extern_count;
	u32 routine_count;
	struct cubin_routine *routines; /* by offset */
};

struct cubin_relocation {
	u32 section; /* whose bytes are changed */
	u32 type, symbol;
	u64 offset;
	s64 addend; /* of RELA; for REL what stands in place is added, too */
	bool in_place;
};

struct cubin {
	struct elf elf;
	u32 sm;           /* 75, 80, 90 ... */
	bool accelerated; /* 'a': features of this target only */
	u32 function_count;
	struct cubin_function *functions; /* in the order of the sections */
	const u8 *banks[CUBIN_BANKS];     /* of the module: 3 .const variables, 4 addresses; NULL if there is none */
	u64 bank_bytes[CUBIN_BANKS];
	u32 relocation_count;
	struct cubin_relocation *relocations;
};

/* False, and `why`, if the bytes are not a cubin of sm_75 or later or contradict themselves. */
bool cubin_read(struct arena *a, const u8 *bytes, u64 size, struct cubin *to, const char **why);
const struct cubin_function *cubin_find(const struct cubin *c, const char *name);

#endif
