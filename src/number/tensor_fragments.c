/* SPDX-License-Identifier: Apache-2.0
 *
 * Fragments of the matrix instructions. All but m8n8k4 f16 follow one scheme: one factor is cut
 * into blocks of 16 (or 8) lines, the other into blocks of 8, group g of lanes holds line g of each
 * half block, and member t holds words t, t + 4, ... of K; of the accumulator it holds columns 2t
 * and 2t + 1 of each block. wmma's m8n32 is the scheme for the transposes.
 *
 * The scheme, for mma.m16n8k16 of f16 (words are pairs of f16 along K, lane = 4g + t):
 *
 *  A, register 0: rows 0..7, words 0..3      B, register 0: words 0..3, columns 0..7     C, registers 0, 1: rows 0..7
 *
 *         word 0    1    2    3                     column 0     1    ...  7                column 0   1    2   3  ...
 *  row 0   l 0   l 1   l 2   l 3             word 0   l 0   l 4  ...  l 28          row 0    l 0     l 1
 *  row 1   l 4   l 5   l 6   l 7             word 1   l 1   l 5  ...  l 29          row 1    l 4     l 5
 *   ...                                       ...                                    ...   (register 0: the even column,
 *  row 7   l 28  l 29  l 30  l 31            word 3   l 3   l 7  ...  l 31                  register 1: the odd one)
 *
 * A's register 1 holds rows 8..15, register 2 words 4..7, register 3 both. Place by place this is
 * tensor_fragment_place(), which views and tests use; the products use the loops below, which move quads of lanes at
 * once.
 */
#include "number/tensor_fragments.h"

#include <assert.h>
#include <string.h>

enum { GROUPS = 8, MEMBERS = 4, WARP_ROWS = 16 };

/* A fragment in the scheme's terms. Tall: the factor with blocks of 16 lines (A, unless turned). */
struct scheme {
	bool turned;
	u32 height;     /* lines in a block of the tall factor */
	u32 tall, wide; /* lines that a warp holds of the tall factor and of the other */
};

static struct scheme scheme_of(const struct tensor_form *form)
{
	struct scheme s;
	u32 m = form->family == TENSOR_WGMMA ? WARP_ROWS : form->m;
	s.turned = m == 8 && form->n == 32;
	s.tall = s.turned ? form->n : m;
	s.wide = s.turned ? m : form->n;
	s.height = s.tall < 16 ? 8 : 16;
	return s;
}

static bool is_factor(enum tensor_role role) { return role == TENSOR_ROLE_A || role == TENSOR_ROLE_B; }

/* Whether a factor has blocks of 16 lines. */
static bool is_tall(const struct scheme *s, enum tensor_role role) { return (role == TENSOR_ROLE_A) != s->turned; }

static enum tensor_format format_of(const struct tensor_form *form, enum tensor_role role)
{
	switch (role) {
	case TENSOR_ROLE_A:
		return form->a;
	case TENSOR_ROLE_B:
		return form->b;
	case TENSOR_ROLE_C:
		return form->c;
	default:
		return form->d;
	}
}

static u32 words_of(const struct tensor_form *form, enum tensor_role role)
{
	return role == TENSOR_ROLE_A ? form->a_words : form->b_words;
}

/* Registers that hold each element once. */
static u32 distinct_registers(const struct tensor_form *form, enum tensor_role role)
{
	struct scheme s = scheme_of(form);
	if (is_factor(role))
		return words_of(form, role) / MEMBERS * ((is_tall(&s, role) ? s.tall : s.wide) / GROUPS);
	return s.tall * s.wide / (format_of(form, role) == TENSOR_F16 ? 2 : 1) / WARP_LANES;
}

/* wmma's f16 factors hold each element twice, in 8 registers (PTX ISA, wmma): the second half repeats the first. */
u32 tensor_fragment_registers(const struct tensor_form *form, enum tensor_role role)
{
	if (form->arith == TENSOR_FMA_F32)
		return is_factor(role) ? 2 : format_of(form, role) == TENSOR_F16 ? 4 : 8;
	if (form->family == TENSOR_WMMA && form->a == TENSOR_F16 && is_factor(role))
		return TENSOR_MAX_FACTOR_REGISTERS;
	return distinct_registers(form, role);
}

