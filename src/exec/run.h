/* SPDX-License-Identifier: Apache-2.0
 *
 * What the meanings of instructions call: faults, floating-point modes, divergence, barriers and
 * checked memory.
 */
#ifndef PTXSIM_EXEC_RUN_H
#define PTXSIM_EXEC_RUN_H

#include "exec/grid.h"
#include "isa/machine.h"

/* The form of an insn that stands behind the body, in what the system supplies: of the function that it lies in. */
static inline const struct form *supplied_form(const struct code *c, u32 insn)
{
	const u32 first = (u32)c->function->body.count + 1;
	u32 k = MACHINE_SYSTEM_FUNCTIONS - 1;

	while (k && c->starts[first + k] > insn)
		k--;
	return &c->forms[first + k];
}

/* Of any other: that of its instruction. */
static inline const struct form *insn_form(const struct code *c, u32 insn)
{
	return c->origin[insn] == NO_OPERAND ? supplied_form(c, insn) : &c->forms[c->origin[insn]];
}

/* The form that instruction `i` of the current function was matched to. */
static inline const struct form *warp_form(const struct warp *w, const struct insn *i)
{
	const struct code *c = w->frame->code;

	return insn_form(c, (u32)(i - grid_entry(w->grid, c)));
}

/* The same of the instruction that lanes which wait stand at. */
static inline const struct form *split_form(const struct warp *w, const struct split *s)
{
	const struct code *c = s->frame->code;

	return insn_form(c, (u32)(s->pc - grid_entry(w->grid, c)));
}

/* --- Clusters that have not begun ----------------------------------------------------------- */

/* Takes the next cluster of the grid that nobody has begun: it never will be. False: there is none. */
bool worker_cancel_cluster(struct worker *k, u32 first_block[3]);

/* --- Floating-point mode of the host thread ------------------------------------------------ */

void fp_switch(struct worker *worker, u8 mode);

/* Makes rounding and flushing those of `mode` (enum fp_mode) until the next call. Cheap when
 * they are already. Host arithmetic after it may not move above it, nor below the next one:
 * operands are read from and results written to memory, which the switch clobbers. */
static inline void fp_enter(struct warp *w, u8 mode)
{
	if (__builtin_expect(w->worker->fp != mode, 0))
		fp_switch(w->worker, mode);
}

/* --- Faults -------------------------------------------------------------------------------- */

/* Stops the launch. Returns NULL, so that a meaning can `return warp_fault(...)`. `lanes`: those
 * at fault (0: all of mask). `detail` may be NULL. */
const struct insn *warp_fault(struct warp *w, const struct insn *i, enum fault_kind kind, u32 lanes, const char *detail,
			      ...) __attribute__((format(printf, 5, 6)));
/* The same, with what another thread, or this one before, has done. */
const struct insn *warp_fault_beside(struct warp *w, const struct insn *i, enum fault_kind kind, u32 lanes,
				     enum fault_role role, const struct fault_act *other, const char *detail, ...)
	__attribute__((format(printf, 7, 8)));
const struct insn *warp_fault_address(struct warp *w, const struct insn *i, enum fault_kind kind, u32 lane, u64 address,
				      u32 size, int space, bool is_store);
/* free() of an address that is not the start of the device heap's: one that was, once, is told as freed twice. */
const struct insn *warp_fault_free(struct warp *w, const struct insn *i, u32 lane, u64 address);
/* An access of global memory that is in no allocation: true if the launch lets it pass, as the hardware does, and has been
 * told. Reads pass where there is a page, stores in what an allocation is rounded up to. */
bool warp_goes_astray(struct warp *w, const struct insn *i, u32 lane, u64 address, u32 size, bool is_store);
/* A fault whose kind, lanes and access are filled in; block, warp and (unless given) instruction are added. */
const struct insn *warp_raise(struct warp *w, const struct insn *i, struct fault *f);

/* --- Accounting at the end of a straight run ----------------------------------------------- */

/* Lanes of a mask. The core is compiled for every host: without the instruction for it gcc calls a function that looks
 * bytes up in a table. */
