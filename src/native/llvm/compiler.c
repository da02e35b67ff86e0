/* SPDX-License-Identifier: Apache-2.0
 *
 * The plug-in's door: from regions to an object file.
 */
#include "native/llvm/internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

struct native_compiler {
	LLVMTargetMachineRef machine;
	const char *width;
	u32 vector_bytes;
	char library[4096]; /* the file of LLVM; "": it is not known */
	struct stat was;
	struct extracts extracts;
	bool rested; /* LLVM's code was given back, and no region has been compiled since */
};

/* Jumps are threaded so that the test whether an access was made in line disappears into the ways that lead to it. What is computed or
 * read twice is looked for along blocks that dominate each other: to look further (gvn) took up to a quarter of all compiling, to look for
 * stores that nobody reads (dse) some 4 %, and the code was no better. */
#define PASSES(FIRST)                                                                                    \
	"always-inline,function(" FIRST "sroa,early-cse,jump-threading,instcombine<no-verify-fixpoint>," \
	"simplifycfg,early-cse<memssa>,jump-threading,adce,simplifycfg),globaldce"
static const char passes[] = PASSES("");
/* Loads of vectors by quarters of a warp end in pointers to one row that come on different ways, through which no row becomes a
 * register: they are made one first. It makes other code slower, and takes as long again for regions of thousands of
 * instructions (SHA-256 unrolled: 69 s in place of 28). */
static const char vector_passes[] = PASSES("early-cse,instcombine<no-verify-fixpoint>,");
enum { VECTOR_REGION_MOST = 1000 };

/* Writes the error's text, and takes it away. True: there was one. */
static bool failed(LLVMErrorRef error, char *message, size_t size)
{
	if (!error)
		return false;
	char *text = LLVMGetErrorMessage(error);
	snprintf(message, size, "%s", text);
	LLVMDisposeErrorMessage(text);
	return true;
}

/* --- Opening ------------------------------------------------------------------------------------ */

static bool make_machine(struct native_compiler *c, char *message, size_t size)
{
	char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
	LLVMTargetRef target;
	char *error = NULL;

	if (LLVMGetTargetFromTriple(triple, &target, &error)) {
		snprintf(message, size, "%s", error);
		LLVMDisposeMessage(error);
	} else {
		c->machine = LLVMCreateTargetMachine(target, triple, cpu, features, LLVMCodeGenLevelLess, LLVMRelocPIC,
						     LLVMCodeModelSmall);
	}
	LLVMDisposeMessage(triple);
	LLVMDisposeMessage(cpu);
	LLVMDisposeMessage(features);
	return c->machine != NULL;
}

static void find_library(struct native_compiler *c)
{
	LLVMContextRef (*const any)(void) = LLVMContextCreate;
	const void *place;
	Dl_info about;

	memcpy(&place, &any, sizeof place);
	if (dladdr(place, &about) && about.dli_fname && *about.dli_fname == '/' && !stat(about.dli_fname, &c->was) &&
	    strlen(about.dli_fname) < sizeof c->library)
		strcpy(c->library, about.dli_fname);
}

static void rest(struct native_compiler *c)
{
	code_give_back();
	c->rested = true;
}

/* Between the passes upon LLVM's code and those upon the processor's: of a kernel with few regions no more than half of LLVM is
 * then in memory at once. To do so in each region would take a tenth of the time. */
static void rest_between(struct native_compiler *c)
{
	if (c->rested)
		code_give_back();
	c->rested = false;
}

static void close_compiler(struct native_compiler *c)
{
	if (c->machine)
		LLVMDisposeTargetMachine(c->machine);
	extracts_free(&c->extracts);
	free(c);
}

static struct native_compiler *open_compiler(u32 vector_bytes, char *message, size_t size)
{
	struct native_compiler *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->vector_bytes = vector_bytes;
	find_library(c);
	c->width = vector_bytes == 64 ? "avx512" : "avx2";
	snprintf(message, size, "LLVM does not know this processor");
	if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter() || LLVMInitializeNativeAsmParser() ||
	    !make_machine(c, message, size)) {
		close_compiler(c);
		return NULL;
	}
	rest(c);
	return c;
}

