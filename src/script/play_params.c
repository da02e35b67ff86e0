/* SPDX-License-Identifier: Apache-2.0
 *
 * From a launch's arguments to the bytes of a kernel's parameters, with every mismatch told.
 */
#include <math.h>
#include <string.h>

#include "script/play.h"

/* A parameter that is being filled: `to` is its place in the block of parameters. */
struct filling {
	struct play *play;
	const struct ir_variable *param;
	u32 number; /* of the parameter, from 0 */
	u8 *to;
};

static const char *param_type(struct filling *f)
{
	struct arena *a = &f->play->session->arena;
	const struct ir_variable *v = f->param;

	if (v->rank)
		return arena_printf(a, ".%s[%llu]", token_text(v->type),
				    (unsigned long long)(v->size * 8 / type_bits(v->type)));
	return arena_printf(a, ".%s", token_text(v->type));
}

static bool wrong(struct filling *f, struct span at, const char *what)
{
	diag_error(&f->play->session->diags, at, "parameter %u (%s %s) %s", f->number, param_type(f), f->param->name,
		   what);
	return false;
}

static bool put_buffer(struct filling *f, const struct script_arg *a)
{
	struct expr_run run = {.error = NULL};
	u64 address = a->buffer->address;

	if (f->param->rank || (f->param->size != 8 && f->param->size != 4) || type_class(f->param->type) == 'f')
		return wrong(f, a->span, "takes no buffer");
	if (a->value) {
		address += (u64)expr_eval(a->value, &run).i;
		if (run.error)
			return wrong(f, a->span, run.error);
	}
	if (f->param->size == 4 && address >> 32)
		return wrong(f, a->span, "is too narrow for a buffer's address");
	memcpy(f->to, &address, f->param->size);
	return true;
}

/* Integers must fit the width, as signed or as unsigned. */
static bool fits(s64 value, u64 bytes)
{
	if (bytes >= 8)
		return true;
	const s64 high = (s64)1 << (8 * bytes);
	return value < high && value >= -(high / 2);
}

/* A number becomes the parameter's type. One with a type of its own ({f32:1}) must have its size. */
static bool put_number(struct filling *f, const struct script_arg *a, struct number n)
{
	const char kind = type_class(f->param->type);
	enum element_type type;

	if (a->typed) {
		if (element_bytes(a->type) != f->param->size)
			return wrong(f, a->span, "has another size than the argument");
		element_write(a->type, f->to, n);
		return true;
	}
	if (f->param->rank)
		return wrong(f, a->span, "takes a struct: {TYPE:VALUE, ...}");
	if (kind == 'f') {
		type = element_find(token_text(f->param->type), strlen(token_text(f->param->type)));
		if (type == ELEMENT_TYPE_COUNT)
			return wrong(f, a->span, "needs a bit pattern, such as b32:0x...");
		element_write(type, f->to, n);
		return true;
	}
	if (n.is_float && (n.f != trunc(n.f) || !(n.f >= -0x1p63 && n.f < 0x1p64)))
		return wrong(f, a->span, "is not a float; for the bits of one, write f32:VALUE or f64:VALUE");
	const s64 value = number_as_int(n);
	if (!fits(value, f->param->size))
		return wrong(f, a->span, "is too narrow for the value");
	memcpy(f->to, &value, f->param->size < 8 ? f->param->size : 8);
	return true;
}

/* A tensor map is aligned to 64 bytes, anything else to its own size. */
enum { MAP_ALIGN = 64 };

static u32 member_bytes(const struct script_member *m) { return m->map ? TENSOR_MAP_BYTES : element_bytes(m->type); }

static bool write_map(struct filling *f, const struct script_arg *a, const struct script_map *from, u8 *to)
{
	struct tensor_map map = from->map;

	map.address = from->buffer->address;
	const char *refused = tensor_map_encode(&map, to);
	return !refused || wrong(f, a->span, refused);
}

static bool write_member(struct filling *f, const struct script_arg *a, const struct script_member *m, u8 *to)
{
	struct expr_run run = {.error = NULL};

	if (m->map)
		return write_map(f, a, m->map, to);
	if (m->texture) {
		const u64 handle = play_texture(f->play, m->texture);
		memcpy(to, &handle, sizeof handle);
		return handle || wrong(f, a->span, "no memory is left for the texture");
	}
	if (m->buffer)
		memcpy(to, &m->buffer->address, sizeof m->buffer->address);
	else
		element_write(m->type, to, expr_eval(m->value, &run));
	return !run.error || wrong(f, a->span, run.error);
}

