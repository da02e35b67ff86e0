/* SPDX-License-Identifier: Apache-2.0
 *
 * Observers and faults. A watched instruction has another handler in the run's own copy of the
 * code, so an unwatched one costs nothing, and a run without observers shares the program's code.
 */
#include <stdio.h>
#include <string.h>

#include "exec/gang.h"
#include "exec/internal.h"
#include "exec/launch.h"
#include "ir/locate.h"

enum { INLINE_DEPTH_MAX = 32 };

const struct insn *machine_entry(const struct machine *m, const struct code *code)
{
	return m->insns ? m->insns[code->index] : code->insns;
}

static const struct insn *watched(struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	const struct machine *m = w->machine;
	const struct code *code = w->frame->code;
	const size_t at = (size_t)(i - m->insns[code->index]);
	const bool told = w->told && i >= w->told && i <= w->told_last;
	const u8 who = m->watchers[code->index][at];
	struct observer *const *list = m->observers;

	if (!told || i == w->told_last)
		w->told = NULL;
	for (u32 k = 0; k < m->observer_count; k++)
		if (who >> k & 1 && list[k]->before && !told)
			list[k]->before(list[k]->context, w, i, rows, mask);
	if (__builtin_expect(w->stop == STOP_FAULT, 0))
		return NULL;
	const struct insn *next = m->originals[code->index][at](w, i, rows, mask);
	if (told)
		w->told = NULL; /* a guard that held for no lane */
	for (u32 k = 0; k < m->observer_count; k++)
		if (who >> k & 1 && list[k]->after)
			list[k]->after(list[k]->context, w, i, rows, mask);
	return next;
}

static void tell(const struct gang *g, struct warp *w, const struct insn *i)
{
	if (w < g->warps + g->done)
		return;
	/* Of an instruction that ends gangs nobody was told. */
	const struct insn *last = g->parted->gang == gang_end ? i : g->parted;

	w->told = gang_plain(g, i);
	w->told_last = gang_plain(g, last);
}

/* The gang parted before i; or before what the guard i guards, and its warps come to the guard again. Of those that
 * took part in i, all of them or a list, the ones that have not run it come back on their own. */
static void note_told(const struct gang *g, const struct insn *i, const struct gang_member *on,
		      const struct gang_member *on_end)
{
	if (g->parted != i && g->parted != i + 1)
		return;
	for (; on != on_end; on++)
		tell(g, on->warp, i);
	for (u32 k = 0; !on_end && k < g->count; k++)
		tell(g, &g->warps[k], i);
}

static const struct insn *watched_gang(struct gang *g, const struct insn *i)
{
	const struct machine *m = g->machine;
	const size_t at = (size_t)(i - m->gang_insns);
	const u8 who = m->watchers[g->code->index][at];
	struct observer *const *list = m->observers;
	const struct gang_member *const on = g->on, *const on_end = g->on_end;

	for (u32 k = 0; k < m->observer_count; k++)
		if (who >> k & 1)
			list[k]->gang_before(list[k]->context, g, gang_plain(g, i));
	const struct insn *next = m->gang_originals[at](g, i);
	if (__builtin_expect(!next, 0))
		note_told(g, i, on, on_end);
	return next;
}

/* What gangs run once for a launch is watched in its place all the same, so that skipping ends there. */
static void skip_to_watched(struct insn *insns, const struct code *code, const u8 *watchers)
{
	u32 next = code->insn_count - 1;

	for (u32 k = code->insn_count; k-- > 0;) {
		if (code->once[k])
			insns[k].imm = (s32)(next - k);
		if (!code->once[k] || watchers[k])
			next = k;
	}
}

static void watch_gangs(struct machine *m, struct arena *arena)
{
	const struct code *code = m->kernel->code;
	const u8 *watchers = m->watchers[code->index];
	struct insn *insns = ARENA_ARRAY(arena, code->insn_count, struct insn);

	memcpy(insns, code->gang_insns, code->insn_count * sizeof *insns);
	m->gang_originals = ARENA_ARRAY(arena, code->insn_count, gang_fn *);
	for (u32 k = 0; k < code->insn_count; k++) {
		m->gang_originals[k] = insns[k].gang;
		if (watchers[k] && insns[k].gang != gang_end)
			insns[k].gang = watched_gang;
	}
	if (code->once)
		skip_to_watched(insns, code, watchers);
	m->gang_insns = insns;
}

/* The launch's observers, and whether all of them can watch gangs. */
static bool find_observers(struct machine *m, struct arena *arena)
{
	struct observer *const *given = m->launch->observers;
	bool gangs = true;
	u32 count = 0;

	while (given && given[count])
		count++;
	m->observers = ARENA_ARRAY(arena, count + 2, struct observer *);
	for (u32 k = 0; k < count; k++)
		m->observers[m->observer_count++] = given[k];
	if (m->async == ASYNC_STRICT)
		m->observers[m->observer_count++] = async_observer(m, arena);
	for (u32 k = 0; k < m->observer_count; k++)
		gangs &= m->observers[k]->gang_before || !(m->observers[k]->before || m->observers[k]->after);
	return gangs;
}

