/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands behind the handles of ptxsim.h: a context with its memory and modules, and launches whose parameters are
 * packed already. The files of src/api share it, and the CUDA driver.
 */
#ifndef PTXSIM_API_CONTEXT_H
#define PTXSIM_API_CONTEXT_H

#include <pthread.h>

#include "api/outcome.h"
#include "api/record.h"
#include "api/session.h"
#include "api/stream.h"
#include "arch/device.h"
#include "ptxsim.h"

struct ptxsim_context {
	struct session tables; /* for its instruction tables alone */
	const struct device *device;
	u32 address_bits; /* of its memory: 64, unless the first module that it builds has 32 */
	struct memory memory;
	struct host_threads threads;
	enum native_mode native;      /* of launches that do not say */
	pthread_mutex_t threads_lock; /* held by the launch that uses `threads`; others start their own */
	pthread_mutex_t lock;         /* of the lists of modules and records, of names, `last`, `wanted` and `record` */
	ptxsim_module *modules, **last_module;
	struct queue_group queues;
	volatile bool stop;
	struct outcome last;
	struct ptxsim_watching wanted;   /* of launches */
	struct ptxsim_observer observer; /* if it is observed */
	bool is_observed;
	u64 told_launches;     /* atomic: the number of the last one that the observer was told of */
	ptxsim_record *record; /* of the last launch that is not in a stream and was watched; or NULL */
	pthread_mutex_t print_lock;
	ptxsim_print_fn *print;
	void *print_context;
};

struct ptxsim_function {
	ptxsim_module *module;
	u32 index; /* of its program's kernels */
};

struct ptxsim_module {
	struct session session;
	ptxsim_context *context;
	ptxsim_module *next;
	bool spent;           /* memory ran out */
	pthread_mutex_t lock; /* of compiling */
	ptxsim_function *functions;
	ptxsim_record *records; /* of its launches, under the context's lock */
	const char *diagnostics;
	size_t diagnostics_count;
	u8 *variables; /* host bytes that the caller gave for them; NULL: none */
	bool writable_constants;
};

/* Makes addresses those of a module of so many bits; false: the context has memory of other ones already. */
bool context_take_bits(ptxsim_context *c, u32 bits);

/* The function as a program that runs; NULL: it has errors, or memory ran out. */
const struct program *function_program(const ptxsim_function *f);
const struct kernel *function_kernel(const ptxsim_function *f);

/* How a launch is run beyond what ptxsim_launch says. */
/* Runs a launch in place of launch_run; the same contract. */
typedef enum launch_status launch_runner(void *context, struct launch *l, struct launch_stats *stats,
					 struct fault *fault, char *message, size_t size);

struct run_options {
	u64 heap_bytes, local_limit_bytes; /* 0: default */
	struct watching *watching;         /* or NULL: nobody watches */
	/* Before each grid that a kernel launches, and after it; NULL: nobody asks. */
	struct watching *(*grid_begin)(void *context, const ptxsim_function *f, const struct ptxsim_launch *launch);
	void (*grid_end)(void *context, const ptxsim_function *f, const struct outcome *o);
	void *grid_context;
	const struct device *device; /* whose attributes kernels ask for; NULL: the context's */
	u32 device_number;           /* of that device, among device_count */
	u32 device_count;            /* 0: it is the only one */
	bool shared;                 /* others may write to memory meanwhile: spinning is no deadlock */
	u32 patience_seconds;        /* see struct launch */
	ptxsim_print_fn *print;      /* NULL: the context's */
	ptxsim_print_fn *tell;       /* of failed assertions, a line for each thread; NULL: nobody is told */
	void *print_context;
	/* For kernels that launch graphs: see struct launch. */
	u32 (*launch_graph)(void *context, u64 graph, u64 stream);
	void *graph_context;
	u64 graph;
	u32 (*update_node)(const struct node_update *update);
	launch_runner *runner; /* NULL: launch_run */
	void *runner_context;
};

/* Runs with a packed block of parameters, and then all that the kernel launches. What is known of the outcome is the
 * first grid's, or that of the one that failed. */
void function_run(ptxsim_context *c, const ptxsim_function *f, const struct ptxsim_launch *launch, const u8 *params,
		  const struct run_options *options, struct outcome *o);
/* Packs arguments into a block of the kernel's param_bytes. */
void function_pack(const struct kernel *k, const void *const *args, u8 *params);
/* A caller that was compiled before the last fields were added does not have them. False: no such size. */
bool launch_take(const struct ptxsim_launch *from, struct ptxsim_launch *to);

/* Tells what is wrong with a module's texts as long as they are not linked with others; names that these may define are taken
 * as given. The module is good for nothing else then. */
ptxsim_status module_check_apart(ptxsim_module *m, const char *arch);
/* Tells, after that, the names that its first text defines for others, and those that it uses and others have to define. */
enum module_name { NAME_DEFINED, NAME_WEAK /* others may define it, too */, NAME_WANTED, NAME_KINDS };
typedef void name_teller(void *context, const char *name, enum module_name kind);
ptxsim_status module_tell_names(ptxsim_module *m, name_teller *taker, void *context);

/* Puts a module's variables into its context's memory with their initial bytes; false: no memory. And takes them out. */
bool module_map_variables(ptxsim_module *m);
void module_unmap_variables(ptxsim_module *m);

#endif
