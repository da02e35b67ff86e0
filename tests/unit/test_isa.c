/* SPDX-License-Identifier: Apache-2.0
 *
 * The instruction table's machinery, on made-up rows: tokens, matching, operand words, expansion,
 * selectors; and the table of special registers.
 */
#include "isa/isa.h"
#include "isa/sregs.h"
#include "main.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct meaning some_meaning;
static const struct meaning *pick_any(const struct form *f)
{
	(void)f;
	return &some_meaning;
}
/* Refuses .ftz with f64, as a family would. */
static const struct meaning *pick_no_ftz_f64(const struct form *f)
{
	return form_has(f, M_ftz) && form_type(f, 0) == T_f64 ? NULL : &some_meaning;
}

static const struct isa_row rows_one[] = {
	{"mul(.u16|.s16)", "=0 0 0", 10, 10, 0, pick_any, "", 0, 0},
	{"add[.rn|.rz][.ftz](.f32|.f64)", "=0 0 0", 10, 10, 0, pick_no_ftz_f64, "", 0, 0},
	{"add(.u32|.s32)", "=0 0 0", 10, 10, 0, pick_any, "", 0, 0},
	{"add.s32", "=pred 0 #u32", 10, 10, 0, pick_any, "", 0, 0},
	{"exit", "", 10, 10, 0, pick_any, "", 0, 0},
};
static const struct isa_row rows_two[] = {
	{"ld[.weak|(.relaxed|.acquire)(.cta|.gpu)][.global|.shared::cta][.v2|.v4](.u32|.b64)", "={v}0 @", 10, 10, 0,
	 pick_any, "", 0, 0},
	{"mad.wide(.s16|.u32)", "=w0 0 0 w0", 10, 10, 0, pick_any, "", 0, 0},
	{"setp.eq.u32", "=pred|pred 0 0 ?pred", 10, 10, 0, pick_any, "", 0, 0},
	{"odd[.a][.a.b].c", "+{4}b32 $&u32 =_{v}0 @shared", 10, 10, 0, pick_any, "", 0, 0},
	{"vadd.u32", "=0 0 0 0", 10, 10, ISA_SELECT, pick_any, "", 0, 0},
	{"vmad.u32", "=0 0 0 0", 10, 10, ISA_SELECT | ISA_MINUS, pick_any, "", 0, 0},
	{"vadd2.u32", "=0 0 0 0", 10, 10, ISA_SELECT2, pick_any, "", 0, 0},
	{"vadd4.u32", "=0 0 0 0", 10, 10, ISA_SELECT4, pick_any, "", 0, 0},
};
static const struct isa_family one = {"one", CLASS_BY_TYPE, rows_one, COUNT_OF(rows_one)};
static const struct isa_family two = {"two", CLASS_BY_TYPE, rows_two, COUNT_OF(rows_two)};
static const struct isa_family *const families[] = {&one, &two, NULL};

static struct arena arena;
static struct isa *isa;

static void setup(void)
{
	arena_init(&arena, NULL);
	isa = isa_build(&arena, families);
}
static void teardown(void) { arena_free(&arena); }

/* Matches "opcode.mod.mod" from row `from`. */
static enum isa_match match(const char *text, u32 from, struct form *form, u32 *row, u32 *bad)
{
	static char copy[200];
	const char *modifiers[FORM_TOKENS];
	u32 count = 0;

	snprintf(copy, sizeof copy, "%s", text);
	for (char *dot = strchr(copy, '.'); dot; dot = strchr(dot, '.')) {
		*dot++ = '\0';
		modifiers[count++] = dot;
	}
	return isa_match_form(isa, copy, modifiers, count, from, form, row, bad);
}

START_TEST(tokens_have_one_text_each)
{
	for (int t = 1; t < TOKEN_COUNT; t++)
		ck_assert_msg(token_find(token_text(t)) == t, "%s", token_text(t));
	ck_assert_int_eq(token_find(""), TOKEN_NONE);
	ck_assert_int_eq(token_find("u31"), TOKEN_NONE);
	ck_assert_int_eq(token_find("wait::ld "), TOKEN_NONE);
	ck_assert_int_eq(token_find_part("u32x2", 3), T_u32);
	ck_assert_str_eq(token_text(TOKEN_NONE), "");
	ck_assert_str_eq(token_text(TOKEN_COUNT), "");
}
END_TEST

