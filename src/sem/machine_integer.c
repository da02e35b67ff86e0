/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: moves between rows, sums with carries, products, shifts of pairs, comparisons, tables of predicates.
 */
#include "number/ieee.h"
#include "number/mufu.h"
#include "sem/machine.h"

/* --- Rows ----------------------------------------------------------------------------------- */

/* d = (a & b ^ c) + imm, and the same of the absolute value. b and c are words, not rows. */
LANE1(modify, u32, u32, ((a & i->b) ^ i->c) + (u32)i->imm);
LANE1(modify_absolute, u32, u32, (((s32)a < 0 ? 0 - a : a) ^ i->c) + (u32)i->imm);

/* d, 64 bits = {a, b}. */
LANE2(pair, u64, u32, u32, a | (u64)b << 32);

/* {d, b} = a, 64 bits. */
LANES_FUNCTION(part)
{
	const u64 *from = ROW_OF(u64, i->a);
	u32 low[WARP_LANES] __attribute__((aligned(64))), high[WARP_LANES] __attribute__((aligned(64)));

	(void)list;
	EACH_LANE {
		low[l] = (u32)from[l];
		high[l] = (u32)(from[l] >> 32);
	}
	write_lanes(ROW_OF(u32, i->d), low, mask);
	write_lanes(ROW_OF(u32, i->b), high, mask);
}
MEANING_LANES(part);

/* d, 128 bits = the four words of the list, the lowest first; and back: those = a. */
MEANING_FUNCTION(quad)
{
	const u32 *list = warp_operands(w, i);
	u32 *d = ROW_OF(u32, i->d);

	(void)mask;
	for (u32 k = 0; k < 4; k++) {
		const u32 *from = ROW_OF(u32, list[k]);
		for (u32 l = 0; l < WARP_LANES; l++)
			d[4 * l + k] = from[l];
	}
	return i + 1;
}
MEANING_EACH(quad);

MEANING_FUNCTION(unquad)
{
	const u32 *list = warp_operands(w, i), *from = ROW_OF(u32, i->a);

	for (u32 k = 0; k < 4; k++) {
		u32 *to = ROW_OF(u32, list[k]);
		for (u32 l = 0; l < WARP_LANES; l++)
			to[l] = mask & lane_bit[l] ? from[4 * l + k] : to[l];
	}
	return i + 1;
}
MEANING_EACH(unquad);

/* The double a with its sign as b says (1: it is kept) and then changed if c is 1, but for what is not a number: d. */
MEANING_FUNCTION(sign_of_double)
{
	const u64 *from = ROW_OF(u64, i->a), kept = i->b ? ~0ull : ~0ull >> 1, flip = (u64)i->c << 63;
	u64 *d = ROW_OF(u64, i->d);

	(void)w;
	(void)mask;
	EACH_LANE
		d[l] = (from[l] & ~0ull >> 1) > 0x7ff0000000000000 ? from[l] : (from[l] & kept) ^ flip;
	return i + 1;
}
MEANING_EACH(sign_of_double);

/* d = a & b, a | b, a ^ b of predicates, by c, with both negations in aux. */
LANES_FUNCTION(logic_pred)
{
	const u32 a = PRED_SOURCE(i, i->a, 0), b = PRED_SOURCE(i, i->b, 1);

	(void)list;
	pred_write(rows, i->d, mask, i->c == 0 ? a & b : i->c == 1 ? a | b : a ^ b);
}
MEANING_LANES(logic_pred);

/* --- Sums ----------------------------------------------------------------------------------- */

LANE3(iadd3, u32, u32, u32, u32, a + b + c);

static inline u32 carried(const u8 *rows, u32 row, u32 flags, u32 negated)
{
	return PRED_OF(row) ^ (flags & negated ? FULL_MASK : 0);
}
static inline u32 flipped(u32 flags, u32 bit) { return flags & bit ? FULL_MASK : 0; }

/* List: flags, what is added, the two carries in, the two carries out. Both carries out stand for bits 32 and up of the
 * sum: the second is set where it reaches 2. */
