/* SPDX-License-Identifier: Apache-2.0
 *
 * A search backwards from an address over the instructions that write its registers. A register that a loop changes
 * is found by searching with itself unknown: what comes back to it is itself plus a constant, or cannot be told.
 *
 * The result says, for a launch, which addresses an operand can take:
 *
 *      base + constant + per[0] * tid.x + ... + per[5] * ctaid.z + n * step
 *
 *      base      a number, shared memory, an allocation (memory), private, or anywhere
 *      known     false: the base is known, but not where in it
 *      loop      a register that a loop changes; step: by how much, each time
 *
 * The race checker uses it to prove that threads cannot meet (race_proof.c). Every doubt ends in `anywhere`.
 */
#include "observe/affine.h"

#include <string.h>

#include "decode/form_address.h"
#include "ir/link.h"
#include "isa/form.h"

enum { DEPTH_MOST = 200, STEPS_MOST = 100000, NO_WRITER = 0xffffffff };

enum state { UNKNOWN, IN_WORK, DONE };

struct affine_values {
	const struct program *program;
	const struct kernel *kernel;
	const struct code *code;
	const struct launch *launch;
	u32 *first; /* by register: its first writer in `writers`; of the next register the end */
	u32 *writers;
	u8 *state;
	struct affine *found;
	u32 depth, steps;
};

/* --- Who writes what ------------------------------------------------------------------------ */

static void count_writes(const struct ir_operand *o, u32 *count)
{
	if (o->kind == OPERAND_REGISTER && o->symbol && o->symbol->kind == SYM_REGISTER)
		count[o->symbol->reg->index]++;
	for (u32 k = 0; k < o->item_count; k++)
		count_writes(&o->items[k], count);
}

static void note_writes(const struct ir_operand *o, u32 insn, u32 *next, u32 *writers)
{
	if (o->kind == OPERAND_REGISTER && o->symbol && o->symbol->kind == SYM_REGISTER)
		writers[next[o->symbol->reg->index]++] = insn;
	for (u32 k = 0; k < o->item_count; k++)
		note_writes(&o->items[k], insn, next, writers);
}

static bool may_write(const struct form *f, const struct operand_spec *specs, u32 count, u32 operand)
{
	return !f->row || operand >= count || specs[operand].written || specs[operand].kind == 'F';
}

/* Two passes: count, then fill. v->writers[v->first[r] .. v->first[r + 1]) are the instructions that write register
 * r. */
static void find_writers(struct affine_values *v, struct arena *arena)
{
	const struct ir_function *f = v->code->function;
	u32 *next = ARENA_ARRAY(arena, f->register_slots + 2, u32), total = 0;

	v->first = ARENA_ARRAY(arena, f->register_slots + 2, u32);
	for (u32 pass = 0; pass < 2; pass++) {
		for (u32 k = 0; k < f->body.count; k++) {
			const struct ir_instruction *x = &f->body.items[k];
			const struct form *form = &v->code->forms[k];
			struct operand_spec specs[FORM_OPERANDS];
			const u32 count = form->row ? isa_operand_specs(form, specs) : 0;
			for (u32 o = 0; o < x->operand_count; o++)
				if (may_write(form, specs, count, o)) {
					if (pass)
						note_writes(&x->operands[o], k, next, v->writers);
					else
						count_writes(&x->operands[o], next);
				}
		}
		for (u32 r = 0; !pass && r <= f->register_slots; r++) {
			v->first[r] = total;
			total += next[r];
			next[r] = v->first[r];
		}
		if (!pass)
			v->writers = ARENA_ARRAY(arena, total + 1, u32);
	}
	v->first[f->register_slots + 1] = total;
}

struct affine_values *affine_new(struct arena *arena, const struct program *program, const struct kernel *k)
{
	struct affine_values *v = ARENA_NEW(arena, struct affine_values);
	const size_t slots = k->code->function->register_slots + (size_t)1;

	v->program = program;
	v->kernel = k;
	v->code = k->code;
	v->state = ARENA_ARRAY(arena, slots, u8);
	v->found = ARENA_ARRAY(arena, slots, struct affine);
	find_writers(v, arena);
	return v;
}

/* Launch shapes and parameters change what is known: nothing is kept from the launch before. */
void affine_begin(struct affine_values *v, const struct launch *l)
{
	v->launch = l;
	v->steps = 0;
	memset(v->state, 0, v->code->function->register_slots + (size_t)1);
}

