/* SPDX-License-Identifier: Apache-2.0
 *
 * Records: what is known of one launch, with its observers, which need the module's program until the record lets go of
 * it. A module knows the records of its launches, so that they outlive it.
 */
#ifndef PTXSIM_API_RECORD_H
#define PTXSIM_API_RECORD_H

#include "api/outcome.h"
#include "api/watching.h"

enum { RECORD_FORMATS = PTXSIM_REPORT_CSV + 1, RECORD_LINE_KINDS = PTXSIM_LINES_INSTRUCTIONS + 1 };

/* Lines of one kind, once they have been asked for; in the watching's arena. */
struct record_lines {
	bool found;
	VEC_OF(struct ptxsim_line) list;
};

struct ptxsim_record {
	ptxsim_context *context;           /* NULL: its module is gone */
	ptxsim_record *next, **at;         /* of its module's, under the context's lock */
	ptxsim_record *grids, **last_grid; /* by `sibling` */
	ptxsim_record *sibling;
	struct watching watching;
	struct outcome outcome;
	char kernel[256];
	char *reports[RECORD_FORMATS]; /* from malloc */
	struct record_lines lines[RECORD_LINE_KINDS];
};

/* What a launch asks for, or else its context; ARGUMENT: its struct has no known size. */
ptxsim_status watching_take(ptxsim_context *c, const struct ptxsim_watching *given, struct ptxsim_watching *wanted);
/* For a launch of the function that is to be watched so; NULL: no memory. */
ptxsim_record *record_new(const ptxsim_function *f, const struct ptxsim_watching *wanted);
/* For a grid that this launch's kernel has launched; the record's. NULL: no memory. */
ptxsim_record *record_add_grid(ptxsim_record *r, const ptxsim_function *f);
/* The first grid with findings; NULL: there is none. */
const ptxsim_record *record_find_grid(const ptxsim_record *r);
/* The module is about to be freed. */
void records_forget_module(ptxsim_module *m);

#endif