static inline u32 lanes_of(u32 mask)
{
#if defined __POPCNT__
	return (u32)__builtin_popcount(mask);
#else
	const u32 pairs = mask - (mask >> 1 & 0x55555555);
	const u32 quads = (pairs & 0x33333333) + (pairs >> 2 & 0x33333333);
	return ((quads + (quads >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
#endif
}

static inline void warp_account(struct warp *w, const struct insn *i)
{
	w->issued += i->run;
	w->lanes_issued += (u64)i->run * lanes_of(w->mask);
	w->budget -= i->run;
}

/* --- Divergence (exec/diverge.c) ------------------------------------------------------------ */

/* The running split's lanes `taken` go to `target`, the rest to `next`; they meet at `join` (NULL: at
 * the join that is open already). Returns where the now running split goes on. */
const struct insn *warp_diverge(struct warp *w, u32 taken, const struct insn *target, const struct insn *next,
				const struct insn *join);
/* The running split has reached its open join: waits there or goes on with the others. */
const struct insn *warp_arrive(struct warp *w);
/* The running split's lanes exit. */
const struct insn *warp_exit(struct warp *w);
/* Parks the running split, to go on at `pc` once woken; runs another. */
const struct insn *warp_park(struct warp *w, const struct insn *pc, enum split_state state);
/* Takes the next ready split, or returns NULL with w->stop set. */
const struct insn *warp_next(struct warp *w);
/* A backward branch found the budget used up: lets other splits, warps and blocks run. */
const struct insn *warp_yield(struct warp *w, const struct insn *pc);
/* Whether lanes that were there before have come round to the same places in `turns` turns after a first one, and none of
 * them has left its loop. Then other lanes of the warp may be what it waits for, and they have to run although they wait
 * where lanes meet. A loop that lanes leave one by one, as around a compare and swap, is not in vain: letting others go would
 * part lanes that meet on the hardware. Several splits may spin, at one place or at several: which lanes have come where is
 * kept in a small set. */
bool warp_spins_in_vain(struct warp *w, const struct insn *pc, u32 mask, u32 turns);
/* Makes a waiting split ready, behind those that are. */
void warp_wake(struct warp *w, struct split *s);

/* A .sync instruction with member mask `members` (the same in all lanes of `mask`). True: execute it
 * now, for the lanes `mask` and the participants w->member_mask, with their operands in w->exchange if
 * w->exchanging, else in their rows. False: the split was parked after its operand row was saved
 * (`bits` 32 or 64; 1: a predicate, negated by the instruction's aux bit 0; NO_OPERAND for none);
 * return *next. */
bool warp_sync(struct warp *w, const struct insn *i, u32 mask, u32 members, const u8 *rows, u32 operand, u32 bits,
	       const struct insn **next);
/* The running lanes, at instruction i of machine code, wait at a convergence barrier for those that the row `barrier` of the
 * frame names, or with CONVERGE_BY_MASK (exec/converge.h) for the lanes `members`; they go on at `next`. Returns where the
 * warp goes on now. */
const struct insn *warp_converge(struct warp *w, const struct insn *i, s32 barrier, u32 members,
				 const struct insn *next);
/* Lanes leave the running split and become one of their own that goes on at `pc`. */
void warp_split(struct warp *w, u32 lanes, const struct insn *pc);

/* --- The reconvergence stack of listings (exec/stack.c) -------------------------------------- */

/* Puts the running lanes on the stack, to go on at `pc` when the entry is taken off. False: a fault. */
bool stack_push(struct warp *w, const struct insn *i, enum stack_kind kind, u32 lanes, const struct insn *pc);
/* Running lanes leave: to the nearest entry of that kind, which must hold them; entries above it lose
 * them. Returns where the warp goes on: `next` with the others, or at the topmost entry. */
const struct insn *stack_leave(struct warp *w, const struct insn *i, enum stack_kind kind, u32 lanes,
			       const struct insn *next);
/* The same for lanes that exit. */
const struct insn *stack_exit(struct warp *w, const struct insn *i, u32 lanes, const struct insn *next);
bool stack_has(const struct warp *w, enum stack_kind kind);
/* "SSY", "PBK": what puts entries of the kind on. */
const char *stack_kind_name(enum stack_kind kind);

/* --- Locks of shared words, and constant banks (exec/locks.c, exec/constant.c) ---------------- */

/* Each lane of `mask` tries to take the lock of its shared address; returns those that got theirs. */
u32 locks_take(struct warp *w, const struct insn *i, u32 mask, const u32 address[WARP_LANES]);
/* Gives the locks of the lanes' addresses back; false: a fault, a lane holds none. */
bool locks_give(struct warp *w, const struct insn *i, u32 mask, const u32 address[WARP_LANES]);
/* False and a fault if an exiting lane holds a lock. */
bool locks_none_held(struct warp *w, const struct insn *i, u32 lanes);

/* The word at `offset` (a multiple of 4) of a constant bank of the running kernel; false if there is none. */
bool bank_word(const struct grid *grid, const struct code *code, u32 bank, u32 offset, u32 *value);

/* --- Calls and returns (exec/call.c) ----------------------------------------------------------- */

const struct insn *warp_call(struct warp *w, const struct insn *i, const struct call_site *site,
			     const struct code *target, u32 mask);
const struct insn *warp_return(struct warp *w);
/* The running lanes are about to go to several functions by the indirect call i, one after the other: they meet behind it. */
void warp_gather(struct warp *w, const struct insn *i);
/* For system functions (sem/external.c): up to 8 bytes of argument number k of the call, from byte `first` on, for one lane;
 * and what the call gives that lane. */
u64 call_argument(const struct warp *w, const u8 *rows, const struct call_site *site, u32 k, u32 first, u32 lane);
void call_result(struct warp *w, u8 *rows, const struct call_site *site, u32 lane, u64 value);

/* --- Block barriers (exec/barrier.c) -------------------------------------------------------- */

const struct insn *block_barrier(struct warp *w, const struct insn *i, u32 number, u32 threads, bool waits,
				 enum barrier_reduce reduce, u32 predicate);
/* Threads of the block exited: a barrier that waited for them may be complete. */
void block_lanes_exited(struct warp *w, u32 lanes);

const struct insn *cluster_arrive(struct warp *w, const struct insn *i);
const struct insn *cluster_wait(struct warp *w, const struct insn *i);
void cluster_lanes_exited(struct warp *w, u32 lanes);

/* --- Checked memory (exec/access.c) --------------------------------------------------------- */

u8 *global_range_slow(struct warp *w, const struct insn *i, u64 low, u64 high);

/* Where instruction `i` remembers the allocation of its last access. */
static inline struct remembered *global_remembered(const struct warp *w, const struct insn *i)
{
	return &w->worker->allocations[((uintptr_t)i / sizeof *i) % ALLOCATION_CACHE];
}

/* The same of an instruction in native code, whose accesses are numbered where others have their handlers, beside other things: so the
 * place is known when code is made. */
static inline struct remembered *native_remembered(const struct warp *w, const struct insn *i)
{
	return &w->worker->allocations[(uintptr_t)i->fn % ALLOCATION_CACHE];
}
u8 *native_range_slow(struct warp *w, const struct insn *i, u64 low, u64 high);

/* Host address of global bytes [low, high) (guest), or NULL if they are not within one
 * allocation. `i` remembers the hit. */
static inline u8 *global_range(struct warp *w, const struct insn *i, u64 low, u64 high)
{
	const struct remembered *r = global_remembered(w, i);

	if (__builtin_expect(low >= r->low && high <= r->high && low < high, 1))
		return r->host + (low - r->low);
	return global_range_slow(w, i, low, high);
}

/* Host address of `size` bytes at `address` of a space for one lane (local memory is interleaved:
 * only for size <= 4 and aligned; use lane_read and lane_write instead). NULL: a fault was raised. */
u8 *lane_pointer(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address, u32 size,
		 bool is_store);
/* Whether the warp's lanes of `mask` can all write `bytes` at their addresses, without a fault: for what a fault would leave
 * half done. i: as a warp by itself runs it. */
bool warp_reaches(struct warp *w, const struct insn *i, u32 mask, enum ir_space space, const u64 address[WARP_LANES],
		  u32 bytes);
/* Any space, any size up to 16, alignment checked by the caller's `size`. False: a fault was raised. */
bool lane_read(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address, void *to, u32 size);
bool lane_write(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address, const void *from,
		u32 size);

/* Grows local memory to hold `bytes` a lane; false: fault raised. */
bool warp_local_reserve(struct warp *w, const struct insn *i, u64 bytes);

/* The space that a generic address lies in; *address becomes the offset within it. */
enum ir_space generic_space(const struct warp *w, u64 *address);

/* The warp is about to read a clock with `i`: lets it run on if all that the warp does is to wait for it. */
void sreg_look_at_clock(struct warp *w, const struct insn *i);
/* Value of a special register for one lane. */
u64 sreg_value(const struct warp *w, u32 sreg, u32 element, u32 lane);

/* The block's part of a generic or shared::cluster address. */
struct block *shared_owner(struct warp *w, u64 shared_address);
/* The upper bits of addresses in the block of that rank. In a cluster of one block they are 0, as on an H200, where
 * whatever lies 16 MiB and more above the block's own memory faults. */
static inline u64 shared_rank_bits(const struct warp *w, u32 rank)
{
	if (w->grid->kernel->code->machine_banks)
		return (u64)rank << SHARED_RANK_SHIFT;
	return w->block->cluster->count == 1 && !rank ? 0 : (u64)(rank + 1) << SHARED_RANK_SHIFT;
}
/* The block that instruction i reaches at an address given in `space`, .shared or generic: only .shared::cluster and
 * generic addresses carry a rank; a plain one that large is outside. NULL: none. */
struct block *shared_target(struct warp *w, const struct insn *i, enum ir_space space, u64 shared_address);

#endif
