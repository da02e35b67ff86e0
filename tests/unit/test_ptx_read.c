/* SPDX-License-Identifier: Apache-2.0
 *
 * The PTX reader: what texts become in the IR, and that printed modules read back the same.
 * PTXSIM_PTX_DIR names a folder whose *.ptx are read, printed and read again as well.
 */
#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "ir/print.h"
#include "ptx_reading.h"
#include "main.h"

static const char header[] = ".version 9.0\n.target sm_90a\n.address_size 64\n";

/* Reads `module` behind a header, then a kernel with some registers and `body`. No error may come. */
static void read_parts(struct reading *r, const char *module, const char *body)
{
	char text[1 << 14];
	const int length =
		snprintf(text, sizeof text,
			 "%s%s\n.entry k(.param .u64 p) {\n.reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .pred %%p<9>; "
			 ".reg .f32 %%f<9>; .reg .v4 .f32 %%v;\n%s\n}\n",
			 header, module, body);

	ck_assert_int_lt(length, (int)sizeof text);
	read_bytes(r, text, (size_t)length);
	if (r->diags.error_count)
		diags_print(&r->diags, stderr, false);
	ck_assert_uint_eq(r->diags.error_count, 0);
}

static const struct ir_function *kernel(const struct reading *r)
{
	const struct ir_function *f = ir_find_function(r->m, strings_intern_text((struct strings *)&r->strings, "k"));

	ck_assert_ptr_nonnull(f);
	return f;
}

static const struct ir_variable *variable(const struct reading *r, const char *name)
{
	for (size_t i = 0; i < r->m->variables.count; i++)
		if (!strcmp(r->m->variables.items[i]->name, name))
			return r->m->variables.items[i];
	ck_abort_msg("no variable %s", name);
	return NULL;
}

/* The last operand of the kernel's instruction `i`. */
static const struct ir_operand *last_operand(const struct reading *r, u32 i)
{
	const struct ir_instruction *x = &kernel(r)->body.items[i];

	return &x->operands[x->operand_count - 1];
}

/* --- Constants ------------------------------------------------------------------------------- */

struct constant {
	const char *text;
	u64 value;
};

START_TEST(integer_constants)
{
	/* Values as ptxas computes them, read off its output. */
	static const struct constant cases[] = {
		{"5", 5},
		{"0x1F", 31},
		{"0b101", 5},
		{"017", 15},
		{"5U", 5},
		{"0", 0},
		{"-5", -5ull},
		{"(1<<4)|3", 19},
		{"7*6-2", 40},
		{"-(5)", -5ull},
		{"~0x0f", ~15ull},
		{"!3", 0},
		{"!0", 1},
		{"10/3", 3},
		{"-10/3", -3ull},
		{"10 % 3", 1},
		{"-10 % 3", 0},
		{"(3>2)?11:22", 11},
		{"1&&0", 0},
		{"1||0", 1},
		{"5==5", 1},
		{"5!=5", 0},
		{"-1>>1", -1ull},
		{"0xF0&0x3C", 0x30},
		{"0xF0^0x3C", 0xcc},
		{"(.s64)(-1)>>60", -1ull},
		{"(.u64)(-1)>>60", 15},
		{"WARP_SZ*2", 64},
		{"0x7fffffff+1", 0x80000000},
		{"1<2", 1},
		{"-1<1", 1},
		{"-1<1U", 0},
		{"3<=3", 1},
		{"2+3*4", 14},
		{"(2+3)*4", 20},
		{"63<<64", 63},
		{"(7<<0x8000000000000000)", 7},
		{"(0xffffffffffffffff>>63)", 1},
		{"9223372036854775808 / 2", 1ull << 62},
		{"(.s64)9223372036854775808 / -1", 1ull << 63},
		{"1 == 1 == 1", 1},
		{"- - 5", 5},
		{"+5", 5},
		{"1.5 < 2.5", 1},
		{"1.5 == 2.5", 0},
		{"-0.0 < 0.0", 0},
		{"-2.0 >= -1.0", 0},
		{"1 ? 2 : 3 ? 4 : 5", 2},
	};
	struct reading r;
	char body[200];

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		snprintf(body, sizeof body, "mov.b64 %%d1, %s;", cases[i].text);
		read_parts(&r, "", body);
		const struct ir_operand *o = last_operand(&r, 0);
		ck_assert_msg(o->kind == OPERAND_INTEGER && o->value == cases[i].value, "%s gave %llx", cases[i].text,
			      (unsigned long long)o->value);
		arena_free(&r.arena);
	}
}
END_TEST

