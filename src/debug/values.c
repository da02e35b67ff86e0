/* SPDX-License-Identifier: Apache-2.0
 *
 * Values: registers and memory read, changed and written as text.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "debug/internal.h"
#include "isa/sregs.h"
#include "number/half.h"

/* --- Registers ---------------------------------------------------------------------------------- */

/* What the instructions around a place say of a register of machine code.
 * Types at one place are worked out once and kept: `info registers` asks for hundreds. */
static struct sass_seen seen_register(const struct debug *d, const struct debug_place *place, u32 index)
{
	struct seen_registers *s = d->names.seen;

	if (!place->code)
		return (struct sass_seen){.type = index < SASS_INDEX_P || index >= SASS_INDEX_B ? T_b32 : T_pred};
	if (!same_place(&s->place, place)) {
		sass_types_at(place->code->function, place->instruction, s->seen);
		s->place = *place;
	}
	return s->seen[index];
}

/* Describes element `element` of r in frame f. A register of machine code takes the type that neighbouring instructions
 * use it with, and 64-bit ones are pairs. */
static void fill_register(const struct debug *d, struct debug_register *to, const struct ir_register *r, u32 element,
			  const struct debug_frame *f)
{
	static const char letters[] = "xyzw";

	*to = (struct debug_register){.type = r->type,
				      .sreg = SREG_NONE,
				      .element = (u8)element,
				      .frame = f->frame,
				      .place = f->frame->code->registers[r->index + element]};
	if (r->vector > 1)
		snprintf(to->name, sizeof to->name, "%s.%c", r->name, letters[element & 3]);
	else
		snprintf(to->name, sizeof to->name, "%s", r->name);
	if (!f->frame->code->function->machine)
		return;
	const struct sass_seen seen = seen_register(d, &f->place, r->index);
	to->type = seen.type;
	to->pair = type_bits(seen.type) == 64;
	to->upper = seen.upper;
	to->file = (u8)sass_file_of(r->index);
	to->uniform = to->file == SASS_FILE_UR || to->file == SASS_FILE_UP;
}

static bool find_special(const char *name, struct debug_register *r)
{
	u8 element;
	const enum sreg sreg = sreg_find(name, &element);

	if (sreg == SREG_NONE || element == SREG_WHOLE)
		return false;
	*r = (struct debug_register){.type = sreg_info(sreg)->type, .sreg = (u16)sreg, .element = element};
	snprintf(r->name, sizeof r->name, "%s", name);
	return true;
}

static u32 element_of_name(const char *dot)
{
	static const char letters[] = "xyzwrgba";
	const char *at = dot && dot[1] && !dot[2] ? strchr(letters, dot[1]) : NULL;

	return at ? (u32)(at - letters) % 4 : 4;
}

/* Names in inner blocks may hide others: the one that the place sees comes first. */
static const struct ir_register *find_declared(const struct debug_frame *f, const char *name, size_t length)
{
	const struct ir_function *fn = f->frame->code->function;
	const struct ir_instruction *x = place_instruction(&f->place);
	const struct ir_register *first = NULL;

	for (size_t k = 0; k < fn->registers.count; k++) {
		const struct ir_register *r = fn->registers.items[k];
		if (strlen(r->name) != length || memcmp(r->name, name, length))
			continue;
		const struct ir_symbol *seen = x && x->scope ? ir_lookup(x->scope, r->name) : NULL;
		if (seen && seen->kind == SYM_REGISTER && seen->reg == r)
			return r;
		if (!first)
			first = r;
	}
	return first;
}

/* 1: it is there; 0: there is none of that name; -1, and a message: it has no place. */
static int find_in_frame(struct debug *d, const struct debug_frame *f, const char *name, struct debug_register *r)
{
	const char *dot = strrchr(name, '.');
	const u32 element = element_of_name(dot);
	const struct ir_register *found = find_declared(f, name, strlen(name));
	u32 which = 0;

	if (!found && element < 4) {
		found = find_declared(f, name, (size_t)(dot - name));
		which = element;
	}
	if (!found || which >= (found->vector ? found->vector : 1))
		return 0;
	fill_register(d, r, found, which, f);
	return r->place.bits ? 1 : (debug_fail(d, "'%s' is never used and has no location", name), -1);
}

