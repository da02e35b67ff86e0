/* SPDX-License-Identifier: Apache-2.0
 *
 * What single instructions of PTX do: tests/insn/README says how cases are written. Tells the rows that a case has
 * tried, for tests/evidence.
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
#include "memory/tensormap.h"
#include "memory/texture.h"
#include "main.h"

enum { LANES = 32, DATA = 1024, CHANGES = 40, LINE = 8192, ONE_LANE = 5, MAPS = 9, NAMES = 40, TEXTURES = 7 };

/* r4=5, p1=1, m2=7: a register, a predicate or a word of memory. */
struct change {
	char kind;
	u32 number;
	u64 value;
	bool lane; /* the lane's number */
};
/* Which lanes run: a guard says so, but for ALL. */
enum lanes { ALL, ONE, ODD };
struct test_case {
	char code[LINE], target[16], *fault;
	bool whole, single;
	u32 warps;
	struct change in[CHANGES], out[CHANGES];
	u32 in_count, out_count;
};

/* --- Reading cases -------------------------------------------------------------------------- */

static struct {
	char *name, *text;
} names[NAMES];
static u32 name_count;

static char *trim(char *text)
{
	while (isspace((u8)*text))
		text++;
	for (char *end = text + strlen(text); end > text && isspace((u8)end[-1]);)
		*--end = 0;
	return text;
}

static u64 read_value(const char *text, bool *lane)
{
	const char last = text[strlen(text) - 1];
	const bool hex = !strncmp(text, "0x", 2);

	*lane = !strcmp(text, "lane");
	if (*lane)
		return 0;
	if (!hex && last == 'd')
		return bits_of_f64(strtod(text, NULL));
	if (!hex && last == 'f')
		return bits_of_f32(strtof(text, NULL));
	return hex ? strtoull(text, NULL, 0) : (u64)strtoll(text, NULL, 0);
}

static u32 bits_of(char kind) { return kind == 'd' ? 64 : kind == 'h' ? 16 : kind == 'p' ? 1 : 32; }

static u32 read_changes(char *text, struct change *list)
{
	u32 count = 0;

	for (char *word = strtok(text, " \t"); word; word = strtok(NULL, " \t")) {
		struct change *c = &list[count++];
		char *value = strchr(word, '=');
		ck_assert_msg(value && strchr("rdhpmsx", *word) && count < CHANGES, "bad word '%s'", word);
		*value++ = 0;
		*c = (struct change){.kind = *word, .number = (u32)strtoul(word + 1, NULL, 10)};
		c->value = read_value(value, &c->lane);
		if (bits_of(c->kind) < 64)
			c->value &= (1ull << bits_of(c->kind)) - 1;
	}
	return count;
}

/* Copies, with {NAME} replaced. */
static void replace_names(const char *from, char *to)
{
	char *const end = to + LINE - 1;

	while (*from && to < end) {
		u32 n = 0;
		size_t length = 0;
		if (*from == '{')
			for (; n < name_count; n++) {
				length = strlen(names[n].name);
				if (!strncmp(from + 1, names[n].name, length) && from[length + 1] == '}')
					break;
			}
		if (*from != '{' || n == name_count) {
			*to++ = *from++;
			continue;
		}
		ck_assert_uint_lt(strlen(names[n].text), (size_t)(end - to));
		to = stpcpy(to, names[n].text);
		from += length + 2;
	}
	*to = 0;
}

static bool read_name(char *line)
{
	char *is = strstr(line, " := ");

	if (!is)
		return false;
	*is = 0;
	ck_assert_uint_lt(name_count, NAMES);
	names[name_count].name = strdup(trim(line));
	names[name_count++].text = strdup(trim(is + 4));
	return true;
}

static void forget_names(void)
{
	while (name_count) {
		free(names[--name_count].name);
		free(names[name_count].text);
	}
}

