/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: fields of decoded instructions, the rows of the table, what a cubin says of its kernels; and files with each
 * byte changed in turn and cut off at each length, which must end in a message and never in a crash.
 */
#include <check.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/session.h"
#include "sass/encoding.h"
#include "sass/images.h"
#include "sass/instruction.h"
#include "sass/listing.h"
#include "tests/fuzz/fuzz_text.h"
#include "main.h"

static struct arena arena;

static void set_up(void) { arena_init(&arena, NULL); }
static void tear_down(void) { arena_free(&arena); }

/* The bytes of a file beside this one. */
static u8 *read_image(const char *name, size_t *size)
{
	char path[1024];
	FILE *f;
	u8 *bytes;

	snprintf(path, sizeof path, "%s/tests/sass/images/%s", getenv("srcdir") ? getenv("srcdir") : ".", name);
	f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s", path);
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(*size + 1);
	ck_assert_uint_eq(fread(bytes, 1, *size, f), *size);
	fclose(f);
	return bytes;
}

static struct sass_insn decode(u32 sm, u64 low, u64 high)
{
	const struct sass_decoder *d = sass_decoder_new(&arena, sm);
	struct sass_insn i;

	ck_assert(sass_decode(d, low, high, 0x40, &i));
	return i;
}

START_TEST(float_instruction)
{
	/* @!P0 FFMA.FTZ.RZ R4, -R5, |R6|, 1.5 */
	const struct sass_insn i = decode(90, 0x3fc0000005048423ull, 0x000fe2000001c506ull);

	ck_assert_int_eq(i.opcode, SASS_OP_FFMA);
	ck_assert(i.guard == 0 && i.guard_negated && !i.guard_uniform && !i.invalid);
	ck_assert_uint_eq(sass_modifier(&i, MOD_FMZ), SASS_FMZ_FTZ);
	ck_assert_uint_eq(sass_modifier(&i, MOD_ROUND), SASS_ROUND_RZ);
	ck_assert_uint_eq(sass_modifier(&i, MOD_SAT), 0);
	ck_assert_uint_eq(i.operand_count, 4);
	ck_assert(i.operands[0].arg == ARG_REGISTER && i.operands[0].number == 4);
	ck_assert(i.operands[1].number == 5 && i.operands[1].flags == SASS_MINUS);
	ck_assert(i.operands[2].number == 6 && i.operands[2].flags == SASS_BARS);
	ck_assert(i.operands[3].arg == ARG_FLOAT && i.operands[3].type == SASS_F32 &&
		  i.operands[3].value == 0x3fc00000);
}
END_TEST

START_TEST(address)
{
	/* LDG.E.U8 R7, desc[UR4][R2.64+0xc]; LDS R6, [R7+-0x4] */
	const struct sass_insn i = decode(90, 0x00000c0402077981ull, 0x000ea2000c1e1100ull),
			       s = decode(90, 0xfffffc0007067984ull, 0x000e240000000800ull);

	ck_assert_int_eq(i.opcode, SASS_OP_LDG);
	ck_assert_uint_eq(i.operand_count,
			  4); /* predicate, destination, address, predicate: two of them not in the text */
	ck_assert(i.operands[0].arg == ARG_PREDICATE && i.operands[0].number == SASS_PT &&
		  i.operands[0].flags & SASS_HIDDEN);
	ck_assert(i.operands[2].arg == ARG_ADDRESS && i.operands[2].base == 2 && i.operands[2].flags & SASS_WIDE);
	ck_assert(i.operands[2].descriptor == 4 && i.operands[2].uniform == SASS_NO_REGISTER &&
		  i.operands[2].value == 12);
	ck_assert((s64)s.operands[1].value == -4 && s.operands[1].base == 7 && !(s.operands[1].flags & SASS_WIDE));
}
END_TEST

START_TEST(targets_and_constants)
{
	/* BRA to itself; LDC.64 R8, c[0x0][R7+0x160] of sm_75; URZ of both widths is 255. */
	const struct sass_insn b = decode(90, 0xfffffffc00fc7947ull, 0x000fc0000383ffffull);
	const struct sass_insn c = decode(75, 0x0000580007087b82ull, 0x0000620000000a00ull);
	const struct sass_insn old = decode(90, 0x0000003f00047c82ull, 0x000fe20008000000ull);
	const struct sass_insn new = decode(120, 0x000000ff00047c82ull, 0x000fe20008000000ull);

	ck_assert(b.operands[1].arg == ARG_TARGET && b.operands[1].value == 0x40);
	ck_assert(c.operands[1].arg == ARG_CONSTANT && c.operands[1].number == 0 && c.operands[1].base == 7 &&
		  c.operands[1].value == 0x160);
	ck_assert(old.operands[1].number == SASS_RZ && new.operands[1].number == SASS_RZ);
}
END_TEST