u32 tensor_fragment_elements(const struct tensor_form *form, enum tensor_role role)
{
	u32 bits = tensor_format_bits(format_of(form, role));
	return bits > 32 ? 1 : 32 / bits;
}

/* Where a register of a factor starts: lane (0, 0) holds word `word` of line `line`. */
struct factor_start {
	u32 line, word;
};

static struct factor_start factor_start(const struct tensor_form *form, enum tensor_role role, u32 reg)
{
	struct scheme s = scheme_of(form);
	u32 quarters = words_of(form, role) / MEMBERS;
	u32 halves = is_tall(&s, role) ? s.height / GROUPS : 1;
	u32 in_block = reg % (quarters * halves), block = reg / (quarters * halves);
	return (struct factor_start){
		.line = (block * halves + in_block % halves) * GROUPS,
		.word = in_block / halves * MEMBERS,
	};
}

/*
 * Where a register of an accumulator starts: lane (g, t) holds row + g, column + 2t (f16: and the
 * next).
 */
struct accumulator_start {
	u32 tall, wide;
};

static struct accumulator_start accumulator_start(const struct tensor_form *form, enum tensor_role role, u32 reg)
{
	struct scheme s = scheme_of(form);
	u32 columns = format_of(form, role) == TENSOR_F16 ? 1 : 2;
	u32 per_block = s.height / GROUPS * columns;
	u32 in_block = reg % per_block, block = reg / per_block;
	struct accumulator_start a = {.tall = in_block / columns * GROUPS, .wide = in_block % columns};
	if (s.tall > s.height)
		a.tall += block * s.height;
	else
		a.wide += block * GROUPS;
	return a;
}

/* Lanes beyond 31 are those of the other warps of a warpgroup, each 16 rows further down. */
struct tensor_place tensor_fragment_place(const struct tensor_form *form, enum tensor_role role, u32 reg, u32 lane,
					  u32 element)
{
	struct scheme s = scheme_of(form);
	u32 g = lane % WARP_LANES / MEMBERS, t = lane % MEMBERS;
	u32 first_row = lane / WARP_LANES * WARP_ROWS;
	u32 row, column;
	if (is_factor(role)) {
		struct factor_start f = factor_start(form, role, reg % distinct_registers(form, role));
		u32 line = f.line + g;
		u32 k = (f.word + t) * tensor_fragment_elements(form, role) + element;
		row = role == TENSOR_ROLE_A ? line + first_row : k;
		column = role == TENSOR_ROLE_A ? k : line;
	} else {
		struct accumulator_start a = accumulator_start(form, role, reg);
		u32 tall = a.tall + g, wide = a.wide + 2 * t + element;
		row = (s.turned ? wide : tall) + first_row;
		column = s.turned ? tall : wide;
	}
	return (struct tensor_place){(u16)row, (u16)column};
}

/* Four lanes of a group. */
typedef u32 quad __attribute__((vector_size(16)));

#ifdef __clang__
#define QUAD_PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define QUAD_PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (quad){i, j, k, l})
#endif

static inline void quads_load(quad q[4], const u32 *from, size_t stride)
{
	for (u32 i = 0; i < 4; i++)
		memcpy(&q[i], from + i * stride, sizeof q[i]);
}

static inline void quads_store(u32 *to, size_t stride, const quad q[4])
{
	for (u32 i = 0; i < 4; i++)
		memcpy(to + i * stride, &q[i], sizeof q[i]);
}

/* A matrix of 4 lanes by 4 words, in registers of the host. */
static inline void quads_transpose(quad q[4])
{
	quad a = QUAD_PICK(q[0], q[1], 0, 4, 1, 5), b = QUAD_PICK(q[2], q[3], 0, 4, 1, 5);
	quad c = QUAD_PICK(q[0], q[1], 2, 6, 3, 7), d = QUAD_PICK(q[2], q[3], 2, 6, 3, 7);
	q[0] = QUAD_PICK(a, b, 0, 1, 4, 5);
	q[1] = QUAD_PICK(a, b, 2, 3, 6, 7);
	q[2] = QUAD_PICK(c, d, 0, 1, 4, 5);
	q[3] = QUAD_PICK(c, d, 2, 3, 6, 7);
}

