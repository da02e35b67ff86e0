/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz-replay [FOLDER]: all that is kept in the corpus must do no harm: a folder for each target with what once did,
 * each in a file of its own, and TARGET.pack with what fuzzing has found to reach the most: inputs one behind the
 * other, each after a line with its length. `fuzz-replay --unpack PACK FOLDER` and `fuzz-replay --pack FOLDER` (to
 * standard output) go between packs and files.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "fuzz_text.h"

enum { SECONDS = 120, PATH = 4096 };

/* A file that must be there. */
static char *read_file(const char *path, size_t *length)
{
	const char *message;
	char *text = file_read_whole(path, 1 << 26, length, &message);

	if (!text) {
		fprintf(stderr, "fuzz-replay: %s: %s\n", path, message);
		exit(2);
	}
	return text;
}

typedef void each_input(void *context, const char *name, const char *bytes, size_t length);

static void each_of_pack(const char *path, each_input *each, void *context)
{
	char name[PATH];
	size_t length;
	char *text = read_file(path, &length), *at = text;

	for (u32 number = 1; at < text + length; number++) {
		const size_t size = strtoul(at, &at, 10);
		if (*at++ != '\n' || size > (size_t)(text + length - at)) {
			fprintf(stderr, "fuzz-replay: %s: input %u is cut short\n", path, number);
			exit(2);
		}
		snprintf(name, sizeof name, "%.4000s:%u", path, number);
		each(context, name, at, size);
		at += size;
	}
	free(text);
}

static int is_input(const struct dirent *e) { return e->d_name[0] != '.'; }

/* The files of a folder in the order of their names; how many. */
static int each_of_folder(const char *folder, each_input *each, void *context)
{
	struct dirent **entries;
	char path[PATH];
	size_t length;
	const int count = scandir(folder, &entries, is_input, alphasort);

	for (int k = 0; k < count; k++) {
		snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
		char *text = read_file(path, &length);
		each(context, path, text, length);
		free(text);
		free(entries[k]);
	}
	if (count >= 0)
		free(entries);
	return count;
}

static void replay(void *target, const char *name, const char *bytes, size_t length)
{
	printf("%s\n", name);
	fflush(stdout);
	alarm(SECONDS);
	((const struct fuzz_target *)target)->run(bytes, length);
}

static void write_packed(void *context, const char *name, const char *bytes, size_t length)
{
	(void)context;
	(void)name;
	printf("%zu\n", length);
	fwrite(bytes, 1, length, stdout);
}

static void write_file(void *folder, const char *name, const char *bytes, size_t length)
{
	char path[PATH];

	snprintf(path, sizeof path, "%s/%s", (const char *)folder, strrchr(name, ':') + 1);
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(bytes, 1, length, f) != length || fclose(f)) {
		perror(path);
		exit(2);
	}
}

int main(int count, char **words)
{
	const char *source = getenv("srcdir");
	char folder[PATH / 2], path[PATH];
	bool any = false;

	if (count == 4 && !strcmp(words[1], "--unpack")) {
		each_of_pack(words[2], write_file, words[3]);
		return 0;
	}
	if (count == 3 && !strcmp(words[1], "--pack"))
		return each_of_folder(words[2], write_packed, NULL) < 0 ? 2 : 0;
	snprintf(folder, sizeof folder, "%s%s",
		 count == 2 ? words[1]
		 : source   ? source
			    : ".",
		 count == 2 ? "" : "/tests/fuzz/corpus");
	for (const struct fuzz_target *t = fuzz_targets; t->name; t++) {
		snprintf(path, sizeof path, "%s/%s", folder, t->name);
		any |= each_of_folder(path, replay, (void *)t) >= 0;
		snprintf(path, sizeof path, "%s/%s.pack", folder, t->name);
		if (!access(path, R_OK)) {
			each_of_pack(path, replay, (void *)t);
			any = true;
		}
	}
	if (!any)
		fprintf(stderr, "fuzz-replay: nothing in %s\n", folder);
	return any ? 0 : 2;
}