START_TEST(real_constants)
{
	static const struct constant cases[] = {
		{"1.0", 0x3ff0000000000000},
		{"1.", 0x3ff0000000000000},
		{".5", 0x3fe0000000000000},
		{"1e5", 0x40f86a0000000000},
		{"0.1", 0x3fb999999999999a},
		{"-0.1", 0xbfb999999999999a},
		{"1e300", 0x7e37e43c8800759c},
		{"1e-300", 0x01a56e1fc2f8f359},
		{"123456789012345678901234567890.0", 0x45f8ee90ff6c373e},
		{"2.2250738585072014e-308", 0x0010000000000000},
		{"1.7976931348623157e308", 0x7fefffffffffffff},
		{"9007199254740993.0", 0x4340000000000000},
		{"4.9e-324", 1},
		{"2.4e-324", 0},
		{"1e-999999999999", 0},
		{"0e99999", 0},
		{"0.1+0.2*3.0-1.0/3.0", 0x3fd7777777777779},
		{"0d3FF8000000000000", 0x3ff8000000000000},
		{"2.5E+3", 0x40a3880000000000},
	};
	struct reading r;
	char body[200];

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		snprintf(body, sizeof body, "mov.f64 %%d1, %s;", cases[i].text);
		read_parts(&r, "", body);
		const struct ir_operand *o = last_operand(&r, 0);
		ck_assert_msg(o->kind == OPERAND_FLOAT && o->float_bits == 64 && o->value == cases[i].value,
			      "%s gave %llx", cases[i].text, (unsigned long long)o->value);
		arena_free(&r.arena);
	}
	read_parts(&r, "", "mov.f32 %f1, 0f3F800000;");
	ck_assert_uint_eq(last_operand(&r, 0)->float_bits, 32);
	ck_assert_uint_eq(last_operand(&r, 0)->value, 0x3f800000);
	arena_free(&r.arena);
}
END_TEST

/* --- Initial values -------------------------------------------------------------------------- */

struct initial {
	const char *text;
	u64 size;
	const char *bytes; /* in hexadecimal, without zeros at the end */
};

