/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of native_scattered.h, by the names that regions have for them, one list for each width of vectors that native code uses.
 */
#ifndef PTXSIM_SEM_SCATTERED_LIST_H
#define PTXSIM_SEM_SCATTERED_LIST_H

#include "sem/atomic_list.h"

/* X(type in memory, type that fills the register), X(type in memory). */
#define SCATTERED_LOADS(X) \
	X(u8, u16)         \
	X(u8, u32)         \
	X(u16, u16)        \
	X(u16, u32)        \
	X(u32, u32)        \
	X(u64, u64)        \
	X(s8, u16)         \
	X(s8, u32)         \
	X(s16, u32)
#define SCATTERED_STORES(X) \
	X(u8)               \
	X(u16)              \
	X(u32)              \
	X(u64)
/* Of each type by three kinds of numbers; beside these for vectors, and the places and changes of atomic operations. */
enum {
#define X(...) +1
	SCATTERED_COUNT = 3 * (SCATTERED_LOADS(X) SCATTERED_STORES(X)) + 6 ATOMIC_INTEGERS(X) ATOMIC_FLOATS(X)
#undef X
};

struct scattered_function {
	const char *name;
	void (*function)(void);
};

extern const struct scattered_function scattered_list_avx2[SCATTERED_COUNT], scattered_list_avx512[SCATTERED_COUNT];

#endif