START_TEST(control_bits)
{
	const struct sass_insn i = decode(90, 0x00009400ff047b82ull, 0x000e620000000a00ull);
	const struct sass_control c = sass_control_of(&i);

	ck_assert(c.stall == 1 && c.yield && c.write_barrier == 1 && c.read_barrier == 7 && c.wait == 0);
}
END_TEST

/* A condition that no rule before it leaves to another is a row that is never taken: its bits must differ. */
START_TEST(rows_are_reachable)
{
	static const u32 targets[] = {75, 80, 86, 89, 90, 100, 120};

	for (u32 t = 0; t < COUNT_OF(targets); t++) {
		const struct sass_decoder *d = sass_decoder_new(&arena, targets[t]);

		for (u32 k = 0; k < d->rule_count; k++)
			for (u32 n = 0; n < k; n++) {
				const struct sass_rule *a = &d->rules[n], *b = &d->rules[k];
				const bool covers = (b->mask_low & a->mask_low) == a->mask_low &&
						    (b->mask_high & a->mask_high) == a->mask_high &&
						    (b->low & a->mask_low) == a->low &&
						    (b->high & a->mask_high) == a->high;

				ck_assert_msg(!covers || a->excluded_count || a->power_of_two,
					      "sm_%u: %s '%s' is never taken", targets[t],
					      sass_opcode_names[b->row->opcode], b->row->text);
			}
	}
	ck_assert_ptr_null(sass_decoder_new(&arena, 70));
	ck_assert_ptr_null(sass_decoder_new(&arena, 122));
}
END_TEST

START_TEST(cubin)
{
	size_t size;
	u8 *bytes = read_image("calls.sm_90a.cubin", &size);
	const struct cubin_function *f;
	const char *why;
	struct cubin c;

	ck_assert_msg(cubin_read(&arena, bytes, size, &c, &why), "%s", why);
	ck_assert(c.sm == 90 && c.accelerated && c.function_count == 3);
	f = cubin_find(&c, "vec_calls");
	ck_assert(f && f->is_kernel && f->code_bytes == 0x580 && f->registers && f->frame_bytes == 0x30);
	ck_assert(f->param_base == 0x210 && f->param_bytes == 0x50 && f->param_count == 4);
	ck_assert(f->params[1].offset == f->params[0].offset + f->params[0].size);
	ck_assert(f->routine_count == 1 && f->routines[0].offset == 0x2e0);
	ck_assert(f->bank_bytes[0] == 0x260 && c.bank_bytes[4] == 8);
	ck_assert_ptr_null(cubin_find(&c, "none"));
	free(bytes);
}
END_TEST

START_TEST(images)
{
	size_t size;
	u8 *bytes = read_image("store.elf", &size);
	const char *why;
	struct images found;

	ck_assert_msg(images_find(&arena, bytes, size, &found, &why), "%s", why);
	ck_assert_uint_eq(found.count, 3);
	ck_assert(found.items[0].kind == IMAGE_CUBIN || found.items[0].kind == IMAGE_PTX);
	ck_assert(!images_find(&arena, (const u8 *)"\177ELF", 4, &found, &why));
	ck_assert_str_eq(why, "the file ends in the ELF header");
	free(bytes);
}
END_TEST

enum { RUN_EACH = 51 };
static const char *const damaged[] = {"calls.sm_75.cubin", "calls.sm_90a.cubin", "store.elf", "store.fatbin"};

/* Every third byte in two ways; what comes of some of them is run, too. */
START_TEST(changed_bytes)
{
	size_t size;
	u8 *bytes = read_image(damaged[_i], &size);

	for (size_t at = 0; at < size; at += 3) {
		const u8 was = bytes[at];

		bytes[at] = (u8)~was;
		(at % RUN_EACH ? fuzz_sass_read : fuzz_sass)((const char *)bytes, size);
		bytes[at] = (u8)(was + 1);
		fuzz_sass_read((const char *)bytes, size);
		bytes[at] = was;
	}
	free(bytes);
}
END_TEST

START_TEST(cut_off)
{
	size_t size;
	u8 *bytes = read_image(damaged[_i], &size);

	for (size_t length = 0; length < size; length += length < 4096 ? 1 : 7) {
		u8 *copy = malloc(length + 1); /* of that size, so that a sanitizer sees a read behind it */

		memcpy(copy, bytes, length);
		fuzz_sass_read((const char *)copy, length);
		free(copy);
	}
	free(bytes);
}
END_TEST

