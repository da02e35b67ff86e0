/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory and machine text of the Debug Adapter Protocol. An instruction's address is made up: the function's
 * number, from 1, above bit 32, and the instruction's number in it; above bit 48 the number of the engine, which is 0 but
 * for programs that load several modules.
 */
#include <stdlib.h>
#include <string.h>

#include "dap/dap.h"

enum { READ_MAX = 1 << 20, DISASSEMBLE_MAX = 10000 };

/* --- Addresses ------------------------------------------------------------------------------------------- */

enum { ENGINE_SHIFT = 48, CODE_SHIFT = 32, CODES_MAX = 0xffff };

void dap_put_instruction(const struct dap *s, json_t *to, const struct debug_place *p)
{
	const struct dap_engine *e = p->code ? dap_engine_with(s, p->code) : NULL;

	if (!e || p->code->index >= CODES_MAX)
		return;
	const u64 address = (u64)e->number << ENGINE_SHIFT | (u64)(p->code->index + 1) << CODE_SHIFT | p->instruction;
	json_object_set_new(to, "instructionPointerReference", json_sprintf("0x%llx", (unsigned long long)address));
}

static bool place_at(const struct dap *s, u64 address, struct debug_place *p)
{
	const struct dap_engine *e = dap_engine_numbered(s, (u32)(address >> ENGINE_SHIFT));
	const u64 code = (address >> CODE_SHIFT & CODES_MAX) - 1;

	if (!e)
		return false;
	const struct program *program = debug_program(e->d);
	if (code >= program->code_count || (u32)address >= program->codes[code]->function->body.count)
		return false;
	*p = (struct debug_place){program->codes[code], (u32)address};
	return true;
}

void dap_instruction_name(const struct dap *s, u64 address, char *text, size_t size, u32 *engine)
{
	struct debug_place p;

	*engine = (u32)(address >> ENGINE_SHIFT);
	if (place_at(s, address, &p))
		snprintf(text, size, "%s+%u", p.code->name, p.instruction);
	else
		snprintf(text, size, "0x%llx", (unsigned long long)address);
}

json_t *dap_memory_reference(const struct debug_focus *f, enum ir_space space, u64 address)
{
	return json_sprintf("%s:%llu:%u:%u:0x%llx", ir_space_word(space), (unsigned long long)f->block, f->warp,
			    f->lane, (unsigned long long)address);
}

/* A reference to memory: as above, or a number (generic), or what the console reads as an address. Sets the focus. */
static bool memory_at(struct dap *s, const char *text, enum ir_space *space, u64 *address, const char **error)
{
	const char *colon = strchr(text, ':');
	struct debug_focus f = debug_focus(s->d);
	struct debug_memory_place found;
	unsigned long long block, at;

	if (colon && sscanf(colon + 1, "%llu:%u:%u:%llx", &block, &f.warp, &f.lane, &at) == 4 &&
	    ir_space_find(text, (size_t)(colon - text), space)) {
		f.block = block;
		*address = at;
		if (debug_set_focus(s->d, f))
			return true;
	} else if (debug_find_address(s->d, text, f.lane, &found)) {
		*space = found.space;
		*address = found.address;
		return true;
	}
	*error = debug_message(s->d);
	return false;
}

