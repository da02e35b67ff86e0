/* SPDX-License-Identifier: Apache-2.0
 *
 * Completion: what the word that is being typed may become.
 */
#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "debug/console_internal.h"

/* Counts candidates that begin with the word, until the wanted one. */
struct picking {
	const char *word;
	size_t length;
	u32 left;
	char *text;
	bool found;
};

static bool offer(struct picking *p, const char *candidate)
{
	if (p->found || strncmp(candidate, p->word, p->length))
		return p->found;
	if (p->left--)
		return false;
	snprintf(p->text, 256, "%s", candidate);
	return p->found = true;
}

static void offer_commands(struct console *c, struct picking *p)
{
	for (const struct command *k = console_commands; k->name; k++)
		offer(p, k->name);
	for (size_t k = 0; k < c->definitions.count; k++)
		offer(p, c->definitions.items[k].name);
}

static void offer_locations(struct console *c, struct picking *p)
{
	const struct program *program = debug_program(c->d);

	for (u32 k = 0; k < program->code_count; k++) {
		const struct ir_function *f = program->codes[k]->function;
		offer(p, f->name);
		offer(p, debug_function_name(c->d, program->codes[k]));
		for (size_t l = 0; l < f->labels.count; l++)
			offer(p, f->labels.items[l]->name);
	}
	for (u32 m = 0; m < program->module_count; m++) {
		const struct ir_module *module = program->modules[m];
		char name[256];
		snprintf(name, sizeof name, "%s:", module->sources->files.items[module->source]->name);
		offer(p, name);
		for (size_t k = 0; k < module->files.count; k++) {
			snprintf(name, sizeof name, "%s:", module->files.items[k].path);
			offer(p, name);
		}
	}
}

static void offer_names(struct console *c, struct picking *p)
{
	const struct program *program = debug_program(c->d);
	const struct launch *l = debug_launch(c->d);
	struct debug_register r;

	for (u32 k = 0; *p->word == '%' && !p->found && debug_register_at(c->d, k, &r); k++)
		offer(p, r.name);
	/* Special registers are many: not until a letter is there. */
	for (u32 k = 0; p->length > 1 && debug_special_at(k); k++)
		offer(p, debug_special_at(k));
	struct debug_local local;
	for (u32 k = 0; debug_local_at(c->d, k, debug_focus(c->d).lane, &local); k++)
		offer(p, local.variable->name);
	for (u32 k = 0; k < program->variable_count; k++)
		offer(p, program->variables[k].variable->name);
	for (u32 k = 0; l && k < l->kernel->place_count; k++)
		offer(p, l->kernel->places[k].variable->name);
}

static void offer_files(struct picking *p)
{
	char pattern[300];
	glob_t found;

	snprintf(pattern, sizeof pattern, "%.*s*", (int)min_u64(p->length, 256), p->word);
	if (glob(pattern, GLOB_MARK, NULL, &found))
		return;
	for (size_t k = 0; k < found.gl_pathc; k++)
		offer(p, found.gl_pathv[k]);
	globfree(&found);
}

static const char *const cuda_words[] = {"block", "kernel", "lane", "thread", "warp"};

static void offer_for(struct console *c, enum completion kind, struct picking *p)
{
	switch (kind) {
	case COMPLETE_LOCATION:
		offer_locations(c, p);
		break;
	case COMPLETE_EXPRESSION:
		offer_names(c, p);
		break;
	case COMPLETE_COMMAND:
		offer_commands(c, p);
		break;
	case COMPLETE_INFO:
		for (u32 k = 0; info_name(k); k++)
			offer(p, info_name(k));
		offer_names(c, p);
		break;
	case COMPLETE_FILE:
		offer_files(p);
		break;
	case COMPLETE_SETTING:
		for (u32 k = 0; setting_name(k); k++)
			offer(p, setting_name(k));
		offer_names(c, p);
		break;
	case COMPLETE_CATCH:
		for (u32 k = 0; debug_catch_name((enum debug_catch)k); k++)
			offer(p, debug_catch_name((enum debug_catch)k));
		break;
	case COMPLETE_CUDA:
		for (size_t k = 0; k < COUNT_OF(cuda_words); k++)
			offer(p, cuda_words[k]);
		break;
	case COMPLETE_NOTHING:
		break;
	}
}

const char *console_complete(struct console *c, const char *line, u32 start, u32 index, char text[256])
{
	struct picking p = {line + start, strlen(line + start), index, text, false};
	const char *word = line + strspn(line, " \t");
	bool ambiguous;

	if (start <= (u32)(word - line)) {
		offer_commands(c, &p);
	} else {
		const struct command *k = console_find(word, strcspn(word, " \t/"), &ambiguous);
		if (k && !ambiguous)
			offer_for(c, k->completes, &p);
	}
	return p.found ? text : NULL;
}
