/* SPDX-License-Identifier: Apache-2.0
 *
 * What a warp's access to global, local or constant memory costs, on each generation, as pure
 * functions of the addresses. For 9.0 the figures equal what Nsight Compute reads on an H200
 * (recordings in tests/golden/metrics, exceptions named in tests/unit/test_sectors.c); earlier
 * generations follow the CUDA C Programming Guide 4.2, later ones take 9.0's rule.
 *
 * Words. One warp instruction makes one or more *requests*; each needs *transactions* of the
 * memory's grain. A *sector* is 32 bytes, a *line* 128. On 9.0 a request passes the tag stage in
 * *tag wavefronts* and the data stage in *data wavefronts*. A generic access counts as one of
 * the space in which its lanes lie, each space's lanes apart.
 */
#ifndef PTXSIM_MEMORY_SECTORS_H
#define PTXSIM_MEMORY_SECTORS_H

#include "arch/arch.h"
#include "base/types.h"

enum sector_kind {
	SECTOR_LOAD,
	SECTOR_STORE,
	SECTOR_RED, /* an atomic whose result is not used */
	SECTOR_ATOM,
	SECTOR_ATOM_CAS,
	SECTOR_ATOM_HALF,     /* on 16 bits, from 5.0 on: a loop of compare and swap of the word */
	SECTOR_ATOM_HALF_CAS, /* compare and swap of 16 bits: the same, once */
	SECTOR_ASYNC,         /* the global side of cp.async.ca */
	SECTOR_ASYNC_BYPASS,  /* of cp.async.cg, which goes past the first level */
};

struct sector_access {
	enum sector_kind kind;
	u32 width; /* bytes of a lane: 1, 2, 4, 8, 16, or 32 from 10.0 on; naturally aligned */
	u32 mask;  /* active lanes */
	bool l1;   /* 2.x and 3.x: a load goes through the first-level cache */
	bool hits; /* from 5.0 on: of a load, whether all of its sectors are found there */
};

/* Each is 0 if no lane is active. */
struct sector_count {
	u16 requests;
	u16 transactions;                   /* of the generation's grain: segments of 32 to 128 bytes on 1.x, lines
	                     * of 128 through the first level and segments of 32 past it on 2.x
	                     * and 3.x, sectors from 5.0 on */
	u16 sectors;                        /* 32 bytes each. Atomics: each visit to a line counts its sectors again;
	                     * lanes on one address take one visit each */
	u16 ideal_sectors;                  /* the active lanes' bytes / 32 rounded up, never above `touched_sectors` */
	u16 lines;                          /* distinct lines of 128 bytes (1.x: segments; atomics: visits to lines) */
	u16 touched_sectors, touched_lines; /* each once, atomics' too: what source-level counters have */
	u16 tag_wavefronts;                 /* from 5.0 on; else 0, as the four below */
	u16 data_reads;                     /* wavefronts of the data stage */
	u16 data_writes;
	u16 data_conflicts; /* wavefronts beyond one for each group served */
	u16 load_sectors;   /* of the load before the loop of an atomic on 16 bits; else 0 */
	u16 load_tag_wavefronts;
	u32 bytes_wanted; /* active lanes x width */
	u32 bytes_moved;  /* between the SM's memory unit and the next level */
};

/* For pictures: what each active lane belongs to. */
struct sector_detail {
	u8 transaction[WARP_LANES]; /* from 0, in order of the lowest lane; from 5.0 on the
	                             * line (atomics: visit to a line, by tag wavefront) */
	u8 tag_wavefront[WARP_LANES];
};

/* `address` holds global addresses; of the tag stage's hash, bits 7 to 25 count (recorded with
 * buffers at multiples of 2 MiB). Those of inactive lanes are not used. `detail` may be NULL. */
void sectors_count_global(const struct arch *arch, const struct sector_access *access, const u64 address[WARP_LANES],
			  struct sector_count *count, struct sector_detail *detail);

/* Corrects the sectors and tag wavefronts of a cp.async.cg by where its bytes go in shared memory:
 * sectors_count_global takes the lanes' 16 bytes to lie one behind the other there. */
void sectors_place_bypass(u32 mask, const u64 address[WARP_LANES], const u32 shared[WARP_LANES],
			  struct sector_count *count);

/* `offset` is the byte offset of each lane in its own local memory. Word w of lane l lies at
 * (w x 32 + l) x 4 of the warp's; each word of 4 bytes is a request. The tag wavefronts
 * are those of a frame at a multiple of 32 KiB. Where it lies is up to the warp's place in its SM, which
 * differs from launch to launch (the same launch, read four times, ran in places 0, 2, 0 and 1 with 11, 10, 11
 * and 12 tag wavefronts); of those recorded that show it more than half lay so. The data stage's figures hold
 * up to 8 tag wavefronts (bytes and halves: 4), where frames do not matter; a load right behind a store of
 * more waits for parts of it. */
void sectors_count_local(const struct arch *arch, const struct sector_access *access, const u32 offset[WARP_LANES],
			 struct sector_count *count);

/* Where a lane's local byte lies in its warp's local memory. */
static inline u64 sectors_local_place(u32 lane, u32 offset)
{
	return ((u64)(offset / 4) * WARP_LANES + lane) * 4 + offset % 4;
}

/* Requests of an indexed constant load: distinct byte addresses, which are served in turn (1.x:
 * for each half-warp apart). Replays are one less. Also ld.param with a lane-dependent address,
 * and on 2.x uniform loads (ldu). */
u32 sectors_count_constant(const struct arch *arch, u32 mask, const u64 address[WARP_LANES]);

/* A function that becomes a part of what calls it, whatever the compiler thinks of that, also where no vector registers may be used
 * (KEEPS_REGISTERS). */
#if defined __x86_64__
#define KEEPS_REGISTERS_IN_LINE \
	__attribute__((target("general-regs-only"), no_caller_saved_registers, always_inline)) static inline
#else
#define KEEPS_REGISTERS_IN_LINE __attribute__((always_inline)) static inline
#endif

/* Bits 7, 9, 11, 12, 14, 16, 18 to 21, 23 to 25; and 7 to 10, 12, 13, 15 to 18, 20, 22, 23, 25. */
enum { TAG_BANK_LOW = 0x03bd5a80, TAG_BANK_HIGH = 0x02d7b780 };

/* The tag bank (0 to 3) of a global address, as found on 9.0: two parities of address bits, the only pair, up to naming, that
 * fits the recordings. Bits above 25 are the same throughout most arrays, and were so in those recorded. */
KEEPS_REGISTERS_IN_LINE u32 sectors_tag_bank(u64 address)
{
	u64 both = ((u32)address & TAG_BANK_LOW) | (u64)((u32)address & TAG_BANK_HIGH) << 32;

	for (u32 shift = 16; shift; shift /= 2)
		both ^= both >> shift;
	return (u32)(both & 1) | (u32)(both >> 31 & 2);
}

#endif
