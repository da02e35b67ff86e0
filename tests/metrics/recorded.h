/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded counters of whole programs, a table of pack,case,metric,value in which the lines of one program follow one
 * another, and a program of a pack run with the accounting on.
 */
#ifndef PTXSIM_TESTS_METRICS_RECORDED_H
#define PTXSIM_TESTS_METRICS_RECORDED_H

#include "observe/counters.h"
#include "tests/golden/case.h"

struct recorded_row {
	const char *pack, *name, *metric;
	double recorded;
};

/* Why counters of programs may differ from the recorded ones; shell patterns of program and metric. */
struct reason {
	const char *program, *metric, *text;
};
#define REASON_MEETING \
	"accesses of several warps meet at the data stage: they wait for one another there, and stores share passes"
#define REASON_FRAMES "where the launch's frames of local memory lie, which decides about tag banks, is not known"
/* The text of the first that covers the row; NULL: they must be equal. */
const char *reason_find(const struct reason *reasons, size_t count, const struct recorded_row *row);

/* In an arena, by VEC_PUSH. */
struct recorded {
	struct recorded_row *items;
	size_t count, capacity;
};

/* False: the file cannot be read. */
bool recorded_read(struct recorded *r, struct arena *arena, const char *path);
/* Behind the last row of the program whose first row is number k. */
size_t recorded_end(const struct recorded *r, size_t k);
/* By name; NULL: there is none, or no pack. */
const struct pack_case *recorded_case(const struct pack *p, const char *name);
/* Adds the machine code of a module of a pack, CUBINS/STEM.cubin, to a session. False: there is none. */
bool recorded_cubin(struct session *s, const char *cubins, const char *module);

struct measured {
	struct accounting *accounting;
	struct arena *arena;
	struct account_run *run; /* what the last launch counted */
};

/* Runs a case of a session that is built, and checks its results. False with a message. */
bool measured_run(struct measured *m, struct session *s, const struct pack *pack, const struct pack_case *c,
		  const struct accounting_options *counting, char message[CASE_MESSAGE]);
void measured_free(struct measured *m);

#endif
