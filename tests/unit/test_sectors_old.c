/* SPDX-License-Identifier: Apache-2.0
 *
 * Accounting of global, local and constant memory on generations that were not recorded, against
 * figures worked out by hand from the CUDA C Programming Guide 4.2, appendix F. Each row says why.
 */
#include "memory/sectors.h"
#include "main.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define ALL FULL_MASK

enum shape {
	LINE,  /* base + l x step */
	ROUND, /* base + (l mod n) x step */
	SWAP,  /* base + (l xor n) x step: a permutation */
	BACK,  /* base + (31 - l) x step */
	ROWS,  /* 16 lanes side by side, then the rest n bytes further */
};

struct row {
	const char *arch;
	bool l1;
	u32 kind, width, mask;
	enum shape shape;
	u32 base, step, n;
	u32 requests, transactions, bytes;
	const char *reason;
};

#define LD SECTOR_LOAD
#define ST SECTOR_STORE

static const struct row rows[] = {
	/* 1.0, 1.1: lane k of a half-warp in word k of an aligned segment, or a lane at a time */
	{"sm_10", 0, LD, 4, ALL, LINE, 0, 4, 0, 2, 2, 128, "one segment of 64 bytes a half"},
	{"sm_10", 0, LD, 4, ALL, LINE, 64, 4, 0, 2, 2, 128, "aligned to 64"},
	{"sm_10", 0, LD, 4, ALL, LINE, 4, 4, 0, 2, 32, 1024, "misaligned by a word: 32 x 32"},
	{"sm_10", 0, LD, 4, ALL, LINE, 32, 4, 0, 2, 32, 1024, "misaligned by half a segment"},
	{"sm_10", 0, LD, 4, ALL, SWAP, 0, 4, 1, 2, 32, 1024, "right words, wrong order"},
	{"sm_10", 0, LD, 4, ALL, BACK, 0, 4, 0, 2, 32, 1024, "right words, wrong order"},
	{"sm_10", 0, LD, 4, ALL, LINE, 0, 8, 0, 2, 32, 1024, "stride 2"},
	{"sm_11", 0, LD, 4, ALL, LINE, 0, 0, 0, 2, 32, 1024, "one word for all: no broadcast"},
	{"sm_11", 0, LD, 1, ALL, LINE, 0, 1, 0, 2, 32, 1024, "bytes never coalesce"},
	{"sm_11", 0, LD, 2, ALL, LINE, 0, 2, 0, 2, 32, 1024, "halves never coalesce"},
	{"sm_11", 0, LD, 8, ALL, LINE, 0, 8, 0, 2, 2, 256, "one segment of 128 bytes a half"},
	{"sm_11", 0, LD, 8, ALL, LINE, 64, 8, 0, 2, 32, 1024, "8-byte words align to 128"},
	{"sm_11", 0, LD, 16, ALL, LINE, 0, 16, 0, 2, 4, 512, "two segments of 128 a half"},
	{"sm_11", 0, LD, 16, ALL, LINE, 128, 16, 0, 2, 4, 512, "aligned to 128"},
	{"sm_11", 0, LD, 16, ALL, LINE, 64, 16, 0, 2, 32, 1024, "16-byte words align to 128"},
	{"sm_10", 0, LD, 4, 0xfffeu, LINE, 0, 4, 0, 1, 1, 64, "lanes may be inactive"},
	{"sm_10", 0, LD, 4, 0x80018001u, LINE, 0, 4, 0, 2, 2, 128, "lanes may be inactive"},
	{"sm_10", 0, LD, 4, 1, LINE, 4, 4, 0, 1, 1, 32, "one lane off its place"},
	{"sm_10", 0, ST, 4, ALL, LINE, 0, 4, 0, 2, 2, 128, "stores alike"},
	{"sm_10", 0, LD, 4, ALL, ROWS, 0, 4, 4096, 2, 2, 128, "halves are judged apart"},
	{"sm_10", 0, LD, 4, ALL, ROWS, 0, 4, 4100, 2, 17, 576, "only the second half is off"},

	/* 1.2, 1.3: segments by half-warp, shrunk to the part used */
	{"sm_13", 0, LD, 4, ALL, LINE, 0, 4, 0, 2, 2, 128, "half of a segment of 128 each"},
	{"sm_13", 0, LD, 4, ALL, SWAP, 0, 4, 5, 2, 2, 128, "order does not matter"},
	{"sm_13", 0, LD, 4, ALL, BACK, 0, 4, 0, 2, 2, 128, "order does not matter"},
	{"sm_13", 0, LD, 4, ALL, LINE, 4, 4, 0, 2, 3, 224, "bytes 4-67 span both halves: 128; 68-127: 64; 128-131: 32"},
	{"sm_13", 0, LD, 4, ALL, LINE, 32, 4, 0, 2, 3, 192, "32-95 span both halves: 128; 96-127: 32; 128-159: 32"},
	{"sm_13", 0, LD, 4, ALL, LINE, 64, 4, 0, 2, 2, 128, "upper half, then the next lower"},
	{"sm_13", 0, LD, 4, ALL, LINE, 0, 0, 0, 2, 2, 64, "one word: 32 bytes for each half"},
	{"sm_13", 0, LD, 4, ALL, LINE, 0, 8, 0, 2, 2, 256, "stride 2: a whole segment a half"},
	{"sm_13", 0, LD, 4, ALL, LINE, 0, 16, 0, 2, 4, 512, "stride 4: two segments a half"},
	{"sm_13", 0, LD, 4, ALL, LINE, 0, 128, 0, 2, 32, 1024, "a segment a lane, shrunk to 32"},
	{"sm_12", 0, LD, 8, ALL, LINE, 0, 8, 0, 2, 2, 256, "a segment of 128 a half"},
	{"sm_12", 0, LD, 8, ALL, LINE, 8, 8, 0, 2, 4, 320, "8-127: 128 bytes; 128-135: 32; 136-255: 128; 256-263: 32"},
	{"sm_12", 0, LD, 16, ALL, LINE, 0, 16, 0, 2, 4, 512, "two segments a half"},
	{"sm_12", 0, LD, 1, ALL, LINE, 0, 1, 0, 2, 2, 64, "segments of 32 for bytes: one a half"},
	{"sm_12", 0, LD, 1, ALL, LINE, 24, 1, 0, 2, 3, 96, "24-31, 32-39; then 40-55"},
	{"sm_12", 0, LD, 2, ALL, LINE, 0, 2, 0, 2, 2, 64, "segments of 64 for halves, shrunk"},
	{"sm_12", 0, LD, 2, ALL, LINE, 16, 2, 0, 2, 3, 128, "16-47: 64; 48-63: 32; 64-79: 32"},
	{"sm_12", 0, LD, 4, 1, LINE, 0, 4, 0, 1, 1, 32, "one lane"},
	{"sm_12", 0, LD, 4, ALL, ROUND, 0, 1024, 2, 2, 4, 128, "two words far apart a half"},
	{"sm_12", 0, ST, 4, ALL, LINE, 0, 4, 0, 2, 2, 128, "stores alike"},

	/* 2.x: lines through the first level, segments of 32 past it */
	{"sm_20", 1, LD, 4, ALL, LINE, 0, 4, 0, 1, 1, 128, "one line"},
	{"sm_20", 0, LD, 4, ALL, LINE, 0, 4, 0, 1, 4, 128, "four segments"},
	{"sm_20", 1, LD, 4, ALL, LINE, 4, 4, 0, 1, 2, 256, "a word over: a second line"},
	{"sm_20", 0, LD, 4, ALL, LINE, 4, 4, 0, 1, 5, 160, "a word over: a fifth segment"},
	{"sm_20", 1, LD, 4, ALL, SWAP, 0, 4, 31, 1, 1, 128, "order does not matter"},
	{"sm_20", 1, LD, 4, ALL, LINE, 0, 0, 0, 1, 1, 128, "one word, a whole line"},
	{"sm_20", 0, LD, 4, ALL, LINE, 0, 0, 0, 1, 1, 32, "one word, a segment"},
	{"sm_20", 1, LD, 4, ALL, LINE, 0, 8, 0, 1, 2, 256, "stride 2"},
	{"sm_20", 1, LD, 4, ALL, LINE, 0, 128, 0, 1, 32, 4096, "a line a lane"},
	{"sm_20", 0, LD, 4, ALL, LINE, 0, 128, 0, 1, 32, 1024, "scattered: past the cache pays"},
	{"sm_20", 1, LD, 8, ALL, LINE, 0, 8, 0, 2, 2, 256, "two requests of a half-warp"},
	{"sm_20", 1, LD, 8, ALL, LINE, 8, 8, 0, 2, 4, 512, "each half over a line's end"},
	{"sm_20", 0, LD, 8, ALL, LINE, 8, 8, 0, 2, 10, 320, "five segments a half"},
	{"sm_20", 1, LD, 16, ALL, LINE, 0, 16, 0, 4, 4, 512, "four requests of a quarter-warp"},
	{"sm_20", 0, LD, 16, ALL, LINE, 64, 16, 0, 4, 16, 512, "four segments a quarter"},
	{"sm_20", 1, LD, 16, ALL, LINE, 64, 16, 0, 4, 8, 1024, "two lines a quarter"},
	{"sm_20", 1, LD, 8, 0xffffu, LINE, 0, 8, 0, 1, 1, 128, "an inactive half asks nothing"},
	{"sm_21", 1, LD, 1, ALL, LINE, 0, 1, 0, 1, 1, 128, "bytes: a line"},
	{"sm_21", 0, LD, 1, ALL, LINE, 0, 1, 0, 1, 1, 32, "bytes: a segment"},
	{"sm_21", 1, ST, 4, ALL, LINE, 0, 4, 0, 1, 4, 128, "stores go past the first level"},
	{"sm_21", 1, SECTOR_RED, 4, ALL, LINE, 0, 4, 0, 1, 4, 128, "atomics likewise"},
	{"sm_21", 1, SECTOR_RED, 4, ALL, LINE, 0, 0, 0, 1, 32, 1024, "lanes on a word take turns"},
	{"sm_30", 0, LD, 4, ALL, LINE, 0, 4, 0, 1, 4, 128, "past the first level by default"},
	{"sm_35", 1, LD, 4, ALL, ROWS, 0, 4, 1024, 1, 2, 256, "two rows, two lines"},
	{"sm_35", 0, LD, 4, ALL, ROWS, 0, 4, 1024, 1, 4, 128, "two rows of two segments"},

	/* 5.0 on: one request, sectors of 32 bytes */
	{"sm_50", 0, LD, 4, ALL, LINE, 0, 4, 0, 1, 4, 128, "ideal: 4 sectors"},
	{"sm_60", 0, LD, 8, ALL, LINE, 0, 8, 0, 1, 8, 256, "ideal: 8 sectors, one request"},
	{"sm_70", 0, LD, 16, ALL, LINE, 0, 16, 0, 1, 16, 512, "ideal: 16 sectors"},
	{"sm_75", 0, LD, 4, ALL, LINE, 4, 4, 0, 1, 5, 160, "a word over: a fifth sector"},
	{"sm_80", 0, LD, 4, ALL, LINE, 0, 8, 0, 1, 8, 256, "stride 2"},
	{"sm_86", 0, LD, 4, ALL, LINE, 0, 132, 0, 1, 32, 1024, "a sector a lane"},
	{"sm_89", 0, LD, 1, ALL, LINE, 0, 1, 0, 1, 1, 32, "32 bytes"},
	{"sm_100", 0, LD, 32, ALL, LINE, 0, 32, 0, 1, 32, 1024, "256-bit words: a sector each"},
	{"sm_52", 0, ST, 4, 0x55555555u, LINE, 0, 4, 0, 1, 4, 128, "every other lane"},
	{"sm_120", 0, LD, 4, 0, LINE, 0, 4, 0, 0, 0, 0, "no lane, nothing"},
};

