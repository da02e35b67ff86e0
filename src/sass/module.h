/* SPDX-License-Identifier: Apache-2.0
 *
 * A cubin as a module: its kernels as functions whose body is the machine code, its variables, and a text, the disassembly,
 * in which each instruction has its place; messages, reports and the debugger show that text as they show PTX.
 *
 * A kernel's body is its own section and behind it those of the module's functions, which it may call. An instruction's
 * address is that of its section, the same for all kernels, plus its place there; addresses of code in registers and memory
 * are these plus address_map's function_base.
 */
#ifndef PTXSIM_SASS_MODULE_H
#define PTXSIM_SASS_MODULE_H

#include <string.h>

#include "ir/ir.h"
#include "isa/machine.h"
#include "sass/cubin.h"

struct sass_decoder;

/* Code of a section of the cubin, relocated. */
struct sass_section {
	const struct cubin_function *function;
	const u8 *code;
	u32 base;   /* address of its first instruction */
	u32 text;   /* where its text begins in the source */
	u32 *lines; /* for each instruction: where its text begins; one more: the end */
	u32 *locs; /* for each instruction: index into the module's locs + 1, 0: none; NULL: nothing is known of lines */
	u32 *ptx_lines;                                  /* likewise: the line of PTX, 0: none */
	VEC_OF(const struct cubin_relocation *) patches; /* of instructions that name variables */
};

struct sass_module {
	const struct cubin *cubin;
	const struct sass_decoder *decoder;
	struct sass_section *sections; /* one for each of the cubin's functions */
	u32 section_count;
	struct ir_variable **variables;  /* by symbol of the cubin; NULL: not one */
	struct ir_variable *constants;   /* bank 3, or NULL */
	const char *ptx_name;            /* what that text is called, or NULL */
	const char *ptx;                 /* the PTX that the file has in it, each line ended by a zero, or NULL */
	u32 *ptx_starts, ptx_line_count; /* where each line begins; one more: behind the end */
	const char *system[MACHINE_SYSTEM_FUNCTIONS]; /* functions that the system supplies, up to the first NULL */
};

/* How names of the driver's functions begin, of those among them that look textures up with gradients (lower_texture.c has
 * the rest) and that copy to shared memory (lower_copy.c), and of the device runtime's. */
#define SASS_SYSTEM_CALL      "__cuda_syscall_"
#define SASS_TEXTURE_GRADIENT SASS_SYSTEM_CALL "tex_grad_"
#define SASS_BULK_COPY        SASS_SYSTEM_CALL "cp_async_bulk_"
#define SASS_DEVICE_RUNTIME   "__cudaCDP2"

struct sass_kernel {
	const struct sass_module *module;
	u32 section;   /* its own */
	u8 *is_placed; /* by section: its code is in the body */
};

static inline bool sass_is_texture_gradient(const char *name)
{
	return !strncmp(name, SASS_TEXTURE_GRADIENT, sizeof SASS_TEXTURE_GRADIENT - 1);
}

/* Whether the system supplies what the symbol names, though the file may have code for the device runtime's functions. */
bool sass_is_supplied(const struct elf_symbol *s);
/* The name of the system's function, which a cubin leaves undefined, at that address (without function_base), or NULL. */
const char *sass_system_name(const struct sass_module *m, u64 address);

/* Registers of a thread as the file states them, without what the driver's functions need on top; 0: it does not. */
u32 sass_stated_registers(const struct ir_machine *machine);

/* Whether the bytes begin as a cubin does. */
bool sass_module_is(const u8 *bytes, size_t size);
/* Reads a cubin of sm_75 or later; errors go to `diags`. The bytes are the caller's, and must last as long as the arena. */
struct ir_module *sass_module_read(struct arena *arena, struct strings *strings, struct diags *diags, const char *name,
				   const u8 *bytes, size_t size);
/* Address of a symbol of the cubin: code, variables (by `variable_address`), system functions. False: it has none. */
bool sass_symbol_address(const struct sass_module *m, u32 symbol,
			 u64 (*variable_address)(void *context, const struct ir_variable *v), void *context,
			 u64 *address);

/* The instruction at byte `offset` of a section, with the addresses of variables in it. Returns 0, or the type of a relocation
 * that it needs and that is not known. */
u32 sass_code_at(const struct sass_module *m, const struct sass_section *s, u32 offset,
		 u64 (*variable_address)(void *context, const struct ir_variable *v), void *context,
		 u8 insn[SASS_INSN_BYTES]);

#endif