/* to[t * stride + g] = from[4g + t], for all lanes. */
static inline void lanes_spread(u32 *to, const u32 *from, size_t stride)
{
	for (u32 g = 0; g < GROUPS; g += 4) {
		quad q[4];
		quads_load(q, from + MEMBERS * g, MEMBERS);
		quads_transpose(q);
		quads_store(to + g, stride, q);
	}
}

static inline void lanes_collect(u32 *to, const u32 *from, size_t stride)
{
	for (u32 g = 0; g < GROUPS; g += 4) {
		quad q[4];
		quads_load(q, from + g, stride);
		quads_transpose(q);
		quads_store(to + MEMBERS * g, MEMBERS, q);
	}
}

/* The same with pairs of f16: the low half goes to `to`, the high half `next` further. */
static inline void lanes_spread_pairs(u32 *to, const u32 *from, size_t next)
{
	for (u32 g = 0; g < GROUPS; g += 4) {
		quad low[4], high[4];
		quads_load(low, from + MEMBERS * g, MEMBERS);
		quads_transpose(low);
		for (u32 t = 0; t < MEMBERS; t++) {
			high[t] = low[t] >> 16;
			low[t] &= 0xffff;
		}
		quads_store(to + g, 2 * next, low);
		quads_store(to + next + g, 2 * next, high);
	}
}

static inline void lanes_collect_pairs(u32 *to, const u32 *from, size_t next)
{
	for (u32 g = 0; g < GROUPS; g += 4) {
		quad low[4], high[4];
		quads_load(low, from + g, 2 * next);
		quads_load(high, from + next + g, 2 * next);
		for (u32 t = 0; t < MEMBERS; t++)
			low[t] |= high[t] << 16;
		quads_transpose(low);
		quads_store(to + MEMBERS * g, MEMBERS, low);
	}
}

static void f64_spread(u64 *to, const u64 *from, size_t stride)
{
	for (u32 lane = 0; lane < WARP_LANES; lane++)
		to[lane % MEMBERS * stride + lane / MEMBERS] = from[lane];
}

static void f64_collect(u64 *to, const u64 *from, size_t stride)
{
	for (u32 lane = 0; lane < WARP_LANES; lane++)
		to[lane] = from[lane % MEMBERS * stride + lane / MEMBERS];
}

/* From registers to words[K][line], which is how the products read both factors. */
static void gather_factor(const struct tensor_form *form, enum tensor_role role, u32 first_line,
			  const void *const *rows, void *matrix)
{
	struct scheme s = scheme_of(form);
	bool tall = is_tall(&s, role);
	u32 stride = role == TENSOR_ROLE_A ? form->m : form->n;
	u32 lines = tall ? s.tall : s.wide, height = tall ? s.height : GROUPS;
	u32 words = words_of(form, role);
	for (u32 block = 0; block < lines; block += height) {
		for (u32 word = 0; word < words; word += MEMBERS) {
			for (u32 half = 0; half < height; half += GROUPS, rows++) {
				size_t at = (size_t)word * stride + first_line + block + half;
				if (form->a == TENSOR_F64)
					f64_spread((u64 *)matrix + at, *rows, stride);
				else
					lanes_spread((u32 *)matrix + at, *rows, stride);
			}
		}
	}
}

/*
 * An accumulator register and where its lane (0, 0) goes in a matrix [wide][tall]; a loop over all
 * of a fragment's registers. Where a half block's two columns are in two registers, they come in
 * turn.
 */
struct accumulator_walk {
	u32 reg, tall, wide;
};

static inline bool accumulator_next(const struct scheme *s, bool pairs, struct accumulator_walk *w)
{
	w->reg++;
	if (!pairs && !(w->wide & 1)) {
		w->wide |= 1;
		return true;
	}
	w->wide &= ~1u;
	w->tall += GROUPS;
	if (w->tall < s->tall)
		return true;
	w->tall = 0;
	w->wide += GROUPS;
	return w->wide < s->wide;
}

