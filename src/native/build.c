/* SPDX-License-Identifier: Apache-2.0
 *
 * Has a kernel's regions compiled, a few small ones at once, and makes the copy of its instructions that enters them.
 */
#include "native/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "native/affine.h"
#include "native/cache.h"
#include "native/costs.h"
#include "native/enter.h"
#include "native/scaled.h"

enum { PATH_BYTES = 4096 };

struct native_builder {
	struct arena arena; /* of the regions */
	struct regions regions;
	struct kernel_code *made;
	bool choosy;
	char name[128]; /* the kernel's */
	double seconds; /* taken so far */
	bool has_key;
	struct native_key key; /* in the cache folder */
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
	image_free(&code->image);
	free(code);
}

static bool add_entry(struct kernel_code *made, const struct region *r, native_fn *run)
{
	struct native_entry *e = &made->entries[made->entry_count];

	*e = (struct native_entry){.run = run,
				   .first = r->first,
				   .end = r->end,
				   .fp = r->fp,
				   .agrees = r->agrees,
				   .is_last = r->is_last,
				   .through_warps = r->through_warps};
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

/* What the linker does not know is refused by itself, so that the others are not lost with it. */
static bool links(const struct native_object *object, u32 regions)
{
	native_fn **runs = calloc(regions + 1, sizeof *runs);
	struct native_image image;
	const bool good = runs && image_link(&image, object, 1, runs, regions);

	if (good)
		image_free(&image);
	free(runs);
	return good;
}

/* Those that the compiler is to see at once, from the k-th on. */
static u32 untried(const struct native_object *objects, u32 k, u32 count)
{
	u32 n = 0;

	while (k + n < count && objects[k + n].untried)
		n++;
	return n;
}

/* Compiles the k-th and others behind it, `most` at most; objects[k] is that of all. Returns how many. */
static u32 compile_some(const struct native_builder *b, const struct native_plugin *plugin,
			struct native_compiler *compiler, u32 k, u32 most, struct native_object *objects)
{
	struct native_made made = {.regions = 1};
	char message[512];
	const bool good = plugin->compile(compiler, &b->regions.items[k], most, k, b->choosy, b->name, &made, message,
					  sizeof message);

	for (u32 n = 0; n < made.regions; n++)
		objects[k + n] = (struct native_object){0};
	if (!good)
		return made.regions;
	objects[k] = (struct native_object){.start = made.object, .bytes = made.bytes};
	if (links(&objects[k], b->regions.count))
		return made.regions;
	free(made.object);
	objects[k] = (struct native_object){0};
	for (u32 n = 0; made.regions > 1 && n < made.regions; n++)
		compile_some(b, plugin, compiler, k + n, 1, objects);
	return made.regions;
}

/* Compiles what is untried: objects[k] is for the k-th region, and some that come behind it; of 0 bytes where none could be made, or
 * it is in one before. Processes may end long before all is done, so it is kept as it grows, for the next one to go on. */
static void compile_all(struct native_builder *b, const struct native_plugin *plugin, struct native_compiler *compiler,
			const bool *stop, struct native_object *objects)
{
	static const double between = 0.1; /* seconds */
	double kept = seconds_now();
	char library[PATH_BYTES];
	const u32 count = b->regions.count;
	const bool keeps = b->has_key && plugin->library(compiler, library, sizeof library);

	plugin->prepare(compiler, &b->regions);
	for (u32 k = 0; k < count && !__atomic_load_n(stop, __ATOMIC_RELAXED);) {
		const u32 most = untried(objects, k, count);
		k += most ? compile_some(b, plugin, compiler, k, most, objects) : 1;
		if (most && keeps && seconds_now() - kept > between && k < count) {
			cache_keep(&b->key, library, objects, count);
			kept = seconds_now();
		}
	}
	plugin->rest(compiler);
	if (keeps)
		cache_keep(&b->key, library, objects, count);
}

/* What an earlier process has compiled of it, as memory of its own. */
static void take_cached(const struct native_builder *b, struct native_object *objects)
{
	struct cached_objects cached = {0};
	const u32 count = b->regions.count;

	for (u32 k = 0; k < count; k++)
		objects[k].untried = !b->regions.items[k].left;
	if (!b->has_key || !cache_find(&b->key, count, &cached))
		return;
	for (u32 k = 0; k < count; k++) {
		const struct native_object *from = &cached.objects[k];
		u8 *copy = from->bytes ? malloc(from->bytes) : NULL;
		if (from->untried || (from->bytes && !copy))
			continue;
		if (copy)
			memcpy(copy, from->start, from->bytes);
		objects[k] = (struct native_object){.start = copy, .bytes = from->bytes};
	}
	cache_release(&cached);
}

/* Makes entries of the objects. Nothing is lost but speed: what is refused stays interpreted. */
static void take_objects(struct native_builder *b, const struct native_object *objects, struct native_report *report)
{
	const u32 count = b->regions.count;
	native_fn **runs = calloc(count + 1, sizeof *runs);
	const bool good = runs && image_link(&b->made->image, objects, count, runs, count);

	report->insns = b->regions.insns;
	for (u32 k = 0; k < count; k++) {
		const struct region *r = &b->regions.items[k];
		report->code_bytes += good ? object_code_bytes(&objects[k]) : 0;
		if (!good || !runs[k] || !add_entry(b->made, r, runs[k])) {
			report->refused++;
			continue;
		}
		report->regions++;
		report->covered += r->size;
	}
	free(runs);
}

void native_build_abandon(struct native_builder *b)
{
	if (!b)
		return;
	if (b->made)
		native_build_free(b->made);
	arena_free(&b->arena);
	key_free(&b->key);
	free(b);
}

/* What has been made, if it is of any use; frees the rest. */
static struct kernel_code *builder_end(struct native_builder *b)
{
	struct kernel_code *made = b->made;

	if (made->entry_count)
		b->made = NULL;
	else
		made = NULL;
	native_build_abandon(b);
	return made;
}

static bool find_regions(struct native_builder *b, const struct isa *isa, const struct code *code, const u8 *told,
			 const struct native_sample *sample)
{
	jmp_buf out_of_memory;

	arena_init(&b->arena, &out_of_memory);
	if (setjmp(out_of_memory))
		return false;
	const bool one_warp = sample && !sample->several_warps && is_one_warp(sample->block);
	struct code_flow *f = code_flow_build(&b->arena, isa, code, told, one_warp);
	if (f && sample)
		f->shapes = shapes_find(f, sample);
	if (f && !code->steps)
		affine_find(f, sample ? affine_row_threads(sample->block) : 0);
	if (f && !told)
		scaled_find(f);
	if (f)
		b->regions = regions_choose(f);
	/* The plug-in asks for no memory of it. */
	b->arena.out_of_memory = NULL;
	return b->regions.count;
}

struct native_builder *native_build_begin(const struct isa *isa, const struct code *code,
					  const struct native_watch *watch, const struct native_sample *sample,
					  bool choosy)
{
	struct native_builder *b = calloc(1, sizeof *b);
	const double start = seconds_now();

	if (!b)
		return NULL;
	b->choosy = choosy;
	snprintf(b->name, sizeof b->name, "%s", code->name);
	if (find_regions(b, isa, code, watch ? watch->told : NULL, sample))
		b->made = code_new(code, watch ? watch->gang_insns : code->gang_insns, b->regions.count);
	if (!b->made) {
		native_build_abandon(b);
		return NULL;
	}
	b->made->row_threads = b->regions.row_threads;
	b->made->one_warp = b->regions.one_warp;
	b->made->lean = b->regions.items[0].lean;
	b->has_key = key_make(&b->key, &b->regions, choosy);
	b->seconds = seconds_now() - start;
	return b;
}

static bool is_complete(const struct native_object *objects, u32 count)
{
	for (u32 k = 0; k < count; k++)
		if (objects[k].untried)
			return false;
	return true;
}

bool native_build_cached(struct native_builder *b, struct kernel_code **code, struct native_report *report)
{
	const double start = seconds_now();
	struct cached_objects cached;

	if (!b->has_key || !cache_find(&b->key, b->regions.count, &cached))
		return false;
	if (!is_complete(cached.objects, b->regions.count)) {
		cache_release(&cached);
		return false;
	}
	take_objects(b, cached.objects, report);
	cache_release(&cached);
	report->cached = true;
	report->seconds = b->seconds + seconds_now() - start;
	*code = builder_end(b);
	return true;
}

struct kernel_code *native_build_finish(struct native_builder *b, const struct native_plugin *plugin,
					struct native_compiler *compiler, const bool *stop,
					struct native_report *report)
{
	const u32 count = b->regions.count;
	const double start = seconds_now();
	struct native_object *objects = calloc(count + 1, sizeof *objects);

	if (objects) {
		take_cached(b, objects);
		compile_all(b, plugin, compiler, stop, objects);
		take_objects(b, objects, report);
	}
	for (u32 k = 0; objects && k < count; k++)
		free((void *)(uintptr_t)objects[k].start);
	free(objects);
	report->seconds = b->seconds + seconds_now() - start;
	return builder_end(b);
}
