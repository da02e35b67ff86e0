/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache folder of native code: a second process finds what the first has compiled; damaged, foreign and unsafe files
 * cost nothing but compiling; the folder stays below its limit. And the linker, with objects that are damaged.
 */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/session.h"
#include "cache_folder.h"
#include "main.h"
#include "native/cache.h"
#include "native/load.h"
#include "native/plugin.h"
#include "native_there.h"

/* The folder's only file; "": there is none. */
static const char *only_file(void)
{
	static char path[400];
	DIR *d = opendir(cache_folder);
	const struct dirent *e;

	*path = 0;
	while (d && (e = readdir(d)))
		if (*e->d_name != '.') {
			ck_assert_msg(!*path, "several files");
			snprintf(path, sizeof path, "%s/%s", cache_folder, e->d_name);
		}
	if (d)
		closedir(d);
	return path;
}

/* Runs a kernel on words that count from 0, natively: how many regions it has; *cached: their code was found. */
static u32 run_text(const char *source, size_t length, u32 words[32], bool *cached)
{
	const struct lower_options options = {0};
	struct session s;
	struct fault fault;
	struct launch_stats stats;
	char message[256] = "";

	ck_assert(session_open(&s));
	session_add_text(&s, "cache.ptx", source, length);
	ck_assert_msg(session_build(&s, &options), "%.1000s", session_diagnostics(&s, false));
	ck_assert(session_reset_memory(&s));
	const u64 params[1] = {memory_allocate(&s.memory, 256, 256, "to", 0)};
	u32 *to = (u32 *)(void *)memory_find(&s.memory, params[0], 1)->host;
	for (u32 k = 0; k < 32; k++)
		to[k] = k;
	struct launch l = {.program = s.program,
			   .kernel = program_kernel(s.program, "k"),
			   .memory = &s.memory,
			   .grid = {1, 1, 1},
			   .block = {32, 1, 1},
			   .params = (const u8 *)params,
			   .jobs = 1};
	l.native = session_native(&s, s.program, l.kernel, NATIVE_ALWAYS);
	ck_assert_msg(launch_run(&l, &stats, &fault, message, sizeof message) == LAUNCH_OK, "%s", message);
	memcpy(words, to, 32 * sizeof *words);
	const u32 regions = native_report_of(l.native)->regions;
	*cached = native_report_of(l.native)->cached;
	session_close(&s);
	return regions;
}

#define KERNEL_BEGINS                                                                           \
	".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to)\n{\n" \
	".reg .b32 r<5>; .reg .b64 d<3>; ld.param.u64 d0, [to]; mov.u32 r0, %%tid.x;\n"         \
	"mul.wide.u32 d1, r0, 4; add.u64 d2, d0, d1; ld.global.u32 r0, [d2];"

/* One region. */
static u32 run(u32 factor, bool *cached)
{
	static const char text[] =
		KERNEL_BEGINS "mul.lo.u32 r1, r0, %u; xor.b32 r2, r1, r0;\n"
			      "add.u32 r3, r2, 5; shl.b32 r4, r3, 1; st.global.u32 [d2], r4; ret;\n}\n";
	char source[1024];
	u32 words[32];

	const int length = snprintf(source, sizeof source, text, factor);
	const u32 regions = run_text(source, (size_t)length, words, cached);
	for (u32 k = 0; k < 32; k++)
		ck_assert_uint_eq(words[k], ((k * factor ^ k) + 5) << 1);
	return regions;
}

