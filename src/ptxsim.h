/* SPDX-License-Identifier: Apache-2.0
 *
 * libptxsim: NVIDIA PTX kernels run with no GPU, bit for bit as the hardware would.
 *
 *     ptxsim_context *context = ptxsim_context_create(NULL);
 *     ptxsim_module *module = ptxsim_module_create(context);
 *     ptxsim_module_add_file(module, "saxpy.ptx");
 *     if (ptxsim_module_build(module, NULL) != PTXSIM_OK)
 *         fputs(ptxsim_module_diagnostics(module), stderr);
 *     uint64_t x;
 *     ptxsim_alloc(context, 4096, &x);
 *     uint32_t n = 1024;
 *     const void *args[] = { &x, &n };
 *     struct ptxsim_launch launch = PTXSIM_LAUNCH_INIT;
 *     launch.grid[0] = 4; launch.block[0] = 256; launch.args = args; launch.arg_count = 2;
 *     ptxsim_launch(context, ptxsim_find_function(module, "saxpy"), &launch);
 *     ptxsim_context_free(context);
 *
 * A device says what GPU is modelled; a context has its memory; modules are loaded into it and unloaded at any
 * time, and share that memory; functions are a module's kernels; a stream is launches and copies in order.
 *
 * Contexts share nothing: different ones may be used by different threads together. One context may be used by
 * several threads, too: every call but those said to be otherwise may run beside a launch. Strings and functions
 * that a call returns belong to the module or context that it was asked of and live as long, unless something else
 * is said. A call that fails changes nothing, except that a kernel that fails leaves what it had written, and that
 * after PTXSIM_ERROR_MEMORY from adding to or building a module that module can only be freed.
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

/* The interface's version: the second number grows when something is added, the first when something a program may use
 * has gone. Symbols carry the first. */
#define PTXSIM_API_MAJOR 1
#define PTXSIM_API_MINOR 1

typedef struct ptxsim_device ptxsim_device;
typedef struct ptxsim_context ptxsim_context;
typedef struct ptxsim_module ptxsim_module;
typedef struct ptxsim_function ptxsim_function;
typedef struct ptxsim_stream ptxsim_stream;
typedef struct ptxsim_record ptxsim_record; /* of one launch: ptxsim_observe.h */
struct ptxsim_watching;

typedef enum ptxsim_status {
	PTXSIM_OK = 0,
	PTXSIM_ERROR_ARGUMENT = 1,    /* a null pointer or a number out of range */
	PTXSIM_ERROR_STATE = 2,       /* not built yet, or built already */
	PTXSIM_ERROR_FILE = 3,        /* a file cannot be read */
	PTXSIM_ERROR_SYNTAX = 4,      /* see ptxsim_module_diagnostics */
	PTXSIM_ERROR_NOT_FOUND = 5,   /* no such variable */
	PTXSIM_ERROR_ADDRESS = 6,     /* not within one allocation */
	PTXSIM_ERROR_LAUNCH = 7,      /* wrong shape or arguments */
	PTXSIM_ERROR_FAULT = 8,       /* the kernel failed, or a check found something */
	PTXSIM_ERROR_INTERRUPTED = 9, /* ptxsim_stop was called */
	PTXSIM_ERROR_MEMORY = 10      /* the host has no memory left */
} ptxsim_status;

/* "0.2.0". */
const char *ptxsim_version(void);
/* One line for a status. */
const char *ptxsim_status_text(ptxsim_status status);
/* Why the calling thread's last call that failed did so, in full: the call's name, and what was wrong with which argument,
 * file ("No such file or directory"), size, or kernel. Calls that return NULL for want of something count as failures; calls
 * that succeed leave it as it is. Valid until the thread's next failing call; "" if none has failed. */
const char *ptxsim_last_error(void);

/* --- Devices ---------------------------------------------------------------------------------- */

