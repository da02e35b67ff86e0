/* SPDX-License-Identifier: Apache-2.0
 *
 * Printing a module: marks and instructions in the order of the text, every number in a form that
 * keeps all its bits. Recursion is as deep as operands nest, which the reader bounds.
 *
 * Printing and reading again gives the same module: tests hold every PTX text of the tree to that (tests/ptx).
 */
#include "ir/print.h"

#include <inttypes.h>
#include <string.h>

static const char *const linkage_words[] = {[LINK_NONE] = "",
					    [LINK_VISIBLE] = ".visible ",
					    [LINK_EXTERN] = ".extern ",
					    [LINK_WEAK] = ".weak ",
					    [LINK_COMMON] = ".common "};

static void print_space(enum ir_space space, FILE *to)
{
	if (space != SPACE_GENERIC)
		fprintf(to, ".%s ", ir_space_word(space));
}

static void print_operands(const struct ir_operand *items, u32 count, FILE *to);

/* -r, !p, v.x, r.b0: modifiers around the name. */
static void print_register(const struct ir_operand *o, FILE *to)
{
	fprintf(to, "%s%s%s", o->minus ? "-" : "", o->negated ? "!" : "", o->name);
	if (o->element < 4)
		fprintf(to, ".%c", "xyzw"[o->element]);
	if (o->selector)
		fprintf(to, ".%s", o->selector);
}

/* +n or +-n: PTX adds negative offsets. */
static void print_addend(s64 addend, FILE *to)
{
	if (addend)
		fprintf(to, "+%" PRId64, addend);
}

/* The text keeps value and sign: the least 64-bit number has no literal of its own. */
static void print_integer(const struct ir_operand *o, FILE *to)
{
	if (o->name)
		fputs(o->name, to);
	else if (o->is_unsigned)
		fprintf(to, "%" PRIu64 "U", o->value);
	else if (o->value == 1ull << 63)
		fprintf(to, "(.s64)0x%" PRIx64, o->value);
	else
		fprintf(to, "%" PRId64, (s64)o->value);
}

/* Brackets, or an array with its index as it was written. */
static void print_address(const struct ir_operand *o, FILE *to)
{
	const u64 step = o->item_count > 1 ? o->value : 1;

	if (o->item_count > 1 || o->indexed) {
		const struct ir_variable *v = o->items[0].symbol->variable;
		u64 bytes = type_bits(v->type) / 8 * v->vector;
		for (u32 i = 1; i < v->rank; i++)
			bytes *= v->dims[i];
		fprintf(to, "%s[", o->items[0].name);
		if (o->item_count > 1) {
			print_register(&o->items[1], to);
			print_addend(o->addend / (s64)(step ? step : 1), to);
		} else {
			fprintf(to, "%" PRId64, o->addend / (s64)(bytes ? bytes : 1));
		}
	} else if (!o->item_count) { /* SASS */
		fprintf(to, "[%#" PRIx64, (u64)o->addend);
	} else {
		fputc('[', to);
		ir_print_operand(&o->items[0], to);
		print_addend(o->addend, to);
	}
	fputc(']', to);
}

/* In the notation that the reader takes for each kind. */
void ir_print_operand(const struct ir_operand *o, FILE *to)
{
	switch (o->kind) {
	case OPERAND_REGISTER:
	case OPERAND_SPECIAL:
		print_register(o, to);
		break;
	case OPERAND_SYMBOL:
		fputs(o->name, to);
		print_addend(o->addend, to);
		break;
	case OPERAND_INTEGER:
		print_integer(o, to);
		break;
	case OPERAND_FLOAT:
		if (o->float_bits == 32)
			fprintf(to, "0f%08" PRIX64, o->value);
		else
			fprintf(to, "0d%016" PRIX64, o->value);
		break;
	case OPERAND_ADDRESS:
		print_address(o, to);
		if (o->selector)
			fprintf(to, ".%s", o->selector);
		break;
	case OPERAND_VECTOR:
		fputc('{', to);
		print_operands(o->items, o->item_count, to);
		fputc('}', to);
		break;
	case OPERAND_LIST:
		fputc('(', to);
		print_operands(o->items, o->item_count, to);
		fputc(')', to);
		break;
	case OPERAND_PAIR:
		ir_print_operand(&o->items[0], to);
		fputc('|', to);
		ir_print_operand(&o->items[1], to);
		break;
	case OPERAND_SINK:
		fputc('_', to);
		break;
	case OPERAND_TEXTURE:
		fputc('[', to);
		print_operands(o->items, o->item_count, to);
		fputc(']', to);
		break;
	case OPERAND_BANK:
		fprintf(to, "c[0x%" PRIx64 "]", o->value);
		print_address(o, to);
		break;
	}
}

