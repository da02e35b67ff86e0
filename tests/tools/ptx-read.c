/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx-read FILE...: reads each file, prints what is wrong with it and how fast it was read. With
 * -p prints the modules back instead; with -q says nothing about speed. Status 2 if any is wrong.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "grammar/read.h"
#include "ir/print.h"

static char *load(const char *path, size_t *length)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END) && (*length = (size_t)ftell(f)) < SIZE_MAX / 2 && (text = malloc(*length + 1))) {
		rewind(f);
		*length = fread(text, 1, *length, f);
	}
	fclose(f);
	return text;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static u32 read_one(const char *path, bool print, bool quiet)
{
	struct arena arena;
	struct sources sources = {.arena = &arena};
	struct strings strings;
	struct diags diags;
	size_t length, instructions = 0;
	char *text = load(path, &length);

	if (!text) {
		fprintf(stderr, "ptx-read: cannot read %s\n", path);
		return 1;
	}
	arena_init(&arena, NULL);
	strings_init(&strings, &arena);
	diags_init(&diags, &arena, &sources);
	const u32 source = source_add(&sources, path, text, length);
	const double start = now();
	const struct ir_module *m = ptx_read(&arena, &strings, &diags, source);
	const double seconds = now() - start;
	const size_t memory = arena.used_bytes + (m->arena == &arena ? 0 : m->arena->used_bytes);
	diags_print(&diags, stderr, false);
	for (size_t i = 0; i < m->functions.count; i++)
		instructions += m->functions.items[i]->body.count;
	if (print)
		ir_print(m, stdout);
	else if (!quiet)
		printf("%s: %zu functions, %zu instructions, %.1f MB/s, %.2f ms, %zu KiB\n", path, m->functions.count,
		       instructions, (double)length / 1e6 / seconds, seconds * 1e3, memory >> 10);
	arena_free(&arena);
	free(text);
	return diags.error_count;
}

int main(int argc, char **argv)
{
	bool print = false, quiet = false;
	u32 errors = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-p"))
			print = true;
		else if (!strcmp(argv[i], "-q"))
			quiet = true;
		else
			errors += read_one(argv[i], print, quiet);
	}
	return errors ? 2 : 0;
}
