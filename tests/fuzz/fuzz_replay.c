/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz-replay [FOLDER]: all that is kept in the corpus must do no harm: a folder for each target with what once did,
 * each in a file of its own, and seeds.gz with what fuzzing has found to reach the most: inputs of all targets one behind the
 * other, each after a line with its target and length. `fuzz-replay --unpack ARCHIVE TARGET FOLDER` and
 * `fuzz-replay --pack FOLDER ARCHIVE`, whose FOLDER has one for each target, go between archive and files.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/file.h"
#include "fuzz_text.h"

enum { SECONDS = 120, PATH = 4096, NAME = 16, INPUT_MOST = 1 << 24 };

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

static void cut_short(const char *path, u32 number)
{
	fprintf(stderr, "fuzz-replay: %s: input %u is cut short\n", path, number);
	exit(2);
}

/* The inputs of a target; how many. */
static u32 each_of_archive(const char *path, const char *target, each_input *each, void *context)
{
	char line[NAME + 32], of[NAME], name[PATH + 32];
	size_t length;
	u32 number = 0, count = 0;
	gzFile f = gzopen(path, "rb");

	if (!f)
		return 0;
	while (gzgets(f, line, sizeof line)) {
		number++;
		if (sscanf(line, "%15s %zu", of, &length) != 2 || length > INPUT_MOST)
			cut_short(path, number);
		char *bytes = malloc(length + 1);
		if (!bytes || gzread(f, bytes, (unsigned)length) != (int)length)
			cut_short(path, number);
		bytes[length] = 0;
		if (!strcmp(of, target)) {
			snprintf(name, sizeof name, "%.4000s:%s-%u", path, target, ++count);
			each(context, name, bytes, length);
		}
		free(bytes);
	}
	gzclose(f);
	return count;
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

struct packing {
	gzFile to;
	const char *target;
};

static void write_packed(void *context, const char *name, const char *bytes, size_t length)
{
	const struct packing *p = context;

	(void)name;
	if (length > INPUT_MOST || gzprintf(p->to, "%s %zu\n", p->target, length) <= 0 ||
	    gzwrite(p->to, bytes, (unsigned)length) != (int)length) {
		fprintf(stderr, "fuzz-replay: cannot write the archive\n");
		exit(2);
	}
}

static int pack(const char *folder, const char *archive)
{
	struct packing p = {gzopen(archive, "wb9"), NULL};
	char path[PATH];

	for (const struct fuzz_target *t = fuzz_targets; p.to && t->name; t++) {
		p.target = t->name;
		snprintf(path, sizeof path, "%s/%s", folder, t->name);
		each_of_folder(path, write_packed, &p);
	}
	if (p.to && gzclose(p.to) == Z_OK)
		return 0;
	perror(archive);
	return 2;
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

	if (count == 5 && !strcmp(words[1], "--unpack"))
		return each_of_archive(words[2], words[3], write_file, words[4]) ? 0 : 2;
	if (count == 4 && !strcmp(words[1], "--pack"))
		return pack(words[2], words[3]);
	snprintf(folder, sizeof folder, "%s%s",
		 count == 2 ? words[1]
		 : source   ? source
			    : ".",
		 count == 2 ? "" : "/tests/fuzz/corpus");
	for (const struct fuzz_target *t = fuzz_targets; t->name; t++) {
		snprintf(path, sizeof path, "%s/%s", folder, t->name);
		any |= each_of_folder(path, replay, (void *)t) >= 0;
		snprintf(path, sizeof path, "%s/seeds.gz", folder);
		any |= each_of_archive(path, t->name, replay, (void *)t) > 0;
	}
	if (!any)
		fprintf(stderr, "fuzz-replay: nothing in %s\n", folder);
	return any ? 0 : 2;
}