static void print_operands(const struct ir_operand *items, u32 count, FILE *to)
{
	for (u32 i = 0; i < count; i++) {
		if (i)
			fputs(", ", to);
		ir_print_operand(&items[i], to);
	}
}

void ir_print_instruction(const struct ir_instruction *i, FILE *to)
{
	if (i->guard) {
		fprintf(to, "@%s%s", i->guard_negated ? "!" : "", i->guard->name);
		if (i->guard_element < 4)
			fprintf(to, ".%c", "xyzw"[i->guard_element]);
		fputc(' ', to);
	}
	fputs(i->opcode, to);
	for (u32 k = 0; k < i->modifier_count; k++)
		fprintf(to, ".%s", i->modifiers[k].text);
	if (i->operand_count)
		fputc(' ', to);
	print_operands(i->operands, i->operand_count, to);
	fputc(';', to);
}

/* Where an initialiser's printing is: inits are in the order of their offsets. */
struct init_cursor {
	const struct ir_variable *v;
	size_t next;
	u32 element_bytes;
	FILE *to;
};

/* Bytes that no initial value covers are zero. */
static u64 gather_bytes(struct init_cursor *c, u64 offset, u32 size)
{
	u64 bits = 0;

	for (u32 i = 0; i < size; i++) {
		while (c->next < c->v->inits.count &&
		       c->v->inits.items[c->next].offset + c->v->inits.items[c->next].size <= offset + i)
			c->next++;
		if (c->next == c->v->inits.count)
			break;
		const struct ir_init *n = &c->v->inits.items[c->next];
		if (n->kind == INIT_BYTES && n->offset <= offset + i)
			bits |= (n->bits >> 8 * (offset + i - n->offset) & 0xff) << 8 * i;
	}
	return bits;
}

/* mask(generic(symbol)+n), as much of it as there is. */
static void print_init_address(const struct ir_init *n, FILE *to)
{
	if (n->mask)
		fprintf(to, "0x%" PRIx64 "(", n->mask);
	fprintf(to, n->generic ? "generic(%s)" : "%s", n->symbol->name);
	print_addend(n->addend, to);
	if (n->mask)
		fputc(')', to);
}

/* Floats as bits, everything else in hexadecimal. */
static void print_element(struct init_cursor *c, u64 offset)
{
	while (c->next < c->v->inits.count &&
	       c->v->inits.items[c->next].offset + c->v->inits.items[c->next].size <= offset)
		c->next++;
	const struct ir_init *n = c->next < c->v->inits.count ? &c->v->inits.items[c->next] : NULL;
	if (n && n->kind == INIT_ADDRESS && n->offset == offset) {
		print_init_address(n, c->to);
		return;
	}
	const u64 bits = gather_bytes(c, offset, min_u32(c->element_bytes, 8));
	if (c->v->type == T_f32)
		fprintf(c->to, "0f%08" PRIX64, bits);
	else if (c->v->type == T_f64)
		fprintf(c->to, "0d%016" PRIX64, bits);
	else
		fprintf(c->to, "0x%" PRIx64, bits);
}

/* True if an initial value lies in [offset, end). */
static bool more_before(const struct init_cursor *c, u64 offset, u64 end)
{
	for (size_t i = c->next; i < c->v->inits.count; i++) {
		const struct ir_init *n = &c->v->inits.items[i];
		if (n->offset + n->size > offset)
			return n->offset < end;
	}
	return false;
}

/* One level of braces. What is left out at a level's end is zero; in between, nothing may be.
 * Braces nest as dimensions do, and a vector's elements innermost. */
static void print_level(struct init_cursor *c, u32 depth, u64 offset, u64 bytes)
{
	const struct ir_variable *v = c->v;
	const u32 levels = v->rank + (v->vector > 1);

	if (depth == levels) {
		print_element(c, offset);
		return;
	}
	const u64 count = depth < v->rank ? v->dims[depth] : v->vector;
	const u64 step = bytes / count;
	fputc('{', c->to);
	for (u64 i = 0; i < count; i++) {
		if (i && !more_before(c, offset + i * step, offset + bytes))
			break;
		if (i)
			fputs(", ", c->to);
		print_level(c, depth + 1, offset + i * step, step);
	}
	fputc('}', c->to);
}

static void print_fields(const struct ir_variable *v, FILE *to)
{
	fputs(" = {", to);
	for (size_t i = 0; i < v->fields.count; i++) {
		const struct ir_field *f = &v->fields.items[i];
		fprintf(to, "%s%s = ", i ? ", " : "", f->name);
		if (f->word)
			fputs(f->word, to);
		else
			fprintf(to, "%" PRId64, (s64)f->value);
	}
	fputc('}', to);
}

