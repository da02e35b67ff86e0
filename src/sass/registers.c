/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and types of a kernel's registers.
 */
#include "sass/registers.h"

#include <stdio.h>
#include <string.h>

#include "sass/module.h"

/* --- Names -------------------------------------------------------------------------------------- */

static const struct {
	const char *prefix;
	u16 first, count, type;
} files[SASS_FILE_COUNT] = {{"R", SASS_INDEX_R, 255, T_b32},
			    {"UR", SASS_INDEX_UR, 255, T_b32},
			    {"P", SASS_INDEX_P, SASS_PT, T_pred},
			    {"UP", SASS_INDEX_UP, SASS_PT, T_pred},
			    {"B", SASS_INDEX_B, 16, T_b32}};

enum sass_file sass_file_of(u32 index)
{
	u32 k = SASS_FILE_COUNT - 1;

	while (files[k].first > index)
		k--;
	return (enum sass_file)k;
}

/* One list serves all kernels: the names and numbers are the same. */
void sass_name_registers(struct ir_module *m)
{
	struct ir_function *first = NULL;

	for (size_t k = 0; k < m->functions.count; k++) {
		struct ir_function *f = m->functions.items[k];
		f->register_slots = SASS_INDEX_COUNT;
		if (first) {
			f->registers.items = first->registers.items;
			f->registers.count = f->registers.capacity = first->registers.count;
			continue;
		}
		first = f;
		for (u32 n = 0; n < SASS_FILE_COUNT; n++)
			for (u32 r = 0; r < files[n].count; r++) {
				struct ir_register *to = ARENA_NEW(m->arena, struct ir_register);
				*to = (struct ir_register){.name = arena_printf(m->arena, "%s%u", files[n].prefix, r),
							   .type = files[n].type,
							   .vector = 1,
							   .index = files[n].first + r,
							   .span = f->span};
				VEC_PUSH(m->arena, &f->registers, to);
			}
	}
}

/* --- Instructions ------------------------------------------------------------------------------- */

static const struct sass_section *section_at(const struct sass_module *m, u32 address)
{
	u32 k = m->section_count - 1;

	while (k && m->sections[k].base > address)
		k--;
	return &m->sections[k];
}

static const u8 *code_at(const struct ir_function *f, u32 index, u32 *address)
{
	const u32 at = f->body.items[index].address;
	const struct sass_section *s = section_at(f->machine->kernel->module, at);

	*address = at - s->base;
	return s->code + *address;
}

const char *sass_called_at(const struct ir_function *f, u32 index)
{
	const u32 address = f->body.items[index].address;
	const struct sass_section *s = section_at(f->machine->kernel->module, address);

	return s->base == address && address != f->machine->address ? s->function->name : NULL;
}

bool sass_instruction_at(const struct ir_function *f, u32 index, struct sass_insn *to)
{
	u32 address;
	const u8 *code = code_at(f, index, &address);

	return sass_decode(f->machine->kernel->module->decoder, read_u64(code), read_u64(code + 8), address, to);
}

const struct sass_decoder *sass_decoder_of(const struct ir_function *f) { return f->machine->kernel->module->decoder; }

void sass_bits_at(const struct ir_function *f, u32 index, u64 bits[2])
{
	u32 address;
	const u8 *code = code_at(f, index, &address);

	bits[0] = read_u64(code);
	bits[1] = read_u64(code + 8);
}

void sass_effects_at(const struct ir_function *f, u32 index, struct sass_effects *to)
{
	struct sass_insn i;

	to->count = 0;
	if (sass_instruction_at(f, index, &i))
		sass_effects_of(f->machine->kernel->module->decoder, &i, to);
}

void sass_registers_used(const struct ir_function *f, bool used[SASS_INDEX_COUNT])
{
	struct sass_effects effects;

	memset(used, 0, SASS_INDEX_COUNT * sizeof *used);
	for (u32 k = 0; k < f->body.count; k++) {
		sass_effects_at(f, k, &effects);
		for (u32 n = 0; n < effects.count; n++)
			for (u32 r = 0; r < effects.items[n].count; r++)
				used[effects.items[n].first + r] = true;
	}
}

/* --- Types -------------------------------------------------------------------------------------- */

/* What one instruction says of a register. */
struct said {
	u16 type;
	bool upper, address, known;
};

/* What is said of a register by the last instruction that wrote it, the last that has read it since, the next that reads it. */
struct evidence {
	struct said written, read, next;
	bool over; /* it is written again before it is read */
};

static void note(struct said *s, const struct sass_effect *e, u32 word)
{
	if (s->known)
		return;
	*s = (struct said){.type = e->type,
			   .address = e->is_address,
			   .upper = e->type != TOKEN_NONE && type_bits(e->type) == 64 && word % 2,
			   .known = true};
}

static void look_back(const struct ir_function *f, u32 from, struct evidence *all)
{
	struct sass_effects effects;

	for (u32 k = from; k-- > 0 && f->body.items[k].address < f->body.items[from].address;) {
		sass_effects_at(f, k, &effects);
		for (u32 n = effects.count; n-- > 0;)
			for (u32 r = 0; r < effects.items[n].count; r++) {
				struct evidence *e = &all[effects.items[n].first + r];
				if (effects.items[n].written)
					note(&e->written, &effects.items[n], r);
				else if (!e->written.known)
					note(&e->read, &effects.items[n], r);
			}
	}
}

static void look_ahead(const struct ir_function *f, u32 from, struct evidence *all)
{
	struct sass_effects effects;

	for (u32 k = from; k < f->body.count && f->body.items[k].address >= f->body.items[from].address; k++) {
		sass_effects_at(f, k, &effects);
		for (u32 n = 0; n < effects.count; n++)
			for (u32 r = 0; r < effects.items[n].count; r++) {
				struct evidence *e = &all[effects.items[n].first + r];
				if (effects.items[n].written)
					e->over = true;
				else if (!e->over && effects.items[n].type != TOKEN_NONE)
					note(&e->next, &effects.items[n], r);
			}
	}
}

/* Sums of addresses are made of integers of 32 bits: that a pair is used as an address says more. */
static struct said most_telling(const struct evidence *e)
{
	if (e->next.known && e->next.address && type_bits(e->next.type) == 64)
		return e->next;
	if (e->written.known && e->written.type != TOKEN_NONE)
		return e->written;
	if (e->next.known)
		return e->next;
	return e->read.known && e->read.type != TOKEN_NONE ? e->read : (struct said){.type = T_b32};
}

void sass_types_at(const struct ir_function *f, u32 index, struct sass_seen seen[SASS_INDEX_COUNT])
{
	struct evidence all[SASS_INDEX_COUNT];

	memset(all, 0, sizeof all);
	look_back(f, index, all);
	look_ahead(f, index, all);
	for (u32 k = 0; k < SASS_INDEX_COUNT; k++) {
		const u32 file = sass_file_of(k);
		const struct said s = most_telling(&all[k]);
		if (file > SASS_FILE_UR)
			seen[k] = (struct sass_seen){.type = files[file].type};
		else
			seen[k] = (struct sass_seen){.type = s.upper ? (u16)T_b32 : s.type, .upper = s.upper};
	}
	/* A pair whose halves are told apart is two registers. */
	for (u32 k = 0; k < SASS_INDEX_P; k++) {
		const bool pair = type_bits(seen[k].type) == 64;
		if (pair && (k + 1 == SASS_INDEX_P || !seen[k + 1].upper))
			seen[k].type = T_b32;
		if (seen[k].upper && (!k || type_bits(seen[k - 1].type) != 64))
			seen[k].upper = false;
	}
}
