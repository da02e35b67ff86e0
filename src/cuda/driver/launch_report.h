/* SPDX-License-Identifier: Apache-2.0
 *
 * What PTXSIM_REPORT asks for: counters of the program's launches, gathered launch by launch in a form of its own, so that
 * modules may be unloaded, and written when the process ends. Callers keep each other out (watch.c's lock).
 */
#ifndef PTXSIM_CUDA_DRIVER_LAUNCH_REPORT_H
#define PTXSIM_CUDA_DRIVER_LAUNCH_REPORT_H

#include "api/watching.h"

/* The format: text, json, csv or html; NULL: no report is wanted. False after telling that it is none of these. */
bool launch_report_open(const char *format);
bool launch_report_is_wanted(void);
/* Throws away what has been reported so far. */
void launch_report_begin(void);
/* The number of the launch that comes, from 1 on; 0: it is left out, as there are too many. */
u64 launch_report_number(void);
/* Adds a launch that has been counted. Where memory runs out, it is left out. */
void launch_report_add(struct watching *seen, u64 number);
/* Writes it to PTXSIM_REPORT_FILE, or to standard output. */
void launch_report_write(void);

#endif
