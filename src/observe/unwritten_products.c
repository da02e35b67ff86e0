/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma and what is not written: an undefined byte of A's row spoils that row of the result, one of B's column that column,
 * and an undefined element of the accumulator itself, if it is added.
 *
 *      operands    d0 d1 ... | A: registers, or a descriptor | B: a descriptor | metadata, if sparse | add d?
 */
#include "observe/unwritten_products.h"

#include <string.h>

#include "decode/operands.h"
#include "isa/form.h"
#include "isa/matrix.h"
#include "number/tensor_shared.h"
#include "observe/defined_rows.h"

enum { WARP_ROWS = 16, GROUP_WARPS = 4, CHUNK = 16 };

struct product {
	struct unwritten *u;
	struct warp *w;
	const struct insn *i;
	const struct form *f;
	const u8 *rows;
	u32 lane; /* whose descriptors count */
	struct tensor_form form;
	u32 d, a; /* registers; a 0: A in shared memory */
	bool adds;
	bool row[WARP_ROWS], column[TENSOR_MAX_N];
	bool any;
	u32 origin;
};

bool unwritten_is_product(const struct form *f)
{
	return f->row->traits & TRAIT_MULTIPLIES && f->row->traits & TRAIT_ASYNC;
}

static u32 row_of(const struct product *p, u32 operand) { return insn_operand(p->w->frame->code, p->f, p->i, operand); }

static void begin(struct product *p)
{
	u32 at;

	isa_tensor_form(p->f, &p->form);
	p->d = tensor_fragment_registers(&p->form, TENSOR_ROLE_D);
	p->a = p->f->operand_bits[p->d] == 64 ? 0 : tensor_fragment_registers(&p->form, TENSOR_ROLE_A);
	p->form.m = WARP_ROWS;
	at = row_of(p, p->f->operand_count - 1u);
	p->adds = at != NO_OPERAND && *(const u32 *)(const void *)(p->rows + at) >> p->lane & 1;
}

/* Transposes are the last immediates: of A only if it is in shared memory, and of B. */
static bool is_transposed(const struct product *p, enum tensor_role role)
{
	const u32 first = 2u + (p->form.sparse != 0), count = p->f->immediate_count;
	const u32 at = first + (role == TENSOR_ROLE_B && !p->a);

	return at < count && p->f->immediates[at] & 1;
}

static void spoil(struct product *p, enum tensor_role role, u32 line)
{
	if (role == TENSOR_ROLE_A)
		p->row[line % WARP_ROWS] = true;
	else
		p->column[line % TENSOR_MAX_N] = true;
	p->any = true;
}

/* A chunk of 16 bytes holds a part of one line, or, transposed, an element of each of eight. */
static void look_at_chunk(struct product *p, enum tensor_role role, const struct written *w, u32 address, u32 line,
			  bool transposed)
{
	u8 mask[CHUNK];

	if (address + CHUNK > w->size || !written_lacks(w, address, CHUNK))
		return;
	memset(mask, 0, sizeof mask);
	written_get(w, address, CHUNK, mask, &p->origin);
	for (u32 k = 0; k < CHUNK; k++)
		if (mask[k])
			spoil(p, role, line + (transposed ? k / 2 : 0));
}

/* Elements of 16 bits stand for all: eight make a chunk, along K or along the lines. */
static void look_at_shared(struct product *p, enum tensor_role role, u32 operand, const struct written *w)
{
	const u64 bits = ((const u64 *)(const void *)(p->rows + row_of(p, operand)))[p->lane];
	const struct wgmma_descriptor d = wgmma_descriptor_decode(bits);
	const bool is_a = role == TENSOR_ROLE_A, transposed = is_transposed(p, role);
	const u32 lines = is_a ? WARP_ROWS : p->form.n, halves = 2 * (is_a ? p->form.a_words : p->form.b_words);
	const u32 first = is_a ? p->w->index % GROUP_WARPS * WARP_ROWS : 0;
	u32 offset;

	for (u32 line = 0; line < lines; line += transposed ? 8 : 1)
		for (u32 k = 0; k < halves; k += transposed ? 1 : 8)
			look_at_chunk(p, role, w, wgmma_chunk_address(&d, 16, transposed, first + line, k, &offset),
				      line, transposed);
}

