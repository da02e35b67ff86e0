/* SPDX-License-Identifier: Apache-2.0
 *
 * atom and red against plain arithmetic: every operation, type and vector, in global and shared memory and by generic
 * addresses, on an element for each lane (what it leaves and what it returns) and on one for all (the sum of all, and
 * values returned that are its steps).
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_run.h"
#include "main.h"

enum { KERNELS = 60, FORMS = 16, SLOT = 16 };
enum space { GLOBAL, SHARED, GENERIC };
enum operation { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH, CAS };

static const char *const names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"};
static const char *const spaces[] = {".global", ".shared", ""};

/* A type: its letter and bits, how many values of how many bits it is, and the operations that have it, as bits. */
struct type {
	const char *name;
	char kind;                                 /* u s b f; h: f16, g: bf16 */
	uint32_t bits, parts, operations, vectors; /* vectors: the sum of the lengths, of global addresses alone */
};
#define BIT(o) (1u << (o))
static const struct type types[] = {
	{"u32", 'u', 32, 1, BIT(ADD) | BIT(MIN) | BIT(MAX) | BIT(INC) | BIT(DEC), 0},
	{"s32", 's', 32, 1, BIT(ADD) | BIT(MIN) | BIT(MAX), 0},
	{"u64", 'u', 64, 1, BIT(ADD) | BIT(MIN) | BIT(MAX), 0},
	{"s64", 's', 64, 1, BIT(MIN) | BIT(MAX), 0},
	{"b32", 'b', 32, 1, BIT(AND) | BIT(OR) | BIT(XOR) | BIT(EXCH) | BIT(CAS), 0},
	{"b64", 'b', 64, 1, BIT(AND) | BIT(OR) | BIT(XOR) | BIT(EXCH) | BIT(CAS), 0},
	{"b16", 'b', 16, 1, BIT(CAS), 0},
	{"b128", 'b', 128, 1, BIT(EXCH) | BIT(CAS), 0},
	{"f32", 'f', 32, 1, BIT(ADD), 2 + 4},
	{"f64", 'f', 64, 1, BIT(ADD), 0},
	{"f16", 'h', 16, 1, BIT(ADD), 2 + 4 + 8},
	{"bf16", 'g', 16, 1, BIT(ADD), 2 + 4 + 8},
	{"f16x2", 'h', 32, 2, BIT(ADD), 2 + 4},
	{"bf16x2", 'g', 32, 2, BIT(ADD), 2 + 4},
};

struct form {
	const struct type *type;
	enum operation op;
	enum space space;
	uint32_t vector; /* 1: none */
	bool returns;    /* atom, else red */
	bool shares;     /* all lanes at the first one's place */
};

static bool is_half(const struct type *t) { return t->kind == 'h' || t->kind == 'g'; }
static uint32_t element_bytes(const struct type *t) { return t->bits / 8 / t->parts; }
static uint32_t total_bytes(const struct form *f) { return f->type->bits / 8 * f->vector; }

/* --- The oracle ------------------------------------------------------------------------------------------- */

/* Halves that are normal numbers. */
static double half_value(char kind, uint64_t bits)
{
	const int fraction = kind == 'h' ? 10 : 7, bias = kind == 'h' ? 15 : 127;
	const int exponent = (int)(bits >> fraction & (kind == 'h' ? 31 : 255));
	const double m = 1 + ldexp((double)(bits & ((1u << fraction) - 1)), -fraction);

	if (exponent == 0)
		return 0;
	return (bits & 0x8000 ? -1 : 1) * ldexp(m, exponent - bias);
}

static uint64_t half_bits(char kind, double v)
{
	const int fraction = kind == 'h' ? 10 : 7, bias = kind == 'h' ? 15 : 127;
	int exponent;

	if (v == 0)
		return 0;
	const double scaled = ldexp(frexp(fabs(v), &exponent), fraction + 1), down = floor(scaled);
	double near = down + (scaled - down > 0.5 || (scaled - down == 0.5 && fmod(down, 2) == 1));
	if (near == ldexp(1, fraction + 1)) {
		near /= 2;
		exponent++;
	}
	return (v < 0 ? 0x8000u : 0) | (uint64_t)(exponent - 1 + bias) << fraction |
	       ((uint64_t)near & ((1u << fraction) - 1));
}