START_TEST(types_have_sizes_and_classes)
{
	ck_assert_uint_eq(type_bits(T_pred), 1);
	ck_assert_uint_eq(type_bits(T_b128), 128);
	ck_assert_uint_eq(type_bits(T_s16x2), 32);
	ck_assert_uint_eq(type_bits(T_surfref), 64);
	ck_assert_uint_eq(type_bits(M_rn), 0);
	ck_assert_uint_eq(type_bits(TOKEN_NONE), 0);
	ck_assert_int_eq(type_class(T_s64), 's');
	ck_assert_int_eq(type_class(T_bf16x2), 'f');
	ck_assert_int_eq(type_class(M_rn), 0);
	ck_assert_int_eq(token_find("m64n248k256"), M_m64n248k256);
	ck_assert_int_eq(token_find("collector::b3::lastuse"), M_collector_b3_lastuse);
}
END_TEST

START_TEST(rows_are_grouped_by_opcode)
{
	static const char *const names[] = {"add",  "exit", "ld",    "mad",   "mul", "odd",
					    "setp", "vadd", "vadd2", "vadd4", "vmad"};
	ck_assert_uint_eq(isa->opcode_count, COUNT_OF(names));
	for (u32 k = 0; k < COUNT_OF(names); k++) {
		ck_assert_str_eq(isa->opcodes[k].name, names[k]);
		ck_assert_ptr_eq(isa_find_opcode(isa, names[k]), &isa->opcodes[k]);
	}
	ck_assert_uint_eq(isa_find_opcode(isa, "add")->count, 3);
	ck_assert_ptr_eq(isa_find_opcode(isa, "add")->rows[1], &rows_one[2]);
	ck_assert_ptr_null(isa_find_opcode(isa, "ad"));
	ck_assert_ptr_null(isa_find_opcode(isa, "addc"));
	ck_assert_ptr_null(isa_find_opcode(isa, ""));
}
END_TEST

START_TEST(matches_forms)
{
	static const char *const good[] = {
		"mul.u16",
		"mul.s16",
		"add.f32",
		"add.rz.f64",
		"add.rn.ftz.f32",
		"exit",
		"ld.u32",
		"ld.weak.b64",
		"ld.acquire.gpu.global.v4.u32",
		"ld.relaxed.cta.b64",
		"ld.shared::cta.u32",
		"mad.wide.u32",
		"odd.c",
		"odd.a.c",
		"odd.a.b.c",
		"odd.a.a.b.c",
	};
	struct form form;
	u32 row, bad;
	char text[100];

	for (u32 k = 0; k < COUNT_OF(good); k++) {
		ck_assert_msg(match(good[k], 0, &form, &row, &bad) == ISA_MATCHED, "%s", good[k]);
		isa_form_text(&form, text, sizeof text);
		ck_assert_str_eq(text, good[k]);
	}
	ck_assert(match("ld.acquire.gpu.global.v4.u32", 0, &form, &row, &bad) == ISA_MATCHED);
	ck_assert_uint_eq(form.token_count, 5);
	ck_assert_uint_eq(form.type_count, 1);
	ck_assert_int_eq(form_type(&form, 0), T_u32);
	ck_assert_int_eq(form_pick(&form, M_cta, M_sys), M_gpu);
	ck_assert_int_eq(form_pick(&form, M_rn, M_rp), TOKEN_NONE);
	ck_assert_ptr_eq(form.row, &rows_two[0]);
	isa_form_text(&form, text, 6);
	ck_assert_str_eq(text, "ld.ac");
}
END_TEST

START_TEST(refuses_with_the_place)
{
	static const struct {
		const char *text;
		enum isa_match why;
		u32 bad;
	} cases[] = {
		{"sub.u32", ISA_NO_OPCODE, 0},
		{"mul.u32", ISA_NO_MODIFIER, 0},
		{"mul", ISA_NO_FORM, 0},
		{"add.rn.u32", ISA_NO_FORM, 1},
		{"add.rn.rz.f32", ISA_NO_FORM, 1},
		{"add.rn.nonsense.f32", ISA_NO_MODIFIER, 1},
		{"add.rn.ftz", ISA_NO_FORM, 2},
		{"exit.u32", ISA_NO_MODIFIER, 0},
		{"ld.relaxed.u32", ISA_NO_FORM, 1},
		{"ld.weak.gpu.u32", ISA_NO_FORM, 1},
		{"mul.u16.u16", ISA_NO_FORM, 1},
		{"odd.b.c", ISA_NO_FORM, 0},
	};
	struct form form;
	u32 row, bad;

	for (u32 k = 0; k < COUNT_OF(cases); k++) {
		ck_assert_msg(match(cases[k].text, 0, &form, &row, &bad) == cases[k].why, "%s", cases[k].text);
		ck_assert_msg(bad == cases[k].bad, "%s: %u", cases[k].text, bad);
	}
}
END_TEST

