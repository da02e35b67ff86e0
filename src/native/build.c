/* SPDX-License-Identifier: Apache-2.0
 *
 * Has a kernel's regions compiled one by one, and makes the copy of its instructions that enters them.
 */
#include "native/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "native/enter.h"

struct native_builder {
	struct arena arena; /* of the regions */
	struct regions regions;
	struct kernel_code *made;
	bool choosy;
	char name[128]; /* the kernel's */
	double seconds; /* taken so far */
};

/* The kernel's instructions again, of which those that begin a region get another handler for gangs: warps that run alone, and
 * all that lies outside of regions, go on in the interpreter as before. */
static struct kernel_code *code_new(const struct code *code, const struct insn *gang_insns, u32 entries)
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
	memcpy(copy, gang_insns, code->insn_count * sizeof *copy);
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

static void compile_all(struct native_builder *b, const struct native_plugin *plugin, struct native_compiler *compiler,
			const bool *stop, struct native_report *report)
{
	char message[512];

	for (u32 k = 0; k < b->regions.count && !__atomic_load_n(stop, __ATOMIC_RELAXED); k++) {
		const struct region *r = &b->regions.items[k];
		size_t bytes = 0;
		native_fn *run = plugin->compile(compiler, r, b->choosy, b->name, &bytes, message, sizeof message);
		/* Nothing is lost but speed: what is refused stays interpreted. */
		if (!run || !add_entry(b->made, r, run)) {
			report->refused++;
			continue;
		}
		report->regions++;
		report->covered += r->size;
		report->code_bytes += bytes;
	}
}

static void builder_free(struct native_builder *b)
{
	arena_free(&b->arena);
	free(b);
}

static bool find_regions(struct native_builder *b, const struct isa *isa, const struct code *code, const u8 *told)
{
	jmp_buf out_of_memory;

	arena_init(&b->arena, &out_of_memory);
	if (setjmp(out_of_memory))
		return false;
	const struct code_flow *f = code_flow_build(&b->arena, isa, code, told);
	if (f)
		b->regions = regions_find(f);
	/* The plug-in asks for no memory of it. */
	b->arena.out_of_memory = NULL;
	return b->regions.count;
}

struct native_builder *native_build_begin(const struct isa *isa, const struct code *code,
					  const struct native_watch *watch, bool choosy)
{
	struct native_builder *b = calloc(1, sizeof *b);
	const double start = seconds_now();

	if (!b)
		return NULL;
	b->choosy = choosy;
	snprintf(b->name, sizeof b->name, "%s", code->name);
	if (find_regions(b, isa, code, watch ? watch->told : NULL))
		b->made = code_new(code, watch ? watch->gang_insns : code->gang_insns, b->regions.count);
	b->seconds = seconds_now() - start;
	if (b->made)
		return b;
	builder_free(b);
	return NULL;
}

struct kernel_code *native_build_finish(struct native_builder *b, const struct native_plugin *plugin,
					struct native_compiler *compiler, const bool *stop,
					struct native_report *report)
{
	struct kernel_code *made = b->made;
	const double start = seconds_now();

	report->insns = b->regions.insns;
	compile_all(b, plugin, compiler, stop, report);
	report->seconds = b->seconds + seconds_now() - start;
	builder_free(b);
	if (made->entry_count)
		return made;
	native_build_free(made);
	return NULL;
}
