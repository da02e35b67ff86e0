/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor maps: what their text means, that encoding loses nothing, and what is refused.
 */
#include "memory/tensormap.h"
#include "main.h"

#include <check.h>
#include <string.h>

#define GOOD                                                                                                          \
	"buf=2,off=64,dtype=bf16,dims=40x20x3,strides=160x4096,box=16x8x2,estr=1x2x1,inter=none,swizzle=64B,l2=128B," \
	"oob=nan"

static struct tensor_map good(void)
{
	struct tensor_map map;
	u32 buffer;
	u64 offset;

	ck_assert(tensor_map_parse(GOOD, &map, &buffer, &offset));
	ck_assert_uint_eq(buffer, 2);
	ck_assert_uint_eq(offset, 64);
	map.address = 0x10000;
	return map;
}

START_TEST(reads_text)
{
	const struct tensor_map map = good();

	ck_assert_uint_eq(map.rank, 3);
	ck_assert_uint_eq(map.type, TENSOR_BF16);
	ck_assert_uint_eq(map.dims[1], 20);
	ck_assert_uint_eq(map.strides[1], 4096);
	ck_assert_uint_eq(map.box[0], 16);
	ck_assert_uint_eq(map.element_strides[1], 2);
	ck_assert_uint_eq(map.swizzle, TENSOR_SWIZZLE_64B);
	ck_assert(map.fills_nan && !map.im2col);
}
END_TEST

START_TEST(refuses_text)
{
	static const char *const texts[] = {"dtype=f31",        "nothing=1", "dims",
					    "dims=1x2x3x4x5x6", "dims=1xa",  "swizzle=16B"};
	struct tensor_map map;
	u32 buffer;
	u64 offset;

	for (u32 k = 0; k < COUNT_OF(texts); k++)
		ck_assert_msg(!tensor_map_parse(texts[k], &map, &buffer, &offset), "%s", texts[k]);
}
END_TEST

START_TEST(decodes_what_it_encoded)
{
	u8 bytes[TENSOR_MAP_BYTES], again[TENSOR_MAP_BYTES];
	struct tensor_map map = good(), decoded;

	map.dims[2] = 1ull << 32;
	ck_assert_ptr_null(tensor_map_encode(&map, bytes));
	ck_assert(tensor_map_decode(bytes, &decoded));
	ck_assert_uint_eq(decoded.dims[2], 1ull << 32);
	ck_assert_uint_eq(decoded.strides[0], 160);
	ck_assert(decoded.fills_nan);
	tensor_map_store(&decoded, again);
	ck_assert_mem_eq(bytes, again, sizeof bytes);
	memset(bytes, 0, sizeof bytes);
	ck_assert(!tensor_map_decode(bytes, &decoded));
}
END_TEST

START_TEST(refuses_what_the_driver_refuses)
{
	u8 bytes[TENSOR_MAP_BYTES];
	struct tensor_map map = good();

#define REFUSED(CHANGE) \
	map = good();   \
	CHANGE;         \
	ck_assert_ptr_nonnull(tensor_map_encode(&map, bytes))
	ck_assert_ptr_null(tensor_map_encode(&map, bytes));
	REFUSED(map.address += 8);
	REFUSED(map.rank = 0);
	REFUSED(map.strides[0] = 168);
	REFUSED(map.box[1] = 257);
	REFUSED(map.box[0] = 12); /* 24 bytes */
	REFUSED(map.box[0] = 40); /* 80 bytes in a span of 64 */
	REFUSED(map.element_strides[2] = 9);
	REFUSED(map.type = TENSOR_U16);                  /* cannot be filled with NaN */
	REFUSED(map.interleave = TENSOR_INTERLEAVE_32B); /* with swizzle 64B */
	REFUSED((map.im2col = true, map.channels = 16, map.pixels = 2000));
}
END_TEST

UNIT_TESTS("tensormap", 0)
{
	UNIT_TEST(reads_text);
	UNIT_TEST(refuses_text);
	UNIT_TEST(decodes_what_it_encoded);
	UNIT_TEST(refuses_what_the_driver_refuses);
}
