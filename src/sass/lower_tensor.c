/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: matrices. Shapes and types are read off the mnemonic as the disassembler prints it.
 *
 * A product becomes the PTX instruction that it was compiled from, with the same registers in the same order, so that
 * number/tensor computes both:
 *
 *  HMMA.16816.F32.BF16 R4, R8, R12, R4      mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
 *       ^     ^   ^                           {R4..R7}, {R8..R11}, {R12, R13}, {R4..R7}
 *       shape sums factors
 */
#include <stdlib.h>
#include <string.h>

#include "sass/lower.h"

enum { WORDS_MOST = 16, WORD_LONGEST = 16 };

/* The mnemonic's words behind the first. */
struct words {
	char text[WORDS_MOST][WORD_LONGEST];
	u32 count;
};

static struct words words_of(struct lower *l)
{
	char text[SASS_TEXT];
	struct words w = {.count = 0};

	sass_print(l->m->decoder, l->i, text);
	const char *at = text[0] == '@' ? strchr(text, ' ') + 1 : text;
	size_t length = strcspn(at, ". ");
	for (at += length; *at == '.' && w.count < WORDS_MOST; at += length) {
		at++;
		length = strcspn(at, ". ");
		if (length < WORD_LONGEST)
			memcpy(w.text[w.count++], at, length);
	}
	return w;
}

static bool has(const struct words *w, const char *word)
{
	for (u32 k = 0; k < w->count; k++)
		if (!strcmp(w->text[k], word))
			return true;
	return false;
}

/* Of two words, or the same one, the n-th that names a type: in the letters of PTX.
 * Lowering fails where the mnemonic has no such type. */