/* How many values an index of threads (0 to 2) or blocks (3 to 5) takes in this launch. */
u32 affine_extent(const struct affine_values *v, u32 index)
{
	const struct launch *l = v->launch;

	return max_u32(1, index < AFFINE_THREAD ? l->block[index] : l->grid[index - AFFINE_THREAD]);
}

/* --- Arithmetic ------------------------------------------------------------------------------ */

static struct affine number(s64 n) { return (struct affine){.known = true, .constant = n}; }
/* Of a register with so many bits. */
static struct affine unknown(u32 bits) { return (struct affine){.base = bits == 64 ? AFFINE_ANYWHERE : AFFINE_NUMBER}; }

/* The same in all threads, and known. */
static bool is_constant(const struct affine *a)
{
	bool any = a->step || a->loop || a->base != AFFINE_NUMBER || !a->known;

	for (u32 k = 0; k < AFFINE_INDICES; k++)
		any |= a->per[k] != 0;
	return !any;
}

static bool same_base(const struct affine *a, const struct affine *b)
{
	return a->base == b->base && a->memory == b->memory;
}

/* One of the two, or what both have led to: where two ways meet, or a selection. */
static struct affine either(struct affine a, const struct affine *b)
{
	a.known = false;
	a.loop = a.loop ? a.loop : b->loop;
	if (b->base == AFFINE_NUMBER || same_base(&a, b))
		return a;
	if (a.base == AFFINE_NUMBER) {
		a.base = b->base;
		a.memory = b->memory;
		return a;
	}
	a.base = AFFINE_ANYWHERE;
	a.memory = NULL;
	return a;
}

/* Overflow means that nothing is known but the loop. */
static struct affine scaled(struct affine a, s64 by, u32 bits)
{
	bool wraps = a.base != AFFINE_NUMBER || (a.loop && by != 1);
	u64 step;

	for (u32 k = 0; k < AFFINE_INDICES; k++)
		wraps |= __builtin_mul_overflow(a.per[k], by, &a.per[k]);
	wraps |= __builtin_mul_overflow(a.constant, by, &a.constant);
	wraps |= __builtin_mul_overflow(a.step, (u64)(by < 0 ? -by : by), &step);
	a.step = step;
	if (!wraps)
		return a;
	struct affine result = unknown(a.base == AFFINE_NUMBER ? 32 : bits);
	result.loop = a.loop;
	return result;
}

/* A sum of a pointer and what may be anything is taken to stay where the pointer is. */
static struct affine sum(struct affine a, const struct affine *b)
{
	bool wraps = !a.known || !b->known || (a.loop && b->loop);

	for (u32 k = 0; k < AFFINE_INDICES; k++)
		wraps |= __builtin_add_overflow(a.per[k], b->per[k], &a.per[k]);
	wraps |= __builtin_add_overflow(a.constant, b->constant, &a.constant);
	a.step = common_divisor(a.step, b->step);
	a.known = !wraps;
	a.loop = a.loop ? a.loop : b->loop;
	if (b->base == AFFINE_NUMBER || (a.base != AFFINE_NUMBER && b->base == AFFINE_ANYWHERE))
		return a;
	if (a.base == AFFINE_NUMBER || a.base == AFFINE_ANYWHERE) {
		a.base = b->base;
		a.memory = b->memory;
		return a;
	}
	a.base = AFFINE_ANYWHERE;
	a.memory = NULL;
	a.known = false;
	return a;
}

/* Two pointers into one allocation leave a number. */
static struct affine difference(const struct affine *a, struct affine b, u32 bits)
{
	struct affine result = *a;

	if (b.base != AFFINE_NUMBER && same_base(a, &b))
		result.base = b.base = AFFINE_NUMBER;
	if (b.base != AFFINE_NUMBER || b.loop)
		return either(*a, &b);
	b = scaled(b, -1, bits);
	return sum(result, &b);
}

/* Only by a constant; anything else may be any number. */
static struct affine product(const struct affine *a, const struct affine *b, u32 bits)
{
	struct affine result;

	if (is_constant(b) && a->known)
		return scaled(*a, b->constant, bits);
	if (is_constant(a) && b->known)
		return scaled(*b, a->constant, bits);
	result = unknown(a->base == AFFINE_NUMBER && b->base == AFFINE_NUMBER ? 32 : bits);
	result.loop = a->loop ? a->loop : b->loop;
	return result;
}

