/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses whose lanes go to scattered places, as native code has them: not in line, where they would be most of a region's code and of
 * the time that it takes to compile, but as ordinary functions of the library, which are compiled ahead for each width of vectors
 * (sem/scattered.c). They get copies of rows, so that the region's own may stay in registers, and the region's instruction, whose shapes
 * and proofs they ask as ways in line do. Each returns false, having done nothing, where it is for the interpreter.
 *
 * Regions know them by the names below (native/link.c).
 */
#ifndef PTXSIM_SEM_NATIVE_SCATTERED_H
#define PTXSIM_SEM_NATIVE_SCATTERED_H

#include "sem/atomic_ops.h"
#include "sem/scattered_list.h"

#ifdef SEM_NATIVE
#define SCATTERED_NAME(name) name
#else
#define SCATTERED_NAME(name) SEM_NAME(name)
#endif

/* base: the lanes' addresses, without the instruction's offset; value: what the lanes that run load or store. space: shared memory, or
 * any in which allocations are. */
typedef bool scattered_far_fn(struct warp *w, const struct insn *i, const u64 *base, void *value, u32 mask,
			      enum ir_space space);
/* The same by addresses of 32 bits, of shared memory. */
typedef bool scattered_near_fn(struct warp *w, const struct insn *i, const u32 *base, void *value, u32 mask);
/* By scaled rows: see scaled_base. Few lanes that load are in line. */
typedef bool scattered_scaled_fn(struct warp *w, const struct insn *i, const u32 *index, void *value, u32 mask,
				 u64 base);
/* Where atomic operations go. */
typedef bool scattered_find_fn(struct warp *w, const struct insn *i, const u64 *base, u8 *place[WARP_LANES], u32 mask,
			       u32 bytes);
typedef bool scattered_find_scaled_fn(struct warp *w, const struct insn *i, const u32 *index, u8 *place[WARP_LANES],
				      u32 mask, u32 bytes, u64 base);
/* Of n words a lane: their rows. */
enum { SCATTERED_WORDS = 4 };
typedef bool scattered_vector_far_fn(struct warp *w, const struct insn *i, const u64 *base,
				     u32 value[SCATTERED_WORDS][WARP_LANES], u32 mask, enum ir_space space, u32 n);
typedef bool scattered_vector_near_fn(struct warp *w, const struct insn *i, const u32 *base,
				      u32 value[SCATTERED_WORDS][WARP_LANES], u32 mask, u32 n);

#define X(T, R)                                                                 \
	extern scattered_far_fn SCATTERED_NAME(scattered_load_##T##_##R);       \
	extern scattered_near_fn SCATTERED_NAME(scattered_load_near_##T##_##R); \
	extern scattered_scaled_fn SCATTERED_NAME(scattered_load_scaled_##T##_##R);
SCATTERED_LOADS(X)
#undef X
#define X(T)                                                               \
	extern scattered_far_fn SCATTERED_NAME(scattered_store_##T);       \
	extern scattered_near_fn SCATTERED_NAME(scattered_store_near_##T); \
	extern scattered_scaled_fn SCATTERED_NAME(scattered_store_scaled_##T);
SCATTERED_STORES(X)
#undef X
#define X(NAME, ...) extern atomic_race_fn SCATTERED_NAME(scattered_race_##NAME);
ATOMIC_INTEGERS(X)
ATOMIC_FLOATS(X)
#undef X
extern scattered_find_fn SCATTERED_NAME(scattered_find_places);
extern scattered_find_scaled_fn SCATTERED_NAME(scattered_find_scaled);
extern scattered_vector_far_fn SCATTERED_NAME(scattered_load_vector), SCATTERED_NAME(scattered_store_vector);
extern scattered_vector_near_fn SCATTERED_NAME(scattered_load_vector_near), SCATTERED_NAME(scattered_store_vector_near);

#endif
