/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim info --native: the regions of a kernel, as `--native=auto` would have them compiled.
 */
#include <stdio.h>

#include "base/source.h"
#include "cli/info.h"
#include "native/explain.h"

struct native_printer {
	const struct session *s;
	const struct code *code;
	u32 regions, native, insns;
	size_t bytes;
};

static u32 line_of(const struct native_printer *p, const struct ir_instruction *i)
{
	u32 line, column;

	source_place(p->s->sources.files.items[i->span.file], i->span.begin, &line, &column);
	return line;
}

enum { PLACE_TEXT = 24 };

/* "line 12", or of machine code, which has no lines, its address as in listings: "0x01c0". */
static const char *name_place(const struct native_printer *p, const struct ir_instruction *i, int width,
			      char text[PLACE_TEXT])
{
	if (p->code->steps)
		snprintf(text, PLACE_TEXT, "0x%04x", i->address);
	else
		snprintf(text, PLACE_TEXT, "line %*u", width, line_of(p, i));
	return text;
}

/* "line 12  add.u32 ..."; what lowering has put in has no line. */
static void print_insn(const struct native_printer *p, u32 insn)
{
	const u32 origin = p->code->origin[insn];

	if (origin == NO_OPERAND) {
		printf("%11s  (at a branch or loop)", "");
		return;
	}
	const struct ir_instruction *i = &p->code->function->body.items[origin];
	char text[PLACE_TEXT];
	printf("%s  ", name_place(p, i, 6, text));
	info_print_line(p->s, i, false);
}

/* Where the first instruction stands from `insn` on that has a place in the text. */
static const char *place_from(const struct native_printer *p, u32 insn, u32 end, char text[PLACE_TEXT])
{
	for (u32 k = insn; k < end; k++) {
		const u32 origin = p->code->origin[k];
		if (origin != NO_OPERAND)
			return name_place(p, &p->code->function->body.items[origin], 0, text);
	}
	return "the start";
}

static void print_region(void *printer, const struct explained_region *r)
{
	struct native_printer *p = printer;

	p->regions++;
	char text[PLACE_TEXT];
	printf("    region      from %s: %u instructions in %u block%s, ", place_from(p, r->first, r->end, text),
	       r->size, r->blocks, plural_s(r->blocks));
	if (!r->bytes) {
		printf("not compiled: %s\n", r->reason);
		return;
	}
	p->native++;
	p->insns += r->size;
	p->bytes += r->bytes;
	printf("%zu bytes of host code\n", r->bytes);
	for (u32 k = 0; k < r->handlers_listed; k++) {
		printf("      by its handler  ");
		print_insn(p, r->handlers_of[k]);
		printf("\n");
	}
	if (r->handlers > r->handlers_listed)
		printf("      by its handler  %u more\n", r->handlers - r->handlers_listed);
}

static void print_wall(void *printer, u32 insn, const char *reason)
{
	struct native_printer *p = printer;

	printf("    interpreted ");
	print_insn(p, insn);
	printf("   (%s)\n", reason);
}

void info_native(const struct session *s, const struct code *code)
{
	struct native_printer p = {.s = s, .code = code};
	const struct explanation to = {&p, print_region, print_wall};
	char message[256];

	if (code->function->listing) {
		printf("  native        none: machine code is interpreted\n");
		return;
	}
	printf("  native\n");
	if (!native_explain(s->program->isa, code, &to, message, sizeof message)) {
		printf("    in all      none: %s\n", message);
		return;
	}
	printf("    in all      %u of %u region%s, %u instructions, %zu bytes of host code\n", p.native, p.regions,
	       plural_s(p.regions), p.insns, p.bytes);
}
