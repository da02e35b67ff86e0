/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared-memory accounting of generations that were not recorded, against figures worked out by
 * hand from the rules in the CUDA C Programming Guide. Each row says why. 9.0 stands in a few
 * rows beside them, so that the difference between generations is seen.
 */
#include "memory/banks.h"
#include "main.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#define ALL      FULL_MASK
#define LANES(n) ((n) == 32 ? FULL_MASK : (1u << (n)) - 1)

/* Where lane l goes, in bytes. */
enum shape {
	LINE,    /* base + l x step */
	EACH,    /* base + (l / n) x step: n neighbours together */
	ROUND,   /* base + (l mod n) x step */
	SWAP,    /* base + (l xor n) x step: a permutation */
	BACK,    /* base + (31 - l) x step */
	COLUMNS, /* row l / n, column l mod n of rows of `step` bytes, 4-byte elements, by columns */
	ONE_OFF, /* all at base but lane n, at base + step */
};

struct row {
	const char *arch;
	u32 mode, kind, width, mask;
	enum shape shape;
	u32 base, step, n;
	u32 wavefronts, degree;
	const char *reason;
};

static u32 place(enum shape shape, u32 base, u32 step, u32 n, u32 l)
{
	switch (shape) {
	case EACH:
		return base + l / n * step;
	case ROUND:
		return base + l % n * step;
	case SWAP:
		return base + (l ^ n) * step;
	case BACK:
		return base + (31 - l) * step;
	case COLUMNS:
		return base + l / n * 4 + l % n * step;
	case ONE_OFF:
		return base + (l == n ? step : 0);
	default:
		return base + l * step;
	}
}

#define LD BANK_LOAD
#define ST BANK_STORE