bool affine_range(const struct affine_values *v, const struct affine *a, s64 *low, s64 *high)
{
	*low = *high = a->constant;
	for (u32 k = 0; k < AFFINE_INDICES; k++) {
		s64 most;
		if (__builtin_mul_overflow(a->per[k], (s64)affine_extent(v, k) - 1, &most) ||
		    __builtin_add_overflow(most < 0 ? *low : *high, most, most < 0 ? low : high))
			return false;
	}
	return true;
}

/* Of 32 bits, made 64. */
static struct affine widened(const struct affine_values *v, struct affine a, bool is_signed)
{
	s64 low, high;
	const s64 least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;

	if (a.base == AFFINE_NUMBER && a.known && (!affine_range(v, &a, &low, &high) || low < least || high > most))
		a.known = false;
	return a;
}

/* a | b is a + b if b fills bits that a leaves free. */
static struct affine merged(const struct affine_values *v, struct affine a, const struct affine *b)
{
	u64 unit = common_divisor((u64)(a.constant < 0 ? -a.constant : a.constant), a.step);
	s64 low, high;

	for (u32 k = 0; k < AFFINE_INDICES; k++)
		unit = common_divisor(unit, (u64)(a.per[k] < 0 ? -a.per[k] : a.per[k]));
	unit &= -unit;
	if (a.known && b->known && !b->step && !a.loop && !b->loop && affine_range(v, b, &low, &high) && low >= 0 &&
	    (u64)high < unit)
		return sum(a, b);
	return either(a, b);
}

/* --- Operands -------------------------------------------------------------------------------- */

static struct affine register_value(struct affine_values *v, const struct ir_register *r);

/* An index that takes one value only (a dimension of 1) is 0. */
static struct affine special(const struct affine_values *v, const char *name)
{
	static const char *const indices[] = {"%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z"};
	static const char *const sizes[] = {"%ntid.x", "%ntid.y", "%ntid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z"};

	for (u32 k = 0; k < AFFINE_INDICES; k++) {
		if (!strcmp(name, sizes[k]))
			return number((s64)affine_extent(v, k));
		if (!strcmp(name, indices[k])) {
			struct affine a = number(0);
			a.per[k] = affine_extent(v, k) > 1;
			return a;
		}
	}
	return unknown(32);
}

/* A number that is the address of an allocation is taken to be a pointer into it. */
static struct affine pointer(const struct affine_values *v, u64 address)
{
	const struct allocation *a = memory_find(v->launch->memory, address, 1);

	if (!a)
		return number((s64)address);
	return (struct affine){.base = AFFINE_MEMORY, .known = true, .memory = a, .constant = (s64)(address - a->base)};
}

static struct affine variable(const struct affine_values *v, const struct ir_variable *x)
{
	const struct ir_variable *stored = ir_storage(x);

	if (stored->space == SPACE_LOCAL || stored->space == SPACE_PARAM || stored->space == SPACE_CONST)
		return (struct affine){.base = AFFINE_PRIVATE};
	for (u32 k = 0; k < v->kernel->place_count; k++)
		if (v->kernel->places[k].variable == stored && stored->space == SPACE_SHARED)
			return (struct affine){
				.base = AFFINE_SHARED, .known = true, .constant = (s64)v->kernel->places[k].address};
	for (u32 k = 0; k < v->program->variable_count; k++)
		if (v->program->variables[k].variable == stored && stored->space == SPACE_GLOBAL)
			return pointer(v, v->program->variables[k].address);
	return (struct affine){.base = stored->space == SPACE_SHARED ? AFFINE_SHARED : AFFINE_ANYWHERE};
}

static struct affine operand(struct affine_values *v, const struct ir_operand *o)
{
	struct affine a = unknown(64);

	switch (o->kind) {
	case OPERAND_REGISTER:
		if (o->symbol && o->symbol->kind == SYM_REGISTER && !o->negated)
			return register_value(v, o->symbol->reg);
		break;
	case OPERAND_SPECIAL:
		return special(v, o->name);
	case OPERAND_INTEGER:
		return number((s64)o->value);
	case OPERAND_SYMBOL:
		if (o->symbol && o->symbol->kind == SYM_VARIABLE) {
			a = variable(v, o->symbol->variable);
			a.constant += o->addend;
		}
		break;
	default:
		break;
	}
	return a;
}

struct affine affine_operand(struct affine_values *v, const struct ir_operand *o) { return operand(v, o); }

