/* SPDX-License-Identifier: Apache-2.0
 *
 * What the driver puts below the parameters into bank 0, by target: read off an H200 in four launches, and off code beside
 * the PTX that asks for the same.
 */
#include "exec/driver_bank.h"

#include <string.h>

#include "arch/arch.h"

enum word {
	WORD_NONE,
	WORD_BLOCK,         /* three: threads of a block */
	WORD_GRID,          /* three: blocks of the grid */
	WORD_SHARED_WINDOW, /* 64 bits from here on: where it begins in generic addresses */
	WORD_LOCAL_WINDOW,
	WORD_PARAM_WINDOW, /* the generic address of the first parameter */
	WORD_PARAM_END,
	WORD_BANK_WINDOW, /* the generic address of bank 0 itself */
	WORD_BANK_END,    /* behind its last byte: 32 bits */
	WORD_VARIABLES,   /* of bank 3 */
	WORD_GRID_ID,
	WORD_DESCRIPTOR,     /* of global memory: opaque */
	WORD_STACK,          /* R1 at the start */
	WORD_DYNAMIC_SHARED, /* bytes */
	WORD_SMS,
	WORD_RESERVED,      /* bytes of shared memory that are the system's */
	WORD_SHARED,        /* bytes, all */
	WORD_RESERVED_END,  /* of the system's shared memory */
	WORD_RESERVED_PART, /* where what cooperative groups use of it begins */
	WORD_HAS_CLUSTERS,
	WORD_CLUSTER,      /* three: blocks of a cluster */
	WORD_CLUSTER_PART, /* three: 1 / blocks of a cluster, as f32 rounded up */
	WORD_CLUSTERS,     /* three: clusters of the grid */
	WORD_CLUSTER_SIZE,
	WORD_WORKSPACE_HIGH, /* %envreg1, 2: where the driver tells cooperative groups about the grid */
	WORD_WORKSPACE_LOW,
};

struct place_of_word {
	u16 offset, bytes;
	enum word word;
};

static const struct place_of_word before_90[] = {
	{0x00, 12, WORD_BLOCK},        {0x0c, 12, WORD_GRID},     {0x18, 8, WORD_SHARED_WINDOW},
	{0x20, 8, WORD_LOCAL_WINDOW},  {0x28, 4, WORD_STACK},     {0x2c, 4, WORD_DYNAMIC_SHARED},
	{0x40, 8, WORD_BANK_WINDOW},   {0x50, 8, WORD_VARIABLES}, {0x8c, 4, WORD_WORKSPACE_HIGH},
	{0x90, 4, WORD_WORKSPACE_LOW}, {0x10c, 4, WORD_SMS},
};
static const struct place_of_word of_80[] = {
	{0x30, 8, WORD_GRID_ID},       {0x114, 4, WORD_RESERVED},      {0x118, 8, WORD_DESCRIPTOR},
	{0x120, 4, WORD_RESERVED_END}, {0x124, 4, WORD_RESERVED_PART}, {0x12c, 4, WORD_BANK_END},
};
static const struct place_of_word of_75[] = {{0x30, 8, WORD_GRID_ID}, {0x114, 4, WORD_BANK_END}};
static const struct place_of_word of_90[] = {
	{0x00, 12, WORD_BLOCK},        {0x0c, 12, WORD_GRID},          {0x18, 8, WORD_SHARED_WINDOW},
	{0x20, 8, WORD_LOCAL_WINDOW},  {0x28, 4, WORD_STACK},          {0x2c, 4, WORD_DYNAMIC_SHARED},
	{0x30, 8, WORD_GRID_ID},       {0x44, 4, WORD_WORKSPACE_HIGH}, {0x48, 4, WORD_WORKSPACE_LOW},
	{0x68, 4, WORD_RESERVED_END},  {0xd0, 8, WORD_VARIABLES},      {0x10c, 4, WORD_SMS},
	{0x114, 4, WORD_RESERVED},     {0x13c, 4, WORD_SHARED},        {0x140, 4, WORD_HAS_CLUSTERS},
	{0x144, 12, WORD_CLUSTER},     {0x150, 12, WORD_CLUSTER_PART}, {0x15c, 12, WORD_CLUSTERS},
	{0x188, 4, WORD_CLUSTER_SIZE}, {0x198, 8, WORD_PARAM_WINDOW},  {0x1a0, 8, WORD_PARAM_END},
	{0x208, 8, WORD_DESCRIPTOR},
};
static const struct place_of_word from_100[] = {
	{0x120, 8, WORD_VARIABLES},     {0x140, 8, WORD_GRID_ID},
	{0x16c, 4, WORD_RESERVED},      {0x254, 4, WORD_WORKSPACE_HIGH},
	{0x258, 4, WORD_WORKSPACE_LOW}, {0x278, 4, WORD_RESERVED_END},
	{0x2a0, 12, WORD_CLUSTER},      {0x2ac, 4, WORD_DYNAMIC_SHARED},
	{0x2b0, 12, WORD_CLUSTER_PART}, {0x2bc, 4, WORD_SHARED},
	{0x2c0, 12, WORD_CLUSTERS},     {0x2cc, 4, WORD_CLUSTER_SIZE},
	{0x2d0, 4, WORD_SMS},           {0x2f8, 8, WORD_LOCAL_WINDOW},
	{0x348, 8, WORD_PARAM_WINDOW},  {0x350, 8, WORD_PARAM_END},
	{0x358, 8, WORD_DESCRIPTOR},    {0x360, 12, WORD_BLOCK},
	{0x36c, 4, WORD_HAS_CLUSTERS},  {0x370, 12, WORD_GRID},
	{0x37c, 4, WORD_STACK},
};

