/* SPDX-License-Identifier: Apache-2.0
 *
 * SASS: loads, stores, locks of shared words, constant banks, atomics. Addresses are 32-bit
 * numbers, or pairs with .E that hold such a number. Cache operators change no result.
 *
 * An access of machine code for Fermi, by its list (sem/sass.h) and its word:
 *
 *  word bits   0..7   bytes of a lane (1, 2, 4, 8, 16)
 *              8      signed: narrower values are extended
 *              16..23 space
 *              31     the address is a pair of registers (.E)
 *
 * Values of more than 32 bits lie in consecutive registers, so in consecutive rows.
 */
#include "sem/access.h"
#include "sem/floats.h"
#include "sem/sass.h"

/* Addresses of all lanes. word bit 31: the base is a row of 64 bits. */
enum { WORD_WIDE = 1u << 31 };
static inline void sass_addresses(const u8 *rows, const struct insn *i, u32 word, u64 address[WARP_LANES])
{
	addresses_of(rows, i, word & WORD_WIDE, address);
}
static inline const u32 *memory_list(const struct warp *w, const struct insn *i)
{
	return w->frame->code->operands + i->b;
}

static enum ir_space space_of(const struct form *f)
{
	return f->row->flags & SASS_SHARED   ? SPACE_SHARED
	       : f->row->flags & SASS_LOCAL  ? SPACE_LOCAL
	       : f->row->flags & SASS_GLOBAL ? SPACE_GLOBAL
					     : SPACE_GENERIC;
}
static u32 word_memory(const struct form *f)
{
	const bool is_signed = form_has_word(f, "S8") || form_has_word(f, "S16");

	return sass_width(f) | (u32)is_signed << 8 | (u32)space_of(f) << 16 | (form_has_word(f, "E") ? WORD_WIDE : 0);
}

/* --- Loads and stores ----------------------------------------------------------------------- */

/* Lane by lane, with all checks and faults: the slow way of load. */
static const struct insn *load_lanes(struct warp *w, const struct insn *i, u8 *rows, u32 mask, const u64 *address,
				     u32 word)
{
	const u32 bytes = word & 0xff;
	u32 *d = ROW_OF(u32, i->d);

	for (u32 l = 0; l < WARP_LANES; l++) {
		u32 value[4] = {0};
		if (!(mask >> l & 1))
			continue;
		if (!lane_read(w, i, l, (enum ir_space)(word >> 16 & 0xff), address[l], value, bytes))
			return NULL;
		if (word >> 8 & 1)
			value[0] = (u32)((s32)(value[0] << (32 - 8 * bytes)) >> (32 - 8 * bytes));
		for (u32 k = 0; k < (bytes + 3) / 4; k++)
			d[l + k * WARP_LANES] = value[k];
	}
	return i + 1;
}

/* Words within one range of memory are gathered; the rest goes lane by lane. */
MEANING_FUNCTION(load)
{
	const u32 word = memory_list(w, i)[SASS_WORD], bytes = word & 0xff;
	u64 address[WARP_LANES] __attribute__((aligned(64)));
	u32 *d = ROW_OF(u32, i->d);

	sass_addresses(rows, i, word, address);
	const struct extent e = extent_of(address, mask);
	const enum ir_space space = (enum ir_space)(word >> 16 & 0xff);
	const u8 *p = bytes < 4 || e.bits % bytes || space == SPACE_LOCAL
			      ? NULL
			      : space_range(w, i, space, e.low, e.high + bytes, false);
	if (!p)
		return load_lanes(w, i, rows, mask, address, word);
	EACH_LANE
		address[l] = mask & lane_bit64[l] ? (address[l] - e.low) / 4 : 0;
	for (u32 k = 0; k < bytes / 4; k++) {
		const u32 *from = (const u32 *)(const void *)p + k;
		u32 *to = d + k * WARP_LANES;
		EACH_LANE
			if (mask & lane_bit[l])
				to[l] = from[address[l]];
	}
	return i + 1;
}
MEANING_WORD(load, word_memory);
PICK_SASS(load, &load)

