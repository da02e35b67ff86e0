/* SPDX-License-Identifier: Apache-2.0
 *
 * What instructions read and write. A destination stands at bits 16-23 of the encoding, predicates that are written have
 * no bit that negates them; what differs is said by opcode below.
 *
 * The debugger's watchpoints and types of registers, `who wrote`, liveness and the scoreboard's check go by these.
 * Tables and rules were read off instructions that ptxas and nvdisasm print; what an opcode's rules do not name is one
 * register.
 */
#include "sass/effects.h"

#include <string.h>

#include "isa/tokens.h"
#include "sass/encoding.h"
#include "sass/texture_shape.h"

/* The word of a modifier that is printed; "" if the instruction has none of that kind. */
static const char *word_of(const struct sass_insn *i, enum sass_modifier_kind kind)
{
	for (u32 k = 0; k < i->modifier_count; k++)
		if (i->modifier_kinds[k] == kind && i->modifier_values[k] < sass_modifier_lists[kind].count)
			return sass_modifier_lists[kind].words[i->modifier_values[k]];
	return "";
}

/* A modifier of that kind is encoded, printed or not. */
static bool has(const struct sass_insn *i, enum sass_modifier_kind kind)
{
	for (u32 k = 0; k < i->modifier_count; k++)
		if (i->modifier_kinds[k] == kind)
			return true;
	return false;
}

/* --- How many registers ------------------------------------------------------------------------ */

/* Registers of 32 bits that hold the datum that words such as "64", "U.128", "S64", "F32x2.RN" tell of. */
static u32 words_of(const char *word)
{
	static const struct {
		const char *part;
		u32 words;
	} sizes[] = {{"128", 4}, {"32x4", 4}, {"16x8", 4}, {"32x2", 2}, {"16x4", 2}, {"64", 2}};

	for (u32 k = 0; k < COUNT_OF(sizes); k++)
		if (strstr(word, sizes[k].part))
			return sizes[k].words;
	return 1;
}

/* Of a load, store or atomic operation. */
static u32 datum_words(const struct sass_insn *i)
{
	static const enum sass_modifier_kind kinds[] = {
		MOD_SIZE,       MOD_SIZE_Q,      MOD_SIZE75,    MOD_STAS_SIZE,   MOD_LDC_SIZE,
		MOD_ATOM_TYPE,  MOD_CAS_TYPE,    MOD_ATOM_REAL, MOD_ATOM_TYPE75, MOD_ATOM_TYPE80,
		MOD_REDAS_TYPE, MOD_ARRIVE_TYPE, MOD_SURED_TYPE};
	u32 words = 1;

	for (u32 k = 0; k < COUNT_OF(kinds); k++)
		words = max_u32(words, words_of(word_of(i, kinds[k])));
	return words;
}

/* Registers of A, B and of C and D of a matrix instruction, by its shape. */
struct matrix_words {
	const char *shape;
	u8 a, b, c;
};

static struct matrix_words find_shape(const struct matrix_words *list, u32 count, const char *shape)
{
	for (u32 k = 0; k < count; k++)
		if (!strcmp(list[k].shape, shape))
			return list[k];
	return (struct matrix_words){shape, 1, 1, 1};
}

/* Each generation has shapes of its own. */
static struct matrix_words imma_words(const struct sass_insn *i)
{
	static const struct matrix_words dense[] = {{"8816", 1, 1, 2},
						    {"8832", 1, 1, 2},
						    {"16816", 2, 1, 4},
						    {"16832", 4, 2, 4},
						    {"16864", 4, 2, 4}},
					 sparse[] = {{"16832", 2, 2, 4}, {"16864", 4, 4, 4}, {"168128", 4, 4, 4}};
	static const enum sass_modifier_kind dense_lists[] = {MOD_IMMA_SHAPE75, MOD_IMMA_SHAPE80, MOD_IMMA_SHAPE,
							      MOD_IMMA_SHAPE100},
					     sparse_lists[] = {MOD_IMMA_SP_SHAPE80, MOD_IMMA_SP_SHAPE90,
							       MOD_IMMA_SP_SHAPE};

	for (u32 k = 0; k < COUNT_OF(dense_lists); k++)
		if (has(i, dense_lists[k]))
			return find_shape(dense, COUNT_OF(dense), word_of(i, dense_lists[k]));
	for (u32 k = 0; k < COUNT_OF(sparse_lists); k++)
		if (has(i, sparse_lists[k]))
			return find_shape(sparse, COUNT_OF(sparse), word_of(i, sparse_lists[k]));
	return find_shape(dense, COUNT_OF(dense), "");
}