static void fill(const struct row *r, u64 address[WARP_LANES])
{
	for (u32 l = 0; l < WARP_LANES; l++) {
		u32 at = l * r->step;

		if (r->shape == ROUND)
			at = l % r->n * r->step;
		else if (r->shape == SWAP)
			at = (l ^ r->n) * r->step;
		else if (r->shape == BACK)
			at = (31 - l) * r->step;
		else if (r->shape == ROWS)
			at = l % 16 * r->step + l / 16 * r->n;
		address[l] = 0x200000000ull + r->base + at;
	}
}

START_TEST(follows_the_guide)
{
	u32 wrong = 0;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *r = &rows[i];
		struct sector_access a = {(enum sector_kind)r->kind, r->width, r->mask, r->l1, false};
		struct sector_count plain, n;
		struct sector_detail detail;
		u64 address[WARP_LANES];

		fill(r, address);
		sectors_count_global(arch_find(r->arch), &a, address, &plain, NULL);
		sectors_count_global(arch_find(r->arch), &a, address, &n, &detail);
		ck_assert_mem_eq(&plain, &n, sizeof n);
		ck_assert_uint_eq(n.bytes_wanted, (u32)__builtin_popcount(r->mask) * r->width);
		if (n.requests == r->requests && n.transactions == r->transactions && n.bytes_moved == r->bytes)
			continue;
		printf("row %zu, %s: %u requests, %u transactions, %u bytes; expected %u, %u, %u: "
		       "%s\n",
		       i, r->arch, n.requests, n.transactions, n.bytes_moved, r->requests, r->transactions, r->bytes,
		       r->reason);
		fflush(stdout);
		wrong++;
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_gt(COUNT_OF(rows), 60);
}
END_TEST

