/* SPDX-License-Identifier: Apache-2.0
 *
 * Devices: GPUs that a program may be shown. What a compute capability decides comes from arch.h's row; here are the
 * figures of the product: its name, memory, clocks, and attributes by their number in CUDA's interface. Those of the
 * H200 are recorded (driver 580, CUDA 13.0); those of others are documented figures, and where no document has one,
 * the H200's. Constant.
 */
#ifndef PTXSIM_ARCH_DEVICE_H
#define PTXSIM_ARCH_DEVICE_H

#include "base/types.h"

struct arch;

struct device {
	char name[12];     /* "h200" */
	const char *title; /* "NVIDIA H200" */
	char target[10];   /* "sm_90" */
	u64 memory_bytes;  /* of global memory */
	u64 free_bytes;    /* what a new context finds free of it */
	u16 sms;           /* multiprocessors */
	u32 clock_khz, memory_clock_khz;
	u16 memory_bus_bits;
	u32 l2_bytes;
	u16 persisting_l2_percent; /* of the second-level cache that may persist */
	u8 double_ratio;           /* single to double precision throughput */
	u8 copy_engines;
	bool recorded; /* its attributes are recorded, not put together */
};

/* "h200", "a100", "rtx4090", "t4"; "sm_86": a sample of that target. NULL: there is none. */
const struct device *device_find(const char *name);
/* Rows of the table, for messages; NULL beyond its end. */
const struct device *device_row(size_t k);
const struct arch *device_arch(const struct device *d);

/* The highest attribute number that is known. */
enum { DEVICE_ATTRIBUTES = 147 };
/* False: no attribute has that number. */
bool device_attribute(const struct device *d, int number, s32 *value);

#endif