MEANING_FUNCTION(store)
{
	const u32 word = memory_list(w, i)[SASS_WORD], bytes = word & 0xff;
	u64 address[WARP_LANES] __attribute__((aligned(64)));
	const u32 *from = ROW_OF(u32, i->d);

	sass_addresses(rows, i, word, address);
	for (u32 l = 0; l < WARP_LANES; l++) {
		u32 value[4];
		if (!(mask >> l & 1))
			continue;
		for (u32 k = 0; k < 4; k++)
			value[k] = k * 4 < bytes ? from[l + k * WARP_LANES] : 0;
		if (!lane_write(w, i, l, (enum ir_space)(word >> 16 & 0xff), address[l], value, bytes))
			return NULL;
	}
	return i + 1;
}
MEANING_WORD(store, word_memory);
PICK_SASS(store, &store)

/* c: the bank.
 * Constants are read from the bank as words, and cut to what is wanted. Bank c, at offset a + imm. */
MEANING_FUNCTION(ldc)
{
	const u32 word = memory_list(w, i)[SASS_WORD], bytes = word & 0xff;
	u64 address[WARP_LANES] __attribute__((aligned(64)));
	u32 *d = ROW_OF(u32, i->d);

	addresses_of(rows, i, false, address);
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u32 at = (u32)address[l];
		if (!(mask >> l & 1))
			continue;
		if (at % bytes)
			return warp_fault_address(w, i, FAULT_MISALIGNED, l, at, bytes, SPACE_CONST, false);
		for (u32 k = 0; k < (bytes + 3) / 4; k++) {
			u32 value;
			if (!bank_word(w->grid, w->frame->code, i->c, (at & ~3u) + 4 * k, &value))
				return warp_fault_address(w, i, FAULT_OUT_OF_BOUNDS, l, at, bytes, SPACE_CONST, false);
			value >>= 8 * (at & 3);
			if (bytes < 4)
				value = word >> 8 & 1 ? (u32)((s32)(value << (32 - 8 * bytes)) >> (32 - 8 * bytes))
						      : value & ((1u << 8 * bytes) - 1);
			d[l + k * WARP_LANES] = value;
		}
	}
	return i + 1;
}
MEANING_WORD(ldc, word_memory);
PICK_SASS(ldc, &ldc)

/* --- Locks ---------------------------------------------------------------------------------- */

static void lock_addresses(const u8 *rows, const struct insn *i, u32 address[WARP_LANES])
{
	const u32 *base = ROW_OF(u32, i->a);

	EACH_LANE
		address[l] = base[l] + (u32)i->imm;
}

/* All lanes load; those that get their lock are told by the predicate. */
MEANING_FUNCTION(ldslk)
{
	const u32 *list = memory_list(w, i);
	u32 address[WARP_LANES];

	lock_addresses(rows, i, address);
	if (!load_run(w, i, rows, mask))
		return NULL;
	pred_write(rows, list[SASS_P], mask, locks_take(w, i, mask, address));
	return i + 1;
}
MEANING_WORD(ldslk, word_memory);
PICK_SASS(ldslk, &ldslk)

MEANING_FUNCTION(stsul)
{
	u32 address[WARP_LANES];

	lock_addresses(rows, i, address);
	if (!store_run(w, i, rows, mask) || !locks_give(w, i, mask, address))
		return NULL;
	return i + 1;
}
MEANING_WORD(stsul, word_memory);
PICK_SASS(stsul, &stsul)

/* --- Atomics -------------------------------------------------------------------------------- */

enum atomic_operation { OP_ADD, OP_MIN, OP_MAX, OP_INC, OP_DEC, OP_AND, OP_OR, OP_XOR, OP_EXCH, OP_CAS };
enum { ATOMIC_OPERATION = 0, ATOMIC_SIGNED = 1 << 8, ATOMIC_FLOAT = 1 << 9, ATOMIC_64 = 1 << 10 };

