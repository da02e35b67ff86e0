/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading of the recorded patterns: cases with their tables of offsets, and the values in one
 * hash table keyed by pack, pattern and metric.
 */
#include "recorded.h"
#include "tests/metrics/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CASES_MAX = 4096, VALUES_MAX = 1 << 18, TEXT_MAX = 1 << 23 };

struct value {
	const char *key; /* "pack pattern metric" */
	u32 number;
};

static struct recorded_case cases[CASES_MAX];
static size_t case_count;
static struct value values[VALUES_MAX];

static void give_up(const char *what, const char *about)
{
	fprintf(stderr, "recorded patterns: %s: %s\n", what, about);
	exit(2);
}

static char *read_whole(const char *name, size_t *size)
{
	char path[512];
	char *text = malloc(TEXT_MAX);

	const char *source = getenv("srcdir");

	snprintf(path, sizeof path, "%s/tests/golden/metrics/%s.gz", source ? source : ".", name);
	gzFile file = gzopen(path, "rb");
	if (!file || !text)
		give_up("cannot open", path);
	int n = gzread(file, text, TEXT_MAX - 1);
	if (n <= 0 || n == TEXT_MAX - 1)
		give_up("cannot read", path);
	gzclose(file);
	text[n] = 0;
	if (size)
		*size = (size_t)n;
	return text;
}

static struct value *slot_of(const char *key)
{
	u32 hash = 2166136261u;

	for (const char *c = key; *c; c++)
		hash = (hash ^ (u8)*c) * 16777619u;
	while (values[hash % VALUES_MAX].key && strcmp(values[hash % VALUES_MAX].key, key) != 0)
		hash++;
	return &values[hash % VALUES_MAX];
}

static void put_value(const char *key, u32 number)
{
	struct value *v = slot_of(key);

	if (!v->key)
		v->key = strdup(key);
	v->number = number;
}

/* pattern,kernel,parameters,metric,value; the parameters start with "pack=NAME;". */
static void load_values(void)
{
	char *text = read_whole("patterns.csv", NULL), *rest = NULL, key[256];

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *field[5], *inner = NULL;
		int n = 0;

		for (char *f = strtok_r(line, ",", &inner); f && n < 5; f = strtok_r(NULL, ",", &inner))
			field[n++] = f;
		if (n != 5 || strncmp(field[2], "pack=", 5) != 0)
			continue;
		snprintf(key, sizeof key, "%.*s %s %s", (int)strcspn(field[2] + 5, ";"), field[2] + 5, field[0],
			 field[3]);
		put_value(key, (u32)strtod(field[4], NULL));
	}
	free(text);
	text = read_whole("metrics.txt", NULL);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		put_value(line, 1);
	free(text);
}

static u32 number_after(const char *line, const char *word)
{
	const char *at = strstr(line, word);

	return at ? (u32)strtoul(at + strlen(word), NULL, 10) : 0;
}

/* case NAME module=M entry=KERNEL ... block=N,1,1 ... args=raw@OFFSET+128;b32:WSTRIDE;... */
static void load_case(const char *pack, const char *line, const char *in, size_t in_size)
{
	struct recorded_case *c = &cases[case_count];
	const char *args = strstr(line, " args="), *stride = strstr(line, ";b32:");

	if (case_count == CASES_MAX || !args ||
	    sscanf(line, "case %47s module=%*s entry=%23s", c->name, c->kernel) != 2)
		give_up("bad case", line);
	snprintf(c->pack, sizeof c->pack, "%s", pack);
	c->warps = number_after(line, " block=") / WARP_LANES;
	c->wstride = stride ? (u32)strtoul(stride + 5, NULL, 16) : 0;
	u32 offset = number_after(args, "@");
	if (offset + sizeof c->table > in_size)
		give_up("table out of range", line);
	memcpy(c->table, in + offset, sizeof c->table);
	for (u32 l = 0; l < WARP_LANES; l++)
		c->mask |= (u32)(c->table[l] != UINT32_MAX) << l;
	case_count++;
}

void recorded_load(void)
{
	static const char *const packs[] = {"acc-shared",  "acc-global",  "acc-misc",  "acc-extra",
					    "rand-shared", "rand-global", "rand-misc", "rand-extra"};

	if (case_count)
		return;
	load_values();
	for (size_t p = 0; p < COUNT_OF(packs); p++) {
		char name[32], *rest = NULL;
		size_t size;

		snprintf(name, sizeof name, "%s.in", packs[p]);
		char *in = read_whole(name, &size);
		snprintf(name, sizeof name, "%s.cases", packs[p]);
		char *text = read_whole(name, NULL);
		for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			if (strncmp(line, "case ", 5) == 0)
				load_case(packs[p], line, in, size);
		free(text);
		free(in);
	}
}

size_t recorded_cases(void) { return case_count; }

const struct recorded_case *recorded_case(size_t i) { return &cases[i]; }

bool recorded_value(const struct recorded_case *c, const char *metric, u32 *value)
{
	char key[256];

	snprintf(key, sizeof key, "%s %s %s", c->pack, c->name, metric);
	const struct value *v = slot_of(key);
	if (v->key) {
		*value = v->number;
		return true;
	}
	/* Read for the whole pack: without a row it was 0. */
	*value = 0;
	snprintf(key, sizeof key, "%s %s", c->pack, metric);
	return slot_of(key)->key != NULL;
}

void recorded_compare(struct recorded_score *score, const struct recorded_case *c, const char *metric, u32 counted)
{
	u32 value;

	if (!recorded_value(c, metric, &value))
		return;
	score->compared++;
	if (value == counted) {
		score->equal++;
		return;
	}
	if (known_find(c->name, metric)) {
		score->known++;
		return;
	}
	score->wrong++;
	printf("%s %s: recorded %u, counted %u\n", c->name, metric, value, counted);
	fflush(stdout);
}

bool recorded_finish(const struct recorded_score *score, const char *title)
{
	printf("%s: %u values compared, %u equal, %u known to differ, %u wrong\n", title, score->compared, score->equal,
	       score->known, score->wrong);
	fflush(stdout);
	return score->wrong == 0 && score->compared > 0;
}
