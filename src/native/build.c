/* SPDX-License-Identifier: Apache-2.0
 *
 * Has a kernel's regions compiled one by one, and makes the copy of its instructions that enters them.
 */
#include "native/build.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "native/enter.h"

struct builder {
	const struct code *code;
	struct regions regions;
	struct kernel_code *made;
	struct native_report *report;
	const bool *stop;
	bool choosy;
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The kernel's instructions again, of which those that begin a region get another handler for gangs: warps that run alone, and
 * all that lies outside of regions, go on in the interpreter as before. */
static struct kernel_code *code_new(const struct code *code, u32 entries)
{
	const size_t insns = ((size_t)code->insn_count + 1) * sizeof(struct insn);
	struct kernel_code *made = calloc(1, sizeof *made);
	struct insn *copy = malloc(insns);

	if (made) {
		made->entries = calloc(entries + 1, sizeof *made->entries);
		made->entry_of = calloc(code->insn_count + 1, sizeof *made->entry_of);
		made->common.insns = copy;
	}
	if (!made || !copy || !made->entries || !made->entry_of) {
		if (made)
			native_build_free(made);
		else
			free(copy);
		return NULL;
	}
	memcpy(copy, code->gang_insns, code->insn_count * sizeof *copy);
	return made;
}

void native_build_free(struct kernel_code *code)
{
	for (u32 k = 0; code->entries && k < code->entry_count; k++)
		free(code->entries[k].blocks);
	free(code->entries);
	free(code->entry_of);
	free((void *)(uintptr_t)code->common.insns);
	free(code);
}

static bool add_entry(struct kernel_code *made, const struct region *r, native_fn *run)
{
	struct native_entry *e = &made->entries[made->entry_count];

	*e = (struct native_entry){.run = run, .first = r->first, .end = r->end, .fp = r->fp};
	e->blocks = calloc(r->block_count + 1, sizeof *e->blocks);
	if (!e->blocks)
		return false;
	for (u32 b = 0; b < r->block_count; b++)
		e->blocks[b] = r->blocks[b].at;
	e->blocks[r->block_count] = r->end;
	made->entry_of[r->first] = made->entry_count++;
	((struct insn *)(uintptr_t)made->common.insns)[r->first].gang = native_enter;
	return true;
}

static void compile_all(struct builder *b, const struct native_plugin *plugin, struct native_compiler *compiler)
{
	char message[512];

	for (u32 k = 0; k < b->regions.count && !__atomic_load_n(b->stop, __ATOMIC_RELAXED); k++) {
		const struct region *r = &b->regions.items[k];
		size_t bytes = 0;
		native_fn *run =
			plugin->compile(compiler, r, b->choosy, b->code->name, &bytes, message, sizeof message);
		/* Nothing is lost but speed: what is refused stays interpreted. */
		if (!run || !add_entry(b->made, r, run)) {
			b->report->refused++;
			continue;
		}
		b->report->regions++;
		b->report->covered += r->size;
		b->report->code_bytes += bytes;
	}
}

struct kernel_code *native_build(const struct native_plugin *plugin, struct native_compiler *compiler,
				 const struct isa *isa, const struct code *code, bool choosy, const bool *stop,
				 struct native_report *report)
{
	struct builder b = {.code = code, .report = report, .stop = stop, .choosy = choosy};
	const double start = seconds_now();
	struct arena arena;
	jmp_buf out_of_memory;

	arena_init(&arena, &out_of_memory);
	if (setjmp(out_of_memory)) {
		arena_free(&arena);
		return NULL;
	}
	const struct code_flow *f = code_flow_build(&arena, isa, code);
	if (f)
		b.regions = regions_find(f);
	report->insns = b.regions.insns;
	b.made = b.regions.count ? code_new(code, b.regions.count) : NULL;
	if (b.made)
		compile_all(&b, plugin, compiler);
	arena_free(&arena);
	report->seconds = seconds_now() - start;
	if (b.made && !b.made->entry_count) {
		native_build_free(b.made);
		return NULL;
	}
	return b.made;
}