START_TEST(local_memory_is_interleaved)
{
	static const struct {
		const char *arch;
		bool l1;
		u32 width, step, requests, transactions;
		const char *reason;
	} cases[] = {
		{"sm_10", 0, 4, 0, 2, 2, "equal offsets coalesce, in order"},
		{"sm_13", 0, 4, 0, 2, 2, "equal offsets: half a line each"},
		{"sm_20", 1, 4, 0, 1, 1, "equal offsets: one line"},
		{"sm_20", 1, 8, 0, 2, 2, "two words, two lines"},
		{"sm_20", 1, 4, 4, 1, 32, "a different word each: 32 lines"},
		{"sm_50", 0, 4, 0, 1, 4, "equal offsets: four sectors"},
		{"sm_80", 0, 16, 0, 4, 16, "four words"},
		{"sm_80", 0, 4, 4, 1, 32, "32 lines"},
		{"sm_80", 0, 1, 1, 1, 8, "8 words of 4 neighbouring lanes: a sector each"},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct sector_access a = {LD, cases[i].width, ALL, cases[i].l1, false};
		struct sector_count n;
		u32 offset[WARP_LANES];

		for (u32 l = 0; l < WARP_LANES; l++)
			offset[l] = 16 + l * cases[i].step;
		sectors_count_local(arch_find(cases[i].arch), &a, offset, &n);
		ck_assert_msg(n.requests == cases[i].requests && n.transactions == cases[i].transactions,
			      "case %zu: %u requests, %u transactions: %s", i, n.requests, n.transactions,
			      cases[i].reason);
	}
	ck_assert_uint_eq(sectors_local_place(3, 9), (2 * 32 + 3) * 4 + 1);
}
END_TEST

