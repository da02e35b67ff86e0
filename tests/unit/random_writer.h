/* SPDX-License-Identifier: Apache-2.0
 *
 * How tests write random kernels. The includer has defined struct writer with the text, its length, and the state that numbers are drawn
 * from, not 0.
 */
#ifndef PTXSIM_TESTS_UNIT_RANDOM_WRITER_H
#define PTXSIM_TESTS_UNIT_RANDOM_WRITER_H

#include <check.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/types.h"

/* A number from 0 on. */
static u32 draw(struct writer *g, u32 below)
{
	g->state ^= g->state << 13;
	g->state ^= g->state >> 7;
	g->state ^= g->state << 17;
	return (u32)(g->state >> 20) % below;
}

static void __attribute__((format(printf, 2, 3))) put(struct writer *g, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g->length += (size_t)vsnprintf(g->text + g->length, sizeof g->text - g->length, format, args);
	va_end(args);
	ck_assert_uint_lt(g->length, sizeof g->text);
}

#endif
