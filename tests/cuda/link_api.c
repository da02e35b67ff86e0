/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's linker and the options of its compiler: limits on registers and what follows from them, targets, errors that
 * belong to the input that has them, and host objects and archives with device code in them, whole and damaged. Linked with
 * the library as a program would be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cuda/fat_binary.h"
#include "tests/cuda/linked.h"
#include "tests/unit/main.h"

enum { INPUT_CUBIN, INPUT_PTX, INPUT_FATBINARY, INPUT_OBJECT, INPUT_LIBRARY, INPUT_NONE };
enum { MAX_REGISTERS = 0, THREADS_PER_BLOCK = 1, WALL_TIME = 2, ERROR_LOG = 5, ERROR_LOG_SIZE = 6, TARGET = 9 };
enum { MIN_BLOCKS = 31, MAX_THREADS = 32, OVERRIDE = 33 };
enum { OF_MAX_THREADS = 0, OF_REGISTERS = 4 };

#define HEAD "//\n.version 7.8\n.target sm_80\n.address_size 64\n"

/* --- Limits --------------------------------------------------------------------------------------------- */

/* A kernel that holds `live` numbers at once. */
static char *wide_text(const char *directives, int live)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, HEAD ".visible .entry wide(.param .u64 p) %s {\n.reg .u64 %%p;\n.reg .f32 %%f<%d>;\n", directives,
		live + 1);
	fputs("ld.param.u64 %p, [p];\n", f);
	for (int k = 0; k < live; k++)
		fprintf(f, "ld.global.f32 %%f%d, [%%p+%d];\n", k, 4 * k);
	fprintf(f, "mov.f32 %%f%d, 0f00000000;\n", live);
	for (int k = 0; k < live; k++)
		fprintf(f, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", live, k, live - 1 - k, live);
	fprintf(f, "st.global.f32 [%%p], %%f%d;\nret;\n}\n", live);
	fclose(f);
	return text;
}

static int attribute_of(struct cu_module *m, int attribute)
{
	struct cu_function *f;
	int value;

	OK(cuModuleGetFunction(&f, m, "wide"));
	OK(cuFuncGetAttribute(&value, attribute, f));
	return value;
}

static int registers_of(struct cu_module *m) { return attribute_of(m, OF_REGISTERS); }

static int blocks_of(struct cu_module *m, int threads)
{
	struct cu_function *f;
	int blocks;

	OK(cuModuleGetFunction(&f, m, "wide"));
	OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, threads, 0));
	return blocks;
}

static void *number(u32 value) { return (void *)(uintptr_t)value; }

static struct cu_module *load_with(const char *text, u32 n, int *options, void **values)
{
	struct cu_module *m;

	OK(cuModuleLoadDataEx(&m, text, n, options, values));
	return m;
}

static int registers_with(const char *text, u32 limit, u32 overrides)
{
	int options[] = {MAX_REGISTERS, OVERRIDE};
	void *values[] = {number(limit), number(overrides)};

	return registers_of(load_with(text, 2, options, values));
}

START_TEST(registers_have_a_limit)
{
	char *text = wide_text("", 90), *bounded = wide_text(".maxntid 64", 90), *stated = wide_text(".maxnreg 64", 90);
	int option = MAX_REGISTERS;
	void *value = number(40);
	struct cu_module *m;

	use_device();
	OK(cuModuleLoadData(&m, text));
	ck_assert_int_gt(registers_of(m), 80);
	struct cu_module *const held = load_with(text, 1, &option, &value);
	ck_assert_int_eq(registers_of(held), 40);
	ck_assert_int_gt(blocks_of(held, 256), blocks_of(m, 256));
	ck_assert_int_eq(blocks_of(held, 256), 65536 / (40 * 256));
	/* No less than the assembler needs, and nothing where there is no limit. */
	ck_assert_int_eq(registers_with(text, 8, 0), 24);
	ck_assert_int_eq(registers_with(text, 0, 0), registers_of(m));
	ck_assert_int_eq(registers_with(text, 255, 0), registers_of(m));
	/* Directives win, unless they are overridden. */
	ck_assert_int_eq(registers_with(stated, 40, 0), 64);
	ck_assert_int_eq(registers_with(stated, 40, 1), 40);
	ck_assert_int_gt(registers_with(bounded, 40, 0), 80);
	ck_assert_int_eq(registers_with(bounded, 40, 1), 40);
	free(text);
	free(bounded);
	free(stated);
}
END_TEST

