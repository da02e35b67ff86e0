/* SPDX-License-Identifier: Apache-2.0
 *
 * A file:
 *
 *      "ptxsim native 2\n"   16 bytes
 *      u64 checksum          of all that follows
 *      u64 key bytes, u64 regions
 *      the key               padded to a multiple of 8 bytes, as objects are
 *      for each region:      u64 bytes, the object; 0 bytes: the compiler refused it; UNTRIED: it has not come to it
 *      u64 bytes, the path   of the library that LLVM lies in; 0 bytes: there was none
 *      u64[6]                and how it was, by file_identity()
 *
 * Its name is a hash of the key. A time of change that is at most an hour old says that it has been used.
 */
#include "native/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "native/load.h"

#ifdef NATIVE_HERE
#define SUFFIX ".code"
#define BEGINS "ptxsim native 2\n"

enum {
	FILE_BYTES_MAX = 16 << 20,
	FOLDER_BYTES_MAX = 64 << 20,
	FOLDER_BYTES_KEPT = 48 << 20, /* when the limit is reached */
	USED_SECONDS = 3600,          /* a time of change is not set more often */
	HEAD_BYTES = 40,
	NAME_BYTES = 48,
	TEMPORARY_TRIES = 16
};

static const u64 UNTRIED = UINT64_MAX;

static u64 padded(u64 bytes) { return (bytes + 7) / 8 * 8; }

/* Of padded bytes. For damage, not for enemies: those are kept out by permissions, and keys are compared. */
static u64 hash(const u8 *bytes, size_t count, u64 seed)
{
	u64 h = seed ^ count;

	for (size_t k = 0; k + 8 <= count; k += 8) {
		u64 word;
		memcpy(&word, bytes + k, sizeof word);
		h = (h ^ word) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
	}
	return h ^ h >> 32;
}

/* --- The folder --------------------------------------------------------------------------------- */

/* Only its owner can have put there what is in it. */
static bool is_own(const struct stat *about)
{
	return about->st_uid == geteuid() && !(about->st_mode & (S_IWGRP | S_IWOTH));
}

/* The folder's path; false: there is to be none. */
static bool folder_path(char path[PATH_MAX])
{
	const char *named = getenv("PTXSIM_CACHE"), *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int length;

	/* Whom a program with privileges of its own takes its environment from may not choose its code; and whoever asks what
	 * the compiler does wants it to work. */
	if (geteuid() != getuid() || getegid() != getgid() || getenv("PTXSIM_NATIVE_DUMP"))
		return false;
	if (named && *named)
		length = strcmp(named, "off") ? snprintf(path, PATH_MAX, "%s", named) : -1;
	else if (base && *base == '/')
		length = snprintf(path, PATH_MAX, "%s/ptxsim/native", base);
	else
		length = home && *home == '/' ? snprintf(path, PATH_MAX, "%s/.cache/ptxsim/native", home) : -1;
	return length > 0 && length < PATH_MAX && *path == '/';
}

/* With all folders above it, as the XDG rules have it: for the user alone. */
static void make_folders(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
}

/* -1: there is none that can be trusted. */
static int open_folder(bool make)
{
	const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	char path[PATH_MAX];
	struct stat about;

	if (!folder_path(path))
		return -1;
	int fd = open(path, how);
	if (fd < 0 && errno == ENOENT && make) {
		make_folders(path);
		fd = open(path, how);
	}
	if (fd >= 0 && (fstat(fd, &about) || !is_own(&about))) {
		close(fd);
		return -1;
	}
	return fd;
}

bool cache_is_there(void)
{
	const int folder = open_folder(false);

	if (folder >= 0)
		close(folder);
	return folder >= 0;
}

static void file_name(const struct native_key *key, char name[NAME_BYTES])
{
	const size_t whole = key->count / 8 * 8;
	u64 rest = 0;

	memcpy(&rest, key->bytes + whole, key->count - whole);
	const u64 one = hash((const u8 *)&rest, 8, hash(key->bytes, whole, 1));
	const u64 two = hash((const u8 *)&rest, 8, hash(key->bytes, whole, 0x51ed270b9f4a35c7ull));
	snprintf(name, NAME_BYTES, "%016llx%016llx" SUFFIX, (unsigned long long)one, (unsigned long long)two);
}

/* --- Finding ------------------------------------------------------------------------------------ */

