/* SPDX-License-Identifier: Apache-2.0
 *
 * Listings: what each instruction does (tests/sass/README says how cases are written), and what is
 * refused, with its exact diagnostics. Every row of the SASS table that is modelled must have a case.
 * With PTXSIM_ERR_ACTUAL set, prints the diagnostics that come instead of checking them.
 */
#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "evidence.h"
#include "main.h"

enum { WORDS = 64, LANES = 32, DATA = 64, CHANGES = 40, LINE = 4096, PREDICATES_WORD = 63, GUARD = 6 };

/* R4=5, P1=1, M2=7: a register, a predicate or a word of the data. */
struct change {
	char kind;
	u32 number, value;
	bool lane; /* the lane's number */
};
struct test_case {
	char *code, *fault;
	bool whole; /* not to be run for odd lanes alone */
	struct change in[CHANGES], out[CHANGES];
	u32 in_count, out_count;
};

/* --- Reading cases -------------------------------------------------------------------------- */

static char *trim(char *text)
{
	while (isspace((u8)*text))
		text++;
	for (char *end = text + strlen(text); end > text && isspace((u8)end[-1]);)
		*--end = 0;
	return text;
}

/* 5, -1, 0x7f, 1.5f, 2.5d (a pair), inf and nan before f or d, lane. */
static u32 read_changes(char *text, struct change *list)
{
	u32 count = 0;

	for (char *word = strtok(text, " \t"); word; word = strtok(NULL, " \t")) {
		struct change *c = &list[count++];
		char *value = strchr(word, '=');
		ck_assert_msg(value && strchr("RPM", *word) && count < CHANGES - 1, "bad word '%s'", word);
		*value++ = 0;
		*c = (struct change){.kind = *word, .number = (u32)strtoul(word + 1, NULL, 10)};
		const char last = value[strlen(value) - 1];
		const bool hex = !strncmp(value, "0x", 2);
		if (!strcmp(value, "lane")) {
			c->lane = true;
		} else if (!hex && last == 'd') {
			const u64 bits = bits_of_f64(strtod(value, NULL));
			c->value = (u32)bits;
			list[count++] =
				(struct change){.kind = 'R', .number = c->number + 1, .value = (u32)(bits >> 32)};
		} else if (!hex && last == 'f') {
			c->value = bits_of_f32(strtof(value, NULL));
		} else {
			c->value = (u32)strtoll(value, NULL, 0);
		}
	}
	return count;
}

/* False for a line that is no case. */
static bool read_case(char *line, struct test_case *t)
{
	char *code = trim(line);

	*t = (struct test_case){.fault = NULL};
	if (!*code || *code == '#')
		return false;
	char *in = strstr(code, " | ");
	ck_assert_msg(in, "no inputs: %s", code);
	*in = 0;
	char *out = strchr(in + 3, '|');
	ck_assert_msg(out, "no outputs: %s", code);
	*out++ = 0;
	t->whole = *code == '!';
	t->code = trim(code + t->whole);
	t->in_count = read_changes(trim(in + 3), t->in);
	out = trim(out);
	if (!strncmp(out, "fault ", 6))
		t->fault = out + 6;
	else
		t->out_count = read_changes(out, t->out);
	return true;
}

/* --- Listings of cases ---------------------------------------------------------------------- */

static const struct change *find(const struct change *list, u32 count, char kind, u32 number)
{
	for (u32 k = 0; k < count; k++)
		if (list[k].kind == kind && list[k].number == number)
			return &list[k];
	return NULL;
}

static u32 canary(u32 number) { return 0xcafe0000u + number; }

static void add_code(FILE *to, const char *code, bool odd)
{
	char copy[LINE];

	snprintf(copy, sizeof copy, "%s", code);
	for (char *part = strtok(copy, ";"); part; part = strtok(NULL, ";")) {
		part = trim(part);
		char *colon = *part == '.' ? strchr(part, ':') : NULL;
		if (colon) {
			fprintf(to, "%.*s\n", (int)(colon - part + 1), part);
			part = trim(colon + 1);
		}
		fprintf(to, "%s%s;\n", odd && *part != '@' ? "@P6 " : "", part);
	}
}