/* False for a line that is no case; else t->fault is the caller's to free. */
static bool read_case(char *line, struct test_case *t)
{
	static char whole[LINE];
	char *code = trim(line);

	*t = (struct test_case){.warps = 1, .target = "sm_90a"};
	if (!*code || *code == '#' || read_name(code))
		return false;
	replace_names(code, whole);
	code = whole;
	char *in = strstr(code, " | ");
	ck_assert_msg(in, "no inputs: %s", code);
	*in = 0;
	char *out = strchr(in + 3, '|');
	ck_assert_msg(out, "no outputs: %s", code);
	*out++ = 0;
	t->whole = *code == '!';
	t->single = !strncmp(code, "1 ", 2);
	if (!strncmp(code, "!4 ", 3))
		t->warps = 4;
	code += t->whole || t->single ? strcspn(code, " ") + 1 : 0;
	if (!strncmp(code, "sm_", 3)) {
		const size_t length = strcspn(code, " ");
		ck_assert_uint_lt(length, sizeof t->target);
		memcpy(t->target, code, length);
		t->target[length] = 0;
		code += length;
	}
	strcpy(t->code, trim(code));
	t->in_count = read_changes(trim(in + 3), t->in);
	out = trim(out);
	if (!strncmp(out, "fault ", 6))
		t->fault = strdup(out + 6);
	else
		t->out_count = read_changes(out, t->out);
	return true;
}

/* --- Kernels of cases ----------------------------------------------------------------------- */

static const struct change *find(const struct change *list, u32 count, char kind, u32 number)
{
	for (u32 k = 0; k < count; k++)
		if (list[k].kind == kind && list[k].number == number)
			return &list[k];
	return NULL;
}

/* What a place holds if nothing sets it. */
static u64 canary(const struct change *c)
{
	switch (c->kind) {
	case 'r':
		return 0xcafe0000u + c->number;
	case 'd':
		return 0xcafe0000cafe0000u + c->number;
	case 'h':
		return 0xca00u + c->number;
	case 'm':
		return 0x1000u + c->number;
	case 'x':
		return 0x2000u + c->number;
	default:
		return 0;
	}
}

static void set_register(FILE *to, const struct change *c, u64 value)
{
	switch (c->kind) {
	case 'p':
		fprintf(to, "setp.ne.u32 %%p%u, %u, 0;\n", c->number, (u32)value);
		return;
	case 's':
		fprintf(to, "st.shared.u32 [sh+%u], 0x%x;\n", 4 * c->number, (u32)value);
		return;
	case 'r':
	case 'd':
	case 'h':
		if (c->lane && c->kind == 'd')
			fprintf(to, "cvt.u64.u32 %%d%u, %%lane;\n", c->number);
		else if (c->lane)
			fprintf(to, "cvt.u%u.u32 %%%c%u, %%lane;\n", bits_of(c->kind), c->kind, c->number);
		else
			fprintf(to, "mov.b%u %%%c%u, 0x%llx;\n", bits_of(c->kind), c->kind, c->number,
				(unsigned long long)value);
		return;
	default:
		return;
	}
}

static void add_code(FILE *to, const char *code, bool guarded)
{
	static char copy[LINE];

	strcpy(copy, code);
	for (char *part = strtok(copy, ";"); part; part = strtok(NULL, ";"))
		fprintf(to, "%s%s;\n", guarded ? "@%on " : "", trim(part));
}

static void store_outputs(FILE *to, const struct test_case *t)
{
	for (u32 k = 0; k < t->out_count; k++) {
		const struct change *c = &t->out[k];
		const u32 at = 8 * k;
		if (c->kind == 's')
			fprintf(to, "ld.shared.u32 %%t, [sh+%u];\nst.global.u32 [%%out+%u], %%t;\n", 4 * c->number, at);
		else if (c->kind == 'p')
			fprintf(to, "selp.u32 %%t, 1, 0, %%p%u;\nst.global.u32 [%%out+%u], %%t;\n", c->number, at);
		else if (c->kind != 'm' && c->kind != 'x')
			fprintf(to, "st.global.b%u [%%out+%u], %%%c%u;\n", bits_of(c->kind), at, c->kind, c->number);
	}
}

static const char *version_of(const char *target)
{
	const int number = atoi(target + 3);

	return number < 20 ? "1.4" : number < 60 ? "5.0" : number < 75 ? "6.0" : number < 120 ? "8.8" : "9.1";
}

