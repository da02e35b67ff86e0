/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/guest_bytes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined __SANITIZE_THREAD__
#define RACES_EXPECTED 1
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define RACES_EXPECTED 1
#endif
#if __has_feature(address_sanitizer)
#define ADDRESSES_CHECKED 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__
#define ADDRESSES_CHECKED 1
#endif

enum { HOST_ALIGN = 64, LAZY = 1 << 20 };

/* With slack, in whole lines; 0: too many. No object has more than PTRDIFF_MAX, and sanitizers end a process that asks for them. */
static size_t room_for(u64 size)
{
	return size > PTRDIFF_MAX - GUEST_BYTES_SLACK - HOST_ALIGN
		       ? 0
		       : (size + GUEST_BYTES_SLACK + HOST_ALIGN - 1) & ~(size_t)(HOST_ALIGN - 1);
}

#ifndef RACES_EXPECTED

/* AddressSanitizer finds what lies beside allocations only where they are the C library's. */
#if defined __linux__ && defined MADV_HUGEPAGE && !defined ADDRESSES_CHECKED

enum { HUGE_PAGE = 2 << 20, SMALL_PAGES = 64 << 10 }; /* whole pages, whatever their size is */

/* A huge page that would be more than half empty stays small ones. */
static size_t mapped_size(size_t bytes)
{
	const size_t tail = bytes % HUGE_PAGE, unit = tail < HUGE_PAGE / 2 ? SMALL_PAGES : HUGE_PAGE;

	return (bytes + unit - 1) & ~(unit - 1);
}

/* In huge pages if the system has them: kernels' scattered accesses, and streams of many warps at once, miss the host's
 * translations of addresses otherwise. No page is touched yet. */
static u8 *lazy_new(size_t bytes)
{
	const size_t size = mapped_size(bytes);
	u8 *range, *first;

	if (size < bytes || size > SIZE_MAX - HUGE_PAGE)
		return NULL;
	range = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (range == MAP_FAILED)
		return NULL;
	first = range + (-(uintptr_t)range & (HUGE_PAGE - 1));
	if (first > range)
		munmap(range, (size_t)(first - range));
	munmap(first + size, HUGE_PAGE - (size_t)(first - range));
	madvise(first, size, MADV_HUGEPAGE);
	return first;
}

static void lazy_free(u8 *first, size_t bytes) { munmap(first, mapped_size(bytes)); }

#else

static u8 *lazy_new(size_t bytes) { return calloc(1, bytes); }

static void lazy_free(u8 *first, size_t bytes)
{
	(void)bytes;
	free(first);
}

#endif

u8 *guest_bytes_new(u64 size)
{
	const size_t bytes = room_for(size);
	void *p;

	if (!bytes)
		return NULL;
	if (bytes >= LAZY)
		return lazy_new(bytes);
	return posix_memalign(&p, HOST_ALIGN, bytes) ? NULL : memset(p, 0, bytes);
}

void guest_bytes_free(u8 *bytes, u64 size)
{
	if (bytes && room_for(size) >= LAZY)
		lazy_free(bytes, room_for(size));
	else
		free(bytes);
}

void guest_bytes_lend(u8 *bytes, u64 size)
{
	(void)bytes;
	(void)size;
}

#else

#include <pthread.h>

/* Of the sanitizer's run time. */
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address, size_t size, const char *what);

/* Addresses are given once and never again, so that nothing else comes to lie in them. */
static const size_t reserved = (size_t)256 << 30;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static u8 *next, *end;

static void reserve(void)
{
	void *range = mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (range == MAP_FAILED)
		return;
	next = range;
	end = next + reserved;
	guest_bytes_lend(range, reserved);
}

u8 *guest_bytes_new(u64 size)
{
	const size_t bytes = room_for(size);
	u8 *first;

	pthread_once(&once, reserve);
	first = __atomic_load_n(&next, __ATOMIC_RELAXED);
	do
		if (!bytes || bytes > (size_t)(end - first))
			return NULL;
	while (!__atomic_compare_exchange_n(&next, &first, first + bytes, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return first;
}

void guest_bytes_free(u8 *bytes, u64 size)
{
	(void)bytes;
	(void)size;
}

void guest_bytes_lend(u8 *bytes, u64 size)
{
	AnnotateBenignRaceSized(__FILE__, __LINE__, bytes, size, "memory of kernels");
}

#endif