/* --- Compiling ---------------------------------------------------------------------------------- */

/* What stands behind an access by a window is no list of rows. */
static bool moves_vectors(const struct region_insn *x)
{
	return x->accesses && x->list_count && x->proven != PROVEN_WINDOW;
}

/* Whether it loads or stores vectors, and is not too long. */
static bool gains_by_vector_passes(const struct region *r)
{
	bool any = false;
	u32 count = 0;

	for (u32 b = 0; b < r->block_count; count += r->blocks[b].insn_count, b++)
		for (u32 k = 0; k < r->blocks[b].insn_count; k++)
			any |= moves_vectors(&r->blocks[b].insns[k]);
	return any && count <= VECTOR_REGION_MOST;
}

static const char *passes_for(const struct native_compiler *c, const struct region *r)
{
	return c->vector_bytes == 32 && gains_by_vector_passes(r) ? vector_passes : passes;
}

/* Regions of one module: each is a function of it. To set up the code generator, and to copy meanings into the module, takes as long as half
 * a small region, so some of these share one. */
enum { SHARED_COST = 100000, SHARED_MOST = 16 };

struct shared {
	const struct region *r;
	u32 count, first; /* the first one's number */
	const char *kernel;
	bool taken[SHARED_MOST]; /* it has a function */
};

static void function_name(const struct shared *s, u32 k, char name[160])
{
	snprintf(name, 160, "%.100s_%u_%u", s->kernel, s->r[k].first, s->first + k);
}

static LLVMValueRef function_of(const struct shared *s, u32 k, LLVMModuleRef module)
{
	char name[160];

	function_name(s, k, name);
	return s->taken[k] ? LLVMGetNamedFunction(module, name) : NULL;
}

/* How many of the first regions. They are compiled alike, and don't take so long together that whoever waits for the compiler, or goes on
 * from what has been kept, would mind. */
static u32 how_many(const struct native_compiler *c, const struct region *r, u32 count)
{
	u64 cost = r->cost;
	u32 n = 1;

	for (; n < count && n < SHARED_MOST; n++) {
		cost += r[n].cost;
		if (cost > SHARED_COST || r[n].fp != r->fp || r[n].lean != r->lean ||
		    passes_for(c, &r[n]) != passes_for(c, r))
			break;
	}
	return n;
}

enum { LINE = 64 }; /* bytes of the cache */

static void finish(const struct native_compiler *c, LLVMValueRef function, const struct region *r)
{
	LLVMModuleRef module = LLVMGetGlobalParent(function);

	LLVMSetAlignment(function, LINE);
	nans_put_off(function, r);
	region_keep_rows(function, LLVMGetNamedFunction(module, "native_range_slow"));
	chains_gather(function, c->vector_bytes);
	pin_results(function, c->vector_bytes);
}

static bool optimise(struct native_compiler *c, LLVMModuleRef module, const struct shared *s, char *message,
		     size_t size)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	const bool wrong = failed(LLVMRunPasses(module, passes_for(c, s->r), c->machine, options), message, size);

	LLVMDisposePassBuilderOptions(options);
	for (u32 k = 0; !wrong && k < s->count; k++)
		if (s->taken[k])
			finish(c, function_of(s, k, module), &s->r[k]);
	rest_between(c);
	return !wrong;
}

/* What functions stay, no other module may see. */
static void hide_all(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			LLVMSetLinkage(f, LLVMInternalLinkage);
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		if (!LLVMIsDeclaration(g) && LLVMGetLinkage(g) == LLVMLinkOnceODRLinkage)
			LLVMSetLinkage(g, LLVMInternalLinkage);
}

/* To enter a region costs about what five instructions cost the interpreter, to call a handler from it what twelve do. */
enum { REGION_LEAST = 6, INLINED_FOR_A_CALL = 12 };

/* An exchange among a warp's lanes is either in line or in no region: its handler would count it. */
static bool has_all(const struct region *r, const struct meanings *m)
{
	for (u32 b = 0; b < r->block_count; b++)
		for (u32 k = 0; k < r->blocks[b].insn_count; k++) {
			const struct region_insn *x = &r->blocks[b].insns[k];
			if (x->together && !x->hoisted && !meanings_inlined(m, x))
				return false;
		}
	return true;
}

