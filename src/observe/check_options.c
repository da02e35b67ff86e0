/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of --check.
 */
#include "observe/check_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(const char *text, size_t length, const char *word)
{
	return length == strlen(word) && !strncmp(text, word, length);
}

bool check_options_read(const char *text, struct check_options *options)
{
	if (!*text)
		return false;
	for (size_t length; *text; text += length + (text[length] == ',')) {
		length = strcspn(text, ",");
#define X(name, word, usual, about)        \
	if (is_word(text, length, word)) { \
		options->name = true;      \
		continue;                  \
	}
		CHECKS(X)
#undef X
		return false;
	}
	return true;
}

static bool read_number(const char *text, u64 *number, char **end)
{
	errno = 0;
	*number = strtoull(text, end, 10);
	return *text >= '0' && *text <= '9' && !errno;
}

bool check_launches_read(const char *text, u64 *first, u64 *last)
{
	char *end;

	if (!read_number(text, first, &end))
		return false;
	*last = *first;
	if (*end == '-' && !read_number(end + 1, last, &end))
		return false;
	return !*end && *first && *last >= *first;
}

void check_options_usual(struct check_options *options)
{
#define X(name, word, usual, about) options->name |= usual;
	CHECKS(X)
#undef X
}

bool check_options_watch(const struct check_options *o)
{
	struct check_options others = *o;

	others.leaks = others.strict_unwritten = false;
	return false
#define X(name, word, usual, about) || others.name
		CHECKS(X)
#undef X
			;
}

void check_options_text(const struct check_options *options, char text[CHECK_WORDS_TEXT])
{
	size_t used = 0;

	*text = 0;
#define X(name, word, usual, about) \
	if (options->name)          \
		used += (size_t)snprintf(text + used, CHECK_WORDS_TEXT - used, "%s%s", used ? "," : "", word);
	CHECKS(X)
#undef X
}

const char *check_options_words(void)
{
	static const char words[] = ""
#define X(name, word, usual, about) ", " word
		CHECKS(X)
#undef X
		;

	return words + strlen(", ");
}
