/* SPDX-License-Identifier: Apache-2.0
 *
 * metrics-run: runs recorded memory patterns through the simulator with the accounting on (PTXSIM_NATIVE=always: by native code), and
 * compares the counters with what Nsight Compute read on an H200. A folder holds patterns.csv,
 * the packs' .cases and .in, and metrics.txt: a metric named there without a row was read as 0.
 */
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "observe/counters.h"
#include "tests/golden/pack.h"
#include "tests/metrics/known.h"
#include "tests/metrics/opcodes.h"
#include "tests/metrics/recorded.h"
#include "tests/metrics/programs.h"

enum { KEY = 256, SLOTS = 1 << 18 };

struct value {
	const char *key;
	double number;
};

/* A metric of a pack; how often it was met. */
struct metric {
	const char *pack, *name;
	const struct counter *counter; /* NULL: not modelled */
	u32 rows;
};

struct runner {
	struct arena arena;
	const char *folder, *cubins; /* NULL: the PTX itself runs */
	struct value *values;        /* keyed "pack pattern metric" */
	VEC_OF(struct metric) metrics;
	u32 passed, failed, known;
	bool *met, *needed; /* by known difference: its pattern ran; a value differed */
};

/* --- What the assembler adds ----------------------------------------------------------------- */

/* Machine code reads constants that PTX does not name (each warp's stack pointer), and some
 * parameters by an instruction of their own, as the assembler chose: the pointer to the table. */
static const struct own_reads {
	const char *kernel, *metric;
	u32 count;
} own_reads[] = {
	{"const_*", "idc__requests.sum", 2}, {"const_*", "smsp__inst_executed_op_ldc.sum", 2},
	{"loc_*", "idc__requests.sum", 1},   {"loc_*", "smsp__inst_executed_op_ldc.sum", 1},
	{"loc_b64", "idc__requests.sum", 1}, {"loc_b64", "smsp__inst_executed_op_ldc.sum", 1},
	{"div_*", "idc__requests.sum", 2},   {"div_*", "smsp__inst_executed_op_ldc.sum", 2},
};

static bool covers(const char *pattern, const char *text) { return !fnmatch(pattern, text, 0); }

/* --- The recorded values --------------------------------------------------------------------- */

static struct value *slot_of(const struct runner *r, const char *key)
{
	u32 hash = 2166136261u;

	for (const char *c = key; *c; c++)
		hash = (hash ^ (u8)*c) * 16777619u;
	while (r->values[hash % SLOTS].key && strcmp(r->values[hash % SLOTS].key, key))
		hash++;
	return &r->values[hash % SLOTS];
}

static struct metric *metric_of(struct runner *r, const char *pack, const char *name)
{
	for (size_t k = 0; k < r->metrics.count; k++)
		if (!strcmp(r->metrics.items[k].pack, pack) && !strcmp(r->metrics.items[k].name, name))
			return &r->metrics.items[k];
	const struct counter *c = counters_find(name);
	const struct metric fresh = {
		.pack = arena_copy_text(&r->arena, pack, strlen(pack)),
		.name = arena_copy_text(&r->arena, name, strlen(name)),
		/* What is counted for the launch as a whole counts PTX instructions. */
		.counter = c && (r->cubins || !c->facts[0]) ? c : NULL,
	};
	VEC_PUSH(&r->arena, &r->metrics, fresh);
	return &r->metrics.items[r->metrics.count - 1];
}

/* The source counters were read for a sample only, and have a row wherever they were. */
static bool of_source(const char *metric)
{
	return !strncmp(metric, "smsp__sass_", 11) || !strncmp(metric, "memory_", 7);
}