START_TEST(listings)
{
	static const char good[] = "\tcode for sm_90a\n\t\tFunction : k\n        /*0000*/    EXIT ;    /* "
				   "0x000000000000794d */\n    /* 0x000fea0003800000 */\n";
	static const char *const wrong[] = {
		"\tcode for sm_90\n        /*0000*/ EXIT ; /* 0x000000000000794d */\n",
		"\tcode for sm_90\n\t\tFunction : k\n        /*0008*/ EXIT ; /* 0x000000000000794d */\n",
		"\tcode for sm_90\n\t\tFunction : k\n        /*0000*/ EXIT ; /* 0x000000000000794d */\n",
		"\tcode for sm_90\n\t\tFunction : k\n        /* 0x000000000000794d */\n",
		"\tcode for sm_90\n\t\tFunction : k\n        /*0000*/ EXIT ;\n",
	};
	const char *why;
	struct cubin c;
	u32 line;

	ck_assert(sass_listing_is(good, sizeof good - 1));
	ck_assert(sass_listing_read(&arena, good, sizeof good - 1, &c, &line, &why));
	ck_assert(c.sm == 90 && c.function_count == 1 && c.functions[0].code_bytes == 16 &&
		  c.functions[0].code[0] == 0x4d);
	ck_assert_str_eq(c.functions[0].name, "k");
	for (u32 k = 0; k < COUNT_OF(wrong); k++)
		if (!sass_listing_read(&arena, wrong[k], strlen(wrong[k]), &c, &line, &why))
			ck_assert(why && line);
		else
			ck_assert_uint_eq(c.functions[0].code_bytes, 0);
	ck_assert(!sass_listing_is("code for sm_20\n", 15));
}
END_TEST

/* Whether the table has "shr.u32". */
static bool is_form(const struct isa *isa, const char *text)
{
	enum { WORDS = 24 };
	const char *words[WORDS];
	char copy[200];
	struct form f;
	u32 count = 0, row, bad;

	ck_assert_uint_lt(strlen(text), sizeof copy);
	strcpy(copy, text);
	for (char *word = strtok(copy, "."); word; word = strtok(NULL, ".")) {
		ck_assert_uint_lt(count, WORDS);
		words[count++] = word;
	}
	return count && isa_match_form(isa, words[0], words + 1, count - 1, 0, &f, &row, &bad) == ISA_MATCHED;
}

/* Of a line that lowers to PTX, the texts that stand there whole. */
static u32 check_line(const struct isa *isa, const char *where, char *line)
{
	u32 count = 0;

	if (!strstr(line, "PTX(l, ") && !strstr(line, "lower_ptx(l, "))
		return 0;
	for (char *text = strchr(line, '"'); text;) {
		char *end = strchr(text + 1, '"');
		ck_assert(end != NULL);
		*end = 0;
		if (islower((u8)text[1]) && strchr(text + 1, '.') && !strchr(text + 1, '%')) {
			ck_assert_msg(is_form(isa, text + 1), "%s: the table has no %s", where, text + 1);
			count++;
		}
		text = strchr(end + 1, '"');
	}
	return count;
}

/* What machine code is lowered to is written as text: a misspelt one would show only when a kernel needs it. */
START_TEST(lowered_forms_are_in_the_table)
{
	const char *source = getenv("srcdir");
	char folder[1000], path[1300], line[500];
	struct session s;
	u32 count = 0;

	ck_assert(session_open(&s));
	snprintf(folder, sizeof folder, "%s/src/sass", source ? source : ".");
	DIR *d = opendir(folder);
	ck_assert_msg(d != NULL, "%s", folder);
	for (struct dirent *e; (e = readdir(d));) {
		if (strncmp(e->d_name, "lower_", 6) || !strstr(e->d_name, ".c"))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		FILE *f = fopen(path, "r");
		ck_assert(f != NULL);
		while (fgets(line, sizeof line, f))
			count += check_line(s.isa, e->d_name, line);
		fclose(f);
	}
	closedir(d);
	session_close(&s);
	ck_assert_uint_gt(count, 80);
}
END_TEST

UNIT_TESTS("machine_code", 120)
{
	tcase_add_checked_fixture(unit, set_up, tear_down);
	UNIT_TEST(float_instruction);
	UNIT_TEST(address);
	UNIT_TEST(targets_and_constants);
	UNIT_TEST(control_bits);
	UNIT_TEST(rows_are_reachable);
	UNIT_TEST(lowered_forms_are_in_the_table);
	UNIT_TEST(cubin);
	UNIT_TEST(images);
	UNIT_TEST(listings);
	tcase_add_loop_test(unit, changed_bytes, 0, COUNT_OF(damaged));
	tcase_add_loop_test(unit, cut_off, 0, COUNT_OF(damaged));
}