LANES_FUNCTION(iadd3_carry)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *pc = ROW_OF(u32, i->c);
	const u32 flags = list[0], more = list[1];
	const u32 x = carried(rows, list[2], flags, MACHINE_NOT_X), y = carried(rows, list[3], flags, MACHINE_NOT_Y);
	const u32 na = flipped(flags, MACHINE_NOT_A), nb = flipped(flags, MACHINE_NOT_B),
		  nc = flipped(flags, MACHINE_NOT_C);
	u32 low[WARP_LANES] __attribute__((aligned(64))), high[WARP_LANES] __attribute__((aligned(64)));

	/* Without 64-bit sums, of which a vector holds half as many. */
	EACH_LANE {
		const u32 a = pa[l] ^ na, two = a + (pb[l] ^ nb), three = two + (pc[l] ^ nc);
		const u32 all = three + more + ((x & lane_bit[l]) != 0) + ((y & lane_bit[l]) != 0);
		low[l] = all;
		high[l] = (two < a) + (three < two) + (all < three);
	}
	write_lanes(ROW_OF(u32, i->d), low, mask);
	pred_write(rows, list[4], mask, MASK_OF(high[l] > 0));
	pred_write(rows, list[5], mask, MASK_OF(high[l] > 1));
}
MEANING_LANES(iadd3_carry);

/* --- Products ------------------------------------------------------------------------------- */

LANE3(imad, u32, u32, u32, u32, a *b + c);

/* d is a pair; list: the row above c, which is added. */
ALWAYS_INLINE void product_wide(const struct insn *i, const u32 *list, u8 *rows, u32 mask, bool is_signed)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *pc = ROW_OF(u32, i->c), *pe = ROW_OF(u32, list[0]);
	u32 low[WARP_LANES] __attribute__((aligned(64))), high[WARP_LANES] __attribute__((aligned(64)));
	u32 *d = ROW_OF(u32, i->d);

	EACH_LANE {
		const u64 product = is_signed ? (u64)((s64)(s32)pa[l] * (s32)pb[l]) : (u64)pa[l] * pb[l];
		const u64 sum = product + (pc[l] | (u64)pe[l] << 32);
		low[l] = (u32)sum;
		high[l] = (u32)(sum >> 32);
	}
	write_lanes(d, low, mask);
	write_lanes(d + WARP_LANES, high, mask);
}
LANES_FUNCTION(imad_wide) { product_wide(i, list, rows, mask, false); }
MEANING_LANES(imad_wide);
LANES_FUNCTION(imad_wide_signed) { product_wide(i, list, rows, mask, true); }
MEANING_LANES(imad_wide_signed);

/* The pair d = a << imm, as 64 bits with a's sign (aux 1) or none, + the pair of b and, its upper word, c: without a product of
 * 64 bits. */
LANES_FUNCTION(lea_wide)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *pc = ROW_OF(u32, i->c), shift = (u32)i->imm;
	u32 low[WARP_LANES] __attribute__((aligned(64))), high[WARP_LANES] __attribute__((aligned(64)));
	u32 *d = ROW_OF(u32, i->d);

	(void)list;
	if (i->aux)
		EACH_LANE {
			low[l] = (pa[l] << shift) + pb[l];
			high[l] = (u32)((s32)pa[l] >> 1 >> (31 - shift)) + pc[l] + (low[l] < pb[l]);
		}
	else
		EACH_LANE {
			low[l] = (pa[l] << shift) + pb[l];
			high[l] = (pa[l] >> 1 >> (31 - shift)) + pc[l] + (low[l] < pb[l]);
		}
	write_lanes(d, low, mask);
	write_lanes(d + WARP_LANES, high, mask);
}
MEANING_LANES(lea_wide);

