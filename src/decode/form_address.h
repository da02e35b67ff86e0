/* SPDX-License-Identifier: Apache-2.0
 *
 * What a form says of the address among its operands.
 */
#ifndef PTXSIM_DECODE_FORM_ADDRESS_H
#define PTXSIM_DECODE_FORM_ADDRESS_H

#include "ir/ir.h"
#include "isa/isa.h"

/* The state space as the form names it: shared for .shared::cluster, too; generic if it names none. */
enum ir_space form_space(const struct form *f);
/* Bits of the base register of the form's first address; 0: it has none. */
u32 form_base_bits(const struct form *f);

#endif