/* The inputs set, the code, and R0 to R58 and the predicates stored for each lane. */
static void write_listing(FILE *to, const struct test_case *t, bool odd)
{
	u32 predicates = 0;

	fprintf(to, "code for sm_20\nFunction : t\n.param .u32 out;\n.param .u32 data;\n.shared 2048;\n.local 256;\n"
		    ".bank 2 [0x0] = 0x11223344, 0x80000001, 0x0, 0x40040000, 0x7;\n");
	for (u32 n = 0; n < 59; n++) {
		const struct change *c = find(t->in, t->in_count, 'R', n);
		if (c && c->lane)
			fprintf(to, "S2R R%u, SR_LaneId;\n", n);
		else if (c || find(t->out, t->out_count, 'R', n))
			fprintf(to, "MOV32I R%u, 0x%x;\n", n, c ? c->value : canary(n));
	}
	for (u32 n = 0; n < 7; n++) {
		const struct change *c = find(t->in, t->in_count, 'P', n);
		predicates |= c && c->value ? 1u << n : 0;
	}
	fprintf(to, "S2R R61, SR_LaneId;\nLOP.AND R61, R61, 0x1;\nSHL R61, R61, 0x6;\n");
	fprintf(to, odd ? "LOP32I.OR R61, R61, 0x%x;\n" : "MOV32I R61, 0x%x;\n", predicates);
	fprintf(to, "R2P PR, R61, 0x7f;\n");
	add_code(to, t->code, odd);
	fprintf(to, "MOV R60, c[0x0][0x20];\nS2R R61, SR_LaneId;\nISCADD R60, R61, R60, 0x8;\n");
	for (u32 n = 0; n < 59; n++)
		if (find(t->in, t->in_count, 'R', n) || find(t->out, t->out_count, 'R', n))
			fprintf(to, "ST [R60+0x%x], R%u;\n", 4 * n, n);
	fprintf(to, "P2R R62, PR, RZ, 0x7f;\nST [R60+0x%x], R62;\nEXIT;\n", 4 * PREDICATES_WORD);
}

/* --- Running -------------------------------------------------------------------------------- */

struct outcome {
	u32 words[LANES][WORDS];
	u32 data[DATA];
	char text[4096]; /* diagnostics or fault */
	bool ran;
};

static void run_threads(const char *text, u32 threads, struct lock_order order, struct outcome *o)
{
	struct session s;
	const struct lower_options options = {.arch = NULL};
	struct launch_stats stats;
	struct fault fault;

	memset(o, 0, sizeof *o);
	ck_assert(session_open(&s));
	ck_assert(!SESSION_ENTER(&s));
	session_add_text(&s, "t.sass", text, strlen(text));
	if (!session_build(&s, &options)) {
		snprintf(o->text, sizeof o->text, "%s", session_diagnostics(&s, false));
		session_close(&s);
		return;
	}
	for (u32 k = 0; k < DATA; k++)
		o->data[k] = 0x1000 + k;
	const struct code *code = s.program->kernels[0].code;
	for (size_t k = 0; k < code->function->body.count; k++)
		if (code->forms[k].row)
			evidence_note("case", code->forms[k].row);
	const u64 out = memory_attach(&s.memory, (u8 *)o->words, sizeof o->words, "out");
	const u64 data = memory_attach(&s.memory, (u8 *)o->data, sizeof o->data, "data");
	const u32 params[2] = {(u32)out, (u32)data};
	const struct launch l = {.program = s.program,
				 .kernel = &s.program->kernels[0],
				 .memory = &s.memory,
				 .grid = {1, 1, 1},
				 .block = {threads, 1, 1},
				 .params = (const u8 *)params,
				 .instruction_limit = 100000,
				 .lock_order = order};
	const enum launch_status status = launch_run(&l, &stats, &fault, o->text, sizeof o->text);
	if (status == LAUNCH_FAULT)
		fault_describe(&s.memory, &l, &fault, o->text, sizeof o->text);
	o->ran = status == LAUNCH_OK;
	session_close(&s);
}

static void run_listing(const char *text, struct outcome *o)
{
	run_threads(text, LANES, (struct lock_order){.random = false}, o);
}

/* What a place must hold: changed where the code ran, as it was elsewhere. */
static u32 wanted(const struct test_case *t, const struct change *c, u32 lane, bool on)
{
	if (on)
		return c->lane ? lane : c->value;
	const struct change *in = find(t->in, t->in_count, c->kind, c->number);
	if (in)
		return in->lane ? lane : in->value;
	return c->kind == 'R' ? canary(c->number) : c->kind == 'M' ? 0x1000 + c->number : 0;
}