/* Of QMMA and OMMA. */
static bool is_sparse_narrow(const struct sass_insn *i) { return i->high >> 16 & 1; }

/* Products of blocks with scales name their only shape in the row's text. */
static struct matrix_words narrow_words(const struct sass_insn *i)
{
	static const struct matrix_words dense[] = {{"16816", 2, 1, 4}, {"16832", 4, 2, 4}, {"", 4, 2, 4}},
					 sparse[] = {{"16832", 2, 2, 4}, {"16864", 4, 4, 4}, {"", 4, 4, 4}};
	static const enum sass_modifier_kind lists[] = {MOD_QMMA_SHAPE, MOD_QMMA_SHAPE120, MOD_QMMA_SP_SHAPE120};
	const char *shape = "";

	for (u32 k = 0; k < COUNT_OF(lists); k++)
		shape = has(i, lists[k]) ? word_of(i, lists[k]) : shape;
	struct matrix_words m = is_sparse_narrow(i) ? find_shape(sparse, COUNT_OF(sparse), shape)
						    : find_shape(dense, COUNT_OF(dense), shape);
	if (!strcmp(word_of(i, MOD_QMMA_OUT), "F16"))
		m.c = 2;
	return m;
}

static struct matrix_words matrix_words(const struct sass_insn *i)
{
	static const struct matrix_words hmma[] = {{"1688", 2, 1, 4}, {"16816", 4, 2, 4}, {"1684", 2, 1, 4}},
					 hmma_sparse[] = {{"1688", 2, 2, 4}, {"16816", 2, 2, 4}, {"16832", 4, 4, 4}},
					 bmma[] = {{"88128", 1, 1, 2}, {"168128", 2, 1, 4}, {"168256", 4, 2, 4}},
					 dmma[] = {{"884", 2, 2, 4},
						   {"8x8x4", 2, 2, 4},
						   {"16x8x4", 4, 2, 8},
						   {"16x8x8", 8, 4, 8},
						   {"16x8x16", 16, 8, 8}};
	struct matrix_words m;

	switch (i->opcode) {
	case SASS_OP_HMMA:
		if (!has(i, MOD_HMMA_SHAPE) && !has(i, MOD_HMMA_SP_SHAPE))
			return (struct matrix_words){"884", 2, 2, 2};
		m = has(i, MOD_HMMA_SHAPE)
			    ? find_shape(hmma, COUNT_OF(hmma), word_of(i, MOD_HMMA_SHAPE))
			    : find_shape(hmma_sparse, COUNT_OF(hmma_sparse), word_of(i, MOD_HMMA_SP_SHAPE));
		if (!strcmp(word_of(i, MOD_HMMA_TYPE), "TF32") && !strcmp(m.shape, "1688"))
			m.a = 4, m.b = 2;
		if (!strcmp(word_of(i, MOD_F16_F32), "F16"))
			m.c = 2;
		return m;
	case SASS_OP_IMMA:
		return imma_words(i);
	case SASS_OP_BMMA:
		return find_shape(bmma, COUNT_OF(bmma), word_of(i, MOD_BMMA_SHAPE));
	case SASS_OP_DMMA:
		return find_shape(dmma, COUNT_OF(dmma),
				  has(i, MOD_DMMA)     ? word_of(i, MOD_DMMA)
				  : has(i, MOD_DMMA80) ? "884"
						       : "8x8x4");
	default:
		return narrow_words(i);
	}
}

/* Of the matrix that a warpgroup's instruction accumulates: columns of 64 rows, spread over 128 threads.
 * 64xN: N columns of 64 rows are N / 2 registers a thread in 32 bits, N / 4 in halves. */
static u32 gmma_words(const struct sass_insn *i)
{
	u32 columns = 8;

	for (u32 k = 0; k < i->modifier_count; k++) {
		const char *word = i->modifier_values[k] < sass_modifier_lists[i->modifier_kinds[k]].count
					   ? sass_modifier_lists[i->modifier_kinds[k]].words[i->modifier_values[k]]
					   : "";
		if (!strncmp(word, "64x", 3))
			for (columns = 0, word += 3; *word >= '0' && *word <= '9'; word++)
				columns = columns * 10 + (u32)(*word - '0');
	}
	return columns / (has(i, MOD_GMMA_F32) && !strcmp(word_of(i, MOD_GMMA_F32), "F16") ? 4 : 2);
}

