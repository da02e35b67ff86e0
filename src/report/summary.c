/* SPDX-License-Identifier: Apache-2.0
 *
 * The summary of a launch as text.
 */
#include "report/summary.h"

#include <string.h>

/* Of a unit: from here on, three digits would be 1e+03 of the smaller one. */
static const double ROUNDS_UP = 0.9995;

char *report_count(u64 n, char *text, size_t size)
{
	char digits[24];
	const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
	size_t used = 0;

	for (int k = 0; k < length && used + 2 < size; k++) {
		if (k && (length - k) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[k];
	}
	text[used] = 0;
	return text;
}

/* 33 or (4, 4) or (4, 4, 2): trailing ones are left out. */
static char *shape(const u32 dims[3], char *text, size_t size)
{
	if (dims[2] != 1)
		snprintf(text, size, "(%u, %u, %u)", dims[0], dims[1], dims[2]);
	else if (dims[1] != 1)
		snprintf(text, size, "(%u, %u)", dims[0], dims[1]);
	else
		snprintf(text, size, "%u", dims[0]);
	return text;
}

/* A rate with its unit: 12.3 M/s. */
static void print_rate(FILE *to, double per_second)
{
	static const struct {
		double size;
		const char *unit;
	} units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};

	for (size_t k = 0; k < COUNT_OF(units); k++)
		if (per_second >= units[k].size * ROUNDS_UP) {
			fprintf(to, "%.3g %s", per_second / units[k].size, units[k].unit);
			return;
		}
	fprintf(to, "%.3g ", per_second);
}

static void print_time(FILE *to, double seconds)
{
	if (seconds < 1e-3 * ROUNDS_UP)
		fprintf(to, "%.3g us", seconds * 1e6);
	else if (seconds < ROUNDS_UP)
		fprintf(to, "%.3g ms", seconds * 1e3);
	else
		fprintf(to, seconds < 1e3 * ROUNDS_UP ? "%.3g s" : "%.0f s", seconds);
}

void report_launch(FILE *to, const char *kernel, const u32 grid[3], const u32 block[3], const struct launch_stats *s)
{
	char a[48], b[48];
	const u64 threads = s->blocks * block[0] * block[1] * block[2];
	const u64 blocks = (u64)grid[0] * grid[1] * grid[2];

	fprintf(to, "%s<<<%s, %s>>>: ", kernel, shape(grid, a, sizeof a), shape(block, b, sizeof b));
	fprintf(to, "%s thread%s in ", report_count(threads, a, sizeof a), plural_s(threads));
	fprintf(to, "%s block%s", report_count(s->blocks, a, sizeof a), s->blocks == 1 ? "" : "s");
	if (s->blocks < blocks)
		fprintf(to, " finished, of %s", report_count(blocks, a, sizeof a));
	fprintf(to, "\n");
	fprintf(to, "  time          ");
	print_time(to, s->seconds);
	fprintf(to, " on %u host thread%s\n", s->jobs, s->jobs == 1 ? "" : "s");
	fprintf(to, "  instructions  %s by warps, ", report_count(s->warp_instructions, a, sizeof a));
	fprintf(to, "%s by threads", report_count(s->thread_instructions, a, sizeof a));
	if (s->seconds > 0) {
		fprintf(to, ", ");
		print_rate(to, (double)s->thread_instructions / s->seconds);
		fprintf(to, "instr/s");
	}
	fprintf(to, "\n  divergence    ");
	if (s->warp_instructions)
		fprintf(to, "%.1f of 32 lanes active, ", (double)s->thread_instructions / (double)s->warp_instructions);
	fprintf(to, "%s of ", report_count(s->divergent_branches, a, sizeof a));
	fprintf(to, "%s branches diverged\n", report_count(s->branches, a, sizeof a));
}