static u32 check_case(const char *file, u32 line, const struct test_case *t, bool odd)
{
	static struct outcome o;
	char *text;
	size_t length;
	u32 bad = 0;
	FILE *to = open_memstream(&text, &length);

	write_listing(to, t, odd);
	fclose(to);
	run_listing(text, &o);
	if (t->fault ? o.ran || !strstr(o.text, t->fault) : !o.ran) {
		printf("%s:%u: %s: %s\n%s\n", file, line, t->code, t->fault ? "wants the fault" : "did not run",
		       o.text);
		bad++;
	}
	for (u32 lane = 0; o.ran && lane < LANES && !bad; lane++)
		for (u32 k = 0; k < t->out_count; k++) {
			const struct change *c = &t->out[k];
			const u32 got = c->kind == 'R'   ? o.words[lane][c->number]
					: c->kind == 'P' ? o.words[lane][PREDICATES_WORD] >> c->number & 1
							 : o.data[c->number];
			const u32 want = wanted(t, c, lane, c->kind == 'M' || !odd || lane & 1);
			if (got == want || (bad && lane))
				continue;
			printf("%s:%u: %s: lane %u%s: %c%u is 0x%x, not 0x%x\n", file, line, t->code, lane,
			       odd ? " (odd lanes run)" : "", c->kind, c->number, got, want);
			bad++;
		}
	free(text);
	return bad;
}

/* --- The suites ----------------------------------------------------------------------------- */

static char folder[1000];

/* Names of the opcodes that cases have run. */
static char seen[1 << 16];

static void note_opcodes(const char *code)
{
	char copy[LINE];

	snprintf(copy, sizeof copy, "%s", code);
	for (char *part = strtok(copy, ";"); part; part = strtok(NULL, ";")) {
		part = trim(part);
		if (*part == '.' && strchr(part, ':'))
			part = trim(strchr(part, ':') + 1);
		if (*part == '@')
			part = trim(part + strcspn(part, " "));
		char name[40];
		snprintf(name, sizeof name, " %.*s ", (int)strcspn(part, ". "), part);
		if (!strstr(seen, name))
			strcat(seen, name);
	}
}

static void each_line(const char *name, u32 *cases, u32 *bad)
{
	char path[2000], line[LINE];
	struct test_case t;
	u32 number = 0;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	while (fgets(line, sizeof line, f)) {
		number++;
		if (!read_case(line, &t))
			continue;
		++*cases;
		note_opcodes(t.code);
		*bad += check_case(name, number, &t, false);
		if (!t.whole && !t.fault)
			*bad += check_case(name, number, &t, true);
	}
	fclose(f);
}