/* Whether it is the operand that the row calls d: the result. */
static bool is_result(const struct sass_field *f) { return f->bits.low[0] == 16 && f->bits.width[0] > 3; }

static u32 conversion_words(const struct sass_insn *i, bool result)
{
	const enum sass_modifier_kind kinds[] = {result ? MOD_REAL_OUT : MOD_REAL_IN,
						 result ? MOD_INT64 : MOD_REAL_IN32, result ? MOD_REAL : MOD_INT_IN,
						 MOD_FRND64};
	u32 words = 1;

	for (u32 k = 0; k < COUNT_OF(kinds); k++)
		words = max_u32(words, words_of(word_of(i, kinds[k])));
	return words;
}

enum { MULTIPLY_WIDE = 0x25, UNIFORM_WIDE = 0xa5, UNIFORM_ADD_64 = 0x97, LOAD_256 = 0x17e, STORE_256 = 0x17f };

static u32 bits_of(const struct sass_insn *i) { return (u32)i->low & 0x1ff; }

/* A sparse product of blocks with scales: form 2 of QMMA and OMMA. */
static bool is_scaled_sparse(const struct sass_insn *i)
{
	return (i->opcode == SASS_OP_QMMA || i->opcode == SASS_OP_OMMA) && (i->low >> 9 & 7) == 2 &&
	       is_sparse_narrow(i);
}

/* What says how many registers an operand is; those that are not named have one. */
enum width_rule {
	WIDTH_ONE,
	WIDTH_DATUM,
	WIDTH_TWO,
	WIDTH_SUM,
	WIDTH_CONVERSION,
	WIDTH_MATRIX,
	WIDTH_GROUP,
	WIDTH_TEXTURE,
	WIDTH_OWN
};

/* clang-format off */
#define OP(name, rule) [SASS_OP_##name] = rule
static const u8 width_rules[SASS_OP_COUNT] = {
	OP(LD, WIDTH_DATUM), OP(LDG, WIDTH_DATUM), OP(LDS, WIDTH_DATUM), OP(LDL, WIDTH_DATUM), OP(LDC, WIDTH_DATUM),
	OP(ULDC, WIDTH_DATUM), OP(LDCU, WIDTH_DATUM), OP(ST, WIDTH_DATUM), OP(STG, WIDTH_DATUM), OP(STS, WIDTH_DATUM),
	OP(STL, WIDTH_DATUM), OP(STAS, WIDTH_DATUM), OP(ATOM, WIDTH_DATUM), OP(ATOMG, WIDTH_DATUM),
	OP(ATOMS, WIDTH_DATUM), OP(RED, WIDTH_DATUM), OP(REDG, WIDTH_DATUM), OP(REDAS, WIDTH_DATUM),
	OP(DADD, WIDTH_TWO), OP(DMUL, WIDTH_TWO), OP(DFMA, WIDTH_TWO), OP(DSETP, WIDTH_TWO), OP(FADD2, WIDTH_TWO),
	OP(FMUL2, WIDTH_TWO), OP(FFMA2, WIDTH_TWO), OP(IMAD, WIDTH_SUM), OP(UIMAD, WIDTH_SUM), OP(UIADD3, WIDTH_SUM),
	OP(F2F, WIDTH_CONVERSION), OP(F2I, WIDTH_CONVERSION), OP(I2F, WIDTH_CONVERSION), OP(FRND, WIDTH_CONVERSION),
	OP(HMMA, WIDTH_MATRIX), OP(IMMA, WIDTH_MATRIX), OP(BMMA, WIDTH_MATRIX), OP(DMMA, WIDTH_MATRIX),
	OP(QMMA, WIDTH_MATRIX), OP(OMMA, WIDTH_MATRIX), OP(HGMMA, WIDTH_GROUP), OP(IGMMA, WIDTH_GROUP), OP(QGMMA, WIDTH_GROUP),
	OP(BGMMA, WIDTH_GROUP), OP(TEX, WIDTH_TEXTURE), OP(TLD, WIDTH_TEXTURE), OP(TLD4, WIDTH_TEXTURE), OP(TXD, WIDTH_TEXTURE),
	OP(TXQ, WIDTH_TEXTURE), OP(SULD, WIDTH_DATUM), OP(SUST, WIDTH_OWN), OP(SURED, WIDTH_DATUM), OP(CS2R, WIDTH_OWN), OP(CS2UR, WIDTH_OWN), OP(MATCH, WIDTH_OWN), OP(IADD, WIDTH_OWN),
	OP(MOV, WIDTH_OWN), OP(UMOV, WIDTH_OWN), OP(LDSM, WIDTH_OWN), OP(STSM, WIDTH_OWN),
};
/* clang-format on */

