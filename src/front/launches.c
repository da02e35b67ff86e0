/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches that options describe. The options are turned into lines of the launch language, so that both have one
 * meaning and one kind of message.
 */
#include "front/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* The only kernel of what was read; NULL with a message if there is none or several. */
static const char *only_kernel(const struct session *s)
{
	const char *name = NULL;
	u32 count = 0;

	for (size_t m = 0; m < s->modules.count; m++)
		for (size_t k = 0; k < s->modules.items[m]->functions.count; k++) {
			const struct ir_function *f = s->modules.items[m]->functions.items[k];
			if (!f->is_entry || !f->has_body)
				continue;
			name = f->name;
			count++;
		}
	if (count == 1)
		return name;
	fprintf(stderr,
		count ? "ptxsim: there are %u kernels: choose one with --kernel ('ptxsim info' lists them)\n"
		      : "ptxsim: there is no kernel\n",
		count);
	return NULL;
}

/* The launch that the options describe, as a line of the launch language; NULL after an error. */
static const char *line_of_options(struct session *s, const struct run_options *o)
{
	struct arena *a = &s->arena;
	const char *kernel = o->kernel ? o->kernel : only_kernel(s);
	char *line;
	u32 count;

	if (!kernel)
		return NULL;
	/* What the launch language cannot spell: a whole signature. */
	const char *named = session_kernel_named(s, kernel, &count);
	kernel = named ? named : kernel;
	line = arena_printf(a, "launch %s(", kernel);
	for (size_t k = 0; k < o->args.count; k++)
		line = arena_printf(a, "%s%s%s", line, k ? ", " : "", o->args.items[k]);
	line = arena_printf(a, "%s) grid=%s block=%s", line, o->grid ? o->grid : "1", o->block ? o->block : "1");
	if (o->shared)
		line = arena_printf(a, "%s shared=%s", line, o->shared);
	if (o->cluster)
		line = arena_printf(a, "%s cluster=%s", line, o->cluster);
	if (o->cooperative)
		line = arena_printf(a, "%s cooperative", line);
	return arena_printf(a, "%s\n", line);
}

/* A line made of options: the user's own words, which may name any file. */
static void read_line(struct session *s, struct script *script, const char *name, const char *line)
{
	script->own_words = true;
	script_read(script, source_add(&s->sources, name, line, strlen(line)), true);
	script->own_words = false;
}

static bool fix_constants(struct session *s, struct script *script, const struct run_options *o)
{
	for (size_t k = 0; k < o->sets.count; k++) {
		const char *equals = strchr(o->sets.items[k], '=');
		const char *text = arena_printf(&s->arena, "%s\n", equals + 1);
		struct lex l = {.arena = &s->arena, .strings = &s->strings, .diags = &s->diags, .text = text};
		struct expr_scope scope = script_scope(script);
		struct number value;
		l.file = source_add(&s->sources, "--set", text, strlen(text));
		lex_start(&l, 0, (u32)strlen(text));
		if (!expr_constant(&l, &scope, &value))
			return false;
		script_fix_constant(script,
				    strings_intern(&s->strings, o->sets.items[k], (size_t)(equals - o->sets.items[k])),
				    value);
	}
	return true;
}

static bool read_script_file(struct session *s, struct script *script, const char *path)
{
	const char *message;
	size_t length;
	char *text = file_read_whole(path, (size_t)1 << 26, &length, &message);

	if (!text) {
		fprintf(stderr, "ptxsim: %s: %s\n", path, message);
		return false;
	}
	const u32 source = source_add(&s->sources, path, text, length);
	free(text);
	script_read(script, source, true);
	return true;
}

/* Shapes given by options alone replace those of all launches that the files describe. */
static void override_shapes(struct session *s, struct script *script, const struct run_options *o)
{
	char *line = arena_printf(&s->arena, "launch shape() grid=%s block=%s", o->grid ? o->grid : "1",
				  o->block ? o->block : "1");
	struct script shape = *script;

	if (o->shared)
		line = arena_printf(&s->arena, "%s shared=%s", line, o->shared);
	if (o->cluster)
		line = arena_printf(&s->arena, "%s cluster=%s", line, o->cluster);
	shape.statements.items = NULL;
	shape.statements.count = shape.statements.capacity = 0;
	read_line(s, &shape, "<options>", line);
	if (!shape.statements.count)
		return;
	const struct script_launch *given = &shape.statements.items[0].launch;
	for (size_t k = 0; k < script->statements.count; k++) {
		struct script_launch *l = &script->statements.items[k].launch;
		if (o->grid)
			memcpy(l->grid, given->grid, sizeof l->grid);
		if (o->block)
			memcpy(l->block, given->block, sizeof l->block);
		if (o->cluster)
			memcpy(l->cluster, given->cluster, sizeof l->cluster);
		if (o->shared)
			l->shared_bytes = given->shared_bytes;
		l->cooperative |= o->cooperative;
	}
}

/* The file that should have had the launches may be another than the one that was named. */
static void tell_no_launches(const struct session *s, const struct run_options *o)
{
	const struct ir_module *first = s->modules.items[0];

	if (o->script)
		fprintf(stderr, "ptxsim: %s has no launch lines\n", o->script);
	else if (first->launches)
		fprintf(stderr, "ptxsim: %s has no launch lines, which should say how to launch %s\n",
			s->sources.files.items[first->launches - 1]->name, o->files.items[0]);
	else
		fprintf(stderr, "ptxsim: %s has no //@ launch lines: give --kernel, --grid, --block and --arg\n",
			o->files.items[0]);
}

/* Everything that is to be done, from the files, a script file or the options. */
bool run_read_launches(struct session *s, struct script *script, const struct run_options *o)
{
	const bool shaped = o->grid || o->block || o->shared || o->cluster || o->cooperative;
	bool by_options = o->kernel || o->args.count;

	if (!fix_constants(s, script, o))
		return false;
	if (o->script) {
		if (!read_script_file(s, script, o->script))
			return false;
	} else if (!by_options) {
		for (size_t k = 0; k < s->modules.count; k++)
			script_read_module(script, s->modules.items[k]);
	}
	by_options |= shaped && !script->launch_count && !s->diags.error_count;
	if (shaped && !by_options)
		override_shapes(s, script, o);
	if (by_options) {
		const char *line = line_of_options(s, o);
		if (!line)
			return false;
		read_line(s, script, "<options>", line);
	}
	for (size_t k = 0; k < o->saves.count; k++) {
		char *line = arena_printf(&s->arena, "save %s", o->saves.items[k]);
		*strchr(line, '=') = ' ';
		read_line(s, script, "--save", line);
	}
	if (!script->launch_count && !s->diags.error_count)
		tell_no_launches(s, o);
	return script->launch_count != 0;
}
