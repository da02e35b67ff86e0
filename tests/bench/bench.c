/* SPDX-License-Identifier: Apache-2.0
 *
 * bench FOLDER [--reps N] [--kernels "A B"] [--json FILE] [--against peers|sass]: runs the problems of list.h on ptxsim,
 * on PoCL, in plain C and as a copy of as many bytes, or on ptxsim once more from machine code, with one and with two
 * threads. Each of these is a process of its own that waits for its turn, so the repetitions are interleaved; the first is
 * not counted, every result is checked, the table shows medians.
 *
 * What two threads can reach is the machine's to say: its processors may share a core, a cache, the way to memory, their clock.
 * So two processes also run ptxsim with one thread each at the same time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define K(name) void make_##name(struct problem *p);
#include "list.h"
#undef K

static const struct {
	const char *name;
	void (*make)(struct problem *p);
} all[] = {
#define K(name) {#name, make_##name},
#include "list.h"
#undef K
};

enum { PTXSIM, PLAIN, COPY, POCL, PEERS, SASS = PLAIN };
enum { ALL = sizeof all / sizeof *all, THREADS = 2, MAX_REPS = 99 };

struct against {
	const char *name;
	int count;
	const struct peer_kind *kinds[PEERS];
};
static const struct against against_peers = {
	"peers",
#ifdef WITH_POCL
	4,
	{&peer_ptxsim, &peer_plain, &peer_copy, &peer_pocl},
#else
	3,
	{&peer_ptxsim, &peer_plain, &peer_copy},
#endif
};
static const struct against against_sass = {"sass", 2, {&peer_ptxsim, &peer_sass}};

struct options {
	const char *folder, *kernels;
	const struct against *against;
	FILE *json;
	int reps;
};

/* --- Turns ------------------------------------------------------------------------------------ */

struct turn {
	double begin, wall, processor; /* seconds */
	uint64_t instructions, warp_instructions;
	long peak_kb;
	bool right;
};

struct child {
	int commands, answers;
	pid_t id;
};

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct turn run_turn(const struct peer_kind *kind, struct peer *r)
{
	struct rusage usage;
	struct turn t = {.begin = seconds_of(CLOCK_MONOTONIC), .processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID)};

	t.right = kind->run(r);
	t.processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - t.processor;
	t.wall = seconds_of(CLOCK_MONOTONIC) - t.begin;
	t.instructions = r->instructions;
	t.warp_instructions = r->warp_instructions;
	t.right = t.right && (!kind->output || check_output(r->p, kind->name, kind->output(r)));
	getrusage(RUSAGE_SELF, &usage);
	t.peak_kb = usage.ru_maxrss;
	return t;
}

/* Runs in the child: fills the buffers for each f that comes, and has a turn for each g, until the pipe ends. */
static void serve(const struct peer_kind *kind, struct peer *r, int commands, int answers)
{
	const bool opened = kind->open(r);
	char c;

	while (read(commands, &c, 1) == 1) {
		struct turn t = {.right = false};
		if (opened && c == 'f')
			t.right = kind->fill(r);
		else if (opened)
			t = run_turn(kind, r);
		if (write(answers, &t, sizeof t) != sizeof t)
			break;
	}
	_exit(0);
}

static struct child start(const struct peer_kind *kind, const struct problem *p, const char *folder, uint32_t threads)
{
	int to[2], from[2];
	struct child c;

	fflush(NULL);
	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) || (c.id = fork()) < 0) {
		perror("bench");
		exit(2);
	}
	if (!c.id) {
		struct peer r = {.p = p, .folder = folder, .threads = threads};
		close(to[1]);
		close(from[0]);
		serve(kind, &r, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	c.commands = to[1];
	c.answers = from[0];
	return c;
}

static void stop(const struct child *c)
{
	close(c->commands);
	kill(c->id, SIGTERM); /* a child holds the ends of those before it */
	close(c->answers);
	waitpid(c->id, NULL, 0);
}

static bool tell(const struct child *c, const char *command) { return write(c->commands, command, 1) == 1; }

static struct turn hear(const struct child *c)
{
	struct turn t;

	if (read(c->answers, &t, sizeof t) != sizeof t)
		t = (struct turn){.right = false};
	return t;
}

static bool fill(const struct child *c) { return tell(c, "f") && hear(c).right; }

static struct turn take(const struct child *c)
{
	return fill(c) && tell(c, "g") ? hear(c) : (struct turn){.right = false};
}

/* Both at the same time. */
static void take_both(const struct child *c[2], struct turn t[2])
{
	const bool filled = fill(c[0]) && fill(c[1]);

	t[0] = t[1] = (struct turn){.right = false};
	if (!filled || !tell(c[0], "g") || !tell(c[1], "g"))
		return;
	for (int k = 0; k < 2; k++)
		t[k] = hear(c[k]);
}

/* --- Results ---------------------------------------------------------------------------------- */

/* Medians; 0: not measured. */
struct result {
	double wall[PEERS][THREADS], processor[PEERS][THREADS];
	long peak_kb[PEERS][THREADS];
	uint64_t instructions[PEERS], warp_instructions[PEERS];
	double at_once; /* seconds that two processes take of which each runs ptxsim with one thread */
	bool wrong[PEERS];
};

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *list, int count)
{
	qsort(list, (size_t)count, sizeof *list, by_size);
	return count % 2 ? list[count / 2] : (list[count / 2 - 1] + list[count / 2]) / 2;
}

