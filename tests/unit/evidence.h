/* SPDX-License-Identifier: Apache-2.0
 *
 * What tests tell of the rows that they have tried: tests/evidence/evidence_test.sh gathers it.
 */
#ifndef PTXSIM_TESTS_UNIT_EVIDENCE_H
#define PTXSIM_TESTS_UNIT_EVIDENCE_H

#include <stdio.h>
#include <stdlib.h>

#include "isa/isa.h"

/* Adds a line "KIND<tab>FORM;OPERANDS" to the file that PTXSIM_EVIDENCE names, if it names one. */
static inline void evidence_note(const char *kind, const struct isa_row *row)
{
	const char *path = getenv("PTXSIM_EVIDENCE");
	FILE *to = path && row->form[0] != '%' ? fopen(path, "a") : NULL;

	if (!to)
		return;
	fprintf(to, "%s\t%s;%s\n", kind, row->form, row->operands ? row->operands : "");
	fclose(to);
}

#endif