/* As many regions as there are steps, of which each does something else, and one more. */
static u32 run_steps(u32 steps, bool *cached)
{
	char source[8192];
	u32 words[32];
	int at = snprintf(source, sizeof source, KERNEL_BEGINS);

	for (u32 n = 1; n <= steps; n++)
		at += snprintf(
			source + at, sizeof source - (size_t)at,
			"bar.sync 0, 32; mul.lo.u32 r1, r0, 7; add.u32 r2, r1, %u; xor.b32 r3, r2, r0; shl.b32 r4, "
			"r3, 1; xor.b32 r0, r4, r2;\n",
			1000 * n);
	at += snprintf(source + at, sizeof source - (size_t)at, "st.global.u32 [d2], r0; ret;\n}\n");
	const u32 regions = run_text(source, (size_t)at, words, cached);
	for (u32 k = 0; k < 32; k++) {
		u32 expected = k;
		for (u32 n = 1; n <= steps; n++) {
			const u32 sum = 7 * expected + 1000 * n;
			expected = (sum ^ expected) << 1 ^ sum;
		}
		ck_assert_uint_eq(words[k], expected);
	}
	return regions;
}

static void change_byte(const char *path, off_t at)
{
	const int fd = open(path, O_RDWR);
	u8 byte;

	ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
	byte ^= 0x10;
	ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

static off_t bytes_of(const char *path)
{
	struct stat about;

	ck_assert(!stat(path, &about));
	return about.st_size;
}

/* The first run compiles, the second finds what it has kept. */
static void is_kept(u32 factor)
{
	bool cached;

	ck_assert_uint_eq(run(factor, &cached), 1);
	ck_assert(!cached);
	ck_assert_uint_eq(run(factor, &cached), 1);
	ck_assert(cached);
}

START_TEST(a_second_tier_finds_the_code)
{
	if (!native_is_there())
		return;
	cache_begin();
	is_kept(7);
	ck_assert(*only_file());
	/* Another constant is another kernel. */
	is_kept(11);
	cache_end();
}
END_TEST

enum { STEPS = 40 };

/* Copies the folder's only file, of whose key the copy has the bytes. */
static struct native_key key_of(const char *path, u8 *text, size_t room)
{
	const int fd = open(path, O_RDONLY);
	const ssize_t bytes = read(fd, text, room);
	u64 key_bytes;

	close(fd);
	ck_assert_int_gt(bytes, 40);
	memcpy(&key_bytes, text + 24, 8);
	ck_assert_int_gt(bytes, (long long)key_bytes + 40);
	return (struct native_key){text + 40, key_bytes};
}

static u32 count_objects(const struct cached_objects *found, u32 regions)
{
	u32 count = 0;

	for (u32 k = 0; k < regions; k++)
		count += found->objects[k].bytes > 0;
	return count;
}

/* A process that ends while its compiler works leaves a part; the next one goes on from there. */
START_TEST(what_is_left_is_compiled)
{
	u8 text[1 << 16];
	struct cached_objects found;
	bool cached;

	if (!native_is_there())
		return;
	cache_begin();
	run(7, &cached);
	const struct native_key key = key_of(only_file(), text, sizeof text);
	const struct native_object untried = {.untried = true};
	ck_assert(cache_find(&key, 1, &found));
	ck_assert(!found.objects[0].untried && found.objects[0].bytes);
	cache_release(&found);
	cache_keep(&key, NULL, &untried, 1);
	ck_assert(cache_find(&key, 1, &found));
	ck_assert(found.objects[0].untried && !found.objects[0].bytes);
	cache_release(&found);
	is_kept(7);
	cache_end();
}
END_TEST

/* Small regions are several in an object; where some objects are missing these are made, and the others stay. */
START_TEST(small_regions_share_objects)
{
	static u8 text[1 << 20];
	struct cached_objects found;
	bool cached;

	if (!native_is_there())
		return;
	cache_begin();
	ck_assert_uint_eq(run_steps(STEPS, &cached), STEPS + 1);
	ck_assert_uint_eq(run_steps(STEPS, &cached), STEPS + 1);
	ck_assert(cached);
	const struct native_key key = key_of(only_file(), text, sizeof text);
	ck_assert(cache_find(&key, STEPS + 1, &found));
	const u32 objects = count_objects(&found, STEPS + 1);
	ck_assert_uint_gt(objects, 1);
	ck_assert_uint_le(objects, STEPS / 4);
	/* All but what the first object has. */
	for (u32 k = 1, gone = 0; k <= STEPS; k++) {
		gone |= found.objects[k].bytes > 0;
		if (gone)
			found.objects[k] = (struct native_object){.untried = true};
	}
	const u64 first = found.objects[0].bytes;
	cache_keep(&key, NULL, found.objects, STEPS + 1);
	cache_release(&found);
	ck_assert_uint_eq(run_steps(STEPS, &cached), STEPS + 1);
	ck_assert(!cached);
	ck_assert(cache_find(&key, STEPS + 1, &found));
	ck_assert_uint_eq(count_objects(&found, STEPS + 1), objects);
	ck_assert_uint_eq(found.objects[0].bytes, first);
	/* An object of others is not linked for them, nor twice. */
	struct native_image image;
	native_fn *entries[STEPS + 1] = {0};
	ck_assert(!image_link(&image, found.objects, 1, entries, 1));
	memset(entries, 0, sizeof entries);
	struct native_object twice[2] = {found.objects[0], found.objects[0]};
	ck_assert(!image_link(&image, twice, 2, entries, STEPS + 1));
	memset(entries, 0, sizeof entries);
	ck_assert(image_link(&image, twice, 1, entries, STEPS + 1));
	ck_assert(entries[0] && entries[1] && !entries[STEPS]);
	image_free(&image);
	cache_release(&found);
	cache_end();
}
END_TEST

START_TEST(off_keeps_nothing)
{
	bool cached;

	if (!native_is_there())
		return;
	cache_begin();
	setenv("PTXSIM_CACHE", _i ? "off" : "not/absolute", 1);
	for (u32 k = 0; k < 2; k++) {
		run(7, &cached);
		ck_assert(!cached);
	}
	ck_assert(!*only_file());
	ck_assert(access("not", F_OK));
	cache_end();
}
END_TEST

START_TEST(damaged_files_are_compiled_again)
{
	bool cached;

	if (!native_is_there())
		return;
	cache_begin();
	run(7, &cached);
	const char *path = only_file();
	const off_t bytes = bytes_of(path);
	for (off_t at = 0; at < bytes; at += bytes / 23) {
		change_byte(path, at);
		run(7, &cached);
		ck_assert_msg(!cached, "byte %ld", (long)at);
		/* It has been replaced by a whole one. */
		ck_assert_int_eq(bytes_of(path), bytes);
		ck_assert(!truncate(path, at));
		run(7, &cached);
		ck_assert_msg(!cached, "cut off at %ld", (long)at);
	}
	run(7, &cached);
	ck_assert(cached);
	cache_end();
}
END_TEST

/* What others can write, or have put there, is not run. */
START_TEST(unsafe_files_are_not_used)
{
	char aside[128];
	bool cached;

	if (!native_is_there())
		return;
	cache_begin();
	run(7, &cached);
	const char *path = only_file();
	ck_assert(!chmod(path, 0620));
	run(7, &cached); /* replaced by a safe one */
	ck_assert(!cached);
	ck_assert(!chmod(cache_folder, 0770));
	run(7, &cached);
	ck_assert(!cached);
	ck_assert(!chmod(cache_folder, 0700));
	run(7, &cached);
	ck_assert(cached);
	if (!geteuid()) {
		ck_assert(!chown(path, 65534, 65534));
		run(7, &cached);
		ck_assert(!cached);
		ck_assert(!chown(cache_folder, 65534, 65534));
		run(7, &cached);
		ck_assert(!cached);
		ck_assert(!chown(cache_folder, 0, 0));
	}
	/* Links lead elsewhere. */
	snprintf(aside, sizeof aside, "%s/aside", cache_folder);
	ck_assert(!rename(path, aside));
	ck_assert(!symlink(aside, path));
	run(7, &cached);
	ck_assert(!cached);
	unlink(aside);
	cache_end();
}
END_TEST

START_TEST(the_folder_is_bounded)
{
	enum { FILES = 10, FILE_BYTES = 8 << 20 };
	char path[128];
	struct stat about;
	u64 bytes = 0;
	bool cached;

	if (!native_is_there())
		return;
	cache_begin();
	for (u32 k = 0; k < FILES; k++) {
		snprintf(path, sizeof path, "%s/%032x.code", cache_folder, k);
		const int fd = open(path, O_WRONLY | O_CREAT, 0600);
		/* The first is the oldest. */
		const struct timespec times[2] = {{.tv_sec = 1000000 + k}, {.tv_sec = 1000000 + k}};
		ck_assert(!ftruncate(fd, FILE_BYTES) && !futimens(fd, times));
		close(fd);
	}
	/* Nobody knows whose that is. */
	snprintf(path, sizeof path, "%s/letter", cache_folder);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	/* Left by a process that has died. */
	snprintf(path, sizeof path, "%s/new-1-0", cache_folder);
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);
	const struct timespec long_ago[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
	futimens(fd, long_ago);
	close(fd);
	run(7, &cached);
	ck_assert(access(path, F_OK));
	for (u32 k = 0; k < FILES; k++) {
		snprintf(path, sizeof path, "%s/%032x.code", cache_folder, k);
		if (!stat(path, &about))
			bytes += (u64)about.st_size;
		else
			ck_assert_msg(k < FILES - 4, "file %u has gone", k);
	}
	ck_assert_uint_le(bytes, 64u << 20);
	snprintf(path, sizeof path, "%s/letter", cache_folder);
	ck_assert(!access(path, F_OK));
	run(7, &cached);
	ck_assert(cached);
	cache_end();
}
END_TEST

/* --- Without a compiler ------------------------------------------------------------------------- */

static const u8 object_bytes[16384] = {1, 2, 3};

static void *keep_and_find(void *seed)
{
	const struct native_object objects[2] = {{.start = object_bytes, .bytes = sizeof object_bytes},
						 {.untried = true}};

	for (u32 k = 0; k < 40; k++) {
		u8 text[64];
		snprintf((char *)text, sizeof text, "key %u", k % 4);
		const struct native_key key = {text, 13};
		struct cached_objects found;
		memset(text + 6, 0, sizeof text - 6);
		cache_keep(&key, NULL, objects, 2);
		if (!cache_find(&key, 2, &found) || found.objects[0].bytes != sizeof object_bytes ||
		    memcmp(found.objects[0].start, object_bytes, sizeof object_bytes) || found.objects[1].bytes ||
		    !found.objects[1].untried)
			*(bool *)seed = true;
		cache_release(&found);
	}
	return NULL;
}

static bool is_found(const struct native_key *key)
{
	struct cached_objects found;
	const bool yes = cache_find(key, 1, &found);

	cache_release(&found);
	return yes;
}

/* What an LLVM has compiled that was replaced, or is gone, is not run. */
START_TEST(code_is_for_one_library)
{
	const struct native_object object = {.start = object_bytes, .bytes = sizeof object_bytes};
	u8 text[] = "key";
	const struct native_key key = {text, 3};
	char library[128], other[128];

	if (!processor_vector_bytes())
		return;
	cache_begin();
	snprintf(library, sizeof library, "%s/libLLVM.so", cache_folder);
	snprintf(other, sizeof other, "%s/new", cache_folder);
	cache_keep(&key, library, &object, 1);
	ck_assert(!is_found(&key));
	close(open(library, O_WRONLY | O_CREAT, 0600));
	cache_keep(&key, library, &object, 1);
	ck_assert(is_found(&key));
	close(open(other, O_WRONLY | O_CREAT, 0600));
	ck_assert(!rename(other, library));
	ck_assert(!is_found(&key));
	cache_keep(&key, library, &object, 1);
	ck_assert(is_found(&key));
	unlink(library);
	ck_assert(!is_found(&key));
	cache_end();
}
END_TEST

START_TEST(the_compiler_knows_its_library)
{
	const struct native_plugin *plugin;
	char path[4096], message[256];
	u64 identity[FILE_IDENTITY_WORDS];
	bool cached;

	if (!native_is_there())
		return;
	cache_begin();
	struct native_compiler *c = native_load_compiler(&plugin, message, sizeof message);
	ck_assert_ptr_nonnull(c);
	ck_assert(plugin->library(c, path, sizeof path));
	plugin->close(c);
	ck_assert(file_identity(path, identity));
	run(7, &cached);
	const off_t bytes = bytes_of(only_file());
	u8 *text = malloc((size_t)bytes);
	const int fd = open(only_file(), O_RDONLY);
	ck_assert_int_eq(read(fd, text, (size_t)bytes), bytes);
	close(fd);
	ck_assert(!memcmp(text + bytes - sizeof identity, identity, sizeof identity));
	free(text);
	cache_end();
}
END_TEST

START_TEST(several_may_write_at_once)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	bool failed[THREADS] = {0};

	if (!processor_vector_bytes())
		return;
	cache_begin();
	for (u32 t = 0; t < THREADS; t++)
		ck_assert(!pthread_create(&threads[t], NULL, keep_and_find, &failed[t]));
	for (u32 t = 0; t < THREADS; t++) {
		pthread_join(threads[t], NULL);
		ck_assert(!failed[t]);
	}
	cache_end();
}
END_TEST