/* --- Base64 ------------------------------------------------------------------------------------------------ */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *encode(const u8 *bytes, size_t count)
{
	char *text = malloc((count + 2) / 3 * 4 + 1), *to = text;

	for (size_t k = 0; text && k < count; k += 3) {
		const u32 left = (u32)(count - k < 3 ? count - k : 3);
		const u32 v =
			(u32)bytes[k] << 16 | (left > 1 ? (u32)bytes[k + 1] << 8 : 0) | (left > 2 ? bytes[k + 2] : 0);
		*to++ = digits[v >> 18];
		*to++ = digits[v >> 12 & 63];
		*to++ = left > 1 ? digits[v >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[v & 63] : '=';
	}
	if (text)
		*to = 0;
	return text;
}

/* Decodes in place of `bytes`, which has room for 3/4 of the text; returns how many. */
static size_t decode(const char *text, u8 *bytes)
{
	size_t count = 0;
	u32 v = 0, bits = 0;

	for (; *text && *text != '='; text++) {
		const char *at = strchr(digits, *text);
		if (!at)
			continue;
		v = v << 6 | (u32)(at - digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			bytes[count++] = (u8)(v >> bits);
		}
	}
	return count;
}

/* --- Requests ------------------------------------------------------------------------------------------------ */

/* Reads as much as is accessible from the first byte on. */
static size_t read_some(struct dap *s, enum ir_space space, u64 address, u8 *bytes, size_t count)
{
	const u32 lane = debug_focus(s->d).lane;
	size_t done = 0;

	for (size_t step = count; step; step /= 2)
		while (done + step <= count && debug_read(s->d, space, address + done, lane, bytes + done, step))
			done += step;
	return done;
}

static json_t *on_read(struct dap *s, json_t *a, const char **error)
{
	const char *text = json_string_value(json_object_get(a, "memoryReference"));
	json_int_t count = json_integer_value(json_object_get(a, "count"));
	enum ir_space space;
	u64 address;

	if (!s->d || !debug_launch(s->d) || !text) {
		*error = "no kernel is running";
		return NULL;
	}
	if (!memory_at(s, text, &space, &address, error))
		return NULL;
	address += (u64)json_integer_value(json_object_get(a, "offset"));
	count = count < 0 ? 0 : count < READ_MAX ? count : READ_MAX;
	u8 *bytes = malloc((size_t)count + 1);
	const size_t done = bytes ? read_some(s, space, address, bytes, (size_t)count) : 0;
	char *data = bytes ? encode(bytes, done) : NULL;
	json_t *body = json_pack("{s:o, s:s, s:I}", "address", json_sprintf("0x%llx", (unsigned long long)address),
				 "data", data ? data : "", "unreadableBytes", (json_int_t)(count - (json_int_t)done));
	free(bytes);
	free(data);
	return body;
}

static json_t *on_write(struct dap *s, json_t *a, const char **error)
{
	const char *text = json_string_value(json_object_get(a, "memoryReference"));
	const char *data = json_string_value(json_object_get(a, "data"));
	enum ir_space space;
	u64 address;

	if (!s->d || !debug_launch(s->d) || !text || !data) {
		*error = "no kernel is running";
		return NULL;
	}
	if (!memory_at(s, text, &space, &address, error))
		return NULL;
	u8 *bytes = malloc(strlen(data) + 1);
	const size_t count = bytes ? decode(data, bytes) : 0;
	const bool done =
		bytes && debug_write(s->d, space, address + (u64)json_integer_value(json_object_get(a, "offset")),
				     debug_focus(s->d).lane, bytes, count);
	free(bytes);
	if (!done) {
		*error = debug_message(s->d);
		return NULL;
	}
	return json_pack("{s:I}", "bytesWritten", (json_int_t)count);
}

static json_t *instruction_at(struct dap *s, u64 address)
{
	struct debug_place p;
	json_t *to = json_pack("{s:o}", "address", json_sprintf("0x%llx", (unsigned long long)address));

	if (!place_at(s, address, &p)) {
		json_object_set_new(to, "instruction", json_string("(nothing)"));
		json_object_set_new(to, "presentationHint", json_string("invalid"));
		return to;
	}
	const struct debug_line l = debug_line(&p);
	const struct ir_instruction *x = &p.code->function->body.items[p.instruction];
	json_object_set_new(to, "instruction",
			    json_sprintf("%s%s%s%s%.*s", x->guard ? "@" : "", x->guard && x->guard_negated ? "!" : "",
					 x->guard ? x->guard->name : "", x->guard ? " " : "", (int)l.length, l.text));
	for (size_t k = 0; k < p.code->function->labels.count; k++)
		if (p.code->function->labels.items[k]->target == p.instruction)
			json_object_set_new(to, "symbol", json_string(p.code->function->labels.items[k]->name));
	if (!p.instruction)
		json_object_set_new(to, "symbol", json_string(p.code->name));
	dap_put_place(s, to, &p);
	json_object_set_new(to, "location", json_incref(json_object_get(to, "source")));
	json_object_del(to, "source");
	return to;
}

static json_t *on_disassemble(struct dap *s, json_t *a, const char **error)
{
	const char *text = json_string_value(json_object_get(a, "memoryReference"));
	json_int_t count = json_integer_value(json_object_get(a, "instructionCount"));
	json_t *list;

	if (!s->engines.count || !text) {
		*error = s->is_program ? "the program has loaded no module" : "nothing is launched";
		return NULL;
	}
	list = json_array();
	const u64 first = strtoull(text, NULL, 0) + (u64)json_integer_value(json_object_get(a, "offset")) +
			  (u64)json_integer_value(json_object_get(a, "instructionOffset"));
	count = count < DISASSEMBLE_MAX ? count : DISASSEMBLE_MAX;
	for (json_int_t k = 0; k < count; k++)
		json_array_append_new(list, instruction_at(s, first + (u64)k));
	return json_pack("{s:o}", "instructions", list);
}

const struct dap_request dap_memory_requests[] = {
	{"readMemory", on_read},
	{"writeMemory", on_write},
	{"disassemble", on_disassemble},
	{0},
};