static bool pays(const struct region *r, const struct meanings *m)
{
	u32 inlined = 0, called = 0;
	bool loops = false;

	for (u32 b = 0; b < r->block_count; b++) {
		loops |= r->blocks[b].backward;
		for (u32 k = 0; k < r->blocks[b].insn_count; k++) {
			const bool yes = meanings_inlined(m, &r->blocks[b].insns[k]);
			inlined += yes;
			called += !yes && !r->blocks[b].insns[k].hoisted;
		}
	}
	return called * INLINED_FOR_A_CALL <= inlined && (loops || inlined >= REGION_LEAST);
}

/* For those who work on it: PTXSIM_NATIVE_DUMP=regions says what becomes of regions, =code shows LLVM's code before and
 * after its passes, and =objects leaves each object file in the current folder. */
static bool dumps(const char *what)
{
	const char *dump = getenv("PTXSIM_NATIVE_DUMP");

	return dump && strstr(dump, what);
}

static void tell_region(const struct region *r, const struct meanings *m, const char *name, const char *refusal)
{
	fprintf(stderr, "%s: instructions %u to %u, %u blocks, %u instructions that count: %s\n", name, r->first,
		r->end, r->block_count, r->size, refusal);
	for (u32 b = 0; b < r->block_count; b++)
		for (u32 k = 0; k < r->blocks[b].insn_count; k++) {
			const struct region_insn *x = &r->blocks[b].insns[k];
			if (!x->hoisted && !meanings_inlined(m, x))
				fprintf(stderr, "  calls the handler of %u: %s\n", x->number,
					x->meaning ? x->meaning : "no bitcode");
		}
}

/* What LLVM could not take apart into registers. */
static void tell_memory(LLVMValueRef function)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	size_t length;
	u64 bytes = 0;

	for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
		if (LLVMIsAAllocaInst(i))
			bytes += LLVMABISizeOfType(layout, LLVMGetAllocatedType(i));
	if (bytes)
		fprintf(stderr, "  rows and places of %s that stay in memory: %llu bytes\n",
			LLVMGetValueName2(function, &length), (unsigned long long)bytes);
}

