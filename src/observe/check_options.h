/* SPDX-License-Identifier: Apache-2.0
 *
 * What launches are checked for: the words of --check.
 */
#ifndef PTXSIM_OBSERVE_CHECK_OPTIONS_H
#define PTXSIM_OBSERVE_CHECK_OPTIONS_H

#include "base/types.h"

/* X(name, word, whether --check alone means it, what it finds) */
#define CHECKS(X)                                                                                      \
	X(races, "races", true, "accesses that nothing orders")                                        \
	X(unwritten, "unwritten", true, "values that nothing has written, where they matter")          \
	X(sync, "sync", true, "barriers and masks that not all come to, or not in one way")            \
	X(leaks, "leaks", true, "what alloc lines give and no free takes back")                        \
	X(neighbours, "neighbours", true, "addresses of one variable that reach the next")             \
	X(provenance, "provenance", false, "addresses from a parameter that reach another buffer")     \
	X(nan, "nan", false, "NaNs and infinities made of finite numbers")                             \
	X(denormals, "denormals", false, "denormal numbers that .ftz takes as zero")                   \
	X(overflow, "overflow", false, "32-bit arithmetic that wraps on its way to an address")        \
	X(plain_reads, "plain-reads", false, "races of plain reads that a compare and swap validates") \
	X(lane_stores, "lane-stores", false, "different values that lanes of one store write to one place")

struct check_options {
#define X(name, word, usual, text) bool name;
	CHECKS(X)
#undef X
	bool strict_unwritten; /* told at the first arithmetic, too */
	bool footprints;       /* what the launch touches is kept: checks_footprint */
	u32 most;              /* findings that are kept; 0: CHECK_FINDINGS */
	const char *suppress;  /* path of a file of observe/suppressions.h, or NULL */
};

enum { CHECK_FINDINGS = 100 };

/* Adds some of the words, with commas between, to what is asked for; false if one is none of them. */
bool check_options_read(const char *text, struct check_options *options);
/* "N", or "N-M" for several: which launches are looked at, from 1. */
bool check_launches_read(const char *text, u64 *first, u64 *last);
/* What --check means alone. */
void check_options_usual(struct check_options *options);
/* Anything that watches a launch. */
bool check_options_watch(const struct check_options *options);
enum { CHECK_WORDS_TEXT = 200 };
/* The words of what is asked for, as check_options_read takes them. */
void check_options_text(const struct check_options *options, char text[CHECK_WORDS_TEXT]);
/* "races, unwritten, ...": all words. */
const char *check_options_words(void);

#endif