static const struct row rows[] = {
	/* 1.x: two half-warps, 16 banks; `wavefronts` are both halves' steps, `degree` one half's */
	{"sm_10", 0, LD, 4, ALL, LINE, 0, 4, 0, 2, 1, "a step for each half-warp"},
	{"sm_10", 0, LD, 4, ALL, LINE, 0, 0, 0, 2, 1, "one broadcast word serves a half"},
	{"sm_10", 0, LD, 4, ALL, LINE, 64, 4, 0, 2, 1, "an offset of whole words is free"},
	{"sm_11", 0, LD, 4, ALL, BACK, 0, 4, 0, 2, 1, "any permutation of banks is free"},
	{"sm_11", 0, LD, 4, ALL, SWAP, 0, 4, 5, 2, 1, "any permutation of banks is free"},
	{"sm_12", 0, LD, 4, LANES(16), LINE, 0, 4, 0, 1, 1, "an inactive half takes no step"},
	{"sm_12", 0, LD, 4, 0xffff0000u, LINE, 0, 4, 0, 1, 1, "an inactive half takes no step"},
	{"sm_12", 0, LD, 4, 1, LINE, 0, 4, 0, 1, 1, "one lane, one step"},
	{"sm_13", 0, LD, 4, 0x00010001u, LINE, 0, 64, 0, 2, 1, "halves never conflict together"},
	{"sm_13", 0, LD, 1, ALL, LINE, 0, 1, 0, 8, 4,
	 "char s[tid]: four words of four lanes; a step serves one word whole, 1 lane of others"},
	{"sm_13", 0, LD, 1, ALL, LINE, 0, 4, 0, 2, 1, "char s[4 tid]: a bank for each lane"},
	{"sm_13", 0, LD, 2, ALL, LINE, 0, 2, 0, 4, 2,
	 "short s[tid]: pairs share a word; step 1 takes lanes 0, 1 and the first of each pair"},
	{"sm_13", 0, LD, 8, ALL, LINE, 0, 8, 0, 8, 2,
	 "double s[tid]: two requests of stride 2, each 2-way in each half"},
	{"sm_13", 0, LD, 8, ALL, LINE, 0, 0, 0, 4, 1, "two requests, each a broadcast a half"},
	{"sm_13", 0, LD, 16, ALL, LINE, 0, 16, 0, 32, 4, "four requests of stride 4, each 4-way"},
	{"sm_13", 0, LD, 4, ALL, EACH, 0, 4, 2, 4, 2,
	 "eight words of two lanes: step 1 takes word 0 and the first lane of every other, "
	 "step 2 their second lanes"},
	{"sm_13", 0, LD, 4, ALL, ONE_OFF, 0, 64, 3, 3, 2,
	 "lane 3 is in the broadcast word's bank: a second step, in its half alone"},
	{"sm_13", 0, LD, 4, ALL, ONE_OFF, 0, 4, 3, 2, 1, "broadcast and another bank in one step"},
	{"sm_13", 0, ST, 4, ALL, LINE, 0, 4, 0, 2, 1, "a step for each half-warp"},
	{"sm_13", 0, ST, 4, ALL, LINE, 0, 0, 0, 2, 1, "one lane of each half wins"},
	{"sm_13", 0, ST, 4, ALL, EACH, 0, 4, 2, 2, 1, "of a word's two lanes one wins: no wait"},
	{"sm_13", 0, ST, 1, ALL, LINE, 0, 1, 0, 8, 4, "four different bytes of each bank"},
	{"sm_13", 0, ST, 8, ALL, LINE, 0, 8, 0, 8, 2, "two requests of stride 2"},
	{"sm_13", 0, LD, 4, ALL, COLUMNS, 0, 64, 16, 32, 16, "16 x 16 tile by columns: one bank"},
	{"sm_13", 0, LD, 4, ALL, COLUMNS, 0, 68, 16, 2, 1, "rows padded to 17 words"},
	{"sm_13", 0, ST, 16, LANES(1), LINE, 0, 16, 0, 4, 1, "four requests of one lane"},
	{"sm_13", 0, ST, 16, ALL, LINE, 0, 0, 0, 8, 1, "four requests, two halves, one winner"},
	{"sm_13", 0, ST, 16, ALL, LINE, 0, 16, 0, 32, 4, "words 4 apart: 4 banks of 4 lanes"},
	{"sm_13", 0, ST, 16, ALL, LINE, 0, 128, 0, 128, 16, "all lanes in one bank: 4 x 2 x 16"},

	/* 2.x: the whole warp, 32 banks, any number of words multicast */
	{"sm_20", 0, LD, 4, ALL, LINE, 0, 4, 0, 1, 1, "a bank for each lane"},
	{"sm_20", 0, LD, 4, ALL, LINE, 0, 0, 0, 1, 1, "broadcast"},
	{"sm_20", 0, LD, 4, ALL, EACH, 0, 4, 2, 1, 1, "16 words multicast together"},
	{"sm_20", 0, LD, 4, ALL, ROUND, 0, 128, 2, 2, 2, "two words of one bank"},
	{"sm_20", 0, LD, 4, ALL, ROUND, 0, 128, 4, 4, 4, "four words of one bank"},
	{"sm_21", 0, LD, 4, ALL, ROUND, 0, 4, 8, 1, 1, "eight words, each by four lanes"},
	{"sm_20", 0, LD, 4, ALL, BACK, 0, 4, 0, 1, 1, "a permutation"},
	{"sm_20", 0, LD, 4, ALL, SWAP, 0, 4, 21, 1, 1, "a permutation"},
	{"sm_20", 0, LD, 1, ALL, LINE, 0, 1, 0, 1, 1, "char s[tid]: lanes of a word share it"},
	{"sm_20", 0, LD, 2, ALL, LINE, 0, 2, 0, 1, 1, "short s[tid]: likewise"},
	{"sm_20", 0, ST, 1, ALL, LINE, 0, 1, 0, 1, 1, "bytes of one word from several lanes"},
	{"sm_20", 0, LD, 8, ALL, LINE, 0, 8, 0, 2, 1, "double s[tid]: a pass for each half"},
	{"sm_20", 0, LD, 8, ALL, LINE, 0, 16, 0, 4, 2, "stride 2 doubles: 2-way in each half"},
	{"sm_20", 0, LD, 8, ALL, LINE, 0, 0, 0, 2, 1, "each half by itself, never joined"},
	{"sm_20", 0, LD, 8, LANES(16), LINE, 0, 8, 0, 1, 1, "one half"},
	{"sm_20", 0, LD, 16, ALL, LINE, 0, 16, 0, 8, 2, "quarters, each 1 + 1 passes"},
	{"sm_20", 0, LD, 16, ALL, LINE, 0, 32, 0, 12, 3, "two lanes on a bank: 1 + 2"},
	{"sm_20", 0, LD, 16, LANES(8), LINE, 0, 16, 0, 2, 2, "one quarter: 1 + 1"},
	{"sm_20", 0, LD, 4, LANES(5), LINE, 0, 128, 0, 5, 5, "five lanes of one bank"},
	{"sm_20", 0, LD, 4, 0x55555555u, LINE, 0, 4, 0, 1, 1, "even lanes, even banks"},
	{"sm_20", 0, LD, 4, 0x80000001u, LINE, 0, 128, 0, 2, 2, "first and last lane, one bank"},
	{"sm_20", 0, LD, 4, 0, LINE, 0, 4, 0, 0, 0, "no lane, nothing"},
	{"sm_20", 0, LD, 4, ALL, COLUMNS, 0, 128, 32, 32, 32, "32 x 32 tile by columns"},
	{"sm_20", 0, LD, 4, ALL, COLUMNS, 0, 132, 32, 1, 1, "rows padded to 33 words"},
	{"sm_20", 0, LD, 4, ALL, COLUMNS, 0, 64, 16, 8, 8,
	 "16 x 16 tile, two columns: banks 0, 16 and 1, 17 with eight words each"},
	{"sm_20", 0, LD, 4, ALL, COLUMNS, 0, 68, 16, 2, 2,
	 "rows of 17 words: the last word of column 1 is word 256, in the bank of word 0"},
	{"sm_20", 0, LD, 4, ALL, COLUMNS, 0, 256, 32, 32, 32, "32 x 64 tile by columns"},
	{"sm_20", 0, LD, 4, ALL, COLUMNS, 0, 260, 32, 1, 1, "rows padded to 65 words"},
	{"sm_20", 0, LD, 4, ALL, COLUMNS, 0, 64, 32, 16, 16, "32 x 16 tile: two banks"},
	{"sm_20", 0, ST, 4, ALL, COLUMNS, 0, 128, 32, 32, 32, "writing by columns is the same"},
	{"sm_20", 0, ST, 4, ALL, LINE, 0, 0, 0, 1, 1, "stores to one word: one pass"},
	{"sm_20", 0, ST, 16, LANES(1), LINE, 0, 0, 0, 2, 2, "one quarter, 1 + 1"},
	{"sm_20", 0, ST, 16, LANES(8), LINE, 0, 0, 0, 2, 2, "one address a bank"},
	{"sm_20", 0, ST, 16, LANES(9), LINE, 0, 0, 0, 4, 2, "a second quarter"},
	{"sm_20", 0, ST, 16, ALL, LINE, 0, 0, 0, 8, 2, "four quarters"},
	{"sm_20", 0, ST, 16, LANES(16), LINE, 0, 16, 0, 4, 2, "sequential: two quarters"},
	{"sm_20", 0, ST, 16, LANES(4), LINE, 0, 128, 0, 5, 5, "4 lines, one bank: 1 + 4"},
	{"sm_20", 0, ST, 16, ALL, LINE, 0, 128, 0, 36, 9, "8 lanes of a quarter: 1 + 8, 4 times"},

	/* 3.x, by 4 bytes: words i and i + 32 of an aligned segment of 64 go together */
	{"sm_30", 0, LD, 4, ALL, LINE, 0, 0, 0, 1, 1, "broadcast"},
	{"sm_30", 0, LD, 4, ALL, LINE, 128, 8, 0, 2, 2,
	 "stride 2 from word 32: lanes 16 on lie in the next segment of 64"},
	{"sm_35", 0, LD, 4, ALL, ROUND, 0, 128, 2, 1, 1, "words 0 and 32 of one segment"},
	{"sm_35", 0, LD, 4, ALL, ROUND, 128, 128, 2, 2, 2, "words 32 and 64: two segments"},
	{"sm_35", 0, LD, 4, ALL, ROUND, 0, 256, 2, 2, 2, "words 0 and 64: two segments"},
	{"sm_32", 0, LD, 1, ALL, LINE, 0, 1, 0, 1, 1, "bytes of a word"},
	{"sm_37", 0, LD, 8, ALL, LINE, 0, 8, 0, 1, 1, "256 bytes in one pass"},
	{"sm_37", 0, LD, 8, ALL, LINE, 0, 16, 0, 2, 2, "two segments for each pair of banks"},
	{"sm_37", 0, LD, 16, ALL, LINE, 0, 16, 0, 2, 1, "halves of 256 bytes"},
	{"sm_37", 0, ST, 16, ALL, LINE, 0, 0, 0, 2, 1, "one address in each half"},
	{"sm_37", 0, ST, 16, ALL, LINE, 0, 128, 0, 16, 8, "lines in pairs of a segment: 8 a half"},
	{"sm_37", 0, ST, 16, LANES(3), LINE, 0, 128, 0, 2, 2, "two lines of a segment, one other"},
	{"sm_35", 0, LD, 4, ALL, COLUMNS, 0, 128, 32, 16, 16, "32 x 32 tile: rows in pairs"},
	{"sm_35", 0, LD, 4, ALL, COLUMNS, 0, 132, 32, 1, 1, "rows padded to 33 words"},
	{"sm_30", 0, LD, 4, ALL, COLUMNS, 0, 64, 32, 8, 8,
	 "32 x 16 tile: four rows a segment, words 0 and 32, 16 and 48 together: 8 segments"},
	{"sm_30", 0, LD, 4, ALL, COLUMNS, 0, 68, 32, 1, 1, "rows padded to 17 words: 17 l is a bank for each lane"},
	{"sm_37", 0, LD, 4, ALL, COLUMNS, 0, 256, 32, 32, 32, "32 x 64 tile: a segment a row, one bank"},
	{"sm_37", 0, LD, 4, ALL, COLUMNS, 0, 260, 32, 1, 1, "rows padded to 65 words"},
	{"sm_30", 0, ST, 4, ALL, COLUMNS, 0, 128, 32, 16, 16, "writing by columns is the same"},
	{"sm_30", 0, ST, 4, ALL, LINE, 0, 4, 0, 1, 1, "writing by rows"},
	{"sm_32", 0, LD, 4, ALL, BACK, 0, 4, 0, 1, 1, "a permutation"},
	{"sm_32", 0, LD, 4, ALL, SWAP, 0, 4, 21, 1, 1, "a permutation"},
	{"sm_35", 0, LD, 4, LANES(5), LINE, 0, 128, 0, 3, 3, "five lines: two segments of two, one of one"},
	{"sm_35", 0, LD, 4, 0x80000001u, LINE, 0, 128, 0, 2, 2, "segments 0 and 15, one bank"},
	{"sm_35", 0, LD, 4, 0, LINE, 0, 4, 0, 0, 0, "no lane, nothing"},
	{"sm_30", 0, LD, 2, ALL, LINE, 0, 2, 0, 1, 1, "halves of a word"},
	{"sm_30", 0, ST, 1, ALL, LINE, 0, 1, 0, 1, 1, "bytes of a word from several lanes"},
	{"sm_30", 0, LD, 8, ALL, LINE, 0, 0, 0, 1, 1, "broadcast of 8 bytes"},
	{"sm_30", 0, LD, 16, LANES(16), LINE, 0, 16, 0, 1, 1, "one half"},

	/* 3.x, by 8 bytes: no conflict within a word of 64 bits */
	{"sm_35", 1, LD, 4, ALL, COLUMNS, 0, 128, 32, 16, 16, "32 x 32 tile: 16 words 64 apart"},
	{"sm_35", 1, LD, 4, ALL, COLUMNS, 0, 132, 32, 1, 1, "padded to 33 words: 33 l / 2 is a bank for each lane"},
	{"sm_35", 1, LD, 4, ALL, LINE, 128, 8, 0, 1, 1, "stride 2 from anywhere"},
	{"sm_35", 1, LD, 8, ALL, LINE, 0, 8, 0, 1, 1, "a bank for each lane"},
	{"sm_35", 1, LD, 8, ALL, LINE, 0, 16, 0, 2, 2, "every other bank, twice"},
	{"sm_35", 1, LD, 16, ALL, LINE, 0, 16, 0, 2, 1, "halves of 256 bytes"},
	{"sm_35", 1, LD, 4, ALL, ROUND, 0, 4, 2, 1, 1, "two halves of one word of 64 bits"},
	{"sm_35", 1, LD, 4, ALL, ROUND, 0, 256, 2, 2, 2, "256 bytes apart: one bank"},
	{"sm_35", 1, LD, 4, ALL, ROUND, 0, 128, 2, 1, 1, "128 bytes apart: banks 0 and 16"},
	{"sm_35", 1, ST, 16, ALL, LINE, 0, 128, 0, 16, 8, "banks 0 and 16 with 8 lanes a half"},
	{"sm_35", 1, ST, 1, ALL, LINE, 0, 1, 0, 1, 1, "bytes of 4 words"},
	{"sm_30", 1, LD, 4, ALL, LINE, 0, 4, 0, 1, 1, "two lanes a word of 64 bits"},
	{"sm_30", 1, LD, 4, ALL, LINE, 0, 0, 0, 1, 1, "broadcast"},
	{"sm_32", 1, LD, 4, ALL, BACK, 0, 4, 0, 1, 1, "a permutation"},
	{"sm_32", 1, LD, 4, ALL, SWAP, 0, 4, 9, 1, 1, "a permutation"},
	{"sm_37", 1, LD, 4, ALL, COLUMNS, 0, 64, 32, 8, 8, "32 x 16 tile: banks 0, 8, 16, 24 with 8 rows each"},
	{"sm_37", 1, LD, 4, ALL, COLUMNS, 0, 68, 32, 2, 2,
	 "rows of 17 words: lane 2m in word 17m, lane 2m + 1 in 17m + 8, of which 8 banks meet"},
	{"sm_37", 1, LD, 4, ALL, COLUMNS, 0, 256, 32, 32, 32, "32 x 64 tile: one bank"},
	{"sm_35", 1, LD, 4, LANES(5), LINE, 0, 128, 0, 3, 3, "banks 0 and 16: three and two"},
	{"sm_35", 1, LD, 4, 0x80000001u, LINE, 0, 128, 0, 1, 1, "banks 0 and 16"},
	{"sm_35", 1, LD, 2, ALL, LINE, 0, 2, 0, 1, 1, "halves of 8 words"},
	{"sm_35", 1, LD, 8, ALL, LINE, 0, 0, 0, 1, 1, "broadcast of 8 bytes"},
	{"sm_35", 1, ST, 4, ALL, COLUMNS, 0, 128, 32, 16, 16, "writing by columns is the same"},

	/* 5.0 on: halves and quarters; from 7.0 loads join them */
	{"sm_50", 0, LD, 4, ALL, COLUMNS, 0, 128, 32, 32, 32, "32 x 32 tile by columns"},
	{"sm_61", 0, LD, 4, ALL, COLUMNS, 0, 132, 32, 1, 1, "rows padded to 33 words"},
	{"sm_52", 0, LD, 4, ALL, COLUMNS, 0, 64, 32, 16, 16, "32 x 16 tile: banks 0 and 16"},
	{"sm_52", 0, LD, 4, ALL, COLUMNS, 0, 68, 32, 1, 1, "rows padded to 17 words"},
	{"sm_62", 0, LD, 4, ALL, COLUMNS, 0, 256, 32, 32, 32, "32 x 64 tile"},
	{"sm_62", 0, LD, 4, ALL, COLUMNS, 0, 260, 32, 1, 1, "rows padded to 65 words"},
	{"sm_70", 0, ST, 4, ALL, COLUMNS, 0, 128, 32, 32, 32, "writing by columns is the same"},
	{"sm_50", 0, LD, 4, ALL, LINE, 0, 0, 0, 1, 1, "broadcast"},
	{"sm_50", 0, LD, 4, ALL, BACK, 0, 4, 0, 1, 1, "a permutation"},
	{"sm_53", 0, LD, 4, ALL, SWAP, 0, 4, 21, 1, 1, "a permutation"},
	{"sm_60", 0, LD, 4, ALL, EACH, 0, 4, 2, 1, 1, "16 words multicast together"},
	{"sm_60", 0, LD, 4, ALL, ROUND, 0, 128, 4, 4, 4, "four words of one bank"},
	{"sm_72", 0, LD, 4, LANES(5), LINE, 0, 128, 0, 5, 5, "five lanes of one bank"},
	{"sm_87", 0, LD, 4, 0x80000001u, LINE, 0, 128, 0, 2, 2, "first and last lane, one bank"},
	{"sm_50", 0, LD, 2, ALL, LINE, 0, 2, 0, 1, 1, "halves of 16 words"},
	{"sm_50", 0, ST, 1, ALL, LINE, 0, 1, 0, 1, 1, "bytes of one word from several lanes"},
	{"sm_60", 0, LD, 8, ALL, LINE, 0, 0, 0, 2, 1, "8 bytes for all: each half by itself"},
	{"sm_75", 0, LD, 8, ALL, LINE, 0, 0, 0, 1, 1, "8 bytes for all: joined"},
	{"sm_53", 0, LD, 16, ALL, LINE, 0, 0, 0, 4, 1, "16 bytes for all: each quarter by itself"},
	{"sm_89", 0, LD, 16, ALL, LINE, 0, 0, 0, 2, 1, "16 bytes for all: quarters joined"},
	{"sm_89", 0, ST, 16, ALL, LINE, 0, 0, 0, 4, 1, "stores never join"},
	{"sm_60", 0, LD, 8, ALL, LINE, 0, 8, 0, 2, 1, "halves"},
	{"sm_60", 0, LD, 8, ALL, EACH, 0, 8, 2, 2, 1, "no joining stated before 7.0"},
	{"sm_70", 0, LD, 8, ALL, EACH, 0, 8, 2, 1, 1, "every lane has its neighbour's address"},
	{"sm_75", 0, LD, 16, ALL, EACH, 0, 16, 2, 2, 1, "quarters join in pairs"},
	{"sm_80", 0, LD, 8, ALL, ROUND, 0, 8, 2, 1, 1, "every lane has its second neighbour's"},
	{"sm_90", 0, LD, 8, ALL, ROUND, 0, 8, 4, 2, 1, "distance 4 does not join"},
	{"sm_86", 0, ST, 8, ALL, EACH, 0, 8, 2, 2, 1, "stores never join"},
	{"sm_52", 0, LD, 16, ALL, LINE, 0, 16, 0, 4, 1, "quarters"},
	{"sm_52", 0, LD, 16, ALL, LINE, 0, 32, 0, 8, 2, "stride 2: 2-way in each quarter"},
	{"sm_52", 0, ST, 16, LANES(1), LINE, 0, 0, 0, 1, 1, "one lane"},
	{"sm_52", 0, ST, 16, LANES(9), LINE, 0, 0, 0, 2, 1, "same address: a pass a quarter"},
	{"sm_52", 0, ST, 16, ALL, LINE, 0, 16, 0, 4, 1, "sequential"},
	{"sm_52", 0, ST, 16, LANES(12), LINE, 0, 128, 0, 12, 8, "separate lines: 8 + 4"},
	{"sm_52", 0, ST, 16, ALL, LINE, 0, 128, 0, 32, 8, "separate lines"},
	{"sm_53", 0, LD, 1, ALL, LINE, 0, 1, 0, 1, 1, "bytes of 8 words"},
	{"sm_120", 0, LD, 4, ALL, LINE, 0, 128, 0, 32, 32, "one bank"},
	{"sm_50", 0, BANK_ATOM, 4, ALL, LINE, 0, 0, 0, 32, 32, "an atomic takes lanes, not words"},
};

