/* SPDX-License-Identifier: Apache-2.0
 *
 * What is to be written when the process ends is written, too, when a signal ends it: SIGTERM (a batch system, timeout),
 * SIGINT, SIGHUP. Signals that the program handles or ignores are its own.
 */
#ifndef PTXSIM_CUDA_DRIVER_ENDING_H
#define PTXSIM_CUDA_DRIVER_ENDING_H

/* From now on `finish` is called, on a thread of its own, before such a signal ends the process. */
void ending_begin(void (*finish)(void));

#endif
