/* SPDX-License-Identifier: Apache-2.0
 *
 * Resolving faults: places, threads, and the memory that an address is next to.
 *
 * From a fault (exec/fault.h: code, insn, warp, lane, address) to a report whose parts every front end prints in its
 * own way: file, line and column, CUDA's source line if .loc says one, block and thread, the memory nearest to the
 * address. Texts are those of fault_text.c. All of it is read from the launch and the memory, so it has to be done
 * before either changes.
 */
#include "exec/fault_report.h"

#include <stdio.h>
#include <string.h>

#include "ir/locate.h"
#include "memory/peers.h"

const char *fault_role_text(enum fault_role role)
{
	static const char *const texts[] = {"", "frees", "reads", "writes", "waits"};

	return (size_t)role < COUNT_OF(texts) ? texts[role] : "";
}

/* --- Places --------------------------------------------------------------------------------- */

/* The place of a decoded instruction in the text. Instructions that lowering has added have the function's name
 * only. */
/* Where the compiler says of an instruction that it stands on no line, it has moved it up from what follows: the line of
 * that. NULL: no line is known. */
static const struct ir_loc *loc_of(const struct ir_function *f, u32 origin)
{
	for (u32 k = origin; k < f->body.count && f->body.items[k].loc; k++) {
		const struct ir_loc *l = &f->module->locs.items[f->body.items[k].loc - 1];
		if (l->line)
			return l;
	}
	return NULL;
}

void fault_find_place(const struct code *code, u32 insn, struct fault_place *place)
{
	const u32 origin = insn < code->insn_count ? code->origin[insn] : NO_OPERAND;
	const struct ir_function *function = code->function;

	*place = (struct fault_place){.function = function->name, .module = function->module};
	if (origin >= function->body.count)
		return;
	const struct ir_instruction *x = &function->body.items[origin];
	const struct source *s = function->module->sources->files.items[x->span.file];
	place->file = s->name;
	source_place(s, x->span.begin, &place->line, &place->column);
	place->instruction = s->text + x->span.begin;
	place->instruction_length = x->span.end - x->span.begin;
	place->loc = loc_of(function, origin);
	if (!place->loc)
		return;
	place->source = ir_file_path(function->module, place->loc->file);
	place->source_line = place->source ? place->loc->line : 0;
}

const char *fault_path_end(const char *path, size_t most)
{
	const size_t length = strlen(path);

	if (length <= most)
		return path;
	const char *end = path + (length - most), *slash = strchr(end, '/');
	return slash ? slash + 1 : end;
}

/* The source's line, and where it was inlined to, if it was. */
void fault_place_source(const struct fault_place *p, char text[FAULT_SOURCE_TEXT])
{
	const struct ir_loc *outer = p->loc, *caller;

	*text = 0;
	if (!p->source)
		return;
	while ((caller = ir_loc_caller(p->module, outer)) != NULL && caller != outer)
		outer = caller;
	const char *path = outer != p->loc ? ir_file_path(p->module, outer->file) : NULL;
	if (path)
		snprintf(text, FAULT_SOURCE_TEXT, " (%.70s:%u, inlined at %.70s:%u)", fault_path_end(p->source, 70),
			 p->source_line, fault_path_end(path, 70), outer->line);
	else
		snprintf(text, FAULT_SOURCE_TEXT, " (%.80s:%u)", fault_path_end(p->source, 80), p->source_line);
}