static uint64_t float_sum(const struct type *t, uint64_t a, uint64_t b)
{
	uint64_t sum = 0;
	float x, y;
	double p, q;

	if (is_half(t))
		return half_bits(t->kind, half_value(t->kind, a) + half_value(t->kind, b));
	if (t->bits == 32) {
		memcpy(&x, &a, 4);
		memcpy(&y, &b, 4);
		x += y;
		memcpy(&sum, &x, 4);
		return sum;
	}
	memcpy(&p, &a, 8);
	memcpy(&q, &b, 8);
	p += q;
	memcpy(&sum, &p, 8);
	return sum;
}

static bool less(const struct type *t, uint64_t a, uint64_t b)
{
	if (is_half(t))
		return half_value(t->kind, a) < half_value(t->kind, b);
	if (t->kind == 's')
		return t->bits == 32 ? (int32_t)a < (int32_t)b : (int64_t)a < (int64_t)b;
	return a < b;
}

/* One element; c: what cas puts. */
static uint64_t combined(const struct form *f, uint64_t old, uint64_t b, uint64_t c)
{
	const struct type *t = f->type;

	switch (f->op) {
	case ADD:
		return t->kind == 'f' || is_half(t) ? float_sum(t, old, b) : old + b;
	case MIN:
		return less(t, b, old) ? b : old;
	case MAX:
		return less(t, old, b) ? b : old;
	case INC:
		return old >= b ? 0 : old + 1;
	case DEC:
		return old == 0 || old > b ? b : old - 1;
	case AND:
		return old & b;
	case OR:
		return old | b;
	case XOR:
		return old ^ b;
	case EXCH:
		return b;
	default:
		return old == b ? c : old;
	}
}

/* All elements of an access; 128 bits are one. */
static void apply(const struct form *f, uint8_t *at, const uint8_t *b, const uint8_t *c)
{
	const uint32_t size = element_bytes(f->type);

	if (f->type->bits == 128) {
		if (f->op == EXCH || memcmp(at, b, 16) == 0)
			memcpy(at, f->op == EXCH ? b : c, 16);
		return;
	}
	for (uint32_t k = 0; k < total_bytes(f); k += size) {
		uint64_t old = 0, x = 0, y = 0;
		memcpy(&old, at + k, size);
		memcpy(&x, b + k, size);
		memcpy(&y, c + k, size);
		old = combined(f, old, x, y);
		memcpy(at + k, &old, size);
	}
}

/* --- Forms and values ------------------------------------------------------------------------------------- */

static struct form random_form(uint64_t *r)
{
	struct form f = {.type = &types[random_below(r, sizeof types / sizeof *types)],
			 .space = (enum space)random_below(r, 3),
			 .vector = 1};

	if (f.type->vectors && random_below(r, 2)) {
		do
			f.vector = 1u << (1 + random_below(r, 3));
		while (!(f.type->vectors & f.vector));
		f.space = GLOBAL;
	}
	uint32_t operations = f.type->operations | (f.vector > 1 && is_half(f.type) ? BIT(MIN) | BIT(MAX) : 0);
	do
		f.op = (enum operation)random_below(r, 10);
	while (!(operations >> f.op & 1));
	f.returns = f.op == EXCH || f.op == CAS || random_below(r, 2);
	/* Sums of floats depend on the order, exchanges too. */
	f.shares = f.type->kind != 'f' && !is_half(f.type) && f.op <= XOR && random_below(r, 3) == 0;
	return f;
}

/* Floats of moderate size; whole numbers that are equal now and then. */
static void random_bytes(const struct form *f, uint8_t to[SLOT], uint64_t *r)
{
	const struct type *t = f->type;

	for (uint32_t k = 0; k < SLOT; k += t->bits == 128 ? 8 : element_bytes(t)) {
		uint64_t bits = random_value(r, 64);
		const float x = ((float)random_below(r, 20001) - 10000) / 64;
		const double y = ((double)random_below(r, 2000001) - 1000000) / 7;
		if (is_half(t))
			bits = half_bits(t->kind, (double)random_below(r, 2001) / 32 - 31);
		else if (t->kind == 'f' && t->bits == 32)
			memcpy(&bits, &x, 4);
		else if (t->kind == 'f')
			memcpy(&bits, &y, 8);
		else if (f->op == CAS || f->op == INC || f->op == DEC)
			bits = random_below(r, 3);
		memcpy(to + k, &bits, t->bits == 128 ? 8 : element_bytes(t));
	}
}

