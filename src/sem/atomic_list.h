/* SPDX-License-Identifier: Apache-2.0
 *
 * Atomic operations on words of 32 and 64 bits: what they make of the value that is there, `old`, and of their operands b and c. Several
 * ways of running them are made from these lists (sem/atomic.c, sem/scattered.c).
 */
#ifndef PTXSIM_SEM_ATOMIC_LIST_H
#define PTXSIM_SEM_ATOMIC_LIST_H

/* X(name, type, takes c, joins, new value). joins: op(op(x, a), b) is op(x, op(a, b)). */
#define ATOMIC_INTEGERS(X)                                              \
	X(add_32, u32, false, true, old + b)                            \
	X(and_32, u32, false, true, (old & b))                          \
	X(or_32, u32, false, true, old | b)                             \
	X(xor_32, u32, false, true, old ^ b)                            \
	X(min_u32, u32, false, true, b < old ? b : old)                 \
	X(max_u32, u32, false, true, b > old ? b : old)                 \
	X(min_s32, u32, false, true, (s32)b < (s32)old ? b : old)       \
	X(max_s32, u32, false, true, (s32)b > (s32)old ? b : old)       \
	X(inc_32, u32, false, false, old >= b ? 0 : old + 1)            \
	X(dec_32, u32, false, false, old == 0 || old > b ? b : old - 1) \
	X(exch_32, u32, false, false, b)                                \
	X(cas_32, u32, true, false, old == b ? c : old)                 \
	X(add_64, u64, false, true, old + b)                            \
	X(and_64, u64, false, true, (old & b))                          \
	X(or_64, u64, false, true, old | b)                             \
	X(xor_64, u64, false, true, old ^ b)                            \
	X(min_u64, u64, false, true, b < old ? b : old)                 \
	X(max_u64, u64, false, true, b > old ? b : old)                 \
	X(min_s64, u64, false, true, (s64)b < (s64)old ? b : old)       \
	X(max_s64, u64, false, true, (s64)b > (s64)old ? b : old)       \
	X(exch_64, u64, false, false, b)                                \
	X(cas_64, u64, true, false, old == b ? c : old)
/* X(name, type, new value), of floats. c says whether the place is in global memory. */
#define ATOMIC_FLOATS(X)                                 \
	X(add_f32, u32, add_f32_bits(old, b, c))         \
	X(add_f64, u64, add_f64_bits(old, b, c))         \
	X(add_f16x2, u32, HALVES(f16_add, false, false)) \
	X(add_bf16x2, u32, HALVES(bf16_add))

#endif