/* Every byte of an object in turn: it links, or it does not. */
START_TEST(damaged_objects_are_refused_or_linked)
{
	struct native_image image;
	bool cached;
	u32 refused = 0;

	if (!native_is_there())
		return;
	cache_begin();
	run(7, &cached);
	const int fd = open(only_file(), O_RDONLY);
	u64 head[5];
	ck_assert_int_eq(read(fd, head, sizeof head), sizeof head);
	const size_t at = sizeof head + (head[3] + 7) / 8 * 8;
	u64 bytes;
	ck_assert_int_eq(pread(fd, &bytes, 8, (off_t)at), 8);
	u8 *object = malloc(bytes);
	ck_assert_int_eq(pread(fd, object, bytes, (off_t)at + 8), (long long)bytes);
	close(fd);
	for (size_t k = 0; k < bytes; k++)
		for (u32 value = 0; value < 3; value++) {
			const u8 was = object[k];
			object[k] = (u8)(value == 0 ? 0xff : value == 1 ? was ^ 0x80 : was + 1);
			const struct native_object one = {.start = object, .bytes = bytes};
			native_fn *entry = NULL;
			if (image_link(&image, &one, 1, &entry, 1))
				image_free(&image);
			else
				refused++;
			object_code_bytes(&one);
			object[k] = was;
		}
	ck_assert_uint_gt(refused, 20);
	for (size_t size = 0; size < bytes; size += 7) {
		u8 *part = malloc(size + 1);
		memcpy(part, object, size);
		const struct native_object one = {.start = part, .bytes = size};
		native_fn *entry = NULL;
		ck_assert(!size || !image_link(&image, &one, 1, &entry, 1));
		free(part);
	}
	free(object);
	cache_end();
}
END_TEST

UNIT_TESTS("native cache", 120)
{
	tcase_add_test(unit, a_second_tier_finds_the_code);
	tcase_add_test(unit, what_is_left_is_compiled);
	tcase_add_test(unit, small_regions_share_objects);
	tcase_add_loop_test(unit, off_keeps_nothing, 0, 2);
	tcase_add_test(unit, damaged_files_are_compiled_again);
	tcase_add_test(unit, unsafe_files_are_not_used);
	tcase_add_test(unit, the_folder_is_bounded);
	tcase_add_test(unit, code_is_for_one_library);
	tcase_add_test(unit, the_compiler_knows_its_library);
	tcase_add_test(unit, several_may_write_at_once);
	tcase_add_test(unit, damaged_objects_are_refused_or_linked);
}