/* By words of the instruction that no other one has. */
static u32 own_words(const struct sass_insn *i, bool result)
{
	switch (i->opcode) {
	case SASS_OP_SUST:
		return has(i, MOD_SURFACE_MASK) ? (u32)__builtin_popcount(sass_modifier(i, MOD_SURFACE_MASK))
						: datum_words(i);
	case SASS_OP_CS2R:
	case SASS_OP_CS2UR:
		return word_of(i, MOD_CS2R)[0] ? 1 : 2;
	case SASS_OP_MATCH:
		return result ? 1 : words_of(word_of(i, MOD_U64));
	case SASS_OP_IADD:
		return words_of(word_of(i, MOD_B64));
	case SASS_OP_MOV:
	case SASS_OP_UMOV:
		return words_of(word_of(i, MOD_MOV64));
	default: /* LDSM, STSM: "", "2", "4" */
		return (word_of(i, MOD_LDSM_COUNT)[0] ? (u32)(word_of(i, MOD_LDSM_COUNT)[0] - '0') : 1) *
		       (strcmp(word_of(i, MOD_LDSM_TYPE100), "MT1616") ? 1 : 2);
	}
}

/* Two results from d on and two from R@64 on, as many as the mask names; halves share registers. */
static u32 texture_words(const struct sass_insn *i, const struct sass_field *f)
{
	const u32 all = (u32)__builtin_popcount(sass_texture_mask(i)), from = f->bits.low[0];
	const u32 shared = sass_modifier(i, MOD_TEX_F16) ? 2 : 1;
	u32 arguments[2];

	sass_texture_arguments(i, arguments);
	if (from == 16)
		return (min_u32(all, 2) + shared - 1) / shared;
	if (from == 64)
		return all > 2 ? (all - 2 + shared - 1) / shared : 0;
	return f->arg == ARG_UREGISTER ? 1 : arguments[from != 24];
}

/* Registers of the operand of the field, of which it names the first. `source`: which of the sources, from 0. */
static u32 register_words(const struct sass_insn *i, const struct sass_field *f, u32 source)
{
	const bool result = is_result(f);
	struct matrix_words m;

	switch (width_rules[i->opcode]) {
	case WIDTH_DATUM:
		return bits_of(i) == LOAD_256 || bits_of(i) == STORE_256 ? 4 : datum_words(i);
	case WIDTH_TWO:
		return 2;
	case WIDTH_SUM:
		if (bits_of(i) == UNIFORM_ADD_64)
			return 2;
		return (bits_of(i) == MULTIPLY_WIDE || bits_of(i) == UNIFORM_WIDE) && (result || source == 2) ? 2 : 1;
	case WIDTH_CONVERSION:
		return conversion_words(i, result);
	case WIDTH_MATRIX:
		m = matrix_words(i);
		if (source == 3 && is_scaled_sparse(i)) /* metadata and the scales of A */
			return 2;
		return result || source == 2 ? m.c : source == 0 ? m.a : source == 1 ? m.b : 1;
	case WIDTH_GROUP:
		return result || f->bits.low[0] == 64 ? gmma_words(i) : f->bits.low[0] == 24 ? 4 : 1;
	case WIDTH_TEXTURE:
		return texture_words(i, f);
	case WIDTH_OWN:
		return own_words(i, result);
	default:
		return 1;
	}
}

/* --- As what type ------------------------------------------------------------------------------- */

static u16 integer_type(const char *word, u32 words)
{
	const bool is_unsigned = word[0] == 'U';

	if (words == 2)
		return is_unsigned ? T_u64 : T_s64;
	return is_unsigned ? T_u32 : T_s32;
}

static u16 real_type(const char *word)
{
	return !strcmp(word, "F64") ? T_f64 : !strcmp(word, "F16") ? T_f16 : !strcmp(word, "BF16") ? T_bf16 : T_f32;
}

