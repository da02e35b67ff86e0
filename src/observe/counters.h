/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters: the names under which a launch's sums can be asked for, each with its definition and
 * the profilers' names for the same thing. One table; docs/counters.md and `ptxsim run --metrics
 * help` are printed from it.
 */
#ifndef PTXSIM_OBSERVE_COUNTERS_H
#define PTXSIM_OBSERVE_COUNTERS_H

#include <stdio.h>

#include "observe/accounting.h"

__extension__ typedef unsigned __int128 field_set;

/* Sum of fields over operations: bit k is enum account_field or enum account_operation k. */
struct counter_sum {
	field_set fields;
	u32 operations;
};

enum { COUNTER_FACTS = 3 };

struct counter {
	const char *name;
	const char *unit;
	const char *definition;
	const char *aliases;        /* the profilers' names, separated by blanks; may be empty */
	struct counter_sum sums[2]; /* added up */
	/* A ratio divides the sums by these, times `scale`; scale 0: no ratio. */
	struct counter_sum below[2];
	double scale;
	/* Of the launch as a whole, in place of the sums: enum fact, added up; 0 ends. */
	u8 facts[COUNTER_FACTS], facts_below[COUNTER_FACTS];
};

u32 counters_count(void);
const struct counter *counters_get(u32 k);

/* By name or alias; NULL if there is none. */
const struct counter *counters_find(const char *name);
/* Whether the name or an alias matches a shell pattern. */
bool counter_matches(const struct counter *c, const char *pattern);

/* Whether the architecture has what is counted: there are no tag and data stages before 5.0. */
bool counter_exists(const struct counter *c, const struct arch *arch);

/* A ratio without anything to divide by is 0. */
double counter_value(const struct counter *c, const struct account_run *run);

/* Every counter with unit, definition and aliases, as Markdown. */
void counters_print(FILE *to);

#endif