static const char *register_of(const struct type *t)
{
	return t->bits == 128   ? "q"
	       : t->bits == 64  ? (t->kind == 'f' ? "fd" : "rd")
	       : t->bits == 16  ? "h"
	       : t->kind == 'f' ? "f"
				: "r";
}

static void write_vector(struct kernel_text *t, const struct form *f, const char *prefix)
{
	kernel_add(t, f->vector > 1 ? "{" : "");
	for (uint32_t k = 0; k < f->vector; k++)
		kernel_add(t, "%s%%%s%s%u", k ? ", " : "", prefix, register_of(f->type), k);
	kernel_add(t, f->vector > 1 ? "}" : "");
}

static void write_opcode(struct kernel_text *t, const struct form *f)
{
	kernel_add(t, "%s%s.%s", f->returns ? "atom" : "red", spaces[f->space], names[f->op]);
	kernel_add(t, "%s", is_half(f->type) ? ".noftz" : "");
	if (f->vector > 1)
		kernel_add(t, ".v%u", f->vector);
	kernel_add(t, ".%s ", f->type->name);
}

/* Loads a vector of registers from the bytes at a base. */
static void write_fill(struct kernel_text *t, const struct form *f, const char *prefix, const char *base, uint32_t at)
{
	for (uint32_t k = 0; k < f->vector; k++)
		kernel_add(t, "ld.global.b%u %%%s%s%u, [%%%s+%u];\n", f->type->bits, prefix, register_of(f->type), k,
			   base, at + k * f->type->bits / 8);
}

/* A form takes three slots of a lane's input (memory, b, c) and leaves two (memory, what came back). */
static void write_form(struct kernel_text *t, const struct form *f, uint32_t number)
{
	const uint32_t in = number * 3 * SLOT, out = number * 2 * SLOT;

	kernel_add(t, "ld.global.v2.b64 {%%w0, %%w1}, [%%i+%u]; st.global.v2.b64 [%%o+%u], {%%w0, %%w1};\n", in, out);
	kernel_add(t, "st.shared.v2.b64 [%%s], {%%w0, %%w1}; bar.sync 0;\n");
	if (f->space == SHARED)
		kernel_add(t, "mov.u64 %%a, %s;\n", f->shares ? "shared_bytes" : "%s");
	else
		kernel_add(t, "add.u64 %%a, %s, %u;\n", f->shares ? "%first" : "%o", out);
	write_fill(t, f, "b", "i", in + SLOT);
	write_fill(t, f, "c", "i", in + 2 * SLOT);
	write_opcode(t, f);
	if (f->returns) {
		write_vector(t, f, "d");
		kernel_add(t, ", ");
	}
	kernel_add(t, "[%%a], ");
	write_vector(t, f, "b");
	if (f->op == CAS) {
		kernel_add(t, ", ");
		write_vector(t, f, "c");
	}
	kernel_add(t, ";\nbar.sync 0;\n");
	if (f->space == SHARED)
		kernel_add(t, "ld.shared.v2.b64 {%%w0, %%w1}, [%%s]; st.global.v2.b64 [%%o+%u], {%%w0, %%w1};\n", out);
	for (uint32_t k = 0; f->returns && k < f->vector; k++)
		kernel_add(t, "st.global.b%u [%%o+%u], %%d%s%u;\n", f->type->bits, out + SLOT + k * f->type->bits / 8,
			   register_of(f->type), k);
}

static void write_kernel(struct kernel_text *t, struct form forms[FORMS], uint64_t *r)
{
	static const char *const files[][2] = {{".b16", "h"}, {".b32", "r"},  {".b64", "rd"},
					       {".f32", "f"}, {".f64", "fd"}, {".b128", "q"}};

	kernel_add(
		t,
		".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n"
		".shared .align 16 .b8 shared_bytes[%d];\n.reg .b32 %%t; .reg .b64 %%i, %%o, %%s, %%a, %%first, "
		"%%w<2>;\n",
		KERNEL_LANES * SLOT);
	for (uint32_t k = 0; k < 18; k++)
		kernel_add(t, ".reg %s %%%c%s<8>;\n", files[k % 6][0], "bcd"[k / 6], files[k % 6][1]);
	kernel_add(t,
		   "ld.param.u64 %%i, [in]; ld.param.u64 %%first, [out]; mov.u32 %%t, %%tid.x;\n"
		   "mul.wide.u32 %%a, %%t, %d; add.u64 %%i, %%i, %%a; mul.wide.u32 %%a, %%t, %d; add.u64 %%o, %%first, "
		   "%%a;\n"
		   "mov.u64 %%s, shared_bytes; mul.wide.u32 %%a, %%t, %d; add.u64 %%s, %%s, %%a;\n",
		   FORMS * 3 * SLOT, FORMS * 2 * SLOT, SLOT);
	for (uint32_t k = 0; k < FORMS; k++) {
		forms[k] = random_form(r);
		write_form(t, &forms[k], k);
	}
	kernel_add(t, "ret; }\n");
}

