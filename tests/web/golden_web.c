/* SPDX-License-Identifier: Apache-2.0
 *
 * golden-web KNOWN STEM...: recording packs on the engine as WebAssembly, in Node. As golden-run, but in one process,
 * one case after the other; KNOWN lists the cases that must differ.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

struct totals {
	char *known; /* the whole list */
	u32 passed, failed, known_count;
};

/* A line of the list begins with the name. */
static bool is_known(const char *list, const char *name)
{
	const size_t length = name ? strlen(name) : 0;

	for (const char *at = list; length && (at = strstr(at, name)); at += length)
		if ((at == list || at[-1] == '\n') && at[length] == ' ')
			return true;
	return false;
}

static void count(struct totals *t, const struct pack *p, const struct pack_case *c, bool passed, const char *message)
{
	const bool known = is_known(t->known, c->name);

	if (known && !passed) {
		t->known_count++;
	} else if (passed && !known) {
		t->passed++;
	} else {
		t->failed++;
		printf("FAIL %s %s [%s] %s\n", p->base, c->name ? c->name : "?", c->form,
		       passed ? "passes: it no longer belongs among the known differences" : message);
	}
}

/* The cases of one module, the first of which is number `first`. */
static void run_module(struct session *s, const struct pack *p, size_t first, struct totals *t)
{
	static const struct case_options options;
	const struct lower_options lower = {.allow_unmodelled = true};
	const char *module = p->cases.items[first].module;
	char message[CASE_MESSAGE] = "the module cannot be read";
	struct bytes text;

	bool ready = pack_read_file(&s->arena, arena_printf(&s->arena, "%s%s", p->folder, module), &text);
	if (ready) {
		session_add_text(s, module, (const char *)text.data, text.size);
		ready = session_build(s, &lower);
		if (!ready)
			snprintf(message, sizeof message, "%s", session_diagnostics(s, false));
	}
	for (size_t k = first; k < p->cases.count; k++) {
		const struct pack_case *c = &p->cases.items[k];
		if (!c->module || strcmp(c->module, module))
			continue;
		const bool passed = ready && case_run(s, p, c, &options, message);
		count(t, p, c, passed, message);
	}
}

static bool seen_before(const struct pack *p, size_t at)
{
	for (size_t k = 0; k < at; k++)
		if (p->cases.items[k].module && !strcmp(p->cases.items[k].module, p->cases.items[at].module))
			return true;
	return false;
}

static void run_pack(const struct pack *p, struct totals *t)
{
	for (size_t k = 0; k < p->cases.count; k++) {
		struct session s;
		if (!p->cases.items[k].module || seen_before(p, k))
			continue;
		if (!session_open(&s) || SESSION_ENTER(&s)) {
			fprintf(stderr, "golden-web: no memory left\n");
			exit(2);
		}
		run_module(&s, p, k, t);
		session_close(&s);
	}
}

int main(int argc, char **words)
{
	struct totals t = {0};
	struct arena arena;
	struct bytes known;

	arena_init(&arena, NULL);
	if (argc < 3 || !pack_read_file(&arena, words[1], &known)) {
		fprintf(stderr, "usage: golden-web KNOWN STEM...\n");
		return 2;
	}
	t.known = (char *)known.data;
	for (int k = 2; k < argc; k++) {
		const struct pack *p = pack_read(&arena, words[k]);
		if (!p)
			return 2;
		run_pack(p, &t);
	}
	if (t.known_count)
		printf("%u known to differ from the recording\n", t.known_count);
	printf("%u passed, %u failed\n", t.passed, t.failed);
	arena_free(&arena);
	return t.failed ? 1 : 0;
}
