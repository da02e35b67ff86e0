/* SPDX-License-Identifier: Apache-2.0
 *
 * The devices and their attributes. Numbers of attributes are those of CUDA's CUdevice_attribute (CUDA Driver API,
 * "Data types used by CUDA driver"). Figures of the A100, RTX 4090 and T4 are from their data sheets.
 */
#include "arch/device.h"

#include <stdio.h>
#include <string.h>

#include "arch/arch.h"

#define GB(n)  ((u64)(n) << 30)
#define MIB(n) ((n) << 20)

static const struct device devices[] = {
	{"h200", "NVIDIA H200", "sm_90", 150109880320, 149557477376, 132, 1980000, 3201000, 6016, 62914560, 62, 2, 3,
	 true},
	{"a100", "NVIDIA A100-SXM4-80GB", "sm_80", 85097971712, 84545568768, 108, 1410000, 1593000, 5120, MIB(40), 75,
	 2, 3, false},
	{"rtx4090", "NVIDIA GeForce RTX 4090", "sm_89", 25386352640, 24980000768, 128, 2520000, 10501000, 384, MIB(72),
	 68, 64, 2, false},
	{"t4", "Tesla T4", "sm_75", 15655829504, 15500836864, 40, 1590000, 5001000, 256, MIB(4), 0, 32, 3, false},
	/* Samples of targets for which there is no row above. */
	{"sm_20", "ptxsim sm_20", "sm_20", GB(3), GB(3) - MIB(200), 16, 1150000, 1500000, 384, 786432, 0, 2, 2, false},
	{"sm_30", "ptxsim sm_30", "sm_30", GB(4), GB(4) - MIB(200), 8, 1000000, 3000000, 256, 524288, 0, 24, 1, false},
	{"sm_35", "ptxsim sm_35", "sm_35", GB(12), GB(12) - MIB(200), 15, 875000, 3004000, 384, 1572864, 0, 3, 2,
	 false},
	{"sm_50", "ptxsim sm_50", "sm_50", GB(2), GB(2) - MIB(200), 5, 1100000, 2700000, 128, MIB(2), 0, 32, 1, false},
	{"sm_52", "ptxsim sm_52", "sm_52", GB(12), GB(12) - MIB(200), 24, 1100000, 3505000, 384, MIB(3), 0, 32, 2,
	 false},
	{"sm_60", "ptxsim sm_60", "sm_60", GB(16), GB(16) - MIB(200), 56, 1480000, 715000, 4096, MIB(4), 0, 2, 2,
	 false},
	{"sm_61", "ptxsim sm_61", "sm_61", GB(11), GB(11) - MIB(200), 28, 1582000, 5505000, 352, 2883584, 0, 32, 2,
	 false},
	{"sm_70", "ptxsim sm_70", "sm_70", GB(16), GB(16) - MIB(200), 80, 1530000, 877000, 4096, MIB(6), 0, 2, 4,
	 false},
	{"sm_72", "ptxsim sm_72", "sm_72", GB(16), GB(16) - MIB(200), 8, 1377000, 2133000, 256, 524288, 0, 2, 1, false},
	{"sm_75", "ptxsim sm_75", "sm_75", GB(11), GB(11) - MIB(200), 68, 1545000, 7000000, 352, 5767168, 0, 32, 3,
	 false},
	{"sm_86", "ptxsim sm_86", "sm_86", GB(24), GB(24) - MIB(200), 82, 1695000, 9751000, 384, MIB(6), 75, 64, 2,
	 false},
	{"sm_87", "ptxsim sm_87", "sm_87", GB(30), GB(30) - MIB(200), 16, 1300000, 3200000, 256, MIB(4), 75, 64, 2,
	 false},
	{"sm_100", "ptxsim sm_100", "sm_100", GB(178), GB(178) - MIB(500), 148, 1965000, 3996000, 8192, MIB(126), 62, 2,
	 4, false},
	{"sm_120", "ptxsim sm_120", "sm_120", GB(31), GB(31) - MIB(500), 170, 2407000, 14001000, 512, MIB(96), 62, 64,
	 2, false},
};

