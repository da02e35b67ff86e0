/* SPDX-License-Identifier: Apache-2.0
 *
 * The processor that native code is made for.
 */
#ifndef PTXSIM_NATIVE_PROCESSOR_H
#define PTXSIM_NATIVE_PROCESSOR_H

#include "base/types.h"

#if defined __x86_64__ && defined __linux__
#define NATIVE_HERE
#endif

enum { PROCESSOR_WORDS = 12 };

/* Bytes of the widest vectors that native code may use here, 64 (AVX-512) or 32 (AVX2); 0: there is none for this
 * processor. For tests, PTXSIM_VARIANT=avx2 has it use AVX2, as the interpreter does then. */
u32 processor_vector_bytes(void);
/* What tells this processor's model and instruction sets from others', all that code generation may depend on. */
void processor_identity(u32 words[PROCESSOR_WORDS]);

#endif