START_TEST(constant_memory_serves_addresses_in_turn)
{
	u64 same[WARP_LANES], two[WARP_LANES], all[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++) {
		same[l] = 64;
		two[l] = l % 2 * 4;
		all[l] = l;
	}
	ck_assert_uint_eq(sectors_count_constant(arch_find("sm_20"), ALL, same), 1);
	ck_assert_uint_eq(sectors_count_constant(arch_find("sm_13"), ALL, same), 2);
	ck_assert_uint_eq(sectors_count_constant(arch_find("sm_35"), ALL, two), 2);
	ck_assert_uint_eq(sectors_count_constant(arch_find("sm_13"), ALL, two), 4);
	ck_assert_uint_eq(sectors_count_constant(arch_find("sm_90"), ALL, all), 32);
	ck_assert_uint_eq(sectors_count_constant(arch_find("sm_90"), 0, all), 0);
	ck_assert_uint_eq(sectors_count_constant(arch_find("sm_90"), 1u << 31, all), 1);
}
END_TEST

static void compare_ways(u32 kind, u32 width, u32 base, u32 step, u64 apart)
{
	const struct arch *arch = arch_find("sm_90");
	struct sector_access a = {(enum sector_kind)kind, width, ALL, false, false};
	struct sector_count fast, slow;
	struct sector_detail d;
	u64 address[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = base + (u64)(l % 16) * step + l / 16 * apart;
	sectors_count_global(arch, &a, address, &fast, NULL);
	sectors_count_global(arch, &a, address, &slow, &d);
	ck_assert_msg(memcmp(&fast, &slow, sizeof fast) == 0, "kind %u width %u base %u step %u apart %llu", kind,
		      width, base, step, (unsigned long long)apart);
}

/* The short cuts for rows side by side must agree with the general way, which a detail forces. */
START_TEST(short_cuts_agree)
{
	for (u32 kind = SECTOR_LOAD; kind <= SECTOR_ATOM; kind++)
		for (u32 width = kind >= SECTOR_RED ? 4 : 1; width <= 16; width *= 2)
			for (u32 step = 0; step <= 32; step += width)
				for (u32 base = 0; base < 1024; base += width < 8 ? 8 + width : width) {
					compare_ways(kind, width, base, step, 16ull * step);
					compare_ways(kind, width, base, step, 0);
					compare_ways(kind, width, base, step, 64);
					compare_ways(kind, width, base, step, 112 + 3 * base);
					compare_ways(kind, width, base, step, 1ull << 32);
				}
}
END_TEST

UNIT_TESTS("sectors of earlier generations", 0)
{
	UNIT_TEST(follows_the_guide);
	UNIT_TEST(local_memory_is_interleaved);
	UNIT_TEST(constant_memory_serves_addresses_in_turn);
	UNIT_TEST(short_cuts_agree);
}
