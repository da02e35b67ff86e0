/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: what Nsight Compute counted for the recorded programs by opcode and by pipe, against what is counted here when
 * the same cubins run.
 */
#ifndef PTXSIM_TESTS_METRICS_OPCODES_H
#define PTXSIM_TESTS_METRICS_OPCODES_H

/* table: pack,case,metric,value; packs: their folder; cubins: MODULE.cubin of them, those that are not there are left out.
 * Cases whose recorded counts by opcode do not sum up to the instructions executed were not the same run twice: they are
 * left out, too. Returns the exit status: 1 if a value differs or a program fails. */
int opcodes_run(const char *table, const char *packs, const char *cubins);

#endif
