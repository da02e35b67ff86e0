/* SPDX-License-Identifier: Apache-2.0
 *
 * SASS: video instructions on one value, as PTX's scalar ones (vadd and its like): sources of 8, 16
 * or 32 bits, the result perhaps clamped to the destination's type, then combined with or merged
 * into a third register. And what is known by name only: textures, surfaces, graphics.
 */
#include "sem/sass.h"

enum { OF_ADD, OF_SUB, OF_ABSDIFF, OF_MIN, OF_MAX, OF_SHL, OF_SHR, OF_MAD, OF_SET };
enum { THEN_NOTHING, THEN_ACC, THEN_MIN, THEN_MAX, THEN_16H, THEN_16L, THEN_8B0, THEN_8B1, THEN_8B2, THEN_8B3 };

/* The word: two types of three bits (logarithm of bytes, sign), then the rest; the selectors last. */
enum {
	WORD_B = 3,
	WORD_UNSIGNED = 1 << 6,
	WORD_SAT = 1 << 7,
	WORD_WRAP = 1 << 8,
	WORD_PLUS_ONE = 1 << 9,
	WORD_THEN = 10,
	WORD_SCALE = 14, /* 7 or 15 bits to the right, in 4 bits */
	WORD_COMPARE = 18,
	WORD_SHIFTS = 21
};

static u32 type_code(const char *text)
{
	const u32 size = !strcmp(text + 1, "8") ? 0 : !strcmp(text + 1, "16") ? 1 : 2;
	return size | (text[0] == 'S' ? 4 : 0);
}
static bool is_type(const char *t) { return (*t == 'U' || *t == 'S') && strchr("813", t[1]) && t[1]; }

/* All of the form's words in one number, so that one function for each operation does all combinations. */
static u32 word_video(const struct form *f)
{
	static const char *const thens[] = {"ACC",     "MIN",     "MAX",     "MRG_16H", "MRG_16L",
					    "MRG_8B0", "MRG_8B1", "MRG_8B2", "MRG_8B3"};
	u32 word = 0, types = 0;

	for (u32 k = 0; k < f->word_count; k++) {
		const enum sass_condition c = sass_condition_find(f->words[k]);
		if (is_type(f->words[k]))
			word |= type_code(f->words[k]) << WORD_B * types++;
		else if (c <= SASS_CC_GE)
			word |= (u32)c << WORD_COMPARE;
	}
	for (u32 k = 0; k < COUNT_OF(thens); k++)
		if (form_has_word(f, thens[k]))
			word |= (k + 1) << WORD_THEN;
	if (form_has_word(f, "SHR_7") || form_has_word(f, "SHR_15"))
		word |= (form_has_word(f, "SHR_7") ? 7u : 15u) << WORD_SCALE;
	return word | (form_has_word(f, "UD") ? WORD_UNSIGNED : 0) | (form_has_word(f, "SAT") ? WORD_SAT : 0) |
	       (form_has_word(f, "W") ? WORD_WRAP : 0) | (form_has_word(f, "PO") ? WORD_PLUS_ONE : 0) |
	       (u32)f->selects << WORD_SHIFTS;
}

/* The part of a source that the selector names, extended. */
static inline s64 source(u32 value, u32 type, u32 shift)
{
	const u32 spare = 64 - (8u << (type & 3));
	const u64 top = (u64)(value >> shift) << spare;
	return type & 4 ? (s64)top >> spare : (s64)(top >> spare);
}

