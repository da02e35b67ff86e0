/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the recorded table of cuGetProcAddress (expected/getprocaddress.txt) from standard input and asks the same of our
 * library: lines "GPA name flags F from V: symbol r=R q=Q", each for the versions up to the next line's.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The versions that were asked for. */
static const int versions[] = {2000,  2010,  2020,  2030,  3000,  3010,  3020,  4000,  4010,  4020,  5000,
			       5050,  6000,  6050,  7000,  7050,  8000,  9000,  9010,  9020,  10000, 10010,
			       10020, 11000, 11010, 11020, 11030, 11040, 11050, 11060, 11070, 11080, 12000,
			       12010, 12020, 12030, 12040, 12050, 12060, 12080, 12090, 13000, 13010};

struct line {
	char name[128], symbol[128];
	unsigned flags;
	int from, result, status;
};

static int (*ask)(const char *, void **, int, uint64_t, int *);
static void *library;
static int points, wrong;

static void compare(const struct line *l, int version)
{
	void *at = (void *)-1, *expected = strcmp(l->symbol, "null") ? dlsym(library, l->symbol) : NULL;
	int status = 9;
	const int result = ask(l->name, &at, version, l->flags, &status);

	points++;
	/* After an error, nothing is said of the pointer. */
	if (result == l->result && status == l->status && (result || at == expected))
		return;
	if (wrong++ < 20)
		printf("%s, version %d, flags %u: result %d, status %d, expected %d, %d, %s\n", l->name, version,
		       l->flags, result, status, l->result, l->status, l->symbol);
}

/* What the line says holds up to the next one's version. */
static void compare_range(const struct line *l, int end)
{
	for (size_t k = 0; k < sizeof versions / sizeof *versions; k++)
		if (versions[k] >= l->from && versions[k] < end)
			compare(l, versions[k]);
}

int main(void)
{
	struct line now, before;
	int (*init)(unsigned), has_before = 0, read;
	char text[512];

	library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library) {
		puts(dlerror());
		return 2;
	}
	*(void **)&ask = dlsym(library, "cuGetProcAddress_v2");
	*(void **)&init = dlsym(library, "cuInit");
	init(0);
	while (fgets(text, sizeof text, stdin)) {
		read = sscanf(text, "GPA %127s flags %u from %d: %127s r=%d q=%d", now.name, &now.flags, &now.from,
			      now.symbol, &now.result, &now.status);
		if (read != 6)
			continue;
		if (has_before)
			compare_range(&before,
				      !strcmp(before.name, now.name) && before.flags == now.flags ? now.from : 1 << 30);
		before = now;
		has_before = 1;
	}
	if (has_before)
		compare_range(&before, 1 << 30);
	printf("%d points, %d wrong\n", points, wrong);
	return wrong || points < 50000;
}
