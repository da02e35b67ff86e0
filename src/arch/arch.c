/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of the architecture table, look-up by name, and the occupancy calculator. A row is
 * put together from groups of figures that generations share (registers, shared memory, caches),
 * each written once. Nothing here depends on the program that runs.
 */
#include "arch/arch.h"

#include <string.h>

#define KIB(n) ((n)*1024u)

/* Limits of blocks and grids. */
/* clang-format off */
#define LIMITS(threads, warps, blocks)                                                                       \
	.max_threads_block = threads, .max_warps_sm = warps, .max_blocks_sm = blocks
#define DIMS_1X                                                                                              \
	.max_grid = {65535, 65535, 1}, .max_block = {512, 512, 64}, .const_bytes = KIB(64),                  \
	.local_bytes = KIB(16)
#define DIMS_2X                                                                                              \
	.max_grid = {65535, 65535, 65535}, .max_block = {1024, 1024, 64}, .const_bytes = KIB(64),            \
	.local_bytes = KIB(512)
#define DIMS_3X                                                                                              \
	.max_grid = {0x7fffffff, 65535, 65535}, .max_block = {1024, 1024, 64}, .const_bytes = KIB(64),       \
	.local_bytes = KIB(512)

/* Registers. */
#define REGS_1X(sm, unit)                                                                                    \
	.registers_sm = sm, .registers_block = sm, .registers_thread = 124, .register_unit = unit,           \
	.register_by_block = 1, .warp_unit = 2
#define REGS(sm, block, thread, unit, warps)                                                                 \
	.registers_sm = sm, .registers_block = block, .registers_thread = thread, .register_unit = unit,     \
	.warp_unit = warps
#define REGS_64K REGS(65536, 65536, 255, 256, 4)

/* Shared memory: sizes, then rules. The 1.x kernel's parameters lie in the first 256 bytes. */
#define SHARED(sm, block, optin, unit, reserved)                                                             \
	.shared_sm = KIB(sm), .shared_block = KIB(block), .shared_block_optin = KIB(optin),                  \
	.shared_unit = unit, .shared_reserved = reserved
#define BANKS_1X(atomics)                                                                                    \
	.banks = 16, .bank_bytes = 4, .shared_rule = ARCH_SHARED_HALF_WARP, .shared_atomics = atomics,       \
	.divergence = ARCH_STACK
#define BANKS_2X                                                                                             \
	.banks = 32, .bank_bytes = 4, .shared_rule = ARCH_SHARED_FERMI,                                      \
	.shared_atomics = ARCH_ATOMICS_LOCK_LOAD, .divergence = ARCH_STACK
#define BANKS_3X                                                                                             \
	.banks = 32, .bank_bytes = 8, .shared_rule = ARCH_SHARED_TWO_MODES,                                  \
	.shared_atomics = ARCH_ATOMICS_LOCK_STORE, .divergence = ARCH_STACK
#define BANKS_5X(join, model)                                                                                \
	.banks = 32, .bank_bytes = 4, .shared_rule = ARCH_SHARED_UNITS, .shared_join = join,                 \
	.shared_atomics = ARCH_ATOMICS_NATIVE, .divergence = model

/* Caches: kibibytes of the first level (with shared memory where unified) and of the second. */
#define GRAIN          .sector = 32, .line = 128, .l1_ways = 4, .l2_ways = 16
#define NO_CACHE(rule) .global_rule = rule, .sector = 32, .line = 128
#define CACHES_2X(l2)                                                                                        \
	.global_rule = ARCH_GLOBAL_LINES, .l1_global = 1, .l1_unified = 1, .l1_write = ARCH_L1_WRITE_EVICT,  \
	.l1_bytes = KIB(64), .l2_bytes = KIB(l2), GRAIN
#define CACHES_3X(l1, l2)                                                                                    \
	.global_rule = ARCH_GLOBAL_LINES, .l1_global = 0, .l1_unified = 1, .l1_write = ARCH_L1_WRITE_EVICT,  \
	.l1_bytes = KIB(l1), .l2_bytes = KIB(l2), GRAIN
