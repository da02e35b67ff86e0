/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults: what a kernel can do wrong at run time. One table gives the enum, the name that programs read, the text,
 * and the error that the CUDA driver would report. exec/fault_report.h turns a fault into names and numbers.
 */
#ifndef PTXSIM_EXEC_FAULT_H
#define PTXSIM_EXEC_FAULT_H

#include <stddef.h>
#include <string.h>

#include "base/types.h"

#define FAULTS(X)                                                                                              \
	X(NONE, "none", "no fault", "CUDA_SUCCESS")                                                            \
	X(OUT_OF_BOUNDS, "out_of_bounds", "address out of bounds", "CUDA_ERROR_ILLEGAL_ADDRESS")               \
	X(NULL_POINTER, "null_pointer", "null pointer", "CUDA_ERROR_ILLEGAL_ADDRESS")                          \
	X(FREED, "use_after_free", "memory that was freed", "CUDA_ERROR_ILLEGAL_ADDRESS")                      \
	X(MISALIGNED, "misaligned", "misaligned address", "CUDA_ERROR_MISALIGNED_ADDRESS")                     \
	X(READ_ONLY, "read_only", "store to read-only memory", "CUDA_ERROR_ILLEGAL_ADDRESS")                   \
	X(WRONG_SPACE, "wrong_space", "address is not in the instruction's state space",                       \
	  "CUDA_ERROR_INVALID_ADDRESS_SPACE")                                                                  \
	X(ILLEGAL_INSTRUCTION, "illegal_instruction", "illegal instruction", "CUDA_ERROR_ILLEGAL_INSTRUCTION") \
	X(BAD_PC, "bad_pc", "jump to an address that is not a function", "CUDA_ERROR_INVALID_PC")              \
	X(STACK_OVERFLOW, "stack_overflow", "stack overflow", "CUDA_ERROR_LAUNCH_FAILED")                      \
	X(TRAP, "trap", "trap", "CUDA_ERROR_LAUNCH_FAILED")                                                    \
	X(BREAKPOINT, "breakpoint", "brkpt with no debugger attached", "CUDA_ERROR_LAUNCH_FAILED")             \
	X(ASSERT, "assert", "device-side assertion failed", "CUDA_ERROR_ASSERT")                               \
	X(DEADLOCK, "deadlock", "deadlock", "CUDA_ERROR_LAUNCH_TIMEOUT")                                       \
	X(LIMIT, "limit", "instruction limit reached", "CUDA_ERROR_LAUNCH_TIMEOUT")                            \
	X(BAD_MASK, "bad_mask", "member mask leaves out an executing lane", "CUDA_ERROR_LAUNCH_FAILED")        \
	X(BAD_BARRIER, "bad_barrier", "barrier misuse", "CUDA_ERROR_LAUNCH_FAILED")                            \
	X(ASYNC, "async", "asynchronous operation misuse", "CUDA_ERROR_LAUNCH_FAILED")                         \
	X(RACE, "race", "race", "CUDA_ERROR_LAUNCH_FAILED")                                                    \
	X(UNWRITTEN, "unwritten", "value that nothing has written", "CUDA_ERROR_LAUNCH_FAILED")                \
	X(NOT_FINITE, "nan", "NaN or infinity made of finite numbers", "CUDA_ERROR_LAUNCH_FAILED")             \
	X(DENORMAL_LOST, "denormal", "denormal number taken as zero", "CUDA_ERROR_LAUNCH_FAILED")              \
	X(OVERFLOW, "overflow", "address arithmetic that wraps", "CUDA_ERROR_LAUNCH_FAILED")                   \
	X(STACK, "reconvergence_stack", "reconvergence stack misuse", "CUDA_ERROR_ILLEGAL_INSTRUCTION")        \
	X(LOCK, "lock", "shared-memory lock misuse", "CUDA_ERROR_LAUNCH_FAILED")                               \
	X(HEAP, "invalid_free", "invalid free", "CUDA_ERROR_LAUNCH_FAILED")                                    \
	X(DOUBLE_FREE, "double_free", "double free", "CUDA_ERROR_LAUNCH_FAILED")                               \
	X(OUT_OF_MEMORY, "host_memory", "the host has no memory left", "CUDA_ERROR_OUT_OF_MEMORY")             \
	X(UNMODELLED, "not_modelled", "not modelled", "CUDA_ERROR_NOT_SUPPORTED")

enum fault_kind {
#define X(kind, name, text, cuda) FAULT_##kind,
	FAULTS(X)
#undef X
		FAULT_COUNT
};

struct code;
struct insn;

/* A lane at an instruction. */
struct fault_act {
	const struct code *code; /* NULL: none, or the host */
	u32 insn;                /* of its decoded instructions */
	u64 block;               /* linear index */
	u32 thread;              /* linear in its block */
};

/* What the other lane of two did, or the one before this. */
enum fault_role { FAULT_ROLE_NONE, FAULT_ROLE_FREES, FAULT_ROLE_READS, FAULT_ROLE_WRITES, FAULT_ROLE_WAITS };

/* Where and why a kernel stopped. */
struct fault {
	enum fault_kind kind;
	const struct code *code;
	const struct insn *insn;
	u64 block;      /* linear index */
	u32 warp, lane; /* lane: first one at fault */
	u32 lanes;      /* all lanes at fault */
	u64 address;
	u32 size;  /* bytes of the access; 0 if there is none */
	int space; /* enum ir_space of the access */
	bool is_store;
	u64 local_base;       /* of the lane's frame in local memory */
	s32 null_param;       /* NULL_POINTER: number of the parameter that is 0, or -1 */
	enum fault_role role; /* of `other` */
	struct fault_act other;
	u64 times;          /* of a finding, after which the launch has gone on: how often; 0: it is none */
	const char *advice; /* of a finding: what would mend it, lives as long as the program; or NULL */
	char detail[1400];  /* further words, or empty */
};

/* There is none. */
static inline void fault_clear(struct fault *f)
{
	memset(f, 0, offsetof(struct fault, detail));
	f->detail[0] = '\0';
}

/* "out_of_bounds"; "address out of bounds"; "CUDA_ERROR_ILLEGAL_ADDRESS". */
const char *fault_name(enum fault_kind kind);
const char *fault_text(enum fault_kind kind);
const char *fault_cuda_name(enum fault_kind kind);

#endif
