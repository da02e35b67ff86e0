/* SPDX-License-Identifier: Apache-2.0
 *
 * One case: its buffers, its launch, and the comparison with what the hardware left.
 */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "memory/tensormap.h"
#include "observe/async_check.h"
#include "observe/checks.h"
#include "texture_argument.h"

/* Every byte of an output buffer before the launch. */
enum { FILL = 0xA5 };
/* What a kernel can print. */
static const size_t PRINT_LIMIT = 1 << 20;
/* No recorded case comes near: one that does is lost. */
static const u64 INSTRUCTION_LIMIT = 2000000000;

struct run {
	struct session *s;
	const struct pack *p;
	const struct pack_case *c;
	const struct case_options *options;
	const struct kernel *kernel;
	u64 *addresses; /* guest address of each argument's buffer, or 0 */
	u8 *params;
	struct bytes printed;
	char *message;
};

static bool fail(struct run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct run *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->message, CASE_MESSAGE, format, args);
	va_end(args);
	return false;
}

static void append(struct run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct run *r, const char *format, ...)
{
	const size_t used = strlen(r->message);
	va_list args;

	va_start(args, format);
	vsnprintf(r->message + used, CASE_MESSAGE - used, format, args);
	va_end(args);
}

static bool has_buffer(const struct pack_argument *a)
{
	return a->kind == ARG_IN || a->kind == ARG_OUT || a->kind == ARG_INOUT;
}

static u8 *host_bytes(const struct run *r, u32 argument)
{
	const struct allocation *a = memory_find(&r->s->memory, r->addresses[argument], 1);

	return a->host + (r->addresses[argument] - a->base);
}

static bool make_buffers(struct run *r)
{
	static const char *const names[] = {
		"argument 0", "argument 1", "argument 2", "argument 3", "argument 4",  "argument 5",
		"argument 6", "argument 7", "argument 8", "argument 9", "argument 10", "argument 11",
	};

	for (u32 k = 0; k < r->c->arg_count; k++) {
		const struct pack_argument *a = &r->c->args[k];
		if (!has_buffer(a))
			continue;
		/* The driver's allocations end at a multiple of 512 bytes: accesses up to there were no
		 * fault. */
		const u64 bytes = (a->length + 511) / 512 * 512;
		const char *name = k < COUNT_OF(names) ? names[k] : "an argument";
		r->addresses[k] = r->c->align ? memory_allocate(&r->s->memory, bytes, r->c->align, name, 0)
					      : memory_allocate_buffer(&r->s->memory, bytes, name);
		if (!r->addresses[k])
			return fail(r, "no memory for argument %u", k);
		if (a->kind == ARG_OUT)
			memset(host_bytes(r, k), FILL, a->length);
		else
			memcpy(host_bytes(r, k), r->p->in.data + a->in, a->length);
	}
	return true;
}

/* Encodes the tensor map of an argument, as the driver would. */
static bool fill_tensor_map(struct run *r, const struct pack_argument *a, u8 bytes[TENSOR_MAP_BYTES])
{
	struct tensor_map map;
	u32 buffer;
	u64 offset;

	if (!tensor_map_parse(a->text, &map, &buffer, &offset) || buffer >= r->c->arg_count || !r->addresses[buffer])
		return fail(r, "no tensor map: %s", a->text);
	map.address = r->addresses[buffer] + offset;
	const char *wrong = tensor_map_encode(&map, bytes);
	return !wrong || fail(r, "tensor map refused: %s", wrong);
}

/* Makes the texture of an argument; its handle. */
static bool make_texture(struct run *r, const struct pack_argument *a, u64 *handle)
{
	struct texture t;
	u32 buffer;

	if (!texture_argument_parse(a->text, &t, &buffer) || buffer >= r->c->arg_count || !r->addresses[buffer] ||
	    texture_bytes(&t) > r->c->args[buffer].length)
		return fail(r, "no texture: %s", a->text);
	t.data = r->addresses[buffer];
	*handle = memory_allocate(&r->s->memory, sizeof t, 16, "a texture", 0);
	if (!*handle)
		return fail(r, "no memory for a texture");
	memcpy(memory_find(&r->s->memory, *handle, sizeof t)->host, &t, sizeof t);
	return true;
}