#define CACHES_5X(global, l1, l2)                                                                            \
	.global_rule = ARCH_GLOBAL_SECTORS, .l1_global = global, .l1_unified = 0,                            \
	.l1_write = ARCH_L1_WRITE_EVICT, .l1_bytes = KIB(l1), .l2_bytes = KIB(l2), GRAIN
#define CACHES_7X(l1, l2)                                                                                    \
	.global_rule = ARCH_GLOBAL_SECTORS, .l1_global = 1, .l1_unified = 1,                                 \
	.l1_write = ARCH_L1_WRITE_THROUGH, .l1_bytes = KIB(l1), .l2_bytes = KIB(l2), GRAIN

/* One group for each compute capability. */
#define SAMPLE(gpu, count) .sample = gpu, .sms = count

#define CC_10                                                                                                \
	SAMPLE("GeForce 8800 GTX", 16), LIMITS(512, 24, 8), DIMS_1X, REGS_1X(8192, 256),                     \
	    SHARED(16, 16, 16, 512, 256), BANKS_1X(ARCH_ATOMICS_NONE), NO_CACHE(ARCH_GLOBAL_IN_ORDER)
#define CC_11                                                                                                \
	SAMPLE("GeForce 9800 GTX", 16), LIMITS(512, 24, 8), DIMS_1X, REGS_1X(8192, 256),                     \
	    SHARED(16, 16, 16, 512, 256), BANKS_1X(ARCH_ATOMICS_NONE), NO_CACHE(ARCH_GLOBAL_IN_ORDER)
#define CC_12                                                                                                \
	SAMPLE("GeForce GT 240", 12), LIMITS(512, 32, 8), DIMS_1X, REGS_1X(16384, 512),                      \
	    SHARED(16, 16, 16, 512, 256), BANKS_1X(ARCH_ATOMICS_LOCK_LOAD), NO_CACHE(ARCH_GLOBAL_SEGMENTS)
#define CC_13                                                                                                \
	SAMPLE("Tesla C1060", 30), LIMITS(512, 32, 8), DIMS_1X, REGS_1X(16384, 512),                         \
	    SHARED(16, 16, 16, 512, 256), BANKS_1X(ARCH_ATOMICS_LOCK_LOAD), NO_CACHE(ARCH_GLOBAL_SEGMENTS)

#define CC_20                                                                                                \
	SAMPLE("Tesla C2050", 14), LIMITS(1024, 48, 8), DIMS_2X, REGS(32768, 32768, 63, 64, 2),              \
	    SHARED(48, 48, 48, 128, 0), BANKS_2X, CACHES_2X(768)
#define CC_21                                                                                                \
	SAMPLE("GeForce GTX 460", 7), LIMITS(1024, 48, 8), DIMS_2X, REGS(32768, 32768, 63, 64, 2),           \
	    SHARED(48, 48, 48, 128, 0), BANKS_2X, CACHES_2X(512)

#define CC_30                                                                                                \
	SAMPLE("Tesla K10", 8), LIMITS(1024, 64, 16), DIMS_3X, REGS(65536, 65536, 63, 256, 4),               \
	    SHARED(48, 48, 48, 256, 0), BANKS_3X, CACHES_3X(64, 512)
#define CC_32                                                                                                \
	SAMPLE("Tegra K1", 1), LIMITS(1024, 64, 16), DIMS_3X, REGS(65536, 32768, 255, 256, 4),               \
	    SHARED(48, 48, 48, 256, 0), BANKS_3X, CACHES_3X(64, 128)
#define CC_35                                                                                                \
	SAMPLE("Tesla K40", 15), LIMITS(1024, 64, 16), DIMS_3X, REGS_64K, SHARED(48, 48, 48, 256, 0),        \
	    BANKS_3X, CACHES_3X(64, 1536)
#define CC_37                                                                                                \
	SAMPLE("Tesla K80", 13), LIMITS(1024, 64, 16), DIMS_3X, REGS(131072, 65536, 255, 256, 4),            \
	    SHARED(112, 48, 48, 256, 0), BANKS_3X, CACHES_3X(128, 1536)