struct samples {
	double wall[PEERS][THREADS][MAX_REPS], processor[PEERS][THREADS][MAX_REPS];
	double at_once[MAX_REPS];
};

/* rep -1 warms up. */
static void take_all(struct child children[PEERS][THREADS], int count, struct samples *s, int rep, struct result *out)
{
	for (int t = 0; t < THREADS; t++)
		for (int k = 0; k < count; k++) {
			const struct turn turn = take(&children[k][t]);
			if (!turn.right)
				out->wrong[k] = true;
			if (turn.instructions) {
				out->instructions[k] = turn.instructions;
				out->warp_instructions[k] = turn.warp_instructions;
			}
			out->peak_kb[k][t] = turn.peak_kb;
			if (rep < 0)
				continue;
			s->wall[k][t][rep] = turn.wall;
			s->processor[k][t][rep] = turn.processor;
		}
}

/* From when the first begins to when the last ends: on a busy machine one may have to wait for the other. */
static void take_twins(const struct child *one, const struct child *twin, struct samples *s, int rep,
		       struct result *out)
{
	struct turn t[2];

	take_both((const struct child *[]){one, twin}, t);
	if (!t[0].right || !t[1].right)
		out->wrong[PTXSIM] = true;
	else if (rep >= 0)
		s->at_once[rep] = fmax(t[0].begin + t[0].wall, t[1].begin + t[1].wall) - fmin(t[0].begin, t[1].begin);
}

static void measure(const struct problem *p, const struct options *o, struct samples *s, struct result *out)
{
	const struct against *a = o->against;
	struct child children[PEERS][THREADS];
	const struct child twin = start(a->kinds[PTXSIM], p, o->folder, 1);

	for (int k = 0; k < a->count; k++)
		for (int t = 0; t < THREADS; t++)
			children[k][t] = start(a->kinds[k], p, o->folder, (uint32_t)t + 1);
	for (int rep = -1; rep < o->reps; rep++) {
		take_all(children, a->count, s, rep, out);
		take_twins(&children[PTXSIM][0], &twin, s, rep, out);
	}
	out->at_once = median(s->at_once, o->reps);
	stop(&twin);
	for (int k = 0; k < a->count; k++)
		for (int t = 0; t < THREADS; t++) {
			out->wall[k][t] = median(s->wall[k][t], o->reps);
			out->processor[k][t] = median(s->processor[k][t], o->reps);
			stop(&children[k][t]);
		}
}

static double ratio(double of, double by) { return by > 0 && of > 0 ? of / by : NAN; }

static void print_load(int reps, const char *more)
{
	double load = 0;

	getloadavg(&load, 1);
	printf("load before: %.2f; medians of %d; %s\n", load, reps, more);
}

static void print_head(int reps)
{
	print_load(reps, "a ratio above 1: ptxsim is faster");
	printf("%-13s %7s %5s %6s %8s %6s %8s %6s %8s %6s %6s | %6s %6s %6s %6s | %6s %6s %6s %6s\n",
	       "one thread:", "M instr", "lanes", "ns/w", "ms", "G/s", "PoCL ms", "/PoCL", "C ms", "/C", "/copy",
	       "2 thr", "2 proc", "/PoCL", "/C", "CPU", "/PoCL", "/C", "/copy");
}