/* Pairs of halves, bf16 if a modifier says so. */
static u16 half_type(const struct sass_insn *i)
{
	for (u32 k = 0; k < i->modifier_count; k++) {
		const u16 kind = i->modifier_kinds[k];
		if ((kind == MOD_HALF_TYPE || kind == MOD_HALF_TYPE4 || kind == MOD_HALF_TYPE2) &&
		    word_of(i, kind)[0] == 'B')
			return T_bf16x2;
	}
	return T_f16x2;
}

static u16 conversion_type(const struct sass_insn *i, bool result, u32 words)
{
	switch (i->opcode) {
	case SASS_OP_F2F:
		return real_type(word_of(i, result ? MOD_REAL_OUT : MOD_REAL_IN));
	case SASS_OP_F2I:
		return result ? integer_type(word_of(i, has(i, MOD_INT64) ? MOD_INT64 : MOD_INT), words)
			      : real_type(word_of(i, MOD_REAL_IN32));
	case SASS_OP_I2F:
	case SASS_OP_UI2F:
		return result ? real_type(word_of(i, has(i, MOD_REAL) ? MOD_REAL : MOD_REAL32))
			      : integer_type(word_of(i, MOD_INT_IN), words);
	case SASS_OP_I2FP:
	case SASS_OP_UI2FP:
		return result ? T_f32 : integer_type(word_of(i, MOD_INT_PACK), words);
	default:
		return words == 2 ? T_f64 : real_type(word_of(i, MOD_REAL));
	}
}

static u16 matrix_type(const struct sass_insn *i, bool result, u32 source)
{
	const bool narrow = i->opcode == SASS_OP_HMMA ? !strcmp(word_of(i, MOD_F16_F32), "F16")
						      : !strcmp(word_of(i, MOD_GMMA_F32), "F16");
	const char *type = word_of(i, i->opcode == SASS_OP_HMMA ? MOD_HMMA_TYPE : MOD_GMMA_TYPE);

	switch (i->opcode) {
	case SASS_OP_HMMA:
	case SASS_OP_HGMMA:
		if (result || source == 2)
			return narrow ? T_f16x2 : T_f32;
		return !strcmp(type, "BF16") ? T_bf16x2 : !strcmp(type, "TF32") ? T_f32 : T_f16x2;
	case SASS_OP_IMMA:
	case SASS_OP_BMMA:
	case SASS_OP_IGMMA:
	case SASS_OP_BGMMA:
		return result || source == 2 ? T_s32 : T_b32;
	case SASS_OP_DMMA:
		return T_f64;
	default:
		return result || source == 2 ? T_f32 : T_b32;
	}
}

/* Only floats' atomics and loads of part words say a type; whole words may be anything. */
static u16 memory_type(const struct sass_insn *i)
{
	const char *real = word_of(i, MOD_ATOM_REAL);
	const char *size = word_of(i, has(i, MOD_SIZE_Q)     ? MOD_SIZE_Q
				      : has(i, MOD_LDC_SIZE) ? MOD_LDC_SIZE
				      : has(i, MOD_SIZE75)   ? MOD_SIZE75
							     : MOD_SIZE);

	if (real[0])
		return !strncmp(real, "F64", 3)   ? T_f64
		       : !strncmp(real, "F32", 3) ? T_f32
		       : real[0] == 'B'           ? T_bf16x2
						  : T_f16x2;
	if (!strcmp(size, "U8") || !strcmp(size, "U16"))
		return T_u32;
	return !strcmp(size, "S8") || !strcmp(size, "S16") ? T_s32 : TOKEN_NONE;
}

/* What says of which type a value is: moves, selections and loads leave it what it was. */
enum value_rule {
	VALUE_AS_IT_IS,
	VALUE_F32,
	VALUE_F64,
	VALUE_HALVES,
	VALUE_CONVERTED,
	VALUE_MATRIX,
	VALUE_INTEGER,
	VALUE_SHIFTED,
	VALUE_COUNT,
	VALUE_BITS,
	VALUE_MUFU,
	VALUE_PACKED,
	VALUE_MEMORY
};