bool register_in_frame(struct debug *d, const struct debug_frame *f, const char *name, struct debug_register *r)
{
	const int found = find_in_frame(d, f, name, r);

	return found > 0 || (!found && debug_fail(d, "there is no register '%s' here", name));
}

bool debug_find_register(struct debug *d, const char *name, struct debug_register *r)
{
	struct debug_frame f;
	const int found = debug_focus_frame(d, &f) ? find_in_frame(d, &f, name, r) : 0;

	if (found)
		return found > 0;
	if (find_special(name, r) && run_find_warp(d, d->focus.block, d->focus.warp))
		return true;
	if (!debug_launch(d))
		return debug_fail(d, "no kernel is running");
	return debug_fail(d, "there is no register '%s' here", name);
}

/* The index-th register with a row, over elements of vectors; false: there are no more. For listing them all. */
bool debug_register_at(const struct debug *d, u32 index, struct debug_register *r)
{
	struct debug_frame f;
	u32 at = 0;

	if (!debug_focus_frame(d, &f))
		return false;
	const struct ir_function *fn = f.frame->code->function;
	for (size_t k = 0; k < fn->registers.count; k++) {
		const struct ir_register *one = fn->registers.items[k];
		for (u32 e = 0; e < (one->vector ? one->vector : 1); e++) {
			if (!f.frame->code->registers[one->index + e].bits)
				continue;
			if (at++ < index)
				continue;
			fill_register(d, r, one, e, &f);
			return true;
		}
	}
	return false;
}

const char *debug_special_at(u32 index) { return index < SREG_COUNT ? sreg_info((enum sreg)index)->name : NULL; }

/* Rows hold 32 lanes of `bits` each, predicates one word with a bit a lane. The upper half of a pair is the next
 * row. */
struct debug_value debug_register_lane(const struct debug *d, const struct debug_register *r, u32 lane)
{
	struct debug_value v = {.type = r->type};
	const struct warp *w = run_find_warp(d, d->focus.block, d->focus.warp);

	if (r->sreg != SREG_NONE) {
		const u64 value = w ? sreg_value(w, r->sreg, r->element, lane) : 0;
		memcpy(v.bytes, &value, 8);
		return v;
	}
	const u8 *row = r->frame->rows + r->place.offset;
	if (r->place.bits == 1)
		v.bytes[0] = *(const u32 *)(const void *)row >> lane & 1;
	else
		memcpy(v.bytes, row + (size_t)lane * (r->place.bits / 8), r->place.bits / 8);
	if (r->pair)
		memcpy(v.bytes + 4, row + WARP_LANES * 4 + (size_t)lane * 4, 4);
	return v;
}

/* Also used when a recorded change is applied again after going back (run_note_input). */
void state_write_row(u8 *row, u32 bits, u32 lanes, const u8 *bytes)
{
	if (bits == 1) {
		u32 *mask = (u32 *)(void *)row;
		*mask = bytes[0] & 1 ? *mask | lanes : *mask & ~lanes;
		return;
	}
	for (u32 l = 0; l < WARP_LANES; l++)
		if (lanes >> l & 1)
			memcpy(row + (size_t)l * (bits / 8), bytes, bits / 8);
}

static void set_row(struct debug *d, const struct debug_register *r, u32 offset, u32 lanes, u8 bytes[16])
{
	run_note_input(d, &(struct input){.kind = INPUT_WRITE,
					  .block = d->focus.block,
					  .warp = d->focus.warp,
					  .lanes = lanes,
					  .space = SPACE_REG,
					  .address = offset,
					  .depth = r->frame->depth,
					  .bits = r->place.bits,
					  .size = 16,
					  .bytes = bytes});
}

/* The change is recorded as an input at this position: going back and forth across it puts it in again. */
bool debug_set_register(struct debug *d, const struct debug_register *r, u32 lanes, const struct debug_value *v)
{
	u8 bytes[16] = {0}, upper[16] = {0};

	if (r->sreg != SREG_NONE)
		return debug_fail(d, "%s cannot be changed", r->name);
	if (d->state != DEBUG_STOPPED)
		return debug_fail(d, "the kernel is not running: nothing can be changed");
	/* Narrow values stand zero-extended. */
	memcpy(bytes, v->bytes, (type_bits(r->type) + 7) / 8);
	memcpy(upper, bytes + 4, 4);
	/* All lanes hold what a uniform register does. */
	if (r->uniform)
		lanes = FULL_MASK;
	set_row(d, r, r->place.offset, lanes, bytes);
	if (r->pair)
		set_row(d, r, r->place.offset + WARP_LANES * 4, lanes, upper);
	watch_refresh(d);
	return true;
}