static inline s64 operation(u32 which, u32 word, s64 a, s64 b, u32 c)
{
	const u32 count = word & WORD_WRAP ? (u32)b & 31 : b < 0 || b > 32 ? 32 : (u32)b;
	const u32 compare = word >> WORD_COMPARE & 7;

	switch (which) {
	case OF_ADD:
		return a + b;
	case OF_SUB:
		return a - b;
	case OF_ABSDIFF:
		return a < b ? b - a : a - b;
	case OF_MIN:
		return a < b ? a : b;
	case OF_MAX:
		return a < b ? b : a;
	case OF_SHL:
		return (s64)((u64)a << count);
	case OF_SHR:
		return a >> count;
	case OF_MAD:
		return (a * b + (word & WORD_UNSIGNED ? (s64)c : (s32)c) + (word & WORD_PLUS_ONE ? 1 : 0)) >>
		       (word >> WORD_SCALE & 15);
	default:
		return (compare & 1 && a < b) || (compare & 2 && a == b) || (compare & 4 && a > b);
	}
}

/* value in place of `bits` bits of c. */
static inline u32 merge(u32 c, u32 value, u32 at, u32 bits)
{
	const u32 field = ((1u << bits) - 1) << at;
	return (c & ~field) | (value << at & field);
}

/* Clamping, then what becomes of the third source. */
static inline u32 finish(u32 word, s64 r, u32 c)
{
	const bool is_unsigned = word & WORD_UNSIGNED;

	if (word & WORD_SAT) {
		const s64 low = is_unsigned ? 0 : INT32_MIN, high = is_unsigned ? UINT32_MAX : INT32_MAX;
		r = r < low ? low : r > high ? high : r;
	}
	const u32 v = (u32)r;
	const bool less = is_unsigned ? v < c : (s32)v < (s32)c;
	const u32 then = word >> WORD_THEN & 15;
	switch (then) {
	case THEN_NOTHING:
		return v;
	case THEN_ACC:
		return v + c;
	case THEN_MIN:
		return less ? v : c;
	case THEN_MAX:
		return less ? c : v;
	case THEN_16H:
		return merge(c, v, 16, 16);
	case THEN_16L:
		return merge(c, v, 0, 16);
	default:
		return merge(c, v, 8 * (then - THEN_8B0), 8);
	}
}

#define VIDEO(NAME, WHICH)                                                                                 \
	SASS_LANES_WORD(NAME, word_video,                                                                  \
			finish(word,                                                                       \
			       operation(WHICH, word, source(a, word & 7, word >> WORD_SHIFTS & 31),       \
					 source(b, word >> WORD_B & 7, word >> WORD_SHIFTS >> 5 & 31), c), \
			       WHICH == OF_MAD ? 0 : c));                                                  \
	PICK_SASS(NAME, &NAME)
VIDEO(vadd, OF_ADD)
VIDEO(vsub, OF_SUB)
VIDEO(vabsdiff, OF_ABSDIFF)
VIDEO(vmin, OF_MIN)
VIDEO(vmax, OF_MAX)
VIDEO(vshl, OF_SHL)
VIDEO(vshr, OF_SHR)
VIDEO(vmad, OF_MAD)
VIDEO(vset, OF_SET)

#define TYPE                       "(.U8|.S8|.U16|.S16|.U32|.S32)"
#define THEN                       "[.ACC|.MIN|.MAX|.MRG_16H|.MRG_16L|.MRG_8B0|.MRG_8B1|.MRG_8B2|.MRG_8B3]"
#define VIDEO_ROW(NAME, PICK, DOC) FERMI(NAME "[.UD|.SD]" TYPE TYPE "[.SAT]" THEN, "D R S ?R", SASS_SELECT, PICK, DOC)

