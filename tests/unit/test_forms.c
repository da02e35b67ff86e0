/* SPDX-License-Identifier: Apache-2.0
 *
 * Every form that the manual and the assembler know: tests/forms/NAME.forms, whose language tests/forms/README
 * explains. Each pattern is expanded and each form put into a kernel: the legal ones are taken from their
 * version and target on and refused just below; all others are refused.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "isa/tokens.h"
#include "main.h"

enum { LONGEST = 360, BATCH = 400 };

/* One form of a section, and since when it is legal: 0 never, ANY_VERSION without a check of versions. */
enum { ANY_VERSION = 1 };
struct entry {
	char text[LONGEST];
	u32 ptx, sm;
	bool skipped;
};

struct section {
	struct entry *items;
	size_t count, capacity;
	char operands[LONGEST];
	char place[80];
	/* While a pattern is expanded: add entries, or mark those there. */
	bool adding, skipping;
	u32 ptx, sm;
};

/* --- Patterns ------------------------------------------------------------------------------- */

static int compare_entries(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->text, ((const struct entry *)b)->text);
}

static void take(struct section *s, const char *text)
{
	if (s->adding) {
		if (s->count == s->capacity) {
			s->capacity = s->capacity ? 2 * s->capacity : 1024;
			s->items = realloc(s->items, s->capacity * sizeof *s->items);
			ck_assert_ptr_nonnull(s->items);
		}
		memset(&s->items[s->count], 0, sizeof *s->items);
		snprintf(s->items[s->count++].text, LONGEST, "%s", text);
		return;
	}
	struct entry key;
	snprintf(key.text, sizeof key.text, "%s", text);
	struct entry *found = bsearch(&key, s->items, s->count, sizeof key, compare_entries);
	ASSERT_EACH(found, "%s: '%s' is not in its section", s->place, text);
	found->ptx = s->ptx;
	found->sm = s->sm;
	found->skipped |= s->skipping;
}

/* What stands at `p` is to be written behind the `used` bytes of `text`. */
static void expand(struct section *s, char *text, size_t used, const char *p)
{
	for (; *p && *p != '[' && *p != '('; p++) {
		ASSERT_EACH(used < LONGEST - 1, "a form of %zu bytes", (size_t)used);
		if (*p != ' ')
			text[used++] = *p;
	}
	if (!*p) {
		text[used] = '\0';
		take(s, text);
		return;
	}
	const char *way = p + 1, *end = p;
	u32 depth = 0;
	do {
		depth += *end == '[' || *end == '(';
		depth -= *end == ']' || *end == ')';
		end++;
	} while (depth);
	for (const char *q = way; q < end; q++) {
		if ((*q == '|' && !depth) || q == end - 1) {
			char whole[2 * LONGEST];
			snprintf(whole, sizeof whole, "%.*s%s", (int)(q - way), way, end);
			expand(s, text, used, whole);
			way = q + 1;
		}
		depth += *q == '[' || *q == '(';
		depth -= (*q == ']' || *q == ')') && q < end - 1;
	}
	if (*p == '[')
		expand(s, text, used, end);
}

/* --- Registers ------------------------------------------------------------------------------ */

/* The register of a type: letters of its name. */
static const char *letters(int type)
{
	const u32 bits = type_bits(type);

	if (type == T_f32)
		return "f";
	if (type == T_f64)
		return "fd";
	if (type == T_pred)
		return "p";
	if (type == T_u4 || type == T_s4 || type == T_u2 || type == T_s2 || type == T_b1)
		return "r";
	return bits <= 16 ? "h" : bits <= 32 ? "r" : bits <= 64 ? "rd" : "q";
}

struct line {
	char text[2 * LONGEST];
	size_t used;
	u32 numbers[8]; /* registers so far, by letters */
};

