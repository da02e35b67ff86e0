/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk below a folder: a stack of open folders, and the rest of the path, into which links are spliced.
 */
#include "base/file_below.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 64, LINKS_MAX = 32 };

struct walk {
	int folders[DEPTH_MAX]; /* from the one that may not be left */
	int depth;              /* of the innermost one */
	int links;              /* followed so far */
	char rest[PATH_MAX];
	const char **message;
};

static bool refuse(struct walk *w, const char *why)
{
	*w->message = why;
	return false;
}

/* Takes the next name off the rest; false at its end. *last: no other name follows. */
static bool next_name(struct walk *w, char name[NAME_MAX + 1], bool *last)
{
	const size_t start = strspn(w->rest, "/"), length = strcspn(w->rest + start, "/");

	if (!length)
		return false;
	if (length > NAME_MAX) {
		*w->message = strerror(ENAMETOOLONG);
		return false;
	}
	memcpy(name, w->rest + start, length);
	name[length] = 0;
	memmove(w->rest, w->rest + start + length, strlen(w->rest + start + length) + 1);
	*last = !w->rest[strspn(w->rest, "/")];
	return true;
}

/* Puts what the link `name` says in its place. */
static bool splice_link(struct walk *w, const char *name)
{
	char target[PATH_MAX];
	const ssize_t length = readlinkat(w->folders[w->depth], name, target, sizeof target);
	const size_t rest = strlen(w->rest);

	if (length <= 0)
		return refuse(w, strerror(errno));
	if (++w->links > LINKS_MAX)
		return refuse(w, strerror(ELOOP));
	if (target[0] == '/')
		return refuse(w, "a symbolic link leads out of the folder");
	if ((size_t)length + 1 + rest >= sizeof w->rest)
		return refuse(w, strerror(ENAMETOOLONG));
	memmove(w->rest + length + 1, w->rest, rest + 1);
	memcpy(w->rest, target, (size_t)length);
	w->rest[length] = '/';
	return true;
}

/* `name` is "..", which only links may say. */
static bool step_up(struct walk *w)
{
	if (!w->depth)
		return refuse(w, "a symbolic link leads out of the folder");
	close(w->folders[w->depth--]);
	return true;
}

static bool step_down(struct walk *w, const char *name)
{
	if (w->depth + 1 == DEPTH_MAX)
		return refuse(w, strerror(ENAMETOOLONG));
	const int fd = openat(w->folders[w->depth], name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return refuse(w, strerror(errno));
	w->folders[++w->depth] = fd;
	return true;
}

/* Goes on to the folder that holds the last name. */
static bool walk_on(struct walk *w, enum file_last how, char name[NAME_MAX + 1])
{
	struct stat about;
	bool last;

	while (next_name(w, name, &last)) {
		if (!strcmp(name, "."))
			continue;
		if (!strcmp(name, "..")) {
			if (!step_up(w))
				return false;
			continue;
		}
		if (name[0] == '.')
			return refuse(w, "hidden files and folders, whose names begin with a dot, are not for it");
		if (last && how == FILE_LAST_AS_IT_IS)
			return true;
		const bool there = !fstatat(w->folders[w->depth], name, &about, AT_SYMLINK_NOFOLLOW);
		if (there && S_ISLNK(about.st_mode)) {
			if (!splice_link(w, name))
				return false;
		} else if (last) {
			return true;
		} else if (!there) {
			return refuse(w, strerror(errno));
		} else if (!step_down(w, name)) {
			return false;
		}
	}
	return *w->message ? false : refuse(w, strerror(EISDIR));
}

/* Whether the path says ".." anywhere. */
static bool says_up(const char *path)
{
	for (const char *at = path; (at = strstr(at, "..")); at += 2)
		if ((at == path || at[-1] == '/') && (!at[2] || at[2] == '/'))
			return true;
	return false;
}

bool file_below_find(const char *folder, const char *path, enum file_last last, struct file_place *place,
		     const char **message)
{
	struct walk w = {.message = message};

	*message = NULL;
	if (*path == '/')
		return refuse(&w, "an absolute path leads out of the folder");
	if (says_up(path))
		return refuse(&w, "'..' leads out of the folder");
	if (strlen(path) >= sizeof w.rest)
		return refuse(&w, strerror(ENAMETOOLONG));
	strcpy(w.rest, path);
	w.folders[0] = open(*folder ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w.folders[0] < 0)
		return refuse(&w, strerror(errno));
	const bool found = walk_on(&w, last, place->name);
	for (int k = 0; k < w.depth + !found; k++)
		close(w.folders[k]);
	place->folder = found ? w.folders[w.depth] : -1;
	return found;
}

int file_below_open(const struct file_place *place, const char **message)
{
	struct stat about;
	int fd;

	/* First a look, since opening a device may do something; then another one, since it may have changed. */
	if (fstatat(place->folder, place->name, &about, AT_SYMLINK_NOFOLLOW)) {
		*message = strerror(errno);
		return -1;
	}
	if (!S_ISREG(about.st_mode)) {
		*message = S_ISDIR(about.st_mode) ? strerror(EISDIR) : "it is not a regular file";
		return -1;
	}
	fd = openat(place->folder, place->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &about)) {
		*message = strerror(errno);
	} else if (!S_ISREG(about.st_mode)) {
		*message = "it is not a regular file";
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}