#define BANKS_50 BANKS_5X(ARCH_JOIN_NONE, ARCH_STACK)
#define CC_50                                                                                                \
	SAMPLE("GeForce GTX 750 Ti", 5), LIMITS(1024, 64, 32), DIMS_3X, REGS_64K,                            \
	    SHARED(64, 48, 48, 256, 0), BANKS_50, CACHES_5X(0, 24, 2048)
#define CC_52                                                                                                \
	SAMPLE("Tesla M40", 24), LIMITS(1024, 64, 32), DIMS_3X, REGS_64K, SHARED(96, 48, 48, 256, 0),        \
	    BANKS_50, CACHES_5X(0, 48, 3072)
#define CC_53                                                                                                \
	SAMPLE("Tegra X1", 2), LIMITS(1024, 64, 32), DIMS_3X, REGS(65536, 32768, 255, 256, 4),               \
	    SHARED(64, 48, 48, 256, 0), BANKS_50, CACHES_5X(0, 24, 256)
#define CC_60                                                                                                \
	SAMPLE("Tesla P100", 56), LIMITS(1024, 64, 32), DIMS_3X, REGS(65536, 65536, 255, 256, 2),            \
	    .family_warp_unit = 4, SHARED(64, 48, 48, 256, 0), BANKS_50, CACHES_5X(1, 24, 4096)
#define CC_61                                                                                                \
	SAMPLE("Tesla P40", 30), LIMITS(1024, 64, 32), DIMS_3X, REGS_64K, SHARED(96, 48, 48, 256, 0),        \
	    BANKS_50, CACHES_5X(0, 48, 3072)
#define CC_62                                                                                                \
	SAMPLE("Tegra X2", 2), LIMITS(1024, 64, 32), DIMS_3X, REGS(65536, 32768, 255, 256, 4),               \
	    SHARED(64, 48, 48, 256, 0), BANKS_50, CACHES_5X(0, 24, 512)

#define BANKS_70 BANKS_5X(ARCH_JOIN_STATED, ARCH_INDEPENDENT)
#define CC_70                                                                                                \
	SAMPLE("Tesla V100", 80), LIMITS(1024, 64, 32), DIMS_3X, REGS_64K, SHARED(96, 48, 96, 256, 0),       \
	    BANKS_70, CACHES_7X(128, 6144)
#define CC_72                                                                                                \
	SAMPLE("Xavier", 8), LIMITS(1024, 64, 32), DIMS_3X, REGS_64K, SHARED(96, 48, 96, 256, 0), BANKS_70,  \
	    CACHES_7X(128, 512)
#define CC_75                                                                                                \
	SAMPLE("Tesla T4", 40), LIMITS(1024, 32, 16), DIMS_3X, REGS_64K, SHARED(64, 48, 64, 256, 0),         \
	    BANKS_70, CACHES_7X(96, 4096)

#define BANKS_80 BANKS_5X(ARCH_JOIN_INFERRED, ARCH_INDEPENDENT)
#define CC_80                                                                                                \
	SAMPLE("A100", 108), LIMITS(1024, 64, 32), DIMS_3X, REGS_64K, SHARED(164, 48, 163, 128, 1024),       \
	    BANKS_80, CACHES_7X(192, 40960)
#define CC_86                                                                                                \
	SAMPLE("A40", 84), LIMITS(1024, 48, 16), DIMS_3X, REGS_64K, SHARED(100, 48, 99, 128, 1024),          \
	    BANKS_80, CACHES_7X(128, 6144)
#define CC_87                                                                                                \
	SAMPLE("Orin", 16), LIMITS(1024, 48, 16), DIMS_3X, REGS_64K, SHARED(164, 48, 163, 128, 1024),        \
	    BANKS_80, CACHES_7X(192, 4096)
/* 8.8 is in PTX ISA 9.0 but in no table of the guide: the occupancy rules group it with 8.6. */
#define CC_88                                                                                                \
	SAMPLE("", 8), LIMITS(1024, 48, 16), DIMS_3X, REGS_64K, SHARED(100, 48, 99, 128, 1024), BANKS_80,    \
	    CACHES_7X(128, 4096)
#define CC_89                                                                                                \
	SAMPLE("L40", 142), LIMITS(1024, 48, 24), DIMS_3X, REGS_64K, SHARED(100, 48, 99, 128, 1024),         \
	    BANKS_80, CACHES_7X(128, 98304)

