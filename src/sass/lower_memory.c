/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: loads, stores, constant banks, fences.
 */
#include <string.h>

#include "sass/lower.h"

struct access {
	const char *type;
	u32 words; /* registers */
};

static const struct access sizes[] = {{"u8", 1}, {"s8", 1}, {"u16", 1}, {"s16", 1}, {"b32", 1}, {"b32", 2}, {"b32", 4}};

/* --- Addresses ------------------------------------------------------------------------------ */

/* The operand with the brackets. */
static const struct sass_operand *address_operand(const struct lower *l)
{
	u32 k = 0;

	while (k + 1 < l->i->operand_count && l->i->operands[k].arg != ARG_ADDRESS)
		k++;
	return &l->i->operands[k];
}

const char *lower_space(const struct lower *l)
{
	switch (l->i->opcode) {
	case SASS_OP_LDG:
	case SASS_OP_STG:
	case SASS_OP_ATOMG:
	case SASS_OP_REDG:
	case SASS_OP_RED:
		return ".global";
	case SASS_OP_LDS:
	case SASS_OP_STS:
	case SASS_OP_ATOMS:
		return ".shared";
	case SASS_OP_LDL:
	case SASS_OP_STL:
		return ".local";
	default:
		return "";
	}
}

/* Shared and local: a sum of 32 bits. */
static u32 narrow_base(struct lower *l, const struct sass_operand *o)
{
	const u32 scale = o->part_of && o->part ? o->part + 1u : 0;
	u32 row = o->base == SASS_RZ ? l->zero : lower_register(l, o->base), to;

	if (scale && o->base != SASS_RZ) {
		to = lower_word(l);
		PTX(l, "shl.b32", TO32(to), ROW32(row), ROW32(lower_number(l, scale)));
		row = to;
	}
	if (o->uniform >= SASS_NO_REGISTER)
		return row;
	if (row == l->zero)
		return lower_uniform(l, o->uniform);
	to = lower_word(l);
	PTX(l, "add.u32", TO32(to), ROW32(row), ROW32(lower_uniform(l, o->uniform)));
	return to;
}

/* Global and generic addresses: 64 bits, from a pair of registers or a single one, plus a uniform pair. */
static u32 wide_base(struct lower *l, const struct sass_operand *o, bool pair)
{
	u32 row = l->zero64;

	if (o->base != SASS_RZ)
		row = lower_join(l, lower_register(l, o->base), pair ? lower_register(l, o->base + 1u) : l->zero);
	if (o->uniform >= SASS_NO_REGISTER)
		return row;
	const u32 more = lower_join(l, lower_uniform(l, o->uniform), lower_uniform(l, o->uniform + 1u));
	if (o->base == SASS_RZ)
		return more;
	PTX(l, "add.u64", TO64(row), ROW64(row), ROW64(more));
	return row;
}

struct lower_place lower_address_of(struct lower *l, const char *space)
{
	return lower_place_of(l, address_operand(l), space);
}

/* Row and offset of an address, for PTX's [row+offset]. */
struct lower_place lower_place_of(struct lower *l, const struct sass_operand *o, const char *space)
{
	struct lower_place p = {.wide = space[0] == 0 || space[1] == 'g', .offset = (s32)o->value};
	bool pair = o->flags & SASS_WIDE && !(o->flags & SASS_U32);

	if (o->arg != ARG_ADDRESS)
		lower_fails(l);
	if (p.wide && o->uniform == SASS_NO_REGISTER && o->descriptor == SASS_NO_REGISTER)
		pair |= sass_modifier(l->i, MOD_E) || sass_modifier(l->i, MOD_E_WIDE);
	p.base = p.wide ? wide_base(l, o, pair) : narrow_base(l, o);
	return p;
}

/* --- Loads and stores ----------------------------------------------------------------------- */