static void fill(const struct row *r, u32 address[WARP_LANES])
{
	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = place(r->shape, r->base, r->step, r->n, l);
}

START_TEST(follows_the_guide)
{
	u32 wrong = 0;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *r = &rows[i];
		struct bank_access a = {(enum bank_kind)r->kind, (enum bank_mode)r->mode, r->width, r->mask};
		struct bank_count plain, n;
		struct bank_detail detail;
		u32 address[WARP_LANES];

		fill(r, address);
		banks_count(arch_find(r->arch), &a, address, &plain, NULL);
		banks_count(arch_find(r->arch), &a, address, &n, &detail);
		ck_assert_mem_eq(&plain, &n, sizeof n);
		if (n.wavefronts == r->wavefronts && n.degree == r->degree && n.conflicts == n.wavefronts - n.units)
			continue;
		printf("row %zu, %s: %u wavefronts, degree %u; expected %u, %u: %s\n", i, r->arch, n.wavefronts,
		       n.degree, r->wavefronts, r->degree, r->reason);
		fflush(stdout);
		wrong++;
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_gt(COUNT_OF(rows), 110);
}
END_TEST

/* A 4-byte load with a stride of 1 to 33 words: the ways of the worst unit. */
static const struct {
	const char *arch;
	u32 mode;
	u8 ways[33];
	const char *reason;
} strides[] = {
	{"sm_13",
	 0,
	 {1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 16, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 16, 1},
	 "gcd(stride, 16) words a bank in each half-warp; odd strides are free"},
	{"sm_20",
	 0,
	 {1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 16, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 32, 1},
	 "gcd(stride, 32) words a bank"},
	{"sm_50",
	 0,
	 {1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 16, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 32, 1},
	 "gcd(stride, 32) words a bank"},
	{"sm_35",
	 0,
	 {1, 1, 1, 2, 1, 2, 1, 4, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 16, 1},
	 "as gcd(stride, 32), halved where words of a bank are 32 apart: strides that divide 32"},
	{"sm_35",
	 1,
	 {1, 1, 2, 2, 2, 1, 2, 4, 2, 1, 2, 2, 2, 1, 2, 8, 2, 1, 2, 2, 2, 1, 2, 4, 2, 1, 2, 2, 2, 1, 2, 16, 1},
	 "even: gcd(stride / 2, 32); odd s: even lanes in s m, odd ones in s m + (s - 1) / 2, "
	 "of which some meet mod 32 but for 1 (same words) and 33 (16 banks apart)"},
};

