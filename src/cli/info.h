/* SPDX-License-Identifier: Apache-2.0
 *
 * What ptxsim info prints of listings and of native code, beside what it prints of PTX.
 */
#ifndef PTXSIM_CLI_INFO_H
#define PTXSIM_CLI_INFO_H

#include "api/session.h"

void info_listing_registers(const struct program *p, const struct code *code);
/* The same of machine code of sm_75 and later; and how many basic blocks it has. */
void info_machine_registers(const struct code *code);
u32 info_machine_blocks(struct arena *arena, const struct code *code);
/* Blocks of an SM for usual sizes of blocks, by each limit. */
void info_listing_occupancy(const struct program *p, const struct kernel *k);
/* An instruction's address, and the 32-bit registers that it reads and writes for a lane. */
void info_listing_traffic(const struct program *p, const struct code *code, u32 instruction);
/* An instruction as the file writes it, from its span of the text. escaped: for Graphviz's records. */
void info_print_line(const struct session *s, const struct ir_instruction *i, bool escaped);
/* Which parts of a kernel become host code. */
void info_native(const struct session *s, const struct code *code);

#endif
