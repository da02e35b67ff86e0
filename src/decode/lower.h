/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering: from linked modules to a program that runs. Every instruction is matched against the
 * table and its operands are checked; every error and every form that is not modelled is reported
 * before anything runs.
 */
#ifndef PTXSIM_DECODE_LOWER_H
#define PTXSIM_DECODE_LOWER_H

#include "decode/assemble.h"
#include "decode/program.h"

struct lower_options {
	const char *arch;      /* NULL: the modules' target */
	bool allow_unmodelled; /* report unmodelled forms as warnings; running one faults (info, check) */
	bool keep_registers;   /* give each virtual register its own row, for the debugger */
	bool one_warp;         /* no gangs: each warp runs by itself, for comparison */
	bool all_functions;    /* look at functions, too, that no kernel calls (check) */
	assemble_fn *assemble; /* NULL: the text runs as written; sessions set it */
};

/* Lowers `modules` (linked, parsed without errors). NULL if an error was added to `diags`. The program
 * lives in `arena`, shares the modules and is immutable. */
struct program *program_lower(struct arena *arena, const struct isa *isa, struct diags *diags,
			      struct ir_module **modules, u32 module_count, const struct lower_options *options);

const struct kernel *program_kernel(const struct program *p, const char *name);

/* Address of a module-scope variable by name; false if there is none. */
bool program_variable(const struct program *p, const char *name, u64 *address, u64 *size);

#endif