static struct defined_operand result_register(const struct product *p, u32 k)
{
	return (struct defined_operand){row_of(p, k), 32, DEFINED_RESULT_OF};
}

/* Registers of A. */
static void look_at_registers(struct product *p)
{
	const u32 elements = tensor_fragment_elements(&p->form, TENSOR_ROLE_A), bits = 32 / elements;

	for (u32 k = 0; k < p->a; k++) {
		const struct defined_operand o = result_register(p, p->d + k);
		for (u32 left = defined_lanes(p->w->frame, &o, FULL_MASK); left; left &= left - 1) {
			const u32 lane = (u32)__builtin_ctz(left);
			const u64 undefined = defined_get(p->w->frame, &o, lane);
			p->origin = *defined_origin(p->w->frame, o.row);
			for (u32 e = 0; e < elements; e++)
				if (undefined >> e * bits & ((1ull << bits) - 1))
					spoil(p, TENSOR_ROLE_A,
					      tensor_fragment_place(&p->form, TENSOR_ROLE_A, k, lane, e).row);
		}
	}
}

/* What becomes of the elements in a lane's register of the result, where `before` was undefined. */
static u64 result_of(const struct product *p, u32 k, u32 lane, u64 before)
{
	const u32 elements = tensor_fragment_elements(&p->form, TENSOR_ROLE_D), bits = 32 / elements;
	const u64 element = (1ull << bits) - 1;
	u64 undefined = 0;

	for (u32 e = 0; e < elements; e++) {
		const struct tensor_place at = tensor_fragment_place(&p->form, TENSOR_ROLE_D, k, lane, e);
		if (p->row[at.row % WARP_ROWS] || p->column[at.column % TENSOR_MAX_N] ||
		    (p->adds && before >> e * bits & element))
			undefined |= element << e * bits;
	}
	return undefined;
}

static void write_results(struct product *p, u32 site)
{
	for (u32 k = 0; k < p->d; k++) {
		const struct defined_operand o = result_register(p, k);
		const u32 lanes = o.row == NO_OPERAND ? 0 : defined_lanes(p->w->frame, &o, FULL_MASK);
		if (o.row == NO_OPERAND || (!lanes && !p->any))
			continue;
		const u32 origin = p->any && p->origin != NO_SITE ? p->origin
				   : lanes                        ? *defined_origin(p->w->frame, o.row)
								  : site;
		for (u32 l = 0; l < WARP_LANES; l++)
			defined_put(p->w->frame, &o, l, result_of(p, k, l, defined_get(p->w->frame, &o, l)),
				    origin | DEFINED_COMPUTED);
	}
}

void unwritten_product(struct unwritten *u, struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	const u32 site = check_site(u->where, w, i);
	const struct unwritten_block *r = unwritten_record(u, w->block);
	struct product p = {.u = u,
			    .w = w,
			    .i = i,
			    .f = warp_form(w, i),
			    .rows = rows,
			    .lane = (u32)__builtin_ctz(mask),
			    .origin = site};

	if (!r || (!u->slow && written_is_whole(&r->shared)))
		return;
	begin(&p);
	if (!p.a)
		look_at_shared(&p, TENSOR_ROLE_A, p.d, &r->shared);
	look_at_shared(&p, TENSOR_ROLE_B, p.d + max_u32(1, p.a), &r->shared);
	if ((p.any && !unwritten_watch_all(u)) || !u->slow)
		return;
	defined_rows(u->findings->arena, w->frame);
	look_at_registers(&p);
	write_results(&p, site);
}