/* The inputs set, the code, the outputs stored; *first and *end: where the code stands. */
static void write_kernel(FILE *to, const struct test_case *t, enum lanes lanes, long *first, long *end)
{
	static const char *const guards[] = {"setp.ge.u32 %on, %lane, 0", "setp.eq.u32 %on, %lane, 5",
					     "and.b32 %t, %lane, 1; setp.ne.u32 %on, %t, 0"};
	static const char *const maps[MAPS] = {"m1", "m2", "m3", "m4", "m5", "mg", "i3", "i4", "i5"};
	static const char *const textures[TEXTURES] = {"tex", "t1", "ta1", "ta2", "t3", "tc", "tm"};

	fprintf(to,
		".version %s\n.target %s\n.address_size 64\n"
		".func (.reg .b32 %%o) twice(.reg .b32 %%i)\n{\nadd.u32 %%o, %%i, %%i;\nret;\n}\n.func (.param .b32 o) "
		"thrice(.param .b32 i)\n{\n.reg .b32 %%x;\nld.param.b32 %%x, [i];\n"
		"mul.lo.u32 %%x, %%x, 3;\nst.param.b32 [o], %%x;\nret;\n}\n.visible .entry "
		"t(.param .u64 out, .param .u64 data, "
		".param .u64 multi, .param .u64 tex, .param .u64 surf, .param .u64 maps)\n{\n"
		".reg .b32 %%r<40>, %%t, %%lane;\n.reg .b64 %%d<24>, %%out, %%data, %%multi, %%tex, %%surf, %%maps;\n"
		".reg .b16 %%h<20>;\n.reg .pred %%p<10>, %%on;\n%s"
		".shared .align 1024 .b8 sh[16384];\n.shared .align 8 .b64 bar;\n",
		version_of(t->target), t->target,
		atoi(t->target + 3) < 90
			? ""
			: ".reg .b8 %b<5>;\n.reg .b128 %q<3>;\n.reg .v2 .u32 %v2;\n.reg .v4 .u32 %v4;\n");
	for (u32 k = 0; k < MAPS; k++)
		fprintf(to, ".reg .b64 %%%s;\n", maps[k]);
	for (u32 k = 1; k < TEXTURES; k++)
		fprintf(to, ".reg .b64 %%%s;\n", textures[k]);
	fprintf(to,
		"ld.param.u64 %%out, [out];\nld.param.u64 %%data, [data];\nld.param.u64 %%multi, [multi];\n"
		"ld.param.u64 %%tex, [tex];\nld.param.u64 %%surf, [surf];\nld.param.u64 %%maps, [maps];\n"
		"mov.u32 %%lane, %%laneid;\nmov.u32 %%t, %%tid.x;\nmad.wide.u32 %%out, %%t, %d, %%out;\n",
		8 * CHANGES);
	for (u32 k = 0; k < MAPS; k++)
		fprintf(to, "add.u64 %%%s, %%maps, %u;\n", maps[k], k * TENSOR_MAP_BYTES);
	for (u32 k = 1; k < TEXTURES; k++)
		fprintf(to, "add.u64 %%%s, %%tex, %zu;\n", textures[k], k * sizeof(struct texture));
	for (u32 k = 0; k < t->out_count; k++)
		if (!find(t->in, t->in_count, t->out[k].kind, t->out[k].number)) {
			struct change c = t->out[k];
			c.lane = false;
			set_register(to, &c, canary(&c));
		}
	for (u32 k = 0; k < t->in_count; k++)
		set_register(to, &t->in[k], t->in[k].value);
	fprintf(to, "%s;\n", guards[lanes]);
	fflush(to);
	*first = ftell(to);
	add_code(to, t->code, lanes != ALL);
	fflush(to);
	*end = ftell(to);
	store_outputs(to, t);
	fprintf(to, "ret;\n}\n");
}

/* --- Running -------------------------------------------------------------------------------- */

struct outcome {
	u64 out[4 * LANES][CHANGES];
	u32 data[DATA], copy[DATA];
	char text[4096]; /* diagnostics or fault */
	bool ran;
};

/* Maps of data in words. */
static void make_maps(u64 data, u8 *bytes)
{
	static const u64 tiled[TENSOR_RANK] = {16, 4, 2, 2, 2};
	static const u32 box[TENSOR_RANK] = {8, 2, 1, 1, 1};
	static const u64 windows[3][TENSOR_RANK] = {{4, 4, 4}, {4, 4, 4, 4}, {4, 4, 2, 2, 2}};

	for (u32 k = 0; k < MAPS; k++) {
		struct tensor_map m = {.address = data, .type = TENSOR_U32, .im2col = k >= 6};
		u64 stride = 4;
		m.rank = (u8)(k < 5 ? k + 1 : k == 5 ? 2 : k - 3);
		for (u32 d = 0; d < m.rank; d++) {
			m.dims[d] = m.im2col ? windows[k - 6][d] : tiled[d];
			m.box[d] = box[d];
			m.element_strides[d] = 1;
			if (k == 5 && d)
				m.dims[d] = 32, m.box[d] = 1;
			stride *= m.dims[d];
			if (d + 1u < m.rank)
				m.strides[d] = stride;
		}
		m.channels = m.pixels = 4;
		const char *why = tensor_map_encode(&m, bytes + k * TENSOR_MAP_BYTES);
		ck_assert_msg(!why, "map %u: %s", k, why);
	}
}

