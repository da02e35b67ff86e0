/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading recording packs: one manifest line a case, as the packs' specification lays down.
 */
#include "pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static bool read_stream(struct arena *arena, gzFile f, struct bytes *to)
{
	size_t room = 1 << 16, have = 0;
	u8 *data = malloc(room);
	int got = 0;

	while (data && (got = gzread(f, data + have, (unsigned)(room - have))) > 0) {
		have += (size_t)got;
		if (have == room)
			data = realloc(data, room *= 2);
	}
	if (!data || got < 0) {
		free(data);
		return false;
	}
	to->data = arena_alloc(arena, have + 1);
	to->size = have;
	memcpy(to->data, data, have);
	to->data[have] = 0;
	free(data);
	return true;
}

bool pack_read_file(struct arena *arena, const char *path, struct bytes *to)
{
	gzFile f = gzopen(path, "rb"); /* reads plain files as they are */

	if (!f)
		f = gzopen(arena_printf(arena, "%s.gz", path), "rb");
	if (!f)
		return false;
	const bool ok = read_stream(arena, f, to);
	gzclose(f);
	return ok;
}

static bool in_range(const struct bytes *b, size_t offset, size_t length)
{
	return offset <= b->size && length <= b->size - offset;
}

/* One argument; NULL, or why it cannot be used. */
static const char *parse_argument(struct arena *arena, const struct pack *p, const char *word, struct pack_argument *a)
{
	unsigned long long value;

	if (sscanf(word, "inout@%zu>%zu+%zu", &a->in, &a->out, &a->length) == 3)
		a->kind = ARG_INOUT;
	else if (sscanf(word, "in@%zu+%zu", &a->in, &a->length) == 2)
		a->kind = ARG_IN;
	else if (sscanf(word, "out@%zu+%zu", &a->out, &a->length) == 2)
		a->kind = ARG_OUT;
	else if (sscanf(word, "raw@%zu+%zu", &a->in, &a->length) == 2)
		a->kind = ARG_RAW;
	else if (sscanf(word, "b32:%llx", &value) == 1)
		*a = (struct pack_argument){.kind = ARG_B32, .length = 4, .value = value};
	else if (sscanf(word, "b64:%llx", &value) == 1)
		*a = (struct pack_argument){.kind = ARG_B64, .length = 8, .value = value};
	else if (!strncmp(word, "tmap:", 5))
		*a = (struct pack_argument){.kind = ARG_TENSOR_MAP, .length = 128, .text = word + 5};
	else if (!strncmp(word, "tex:", 4))
		*a = (struct pack_argument){.kind = ARG_TEXTURE, .length = 8, .text = word + 4};
	else
		return arena_printf(arena, "argument '%s' is of no known kind", word);
	const bool reads = a->kind == ARG_IN || a->kind == ARG_INOUT || a->kind == ARG_RAW;
	const bool writes = a->kind == ARG_OUT || a->kind == ARG_INOUT;
	if ((reads && !in_range(&p->in, a->in, a->length)) || (writes && !in_range(&p->out, a->out, a->length)))
		return arena_printf(arena, "argument '%s' lies outside the pack's bytes", word);
	return NULL;
}

static void parse_arguments(struct arena *arena, const struct pack *p, char *words, struct pack_case *c)
{
	u32 count = *words ? 1 : 0;
	char *rest = NULL;

	for (const char *s = words; *s; s++)
		count += *s == ';';
	c->args = ARENA_ARRAY(arena, count, struct pack_argument);
	c->arg_count = 0; /* the key may stand twice */
	for (char *word = strtok_r(words, ";", &rest); word; word = strtok_r(NULL, ";", &rest)) {
		const char *wrong = parse_argument(arena, p, word, &c->args[c->arg_count++]);
		if (wrong && !c->broken)
			c->broken = wrong;
	}
}

static void parse_triple(const char *text, u32 to[3])
{
	to[0] = to[1] = to[2] = 1;
	sscanf(text, "%u,%u,%u", &to[0], &to[1], &to[2]);
}

