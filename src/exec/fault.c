/* SPDX-License-Identifier: Apache-2.0
 *
 * The fault table's texts.
 */
#include "exec/fault.h"

static const char *const texts[] = {
#define X(name, text, cuda) text,
	FAULTS(X)
#undef X
};
static const char *const cuda_names[] = {
#define X(name, text, cuda) cuda,
	FAULTS(X)
#undef X
};

const char *fault_text(enum fault_kind kind) { return kind < FAULT_COUNT ? texts[kind] : "unknown fault"; }
const char *fault_cuda_name(enum fault_kind kind)
{
	return kind < FAULT_COUNT ? cuda_names[kind] : "CUDA_ERROR_UNKNOWN";
}
