/* SPDX-License-Identifier: Apache-2.0
 *
 * What a form's modifiers say, for all who ask more than one of them.
 */
#ifndef PTXSIM_ISA_FORM_H
#define PTXSIM_ISA_FORM_H

#include "isa/isa.h"

/* Elements of .v2, .v4 and .v8; else 1. */
static inline u32 form_vector(const struct form *f)
{
	switch (form_pick(f, M_v2, M_v8)) {
	case M_v2:
		return 2;
	case M_v4:
		return 4;
	case M_v8:
		return 8;
	default:
		return 1;
	}
}

/* st.async and red.async: they store to the cluster's shared memory and signal an mbarrier beside it. */
static inline bool form_signals_mbarrier(const struct form *f)
{
	const u32 both = TRAIT_UNSEEN | TRAIT_ORDERS;

	return (f->row->traits & both) == both;
}

#endif