/* What the system has taken of its part of shared memory. */
enum { RESERVED_USED = 0x120 };

static u32 half_of(u64 value, u32 at) { return (u32)(at ? value >> 32 : value); }

/* The least f32 that is not below 1 / n. */
static u32 part_of(u32 n)
{
	f32 x = 1.0f / (f32)n;
	u32 bits;

	memcpy(&bits, &x, sizeof bits);
	return (f64)x * n < 1.0 ? bits + 1 : bits;
}

/* The system's part of shared memory lies below the block's from sm_90 on, behind it before. */
static u32 reserved_begin(const struct grid *grid)
{
	return grid->kernel->reserved_above ? (u32)(grid->shared_bytes - grid->kernel->reserved_above) : 0;
}

static u32 word_value(const struct grid *grid, const struct code *code, enum word word, u32 at)
{
	switch (word) {
	case WORD_BLOCK:
		return grid->launch->block[at / 4];
	case WORD_GRID:
		return grid->size[at / 4];
	case WORD_SHARED_WINDOW:
		return half_of(grid->map->shared_window, at);
	case WORD_LOCAL_WINDOW:
		return half_of(grid->map->local_window, at);
	case WORD_PARAM_WINDOW:
		return half_of(grid->map->param_window + param_bias(grid), at);
	case WORD_BANK_WINDOW:
		return half_of(grid->map->param_window + param_bias(grid) - code->machine_banks->param_base, at);
	case WORD_BANK_END:
		return code->machine_banks->param_base + grid->kernel->param_bytes;
	case WORD_PARAM_END:
		return half_of(grid->map->param_window + param_bias(grid) + grid->kernel->param_bytes, at);
	case WORD_VARIABLES:
		return half_of(code->machine_banks->variables, at);
	case WORD_STACK:
		return (u32)code->local_bytes;
	case WORD_DYNAMIC_SHARED:
		return (u32)grid->launch->dynamic_shared;
	case WORD_SMS:
		return grid->arch_row->sms;
	case WORD_RESERVED:
		return code->machine_banks->sm < 90 ? grid->arch_row->shared_reserved
						    : (u32)grid->kernel->reserved_shared;
	case WORD_SHARED:
		return (u32)grid->shared_bytes;
	case WORD_RESERVED_END:
		if (!grid->arch_row->shared_reserved)
			return 0;
		return reserved_begin(grid) + RESERVED_USED;
	case WORD_RESERVED_PART:
		return reserved_begin(grid);
	case WORD_HAS_CLUSTERS:
		return grid->explicit_cluster;
	case WORD_CLUSTER:
		return grid->cluster_shape[at / 4];
	case WORD_CLUSTER_PART:
		return part_of(grid->cluster_shape[at / 4]);
	case WORD_CLUSTERS:
		return grid->clusters[at / 4];
	case WORD_CLUSTER_SIZE:
		return grid->blocks_per_cluster;
	case WORD_WORKSPACE_HIGH:
		return (u32)(grid->workspace >> 32);
	case WORD_WORKSPACE_LOW:
		return (u32)grid->workspace;
	default:
		return 0;
	}
}

/* Those of one target, after which those of its kin are looked at. */
static const struct place_of_word *find_place(const struct place_of_word *words, size_t count, u32 offset)
{
	for (size_t k = 0; k < count; k++)
		if (offset - words[k].offset < words[k].bytes)
			return &words[k];
	return NULL;
}

static u32 driver_word(const struct grid *grid, const struct code *code, u32 offset)
{
	const u32 sm = code->machine_banks->sm;
	const struct place_of_word *at;

	if (sm >= 100)
		at = find_place(from_100, COUNT_OF(from_100), offset);
	else if (sm >= 90)
		at = find_place(of_90, COUNT_OF(of_90), offset);
	else if (!(at = find_place(before_90, COUNT_OF(before_90), offset)))
		at = sm >= 80 ? find_place(of_80, COUNT_OF(of_80), offset) : find_place(of_75, COUNT_OF(of_75), offset);
	return at ? word_value(grid, code, at->word, offset - at->offset) : 0;
}

/* Words of the parameters, and of a bank; beyond its last byte there are zeros up to the word's end. */
static bool word_of(const u8 *bytes, u64 size, u64 offset, u32 *value)
{
	*value = 0;
	if (!bytes || offset >= size)
		return false;
	memcpy(value, bytes + offset, min_u64(4, size - offset));
	return true;
}

bool driver_bank_word(const struct grid *grid, const struct code *code, u32 bank, u32 offset, u32 *value)
{
	const struct machine_banks *b = code->machine_banks;

	/* A kernel without parameters does not say where they begin. */
	if (bank == 0 && (!b->param_base || offset < b->param_base)) {
		*value = driver_word(grid, code, offset);
		return true;
	}
	if (bank == 0)
		return word_of(grid->launch->params, grid->kernel->param_bytes, offset - b->param_base, value);
	if (bank == 3) {
		struct allocation a;
		if (offset >= b->variables_bytes || !memory_look(grid->memory, b->variables, 1, &a))
			return false;
		return word_of(a.host + (b->variables - a.base), b->variables_bytes, offset, value);
	}
	return bank < COUNT_OF(b->bytes) && word_of(b->bytes[bank], b->sizes[bank], offset, value);
}