#define SHARED_228 SHARED(228, 48, 227, 128, 1024)
#define CC_90                                                                                                \
	SAMPLE("H200", 132), LIMITS(1024, 64, 32), DIMS_3X, REGS_64K, SHARED_228,                            \
	    BANKS_5X(ARCH_JOIN_MEASURED, ARCH_INDEPENDENT), CACHES_7X(256, 51200), .max_cluster = 8
#define CC_100                                                                                               \
	SAMPLE("B200", 148), LIMITS(1024, 64, 32), DIMS_3X, REGS_64K, SHARED_228, BANKS_80,                  \
	    CACHES_7X(256, 129024), .max_cluster = 8
#define CC_101                                                                                               \
	SAMPLE("Thor", 20), LIMITS(1024, 48, 24), DIMS_3X, REGS_64K, SHARED_228, BANKS_80,                   \
	    CACHES_7X(256, 32768), .max_cluster = 8
#define CC_103                                                                                               \
	SAMPLE("B300", 148), LIMITS(1024, 64, 32), DIMS_3X, REGS_64K, SHARED_228, BANKS_80,                  \
	    CACHES_7X(256, 129024), .max_cluster = 8
#define CC_110 CC_101
#define CC_120                                                                                               \
	SAMPLE("GeForce RTX 5090", 170), LIMITS(1024, 48, 24), DIMS_3X, REGS_64K,                            \
	    SHARED(100, 48, 99, 128, 1024), BANKS_80, CACHES_7X(128, 98304), .max_cluster = 8
#define CC_121                                                                                               \
	SAMPLE("GB10", 48), LIMITS(1024, 48, 24), DIMS_3X, REGS_64K, SHARED(100, 48, 99, 128, 1024),         \
	    BANKS_80, CACHES_7X(128, 24576), .max_cluster = 8

#define ROW(number, ptx)                                                                                     \
	{                                                                                                    \
		.name = "sm_" #number, .cc = number, .ptx_version = ptx, CC_##number                         \
	}
#define ROW_A(number, ptx)                                                                                   \
	{                                                                                                    \
		.name = "sm_" #number "a", .cc = number, .suffix = 'a', .ptx_version = ptx, CC_##number      \
	}
#define ROW_F(number, ptx)                                                                                   \
	{                                                                                                    \
		.name = "sm_" #number "f", .cc = number, .suffix = 'f', .ptx_version = ptx, CC_##number      \
	}

/* sm_101 was renamed sm_110 in PTX 9.0; older files still say sm_101. */
static const struct arch rows[] = {
    ROW(10, 10),    ROW(11, 10),    ROW(12, 12),  ROW(13, 12),    ROW(20, 20),    ROW(21, 20),
    ROW(30, 30),    ROW(32, 40),    ROW(35, 31),  ROW(37, 41),    ROW(50, 40),    ROW(52, 41),
    ROW(53, 42),    ROW(60, 50),    ROW(61, 50),  ROW(62, 50),    ROW(70, 60),    ROW(72, 61),
    ROW(75, 63),    ROW(80, 70),    ROW(86, 71),  ROW(87, 74),    ROW(88, 90),    ROW(89, 78),
    ROW(90, 78),    ROW_A(90, 80),  ROW(100, 86), ROW_A(100, 86), ROW_F(100, 88), ROW(101, 86),
    ROW_A(101, 86), ROW_F(101, 88), ROW(103, 88), ROW_A(103, 88), ROW_F(103, 88), ROW(110, 90),
    ROW_A(110, 90), ROW_F(110, 90), ROW(120, 87), ROW_A(120, 87), ROW_F(120, 88), ROW(121, 88),
    ROW_A(121, 88), ROW_F(121, 88),
};
/* clang-format on */

size_t arch_rows(void) { return COUNT_OF(rows); }

const struct arch *arch_row(size_t i) { return i < COUNT_OF(rows) ? &rows[i] : NULL; }

const struct arch *arch_find(const char *name)
{
	if (strncmp(name, "compute_", 8) == 0)
		name += 8;
	else if (strncmp(name, "sm_", 3) == 0)
		name += 3;
	else
		return NULL;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (strcmp(rows[i].name + 3, name) == 0)
			return &rows[i];
	return NULL;
}

