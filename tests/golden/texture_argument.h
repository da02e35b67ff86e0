/* SPDX-License-Identifier: Apache-2.0
 *
 * Textures and surfaces as arguments of recorded cases:
 * tex:buf=0,format=u8x4n,width=8,height=8,layers=3,levels=3,flags=ln,address=2,border=3f000000xbe800000x0x0,high=10
 * buf: the argument whose bytes are the texels; format: u, s or f, bits, channels, n if integers are read as fractions;
 * flags: l filters, t filters between levels, n normalized coordinates, s seamless cube; address: enum texture_address;
 * border: bits in hexadecimal; bias, low, high: of levels.
 */
#ifndef PTXSIM_TESTS_GOLDEN_TEXTURE_ARGUMENT_H
#define PTXSIM_TESTS_GOLDEN_TEXTURE_ARGUMENT_H

#include "memory/texture.h"

/* False if the fields make no texture. The address of the texels is left 0. */
bool texture_argument_parse(const char *text, struct texture *t, u32 *buffer);

#endif