/* clang-format off */
static const u8 value_rules[SASS_OP_COUNT] = {
	OP(FADD, VALUE_F32), OP(FMUL, VALUE_F32), OP(FFMA, VALUE_F32), OP(FSEL, VALUE_F32), OP(FMNMX, VALUE_F32),
	OP(FMNMX3, VALUE_F32), OP(FSETP, VALUE_F32), OP(FCHK, VALUE_F32), OP(FADD2, VALUE_F32), OP(FMUL2, VALUE_F32),
	OP(FFMA2, VALUE_F32), OP(UFADD, VALUE_F32), OP(UFMUL, VALUE_F32), OP(UFFMA, VALUE_F32), OP(UFMNMX, VALUE_F32), OP(UFSEL, VALUE_F32), OP(UFSET, VALUE_F32), OP(UFSETP, VALUE_F32), OP(FSET, VALUE_F32),
	OP(DADD, VALUE_F64), OP(DMUL, VALUE_F64), OP(DFMA, VALUE_F64), OP(DSETP, VALUE_F64), OP(MUFU, VALUE_MUFU),
	OP(HADD2, VALUE_HALVES), OP(HMUL2, VALUE_HALVES), OP(HFMA2, VALUE_HALVES), OP(HMNMX2, VALUE_HALVES), OP(VHMNMX, VALUE_HALVES),
	OP(HSETP2, VALUE_HALVES), OP(HSET2, VALUE_HALVES), OP(F2F, VALUE_CONVERTED), OP(F2I, VALUE_CONVERTED),
	OP(I2F, VALUE_CONVERTED), OP(UI2F, VALUE_CONVERTED), OP(I2FP, VALUE_CONVERTED), OP(UI2FP, VALUE_CONVERTED),
	OP(FRND, VALUE_CONVERTED), OP(UFRND, VALUE_CONVERTED), OP(UF2FP, VALUE_PACKED), OP(F2FP, VALUE_PACKED), OP(HMMA, VALUE_MATRIX), OP(IMMA, VALUE_MATRIX),
	OP(BMMA, VALUE_MATRIX), OP(DMMA, VALUE_MATRIX), OP(QMMA, VALUE_MATRIX), OP(OMMA, VALUE_MATRIX), OP(HGMMA, VALUE_MATRIX),
	OP(IGMMA, VALUE_MATRIX), OP(QGMMA, VALUE_MATRIX), OP(BGMMA, VALUE_MATRIX), OP(IMAD, VALUE_INTEGER),
	OP(UIMAD, VALUE_INTEGER), OP(ISETP, VALUE_INTEGER), OP(UISETP, VALUE_INTEGER), OP(IMNMX, VALUE_INTEGER),
	OP(VIMNMX, VALUE_INTEGER), OP(SGXT, VALUE_INTEGER), OP(USGXT, VALUE_INTEGER), OP(IABS, VALUE_INTEGER),
	OP(IADD3, VALUE_INTEGER), OP(UIADD3, VALUE_INTEGER), OP(VIADD, VALUE_INTEGER), OP(IADD, VALUE_INTEGER),
	OP(LEA, VALUE_INTEGER), OP(ULEA, VALUE_INTEGER), OP(IDP, VALUE_INTEGER), OP(VIADDMNMX, VALUE_INTEGER),
	OP(SHF, VALUE_SHIFTED), OP(USHF, VALUE_SHIFTED), OP(POPC, VALUE_COUNT), OP(UPOPC, VALUE_COUNT),
	OP(FLO, VALUE_COUNT), OP(UFLO, VALUE_COUNT), OP(S2R, VALUE_COUNT), OP(S2UR, VALUE_COUNT), OP(LOP3, VALUE_BITS),
	OP(ULOP3, VALUE_BITS), OP(BMSK, VALUE_BITS), OP(UBMSK, VALUE_BITS), OP(BREV, VALUE_BITS), OP(UBREV, VALUE_BITS), OP(VOTE, VALUE_BITS), OP(VOTEU, VALUE_BITS),
	OP(MATCH, VALUE_BITS), OP(P2R, VALUE_BITS), OP(LD, VALUE_MEMORY), OP(LDG, VALUE_MEMORY), OP(LDS, VALUE_MEMORY),
	OP(LDL, VALUE_MEMORY), OP(LDC, VALUE_MEMORY), OP(ULDC, VALUE_MEMORY), OP(LDCU, VALUE_MEMORY), OP(ATOM, VALUE_MEMORY),
	OP(ATOMG, VALUE_MEMORY), OP(ATOMS, VALUE_MEMORY), OP(RED, VALUE_MEMORY), OP(REDG, VALUE_MEMORY),
};
/* clang-format on */
#undef OP

