/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of `run`, which other subcommands that launch kernels take too.
 */
#ifndef PTXSIM_FRONT_OPTIONS_H
#define PTXSIM_FRONT_OPTIONS_H

#include "front/front.h"

enum report_kind { REPORT_SUMMARY, REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_HTML };

struct run_options {
	struct arena arena; /* of the option lists */
	const char *kernel, *grid, *block, *cluster, *shared, *arch, *script;
	VEC_OF(char *) files, args, sets, saves;
	u64 limit, seed;
	u32 heads;
	bool quiet, cooperative;
	enum report_kind report;
	struct accounting_options accounting;
	bool annotate;
	u32 explain; /* a line, or 0 */
	struct launch_choices choices;
	const char *metrics; /* names and patterns, or NULL */
	const char *output;  /* where reports go; NULL: standard output */
	u32 explore;         /* schedules to try; 0: the usual one alone */
	const char *sarif;   /* where findings go as SARIF; NULL: nowhere */
};

/* Whether they ask for something that is counted. */
bool run_accounts(const struct run_options *o);

/* Everything that is to be done, from the files, a script file or the options. False after telling why not. */
bool run_read_launches(struct session *s, struct script *script, const struct run_options *o);

#endif