/* d = the lower word of a * b + c and a carry. List: flags, the carry in. */
LANES_FUNCTION(imad_low_carry)
{
	const u32 x = carried(rows, list[1], list[0], MACHINE_NOT_X), nc = flipped(list[0], MACHINE_NOT_C);
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *pc = ROW_OF(u32, i->c);
	u32 low[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE
		low[l] = pa[l] * pb[l] + (pc[l] ^ nc) + ((x & lane_bit[l]) != 0);
	write_lanes(ROW_OF(u32, i->d), low, mask);
}
MEANING_LANES(imad_low_carry);

/* List: flags, the row above c, the carry in, the carry out, the row above d. MACHINE_WIDE: both words are kept,
 * MACHINE_HIGH: the upper one, to d. */
LANES_FUNCTION(imad_carry)
{
	const u32 flags = list[0], x = carried(rows, list[2], flags, MACHINE_NOT_X), nc = flipped(flags, MACHINE_NOT_C);
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *pc = ROW_OF(u32, i->c), *pe = ROW_OF(u32, list[1]);
	u32 low[WARP_LANES] __attribute__((aligned(64))), high[WARP_LANES] __attribute__((aligned(64))),
		over[WARP_LANES] __attribute__((aligned(64)));

	for (u32 l = 0; l < WARP_LANES; l++) {
		const u64 product = flags & MACHINE_SIGNED ? (u64)((s64)(s32)pa[l] * (s32)pb[l]) : (u64)pa[l] * pb[l];
		const u64 added = (pc[l] ^ nc) | (u64)(pe[l] ^ nc) << 32;
		const u64 some = product + added, sum = some + (x >> l & 1);
		low[l] = (u32)sum;
		high[l] = (u32)(sum >> 32);
		over[l] = (some < product) + (sum < some);
	}
	const u32 carry = MASK_OF(over[l] != 0);
	write_lanes(ROW_OF(u32, i->d), flags & MACHINE_HIGH ? high : low, mask);
	if (flags & MACHINE_WIDE)
		write_lanes(ROW_OF(u32, list[4]), high, mask);
	pred_write(rows, list[3], mask, carry);
}
MEANING_LANES(imad_carry);

/* d = (a << imm) + b. */
LANE2(lea, u32, u32, u32, (a << (u32)i->imm) + b);

/* List: flags, what is added, the carry in, the carry out, how far a is shifted. MACHINE_HIGH: the upper word of {c, a}
 * shifted, where a may be complemented. */
LANES_FUNCTION(lea_carry)
{
	const u32 flags = list[0], more = list[1], x = carried(rows, list[2], flags, MACHINE_NOT_X), shift = list[4];
	const u32 na = flipped(flags, MACHINE_NOT_A), nb = flipped(flags, MACHINE_NOT_B);
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *pc = ROW_OF(u32, i->c);
	u32 low[WARP_LANES] __attribute__((aligned(64))), high[WARP_LANES] __attribute__((aligned(64)));

	EACH_LANE {
		const u32 upper = pc[l] << shift | pa[l] >> 1 >> (31 - shift);
		const u32 word = (flags & MACHINE_HIGH ? upper : pa[l] << shift) ^ na, two = word + (pb[l] ^ nb);
		const u32 all = two + more + ((x & lane_bit[l]) != 0);
		low[l] = all;
		high[l] = (two < word) + (all < two);
	}
	write_lanes(ROW_OF(u32, i->d), low, mask);
	pred_write(rows, list[3], mask, MASK_OF(high[l] != 0));
}
MEANING_LANES(lea_carry);

/* {c, a} shifted by b; imm: right 1, wraps 2, high 4, signed 8, 64 bits 16. */
MEANING_FUNCTION(shf)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), *pc = ROW_OF(u32, i->c);
	const u32 how = (u32)i->imm, width = how & 16 ? 64 : 32;
	u32 kept[WARP_LANES] __attribute__((aligned(64)));

	(void)w;
	for (u32 l = 0; l < WARP_LANES; l++) {
		const u64 value = pa[l] | (u64)pc[l] << 32;
		const u32 n = how & 2 ? pb[l] & (width - 1) : min_u32(pb[l], width);
		const u64 left = n < 64 ? value << n : 0, right = n < 64 ? value >> n : 0,
			  kept_sign = (u64)((s64)value >> min_u32(n, 63));
		const u64 moved = how & 1 ? (how & 8 ? kept_sign : right) : left;
		kept[l] = how & 4 ? (u32)(moved >> 32) : (u32)moved;
	}
	write_lanes(ROW_OF(u32, i->d), kept, mask);
	return i + 1;
}
MEANING_EACH(shf);

/* Of the bytes of both, each the lesser; c: the greater; imm: as numbers with a sign. */
MEANING_FUNCTION(least_bytes)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), flip = i->imm ? 0x80 : 0;
	u32 kept[WARP_LANES] __attribute__((aligned(64)));

	(void)w;
	for (u32 l = 0; l < WARP_LANES; l++) {
		kept[l] = 0;
		for (u32 k = 0; k < 32; k += 8) {
			const u32 a = pa[l] >> k & 255, b = pb[l] >> k & 255;
			kept[l] |= (((a ^ flip) < (b ^ flip)) == !i->c ? a : b) << k;
		}
	}
	write_lanes(ROW_OF(u32, i->d), kept, mask);
	return i + 1;
}
MEANING_EACH(least_bytes);

/* --- Comparisons ---------------------------------------------------------------------------- */

/* The outcome combined with a predicate, to P, and its opposite, to Q. list: P, Q, the predicate, how (0 and, 1 or, 2
 * xor). */
static inline void combine(u8 *rows, u32 mask, const u32 *list, u32 outcome, bool negated)
{
	const u32 with = PRED_OF(list[2]) ^ (negated ? FULL_MASK : 0);

	pred_write(rows, list[0], mask, list[3] == 0 ? outcome & with : list[3] == 1 ? outcome | with : outcome ^ with);
	pred_write(rows, list[1], mask,
		   list[3] == 0   ? ~outcome & with
		   : list[3] == 1 ? ~outcome | with
				  : ~outcome ^ with);
}