static void gather_accumulator(const struct tensor_form *form, enum tensor_role role, u32 first_row, u32 stride,
			       const void *const *rows, void *matrix)
{
	struct scheme s = scheme_of(form);
	bool pairs = format_of(form, role) == TENSOR_F16;
	struct accumulator_walk w = {0, 0, 0};
	do {
		size_t at = (size_t)w.wide * stride + first_row + w.tall;
		if (form->a == TENSOR_F64)
			f64_spread((u64 *)matrix + at, rows[w.reg], 2 * stride);
		else if (pairs)
			lanes_spread_pairs((u32 *)matrix + at, rows[w.reg], stride);
		else
			lanes_spread((u32 *)matrix + at, rows[w.reg], 2 * stride);
	} while (accumulator_next(&s, pairs, &w));
}

static void scatter_accumulator(const struct tensor_form *form, u32 first_row, u32 stride, const void *d,
				void *const *rows)
{
	struct scheme s = scheme_of(form);
	bool pairs = form->d == TENSOR_F16;
	struct accumulator_walk w = {0, 0, 0};
	do {
		size_t at = (size_t)w.wide * stride + first_row + w.tall;
		if (form->a == TENSOR_F64)
			f64_collect(rows[w.reg], (const u64 *)d + at, 2 * stride);
		else if (pairs)
			lanes_collect_pairs(rows[w.reg], (const u32 *)d + at, stride);
		else
			lanes_collect(rows[w.reg], (const u32 *)d + at, 2 * stride);
	} while (accumulator_next(&s, pairs, &w));
}

/*
 * The turned scheme's accumulator is the transpose: [m][n]. to[i * lines + j] = from[j * columns +
 * i].
 */
static void words_turn(u32 *to, const u32 *from, u32 lines, u32 columns)
{
	for (u32 i = 0; i < columns; i++) {
		for (u32 j = 0; j < lines; j++)
			to[i * lines + j] = from[j * columns + i];
	}
}

enum { MAX_TURNED = 8 * 32 };

void tensor_fragment_gather(const struct tensor_form *form, enum tensor_role role, u32 warp, const void *const *rows,
			    void *matrix)
{
	u32 turned[MAX_TURNED];
	if (is_factor(role)) {
		gather_factor(form, role, warp * WARP_ROWS, rows, matrix);
	} else if (scheme_of(form).turned) {
		gather_accumulator(form, role, 0, form->n, rows, turned);
		words_turn(matrix, turned, form->m, form->n);
	} else {
		gather_accumulator(form, role, warp * WARP_ROWS, form->m, rows, matrix);
	}
}

void tensor_fragment_scatter(const struct tensor_form *form, u32 warp, const void *d, void *const *rows)
{
	u32 turned[MAX_TURNED];
	if (scheme_of(form).turned) {
		words_turn(turned, d, form->n, form->m);
		scatter_accumulator(form, 0, form->n, turned, rows);
	} else {
		scatter_accumulator(form, warp * WARP_ROWS, form->m, d, rows);
	}
}

/* Where the nibble of a row (0 to 15) and a group of K sits. */
struct nibble_place {
	u32 lane, nibble;
};

static struct nibble_place nibble_place(const struct tensor_form *form, u32 row, u32 group, u32 selector)
{
	u32 first = row % GROUPS * MEMBERS, low = row < GROUPS ? 0 : 1;
	bool long_k = form->k / form->group > 8;
	if (tensor_format_bits(form->a) >= 16) {
		if (form->k / form->group == 4)
			return (struct nibble_place){first + selector, group + 4 * low};
		return (struct nibble_place){first + 2 * selector + group / 4, group % 4 + 4 * low};
	}
	return (struct nibble_place){first + 2 * (long_k ? group / 8 : selector) + low, group % 8};
}

/* A sparse A's metadata: a nibble for each row and group of K, two indices of two bits each. Which lanes hold them is
 * the manual's (PTX ISA, mma.sp: by shape and selector). */
