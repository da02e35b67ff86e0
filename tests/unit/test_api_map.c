/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the caller (ptxsim_map) that ends, or begins, where a page that nobody may touch does:
 * vector code must not read or write a byte beyond it, whatever the shape of the access.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ptxsim.h"
#include "main.h"

enum { THREADS = 96 };

/* An access: how its element is loaded and stored, and its bytes. */
struct access {
	const char *registers, *load, *store;
	uint32_t size;
};
static const struct access accesses[] = {
	{".b16 x", "ld%s.u8 x, [a]", "st%s.u8 [b], x", 1},
	{".b32 x", "ld%s.s8 x, [a]", "st%s.u8 [b], x", 1},
	{".b16 x", "ld%s.u16 x, [a]", "st%s.u16 [b], x", 2},
	{".b32 x", "ld%s.u32 x, [a]", "st%s.u32 [b], x", 4},
	{".b32 x", "ld%s.u32 x, [a]", "atom%s.exch.b32 x, [b], x", 4},
	{".b32 x", "ld%s.u32 x, [a]", "atom%s.or.b32 x, [b], x", 4},
	{".b32 x", "ld%s.u32 x, [a]", "red%s.or.b32 [b], x", 4},
	{".b64 x", "ld%s.u64 x, [a]", "st%s.u64 [b], x", 8},
	{".b64 x", "ld%s.u64 x, [a]", "atom%s.exch.b64 x, [b], x", 8},
	{".b64 x", "ld%s.s32 x, [a]", "st%s.u32 [b], x", 4},
	{".b16 x, y", "ld%s.v2.u8 {x, y}, [a]", "st%s.v2.u8 [b], {x, y}", 2},
	{".b16 x, y", "ld%s.v2.u16 {x, y}, [a]", "st%s.v2.u16 [b], {x, y}", 4},
	{".f32 x, y", "ld%s.v2.f32 {x, y}, [a]", "st%s.v2.f32 [b], {x, y}", 8},
	{".b32 x, y, z, w", "ld%s.v4.u32 {x, y, z, w}, [a]", "st%s.v4.u32 [b], {x, y, z, w}", 16},
	{".b64 x, y", "ld%s.v2.u64 {x, y}, [a]", "st%s.v2.u64 [b], {x, y}", 16},
};
static const uint32_t counts[] = {1, 2, 3, 5, 16, 31, 32, 33, 64, 95};
static const char *const variants[] = {"baseline", "avx2", "avx512"};

/* The element of each thread: its own, the last, from the end on, and scattered. */
static const char PATTERNS[] = "setp.eq.u32 p, mode, 1; @p sub.u32 i, n, 1;\n"
			       "setp.eq.u32 p, mode, 2; @p sub.u32 i, n, 1; @p sub.u32 i, i, t;\n"
			       "setp.eq.u32 p, mode, 3; @p mul.lo.u32 i, t, 7; @p rem.u32 i, i, n;\n";

static void write_kernel(char *text, size_t size, const struct access *x, const char *space)
{
	char load[100], store[100];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(load, sizeof load, x->load, space);
	snprintf(store, sizeof store, x->store, space);
#pragma GCC diagnostic pop
	snprintf(text, size,
		 ".version 8.0\n.target sm_80\n.address_size 64\n"
		 ".entry k(.param .u64 pa, .param .u64 pb, .param .u32 pn, .param .u32 pm)\n{\n"
		 ".reg .b64 a, b; .reg .b32 n, mode, t, i; .reg .pred p; .reg %s;\n"
		 "ld.param.u64 a, [pa]; ld.param.u64 b, [pb]; ld.param.u32 n, [pn]; ld.param.u32 mode, [pm];\n"
		 "mov.u32 t, %%tid.x; mov.u32 i, t;\n%s"
		 "setp.ge.u32 p, t, n; @p bra done;\n"
		 "mad.wide.u32 a, i, %u, a; mad.wide.u32 b, i, %u, b;\n%s;\n%s;\ndone: ret;\n}\n",
		 x->registers, PATTERNS, x->size, x->size, load, store);
}

