/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz-run [--count N] [--seeds FOLDER] [--target NAME]: reads, builds and runs damaged PTX: samples cut at every
 * byte, mutations at random and by the instruction table, and a few hostile texts. Or damages what another
 * target takes. Each must give diagnostics or a program, in bounded memory and time. Texts are tried in child processes with limits; a child that dies is reported
 * with the text that killed it, kept in a file.
 */
#include <argp.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "fuzz_grammar.h"
#include "fuzz_text.h"

enum { SECONDS = 20, CUT_SEEDS = 3, BATCH = 256, ROOM = 4096, SPACES = 100 << 20 };
static const rlim_t MEMORY = (rlim_t)4 << 30;

struct text {
	char *bytes;
	size_t length;
};

struct fuzz {
	u64 count;
	const char *folder;
	const struct fuzz_target *target;
	u64 first; /* number of the first mutation */
	struct text *seeds;
	size_t seed_count;
	u64 *tried; /* shared with children: texts of the batch that were finished */
	u32 passed, failed;
};

static u64 random_next(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Text number n: for the first seeds every cut, then mutations. */
static struct text make_text(const struct fuzz *f, u64 n)
{
	for (size_t k = 0; k < f->seed_count && k < CUT_SEEDS; k++) {
		if (n < f->seeds[k].length) {
			char *copy = malloc(n + 1);
			memcpy(copy, f->seeds[k].bytes, n);
			return (struct text){copy, n};
		}
		n -= f->seeds[k].length;
	}
	u64 state = n;
	const struct text *seed = &f->seeds[random_next(&state) % f->seed_count];
	const struct text *other = &f->seeds[random_next(&state) % f->seed_count];
	struct text t = {malloc(seed->length + ROOM), seed->length};
	memcpy(t.bytes, seed->bytes, seed->length);
	if (f->target->is_ptx && random_next(&state) % 2) {
		t.length = fuzz_grammar_mutate(t.bytes, t.length, t.length + ROOM, random_next(&state));
		return t;
	}
	for (u64 edits = 1 + random_next(&state) % 8; edits > 0 && t.length > 64; edits--) {
		const size_t at = random_next(&state) % (t.length - 33), size = 1 + random_next(&state) % 32;
		switch (random_next(&state) % 5) {
		case 0:
			t.bytes[at] = (char)random_next(&state);
			break;
		case 1: /* a piece is lost */
			memmove(t.bytes + at, t.bytes + at + size, t.length - at - size);
			t.length -= size;
			break;
		case 2: /* a piece of another seed */
			memcpy(t.bytes + at, other->bytes + random_next(&state) % (other->length - 32), size);
			break;
		case 3: /* a piece stands twice */
			memmove(t.bytes + at + size, t.bytes + at, t.length - at);
			t.length += size;
			break;
		default: /* a bit is flipped */
			t.bytes[at] ^= (char)(1 << random_next(&state) % 8);
		}
	}
	return t;
}

/* --- Batches -------------------------------------------------------------------------------- */

static void child_main(const struct fuzz *f, u64 first, u64 end)
{
	const struct rlimit memory = {MEMORY, MEMORY};

#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_AS, &memory);
#else
	(void)memory;
#endif
	for (u64 n = first; n < end; n++) {
		const struct text t = make_text(f, n);
		alarm(SECONDS);
		f->target->run(t.bytes, t.length);
		free(t.bytes);
		*f->tried = n + 1;
	}
	_exit(0);
}

static void keep(const struct fuzz *f, u64 n, int status)
{
	const struct text t = make_text(f, n);
	char path[64];

	snprintf(path, sizeof path, "fuzz-%s-%llu", f->target->name, (unsigned long long)n);
	FILE *out = fopen(path, "wb");
	if (out) {
		fwrite(t.bytes, 1, t.length, out);
		fclose(out);
	}
	printf("FAIL text %llu, kept as %s: %s\n", (unsigned long long)n, path,
	       WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended early");
	free(t.bytes);
}

static void run_range(struct fuzz *f, u64 first, u64 end)
{
	while (first < end) {
		int status = 0;
		*f->tried = first;
		fflush(NULL);
		const pid_t child = fork();
		if (child == 0)
			child_main(f, first, first + BATCH < end ? first + BATCH : end);
		waitpid(child, &status, 0);
		f->passed += (u32)(*f->tried - first);
		first = *f->tried;
		if (status) {
			f->failed++;
			keep(f, first++, status);
		}
	}
}

/* A hostile text in a child of its own. */
static void run_special(struct fuzz *f, const char *what, const char *bytes, size_t length)
{
	int status = 0;

	fflush(NULL);
	const pid_t child = fork();
	if (child == 0) {
		alarm(SECONDS);
		fuzz_text(bytes, length);
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (status)
		printf("FAIL %s: %s\n", what, WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended early");
	f->failed += status != 0;
	f->passed += status == 0;
}

static void run_specials(struct fuzz *f)
{
	char *many = malloc(SPACES);

	run_special(f, "an empty text", "", 0);
	run_special(f, "a NUL", "", 1);
	if (!many)
		return;
	memset(many, ' ', SPACES);
	run_special(f, "100 MB of blanks", many, SPACES);
	memset(many, '(', SPACES / 100);
	run_special(f, "1 MB of brackets", many, SPACES / 100);
	memset(many, '{', SPACES / 100);
	run_special(f, "1 MB of braces", many, SPACES / 100);
	u64 state = 1;
	for (size_t k = 0; k < SPACES / 100; k++)
		many[k] = (char)random_next(&state);
	run_special(f, "1 MB of noise", many, SPACES / 100);
	free(many);
}

/* --- Options -------------------------------------------------------------------------------- */

static const struct argp_option options[] = {
	{"count", 'c', "N", 0, "Mutations to try (default 10000)", 0},
	{"seeds", 's', "FOLDER", 0, "Files to start from (default samples); of PTX, those in .ptx and .sass", 0},
	{"target", 't', "NAME", 0, "What is fuzzed: text (default), variants, native, script, npy, json, debug, dap",
	 0},
	{"first", 'f', "N", 0, "Number of the first mutation (default 0): another one begins another sequence", 0},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct fuzz *f = state->input;

	switch (key) {
	case 'c':
		f->count = strtoull(text, NULL, 10);
		return 0;
	case 's':
		f->folder = text;
		return 0;
	case 'f':
		f->first = strtoull(text, NULL, 10);
		return 0;
	case 't':
		f->target = fuzz_target_find(text);
		if (!f->target)
			argp_error(state, "there is no target '%s'", text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool read_seeds(struct fuzz *f)
{
	char pattern[4096];
	const char *message;
	glob_t found;

	snprintf(pattern, sizeof pattern, "%s/*%s", f->folder, f->target->is_ptx ? ".ptx" : "");
	if (glob(pattern, 0, NULL, &found))
		return false;
	snprintf(pattern, sizeof pattern, "%s/*.sass", f->folder);
	if (f->target->is_ptx)
		glob(pattern, GLOB_APPEND, NULL, &found);
	f->seeds = calloc(found.gl_pathc, sizeof *f->seeds);
	for (size_t k = 0; k < found.gl_pathc; k++) {
		struct text *t = &f->seeds[f->seed_count];
		t->bytes = file_read_whole(found.gl_pathv[k], 1 << 26, &t->length, &message);
		if (t->bytes && t->length > 64)
			f->seed_count++;
	}
	globfree(&found);
	return f->seed_count > 0;
}

int main(int count, char **words)
{
	static const struct argp argp = {.options = options,
					 .parser = parse_option,
					 .doc = "Reads damaged PTX: nothing may crash, hang or fill memory."};
	struct fuzz f = {.count = 10000, .folder = "samples", .target = &fuzz_targets[0]};
	u64 cuts = 0;

	argp_parse(&argp, count, words, 0, NULL, &f);
	if (!read_seeds(&f)) {
		fprintf(stderr, "fuzz-run: no .ptx files in %s\n", f.folder);
		return 2;
	}
	f.tried = mmap(NULL, sizeof *f.tried, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (size_t k = 0; k < f.seed_count && k < CUT_SEEDS; k++)
		cuts += f.seeds[k].length;
	if (f.target == &fuzz_targets[0] && !f.first) {
		run_range(&f, 0, cuts);
		run_specials(&f);
	}
	run_range(&f, cuts + f.first, cuts + f.first + f.count);
	printf("%u passed, %u failed\n", f.passed, f.failed);
	for (size_t k = 0; k < f.seed_count; k++)
		free(f.seeds[k].bytes);
	free(f.seeds);
	return f.failed ? 1 : 0;
}
