/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and texts of the errors of CUDA's interfaces.
 */
#ifndef PTXSIM_CUDA_DRIVER_ERRORS_H
#define PTXSIM_CUDA_DRIVER_ERRORS_H

/* "CUDA_ERROR_ILLEGAL_ADDRESS"; NULL: the driver has none of that number. */
const char *cuda_error_name(int number);
/* "cudaErrorIllegalAddress" */
const char *cuda_runtime_error_name(int number);
/* "an illegal memory access was encountered" */
const char *cuda_error_text(int number);
/* The number of "CUDA_ERROR_ILLEGAL_ADDRESS"; that of CUDA_ERROR_UNKNOWN if there is none of that name. */
int cuda_error_number(const char *name);

#endif
