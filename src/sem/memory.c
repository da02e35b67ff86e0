/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads and stores (PTX ISA 9.7.9.8 to 9.7.9.11): ld, ldu, st. One meaning for each space, memory
 * type and register width that compilers use; the rest goes through ld_any and st_any.
 *
 * Memory order, scope and cache operators change no result here: a warp's accesses are carried out
 * in program order, and other threads' become visible as they happen.
 *
 * How a load finds its way; each line is tried before the next, and the first that fits does all lanes at once:
 *
 *      neighbouring places, all lanes         a copy (load_row, src/sem/load_type.h)
 *      shared words near the first lane's     two loads and a permutation (load_shared_near)
 *      one address, neighbours of some lanes, two rows, a gather within one allocation (load_shape)
 *      lane by lane, with diagnosis           load_lanes; for vectors and rare types ld_any
 *
 * A fast way that gives up has changed nothing, so that the last one can raise the fault in the right lane.
 */
#include "decode/form_address.h"
#include "isa/form.h"
#include "number/convert.h"
#include "sem/load_store.h"
#ifndef SEM_NATIVE
#include "sem/vector_access.h"
#endif

/* --- Loads ---------------------------------------------------------------------------------- */

#define LOADS(SP, SPACE)                                \
	LOAD_SCALAR(ld_##SP##_u8_u16, SPACE, u8, u16)   \
	LOAD_SCALAR(ld_##SP##_u8_u32, SPACE, u8, u32)   \
	LOAD_SCALAR(ld_##SP##_u16_u16, SPACE, u16, u16) \
	LOAD_SCALAR(ld_##SP##_u16_u32, SPACE, u16, u32) \
	LOAD_SCALAR(ld_##SP##_u32_u32, SPACE, u32, u32) \
	LOAD_SCALAR(ld_##SP##_u64_u64, SPACE, u64, u64)
LOADS(global, SPACE_GLOBAL)
LOADS(shared, SPACE_SHARED)

/* Words at 32-bit shared addresses: everything in 32-bit lanes. What lies within 32 words of the first lane's, in
 * whatever order, is two loads and a permutation; a gather serves every other shape. Anything unusual goes the general
 * way. */
#ifdef SEM_NATIVE
/* Whether what is left when each part of a warp has been looked at may be meant. */
ALWAYS_INLINE bool is_scattered_word(const struct insn *i)
{
#if defined HAS_QUARTERS
	return may_be(i, SHAPE_NEAR | SHAPE_STRIDED | SHAPE_OTHER);
#else
	return may_be(i, ~(u32)(SHAPE_ROW | SHAPE_SAME | SHAPE_KNOWN));
#endif
}
ALWAYS_INLINE bool ld_shared_word_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const u32 *base = ROW_OF(u32, i->a);
	u32 *d = ROW_OF(u32, i->d);

	if (is_by_window(i))
		return load_by_window(w, i, rows, mask);
	if (i->run == PROVEN_ROW || i->run == PROVEN_SAME)
		return load_native_u32_u32(w, i, rows, mask, SPACE_SHARED, false);
	const bool known = is_stepped_by_some(i, SPACE_SHARED, false);
	return (!known && load_near_row(w, i, base, d, mask)) || load_along(w, i, rows, mask) ||
	       (!known && is_scattered_word(i) && load_each_u32_u32(w, i, rows, mask, SPACE_SHARED, false));
}
/* What is a row for certain has been tried, and is out of reach. */
ALWAYS_INLINE bool store_shared_words(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	if (is_by_window(i))
		return store_by_window(w, i, rows, mask);
	if (is_stepped_by_some(i, SPACE_SHARED, false))
		return store_near_steps_u32(w, i, rows, mask);
	return i->run != PROVEN_ROW && (store_parts(w, i, ROW_OF(u32, i->a), ROW_OF(u32, i->b), mask) ||
					store_each_u32(w, i, rows, mask, SPACE_SHARED, false));
}
#else
ALWAYS_INLINE bool load_shared_near(struct warp *w, const struct insn *i, const u32 *base, u32 *d)
{
	const u32 first = base[0] + (u32)i->imm;

	return LIKELY(!(first & 3) && (u64)first + 4 * WARP_LANES <= w->block->near_bytes) &&
	       load_near(d, base, w->block->shared + first);
}
ALWAYS_INLINE bool load_shared_words(struct warp *w, const struct insn *i, const u32 *base, u32 *d)
{
	u32 address[WARP_LANES] __attribute__((aligned(64))), high = 0, bits = 0;

	if (load_shared_near(w, i, base, d))
		return true;
	for (int l = 0; l < WARP_LANES; l++) {
		address[l] = base[l] + (u32)i->imm;
		high = address[l] > high ? address[l] : high;
		bits |= address[l];
	}
	if (UNLIKELY(bits & 3 || (u64)high + 4 > w->block->near_bytes))
		return false;
	const u32 *from = (const u32 *)(const void *)w->block->shared;
	EACH_LANE
		d[l] = from[(s32)(address[l] >> 2)];
	return true;
}
/* Lanes that take no part read what the first that does reads. */
SEPARATE bool load_shared_words_some(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const u32 *base = ROW_OF(u32, i->a), first = base[__builtin_ctz(mask)];
	u32 on[WARP_LANES] __attribute__((aligned(64))), kept[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		on[l] = mask & lane_bit[l] ? base[l] : first;
	if (UNLIKELY(!load_shared_words(w, i, on, kept)))
		return false;
	merge_row(rows + i->d, kept, sizeof kept[0], mask);
	return true;
}
/* Lanes at neighbouring words store in one piece: what a word at a time has stored, a vector load soon afterwards would
 * wait for. Others go lane by lane: of several at one address the highest wins. */
SEPARATE bool store_shared_words(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const u32 *base = ROW_OF(u32, i->a), *s = ROW_OF(u32, i->b);
	const u32 lane = (u32)__builtin_ctz(mask), origin = base[lane] - 4 * lane;
	const u32 *steps = lane_steps32[2];
	u32 address[WARP_LANES] __attribute__((aligned(64))), beside[WARP_LANES] __attribute__((aligned(64)));
	const u32 imm = (u32)i->imm;
	u32 high = 0, bits = 0, apart = 0;

	EACH_LANE
		beside[l] = mask & lane_bit[l] ? (base[l] - steps[l]) ^ origin : 0;
	EACH_LANE
		address[l] = mask & lane_bit[l] ? base[l] + imm : 0;
	for (int l = 0; l < WARP_LANES; l++)
		apart |= beside[l];
	for (int l = 0; l < WARP_LANES; l++) {
		high = address[l] > high ? address[l] : high;
		bits |= address[l];
	}
	if (UNLIKELY(bits & 3 || (u64)high + 4 > w->block->near_bytes))
		return false;
	if (!apart) {
		u32 *to = (u32 *)(void *)(w->block->shared + address[lane] - 4 * lane);
		EACH_LANE
			if (mask & lane_bit[l])
				to[l] = s[l];
		return true;
	}
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		memcpy(w->block->shared + address[l], &s[l], sizeof s[l]);
	}
	return true;
}
ALWAYS_INLINE bool ld_shared_word_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	return LIKELY(mask == FULL_MASK) ? load_shared_words(w, i, ROW_OF(u32, i->a), ROW_OF(u32, i->d))
					 : load_shared_words_some(w, i, rows, mask);
}
#endif
MEANING_FUNCTION(ld_shared_word)
{
	if (LIKELY(ld_shared_word_fast(w, i, rows, mask)))
		return i + 1;
	return LANES_OR_NULL(load_lanes(w, i, rows, mask, false, SPACE_SHARED, 4, false, 32));
}
GANG_FAST(ld_shared_word)
LOADS(generic, SPACE_GENERIC)
LOAD_LOCAL_SCALAR(ld_local_u8_u16, u8, u16)
LOAD_LOCAL_SCALAR(ld_local_u8_u32, u8, u32)
LOAD_LOCAL_SCALAR(ld_local_u16_u16, u16, u16)
LOAD_LOCAL_SCALAR(ld_local_u16_u32, u16, u32)
LOAD_LOCAL_SCALAR(ld_local_u32_u32, u32, u32)
LOAD_LOCAL_SCALAR(ld_local_u64_u64, u64, u64)
/* Extended by their sign. */
LOAD_SCALAR(ld_global_s8_u16, SPACE_GLOBAL, s8, u16)
LOAD_SCALAR(ld_global_s8_u32, SPACE_GLOBAL, s8, u32)
LOAD_SCALAR(ld_global_s16_u32, SPACE_GLOBAL, s16, u32)

/* Any form: type, vector, space and register widths from the form itself. */
static enum ir_space moved_space(const struct form *f)
{
	return form_has(f, M_param_func) ? SPACE_LOCAL : form_space(f);
}

enum { LANE_BYTES_MAX = 32 }; /* that an access moves */

/* The rows and register widths of the values a load or store moves. */
struct values {
	u32 count, bytes; /* elements; bytes of each in memory */
	const u32 *rows;
	u32 one;
	const u8 *bits; /* register width of each */
	u32 address_bits;
	bool is_signed;
	enum ir_space space;
	bool bytewise; /* a function's parameter at an address that would not do for memory */
};

/* What the form says of the values that move, for loads and stores of any type. `rows` is a list only for vectors. */
static void values_of(const struct warp *w, const struct insn *i, const struct form *f, bool is_store, struct values *v)
{
	v->count = form_vector(f);
	v->bytes = (type_bits(form_type(f, 0)) + 7) / 8;
	v->is_signed = type_class(form_type(f, 0)) == 's';
	v->one = is_store ? i->b : i->d;
	v->rows = v->count > 1 ? w->frame->code->operands + i->b : &v->one;
	v->bits = f->operand_bits + (is_store ? 2 : 0);
	v->address_bits = f->operand_bits[is_store ? 0 : v->count];
	v->bytewise = f->param == PARAM_OF_FRAME_BYTES;
	v->space = f->param == PARAM_OF_FRAME || v->bytewise ? SPACE_LOCAL : moved_space(f);
	/* A function's parameters live in its frame: an address taken of one is local. */
	if (v->space == SPACE_PARAM && f->param == PARAM_BY_REGISTER && !w->frame->code->function->is_entry)
		v->space = SPACE_LOCAL;
}

/* An access without an address register is a function's parameter: one place for all lanes, in the frame. */
static void any_addresses(const struct warp *w, const u8 *rows, const struct insn *i, const struct values *v,
			  u64 address[WARP_LANES])
{
	if (i->a != NO_OPERAND) {
		addresses_of(rows, i, v->address_bits == 64, address);
		return;
	}
	const u64 at = (v->space == SPACE_LOCAL ? w->frame->local_base : 0) + (u64)(s64)i->imm;
	EACH_LANE
		address[l] = at;
}

/* As a register of `register_bits` holds it: extended by its sign or with zeros; narrow registers are cut off. */
static void keep_value(u8 *row, u32 lane, u32 register_bits, const u8 *bytes, u32 size, bool is_signed)
{
	u64 low = 0, high = 0;

	memcpy(&low, bytes, size < 8 ? size : 8);
	if (size == 16)
		memcpy(&high, bytes + 8, 8);
	if (is_signed && size < 8)
		low = (u64)((s64)(low << (64 - 8 * size)) >> (64 - 8 * size));
	if (register_bits == 128) {
		((u64 *)row)[2 * lane] = low;
		((u64 *)row)[2 * lane + 1] = high;
	} else if (register_bits == 64) {
		((u64 *)row)[lane] = low;
	} else {
		((u32 *)row)[lane] = register_bits <= 8 ? (u8)low : register_bits <= 16 ? (u16)low : (u32)low;
	}
}

static const struct insn *fault_unaligned(struct warp *w, const struct insn *i, const struct values *v, u32 lane,
					  u64 address, bool is_store)
{
	return warp_fault_address(w, i, FAULT_MISALIGNED, lane, address, v->count * v->bytes, v->space, is_store);
}

/* Byte by byte where a parameter may lie at an address that memory would refuse. */
static bool read_element(struct warp *w, const struct insn *i, u32 lane, const struct values *v, u64 address, u8 *to)
{
	const u32 step = v->bytewise ? 1 : v->bytes;

	for (u32 at = 0; at < v->bytes; at += step)
		if (!lane_read(w, i, lane, v->space, address + at, to + at, step))
			return false;
	return true;
}

static bool write_element(struct warp *w, const struct insn *i, u32 lane, const struct values *v, u64 address,
			  const u8 *from)
{
	const u32 step = v->bytewise ? 1 : v->bytes;

	for (u32 at = 0; at < v->bytes; at += step)
		if (!lane_write(w, i, lane, v->space, address + at, from + at, step))
			return false;
	return true;
}

/* No register changes before all is read: who has a fault may run it again. */
MEANING_FUNCTION(ld_any)
{
	const struct form *f = warp_form(w, i);
	u64 address[WARP_LANES] __attribute__((aligned(64)));
	u8 bytes[WARP_LANES][LANE_BYTES_MAX];
	struct values v;

	values_of(w, i, f, false, &v);
	any_addresses(w, rows, i, &v, address);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (address[l] % (v.count * v.bytes) && f->param == PARAM_BY_REGISTER)
			return fault_unaligned(w, i, &v, l, address[l], false);
		for (u32 e = 0; e < v.count; e++)
			if (!read_element(w, i, l, &v, address[l] + (u64)e * v.bytes, bytes[l] + e * v.bytes))
				return NULL;
	}
	for (u32 left = mask; left; left &= left - 1)
		for (u32 e = 0, l = (u32)__builtin_ctz(left); e < v.count; e++)
			if (v.rows[e] != NO_OPERAND)
				keep_value(rows + v.rows[e], l, v.bits[e], bytes[l] + e * v.bytes, v.bytes,
					   v.is_signed);
	return i + 1;
}
MEANING_STEP(ld_any);

/* Vectors of 32- and 64-bit elements in global and shared memory, and by generic addresses that are all of one of them. */
#ifdef SEM_NATIVE
#define VECTOR_LOADED(SPACE, T, N, WIDE) sizeof(T) == 4 && load_vector_words(w, i, rows, mask, SPACE, N, WIDE)
#define VECTOR_STORED(SPACE, T, N, WIDE) sizeof(T) == 4 && store_vector_words(w, i, rows, mask, SPACE, N, WIDE)
#else
#define VECTOR_LOADED(SPACE, T, N, WIDE) load_vector(w, i, rows, mask, SPACE, N, sizeof(T), WIDE)
#define VECTOR_STORED(SPACE, T, N, WIDE) store_vector(w, i, rows, mask, SPACE, N, sizeof(T), WIDE)
#endif
#define LOAD_VECTOR(NAME, SPACE, T, N, WIDE)                                                     \
	ALWAYS_INLINE bool NAME##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask) \
	{                                                                                        \
		return VECTOR_LOADED(SPACE, T, N, WIDE);                                         \
	}                                                                                        \
	FAST_OR(NAME, ld_any_run(w, i, rows, mask))
#define LOAD_VECTORS(SP, SPACE)                               \
	LOAD_VECTOR(ld_##SP##_v2_32_64, SPACE, u32, 2, true)  \
	LOAD_VECTOR(ld_##SP##_v2_32_32, SPACE, u32, 2, false) \
	LOAD_VECTOR(ld_##SP##_v4_32_64, SPACE, u32, 4, true)  \
	LOAD_VECTOR(ld_##SP##_v4_32_32, SPACE, u32, 4, false) \
	LOAD_VECTOR(ld_##SP##_v2_64_64, SPACE, u64, 2, true)  \
	LOAD_VECTOR(ld_##SP##_v2_64_32, SPACE, u64, 2, false)
LOAD_VECTORS(global, SPACE_GLOBAL)
LOAD_VECTORS(shared, SPACE_SHARED)
LOAD_VECTORS(generic, SPACE_GENERIC)

/* Where the offsets of a vector's rows stand: in native code behind the instruction, as constants. */
#ifdef SEM_NATIVE
#define VECTOR_ROWS_OF(W, I) warp_operands(W, I)
#else
#define VECTOR_ROWS_OF(W, I) ((W)->frame->code->operands + (I)->b)
#endif

/* Of local memory at one place for all lanes, as of an array that all go through together: each word is a row. */
ALWAYS_INLINE const u32 *local_vector(const struct warp *w, const struct insn *i, const u8 *rows, u32 mask, u32 bytes,
				      bool wide)
{
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	addresses_of(rows, i, wide, address);
	const struct extent e = extent_of(address, mask);
	if (UNLIKELY(e.low != e.high || !local_reaches(w, &e, bytes)))
		return NULL;
	return (const u32 *)(const void *)w->local + e.low / 4 * WARP_LANES;
}
ALWAYS_INLINE bool load_local_vector(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 count, u32 bytes,
				     bool wide)
{
	const u32 *list = VECTOR_ROWS_OF(w, i), *from = local_vector(w, i, rows, mask, count * bytes, wide);

	if (UNLIKELY(!from))
		return false;
	for (u32 k = 0; k < count; k++, from += bytes / 4 * WARP_LANES)
		if (bytes == 4) {
			u32 *d = ROW_OF(u32, list[k]);
			EACH_LANE
				d[l] = mask & lane_bit[l] ? from[l] : d[l];
		} else {
			u64 *d = ROW_OF(u64, list[k]);
			EACH_LANE
				d[l] = mask & lane_bit64[l] ? from[l] | (u64)from[l + WARP_LANES] << 32 : d[l];
		}
	return true;
}
ALWAYS_INLINE bool store_local_vector(struct warp *w, const struct insn *i, u8 *rows, u32 mask, u32 count, u32 bytes,
				      bool wide)
{
	const u32 *list = VECTOR_ROWS_OF(w, i);
	u32 *to = (u32 *)(uintptr_t)local_vector(w, i, rows, mask, count * bytes, wide);

	if (UNLIKELY(!to))
		return false;
	for (u32 k = 0; k < count; k++, to += bytes / 4 * WARP_LANES)
		if (bytes == 4) {
			const u32 *s = ROW_OF(u32, list[k]);
			EACH_LANE
				to[l] = mask & lane_bit[l] ? s[l] : to[l];
		} else {
			const u64 *s = ROW_OF(u64, list[k]);
			EACH_LANE
				to[l] = mask & lane_bit[l] ? (u32)s[l] : to[l];
			EACH_LANE
				to[l + WARP_LANES] = mask & lane_bit[l] ? (u32)(s[l] >> 32) : to[l + WARP_LANES];
		}
	return true;
}
#define LOCAL_VECTOR(NAME, ACCESS, T, N, WIDE, OTHERWISE)                                        \
	ALWAYS_INLINE bool NAME##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask) \
	{                                                                                        \
		return ACCESS(w, i, rows, mask, N, sizeof(T), WIDE);                             \
	}                                                                                        \
	FAST_OR(NAME, OTHERWISE(w, i, rows, mask))
#define LOCAL_VECTORS(OP, ACCESS, OTHERWISE)                                \
	LOCAL_VECTOR(OP##_local_v2_32_64, ACCESS, u32, 2, true, OTHERWISE)  \
	LOCAL_VECTOR(OP##_local_v2_32_32, ACCESS, u32, 2, false, OTHERWISE) \
	LOCAL_VECTOR(OP##_local_v4_32_64, ACCESS, u32, 4, true, OTHERWISE)  \
	LOCAL_VECTOR(OP##_local_v4_32_32, ACCESS, u32, 4, false, OTHERWISE) \
	LOCAL_VECTOR(OP##_local_v2_64_64, ACCESS, u64, 2, true, OTHERWISE)  \
	LOCAL_VECTOR(OP##_local_v2_64_32, ACCESS, u64, 2, false, OTHERWISE)
LOCAL_VECTORS(ld, load_local_vector, ld_any_run)

/* A kernel's own parameter: one value for all lanes. */
#define LOAD_PARAM(NAME, T)                                                                      \
	ALWAYS_INLINE bool NAME##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask) \
	{                                                                                        \
		T one, *d = ROW_OF(T, i->d);                                                     \
		if (UNLIKELY((u64)(u32)i->imm + sizeof(T) > w->grid->kernel->param_bytes))       \
			return false;                                                            \
		memcpy(&one, w->grid->launch->params + i->imm, sizeof one);                      \
		LANE_BODY(T, (void)0, one)                                                       \
		return true;                                                                     \
	}                                                                                        \
	FAST_OR(NAME, ld_any_run(w, i, rows, mask))
LOAD_PARAM(ld_param_32, u32)
LOAD_PARAM(ld_param_64, u64)

/* A function's parameter or result: one place of local memory. */
MEANING_FUNCTION(ld_frame_32)
{
	u32 *d = ROW_OF(u32, i->d);
	const u32 *from = (const u32 *)(const void *)local_word(w, w->frame->local_base + (u64)(s64)i->imm, 0);

	EACH_LANE {
		MERGED_LANE(u32, d, from, mask & lane_bit[l]);
	}
	return i + 1;
}
MEANING_EACH(ld_frame_32);
MEANING_FUNCTION(ld_frame_64)
{
	u64 *d = ROW_OF(u64, i->d);
	const u32 *from = (const u32 *)(const void *)local_word(w, w->frame->local_base + (u64)(s64)i->imm, 0);

	EACH_LANE
		d[l] = mask & lane_bit64[l] ? from[l] | (u64)from[l + 32] << 32 : d[l];
	return i + 1;
}
MEANING_EACH(ld_frame_64);
MEANING_FUNCTION(st_frame_32)
{
	const u32 *s = ROW_OF(u32, i->b);
	u32 *to = (u32 *)(void *)local_word(w, w->frame->local_base + (u64)(s64)i->imm, 0);

	EACH_LANE {
		MERGED_LANE(u32, to, s, mask & lane_bit[l]);
	}
	return i + 1;
}
MEANING_EACH(st_frame_32);
MEANING_FUNCTION(st_frame_64)
{
	const u64 *s = ROW_OF(u64, i->b);
	u32 *to = (u32 *)(void *)local_word(w, w->frame->local_base + (u64)(s64)i->imm, 0);

	EACH_LANE
		to[l] = mask & lane_bit64[l] ? (u32)s[l] : to[l];
	EACH_LANE
		to[l + 32] = mask & lane_bit64[l] ? (u32)(s[l] >> 32) : to[l + 32];
	return i + 1;
}
MEANING_EACH(st_frame_64);

#define CHOOSE(NAME) (wide ? &NAME##_64 : &NAME##_32)

/* A space's meanings of loads and stores, by the width of addresses: [wide]. */
struct load_choice {
	const struct meaning *u8_u16[2], *u8_u32[2], *u16_u16[2], *u16_u32[2], *u32_u32[2], *u64_u64[2];
};
struct store_choice {
	const struct meaning *u8[2], *u16[2], *u32[2], *u64[2];
};
struct vector_choice {
	const struct meaning *any, *v2_32[2], *v4_32[2], *v2_64[2];
};
#define BY_WIDTH(NAME)                 \
	{                              \
		&NAME##_32, &NAME##_64 \
	}
#define LOAD_CHOICE(SP)                                                                                       \
	{                                                                                                     \
		BY_WIDTH(ld_##SP##_u8_u16), BY_WIDTH(ld_##SP##_u8_u32), BY_WIDTH(ld_##SP##_u16_u16),          \
			BY_WIDTH(ld_##SP##_u16_u32), BY_WIDTH(ld_##SP##_u32_u32), BY_WIDTH(ld_##SP##_u64_u64) \
	}
#define STORE_CHOICE(SP)                                                                                          \
	{                                                                                                         \
		BY_WIDTH(st_##SP##_u8), BY_WIDTH(st_##SP##_u16), BY_WIDTH(st_##SP##_u32), BY_WIDTH(st_##SP##_u64) \
	}
#define VECTOR_CHOICE(OP, SP)                                                                                    \
	{                                                                                                        \
		&OP##_any, BY_WIDTH(OP##_##SP##_v2_32), BY_WIDTH(OP##_##SP##_v4_32), BY_WIDTH(OP##_##SP##_v2_64) \
	}
static const struct load_choice loads_global = LOAD_CHOICE(global), loads_shared = LOAD_CHOICE(shared),
				loads_generic = LOAD_CHOICE(generic), loads_local = LOAD_CHOICE(local);
static const struct vector_choice vector_loads_global = VECTOR_CHOICE(ld, global),
				  vector_loads_shared = VECTOR_CHOICE(ld, shared),
				  vector_loads_generic = VECTOR_CHOICE(ld, generic),
				  vector_loads_local = VECTOR_CHOICE(ld, local);

static const struct meaning *pick_load(const struct load_choice *c, int class, u32 bits, u32 reg, bool wide)
{
	if (bits == 32 && reg == 32)
		return c->u32_u32[wide];
	if (bits == 64 && reg == 64)
		return c->u64_u64[wide];
	if ((class == 's' && bits < reg) || (reg != 16 && reg != 32))
		return &ld_any;
	if (bits == 16)
		return reg == 16 ? c->u16_u16[wide] : c->u16_u32[wide];
	if (bits == 8)
		return reg == 16 ? c->u8_u16[wide] : c->u8_u32[wide];
	return &ld_any;
}

static const struct meaning *pick_vector(const struct vector_choice *c, u32 count, u32 bits, bool wide)
{
	if (bits == 32 && count == 2)
		return c->v2_32[wide];
	if (bits == 32 && count == 4)
		return c->v4_32[wide];
	return bits == 64 && count == 2 ? c->v2_64[wide] : c->any;
}

static bool all_registers_are(const struct form *f, u32 first, u32 count, u32 bits)
{
	for (u32 k = 0; k < count; k++)
		if (f->operand_bits[first + k] != bits)
			return false;
	return true;
}

static const struct meaning *pick_ld_global_signed(u32 bits, u32 reg, bool wide)
{
	if (bits == 8 && (reg == 16 || reg == 32))
		return reg == 16 ? CHOOSE(ld_global_s8_u16) : CHOOSE(ld_global_s8_u32);
	return bits == 16 && reg == 32 ? CHOOSE(ld_global_s16_u32) : &ld_any;
}

static const struct meaning *pick_ld(const struct form *f)
{
	const u32 count = form_vector(f), bits = type_bits(form_type(f, 0));
	const u32 reg = f->operand_bits[0];
	const bool wide = f->operand_bits[count] == 64;
	const int class = type_class(form_type(f, 0));
	const enum ir_space space = moved_space(f);

	if (count > 1) {
		if (!all_registers_are(f, 0, count, bits))
			return &ld_any;
		return space == SPACE_GLOBAL ? pick_vector(&vector_loads_global, count, bits, wide)
		       : space == SPACE_SHARED && !form_has(f, M_shared_cluster)
			       ? pick_vector(&vector_loads_shared, count, bits, wide)
		       : space == SPACE_GENERIC ? pick_vector(&vector_loads_generic, count, bits, wide)
		       : space == SPACE_LOCAL   ? pick_vector(&vector_loads_local, count, bits, wide)
						: &ld_any;
	}
	switch (space) {
	case SPACE_GLOBAL:
	case SPACE_CONST:
		return class == 's' && bits < reg ? pick_ld_global_signed(bits, reg, wide)
						  : pick_load(&loads_global, class, bits, reg, wide);
	case SPACE_SHARED:
		if (bits == 32 && reg == 32 && !wide && !form_has(f, M_shared_cluster))
			return &ld_shared_word;
		return form_has(f, M_shared_cluster) ? &ld_any : pick_load(&loads_shared, class, bits, reg, wide);
	case SPACE_GENERIC:
		return pick_load(&loads_generic, class, bits, reg, wide);
	case SPACE_LOCAL:
		return pick_load(&loads_local, class, bits, reg, wide);
	default:
		return &ld_any;
	}
}

static const struct meaning *pick_ld_param(const struct form *f)
{
	const u32 bits = type_bits(form_type(f, 0)), reg = f->operand_bits[0];

	if (form_vector(f) > 1 || bits != reg || f->param == PARAM_BY_REGISTER || bits < 32 || bits > 64)
		return &ld_any;
	if (f->param == PARAM_OF_FRAME_BYTES)
		return &ld_any;
	if (f->param == PARAM_OF_KERNEL)
		return bits == 32 ? &ld_param_32 : &ld_param_64;
	return bits == 32 ? &ld_frame_32 : &ld_frame_64;
}

/* --- Stores --------------------------------------------------------------------------------- */

#define STORES(SP, SPACE)                     \
	STORE(st_##SP##_u8, SPACE, u8, u32)   \
	STORE(st_##SP##_u16, SPACE, u16, u32) \
	STORE(st_##SP##_u32, SPACE, u32, u32) \
	STORE(st_##SP##_u64, SPACE, u64, u64)
STORES(global, SPACE_GLOBAL)
STORES(shared, SPACE_SHARED)

ALWAYS_INLINE bool st_shared_word_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	return store_row_u32(w, i, rows, mask, SPACE_SHARED, false) || store_shared_words(w, i, rows, mask);
}
MEANING_FUNCTION(st_shared_word)
{
	if (LIKELY(st_shared_word_fast(w, i, rows, mask)))
		return i + 1;
	return LANES_OR_NULL(store_lanes(w, i, rows, mask, false, SPACE_SHARED, 4, 32));
}
GANG_FAST(st_shared_word)
STORES(generic, SPACE_GENERIC)
STORE_LOCAL_SCALAR(st_local_u8, u8, u32)
STORE_LOCAL_SCALAR(st_local_u16, u16, u32)
STORE_LOCAL_SCALAR(st_local_u32, u32, u32)
STORE_LOCAL_SCALAR(st_local_u64, u64, u64)

MEANING_FUNCTION(st_any)
{
	const struct form *f = warp_form(w, i);
	u64 address[WARP_LANES] __attribute__((aligned(64)));
	struct values v;

	values_of(w, i, f, true, &v);
	any_addresses(w, rows, i, &v, address);
	for (u32 l = 0; l < WARP_LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		if (address[l] % (v.count * v.bytes) && f->param == PARAM_BY_REGISTER)
			return fault_unaligned(w, i, &v, l, address[l], true);
		for (u32 e = 0; e < v.count; e++) {
			if (v.rows[e] == NO_OPERAND)
				continue;
			const u32 lane_bytes = v.bits[e] == 128 ? 16 : v.bits[e] == 64 ? 8 : 4;
			u8 bytes[16];
			memcpy(bytes, rows + v.rows[e] + (size_t)l * lane_bytes, lane_bytes);
			/* Recorded (scalar-mem): a 64-bit register stored as f32 is converted from its integer. */
			if (form_type(f, 0) == T_f32 && v.bits[e] == 64) {
				u64 integer;
				memcpy(&integer, bytes, 8);
				const u32 converted = f32_from_u64(integer, ROUND_RN);
				memcpy(bytes, &converted, 4);
			}
			if (!write_element(w, i, l, &v, address[l] + (u64)e * v.bytes, bytes))
				return NULL;
		}
	}
	return i + 1;
}
MEANING_STEP(st_any);

#define STORE_VECTOR(NAME, SPACE, T, N, WIDE)                                                    \
	ALWAYS_INLINE bool NAME##_fast(struct warp *w, const struct insn *i, u8 *rows, u32 mask) \
	{                                                                                        \
		return VECTOR_STORED(SPACE, T, N, WIDE);                                         \
	}                                                                                        \
	FAST_OR(NAME, st_any_run(w, i, rows, mask))
#define STORE_VECTORS(SP, SPACE)                               \
	STORE_VECTOR(st_##SP##_v2_32_64, SPACE, u32, 2, true)  \
	STORE_VECTOR(st_##SP##_v2_32_32, SPACE, u32, 2, false) \
	STORE_VECTOR(st_##SP##_v4_32_64, SPACE, u32, 4, true)  \
	STORE_VECTOR(st_##SP##_v4_32_32, SPACE, u32, 4, false) \
	STORE_VECTOR(st_##SP##_v2_64_64, SPACE, u64, 2, true)  \
	STORE_VECTOR(st_##SP##_v2_64_32, SPACE, u64, 2, false)
STORE_VECTORS(global, SPACE_GLOBAL)
STORE_VECTORS(shared, SPACE_SHARED)
STORE_VECTORS(generic, SPACE_GENERIC)
LOCAL_VECTORS(st, store_local_vector, st_any_run)

static const struct store_choice stores_global = STORE_CHOICE(global), stores_shared = STORE_CHOICE(shared),
				 stores_generic = STORE_CHOICE(generic), stores_local = STORE_CHOICE(local);
static const struct vector_choice vector_stores_global = VECTOR_CHOICE(st, global),
				  vector_stores_shared = VECTOR_CHOICE(st, shared),
				  vector_stores_generic = VECTOR_CHOICE(st, generic),
				  vector_stores_local = VECTOR_CHOICE(st, local);

static const struct meaning *pick_store(const struct store_choice *c, u32 bits, u32 reg, bool wide)
{
	if (bits == 64 && reg == 64)
		return c->u64[wide];
	if (reg > 32)
		return &st_any;
	return bits == 32 ? c->u32[wide] : bits == 16 ? c->u16[wide] : bits == 8 ? c->u8[wide] : &st_any;
}

static const struct meaning *pick_st(const struct form *f)
{
	const u32 count = form_vector(f), bits = type_bits(form_type(f, 0));
	const u32 reg = f->operand_bits[2];
	const bool wide = f->operand_bits[0] == 64, far = form_has(f, M_shared_cluster);
	const enum ir_space space = moved_space(f);

	if (count > 1) {
		if (!all_registers_are(f, 2, count, bits) || far)
			return &st_any;
		return space == SPACE_GLOBAL    ? pick_vector(&vector_stores_global, count, bits, wide)
		       : space == SPACE_SHARED  ? pick_vector(&vector_stores_shared, count, bits, wide)
		       : space == SPACE_GENERIC ? pick_vector(&vector_stores_generic, count, bits, wide)
		       : space == SPACE_LOCAL   ? pick_vector(&vector_stores_local, count, bits, wide)
						: &st_any;
	}
	switch (space) {
	case SPACE_GLOBAL:
		return pick_store(&stores_global, bits, reg, wide);
	case SPACE_SHARED:
		if (bits == 32 && reg == 32 && !wide && !far)
			return &st_shared_word;
		return far ? &st_any : pick_store(&stores_shared, bits, reg, wide);
	case SPACE_GENERIC:
		return pick_store(&stores_generic, bits, reg, wide);
	case SPACE_LOCAL:
		return pick_store(&stores_local, bits, reg, wide);
	default:
		return &st_any;
	}
}

static const struct meaning *pick_st_param(const struct form *f)
{
	const u32 bits = type_bits(form_type(f, 0)), reg = f->operand_bits[2];

	if (form_vector(f) > 1 || bits != reg || f->param != PARAM_OF_FRAME || bits < 32 || bits > 64)
		return &st_any;
	return bits == 32 ? &st_frame_32 : &st_frame_64;
}

/* --- Rows ----------------------------------------------------------------------------------- */

#define BITS_8_16 ".b8|.b16|.u8|.u16|.s8|.s16"
#define BITS_32   ".b32|.u32|.s32|.f32"
#define BITS_64   ".b64|.u64|.s64|.f64"
#define ONE       "(" BITS_8_16 "|" BITS_32 "|" BITS_64 "|.b128)"
/* What fits 128 bits, and the two shapes of 256 bits. */
#define VALUES       "([.v2](" BITS_8_16 "|" BITS_32 "|" BITS_64 ")|.v4(" BITS_8_16 "|" BITS_32 ")|.v8(" BITS_8_16 ")|.b128)"
#define WIDE         "(.v4(" BITS_64 ")|.v8(" BITS_32 "))"
#define PARAM        "(.param|.param::entry|.param::func)"
#define SHARED       "(.shared|.shared::cta|.shared::cluster)"
#define SCOPES       "(.cta|.cluster|.gpu|.sys)"
#define EVICT        ".L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate"
#define EVICT_L2     "[.L2::evict_normal|.L2::evict_first|.L2::evict_last]"
#define PREFETCH     "[.L2::64B|.L2::128B|.L2::256B]"
#define LOADS_FLAGS  (ISA_MEMORY | ISA_RELAXED | WITH(TRAIT_LOADS))
#define STORES_FLAGS (ISA_MEMORY | ISA_RELAXED | ISA_STORE | WITH(TRAIT_STORES))

/* In global memory or by generic addresses; only there caches can be told what to do. */
#define LD_FAR(HOW, PTX, SM, DOC)                                                     \
	ROW("ld" HOW PREFETCH VALUES, "={v}0 @", PTX, SM, LOADS_FLAGS, pick_ld, DOC), \
		ROW("ld" HOW EVICT_L2 PREFETCH WIDE, "={v}0 @", 88, 100, LOADS_FLAGS | ISA_UNVERIFIED, pick_ld, DOC)
#define LD_FAR_HINT(HOW, PTX, SM, DOC)                                                                              \
	LD_FAR(HOW, PTX, SM, DOC),                                                                                  \
		ROW("ld" HOW ".L2::cache_hint" PREFETCH VALUES, "={v}0 @ u64", PTX, SM, LOADS_FLAGS, pick_ld, DOC), \
		ROW("ld" HOW EVICT_L2 ".L2::cache_hint" PREFETCH WIDE, "={v}0 @ u64", 88, 100,                      \
		    LOADS_FLAGS | ISA_UNVERIFIED, pick_ld, DOC)
#define ST_FAR(HOW, PTX, SM, DOC)                                            \
	ROW("st" HOW VALUES, "@ {v}0", PTX, SM, STORES_FLAGS, pick_st, DOC), \
		ROW("st" HOW EVICT_L2 WIDE, "@ {v}0", 88, 100, STORES_FLAGS | ISA_UNVERIFIED, pick_st, DOC)
#define ST_FAR_HINT(HOW, PTX, SM, DOC)                                                                              \
	ST_FAR(HOW, PTX, SM, DOC),                                                                                  \
		ROW("st" HOW ".L2::cache_hint" VALUES, "@ {v}0 u64", PTX, SM, STORES_FLAGS, pick_st, DOC),          \
		ROW("st" HOW EVICT_L2 ".L2::cache_hint" WIDE, "@ {v}0 u64", 88, 100, STORES_FLAGS | ISA_UNVERIFIED, \
		    pick_st, DOC)

static const struct isa_row rows_memory[] = {
	ROW("ld[.weak]" PARAM "[.ca|.cg|.cs|.lu|.cv]" VALUES, "={v}0 @", 10, 10, LOADS_FLAGS | ISA_PARAM, pick_ld_param,
	    "Loads."),
	LD_FAR_HINT("[.weak][.global][.ca|.cg|.cs|.lu|.cv|" EVICT "]", 10, 10, "Loads."),
	ROW("ld[.weak](.const|.local|" SHARED ")[.ca|.cg|.cs|.lu|.cv]" VALUES, "={v}0 @", 10, 10, LOADS_FLAGS, pick_ld,
	    "Loads."),
	LD_FAR(".volatile[.global]", 10, 10, "Loads, in every execution anew."),
	LD_FAR_HINT("(.relaxed|.acquire)" SCOPES "[.global][" EVICT "]", 60, 70, "Loads with a memory order."),
	ROW("ld(.volatile|(.relaxed|.acquire)" SCOPES ")" SHARED VALUES, "={v}0 @", 10, 10, LOADS_FLAGS, pick_ld,
	    "Loads."),
	ROW("ld.mmio.relaxed.sys[.global]" ONE, "=0 @", 82, 70, LOADS_FLAGS, pick_ld, "Loads from a device register."),
	LD_FAR_HINT(".global([.ca|.cg|.cs].nc|.nc(" EVICT "))", 31, 32, "Loads through the read-only path."),
	ROW("ldu[.global]([.v2](" BITS_8_16 "|" BITS_32 "|" BITS_64 ")|.v4(" BITS_8_16 "|" BITS_32 ")|.b128)",
	    "={v}0 @", 20, 20, LOADS_FLAGS | WITH(TRAIT_GLOBAL), pick_ld,
	    "Loads read-only data at an address common to the warp."),
	ROW("st[.weak](.param|.param::func)[.wb|.cg|.cs|.wt]" VALUES, "@ {v}0", 20, 20, STORES_FLAGS | ISA_PARAM,
	    pick_st_param, "Stores."),
	ST_FAR_HINT("[.weak][.global][.wb|.cg|.cs|.wt|" EVICT "]", 10, 10, "Stores."),
	ROW("st[.weak](.local|" SHARED ")[.wb|.cg|.cs|.wt]" VALUES, "@ {v}0", 10, 10, STORES_FLAGS, pick_st, "Stores."),
	ST_FAR(".volatile[.global]", 10, 10, "Stores at once."),
	ST_FAR_HINT("(.relaxed|.release)" SCOPES "[.global][" EVICT "]", 60, 70, "Stores with a memory order."),
	ROW("st(.volatile|(.relaxed|.release)" SCOPES ")" SHARED VALUES, "@ {v}0", 10, 10, STORES_FLAGS, pick_st,
	    "Stores."),
	ROW("st.mmio.relaxed.sys[.global]" ONE, "@ 0", 82, 70, STORES_FLAGS, pick_st, "Stores to a device register."),
};
FAMILY(family_memory, "Loads and stores", CLASS_MEMORY, rows_memory);