/* "h200", "a100", "rtx4090", "t4", or the name of a target ("sm_86"), of which a sample GPU is taken. NULL: there is none
 * of that name. Devices are constants and need no release. */
const ptxsim_device *ptxsim_device_find(const char *name);
/* "h200"; "NVIDIA H200"; "sm_90". */
const char *ptxsim_device_name(const ptxsim_device *device);
const char *ptxsim_device_title(const ptxsim_device *device);
const char *ptxsim_device_arch(const ptxsim_device *device);
/* Bytes of its global memory. */
uint64_t ptxsim_device_memory(const ptxsim_device *device);
/* An attribute by its number in CUDA's CUdevice_attribute: recorded for the H200, documented figures for others.
 * NOT_FOUND: there is none of that number. */
ptxsim_status ptxsim_device_attribute(const ptxsim_device *device, int number, int32_t *value);

/* --- Contexts --------------------------------------------------------------------------------- */

/* A new context, or NULL if there is no memory. `device` NULL: none in particular; each module is then built for its own
 * target. The environment variable PTXSIM_VARIANT may name the host's vector variant ("avx512", "avx2",
 * "baseline"); NULL too if this host does not run it. */
ptxsim_context *ptxsim_context_create(const ptxsim_device *device);
/* Frees the context, its modules, streams and memory. Nothing may run in it. NULL is allowed. */
void ptxsim_context_free(ptxsim_context *context);
/* The device that it was made for; may be NULL. */
const ptxsim_device *ptxsim_context_device(const ptxsim_context *context);

/* --- Modules ---------------------------------------------------------------------------------- */

/* A module without texts yet, or NULL if there is no memory. A module is used by one thread at a time until it is built. */
ptxsim_module *ptxsim_module_create(ptxsim_context *context);
/* Frees the module with its variables and functions. None of its launches may be under way. NULL is allowed. */
void ptxsim_module_free(ptxsim_module *module);
/* Modules of a context in the order of their making; NULL if there are not so many. */
ptxsim_module *ptxsim_get_module(const ptxsim_context *context, size_t index);
/* Adds PTX text, or a listing of machine code for sm_20 or sm_21 (a `name` that ends in .sass, or a
 * text that says so); `name` stands in messages. The text is copied. SYNTAX: it has errors; more
 * texts may be added to find theirs. */
ptxsim_status ptxsim_module_add_text(ptxsim_module *module, const char *name, const char *text, size_t length);
ptxsim_status ptxsim_module_add_file(ptxsim_module *module, const char *path);

struct ptxsim_build {
	size_t struct_size; /* sizeof(struct ptxsim_build), set by PTXSIM_BUILD_INIT */
	const char *arch;   /* "sm_90"; NULL: the context's device, else the texts' own target */
	int lazy;           /* a kernel is compiled when it is first asked for; its errors are told then */
	int unmodelled;     /* an instruction that is not modelled is a fault when it runs, not an error here */
	/* Gives `bytes` of zeroed host memory for the variables, aligned to 256, which must stay until the module is freed:
	 * their addresses are then those of the host. NULL: they lie with the context's other memory, module beside
	 * module. Returning NULL means that there is no room. */
	void *(*place)(void *place_context, uint64_t bytes);
	void *place_context;
	int writable_constants; /* kernels may store to .const variables through global addresses, as on the hardware */
	int debug;              /* for a debugger: each register keeps its value, and warps run one by one; slower */
};
#define PTXSIM_BUILD_INIT                                                 \
	{                                                                 \
		sizeof(struct ptxsim_build), NULL, 0, 0, NULL, NULL, 0, 0 \
	}

/* Links all texts of the module and makes them ready to run; `build` NULL: as PTXSIM_BUILD_INIT. What is wrong with an
 * instruction is found here, unless the build is lazy: then when its kernel is first asked for. */
ptxsim_status ptxsim_module_build(ptxsim_module *module, const struct ptxsim_build *build);
/* Every error and warning about the module so far, as a compiler prints them; "" if none. Valid
 * until the next call with this module. */
