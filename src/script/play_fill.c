/* SPDX-License-Identifier: Apache-2.0
 *
 * Making a script's buffers and filling them. Random numbers come from the seed and the buffer's
 * name alone and are the same on every host.
 */
#include <stdlib.h>
#include <string.h>

#include "script/npy.h"
#include "script/play.h"

/* SplitMix64: every seed gives a full period and independent-looking bits. */
static u64 random_next(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* In [0, 1), with 53 random bits. */
static f64 random_unit(u64 *state) { return (f64)(random_next(state) >> 11) * 0x1p-53; }

static struct number random_uniform(const struct buffer *b, u64 *state)
{
	const struct number low = b->fill.parameters[0], high = b->fill.parameters[1];

	if (element_class(b->type) == 'f')
		return number_float(number_as_float(low) +
				    random_unit(state) * (number_as_float(high) - number_as_float(low)));
	/* Whole numbers, both ends included. */
	const s64 from = number_as_int(low), to = number_as_int(high);
	const u64 range = to < from ? 0 : (u64)to - (u64)from;
	const u64 draw = random_next(state);
	return number_int((s64)((u64)from + (range == UINT64_MAX ? draw : draw % (range + 1))));
}

/* The sum of twelve uniform draws: deviation 1, no tail beyond 6, and exact on every host. */
static struct number random_normal(const struct buffer *b, u64 *state)
{
	f64 sum = -6;

	for (u32 k = 0; k < 12; k++)
		sum += random_unit(state);
	return number_float(number_as_float(b->fill.parameters[0]) + sum * number_as_float(b->fill.parameters[1]));
}

static u64 first_state(const struct play *p, const struct buffer *b)
{
	u64 state = (u64)b->fill.parameters[2].i + p->options.seed;

	for (const char *c = b->name; *c; c++)
		state = (state ^ (u8)*c) * 0x100000001b3;
	return state;
}

static struct number iota(const struct buffer *b, u64 index)
{
	const struct number start = b->fill.parameters[0], step = b->fill.parameters[1];

	if (start.is_float || step.is_float)
		return number_float(number_as_float(start) + (f64)index * number_as_float(step));
	return number_int((s64)((u64)start.i + index * (u64)step.i));
}

static struct number formula(const struct buffer *b, u64 index, struct expr_run *run)
{
	for (u32 k = b->rank; k-- > 0;) {
		run->variables[k] = number_int((s64)(index % b->dims[k]));
		index /= b->dims[k];
	}
	return expr_eval(b->fill.items[0], run);
}

static struct number generate(const struct buffer *b, u64 index, u64 *state, struct expr_run *run)
{
	switch (b->fill.kind) {
	case GENERATE_CONST:
		return b->fill.parameters[0];
	case GENERATE_IOTA:
		return iota(b, index);
	case GENERATE_UNIFORM:
		return random_uniform(b, state);
	case GENERATE_NORMAL:
		return random_normal(b, state);
	case GENERATE_RANDOM:
		return number_int((s64)random_next(state));
	case GENERATE_VALUES:
		return index < b->fill.item_count ? expr_eval(b->fill.items[index], run) : number_int(0);
	case GENERATE_EXPR:
		return formula(b, index, run);
	case GENERATE_ZERO:
	case GENERATE_LOAD:
		break;
	}
	return number_int(0);
}

/* A file's elements of the same size may be put into the buffer: they mean the same there, or the buffer is of bits. Whole
 * numbers with a sign and without are told apart by those that the other type lacks. */
static bool keeps_values(const struct buffer *b, const struct npy *array)
{
	const char from = element_class(array->type), to = element_class(b->type);
	const u32 bytes = element_bytes(b->type);

	if (array->type == b->type || (b->type >= ELEMENT_b8 && b->type <= ELEMENT_b64) ||
	    (b->type == ELEMENT_bf16 && array->type == ELEMENT_u16))
		return true;
	if ((from != 'u' && from != 's') || (to != 'u' && to != 's'))
		return false;
	for (u64 k = 0; k < array->count; k++)
		if (array->data[k * bytes + bytes - 1] & 0x80)
			return false;
	return true;
}

static bool fill_from_file(struct play *p, struct buffer *b)
{
	const char *message;
	size_t length;
	struct npy array;
	bool mixed = false;
	struct arena *arena = &p->session->arena;
	char *bytes = script_file_read(arena, &b->fill.file, buffer_file_most(b), &length, &message);

	if (bytes && npy_begins((const u8 *)bytes, length)) {
		message = npy_parse((const u8 *)bytes, length, &array);
		const bool same_size = !message && element_bytes(array.type) == element_bytes(b->type);
		mixed = same_size && !keeps_values(b, &array);
		if (!message && (!same_size || mixed))
			message = arena_printf(arena, "it holds %s, the buffer %s", element_name(array.type),
					       element_name(b->type));
		else if (!message && array.count != b->count)
			message = arena_printf(arena, "it holds %llu elements, the buffer %llu",
					       (unsigned long long)array.count, (unsigned long long)b->count);
		else if (!message)
			memcpy(b->host, array.data, buffer_bytes(b));
	} else if (bytes && length != buffer_bytes(b)) {
		message = arena_printf(arena, "it holds %zu bytes, the buffer %llu", length,
				       (unsigned long long)buffer_bytes(b));
	} else if (bytes) {
		memcpy(b->host, bytes, length);
	}
	free(bytes);
	if (message)
		diag_error(&p->session->diags, b->span, "%s: %s", script_file_shown(arena, &b->fill.file), message);
	if (mixed)
		diag_hint(&p->session->diags, "a buffer of b%u takes the bits as they are", 8 * element_bytes(b->type));
	return !message;
}

/* A random pattern has every bit of the element random: as integers of its width. */
static enum element_type written_type(const struct buffer *b)
{
	static const enum element_type by_bytes[] = {0, ELEMENT_b8, ELEMENT_b16, 0, ELEMENT_b32, 0, 0, 0, ELEMENT_b64};

	return b->fill.kind == GENERATE_RANDOM ? by_bytes[element_bytes(b->type)] : b->type;
}

static bool make(struct play *p, struct buffer *b)
{
	struct session *s = p->session;
	u64 size = 0;

	if (b->is_variable) {
		if (!program_variable(s->program, b->name, &b->address, &size)) {
			diag_error(&s->diags, b->span, "no module-scope variable is named '%s'", b->name);
			return false;
		}
		if (size < buffer_bytes(b)) {
			diag_error(&s->diags, b->span, "'%s' holds %llu bytes, less than %llu", b->name,
				   (unsigned long long)size, (unsigned long long)buffer_bytes(b));
			return false;
		}
	} else {
		b->address = memory_allocate_buffer(&s->memory, buffer_bytes(b), b->name);
		if (!b->address) {
			char why[200];
			memory_refusal(&s->memory, buffer_bytes(b), why, sizeof why);
			diag_error(&s->diags, b->span, "no memory for '%s': %s", b->name, why);
			return false;
		}
	}
	const struct allocation *a = memory_find(&s->memory, b->address, 1);
	b->host = a->host + (b->address - a->base);
	if (b->is_allocated)
		memory_set_unwritten(&s->memory, b->address);
	return true;
}

bool play_generate(struct play *p, struct buffer *b)
{
	struct expr_run run = {.error = NULL};
	const enum element_type type = written_type(b);
	const u32 bytes = element_bytes(b->type);
	u64 state = first_state(p, b);

	if (b->fill.kind == GENERATE_LOAD)
		return fill_from_file(p, b);
	if (b->fill.kind == GENERATE_ZERO) {
		memset(b->host, 0, buffer_bytes(b));
		return true;
	}
	for (u64 k = 0; k < b->count && !run.error; k++)
		element_write(type, b->host + k * bytes, generate(b, k, &state, &run));
	if (run.error)
		diag_error(&p->session->diags, run.error_span, "%s", run.error);
	return !run.error;
}

/* Its memory is all zeros as it comes: pages that nothing is written to are not touched. */
bool play_fill(struct play *p, struct buffer *b)
{
	b->is_freed = false;
	return make(p, b) && ((b->fill.kind == GENERATE_ZERO && !b->is_variable) || play_generate(p, b));
}