/* Two pages that may be used, between two that may not. */
static uint8_t *guarded(size_t page)
{
	uint8_t *p = mmap(NULL, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(p, MAP_FAILED);
	ck_assert_int_eq(mprotect(p + page, 2 * page, PROT_READ | PROT_WRITE), 0);
	return p + page;
}

static uint32_t element(uint32_t mode, uint32_t n, uint32_t t)
{
	return mode == 0 ? t : mode == 1 ? n - 1 : mode == 2 ? n - 1 - t : t * 7 % n;
}

static void try_shape(ptxsim_context *sim, const struct access *x, uint32_t n, uint32_t mode, uint8_t *a, uint8_t *b)
{
	const size_t bytes = (size_t)n * x->size;
	struct ptxsim_launch l = PTXSIM_LAUNCH_INIT;
	uint64_t pa, pb;
	const void *args[] = {&pa, &pb, &n, &mode};

	memset(b, 0, bytes);
	for (size_t k = 0; k < bytes; k++)
		a[k] = (uint8_t)(k * 31 + 7);
	ck_assert_int_eq(ptxsim_map(sim, a, bytes, &pa), PTXSIM_OK);
	ck_assert_int_eq(ptxsim_map(sim, b, bytes, &pb), PTXSIM_OK);
	l.block[0] = THREADS;
	l.args = args;
	l.arg_count = 4;
	ck_assert_msg(ptxsim_launch(sim, ptxsim_get_function(ptxsim_get_module(sim, 0), 0), &l) == PTXSIM_OK, "%s",
		      ptxsim_message(sim));
	for (uint32_t t = 0; t < n; t++) {
		const size_t at = (size_t)element(mode, n, t) * x->size;
		ck_assert_msg(!memcmp(a + at, b + at, x->size), "%s, %u threads, pattern %u, thread %u", x->load, n,
			      mode, t);
	}
	ptxsim_release(sim, pa);
	ptxsim_release(sim, pb);
}

static bool try_variant(const char *variant)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *a = guarded(page), *b = guarded(page);
	char text[2000];

	setenv("PTXSIM_VARIANT", variant, 1);
	for (size_t k = 0; k < sizeof accesses / sizeof *accesses; k++)
		for (int generic = 0; generic < 2; generic++) {
			ptxsim_context *sim = ptxsim_context_create(NULL);
			ptxsim_module_create(sim);
			if (!sim)
				return false;
			write_kernel(text, sizeof text, &accesses[k], generic ? "" : ".global");
			ck_assert_int_eq(
				ptxsim_module_add_text(ptxsim_get_module(sim, 0), "map.ptx", text, strlen(text)),
				PTXSIM_OK);
			ck_assert_msg(ptxsim_module_build(ptxsim_get_module(sim, 0), NULL) == PTXSIM_OK, "%s",
				      ptxsim_module_diagnostics(ptxsim_get_module(sim, 0)));
			for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
				for (uint32_t mode = 0; mode < 4; mode++) {
					const size_t bytes = (size_t)counts[c] * accesses[k].size;
					try_shape(sim, &accesses[k], counts[c], mode, a, b);
					try_shape(sim, &accesses[k], counts[c], mode, a + 2 * page - bytes,
						  b + 2 * page - bytes);
				}
			ptxsim_context_free(sim);
		}
	munmap(a - page, 4 * page);
	munmap(b - page, 4 * page);
	return true;
}

START_TEST(nothing_beyond_mapped_memory_is_touched)
{
	if (!try_variant(variants[_i]))
		ck_assert_msg(_i > 0, "the baseline must run");
}
END_TEST

UNIT_TESTS("map", 0)
{
	tcase_add_loop_test(unit, nothing_beyond_mapped_memory_is_touched, 0, sizeof variants / sizeof *variants);
}