const char *ptxsim_module_diagnostics(ptxsim_module *module);
/* Address and size of a module-scope variable; either may be NULL. */
ptxsim_status ptxsim_variable(const ptxsim_module *module, const char *name, uint64_t *address, uint64_t *bytes);

/* --- Memory ----------------------------------------------------------------------------------- */

/* Allocates zeroed global memory, aligned to 256 bytes; *address is the kernel's view of it. */
ptxsim_status ptxsim_alloc(ptxsim_context *context, uint64_t bytes, uint64_t *address);
/* Makes the caller's bytes global memory. They are used in place, must stay until the address is
 * released, and should be aligned to 16 bytes. */
ptxsim_status ptxsim_map(ptxsim_context *context, void *bytes, uint64_t size, uint64_t *address);
/* The same at an address of the caller's choice, which may be that of the bytes themselves. ADDRESS: other memory
 * is there, or the range meets a window of another state space (below 0x140000000000) or the address space's end. */
ptxsim_status ptxsim_map_at(ptxsim_context *context, void *bytes, uint64_t size, uint64_t address);
/* Makes an address for multimem instructions (PTX ISA 9.7.9.14): it stands for `bytes` bytes from each of the
 * `count` addresses on, as if each were another device's. They must be memory that ptxsim_alloc or ptxsim_map gave,
 * and may not be released while it is used; it needs no release itself. ADDRESS: a range is no such memory. */
ptxsim_status ptxsim_multicast(ptxsim_context *context, const uint64_t *addresses, uint32_t count, uint64_t bytes,
			       uint64_t *address);
/* Names the memory that begins at the address, for messages and faults; the name is copied, and kept until the context goes.
 * ADDRESS: no memory begins there. */
ptxsim_status ptxsim_name_memory(ptxsim_context *context, uint64_t address, const char *name);
/* Releases what ptxsim_alloc, ptxsim_map or ptxsim_map_at gave. */
ptxsim_status ptxsim_release(ptxsim_context *context, uint64_t address);
ptxsim_status ptxsim_read(const ptxsim_context *context, void *to, uint64_t address, uint64_t bytes);
ptxsim_status ptxsim_write(ptxsim_context *context, uint64_t address, const void *from, uint64_t bytes);

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
ptxsim_status ptxsim_texture_object(ptxsim_context *context, const struct ptxsim_texture *texture, uint64_t *handle);
/* What a tensor in global memory looks like and which part of it a copy moves (cuTensorMapEncodeTiled, and
 * cuTensorMapEncodeIm2col). Types, interleave and swizzle are numbered as in tensormap.replace (PTX ISA 9.7.9.28);
 * dimensions stand innermost first. */
struct ptxsim_tensor_map {
	size_t struct_size; /* sizeof(struct ptxsim_tensor_map), set by PTXSIM_TENSOR_MAP_INIT */
	uint64_t address;   /* of the tensor, as kernels see it */
	uint32_t type, rank;
	uint64_t dims[5];    /* elements */
	uint64_t strides[4]; /* bytes between neighbours along dimensions 1 to rank - 1 */
	uint32_t box[5];     /* tiled: elements that a copy moves */
	uint32_t element_strides[5];
	uint32_t interleave, swizzle;
	int fills_nan;              /* outside of the tensor are NaNs, else zeros */
	int im2col;                 /* not tiled: */
	int32_t lower[3], upper[3]; /* corners of the bounding box, innermost spatial dimension first */
	uint32_t channels, pixels;
};
#define PTXSIM_TENSOR_MAP_INIT                                                                                        \
	{                                                                                                             \
		sizeof(struct ptxsim_tensor_map), 0, 0, 0, {0}, {0}, {0}, {1, 1, 1, 1, 1}, 0, 0, 0, 0, {0}, {0}, 0, 0 \
	}

