/* SPDX-License-Identifier: Apache-2.0
 *
 * multimem: one address that stands for the memory of several devices (PTX ISA 9.7.9.14). Here that is memory_multicast's
 * list of allocations of the one device. By the manual: no recording has several devices. Loads combine the places in the
 * order in which they were joined, as if by one operation after the other.
 */
#include "isa/form.h"
#include "memory/memory.h"
#include "sem/async.h"

enum { VALUE_BYTES = 16, PLACES_OF_FLOATS = 8 };

/* A form's value: `registers` of `register_bytes` each, that hold elements of a type. */
struct vector {
	u32 registers, register_bytes, bytes;
	int element; /* type: that of a half in a pair */
	u32 element_bytes;
};

static struct vector vector_of(const struct form *f)
{
	const int type = form_type(f, 0);
	struct vector s = {.registers = form_vector(f), .register_bytes = type_bits(type) / 8};

	s.bytes = s.registers * s.register_bytes;
	s.element = type == T_f16x2 ? T_f16 : type == T_bf16x2 ? T_bf16 : type;
	s.element_bytes = type_bits(s.element) / 8;
	return s;
}

/* --- Places --------------------------------------------------------------------------------- */

struct reach {
	const struct multicast *places;
	u64 offset;
};

static bool reach_of(const struct operands *o, u32 lane, u64 address, u32 bytes, struct reach *r)
{
	const struct multicast *found = NULL;
	u64 global = address;

	if (form_has(o->form, M_global) || generic_space(o->w, &global) == SPACE_GLOBAL)
		found = memory_find_multicast(o->w->grid->memory, address, bytes);
	*r = (struct reach){.places = found, .offset = found ? address - found->base : 0};
	if (!found)
		warp_fault(o->w, o->i, FAULT_OUT_OF_BOUNDS, 1u << lane,
			   "0x%llx, %u bytes, is not a multimem address: those come from multimem(BUFFER, ...) or "
			   "ptxsim_multicast",
			   (unsigned long long)address, bytes);
	return found;
}

static u8 *place(const struct operands *o, u32 lane, const struct reach *r, u32 k, u32 bytes, bool is_store)
{
	return lane_pointer(o->w, o->i, lane, SPACE_GLOBAL, r->places->members[k] + r->offset, bytes, is_store);
}

/* --- Loads ---------------------------------------------------------------------------------- */

/* No more than a value has, whatever the row says: compilers warn of the bytes behind it. */
static u32 halves_of(const struct vector *s) { return min_u32(s->bytes / 2, PLACES_OF_FLOATS); }

/* .acc::f32: halves are added as f32, and the sum is rounded once. */
static void add_as_f32(f32 sums[PLACES_OF_FLOATS], const struct vector *s, const u8 *from)
{
	for (u32 k = 0; k < halves_of(s); k++) {
		u16 half;
		memcpy(&half, from + 2 * k, 2);
		sums[k] =
			one_nan(sums[k] + f32_of_bits(s->element == T_bf16 ? f32_from_bf16(half) : f32_from_f16(half)));
	}
}

static void round_sums(const f32 sums[PLACES_OF_FLOATS], const struct vector *s, u8 *to)
{
	for (u32 k = 0; k < halves_of(s); k++) {
		const u32 bits = bits_of_f32(sums[k]);
		const u16 half = s->element == T_bf16 ? bf16_from_f32_rn(bits) : f16_from_f32_rn(bits);
		memcpy(to + 2 * k, &half, 2);
	}
}

static bool load_lane(const struct operands *o, const struct vector *s, u32 lane, u8 value[VALUE_BYTES])
{
	const bool wide = form_has(o->form, M_acc_f32);
	f32 sums[PLACES_OF_FLOATS];
	struct reach r;

	for (u32 k = 0; k < PLACES_OF_FLOATS; k++)
		sums[k] = -0.0f; /* what leaves every first number as it is */
	if (!reach_of(o, lane, operand_address(o, s->registers, lane), s->bytes, &r))
		return false;
	for (u32 k = 0; k < r.places->count; k++) {
		const u8 *from = place(o, lane, &r, k, s->bytes, false);
		if (!from)
			return false;
		if (wide)
			add_as_f32(sums, s, from);
		else if (!k)
			memcpy(value, from, s->bytes);
		else
			for (u32 at = 0; at < s->bytes; at += s->element_bytes)
				reduce_element(reduce_op(o->form), s->element, value + at, from + at);
	}
	if (wide)
		round_sums(sums, s, value);
	return true;
}

static void keep_registers(const struct operands *o, u8 *rows, const struct vector *s, u32 lane, const u8 *value)
{
	for (u32 k = 0; k < s->registers; k++) {
		u8 *row = rows + o->list[k];
		u64 bits = 0;
		memcpy(&bits, value + k * s->register_bytes, s->register_bytes);
		if (o->form->operand_bits[k] > 32)
			((u64 *)(void *)row)[lane] = bits;
		else
			((u32 *)(void *)row)[lane] = (u32)bits;
	}
}

MEANING_FUNCTION(multimem_load)
{
	const struct operands o = operands_of(w, i, rows);
	const struct vector s = vector_of(o.form);
	u8 value[VALUE_BYTES];

	fp_enter(w, FP_RN);
	EACH_ACTIVE (l) {
		if (!load_lane(&o, &s, l, value))
			return NULL;
		keep_registers(&o, rows, &s, l, value);
	}
	return i + 1;
}
MEANING(multimem_load);
PICK1(multimem_load)

/* --- Stores and reductions ------------------------------------------------------------------ */