/* .STRONG and .MMIO; a weak access otherwise. */
static const char *order_of(struct lower *l, const char *space)
{
	const u32 order = sass_modifier(l->i, MOD_ORDER) + sass_modifier(l->i, MOD_ATOM_ORDER) +
			  sass_modifier(l->i, MOD_STORE_ORDER100);
	static const char *const scopes75[] = {".cta", ".cta", ".gpu", ".sys"};
	const bool global = space[0] == 0 || space[1] == 'g';

	if (l->sm < 80 && sass_modifier(l->i, MOD_ORDER75) + sass_modifier(l->i, MOD_STORE_ORDER75) > 1 && global) {
		l->shows_order = true;
		return lower_text(l, ".relaxed%s", scopes75[sass_modifier(l->i, MOD_SCOPE75) & 3]);
	}
	if (order < 5 || order == 9 || order == 11 || order > 12 || l->sm < 80 || !global)
		return "";
	l->shows_order = true;
	return order == 10 || order == 12 ? ".relaxed.sys" : order == 5 ? ".relaxed.cta" : ".relaxed.gpu";
}

/* The width, whose field differs by generation. */
static const struct access *access_of(struct lower *l)
{
	const u32 size =
		sass_modifier(l->i, MOD_SIZE) + sass_modifier(l->i, MOD_SIZE_Q) + sass_modifier(l->i, MOD_SIZE75);

	if (size == 7 && sass_modifier(l->i, MOD_SIZE75) == 7)
		return &sizes[6];
	if (size >= COUNT_OF(sizes)) {
		lower_fails(l);
		return &sizes[4];
	}
	return &sizes[size];
}

static void access(struct lower *l, const char *op, const char *order, const char *space, const struct access *a,
		   const struct lower_place *at, const u32 rows[4], bool is_store)
{
	static const char *const vectors[] = {"", "", ".v2", "", ".v4"};
	const struct lower_arg base = at->wide ? ROW64(at->base) : ROW32(at->base);
	struct lower_arg args[6];
	u32 count = 0;

	if (is_store) {
		args[count++] = base;
		args[count++] = OFFSET(at->offset);
	}
	for (u32 k = 0; k < a->words; k++)
		args[count++] = is_store ? ROW32(rows[k]) : TO32(rows[k]);
	if (!is_store) {
		args[count++] = base;
		args[count++] = OFFSET(at->offset);
	}
	lower_ptx(l, lower_text(l, "%s%s%s%s.%s", op, order, space, vectors[a->words], a->type), args, count);
}

/* 256 bits: four words from each of two registers on, of a load those that the mask names, one after another. */
enum { LOAD_256 = 0x17e, STORE_256 = 0x17f, WORDS_256 = 8 };

static bool is_256(const struct lower *l, u32 bits) { return l->sm >= 100 && (l->i->low & 0x1ff) == bits; }

static void load_256(struct lower *l)
{
	const u32 mask = (u32)(l->i->low >> 57 & 0x7f) | (u32)(l->i->high >> 8 & 1) << 7;
	const struct lower_place at = lower_address_of(l, ".global");
	struct lower_arg args[WORDS_256 + 2];
	u32 taken[2] = {0, 0};

	for (u32 k = 0; k < WORDS_256; k++) {
		const bool upper = k >= WORDS_256 / 2;
		args[k] = TO32(mask >> k & 1 ? lower_to(l, upper ? 0 : 1, taken[upper]++) : l->sink);
	}
	args[WORDS_256] = ROW64(at.base);
	args[WORDS_256 + 1] = OFFSET(at.offset);
	lower_ptx(l, "ld.global.v8.b32", args, COUNT_OF(args));
}

static void store_256(struct lower *l)
{
	const struct lower_place at = lower_address_of(l, ".global");
	struct lower_arg args[WORDS_256 + 2] = {ROW64(at.base), OFFSET(at.offset)};

	for (u32 k = 0; k < WORDS_256; k++)
		args[2 + k] = ROW32(lower_stored(l, k < WORDS_256 / 2 ? 1 : 2, k % 4));
	lower_ptx(l, "st.global.v8.b32", args, COUNT_OF(args));
}

void lower_load(struct lower *l)
{
	if (is_256(l, LOAD_256)) {
		load_256(l);
		return;
	}
	const u32 last = l->i->operand_count - 1;
	const u32 d = l->i->operands[0].arg == ARG_PREDICATE ? 1 : 0;
	const struct access *a = access_of(l);
	const char *space = lower_space(l), *order = order_of(l, space);
	const struct lower_place at = lower_address_of(l, space);
	u32 rows[4];

	if ((d && !lower_is_pt(l, 0)) ||
	    (l->i->operands[last].arg == ARG_PREDICATE && last > d && !lower_is_pt(l, last)))
		lower_fails(l);
	for (u32 k = 0; k < a->words; k++)
		rows[k] = lower_to(l, d, k);
	access(l, "ld", order, space, a, &at, rows, false);
}

