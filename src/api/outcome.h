/* SPDX-License-Identifier: Apache-2.0
 *
 * How a launch ended: what a context and a record keep of it, without pointers into modules but where it says so.
 */
#ifndef PTXSIM_API_OUTCOME_H
#define PTXSIM_API_OUTCOME_H

#include "exec/fault_report.h"
#include "ptxsim.h"

struct outcome {
	ptxsim_status status;
	bool refused; /* it was not even begun */
	bool ended;   /* it ran to its end: what `status` tells are findings */
	bool astray;  /* the finding is of an access that the hardware lets pass */
	struct launch_stats stats;
	enum fault_kind kind;
	/* Only if `kind` says that there is a fault: */
	struct fault fault;             /* `code` and `insn` only until the module is freed: */
	char function[256], file[1024]; /* where it was; "" if that is not known */
	u32 line, column;
	struct fault_memory memory; /* that the address is next to; its name is: */
	char memory_name[256];
	u32 block[3], thread[3];
	/* Always: */
	char message[8192];
};

/* Of a launch that has not run, `refused` until it is known to be valid: ptxsim_cuda_error() tells the two apart. What is
 * only there with a fault is cleared as far as it may be read, as clearing 11 KB takes a tenth of a tiny launch. */
void outcome_begin(struct outcome *o);
/* Copies what there is. */
void outcome_keep(struct outcome *to, const struct outcome *from);

/* OK, or STATE: it did not fault. Texts are the outcome's. */
ptxsim_status outcome_fault(const struct outcome *o, struct ptxsim_fault *fault);
struct ptxsim_stats outcome_stats(const struct outcome *o);

#endif