static bool fill_params(struct run *r)
{
	const struct ir_function *f = r->kernel->function;

	if (f->params.count != r->c->arg_count)
		return fail(r, "the kernel has %zu parameters, the case %u arguments", f->params.count,
			    r->c->arg_count);
	r->params = arena_alloc(&r->s->arena, r->kernel->param_bytes + 1);
	for (u32 k = 0; k < r->c->arg_count; k++) {
		const struct pack_argument *a = &r->c->args[k];
		const u64 room = f->params.items[k]->size;
		u8 map[TENSOR_MAP_BYTES];
		u64 handle = 0;
		const u64 bytes = has_buffer(a) ? 8 : a->length;
		const void *from = has_buffer(a)               ? (const void *)&r->addresses[k]
				   : a->kind == ARG_RAW        ? (const void *)(r->p->in.data + a->in)
				   : a->kind == ARG_TENSOR_MAP ? (const void *)map
				   : a->kind == ARG_TEXTURE    ? (const void *)&handle
							       : (const void *)&a->value;
		if (a->kind == ARG_TENSOR_MAP && !fill_tensor_map(r, a, map))
			return false;
		if (a->kind == ARG_TEXTURE && !make_texture(r, a, &handle))
			return false;
		/* A 32-bit program's pointers, and scalars recorded wider than they are. */
		memcpy(r->params + r->kernel->param_offsets[k], from, bytes < room ? bytes : room);
	}
	return true;
}

static void collect(void *context, const char *text, size_t length)
{
	struct run *r = context;

	if (length > PRINT_LIMIT - r->printed.size)
		length = PRINT_LIMIT - r->printed.size;
	u8 *more = realloc(r->printed.data, r->printed.size + length + 1);
	if (!more)
		return;
	memcpy(more + r->printed.size, text, length);
	r->printed.data = more;
	r->printed.size += length;
}

/* The same element of the arrays that the case reads, where they have as many elements. */
static void append_inputs(struct run *r, const struct difference *d)
{
	const char *lead = "\n    inputs there:";

	for (u32 k = 0; k < r->c->arg_count; k++) {
		const struct pack_argument *a = &r->c->args[k];
		const size_t bytes = d->count ? a->length / d->count : 0;
		if ((a->kind != ARG_IN && a->kind != ARG_INOUT) || !bytes || a->length % d->count || bytes > 16)
			continue;
		append(r, "%s argument %u 0x", lead, k);
		for (size_t b = bytes; b-- > 0;)
			append(r, "%02x", r->p->in.data[a->in + d->index * bytes + b]);
		lead = ",";
	}
}

static bool check_buffer(struct run *r, u32 k)
{
	const struct pack_argument *a = &r->c->args[k];
	const bool input = a->kind == ARG_IN;
	const char *rule = r->options->exact || input ? "exact" : r->c->cmp;
	const u8 *wanted = input ? r->p->in.data + a->in : r->p->out.data + a->out;
	struct difference d;
	char got[64], want[64];

	switch (compare_buffers(rule, r->c->form, host_bytes(r, k), wanted, a->length, &d)) {
	case COMPARE_SAME:
		return true;
	case COMPARE_UNKNOWN:
		return fail(r, "cmp=%s is not modelled", rule);
	case COMPARE_DIFFERENT:
		break;
	}
	compare_print_element(got, sizeof got, rule, r->c->form, d.got, d.element_bytes);
	compare_print_element(want, sizeof want, rule, r->c->form, d.wanted, d.element_bytes);
	fail(r, "argument %u%s, element %zu of %zu: got %s, recorded %s; %zu differ (%s)", k,
	     input ? " (an input, changed)" : "", d.index, d.count, got, want, d.differing, rule);
	append_inputs(r, &d);
	return false;
}

static bool check_text(struct run *r)
{
	struct bytes wanted;

	if (r->c->print == PRINT_NONE)
		return true;
	if (!pack_recorded_text(r->p, r->c->name, &wanted))
		return fail(r, "the pack has no recorded text for the case");
	const bool same = r->c->print == PRINT_LINES
				  ? compare_lines(r->printed.data, r->printed.size, wanted.data, wanted.size)
				  : r->printed.size == wanted.size &&
					    (!wanted.size || !memcmp(r->printed.data, wanted.data, wanted.size));
	if (same)
		return true;
	return fail(r, "printed\n%.*s    recorded\n%.*s", (int)min_u64(r->printed.size, 800),
		    r->printed.data ? (const char *)r->printed.data : "", (int)min_u64(wanted.size, 800),
		    (const char *)wanted.data);
}