/* Writes the map's 128 bytes, which a kernel takes as a parameter or within one, or reads from global memory.
 * ERROR_ARGUMENT: the driver would refuse the map; *why, if not NULL, is then a constant text that says why. */
ptxsim_status ptxsim_tensor_map(const struct ptxsim_tensor_map *map, void *bytes, const char **why);
/* Sets a .texref, .samplerref or .surfref variable. ERROR_NOT_FOUND: there is none of that name. */
ptxsim_status ptxsim_bind_texture(ptxsim_module *module, const char *name, uint64_t handle);

/* --- Functions -------------------------------------------------------------------------------- */

struct ptxsim_param {
	const char *name;
	const char *type; /* of an element, without the dot: "u64", "f32", "b8" */
	uint32_t size;    /* bytes */
	uint32_t alignment;
	uint32_t offset; /* in the parameter block */
	int is_pointer;  /* declared with .ptr */
};

struct ptxsim_attributes {
	uint64_t shared_bytes;   /* static; %reserved_smem's part apart */
	uint64_t constant_bytes; /* of all .const variables of its module */
	uint64_t local_bytes;    /* of one thread, for its own frame */
	uint32_t registers;      /* of one thread: an estimate from the registers that are live together */
	uint32_t max_threads;    /* of a block: .maxntid or .reqntid, else the device's */
	uint32_t required_threads[3], required_cluster[3]; /* .reqntid, .reqnctapercluster; 0: not stated */
	uint32_t param_bytes;                              /* of the parameter block */
	uint32_t ptx_target;                               /* x 10: 80 for .target sm_80 */
	uint32_t arch;                                     /* x 10: what it was compiled for */
	int uses_dynamic_shared;
	int launches_kernels; /* calls the device runtime */
};

size_t ptxsim_function_count(const ptxsim_module *module);
/* NULL if there are not so many. */
const ptxsim_function *ptxsim_get_function(const ptxsim_module *module, size_t index);
/* By its name, or by the name that C++ gave it ("scale<float>"). NULL if there is none, or several. */
const ptxsim_function *ptxsim_find_function(const ptxsim_module *module, const char *name);
const char *ptxsim_function_name(const ptxsim_function *function);
ptxsim_module *ptxsim_function_module(const ptxsim_function *function);
size_t ptxsim_function_param_count(const ptxsim_function *function);
ptxsim_status ptxsim_function_param(const ptxsim_function *function, size_t index, struct ptxsim_param *param);
/* Compiles the function if it was not yet. SYNTAX: it has errors, see ptxsim_module_diagnostics. */
ptxsim_status ptxsim_function_compile(const ptxsim_function *function);
/* The same, and tells its attributes. */
ptxsim_status ptxsim_function_attributes(const ptxsim_function *function, struct ptxsim_attributes *attributes);

/* --- Launching -------------------------------------------------------------------------------- */

/* When asynchronous copies (cp.async and its relatives, st.async, red.async) and wgmma take effect.
 * EAGER: at the instruction; fastest. STRICT: reading what one has yet to write, or overwriting what it
 * has yet to read, before the program has waited for it, and a missing proxy fence or wgmma.fence,
 * fail with both places; right programs run as with EAGER. RANDOM: at any allowed time, by async_seed
 * alone: the same seed gives the same run, for any number of host threads. Programs without
 * asynchronous instructions pay nothing in any mode. */
typedef enum ptxsim_async { PTXSIM_ASYNC_EAGER = 0, PTXSIM_ASYNC_STRICT = 1, PTXSIM_ASYNC_RANDOM = 2 } ptxsim_async;

/* Whether kernels become machine code, with the same results. AUTO: those that have run for long, made by a thread of
 * its own while they are interpreted; ALWAYS: before they run; OFF: never. DEFAULT: what the environment variable
 * PTXSIM_NATIVE said when the context was made ("auto", "always", "off"); AUTO without it. Where no native code can be
 * made (the library was built without LLVM), all are OFF. */