static u32 word_atomic(const struct form *f)
{
	static const char *const names[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS"};
	u32 word = 0;

	for (u32 k = 0; k < COUNT_OF(names); k++)
		if (form_has_word(f, names[k]))
			word = k;
	return word | (form_has_word(f, "S32") ? ATOMIC_SIGNED : 0) | (form_has_word(f, "F32") ? ATOMIC_FLOAT : 0) |
	       (form_has_word(f, "U64") || form_has_word(f, "64") ? ATOMIC_64 : 0) |
	       (form_has_word(f, "E") ? WORD_WIDE : 0);
}

/* What a word becomes: 64-bit operations are addition, exchange, and compare and swap. */
static u64 atomic_result(u32 word, u64 old, u64 b, u64 c)
{
	const u32 o = (u32)old, v = (u32)b;
	const bool less = word & ATOMIC_SIGNED ? (s32)o < (s32)v : o < v;

	switch ((enum atomic_operation)(word & 0xff)) {
	case OP_ADD:
		if (word & ATOMIC_FLOAT)
			return f32_flush(bits_of_f32(one_nan(f32_of_bits(f32_flush(o)) + f32_of_bits(f32_flush(v)))));
		return word & ATOMIC_64 ? old + b : o + v;
	case OP_MIN:
		return less ? o : v;
	case OP_MAX:
		return less ? v : o;
	case OP_INC:
		return o >= v ? 0 : o + 1;
	case OP_DEC:
		return !o || o > v ? v : o - 1;
	case OP_AND:
		return o & v;
	case OP_OR:
		return o | v;
	case OP_XOR:
		return o ^ v;
	case OP_EXCH:
		return b;
	case OP_CAS:
		return old == b ? c : old;
	}
	return old;
}

/* Reads, computes, writes, in one piece if other host threads may do the same. */
static u64 exchange(struct warp *w, u8 *p, u32 word, u64 b, u64 c)
{
	const bool wide = word & ATOMIC_64, racing = grid_shares_memory(w->grid);
	u64 old = wide ? *(u64 *)(void *)p : *(u32 *)(void *)p;

	if (!racing) {
		const u64 now = atomic_result(word, old, b, c);
		memcpy(p, &now, wide ? 8 : 4);
		return old;
	}
	if (wide) {
		while (!__atomic_compare_exchange_n((u64 *)(void *)p, &old, atomic_result(word, old, b, c), false,
						    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			;
		return old;
	}
	u32 seen = (u32)old;
	while (!__atomic_compare_exchange_n((u32 *)(void *)p, &seen, (u32)atomic_result(word, seen, b, c), false,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	return seen;
}

static u64 source_of(const u32 *row, u32 l, bool wide) { return row[l] | (wide ? (u64)row[l + WARP_LANES] << 32 : 0); }

/* The lanes take their turns in ascending order. */
MEANING_FUNCTION(atom)
{
	const u32 *list = memory_list(w, i), word = list[SASS_WORD];
	const bool wide = word & ATOMIC_64;
	const u32 *pb = ROW_OF(u32, list[SASS_B]), *pc = ROW_OF(u32, list[SASS_C]);
	u64 address[WARP_LANES] __attribute__((aligned(64)));
	u32 *d = ROW_OF(u32, i->d);

	sass_addresses(rows, i, word, address);
	fp_enter(w, FP_RN);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u8 *p = lane_pointer(w, i, l, SPACE_GLOBAL, address[l], wide ? 8 : 4, true);
		if (!p)
			return NULL;
		const u64 old = exchange(w, p, word, source_of(pb, l, wide), source_of(pc, l, wide));
		d[l] = (u32)old;
		if (wide)
			d[l + WARP_LANES] = (u32)(old >> 32);
	}
	return i + 1;
}
MEANING_WORD(atom, word_atomic);
PICK_SASS(atom, &atom)

/* Cache control: nothing of it can be seen. */
MEANING_FUNCTION(cctl)
{
	(void)w;
	(void)rows;
	(void)mask;
	return i + 1;
}
MEANING(cctl);
PICK_SASS(cctl, &cctl)

/* --- Rows ----------------------------------------------------------------------------------- */

#define WIDTH         "[.U8|.S8|.U16|.S16|.32|.64|.128]"
#define READS         "[.CA|.CG|.CI|.CS|.LU]"
#define WRITES        "[.WB|.CG|.CS|.WT]"
#define ATOMIC(SPACE) ISA_MEMORY | ISA_ATOMIC | SPACE

static const struct isa_row rows_memory[] = {
	FERMI("LD[.E].CV" WIDTH, "Dw A", ISA_MEMORY | ISA_ORDERED, pick_load,
	      "Loads from any space what others may change."),
	FERMI("LD[.E]" READS WIDTH, "Dw A", ISA_MEMORY, pick_load, "Loads from any space."),
	FERMI("LDU[.E][.CA|.CG|.CI|.CS|.CV|.LU]" WIDTH, "Dw A", ISA_MEMORY | SASS_GLOBAL, pick_load,
	      "Loads what is the same for all lanes."),
	FERMI("LDL[.CA|.CG|.CI|.CS|.CV|.LU]" WIDTH, "Dw A", ISA_MEMORY | SASS_LOCAL, pick_load,
	      "Loads from local memory."),
	FERMI("LDS" WIDTH, "Dw A", ISA_MEMORY | SASS_SHARED, pick_load, "Loads from shared memory."),
	FERMI("LDC" WIDTH, "Dw C", ISA_MEMORY | WITH(TRAIT_BANK), pick_ldc, "Loads from a constant bank."),
	FERMI("ST[.E]" WRITES WIDTH, "A Rw", ISA_MEMORY | ISA_STORE, pick_store, "Stores to any space."),
	FERMI("STL" WRITES WIDTH, "A Rw", ISA_MEMORY | ISA_STORE | SASS_LOCAL, pick_store, "Stores to local memory."),
	FERMI("STS" WIDTH, "A Rw", ISA_MEMORY | ISA_STORE | SASS_SHARED, pick_store, "Stores to shared memory."),
	FERMI("LDSLK[.32]", "P D A", ISA_MEMORY | SASS_SHARED | SASS_LOCK, pick_ldslk,
	      "Loads from shared memory and tries to take the word's lock: the predicate says who got it."),
	FERMI("STSUL[.32]", "A R", ISA_MEMORY | ISA_STORE | SASS_SHARED | SASS_LOCK, pick_stsul,
	      "Stores to shared memory and gives the word's lock back."),
	FERMI("ATOM[.E](.ADD|.MIN|.MAX)[.U32|.S32]", "D A R", ATOMIC(SASS_GLOBAL) | ISA_ORDERED, pick_atom,
	      "Changes a word of global memory and gives its old value."),
	FERMI("ATOM[.E](.INC|.DEC|.AND|.OR|.XOR|.EXCH)[.U32]", "D A R", ATOMIC(SASS_GLOBAL) | ISA_ORDERED, pick_atom,
	      "Changes a word of global memory and gives its old value."),
	FERMI("ATOM[.E].ADD.F32[.FTZ][.RN]", "D A R", ATOMIC(SASS_GLOBAL) | ISA_ORDERED, pick_atom,
	      "Adds to a float of global memory and gives its old value."),
	FERMI("ATOM[.E](.ADD|.EXCH)(.U64|.64)", "D2 A R2", ATOMIC(SASS_GLOBAL) | ISA_ORDERED, pick_atom,
	      "Changes 64 bits of global memory and gives their old value."),
	FERMI("ATOM[.E].CAS[.U32]", "D A R R", ATOMIC(SASS_GLOBAL) | ISA_ORDERED, pick_atom,
	      "Swaps a word of global memory if it is as expected."),
	FERMI("ATOM[.E].CAS(.U64|.64)", "D2 A R2 R2", ATOMIC(SASS_GLOBAL) | ISA_ORDERED, pick_atom,
	      "Swaps 64 bits of global memory if they are as expected."),
	FERMI("RED[.E](.ADD|.MIN|.MAX)[.U32|.S32]", "A R", ATOMIC(SASS_GLOBAL) | WITH(TRAIT_REDUCES), pick_atom,
	      "Changes a word of global memory."),
	FERMI("RED[.E](.INC|.DEC|.AND|.OR|.XOR)[.U32]", "A R", ATOMIC(SASS_GLOBAL) | WITH(TRAIT_REDUCES), pick_atom,
	      "Changes a word of global memory."),
	FERMI("RED[.E].ADD.F32[.FTZ][.RN]", "A R", ATOMIC(SASS_GLOBAL) | WITH(TRAIT_REDUCES) | ISA_ORDERED, pick_atom,
	      "Adds to a float of global memory."),
	FERMI("RED[.E].ADD(.U64|.64)", "A R2", ATOMIC(SASS_GLOBAL) | WITH(TRAIT_REDUCES), pick_atom,
	      "Adds to 64 bits of global memory."),
	FERMI("CCTL[.E](.D|.U|.C|.I|.CRS)[.QRY1|.PF1|.PF1.5|.PF2|.WB|.IV|.IVALL|.RS|.RSLB]", "A", 0, pick_cctl,
	      "Controls a cache; no effect here."),
	FERMI("CCTL[.E](.QRY1|.PF1|.PF2|.WB|.IV|.IVALL|.RS|.RSLB)", "A", 0, pick_cctl,
	      "Controls a cache; no effect here."),
	FERMI("CCTLL[.QRY1|.PF1|.PF2|.WB|.IV|.IVALL|.RS]", "A", 0, pick_cctl, "Controls a cache; no effect here."),
};
FAMILY(sass_memory, "SASS: memory", CLASS_MISC, rows_memory);