static double processor_ms(void)
{
	struct timespec now;

	return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) ? 0 : (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* What all have taken together. */
static void tell_time(const struct shared *s, double start)
{
	u64 cost = 0, parts[COST_PARTS] = {0};

	for (u32 k = 0; k < s->count; k++) {
		cost += s->taken[k] ? s->r[k].cost : 0;
		for (u32 part = 0; s->taken[k] && part < COST_PARTS; part++)
			parts[part] += s->r[k].cost_parts[part];
	}
	fprintf(stderr, "  %.1f ms of processor time, where %.1f were expected of parts", processor_ms() - start,
		(double)cost / 1e3);
	for (u32 part = 0; part < COST_PARTS; part++)
		fprintf(stderr, " %llu", (unsigned long long)parts[part]);
	fprintf(stderr, "\n");
}

static void list_handlers(const struct region *r, const struct meanings *m, struct native_made *made)
{
	for (u32 b = 0; b < r->block_count; b++)
		for (u32 k = 0; k < r->blocks[b].insn_count; k++) {
			const struct region_insn *x = &r->blocks[b].insns[k];
			if (x->hoisted || meanings_inlined(m, x))
				continue;
			if (made->handlers < made->handlers_room)
				made->handlers_of[made->handlers] = x->number;
			made->handlers++;
		}
}

/* Makes the functions; false: there is none. */
static bool emit_all(const struct native_compiler *c, LLVMModuleRef module, struct shared *s, const struct meanings *m,
		     bool choosy, struct native_made *made)
{
	bool any = false;
	char name[160];

	hide_all(module);
	for (u32 k = 0; k < s->count; k++) {
		const struct region *r = &s->r[k];
		list_handlers(r, m, made);
		s->taken[k] = has_all(r, m) && (!choosy || pays(r, m));
		any |= s->taken[k];
		function_name(s, k, name);
		if (s->taken[k])
			region_emit(module, r, m, name, c->vector_bytes);
		if (dumps("regions"))
			tell_region(r, m, name, s->taken[k] ? "native" : "it would not be faster");
	}
	return any;
}

static LLVMMemoryBufferRef generate(struct native_compiler *c, LLVMModuleRef module, const struct shared *s,
				    char *message, size_t size)
{
	LLVMMemoryBufferRef object = NULL;
	char *error = NULL;

	if (dumps("code"))
		LLVMDumpModule(module);
	if (optimise(c, module, s, message, size) &&
	    LLVMTargetMachineEmitToMemoryBuffer(c->machine, module, LLVMObjectFile, &error, &object)) {
		snprintf(message, size, "%s", error);
		LLVMDisposeMessage(error);
		object = NULL;
	}
	for (u32 k = 0; dumps("regions") && k < s->count; k++)
		if (s->taken[k])
			tell_memory(function_of(s, k, module));
	if (dumps("code"))
		LLVMDumpModule(module);
	return object;
}

static LLVMMemoryBufferRef make_object(struct native_compiler *c, struct shared *s, bool choosy,
				       struct native_made *made, char *message, size_t size)
{
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext(s->kernel, context);
	LLVMMemoryBufferRef object = NULL;
	const double start = processor_ms();
	struct meanings meanings;

	if (!meanings_link(module, c->width, s->r, s->count, &c->extracts, &meanings))
		snprintf(message, size, "the bitcode cannot be read");
	else if (!emit_all(c, module, s, &meanings, choosy, made))
		snprintf(message, size, "it would not be faster");
	else
		object = generate(c, module, s, message, size);
	if (object && dumps("regions"))
		tell_time(s, start);
	meanings_free(&meanings);
	LLVMDisposeModule(module);
	LLVMContextDispose(context);
	return object;
}

static void leave_object(LLVMMemoryBufferRef object, const char *name)
{
	char path[200];

	snprintf(path, sizeof path, "%s.o", name);
	FILE *file = fopen(path, "wb");
	if (!file)
		return;
	fwrite(LLVMGetBufferStart(object), 1, LLVMGetBufferSize(object), file);
	fclose(file);
}

static bool compile(struct native_compiler *c, const struct region *r, u32 count, u32 first, bool choosy,
		    const char *name, struct native_made *made, char *message, size_t size)
{
	struct shared s = {.r = r, .count = how_many(c, r, count), .first = first, .kernel = name};
	char file[160];

	made->regions = s.count;
	LLVMMemoryBufferRef object = make_object(c, &s, choosy, made, message, size);
	if (!object)
		return false;
	function_name(&s, 0, file);
	if (dumps("objects"))
		leave_object(object, file);
	made->bytes = LLVMGetBufferSize(object);
	made->object = malloc(made->bytes);
	if (made->object)
		memcpy(made->object, LLVMGetBufferStart(object), made->bytes);
	LLVMDisposeMemoryBuffer(object);
	return made->object;
}

static void prepare(struct native_compiler *c, const struct regions *all)
{
	if (how_many(c, all->items, all->count) < all->count)
		meanings_prepare(all, c->width, &c->extracts);
}

static bool name_library(const struct native_compiler *c, char *path, size_t size)
{
	struct stat about;

	return *c->library && !stat(c->library, &about) && about.st_ino == c->was.st_ino &&
	       about.st_ctim.tv_sec == c->was.st_ctim.tv_sec && about.st_ctim.tv_nsec == c->was.st_ctim.tv_nsec &&
	       (size_t)snprintf(path, size, "%s", c->library) < size;
}

const struct native_plugin *ptxsim_native_plugin(void)
{
	static const struct native_plugin plugin = {
		.version = NATIVE_VERSION,
		.description = "LLVM " LLVM_VERSION,
		.open = open_compiler,
		.prepare = prepare,
		.compile = compile,
		.rest = rest,
		.close = close_compiler,
		.library = name_library,
	};

	return &plugin;
}