/* Words of data, 32 bits a texel; all but the first for %t1, %ta1, %ta2, %t3, %tc and %tm, in this order. */
static u64 make_textures(struct memory *m, u64 data)
{
	static const struct texture shapes[TEXTURES] = {
		{.pitch = 32, .width = 8, .height = 4},
		{.pitch = 64, .width = 16},
		{.pitch = 32, .slice = 32, .width = 8, .layers = 4},
		{.pitch = 32, .slice = 128, .width = 8, .height = 4, .layers = 2},
		{.pitch = 16, .slice = 64, .width = 4, .height = 4, .depth = 4},
		{.pitch = 8, .slice = 16, .width = 2, .height = 2, .layers = 12, .normalized_coordinates = 1},
		{.pitch = 32, .slice = 128, .width = 4, .height = 4, .layers = 2, .samples = 2},
	};
	const u64 handle = memory_allocate(m, sizeof shapes, 64, "texture objects", 0);
	struct texture *t = (struct texture *)(void *)memory_find(m, handle, sizeof shapes)->host;

	memcpy(t, shapes, sizeof shapes);
	for (u32 k = 0; k < TEXTURES; k++) {
		t[k].magic = TEXTURE_MAGIC;
		t[k].data = data;
		t[k].channels = 1;
		t[k].channel_bits = 32;
		t[k].kind = TEXEL_UNSIGNED;
	}
	return handle;
}

/* The rows of instructions that stand in text[first .. end). */
static void note_rows(const struct program *p, long first, long end)
{
	const struct code *code = p->kernels[0].code;

	for (size_t k = 0; k < code->function->body.count; k++) {
		const u32 at = code->function->body.items[k].span.begin;
		if (code->forms[k].row && at >= (u32)first && at < (u32)end)
			evidence_note("case", code->forms[k].row);
	}
}

static void launch(struct session *s, const struct test_case *t, struct outcome *o)
{
	struct launch_stats stats;
	struct fault fault;
	u8 maps[MAPS * TENSOR_MAP_BYTES];
	u64 params[6];

	for (u32 k = 0; k < DATA; k++) {
		const struct change *m = find(t->in, t->in_count, 'm', k), *x = find(t->in, t->in_count, 'x', k);
		o->data[k] = m ? (u32)m->value : 0x1000 + k;
		o->copy[k] = x ? (u32)x->value : 0x2000 + k;
	}
	params[0] = memory_attach(&s->memory, (u8 *)o->out, sizeof o->out, "out");
	params[1] = memory_attach(&s->memory, (u8 *)o->data, sizeof o->data, "data");
	const u64 both[] = {params[1], memory_attach(&s->memory, (u8 *)o->copy, sizeof o->copy, "copy")};
	params[2] = memory_multicast(&s->memory, both, 2, sizeof o->data);
	params[3] = params[4] = make_textures(&s->memory, params[1]);
	make_maps(params[1], maps);
	params[5] = memory_attach(&s->memory, maps, sizeof maps, "maps");
	struct launch l = {.program = s->program,
			   .kernel = &s->program->kernels[0],
			   .memory = &s->memory,
			   .grid = {1, 1, 1},
			   .block = {LANES * t->warps, 1, 1},
			   .params = (const u8 *)params,
			   .instruction_limit = 100000};
	if (atoi(t->target + 3) >= 90)
		memcpy(l.cluster, (u32[]){1, 1, 1}, sizeof l.cluster);
	const enum launch_status status = launch_run(&l, &stats, &fault, o->text, sizeof o->text);
	if (status == LAUNCH_FAULT)
		fault_describe(&s->memory, &l, &fault, o->text, sizeof o->text);
	o->ran = status == LAUNCH_OK;
}