static void print_result(const char *name, const struct result *r)
{
	double one[PEERS], two[PEERS];
	const double count = (double)r->instructions[PTXSIM], warps = (double)r->warp_instructions[PTXSIM];

	for (int k = 0; k < PEERS; k++) {
		one[k] = r->wall[k][0];
		two[k] = r->wall[k][1];
	}
	printf("%-13s %7.1f %5.1f %6.1f %8.2f %6.2f %8.2f %6.2f %8.2f %6.3f %6.2f |", name, count / 1e6,
	       ratio(count, warps), 1e9 * ratio(one[PTXSIM], warps), one[PTXSIM] * 1e3, count / one[PTXSIM] / 1e9,
	       one[POCL] * 1e3, ratio(one[POCL], one[PTXSIM]), one[PLAIN] * 1e3, ratio(one[PLAIN], one[PTXSIM]),
	       ratio(one[COPY], one[PTXSIM]));
	printf(" %6.2f %6.2f %6.2f %6.3f | %6.2f %6.2f %6.3f %6.2f%s%s%s\n", ratio(one[PTXSIM], two[PTXSIM]),
	       2 * ratio(one[PTXSIM], r->at_once), ratio(two[POCL], two[PTXSIM]), ratio(two[PLAIN], two[PTXSIM]),
	       count / r->processor[PTXSIM][0] / 1e9, ratio(r->processor[POCL][0], r->processor[PTXSIM][0]),
	       ratio(r->processor[PLAIN][0], r->processor[PTXSIM][0]),
	       ratio(r->processor[COPY][0], r->processor[PTXSIM][0]), r->wrong[PTXSIM] ? " ptxsim WRONG" : "",
	       r->wrong[POCL] ? " PoCL WRONG" : "", r->wrong[PLAIN] ? " plain C WRONG" : "");
	fflush(stdout);
}

static void print_sass_head(int reps)
{
	print_load(reps, "a ratio above 1: machine code is faster than PTX");
	printf("%-13s %8s %8s %8s %8s | %8s %8s %8s %8s %8s | %6s %6s\n", "one thread:", "PTX M", "ms", "ns/w", "G/s",
	       "SASS M", "ms", "ns/w", "G/s", "ratio", "CPU", "2 thr");
}

static void print_sass_result(const char *name, const struct result *r)
{
	double count[2], warps[2];

	for (int k = 0; k < 2; k++) {
		count[k] = (double)r->instructions[k];
		warps[k] = (double)r->warp_instructions[k];
	}
	printf("%-13s %8.1f %8.2f %8.2f %8.2f |", name, count[PTXSIM] / 1e6, r->wall[PTXSIM][0] * 1e3,
	       1e9 * ratio(r->wall[PTXSIM][0], warps[PTXSIM]), count[PTXSIM] / r->wall[PTXSIM][0] / 1e9);
	printf(" %8.1f %8.2f %8.2f %8.2f %8.2f |", count[SASS] / 1e6, r->wall[SASS][0] * 1e3,
	       1e9 * ratio(r->wall[SASS][0], warps[SASS]), count[SASS] / r->wall[SASS][0] / 1e9,
	       ratio(r->wall[PTXSIM][0], r->wall[SASS][0]));
	printf(" %6.2f %6.2f%s%s\n", ratio(r->processor[PTXSIM][0], r->processor[SASS][0]),
	       ratio(r->wall[PTXSIM][1], r->wall[SASS][1]), r->wrong[PTXSIM] ? " PTX WRONG" : "",
	       r->wrong[SASS] ? " SASS WRONG" : "");
	fflush(stdout);
}

static void print_json(const struct options *o, const char *name, const struct result *r, bool first)
{
	FILE *json = o->json;

	for (int k = 0; json && k < o->against->count; k++)
		for (int t = 0; t < THREADS; t++)
			fprintf(json,
				"%s\n  {\"kernel\": \"%s\", \"who\": \"%s\", \"threads\": %d, \"seconds\": %.6f, "
				"\"processor_seconds\": %.6f, \"thread_instructions\": %llu, "
				"\"instructions_per_second\": %.0f, \"peak_kb\": %ld, \"right\": %s}",
				first && !k && !t ? "" : ",", name, o->against->kinds[k]->name, t + 1, r->wall[k][t],
				r->processor[k][t], (unsigned long long)r->instructions[k],
				(double)r->instructions[k] / r->wall[k][t], r->peak_kb[k][t],
				r->wrong[k] ? "false" : "true");
}

/* Logarithms of ratios, summed over kernels: of all, and of the first six. */
struct sums {
	int count;
	double rate, pocl, plain, pocl_processor, plain_processor, two, at_once, sass, sass_processor, sass_rate;
};