/* List: that of `combine`; the comparison: 1 less, 2 equal, 4 greater; 8 signed; 16: where both are equal the outcome of
 * the lower words decides, whose row follows. aux: negations of both predicates. */
LANES_FUNCTION(isetp)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), how = list[4], flip = how & 8 ? 0x80000000 : 0;
	const u32 equal = MASK_OF(pa[l] == pb[l]), less = MASK_OF((pa[l] ^ flip) < (pb[l] ^ flip));
	const u32 greater = ~(less | equal);
	u32 outcome = (how & 1 ? less : 0) | (how & 4 ? greater : 0);

	if (how & 16 && (how & 7) != 0 && (how & 7) != 7)
		outcome |= equal & PRED_SOURCE(i, list[5], 1);
	else
		outcome |= how & 2 ? equal : 0;
	combine(rows, mask, list, outcome, i->aux & 1);
}
MEANING_LANES(isetp);

/* `how`: 1 less, 2 equal, 4 greater, 8 unordered. */
static inline u32 relate(u32 how, u32 less, u32 equal, u32 unordered)
{
	const u32 greater = ~(less | equal);

	return (((how & 1 ? less : 0) | (how & 2 ? equal : 0) | (how & 4 ? greater : 0)) & ~unordered) |
	       (how & 8 ? unordered : 0);
}

/* By the bits, whatever mode the host's floating point is in. The comparison, as relate has it; 16: subnormals are zeros. */
LANES_FUNCTION(fsetp)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b), how = list[4];
	const bool flush = how & 16;
	const u32 equal = MASK_OF(f32_rank(f32_flush_if(pa[l], flush)) == f32_rank(f32_flush_if(pb[l], flush))),
		  less = MASK_OF(f32_rank(f32_flush_if(pa[l], flush)) < f32_rank(f32_flush_if(pb[l], flush))),
		  unordered = MASK_OF(f32_is_nan(pa[l]) | f32_is_nan(pb[l]));

	combine(rows, mask, list, relate(how, less, equal, unordered), i->aux & 1);
}
MEANING_LANES(fsetp);

/* a and b are 64 bits wide. 32: the least or greatest of both (1, 4): P where the first source is it, or the only number; of
 * zeros the negative is the lesser. Q: neither is a number, and code makes a quiet one of the second. */
LANES_FUNCTION(dsetp)
{
	const u64 *pa = ROW_OF(u64, i->a), *pb = ROW_OF(u64, i->b);
	const u32 how = list[4], nan_a = MASK_OF(f64_is_nan(pa[l])), nan_b = MASK_OF(f64_is_nan(pb[l]));
	const u32 equal = MASK_OF(f64_rank(pa[l]) == f64_rank(pb[l])),
		  less = MASK_OF(f64_rank(pa[l]) < f64_rank(pb[l]));
	const u32 outcome = relate(how, less, equal, nan_a | nan_b);

	if (!(how & 32)) {
		combine(rows, mask, list, outcome, i->aux & 1);
		return;
	}
	const u32 negative = how & 1 ? MASK_OF(pa[l] >> 63) : MASK_OF(pb[l] >> 63);
	pred_write(rows, list[0], mask, outcome | (equal & negative & ~(nan_a | nan_b)) | (~nan_a & nan_b));
	pred_write(rows, list[1], mask, nan_a & nan_b);
}
MEANING_LANES(dsetp);

/* Predicate d: a / b is not to be computed by the fast steps: an operand or the quotient is near the ends of the range. */
MEANING_FUNCTION(fchk)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b);
	s32 slow[WARP_LANES] __attribute__((aligned(64)));

	(void)w;
	for (u32 l = 0; l < WARP_LANES; l++) {
		const s32 a = (s32)(pa[l] >> 23 & 255), b = (s32)(pb[l] >> 23 & 255);
		slow[l] = a == 255 || b == 255 || b < 2 || b > 252 || a < 25 || a - b > 126 || a - b < -126 ? -1 : 0;
	}
	pred_write(rows, i->d, mask, pack_lanes32(slow));
	return i + 1;
}
MEANING_EACH(fchk);