START_TEST(strides_follow_the_guide)
{
	for (size_t i = 0; i < COUNT_OF(strides); i++)
		for (u32 s = 1; s <= 33; s++) {
			struct bank_access a = {BANK_LOAD, (enum bank_mode)strides[i].mode, 4, FULL_MASK};
			struct bank_count n;
			u32 address[WARP_LANES];

			for (u32 l = 0; l < WARP_LANES; l++)
				address[l] = 4 * s * l;
			banks_count(arch_find(strides[i].arch), &a, address, &n, NULL);
			ck_assert_msg(n.degree == strides[i].ways[s - 1], "%s stride %u: %u ways, expected %u: %s",
				      strides[i].arch, s, n.degree, strides[i].ways[s - 1], strides[i].reason);
			ck_assert_uint_eq(n.wavefronts, n.degree * n.units);
		}
}
END_TEST

/* Stores of 16 bytes by 1 to 32 lanes: to one address, side by side, to separate lines of 128 bytes. `unit`:
 * lanes served together; a unit of k lanes takes the passes that the functions say. */
static u32 one(u32 k) { return k > 0; }
static u32 two(u32 k) { return 2 * one(k); }
static u32 four(u32 k) { return 4 * one(k); }
static u32 all(u32 k) { return k; }
static u32 half(u32 k) { return (k + 1) / 2; }
static u32 all_and_one(u32 k) { return k + one(k); }
static u32 four_by_four(u32 k) { return 4 * ((k + 3) / 4); }
static u32 four_times(u32 k) { return 4 * k; }

