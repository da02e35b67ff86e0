/* SPDX-License-Identifier: Apache-2.0
 *
 * Where each element of a fragment lies is number/tensor_fragments.h's knowledge; here it is put in
 * its place and printed.
 */
#include "report/fragment.h"
#include "report/fragment_cells.h"

#include <string.h>

#include "decode/operands.h"
#include "isa/matrix.h"
#include "number/half.h"
#include "number/small.h"

enum { WGMMA_ROWS = 16, CELLS = TENSOR_MAX_M * TENSOR_MAX_N, OCTETS = 4 };

/* --- Finding -------------------------------------------------------------------------------- */

/* Operands before the fragment's; false if it is not in registers. */
static bool skip_to(const struct form *f, const struct tensor_form *t, char letter, u32 *skip)
{
	const bool is_wgmma = t->family == TENSOR_WGMMA;
	/* Of wgmma a descriptor may stand in its place. */
	const bool a_in_registers = !is_wgmma || strstr(f->row->operands, "{A}");

	*skip = 0;
	if (letter == 'D')
		return true;
	*skip = tensor_fragment_registers(t, TENSOR_ROLE_D);
	if (letter == 'A')
		return a_in_registers;
	*skip += tensor_fragment_registers(t, TENSOR_ROLE_A);
	if (letter == 'C')
		*skip += tensor_fragment_registers(t, TENSOR_ROLE_B);
	return !is_wgmma;
}

/* m8n8k4's layouts: the first word is A's, the second B's. */
static bool is_transposed(const struct form *f, enum tensor_role role)
{
	u32 words = 0;

	for (u32 k = 0; k < f->token_count; k++)
		if (f->tokens[k] == M_row || f->tokens[k] == M_col) {
			if (words++ == (role == TENSOR_ROLE_A ? 0u : 1u))
				return f->tokens[k] == (role == TENSOR_ROLE_A ? M_col : M_row);
		}
	return false;
}

/* Finds the fragment `letter` of the instruction that stands at `insn`: of a multiplication, the registers behind
 * those of the fragments before it; of wmma.load and .store, the only one. False: there is none, or it is not in
 * registers. */
bool fragment_find(struct fragment *x, const struct code *code, u32 insn, const u8 *frame, u32 warp, char letter)
{
	const u32 origin = insn < code->insn_count ? code->origin[insn] : NO_OPERAND;
	const char *at = strchr("ABCD", letter);
	u32 skip = 0;

	memset(x, 0, sizeof *x);
	if (origin == NO_OPERAND || !code->forms[origin].row || !at || !letter)
		return false;
	const struct form *f = &code->forms[origin];
	const bool moves = f->row->traits & TRAIT_FRAGMENT, multiplies = f->row->traits & TRAIT_MULTIPLIES;
	if (!(moves || multiplies) || !isa_tensor_form(f, &x->form))
		return false;
	x->role = moves ? isa_wmma_role(f) : (enum tensor_role)(at - "ABCD");
	if (multiplies && !skip_to(f, &x->form, letter, &skip))
		return false;
	const struct insn *i = &code->insns[insn];
	if (moves && f->row->flags & ISA_STORE)
		skip = 2; /* the address comes first */
	x->transposed = is_transposed(f, x->role);
	x->warp = x->form.family == TENSOR_WGMMA ? warp % 4 : 0;
	x->count = tensor_fragment_registers(&x->form, x->role);
	for (u32 k = 0; k < x->count; k++) {
		const u32 row = insn_operand(code, f, i, skip + k);
		if (row == NO_OPERAND)
			return false;
		x->rows[k] = frame + row;
	}
	return true;
}

/* --- Printing ------------------------------------------------------------------------------- */

static enum tensor_format format_of(const struct fragment *x)
{
	const struct tensor_form *f = &x->form;

	switch (x->role) {
	case TENSOR_ROLE_A:
		return f->a;
	case TENSOR_ROLE_B:
		return f->b;
	case TENSOR_ROLE_C:
		return f->c;
	default:
		return f->d;
	}
}

static const char *format_name(enum tensor_format format)
{
	static const char *const names[] = {[TENSOR_F16] = "f16",
					    [TENSOR_BF16] = "bf16",
					    [TENSOR_TF32] = "tf32",
					    [TENSOR_E4M3] = "e4m3",
					    [TENSOR_E5M2] = "e5m2",
					    [TENSOR_F32] = "f32",
					    [TENSOR_F64] = "f64",
					    [TENSOR_S8] = "s8",
					    [TENSOR_U8] = "u8",
					    [TENSOR_S4] = "s4",
					    [TENSOR_U4] = "u4",
					    [TENSOR_B1] = "b1",
					    [TENSOR_S32] = "s32",
					    [TENSOR_E3M2] = "e3m2",
					    [TENSOR_E2M3] = "e2m3",
					    [TENSOR_E2M1] = "e2m1",
					    [TENSOR_E2M1_CENTRAL] = "e2m1"};

	return names[format];
}