START_TEST(test_instructions)
{
	DIR *d = opendir(folder);
	u32 cases = 0, bad = 0;

	ck_assert(d != NULL);
	for (struct dirent *e; (e = readdir(d));) {
		const size_t length = strlen(e->d_name);
		if (length > 6 && !strcmp(e->d_name + length - 6, ".cases"))
			each_line(e->d_name, &cases, &bad);
	}
	closedir(d);
	printf("%u cases\n", cases);
	ck_assert_uint_gt(cases, 0);
	const struct isa_family *const *families = sem_sass_families(NULL);
	for (u32 k = 0; families[k]; k++)
		for (u32 r = 0; r < families[k]->count; r++) {
			const struct isa_row *row = &families[k]->rows[r];
			char name[40];
			snprintf(name, sizeof name, " %.*s ", (int)strcspn(row->form, ".[( "), row->form);
			if (row->form[0] == '%' || row->flags & ISA_UNMODELLED || strstr(seen, name))
				continue;
			printf("no case for %s\n", row->form);
			bad++;
		}
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/* --- Locks ---------------------------------------------------------------------------------- */

enum { THREADS = 96, ROUNDS = 24 }; /* a warp goes round 24 times before others have their turn */

/* Each thread takes a ticket: the word before it adds one. */
static const char tickets[] =
	"code for sm_20\nFunction : t\n.param .u32 out;\n.param .u32 data;\n.shared 64;\n"
	"S2R R0, SR_Tid_X; ISCADD R2, R0, c[0x0][0x20], 0x2; SSY `(.end);\n"
	".again: LDSLK P0, R3, [0x10]; @P0 IADD R4, R3, 0x1; @P0 STSUL [0x10], R4; @!P0 BRA `(.again); NOP.S;\n"
	".end: ST [R2], R3; EXIT;\n";

/* Every ticket once. */
static void check_tickets(const u32 *got)
{
	bool taken[THREADS] = {false};

	for (u32 t = 0; t < THREADS; t++) {
		ck_assert_uint_lt(got[t], THREADS);
		ck_assert(!taken[got[t]]);
		taken[got[t]] = true;
	}
}

START_TEST(test_lock_order)
{
	static struct outcome first, again;
	u32 shuffled = 0;

	run_threads(tickets, THREADS, (struct lock_order){.random = false}, &first);
	ck_assert_msg(first.ran, "%s", first.text);
	check_tickets(&first.words[0][0]);
	for (u32 t = 0; t < ROUNDS; t++)
		ck_assert_uint_eq((&first.words[0][0])[t], t);
	for (u64 seed = 1; seed <= 8; seed++) {
		run_threads(tickets, THREADS, (struct lock_order){true, seed}, &first);
		run_threads(tickets, THREADS, (struct lock_order){true, seed}, &again);
		ck_assert_msg(first.ran && again.ran, "%s", first.text);
		check_tickets(&first.words[0][0]);
		ck_assert_mem_eq(first.words, again.words, sizeof first.words);
		shuffled += (&first.words[0][0])[0] != 0;
	}
	ck_assert_uint_ge(shuffled, 6);
}
END_TEST

/* Cases of refused listings: as in tests/err, without a frame around the text. */
static u32 check_refused(const char *title, const char *text, const char *want)
{
	struct outcome o;
	struct session s;
	const struct lower_options options = {.arch = NULL};
	char line[2000];
	volatile u32 bad = 0;

	ck_assert(session_open(&s));
	ck_assert(!SESSION_ENTER(&s));
	session_add_text(&s, "t.sass", text, strlen(text));
	session_build(&s, &options);
	*o.text = 0;
	for (size_t k = 0; k < s.diags.list.count; k++) {
		const struct diag *g = &s.diags.list.items[k];
		u32 row, column;
		source_place(s.sources.files.items[0], g->span.begin, &row, &column);
		snprintf(line, sizeof line, "%u:%u: %s: %s\n%s%s%s", row, column,
			 g->severity == DIAG_ERROR ? "error" : "warning", g->message, g->hint ? "  hint: " : "",
			 g->hint ? g->hint : "", g->hint ? "\n" : "");
		strncat(o.text, line, sizeof o.text - strlen(o.text) - 1);
	}
	if (getenv("PTXSIM_ERR_ACTUAL")) {
		printf("=== %s\n%s---\n%s", title, text, o.text);
	} else if (strcmp(o.text, want)) {
		printf("%s: these came:\n%snot these:\n%s", title, o.text, want);
		bad = 1;
	}
	session_close(&s);
	return bad;
}

START_TEST(test_refused)
{
	char path[2000], *text = NULL;
	size_t room = 0;
	u32 bad = 0, cases = 0;

	snprintf(path, sizeof path, "%s/refused.err", folder);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	ck_assert(getdelim(&text, &room, 0, f) > 0);
	fclose(f);
	for (char *at = strstr(text, "=== "); at;) {
		char *next = strstr(at + 4, "\n=== "), *title = at + 4;
		if (next)
			*++next = 0;
		char *body = strchr(title, '\n');
		ck_assert(body != NULL);
		*body++ = 0;
		char *rule = strstr(body, "---\n");
		ck_assert_msg(rule != NULL, "no --- in '%s'", title);
		*rule = 0;
		if (next)
			*next = 0;
		bad += check_refused(title, body, rule + 4);
		cases++;
		if (next)
			*next = '=';
		at = next;
	}
	free(text);
	ck_assert_uint_gt(cases, 10);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

UNIT_TESTS("sass", 60)
{
	const char *srcdir = getenv("srcdir");

	snprintf(folder, sizeof folder, "%s/tests/sass", srcdir ? srcdir : "..");
	UNIT_TEST(test_instructions);
	UNIT_TEST(test_lock_order);
	UNIT_TEST(test_refused);
}