static bool check_results(struct run *r)
{
	for (u32 k = 0; k < r->c->arg_count; k++)
		if (has_buffer(&r->c->args[k]) && !check_buffer(r, k))
			return false;
	return check_text(r);
}

/* The first finding of the checks is what is wrong with the case. */
static bool found_nothing(struct run *r, const struct checks *checks, const struct launch *l)
{
	const struct fault *found = checks_finding(checks, 0, l);
	char text[CASE_MESSAGE];

	if (!found)
		return true;
	fault_describe(&r->s->memory, l, found, text, sizeof text);
	return fail(r, "%.1500s", text);
}

static bool launch(struct run *r)
{
	const struct pack_case *c = r->c;
	struct launch l = {
		.program = r->s->program,
		.kernel = r->kernel,
		.memory = &r->s->memory,
		.dynamic_shared = c->shared_bytes,
		.params = r->params,
		.jobs = r->options->threads ? r->options->threads : 1,
		.any_order = r->options->any_order,
		.instruction_limit = INSTRUCTION_LIMIT,
		.print = collect,
		.print_context = r,
		.async = r->options->async,
		.async_checker = &async_strict.checker,
		.native = session_native(r->s, r->s->program, r->kernel, r->options->native),
		.observers = r->options->observers,
	};
	struct launch_stats stats = {0};
	struct fault fault = {0};
	char reason[512] = "";

	if (r->options->native == NATIVE_ALWAYS && !native_available(r->s->native, reason, sizeof reason))
		return fail(r, "no native code can be made here: %s", reason);
	memcpy(l.grid, c->grid, sizeof l.grid);
	memcpy(l.block, c->block, sizeof l.block);
	memcpy(l.cluster, c->cluster, sizeof l.cluster);
	struct observer *watching[CHECKS_OBSERVERS + 1] = {NULL};
	struct checks *checks = r->options->check ? checks_new(&r->s->arena, r->s->program, r->options->check) : NULL;
	if (checks) {
		checks_begin(checks, &l);
		checks_observers(checks, watching);
		l.observers = watching;
		l.async_checker = &checks_strict(checks)->checker;
	}
	const enum launch_status status = launch_run(&l, &stats, &fault, reason, sizeof reason);
	const bool clean = !checks || found_nothing(r, checks, &l);
	if (checks)
		checks_free(checks);
	if (!clean)
		return false;
	if (r->options->ran)
		r->options->ran(r->options->context, &l, &stats);
	if (status == LAUNCH_FAULT && c->fault) {
		if (!strcmp(fault_cuda_name(fault.kind), c->fault))
			return true;
		return fail(r, "failed with %s (%s), recorded %s", fault_cuda_name(fault.kind), fault_text(fault.kind),
			    c->fault);
	}
	if (status == LAUNCH_FAULT) {
		fault_describe(&r->s->memory, &l, &fault, r->message, CASE_MESSAGE);
		return false;
	}
	if (status != LAUNCH_OK)
		return fail(r, "not launched: %s", status == LAUNCH_NO_MEMORY ? "no memory left" : reason);
	if (c->fault)
		return fail(r, "succeeded, recorded %s", c->fault);
	return check_results(r);
}

bool case_run(struct session *s, const struct pack *p, const struct pack_case *c, const struct case_options *options,
	      char message[CASE_MESSAGE])
{
	struct run r = {.s = s, .p = p, .c = c, .options = options, .message = message};

	*message = 0;
	if (c->broken)
		return fail(&r, "%s", c->broken);
	if (!session_reset_memory(s))
		return fail(&r, "no memory for the module's variables");
	r.kernel = program_kernel(s->program, c->entry);
	if (!r.kernel)
		return fail(&r, "the module has no kernel '%s'", c->entry);
	r.addresses = ARENA_ARRAY(&s->arena, c->arg_count + 1, u64);
	const bool passed = make_buffers(&r) && fill_params(&r) && launch(&r);
	free(r.printed.data);
	return passed;
}