START_TEST(initial_bytes)
{
	/* What ptxas puts into the module's data. */
	static const struct initial cases[] = {
		{".global .u8 x = 300", 1, "2c"},
		{".const .s16 x[] = {-1,2,-3}", 6, "ffff0200fdff"},
		{".global .f32 x[4] = {1e39, 1e-45, 1e-46, 0.1}", 16, "0000807f0100000000000000cdcccc3d"},
		{".global .b32 x = 1.5", 4, "0000c03f"},
		{".global .b64 x = 0f3fc00000", 8, "0000c03f"},
		{".global .f32 x = 0d7ff4000000000001", 4, "0000e07f"},
		{".global .f32 x = 0f7fa00001", 4, "0100a07f"},
		{".global .b128 x[2] = {-1, 5}", 32, "ffffffffffffffff000000000000000005"},
		{".global .v2 .f32 x[2] = {{1.0, 2.0},{3.0,4.0}}", 16, "0000803f000000400000404000008040"},
		{".global .b32 x[3][3] = {{1},{},{2,3}}", 36, "010000000200000003"},
		{".global .b32 x[][2] = {{1},{2,3},{}}", 24, "010000000200000003"},
		{".global .b8 x[] = {1,2,3,4,5,6,7,8,9,10,11,12}", 12, "0102030405060708090a0b0c"},
		{".global .b32 x[2][2][2] = {{{1}},{{},{2}}}", 32, "0100000002"},
		{".global .u64 x = 0x1ffffffffffffffff", 8, "ffffffffffffffff"},
	};
	struct reading r;
	char text[200];

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		snprintf(text, sizeof text, "%s;", cases[i].text);
		read_parts(&r, text, "");
		const struct ir_variable *v = variable(&r, "x");
		u8 bytes[64] = {0};
		char hex[129];
		for (size_t k = 0; k < v->inits.count; k++)
			memcpy(bytes + v->inits.items[k].offset, &v->inits.items[k].bits, v->inits.items[k].size);
		size_t used = 64;
		while (used && !bytes[used - 1])
			used--;
		for (size_t k = 0; k < used; k++)
			snprintf(hex + 2 * k, 3, "%02x", bytes[k]);
		hex[2 * used] = 0;
		size_t wanted = strlen(cases[i].bytes);
		while (wanted > 1 && !strncmp(cases[i].bytes + wanted - 2, "00", 2))
			wanted -= 2;
		ck_assert_uint_eq(v->size, cases[i].size);
		ck_assert_msg(wanted == 2 * used && !strncmp(hex, cases[i].bytes, wanted), "%s gave %s", cases[i].text,
			      hex);
		arena_free(&r.arena);
	}
}
END_TEST

START_TEST(initial_addresses)
{
	struct reading r;

	read_parts(&r,
		   ".global .b32 y[4]; .func f; .global .u64 x[3] = {y+4, generic(y)+8, f};\n.global .u8 "
		   "z[4] = {9, 0xff(y), 0xff00(y+1)};",
		   "");
	const struct ir_variable *x = variable(&r, "x"), *z = variable(&r, "z");
	ck_assert_uint_eq(x->inits.count, 3);
	ck_assert_int_eq(x->inits.items[0].kind, INIT_ADDRESS);
	ck_assert_int_eq(x->inits.items[0].addend, 4);
	ck_assert(!x->inits.items[0].generic && x->inits.items[1].generic);
	ck_assert_uint_eq(x->inits.items[1].offset, 8);
	ck_assert_int_eq(x->inits.items[2].symbol->kind, SYM_FUNCTION);
	ck_assert_uint_eq(z->inits.items[0].bits, 9);
	ck_assert_uint_eq(z->inits.items[1].mask, 0xff);
	ck_assert_uint_eq(z->inits.items[2].mask, 0xff00);
	ck_assert_int_eq(z->inits.items[2].addend, 1);
	ck_assert_uint_eq(z->inits.items[2].size, 1);
	arena_free(&r.arena);
}
END_TEST

/* --- Declarations ---------------------------------------------------------------------------- */

START_TEST(variables_have_sizes)
{
	struct reading r;

	read_parts(&r,
		   ".global .align 16 .b8 a[3][5]; .shared .v4 .f32 b[2]; .extern .shared .b32 c[]; .const .u64 d;\n"
		   ".global .attribute(.managed) .b16 e; .global .texref t = {width = 3, filter_mode = linear};",
		   "");
	ck_assert_uint_eq(variable(&r, "a")->size, 15);
	ck_assert_uint_eq(variable(&r, "a")->align, 16);
	ck_assert_uint_eq(variable(&r, "b")->size, 32);
	ck_assert_uint_eq(variable(&r, "b")->align, 16);
	ck_assert(variable(&r, "c")->unsized && !variable(&r, "c")->size);
	ck_assert_uint_eq(variable(&r, "d")->align, 8);
	ck_assert(variable(&r, "e")->managed);
	ck_assert_uint_eq(variable(&r, "t")->fields.count, 2);
	ck_assert_str_eq(variable(&r, "t")->fields.items[1].word, "linear");
	arena_free(&r.arena);
}
END_TEST