START_TEST(blocks_have_room)
{
	char *text = wide_text("", 90);
	int option = THREADS_PER_BLOCK, most[] = {MAX_THREADS, MIN_BLOCKS};
	void *value = number(1024), *few[] = {number(128), number(2)};

	use_device();
	struct cu_module *m = load_with(text, 1, &option, &value);
	ck_assert_ptr_eq(value, number(1024));
	ck_assert_int_eq(registers_of(m), 64);
	ck_assert_int_eq(blocks_of(m, 1024), 1);
	value = number(4000);
	m = load_with(text, 1, &option, &value);
	ck_assert_ptr_eq(value, number(1024));
	m = load_with(text, 2, most, few);
	ck_assert_int_eq(attribute_of(m, OF_MAX_THREADS), 128);
	free(text);
}
END_TEST

static struct cu_module *linked_module(struct cu_link *l)
{
	struct cu_module *m;
	void *image;
	size_t size;

	OK(cuLinkComplete(l, &image, &size));
	OK(cuModuleLoadData(&m, image));
	OK(cuLinkDestroy(l));
	return m;
}

START_TEST(the_linker_keeps_limits)
{
	char *text = wide_text("", 90);
	int option = MAX_REGISTERS;
	void *value = number(40), *other = number(48), *image;
	struct cu_link *l, *again;
	struct cu_library *library;
	struct cu_function *k;
	size_t size;
	int registers;

	use_device();
	OK(cuLinkCreate_v2(1, &option, &value, &l));
	OK(cuLinkAddData_v2(l, INPUT_PTX, text, strlen(text) + 1, "wide", 0, NULL, NULL));
	ck_assert_int_eq(registers_of(linked_module(l)), 40);
	OK(cuLinkCreate_v2(1, &option, &value, &l));
	OK(cuLinkAddData_v2(l, INPUT_PTX, text, strlen(text), "wide", 1, &option, &other));
	/* What is linked is an input again, and keeps its own. */
	OK(cuLinkComplete(l, &image, &size));
	OK(cuLinkCreate_v2(1, &option, &value, &again));
	OK(cuLinkAddData_v2(again, INPUT_CUBIN, image, size, NULL, 0, NULL, NULL));
	for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 97) {
		char *part = malloc(cut + 1);
		memcpy(part, image, cut);
		ck_assert_int_ne(cuLinkAddData_v2(again, INPUT_CUBIN, part, cut, NULL, 0, NULL, NULL), 0);
		free(part);
	}
	OK(cuLinkDestroy(l));
	ck_assert_int_eq(registers_of(linked_module(again)), 48);

	OK(cuLibraryLoadData(&library, text, &option, &value, 1, NULL, NULL, 0));
	OK(cuLibraryGetKernel(&k, library, "wide"));
	OK(cuKernelGetAttribute(&registers, OF_REGISTERS, k, 0));
	ck_assert_int_eq(registers, 40);
	free(text);
}
END_TEST

START_TEST(targets_fit)
{
	static char text[] = HEAD ".visible .entry wide() { ret; }\n";
	static char text_9[] = "//\n.version 7.8\n.target sm_90\n.visible .entry k() { ret; }\n";
	static char newest[] = "//\n.version 9.9\n.target sm_90\n.visible .entry k() { ret; }\n";
	int options[] = {TARGET, THREADS_PER_BLOCK};
	void *values[] = {number(90), number(64)}, *image;
	struct cu_module *m;
	struct cu_link *l;
	size_t size;

	use_device();
	OK(cuModuleLoadDataEx(&m, text, 1, options, values));
	values[0] = number(90 + 0x10000);
	OK(cuModuleLoadDataEx(&m, text, 1, options, values));
	FAILS(cuModuleLoadDataEx(&m, text, 2, options, values), CU_INVALID_VALUE);
	values[0] = number(80);
	FAILS(cuModuleLoadDataEx(&m, text, 1, options, values), CU_NO_BINARY);
	values[0] = number(100);
	FAILS(cuModuleLoadDataEx(&m, text, 1, options, values), CU_NO_BINARY);
	values[0] = number(12345);
	FAILS(cuModuleLoadDataEx(&m, text, 1, options, values), CU_INVALID_VALUE);
	FAILS(cuLinkCreate_v2(1, options, values, &l), CU_INVALID_VALUE);

	/* A linker may link for a GPU that is not there; what it makes does not run here. */
	values[0] = number(80);
	OK(cuLinkCreate_v2(1, options, values, &l));
	OK(cuLinkAddData_v2(l, INPUT_PTX, text, sizeof text, NULL, 0, NULL, NULL));
	FAILS(cuLinkAddData_v2(l, INPUT_PTX, text_9, sizeof text_9, NULL, 0, NULL, NULL), CU_INVALID_PTX);
	FAILS(cuLinkAddData_v2(l, INPUT_PTX, newest, sizeof newest, NULL, 0, NULL, NULL), CU_UNSUPPORTED_PTX_VERSION);
	OK(cuLinkComplete(l, &image, &size));
	FAILS(cuModuleLoadData(&m, image), CU_NO_BINARY);
	OK(cuLinkDestroy(l));
}
END_TEST

