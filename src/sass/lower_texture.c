/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: textures and surfaces.
 */
#include <string.h>

#include "isa/tokens.h"
#include "sass/lower.h"
#include "sass/texture_shape.h"

/* Where arguments are taken from: registers from two operands on. */
struct arguments {
	struct lower *l;
	u32 operand[2]; /* of the row */
	u32 words[2];   /* registers that there are */
	u32 taken[2];
};

/* The next one: `second`, or when the first operand's are used up, from the second on. */
static u32 take(struct arguments *a, bool second)
{
	const bool packed = sass_modifier(a->l->i, MOD_SCR);
	const bool at_second = (second && !packed) || a->taken[0] == a->words[0];
	const struct sass_operand *o = &a->l->i->operands[a->operand[at_second]];

	if (a->taken[at_second] == a->words[at_second])
		lower_fails(a->l);
	if (o->number == SASS_RZ)
		return a->l->zero;
	return lower_register(a->l, o->number + a->taken[at_second]++);
}

/* The operand behind d, R@64 of the row: where its first register, a, stands. */
enum { TEX_PREDICATE, TEX_TO_MORE, TEX_TO, TEX_A, TEX_B, TEX_HANDLE };

/* The handle at operand k: constant memory, by words, or a uniform register. Without one it is refused. */
static u32 handle_at(struct lower *l, u32 k)
{
	const struct sass_operand *o = &l->i->operands[k], *next = &l->i->operands[k + 1];

	if (o->arg == ARG_INTEGER && next->arg == ARG_INTEGER)
		return lower_bank_word(l, (u32)o->value, (u32)next->value * 4);
	if (o->arg != ARG_UREGISTER ||
	    (k + 1 < l->i->operand_count && next->arg == ARG_UREGISTER && next->number != SASS_RZ))
		lower_fails(l); /* a sampler of its own */
	return lower_plain(l, k, 0);
}

/* Channels of the mask go to registers one after another: two from d on, two from R@64 on; .F16: two to the halves of each. */
static void place_results(struct lower *l, u32 list[MACHINE_TEXTURE_OPERANDS])
{
	const u32 mask = sass_texture_mask(l->i);
	u32 at = 0;

	for (u32 k = 0; k < 4; k++) {
		if (!(mask >> k & 1))
			continue;
		const u32 to = at < 2 ? TEX_TO : TEX_TO_MORE;
		if (l->i->operands[to].number != SASS_RZ)
			list[MACHINE_TEXTURE_TO + k] = lower_to(l, to, modifier(l, MOD_TEX_F16) ? 0 : at & 1);
		at++;
	}
}

static void take_coordinates(struct arguments *a, const struct sass_texture_shape *s, bool layer_last, u32 *list)
{
	if (s->layered && !layer_last)
		list[MACHINE_TEXTURE_LAYER] = take(a, false);
	for (u32 d = 0; d < s->dimensions; d++)
		list[MACHINE_TEXTURE_AT + d] = take(a, false);
}

static void begin_list(struct lower *l, const struct sass_texture_shape *s, u32 list[MACHINE_TEXTURE_OPERANDS])
{
	for (u32 k = 0; k < MACHINE_TEXTURE_OPERANDS; k++)
		list[k] = NO_OPERAND;
	list[MACHINE_TEXTURE_ASKED] = s->dimensions | (s->cube ? MACHINE_TEXTURE_CUBE : 0);
	list[MACHINE_TEXTURE_ABSENT] = lower_to_predicate(l, TEX_PREDICATE);
	if (!s->dimensions)
		lower_fails(l);
	if (modifier(l, MOD_TEX_F16))
		list[0] |= MACHINE_TEXTURE_HALVES;
	place_results(l, list);
}

static void emit_lookup(struct lower *l, const u32 list[MACHINE_TEXTURE_OPERANDS])
{
	lower_machine_list(l, MACHINE_texture, (struct insn){.d = 0}, list, MACHINE_TEXTURE_OPERANDS);
}

static void begin_arguments(struct lower *l, struct arguments *a)
{
	*a = (struct arguments){.l = l, .operand = {TEX_A, TEX_B}};
	sass_texture_arguments(l->i, a->words);
}

/* What lane `lane` of each quad has. */
static u32 of_quad(struct lower *l, u32 row, u32 lane)
{
	const u32 to = lower_word(l);
	const u32 list[] = {l->pred_sink, to, row, lower_number(l, lane), lower_number(l, 0x1c03), 0};

	lower_machine_list(l, MACHINE_shfl, (struct insn){.d = 0}, list, COUNT_OF(list));
	return to;
}

