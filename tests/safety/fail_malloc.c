/* SPDX-License-Identifier: Apache-2.0
 *
 * A library for LD_PRELOAD whose allocation number FAIL_AT fails, and with FAIL_FROM set all later ones, too; the
 * file FAIL_MARK then exists. For tests/safety/memory_test.sh.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);

/* What hangs ends after a minute. */
static void __attribute__((constructor)) limit_time(void) { alarm(60); }

static bool fails(void)
{
	static atomic_ulong count;
	static unsigned long at;
	static bool from;

	const unsigned long n = atomic_fetch_add(&count, 1) + 1;
	if (n == 1) {
		const char *text = getenv("FAIL_AT");
		at = text ? strtoul(text, NULL, 10) : 0;
		from = getenv("FAIL_FROM") != NULL;
	}
	if (!at || n < at || (n > at && !from))
		return false;
	if (n == at && getenv("FAIL_MARK"))
		close(open(getenv("FAIL_MARK"), O_CREAT | O_WRONLY, 0600));
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
void *memalign(size_t align, size_t size) { return fails() ? NULL : __libc_memalign(align, size); }
void *aligned_alloc(size_t align, size_t size) { return memalign(align, size); }

void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, bytes);
}

int posix_memalign(void **to, size_t align, size_t size)
{
	void *p = memalign(align, size);

	if (p)
		*to = p;
	return p ? 0 : ENOMEM;
}