static void put(struct line *l, const char *text)
{
	l->used += (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s", text);
	ASSERT_EACH(l->used < sizeof l->text, "a line of %zu bytes", (size_t)l->used);
}

static void put_register(struct line *l, const char *name)
{
	static const char *const all[] = {"p", "h", "r", "rd", "f", "fd", "q"};
	char text[16];

	for (u32 k = 0; k < COUNT_OF(all); k++)
		if (!strcmp(name, all[k])) {
			snprintf(text, sizeof text, "%%%s%u", name, ++l->numbers[k]);
			put(l, text);
			return;
		}
	ck_abort_msg("no registers '%s'", name);
}

/* $r and so on: a register; $0: one of the form's first type; $w0: twice as wide; $v0: as many as .v2 says. */
static void put_operands(struct line *l, const char *operands, const int *types, u32 type_count, u32 vector)
{
	for (const char *p = operands; *p;) {
		if (*p != '$') {
			char one[2] = {*p++, '\0'};
			put(l, one);
			continue;
		}
		char name[8];
		const size_t length = strspn(++p, "abcdefghijklmnopqrstuvwxyz0123456789");
		snprintf(name, sizeof name, "%.*s", (int)length, p);
		p += length;
		const char last = name[length - 1];
		const int type = last <= '9' && (u32)(last - '0') < type_count ? types[last - '0'] : TOKEN_NONE;
		const char *narrow = type ? letters(type) : "r";
		if (last > '9')
			put_register(l, name);
		else if (name[0] == 'w')
			put_register(l, !strcmp(narrow, "h") ? "r" : "rd");
		else if (name[0] != 'v' || vector == 1)
			put_register(l, narrow);
		else
			for (u32 k = 0; k <= vector; k++) {
				put(l, k == vector ? "}" : k ? "," : "{");
				if (k < vector)
					put_register(l, narrow);
			}
	}
}

static void write_line(struct line *l, const char *form, const char *operands)
{
	int types[16];
	u32 type_count = 0, vector = 1;
	char words[LONGEST];

	memset(l, 0, sizeof *l);
	snprintf(words, sizeof words, "%s", form);
	strtok(words, ".");
	for (const char *word; (word = strtok(NULL, "."));) {
		const int token = token_find(word);
		if (token_is_type(token) && type_count < COUNT_OF(types))
			types[type_count++] = token;
		vector = !strcmp(word, "v2") ? 2 : !strcmp(word, "v4") ? 4 : !strcmp(word, "v8") ? 8 : vector;
	}
	put(l, form);
	put(l, " ");
	put_operands(l, operands, types, type_count, vector);
	put(l, ";\n");
}

/* --- Checks --------------------------------------------------------------------------------- */

struct check {
	const struct entry *entry;
	bool taken; /* what is expected */
};

static u32 count_lines(const char *text)
{
	u32 lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* All in one kernel, a line each, of this version and target. */
static void check_batch(const struct section *s, const struct check *checks, size_t count, u32 ptx, const char *target)
{
	const u32 sm = (u32)strtoul(target + 3, NULL, 10);
	const size_t room = count * 2 * LONGEST + 1000;
	char *text = malloc(room), *refused = calloc(count + 1, 1);
	struct session session;
	ck_assert(text && refused && session_open(&session));
	size_t used = (size_t)snprintf(
		text, room,
		".version %u.%u\n.target %s\n%s.visible .entry k(%s) {\n.reg .pred %%p<9>; .reg .b16 %%h<19>; "
		".reg .b32 %%r<39>; .reg .b64 %%rd<39>; .reg .f32 %%f<39>; .reg .f64 %%fd<19>; %s\n",
		ptx / 10, ptx % 10, target, ptx >= 23 ? ".address_size 64\n" : "", ptx >= 14 ? ".param .b64 a" : "",
		ptx >= 83 && sm >= 70 ? ".reg .b128 %q<9>;" : "");
	const u32 first = 1 + count_lines(text);
	for (size_t k = 0; k < count; k++) {
		struct line l;
		write_line(&l, checks[k].entry->text, s->operands);
		memcpy(text + used, l.text, l.used);
		used += l.used;
	}
	used += (size_t)snprintf(text + used, room - used, "L1: exit;\n}\n");
	if (SESSION_ENTER(&session))
		ck_abort_msg("out of memory");
	session_add_text(&session, "forms.ptx", text, used);
	session_build(&session, &(struct lower_options){.allow_unmodelled = true});
	for (size_t k = 0; k < session.diags.list.count; k++) {
		if (session.diags.list.items[k].severity != DIAG_ERROR)
			continue;
		u32 line, column;
		source_place(session.sources.files.items[0], session.diags.list.items[k].span.begin, &line, &column);
		ASSERT_EACH(line >= first && line < first + count, "%s: line %u: %s", s->place, line,
			    session.diags.list.items[k].message);
		refused[line - first] = 1;
	}
	session_close(&session);
	for (size_t k = 0; k < count; k++)
		ASSERT_EACH(!refused[k] == checks[k].taken, "%s: '%s' with operands %s is %s by PTX ISA %u.%u, %s",
			    s->place, checks[k].entry->text, s->operands, refused[k] ? "refused" : "taken", ptx / 10,
			    ptx % 10, target);
	free(refused);
	free(text);
}

struct level {
	u32 number;
	const char *target;
};
/* Versions with the last target of each that is tried, and targets. */
static const struct level versions[] = {
	{10, "sm_10"},  {11, "sm_11"},  {12, "sm_13"},  {13, "sm_13"},  {14, "sm_13"},  {20, "sm_20"},  {30, "sm_30"},
	{31, "sm_35"},  {41, "sm_52"},  {42, "sm_53"},  {43, "sm_53"},  {50, "sm_62"},  {60, "sm_70"},  {62, "sm_72"},
	{63, "sm_75"},  {65, "sm_75"},  {70, "sm_80"},  {71, "sm_86"},  {72, "sm_86"},  {73, "sm_86"},  {74, "sm_87"},
	{75, "sm_87"},  {76, "sm_87"},  {77, "sm_87"},  {78, "sm_90"},  {80, "sm_90a"}, {81, "sm_90a"}, {82, "sm_90a"},
	{83, "sm_90a"}, {84, "sm_90a"}, {86, "sm_90a"}, {90, "sm_90a"},
};
static const struct level targets[] = {
	{10, "sm_10"}, {11, "sm_11"}, {12, "sm_12"}, {13, "sm_13"}, {20, "sm_20"}, {30, "sm_30"}, {32, "sm_32"},
	{35, "sm_35"}, {50, "sm_50"}, {52, "sm_52"}, {53, "sm_53"}, {60, "sm_60"}, {61, "sm_61"}, {70, "sm_70"},
	{72, "sm_72"}, {75, "sm_75"}, {80, "sm_80"}, {86, "sm_86"}, {89, "sm_89"}, {90, "sm_90"}, {901, "sm_90a"},
};

/* The forms that begin at level k are taken there; those that begin at the next are refused still. */
static void check_levels(const struct section *s, const struct level *levels, u32 level_count, bool by_target)
{
	struct check *checks = calloc(s->count + 1, sizeof *checks);

	ck_assert_ptr_nonnull(checks);
	for (u32 level = 0; level < level_count; level++) {
		size_t count = 0;
		for (size_t k = 0; k < s->count; k++) {
			const struct entry *e = &s->items[k];
			const u32 since = by_target ? e->sm : e->ptx;
			const bool begins = since == levels[level].number;
			const bool follows = level + 1 < level_count && since == levels[level + 1].number;
			if (e->skipped || e->ptx <= ANY_VERSION || (!begins && !follows) ||
			    (follows && (strstr(s->operands, "$q") || strstr(e->text, ".b128"))))
				continue;
			checks[count++] = (struct check){e, begins};
		}
		for (size_t k = 0; k < count; k += BATCH)
			check_batch(s, checks + k, count - k < BATCH ? count - k : BATCH,
				    by_target ? 90 : levels[level].number, levels[level].target);
	}
	free(checks);
}

static size_t finish(struct section *s)
{
	struct check *checks = calloc(s->count + 1, sizeof *checks);
	size_t count = 0;

	ck_assert_ptr_nonnull(checks);
	for (size_t k = 0; k < s->count; k++)
		if (!s->items[k].skipped)
			checks[count++] = (struct check){&s->items[k], s->items[k].ptx != 0};
	for (size_t k = 0; k < count; k += BATCH)
		check_batch(s, checks + k, count - k < BATCH ? count - k : BATCH, 90, "sm_90a");
	free(checks);
	check_levels(s, versions, COUNT_OF(versions), false);
	check_levels(s, targets, COUNT_OF(targets), true);
	free(s->items);
	s->items = NULL;
	s->count = s->capacity = 0;
	return count;
}

/* "9.0" is 90, "sm_90a" 901, nothing ANY_VERSION. */
static u32 read_level(const char *text)
{
	const char *digits = text + strcspn(text, "0123456789\n");
	char *end;
	const u32 number = (u32)strtoul(digits, &end, 10);

	if (end == digits)
		return ANY_VERSION;
	if (*end == '.')
		return number * 10 + (u32)strtoul(end + 1, NULL, 10);
	return *end == 'a' ? number * 10 + 1 : number;
}

static void read_line(struct section *s, char *line)
{
	char text[LONGEST];
	char *operands = strchr(line, ';');

	if (operands)
		*operands++ = '\0';
	s->adding = *line == '?';
	s->skipping = *line == '-';
	if (s->adding) {
		operands += strspn(operands, " ");
		operands[strcspn(operands, "\n")] = '\0';
		snprintf(s->operands, sizeof s->operands, "%s", operands);
	} else if (!s->skipping) {
		char *target = strchr(operands, ';');
		s->ptx = read_level(operands);
		s->sm = read_level(target + 1);
	}
	line[strcspn(line, "\n")] = '\0';
	expand(s, text, 0, line + 1);
	if (!s->adding)
		return;
	qsort(s->items, s->count, sizeof *s->items, compare_entries);
	size_t kept = 0;
	for (size_t k = 0; k < s->count; k++)
		if (!kept || strcmp(s->items[k].text, s->items[kept - 1].text))
			s->items[kept++] = s->items[k];
	s->count = kept;
}

static void check_file(const char *name, size_t least)
{
	const char *dir = getenv("srcdir") ? getenv("srcdir") : "..";
	char path[400], line[4000];
	struct section s = {.count = 0};
	size_t total = 0;
	u32 number = 0;

	snprintf(path, sizeof path, "%s/tests/forms/%s.forms", dir, name);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f, "cannot read %s", path);
	while (fgets(line, sizeof line, f)) {
		number++;
		if (*line == '?' && s.count)
			total += finish(&s);
		if (*line == '?' || *line == '=' || *line == '-') {
			snprintf(s.place, sizeof s.place, "%s.forms:%u", name, number);
			read_line(&s, line);
		}
	}
	total += finish(&s);
	fclose(f);
	ck_assert_uint_ge(total, least);
}

/* --- Operands ------------------------------------------------------------------------------- */

/* tests/forms/operands.txt: which of some values may stand at one place of an instruction. */
enum { VALUES = 64 };
struct value {
	char text[40];
	bool taken, skipped; /* in the group of places that is read */
};
struct trial {
	char text[260];
	bool taken, refused;
};
struct trials {
	struct value values[VALUES];
	u32 value_count;
	struct trial *list;
	size_t count, capacity;
};

static const char operand_types[][8] = {"pred", "b8",  "u8",  "s8",  "b16", "u16", "s16", "f16", "f16x2",
					"b32",  "u32", "s32", "f32", "b64", "u64", "s64", "f64", "b128"};

/* One kernel with the trials that are not refused yet. */
static void try_operands(struct trial *list, size_t count)
{
	const size_t room = count * sizeof list->text + 4000;
	char *text = malloc(room);
	u32 *numbers = calloc(count + 1, sizeof *numbers), left = 0;
	struct session session;

	ck_assert(text && numbers && session_open(&session));
	size_t used = (size_t)snprintf(
		text, room, "%s",
		".version 9.0\n.target sm_90a\n.address_size 64\n.visible .global .align 16 .b8 gv[64];\n"
		".const .align 16 .b8 cv[64]; .visible .global .texref tv; .visible .global .surfref uv;\n"
		".visible .func (.param .b32 rr) fn(.param .b32 pp) { ret; }\n"
		".visible .entry k(.param .align 16 .b8 pv[64]) {\n.shared .align 16 .b8 sv[64];\n"
		".local .align 16 .b8 lv[64]; .reg .v2 .b32 %v2b32; L2: TS: .branchtargets L1, L2;\n");
	for (u32 k = 0; k < COUNT_OF(operand_types); k++)
		used += (size_t)snprintf(text + used, room - used, ".reg .%s %%%s_<40>;\n", operand_types[k],
					 operand_types[k]);
	const u32 first = 1 + count_lines(text);
	for (size_t k = 0; k < count; k++)
		if (!list[k].refused) {
			numbers[left++] = (u32)k;
			used += (size_t)snprintf(text + used, room - used, "%s;\n", list[k].text);
		}
	used += (size_t)snprintf(text + used, room - used, "L1: exit;\n}\n");
	if (SESSION_ENTER(&session))
		ck_abort_msg("out of memory");
	session_add_text(&session, "operands.ptx", text, used);
	session_build(&session, &(struct lower_options){.allow_unmodelled = true});
	for (size_t k = 0; k < session.diags.list.count; k++) {
		u32 line, column;
		if (session.diags.list.items[k].severity != DIAG_ERROR)
			continue;
		source_place(session.sources.files.items[0], session.diags.list.items[k].span.begin, &line, &column);
		ASSERT_EACH(line >= first && line < first + left, "line %u: %s", line,
			    session.diags.list.items[k].message);
		list[numbers[line - first]].refused = true;
	}
	session_close(&session);
	free(numbers);
	free(text);
}

static size_t refused_trials(const struct trial *list, size_t count)
{
	size_t refused = 0;

	for (size_t k = 0; k < count; k++)
		refused += list[k].refused;
	return refused;
}

/* Errors of the reader hide those that come after reading, so what is left is looked at again. */
static void try_all(struct trial *list, size_t count)
{
	size_t before;

	do {
		before = refused_trials(list, count);
		try_operands(list, count);
	} while (refused_trials(list, count) > before);
}

static void add_trials(struct trials *t, const char *place)
{
	const char *at = strchr(place, '$');

	ck_assert_ptr_nonnull(at);
	for (u32 v = 0; v < t->value_count; v++) {
		if (t->values[v].skipped)
			continue;
		if (t->count == t->capacity) {
			t->capacity = t->capacity ? 2 * t->capacity : 4096;
			t->list = realloc(t->list, t->capacity * sizeof *t->list);
			ck_assert_ptr_nonnull(t->list);
		}
		struct trial *new = &t->list[t->count++];
		*new = (struct trial){.taken = t->values[v].taken};
		ck_assert_int_lt(snprintf(new->text, sizeof new->text, "%.*s%s%s", (int)(at - place), place,
					  t->values[v].text, at + 1),
				 (int)sizeof new->text);
	}
}

/* The words of a line: values (first ' '), those that may stand ('+'), those not compared ('?'). */
static void read_values(struct trials *t, char kind, char *words)
{
	if (kind == '+')
		for (u32 v = 0; v < t->value_count; v++)
			t->values[v].taken = t->values[v].skipped = false;
	for (const char *word = strtok(words, " \n"); word; word = strtok(NULL, " \n")) {
		if (kind == 'v') {
			ck_assert_uint_lt(t->value_count, VALUES);
			snprintf(t->values[t->value_count++].text, sizeof t->values[0].text, "%s", word);
			continue;
		}
		for (u32 v = 0; v < t->value_count; v++)
			if (!strcmp(t->values[v].text, word))
				*(kind == '+' ? &t->values[v].taken : &t->values[v].skipped) = true;
	}
}

START_TEST(operands)
{
	const char *dir = getenv("srcdir") ? getenv("srcdir") : "..";
	char path[400], line[4000];
	static struct trials t;

	snprintf(path, sizeof path, "%s/tests/forms/operands.txt", dir);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f, "cannot read %s", path);
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "values ", 7))
			read_values(&t, 'v', line + 7);
		else if (*line == '+' || *line == '?')
			read_values(&t, *line, line + 1);
		else if (*line == ' ')
			add_trials(&t, line + 2);
	}
	fclose(f);
	for (size_t from = 0; from < t.count; from += BATCH)
		try_all(t.list + from, t.count - from < BATCH ? t.count - from : BATCH);
	for (size_t k = 0; k < t.count; k++)
		ASSERT_EACH(t.list[k].refused != t.list[k].taken, "'%s' is %s", t.list[k].text,
			    t.list[k].refused ? "refused" : "taken");
	ck_assert_uint_gt(t.count, 30000);
	free(t.list);
}
END_TEST

