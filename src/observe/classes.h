/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be said of an instruction without running it: its class, and how many registers it
 * reads and writes. Classes follow the profilers' (nvprof's inst_fp_32 and so on), applied to PTX.
 */
#ifndef PTXSIM_OBSERVE_CLASSES_H
#define PTXSIM_OBSERVE_CLASSES_H

#include "decode/program.h"

/* In the order of enum instruction_class (isa/isa.h): X(enumerator, name, the profilers' names for the threads' count, definition) */
#define NCU_CLASS(op) "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"
#define INSTRUCTION_CLASSES(X)                                                                                       \
	X(FP16, "fp16", "inst_fp_16 " NCU_CLASS("fp16"), "half-precision arithmetic and comparison (f16, bf16)")     \
	X(FP32, "fp32", "inst_fp_32 " NCU_CLASS("fp32"), "single-precision arithmetic and comparison")               \
	X(FP64, "fp64", "inst_fp_64 " NCU_CLASS("fp64"), "double-precision arithmetic and comparison")               \
	X(INTEGER, "integer", "inst_integer " NCU_CLASS("integer"), "integer arithmetic, logic, shifts, comparison") \
	X(CONVERSION, "conversion", "inst_bit_convert " NCU_CLASS("conversion"), "conversion between types (cvt)")   \
	X(CONTROL, "control", "inst_control " NCU_CLASS("control"), "branches, calls, returns, exits")               \
	X(MEMORY, "memory", "inst_compute_ld_st " NCU_CLASS("memory"),                                               \
	  "loads, stores, atomics, ldmatrix, asynchronous copies, prefetches")                                       \
	X(EXCHANGE, "exchange", "inst_inter_thread_communication " NCU_CLASS("inter_thread_communication"),          \
	  "shuffles, votes, matches and reductions over a warp")                                                     \
	X(BARRIER, "barrier", "", "barriers and fences, those in shared memory among them")                          \
	X(MATRIX, "matrix", "", "matrix multiplication (mma, wmma, wgmma)")                                          \
	X(TEXTURE, "texture", "", "textures and surfaces")                                                           \
	X(MISC, "misc", "inst_misc " NCU_CLASS("misc"), "moves, address conversion and all else")

/* What matrix instructions multiply: X(enumerator, name, definition) */
#define MATRIX_TYPES(X)                                        \
	X(F16, "f16", "f16 matrices")                          \
	X(BF16, "bf16", "bf16 matrices")                       \
	X(TF32, "tf32", "tf32 matrices")                       \
	X(FP8, "fp8", "matrices of 8-bit floats (e4m3, e5m2)") \
	X(F64, "f64", "f64 matrices")                          \
	X(INT8, "int8", "matrices of 8-bit integers")          \
	X(INT4, "int4", "matrices of 4-bit integers")          \
	X(B1, "b1", "matrices of bits")

enum matrix_type {
#define X(enumerator, name, text) MATRIX_##enumerator,
	MATRIX_TYPES(X)
#undef X
		MATRIX_TYPE_COUNT
};

enum instruction_kind {
	KIND_OTHER,
	KIND_BLOCK_BARRIER,   /* bar.sync, bar.arrive, bar.red and their barrier. spellings */
	KIND_CLUSTER_BARRIER, /* barrier.cluster.arrive */
	KIND_WARP_BARRIER,    /* bar.warp.sync */
	KIND_SHUFFLE,
	KIND_VOTE,           /* vote, match, redux, elect, activemask */
	KIND_MULTIPLY,       /* mma, wmma.mma, wgmma.mma_async */
	KIND_FRAGMENT_LOAD,  /* wmma.load, ldmatrix */
	KIND_FRAGMENT_STORE, /* wmma.store, stmatrix */
};

struct instruction_facts {
	u8 class; /* enum instruction_class */
	u8 kind;  /* enum instruction_kind */
	/* Operands in registers of 32 bits: one of 64 bits counts 2. Predicates do not count, nor what
	 * stands in the text as a constant, a special register or a parameter's name; of calls nothing,
	 * since the assembler decides how arguments travel. */
	u8 reads, writes;
	/* KIND_MULTIPLY: enum matrix_type, and the multiply-adds of one warp; of sparse forms those of
	 * the full K, as the vendors count them. */
	u8 matrix;
	u32 multiply_adds;
};

struct instruction_facts instruction_describe(const struct isa *isa, const struct ir_instruction *x,
					      const struct form *form);

/* Whether the instruction reads the register, as a guard, an operand or a part of one. */
bool instruction_reads(const struct ir_instruction *x, const struct form *form, const struct ir_register *reg);

const char *instruction_class_name(enum instruction_class class);

#endif
