/* SPDX-License-Identifier: Apache-2.0
 *
 * A template: atomic operations on values of one type, which the includer defines as TYPE: lane by lane with diagnosis,
 * and vectors. `op` is a constant of the callers, into which all of this is inlined. exchange_TYPE(p, b, c, racing, op)
 * makes *p op(old, b, c) and gives back the old value; the includer has it.
 */
#define ATOM_JOIN(what, type)  what##_##type
#define ATOM_JOIN_(what, type) ATOM_JOIN(what, type)
#define ATOM_OF(what)          ATOM_JOIN_(what, TYPE)
/* How a value stands in a register's lane. */
#define LANE __typeof__(__builtin_choose_expr(sizeof(TYPE) < 4, (u32)0, (TYPE)0))

/* A generic address can lie in local memory, whose words are apart and the thread's own. */
ALWAYS_INLINE bool ATOM_OF(is_local)(const struct warp *w, enum ir_space space, u64 address)
{
	return sizeof(TYPE) > 4 && space == SPACE_GENERIC && generic_space(w, &address) == SPACE_LOCAL;
}
ALWAYS_INLINE bool ATOM_OF(local)(struct warp *w, const struct insn *i, u32 lane, u64 address, TYPE b, TYPE c,
				  TYPE *old, ATOM_OF(op) * op)
{
	if (!lane_read(w, i, lane, SPACE_GENERIC, address, old, sizeof *old))
		return false;
	const TYPE new = op(*old, b, c);
	return lane_write(w, i, lane, SPACE_GENERIC, address, &new, sizeof new);
}

/* Any space and address. Additions of floats learn in c whether the place is in global memory. */
ALWAYS_INLINE const struct insn *ATOM_OF(any)(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
					      ATOM_OF(op) * op, bool adds_float)
{
	const struct form *f = warp_form(w, i);
	const enum ir_space space = form_space(f);
	const bool racing = is_racing(w, space);
	const LANE *pb = (const LANE *)(const void *)(rows + i->b);
	const LANE *pc = i->c == NO_OPERAND ? NULL : (const LANE *)(const void *)(rows + i->c);
	LANE *d = i->d == NO_OPERAND ? NULL : (LANE *)(void *)(rows + i->d);
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	addresses_of(rows, i, f->operand_bits[atom_address_index(f)] == 64, address);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		TYPE old;
		if (ATOM_OF(is_local)(w, space, address[l])) {
			if (!ATOM_OF(local)(w, i, l, address[l], (TYPE)pb[l], pc ? (TYPE)pc[l] : 0, &old, op))
				return NULL;
			if (d)
				d[l] = old;
			continue;
		}
		TYPE *p = (TYPE *)(void *)lane_pointer(w, i, l, space, address[l], sizeof *p, true);
		if (!p)
			return NULL;
		const TYPE c = adds_float ? (TYPE)is_global(w, space, address[l]) : pc ? (TYPE)pc[l] : 0;
		if (sizeof *p == 16 && racing)
			pthread_mutex_lock(&w->grid->lock);
		old = ATOM_OF(exchange)(p, (TYPE)pb[l], c, racing, op);
		if (sizeof *p == 16 && racing)
			pthread_mutex_unlock(&w->grid->lock);
		if (d)
			d[l] = old;
	}
	return i + 1;
}

/* Each element is an atomic operation of its own; the whole vector must be aligned. */
ALWAYS_INLINE const struct insn *ATOM_OF(vector)(struct warp *w, const struct insn *i, u8 *rows, u32 mask,
						 ATOM_OF(op) * op)
{
	const struct form *f = warp_form(w, i);
	const enum ir_space space = form_space(f);
	const u32 first = atom_address_index(f), count = form_vector(f);
	const u32 *list = w->frame->code->operands + i->b, *values = list + first;
	u64 address[WARP_LANES] __attribute__((aligned(64)));

	addresses_of(rows, i, f->operand_bits[first] == 64, address);
	fp_enter(w, FP_RN);
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		TYPE *p = (TYPE *)(void *)lane_pointer(w, i, l, space, address[l], count * sizeof *p, true);
		if (!p)
			return NULL;
		for (u32 k = 0; k < count; k++) {
			const TYPE b = (TYPE)((const u32 *)(const void *)(rows + values[k]))[l];
			const TYPE c = (TYPE)is_global(w, space, address[l]);
			const TYPE old = ATOM_OF(exchange)(p + k, b, c, is_racing(w, space), op);
			if (first)
				((u32 *)(void *)(rows + list[k]))[l] = (u32)old;
		}
	}
	return i + 1;
}

#undef ATOM_JOIN
#undef ATOM_JOIN_
#undef ATOM_OF
#undef LANE
#undef TYPE
