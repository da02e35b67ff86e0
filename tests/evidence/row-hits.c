/* SPDX-License-Identifier: Apache-2.0
 *
 * row-hits FILE...: prints the rows of the instruction table that the kernels of PTX files use, a line
 * "form;operands" for each instruction. row-hits --table: those of all rows that are modelled, of PTX and SASS.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static void print_row(const struct isa_row *row)
{
	if (row->form[0] != '%')
		printf("%s;%s\n", row->form, row->operands ? row->operands : "");
}

static void print_table(const struct isa_family *const *families)
{
	for (; *families; families++)
		for (u32 k = 0; k < (*families)->count; k++)
			if (!((*families)->rows[k].flags & ISA_UNMODELLED))
				print_row(&(*families)->rows[k]);
}

static void print_rows(const struct program *p)
{
	for (u32 c = 0; c < p->code_count; c++) {
		const struct code *code = p->codes[c];
		for (size_t k = 0; k < code->function->body.count; k++) {
			const struct isa_row *row = code->forms[k].row;
			if (row)
				print_row(row);
		}
	}
}

static bool read_one(char *path)
{
	const struct lower_options lower = {.allow_unmodelled = true};
	struct session s;

	if (!front_open(&s))
		return false;
	if (SESSION_ENTER(&s)) {
		session_close(&s);
		return false;
	}
	const bool ok = front_read_files(&s, &path, 1) && session_build(&s, &lower);
	if (ok)
		print_rows(s.program);
	else
		front_print_diagnostics(&s, COLOUR_AUTO);
	session_close(&s);
	return ok;
}

int main(int argc, char **argv)
{
	bool ok = true;

	if (argc == 2 && !strcmp(argv[1], "--table")) {
		print_table(sem_families(NULL));
		print_table(sem_sass_families(NULL));
		return EXIT_SUCCESS;
	}
	for (int k = 1; k < argc; k++)
		ok &= read_one(argv[k]);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
