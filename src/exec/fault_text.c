/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults as text: the message of each, printed from its report.
 *
 * A message, part by part:
 *
 *  address out of bounds: store of 4 bytes at global address 0x7f0002000190       say_headline
 *    at bad.ptx:15:2 in k: st.global.u32 [%a], %t                                say_place, say_source
 *    block (3,0,0), thread (4,0,0), warp 0, lane 4                               say_thread
 *    nearest allocation: a, 0x7f0002000000 to 0x7f0002000190 (400 bytes); ...    say_memory
 */
#include <stdarg.h>
#include <stdio.h>

#include "exec/fault_report.h"
#include "ir/locate.h"

enum { INLINE_DEPTH_MAX = 32, INSTRUCTION_MOST = 200 };

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

static void say_place(struct text *t, const struct fault_place *p)
{
	if (!p->file)
		return;
	say(t, "  at %s:%u:%u in %s: ", p->file, p->line, p->column, p->function);
	say_instruction(t, p->instruction, p->instruction + min_u32(p->instruction_length, INSTRUCTION_MOST));
	if (p->loc)
		say_source(t, p->module, p->loc);
}

static void say_thread(struct text *t, const struct fault_report *r)
{
	const u32 *b = r->thread.block, *x = r->thread.thread;

	say(t, "  block (%u,%u,%u), thread (%u,%u,%u), warp %u, lane %u", b[0], b[1], b[2], x[0], x[1], x[2], r->warp,
	    r->lane);
	if (r->lanes & (r->lanes - 1))
		say(t, " (lanes 0x%08x)", r->lanes);
	say(t, "\n");
}

static void say_memory(struct text *t, const struct fault_report *r)
{
	const struct fault_memory *m = &r->memory;
	const char *what = m->kind == FAULT_MEMORY_RELEASED ? "freed allocation"
			   : m->is_variable                 ? "nearest variable"
							    : "nearest allocation";

	if (!m->kind)
		return;
	say(t, "  %s: %s, 0x%llx to 0x%llx (%llu byte%s)", what, m->name ? m->name : "unnamed",
	    (unsigned long long)m->base, (unsigned long long)(m->base + m->size), (unsigned long long)m->size,
	    plural_s(m->size));
	if (r->size)
		say(t, "; the access begins ");
	if (r->size && m->where == FAULT_BEFORE)
		say(t, "%llu byte%s before it", (unsigned long long)-m->distance, plural_s((u64)-m->distance));
	else if (r->size && m->where == FAULT_BEHIND)
		say(t, "%llu byte%s past its end", (unsigned long long)m->distance, plural_s((u64)m->distance));
	else if (r->size)
		say(t, "at byte %llu of it", (unsigned long long)m->distance);
	say(t, "\n");
}

/* Who released the memory. */
static void say_release(struct text *t, const struct fault_report *r)
{
	const u32 *b = r->other_thread.block, *x = r->other_thread.thread;

	if (r->role != FAULT_ROLE_FREES)
		return;
	if (r->other_is_host) {
		say(t, "  freed by the host\n");
		return;
	}
	say(t, "  freed by block (%u,%u,%u), thread (%u,%u,%u)", b[0], b[1], b[2], x[0], x[1], x[2]);
	if (r->other.file)
		say(t, " at %s:%u", r->other.file, r->other.line);
	if (r->other.source)
		say(t, " (%s:%u)", r->other.source, r->other.source_line);
	say(t, "\n");
}

static void say_headline(struct text *t, const struct fault_report *r)
{
	say(t, "%s", fault_text(r->kind));
	if (r->detail[0])
		say(t, ": %s", r->detail);
	if (r->advice[0])
		say(t, "; %s", r->advice);
	if (r->size && r->kind != FAULT_RACE && r->kind != FAULT_UNWRITTEN)
		say(t, ": %s of %u byte%s at %s address 0x%llx", r->is_store ? "store" : "load", r->size,
		    plural_s(r->size), r->space, (unsigned long long)r->address);
	say(t, "\n");
}

/* Text that does not fit is cut off. */
void fault_describe(const struct memory *m, const struct launch *l, const struct fault *f, char *text, size_t size)
{
	struct text t = {text, size};
	struct fault_report r;

	if (!size)
		return;
	*text = 0;
	fault_report(m, l, f, &r);
	say_headline(&t, &r);
	say_place(&t, &r.at);
	say_thread(&t, &r);
	if (r.kind != FAULT_RACE && r.kind != FAULT_UNWRITTEN)
		say_memory(&t, &r);
	say_release(&t, &r);
	if (r.times > 1)
		say(&t, "  %llu times in all\n", (unsigned long long)r.times);
	if (r.hint[0])
		say(&t, "  %s\n", r.hint);
	if (r.times) {
		char line[FAULT_LINE_TEXT];
		fault_line(&r, line);
		say(&t, "  to suppress: %s\n", line);
	}
}