typedef enum ptxsim_native {
	PTXSIM_NATIVE_DEFAULT = 0,
	PTXSIM_NATIVE_AUTO = 1,
	PTXSIM_NATIVE_ALWAYS = 2,
	PTXSIM_NATIVE_OFF = 3
} ptxsim_native;

struct ptxsim_launch {
	size_t struct_size; /* sizeof(struct ptxsim_launch), set by PTXSIM_LAUNCH_INIT */
	uint32_t grid[3], block[3];
	uint32_t cluster[3];     /* 0, 0, 0: none given */
	uint64_t shared_bytes;   /* dynamic shared memory */
	const void *const *args; /* for each parameter, where its value is */
	size_t arg_count;
	uint32_t jobs;              /* host threads; 0: as many as are sensible. Results are the same for any number */
	uint64_t instruction_limit; /* of warp instructions; 0: none */
	ptxsim_async async;
	uint64_t async_seed; /* of PTXSIM_ASYNC_RANDOM */
	int cooperative;     /* as cudaLaunchCooperativeKernel: all blocks at once, which may wait for one another */
	int any_order;       /* kernels in whose results the order of blocks can show (what atomic operations give back,
				sums of floats, clocks, locks) keep the hardware's order: blocks wait for those before them
				at such operations, or all run on one host thread; with this not 0, on several, in any order */
	ptxsim_native native;
	/* What is watched: ptxsim_observe.h; NULL: what ptxsim_watch asked of the context. */
	const struct ptxsim_watching *watching;
	/* Where the launch's record is put when it ends, the caller's to free: ptxsim_observe.h; of a launch in a stream it
	 * must stay until then. NULL: nowhere. */
	ptxsim_record **record;
};