START_TEST(registers_of_ranges_come_when_used)
{
	struct reading r;

	read_parts(&r, "",
		   ".reg .b64 %x<4000000000>; mov.b64 %x3999999999, 5; mov.b64 %x7, %x3999999999; mov.f32 "
		   "%v.y, %f0;");
	const struct ir_function *f = kernel(&r);
	ck_assert_uint_eq(f->registers.count, 4); /* %v is declared by name */
	ck_assert_str_eq(f->registers.items[0]->name, "%v");
	ck_assert_uint_eq(f->registers.items[1]->index, 4);
	ck_assert_uint_eq(f->register_slots, 7);
	ck_assert_ptr_eq(f->body.items[0].operands[0].symbol->reg, f->body.items[1].operands[1].symbol->reg);
	ck_assert_uint_eq(f->body.items[2].operands[0].element, 1);
	ck_assert_uint_eq(r.arena.used_bytes >> 20, 0);
	arena_free(&r.arena);
}
END_TEST

START_TEST(scopes_hide_and_labels_follow)
{
	struct reading r;

	read_parts(&r, "",
		   "mov.b32 %r1, 1;\n{ .reg .b32 %r<3>; mov.b32 %r1, 2; bra out; bra in; in: }\n"
		   "{ bra in; in: { bra in; bra out; } }\nout: ret; end:");
	const struct ir_function *f = kernel(&r);
	const struct ir_instruction *x = f->body.items;
	ck_assert_ptr_ne(x[0].operands[0].symbol->reg, x[1].operands[0].symbol->reg);
	ck_assert_uint_eq(x[2].operands[0].symbol->label->target, 7);
	ck_assert_uint_eq(x[3].operands[0].symbol->label->target, 4);
	ck_assert_uint_eq(x[4].operands[0].symbol->label->target, 5);
	ck_assert_ptr_eq(x[5].operands[0].symbol->label, x[4].operands[0].symbol->label);
	ck_assert_ptr_eq(x[6].operands[0].symbol->label, x[2].operands[0].symbol->label);
	ck_assert_uint_eq(f->labels.count, 4);
	ck_assert_uint_eq(f->labels.items[3]->target, 8);
	ck_assert_uint_eq(x[1].scope->first_instruction, 1);
	ck_assert_uint_eq(x[1].scope->end_instruction, 4);
	arena_free(&r.arena);
}
END_TEST

START_TEST(functions_join_their_declarations)
{
	struct reading r;

	read_parts(&r,
		   ".visible .func (.param .b32 r) f (.param .b32 a, .param .align 8 .b8 s[24]);\n"
		   ".func caller { .param .b32 x; .param .b8 y[24]; call (x), f, (x, y); ret; }\n"
		   ".func (.param .b32 r) f (.param .b32 a, .param .align 8 .b8 s[24]) { ret; }\n"
		   ".func g(.param .b32 a) { ret; } .func h(.param .b32 a); .alias h, g;",
		   "");
	const struct ir_function *f = r.m->functions.items[0];
	ck_assert_uint_eq(r.m->functions.count, 5);
	ck_assert(f->has_body);
	ck_assert_int_eq(f->linkage, LINK_VISIBLE);
	ck_assert_uint_eq(f->params.items[1]->size, 24);
	ck_assert_ptr_eq(f->params.items[1]->owner, f);
	ck_assert_ptr_eq(r.m->functions.items[1]->body.items[0].operands[1].symbol->function, f);
	ck_assert_ptr_eq(r.m->functions.items[3]->alias_of, r.m->functions.items[2]);
	arena_free(&r.arena);
}
END_TEST

