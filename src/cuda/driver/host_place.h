/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the program made a call: its own functions on the thread's stack, without those of these libraries. Names and lines
 * are looked up when a message wants them (by libdw, if it is there, and what the program's file tells: lines with -g).
 *
 * Each stack is kept once, for the whole process. Safe from any thread.
 */
#ifndef PTXSIM_CUDA_DRIVER_HOST_PLACE_H
#define PTXSIM_CUDA_DRIVER_HOST_PLACE_H

#include <stddef.h>

struct host_place;

/* Of the calling thread, now. NULL: memory ran out, or there are too many places already. */
const struct host_place *host_place_here(void);

/* "cudaMalloc at app.cu:3 in get, called at app.cu:9 in main" into text[0..room). `call` stands for the first word if
 * the stack has no public function of these libraries; "": the text has no such word. Functions named `kernel` are left out: they are what the compiler puts
 * between <<<>>> and the launch; NULL: there are none. A place of which nothing is known, and NULL, give `call` alone. */
void host_place_text(const struct host_place *p, const char *call, const char *kernel, char *text, size_t room);

#endif