static bool read_all(int fd, u8 *to, size_t bytes)
{
	while (bytes) {
		const ssize_t got = read(fd, to, bytes);
		if (got <= 0 && !(got < 0 && errno == EINTR))
			return false;
		to += got > 0 ? got : 0;
		bytes -= got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* Reads a file of the folder whole: it cannot be mapped, as somebody may cut it off. NULL: it is not there, not ours. */
static u8 *read_file(int folder, const char *name, size_t *bytes)
{
	const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat about;
	u8 *text = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &about) && S_ISREG(about.st_mode) && is_own(&about) && about.st_size >= HEAD_BYTES &&
	    about.st_size <= FILE_BYTES_MAX && about.st_size % 8 == 0) {
		*bytes = (size_t)about.st_size;
		text = malloc(*bytes);
		if (text && !read_all(fd, text, *bytes)) {
			free(text);
			text = NULL;
		}
		if (text && time(NULL) - about.st_mtim.tv_sec > USED_SECONDS)
			futimens(fd, NULL);
	}
	close(fd);
	return text;
}

static u64 word_at(const u8 *bytes, size_t at)
{
	u64 word;

	memcpy(&word, bytes + at, sizeof word);
	return word;
}

/* What stands at its end: whether the library that the objects were made by is still there, and the same. */
static bool is_current(const u8 *bytes, size_t count)
{
	u64 was[FILE_IDENTITY_WORDS], now[FILE_IDENTITY_WORDS];

	if (count < 8 + sizeof was)
		return false;
	const u64 length = word_at(bytes, 0);
	if (length >= PATH_MAX || count != 8 + padded(length) + sizeof was)
		return false;
	char path[PATH_MAX] = "";
	memcpy(path, bytes + 8, length);
	memcpy(was, bytes + count - sizeof was, sizeof was);
	return !length || (file_identity(path, now) && !memcmp(was, now, sizeof was));
}

/* Whether the file is what it claims to be, and for this key. */
static bool take_apart(const u8 *bytes, size_t count, const struct native_key *key, u32 regions,
		       struct native_object *objects)
{
	if (memcmp(bytes, BEGINS, 16) || word_at(bytes, 16) != hash(bytes + 24, count - 24, 0) ||
	    word_at(bytes, 24) != key->count || word_at(bytes, 32) != regions ||
	    padded(key->count) > count - HEAD_BYTES || memcmp(bytes + HEAD_BYTES, key->bytes, key->count))
		return false;
	size_t at = HEAD_BYTES + padded(key->count);
	for (u32 k = 0; k < regions; k++) {
		if (count - at < 8)
			return false;
		const u64 size = word_at(bytes, at);
		at += 8;
		objects[k] = (struct native_object){.untried = size == UNTRIED};
		if (size == UNTRIED)
			continue;
		if (size > count - at || padded(size) > count - at)
			return false;
		objects[k] = (struct native_object){.start = bytes + at, .bytes = size};
		at += padded(size);
	}
	return is_current(bytes + at, count - at);
}

bool cache_find(const struct native_key *key, u32 count, struct cached_objects *c)
{
	const int folder = open_folder(false);
	char name[NAME_BYTES];
	size_t bytes = 0;

	*c = (struct cached_objects){0};
	if (folder < 0)
		return false;
	file_name(key, name);
	c->bytes = read_file(folder, name, &bytes);
	close(folder);
	c->objects = calloc(count + 1, sizeof *c->objects);
	if (c->bytes && c->objects && take_apart(c->bytes, bytes, key, count, c->objects))
		return true;
	cache_release(c);
	return false;
}

void cache_release(struct cached_objects *c)
{
	free(c->bytes);
	free(c->objects);
	*c = (struct cached_objects){0};
}

/* --- Keeping ------------------------------------------------------------------------------------ */

struct entry {
	char name[NAME_BYTES];
	u64 bytes;
	time_t used;
};

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->used == y->used ? strcmp(x->name, y->name) : x->used < y->used ? -1 : 1;
}

/* Ours, by its name: a whole file, or one that was being written. Nothing else in the folder is touched. */
static bool is_entry(const char *name, bool *temporary)
{
	const size_t digits = strspn(name, "0123456789abcdef");

	*temporary = !strncmp(name, "new-", 4);
	return strlen(name) < NAME_BYTES && (*temporary || (digits == 32 && !strcmp(name + digits, SUFFIX)));
}

/* All files, and their bytes; those that a process which died has left go. NULL: no memory, or there are none. */
static struct entry *list_files(int folder, size_t *count, u64 *bytes)
{
	const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct entry *files = NULL;
	const struct dirent *d;
	struct stat about;
	size_t room = 0;
	bool temporary;