/* --- Errors of an input ----------------------------------------------------------------------------------- */

static char calls[] = HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
			   ".extern .global .u32 offset;\n"
			   ".visible .entry wide(.param .u64 p) {\n"
			   ".reg .u64 %p; .reg .u32 %r, %o;\n"
			   "ld.param.u64 %p, [p];\n"
			   "ld.global.u32 %r, [%p];\n"
			   "{ .param .b32 x; .param .b32 r; st.param.b32 [x], %r; call (r), twice, (x);\n"
			   "ld.param.b32 %r, [r]; }\n"
			   "ld.global.u32 %o, [offset];\n"
			   "add.u32 %r, %r, %o;\n"
			   "st.global.u32 [%p], %r;\n"
			   "ret; }\n";
static char defines[] = HEAD ".visible .global .u32 offset = 5;\n"
			     ".visible .func (.param .b32 r) twice(.param .b32 x) {\n"
			     ".reg .u32 %r;\n"
			     "ld.param.b32 %r, [x]; shl.b32 %r, %r, 1; st.param.b32 [r], %r;\n"
			     "ret; }\n";

static char offers[] = HEAD ".weak .global .u32 spare = 5;\n"
			    ".weak .func idle() { ret; }\n";

/* What the kernel makes of 20. */
static u32 run_on_20(struct cu_module *m)
{
	struct cu_function *f;
	u32 value = 20;
	u64 at;

	OK(cuModuleGetFunction(&f, m, "wide"));
	OK(cuMemAlloc_v2(&at, sizeof value));
	OK(cuMemcpyHtoD_v2(at, &value, sizeof value));
	void *args[] = {&at};
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	OK(cuMemcpyDtoH_v2(&value, at, sizeof value));
	OK(cuMemFree_v2(at));
	return value;
}

START_TEST(errors_belong_to_the_input)
{
	static char *const wrong[] = {
		HEAD ".visible .entry k() { .reg .u32 %a; frobnicate.u32 %a, %a; ret; }\n",
		HEAD ".visible .entry k() { .reg .u32 %a; .reg .f64 %d; add.u32 %a, %a, %d; ret; }\n",
		/* Which no kernel calls. */
		HEAD ".visible .func f() { .reg .u32 %a; frobnicate.u32 %a, %a; ret; }\n",
		HEAD ".extern .func g(.param .b32 x);\n.visible .entry k() { call g, (); ret; }\n",
	};
	char log[600] = "";
	int options[] = {ERROR_LOG, ERROR_LOG_SIZE};
	void *values[] = {log, number(sizeof log)};
	struct cu_link *l;

	use_device();
	OK(cuLinkCreate_v2(2, options, values, &l));
	FAILS(cuLinkAddData_v2(l, INPUT_PTX, wrong[0], strlen(wrong[0]), "w", 0, NULL, NULL), CU_INVALID_PTX);
	ck_assert_ptr_nonnull(strstr(log, "Not a name of any known instruction: 'frobnicate"));
	ck_assert_uint_eq((uintptr_t)values[1], strlen(log));
	for (size_t k = 1; k < sizeof wrong / sizeof *wrong; k++)
		FAILS(cuLinkAddData_v2(l, INPUT_PTX, wrong[k], strlen(wrong[k]), "w", 0, NULL, NULL), CU_INVALID_PTX);
	/* Names that other inputs define are no errors; what was refused is gone. */
	OK(cuLinkAddData_v2(l, INPUT_PTX, calls, sizeof calls, "calls", 0, NULL, NULL));
	OK(cuLinkAddData_v2(l, INPUT_PTX, defines, sizeof defines, "defines", 0, NULL, NULL));
	FAILS(cuLinkAddData_v2(l, INPUT_NONE, calls, sizeof calls, NULL, 0, NULL, NULL), CU_INVALID_VALUE);
	FAILS(cuLinkAddData_v2(l, -1, calls, sizeof calls, NULL, 0, NULL, NULL), CU_INVALID_VALUE);
	for (int type = INPUT_FATBINARY; type < INPUT_NONE; type++)
		FAILS(cuLinkAddData_v2(l, type, calls, sizeof calls, NULL, 0, NULL, NULL), CU_INVALID_IMAGE);
	ck_assert_uint_eq(run_on_20(linked_module(l)), 45);
}
END_TEST

