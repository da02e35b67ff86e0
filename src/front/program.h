/* SPDX-License-Identifier: Apache-2.0
 *
 * A CUDA program of the host's that is to run with this project's libraries: where it is, whether it can, and what the
 * dynamic linker must be told. Shared by `ptxsim exec`, `ptxsim debug --exec` and the editor's adapter.
 */
#ifndef PTXSIM_FRONT_PROGRAM_H
#define PTXSIM_FRONT_PROGRAM_H

#include <stdbool.h>

enum { PROGRAM_PATH = 4096, PROGRAM_MESSAGE = PROGRAM_PATH + 256 };

/* Finds a program as a shell does: with a '/' as it is named, else in PATH. False with why it is not there or cannot
 * run. */
bool program_find(const char *name, char path[PROGRAM_PATH], char message[PROGRAM_MESSAGE]);
/* Whether the file is an executable of the host's, in contrast to PTX, a listing or a cubin. */
bool program_is_executable(const char *path);
/* LD_LIBRARY_PATH with the libraries in front of `before` (may be NULL); the caller's to free. NULL with the reason. */
char *program_library_path(const char *before, char message[PROGRAM_MESSAGE]);

#endif