START_TEST(kernels_have_limits)
{
	struct reading r;

	read_parts(&r,
		   ".entry a(.param .u64 .ptr .global .align 16 x, .param .f32 y) .maxntid 32, 2 "
		   ".minnctapersm 3 .maxnreg 40\n"
		   "{ ret; }\n.entry b() .reqntid 8,4,1 .reqnctapercluster 2 .explicitcluster "
		   ".maxclusterrank 8 { ret; }\n"
		   ".func c() .noreturn { trap; }",
		   "");
	const struct ir_function *a = r.m->functions.items[0], *b = r.m->functions.items[1];
	ck_assert(a->params.items[0]->is_pointer);
	ck_assert_int_eq(a->params.items[0]->pointer_space, SPACE_GLOBAL);
	ck_assert_uint_eq(a->params.items[0]->pointer_align, 16);
	ck_assert_uint_eq(a->limits.max_threads[0], 32);
	ck_assert_uint_eq(a->limits.max_threads[1], 2);
	ck_assert_uint_eq(a->limits.max_threads[2], 1);
	ck_assert_uint_eq(a->limits.min_blocks_per_sm, 3);
	ck_assert_uint_eq(a->limits.max_registers, 40);
	ck_assert_uint_eq(b->limits.required_threads[1], 4);
	ck_assert_uint_eq(b->limits.required_cluster[0], 2);
	ck_assert(b->limits.explicit_cluster && b->limits.max_cluster_rank == 8);
	ck_assert(r.m->functions.items[2]->limits.noreturn);
	arena_free(&r.arena);
}
END_TEST

START_TEST(header_lines_and_locations)
{
	static const char text[] =
		"//@ run k\r\n.version 8.4\n.target sm_80, debug\n.address_size 32\n.file 2 \"x.cu\", 5, 6\n"
		"//@   grid 3 \n.entry k() {\n.loc 2 5 7\nret;\n.loc 2 6 8, function_name name+4, inlined_at 1 "
		"96 5\nret; }";
	struct reading r;

	read_bytes(&r, text, sizeof text - 1);
	ck_assert_uint_eq(r.diags.error_count, 0);
	ck_assert_uint_eq(r.m->version, 84);
	ck_assert_str_eq(r.m->target, "sm_80");
	ck_assert(r.m->arch == 80 && r.m->debug && r.m->address_bits == 32);
	ck_assert_uint_eq(r.m->launch_lines.count, 2);
	ck_assert_str_eq(r.m->launch_lines.items[0].text, " run k");
	ck_assert_str_eq(r.m->launch_lines.items[1].text, "   grid 3");
	ck_assert_uint_eq(r.m->files.items[0].bytes, 6);
	const struct ir_instruction *x = kernel(&r)->body.items;
	const struct ir_loc *loc = &r.m->locs.items[x[1].loc - 1];
	ck_assert_uint_eq(r.m->locs.items[x[0].loc - 1].column, 7);
	ck_assert_uint_eq(loc->line, 6);
	ck_assert_str_eq(loc->function, "name");
	ck_assert_uint_eq(r.m->locs.items[loc->inlined_at - 1].line, 96);
	arena_free(&r.arena);
}
END_TEST

START_TEST(address_size_left_out)
{
	static const char *const bodies[] = {".reg .b32 a; ld.global.b32 a, [a];", ".reg .b64 a; ld.global.b64 a, [a];",
					     ".reg .b32 a; ld.shared.b32 a, [a];"};
	static const u32 bits[] = {32, 64, 64};
	struct reading r;
	char text[200];

	for (u32 i = 0; i < COUNT_OF(bodies); i++) {
		const int length =
			snprintf(text, sizeof text, ".version 2.0 .target compute_20 .entry k { %s }", bodies[i]);
		read_bytes(&r, text, (size_t)length);
		ck_assert_uint_eq(r.diags.error_count, 0);
		ck_assert_uint_eq(r.m->address_bits, bits[i]);
		ck_assert_uint_eq(r.m->arch, 20);
		ck_assert_str_eq(r.m->target, "sm_20");
		arena_free(&r.arena);
	}
}
END_TEST

/* --- Operands -------------------------------------------------------------------------------- */