void lower_store(struct lower *l)
{
	if (is_256(l, STORE_256)) {
		store_256(l);
		return;
	}
	const struct access *a = access_of(l);
	if (a->words == 2 && lower_initialises(l))
		return;
	const char *space = lower_space(l), *order = order_of(l, space);
	const struct lower_place at = lower_address_of(l, space);
	u32 rows[4];

	for (u32 k = 0; k < a->words; k++)
		rows[k] = lower_stored(l, 1, k);
	access(l, "st", order, space, a, &at, rows, true);
}

/* Which space a generic address lies in: .D is another block's shared memory, too. */
void lower_qspc(struct lower *l)
{
	static const char *const texts[] = {"isspacep.global", "isspacep.local", "isspacep.shared::cta",
					    "isspacep.shared::cluster"};
	const struct lower_place at = lower_address_of(l, "");
	const u32 x = lower_long(l);

	if (!lower_is_rz(l, 1))
		lower_fails(l);
	PTX(l, "add.u64", TO64(x), ROW64(at.base), ROW64(lower_number64(l, (u64)(s64)at.offset)));
	PTX(l, texts[(modifier(l, MOD_QSPC) + modifier(l, MOD_QSPC80)) & 3], TO1(lower_to_predicate(l, 0)), ROW64(x));
}

void lower_membar(struct lower *l)
{
	static const char *const scopes[] = {"cta", "cta", "gpu", "sys", NULL, "gpu"};
	const u32 scope = modifier(l, MOD_MEMBAR_SCOPE) + modifier(l, MOD_MEMBAR_SCOPE80);

	if (scope >= COUNT_OF(scopes) || !scopes[scope])
		lower_fails(l);
	else
		lower_ptx(l, lower_text(l, "fence.%s.%s", modifier(l, MOD_MEMBAR) ? "acq_rel" : "sc", scopes[scope]),
			  NULL, 0);
}

/* --- Constant banks ------------------------------------------------------------------------- */

/* A constant's bytes, its offset in a register beside. */
static void indexed(struct lower *l, const struct sass_operand *o, u32 bytes, bool is_signed)
{
	const bool uniform = o->arg == ARG_UCONSTANT || o->uniform != SASS_NO_REGISTER;
	u32 row = l->zero;

	if (o->base != SASS_RZ)
		row = uniform && l->i->opcode != SASS_OP_LDC ? lower_uniform(l, o->base) : lower_register(l, o->base);
	if (o->uniform < SASS_NO_REGISTER)
		row = lower_uniform(l, o->uniform);
	/* A place alone is one of 64 KiB; beside a register it has a sign. */
	const u32 at = row == l->zero ? (u32)o->value & 0xffff : (u32)o->value;
	const u32 list[] = {o->number, at, bytes, is_signed};
	lower_machine_list(l, MACHINE_bank, (struct insn){.d = lower_to(l, 0, 0), .a = row}, list, COUNT_OF(list));
}

void lower_ldc(struct lower *l)
{
	static const u8 bytes[] = {1, 1, 2, 2, 4, 8, 16};
	const struct sass_operand *o = &l->i->operands[1];
	const u32 size = l->i->opcode == SASS_OP_LDC ? modifier(l, MOD_LDC_SIZE) : modifier(l, MOD_SIZE);

	if ((o->arg != ARG_CONSTANT && o->arg != ARG_UCONSTANT) || size >= COUNT_OF(bytes) ||
	    modifier(l, MOD_LDC_MODE)) {
		lower_fails(l);
		return;
	}
	if (o->arg == ARG_UCONSTANT || o->base != SASS_RZ || o->uniform != SASS_NO_REGISTER || size < 4) {
		indexed(l, o, bytes[size], size == 1 || size == 3);
		return;
	}
	for (u32 k = 0; k < bytes[size] / 4u; k++)
		PTX(l, "mov.b32", TO32(lower_to(l, 0, k)), ROW32(lower_plain(l, 1, k)));
}