static void narrow_text(enum small_format format, u32 bits, char text[32])
{
	snprintf(text, 32, "%.4g", (f64)f32_of_bits(f32_from_f16(f16_from_small(format, (u8)bits, false))));
}

/* A value as people read it. bits: the element alone, in the low bits; tf32's lower 13 bits mean nothing. */
static void element_text(enum tensor_format format, u64 bits, char text[32])
{
	const u32 word = (u32)bits;

	switch (format) {
	case TENSOR_F16:
		snprintf(text, 32, "%.5g", (f64)f32_of_bits(f32_from_f16((u16)bits)));
		return;
	case TENSOR_BF16:
		snprintf(text, 32, "%.4g", (f64)f32_of_bits(f32_from_bf16((u16)bits)));
		return;
	case TENSOR_TF32:
		snprintf(text, 32, "%.5g", (f64)f32_of_bits(word & ~0x1fffu));
		return;
	case TENSOR_E4M3:
		narrow_text(SMALL_E4M3, word, text);
		return;
	case TENSOR_E5M2:
		narrow_text(SMALL_E5M2, word, text);
		return;
	case TENSOR_E3M2:
		narrow_text(SMALL_E3M2, word & 0x3f, text);
		return;
	case TENSOR_E2M3:
		narrow_text(SMALL_E2M3, word & 0x3f, text);
		return;
	case TENSOR_E2M1:
		narrow_text(SMALL_E2M1, word, text);
		return;
	case TENSOR_E2M1_CENTRAL:
		narrow_text(SMALL_E2M1, word >> 2 & 15, text);
		return;
	case TENSOR_F32:
		snprintf(text, 32, "%.9g", (f64)f32_of_bits(word));
		return;
	case TENSOR_F64:
		snprintf(text, 32, "%.17g", f64_of_bits(bits));
		return;
	case TENSOR_S8:
		snprintf(text, 32, "%d", (s8)bits);
		return;
	case TENSOR_S4:
		snprintf(text, 32, "%d", (s32)(word << 28) >> 28);
		return;
	case TENSOR_S32:
		snprintf(text, 32, "%d", (s32)word);
		return;
	default:
		snprintf(text, 32, "%u", word);
	}
}

/* A matrix as it is put together. */
struct matrix {
	u32 rows, columns;
	u64 cells[CELLS];
};

/* Bits of an element in its register. */
static u32 element_bits(const struct fragment *x)
{
	if (x->role < TENSOR_ROLE_C)
		return tensor_format_bits(format_of(x));
	return tensor_fragment_elements(&x->form, x->role) == 2 ? 16 : format_of(x) == TENSOR_F64 ? 64 : 32;
}

/* m8n8k4 of f16 is four products at once, each by eight lanes: 4 k to 4 k + 3 and 4 k + 16 to 4 k + 19. */
static bool has_octets(const struct fragment *x)
{
	return x->form.arith == TENSOR_FMA_F32 && x->form.family == TENSOR_MMA;
}

/* Where an element stands, and its bits. */
static u64 element_at(const struct fragment *x, u32 reg, u32 lane, u32 element, struct tensor_place *p)
{
	const struct tensor_form *f = &x->form;
	const u32 bits = element_bits(x);
	const u64 mask = bits == 64 ? ~0ull : (1ull << bits) - 1;

	*p = f->arith == TENSOR_FMA_F32 ? tensor_octet_place(f, x->role, x->transposed, reg, lane, element)
					: tensor_fragment_place(f, x->role, reg, x->warp * WARP_LANES + lane, element);
	if (x->role != TENSOR_ROLE_B)
		p->row = (u16)(p->row - x->warp * WGMMA_ROWS);
	const u64 word = bits == 64 ? ((const u64 *)x->rows[reg])[lane] : ((const u32 *)x->rows[reg])[lane];
	return word >> element * bits % 64 & mask;
}

/* Puts the elements that lanes hold into the places of the matrix. Some shapes hold an element in several lanes; they
 * are equal then. */