u32 affine_writer(const struct affine_values *v, const struct ir_register *r)
{
	const u32 first = v->first[r->index];

	if (r->vector != 1 || v->first[r->index + 1] - first != 1)
		return NO_OPERAND;
	return v->code->function->body.items[v->writers[first]].guard ? NO_OPERAND : v->writers[first];
}

struct affine affine_address(struct affine_values *v, const struct ir_operand *address)
{
	if (address->item_count != 1)
		return unknown(64);
	struct affine a = operand(v, &address->items[0]);
	const struct affine addend = number(address->addend);
	if (a.base == AFFINE_NUMBER && a.known && is_constant(&a))
		a = pointer(v, (u64)a.constant);
	return sum(a, &addend);
}

/* --- Instructions ---------------------------------------------------------------------------- */

static struct affine parameter(const struct affine_values *v, const struct ir_instruction *x, const struct form *f)
{
	const struct ir_operand *o = x->operand_count == 2 ? &x->operands[1] : NULL;
	const u32 bits = (u32)type_bits(form_type(f, 0));
	const struct ir_function *function = v->code->function;

	if (!o || f->param != PARAM_OF_KERNEL || o->item_count != 1 || !o->items[0].symbol || form_vector(f) != 1 ||
	    o->items[0].symbol->kind != SYM_VARIABLE || (bits != 32 && bits != 64))
		return unknown(bits);
	for (u32 k = 0; k < function->params.count; k++) {
		const u64 at = v->kernel->param_offsets[k] + (u64)(o->addend + o->items[0].addend);
		if (function->params.items[k] != o->items[0].symbol->variable || at > v->kernel->param_bytes ||
		    bits / 8 > v->kernel->param_bytes - at)
			continue;
		u64 value = 0;
		memcpy(&value, v->launch->params + at, bits / 8);
		return bits == 64 ? pointer(v, value) : number((s32)value);
	}
	return unknown(bits);
}

/* An instruction that is not looked into: one of its operands, as far as bases go. */
static struct affine any_of(struct affine_values *v, const struct ir_instruction *x, u32 bits)
{
	struct affine a = {.base = AFFINE_NUMBER};

	for (u32 k = 1; k < x->operand_count; k++) {
		const struct affine b = x->operands[k].kind == OPERAND_FLOAT ? number(0) : operand(v, &x->operands[k]);
		a = either(a, &b);
	}
	if (bits != 64 && a.base != AFFINE_SHARED)
		a.base = AFFINE_NUMBER;
	return a;
}

static struct affine multiplied(struct affine_values *v, const struct ir_instruction *x, const struct form *f, u32 bits)
{
	const bool wide = form_has(f, M_wide);
	struct affine a, b, c;

	if (x->operand_count < 3 || !(wide || form_has(f, M_lo)))
		return any_of(v, x, bits);
	a = operand(v, &x->operands[1]);
	b = operand(v, &x->operands[2]);
	if (wide) {
		const bool is_signed = type_class(form_type(f, 0)) == 's';
		a = widened(v, a, is_signed);
		b = widened(v, b, is_signed);
	}
	a = product(&a, &b, bits);
	if (f->opcode != OP_mad || x->operand_count < 4)
		return a;
	c = operand(v, &x->operands[3]);
	return sum(a, &c);
}

/* A register may be wider than what an instruction takes of it. */
static bool is_as_wide(const struct ir_operand *o, u32 bits)
{
	return o->kind != OPERAND_REGISTER || !o->symbol || o->symbol->kind != SYM_REGISTER ||
	       type_bits(o->symbol->reg->type) == bits;
}

static struct affine converted(struct affine_values *v, const struct ir_instruction *x, const struct form *f, u32 bits)
{
	const int to = form_type(f, 0), from = form_type(f, 1);

	if (type_class(to) == 'f' || type_class(from) == 'f' || type_bits(to) < 32 || type_bits(from) < 32)
		return (struct affine){.base = AFFINE_NUMBER};
	if (form_has(f, M_sat) || type_bits(to) != bits || !is_as_wide(&x->operands[1], type_bits(from)))
		return any_of(v, x, bits);
	const struct affine a = operand(v, &x->operands[1]);
	if (type_bits(to) > type_bits(from))
		return widened(v, a, type_class(from) == 's');
	return type_bits(to) == type_bits(from) || a.base == AFFINE_NUMBER ? a : any_of(v, x, bits);
}