void machine_watch(struct machine *m, struct arena *arena)
{
	const u32 codes = m->program->code_count;

	if (!find_observers(m, arena) || m->hooks)
		m->gang_limit = 0;
	if (!m->observer_count && !m->hooks)
		return;
	struct observer *const *list = m->observers;
	m->insns = ARENA_ARRAY(arena, codes + 1, struct insn *);
	m->originals = ARENA_ARRAY(arena, codes + 1, meaning_fn **);
	m->watchers = ARENA_ARRAY(arena, codes + 1, u8 *);
	for (u32 c = 0; c < codes; c++) {
		const struct code *code = m->program->codes[c];
		m->insns[c] = ARENA_ARRAY(arena, code->insn_count, struct insn);
		m->originals[c] = ARENA_ARRAY(arena, code->insn_count, meaning_fn *);
		m->watchers[c] = ARENA_ARRAY(arena, code->insn_count, u8);
		memcpy(m->insns[c], code->insns, code->insn_count * sizeof *code->insns);
		for (u32 k = 0; k < code->insn_count; k++) {
			m->originals[c][k] = code->insns[k].fn;
			for (u32 o = 0; o < m->observer_count; o++)
				if (list[o]->wants(list[o]->context, code, k))
					m->watchers[c][k] |= (u8)(1u << o);
			if (m->watchers[c][k])
				m->insns[c][k].fn = watched;
		}
	}
	if (m->gang_limit)
		watch_gangs(m, arena);
}

/* --- Faults --------------------------------------------------------------------------------- */

