/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim complete: what the shells' completions ask. The words after `ptxsim` so far are given, the last one perhaps
 * in part or empty; what it may become is printed, a line each. Nothing: a file name, which shells know better.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/arch.h"
#include "cli/cli.h"
#include "observe/counters.h"

enum { HELP_MOST = 1 << 16 };

struct completion {
	const struct cli_command *commands;
	size_t command_count;
	char *const *words;
	int count;
	const char *lead, *partial; /* what stands before the part that is completed, and that part */
	size_t lead_length;
};

static void offer(const struct completion *c, const char *word, size_t length)
{
	if (length >= strlen(c->partial) && !strncmp(word, c->partial, strlen(c->partial)))
		printf("%.*s%.*s\n", (int)c->lead_length, c->lead, (int)length, word);
}

/* Words with blanks between. */
static void offer_words(const struct completion *c, const char *words)
{
	for (size_t length; *words; words += length + (words[length] == ' ')) {
		length = strcspn(words, " ");
		offer(c, words, length);
	}
}

static void offer_targets(const struct completion *c)
{
	for (size_t k = 0; k < arch_rows(); k++)
		offer(c, arch_row(k)->name, strlen(arch_row(k)->name));
}

/* The part behind the last comma of a list. */
static void offer_counters(struct completion *c)
{
	const char *comma = strrchr(c->partial, ',');

	if (comma && !c->lead_length) {
		c->lead = c->partial;
		c->lead_length = (size_t)(comma + 1 - c->partial);
	}
	if (comma)
		c->partial = comma + 1;
	for (u32 k = 0; k < counters_count(); k++)
		offer(c, counters_get(k)->name, strlen(counters_get(k)->name));
}

/* Those of one file, which is read in a session of its own; nothing if it cannot be. No variable of the caller is live
 * across the session's setjmp here. */
static void offer_kernels_of(const struct completion *c, const char *file)
{
	struct session s;
	const char *message;

	if (!session_open(&s))
		return;
	if (!SESSION_ENTER(&s) && session_add_file(&s, file, &message))
		for (size_t n = 0; n < s.modules.items[0]->functions.count; n++) {
			const struct ir_function *f = s.modules.items[0]->functions.items[n];
			if (f->is_entry && f->has_body)
				offer(c, f->name, strlen(f->name));
		}
	session_close(&s);
}

/* Those of the files among the words. */
static void offer_kernels(const struct completion *c)
{
	for (int k = 1; k < c->count; k++)
		if (!access(c->words[k], R_OK))
			offer_kernels_of(c, c->words[k]);
}

static void offer_opcodes(const struct completion *c)
{
	for (const struct isa_family *const *f = sem_families(NULL); *f; f++)
		for (u32 k = 0; k < (*f)->count; k++) {
			const char *form = (*f)->rows[k].form;
			if (*form != '%')
				offer(c, form, strcspn(form, ".[( "));
		}
}

static const struct {
	const char *name, *letter, *words;
	void (*more)(const struct completion *c);
} values[] = {
	{"--report", "-r", "text json csv html", NULL},
	{"--format", "-f", "text json sarif", NULL},
	{"--arch", "-t", "", offer_targets},
	{"--kernel", "-k", "", offer_kernels},
	{"--async", NULL, "strict eager random:", NULL},
	{"--lock-order", NULL, "lowest random:", NULL},
	{"--check", NULL,
	 "races unwritten sync leaks neighbours provenance nan denormals overflow plain-reads lane-stores "
	 "races,unwritten,sync,leaks,neighbours",
	 NULL},
	{"--native", NULL, "auto always off", NULL},
	{"--bounds", NULL, "object word allocation", NULL},
	{"--bank-mode", NULL, "4 8", NULL},
	{"--l1", NULL, "on off", NULL},
	{"--caches", NULL, "cold warm", NULL},
	{"--color", NULL, "auto always never", NULL},
};

/* False: the option's values are not known. */
static bool offer_values(struct completion *c, const char *option, size_t length)
{
	if (length == strlen("--metrics") && !strncmp(option, "--metrics", length)) {
		offer_counters(c);
		return true;
	}
	for (size_t k = 0; k < COUNT_OF(values); k++) {
		const bool named = length == strlen(values[k].name) && !strncmp(option, values[k].name, length);
		if (!named && !(values[k].letter && length == 2 && !strncmp(option, values[k].letter, 2)))
			continue;
		offer_words(c, values[k].words);
		if (values[k].more)
			values[k].more(c);
		return true;
	}
	return false;
}

/* What the command says of itself, which ends the process that says it. */
static void offer_options(const struct completion *c, const struct cli_command *command)
{
	static char name[] = "ptxsim", help[] = "--help";
	char *words[] = {name, help, NULL}, text[HELP_MOST];
	size_t used = 0;
	int ends[2];

	if (pipe(ends))
		return;
	fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		exit(command->run(2, words));
	}
	close(ends[1]);
	for (ssize_t n; child > 0 && used < sizeof text - 1; used += (size_t)n)
		if ((n = read(ends[0], text + used, sizeof text - 1 - used)) <= 0)
			break;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	text[used] = 0;
	for (char *at = text; (at = strstr(at, "--")) != NULL;) {
		const size_t length = strspn(at + 2, "abcdefghijklmnopqrstuvwxyz0123456789-") + 2;
		if (length > 3 && at > text && at[-1] == ' ')
			offer(c, at, length);
		at += length;
	}
}

static const struct cli_command *find_command(const struct completion *c, const char *name)
{
	for (size_t k = 0; k < c->command_count; k++)
		if (!strcmp(c->commands[k].name, name))
			return &c->commands[k];
	return NULL;
}

/* `--option=part` as one word, or as the three that bash makes of it, or `--option part`. */
static bool complete_value(struct completion *c)
{
	const char *current = c->partial;
	const char *equals = *current == '-' ? strchr(current, '=') : NULL;
	const bool cut = c->count >= 2 && !strcmp(c->words[c->count - 2], "=");

	if (equals) {
		c->lead = current;
		c->lead_length = (size_t)(equals + 1 - current);
		c->partial = equals + 1;
		return offer_values(c, current, (size_t)(equals - current));
	}
	if (!strcmp(current, "=") || cut) {
		const int at = c->count - (cut ? 3 : 2);
		c->partial = cut ? current : "";
		return at >= 0 && offer_values(c, c->words[at], strlen(c->words[at]));
	}
	const char *before = c->count >= 2 ? c->words[c->count - 2] : "";
	return *before == '-' && strcmp(before, "--check") && strcmp(before, "--caches") && strcmp(before, "--color") &&
	       offer_values(c, before, strlen(before));
}

int cli_complete(const struct cli_command *commands, size_t command_count, int count, char **words)
{
	struct completion c = {.commands = commands, .command_count = command_count, .words = words, .count = count};

	c.partial = count ? words[count - 1] : "";
	if (count <= 1) {
		for (size_t k = 0; k < command_count; k++)
			offer(&c, commands[k].name, strlen(commands[k].name));
		offer_words(&c, "--help --version");
		return CLI_OK;
	}
	const struct cli_command *command = find_command(&c, words[0]);
	if (complete_value(&c) || !command)
		return CLI_OK;
	if (*c.partial == '-')
		offer_options(&c, command);
	else if (!strcmp(command->name, "isa"))
		offer_opcodes(&c);
	return CLI_OK;
}