#define PTXSIM_LAUNCH_INIT                                                                                           \
	{                                                                                                            \
		sizeof(struct ptxsim_launch), {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0, NULL, 0, 0, 0, PTXSIM_ASYNC_EAGER, \
			0, 0, 0, PTXSIM_NATIVE_DEFAULT, NULL, NULL                                                   \
	}

struct ptxsim_stats {
	uint64_t blocks, warps;
	uint64_t warp_instructions, thread_instructions;
	uint64_t branches, divergent_branches;
	double seconds;
	uint32_t jobs;
};

/* Runs a kernel of one of the context's modules to its end. Several threads may launch in one context at once; what the
 * context says of its last launch is then that of the one that ended last, and ptxsim_last_error that of each thread's
 * own. */
ptxsim_status ptxsim_launch(ptxsim_context *context, const ptxsim_function *function,
			    const struct ptxsim_launch *launch);
/* Why the context's last launch failed, in full: instruction, source line, block, thread, address. Valid
 * until the next launch; "" if it did not fail. */
const char *ptxsim_message(const ptxsim_context *context);
/* What the CUDA driver would return for it: "CUDA_ERROR_ILLEGAL_ADDRESS"; "CUDA_SUCCESS". */
const char *ptxsim_cuda_error(const ptxsim_context *context);

/* A fault by its parts. Texts are valid until the context's next launch. */
struct ptxsim_fault {
	const char *kind;       /* "address out of bounds"; "no fault" */
	const char *cuda_error; /* "CUDA_ERROR_ILLEGAL_ADDRESS" */
	const char *function;   /* that ran: a kernel's or one that it calls; NULL: not known */
	const char *file;       /* of the text; NULL: not known */
	uint32_t line, column;  /* in it, from 1 */
	uint32_t block[3], thread[3];
	uint32_t warp, lane, lanes; /* lanes: all that were at fault */
	uint64_t address;           /* of the access; 0 with size 0: there was none */
	uint32_t size;
	int is_store;
	const char *detail; /* further words; "" */
	/* The allocation that the address lies in, lay in before it was freed, or is nearest to; of shared and local memory the
	 * variable. NULL: there is none, or nothing is known of it; "": it has no name. */
	const char *allocation;
	uint64_t allocation_base, allocation_size; /* address of its first byte; bytes */
	int64_t allocation_distance; /* bytes from its end to a byte behind it; negative: from its begin to one before; in it: 0 */
	int allocation_freed;
};
/* STATE: the last launch did not fault. */
ptxsim_status ptxsim_get_fault(const ptxsim_context *context, struct ptxsim_fault *fault);

/* Counts of the last launch. */
ptxsim_status ptxsim_get_stats(const ptxsim_context *context, struct ptxsim_stats *stats);
/* Ends the launches that are running, from another thread or a signal handler. */
void ptxsim_stop(ptxsim_context *context);

/* How far past the end of an object of global memory a kernel's accesses may reach. The hardware checks pages only.
 * DEFAULT: as WORD for module-scope variables, whose last word compilers' own functions read whole, as OBJECT for the
 * rest. OBJECT: not at all. WORD: a read that begins in the object may end past it, in the last aligned word of the
 * read's size, and finds zeros there. ALLOCATION: what is allocated from then on ends at a multiple of 512 bytes, as the
 * driver's allocations do, a module's variables at one of 256; reads as with WORD. Memory that ptxsim_map made is the
 * caller's, and keeps its bounds. No launch may be under way. ARGUMENT: no such value. */
typedef enum ptxsim_bounds {
	PTXSIM_BOUNDS_DEFAULT = 0,
	PTXSIM_BOUNDS_OBJECT = 1,
	PTXSIM_BOUNDS_WORD = 2,
	PTXSIM_BOUNDS_ALLOCATION = 3
} ptxsim_bounds;
ptxsim_status ptxsim_set_bounds(ptxsim_context *context, ptxsim_bounds bounds);

/* Where what kernels print goes; NULL (and at first): standard output. No launch may be under way. It is called for each
 * thread that prints, in the order of blocks, warps and lanes in which the launch runs them, by the thread that runs the
 * launch (ptxsim_launch's caller, or one of the stream). With any_order other threads call it, too, in no defined order.
 * Calls never overlap, whatever the launch and the stream. It may call ptxsim_stop, and nothing else of the context. */
typedef void ptxsim_print_fn(void *print_context, const char *text, size_t length);
ptxsim_status ptxsim_set_print(ptxsim_context *context, ptxsim_print_fn *print, void *print_context);

/* --- Streams ---------------------------------------------------------------------------------- */

/* Launches and copies that run in the order in which they were given, while the caller goes on; what stands in
 * different streams may run side by side. Work begins at the latest about a millisecond after it was given, and is
 * done when a call has waited for it. */
ptxsim_stream *ptxsim_stream_create(ptxsim_context *context);
/* Waits for the stream's work, and frees it. NULL is allowed. */
void ptxsim_stream_free(ptxsim_stream *stream);
/* Arguments are copied; what else the launch needs must stay until it is done. */
ptxsim_status ptxsim_stream_launch(ptxsim_stream *stream, const ptxsim_function *function,
				   const struct ptxsim_launch *launch);
/* The host's bytes must stay until the copy is done. */
ptxsim_status ptxsim_stream_read(ptxsim_stream *stream, void *to, uint64_t address, uint64_t bytes);
ptxsim_status ptxsim_stream_write(ptxsim_stream *stream, uint64_t address, const void *from, uint64_t bytes);
/* Further work of `stream` waits for all that was given to `other` so far. */
ptxsim_status ptxsim_stream_wait(ptxsim_stream *stream, ptxsim_stream *other);
/* Waits until all is done. The status is that of the first piece of work that failed since the last call, and
 * ptxsim_last_error says why; what was given behind it in this stream has not run. */
ptxsim_status ptxsim_stream_synchronize(ptxsim_stream *stream);
/* 1: all is done; 0: something is not. */
int ptxsim_stream_is_done(ptxsim_stream *stream);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