static const char *type_word(struct lower *l, const struct words *w, u32 n)
{
	static const char *const names[] = {"U8", "S8", "U4", "S4", "E4M3", "E5M2", "E3M2", "E2M3", "E2M1"};
	static const char *const types[] = {"u8", "s8", "u4", "s4", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1"};

	for (u32 k = 0; k < w->count; k++)
		for (u32 t = 0; t < COUNT_OF(names); t++)
			if (!strcmp(w->text[k], names[t]) && !n--)
				return types[t];
	lower_fails(l);
	return "?";
}

/* Operands of a product, in the order of PTX. */
struct product {
	struct lower_arg args[LOWER_ARGS];
	u32 count;
};

static void push(struct lower *l, struct product *p, struct lower_arg a)
{
	if (p->count == LOWER_ARGS)
		lower_fails(l);
	else
		p->args[p->count++] = a;
}

/* Words of operand k: registers in order.
 * RZ as an operand stands for zeros in all its registers. */
static void push_words(struct lower *l, struct product *p, u32 k, u32 words, bool written)
{
	const struct sass_operand *o = &l->i->operands[k];

	if (written && o->number == SASS_RZ)
		lower_fails(l);
	for (u32 n = 0; n < words; n++)
		push(l, p,
		     written ? TO32(lower_to(l, k, n)) : ROW32(o->number == SASS_RZ ? l->zero : lower_plain(l, k, n)));
}

/* --- mma ------------------------------------------------------------------------------------ */

struct shape {
	u32 m, n, k;
};

/* "16816", "8816", "16x8x4"
 * Numbers: m, n and k run together, where n is 8 and m is 8 or 16 (16816: 16, 8, 16); or with an x between them. */
static struct shape shape_of(struct lower *l, const struct words *w)
{
	struct shape s = {.n = 8};

	for (u32 k = 0; k < w->count; k++) {
		const char *text = w->text[k];
		if (text[0] < '0' || text[0] > '9')
			continue;
		if (strchr(text, 'x')) {
			char *end;
			s.m = (u32)strtoul(text, &end, 10);
			s.n = *end ? (u32)strtoul(end + 1, &end, 10) : 0;
			s.k = *end ? (u32)strtoul(end + 1, &end, 10) : 0;
		} else {
			s.m = text[0] == '1' ? 16 : 8;
			s.k = (u32)strtoul(text + (s.m == 16 ? 3 : 2), NULL, 10);
		}
		return s;
	}
	lower_fails(l);
	return s;
}

/* The first operands are d, a, b, c; then there may be a uniform predicate; the last ones are metadata and their
 * selector. A matrix of so many bits takes that many / 1024 registers: 32 lanes of 32 bits. */
static void multiply(struct lower *l, const char *text, struct shape s, u32 factor_bits, u32 sum_bits, bool sparse)
{
	struct product p = {.count = 0};
	const u32 sums = s.m * s.n * sum_bits / 1024, a = s.m * s.k * factor_bits / 1024 / (sparse ? 2 : 1),
		  b = s.k * s.n * factor_bits / 1024;

	for (u32 k = 1; k <= 2; k++)
		if (l->i->operands[k].flags & (SASS_MINUS | SASS_BARS))
			lower_fails(l);
	if (l->i->operand_count > 4 && l->i->operands[4].arg == ARG_UPREDICATE && !lower_is_pt(l, 4))
		lower_fails(l);
	push_words(l, &p, 0, sums, true);
	push_words(l, &p, 1, a, false);
	push_words(l, &p, 2, b, false);
	push_words(l, &p, 3, sums, false);
	if (sparse) {
		const u32 selector = l->i->operand_count - 1;
		push(l, &p, ROW32(lower_plain(l, selector - 1, 0)));
		push(l, &p, IMMEDIATE(l->i->operands[selector].value));
	}
	if (!l->failed)
		lower_ptx(l, text, p.args, p.count);
}

static const char *mma(const struct words *w) { return has(w, "SP") ? "mma.sp.sync.aligned" : "mma.sync.aligned"; }

/* Products of quarters of a warp, which only sm_75 has: each step leaves two registers of the D of PTX's m8n8k4. C has
 * two registers for each step, but for an f32 D and an f16 C, where two steps share them. The sums are those of the PTX
 * instruction; which ones sm_75's unit forms is not recorded.
 *
 *  HMMA.884.F32.F16.STEP3 R14, R6.ROW, R8.COL, R14      d6 and d7 are written; R14 and R15 hold the second half of C
 */
static void multiply_quarters(struct lower *l, const struct words *w)
{
	enum { WORDS = 2 };
	const bool wide = !strcmp(w->text[1], "F32"), wide_c = !strcmp(w->text[2], "F32");
	const u32 step = sass_modifier(l->i, MOD_STEP) + sass_modifier(l->i, MOD_STEP2),
		  from_c = wide && !wide_c ? step / 2 : step;
	const u32 counts[4] = {wide ? 8 : 4, WORDS, WORDS, wide_c ? 8 : 4};
	struct product p = {.count = 0};

	if (has(w, "SATFINITE") || (wide_c && !wide))
		lower_fails(l);
	for (u32 k = 0; k < COUNT_OF(counts); k++)
		for (u32 n = 0; n < counts[k]; n++) {
			const bool is_factor = k == 1 || k == 2,
				   is_here = is_factor || n / WORDS == (k ? from_c : step);
			const u32 word = n % WORDS;
			push(l, &p,
			     !k        ? TO32(is_here ? lower_to(l, k, word) : lower_word(l))
			     : is_here ? ROW32(lower_plain(l, k, word))
				       : ROW32(l->zero));
		}
	if (!l->failed)
		lower_ptx(l,
			  lower_text(l, "mma.sync.aligned.m8n8k4%s%s.%s.f16.f16.%s",
				     l->i->operands[1].part ? ".col" : ".row", l->i->operands[2].part ? ".col" : ".row",
				     wide ? "f32" : "f16", wide_c ? "f32" : "f16"),
			  p.args, p.count);
}

void lower_hmma(struct lower *l)
{
	const struct words w = words_of(l);

	if (w.count > 2 && !strcmp(w.text[0], "884")) {
		multiply_quarters(l, &w);
		return;
	}
	const struct shape s = shape_of(l, &w);
	const bool tf32 = has(&w, "TF32"), wide = has(&w, "F32");
	const char *factor = tf32 ? "tf32" : has(&w, "BF16") ? "bf16" : "f16", *sum = wide ? "f32" : "f16";

	multiply(l, lower_text(l, "%s.m%un8k%u.row.col.%s.%s.%s.%s", mma(&w), s.m, s.k, sum, factor, factor, sum), s,
		 tf32 ? 32 : 16, wide ? 32 : 16, has(&w, "SP"));
}

void lower_imma(struct lower *l)
{
	const struct words w = words_of(l);
	const struct shape s = shape_of(l, &w);
	const char *a = type_word(l, &w, 0), *b = type_word(l, &w, 1);

	multiply(l,
		 lower_text(l, "%s.m%un8k%u.row.col%s.s32.%s.%s.s32", mma(&w), s.m, s.k,
			    has(&w, "SAT") ? ".satfinite" : "", a, b),
		 s, a[1] == '4' ? 4 : 8, 32, has(&w, "SP"));
}

/* Bits of a uniform register that say which scales are meant, as a row. */
static struct lower_arg selector(struct lower *l, u32 k, u32 low, u32 width)
{
	const u32 to = lower_word(l);

	PTX(l, "bfe.u32", TO32(to), ROW32(lower_plain(l, k, 0)), ROW32(lower_number(l, low)),
	    ROW32(lower_number(l, width)));
	return ROW16(to);
}

/* Products of blocks, each of which has a scale: registers of scales of A and B, and one that selects which lanes and bytes
 * hold them. Found from what ptxas makes of selectors that are not 0:
 *
 *   bits 0-1 byte and 2 pair of lanes of A's scales; 3-4 byte and 5-6 lane of B's
 *
 * Where A is sparse, its metadata are the register before that of its scales: a pair. */
static void multiply_scaled(struct lower *l, bool sparse, const char *text)
{
	enum { D, A, B, C, A_SCALES, B_SCALES, SELECTORS };
	struct product p = {.count = 0};

	push_words(l, &p, D, 4, true);
	push_words(l, &p, A, 4, false);
	push_words(l, &p, B, sparse ? 4 : 2, false);
	push_words(l, &p, C, 4, false);
	if (sparse) {
		push(l, &p, ROW32(lower_plain(l, A_SCALES, 0)));
		push(l, &p, IMMEDIATE(0));
	}
	push(l, &p, ROW32(lower_plain(l, A_SCALES, sparse)));
	push(l, &p, selector(l, SELECTORS, 0, 2));
	push(l, &p, selector(l, SELECTORS, 2, 1));
	push(l, &p, ROW32(lower_plain(l, B_SCALES, 0)));
	push(l, &p, selector(l, SELECTORS, 3, 2));
	push(l, &p, selector(l, SELECTORS, 5, 2));
	if (!l->failed)
		lower_ptx(l, text, p.args, p.count);
}

static const char *narrow_mma(bool sparse)
{
	return sparse ? "mma.sp::ordered_metadata.sync.aligned" : "mma.sync.aligned";
}

/* Formats of a byte, and narrower ones that lie in bytes. */
void lower_qmma(struct lower *l)
{
	const struct words w = words_of(l);
	const struct shape s = shape_of(l, &w);
	const char *sum = has(&w, "F32") ? "f32" : "f16", *a = type_word(l, &w, 0), *b = type_word(l, &w, 1);
	const bool narrow = modifier(l, MOD_QMMA_A) > 1 || modifier(l, MOD_QMMA_B) > 1, sparse = has(&w, "SP");

	if (a[0] != 'e' || b[0] != 'e')
		lower_fails(l);
	if (has(&w, "SF")) {
		multiply_scaled(l, sparse,
				lower_text(l,
					   "%s.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k%u.row.col.f32.%s.%s.f32."
					   "ue8m0",
					   narrow_mma(sparse), s.k, a, b));
		return;
	}
	multiply(l,
		 lower_text(l, "%s%s.m%un8k%u.row.col.%s.%s.%s.%s", narrow ? narrow_mma(sparse) : mma(&w),
			    narrow ? ".kind::f8f6f4" : "", s.m, s.k, sum, a, b, sum),
		 s, 8, sum[1] == '3' ? 32 : 16, sparse);
}

/* Formats of four bits. */
void lower_omma(struct lower *l)
{
	const struct words w = words_of(l);
	const struct shape s = shape_of(l, &w);
	const bool four = has(&w, "4X"), sparse = has(&w, "SP");

	multiply_scaled(l, sparse,
			lower_text(l,
				   "%s.kind::mxf4nvf4.block_scale.scale_vec::%uX.m16n8k%u.row.col.f32.e2m1.e2m1.f32.%s",
				   narrow_mma(sparse), four ? 4 : 2, s.k, four ? "ue4m3" : "ue8m0"));
}

void lower_bmma(struct lower *l)
{
	const struct words w = words_of(l);
	const struct shape s = shape_of(l, &w);

	multiply(l,
		 lower_text(l, "mma.sync.aligned.m%un8k%u.row.col.s32.b1.b1.s32.%s.popc", s.m, s.k,
			    has(&w, "XOR") ? "xor" : "and"),
		 s, 1, 32, false);
}

/* Products of doubles: rows of 64 bits around them.
 * Products of doubles: pairs of registers are joined to rows of 64 bits before, and split behind. */
void lower_dmma(struct lower *l)
{
	const struct words w = words_of(l);
	struct shape s = shape_of(l, &w);
	struct product p = {.count = 0};
	u32 rows[4][8], counts[4];

	if (s.m == 8 && !s.k)
		s.k = 4;
	counts[0] = counts[3] = s.m * s.n / 32;
	counts[1] = s.m * s.k / 32;
	counts[2] = s.n * s.k / 32;
	for (u32 k = 0; k < 4; k++)
		for (u32 n = 0; n < counts[k] && n < 8; n++) {
			const u32 reg = 2 * n;
			rows[k][n] = k ? lower_join(l, lower_is_rz(l, k) ? l->zero : lower_plain(l, k, reg),
						    lower_is_rz(l, k) ? l->zero : lower_plain(l, k, reg + 1))
				       : lower_long(l);
			push(l, &p, k ? ROW64(rows[k][n]) : TO64(rows[k][n]));
		}
	for (u32 k = 1; k <= 3; k++)
		if (l->i->operands[k].flags & (SASS_MINUS | SASS_BARS))
			lower_fails(l);
	const char *round = has(&w, "RM") ? ".rm" : has(&w, "RP") ? ".rp" : has(&w, "RZ") ? ".rz" : "";
	lower_ptx(l, lower_text(l, "mma.sync.aligned.m%un8k%u.row.col%s.f64.f64.f64.f64", s.m, s.k, round), p.args,
		  p.count);
	for (u32 n = 0; n < counts[0]; n++)
		lower_split(l, lower_to(l, 0, 2 * n), lower_to(l, 0, 2 * n + 1), rows[0][n]);
}

/* --- Matrices moved ------------------------------------------------------------------------- */

void lower_movm(struct lower *l)
{
	enum { U4TO8 = 1, M832 = 1 };

	if (sass_modifier(l->i, MOD_MOVM_TYPE) == U4TO8 && modifier(l, MOD_MOVM) == M832) {
		lower_machine(l, MACHINE_nibbles,
			      (struct insn){.d = lower_to(l, 0, 0), .a = lower_plain(l, 1, 0), .b = lower_to(l, 0, 1)});
		return;
	}
	if (modifier(l, MOD_MOVM) || sass_modifier(l->i, MOD_MOVM_TYPE))
		lower_fails(l);
	PTX(l, "movmatrix.sync.aligned.m8n8.trans.b16", TO32(lower_to(l, 0, 0)), ROW32(lower_plain(l, 1, 0)));
}

/* LDSM and STSM */
/* What follows "ldmatrix.sync.aligned" or "stmatrix.sync.aligned", with the registers of one matrix; NULL: not known. From sm_100 on bits
 * 75-77 say how the elements are packed in memory. */
static const char *matrix_rows_text(struct lower *l, u32 count, u32 *registers)
{
	enum { M88, MT88, M816, MT1616 = 4, STORE_MT168 = 2, PACKED_4 = 5, PACKED_6 = 6, BYTES = 7 };
	const bool is_load = l->i->opcode == SASS_OP_LDSM;
	const u32 type = modifier(l, MOD_LDSM_TYPE) + modifier(l, MOD_LDSM_TYPE100) + modifier(l, MOD_STSM_TYPE);
	const u32 packed = is_load && l->sm >= 100 ? (u32)(l->i->high >> 11) & 7 : 0;
	const char *element = packed == BYTES      ? "b8"
			      : packed == PACKED_6 ? "b8x16.b6x16_p32"
			      : packed == PACKED_4 ? "b8x16.b4x16_p64"
						   : "b16";

	*registers = 1;
	if (is_load && packed && type == M816)
		return lower_text(l, ".m8n16.x%u.shared.%s", count, element);
	if (is_load && packed && type == MT1616 && count <= 2) {
		*registers = 2;
		return lower_text(l, ".m16n16.x%u.trans.shared.%s", count, element);
	}
	if (!is_load && modifier(l, MOD_STSM_BITS))
		return type == STORE_MT168 ? lower_text(l, ".m16n8.x%u.trans.shared.b8", count) : NULL;
	if (packed || type > MT88)
		return NULL;
	return lower_text(l, ".m8n8.x%u%s.shared.b16", count, type == MT88 ? ".trans" : "");
}

void lower_matrix_rows(struct lower *l)
{
	const bool is_load = l->i->opcode == SASS_OP_LDSM;
	const u32 code = modifier(l, MOD_LDSM_COUNT), count = 1u << (code & 3);
	const struct lower_place at = lower_address_of(l, ".shared");
	u32 registers = 1;
	const char *text = code > 2 ? NULL : matrix_rows_text(l, count, &registers);
	struct product p = {.count = 0};

	if (!text) {
		lower_fails(l);
		return;
	}
	if (!is_load) {
		push(l, &p, ROW32(at.base));
		push(l, &p, OFFSET(at.offset));
	}
	for (u32 n = 0; n < count * registers; n++)
		push(l, &p, is_load ? TO32(lower_to(l, 0, n)) : ROW32(lower_stored(l, 1, n)));
	if (is_load) {
		push(l, &p, ROW32(at.base));
		push(l, &p, OFFSET(at.offset));
	}
	lower_ptx(l, lower_text(l, "%s.sync.aligned%s", is_load ? "ldmatrix" : "stmatrix", text), p.args, p.count);
}

/* --- Warpgroups ----------------------------------------------------------------------------- */

static const char *group_types(struct lower *l, const struct words *w)
{
	const char *sum = has(w, "F32") ? "f32" : "f16";

	switch (l->i->opcode) {
	case SASS_OP_HGMMA:
		if (has(w, "TF32"))
			return "f32.tf32.tf32";
		return has(w, "BF16") ? "f32.bf16.bf16" : lower_text(l, "%s.f16.f16", sum);
	case SASS_OP_QGMMA:
		return lower_text(l, "%s.%s.%s", sum, type_word(l, w, 0), type_word(l, w, 1));
	case SASS_OP_IGMMA:
		return lower_text(l, "%ss32.%s.%s", has(w, "SAT") ? "satfinite." : "", type_word(l, w, 0),
				  type_word(l, w, 1));
	default:
		return "s32.b1.b1.and.popc";
	}
}

/* The descriptors stand in four uniform registers: of A, and of B. */
static struct lower_arg descriptor(struct lower *l, u32 k, u32 pair)
{
	const u32 first = l->i->operands[k].uniform + 2 * pair;

	return ROW64(lower_join(l, lower_uniform(l, first), lower_uniform(l, first + 1)));
}

/* Signs and transposes, as far as the type has them: of A, then of B; A in registers is never transposed. */
static void push_choices(struct lower *l, struct product *p, const struct words *w, bool in_registers)
{
	char text[SASS_TEXT];
	const bool halves = l->i->opcode == SASS_OP_HGMMA && !has(w, "TF32");

	sass_print(l->m->decoder, l->i, text);
	if (l->i->opcode != SASS_OP_HGMMA && l->i->opcode != SASS_OP_QGMMA)
		return;
	const bool minus_a = in_registers ? l->i->operands[1].flags & SASS_MINUS : strstr(text, ".negA") != NULL;
	push(l, p, IMMEDIATE(minus_a ? -1 : 1));
	push(l, p, IMMEDIATE(strstr(text, ".negB") ? -1 : 1));
	if (halves && !in_registers)
		push(l, p, IMMEDIATE(strstr(text, ".tnspA") != NULL));
	if (halves)
		push(l, p, IMMEDIATE(strstr(text, ".tnspB") != NULL));
}

/* The predicate behind c says whether c is added: wgmma's scale-d; RZ as c says that it is not. An instruction that
 * closes a group of products has a scoreboard's register as its last operand: a commit follows. */
void lower_gmma(struct lower *l)
{
	const struct words w = words_of(l);
	const struct shape s = shape_of(l, &w);
	const bool sparse = has(&w, "SP"), in_registers = l->i->operands[1].arg == ARG_REGISTER;
	const bool narrow = (l->i->opcode == SASS_OP_HGMMA || l->i->opcode == SASS_OP_QGMMA) && !has(&w, "F32");
	const u32 c = in_registers ? 3 : 2, sums = s.n / (narrow ? 4 : 2);
	struct predicate scale = lower_predicate(l, c + 1);
	struct product p = {.count = 0};

	if (lower_is_rz(l, c))
		scale = (struct predicate){l->false_row, false};
	else if (l->i->operands[c].number != l->i->operands[0].number)
		lower_fails(l);
	push_words(l, &p, 0, sums, true);
	if (in_registers)
		push_words(l, &p, 1, 4, false);
	else
		push(l, &p, descriptor(l, 1, 0));
	push(l, &p, descriptor(l, in_registers ? 2 : 1, 1));
	if (sparse) {
		push(l, &p, ROW32(lower_plain(l, c + 2, 0)));
		push(l, &p, IMMEDIATE(l->i->operands[c + 3].value));
	}
	push(l, &p, TRUTH(scale));
	push_choices(l, &p, &w, in_registers);
	if (!l->failed)
		lower_ptx(l,
			  lower_text(l, "wgmma.mma_async%s.sync.aligned.m64n%uk%u.%s", sparse ? ".sp" : "", s.n, s.k,
				     group_types(l, &w)),
			  p.args, p.count);
	const struct sass_operand *last = &l->i->operands[l->i->operand_count - 1];
	if (!modifier(l, MOD_GSB) && last->arg == ARG_WORD)
		lower_ptx(l, "wgmma.commit_group.sync.aligned", NULL, 0);
}

void lower_warpgroup(struct lower *l)
{
	const struct words w = words_of(l);

	if (has(&w, "ARRIVE"))
		lower_ptx(l, "wgmma.fence.sync.aligned", NULL, 0);
	else if (has(&w, "DEPBAR"))
		PTX(l, "wgmma.wait_group.sync.aligned", IMMEDIATE(l->i->operands[l->i->operand_count - 1].value));
	else
		lower_fails(l);
}