/* pattern,kernel,parameters,metric,value; the parameters start with "pack=NAME;". */
static bool read_values(struct runner *r)
{
	char *rest = NULL, key[KEY];
	struct bytes text;

	if (!pack_read_file(&r->arena, arena_printf(&r->arena, "%s/patterns.csv", r->folder), &text))
		return false;
	for (char *line = strtok_r((char *)text.data, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
		char *field[5], *inner = NULL;
		int n = 0;
		for (char *f = strtok_r(line, ",", &inner); f && n < 5; f = strtok_r(NULL, ",", &inner))
			field[n++] = f;
		if (n != 5 || strncmp(field[2], "pack=", 5))
			continue;
		char *pack = field[2] + 5;
		pack[strcspn(pack, ";")] = 0;
		metric_of(r, pack, field[3])->rows++;
		snprintf(key, sizeof key, "%s %s %s", pack, field[0], field[3]);
		struct value *v = slot_of(r, key);
		if (!v->key)
			v->key = arena_copy_text(&r->arena, key, strlen(key));
		v->number = strtod(field[4], NULL);
	}
	return true;
}

static void read_metrics(struct runner *r)
{
	char *rest = NULL, pack[64], name[160];
	struct bytes text;

	if (!pack_read_file(&r->arena, arena_printf(&r->arena, "%s/metrics.txt", r->folder), &text))
		return;
	for (char *line = strtok_r((char *)text.data, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
		if (sscanf(line, "%63s %159s", pack, name) == 2)
			metric_of(r, pack, name);
}

/* --- One pattern ----------------------------------------------------------------------------- */

static bool prepare_arguments(struct session *s, const struct pack *p, const struct pack_case *c,
			      const struct kernel *k, u8 *params)
{
	for (u32 a = 0; a < c->arg_count; a++) {
		const struct pack_argument *g = &c->args[a];
		const u64 room = k->function->params.items[a]->size;
		u64 address = 0;
		const void *from = &address;
		u64 bytes = sizeof address;
		if (g->kind == ARG_IN || g->kind == ARG_OUT || g->kind == ARG_INOUT) {
			if (g->in > p->in.size || g->length > p->in.size - g->in)
				return false;
			/* As the tag stage's hash wants it: see the recordings' rules. */
			address = memory_allocate(&s->memory, g->length, 65536, "an argument", 0);
			if (!address)
				return false;
			memcpy(memory_find(&s->memory, address, 1)->host, p->in.data + g->in, g->length);
		} else {
			from = g->kind == ARG_RAW ? (const void *)(p->in.data + g->in) : (const void *)&g->value;
			bytes = g->length;
		}
		memcpy(params + k->param_offsets[a], from, bytes < room ? bytes : room);
	}
	return true;
}

/* NULL with a message if the pattern does not run. */
static const struct account_run *run_pattern(struct session *s, struct accounting *a, struct arena *arena,
					     const struct pack *p, const struct pack_case *c, char *message,
					     size_t size)
{
	const struct kernel *k = program_kernel(s->program, c->entry);
	struct observer *const observers[] = {accounting_observer(a), NULL};
	struct launch_stats stats;
	struct fault fault;

	snprintf(message, size, "cannot be launched");
	if (!k || k->function->params.count != c->arg_count || !session_reset_memory(s))
		return NULL;
	u8 *params = arena_alloc(arena, k->param_bytes + 1);
	if (!prepare_arguments(s, p, c, k, params))
		return NULL;
	struct launch l = {.program = s->program,
			   .kernel = k,
			   .memory = &s->memory,
			   .jobs = 1,
			   .dynamic_shared = c->shared_bytes,
			   .params = params,
			   .observers = observers};
	enum native_mode native;
	native_mode_read(NULL, &native); /* the environment's */
	l.native = session_native(s, s->program, k, native);
	memcpy(l.grid, c->grid, sizeof l.grid);
	memcpy(l.block, c->block, sizeof l.block);
	accounting_begin(a);
	switch (launch_run(&l, &stats, &fault, message, size)) {
	case LAUNCH_OK:
		return accounting_end(a, arena, &l, &stats);
	case LAUNCH_FAULT:
		fault_describe(&s->memory, &l, &fault, message, size);
		message[strcspn(message, "\n")] = 0;
		return NULL;
	default:
		return NULL;
	}
}

static void compare(struct runner *r, const struct pack *p, const struct pack_case *c, const struct metric *m,
		    const struct account_run *run)
{
	const bool source = of_source(m->name);
	char key[KEY];

	snprintf(key, sizeof key, "%s %s %s", p->base, c->name, m->name);
	const struct value *v = slot_of(r, key);
	/* Several warps also meet at the data stage: only the source counters add up over warps. */
	if (source ? !v->key : c->block[0] > WARP_LANES)
		return;
	double counted = counter_value(m->counter, run);
	for (size_t k = 0; !r->cubins && k < COUNT_OF(own_reads); k++)
		if (covers(own_reads[k].kernel, c->entry) && !strcmp(own_reads[k].metric, m->name))
			counted += own_reads[k].count;
	const double recorded = v->key ? v->number : 0;
	const struct known *known = r->cubins ? known_of_machine_code(c->name, m->name) : known_find(c->name, m->name);
	if (counted == recorded) {
		r->passed++;
		return;
	}
	printf("%s %s: recorded %.17g, counted %.17g%s%s\n", c->name, m->name, recorded, counted,
	       known ? "; known: " : "", known ? known->reason : "");
	if (known && !r->cubins)
		r->needed[known - known_differences] = true;
	*(known ? &r->known : &r->failed) += 1;
}

static void run_case(struct runner *r, struct session *s, struct accounting *a, const struct pack *p,
		     const struct pack_case *c)
{
	struct arena arena;
	char message[1024];

	arena_init(&arena, NULL);
	const struct account_run *run = run_pattern(s, a, &arena, p, c, message, sizeof message);
	if (!run) {
		printf("%s: %s\n", c->name, message);
		r->failed++;
	}
	for (size_t k = 0; k < known_count; k++)
		r->met[k] |= !strcmp(known_differences[k].pattern, c->name);
	for (size_t k = 0; run && k < r->metrics.count; k++)
		if (r->metrics.items[k].counter && !strcmp(r->metrics.items[k].pack, p->base))
			compare(r, p, c, &r->metrics.items[k], run);
	arena_free(&arena);
}

/* --- Packs ----------------------------------------------------------------------------------- */

/* The module, or the machine code that the assembler made of it. */
static void add_module(struct runner *r, struct session *s, const struct pack *p, const char *module)
{
	struct bytes text;

	if (r->cubins ? recorded_cubin(s, r->cubins, module)
		      : pack_read_file(&s->arena, arena_printf(&s->arena, "%s%s", p->folder, module), &text)) {
		if (!r->cubins)
			session_add_text(s, module, (const char *)text.data, text.size);
		return;
	}
	fprintf(stderr, "metrics-run: the code of %s cannot be read\n", module);
	exit(2);
}

static void run_module(struct runner *r, const struct pack *p, const char *module)
{
	const struct lower_options options = {.allow_unmodelled = true, .arch = "sm_90"};
	struct session s;

	if (!session_open(&s) || SESSION_ENTER(&s)) {
		fprintf(stderr, "metrics-run: no memory left\n");
		exit(2);
	}
	add_module(r, &s, p, module);
	const bool built = session_build(&s, &options);
	if (!built)
		printf("%s", session_diagnostics(&s, false));
	struct accounting *a = built ? accounting_new(&s.arena, s.program, NULL) : NULL;
	for (size_t k = 0; k < p->cases.count; k++) {
		if (!p->cases.items[k].module || strcmp(p->cases.items[k].module, module))
			continue;
		if (a)
			run_case(r, &s, a, p, &p->cases.items[k]);
		else
			r->failed++;
	}
	if (a)
		accounting_free(a);
	session_close(&s);
}

static void run_pack(struct runner *r, const char *path)
{
	const char *stem = arena_copy_text(&r->arena, path, (size_t)(strstr(path, ".cases") - path));
	const struct pack *p = pack_read(&r->arena, stem);

	if (!p)
		exit(2);
	for (size_t k = 0; k < p->cases.count; k++) {
		const char *module = p->cases.items[k].module;
		bool seen = !module;
		for (size_t x = 0; x < k && !seen; x++)
			seen = p->cases.items[x].module && !strcmp(p->cases.items[x].module, module);
		if (!seen)
			run_module(r, p, module);
	}
}

static bool run_packs(struct runner *r)
{
	static const char *const endings[] = {"/*.cases", "/*.cases.gz"};
	size_t found = 0;

	for (size_t k = 0; k < COUNT_OF(endings); k++) {
		glob_t paths;
		if (glob(arena_printf(&r->arena, "%s%s", r->folder, endings[k]), 0, NULL, &paths))
			continue;
		for (size_t n = 0; n < paths.gl_pathc; n++)
			run_pack(r, paths.gl_pathv[n]);
		found += paths.gl_pathc;
		globfree(&paths);
	}
	return found != 0;
}

/* A pattern that is listed and differs no longer fails, so that the list stays true. */
static void check_known(struct runner *r)
{
	for (size_t k = 0; k < known_count; k++) {
		if (!r->met[k] || r->needed[k])
			continue;
		printf("%s %s: equal, but listed: %s\n", known_differences[k].pattern, known_differences[k].metric,
		       known_differences[k].reason);
		r->failed++;
	}
}

static void list_unmodelled(struct runner *r)
{
	for (size_t k = 0; k < r->metrics.count; k++) {
		const struct metric *m = &r->metrics.items[k];
		u32 rows = 0;
		bool first = true;
		for (size_t x = 0; x < r->metrics.count; x++) {
			if (strcmp(r->metrics.items[x].name, m->name))
				continue;
			first &= x >= k;
			rows += r->metrics.items[x].rows;
		}
		if (!m->counter && first)
			printf("not modelled: %s, %u rows\n", m->name, rows);
	}
}

int main(int count, char **words)
{
	struct runner r = {0};

	if (count == 4 && !strcmp(words[1], "--programs"))
		return programs_run(stdout, words[2], words[3]);
	if (count == 5 && !strcmp(words[1], "--cubins"))
		return opcodes_run(words[3], words[4], words[2]);
	if (count != 2 && count != 3) {
		fprintf(stderr, "usage: metrics-run FOLDER [CUBINS]\n"
				"       metrics-run --cubins CUBINS COUNTERS.csv PACKS\n"
				"       metrics-run --programs PROGRAMS.csv PACKS >docs/programs.md\n");
		return 2;
	}
	arena_init(&r.arena, NULL);
	r.folder = words[1];
	r.cubins = count == 3 ? words[2] : NULL;
	r.values = ARENA_ARRAY(&r.arena, SLOTS, struct value);
	if (!read_values(&r)) {
		fprintf(stderr, "metrics-run: %s/patterns.csv cannot be read\n", r.folder);
		return 2;
	}
	read_metrics(&r);
	r.met = ARENA_ARRAY(&r.arena, known_count, bool);
	r.needed = ARENA_ARRAY(&r.arena, known_count, bool);
	if (!run_packs(&r)) {
		fprintf(stderr, "metrics-run: %s has no packs\n", r.folder);
		return 2;
	}
	if (!r.cubins)
		check_known(&r);
	list_unmodelled(&r);
	if (r.known)
		printf("%u values differ for the reasons given\n", r.known);
	printf("%u passed, %u failed\n", r.passed, r.failed);
	arena_free(&r.arena);
	return r.failed ? 1 : 0;
}