	*count = 0;
	*bytes = 0;
	if (!list && fd >= 0)
		close(fd);
	while (list && (d = readdir(list))) {
		if (!is_entry(d->d_name, &temporary) || fstatat(folder, d->d_name, &about, AT_SYMLINK_NOFOLLOW))
			continue;
		if (temporary && time(NULL) - about.st_mtim.tv_sec > USED_SECONDS)
			unlinkat(folder, d->d_name, 0);
		if (temporary)
			continue;
		if (*count == room) {
			struct entry *grown = realloc(files, (room = 2 * room + 64) * sizeof *files);
			if (!grown)
				break;
			files = grown;
		}
		struct entry *e = &files[(*count)++];
		*e = (struct entry){.bytes = (u64)about.st_size, .used = about.st_mtim.tv_sec};
		strcpy(e->name, d->d_name);
		*bytes += e->bytes;
	}
	if (list)
		closedir(list);
	return files;
}

/* Makes room for `more` bytes. */
static void trim(int folder, u64 more)
{
	size_t count;
	u64 bytes;
	struct entry *files = list_files(folder, &count, &bytes);

	if (files && bytes + more > FOLDER_BYTES_MAX) {
		qsort(files, count, sizeof *files, by_use);
		for (size_t k = 0; k < count && bytes + more > FOLDER_BYTES_KEPT; k++) {
			unlinkat(folder, files[k].name, 0);
			bytes -= files[k].bytes;
		}
	}
	free(files);
}

static bool write_all(int fd, const u8 *from, size_t bytes)
{
	while (bytes) {
		const ssize_t put = write(fd, from, bytes);
		if (put <= 0 && !(put < 0 && errno == EINTR))
			return false;
		from += put > 0 ? put : 0;
		bytes -= put > 0 ? (size_t)put : 0;
	}
	return true;
}

/* Under another name first: whoever reads the folder meanwhile finds the old file, or none. */
static void write_file(int folder, const char *name, const u8 *text, size_t bytes)
{
	char temporary[NAME_BYTES];
	int fd = -1;

	for (int k = 0; k < TEMPORARY_TRIES && fd < 0; k++) {
		snprintf(temporary, sizeof temporary, "new-%ld-%d", (long)getpid(), k);
		fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return;
	}
	if (fd < 0)
		return;
	const bool written = write_all(fd, text, bytes), closed = !close(fd);
	if (!written || !closed || renameat(folder, temporary, folder, name))
		unlinkat(folder, temporary, 0);
}

static u8 *put_word(u8 *to, u64 word)
{
	memcpy(to, &word, sizeof word);
	return to + sizeof word;
}

static u8 *put_padded(u8 *to, const u8 *from, size_t bytes)
{
	if (bytes)
		memcpy(to, from, bytes);
	memset(to + bytes, 0, padded(bytes) - bytes);
	return to + padded(bytes);
}

/* NULL: no memory, or it would be too large, or the library is not there. */
static u8 *compose(const struct native_key *key, const char *library, const struct native_object *objects, u32 count,
		   size_t *bytes)
{
	const size_t length = library ? strlen(library) : 0;
	u64 identity[FILE_IDENTITY_WORDS] = {0};
	u64 sum = HEAD_BYTES + padded(key->count) + 8 + padded(length) + sizeof identity;

	if (length >= PATH_MAX || (library && !file_identity(library, identity)))
		return NULL;

	for (u32 k = 0; k < count; k++)
		sum += 8 + padded(objects[k].bytes);
	u8 *text = sum <= FILE_BYTES_MAX ? malloc(sum) : NULL, *to = text;
	if (!text)
		return NULL;
	memcpy(to, BEGINS, 16);
	to = put_word(put_word(put_word(to + 16, 0), key->count), count);
	to = put_padded(to, key->bytes, key->count);
	for (u32 k = 0; k < count; k++)
		to = put_padded(put_word(to, objects[k].untried ? UNTRIED : objects[k].bytes), objects[k].start,
				objects[k].bytes);
	to = put_padded(put_word(to, length), (const u8 *)library, length);
	put_padded(to, (const u8 *)identity, sizeof identity);
	put_word(text + 16, hash(text + 24, sum - 24, 0));
	*bytes = sum;
	return text;
}

void cache_keep(const struct native_key *key, const char *library, const struct native_object *objects, u32 count)
{
	const int folder = open_folder(true);
	char name[NAME_BYTES];
	size_t bytes;

	if (folder < 0)
		return;
	u8 *text = compose(key, library, objects, count, &bytes);
	if (text) {
		file_name(key, name);
		trim(folder, bytes);
		write_file(folder, name, text, bytes);
	}
	free(text);
	close(folder);
}
#else
bool cache_is_there(void) { return false; }

bool cache_find(const struct native_key *key, u32 count, struct cached_objects *c)
{
	(void)key, (void)count;
	*c = (struct cached_objects){0};
	return false;
}

void cache_release(struct cached_objects *c) { (void)c; }

void cache_keep(const struct native_key *key, const char *library, const struct native_object *objects, u32 count)
{
	(void)key, (void)library, (void)objects, (void)count;
}
#endif