static void raise_fault(struct warp *w, const struct insn *i, struct fault *f)
{
	struct machine *m = w->machine;
	const struct code *code = w->frame ? w->frame->code : m->kernel->code;

	w->stop = STOP_FAULT;
	if (w->worker->probing)
		return;
	if (!f->code) {
		f->code = code;
		f->insn = m->insns ? code->insns + (i - m->insns[code->index]) : i;
	}
	f->block = w->block->index;
	f->warp = w->index;
	pthread_mutex_lock(&m->lock);
	if (!m->faulted || f->block < m->fault_block) {
		m->fault = *f;
		__atomic_store_n(&m->fault_block, f->block, __ATOMIC_RELEASE);
		__atomic_store_n(&m->faulted, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&m->lock);
}

const struct insn *warp_fault(struct warp *w, const struct insn *i, enum fault_kind kind, u32 lanes, const char *detail,
			      ...)
{
	struct fault f = {.kind = kind, .lanes = lanes ? lanes : w->mask};
	va_list args;

	f.lane = f.lanes ? (u32)__builtin_ctz(f.lanes) : 0;
	if (detail) {
		va_start(args, detail);
		vsnprintf(f.detail, sizeof f.detail, detail, args);
		va_end(args);
	}
	raise_fault(w, i, &f);
	return NULL;
}

const struct insn *warp_fault_address(struct warp *w, const struct insn *i, enum fault_kind kind, u32 lane, u64 address,
				      u32 size, int space, bool is_store)
{
	struct fault f = {.kind = kind,
			  .lane = lane,
			  .lanes = 1u << lane,
			  .address = address,
			  .size = size,
			  .space = space,
			  .is_store = is_store};

	raise_fault(w, i, &f);
	return NULL;
}

void block_fault(struct warp *w, const struct code *code, u32 insn, const char *detail, ...)
{
	struct fault f = {.kind = FAULT_ASYNC, .code = code, .insn = code->insns + insn, .lanes = 1};
	va_list args;

	va_start(args, detail);
	vsnprintf(f.detail, sizeof f.detail, detail, args);
	va_end(args);
	raise_fault(w, NULL, &f);
}

void machine_fault_memory(struct machine *m)
{
	pthread_mutex_lock(&m->lock);
	if (!m->faulted)
		m->fault = (struct fault){
			.kind = FAULT_OUT_OF_MEMORY, .code = m->kernel->code, .insn = m->kernel->code->insns};
	m->faulted = true;
	pthread_mutex_unlock(&m->lock);
}

/* --- Telling -------------------------------------------------------------------------------- */

static const char *space_name(int space)
{
	static const char *const names[SPACE_COUNT] = {
		[SPACE_GENERIC] = "generic", [SPACE_GLOBAL] = "global",  [SPACE_SHARED] = "shared",
		[SPACE_LOCAL] = "local",     [SPACE_CONST] = "constant", [SPACE_PARAM] = "parameter"};

	return space >= 0 && space < SPACE_COUNT && names[space] ? names[space] : "?";
}

struct text {
	char *at;
	size_t left;
};

static void __attribute__((format(printf, 2, 3))) say(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	const int n = vsnprintf(t->at, t->left, format, args);
	va_end(args);
	const size_t used = n < 0 ? 0 : (size_t)n < t->left ? (size_t)n : t->left ? t->left - 1 : 0;
	t->at += used;
	t->left -= used;
}

/* The line that the compiler read, and through which calls it was inlined. */
static void say_source(struct text *t, const struct ir_module *m, const struct ir_loc *loc)
{
	const char *how = "from";

	for (u32 depth = 0; loc && depth < INLINE_DEPTH_MAX; depth++) {
		const char *path = ir_file_path(m, loc->file);
		char name[200];
		if (path)
			say(t, "  %s %s:%u", how, path, loc->line);
		if (path && ir_loc_function(m, loc, name, sizeof name))
			say(t, " in %s", name);
		if (path)
			say(t, "\n");
		loc = ir_loc_caller(m, loc);
		how = "inlined at";
	}
}

/* The instruction as it stands in the text, on one line. */
static void say_instruction(struct text *t, const char *at, const char *end)
{
	for (bool blank = false; at < end; at++) {
		const bool is_blank = *at == ' ' || *at == '\t' || *at == '\n' || *at == '\r';
		if (!is_blank)
			say(t, blank ? " %c" : "%c", *at);
		blank = is_blank;
	}
	say(t, "\n");
}

static void say_place(struct text *t, const struct fault *f)
{
	const u32 at = (u32)(f->insn - f->code->insns);
	const u32 origin = at < f->code->insn_count ? f->code->origin[at] : NO_OPERAND;
	const struct ir_function *function = f->code->function;

	if (origin >= function->body.count)
		return;
	const struct ir_instruction *x = &function->body.items[origin];
	const struct source *s = function->module->sources->files.items[x->span.file];
	u32 line, column;
	source_place(s, x->span.begin, &line, &column);
	const u32 length = min_u32(x->span.end - x->span.begin, 200);
	say(t, "  at %s:%u:%u in %s: ", s->name, line, column, function->name);
	say_instruction(t, s->text + x->span.begin, s->text + x->span.begin + length);
	if (x->loc)
		say_source(t, function->module, &function->module->locs.items[x->loc - 1]);
}

static void say_thread(struct text *t, const struct launch *l, const struct fault *f)
{
	const u64 thread = (u64)f->warp * WARP_LANES + f->lane, b = f->block;

	say(t, "  block (%llu,%llu,%llu), thread (%llu,%llu,%llu), warp %u, lane %u",
	    (unsigned long long)(b % l->grid[0]), (unsigned long long)(b / l->grid[0] % l->grid[1]),
	    (unsigned long long)(b / l->grid[0] / l->grid[1]), (unsigned long long)(thread % l->block[0]),
	    (unsigned long long)(thread / l->block[0] % l->block[1]),
	    (unsigned long long)(thread / l->block[0] / l->block[1]), f->warp, f->lane);
	if (f->lanes & (f->lanes - 1))
		say(t, " (lanes 0x%08x)", f->lanes);
	say(t, "\n");
}

static void say_nearest(struct text *t, const struct memory *m, const struct fault *f)
{
	const struct allocation *a = memory_nearest(m, f->address);

	if (!a || (f->space != SPACE_GLOBAL && f->space != SPACE_GENERIC && f->space != SPACE_CONST))
		return;
	say(t, "  nearest allocation: %s, 0x%llx to 0x%llx (%llu bytes); the access begins ",
	    a->name ? a->name : "unnamed", (unsigned long long)a->base, (unsigned long long)(a->base + a->size),
	    (unsigned long long)a->size);
	if (f->address < a->base)
		say(t, "%llu bytes before it\n", (unsigned long long)(a->base - f->address));
	else if (f->address >= a->base + a->size)
		say(t, "%llu bytes past its end\n", (unsigned long long)(f->address - a->base - a->size));
	else
		say(t, "at byte %llu of it\n", (unsigned long long)(f->address - a->base));
}

void fault_describe(const struct memory *m, const struct launch *l, const struct fault *f, char *text, size_t size)
{
	struct text t = {text, size};

	if (!size)
		return;
	*text = 0;
	say(&t, "%s", fault_text(f->kind));
	if (f->detail[0])
		say(&t, ": %s", f->detail);
	if (f->size)
		say(&t, ": %s of %u bytes at %s address 0x%llx", f->is_store ? "store" : "load", f->size,
		    space_name(f->space), (unsigned long long)f->address);
	say(&t, "\n");
	say_place(&t, f);
	say_thread(&t, l, f);
	if (f->size)
		say_nearest(&t, m, f);
}