/* --- Comparison ------------------------------------------------------------------------------------------- */

static uint8_t in[KERNEL_LANES][FORMS][3][SLOT], out[KERNEL_LANES][FORMS][2][SLOT];

static void tell(const struct form *f, uint32_t lane, const char *what)
{
	struct kernel_text text = {NULL, 0, 0};

	write_opcode(&text, f);
	ck_abort_msg("%s lane %u%s: %s", text.text, lane, f->shares ? ", shared place" : "", what);
}

static void compare_own(const struct form *f, uint32_t number)
{
	for (uint32_t l = 0; l < KERNEL_LANES; l++) {
		uint8_t memory[SLOT];
		memcpy(memory, in[l][number][0], SLOT);
		if (f->returns && memcmp(memory, out[l][number][1], total_bytes(f)) != 0)
			tell(f, l, "does not return what was there");
		apply(f, memory, in[l][number][1], in[l][number][2]);
		if (memcmp(memory, out[l][number][0], SLOT) != 0)
			tell(f, l, "leaves something else");
	}
}

/* Whether the values that came back are the steps of some order of the lanes. */
static bool are_steps(const struct form *f, uint32_t number)
{
	const uint32_t size = total_bytes(f);
	bool done[KERNEL_LANES] = {false};
	uint8_t memory[SLOT];

	memcpy(memory, in[0][number][0], SLOT);
	for (uint32_t step = 0; step < KERNEL_LANES; step++) {
		uint32_t l = 0;
		while (l < KERNEL_LANES && (done[l] || memcmp(out[l][number][1], memory, size) != 0))
			l++;
		if (l == KERNEL_LANES)
			return false;
		done[l] = true;
		apply(f, memory, in[l][number][1], in[l][number][2]);
	}
	return true;
}

static void compare_shared(const struct form *f, uint32_t number)
{
	uint8_t memory[SLOT];

	memcpy(memory, in[0][number][0], SLOT);
	for (uint32_t l = 0; l < KERNEL_LANES; l++)
		apply(f, memory, in[l][number][1], in[l][number][2]);
	if (memcmp(memory, out[0][number][0], total_bytes(f)) != 0)
		tell(f, 0, "leaves something else");
	if (f->returns && f->op == ADD && !are_steps(f, number))
		tell(f, 0, "returns what never was there");
}

/* Of one place for all: counts that grow, so that every step is another value, and one bound for all. */
static void fill(const struct form *f, uint32_t number, uint64_t *r)
{
	const uint32_t size = f->type->bits / 8;

	for (uint32_t l = 0; l < KERNEL_LANES; l++)
		for (uint32_t k = 0; k < 3; k++) {
			random_bytes(f, in[l][number][k], r);
			if (f->shares && k == 1 && f->op == ADD)
				memcpy(in[l][number][1], &(uint64_t){1 + random_below(r, 1000)}, size);
			if (f->shares && k == 1 && (f->op == INC || f->op == DEC))
				memcpy(in[l][number][1], &(uint64_t){5}, size);
		}
}

START_TEST(operations_are_plain_arithmetic)
{
	uint64_t r = 0x0123456789abcdef;

	for (int kernel = 0; kernel < KERNELS; kernel++) {
		struct kernel_text t = {NULL, 0, 0};
		struct form forms[FORMS];
		char error[200] = "";
		write_kernel(&t, forms, &r);
		for (uint32_t k = 0; k < FORMS; k++)
			fill(&forms[k], k, &r);
		memset(out, 0, sizeof out);
		ck_assert_msg(kernel_run(&t, in, sizeof in, out, sizeof out, KERNEL_LANES, error), "%s", error);
		for (uint32_t k = 0; k < FORMS; k++)
			(forms[k].shares ? compare_shared : compare_own)(&forms[k], k);
		kernel_free(&t);
	}
}
END_TEST

UNIT_TESTS("oracle_atomic", 120) { UNIT_TEST(operations_are_plain_arithmetic); }