static void add_result(struct sums *s, const struct result *r)
{
	s->count++;
	s->rate += log((double)r->instructions[PTXSIM] / r->wall[PTXSIM][0]);
	s->sass_rate += log((double)r->instructions[SASS] / r->wall[SASS][0]);
	s->sass += log(ratio(r->wall[PTXSIM][0], r->wall[SASS][0]));
	s->sass_processor += log(ratio(r->processor[PTXSIM][0], r->processor[SASS][0]));
	s->pocl += log(ratio(r->wall[POCL][0], r->wall[PTXSIM][0]));
	s->plain += log(ratio(r->wall[PLAIN][0], r->wall[PTXSIM][0]));
	s->pocl_processor += log(ratio(r->processor[POCL][0], r->processor[PTXSIM][0]));
	s->plain_processor += log(ratio(r->processor[PLAIN][0], r->processor[PTXSIM][0]));
	s->two += log(ratio(r->wall[PTXSIM][0], r->wall[PTXSIM][1]));
	s->at_once += log(2 * ratio(r->wall[PTXSIM][0], r->at_once));
}

static void print_sums(const struct sums *s, const struct against *against)
{
	if (s->count && against == &against_sass)
		printf("geometric means of %d: PTX %.2f G/s, SASS %.2f G/s; SASS in %.2f of PTX's speed, %.2f by "
		       "processor time\n",
		       s->count, exp(s->rate / s->count) / 1e9, exp(s->sass_rate / s->count) / 1e9,
		       exp(s->sass / s->count), exp(s->sass_processor / s->count));
	else if (s->count)
		printf("geometric means of %d: %.2f G/s, %.2f of PoCL, %.3f of plain C (%.2f and %.3f by processor "
		       "time), two threads %.2f times one, two processes at once %.2f times one\n",
		       s->count, exp(s->rate / s->count) / 1e9, exp(s->pocl / s->count), exp(s->plain / s->count),
		       exp(s->pocl_processor / s->count), exp(s->plain_processor / s->count), exp(s->two / s->count),
		       exp(s->at_once / s->count));
}

/* --- The program ------------------------------------------------------------------------------ */

static bool has_word(const char *words, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += length)
		if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

static bool read_options(struct options *o, int count, char **words)
{
	if (count < 2 || count % 2)
		return false;
	o->folder = words[1];
	for (int k = 2; k + 1 < count; k += 2)
		if (!strcmp(words[k], "--reps"))
			o->reps = atoi(words[k + 1]);
		else if (!strcmp(words[k], "--kernels"))
			o->kernels = words[k + 1];
		else if (!strcmp(words[k], "--json"))
			o->json = fopen(words[k + 1], "w");
		else if (!strcmp(words[k], "--against"))
			o->against = strcmp(words[k + 1], "sass") ? &against_peers : &against_sass;
		else
			return false;
	return o->reps > 0 && o->reps <= MAX_REPS;
}

/* Whether all was right. */
static bool run_problem(int number, const struct options *o, struct sums *sums, struct sums *six)
{
	struct problem *p = zeroed(sizeof *p);
	struct samples *samples = zeroed(sizeof *samples);
	struct result r = {.instructions = {0}};
	bool right = true;

	p->name = all[number].name;
	all[number].make(p);
	measure(p, o, samples, &r);
	if (o->against == &against_sass)
		print_sass_result(p->name, &r);
	else
		print_result(p->name, &r);
	print_json(o, p->name, &r, !sums->count);
	add_result(sums, &r);
	if (number < 6)
		add_result(six, &r);
	for (int k = 0; k < o->against->count; k++)
		right &= !r.wrong[k];
	free(samples);
	free_problem(p);
	return right;
}

int main(int count, char **words)
{
	struct options o = {.reps = 5, .against = &against_peers};
	struct sums sums = {.count = 0}, six = {.count = 0};
	bool right = true;

	if (!read_options(&o, count, words)) {
		fputs("usage: bench FOLDER [--reps N] [--kernels \"A B\"] [--json FILE] [--against peers|sass]\n",
		      stderr);
		return 2;
	}
	if (o.json)
		fputs("[", o.json);
	if (o.against == &against_sass)
		print_sass_head(o.reps);
	else
		print_head(o.reps);
	for (int k = 0; k < ALL; k++)
		if (!o.kernels || has_word(o.kernels, all[k].name))
			right &= run_problem(k, &o, &sums, &six);
	if (six.count < sums.count)
		print_sums(&six, o.against);
	print_sums(&sums, o.against);
	if (o.json && (fputs("\n]\n", o.json) < 0 || fclose(o.json))) {
		perror("bench");
		return 2;
	}
	return right ? 0 : 1;
}