/* Helper lanes (MACHINE_help) have no handle of their own: they take that of the first lane of their quad that ran before. */
static u32 of_lead(struct lower *l, u32 handle)
{
	const u32 to = lower_word(l);

	lower_machine(l, MACHINE_quad_lead, (struct insn){.d = to, .a = handle, .c = l->helper_rows});
	return to;
}

/* .NDV: the steps along x and y are how much further lanes 1 and 2 of a quad are than lane 0. */
static void take_steps(struct lower *l, u32 dimensions, u32 *list)
{
	for (u32 d = 0; d < dimensions; d++) {
		const u32 at = list[MACHINE_TEXTURE_AT + d], first = of_quad(l, at, 0);
		for (u32 k = 0; k < 2; k++) {
			const u32 step = lower_word(l);
			PTX(l, "sub.f32", TO32(step), ROW32(of_quad(l, at, 1 + k)), ROW32(first));
			list[MACHINE_TEXTURE_STEP + 2 * d + k] = step;
		}
	}
}

/* TEX, TLD, TLD4 */
void lower_tex(struct lower *l)
{
	enum { LOD_LB = 2 };
	const struct sass_texture_shape s = sass_texture_shape(l->i);
	struct arguments a;
	u32 list[MACHINE_TEXTURE_OPERANDS];

	begin_list(l, &s, list);
	begin_arguments(l, &a);
	if (modifier(l, MOD_TEX_LOD) == LOD_LB)
		lower_fails(l);
	if (l->i->opcode == SASS_OP_TLD)
		list[0] |= MACHINE_TEXTURE_INTEGERS | (modifier(l, MOD_TEX_CL) ? MACHINE_TEXTURE_BOUNDED : 0);
	if (l->i->opcode == SASS_OP_TLD4)
		list[0] |= MACHINE_TEXTURE_GATHER | modifier(l, MOD_GATHER) << MACHINE_TEXTURE_CHANNEL_SHIFT;
	take_coordinates(&a, &s, false, list);
	if (modifier(l, MOD_NDV))
		take_steps(l, s.dimensions, list);
	list[MACHINE_TEXTURE_HANDLE] = sass_texture_is_bindless(l->i) ? take(&a, true) : handle_at(l, TEX_HANDLE);
	if (modifier(l, MOD_NDV) && l->has_helpers)
		list[MACHINE_TEXTURE_HANDLE] = of_lead(l, list[MACHINE_TEXTURE_HANDLE]);
	if (sass_texture_has_level(l->i))
		list[MACHINE_TEXTURE_LEVEL] = take(&a, true);
	if (modifier(l, MOD_TEX_MS))
		list[MACHINE_TEXTURE_SAMPLE] = take(&a, true);
	if (modifier(l, MOD_AOFFI))
		list[MACHINE_TEXTURE_OFFSET] = take(&a, true);
	emit_lookup(l, list);
}

void lower_txd(struct lower *l)
{
	const struct sass_texture_shape s = sass_texture_shape(l->i);
	struct arguments a;
	u32 list[MACHINE_TEXTURE_OPERANDS];

	begin_list(l, &s, list);
	begin_arguments(l, &a);
	if (s.dimensions > 2)
		lower_fails(l);
	list[MACHINE_TEXTURE_HANDLE] = sass_texture_is_bindless(l->i) ? take(&a, false) : handle_at(l, TEX_HANDLE);
	list[0] |= MACHINE_TEXTURE_HIGH_OFFSET;
	take_coordinates(&a, &s, true, list);
	if (s.layered || modifier(l, MOD_AOFFI)) {
		const u32 both = take(&a, false);
		list[MACHINE_TEXTURE_LAYER] = s.layered ? both : NO_OPERAND;
		list[MACHINE_TEXTURE_OFFSET] = modifier(l, MOD_AOFFI) ? both : NO_OPERAND;
	}
	for (u32 k = 0; k < 2u * s.dimensions && s.dimensions <= 2; k++)
		list[MACHINE_TEXTURE_STEP + k] = take(&a, true);
	emit_lookup(l, list);
}

/* --- Lookups with gradients that the system supplies ------------------------------------------ */

/* __cuda_syscall_tex_grad_[pred_]SHAPE_v4_TYPE_TYPE[_offset][_depth_compare]: what TXD cannot. Arguments: the handle in R4; the
 * depth in R6; from R8 on four words of layer and coordinates, from R12 on of the step along x; on the stack, in 16 bytes each, the
 * step along y and the offset. The result: from R5 on, with pred or without; R4 says whether the texels are there. Whole
 * coordinates are taken for floats, as by TXD. */
static const struct {
	const char *name;
	struct sass_texture_shape shape;
} gradients[] = {{"1d", {1, false, false}},  {"2d", {2, false, false}}, {"3d", {3, false, false}},
		 {"cube", {3, false, true}}, {"a1d", {1, true, false}}, {"a2d", {2, true, false}},
		 {"acube", {3, true, true}}};