void tensor_metadata_gather(const struct tensor_form *form, u32 warp, const u32 *lanes, u32 selector, u8 *meta)
{
	u32 groups = form->k / form->group;
	for (u32 group = 0; group < groups; group++) {
		for (u32 row = 0; row < WARP_ROWS; row++) {
			struct nibble_place p = nibble_place(form, row, group, selector);
			meta[group * form->m + warp * WARP_ROWS + row] =
				(u8)(lanes[p.lane % WARP_LANES] >> (4 * p.nibble) & 15);
		}
	}
}

/* m8n8k4 on f16: four products, each by the lanes 4o to 4o + 3 and 4o + 16 to 4o + 19 of octet o. */
struct tensor_place tensor_octet_place(const struct tensor_form *form, enum tensor_role role, bool transposed, u32 reg,
				       u32 lane, u32 element)
{
	u32 upper = lane < 16 ? 0 : 4, t = lane % MEMBERS;
	u32 i = 2 * reg + element;
	u32 row, column;
	if (is_factor(role)) {
		u32 line = transposed ? upper + i : upper + t;
		u32 k = transposed ? t : i;
		row = role == TENSOR_ROLE_A ? line : k;
		column = role == TENSOR_ROLE_A ? k : line;
	} else if (format_of(form, role) == TENSOR_F16) {
		row = upper + t;
		column = i;
	} else {
		row = upper + (t & 1) + (reg & 2);
		column = (reg & 4) + (t & 2) + (reg & 1);
	}
	return (struct tensor_place){(u16)row, (u16)column};
}

/* The lane of an octet's warp that is its number `i` of 8. */
static u32 octet_lane(u32 octet, u32 i) { return MEMBERS * octet + i % MEMBERS + i / MEMBERS * 16; }

static void octet_gather(const struct tensor_form *form, enum tensor_role role, bool transposed, u32 octet,
			 const void *const *rows, u32 *matrix)
{
	bool half = format_of(form, role) == TENSOR_F16;
	u32 registers = tensor_fragment_registers(form, role), parts = half ? 2 : 1;
	if (is_factor(role))
		memset(matrix, 0, 2 * 8 * sizeof *matrix);
	for (u32 n = 0; n < 8 * registers * parts; n++) {
		u32 lane = octet_lane(octet, n % 8), reg = n / 8 / parts, part = n / 8 % parts;
		struct tensor_place p = tensor_octet_place(form, role, transposed, reg, lane, part);
		u32 value = ((const u32 *)rows[reg])[lane] >> (16 * part);
		if (role == TENSOR_ROLE_A)
			matrix[p.column / 2 * 8 + p.row] |= (value & 0xffff) << (p.column % 2 * 16);
		else if (role == TENSOR_ROLE_B)
			matrix[p.row / 2 * 8 + p.column] |= (value & 0xffff) << (p.row % 2 * 16);
		else
			matrix[p.column * 8 + p.row] = half ? value & 0xffff : value;
	}
}

static void octet_scatter(const struct tensor_form *form, u32 octet, const u32 *d, void *const *rows)
{
	bool half = form->d == TENSOR_F16;
	u32 registers = tensor_fragment_registers(form, TENSOR_ROLE_D);
	for (u32 n = 0; n < 8 * registers; n++) {
		u32 lane = octet_lane(octet, n % 8), reg = n / 8;
		struct tensor_place p = tensor_octet_place(form, TENSOR_ROLE_D, false, reg, lane, 0);
		u32 value = d[p.column * 8 + p.row];
		if (half)
			value |= d[(p.column + 1) * 8 + p.row] << 16;
		((u32 *)rows[reg])[lane] = value;
	}
}

static void warp_octets(const struct tensor_form *form, tensor_mma_fn *mma, const struct tensor_registers *r)
{
	for (u32 octet = 0; octet < 4; octet++) {
		u32 a[2 * 8], b[2 * 8], c[8 * 8];
		struct tensor_operands o = {.a = a, .b = b, .c = c, .d = c};
		octet_gather(form, TENSOR_ROLE_A, r->a_column_major, octet, r->a, a);
		octet_gather(form, TENSOR_ROLE_B, r->b_row_major, octet, r->b, b);
		octet_gather(form, TENSOR_ROLE_C, false, octet, r->c, c);
		mma(form, &o);
		octet_scatter(form, octet, c, r->d);
	}
}