/* Members one after the other as C lays them out, or at their bytes; what lies between them is zero. */
static bool put_struct(struct filling *f, const struct script_arg *a)
{
	u64 at = 0;

	for (size_t k = 0; k < a->members.count; k++) {
		const struct script_member *m = &a->members.items[k];
		const u64 bytes = member_bytes(m), align = m->map ? MAP_ALIGN : bytes;
		if (m->zeros) {
			at = f->param->size;
			continue;
		}
		at = m->placed ? m->at : (at + align - 1) & ~(align - 1);
		if (at > f->param->size || bytes > f->param->size - at)
			return wrong(f, a->span, "is smaller than the struct given");
		if (!write_member(f, a, m, f->to + at))
			return false;
		at += bytes;
	}
	const u64 align = f->param->align ? f->param->align : 1;
	if (((at + align - 1) & ~(align - 1)) != f->param->size)
		return wrong(f, a->span, "is larger than the struct given: end it with `zero` where the rest is 0");
	return true;
}

static bool put_map(struct filling *f, const struct script_arg *a)
{
	if (f->param->size != TENSOR_MAP_BYTES)
		return wrong(f, a->span, "takes no tensor map, which has 128 bytes");
	return write_map(f, a, a->map, f->to);
}

/* Makes a texture object in memory; its address is the handle. 0: no memory. */
u64 play_texture(struct play *p, const struct script_texture *x)
{
	struct memory *m = &p->session->memory;
	struct texture t = x->texture;
	const u64 handle = memory_allocate(m, sizeof t, 64, "texture object", ALLOCATION_READ_ONLY);
	const struct allocation *a = handle ? memory_find(m, handle, sizeof t) : NULL;

	t.data = x->buffer->address;
	if (a)
		memcpy(a->host + (handle - a->base), &t, sizeof t);
	return a ? handle : 0;
}

static bool put_texture(struct filling *f, const struct script_arg *a)
{
	const u64 handle = play_texture(f->play, a->texture);

	if (f->param->size != sizeof handle)
		return wrong(f, a->span, "takes no texture, whose handle has 64 bits");
	memcpy(f->to, &handle, sizeof handle);
	return handle || wrong(f, a->span, "no memory is left for the texture");
}

/* An address that stands for the same place in several buffers; as long as the shortest of them. */
static bool put_multimem(struct filling *f, const struct script_arg *a)
{
	struct session *s = f->play->session;
	u64 *members = ARENA_ARRAY(&s->arena, a->places.count, u64), size = UINT64_MAX;

	if (f->param->size != sizeof *members)
		return wrong(f, a->span, "takes no multimem address, which has 64 bits");
	for (size_t k = 0; k < a->places.count; k++) {
		members[k] = a->places.items[k]->address;
		size = min_u64(size, buffer_bytes(a->places.items[k]));
	}
	const u64 address = memory_multicast(&s->memory, members, (u32)a->places.count, size);
	memcpy(f->to, &address, sizeof address);
	return address || wrong(f, a->span, "no memory is left for the multimem address");
}

static bool put(struct filling *f, const struct script_arg *a)
{
	struct expr_run run = {.error = NULL};

	switch (a->kind) {
	case SCRIPT_ARG_BUFFER:
		return put_buffer(f, a);
	case SCRIPT_ARG_STRUCT:
		return put_struct(f, a);
	case SCRIPT_ARG_MAP:
		return put_map(f, a);
	case SCRIPT_ARG_TEXTURE:
		return put_texture(f, a);
	case SCRIPT_ARG_MULTIMEM:
		return put_multimem(f, a);
	case SCRIPT_ARG_VALUE:
		break;
	}
	const struct number n = expr_eval(a->value, &run);
	return run.error ? wrong(f, a->span, run.error) : put_number(f, a, n);
}

static void tell_count(struct play *p, const struct script_launch *l, struct span at, const struct kernel *k)
{
	struct session *s = p->session;
	char *params = NULL;

	for (size_t n = 0; n < k->function->params.count; n++) {
		struct filling f = {.play = p, .param = k->function->params.items[n], .number = (u32)n};
		params = arena_printf(&s->arena, "%s%s%s %s", params ? params : "", params ? ", " : "", param_type(&f),
				      f.param->name);
	}
	diag_error(&s->diags, at, "kernel '%s' has %zu parameter%s, but %zu argument%s given", k->name,
		   k->function->params.count, k->function->params.count == 1 ? "" : "s", l->args.count,
		   l->args.count == 1 ? " was" : "s were");
	diag_hint(&s->diags, "%s(%s)", k->name, params ? params : "");
}

/* The kernel's block of parameters, in the session's arena; NULL after an error, which has been reported. */
u8 *play_params(struct play *p, const struct script_launch *l, struct span at, const struct kernel *k)
{
	u8 *bytes = arena_alloc(&p->session->arena, k->param_bytes + 1);

	if (l->args.count != k->function->params.count) {
		tell_count(p, l, at, k);
		return NULL;
	}
	for (size_t n = 0; n < l->args.count; n++) {
		struct filling f = {p, k->function->params.items[n], (u32)n, bytes + k->param_offsets[n]};
		if (!put(&f, &l->args.items[n]))
			return NULL;
	}
	return bytes;
}