static void value_of(const struct operands *o, const struct vector *s, u32 lane, u8 value[VALUE_BYTES])
{
	for (u32 k = 0; k < s->registers; k++) {
		const u64 bits = operand_value(o, 2 + k, lane);
		memcpy(value + k * s->register_bytes, &bits, s->register_bytes);
	}
}

static bool store_lane(const struct operands *o, const struct vector *s, u32 lane, bool reduces)
{
	u8 value[VALUE_BYTES];
	struct reach r;

	if (!reach_of(o, lane, operand_address(o, 0, lane), s->bytes, &r))
		return false;
	value_of(o, s, lane, value);
	for (u32 k = 0; k < r.places->count; k++) {
		u8 *to = place(o, lane, &r, k, s->bytes, true);
		if (!to)
			return false;
		if (reduces)
			for (u32 at = 0; at < s->bytes; at += s->element_bytes)
				reduce_global(o->w, reduce_op(o->form), s->element, to + at, value + at);
		else
			memcpy(to, value, s->bytes);
	}
	return true;
}

static const struct insn *store_lanes(struct warp *w, const struct insn *i, u8 *rows, u32 mask, bool reduces)
{
	const struct operands o = operands_of(w, i, rows);
	const struct vector s = vector_of(o.form);

	fp_enter(w, FP_RN);
	EACH_ACTIVE (l)
		if (!store_lane(&o, &s, l, reduces))
			return NULL;
	return i + 1;
}

MEANING_FUNCTION(multimem_store) { return store_lanes(w, i, rows, mask, false); }
MEANING(multimem_store);
PICK1(multimem_store)

MEANING_FUNCTION(multimem_reduce) { return store_lanes(w, i, rows, mask, true); }
MEANING(multimem_reduce);
PICK1(multimem_reduce)

/* --- Rows ----------------------------------------------------------------------------------- */

#define LOAD_ORDER  "[.weak|(.relaxed|.acquire)(.cta|.cluster|.gpu|.sys)]"
#define STORE_ORDER "[.weak|(.relaxed|.release)(.cta|.cluster|.gpu|.sys)]"
#define RED_ORDER   "[(.relaxed|.release)(.cta|.cluster|.gpu|.sys)]"
#define WORDS       "(.add(.u32|.s32|.u64|.f32|.f64)|(.min|.max)(.u32|.s32|.u64|.s64)|(.and|.or|.xor)(.b32|.b64))"
#define HALVES      "(.f16|.f16x2|.bf16|.bf16x2)"
#define BYTE_FLOATS "(.v8(.e4m3|.e5m2)|[.v2|.v4](.e4m3x4|.e5m2x4))"
#define DOC_LOAD    "Loads from the same place of several devices' memory, and combines what it finds."
#define DOC_STORE   "Stores to the same place of several devices' memory."
#define DOC_REDUCE  "Changes the same place of several devices' memory."

#define LOAD_REDUCE(WHAT, OPERANDS)                                                                           \
	ROW("multimem.ld_reduce" LOAD_ORDER "[.global]" WHAT, OPERANDS, 81, 90, ISA_UNVERIFIED | ISA_ORDERED, \
	    pick_multimem_load, DOC_LOAD)
#define STORE(WHAT, OPERANDS)                                                                           \
	ROW("multimem.st" STORE_ORDER "[.global]" WHAT, OPERANDS, 81, 90, ISA_UNVERIFIED | ISA_ORDERED, \
	    pick_multimem_store, DOC_STORE)
#define REDUCE(WHAT, OPERANDS)                                                                         \
	ROW("multimem.red" RED_ORDER "[.global]" WHAT, OPERANDS, 81, 90, ISA_UNVERIFIED | ISA_ORDERED, \
	    pick_multimem_reduce, DOC_REDUCE)
#define LATER(WHICH, WHAT, OPERANDS, DOC) \
	ROW("multimem." WHICH "[.global]" WHAT BYTE_FLOATS, OPERANDS, 86, 100, ISA_UNMODELLED | ISA_A_TARGET, NULL, DOC)

static const struct isa_row rows_multimem[] = {
	LOAD_REDUCE(WORDS, "=0 @"),
	LOAD_REDUCE(".add[.acc::f32](.v8(.f16|.bf16)|(.v2|.v4)" HALVES "|(.f16x2|.bf16x2))", "={v}0 @"),
	LOAD_REDUCE("(.min|.max)(.v8(.f16|.bf16)|(.v2|.v4)" HALVES "|(.f16x2|.bf16x2))", "={v}0 @"),
	LOAD_REDUCE(".add(.v2|.v4).f32", "={v}0 @"),
	REDUCE(WORDS, "@ 0"),
	REDUCE("(.add|.min|.max)(.v8(.f16|.bf16)|(.v2|.v4)" HALVES ")", "@ {v}0"),
	REDUCE(".add(.f16x2|.bf16x2|(.v2|.v4).f32)", "@ {v}0"),
	STORE("(.u32|.s32|.b32|.u64|.s64|.b64|.f32|.f64|.f16x2|.bf16x2)", "@ 0"),
	STORE("(.v8(.f16|.bf16)|(.v2|.v4)(.f32|.f16|.f16x2|.bf16|.bf16x2))", "@ {v}0"),
	LATER("ld_reduce" LOAD_ORDER, "(.add|.min|.max)[.acc::f16]", "={v}0 @", DOC_LOAD),
	LATER("red" RED_ORDER, "(.add|.min|.max)", "@ {v}0", DOC_REDUCE),
	LATER("st" STORE_ORDER, "", "@ {v}0", DOC_STORE),
};
FAMILY(family_multimem, "Memory of several devices", CLASS_BY_TYPE, rows_multimem);