/* Families with 'f' targets: 10.0 and 10.3; 11.0, which was 10.1; 12.0 and 12.1. */
static u32 arch_family(const struct arch *arch) { return arch->cc == 101 ? 11 : arch->cc / 10; }

bool arch_runs(const struct arch *gpu, const struct arch *code)
{
	if (code->suffix == 'a')
		return gpu->cc == code->cc;
	if (code->suffix == 'f')
		return arch_family(gpu) == arch_family(code) && gpu->cc >= code->cc;
	return gpu->cc >= code->cc;
}

u32 arch_l1_bytes(const struct arch *arch, u32 shared_bytes)
{
	if (!arch->l1_unified)
		return arch->l1_bytes;
	return arch->l1_bytes - min_u32(shared_bytes, arch->l1_bytes);
}

static u32 divide_up(u32 n, u32 by) { return (n + by - 1) / by; }

static u32 round_up(u32 n, u32 unit) { return divide_up(n, unit) * unit; }

/* Blocks whose registers fit when they are granted to warps, each within its sub-partition. The
 * check against a block's most counts warps in multiples of the sub-partitions. */
static u32 blocks_by_warps(const struct arch *arch, u32 warps, u32 of_warp, u32 partitions)
{
	if (of_warp * round_up(warps, partitions) > arch->registers_block)
		return 0;
	return arch->registers_sm / partitions / of_warp * partitions / warps;
}

/* Blocks whose registers fit. 1.x grants them to blocks, with an even number of warps. */
static u32 blocks_by_registers(const struct arch *arch, u32 warps, u32 registers, u32 *granted)
{
	u32 of_warp = round_up(registers * WARP_LANES, arch->register_unit);

	*granted = 0;
	if (registers > arch->registers_thread)
		return 0;
	if (arch->register_by_block) {
		*granted = round_up(round_up(warps, arch->warp_unit) * WARP_LANES * registers, arch->register_unit);
		return *granted > arch->registers_block ? 0 : arch->registers_sm / *granted;
	}
	*granted = of_warp * warps;
	if (arch->family_warp_unit && !blocks_by_warps(arch, warps, of_warp, arch->family_warp_unit))
		return 0;
	return blocks_by_warps(arch, warps, of_warp, arch->warp_unit);
}

struct arch_occupancy arch_occupancy(const struct arch *arch, u32 threads, u32 registers, u32 shared_bytes)
{
	struct arch_occupancy o = {.limit = ARCH_LIMIT_WARPS};
	u32 warps = divide_up(threads ? threads : 1, WARP_LANES);

	o.by_limit[ARCH_LIMIT_WARPS] = threads > arch->max_threads_block ? 0 : arch->max_warps_sm / warps;
	o.by_limit[ARCH_LIMIT_BLOCKS] = arch->max_blocks_sm;
	o.by_limit[ARCH_LIMIT_REGISTERS] = UINT32_MAX;
	if (registers)
		o.by_limit[ARCH_LIMIT_REGISTERS] = blocks_by_registers(arch, warps, registers, &o.registers_block);
	o.by_limit[ARCH_LIMIT_SHARED] = UINT32_MAX;
	if (shared_bytes > arch->shared_block_optin) {
		o.by_limit[ARCH_LIMIT_SHARED] = 0;
	} else {
		o.shared_block = round_up(shared_bytes + arch->shared_reserved, arch->shared_unit);
		if (o.shared_block)
			o.by_limit[ARCH_LIMIT_SHARED] = arch->shared_sm / o.shared_block;
	}
	for (int i = ARCH_LIMIT_BLOCKS; i < ARCH_LIMITS; i++)
		if (o.by_limit[i] < o.by_limit[o.limit])
			o.limit = (enum arch_limit)i;
	o.blocks = o.by_limit[o.limit];
	o.warps = o.blocks * warps;
	return o;
}

const char *arch_limit_name(enum arch_limit limit)
{
	static const char *const names[ARCH_LIMITS] = {"warps", "blocks", "registers", "shared memory"};
	return names[limit];
}