/* What inputs define for one another is looked at as a whole: at once what is there twice, in the end what is missing. */
START_TEST(names_of_several_inputs)
{
	char log[600] = "";
	int options[] = {ERROR_LOG, ERROR_LOG_SIZE, WALL_TIME};
	void *values[] = {log, number(sizeof log), NULL};
	struct cu_link *l;
	void *image;
	size_t size;
	float milliseconds;

	use_device();
	OK(cuLinkCreate_v2(3, options, values, &l));
	OK(cuLinkAddData_v2(l, INPUT_PTX, calls, sizeof calls, "calls", 0, NULL, NULL));
	FAILS(cuLinkComplete(l, &image, &size), CU_UNKNOWN);
	ck_assert_ptr_nonnull(strstr(log, "Undefined reference to 'twice' in 'calls'"));
	OK(cuLinkAddData_v2(l, INPUT_PTX, defines, sizeof defines, "defines", 0, NULL, NULL));
	FAILS(cuLinkAddData_v2(l, INPUT_PTX, defines, sizeof defines, "again", 0, NULL, NULL), CU_INVALID_SOURCE);
	ck_assert_ptr_nonnull(strstr(log, "in 'again', first defined in 'defines'"));
	OK(cuLinkAddData_v2(l, INPUT_PTX, offers, sizeof offers, "weak", 0, NULL, NULL));
	OK(cuLinkAddData_v2(l, INPUT_PTX, offers, sizeof offers, "weak as well", 0, NULL, NULL));
	ck_assert_uint_eq(run_on_20(linked_module(l)), 45);
	memcpy(&milliseconds, &values[2], sizeof milliseconds);
	ck_assert(milliseconds > 0 && milliseconds < 1e6f);
}
END_TEST

/* --- Objects and archives ---------------------------------------------------------------------------------- */

struct bytes {
	u8 *at;
	size_t size;
};

static void put(struct bytes *b, const void *from, size_t size)
{
	b->at = realloc(b->at, b->size + size + 1);
	ck_assert_ptr_nonnull(b->at);
	memcpy(b->at + b->size, from, size);
	b->size += size;
}

/* In 16 bytes at most. */
static void put_number(struct bytes *b, u64 value, size_t size)
{
	const u64 words[2] = {value};

	put(b, words, size);
}

/* A section's header. */
static void put_section(struct bytes *b, u32 name, u32 type, u64 offset, u64 size)
{
	put_number(b, name, 4);
	put_number(b, type, 4);
	put_number(b, 0, 16);
	put_number(b, offset, 8);
	put_number(b, size, 8);
	put_number(b, 0, 8);
	put_number(b, 8, 8);
	put_number(b, 0, 8);
}

/* A host object of x86 with these texts as fat binaries in a section. */
static struct bytes object_of(const char *section, const char *const *texts)
{
	static const u8 ident[24] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 62, 0, 1, 0, 0, 0};
	enum { HEADER = 64, NAMES = 64 };
	char names[NAMES] = "";
	struct bytes b = {0}, fats = {0};

	for (; *texts; texts++) {
		struct fat_binary fat;
		struct fat_wrapper unused;
		fat_binary_fill(&fat, &unused, *texts, FAT_PTX, 80);
		put(&fats, &fat, 16 + fat.bytes);
	}
	snprintf(names + 1, sizeof names - 1, "%s", section);
	put(&b, ident, sizeof ident);
	put_number(&b, 0, 16);
	put_number(&b, HEADER + NAMES + fats.size, 8);
	put_number(&b, 0, 4);
	put_number(&b, HEADER, 2);
	put_number(&b, 0, 4);
	put_number(&b, 64, 2);
	put_number(&b, 3, 2);
	put_number(&b, 2, 2);
	put(&b, names, NAMES);
	put(&b, fats.at ? fats.at : (u8 *)"", fats.size);
	put_section(&b, 0, 0, 0, 0);
	put_section(&b, 1, 1, HEADER + NAMES, fats.size);
	put_section(&b, 0, 3, HEADER, NAMES);
	free(fats.at);
	return b;
}

