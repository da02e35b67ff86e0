/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads and stores against bytes: every type and vector, in registers as wide as the type and wider, with cache
 * operators and orders, in every space that a kernel can fill; and what is not aligned, which must fail.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_run.h"
#include "main.h"

enum { KERNELS = 48, FORMS = 24, REGION = 64, REGISTER_BYTES = 16, SLOT = 4 * REGISTER_BYTES };
enum space { GLOBAL, SHARED, LOCAL, CONSTANT, GENERIC, SPACES };

struct access {
	enum space space;
	char kind; /* b, u, s or f */
	uint32_t bits, vector, width, offset;
	const char *modifiers;
};

static uint32_t bytes_of(const struct access *a) { return a->bits / 8 * a->vector; }

/* --- Forms ------------------------------------------------------------------------------------------------ */

static const char *random_modifiers(const struct access *a, bool is_store, uint64_t *r)
{
	static const char *const loads[] = {"", ".ca", ".cg", ".cs", ".lu", ".cv"}, *const stores[] = {"", ".wb", ".cg",
												       ".cs", ".wt"};

	return is_store ? stores[random_below(r, 5)] : loads[random_below(r, a->space == CONSTANT ? 1 : 6)];
}

/* 128 bits have no vectors, and no more than 128 are moved at once. */
static struct access random_access(bool is_store, uint64_t *r)
{
	static const char kinds[] = "busf";
	struct access a = {.space = (enum space)random_below(r, SPACES), .kind = kinds[random_below(r, 4)]};

	if (is_store && a.space == CONSTANT)
		a.space = GLOBAL;
	a.bits = 8u << random_below(r, 5);
	if (a.kind == 'f')
		a.bits = random_below(r, 2) ? 32 : 64;
	if (a.bits == 128)
		a.kind = 'b';
	a.vector = 1u << random_below(r, 3);
	while (a.vector * a.bits > 128)
		a.vector /= 2;
	a.width = a.bits < 16 ? 16 : a.bits;
	while (a.kind != 'f' && a.width < 64 && random_below(r, 3) == 0)
		a.width *= 2;
	a.offset = random_below(r, REGION / bytes_of(&a)) * bytes_of(&a);
	a.modifiers = random_modifiers(&a, is_store, r);
	return a;
}

static const char *register_name(const struct access *a)
{
	return a->kind == 'f'   ? (a->bits == 32 ? "f" : "fd")
	       : a->width == 16 ? "h"
	       : a->width == 32 ? "r"
	       : a->width == 64 ? "rd"
				: "q";
}

static void write_registers(struct kernel_text *t, const struct access *a)
{
	kernel_add(t, a->vector > 1 ? "{" : "");
	for (uint32_t k = 0; k < a->vector; k++)
		kernel_add(t, "%s%%%s%u", k ? ", " : "", register_name(a), k);
	kernel_add(t, a->vector > 1 ? "}" : "");
}

static void write_address(struct kernel_text *t, const struct access *a, uint32_t offset)
{
	static const char *const bases[] = {"i", "s", "l", "c", "i"};

	kernel_add(t, "[%%%s+%u]", bases[a->space], offset);
}

static void write_opcode(struct kernel_text *t, const char *opcode, const struct access *a)
{
	static const char *const spaces[] = {".global", ".shared", ".local", ".const", ""}, *const vectors[] = {
												    "", "", ".v2", "",
												    ".v4"};

	kernel_add(t, "%s%s%s%s.%c%u ", opcode, spaces[a->space], a->modifiers, vectors[a->vector], a->kind, a->bits);
}