/* Space, attributes, alignment, vector and type, in the order that every version takes. */
static void print_qualifiers(const struct ir_variable *v, FILE *to)
{
	print_space(v->space, to);
	if (v->const_bank)
		fprintf(to, "[%u] ", v->const_bank);
	if (v->managed)
		fputs(".attribute(.managed) ", to);
	if (v->unified)
		fprintf(to, ".attribute(.unified(%" PRIu64 ", %" PRIu64 ")) ", v->unified_id[0], v->unified_id[1]);
	if (v->space != SPACE_REG)
		fprintf(to, ".align %u ", v->align);
	if (v->vector > 1)
		fprintf(to, ".v%u ", v->vector);
	fprintf(to, ".%s ", token_text(v->type));
	if (!v->is_pointer)
		return;
	fputs(".ptr ", to);
	print_space(v->pointer_space, to);
	fprintf(to, ".align %u ", v->pointer_align);
}

/* Used for parameters too, which have neither linkage nor initial values. */
static void print_variable(const struct ir_variable *v, FILE *to)
{
	fputs(linkage_words[v->linkage], to);
	print_qualifiers(v, to);
	fputs(v->name, to);
	for (u32 i = 0; i < v->rank; i++) {
		if (!i && v->unsized)
			fputs("[]", to);
		else
			fprintf(to, "[%" PRIu64 "]", v->dims[i]);
	}
	if (v->fields.count)
		print_fields(v, to);
	if (v->inits.count) {
		struct init_cursor c = {.v = v, .element_bytes = type_bits(v->type) / 8, .to = to};
		fputs(" = ", to);
		print_level(&c, 0, 0, v->size);
	}
}

static void print_parameters(struct ir_variable *const *items, size_t count, FILE *to)
{
	fputc('(', to);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ", " : "", to);
		print_variable(items[i], to);
	}
	fputc(')', to);
}

/* A directive that was not given has a first number of 0. */
static void print_numbers(const char *word, const u32 *numbers, u32 count, FILE *to)
{
	if (!numbers[0])
		return;
	fprintf(to, " %s %u", word, numbers[0]);
	for (u32 i = 1; i < count; i++)
		fprintf(to, ", %u", numbers[i]);
}

static void print_limits(const struct ir_limits *l, FILE *to)
{
	print_numbers(".maxntid", l->max_threads, 3, to);
	print_numbers(".reqntid", l->required_threads, 3, to);
	print_numbers(".reqnctapercluster", l->required_cluster, 3, to);
	print_numbers(".minnctapersm", &l->min_blocks_per_sm, 1, to);
	print_numbers(".maxnctapersm", &l->max_blocks_per_sm, 1, to);
	print_numbers(".maxnreg", &l->max_registers, 1, to);
	print_numbers(".maxclusterrank", &l->max_cluster_rank, 1, to);
	if (l->has_abi_preserve)
		fprintf(to, " .abi_preserve %u", l->abi_preserve);
	if (l->has_abi_preserve_control)
		fprintf(to, " .abi_preserve_control %u", l->abi_preserve_control);
	fputs(l->explicit_cluster ? " .explicitcluster" : "", to);
	fputs(l->blocks_are_clusters ? " .blocksareclusters" : "", to);
	fputs(l->noreturn ? " .noreturn" : "", to);
}

/* Everything of a function but its linkage and body. */
static void print_head(const struct ir_function *f, const char *name, FILE *to)
{
	if (f->unified)
		fprintf(to, ".attribute(.unified(%" PRIu64 ", %" PRIu64 ")) ", f->unified_id[0], f->unified_id[1]);
	if (f->returns.count) {
		print_parameters(f->returns.items, f->returns.count, to);
		fputc(' ', to);
	}
	fputs(name, to);
	print_parameters(f->params.items, f->params.count, to);
	print_limits(&f->limits, to);
	if (f->language)
		fprintf(to, " .language %s", f->language);
}

static void print_targets(const struct ir_targets *t, FILE *to)
{
	fprintf(to, "%s: %s", t->name, t->calls ? ".calltargets" : ".branchtargets");
	for (size_t i = 0; i < t->list.count; i++)
		fprintf(to, "%s %s", i ? "," : "", t->list.items[i]->name);
	fputc(';', to);
}

/* No semicolon: .loc ends with its line. */
static void print_loc(const struct ir_module *m, const struct ir_loc *l, FILE *to)
{
	fprintf(to, "\t.loc %u %u %u", l->file, l->line, l->column);
	if (l->function) {
		fprintf(to, ", function_name %s", l->function);
		print_addend((s64)l->function_addend, to);
	}
	if (l->inlined_at) {
		const struct ir_loc *site = &m->locs.items[l->inlined_at - 1];
		fprintf(to, ", inlined_at %u %u %u", site->file, site->line, site->column);
	}
}

