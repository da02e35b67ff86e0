/* SPDX-License-Identifier: Apache-2.0
 *
 * libptxsim: NVIDIA PTX kernels run with no GPU, bit for bit as the hardware would.
 *
 *     ptxsim *sim = ptxsim_create();
 *     ptxsim_add_file(sim, "saxpy.ptx");
 *     if (ptxsim_build(sim, NULL) != PTXSIM_OK)
 *         fputs(ptxsim_diagnostics(sim), stderr);
 *     uint64_t x;
 *     ptxsim_alloc(sim, 4096, &x);
 *     uint32_t n = 1024;
 *     const void *args[] = { &x, &n };
 *     struct ptxsim_launch launch = PTXSIM_LAUNCH_INIT;
 *     launch.grid[0] = 4; launch.block[0] = 256; launch.args = args; launch.arg_count = 2;
 *     ptxsim_launch(sim, ptxsim_find_kernel(sim, "saxpy"), &launch);
 *     ptxsim_free(sim);
 *
 * Simulators share nothing: each may be used by one thread at a time, different ones by different
 * threads together. Strings and kernels that a function returns belong to the simulator and live
 * until it is freed, unless something else is said. A call that fails changes nothing, except
 * that a kernel that fails leaves what it had written, and that after PTXSIM_ERROR_MEMORY from
 * adding or building modules the simulator can only be freed.
 */
#ifndef PTXSIM_H
#define PTXSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef struct ptxsim ptxsim;
typedef struct ptxsim_kernel ptxsim_kernel;

typedef enum ptxsim_status {
	PTXSIM_OK = 0,
	PTXSIM_ERROR_ARGUMENT = 1,    /* a null pointer or a number out of range */
	PTXSIM_ERROR_STATE = 2,       /* not built yet, or built already */
	PTXSIM_ERROR_FILE = 3,        /* a file cannot be read; errno may say more */
	PTXSIM_ERROR_SYNTAX = 4,      /* see ptxsim_diagnostics */
	PTXSIM_ERROR_NOT_FOUND = 5,   /* no such variable */
	PTXSIM_ERROR_ADDRESS = 6,     /* not within one allocation */
	PTXSIM_ERROR_LAUNCH = 7,      /* wrong shape or arguments; see ptxsim_message */
	PTXSIM_ERROR_FAULT = 8,       /* the kernel failed; see ptxsim_message */
	PTXSIM_ERROR_INTERRUPTED = 9, /* ptxsim_stop was called */
	PTXSIM_ERROR_MEMORY = 10      /* the host has no memory left */
} ptxsim_status;

/* "0.1.0". */
const char *ptxsim_version(void);
/* One line for a status. */
const char *ptxsim_status_text(ptxsim_status status);

/* A new simulator, or NULL if there is no memory. The environment variable PTXSIM_VARIANT may
 * name the host's vector variant ("avx512", "avx2", "baseline"); NULL too if it runs not here. */
ptxsim *ptxsim_create(void);
/* Frees the simulator and all its memory. NULL is allowed. */
void ptxsim_free(ptxsim *sim);

/* --- Modules ---------------------------------------------------------------------------------- */

/* Adds PTX text, or a listing of machine code for sm_20 or sm_21 (a `name` that ends in .sass, or a
 * text that says so); `name` stands in messages. The text is copied. SYNTAX: it has errors; more
 * modules may be added to find theirs. */
ptxsim_status ptxsim_add_text(ptxsim *sim, const char *name, const char *text, size_t length);
ptxsim_status ptxsim_add_file(ptxsim *sim, const char *path);
/* Links all modules and makes them ready to run, for `arch` ("sm_90"; NULL: their own target). */
ptxsim_status ptxsim_build(ptxsim *sim, const char *arch);
/* Every error and warning about the modules so far, as a compiler prints them; "" if none. Valid
 * until the next call with this simulator. */
const char *ptxsim_diagnostics(ptxsim *sim);

/* --- Memory ----------------------------------------------------------------------------------- */

/* Allocates zeroed global memory, aligned to 256 bytes; *address is the kernel's view of it. */
ptxsim_status ptxsim_alloc(ptxsim *sim, uint64_t bytes, uint64_t *address);
/* Makes the caller's bytes global memory. They are used in place, must stay until the address is
 * released, and should be aligned to 16 bytes. */