static void collect(const struct fragment *x, u32 octet, struct matrix *m)
{
	const u32 elements = tensor_fragment_elements(&x->form, x->role);

	for (u32 r = 0; r < x->count; r++)
		for (u32 l = 0; l < WARP_LANES; l++)
			for (u32 e = 0; e < elements; e++) {
				struct tensor_place p;
				if (x->form.arith == TENSOR_FMA_F32 && l / 4 % OCTETS != octet)
					continue;
				const u64 bits = element_at(x, r, l, e, &p);
				const u32 at = p.row * m->columns + p.column;
				if (at < CELLS)
					m->cells[at] = bits;
			}
}

/* Columns are as wide as the widest element; bits stand in groups of eight without a heading. */
static void print_matrix(FILE *to, enum tensor_format format, const struct matrix *m)
{
	char text[32];
	int width = 1;

	for (u32 k = 0; k < m->rows * m->columns; k++) {
		element_text(format, m->cells[k], text);
		width = (int)strlen(text) > width ? (int)strlen(text) : width;
	}
	if (format != TENSOR_B1) {
		width = width < 3 ? 3 : width;
		fprintf(to, "    ");
		for (u32 c = 0; c < m->columns; c++)
			fprintf(to, " %*u", width, c);
		fprintf(to, "\n");
	}
	for (u32 r = 0; r < m->rows; r++) {
		fprintf(to, "%3u ", r);
		for (u32 c = 0; c < m->columns; c++) {
			element_text(format, m->cells[r * m->columns + c], text);
			if (format == TENSOR_B1)
				fprintf(to, "%s%s", c % 8 ? "" : " ", text);
			else
				fprintf(to, " %*s", width, text);
		}
		fprintf(to, "\n");
	}
}

/* Rows and columns of what is shown. */
static void shape_of(const struct fragment *x, u32 *rows, u32 *columns)
{
	const struct tensor_form *f = &x->form;
	const u32 k = f->sparse && x->role == TENSOR_ROLE_A ? f->k / 2u : f->k;
	const u32 m = f->family == TENSOR_WGMMA ? WGMMA_ROWS : f->m;

	*rows = x->role == TENSOR_ROLE_B ? k : m;
	*columns = x->role == TENSOR_ROLE_A ? k : f->n;
}

void fragment_print(FILE *to, const struct fragment *x)
{
	const struct tensor_form *f = &x->form;
	const bool octets = has_octets(x);
	struct matrix matrix;

	shape_of(x, &matrix.rows, &matrix.columns);
	for (u32 octet = 0; octet < (octets ? OCTETS : 1); octet++) {
		collect(x, octet, &matrix);
		fprintf(to, "%c %ux%u %s", "ABCD"[x->role], matrix.rows, matrix.columns, format_name(format_of(x)));
		if (octets)
			fprintf(to, " of lanes %u to %u and %u to %u", 4 * octet, 4 * octet + 3, 4 * octet + 16,
				4 * octet + 19);
		if (f->family == TENSOR_WGMMA)
			fprintf(to, ", rows from %u of 64", x->warp * WGMMA_ROWS);
		fprintf(to, "%s\n", f->sparse && x->role == TENSOR_ROLE_A ? ", as stored" : "");
		print_matrix(to, format_of(x), &matrix);
	}
}

/* --- Element by element --------------------------------------------------------------------- */

static void visit_element(const struct fragment *x, u32 reg, u32 lane, u32 element, fragment_visitor *visit,
			  void *context)
{
	struct tensor_place p;
	char text[32];

	element_text(format_of(x), element_at(x, reg, lane, element, &p), text);
	const struct fragment_cell c = {.part = has_octets(x) ? lane / 4 % OCTETS : 0,
					.row = p.row,
					.column = p.column,
					.lane = lane,
					.reg = reg,
					.text = text};
	visit(context, &c);
}

const char *fragment_visit(struct arena *arena, const struct code *code, u32 insn, const u8 *frame, u32 warp,
			   char letter, fragment_visitor *visit, void *context)
{
	struct fragment x;
	u32 rows, columns;

	if (!fragment_find(&x, code, insn, frame, warp, letter))
		return NULL;
	const u32 elements = tensor_fragment_elements(&x.form, x.role);
	for (u32 r = 0; r < x.count; r++)
		for (u32 l = 0; l < WARP_LANES; l++)
			for (u32 e = 0; e < elements; e++)
				visit_element(&x, r, l, e, visit, context);
	shape_of(&x, &rows, &columns);
	return arena_printf(arena, "%c %ux%u %s", "ABCD"[x.role], rows, columns, format_name(format_of(&x)));
}