START_TEST(goes_on_from_a_row)
{
	struct form form;
	u32 row, bad;

	ck_assert(match("add.s32", 0, &form, &row, &bad) == ISA_MATCHED);
	ck_assert_ptr_eq(form.row, &rows_one[2]);
	ck_assert(match("add.s32", row + 1, &form, &row, &bad) == ISA_MATCHED);
	ck_assert_ptr_eq(form.row, &rows_one[3]);
	ck_assert(match("add.s32", row + 1, &form, &row, &bad) == ISA_NO_FORM);
}
END_TEST

START_TEST(hints_at_the_nearest)
{
	static const char *const wrong[] = {"rn", "sat", "f32"}, *const types[] = {"s16", "wide"};
	ck_assert_str_eq(isa_nearest_form(isa, "add", wrong, 3), rows_one[1].form);
	ck_assert_str_eq(isa_nearest_form(isa, "mad", types, 2), rows_two[1].form);
	ck_assert_ptr_null(isa_nearest_form(isa, "sub", wrong, 3));
}
END_TEST

START_TEST(resolves_operands)
{
	struct operand_spec s[FORM_OPERANDS];
	struct form form;
	u32 row, bad;

	match("ld.v4.b64", 0, &form, &row, &bad);
	ck_assert_uint_eq(isa_operand_specs(&form, s), 2);
	ck_assert(s[0].written && !s[0].read && s[0].vector == 4 && s[0].kind == 't' && s[0].type == T_b64);
	ck_assert(!s[1].written && s[1].read && s[1].vector == 1 && s[1].kind == '@');
	match("ld.u32", 0, &form, &row, &bad);
	isa_operand_specs(&form, s);
	ck_assert_uint_eq(s[0].vector, 1);

	match("mad.wide.s16", 0, &form, &row, &bad);
	ck_assert_uint_eq(isa_operand_specs(&form, s), 4);
	ck_assert(s[0].type == T_s32 && s[1].type == T_s16 && s[3].type == T_s32);

	match("setp.eq.u32", 0, &form, &row, &bad);
	ck_assert_uint_eq(isa_operand_specs(&form, s), 4);
	ck_assert(s[0].written && s[0].type == T_pred && s[0].second == T_pred);
	ck_assert(!s[1].optional && s[1].second == TOKEN_NONE);
	ck_assert(s[3].optional && s[3].type == T_pred && s[3].read);

	match("odd.c", 0, &form, &row, &bad);
	ck_assert_uint_eq(isa_operand_specs(&form, s), 4);
	ck_assert(s[0].written && s[0].read && s[0].vector == 4 && s[0].type == T_b32 && s[0].braces && s[0].named);
	ck_assert(s[1].special && s[1].symbol && s[1].named && !s[1].droppable && s[1].kind == 't');
	ck_assert(s[2].written && s[2].droppable && s[2].list && !s[2].named && s[2].vector == 1);
	ck_assert(s[3].kind == '@' && s[3].type == M_shared);

	match("add.s32", 2, &form, &row, &bad);
	isa_operand_specs(&form, s);
	ck_assert(s[2].immediate && s[2].type == T_u32 && !s[1].immediate);
	match("exit", 0, &form, &row, &bad);
	ck_assert_uint_eq(isa_operand_specs(&form, s), 0);
}
END_TEST

static void append(void *context, const struct form *form)
{
	char *text = context;
	isa_form_text(form, text + strlen(text), 500 - strlen(text));
	strcat(text, " ");
}

START_TEST(expands_rows)
{
	char text[600] = "";

	isa_expand_row(&rows_one[1], append, text);
	ck_assert_str_eq(text, "add.rn.ftz.f32 add.rn.f32 add.rn.f64 add.rz.ftz.f32 add.rz.f32 add.rz.f64 "
			       "add.ftz.f32 add.f32 add.f64 ");
	text[0] = '\0';
	isa_expand_row(&rows_one[4], append, text);
	ck_assert_str_eq(text, "exit ");
	text[0] = '\0';
	isa_expand_row(&rows_two[3], append, text);
	ck_assert_str_eq(text, "odd.a.a.b.c odd.a.c odd.a.b.c odd.c ");
}
END_TEST