ptxsim_status ptxsim_map(ptxsim *sim, void *bytes, uint64_t size, uint64_t *address);
/* Makes an address for multimem instructions (PTX ISA 9.7.9.14): it stands for `bytes` bytes from each of the
 * `count` addresses on, as if each were another device's. They must be memory that ptxsim_alloc or ptxsim_map gave,
 * and may not be released while it is used; it needs no release itself. ADDRESS: a range is no such memory. */
ptxsim_status ptxsim_multicast(ptxsim *sim, const uint64_t *addresses, uint32_t count, uint64_t bytes,
			       uint64_t *address);
/* Releases what ptxsim_alloc or ptxsim_map gave. */
ptxsim_status ptxsim_release(ptxsim *sim, uint64_t address);
ptxsim_status ptxsim_read(ptxsim *sim, void *to, uint64_t address, uint64_t bytes);
ptxsim_status ptxsim_write(ptxsim *sim, uint64_t address, const void *from, uint64_t bytes);
/* Address and size of a module-scope variable; either may be NULL. */
ptxsim_status ptxsim_variable(ptxsim *sim, const char *name, uint64_t *address, uint64_t *bytes);

/* --- Textures and surfaces -------------------------------------------------------------------- */

typedef enum ptxsim_texel { PTXSIM_TEXEL_UNSIGNED = 0, PTXSIM_TEXEL_SIGNED = 1, PTXSIM_TEXEL_FLOAT = 2 } ptxsim_texel;
typedef enum ptxsim_address_mode {
	PTXSIM_ADDRESS_WRAP = 0,
	PTXSIM_ADDRESS_MIRROR = 1,
	PTXSIM_ADDRESS_CLAMP = 2,
	PTXSIM_ADDRESS_BORDER = 3
} ptxsim_address_mode;

/* What a texture or surface object says about texels in global memory (PTX ISA 5.3; CUDA C++ Programming Guide,
 * "Texture Fetching"; filters as recorded on an H200, see docs/numerics.md). */
struct ptxsim_texture {
	size_t struct_size;                    /* sizeof(struct ptxsim_texture), set by PTXSIM_TEXTURE_INIT */
	uint64_t data;                         /* address of the first texel, as ptxsim_alloc or ptxsim_map gave it */
	uint32_t width, height, depth, layers; /* texels; 0 where there is no such dimension; depth or layers */
	uint64_t pitch, slice;                 /* bytes between rows, and between layers or depths; 0: without gaps */
	uint32_t channels;                     /* 1, 2 or 4 */
	uint32_t channel_bits;                 /* 8, 16 or 32; floats 16 or 32 */
	ptxsim_texel texel;
	int linear;                 /* filters between texels, else takes the nearest */
	int normalized_coordinates; /* from 0 to 1, not from 0 to width; what wrap and mirror need */
	int normalized_values;      /* 8- and 16-bit integers are read as floats from 0 or -1 to 1 */
	ptxsim_address_mode address[3];
	float border[4]; /* what lies outside with PTXSIM_ADDRESS_BORDER */
	uint32_t levels; /* of a mipmapped texture, at most 16: each has half the last one's size in every dimension but
			    the layers, and follows it in memory without gaps; 0: none */
	int linear_levels;                             /* filters between levels, else takes the nearest */
	float level_bias, lowest_level, highest_level; /* added to a level that is asked for, and its bounds */
	uint32_t samples;  /* of each texel of a multi-sample texture, at most 16, side by side in memory; 0: none */
	int seamless_cube; /* filters of a cube go on across the edges of its faces */
};

#define PTXSIM_TEXTURE_INIT                                                                                           \
	{                                                                                                             \
		sizeof(struct ptxsim_texture), 0, 0, 0, 0, 0, 0, 0, 1, 32, PTXSIM_TEXEL_FLOAT, 0, 0, 0,               \
			{PTXSIM_ADDRESS_CLAMP, PTXSIM_ADDRESS_CLAMP, PTXSIM_ADDRESS_CLAMP}, {0, 0, 0, 0}, 0, 0, 0, 0, \
			15, 0, 0                                                                                      \
	}

/* Makes a texture or surface object: *handle is what kernels take as a 64-bit argument. The texels are used in
 * place. ERROR_ARGUMENT: a format or size that there is not, or texels outside of allocated memory. The handle is
 * released by ptxsim_release. */