/* What stands between two instructions. */
static void print_body_mark(const struct ir_module *m, const struct ir_mark *k, FILE *to)
{
	switch (k->kind) {
	case MARK_LABEL:
		fprintf(to, "%s:", k->label->name);
		break;
	case MARK_OPEN:
		fputs("\t{", to);
		break;
	case MARK_CLOSE:
		fputs("\t}", to);
		break;
	case MARK_REGISTER:
		fputs("\t.reg ", to);
		if (k->reg->vector > 1)
			fprintf(to, ".v%u ", k->reg->vector);
		fprintf(to, ".%s %s;", token_text(k->reg->type), k->reg->name);
		break;
	case MARK_RANGE:
		fputs("\t.reg ", to);
		if (k->range->vector > 1)
			fprintf(to, ".v%u ", k->range->vector);
		fprintf(to, ".%s %s<%u>;", token_text(k->range->type), k->range->prefix, k->range->count);
		break;
	case MARK_VARIABLE:
		fputc('\t', to);
		print_variable(k->variable, to);
		fputc(';', to);
		break;
	case MARK_TARGETS:
		print_targets(k->targets, to);
		break;
	case MARK_PROTOTYPE:
		fprintf(to, "%s: .callprototype ", k->function->name);
		print_head(k->function, "_", to);
		fputc(';', to);
		break;
	case MARK_LOC:
		print_loc(m, &m->locs.items[k->index], to);
		break;
	case MARK_PRAGMA:
		fprintf(to, "\t.pragma \"%s\";", k->text);
		break;
	default:
		break; /* the others stand in modules */
	}
	fputc('\n', to);
}

/* Instructions and marks are merged by position.
 * Marks (labels, blocks, declarations, .loc) keep the number of the instruction that they stand before. */
static void print_function(const struct ir_module *m, const struct ir_function *f, FILE *to)
{
	size_t k = 0;

	for (size_t i = 0; i < f->pragmas.count; i++)
		fprintf(to, " .pragma \"%s\";", f->pragmas.items[i]);
	fputs("\n{\n", to);
	for (u32 i = 0; i <= f->body.count; i++) {
		for (; k < f->marks.count && f->marks.items[k].at == i; k++)
			print_body_mark(m, &f->marks.items[k], to);
		if (i == f->body.count)
			break;
		fputc('\t', to);
		ir_print_instruction(&f->body.items[i], to);
		fputc('\n', to);
	}
	fputs("}\n", to);
}

/* Verbatim. */
static void print_section(const struct ir_module *m, const struct ir_section *s, FILE *to)
{
	const struct source *text = m->sources->files.items[s->content.file];

	fprintf(to, ".section %s\n{", s->name);
	fwrite(text->text + s->content.begin, 1, s->content.end - s->content.begin, to);
	fputs("}\n", to);
}

/* What stands between two functions. */
static void print_mark(const struct ir_module *m, const struct ir_mark *k, FILE *to)
{
	const struct ir_file *file;

	switch (k->kind) {
	case MARK_VARIABLE:
		print_variable(k->variable, to);
		fputs(";\n", to);
		break;
	case MARK_DECLARATION:
	case MARK_FUNCTION:
		fputs(linkage_words[k->function->linkage], to);
		fputs(k->function->is_entry ? ".entry " : ".func ", to);
		print_head(k->function, k->function->name, to);
		if (k->kind == MARK_DECLARATION)
			fputs(";\n", to);
		else
			print_function(m, k->function, to);
		break;
	case MARK_FILE:
		file = &m->files.items[k->index];
		fprintf(to, ".file %u \"%s\"", file->number, file->path);
		if (file->has_time)
			fprintf(to, ", %" PRIu64 ", %" PRIu64, file->timestamp, file->bytes);
		fputc('\n', to);
		break;
	case MARK_SECTION:
		print_section(m, k->section, to);
		break;
	case MARK_PRAGMA:
		fprintf(to, ".pragma \"%s\";\n", k->text);
		break;
	case MARK_ALIAS:
		fprintf(to, ".alias %s, %s;\n", k->function->name, k->function->alias_of->name);
		break;
	default:
		break; /* the others stand in functions */
	}
}

void ir_print(const struct ir_module *m, FILE *to)
{
	fprintf(to, ".version %u.%u\n.target %s%s%s%s%s\n.address_size %u\n", m->version / 10, m->version % 10,
		m->target, m->texmode_unified ? ", texmode_unified" : "",
		m->texmode_independent ? ", texmode_independent" : "", m->map_f64_to_f32 ? ", map_f64_to_f32" : "",
		m->debug ? ", debug" : "", m->address_bits);
	for (size_t i = 0; i < m->launch_lines.count; i++)
		fprintf(to, "//@%s\n", m->launch_lines.items[i].text);
	for (size_t i = 0; i < m->marks.count; i++)
		print_mark(m, &m->marks.items[i], to);
}
