/* SPDX-License-Identifier: Apache-2.0
 *
 * Where sources may lie, and what may be taken for one.
 */
#include "ir/origin.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "ir/locate.h"

enum { SOURCE_MOST = 1 << 24 };

struct search {
	struct arena *arena;
	const char *path;
	u32 lines; /* that it must have */
	struct origin *found;
};

/* The last line that .loc names of the file. */
static u32 last_line(const struct ir_module *const *modules, u32 count, const char *path)
{
	u32 last = 0;

	for (u32 m = 0; m < count; m++)
		for (size_t k = 0; k < modules[m]->locs.count; k++) {
			const struct ir_loc *l = &modules[m]->locs.items[k];
			const char *file = l->line > last ? ir_file_path(modules[m], l->file) : NULL;
			if (file && !strcmp(file, path))
				last = l->line;
		}
	return last;
}

/* Text has no control characters but those that lay it out, and here all lines that are wanted. */
static bool looks_right(const char *text, size_t length, u32 lines)
{
	u32 ends = 0;

	for (size_t k = 0; k < length; k++) {
		const u8 c = (u8)text[k];
		if (c < ' ' && !(c >= '\t' && c <= '\r'))
			return false;
		ends += c == '\n';
	}
	return length && lines <= ends + (text[length - 1] != '\n');
}

/* Takes the file `path` below the folder (with a slash behind it, or empty), if it is there and looks right. */
static bool take(struct search *s, const char *folder, const char *path)
{
	const char *message;
	size_t length;
	char *text = file_read_below(folder, path, SOURCE_MOST, &length, &message);
	if (!text && errno == ENOMEM)
		arena_out_of_memory(s->arena);
	const bool good = text && looks_right(text, length, s->lines);

	if (good)
		*s->found = (struct origin){.path = arena_printf(s->arena, "%s%s", folder, path),
					    .text = arena_copy_text(s->arena, text, length),
					    .length = length};
	free(text);
	return good;
}

/* `path` without "." and "..", which here are taken from the text alone: nothing on the host is looked at. */
static char *normal_path(struct arena *arena, const char *path)
{
	char *to = arena_alloc(arena, strlen(path) + 2), *end = to;

	while (*path) {
		const size_t length = strcspn(path, "/");
		if (length == 2 && !memcmp(path, "..", 2)) {
			while (end > to && *--end != '/')
				continue;
		} else if (length && !(length == 1 && *path == '.')) {
			*end++ = '/';
			memcpy(end, path, length);
			end += length;
		}
		path += length + (path[length] == '/');
	}
	*end = 0;
	return to;
}

/* The rest of an absolute path that lies below the folder; NULL: it does not. */
static const char *rest_below(struct arena *arena, const char *folder, const char *path)
{
	char real[PATH_MAX];

	if (!realpath(*folder ? folder : ".", real))
		return NULL;
	const char *plain = normal_path(arena, path);
	const size_t length = strcmp(real, "/") ? strlen(real) : 0;
	return !strncmp(plain, real, length) && plain[length] == '/' ? plain + length + 1 : NULL;
}

static bool take_below(struct search *s, const char *folder)
{
	const char *slash = strrchr(s->path, '/'), *last = slash ? slash + 1 : s->path;
	const char *rest = *s->path == '/' ? rest_below(s->arena, folder, s->path) : s->path;

	return (rest && take(s, folder, rest)) || take(s, folder, last);
}

bool origin_find(struct arena *arena, const struct ir_module *const *modules, u32 count, const char *path,
		 struct origin *found)
{
	struct search s = {.arena = arena, .path = path, .lines = last_line(modules, count, path), .found = found};
	char here[PATH_MAX];

	/* A relative path that goes up is what it is from the working folder. */
	if (*path != '/' && strstr(path, "..") && getcwd(here, sizeof here))
		s.path = arena_printf(arena, "%s/%s", here, path);

	for (size_t k = 0; count && k < modules[0]->sources->folders.count; k++) {
		const char *folder = modules[0]->sources->folders.items[k];
		if (take_below(&s, arena_printf(arena, "%s/", folder)))
			return true;
	}
	for (u32 k = 0; k < count; k++) {
		const char *name = modules[k]->sources->files.items[modules[k]->source]->name;
		const char *end = strrchr(name, '/');
		if (take_below(&s, end ? arena_copy_text(arena, name, (size_t)(end + 1 - name)) : ""))
			return true;
	}
	return take_below(&s, "");
}
