/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's log of errors (CUDA Driver API, "Error Log Management Functions"): a line for each call that fails.
 */
#ifndef PTXSIM_CUDA_DRIVER_LOGS_H
#define PTXSIM_CUDA_DRIVER_LOGS_H

/* A call has failed with that error; without the driver's lock, since callbacks run. */
void logs_add(const char *call, int error);

#endif
