/* SPDX-License-Identifier: Apache-2.0
 *
 * Demangled names, and their parts.
 */
#include "base/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#if HAVE_DLOPEN
#include <dlfcn.h>

typedef char *demangle_fn(const char *name, char *to, size_t *size, int *status);

/* The runtimes of gcc and clang. Loaded once; they stay. */
static demangle_fn *find_demangler(void)
{
	static const char *const runtimes[] = {"libstdc++.so.6", "libc++abi.so.1", "libc++abi.dylib"};
	demangle_fn *found = NULL;

	for (size_t k = 0; k < COUNT_OF(runtimes) && !found; k++) {
		void *library = dlopen(runtimes[k], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
		void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
		memcpy(&found, &symbol, sizeof found);
		if (library)
			dlclose(library);
	}
	return found;
}
#else
typedef char *demangle_fn(const char *name, char *to, size_t *size, int *status);

static demangle_fn *find_demangler(void) { return NULL; }
#endif

const char *demangle(struct arena *a, const char *name)
{
	demangle_fn *f = name[0] == '_' && name[1] == 'Z' ? find_demangler() : NULL;
	int status;
	char *text = f ? f(name, NULL, NULL, &status) : NULL;

	if (!text)
		return name;
	const char *copy = arena_copy_text(a, text, strlen(text));
	free(text);
	return copy;
}

/* --- Parts of a name ------------------------------------------------------------------------------ */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/* Length of "operator" with its mark if it stands at text[at], else 0: its brackets enclose nothing. */
static size_t operator_length(const char *text, size_t at, size_t length)
{
	size_t end = at + 8;

	if (length - at < 9 || memcmp(text + at, "operator", 8) || (at && is_word(text[at - 1])) || is_word(text[end]))
		return 0;
	if (!strncmp(text + end, "()", 2) || !strncmp(text + end, "[]", 2))
		return 10;
	while (end < length && strchr("<>=!+-*/%^&|~,", text[end]))
		end++;
	return end - at;
}

/* The first of `marks` outside of brackets, from `at` on; `length` if there is none. */
static size_t find_outside(const char *text, size_t at, size_t length, const char *marks)
{
	u32 depth = 0;

	while (at < length) {
		const size_t skipped = operator_length(text, at, length);
		if (skipped) {
			at += skipped;
			continue;
		}
		if (!depth && strchr(marks, text[at]) && strncmp(text + at, "(anonymous", 10))
			return at;
		depth += strchr("<([{", text[at]) != NULL;
		depth -= depth && strchr(">)]}", text[at]);
		at++;
	}
	return length;
}

struct part {
	const char *text;
	size_t length;
};

/* Without parameters, and without the result that templates have before them. */
static struct part without_parameters(const char *text)
{
	size_t length = find_outside(text, 0, strlen(text), "(");

	for (size_t blank; (blank = find_outside(text, 0, length, " ")) < length;) {
		/* "operator bool", "operator new": the blank belongs to the name. */
		if (blank >= 8 && !memcmp(text + blank - 8, "operator", 8) && (blank == 8 || !is_word(text[blank - 9])))
			break;
		text += blank + 1;
		length -= blank + 1;
	}
	return (struct part){text, length};
}

const char *demangle_short(struct arena *a, const char *name)
{
	const char *whole = demangle(a, name);

	if (whole == name)
		return name;
	const struct part p = without_parameters(whole);
	return p.length ? arena_copy_text(a, p.text, p.length) : whole;
}

void demangle_print(FILE *to, const char *name)
{
	struct arena a;

	arena_init(&a, NULL);
	fputs(demangle_short(&a, name), to);
	arena_free(&a);
}

/* Equal but for blanks. */
static bool same_text(struct part a, struct part b)
{
	for (;;) {
		while (a.length && *a.text == ' ')
			a.text++, a.length--;
		while (b.length && *b.text == ' ')
			b.text++, b.length--;
		if (!a.length || !b.length)
			return a.length == b.length;
		if (*a.text != *b.text)
			return false;
		a.text++, a.length--;
		b.text++, b.length--;
	}
}

/* Behind the next "::" outside of brackets; false: there is none. */
static bool drop_namespace(struct part *p)
{
	for (size_t at = 0; (at = find_outside(p->text, at, p->length, ":")) + 1 < p->length; at++)
		if (p->text[at + 1] == ':') {
			p->text += at + 2;
			p->length -= at + 2;
			return true;
		}
	return false;
}

bool demangle_matches(struct arena *a, const char *name, const char *wanted, size_t length)
{
	const struct part w = {wanted, length};
	const char *whole = demangle(a, name);

	if (strlen(name) == length && !memcmp(name, wanted, length))
		return true;
	if (whole == name)
		return false;
	if (same_text(w, (struct part){whole, strlen(whole)}))
		return true;
	struct part p = without_parameters(whole);
	/* "f(int)" as the name of a function that is not a template has it, or behind the result of one that is. */
	struct part q = {p.text, strlen(p.text)};
	do {
		const struct part plain = {p.text, find_outside(p.text, 0, p.length, "<")};
		if (same_text(w, p) || same_text(w, q) || same_text(w, plain))
			return true;
		const size_t before = p.length;
		if (!drop_namespace(&p))
			return false;
		q.text += before - p.length;
		q.length -= before - p.length;
	} while (true);
}