void fault_place_text(const struct fault_place *p, char text[FAULT_PLACE_TEXT])
{
	char source[FAULT_SOURCE_TEXT];

	fault_place_source(p, source);
	if (p->file)
		snprintf(text, FAULT_PLACE_TEXT, "%.100s:%u%s", fault_path_end(p->file, 100), p->line, source);
	else
		snprintf(text, FAULT_PLACE_TEXT, "%.100s", p->function ? p->function : "?");
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int place_text(const struct fault_place *p, char *to, size_t size)
{
	const char *path = p->source ? p->source : p->file;

	return path ? snprintf(to, size, " %.100s:%u", last_name(path), p->source ? p->source_line : p->line)
		    : snprintf(to, size, " %.100s", p->function ? p->function : "?");
}

void fault_line(const struct fault_report *r, char text[FAULT_LINE_TEXT])
{
	int used = snprintf(text, FAULT_LINE_TEXT, "%s", fault_name(r->kind));

	used += place_text(&r->at, text + used, FAULT_LINE_TEXT - (size_t)used);
	if (r->other.file)
		place_text(&r->other, text + used, FAULT_LINE_TEXT - (size_t)used);
}

static bool same_place(const struct fault_place *a, const struct fault_place *b)
{
	return a->module == b->module && a->line == b->line && a->column == b->column && !a->file == !b->file &&
	       (!a->file || !strcmp(a->file, b->file));
}

/* Whether two findings are of one kind and at the same places: then one is printed, with a count. */
bool fault_is_same(const struct fault_report *a, const struct fault_report *b)
{
	return a->kind == b->kind && same_place(&a->at, &b->at) && same_place(&a->other, &b->other);
}

/* Block b and thread t, x fastest. */
static void find_thread(const struct launch *l, u64 b, u64 t, struct fault_thread *to)
{
	const u32 *grid = l->grid, *block = l->block;

	*to = (struct fault_thread){
		{(u32)(b % grid[0]), (u32)(b / grid[0] % grid[1]), (u32)(b / grid[0] / grid[1])},
		{(u32)(t % block[0]), (u32)(t / block[0] % block[1]), (u32)(t / block[0] / block[1])}};
}

/* --- Memory --------------------------------------------------------------------------------- */

static void set_distance(struct fault_memory *to, u64 address)
{
	if (address < to->base) {
		to->where = FAULT_BEFORE;
		to->distance = -(s64)(to->base - address);
	} else if (address - to->base < to->size) {
		to->where = FAULT_WITHIN;
		to->distance = (s64)(address - to->base);
	} else {
		to->where = FAULT_BEHIND;
		to->distance = (s64)(address - to->base - to->size);
	}
}

/* 0 within the memory. */
static u64 bytes_away(const struct fault_memory *m)
{
	return m->where == FAULT_WITHIN ? 0 : m->distance < 0 ? (u64)-m->distance : (u64)m->distance;
}

static void near_variable(struct fault_memory *best, const char *name, u64 base, u64 size, u64 address)
{
	struct fault_memory m = {
		.kind = FAULT_MEMORY_NEAREST, .name = name, .base = base, .size = size, .is_variable = true};

	set_distance(&m, address);
	/* Of two that are as near, the one that the access runs off the end of. */
	if (!best->kind || bytes_away(&m) < bytes_away(best) ||
	    (bytes_away(&m) == bytes_away(best) && m.where != FAULT_BEFORE))
		*best = m;
}

/* The name of the kernel's dynamic shared memory. */
static const char *dynamic_name(const struct kernel *k)
{
	const struct ir_module *m = k->function->module;

	for (size_t v = 0; v < m->variables.count; v++)
		if (m->variables.items[v]->space == SPACE_SHARED && m->variables.items[v]->unsized)
			return m->variables.items[v]->name;
	return "dynamic shared memory";
}

/* The shared or local variable nearest to the address. */
static void find_variable(const struct launch *l, const struct fault *f, enum ir_space space, u64 address,
			  struct fault_memory *to)
{
	const struct kernel *k = l->kernel;

	for (u32 p = 0; p < k->place_count; p++) {
		const struct ir_variable *v = k->places[p].variable;
		if (v->space != space || (space == SPACE_LOCAL && v->owner != f->code->function))
			continue;
		near_variable(to, v->name, k->places[p].address + (space == SPACE_LOCAL ? f->local_base : 0), v->size,
			      address);
	}
	if (space == SPACE_SHARED && k->uses_dynamic_shared && l->dynamic_shared)
		near_variable(to, dynamic_name(k), k->dynamic_shared_offset, l->dynamic_shared, address);
}

/* The allocation nearest to a global address. */
static void find_allocation(const struct memory *m, u64 address, struct fault_memory *to)
{
	const struct allocation *a = memory_nearest(m, address);

	if (!a)
		return;
	*to = (struct fault_memory){.kind = FAULT_MEMORY_NEAREST, .name = a->name, .base = a->base, .size = a->size};
	set_distance(to, address);
}

static void find_released(const struct memory *m, u64 address, struct fault_memory *to)
{
	const struct released *r = memory_find_released(m, address);

	if (!r)
		return;
	*to = (struct fault_memory){.kind = FAULT_MEMORY_RELEASED, .name = r->name, .base = r->base, .size = r->size};
	set_distance(to, address);
}

/* The space that the address is in, and *address within it. */
static enum ir_space real_space(const struct launch *l, const struct fault *f, u64 *address)
{
	const struct address_map *map = address_map(l->program->address_bits);
	const u64 span = map->local_window - map->shared_window;

	if (f->space == SPACE_GENERIC && *address - map->shared_window < span) {
		*address -= map->shared_window;
		return SPACE_SHARED;
	}
	if (f->space == SPACE_GENERIC && *address - map->local_window < span) {
		*address -= map->local_window;
		return SPACE_LOCAL;
	}
	return f->space == SPACE_GENERIC ? SPACE_GLOBAL : (enum ir_space)f->space;
}

/* The bits of a shared address that say where: above them may stand a rank. */
static u64 shared_bits(const struct fault *f)
{
	const u32 origin = f->code->origin[f->insn - f->code->insns];
	const bool has_rank = f->space == SPACE_GENERIC || origin == NO_OPERAND ||
			      form_has(&f->code->forms[origin], M_shared_cluster);

	return has_rank ? (1u << SHARED_RANK_SHIFT) - 1 : UINT64_MAX;
}

/* Bytes that one element of a load takes. */
enum { WORD_MOST = 16 };

/* Says so if the memory is there, but the launch's device may not access it, or may only read it. */
static bool hint_at_access(const struct memory *m, const struct launch *l, const struct fault *f,
			   struct fault_report *r)
{
	const struct allocation *a = memory_find(m, f->address, 1);
	const bool is_closed = a && f->kind == FAULT_OUT_OF_BOUNDS && memory_is_closed(a, l->device_number);
	const bool is_fixed = a && f->kind == FAULT_READ_ONLY && memory_flags_for(a, l->device_number) != a->flags;

	if (is_closed)
		snprintf(r->hint, sizeof r->hint,
			 "it is memory of another device, to which the kernel's has no access: "
			 "cudaDeviceEnablePeerAccess, or the access of its pool or mapping");
	else if (is_fixed)
		snprintf(r->hint, sizeof r->hint, "the kernel's device may only read this mapping: cuMemSetAccess");
	return is_closed || is_fixed;
}

/* What is said of the memory depends on the space; where the launch or an option would help, a hint says so. */
static void find_memory(const struct memory *m, const struct launch *l, const struct fault *f, struct fault_report *r)
{
	u64 address = f->address;
	const enum ir_space space = real_space(l, f, &address);
	const bool is_listing = f->code->function->listing != NULL;

	if (f->kind == FAULT_FREED || f->kind == FAULT_DOUBLE_FREE)
		find_released(m, address, &r->memory);
	else if (space == SPACE_SHARED && !is_listing)
		find_variable(l, f, space, address & shared_bits(f), &r->memory);
	else if (space == SPACE_LOCAL && !is_listing)
		find_variable(l, f, space, address, &r->memory);
	else if ((space == SPACE_GLOBAL || space == SPACE_CONST) && f->kind != FAULT_NULL_POINTER)
		find_allocation(m, f->address, &r->memory);
	if (space == SPACE_GLOBAL && hint_at_access(m, l, f, r))
		return;
	if (f->kind == FAULT_OUT_OF_BOUNDS && space == SPACE_GLOBAL && !f->is_store && !f->times &&
	    r->memory.where == FAULT_WITHIN && f->size <= WORD_MOST)
		snprintf(r->hint, sizeof r->hint,
			 "the hardware reads on to the end of the word; --bounds=word allows it");
	if (f->kind == FAULT_OUT_OF_BOUNDS && !f->times && space == SPACE_SHARED && l->kernel->uses_dynamic_shared &&
	    !l->dynamic_shared)
		snprintf(r->hint, sizeof r->hint,
			 "the launch gives 0 bytes of dynamic shared memory to %s: --shared N, or shared=N in the "
			 "launch line",
			 dynamic_name(l->kernel));
}

/* --- The whole ------------------------------------------------------------------------------ */

static void explain_null(const struct launch *l, const struct fault *f, struct fault_report *r)
{
	if (f->kind != FAULT_NULL_POINTER)
		return;
	if (f->null_param >= 0)
		snprintf(r->hint, sizeof r->hint, "parameter %d (%.200s) is 0", f->null_param,
			 l->kernel->function->params.items[f->null_param]->name);
	else
		snprintf(r->hint, sizeof r->hint, "no allocation lies below 0x%x", 65536);
}

void fault_report(const struct memory *memory, const struct launch *l, const struct fault *f, struct fault_report *r)
{
	*r = (struct fault_report){.kind = f->kind,
				   .warp = f->warp,
				   .lane = f->lane,
				   .lanes = f->lanes,
				   .has_access = f->size || f->kind == FAULT_DOUBLE_FREE || f->kind == FAULT_HEAP,
				   .is_store = f->is_store,
				   .address = f->address,
				   .size = f->size,
				   .space = f->space >= 0 ? ir_space_name((enum ir_space)f->space) : "?",
				   .role = f->role,
				   .times = f->times,
				   .detail = f->detail,
				   .advice = f->advice ? f->advice : ""};
	fault_find_place(f->code, (u32)(f->insn - f->code->insns), &r->at);
	find_thread(l, f->block, (u64)f->warp * WARP_LANES + f->lane, &r->thread);
	if (r->has_access)
		find_memory(memory, l, f, r);
	explain_null(l, f, r);
	r->other_is_host = r->role && !f->other.code;
	if (!f->other.code)
		return;
	fault_find_place(f->other.code, f->other.insn, &r->other);
	find_thread(l, f->other.block, f->other.thread, &r->other_thread);
}
