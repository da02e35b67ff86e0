/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the engine can stop: before the decoded instruction that begins each instruction of the
 * text. Lowering puts internal ones around it: %count and %join come before a stop, a guard is
 * where it stands.
 */
#include <stdio.h>
#include <string.h>

#include "debug/internal.h"

static meaning_fn *internal_meaning(const struct program *p, enum opcode opcode)
{
	const struct meaning *m = isa_internal(p->isa, opcode);

	return m ? m->run : NULL;
}

static void build(struct debug *d, const struct code *code, struct stops *s, meaning_fn *count, meaning_fn *join)
{
	const u32 n = code->insn_count, body = (u32)code->function->body.count;
	s32 done = 0;

	s->next = ARENA_ARRAY(d->arena, n + 1, u32);
	s->done = ARENA_ARRAY(d->arena, n + 1, s32);
	s->of = ARENA_ARRAY(d->arena, body + 1, u32);
	s->breaks = ARENA_ARRAY(d->arena, n + 1, u8);
	s->real = ARENA_ARRAY(d->arena, body + 1, u32);
	memset(s->of, 0xff, (body + 1) * sizeof *s->of);
	memset(s->real, 0xff, (body + 1) * sizeof *s->real);
	for (u32 k = 0; k < n; k++) {
		const struct insn *i = &code->insns[k];
		const u32 origin = code->origin[k];
		if (origin < body && s->of[origin] == NO_POINT && i->fn != count && i->fn != join) {
			s->of[origin] = k;
			s->done[k] = done++;
		}
		if (origin < body && i->fn != count && i->fn != join)
			s->real[origin] = k;
		/* What has been counted is ahead of what has begun where a long run is cut. */
		done -= i->run;
	}
	s->next[n] = NO_POINT;
	for (u32 k = n; k-- > 0;)
		s->next[k] = code->origin[k] < body && s->of[code->origin[k]] == k ? k : s->next[k + 1];
}

void stops_build(struct debug *d)
{
	const struct program *p = d->program;
	meaning_fn *count = internal_meaning(p, OP_internal_count), *join = internal_meaning(p, OP_internal_join);

	d->stops = ARENA_ARRAY(d->arena, p->code_count + 1, struct stops);
	for (u32 c = 0; c < p->code_count; c++)
		build(d, p->codes[c], &d->stops[c], count, join);
}

struct debug_place place_of_insn(const struct debug *d, const struct code *code, u32 insn)
{
	const u32 at = insn < code->insn_count ? d->stops[code->index].next[insn] : NO_POINT;

	if (at == NO_POINT)
		return (struct debug_place){NULL, 0};
	return (struct debug_place){code, code->origin[at]};
}

struct debug_place place_of_pc(const struct debug *d, const struct code *code, const struct insn *pc)
{
	return place_of_insn(d, code, (u32)(pc - machine_entry(&d->machine, code)));
}

const struct form *place_form(const struct debug_place *p)
{
	return p->code && p->code->forms[p->instruction].row ? &p->code->forms[p->instruction] : NULL;
}

const struct ir_instruction *place_instruction(const struct debug_place *p)
{
	return p->code && p->instruction < p->code->function->body.count
		       ? &p->code->function->body.items[p->instruction]
		       : NULL;
}

bool place_is_barrier(const struct debug_place *p)
{
	const struct form *f = place_form(p);

	return f && f->row->flags & ISA_SYNC && f->row->traits & TRAIT_BARRIER;
}

/* The '@' before a guarded instruction, on its line. */
static u32 guard_begin(const struct source *s, u32 begin)
{
	u32 at = begin;

	while (at && s->text[at - 1] != '\n' && s->text[at] != '@')
		at--;
	return s->text[at] == '@' ? at : begin;
}

struct debug_line debug_line(const struct debug_place *p)
{
	const struct ir_instruction *x = place_instruction(p);
	struct debug_line line = {0};

	if (!x)
		return line;
	const struct ir_module *m = p->code->function->module;
	const struct source *s = m->sources->files.items[x->span.file];
	const u32 begin = x->guard ? guard_begin(s, x->span.begin) : x->span.begin;
	line.file = s->name;
	line.text = s->text + begin;
	line.length = x->span.end - begin;
	source_place(s, begin, &line.line, &line.column);
	if (x->loc) {
		const struct ir_loc *loc = &m->locs.items[x->loc - 1];
		for (size_t k = 0; k < m->files.count; k++)
			if (m->files.items[k].number == loc->file)
				line.loc_file = m->files.items[k].path;
		line.loc_line = loc->line;
	}
	return line;
}

/* --- Locations ---------------------------------------------------------------------------------- */

struct finding {
	struct debug *d;
	struct debug_place *places;
	u32 room, count;
};