/* --- Memory ------------------------------------------------------------------------------------- */

/* Host bytes of a range that lies in one piece; NULL: not accessible (or local, which is interleaved). */
static u8 *find_bytes(const struct debug *d, struct warp *w, enum ir_space space, u64 address, u64 size)
{
	if (space == SPACE_SHARED && w) {
		const struct block *b = shared_owner(w, address);
		const u64 offset = address & ((1u << SHARED_RANK_SHIFT) - 1);
		return b && offset < b->shared_bytes && size <= b->shared_bytes - offset ? b->shared + offset : NULL;
	}
	if (space == SPACE_PARAM && w)
		return address < d->launch.kernel->param_bytes && size <= d->launch.kernel->param_bytes - address
			       ? (u8 *)(uintptr_t)d->launch.params + address
			       : NULL;
	if (space != SPACE_GLOBAL && space != SPACE_CONST)
		return NULL;
	const struct allocation *a = d->launch.memory ? memory_find(d->launch.memory, address, size) : NULL;
	return a ? a->host + (address - a->base) : NULL;
}

static bool move(struct debug *d, struct warp *w, enum ir_space space, u64 address, u32 lane, u8 *bytes, u64 size,
		 bool is_store)
{
	const u64 named = address;

	if (space == SPACE_GENERIC)
		space = w ? generic_space(w, &address) : SPACE_GLOBAL;
	if (space == SPACE_LOCAL && w) {
		if (address >= w->local_bytes || size > w->local_bytes - address)
			return debug_fail(d, "cannot access %llu bytes at local 0x%llx: a thread has %llu",
					  (unsigned long long)size, (unsigned long long)address,
					  (unsigned long long)w->local_bytes);
		for (u64 k = 0; k < size; k++) {
			u8 *at = local_word(w, address + k, lane);
			if (is_store)
				*at = bytes[k];
			else
				bytes[k] = *at;
		}
		return true;
	}
	u8 *at = find_bytes(d, w, space, address, size);
	if (!at)
		return debug_fail(d, "cannot access %llu byte%s at %s 0x%llx", (unsigned long long)size,
				  size == 1 ? "" : "s", ir_space_word(space), (unsigned long long)named);
	if (is_store && space == SPACE_PARAM)
		return debug_fail(d, "kernel parameters cannot be changed");
	memcpy(is_store ? at : bytes, is_store ? bytes : at, size);
	return true;
}

bool debug_read(struct debug *d, enum ir_space space, u64 address, u32 lane, void *to, u64 bytes)
{
	return move(d, run_find_warp(d, d->focus.block, d->focus.warp), space, address, lane, to, bytes, false);
}

bool state_write_memory(struct debug *d, struct warp *w, enum ir_space space, u64 address, u32 lane, const u8 *bytes,
			u64 size)
{
	return move(d, w, space, address, lane, (u8 *)(uintptr_t)bytes, size, true);
}

/* In pieces of 16 bytes, each recorded as an input. What has been written before a piece fails stays. */
bool debug_write(struct debug *d, enum ir_space space, u64 address, u32 lane, const void *from, u64 bytes)
{
	u8 old[16];

	if (d->state != DEBUG_STOPPED)
		return debug_fail(d, "the kernel is not running: nothing can be changed");
	for (u64 at = 0; at < bytes; at += sizeof old) {
		const u32 size = (u32)min_u64(sizeof old, bytes - at);
		/* Tried first, so that nothing is noted that cannot be done. */
		if (!debug_read(d, space, address + at, lane, old, size) ||
		    !move(d, run_find_warp(d, d->focus.block, d->focus.warp), space, address + at, lane, old, size,
			  true))
			return false;
		run_note_input(d, &(struct input){.kind = INPUT_WRITE,
						  .block = d->focus.block,
						  .warp = d->focus.warp,
						  .lanes = 1u << lane,
						  .space = space,
						  .address = address + at,
						  .size = size,
						  .bytes = (u8 *)(uintptr_t)from + at});
	}
	watch_refresh(d);
	return true;
}

