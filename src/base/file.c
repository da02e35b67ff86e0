/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading whole files.
 */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_below.h"

/* The rest of `f`, growing as it comes: pipes have no size. */
static char *read_stream(FILE *f, size_t limit, size_t *length, const char **message)
{
	size_t have = 0, room = 1 << 16;
	char *text = malloc(room);

	while (text) {
		have += fread(text + have, 1, room - 1 - have, f);
		if (ferror(f)) {
			*message = strerror(errno);
			break;
		}
		if (have < room - 1) {
			text[have] = 0;
			*length = have;
			return text;
		}
		if (have >= limit) {
			*message = "the file is too large";
			break;
		}
		room *= 2;
		char *more = realloc(text, room);
		if (!more)
			break;
		text = more;
	}
	free(text);
	errno = ENOMEM;
	if (*message)
		errno = EIO;
	else
		*message = "no memory left";
	return NULL;
}

char *file_read_whole(const char *path, size_t limit, size_t *length, const char **message)
{
	struct stat about;
	FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;

	*message = NULL;
	if (!f) {
		*message = *path ? strerror(errno) : "the file name is empty";
		return NULL;
	}
	char *text = NULL;
	if (fstat(fileno(f), &about) == 0 && S_ISDIR(about.st_mode)) {
		errno = EISDIR;
		*message = strerror(errno);
	} else {
		text = read_stream(f, limit, length, message);
	}
	const int why = errno;
	if (f != stdin)
		fclose(f);
	errno = why;
	return text;
}

char *file_read_below(const char *folder, const char *path, size_t limit, size_t *length, const char **message)
{
	struct file_place place;
	char *text = NULL;

	if (!file_below_find(folder, path, FILE_LAST_FOLLOWED, &place, message))
		return NULL;
	const int fd = file_below_open(&place, message);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "rb");
	if (f) {
		text = read_stream(f, limit, length, message);
		const int why = errno;
		fclose(f);
		errno = why;
	} else if (fd >= 0) {
		*message = strerror(errno);
		close(fd);
	}
	close(place.folder);
	return text;
}
