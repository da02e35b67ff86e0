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
	struct code *(*machine)(struct lowering *low, struct ir_function *f); /* makes code of a cubin's kernel */
	bool apart; /* texts are linked with others later: names that these may define are taken as given; instructions are
		     * checked, and no code is made */
	bool lazy; /* kernels become code when program_compile asks for them */
	/* Finds `bytes` for the module-scope variables, aligned to 256, and returns their address; 0: there is no room.
	 * NULL: they lie where the address map says. */
	u64 (*place)(void *context, u64 bytes);
	void *place_context;
};

/* Lowers `modules` (linked, parsed without errors). NULL if an error was added to `diags`. The program
 * lives in `arena`, shares the modules and is immutable. */
struct program *program_lower(struct arena *arena, const struct isa *isa, struct diags *diags,
			      struct ir_module **modules, u32 module_count, const struct lower_options *options);

/* Of a program that is lowered lazily: a program of kernel number `index` alone, which shares all else with `p`; made
 * at the first call. NULL: the kernel has errors, which are then in the diagnostics (each time anew). Writes to the
 * program's arena: one thread at a time, while others may run what was made before. */
const struct program *program_compile(struct program *p, u32 index);

const struct kernel *program_kernel(const struct program *p, const char *name);

/* Whether a function of that name is there without a definition: the simulator has it. */
bool layout_is_external(const char *name);

/* Whether all of its instructions are modelled; if not, adds an error that names the first. Only of cubins can a program have
 * kernels that are not. */
bool kernel_is_modelled(const struct kernel *k, struct diags *diags);

/* Address of a module-scope variable by name; false if there is none. */
bool program_variable(const struct program *p, const char *name, u64 *address, u64 *size);

#endif