START_TEST(packs_selectors)
{
	const struct isa_row *vadd = &rows_two[4], *vmad = &rows_two[5], *vadd2 = &rows_two[6], *vadd4 = &rows_two[7];
	s32 word;

	ck_assert(isa_pack_selectors(vadd, (const char *const[4]){"h1", "b0", NULL, NULL}, 0, &word));
	ck_assert_int_eq(word, 6 | 1 << SELECT_A);
	ck_assert(!isa_pack_selectors(vadd, (const char *const[4]){"h10", NULL, NULL, NULL}, 0, &word));
	ck_assert(!isa_pack_selectors(vadd, (const char *const[4]){NULL, NULL, NULL, NULL}, 2, &word));
	ck_assert(isa_pack_selectors(vmad, (const char *const[4]){NULL, "b3", NULL, NULL}, 2 | 8, &word));
	ck_assert_int_eq(word, 4 << SELECT_A | 1 << SELECT_MINUS_A | 1 << SELECT_MINUS_C);
	ck_assert(!isa_pack_selectors(vmad, (const char *const[4]){NULL, NULL, NULL, NULL}, 1, &word));
	ck_assert(!isa_pack_selectors(vmad, (const char *const[4]){NULL, NULL, NULL, "h0"}, 0, &word));
	ck_assert(isa_pack_selectors(vadd2, (const char *const[4]){NULL, NULL, NULL, NULL}, 0, &word));
	ck_assert_int_eq(word, 3 | 010 << SIMD_A | 032 << SIMD_B);
	ck_assert(isa_pack_selectors(vadd2, (const char *const[4]){"h1", "h03", "h22", NULL}, 0, &word));
	ck_assert_int_eq(word, 2 | 003 << SIMD_A | 022 << SIMD_B);
	ck_assert(!isa_pack_selectors(vadd2, (const char *const[4]){NULL, "h14", NULL, NULL}, 0, &word));
	ck_assert(!isa_pack_selectors(vadd2, (const char *const[4]){"h01", NULL, NULL, NULL}, 0, &word));
	ck_assert(!isa_pack_selectors(vadd2, (const char *const[4]){NULL, NULL, NULL, "h10"}, 0, &word));
	ck_assert(isa_pack_selectors(vadd4, (const char *const[4]){"b320", "b7654", "b0123", NULL}, 0, &word));
	ck_assert_int_eq(word, 13 | 07654 << SIMD_A | 00123 << SIMD_B);
	ck_assert(!isa_pack_selectors(vadd4, (const char *const[4]){NULL, "b765", NULL, NULL}, 0, &word));
	ck_assert(isa_pack_selectors(&rows_one[0], (const char *const[4]){NULL, NULL, NULL, NULL}, 0, &word));
	ck_assert(!isa_pack_selectors(&rows_one[0], (const char *const[4]){NULL, "b0", NULL, NULL}, 0, &word));
}
END_TEST

START_TEST(finds_special_registers)
{
	u8 element;

	for (u32 k = 0; k < SREG_COUNT; k++) {
		const struct sreg_info *info = sreg_info((enum sreg)k);
		ck_assert_uint_eq(sreg_find(info->name, &element), k);
		ck_assert_uint_eq(element, info->elements == 4 ? SREG_WHOLE : 0);
		ck_assert(token_is_type(info->type));
	}
	ck_assert_uint_eq(sreg_find("%tid.x", &element), SREG_tid);
	ck_assert_uint_eq(element, 0);
	ck_assert_uint_eq(sreg_find("%nclusterid.w", &element), SREG_nclusterid);
	ck_assert_uint_eq(element, 3);
	ck_assert_str_eq(sreg_info(SREG_pm7_64)->name, "%pm7_64");
	ck_assert_int_eq(sreg_info(SREG_clock64)->kind, SREG_DYNAMIC);
	ck_assert_int_eq(sreg_info(SREG_ctaid)->kind, SREG_PER_BLOCK);
	static const char *const none[] = {"%tid.q", "%tid.", "%tid.xy", "%laneid.x", "%r1", "%", "", "%ti", "%tidx"};
	for (u32 k = 0; k < COUNT_OF(none); k++)
		ck_assert_msg(sreg_find(none[k], &element) == SREG_NONE, "%s", none[k]);
	ck_assert_ptr_null(sreg_info(SREG_COUNT));
}
END_TEST

UNIT_TESTS("isa", 0)
{
	tcase_add_checked_fixture(unit, setup, teardown);
	UNIT_TEST(tokens_have_one_text_each);
	UNIT_TEST(types_have_sizes_and_classes);
	UNIT_TEST(rows_are_grouped_by_opcode);
	UNIT_TEST(matches_forms);
	UNIT_TEST(refuses_with_the_place);
	UNIT_TEST(goes_on_from_a_row);
	UNIT_TEST(hints_at_the_nearest);
	UNIT_TEST(resolves_operands);
	UNIT_TEST(expands_rows);
	UNIT_TEST(packs_selectors);
	UNIT_TEST(finds_special_registers);
}