/* A multiplication by nothing is a move: IMAD.MOV. */
static bool is_move(const struct sass_insn *i)
{
	return i->opcode == SASS_OP_IMAD && bits_of(i) != MULTIPLY_WIDE && i->operands[1].arg == ARG_REGISTER &&
	       i->operands[1].number == SASS_RZ;
}

/* TOKEN_NONE: the instruction does not say. */
static u16 value_type(const struct sass_insn *i, bool result, u32 source, u32 words)
{
	switch (value_rules[i->opcode]) {
	case VALUE_F32:
		return T_f32;
	case VALUE_F64:
		return T_f64;
	case VALUE_MUFU: /* RCP64H and RSQ64H: the upper half of a double */
		return strstr(word_of(i, MOD_MUFU), "64H") ? T_b32 : real_type(word_of(i, MOD_MUFU_TYPE));
	case VALUE_HALVES:
		return result && !strcmp(word_of(i, MOD_HALF_F32_OUT), "F32") ? T_f32 : half_type(i);
	case VALUE_CONVERTED:
		return conversion_type(i, result, words);
	case VALUE_PACKED:
		return result ? T_f16x2 : T_f32;
	case VALUE_MATRIX:
		return matrix_type(i, result, source);
	case VALUE_INTEGER:
		if (is_move(i))
			return TOKEN_NONE;
		/* Sums of 64 bits are addresses, mostly. */
		return words == 2 ? T_b64 : integer_type(word_of(i, has(i, MOD_X2) ? MOD_X2 : MOD_U32), 1);
	case VALUE_SHIFTED:
		return result ? integer_type(word_of(i, MOD_SHIFT_TYPE), 1) : TOKEN_NONE;
	case VALUE_COUNT:
		return result ? T_u32 : T_b32;
	case VALUE_BITS:
		return T_b32;
	case VALUE_MEMORY:
		return memory_type(i);
	default:
		return TOKEN_NONE;
	}
}

/* --- Effects ------------------------------------------------------------------------------------ */

static void add(struct sass_effects *to, struct sass_effect e)
{
	if (e.count && to->count < SASS_EFFECTS)
		to->items[to->count++] = e;
}

static void add_register(struct sass_effects *to, bool uniform, u32 number, u32 count, struct sass_effect e)
{
	if (number >= SASS_NO_REGISTER)
		return;
	e.first = (u16)((uniform ? SASS_INDEX_UR : SASS_INDEX_R) + number);
	e.count = (u16)min_u32(count, SASS_NO_REGISTER - number);
	add(to, e);
}

/* Before sm_80 the text of a global address does not say that it has 64 bits, the word E does. */
static bool is_extended(const struct sass_insn *i)
{
	return !strcmp(word_of(i, MOD_E), "E") || !strcmp(word_of(i, MOD_E_WIDE), "E");
}

/* Coordinates of a surface. */
static u32 address_words(const struct sass_insn *i)
{
	const struct sass_texture_shape s = sass_surface_shape(i);

	return has(i, MOD_SURFACE_DIM) ? (u32)s.dimensions + s.layered : 1;
}

/* Base registers are pairs for 64-bit addresses; a descriptor is a pair of uniform registers. */
static void add_address(struct sass_effects *to, const struct sass_insn *i, const struct sass_operand *o)
{
	const struct sass_effect wide = {.is_address = true, .type = T_b64},
				 narrow = {.is_address = true, .type = T_b32};
	const bool is_wide = !(o->flags & SASS_U32) && (o->flags & SASS_WIDE || is_extended(i));
	const bool uniform_wide = o->flags & (SASS_WIDE | SASS_U32) || is_extended(i);

	add_register(to, false, o->base, is_wide ? 2 : address_words(i), is_wide ? wide : narrow);
	if (o->uniform != SASS_NO_REGISTER)
		add_register(to, true, o->uniform, uniform_wide ? 2 : 1, uniform_wide ? wide : narrow);
	if (o->descriptor != SASS_NO_REGISTER)
		add_register(to, true, o->descriptor, 2, wide);
}

static bool is_store(const struct sass_insn *i) { return bits_of(i) == STORE_256; }

/* The second result of a load of 256 bits, of a lookup. */
static bool is_second_result(const struct sass_insn *i, const struct sass_field *f)
{
	return (bits_of(i) == LOAD_256 || width_rules[i->opcode] == WIDTH_TEXTURE) && f->bits.low[0] == 64;
}

