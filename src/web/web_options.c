/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of launches without argp, which the C library of WebAssembly does not have.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "web/web.h"

/* Reads a value into its place; false: it is none. */
typedef bool read_fn(struct run_options *o, char *value);

static bool whole(const char *text, u64 *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return !errno && end != text && !*end && *text != '-';
}

#define TEXT_OPTION(NAME)                                           \
	static bool read_##NAME(struct run_options *o, char *value) \
	{                                                           \
		o->NAME = value;                                    \
		return true;                                        \
	}
TEXT_OPTION(arch)
TEXT_OPTION(kernel)
TEXT_OPTION(grid)
TEXT_OPTION(block)
TEXT_OPTION(cluster)
TEXT_OPTION(shared)

static bool read_argument(struct run_options *o, char *value)
{
	VEC_PUSH(&o->arena, &o->args, value);
	return true;
}

static bool read_set(struct run_options *o, char *value)
{
	VEC_PUSH(&o->arena, &o->sets, value);
	return strchr(value, '=') != NULL;
}

static bool read_seed(struct run_options *o, char *value) { return whole(value, &o->seed); }
static bool read_limit(struct run_options *o, char *value) { return whole(value, &o->limit); }
static bool read_memory(struct run_options *o, char *value) { return whole(value, &o->choices.memory_limit); }
static bool read_async(struct run_options *o, char *value) { return async_choice_read(value, &o->choices.async); }
static bool read_check(struct run_options *o, char *value)
{
	if (*value)
		return check_options_read(value, &o->choices.check);
	check_options_usual(&o->choices.check);
	return true;
}

static const struct {
	const char *word;
	read_fn *read;
} options[] = {
	{"--arch", read_arch},           {"--kernel", read_kernel}, {"--grid", read_grid},    {"--block", read_block},
	{"--cluster", read_cluster},     {"--shared", read_shared}, {"--arg", read_argument}, {"--set", read_set},
	{"--seed", read_seed},           {"--limit", read_limit},   {"--async", read_async},  {"--check", read_check},
	{"--memory-limit", read_memory},
};

static read_fn *find(const char *word, size_t length)
{
	for (size_t k = 0; k < COUNT_OF(options); k++)
		if (strlen(options[k].word) == length && !strncmp(options[k].word, word, length))
			return options[k].read;
	return NULL;
}

/* One option, whose value stands behind '=' or is the next word; --check may have none. */
static bool read_option(struct run_options *o, int count, char **words, int *at)
{
	char *word = words[*at], none[] = "", *value = strchr(word, '=');
	const size_t length = strcspn(word, "=");
	read_fn *read = find(word, length);

	if (!read) {
		fprintf(stderr, "the page has no option '%s'\n", word);
		return false;
	}
	if (value)
		value++;
	else if (read != read_check)
		value = ++*at < count ? words[*at] : NULL;
	else
		value = none;
	if (value && read(o, value))
		return true;
	fprintf(stderr, "%.*s: '%s' is not a value for it\n", (int)length, word, value ? value : "");
	return false;
}

bool web_read_options(struct run_options *o, int count, char **words)
{
	o->choices.memory_limit = (u64)WEB_MEMORY_MIB << 20;
	for (int k = 1; k < count; k++) {
		if (!strcmp(words[k], "--cooperative"))
			o->cooperative = true;
		else if (words[k][0] != '-')
			VEC_PUSH(&o->arena, &o->files, words[k]);
		else if (!read_option(o, count, words, &k))
			return false;
	}
	return true;
}