/* Registers as 64 bits each, or the 128 of one. */
static void write_results(struct kernel_text *t, const struct access *a, uint32_t slot)
{
	for (uint32_t k = 0; k < a->vector; k++) {
		const uint32_t at = slot + k * REGISTER_BYTES;
		if (a->width == 128)
			kernel_add(t, "mov.b128 {%%w0, %%w1}, %%q%u; st.global.v2.u64 [%%o+%u], {%%w0, %%w1};\n", k,
				   at);
		else if (a->width == 16)
			kernel_add(t, "mov.b64 %%w0, {%%h%u, 0, 0, 0}; st.global.u64 [%%o+%u], %%w0;\n", k, at);
		else if (a->width == 32)
			kernel_add(t, "mov.b32 %%x, %%%s%u; cvt.u64.u32 %%w0, %%x; st.global.u64 [%%o+%u], %%w0;\n",
				   register_name(a), k, at);
		else
			kernel_add(t, "mov.b64 %%w0, %%%s%u; st.global.u64 [%%o+%u], %%w0;\n", register_name(a), k, at);
	}
}

static const char head[] =
	".version 8.3\n.target sm_90\n.address_size 64\n%s"
	".visible .entry k(.param .u64 in, .param .u64 out) {\n"
	".shared .align 16 .b8 shared_bytes[%d]; .local .align 16 .b8 local_bytes[%d];\n"
	".reg .b16 %%h<4>; .reg .b32 %%r<4>, %%x, %%t; .reg .b64 %%rd<4>, %%w<2>, %%i, %%o, %%s, %%l, %%c, %%a; .reg "
	".b128 %%q<4>;\n"
	".reg .f32 %%f<4>; .reg .f64 %%fd<4>;\n"
	"ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out]; mov.u32 %%t, %%tid.x;\n"
	"mul.wide.u32 %%a, %%t, %d; add.u64 %%i, %%i, %%a; mov.u64 %%s, shared_bytes; add.u64 %%s, %%s, %%a;\n"
	"mov.u64 %%l, local_bytes; mul.wide.u32 %%a, %%t, %d; add.u64 %%o, %%o, %%a;\n";

static void write_constants(struct kernel_text *t, const uint8_t bytes[REGION])
{
	kernel_add(t, ".const .align 16 .b8 constant_bytes[%d] = {", REGION);
	for (int k = 0; k < REGION; k++)
		kernel_add(t, "%s%u", k ? ", " : "", bytes[k]);
	kernel_add(t, "};\n");
}

static void write_head(struct kernel_text *t, const uint8_t constants[REGION], uint32_t lane_bytes)
{
	struct kernel_text declaration = {NULL, 0, 0};

	write_constants(&declaration, constants);
	kernel_add(t, head, declaration.text, KERNEL_LANES * REGION, REGION, REGION, lane_bytes);
	kernel_add(t, "mov.u64 %%c, constant_bytes;\n");
	kernel_free(&declaration);
}

static void copy_region(struct kernel_text *t, const char *from, const char *to)
{
	for (int k = 0; k < REGION; k += 8)
		kernel_add(t, "ld%s+%d]; st%s+%d], %%w0;\n", from, k, to, k);
}

/* --- Loads ------------------------------------------------------------------------------------------------ */

/* What a register holds: the type's bits, extended by zeros or, of .s, the sign. */
static void expect_register(const struct access *a, const uint8_t *bytes, uint8_t want[REGISTER_BYTES])
{
	const uint32_t size = a->bits / 8;

	memset(want, a->kind == 's' && bytes[size - 1] & 0x80 ? 0xff : 0, a->width / 8);
	memset(want + a->width / 8, 0, REGISTER_BYTES - a->width / 8);
	memcpy(want, bytes, size);
}

static void compare_load(const struct access *a, const uint8_t *region, const uint8_t *got)
{
	struct kernel_text text = {NULL, 0, 0};
	uint8_t want[REGISTER_BYTES];

	for (uint32_t k = 0; k < a->vector; k++) {
		expect_register(a, region + a->offset + k * a->bits / 8, want);
		const uint32_t size = a->width == 128 ? 16 : 8;
		if (memcmp(want, got + k * REGISTER_BYTES, size) != 0)
			write_opcode(&text, "ld", a);
		ck_assert_msg(memcmp(want, got + k * REGISTER_BYTES, size) == 0,
			      "%sat %u into %u bits: register %u is wrong", text.text, a->offset, a->width, k);
	}
}