/* Passes over a word that may stand there. */
static bool eat(const char **text, const char *word)
{
	const size_t length = strlen(word);

	if (strncmp(*text, word, length))
		return false;
	*text += length;
	return true;
}

static const struct sass_texture_shape *gradient_shape(const char *name, bool *has_offset)
{
	static const char *const types[] = {"f32_f32", "f32_s32", "s32_f32", "s32_s32", "u32_f32", "u32_s32"};

	for (u32 k = 0; k < COUNT_OF(gradients); k++)
		for (u32 t = 0; t < COUNT_OF(types); t++) {
			const char *rest = name;
			if (!eat(&rest, gradients[k].name) || !eat(&rest, "_v4_") || !eat(&rest, types[t]))
				continue;
			*has_offset = eat(&rest, "_offset");
			eat(&rest, "_depth_compare");
			return *rest ? NULL : &gradients[k].shape;
		}
	return NULL;
}

static u32 from_stack(struct lower *l, u32 offset)
{
	const u32 to = lower_word(l);

	PTX(l, "ld.local.b32", TO32(to), ROW32(lower_register(l, 1)), OFFSET(offset));
	return to;
}

/* Four bits for each dimension, as TEX has them; of a line all bits, as it does, too. */
static u32 packed_offset(struct lower *l, const struct sass_texture_shape *s)
{
	const u32 to = lower_word(l);

	PTX(l, "mov.b32", TO32(to), ROW32(from_stack(l, 16)));
	for (u32 d = 0; d < s->dimensions && s->dimensions > 1; d++)
		PTX(l, "bfi.b32", TO32(to), ROW32(d ? from_stack(l, 16 + 4 * d) : to), ROW32(d ? to : l->zero),
		    ROW32(lower_number(l, 4 * d)), ROW32(lower_number(l, 4)));
	return to;
}

void lower_texture_gradient(struct lower *l, const char *name)
{
	bool has_offset = false;
	const char *rest = name + strlen(SASS_TEXTURE_GRADIENT);

	eat(&rest, "pred_");
	const struct sass_texture_shape *s = gradient_shape(rest, &has_offset);
	u32 list[MACHINE_TEXTURE_OPERANDS];

	if (!s) {
		lower_not_supplied(l, name);
		return;
	}
	for (u32 k = 0; k < MACHINE_TEXTURE_OPERANDS; k++)
		list[k] = NO_OPERAND;
	list[MACHINE_TEXTURE_ASKED] = s->dimensions | (s->cube ? MACHINE_TEXTURE_CUBE : 0);
	list[MACHINE_TEXTURE_HANDLE] = lower_register(l, 4);
	if (s->layered)
		list[MACHINE_TEXTURE_LAYER] = lower_register(l, 8);
	for (u32 d = 0; d < s->dimensions; d++) {
		list[MACHINE_TEXTURE_AT + d] = lower_register(l, 8 + s->layered + d);
		list[MACHINE_TEXTURE_STEP + 2 * d] = lower_register(l, 12 + d);
		list[MACHINE_TEXTURE_STEP + 2 * d + 1] = from_stack(l, 4 * d);
	}
	if (has_offset)
		list[MACHINE_TEXTURE_OFFSET] = packed_offset(l, s);
	for (u32 k = 0; k < 4; k++)
		list[MACHINE_TEXTURE_TO + k] = lower_register(l, 5 + k);
	emit_lookup(l, list);
	PTX(l, "mov.b32", TO32(lower_register(l, 4)), ROW32(lower_number(l, 1)));
}

/* --- Queries -------------------------------------------------------------------------------- */

void lower_txq(struct lower *l)
{
	enum { TO_MORE, TO, A, HANDLE };
	const u32 mask = sass_texture_mask(l->i);
	const bool bindless = sass_texture_is_bindless(l->i);
	u32 list[5], at = 0;

	list[0] = bindless ? lower_plain(l, A, 0) : handle_at(l, HANDLE);
	list[1] = lower_plain(l, A, bindless ? 1 : 0);
	for (u32 d = 0; d < 3; d++) {
		list[2 + d] = NO_OPERAND;
		if (mask >> d & 1) {
			list[2 + d] = lower_to(l, at < 2 ? TO : TO_MORE, at & 1);
			at++;
		}
	}
	if (mask >> 3)
		lower_fails(l);
	lower_machine_list(l, MACHINE_texture_size, (struct insn){.d = 0}, list, COUNT_OF(list));
}

/* --- Surfaces ------------------------------------------------------------------------------- */

