/* SPDX-License-Identifier: Apache-2.0
 *
 * What a warp's access costs in the banks of shared memory, on each generation, as pure
 * functions of the addresses: observers add the results up, reports explain them, nothing here
 * touches memory. For 9.0 every figure equals what Nsight Compute reads on an H200 (recordings in
 * tests/golden/metrics); earlier generations follow the CUDA C Programming Guide.
 *
 * Words. A *unit* is the group of lanes that the hardware serves together (a warp, a half, a
 * quarter, an 8x8 matrix); only units with an active lane count. A *wavefront* is one pass
 * through the banks. *Conflicts* are wavefronts beyond one for each unit.
 */
#ifndef PTXSIM_MEMORY_BANKS_H
#define PTXSIM_MEMORY_BANKS_H

#include "arch/arch.h"
#include "base/types.h"

enum bank_kind {
	BANK_LOAD,
	BANK_LOAD_GENERIC, /* by a generic address: lanes are never joined (all 17 recorded patterns) */
	BANK_STORE,
	BANK_ASYNC,        /* the shared side of cp.async.ca: as a store, but lanes on one word do not go
	                * together (all 70 recorded patterns) */
	BANK_ASYNC_BYPASS, /* of cp.async.cg: as a store */
	BANK_LDMATRIX,     /* active lanes are the row addresses: 8 for each matrix, from lane 0 */
	BANK_STMATRIX,
	BANK_ATOM,          /* one machine instruction: 32 bits, or 64-bit exch */
	BANK_ATOM_CAS,      /* compare and swap, 32 or 64 bits */
	BANK_ATOM_COUNT,    /* red.add of the constant 1 on 32 bits: lanes are counted first */
	BANK_ATOM_LOOP,     /* what no native instruction does (f32 and 64-bit add, ...): a loop of
	                  * a load and a compare and swap */
	BANK_ATOM_SPIN,     /* the compare and swap of one round of such a loop, by all lanes that still wait */
	BANK_ATOM_HALF,     /* on 16 bits: a load, then a loop of compare and swap of the word */
	BANK_ATOM_HALF_CAS, /* compare and swap of 16 bits: the same, once */
};

/* Where 3.x puts successive words; others have one placement and ignore it. */
enum bank_mode { BANK_MODE_4, BANK_MODE_8 };

struct bank_access {
	enum bank_kind kind;
	enum bank_mode mode;
	u32 width; /* bytes of a lane: 1, 2, 4, 8 or 16 (32 only for global data); matrices: 16;
	            * each lane naturally aligned */
	u32 mask;  /* active lanes */
};

/* Each is 0 if no lane is active. The loops' wavefronts and loads are sums over the rounds. */
struct bank_count {
	u16 units;
	u16 wavefronts;      /* for loops: of the compare-and-swaps or unlock-stores alone */
	u16 conflicts;       /* of `wavefronts`; 0 for native loops, as the profiler counts */
	u16 ideal;           /* what as many bytes need at best, loads of loops included; from 5.0
	                      * on the profiler's rule: bytes / 128 rounded up, never above the
	                      * wavefronts; before, the units */
	u16 degree;          /* most wavefronts of a unit: 1 is conflict-free, n is n-way. Atomics:
	                      * most lanes (counting: words) that meet in a bank in a unit */
	u16 rounds;          /* of an atomic loop; 1 for all else */
	u16 loads;           /* of a loop; else 0 */
	u16 load_wavefronts; /* of the loads that a loop's rounds start with; else 0 */
	u16 load_source;     /* a load's wavefronts, and those of a loop's loads, as the profiler's source
	                      * counters have them, which judge joining by half-warp; else 0 */
	u16 load_conflicts;
	u16 lock_attempts; /* of a lock loop: lanes that tried, over its rounds */
	u16 lock_false;    /* of these, lanes whose lock went to a lane at another word */
};

/* Who waited for whom, for pictures of one access. */
struct bank_detail {
	u8 unit[WARP_LANES];       /* that serves the lane; inactive lanes: 0 */
	u16 wavefront[WARP_LANES]; /* from 0 through the instruction: the (last) one that serves
	                            * the lane; for loops the round in which the lane succeeds */
	u16 bank_words[32];        /* words that each bank delivers or takes over all wavefronts;
	                            * atomics: lanes. 1.x: banks 0 to 15 */
};

/* What the assembler makes of an atomic on shared memory from 5.0 on (ptxas 13.0 for sm_90): one instruction for integers
 * of 32 bits and for exchange, compare and swap but of 16 bits, else a loop, in which each lane's operation is taken to
 * change its word. Adding the constant 1 as .u32, or .inc with the bound ~0, is a count if the result is not used. */
enum bank_atomic { BANK_ATOMIC_CAS, BANK_ATOMIC_EXCH, BANK_ATOMIC_ADD_ONE_UNUSED, BANK_ATOMIC_OTHER };

enum bank_kind banks_atomic_kind(enum bank_atomic op, u32 bits, bool integer);

/* The lanes that take part in a round of such a loop (ATOMS.CAST.SPIN), on words of 4 or 8 bytes: the first of those that meet
 * in a bank, of each half-warp where a word has 8. The compare and swap of the others fails. */
u32 banks_first_lanes(u32 width, u32 mask, const u32 address[WARP_LANES]);

/* Counts one access. `address` holds the byte address of each lane, relative to the window of
 * shared memory; those of inactive lanes are not used. `detail` may be NULL. */
void banks_count(const struct arch *arch, const struct bank_access *access, const u32 address[WARP_LANES],
		 struct bank_count *count, struct bank_detail *detail);

/* The same without a detail, and adds the words that each bank delivered or took; of an atomic, the lanes' words, each
 * lane once, however many rounds it takes. Banks of a 1.x access: the first 16. */
void banks_count_words(const struct arch *arch, const struct bank_access *access, const u32 address[WARP_LANES],
		       struct bank_count *count, u64 by_bank[32]);

/* What the cost of an access of 4 bytes a lane hangs on alone, whichever its lanes are: the most lanes in a bank, or words. */
enum bank_measure { BANK_MEASURE_NONE, BANK_MEASURE_LANES, BANK_MEASURE_WORDS };

enum bank_measure banks_measure(const struct arch *arch, enum bank_kind kind, u32 width);
/* The cost of one that has such a measure. most: 0 if no lane is active. */
void banks_count_measured(enum bank_kind kind, u32 most, struct bank_count *count);
/* Whether banks take a word for each lane of it (banks_count_words), or one for all lanes at the word. */
bool banks_take_lanes(enum bank_kind kind);

#endif
