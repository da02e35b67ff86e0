/* SPDX-License-Identifier: Apache-2.0
 *
 * What a form says of the address among its operands.
 */
#ifndef PTXSIM_DECODE_FORM_ADDRESS_H
#define PTXSIM_DECODE_FORM_ADDRESS_H

#include "ir/ir.h"
#include "isa/isa.h"

/* The state space that a modifier names: shared for .shared::cluster, too; generic if it names none. */
enum ir_space form_token_space(int token);
/* The state space as the form names it for its first address. */
enum ir_space form_space(const struct form *f);
/* That of its address number `address`, from 0 on. One more than the form names is an mbarrier's. */
enum ir_space form_space_of(const struct form *f, u32 address);
/* Bits of the base register of the form's first address; 0: it has none. */
u32 form_base_bits(const struct form *f);
/* How many coordinates of a texture or surface the form's geometry takes: the fourth of three counts, too. */
u32 form_coordinates(const struct form *f);

#endif
