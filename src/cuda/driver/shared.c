/* SPDX-License-Identifier: Apache-2.0
 *
 * A shared file is one without a place in the file system; others reach it through its process's entry in /proc. Its name
 * has 64 random bits, so that a stale or invented handle opens nothing else.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/driver/shared.h"

enum { NAME = 64 };

static void name_of(char name[NAME], u64 id) { snprintf(name, NAME, "ptxsim-shared-%016" PRIx64, id); }

int shared_make(u64 bytes, u64 *id)
{
	char name[NAME];

	if (getrandom(id, sizeof *id, 0) != sizeof *id)
		return -1;
	name_of(name, *id);
	const int file = memfd_create(name, MFD_CLOEXEC);
	if (file >= 0 && ftruncate(file, (off_t)bytes)) {
		close(file);
		return -1;
	}
	return file;
}

int shared_open(const struct shared_name *n, u32 kind)
{
	char path[NAME], name[NAME], target[NAME + 32];
	struct stat about;

	if (n->magic != SHARED_MAGIC || n->kind != kind || n->bytes > n->file_bytes ||
	    n->offset > n->file_bytes - n->bytes)
		return -1;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", n->process, n->file);
	const ssize_t length = readlink(path, target, sizeof target - 1);
	if (length < 0)
		return -1;
	target[length] = '\0';
	name_of(name, n->id);
	if (!strstr(target, name))
		return -1;
	const int file = open(path, O_RDWR | O_CLOEXEC);
	if (file >= 0 && (fstat(file, &about) || (u64)about.st_size != n->file_bytes)) {
		close(file);
		return -1;
	}
	return file;
}