START_TEST(operands_of_every_kind)
{
	struct reading r;

	read_parts(&r, ".global .b32 a[4][2]; .global .texref t;",
		   "setp.lt.and.s32 %p1|_, %r1, -5, !%p2;\n"
		   "@!%p1 ld.global.v2.b32 {%r1, _}, [%d1+-8];\n"
		   "mov.u32 %r1, %tid.x;\n"
		   "mov.u64 %d1, a+12;\n"
		   "ld.global.b32 %r1, a[3];\n"
		   "ld.global.b32 %r1, a[%r2+1];\n"
		   "vadd.u32.u32.u32 %r1, %r2.h1, -%r3.b7654, 0;\n"
		   "tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1}];");
	const struct ir_instruction *x = kernel(&r)->body.items;
	ck_assert_int_eq(x[0].operands[0].kind, OPERAND_PAIR);
	ck_assert_int_eq(x[0].operands[0].items[1].kind, OPERAND_SINK);
	ck_assert(x[0].operands[3].negated && x[0].modifier_count == 3);
	ck_assert_str_eq(x[0].modifiers[2].text, "s32");
	ck_assert(x[1].guard && x[1].guard_negated);
	ck_assert_int_eq(x[1].operands[1].kind, OPERAND_ADDRESS);
	ck_assert_int_eq(x[1].operands[1].addend, -8);
	ck_assert_int_eq(x[2].operands[1].kind, OPERAND_SPECIAL);
	ck_assert_str_eq(x[2].operands[1].name, "%tid.x");
	ck_assert_int_eq(x[3].operands[1].kind, OPERAND_SYMBOL);
	ck_assert_int_eq(x[3].operands[1].addend, 12);
	ck_assert(x[4].operands[1].kind == OPERAND_ADDRESS && x[4].operands[1].indexed);
	ck_assert_int_eq(x[4].operands[1].addend, 24);
	ck_assert_uint_eq(x[5].operands[1].item_count, 2);
	ck_assert_uint_eq(x[5].operands[1].value, 8);
	ck_assert_int_eq(x[5].operands[1].addend, 8);
	ck_assert_str_eq(x[6].operands[1].selector, "h1");
	ck_assert(x[6].operands[2].minus);
	ck_assert_str_eq(x[6].operands[2].selector, "b7654");
	ck_assert_int_eq(x[7].operands[1].kind, OPERAND_TEXTURE);
	ck_assert_uint_eq(x[7].operands[1].item_count, 2);
	arena_free(&r.arena);
}
END_TEST

START_TEST(calls_have_lists)
{
	struct reading r;

	read_parts(&r, ".func (.reg .b32 r) f(.reg .b32 a); .func g(.reg .b32 a); .func h;",
		   "call (%r1), f, (5);\ncall g, (%r1);\ncall h;\ncall (%r1), %d1, ((3)), proto;\ncall.uni (%r1), "
		   "f, (%r2);\n"
		   "mov.b32 %r1, (5);\nproto: .callprototype (.reg .b32 _) _ (.reg .b32 _);\nT: .calltargets f, g;");
	const struct ir_instruction *x = kernel(&r)->body.items;
	ck_assert_int_eq(x[0].operands[0].kind, OPERAND_LIST);
	ck_assert_int_eq(x[0].operands[2].kind, OPERAND_LIST);
	ck_assert_uint_eq(x[0].operands[2].items[0].value, 5);
	ck_assert_int_eq(x[1].operands[1].kind, OPERAND_LIST);
	ck_assert_uint_eq(x[2].operand_count, 1);
	ck_assert_int_eq(x[3].operands[2].kind, OPERAND_LIST);
	ck_assert_int_eq(x[3].operands[3].symbol->kind, SYM_PROTOTYPE);
	ck_assert_uint_eq(x[3].operands[3].symbol->function->params.count, 1);
	ck_assert_int_eq(x[5].operands[1].kind, OPERAND_INTEGER);
	arena_free(&r.arena);
}
END_TEST

/* --- Printing -------------------------------------------------------------------------------- */