static void write_load_kernel(struct kernel_text *t, struct access forms[FORMS], const uint8_t constants[REGION],
			      uint64_t *r)
{
	write_head(t, constants, FORMS * SLOT);
	copy_region(t, ".global.b64 %w0, [%i", ".shared.b64 [%s");
	copy_region(t, ".global.b64 %w0, [%i", ".local.b64 [%l");
	for (int k = 0; k < FORMS; k++) {
		forms[k] = random_access(false, r);
		write_opcode(t, "ld", &forms[k]);
		write_registers(t, &forms[k]);
		kernel_add(t, ", ");
		write_address(t, &forms[k], forms[k].offset);
		kernel_add(t, ";\n");
		write_results(t, &forms[k], (uint32_t)k * SLOT);
	}
	kernel_add(t, "ret; }\n");
}

START_TEST(loads_take_their_bytes)
{
	uint64_t r = 0x123456789abcdef1;

	for (int kernel = 0; kernel < KERNELS; kernel++) {
		struct kernel_text t = {NULL, 0, 0};
		struct access forms[FORMS];
		uint8_t in[KERNEL_LANES][REGION], constants[REGION], out[KERNEL_LANES][FORMS * SLOT];
		char error[200] = "";
		for (int k = 0; k < REGION; k++) {
			constants[k] = (uint8_t)random_next(&r);
			for (int l = 0; l < KERNEL_LANES; l++)
				in[l][k] = (uint8_t)(random_next(&r) >> 20);
		}
		write_load_kernel(&t, forms, constants, &r);
		memset(out, 0, sizeof out);
		ck_assert_msg(kernel_run(&t, in, sizeof in, out, sizeof out, KERNEL_LANES, error), "%s", error);
		for (int k = 0; k < FORMS; k++)
			for (int l = 0; l < KERNEL_LANES; l++)
				compare_load(&forms[k], forms[k].space == CONSTANT ? constants : in[l],
					     out[l] + k * SLOT);
		kernel_free(&t);
	}
}
END_TEST

/* --- Stores ----------------------------------------------------------------------------------------------- */

/* A lane's 128 bytes of input fill the registers; what it stores is read back a region at a time. */
static void write_store_kernel(struct kernel_text *t, struct access forms[FORMS], const uint8_t constants[REGION],
			       uint64_t *r)
{
	write_head(t, constants, FORMS * REGION);
	for (int k = 0; k < FORMS; k++) {
		struct access *a = &forms[k];
		*a = random_access(true, r);
		kernel_add(t, "mov.u64 %%w0, 0;\n");
		for (int at = 0; at < REGION; at += 8)
			kernel_add(t, "st.shared.b64 [%%s+%d], %%w0; st.local.b64 [%%l+%d], %%w0;\n", at, at);
		for (uint32_t v = 0; v < a->vector; v++)
			kernel_add(t, "ld.global.b%u %%%s%u, [%%i+%u];\n", a->kind == 'f' ? a->bits : a->width,
				   register_name(a), v, v * REGISTER_BYTES);
		write_opcode(t, "st", a);
		if (a->space == GLOBAL || a->space == GENERIC)
			kernel_add(t, "[%%o+%u]", (uint32_t)k * REGION + a->offset);
		else
			write_address(t, a, a->offset);
		kernel_add(t, ", ");
		write_registers(t, a);
		kernel_add(t, ";\n");
		for (int at = 0; at < REGION && (a->space == SHARED || a->space == LOCAL); at += 8)
			kernel_add(t, "ld.%s.b64 %%w0, [%%%s+%d]; st.global.b64 [%%o+%d], %%w0;\n",
				   a->space == SHARED ? "shared" : "local", a->space == SHARED ? "s" : "l", at,
				   k * REGION + at);
	}
	kernel_add(t, "ret; }\n");
}

