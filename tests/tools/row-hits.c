/* SPDX-License-Identifier: Apache-2.0
 *
 * row-hits FILE...: prints the rows of the instruction table that the kernels of PTX files use, a line
 * "form;operands" for each instruction. `./dev docs` makes the list of recorded rows from it.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static void print_rows(const struct program *p)
{
	for (u32 c = 0; c < p->code_count; c++) {
		const struct code *code = p->codes[c];
		for (size_t k = 0; k < code->function->body.count; k++) {
			const struct isa_row *row = code->forms[k].row;
			if (row && row->form[0] != '%')
				printf("%s;%s\n", row->form, row->operands ? row->operands : "");
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
		front_print_diagnostics(&s);
	session_close(&s);
	return ok;
}

int main(int argc, char **argv)
{
	bool ok = true;

	for (int k = 1; k < argc; k++)
		ok &= read_one(argv[k]);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
