/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim info: what is in a file. Kernels with parameters, registers, memory and instruction mix;
 * control-flow graphs as text or for Graphviz.
 *
 * Files are read, lowered and left there: nothing runs. `allow_unmodelled` lets files be described that cannot run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "cli/cli.h"
#include "cli/info.h"
#include "decode/flow.h"

enum { OPTION_CFG = 256, OPTION_DOT, OPTION_NATIVE };

struct info_options {
	struct arena arena;
	VEC_OF(char *) files;
	const char *kernel, *arch;
	bool cfg, dot, native;
	enum colour_choice colour;
};

static const struct argp_option options[] = {
	{"kernel", 'k', "NAME", 0, "Only this kernel or function", 0},
	{"cfg", OPTION_CFG, NULL, 0, "Print the control-flow graph with its instructions", 0},
	{"dot", OPTION_DOT, NULL, 0, "Print the control-flow graph for Graphviz, and nothing else", 0},
	{"native", OPTION_NATIVE, NULL, 0,
	 "Print which parts become host code, how large it is, and what keeps others from it", 0},
	{"arch", 't', "sm_XX", 0, "Architecture (default: the file's .target)", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct info_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->colour;
		return 0;
	case 'k':
		o->kernel = text;
		return 0;
	case 't':
		o->arch = text;
		return 0;
	case OPTION_CFG:
		o->cfg = true;
		return 0;
	case OPTION_DOT:
		o->dot = true;
		return 0;
	case OPTION_NATIVE:
		o->native = true;
		return 0;
	case ARGP_KEY_ARG:
		VEC_PUSH(&o->arena, &o->files, text);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no file given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* --- Instructions --------------------------------------------------------------------------- */

struct mix {
	const char *text;
	u32 count;
};

static int by_count(const void *a, const void *b)
{
	const struct mix *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->text, y->text);
}

/* The opcode, with the state space where it has one: ld.global. */
static const char *class_of(struct arena *arena, const struct ir_instruction *i)
{
	for (u32 m = 0; m < i->modifier_count; m++)
		for (int k = SPACE_CONST; k <= SPACE_SHARED; k++) {
			const char *word = ir_space_word((enum ir_space)k);
			if (!strncmp(i->modifiers[m].text, word, strlen(word)))
				return arena_printf(arena, "%s.%s", i->opcode, word);
		}
	return i->opcode;
}

/* Counts instructions by class, most frequent first. Functions have few classes, so a list is searched. */
static void print_mix(struct arena *arena, const struct ir_function *f)
{
	VEC_OF(struct mix) mixes = {0};

	for (size_t k = 0; k < f->body.count; k++) {
		const char *text = class_of(arena, &f->body.items[k]);
		size_t m = 0;
		while (m < mixes.count && strcmp(mixes.items[m].text, text))
			m++;
		if (m == mixes.count)
			VEC_PUSH(arena, &mixes, ((struct mix){text, 0}));
		mixes.items[m].count++;
	}
	if (mixes.count)
		qsort(mixes.items, mixes.count, sizeof *mixes.items, by_count);
	printf("  instructions  %zu:", f->body.count);
	for (size_t m = 0; m < mixes.count; m++)
		printf("%s %s %u", m ? "," : "", mixes.items[m].text, mixes.items[m].count);
	printf("\n");
}

/* --- Declarations --------------------------------------------------------------------------- */

static void print_variable_type(const struct ir_variable *v)
{
	if (v->vector > 1)
		printf(".v%u ", v->vector);
	printf(".%s %s", token_text(v->type), v->name);
	for (u32 d = 0; d < v->rank; d++)
		printf("[%llu]", (unsigned long long)v->dims[d]);
}

/* k: the kernel, whose parameters have places in its parameter memory; NULL for a function, whose parameters may be
 * registers. */
static void print_params(const struct ir_function *f, const struct kernel *k)
{
	printf("  parameters    ");
	if (!f->params.count)
		printf("none");
	for (size_t n = 0; n < f->params.count; n++) {
		if (n)
			printf("\n                ");
		if (f->params.items[n]) {
			print_variable_type(f->params.items[n]);
			if (f->params.items[n]->is_pointer)
				printf(", pointer to %u-byte aligned memory", f->params.items[n]->pointer_align);
		} else {
			printf(".%s %s, in a register", token_text(f->param_registers.items[n]->type),
			       f->param_registers.items[n]->name);
		}
		if (k)
			printf(" at byte %u", k->param_offsets[n]);
	}
	printf("\n");
}

/* Registers as the PTX declares them, by width, and the frame that they are laid out in here: a row of 32 lanes is 128
 * bytes for types up to 32 bits, 256 for 64. */
static void print_registers(const struct ir_function *f, const struct code *code)
{
	u32 counts[4] = {0};
	static const char *const names[] = {"predicates", "up to 32 bits", "of 64 bits", "of 128 bits"};
	bool any = false;

	for (size_t k = 0; k < f->registers.count; k++) {
		const struct ir_register *r = f->registers.items[k];
		const u32 bits = type_bits(r->type);
		counts[r->type == T_pred ? 0 : bits <= 32 ? 1 : bits == 64 ? 2 : 3] += max_u32(r->vector, 1);
	}
	printf("  registers     ");
	for (u32 k = 0; k < 4; k++)
		if (counts[k]) {
			printf("%s%u %s", any ? ", " : "", counts[k], !k && counts[k] == 1 ? "predicate" : names[k]);
			any = true;
		}
	if (!any)
		printf("none");
	if (code)
		printf("; a frame of %u bytes (%u rows of 32 lanes)", code->frame_bytes, code->frame_bytes / 128);
	printf("\n");
}

/* .reqntid, .maxntid and .reqnctapercluster: 0 for what the file does not say; missing dimensions are 1. */
static void print_limits(const struct ir_limits *l)
{
	if (l->required_threads[0])
		printf("  needs         blocks of %u x %u x %u threads\n", l->required_threads[0],
		       max_u32(l->required_threads[1], 1), max_u32(l->required_threads[2], 1));
	if (l->max_threads[0])
		printf("  allows        blocks of at most %u threads\n",
		       l->max_threads[0] * max_u32(l->max_threads[1], 1) * max_u32(l->max_threads[2], 1));
	if (l->required_cluster[0])
		printf("  needs         clusters of %u x %u x %u blocks\n", l->required_cluster[0],
		       max_u32(l->required_cluster[1], 1), max_u32(l->required_cluster[2], 1));
}

static void print_memory(const struct code *code, const struct kernel *k)
{
	printf("  memory        ");
	if (k)
		printf("%llu bytes shared%s, ", (unsigned long long)k->static_shared_bytes,
		       k->uses_dynamic_shared ? " and what the launch adds" : "");
	printf("%llu bytes local a thread\n", (unsigned long long)code->local_bytes);
	if (k && k->order_dependent)
		printf("  order         results can depend on the order of blocks\n");
}

/* --- Control flow --------------------------------------------------------------------------- */

void info_print_line(const struct session *s, const struct ir_instruction *i, bool escaped)
{
	const struct source *text = s->sources.files.items[i->span.file];

	if (i->guard)
		printf("@%s%s ", i->guard_negated ? "!" : "", i->guard->name);
	for (u32 k = i->span.begin; k < i->span.end; k++) {
		const char c = text->text[k];
		if (escaped && strchr("\"\\{}<>|", c))
			putchar('\\');
		putchar((u8)c < ' ' ? ' ' : c);
	}
}

/* B3 12..17 -> B4 B6, lanes meet again at B6: first and last instruction, where control goes on, and where lanes that
 * part here come together (the immediate post-dominator). */
static void print_block_head(const struct flow *flow, u32 b)
{
	const struct flow_block *block = &flow->blocks[b];

	printf("  B%-4u %u..%u", b, block->first, block->end ? block->end - 1 : 0);
	if (block->successor_count)
		printf(" ->");
	for (u32 k = 0; k < block->successor_count; k++)
		printf(" B%u", block->successors[k]);
	if (block->conditional && block->post_dominator != NO_BLOCK)
		printf(", lanes meet again at B%u", block->post_dominator);
	printf("\n");
}

static void print_cfg(const struct session *s, const struct code *code, const struct flow *flow)
{
	for (u32 b = 0; b < flow->block_count; b++) {
		print_block_head(flow, b);
		for (u32 k = flow->blocks[b].first; k < flow->blocks[b].end; k++) {
			printf("        ");
			if (code->function->listing)
				info_listing_traffic(s->program, code, k);
			info_print_line(s, &code->function->body.items[k], false);
			printf("\n");
		}
	}
}

static void print_dot(const struct session *s, const struct code *code, const struct flow *flow)
{
	printf("digraph \"%s\" {\n\tnode [shape=record, fontname=monospace];\n", code->name);
	for (u32 b = 0; b < flow->block_count; b++) {
		const struct flow_block *block = &flow->blocks[b];
		printf("\tB%u [label=\"{B%u|", b, b);
		for (u32 k = block->first; k < block->end; k++) {
			info_print_line(s, &code->function->body.items[k], true);
			printf("\\l");
		}
		printf("}\"];\n");
		for (u32 k = 0; k < block->successor_count; k++)
			printf("\tB%u -> B%u;\n", b, block->successors[k]);
		if (block->conditional && block->post_dominator != NO_BLOCK)
			printf("\tB%u -> B%u [style=dotted, constraint=false];\n", b, block->post_dominator);
	}
	printf("}\n");
}

/* --- Whole files ---------------------------------------------------------------------------- */

static void print_code(struct session *s, const struct info_options *o, const struct code *code)
{
	const struct kernel *k = code->function->is_entry ? program_kernel(s->program, code->name) : NULL;
	const struct flow *flow = flow_build(&s->arena, code->function, code->forms);

	if (o->dot) {
		print_dot(s, code, flow);
		return;
	}
	const char *name = demangle(&s->arena, code->name);
	printf("\n%s %s\n", code->function->is_entry ? "kernel" : "function", name);
	if (name != code->name)
		printf("  symbol        %s\n", code->name);
	print_params(code->function, k);
	if (code->function->listing)
		info_listing_registers(s->program, code);
	else if (code->function->machine)
		info_machine_registers(code);
	else
		print_registers(code->function, code);
	print_memory(code, k);
	print_limits(&code->function->limits);
	if (k && code->function->listing)
		info_listing_occupancy(s->program, k);
	print_mix(&s->arena, code->function);
	const u32 blocks = code->function->machine ? info_machine_blocks(&s->arena, code) : flow->block_count;
	printf("  control flow  %u block%s\n", blocks, blocks == 1 ? "" : "s");
	if (o->native)
		info_native(s, code);
	if (o->cfg)
		print_cfg(s, code, flow);
}

static void print_modules(const struct session *s)
{
	for (size_t m = 0; m < s->modules.count; m++) {
		const struct ir_module *module = s->modules.items[m];
		u64 global = 0, constant = 0;
		for (size_t k = 0; k < module->variables.count; k++) {
			const struct ir_variable *v = module->variables.items[k];
			if (v->space == SPACE_GLOBAL)
				global += v->size;
			else if (v->space == SPACE_CONST)
				constant += v->size;
		}
		printf("%s: ", s->sources.files.items[module->source]->name);
		if (module->is_sass) {
			printf("machine code for %s\n", module->target);
			continue;
		}
		printf("PTX %u.%u for %s, %u-bit addresses", module->version / 10, module->version % 10, module->target,
		       module->address_bits);
		printf("; %llu bytes of global and %llu of constant variables\n", (unsigned long long)global,
		       (unsigned long long)constant);
	}
}

static int info(struct session *s, void *options_given)
{
	const struct info_options *o = options_given;
	const struct lower_options lower = {.arch = o->arch, .allow_unmodelled = true};
	bool found = false;

	if (!front_read_files(s, o->files.items, o->files.count) || !session_lower(s, &lower))
		return CLI_WRONG;
	if (!o->dot)
		print_modules(s);
	for (u32 k = 0; k < s->program->code_count; k++) {
		const struct code *code = s->program->codes[k];
		if (o->kernel && !demangle_matches(&s->arena, code->name, o->kernel, strlen(o->kernel)))
			continue;
		found = true;
		print_code(s, o, code);
	}
	if (found || !o->kernel)
		return CLI_OK;
	fprintf(stderr, "ptxsim: there is no kernel or function '%s'\n", o->kernel);
	return CLI_FAILED;
}

int cli_info(int count, char **words)
{
	static const struct argp_child children[] = {{&front_common_argp, 0, NULL, 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse_option,
		.children = children,
		.args_doc = "FILE...",
		.doc = "Describes what is in PTX files and listings: kernels with parameters and types, registers and "
		       "rows, memory, "
		       "instruction mix, control-flow graph.",
	};
	struct info_options o = {.kernel = NULL};

	arena_init(&o.arena, NULL);
	front_parse(&argp, count, words, &o);
	const int status = front_in_session(info, &o, o.colour);
	arena_free(&o.arena);
	return status;
}