/* What is alike in all of them: shape, bounds, coordinates, handle. address, data, handle: operands of the row. */
static void begin_surface(struct lower *l, u32 address, u32 handle, u32 list[MACHINE_SURFACE_OPERANDS])
{
	enum { BOUND_CLAMP = 1, BOUND_TRAP = 2 };
	const struct sass_texture_shape s = sass_surface_shape(l->i);
	const u32 bound = modifier(l, MOD_SURFACE_BOUND);
	const struct sass_operand *at = &l->i->operands[address];

	for (u32 k = 0; k < MACHINE_SURFACE_OPERANDS; k++)
		list[k] = NO_OPERAND;
	if (!s.dimensions)
		lower_fails(l);
	list[MACHINE_SURFACE_ASKED] = s.dimensions | (s.layered ? MACHINE_SURFACE_LAYERED : 0) |
				      (modifier(l, MOD_BYTE_ADDRESS) ? 0 : MACHINE_SURFACE_TEXELS) |
				      (bound == BOUND_CLAMP  ? MACHINE_SURFACE_CLAMP
				       : bound == BOUND_TRAP ? MACHINE_SURFACE_TRAP
							     : 0);
	list[MACHINE_SURFACE_HANDLE] =
		l->i->operands[handle].arg == ARG_REGISTER ? lower_plain(l, handle, 0) : handle_at(l, handle);
	for (u32 k = 0; k < (u32)s.dimensions + s.layered; k++)
		list[MACHINE_SURFACE_AT + k] = at->base == SASS_RZ ? l->zero : lower_register(l, at->base + k);
}

static const u8 surface_sizes[] = {1, 1, 2, 2, 4, 8, 16, 0};

void lower_suld(struct lower *l)
{
	const u32 size = modifier(l, MOD_SIZE_Q);
	u32 list[MACHINE_SURFACE_OPERANDS];

	begin_surface(l, 1, 2, list);
	list[MACHINE_SURFACE_BYTES] = surface_sizes[size];
	if (size == 1 || size == 3)
		list[0] |= MACHINE_SURFACE_SIGNED;
	if (!surface_sizes[size])
		lower_fails(l);
	for (u32 k = 0; k < 4; k++)
		list[MACHINE_SURFACE_DATA + k] = lower_to(l, 0, k);
	lower_machine_list(l, MACHINE_suld, (struct insn){.d = 0}, list, COUNT_OF(list));
}

/* .P: a texel is made of as many words as the mask tells, the others are 0. */
void lower_sust(struct lower *l)
{
	const u32 mask = modifier(l, MOD_SURFACE_MASK);
	u32 list[MACHINE_SURFACE_OPERANDS], words = 4;

	begin_surface(l, 0, 2, list);
	if (mask) {
		list[MACHINE_SURFACE_BYTES] = 0;
		words = (u32)__builtin_popcount(mask);
		if (mask & (mask + 1))
			lower_fails(l);
	} else {
		list[MACHINE_SURFACE_BYTES] = surface_sizes[modifier(l, MOD_SIZE_Q)];
		words = (list[MACHINE_SURFACE_BYTES] + 3) / 4;
		if (!words)
			lower_fails(l);
	}
	for (u32 k = 0; k < words; k++)
		list[MACHINE_SURFACE_DATA + k] = lower_stored(l, 1, k);
	lower_machine_list(l, MACHINE_sust, (struct insn){.d = 0}, list, COUNT_OF(list));
}

void lower_sured(struct lower *l)
{
	enum { TYPE_S32 = 1, TYPE_U64 = 2, TYPE_S64 = 5, TYPE_SD32 = 6, TYPE_SD64 = 7 };
	static const int operations[] = {M_add, M_min, M_max, 0, 0, M_and, M_or, 0};
	const u32 type = modifier(l, MOD_SURED_TYPE), operation = modifier(l, MOD_ATOM3);
	u32 list[MACHINE_SURFACE_OPERANDS];

	begin_surface(l, 0, 2, list);
	if (!operations[operation])
		lower_fails(l);
	list[MACHINE_SURFACE_BYTES] = type == TYPE_U64 || type == TYPE_S64 || type == TYPE_SD64 ? 8 : 4;
	list[0] |= type == TYPE_S32 || type == TYPE_S64 ? MACHINE_SURFACE_SIGNED : 0;
	list[0] |= type == TYPE_SD32 || type == TYPE_SD64 ? MACHINE_SURFACE_FORMAT : 0;
	for (u32 k = 0; k < 2; k++)
		list[MACHINE_SURFACE_DATA + k] = lower_stored(l, 1, k);
	lower_machine_list(l, MACHINE_sured, (struct insn){.c = (u32)operations[operation]}, list, COUNT_OF(list));
}