static const struct isa_row rows_video[] = {
	VIDEO_ROW("VADD", pick_vadd, "Adds parts of registers."),
	VIDEO_ROW("VSUB", pick_vsub, "Subtracts parts of registers."),
	VIDEO_ROW("VABSDIFF", pick_vabsdiff, "The distance of parts of registers."),
	VIDEO_ROW("VMIN", pick_vmin, "The lesser of parts of registers."),
	VIDEO_ROW("VMAX", pick_vmax, "The greater of parts of registers."),
	FERMI("VSHL[.UD|.SD]" TYPE TYPE "[.W][.SAT]" THEN, "D R S ?R", SASS_SELECT, pick_vshl,
	      "Shifts a part of a register left."),
	FERMI("VSHR[.UD|.SD]" TYPE TYPE "[.W][.SAT]" THEN, "D R S ?R", SASS_SELECT, pick_vshr,
	      "Shifts a part of a register right."),
	FERMI("VMAD[.UD|.SD]" TYPE TYPE "[.PO][.SHR_7|.SHR_15][.SAT]", "D R S R", SASS_SELECT, pick_vmad,
	      "Multiplies parts of registers, adds, and scales."),
	FERMI("VSET(.LT|.EQ|.LE|.GT|.NE|.GE)" TYPE TYPE THEN, "D R S ?R", SASS_SELECT, pick_vset,
	      "Compares parts of registers: 1 or 0."),
};
FAMILY(sass_video, "SASS: video", CLASS_INTEGER, rows_video);

#define BY_NAME(NAME, DOC) FERMI(NAME, "", ISA_UNMODELLED, NULL, DOC)

static const struct isa_row rows_other[] = {
	BY_NAME("TEX", "Texture fetch."),
	BY_NAME("TLD", "Texture load."),
	BY_NAME("TLD4", "Texture load of four texels."),
	BY_NAME("TXQ", "Texture query."),
	BY_NAME("TXA", "Texture fetch with area."),
	BY_NAME("TXD", "Texture fetch with derivatives."),
	BY_NAME("TMML", "Texture level of detail."),
	BY_NAME("TEXDEPBAR", "Waits for textures."),
	BY_NAME("SULD", "Surface load."),
	BY_NAME("SULEA", "Surface address."),
	BY_NAME("SUST", "Surface store."),
	BY_NAME("SURED", "Surface reduction."),
	BY_NAME("SUQ", "Surface query."),
	BY_NAME("SUBFM", "Surface address."),
	BY_NAME("SUCLAMP", "Surface address."),
	BY_NAME("SUEAU", "Surface address."),
	BY_NAME("SULDGA", "Surface load by address."),
	BY_NAME("SUSTGA", "Surface store by address."),
	BY_NAME("LDLK", "Locking load of global memory."),
	BY_NAME("STUL", "Unlocking store to global memory."),
	BY_NAME("LD_LDU", "Two loads at once."),
	BY_NAME("LDS_LDU", "Two loads at once."),
	BY_NAME("STP", "Store to the stack."),
	BY_NAME("ALD", "Load of an attribute."),
	BY_NAME("AST", "Store of an attribute."),
	BY_NAME("AL2P", "Address of an attribute."),
	BY_NAME("OUT", "Output of a vertex."),
	BY_NAME("IPA", "Interpolation."),
	BY_NAME("PIXLD", "Pixel data."),
	BY_NAME("FSWZ", "Exchange among four lanes."),
	BY_NAME("LEPC", "Load of the program counter."),
	BY_NAME("CSET", "Condition code as a number."),
	BY_NAME("CSETP", "Condition code as a predicate."),
	BY_NAME("B2R", "Barrier's state."),
	BY_NAME("R2B", "Sets a barrier's state."),
	BY_NAME("LONGJMP", "Jump out of calls."),
	BY_NAME("PLONGJMP", "Target of LONGJMP."),
	BY_NAME("GETCRSPTR", "The stack's pointer."),
	BY_NAME("SETCRSPTR", "Sets the stack's pointer."),
	BY_NAME("GETLMEMBASE", "Local memory's base."),
	BY_NAME("SETLMEMBASE", "Sets local memory's base."),
	BY_NAME("SAM", "Sets the active mask."),
	BY_NAME("RAM", "Resets the active mask."),
	BY_NAME("RTT", "Returns from a trap."),
	BY_NAME("IDE", "Interrupts on or off."),
};
FAMILY(sass_other, "SASS: by name only", CLASS_MISC, rows_other);