START_TEST(wide_stores_by_lanes)
{
	static const struct {
		const char *arch;
		u32 mode, step, unit;
		u32 (*passes)(u32 lanes);
		const char *reason;
	} cases[] = {
		{"sm_13", 0, 0, 16, four, "four requests; in each one lane of a half wins"},
		{"sm_13", 0, 16, 16, four_by_four,
		 "four requests, words 4 apart: every fourth lane of a half in one bank"},
		{"sm_13", 0, 128, 16, four_times, "four requests, all lanes of a half in one bank"},
		{"sm_20", 0, 0, 8, two, "quarters: 1 + 1"},
		{"sm_20", 0, 16, 8, two, "quarters of 128 bytes: 1 + 1"},
		{"sm_20", 0, 128, 8, all_and_one, "quarters: 1 + the lanes on a bank"},
		{"sm_35", 0, 0, 16, one, "halves"},
		{"sm_35", 0, 16, 16, one, "halves of 256 bytes"},
		{"sm_35", 0, 128, 16, half, "lines in pairs of a segment"},
		{"sm_37", 1, 0, 16, one, "halves"},
		{"sm_37", 1, 16, 16, one, "halves of 256 bytes"},
		{"sm_37", 1, 128, 16, half, "lines in turn in banks 0 and 16"},
		{"sm_52", 0, 0, 8, one, "quarters"},
		{"sm_52", 0, 16, 8, one, "quarters of 128 bytes"},
		{"sm_52", 0, 128, 8, all, "quarters: one bank"},
		{"sm_90", 0, 0, 8, one, "quarters, as recorded"},
		{"sm_90", 0, 16, 8, one, "quarters of 128 bytes, as recorded"},
		{"sm_90", 0, 128, 8, all, "quarters: one bank, as recorded"},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (u32 lanes = 1; lanes <= 32; lanes++) {
			struct bank_access a = {BANK_STORE, (enum bank_mode)cases[i].mode, 16, LANES(lanes)};
			u32 expected = 0, address[WARP_LANES];
			struct bank_count n;

			for (u32 first = 0; first < lanes; first += cases[i].unit)
				expected += cases[i].passes(min_u32(lanes - first, cases[i].unit));
			for (u32 l = 0; l < WARP_LANES; l++)
				address[l] = l * cases[i].step;
			banks_count(arch_find(cases[i].arch), &a, address, &n, NULL);
			ck_assert_msg(n.wavefronts == expected,
				      "%s, %u lanes, %u bytes apart: %u wavefronts, expected %u: %s", cases[i].arch,
				      lanes, cases[i].step, n.wavefronts, expected, cases[i].reason);
		}
}
END_TEST

/* Loads of 8 and 16 bytes with a stride of 1 to 33 elements: a unit's lanes meet gcd(stride, its slots) times. */
START_TEST(wide_strides)
{
	static const struct {
		const char *arch;
		u32 mode, width, units, slots, extra;
		const char *reason;
	} cases[] = {
		{"sm_20", 0, 8, 2, 16, 0, "half-warps, 16 pairs of banks"},
		{"sm_20", 0, 16, 4, 8, 1, "quarter-warps, 8 fours of banks, and a pass more"},
		{"sm_35", 1, 8, 1, 32, 0, "a warp, 32 banks of 8 bytes"},
		{"sm_35", 1, 16, 2, 16, 0, "half-warps, 16 pairs of banks of 8 bytes"},
		{"sm_53", 0, 8, 2, 16, 0, "half-warps, 16 pairs of banks"},
		{"sm_53", 0, 16, 4, 8, 0, "quarter-warps, 8 fours of banks"},
		{"sm_86", 0, 8, 2, 16, 0, "half-warps; neighbours have other addresses"},
		{"sm_86", 0, 16, 4, 8, 0, "quarter-warps; neighbours have other addresses"},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (u32 stride = 1; stride <= 33; stride++) {
			struct bank_access a = {BANK_LOAD, (enum bank_mode)cases[i].mode, cases[i].width, FULL_MASK};
			u32 ways = stride | cases[i].slots, address[WARP_LANES];
			struct bank_count n;

			ways = (ways & -ways) + cases[i].extra; /* slots are a power of two */
			for (u32 l = 0; l < WARP_LANES; l++)
				address[l] = l * stride * cases[i].width;
			banks_count(arch_find(cases[i].arch), &a, address, &n, NULL);
			ck_assert_msg(n.degree == ways && n.wavefronts == ways * cases[i].units,
				      "%s, %u bytes, stride %u: %u wavefronts, %u ways, expected %u: %s", cases[i].arch,
				      cases[i].width, stride, n.wavefronts, n.degree, ways, cases[i].reason);
		}
}
END_TEST

START_TEST(lock_loops_take_turns)
{
	static const struct {
		const char *arch;
		u32 step, rounds, loads, stores;
		const char *reason;
	} cases[] = {
		{"sm_20", 4, 1, 1, 1, "a lock for each lane"},
		{"sm_20", 0, 32, 32, 32, "one lock: a lane a round; the load broadcasts"},
		{"sm_20", 1024, 32, 528, 32, "256 locks: words 1 KiB apart share one; 32+31+...+1"},
		{"sm_20", 128, 4, 80, 32, "one bank, 8 locks of 4 lanes: 32+24+16+8, 4 x 8"},
		{"sm_35", 128, 4, 40, 16, "likewise, words 32 apart in pairs"},
		{"sm_13", 4, 1, 2, 2, "two half-warps"},
		{"sm_13", 0, 32, 48, 32, "16 rounds with both halves waiting, 16 with one"},
	};
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bank_access a = {BANK_ATOM, BANK_MODE_4, 4, FULL_MASK};
		struct bank_count n;
		u32 address[WARP_LANES];

		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = cases[i].step * l;
		banks_count(arch_find(cases[i].arch), &a, address, &n, NULL);
		ck_assert_msg(n.rounds == cases[i].rounds && n.load_wavefronts == cases[i].loads &&
				      n.wavefronts == cases[i].stores,
			      "case %zu: %u rounds, %u loads, %u stores: %s", i, n.rounds, n.load_wavefronts,
			      n.wavefronts, cases[i].reason);
	}
}
END_TEST

START_TEST(explains_who_waits)
{
	const struct arch *arch = arch_find("sm_90");
	struct bank_access a = {BANK_LOAD, BANK_MODE_4, 4, FULL_MASK};
	struct bank_count n;
	struct bank_detail d;
	u32 address[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = l * 128 + 20;
	banks_count(arch, &a, address, &n, &d);
	for (u32 l = 0; l < WARP_LANES; l++)
		ck_assert_uint_eq(d.wavefront[l], l);
	ck_assert_uint_eq(d.bank_words[5], 32);
	ck_assert_uint_eq(d.bank_words[4], 0);

	/* Two halves: the second's wavefronts follow the first's. */
	a.width = 8;
	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = l * 8;
	banks_count(arch, &a, address, &n, &d);
	ck_assert_uint_eq(d.wavefront[15], 0);
	ck_assert_uint_eq(d.wavefront[16], 1);
	ck_assert_uint_eq(d.unit[31], 1);
	ck_assert_uint_eq(d.bank_words[31], 2);

	/* A loop: the round in which each lane gets through. */
	a = (struct bank_access){BANK_ATOM_LOOP, BANK_MODE_4, 4, 0xf0};
	banks_count(arch, &a, (u32[WARP_LANES]){0}, &n, &d);
	ck_assert_uint_eq(n.rounds, 4);
	ck_assert_uint_eq(d.wavefront[7], 3);
}
END_TEST

/* The first bank whose words differ, or 32: asserting each of them would take longer than counting. */
static u32 other_bank(const u64 by_bank[32], const struct bank_detail *d)
{
	u32 b = 0;

	while (b < 32 && by_bank[b] == d->bank_words[b])
		b++;
	return b;
}

static void compare_ways(const char *name, u32 kind, u32 width, u32 step, u32 apart)
{
	struct bank_access a = {(enum bank_kind)kind, BANK_MODE_8, width, FULL_MASK};
	struct bank_count fast, slow;
	struct bank_detail d;
	u32 address[WARP_LANES];

	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = 4096 + l % 16 * step + l / 16 * apart;
	banks_count(arch_find(name), &a, address, &fast, NULL);
	banks_count(arch_find(name), &a, address, &slow, &d);
	ck_assert_msg(memcmp(&fast, &slow, sizeof fast) == 0, "%s kind %u width %u step %u apart %d", name, kind, width,
		      step, (s32)apart);
	/* Words by bank have short cuts of their own. */
	for (u32 k = 0; k < 2 && kind < BANK_ATOM; k++) {
		u64 by_bank[32] = {0};
		a.mask = k ? 0x0ff0f0ff : FULL_MASK;
		banks_count(arch_find(name), &a, address, &slow, &d);
		banks_count_words(arch_find(name), &a, address, &slow, by_bank);
		const u32 b = other_bank(by_bank, &d);
		ck_assert_msg(b == 32, "%s kind %u width %u step %u apart %d, bank %u: %llu, not %u", name, kind, width,
			      step, (s32)apart, b, (unsigned long long)by_bank[b % 32], d.bank_words[b % 32]);
	}
}

/* The short cuts for strides must agree with the general way, which a detail forces. */
START_TEST(short_cuts_agree)
{
	static const char *const names[] = {"sm_13", "sm_20", "sm_35", "sm_50", "sm_90"};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		for (u32 width = 1; width <= 16; width *= 2)
			for (u32 kind = BANK_LOAD; kind <= BANK_ATOM_COUNT; kind++) {
				if (kind >= BANK_ATOM && width != 4 && width != 8)
					continue;
				for (u32 step = 0; step < 70; step++) {
					u32 bytes = step * width;

					compare_ways(names[i], kind, width, bytes, 16 * bytes);
					compare_ways(names[i], kind, width, 0, bytes);
					compare_ways(names[i], kind, width, width, bytes);
					compare_ways(names[i], kind, width, width, -bytes);
					compare_ways(names[i], kind, width, 2 * width, bytes);
				}
			}
}
END_TEST

/* Lanes here and there, some on one word: the general way again. */
START_TEST(scattered_lanes_agree)
{
	static const char *const names[] = {"sm_13", "sm_20", "sm_35", "sm_50", "sm_90"};
	u64 state = 0x9e3779b97f4a7c15ull;

	for (u32 k = 0; k < 20000; k++) {
		const struct arch *arch = arch_find(names[k % COUNT_OF(names)]);
		struct bank_access a = {(enum bank_kind)(k / 8 % (BANK_ATOM_COUNT + 1)),
					k & 8 ? BANK_MODE_4 : BANK_MODE_8, 4, FULL_MASK};
		struct bank_count fast, slow, again;
		struct bank_detail d;
		u32 address[WARP_LANES];
		u64 by_bank[32] = {0};
		for (u32 l = 0; l < WARP_LANES; l++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			address[l] = (u32)(state >> 20) & ((64u << k % 11) - 4);
		}
		if (k & 16)
			a.mask = (u32)(state >> 9) | 1;
		banks_count(arch, &a, address, &fast, NULL);
		banks_count(arch, &a, address, &slow, &d);
		banks_count_words(arch, &a, address, &again, by_bank);
		ck_assert_msg(!memcmp(&fast, &slow, sizeof fast) && !memcmp(&fast, &again, sizeof fast),
			      "%s kind %u mask %08x", arch->name, a.kind, a.mask);
		/* An atomic's detail has its rounds, not its words. */
		if (a.kind >= BANK_ATOM)
			memset(d.bank_words, 0, sizeof d.bank_words);
		for (u32 l = 0; l < WARP_LANES && a.kind >= BANK_ATOM; l++)
			d.bank_words[address[l] / arch->bank_bytes % arch->banks] += a.mask >> l & 1;
		const u32 b = other_bank(by_bank, &d);
		ck_assert_msg(b == 32, "%s kind %u mask %08x bank %u: %llu, not %u", arch->name, a.kind, a.mask, b,
			      (unsigned long long)by_bank[b % 32], d.bank_words[b % 32]);
	}
}
END_TEST

UNIT_TESTS("banks of earlier generations", 0)
{
	UNIT_TEST(follows_the_guide);
	UNIT_TEST(strides_follow_the_guide);
	UNIT_TEST(wide_stores_by_lanes);
	UNIT_TEST(wide_strides);
	UNIT_TEST(lock_loops_take_turns);
	UNIT_TEST(explains_who_waits);
	UNIT_TEST(short_cuts_agree);
	UNIT_TEST(scattered_lanes_agree);
}