/* d = the sine (c 0: cosine) of a revolutions. */
MEANING_FUNCTION(mufu_circle)
{
	const u32 *pa = ROW_OF(u32, i->a);
	u32 kept[WARP_LANES] __attribute__((aligned(64)));

	(void)w;
	for (u32 l = 0; l < WARP_LANES; l++)
		kept[l] = i->c ? mufu_sin(pa[l]) : mufu_cos(pa[l]);
	write_lanes(ROW_OF(u32, i->d), kept, mask);
	return i + 1;
}
MEANING_EACH(mufu_circle);

/* P = d combined with a predicate: list: P, the predicate, how (0 or, 1 and). a: the row that is tested. */
LANES_FUNCTION(lop3_pred)
{
	const u32 *pa = ROW_OF(u32, i->a);
	const u32 some = MASK_OF(pa[l] != 0), with = PRED_SOURCE(i, list[1], 0);

	pred_write(rows, list[0], mask, list[2] ? some & with : some | with);
}
MEANING_LANES(lop3_pred);

/* --- Predicates ----------------------------------------------------------------------------- */

/* Bit 4x + 2y + z of a table, in each lane. */
static inline u32 look_up(u32 x, u32 y, u32 z, u32 table)
{
	u32 value = 0;

	for (u32 k = 0; k < 8; k++)
		if (table >> k & 1)
			value |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
	return value;
}

/* List: P, Q, three predicates, both tables; aux: negations. */
LANES_FUNCTION(plop3)
{
	const u32 x = PRED_SOURCE(i, list[2], 0), y = PRED_SOURCE(i, list[3], 1), z = PRED_SOURCE(i, list[4], 2);

	pred_write(rows, list[0], mask, look_up(x, y, z, list[5]));
	pred_write(rows, list[1], mask, look_up(x, y, z, list[6]));
}
MEANING_LANES(plop3);

/* d = the predicates whose rows begin at c, in the byte number imm, where the mask b has ones, else a. */
MEANING_FUNCTION(p2r)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b),
		  *predicates = (const u32 *)(const void *)(rows + i->c);
	const u32 shift = 8 * (u32)i->imm;
	u32 kept[WARP_LANES] __attribute__((aligned(64)));

	(void)w;
	for (u32 l = 0; l < WARP_LANES; l++) {
		u32 all = 0;
		for (u32 k = 0; k < 7; k++)
			all |= (predicates[k] >> l & 1) << k;
		kept[l] = (all << shift & pb[l] << shift) | (pa[l] & ~(pb[l] << shift));
	}
	write_lanes(ROW_OF(u32, i->d), kept, mask);
	return i + 1;
}
MEANING_EACH(p2r);

/* The predicates from c on = the bits of a from `imm` on, those that the mask b has. */
MEANING_FUNCTION(r2p)
{
	const u32 *pa = ROW_OF(u32, i->a), *pb = ROW_OF(u32, i->b);
	const u32 shift = (u32)i->imm;

	(void)w;
	for (u32 k = 0; k < 7; k++) {
		const u32 wanted = MASK_OF(pb[l] >> k & 1), bits = MASK_OF(pa[l] >> (k + shift) & 1);
		pred_write(rows, i->c + 4 * k, mask & wanted, bits);
	}
	return i + 1;
}
MEANING_EACH(r2p);

/* Predicate d = the sign of a. */
MEANING_FUNCTION(sign)
{
	const u32 *pa = ROW_OF(u32, i->a);

	(void)w;
	pred_write(rows, i->d, mask, MASK_OF((s32)pa[l] < 0));
	return i + 1;
}
MEANING_EACH(sign);

const struct machine_entry SEM_NAME(machine_integer)[] = {ENTRY(modify),
							  ENTRY(modify_absolute),
							  ENTRY(pair),
							  ENTRY(part),
							  ENTRY(quad),
							  ENTRY(unquad),
							  ENTRY(logic_pred),
							  ENTRY(sign_of_double),
							  ENTRY(iadd3),
							  ENTRY(iadd3_carry),
							  ENTRY(imad),
							  ENTRY(imad_wide),
							  ENTRY(imad_wide_signed),
							  ENTRY(imad_carry),
							  ENTRY(imad_low_carry),
							  ENTRY(lea_wide),
							  ENTRY(lea),
							  ENTRY(lea_carry),
							  ENTRY(shf),
							  ENTRY(isetp),
							  ENTRY(fsetp),
							  ENTRY(dsetp),
							  ENTRY(lop3_pred),
							  ENTRY(fchk),
							  ENTRY(mufu_circle),
							  ENTRY(plop3),
							  ENTRY(p2r),
							  ENTRY(r2p),
							  ENTRY(sign),
							  ENTRY(least_bytes),
							  {MACHINE_COUNT, NULL}};