/* [scales][lines] */
static void gather_scales(const struct tensor_form *form, bool is_a, const struct tensor_scales *s, u8 *scales)
{
	const u32 lines = is_a ? form->m : form->n;

	for (u32 line = 0; line < lines; line++) {
		const u32 lane =
			is_a ? line % GROUPS * MEMBERS + 2 * s->thread + line / GROUPS : line * MEMBERS + s->thread;
		for (u32 k = 0; k < form->scales; k++)
			scales[k * lines + line] = (u8)(s->lanes[lane] >> 8 * (s->byte + k));
	}
}

/* One product of a warp, from registers to registers: factors, sums, metadata and scales are gathered into matrices,
 * multiplied, and the result is scattered. d may be the same registers as c. */
void tensor_warp_mma(const struct tensor_form *form, tensor_mma_fn *mma, const struct tensor_registers *r)
{
	u64 a[256], b[256], c[256];
	u8 meta[WARP_ROWS * 16], a_scales[4 * WARP_ROWS], b_scales[4 * GROUPS];
	struct tensor_operands o = {
		.a = a, .b = b, .c = c, .d = c, .meta = meta, .a_scales = a_scales, .b_scales = b_scales};
	if (form->arith == TENSOR_FMA_F32) {
		warp_octets(form, mma, r);
		return;
	}
	assert(form->m * form->n <= 256 && form->family != TENSOR_WGMMA);
	gather_factor(form, TENSOR_ROLE_A, 0, r->a, a);
	gather_factor(form, TENSOR_ROLE_B, 0, r->b, b);
	tensor_fragment_gather(form, TENSOR_ROLE_C, 0, r->c, c);
	if (form->sparse)
		tensor_metadata_gather(form, 0, r->meta, r->selector, meta);
	if (form->scales) {
		gather_scales(form, true, &r->a_scales, a_scales);
		gather_scales(form, false, &r->b_scales, b_scales);
	}
	mma(form, &o);
	tensor_fragment_scatter(form, 0, c, r->d);
}

/* ldmatrix: lane 4r + c gets elements 2c and 2c + 1 of row r; transposed, of column r. */
void tensor_matrix_to_lanes(const u8 *const rows[8], bool transposed, u32 lanes[WARP_LANES])
{
	for (u32 lane = 0; lane < WARP_LANES; lane++) {
		u32 major = lane / MEMBERS, minor = 2 * (lane % MEMBERS);
		u16 pair[2];
		for (u32 i = 0; i < 2; i++) {
			const u8 *row = rows[transposed ? minor + i : major];
			memcpy(&pair[i], row + 2 * (transposed ? major : minor + i), sizeof pair[i]);
		}
		lanes[lane] = pair[0] | (u32)pair[1] << 16;
	}
}

void tensor_matrix_from_lanes(const u32 lanes[WARP_LANES], bool transposed, u8 *const rows[8])
{
	for (u32 lane = 0; lane < WARP_LANES; lane++) {
		u32 major = lane / MEMBERS, minor = 2 * (lane % MEMBERS);
		for (u32 i = 0; i < 2; i++) {
			u16 half = (u16)(lanes[lane] >> (16 * i));
			u8 *row = rows[transposed ? minor + i : major];
			memcpy(row + 2 * (transposed ? major : minor + i), &half, sizeof half);
		}
	}
}

void tensor_matrix_transpose(const u32 from[WARP_LANES], u32 to[WARP_LANES])
{
	u8 matrix[8][16];
	u8 *rows[8];
	const u8 *read[8];
	for (u32 i = 0; i < 8; i++)
		read[i] = rows[i] = matrix[i];
	tensor_matrix_from_lanes(from, false, rows);
	tensor_matrix_to_lanes(read, true, to);
}