/* An instruction that left no code stands for the next one that did. */
static void add_place(struct finding *f, const struct code *code, u32 instruction)
{
	const struct stops *s = &f->d->stops[code->index];
	const u32 body = (u32)code->function->body.count;

	while (instruction < body && s->of[instruction] == NO_POINT)
		instruction++;
	if (instruction >= body)
		return;
	for (u32 k = 0; k < f->count && k < f->room; k++)
		if (f->places[k].code == code && f->places[k].instruction == instruction)
			return;
	if (f->count < f->room)
		f->places[f->count] = (struct debug_place){code, instruction};
	f->count++;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A file is named whole or by its end. */
static bool file_matches(const char *path, const char *wanted, size_t length)
{
	const size_t have = strlen(path);

	if (!length || (have == length && !memcmp(path, wanted, length)))
		return true;
	return have > length && path[have - length - 1] == '/' && !memcmp(path + have - length, wanted, length);
}

/* The first instruction on that line, or else on the next line that has one, in each function that spans
 * it; lines of the .loc directives where the file is named so, or has no such text. */
static void find_text_line(struct finding *f, const char *file, size_t length, u32 line)
{
	for (u32 c = 0; c < f->d->program->code_count; c++) {
		const struct code *code = f->d->program->codes[c];
		const struct ir_function *fn = code->function;
		const struct source *s = fn->module->sources->files.items[fn->span.file];
		u32 first, end, column;
		if (!fn->body.count || !file_matches(s->name, file, length))
			continue;
		source_place(s, fn->span.begin, &first, &column);
		source_place(s, fn->body.items[fn->body.count - 1].span.begin, &end, &column);
		if (line < first || line > end)
			continue;
		for (u32 k = 0; k < fn->body.count; k++) {
			u32 at;
			source_place(s, fn->body.items[k].span.begin, &at, &column);
			if (at >= line) {
				add_place(f, code, k);
				break;
			}
		}
	}
}

/* Each place where a run of instructions of that .loc line begins. */
static void find_loc_line(struct finding *f, const char *file, size_t length, u32 line)
{
	for (u32 c = 0; c < f->d->program->code_count; c++) {
		const struct code *code = f->d->program->codes[c];
		bool before = false;
		for (u32 k = 0; k < code->function->body.count; k++) {
			const struct debug_place p = {code, k};
			const struct debug_line at = debug_line(&p);
			const bool here = at.loc_file && at.loc_line == line && file_matches(at.loc_file, file, length);
			if (here && !before)
				add_place(f, code, k);
			before = here;
		}
	}
}

static void find_line(struct finding *f, const char *file, size_t length, u32 line)
{
	if (length)
		find_loc_line(f, file, length, line);
	if (!f->count)
		find_text_line(f, file, length, line);
}

static void find_label(struct finding *f, const struct code *code, const char *label)
{
	for (size_t k = 0; k < code->function->labels.count; k++)
		if (!strcmp(code->function->labels.items[k]->name, label))
			add_place(f, code, code->function->labels.items[k]->target);
}

/* FUNCTION, FUNCTION:LABEL, FUNCTION+N, LABEL. */
static void find_name(struct finding *f, const char *text)
{
	const char *colon = strchr(text, ':'), *plus = strchr(text, '+');
	const size_t length = colon ? (size_t)(colon - text) : plus ? (size_t)(plus - text) : strlen(text);

	for (u32 c = 0; c < f->d->program->code_count; c++) {
		const struct code *code = f->d->program->codes[c];
		const bool named = strlen(code->name) == length && !memcmp(code->name, text, length);
		u32 n = 0;
		if (named && colon)
			find_label(f, code, colon + 1);
		else if (named && (!plus || sscanf(plus + 1, "%u", &n) == 1))
			add_place(f, code, n);
		else if (!named && !colon && !plus)
			find_label(f, code, text);
	}
}

static void find_mnemonic(struct finding *f, const char *wanted)
{
	const size_t length = strlen(wanted);

	for (u32 c = 0; c < f->d->program->code_count; c++)
		for (u32 k = 0; k < f->d->program->codes[c]->function->body.count; k++) {
			const struct ir_instruction *x = &f->d->program->codes[c]->function->body.items[k];
			char text[256];
			int used = snprintf(text, sizeof text, "%s", x->opcode);
			for (u32 m = 0; m < x->modifier_count && used < (int)sizeof text; m++)
				used += snprintf(text + used, sizeof text - (size_t)used, ".%s", x->modifiers[m].text);
			if (!strncasecmp(text, wanted, length) && (!text[length] || text[length] == '.'))
				add_place(f, f->d->program->codes[c], k);
		}
}

u32 debug_resolve(struct debug *d, const char *location, struct debug_place *places, u32 room)
{
	struct finding f = {d, places, room, 0};
	const char *colon = strrchr(location, ':');
	const char *number = colon ? colon + 1 : location;
	const size_t digits = strspn(number, "0123456789");
	u32 line;

	while (*location == ' ')
		location++;
	if (*location == '@')
		find_mnemonic(&f, location + 1);
	else if (digits && !number[digits] && sscanf(number, "%u", &line) == 1)
		find_line(&f, location, colon ? (size_t)(colon - location) : 0, line);
	else
		find_name(&f, location);
	if (!f.count)
		debug_fail(d, "no instruction is at '%s'", location);
	return f.count;
}

const char *debug_source_text(const struct debug *d, const char *file, u32 line, u32 *length)
{
	for (u32 m = 0; m < d->program->module_count; m++) {
		const struct sources *all = d->program->modules[m]->sources;
		for (size_t k = 0; k < all->files.count; k++) {
			const struct source *s = all->files.items[k];
			if ((strcmp(s->name, file) && strcmp(base_name(s->name), file)) || !line ||
			    line > s->line_count)
				continue;
			const u32 begin = s->line_starts[line - 1];
			const u32 end = line < s->line_count ? s->line_starts[line] - 1 : (u32)s->length;
			*length = end - begin;
			while (*length &&
			       (s->text[begin + *length - 1] == '\n' || s->text[begin + *length - 1] == '\r'))
				--*length;
			return s->text + begin;
		}
	}
	return NULL;
}