static void put_member(struct bytes *archive, const char *name, const void *from, size_t size)
{
	char header[61];

	snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", name, 0, 0, 0, 644, size);
	put(archive, header, 60);
	put(archive, from, size);
	if (size & 1)
		put(archive, "\n", 1);
}

static void write_file(const char *path, const struct bytes *b)
{
	FILE *f = fopen(path, "wb");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(b->at, 1, b->size, f), b->size);
	fclose(f);
}

static struct cu_link *link_new(void)
{
	struct cu_link *l;

	OK(cuLinkCreate_v2(0, NULL, NULL, &l));
	return l;
}

static int add_bytes(struct cu_link *l, int type, const struct bytes *b)
{
	return cuLinkAddData_v2(l, type, b->at, b->size, "input", 0, NULL, NULL);
}

START_TEST(objects_and_archives)
{
	char path[] = "/tmp/ptxsim-link-XXXXXX";
	const int file = mkstemp(path);
	struct bytes main_object = object_of("__nv_relfatbin", (const char *[]){calls, NULL});
	struct bytes other_object = object_of(".nv_fatbin", (const char *[]){defines, NULL});
	struct bytes both = object_of("__nv_relfatbin", (const char *[]){calls, defines, NULL});
	struct bytes host = object_of(".text", (const char *[]){NULL});
	struct bytes archive = {0};
	struct cu_link *l;

	use_device();
	l = link_new();
	OK(add_bytes(l, INPUT_OBJECT, &main_object));
	write_file(path, &other_object);
	OK(cuLinkAddFile_v2(l, INPUT_OBJECT, path, 0, NULL, NULL));
	ck_assert_uint_eq(run_on_20(linked_module(l)), 45);
	/* Objects that ld -r has joined. */
	l = link_new();
	OK(add_bytes(l, INPUT_OBJECT, &both));
	ck_assert_uint_eq(run_on_20(linked_module(l)), 45);

	put(&archive, "!<arch>\n", 8);
	put_member(&archive, "/", "odd", 3);
	put_member(&archive, "main.o/", main_object.at, main_object.size);
	put_member(&archive, "host.o/", host.at, host.size);
	put_member(&archive, "other.o/", other_object.at, other_object.size);
	l = link_new();
	OK(add_bytes(l, INPUT_LIBRARY, &archive));
	ck_assert_uint_eq(run_on_20(linked_module(l)), 45);
	write_file(path, &archive);
	l = link_new();
	OK(cuLinkAddFile_v2(l, INPUT_LIBRARY, path, 0, NULL, NULL));
	ck_assert_uint_eq(run_on_20(linked_module(l)), 45);
	l = link_new();
	FAILS(add_bytes(l, INPUT_OBJECT, &host), CU_INVALID_IMAGE);
	FAILS(cuLinkAddFile_v2(l, INPUT_OBJECT, "/nowhere/at/all.o", 0, NULL, NULL), CU_FILE_NOT_FOUND);
	OK(cuLinkDestroy(l));
	close(file);
	unlink(path);
	free(main_object.at);
	free(other_object.at);
	free(both.at);
	free(host.at);
	free(archive.at);
}
END_TEST

/* Refused or not, an input that is cut off or changed anywhere does no harm; what is cut off is refused. */
static void damage(int type, const struct bytes *whole)
{
	static const u8 values[] = {0, 0x7f, 0xff};
	struct cu_link *l = link_new();

	for (size_t cut = 1; cut < whole->size; cut += cut < 300 ? 1 : 41) {
		struct bytes part = {0};
		put(&part, whole->at, cut);
		const int result = add_bytes(l, type, &part);
		ck_assert(cut == 8 || result == CU_INVALID_IMAGE || result == CU_INVALID_PTX);
		free(part.at);
	}
	for (size_t k = 0; k < 3 * (whole->size < 400 ? whole->size : 400); k++) {
		struct bytes changed = {0};
		put(&changed, whole->at, whole->size);
		changed.at[k / 3] = values[k % 3];
		add_bytes(l, type, &changed);
		free(changed.at);
	}
	OK(cuLinkDestroy(l));
}

