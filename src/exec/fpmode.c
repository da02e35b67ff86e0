/* SPDX-License-Identifier: Apache-2.0
 *
 * The host thread's floating-point mode. A launch saves the caller's, works under its own, and
 * puts the caller's back; within it the mode follows the instructions.
 *
 * x86's flush-to-zero finds underflow after rounding with an unbounded exponent, which is just
 * what the recordings show for .ftz. That of aarch64 finds it before: results that would round up to the least
 * normal number become zero. Other hosts have rounding by <fenv.h> and no flushing mode.
 */
#include "exec/internal.h"

#if defined __SSE2__
#include <immintrin.h>

enum { MXCSR_MASK_ALL = 0x1f80, MXCSR_DAZ = 0x40, MXCSR_FTZ = 0x8000 };

static u32 control_word(u8 mode)
{
	static const u32 rounding[] = {[FP_RN] = 0x0000, [FP_RZ] = 0x6000, [FP_RM] = 0x2000, [FP_RP] = 0x4000};

	return MXCSR_MASK_ALL | rounding[mode & 3] | (mode & FP_FTZ ? MXCSR_DAZ | MXCSR_FTZ : 0);
}
static u32 fp_get(void) { return _mm_getcsr(); }
static void fp_set(u32 word) { __asm__ volatile("ldmxcsr %0" : : "m"(word) : "memory"); }
#elif defined __aarch64__
enum { FPCR_FZ = 1 << 24 };

static u32 control_word(u8 mode)
{
	static const u32 rounding[] = {[FP_RN] = 0, [FP_RP] = 1u << 22, [FP_RM] = 2u << 22, [FP_RZ] = 3u << 22};

	return rounding[mode & 3] | (mode & FP_FTZ ? FPCR_FZ : 0);
}
static u32 fp_get(void)
{
	u64 word;

	__asm__ volatile("mrs %0, fpcr" : "=r"(word));
	return (u32)word;
}
static void fp_set(u32 word) { __asm__ volatile("msr fpcr, %0" : : "r"((u64)word) : "memory"); }
#else
#include <fenv.h>

static u32 control_word(u8 mode)
{
	static const int rounding[] = {
		[FP_RN] = FE_TONEAREST, [FP_RZ] = FE_TOWARDZERO, [FP_RM] = FE_DOWNWARD, [FP_RP] = FE_UPWARD};

	return (u32)rounding[mode & 3];
}
static u32 fp_get(void) { return (u32)fegetround(); }
static void fp_set(u32 word)
{
	fesetround((int)word);
	__asm__ volatile("" : : : "memory");
}
#endif

void fp_switch(struct worker *worker, u8 mode)
{
	worker->fp = mode;
	fp_set(control_word(mode));
}

void fp_save(struct worker *worker)
{
	worker->fp_saved = fp_get();
	fp_switch(worker, FP_RN);
}

void fp_restore(struct worker *worker) { fp_set(worker->fp_saved); }