static void run(const struct test_case *t, const char *text, struct outcome *o, long first, long end)
{
	struct session s;
	const struct lower_options options = {.arch = NULL};

	memset(o, 0, sizeof *o);
	ck_assert(session_open(&s));
	ck_assert(!SESSION_ENTER(&s));
	session_add_text(&s, "t.ptx", text, strlen(text));
	if (session_build(&s, &options)) {
		launch(&s, t, o);
		if (o->ran || t->fault)
			note_rows(s.program, first, end);
	} else {
		snprintf(o->text, sizeof o->text, "%s", session_diagnostics(&s, false));
	}
	session_close(&s);
}

/* What a place must hold: changed where the code ran, as it was elsewhere. */
static u64 wanted(const struct test_case *t, const struct change *c, u32 lane, bool on)
{
	if (on)
		return c->lane ? lane : c->value;
	const struct change *in = find(t->in, t->in_count, c->kind, c->number);
	return !in ? canary(c) : in->lane ? lane : in->value;
}

static bool runs(enum lanes lanes, u32 lane) { return lanes == ALL || (lanes == ONE ? lane == ONE_LANE : lane & 1); }

static u32 check_lanes(const char *where, const struct test_case *t, enum lanes lanes, const struct outcome *o)
{
	static const char *const how[] = {"", " (lane 5 runs)", " (odd lanes run)"};

	for (u32 lane = 0; lane < LANES; lane++)
		for (u32 k = 0; k < t->out_count; k++) {
			const struct change *c = &t->out[k];
			const bool shared = strchr("msx", c->kind) != NULL;
			const u64 got = c->kind == 'm'   ? o->data[c->number]
					: c->kind == 'x' ? o->copy[c->number]
							 : o->out[lane][k];
			const u64 want = wanted(t, c, lane, shared || runs(lanes, lane));
			if (got == want)
				continue;
			printf("%s: %s: lane %u%s: %c%u is 0x%llx, not 0x%llx\n", where, t->code, lane, how[lanes],
			       c->kind, c->number, (unsigned long long)got, (unsigned long long)want);
			return 1;
		}
	return 0;
}

static u32 check_case(const char *where, const struct test_case *t, enum lanes lanes)
{
	static struct outcome o;
	char *text;
	size_t length;
	long first, end;
	FILE *to = open_memstream(&text, &length);

	write_kernel(to, t, lanes, &first, &end);
	fclose(to);
	run(t, text, &o, first, end);
	free(text);
	if (t->fault ? o.ran || !strstr(o.text, t->fault) : !o.ran) {
		printf("%s: %s: %s: %s\n", where, t->code, t->fault ? "expected the fault" : "did not run", o.text);
		return 1;
	}
	return t->fault ? 0 : check_lanes(where, t, lanes, &o);
}

/* --- The suite ------------------------------------------------------------------------------ */

static char folder[1000];

static u32 each_line(const char *name, u32 *cases)
{
	static struct test_case t;
	char path[2000], line[LINE], where[300];
	u32 number = 0, bad = 0;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	while (fgets(line, sizeof line, f)) {
		number++;
		if (!read_case(line, &t))
			continue;
		++*cases;
		snprintf(where, sizeof where, "%s:%u", name, number);
		if (!t.single)
			bad += check_case(where, &t, ALL);
		if (!t.whole)
			bad += check_case(where, &t, ONE);
		if (!t.whole && !t.single)
			bad += check_case(where, &t, ODD);
		free(t.fault);
	}
	fclose(f);
	forget_names();
	return bad;
}

START_TEST(instructions_do_what_cases_say)
{
	DIR *d = opendir(folder);
	u32 cases = 0, bad = 0;

	ck_assert(d != NULL);
	for (struct dirent *e; (e = readdir(d));) {
		const size_t length = strlen(e->d_name);
		if (length > 6 && !strcmp(e->d_name + length - 6, ".cases"))
			bad += each_line(e->d_name, &cases);
	}
	closedir(d);
	printf("%u cases\n", cases);
	fflush(stdout);
	ck_assert_uint_gt(cases, 0);
	ck_assert_uint_eq(bad, 0);
}
END_TEST

UNIT_TESTS("insn", 0)
{
	const char *source = getenv("srcdir");

	snprintf(folder, sizeof folder, "%s/tests/insn", source ? source : ".");
	UNIT_TEST(instructions_do_what_cases_say);
}
