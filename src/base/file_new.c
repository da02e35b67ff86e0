/* SPDX-License-Identifier: Apache-2.0
 *
 * The name it is written under, and the change to its own.
 */
#include "config.h"

#include "base/file_new.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

static bool fail(const struct file_new *n, const char **message)
{
	*message = strerror(errno);
	if (n->place.folder >= 0)
		close(n->place.folder);
	return false;
}

/* Makes the temporary file in the folder of n->place. */
static bool make_temporary(struct file_new *n, mode_t mode, const char **message)
{
	int fd = -1;

	for (int k = 0; k < TRIES && fd < 0; k++) {
		snprintf(n->temporary, sizeof n->temporary, ".ptxsim-%ld-%d.new", (long)getpid(), k);
		fd = openat(n->place.folder, n->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		return fail(n, message);
	n->to = fdopen(fd, "wb");
	if (n->to)
		return true;
	const int why = errno;
	close(fd);
	unlinkat(n->place.folder, n->temporary, 0);
	errno = why;
	return fail(n, message);
}

/* Where the user's own word leads, links followed. */
static bool find_own(struct file_place *place, const char *path)
{
	char real[PATH_MAX];
	const char *slash;

	if (!realpath(path, real)) {
		if (strlen(path) >= sizeof real) {
			errno = ENAMETOOLONG;
			return false;
		}
		strcpy(real, path);
	}
	slash = strrchr(real, '/');
	const char *name = slash ? slash + 1 : real;
	if (!*name || strlen(name) >= sizeof place->name) {
		errno = *name ? ENAMETOOLONG : EISDIR;
		return false;
	}
	strcpy(place->name, name);
	if (slash)
		real[slash == real ? 1 : slash - real] = 0;
	place->folder = open(slash ? real : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return place->folder >= 0;
}

bool file_new_begin(struct file_new *n, const char *path, bool overwrite, const char **message)
{
	struct stat about;
	const bool there = !stat(path, &about);

	*n = (struct file_new){.place.folder = -1, .overwrites = overwrite};
	*message = NULL;
	/* What is no file, and a file without a name, as standard output may be, is written in place. */
	if (there && (!S_ISREG(about.st_mode) || !about.st_nlink)) {
		n->to = fopen(path, "wb");
		return n->to || fail(n, message);
	}
	if (there && !overwrite) {
		*message = "it exists already";
		return false;
	}
	if (!find_own(&n->place, path) || !make_temporary(n, 0666, message))
		return *message ? false : fail(n, message);
	if (there)
		fchmod(fileno(n->to), about.st_mode & 0777);
	return true;
}

bool file_new_begin_below(struct file_new *n, const char *folder, const char *path, bool overwrite,
			  const char **message)
{
	struct stat about;

	*n = (struct file_new){.place.folder = -1, .overwrites = overwrite};
	if (!file_below_find(folder, path, FILE_LAST_AS_IT_IS, &n->place, message))
		return false;
	if (!fstatat(n->place.folder, n->place.name, &about, AT_SYMLINK_NOFOLLOW)) {
		*message = !S_ISREG(about.st_mode) ? "it is not a regular file"
			   : overwrite             ? NULL
						   : "it exists already";
		if (*message) {
			close(n->place.folder);
			return false;
		}
	}
	return make_temporary(n, 0666, message);
}

/* Gives the temporary file its own name. */
static bool rename_temporary(const struct file_new *n)
{
	const int folder = n->place.folder;

	if (n->overwrites)
		return !renameat(folder, n->temporary, folder, n->place.name);
	/* linkat fails if the name is taken, which renameat would not notice. */
	if (!linkat(folder, n->temporary, folder, n->place.name, 0))
		return !unlinkat(folder, n->temporary, 0);
#ifdef HAVE_RENAMEAT2
	return errno != EEXIST && !renameat2(folder, n->temporary, folder, n->place.name, RENAME_NOREPLACE);
#else
	return false;
#endif
}

bool file_new_end(struct file_new *n, const char **message)
{
	int why = errno; /* still that of the write that failed, if one did */
	bool good = !ferror(n->to);

	if (good && fflush(n->to)) {
		why = errno;
		good = false;
	}

	*message = NULL;
	if (fclose(n->to)) {
		why = good ? errno : why;
		good = false;
	}
	if (n->place.folder < 0) {
		*message = good ? NULL : strerror(why ? why : EIO);
		return good;
	}
	if (good && !rename_temporary(n)) {
		why = errno;
		good = false;
	}
	if (!good) {
		unlinkat(n->place.folder, n->temporary, 0);
		*message = strerror(why ? why : EIO);
	}
	close(n->place.folder);
	return good;
}