static char *print_text(const struct ir_module *m, size_t *length)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, length);

	ir_print(m, f);
	fclose(f);
	return text;
}

static void same_operands(const struct ir_operand *a, const struct ir_operand *b, u32 count)
{
	for (u32 i = 0; i < count; i++) {
		ck_assert_int_eq(a[i].kind, b[i].kind);
		ck_assert_uint_eq(a[i].value, b[i].value);
		ck_assert_int_eq(a[i].addend, b[i].addend);
		ck_assert_uint_eq(a[i].element, b[i].element);
		ck_assert(!a[i].selector == !b[i].selector &&
			  (!a[i].selector || !strcmp(a[i].selector, b[i].selector)));
		ck_assert(a[i].negated == b[i].negated && a[i].minus == b[i].minus && a[i].indexed == b[i].indexed);
		ck_assert_uint_eq(a[i].float_bits, b[i].float_bits);
		ck_assert_uint_eq(a[i].is_unsigned, b[i].is_unsigned);
		ck_assert(!a[i].name == !b[i].name && (!a[i].name || !strcmp(a[i].name, b[i].name)));
		ck_assert(!a[i].symbol == !b[i].symbol && (!a[i].symbol || a[i].symbol->kind == b[i].symbol->kind));
		if (a[i].symbol && a[i].symbol->kind == SYM_LABEL)
			ck_assert_uint_eq(a[i].symbol->label->target, b[i].symbol->label->target);
		if (a[i].symbol && a[i].symbol->kind == SYM_REGISTER)
			ck_assert_uint_eq(a[i].symbol->reg->index, b[i].symbol->reg->index);
		ck_assert_uint_eq(a[i].item_count, b[i].item_count);
		same_operands(a[i].items, b[i].items, a[i].item_count);
	}
}

static void same_variable(const struct ir_variable *a, const struct ir_variable *b)
{
	ck_assert_str_eq(a->name, b->name);
	ck_assert(a->space == b->space && a->linkage == b->linkage && a->type == b->type && a->vector == b->vector);
	ck_assert(a->size == b->size && a->align == b->align && a->rank == b->rank && a->unsized == b->unsized);
	ck_assert(a->is_pointer == b->is_pointer && a->pointer_space == b->pointer_space &&
		  a->pointer_align == b->pointer_align);
	ck_assert(a->managed == b->managed && a->unified == b->unified && a->fields.count == b->fields.count);
	ck_assert_uint_eq(a->inits.count, b->inits.count);
	for (size_t i = 0; i < a->inits.count; i++) {
		const struct ir_init *x = &a->inits.items[i], *y = &b->inits.items[i];
		ck_assert(x->kind == y->kind && x->offset == y->offset && x->size == y->size && x->bits == y->bits);
		ck_assert(x->addend == y->addend && x->generic == y->generic && x->mask == y->mask);
		ck_assert(!x->symbol || !strcmp(x->symbol->name, y->symbol->name));
	}
}

static void same_function(const struct ir_function *a, const struct ir_function *b)
{
	ck_assert_str_eq(a->name, b->name);
	ck_assert(a->is_entry == b->is_entry && a->linkage == b->linkage && a->has_body == b->has_body);
	ck_assert(!memcmp(&a->limits, &b->limits, sizeof a->limits));
	ck_assert(a->language == NULL ? b->language == NULL : !strcmp(a->language, b->language));
	ck_assert(a->params.count == b->params.count && a->returns.count == b->returns.count);
	for (size_t i = 0; i < a->params.count; i++)
		same_variable(a->params.items[i], b->params.items[i]);
	for (size_t i = 0; i < a->returns.count; i++)
		same_variable(a->returns.items[i], b->returns.items[i]);
	ck_assert_uint_eq(a->variables.count, b->variables.count);
	for (size_t i = 0; i < a->variables.count; i++)
		same_variable(a->variables.items[i], b->variables.items[i]);
	ck_assert(a->registers.count == b->registers.count && a->register_slots == b->register_slots);
	ck_assert(a->body.count == b->body.count && a->labels.count == b->labels.count &&
		  a->marks.count == b->marks.count);
	for (size_t i = 0; i < a->body.count; i++) {
		const struct ir_instruction *x = &a->body.items[i], *y = &b->body.items[i];
		ck_assert_str_eq(x->opcode, y->opcode);
		ck_assert(x->modifier_count == y->modifier_count && x->operand_count == y->operand_count);
		for (u32 k = 0; k < x->modifier_count; k++)
			ck_assert_str_eq(x->modifiers[k].text, y->modifiers[k].text);
		same_operands(x->operands, y->operands, x->operand_count);
		ck_assert(!x->guard == !y->guard && x->guard_negated == y->guard_negated && x->loc == y->loc);
	}
}