START_TEST(damaged_inputs)
{
	struct bytes object = object_of("__nv_relfatbin", (const char *[]){defines, NULL}), archive = {0};
	static const u8 wrapper[32] = {0xb1, 0x43, 0x62, 0x46, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0};
	char path[] = "/tmp/ptxsim-link-XXXXXX";
	const int file = mkstemp(path);
	struct cu_link *l;

	use_device();
	damage(INPUT_OBJECT, &object);
	put(&archive, "!<arch>\n", 8);
	put_member(&archive, "main.o/", object.at, object.size);
	damage(INPUT_LIBRARY, &archive);
	/* A wrapper has addresses in it, which mean nothing in a file. */
	write_file(path, &(struct bytes){(u8 *)(uintptr_t)wrapper, sizeof wrapper});
	l = link_new();
	FAILS(cuLinkAddFile_v2(l, INPUT_FATBINARY, path, 0, NULL, NULL), CU_INVALID_IMAGE);
	OK(cuLinkDestroy(l));
	close(file);
	unlink(path);
	free(object.at);
	free(archive.at);
}
END_TEST

START_TEST(fat_binaries)
{
	struct fat_binary fat;
	struct fat_wrapper wrapper;
	struct cu_link *l;

	use_device();
	fat_binary_fill(&fat, &wrapper, calls, FAT_PTX, 80);
	l = link_new();
	OK(cuLinkAddData_v2(l, INPUT_FATBINARY, &fat, 16 + fat.bytes, NULL, 0, NULL, NULL));
	fat_binary_fill(&fat, &wrapper, defines, FAT_PTX, 80);
	OK(cuLinkAddData_v2(l, INPUT_FATBINARY, &wrapper, sizeof wrapper, NULL, 0, NULL, NULL));
	ck_assert_uint_eq(run_on_20(linked_module(l)), 45);
	fat_binary_fill(&fat, &wrapper, calls, FAT_PTX, 100);
	l = link_new();
	FAILS(cuLinkAddData_v2(l, INPUT_FATBINARY, &fat, 16 + fat.bytes, NULL, 0, NULL, NULL), CU_NO_BINARY);
	OK(cuLinkDestroy(l));
}
END_TEST

/* What nvcc makes of two files, where there is nvcc. */
static const char builds[] =
	"PATH=$PATH:/usr/local/cuda/bin; command -v nvcc >/dev/null || exit 77; cd \"$0\" &&"
	"echo '__device__ unsigned offset = 5; __device__ unsigned twice(unsigned x) { return 2 * x; }' >other.cu &&"
	"echo 'extern __device__ unsigned offset, twice(unsigned);"
	"extern \"C\" __global__ void wide(unsigned *p) { *p = twice(*p) + offset; }' >main.cu &&"
	"nvcc -arch=sm_90 -dc main.cu other.cu && nvcc -lib main.o other.o -o both.a";

START_TEST(what_nvcc_makes)
{
	char folder[] = "/tmp/ptxsim-link-XXXXXX", path[60], command[100];
	struct cu_link *l;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("LINK_TEST_BUILD", builds, 1);
	snprintf(command, sizeof command, "sh -c \"$LINK_TEST_BUILD\" %s", folder);
	const int status = system(command);
	if (!status) {
		use_device();
		l = link_new();
		snprintf(path, sizeof path, "%s/main.o", folder);
		OK(cuLinkAddFile_v2(l, INPUT_OBJECT, path, 0, NULL, NULL));
		snprintf(path, sizeof path, "%s/other.o", folder);
		OK(cuLinkAddFile_v2(l, INPUT_OBJECT, path, 0, NULL, NULL));
		ck_assert_uint_eq(run_on_20(linked_module(l)), 45);
		l = link_new();
		snprintf(path, sizeof path, "%s/both.a", folder);
		OK(cuLinkAddFile_v2(l, INPUT_LIBRARY, path, 0, NULL, NULL));
		ck_assert_uint_eq(run_on_20(linked_module(l)), 45);
	}
	snprintf(command, sizeof command, "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
	ck_assert(status == 0 || status == 77 << 8);
	if (status)
		puts("there is no nvcc: what it makes was not linked");
}
END_TEST

UNIT_TESTS("link", 240)
{
	UNIT_TEST(registers_have_a_limit);
	UNIT_TEST(blocks_have_room);
	UNIT_TEST(the_linker_keeps_limits);
	UNIT_TEST(targets_fit);
	UNIT_TEST(errors_belong_to_the_input);
	UNIT_TEST(names_of_several_inputs);
	UNIT_TEST(objects_and_archives);
	UNIT_TEST(damaged_inputs);
	UNIT_TEST(fat_binaries);
	UNIT_TEST(what_nvcc_makes);
}