static void compare_store(const struct access *a, const uint8_t *registers, const uint8_t *got)
{
	struct kernel_text text = {NULL, 0, 0};
	uint8_t want[REGION] = {0};

	for (uint32_t k = 0; k < a->vector; k++)
		memcpy(want + a->offset + k * a->bits / 8, registers + k * REGISTER_BYTES, a->bits / 8);
	if (memcmp(want, got, REGION) != 0)
		write_opcode(&text, "st", a);
	ck_assert_msg(memcmp(want, got, REGION) == 0, "%sat %u from %u bits", text.text, a->offset, a->width);
}

START_TEST(stores_leave_their_bytes)
{
	uint64_t r = 0xfeedbeefcafe1235;
	const uint8_t constants[REGION] = {0};

	for (int kernel = 0; kernel < KERNELS; kernel++) {
		struct kernel_text t = {NULL, 0, 0};
		struct access forms[FORMS];
		uint8_t in[KERNEL_LANES][REGION], out[KERNEL_LANES][FORMS * REGION];
		char error[200] = "";
		for (int l = 0; l < KERNEL_LANES; l++)
			for (int k = 0; k < REGION; k++)
				in[l][k] = (uint8_t)(random_next(&r) >> 24);
		write_store_kernel(&t, forms, constants, &r);
		memset(out, 0, sizeof out);
		ck_assert_msg(kernel_run(&t, in, sizeof in, out, sizeof out, KERNEL_LANES, error), "%s", error);
		for (int k = 0; k < FORMS; k++)
			for (int l = 0; l < KERNEL_LANES; l++)
				compare_store(&forms[k], in[l], out[l] + k * REGION);
		kernel_free(&t);
	}
}
END_TEST

/* --- Alignment -------------------------------------------------------------------------------------------- */

START_TEST(what_is_not_aligned_fails)
{
	uint64_t r = 0x1122334455667789;
	const uint8_t constants[REGION] = {0};

	for (int trial = 0; trial < 120; trial++) {
		const bool is_store = trial % 2;
		struct kernel_text t = {NULL, 0, 0};
		struct access a = random_access(is_store, &r);
		uint8_t in[KERNEL_LANES * REGION] = {0}, out[KERNEL_LANES * SLOT] = {0};
		char error[200] = "";
		if (bytes_of(&a) == 1)
			continue;
		a.offset = 1 + random_below(&r, bytes_of(&a) - 1);
		write_head(&t, constants, SLOT);
		for (uint32_t v = 0; is_store && v < a.vector; v++)
			kernel_add(&t, "ld.global.b%u %%%s%u, [%%i];\n", a.kind == 'f' ? a.bits : a.width,
				   register_name(&a), v);
		/* Through a register, so that the assembler of the text cannot see it. */
		kernel_add(&t, "add.u64 %%%s, %%%s, %u;\n",
			   a.space == SHARED     ? "s"
			   : a.space == LOCAL    ? "l"
			   : a.space == CONSTANT ? "c"
						 : "i",
			   a.space == SHARED     ? "s"
			   : a.space == LOCAL    ? "l"
			   : a.space == CONSTANT ? "c"
						 : "i",
			   a.offset);
		write_opcode(&t, is_store ? "st" : "ld", &a);
		if (!is_store) {
			write_registers(&t, &a);
			kernel_add(&t, ", ");
		}
		write_address(&t, &a, 0);
		if (is_store) {
			kernel_add(&t, ", ");
			write_registers(&t, &a);
		}
		kernel_add(&t, "; ret; }\n");
		ck_assert_msg(!kernel_run(&t, in, sizeof in, out, sizeof out, 1, error), "%s runs", t.text);
		ck_assert_msg(strstr(error, "aligned") != NULL, "%s", error);
		kernel_free(&t);
	}
}
END_TEST

UNIT_TESTS("oracle_memory", 120)
{
	UNIT_TEST(loads_take_their_bytes);
	UNIT_TEST(stores_leave_their_bytes);
	UNIT_TEST(what_is_not_aligned_fails);
}