ptxsim_status ptxsim_texture_object(ptxsim *sim, const struct ptxsim_texture *texture, uint64_t *handle);
/* Sets a .texref, .samplerref or .surfref variable. ERROR_NOT_FOUND: there is none of that name. */
ptxsim_status ptxsim_bind_texture(ptxsim *sim, const char *name, uint64_t handle);

/* --- Kernels ---------------------------------------------------------------------------------- */

struct ptxsim_param {
	const char *name;
	const char *type; /* of an element, without the dot: "u64", "f32", "b8" */
	uint32_t size;    /* bytes */
	uint32_t alignment;
	uint32_t offset; /* in the parameter block */
	int is_pointer;  /* declared with .ptr */
};

size_t ptxsim_kernel_count(const ptxsim *sim);
/* NULL if there are not so many. */
const ptxsim_kernel *ptxsim_get_kernel(const ptxsim *sim, size_t index);
/* By its name, or by the name that C++ gave it ("scale<float>"). NULL if there is none, or several. */
const ptxsim_kernel *ptxsim_find_kernel(const ptxsim *sim, const char *name);
const char *ptxsim_kernel_name(const ptxsim_kernel *kernel);
size_t ptxsim_kernel_param_count(const ptxsim_kernel *kernel);
ptxsim_status ptxsim_kernel_param(const ptxsim_kernel *kernel, size_t index, struct ptxsim_param *param);

/* --- Launching -------------------------------------------------------------------------------- */

/* When asynchronous copies (cp.async and its relatives, st.async, red.async) and wgmma take effect.
 * EAGER: at the instruction; fastest. STRICT: reading what one has yet to write, or overwriting what it
 * has yet to read, before the program has waited for it, and a missing proxy fence or wgmma.fence,
 * fail with both places; right programs run as with EAGER. RANDOM: at any allowed time, by async_seed
 * alone: the same seed gives the same run, for any number of host threads. Programs without
 * asynchronous instructions pay nothing in any mode. */
typedef enum ptxsim_async { PTXSIM_ASYNC_EAGER = 0, PTXSIM_ASYNC_STRICT = 1, PTXSIM_ASYNC_RANDOM = 2 } ptxsim_async;

struct ptxsim_launch {
	size_t struct_size; /* sizeof(struct ptxsim_launch), set by PTXSIM_LAUNCH_INIT */
	uint32_t grid[3], block[3];
	uint32_t cluster[3];     /* 0, 0, 0: none given */
	uint64_t shared_bytes;   /* dynamic shared memory */
	const void *const *args; /* for each parameter, where its value is */
	size_t arg_count;
	uint32_t jobs;              /* host threads; 0: as many as are sensible */
	uint64_t instruction_limit; /* of warp instructions; 0: none */
	ptxsim_async async;
	uint64_t async_seed; /* of PTXSIM_ASYNC_RANDOM */
	int cooperative;     /* as cudaLaunchCooperativeKernel: all blocks at once, which may wait for one another */
};

#define PTXSIM_LAUNCH_INIT                                                                                           \
	{                                                                                                            \
		sizeof(struct ptxsim_launch), {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0, NULL, 0, 0, 0, PTXSIM_ASYNC_EAGER, \
			0, 0                                                                                         \
	}

struct ptxsim_stats {
	uint64_t blocks, warps;
	uint64_t warp_instructions, thread_instructions;
	uint64_t branches, divergent_branches;
	double seconds;
	uint32_t jobs;
};

/* Runs a kernel to its end. */
ptxsim_status ptxsim_launch(ptxsim *sim, const ptxsim_kernel *kernel, const struct ptxsim_launch *launch);
/* Why the last launch failed, in full: instruction, source line, block, thread, address. Valid
 * until the next launch; "" if it did not fail. */
const char *ptxsim_message(const ptxsim *sim);
/* What the CUDA driver would return for it: "CUDA_ERROR_ILLEGAL_ADDRESS"; "CUDA_SUCCESS". */
const char *ptxsim_cuda_error(const ptxsim *sim);
/* Counts of the last launch. */
ptxsim_status ptxsim_get_stats(const ptxsim *sim, struct ptxsim_stats *stats);
/* Ends the launch that is running, from another thread or a signal handler. */
void ptxsim_stop(ptxsim *sim);

/* Where what kernels print goes; NULL (and at first): standard output. */
typedef void ptxsim_print_fn(void *context, const char *text, size_t length);
ptxsim_status ptxsim_set_print(ptxsim *sim, ptxsim_print_fn *print, void *context);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
