/* SPDX-License-Identifier: Apache-2.0
 *
 * libptxsim: what launches cost, and what is wrong with them though they end. Part of ptxsim.h's interface.
 *
 *     ptxsim_watch(context, &(struct ptxsim_watching){sizeof(struct ptxsim_watching), .count = 1});
 *     ptxsim_launch(context, kernel, &launch);
 *     double conflicts;
 *     ptxsim_counter(context, "shared.conflicts", &conflicts);
 *     puts(ptxsim_report(context));
 */
#ifndef PTXSIM_OBSERVE_H
#define PTXSIM_OBSERVE_H

#include "ptxsim.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* What is to be watched in the context's launches by ptxsim_launch; those in streams are not watched. */
struct ptxsim_watching {
	size_t struct_size; /* sizeof(struct ptxsim_watching) */
	int count;          /* instructions, lanes and memory accesses: see docs/counters.md */
	/* Threads that access the same bytes with nothing between that orders them; and shared memory that is read
	 * before anything was written there. A launch that runs to its end with findings gives PTXSIM_ERROR_FAULT. With
	 * either, launches run on one host thread. */
	int races, unwritten;
};

/* From the next launch on; NULL: nothing, as at first. No launch may be under way. */
ptxsim_status ptxsim_watch(ptxsim_context *context, const struct ptxsim_watching *watching);
/* A counter of the last launch, by its name in docs/counters.md or a profiler's name for it. STATE: that launch was not
 * counted, or did not begin. NOT_FOUND: there is no such counter. After a fault: what was counted up to there. */
ptxsim_status ptxsim_counter(const ptxsim_context *context, const char *name, double *value);
/* The text report of the last launch, what costs most first; "" if it was not counted. Valid until the next launch. */
const char *ptxsim_report(const ptxsim_context *context);
/* What the checks found in the last launch, a message each; NULL: there are not so many. Valid until the next. */
const char *ptxsim_finding(const ptxsim_context *context, size_t index);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