/* Attributes 1 to 147 of the H200, as recorded. */
static const s32 recorded[DEVICE_ATTRIBUTES] = {
	1024,   1024,    1024,      64,     2147483647, 65535,   65535,     49152,     65536,    32,        2147483647,
	65536,  1980000, 512,       1,      132,        0,       0,         1,         0,        131072,    131072,
	65536,  16384,   16384,     16384,  32768,      32768,   2048,      512,       1,        1,         0,
	6,      0,       3201000,   6016,   62914560,   2048,    3,         1,         32768,    2048,      1,
	32768,  32768,   8192,      8192,   32768,      0,       32,        32768,     32768,    2046,      32768,
	131072, 65536,   16384,     16384,  16384,      32768,   2048,      32768,     32768,    2048,      32768,
	32768,  2046,    268435456, 131072, 65000,      2097120, 32768,     32768,     9,        0,         32768,
	1,      1,       1,         233472, 65536,      1,       0,         0,         0,        2,         0,
	1,      1,       1,         0,      0,          0,       1,         1,         232448,   0,         1,
	0,      0,       1,         1,      0,          0,       32,        1,         39321600, 134217728, 1,
	1024,   1,       1,         1,      1,          1,       1,         100,       9,        1,         1,
	1,      1,       1,         1,      4,          1,       1,         1,         0,        -1,        0,
	0,      0,       0,         0,      0,          0,       590680286, 415174878, 1,        1,         0,
	1,      1,       0,         0,
};

const struct device *device_row(size_t k) { return k < COUNT_OF(devices) ? &devices[k] : NULL; }

const struct device *device_find(const char *name)
{
	for (size_t k = 0; k < COUNT_OF(devices); k++)
		if (!strcmp(devices[k].name, name))
			return &devices[k];
	for (size_t k = 0; k < COUNT_OF(devices); k++)
		if (!strcmp(devices[k].target, name))
			return &devices[k];
	return NULL;
}

const struct arch *device_arch(const struct device *d) { return arch_find(d->target); }

/* Figures of the product. */
static bool of_product(const struct device *d, int number, s32 *value)
{
	switch (number) {
	case 13:
		return *value = (s32)d->clock_khz, true;
	case 16:
		return *value = d->sms, true;
	case 36:
		return *value = (s32)d->memory_clock_khz, true;
	case 37:
		return *value = d->memory_bus_bits, true;
	case 38:
		return *value = (s32)d->l2_bytes, true;
	case 40:
		return *value = d->copy_engines, true;
	case 87:
		return *value = d->double_ratio, true;
	case 108:
		return *value = (s32)((u64)d->l2_bytes * d->persisting_l2_percent / 100), true;
	case 109:
		return *value = d->persisting_l2_percent ? MIB(128) : 0, true;
	default:
		return false;
	}
}

/* What the compute capability decides. */
static bool of_arch(const struct arch *a, int number, s32 *value)
{
	switch (number) {
	case 1:
		return *value = a->max_threads_block, true;
	case 2:
	case 3:
	case 4:
		return *value = (s32)a->max_block[number - 2], true;
	case 5:
	case 6:
	case 7:
		return *value = (s32)a->max_grid[number - 5], true;
	case 8:
		return *value = (s32)a->shared_block, true;
	case 12:
	case 82:
		return *value = (s32)(number == 12 ? a->registers_block : a->registers_sm), true;
	case 39:
		return *value = a->max_warps_sm * 32, true;
	case 75:
		return *value = a->cc / 10, true;
	case 76:
		return *value = a->cc % 10, true;
	case 81:
		return *value = (s32)a->shared_sm, true;
	case 97:
		return *value = (s32)(a->shared_block_optin ? a->shared_block_optin : a->shared_block), true;
	case 106:
		return *value = a->max_blocks_sm, true;
	case 111:
		return *value = a->shared_reserved, true;
	case 120:
	case 123:
	case 127: /* clusters and tensor maps came with 9.0 */
		return *value = a->cc >= 90, true;
	default:
		return false;
	}
}

/* What is not modelled: sharing between processes and with other devices' memory, multicast, host memory that was not
 * registered, encoded by number. */
static bool is_absent(int number)
{
	static const u8 absent[] = {88, 89, 91, 99, 100, 101, 116, 117, 124, 128, 132, 141, 142, 144, 145};

	return memchr(absent, number, sizeof absent) != NULL;
}

bool device_attribute(const struct device *d, int number, s32 *value)
{
	if (number < 1 || number > DEVICE_ATTRIBUTES)
		return false;
	if (!d->recorded && (of_product(d, number, value) || of_arch(device_arch(d), number, value)))
		return true;
	*value = !d->recorded && is_absent(number) ? 0 : recorded[number - 1];
	return true;
}