static void parse_key(struct arena *arena, const struct pack *p, const char *key, char *value, struct pack_case *c)
{
	if (!strcmp(key, "module"))
		c->module = value;
	else if (!strcmp(key, "entry"))
		c->entry = value;
	else if (!strcmp(key, "grid"))
		parse_triple(value, c->grid);
	else if (!strcmp(key, "block"))
		parse_triple(value, c->block);
	else if (!strcmp(key, "cluster"))
		parse_triple(value, c->cluster);
	else if (!strcmp(key, "smem"))
		c->shared_bytes = strtoull(value, NULL, 10);
	else if (!strcmp(key, "align"))
		c->align = strtoull(value, NULL, 10);
	else if (!strcmp(key, "form"))
		c->form = value;
	else if (!strcmp(key, "cmp"))
		c->cmp = value;
	else if (!strcmp(key, "args"))
		parse_arguments(arena, p, value, c);
	else if (!strcmp(key, "fault"))
		c->fault = value;
	else if (!strcmp(key, "stdout") && !strcmp(value, "text"))
		c->print = PRINT_TEXT;
	else if (!strcmp(key, "stdout") && !strcmp(value, "lines"))
		c->print = PRINT_LINES;
	else if (!c->broken)
		c->broken = arena_printf(arena, "key '%s=%s' is not modelled", key, value);
}

static void parse_line(struct arena *arena, struct pack *p, char *line)
{
	char *rest = NULL;
	const char *word = strtok_r(line, " ", &rest);
	struct pack_case c = {.form = "", .cmp = "exact", .grid = {1, 1, 1}, .block = {1, 1, 1}};

	if (!word || strcmp(word, "case"))
		return;
	c.name = strtok_r(NULL, " ", &rest);
	for (char *pair; (pair = strtok_r(NULL, " ", &rest));) {
		char *equals = strchr(pair, '=');
		if (!equals) {
			c.broken = arena_printf(arena, "'%s' is no key=value word", pair);
			continue;
		}
		*equals = 0;
		parse_key(arena, p, pair, equals + 1, &c);
	}
	if (!c.name || !c.module || !c.entry)
		c.broken = "the line lacks a name, module or entry";
	VEC_PUSH(arena, &p->cases, c);
}

static const char *with_suffix(struct arena *arena, const char *stem, const char *suffix)
{
	return arena_printf(arena, "%s%s", stem, suffix);
}

struct pack *pack_read(struct arena *arena, const char *stem)
{
	struct pack *p = ARENA_NEW(arena, struct pack);
	struct bytes manifest;
	char *rest = NULL;
	const char *slash = strrchr(stem, '/');
	const size_t folder = slash ? (size_t)(slash - stem) + 1 : 0;

	p->stem = stem;
	p->folder = arena_copy_text(arena, stem, folder);
	p->base = stem + folder;
	if (!pack_read_file(arena, with_suffix(arena, stem, ".cases"), &manifest) ||
	    !pack_read_file(arena, with_suffix(arena, stem, ".in"), &p->in)) {
		fprintf(stderr, "golden-run: %s.cases or %s.in cannot be read\n", stem, stem);
		return NULL;
	}
	/* Absent where nothing was recorded; a case that points there says so. */
	pack_read_file(arena, with_suffix(arena, stem, ".out"), &p->out);
	pack_read_file(arena, with_suffix(arena, stem, ".txt"), &p->text);
	for (char *line = strtok_r((char *)manifest.data, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
		parse_line(arena, p, line);
	return p;
}

bool pack_recorded_text(const struct pack *p, const char *name, struct bytes *text)
{
	const u8 *at = p->text.data, *end = at + p->text.size;

	while (at && at < end) {
		char found[256];
		size_t size;
		int used = 0;
		if (sscanf((const char *)at, "@ %255s %zu%n", found, &size, &used) != 2)
			return false;
		at += used;
		if (at == end || size > (size_t)(end - at) - 1)
			return false;
		at++; /* the newline */
		if (!strcmp(found, name)) {
			*text = (struct bytes){(u8 *)at, size};
			return true;
		}
		at += size + 1;
	}
	return false;
}
