/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the engine can stop: before the decoded instruction that begins each instruction of the
 * text. Lowering puts internal ones around it: %count and %join come before a stop, a guard is
 * where it stands.
 */
#include <stdio.h>
#include <string.h>

#include "debug/internal.h"
#include "sass/lines.h"

static meaning_fn *internal_meaning(const struct program *p, enum opcode opcode)
{
	const struct meaning *m = isa_internal(p->isa, opcode);

	return m ? m->run : NULL;
}

/* Functions of machine code stand one behind the other, and nothing runs from one into the next: what the last one's end has
 * counted, which is never reached, is none of the next one's. */
static bool begins_function(const struct ir_function *f, u32 instruction)
{
	return f->machine &&
	       (f->body.items[instruction].address == f->machine->address || sass_called_at(f, instruction));
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
	s->last = ARENA_ARRAY(d->arena, body + 1, u32);
	memset(s->of, 0xff, (body + 1) * sizeof *s->of);
	memset(s->real, 0xff, (body + 1) * sizeof *s->real);
	for (u32 k = 0; k < n; k++) {
		const struct insn *i = &code->insns[k];
		const u32 origin = code->origin[k];
		if (origin < body && s->of[origin] == NO_POINT && i->fn != count && i->fn != join) {
			s->of[origin] = k;
			s->done[k] = begins_function(code->function, origin) ? 0 : done;
			done = s->done[k] + 1;
		}
		if (origin < body && i->fn != count && i->fn != join)
			s->real[origin] = s->last[origin] = k;
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
	return place_of_insn(d, code, (u32)(pc - grid_entry(&d->grid, code)));
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
	line.ptx_line = sass_ptx_line(p->code->function, p->instruction, &line.ptx_text, &line.ptx_length);
	line.ptx_file = line.ptx_line ? sass_ptx_name(p->code->function) : NULL;
	return line;
}