static void check_round_trip(const char *name, const char *text, size_t length)
{
	struct reading a, b;
	size_t first_length, second_length;

	read_bytes(&a, text, length);
	ck_assert_msg(!a.diags.error_count, "%s: %s", name, a.diags.list.count ? a.diags.list.items[0].message : "");
	char *first = print_text(a.m, &first_length);
	read_bytes(&b, first, first_length);
	ck_assert_msg(!b.diags.error_count, "%s printed: %s", name,
		      b.diags.list.count ? b.diags.list.items[0].message : "");
	ck_assert(a.m->functions.count == b.m->functions.count && a.m->variables.count == b.m->variables.count);
	ck_assert(a.m->marks.count == b.m->marks.count && a.m->locs.count == b.m->locs.count);
	ck_assert(a.m->launch_lines.count == b.m->launch_lines.count && a.m->version == b.m->version);
	for (size_t i = 0; i < a.m->functions.count; i++)
		same_function(a.m->functions.items[i], b.m->functions.items[i]);
	for (size_t i = 0; i < a.m->variables.count; i++)
		same_variable(a.m->variables.items[i], b.m->variables.items[i]);
	char *second = print_text(b.m, &second_length);
	ck_assert_msg(first_length == second_length && !memcmp(first, second, first_length),
		      "%s prints differently again", name);
	free(first);
	free(second);
	arena_free(&a.arena);
	arena_free(&b.arena);
}

static u32 round_trip_folder(const char *folder)
{
	DIR *d = opendir(folder);
	u32 files = 0;

	ck_assert_msg(d != NULL, "cannot open %s", folder);
	for (const struct dirent *e; (e = readdir(d));) {
		const char *dot = strrchr(e->d_name, '.');
		size_t length;
		if (!dot || strcmp(dot, ".ptx"))
			continue;
		char *text = load(folder, e->d_name, &length);
		check_round_trip(e->d_name, text, length);
		free(text);
		files++;
	}
	closedir(d);
	return files;
}

START_TEST(printed_modules_read_back_the_same)
{
	const char *more = getenv("PTXSIM_PTX_DIR");

	ck_assert_uint_ge(round_trip_folder(PTX_DIR), 2);
	if (more)
		ck_assert_uint_ge(round_trip_folder(more), 1);
}
END_TEST

UNIT_TESTS("ptx_read", 60)
{
	UNIT_TEST(integer_constants);
	UNIT_TEST(real_constants);
	UNIT_TEST(initial_bytes);
	UNIT_TEST(initial_addresses);
	UNIT_TEST(variables_have_sizes);
	UNIT_TEST(registers_of_ranges_come_when_used);
	UNIT_TEST(scopes_hide_and_labels_follow);
	UNIT_TEST(functions_join_their_declarations);
	UNIT_TEST(kernels_have_limits);
	UNIT_TEST(header_lines_and_locations);
	UNIT_TEST(address_size_left_out);
	UNIT_TEST(operands_of_every_kind);
	UNIT_TEST(calls_have_lists);
	UNIT_TEST(printed_modules_read_back_the_same);
}
