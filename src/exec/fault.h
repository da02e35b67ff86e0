/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults: what a kernel can do wrong at run time. One table gives the enum, the text, and the
 * error that the CUDA driver would report.
 */
#ifndef PTXSIM_EXEC_FAULT_H
#define PTXSIM_EXEC_FAULT_H

#include "base/types.h"

#define FAULTS(X)                                                                                             \
	X(NONE, "no fault", "CUDA_SUCCESS")                                                                   \
	X(OUT_OF_BOUNDS, "address out of bounds", "CUDA_ERROR_ILLEGAL_ADDRESS")                               \
	X(MISALIGNED, "misaligned address", "CUDA_ERROR_MISALIGNED_ADDRESS")                                  \
	X(READ_ONLY, "store to read-only memory", "CUDA_ERROR_ILLEGAL_ADDRESS")                               \
	X(WRONG_SPACE, "address is not in the instruction's state space", "CUDA_ERROR_INVALID_ADDRESS_SPACE") \
	X(ILLEGAL_INSTRUCTION, "illegal instruction", "CUDA_ERROR_ILLEGAL_INSTRUCTION")                       \
	X(BAD_PC, "jump to an address that is no function", "CUDA_ERROR_INVALID_PC")                          \
	X(STACK_OVERFLOW, "stack overflow", "CUDA_ERROR_LAUNCH_FAILED")                                       \
	X(TRAP, "trap", "CUDA_ERROR_LAUNCH_FAILED")                                                           \
	X(BREAKPOINT, "brkpt with no debugger attached", "CUDA_ERROR_LAUNCH_FAILED")                          \
	X(ASSERT, "device-side assertion failed", "CUDA_ERROR_ASSERT")                                        \
	X(DEADLOCK, "deadlock", "CUDA_ERROR_LAUNCH_TIMEOUT")                                                  \
	X(LIMIT, "instruction limit reached", "CUDA_ERROR_LAUNCH_TIMEOUT")                                    \
	X(BAD_MASK, "member mask leaves out an executing lane", "CUDA_ERROR_LAUNCH_FAILED")                   \
	X(BAD_BARRIER, "barrier misuse", "CUDA_ERROR_LAUNCH_FAILED")                                          \
	X(ASYNC, "asynchronous operation misuse", "CUDA_ERROR_LAUNCH_FAILED")                                 \
	X(RACE, "race", "CUDA_ERROR_LAUNCH_FAILED")                                                           \
	X(UNWRITTEN, "read of shared memory that nothing has written", "CUDA_ERROR_LAUNCH_FAILED")            \
	X(STACK, "reconvergence stack misuse", "CUDA_ERROR_ILLEGAL_INSTRUCTION")                              \
	X(LOCK, "shared-memory lock misuse", "CUDA_ERROR_LAUNCH_FAILED")                                      \
	X(HEAP, "invalid free", "CUDA_ERROR_LAUNCH_FAILED")                                                   \
	X(OUT_OF_MEMORY, "the host has no memory left", "CUDA_ERROR_OUT_OF_MEMORY")                           \
	X(UNMODELLED, "not modelled", "CUDA_ERROR_NOT_SUPPORTED")

enum fault_kind {
#define X(name, text, cuda) FAULT_##name,
	FAULTS(X)
#undef X
		FAULT_COUNT
};

struct code;
struct insn;

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
	char detail[512]; /* further words, or empty */
};

const char *fault_text(enum fault_kind kind);
const char *fault_cuda_name(enum fault_kind kind);

#endif