static void add_predicate(struct sass_effects *to, const struct sass_field *f, const struct sass_operand *o,
			  bool written)
{
	const bool uniform = o->arg == ARG_UPREDICATE;

	if (o->number >= SASS_PT || written != (!f->not_bit && !f->inverted))
		return;
	add(to, (struct sass_effect){.first = (u16)((uniform ? SASS_INDEX_UP : SASS_INDEX_P) + o->number),
				     .count = 1,
				     .written = written,
				     .type = T_pred});
}

static void add_barrier(struct sass_effects *to, const struct sass_insn *i, const struct sass_operand *o, bool written)
{
	const bool writes = i->opcode == SASS_OP_BSSY || i->opcode == SASS_OP_BREAK ||
			    (i->opcode == SASS_OP_BMOV && i->operands[0].arg == ARG_BARRIER);
	const bool reads = !writes || i->opcode == SASS_OP_BREAK;

	if (written ? writes : reads)
		add(to,
		    (struct sass_effect){
			    .first = (u16)(SASS_INDEX_B + o->number), .count = 1, .written = written, .type = T_b32});
}

/* Called twice for each operand: for what is read, and for what is written. */
/* R4.F32 of a packed sum: both halves take the one register. */
static bool is_one_for_both(const struct sass_operand *o) { return o->part_of == MOD_F32X2 && o->part == 2; }

static void add_operand(struct sass_effects *to, const struct sass_insn *i, const struct sass_field *f,
			const struct sass_operand *o, u32 source, bool written)
{
	const bool result = (is_result(f) && !is_store(i)) || is_second_result(i, f);
	const struct sass_effect address = {.is_address = true, .type = T_b32};
	u32 words;

	switch (o->arg) {
	case ARG_REGISTER:
	case ARG_UREGISTER:
		if (result != written)
			return;
		words = is_one_for_both(o) ? 1 : register_words(i, f, source);
		add_register(to, o->arg == ARG_UREGISTER, o->number, words,
			     (struct sass_effect){.written = written, .type = value_type(i, written, source, words)});
		return;
	case ARG_PREDICATE:
	case ARG_UPREDICATE:
		add_predicate(to, f, o, written);
		return;
	case ARG_BARRIER:
		add_barrier(to, i, o, written);
		return;
	case ARG_ADDRESS:
		if (!written)
			add_address(to, i, o);
		return;
	case ARG_CONSTANT:
	case ARG_UCONSTANT:
		if (written)
			return;
		add_register(to, false, o->base, 1, address);
		if (o->uniform != SASS_NO_REGISTER)
			add_register(to, true, o->uniform, o->arg == ARG_UCONSTANT ? 2 : 1, address);
		return;
	default:
		return;
	}
}

/* Predicates that moves from and to a register name as a whole. */
static void add_all_predicates(struct sass_effects *to, const struct sass_insn *i, bool written)
{
	const bool reads = i->opcode == SASS_OP_P2R || i->opcode == SASS_OP_UP2UR;
	const bool writes = i->opcode == SASS_OP_R2P || i->opcode == SASS_OP_UR2UP;
	const bool uniform = i->opcode == SASS_OP_UP2UR || i->opcode == SASS_OP_UR2UP;

	if (written ? writes : reads)
		add(to, (struct sass_effect){.first = uniform ? SASS_INDEX_UP : SASS_INDEX_P,
					     .count = SASS_PT,
					     .written = written,
					     .type = T_pred});
}

/* Reads come first, then writes, as the debugger lists them. */
void sass_effects_of(const struct sass_decoder *d, const struct sass_insn *i, struct sass_effects *to)
{
	const struct sass_rule *rule = &d->rules[i->row];

	to->count = 0;
	if (i->guard != SASS_PT)
		add(to,
		    (struct sass_effect){.first = (u16)((i->guard_uniform ? SASS_INDEX_UP : SASS_INDEX_P) + i->guard),
					 .count = 1,
					 .type = T_pred});
	for (u32 written = 0; written < 2; written++) {
		u32 source = 0, operand = 0;
		for (u32 k = 0; k < rule->field_count; k++) {
			const struct sass_field *f = &rule->fields[k];
			if (f->kind != FIELD_OPERAND)
				continue;
			const struct sass_operand *o = &i->operands[operand++];
			const bool is_source = o->arg != ARG_PREDICATE && o->arg != ARG_UPREDICATE && !is_result(f);
			add_operand(to, i, f, o, source, written);
			source += is_source;
		}
		add_all_predicates(to, i, written);
	}
}