/* Does it compute modulo 2^32 or 2^64? Neither halves, packed or not, nor floats, nor what stops at the greatest number. */
static bool is_modular(const struct form *f)
{
	const int type = form_type(f, 0);

	return type_class(type) != 'f' && type != T_u16x2 && type != T_s16x2 && type_bits(type) >= 32 &&
	       !form_has(f, M_sat);
}

/* What a computing instruction writes to its first operand. */
static struct affine computed(struct affine_values *v, const struct ir_instruction *x, const struct form *f, u32 bits)
{
	struct affine a, b;

	switch (f->opcode) {
	case OP_mov:
	case OP_cvta:
		return type_bits(form_type(f, 0)) < 32 ? any_of(v, x, bits) : operand(v, &x->operands[1]);
	case OP_cvt:
		return converted(v, x, f, bits);
	case OP_mul:
	case OP_mad:
		return is_modular(f) ? multiplied(v, x, f, bits) : any_of(v, x, bits);
	case OP_add:
	case OP_sub:
	case OP_shl:
	case OP_or:
		break;
	default:
		return any_of(v, x, bits);
	}
	if (x->operand_count < 3 || !is_modular(f))
		return any_of(v, x, bits);
	a = operand(v, &x->operands[1]);
	b = operand(v, &x->operands[2]);
	if (f->opcode == OP_add)
		return sum(a, &b);
	if (f->opcode == OP_sub)
		return difference(&a, b, bits);
	if (f->opcode == OP_or)
		return merged(v, a, &b);
	if (!is_constant(&b) || b.constant < 0 || b.constant > 31 || !a.known)
		return any_of(v, x, bits);
	return scaled(a, (s64)1 << b.constant, bits);
}

static struct affine written_by(struct affine_values *v, u32 insn, const struct ir_register *r)
{
	const struct ir_instruction *x = &v->code->function->body.items[insn];
	const struct form *f = &v->code->forms[insn];
	const u32 bits = (u32)type_bits(r->type);
	const u32 others = ISA_ATOMIC | ISA_STORE | ISA_CALL | ISA_CROSS_LANE;

	if (!f->row || x->operand_count < 2 || x->operands[0].kind != OPERAND_REGISTER || f->row->flags & others)
		return unknown(bits);
	if (f->param == PARAM_OF_KERNEL && f->opcode == OP_ld)
		return type_bits(form_type(f, 0)) == bits ? parameter(v, x, f) : unknown(bits);
	if (f->row->flags & (ISA_MEMORY | ISA_PARAM))
		return unknown(bits);
	return computed(v, x, f, bits);
}

/* --- Registers ------------------------------------------------------------------------------- */

/* What all that write it lead to. */
static struct affine joined(struct affine_values *v, const struct ir_register *r)
{
	const u32 first = v->first[r->index], end = v->first[r->index + 1], self = r->index + 1;
	struct affine result = {.base = AFFINE_NUMBER};
	u64 step = 0;
	bool any = false, steps = true;

	if (end - first == 1) {
		result = written_by(v, v->writers[first], r);
		return result.loop == self ? unknown((u32)type_bits(r->type)) : result;
	}
	for (u32 k = first; k < end; k++) {
		struct affine a = written_by(v, v->writers[k], r);
		if (a.loop == self) {
			const s64 by = a.constant;
			a.loop = 0;
			a.constant = 0;
			if (is_constant(&a)) {
				step = common_divisor(step, (u64)(by < 0 ? -by : by));
				continue;
			}
			steps = false; /* comes back as something else */
			if (a.base == AFFINE_NUMBER)
				continue;
		}
		steps &= !any && !a.loop;
		result = any ? either(result, &a) : a;
		any = true;
	}
	result.step = common_divisor(result.step, step);
	result.known &= steps && any;
	return result;
}

static struct affine register_value(struct affine_values *v, const struct ir_register *r)
{
	struct affine a;

	if (v->state[r->index] == DONE)
		return v->found[r->index];
	if (v->state[r->index] == IN_WORK) {
		a = number(0);
		a.loop = r->index + 1;
		return a;
	}
	if (v->depth >= DEPTH_MOST || v->steps >= STEPS_MOST || r->vector != 1 ||
	    v->first[r->index] == v->first[r->index + 1])
		return unknown((u32)type_bits(r->type));
	v->depth++;
	v->steps++;
	v->state[r->index] = IN_WORK;
	a = joined(v, r);
	v->depth--;
	v->state[r->index] = a.loop ? UNKNOWN : DONE;
	v->found[r->index] = a;
	return a;
}