START_TEST(int_forms) { check_file("int", 900); }
END_TEST
START_TEST(float_forms) { check_file("float", 2000); }
END_TEST
START_TEST(cvt_forms) { check_file("cvt", 8000); }
END_TEST
START_TEST(video_forms) { check_file("video", 5000); }
END_TEST
START_TEST(sync_forms) { check_file("sync", 15000); }
END_TEST
START_TEST(atom_forms) { check_file("atom", 35000); }
END_TEST
START_TEST(mem_forms) { check_file("mem", 8000); }
END_TEST
START_TEST(cmp_forms) { check_file("cmp", 30000); }
END_TEST
START_TEST(coordinates_forms) { check_file("coordinates", 24000); }
END_TEST
START_TEST(async_forms) { check_file("async", 50000); }
END_TEST
START_TEST(matrix_forms) { check_file("matrix", 70000); }
END_TEST
START_TEST(tex_forms) { check_file("tex", 3000); }
END_TEST

/* Those of src/isa/opcodes.h. */
START_TEST(opcodes_that_rules_know_are_in_the_table)
{
	struct arena arena;
	const struct isa *ptx, *sass;

	arena_init(&arena, NULL);
	ptx = isa_build(&arena, sem_families(NULL));
	sass = isa_build(&arena, sem_sass_families(NULL));
	for (int k = OP_NONE + 1; k < OPCODE_COUNT; k++) {
		const char *text = opcode_text((enum opcode)k);
		const struct isa_opcode *o = isa_find_opcode(ptx, text);
		if (!o)
			o = isa_find_opcode(sass, text);
		ck_assert_msg(o != NULL, "%s", text);
		ck_assert_int_eq((int)o->id, k);
	}
	ck_assert_int_eq((int)opcode_find("addc", 4), OP_NONE);
	ck_assert_int_eq((int)opcode_find("addc", 3), OP_add);
	arena_free(&arena);
}
END_TEST

UNIT_TESTS("forms", 120)
{
	UNIT_TEST(operands);
	UNIT_TEST(int_forms);
	UNIT_TEST(float_forms);
	UNIT_TEST(cvt_forms);
	UNIT_TEST(video_forms);
	UNIT_TEST(sync_forms);
	UNIT_TEST(atom_forms);
	UNIT_TEST(mem_forms);
	UNIT_TEST(cmp_forms);
	UNIT_TEST(coordinates_forms);
	UNIT_TEST(async_forms);
	UNIT_TEST(matrix_forms);
	UNIT_TEST(tex_forms);
	UNIT_TEST(opcodes_that_rules_know_are_in_the_table);
}