/* --- As text ------------------------------------------------------------------------------------ */

static u64 word_of(const struct debug_value *v, u32 bits)
{
	u64 word = 0;

	memcpy(&word, v->bytes, bits > 64 ? 8 : (bits + 7) / 8);
	return bits < 64 ? word & ((1ull << bits) - 1) : word;
}

static s64 signed_word(u64 word, u32 bits) { return bits < 64 ? (s64)(word << (64 - bits)) >> (64 - bits) : (s64)word; }

static void put_float(f64 x, int digits, char *text, size_t size)
{
	if (isnan(x))
		snprintf(text, size, "nan");
	else
		snprintf(text, size, "%.*g", digits, x);
}

static f64 half_value(u16 bits) { return (f64)f32_of_bits(f32_from_f16(bits)); }
static f64 bf16_value(u32 bits) { return (f64)f32_of_bits(bits << 16); }

static void put_halves(u64 word, bool is_bf16, char *text, size_t size)
{
	char low[32], high[32];

	put_float(is_bf16 ? bf16_value(word & 0xffff) : half_value((u16)word), 5, low, sizeof low);
	put_float(is_bf16 ? bf16_value(word >> 16 & 0xffff) : half_value((u16)(word >> 16)), 5, high, sizeof high);
	snprintf(text, size, "(%s, %s)", low, high);
}

static void put_as_float(u64 word, u32 bits, u16 type, char *text, size_t size)
{
	if (bits == 64)
		put_float(f64_of_bits(word), 17, text, size);
	else if (bits == 32)
		put_float((f64)f32_of_bits((u32)word), 9, text, size);
	else
		put_float(type == T_bf16 ? bf16_value((u32)word) : half_value((u16)word), 5, text, size);
}

static void put_binary(u64 word, u32 bits, char *text, size_t size)
{
	size_t at = 0;
	u32 k = bits;

	while (k > 1 && !(word >> (k - 1) & 1))
		k--;
	while (k-- > 0 && at + 1 < size)
		text[at++] = (char)('0' + (word >> k & 1));
	text[at] = 0;
}

static char letter_of_type(u16 type)
{
	switch (type) {
	case T_f16x2:
		return 'h';
	case T_bf16x2:
		return 'b';
	case T_f16:
	case T_bf16:
	case T_f32:
	case T_f64:
		return 'f';
	default:
		break;
	}
	switch (type_class(type)) {
	case 's':
		return 'd';
	case 'u':
	case 'p':
		return 'u';
	default:
		return 'x';
	}
}

void debug_format(const struct debug_value *v, char format, char *text, size_t size)
{
	const u32 bits = type_bits(v->type);
	const u64 word = word_of(v, bits);

	switch (format ? format : letter_of_type(v->type)) {
	case 'd':
		snprintf(text, size, "%lld", (long long)signed_word(word, bits));
		return;
	case 'u':
		snprintf(text, size, "%llu", (unsigned long long)word);
		return;
	case 'f':
		put_as_float(word, bits, v->type, text, size);
		return;
	case 'h':
	case 'b':
		put_halves(word, (format ? format : letter_of_type(v->type)) == 'b', text, size);
		return;
	case 't':
		put_binary(word, bits, text, size);
		return;
	case 'c':
		snprintf(text, size, word >= 32 && word < 127 ? "%lld '%c'" : "%lld",
			 (long long)signed_word(word, bits), (char)word);
		return;
	default:
		break;
	}
	u64 high;
	memcpy(&high, v->bytes + 8, 8);
	if (bits == 128)
		snprintf(text, size, "0x%016llx%016llx", (unsigned long long)high, (unsigned long long)word);
	else
		snprintf(text, size, "0x%llx", (unsigned long long)word);
}

bool debug_value_true(const struct debug_value *v)
{
	const u32 bits = type_bits(v->type);

	if (v->type == T_f32)
		return f32_of_bits((u32)word_of(v, 32)) != 0;
	if (v->type == T_f64)
		return f64_of_bits(word_of(v, 64)) != 0;
	return word_of(v, bits) != 0;
}
