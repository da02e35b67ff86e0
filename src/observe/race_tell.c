/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for races, and what would order the accesses.
 */
#include "observe/race_tell.h"

#include <stdio.h>

#include "exec/run.h"
#include "observe/places.h"

enum { PLACE_TEXT = 160, NAME_TEXT = 64 };

/* How far apart two threads are. */
enum scope { SCOPE_WARP, SCOPE_BLOCK, SCOPE_CLUSTER, SCOPE_GRID };

struct race_finding {
	struct fault fault; /* of the first time */
	u32 site, other;
	bool writes, other_writes;
	enum scope scope; /* the widest so far */
	char address[NAME_TEXT];
};

static void name_address(const struct race_place *p, char text[NAME_TEXT])
{
	if (p->space == SPACE_SHARED)
		snprintf(text, NAME_TEXT, "shared address 0x%llx", (unsigned long long)p->offset);
	else
		snprintf(text, NAME_TEXT, "byte %llu of %.30s", (unsigned long long)(p->offset - p->memory->base),
			 p->memory->name ? p->memory->name : "global memory");
}

static void name_thread(const struct launch *l, const struct race_finding *f, char text[NAME_TEXT])
{
	const u32 t = f->fault.other.thread, *block = l->block, *grid = l->grid;
	const u64 b = f->fault.other.block;
	const int length = snprintf(text, NAME_TEXT, "thread (%u,%u,%u)", t % block[0], t / block[0] % block[1],
				    t / block[0] / block[1]);

	if (b != f->fault.block)
		snprintf(text + length, NAME_TEXT - (size_t)length, " of block (%llu,%llu,%llu)",
			 (unsigned long long)(b % grid[0]), (unsigned long long)(b / grid[0] % grid[1]),
			 (unsigned long long)(b / grid[0] / grid[1]));
}

static const struct code *code_of(const struct race_sites *s, u32 site, u32 *insn)
{
	u32 c = s->program->code_count - 1;

	while (c && s->bases[c] > site)
		c--;
	*insn = site - s->bases[c];
	return s->program->codes[c];
}

static void name_place(const struct race_sites *s, u32 site, char text[PLACE_TEXT])
{
	u32 insn;
	const struct code *code = code_of(s, site, &insn);
	const struct place_of p = place_find(code, code->origin[insn]);
	const int length = snprintf(text, PLACE_TEXT, "%.50s:%u", p.file, p.line);

	if (p.loc_file)
		snprintf(text + length, PLACE_TEXT - (size_t)length, " (%.80s:%u)", p.loc_file, p.loc_line);
}

/* --- What would order them ------------------------------------------------------------------ */

static const struct ir_operand *address_of(const struct ir_instruction *x)
{
	for (u32 k = 0; k < x->operand_count; k++)
		if (x->operands[k].kind == OPERAND_ADDRESS)
			return &x->operands[k];
	return NULL;
}

static bool same_address(const struct ir_instruction *a, const struct ir_instruction *b)
{
	const struct ir_operand *x = address_of(a), *y = address_of(b);

	return x && y && x->item_count == 1 && y->item_count == 1 && x->addend == y->addend && x->items[0].symbol &&
	       y->items[0].symbol && x->items[0].symbol->reg == y->items[0].symbol->reg;
}

/* Is the instruction a load that the store's address was read by, before it: x[i] = f(x[i])? */
static bool loads_the_same(const struct code *code, u32 load, u32 store)
{
	const struct ir_instruction *body = code->function->body.items;

	return load < store && code->forms[load].row && code->forms[load].row->flags & ISA_MEMORY &&
	       body[load].operand_count && body[load].operands[0].kind != OPERAND_ADDRESS &&
	       same_address(&body[load], &body[store]);
}

/* Both threads read, change and write the word: an order would lose one's change, too, unless it takes in all three
 * steps. */
static bool is_update(const struct race_sites *s, const struct race_finding *f)
{
	u32 at, before;
	const struct code *code = code_of(s, f->site, &at), *other = code_of(s, f->other, &before);

	if (code != other || code->function->listing)
		return false;
	const u32 here = code->origin[at], there = code->origin[before];
	if (!f->writes)
		return loads_the_same(code, here, there);
	if (!f->other_writes)
		return loads_the_same(code, there, here);
	for (u32 k = 0; here == there && k < here; k++)
		if (loads_the_same(code, k, here))
			return true;
	return false;
}

/* Does a loop hold both, the access behind the one that came before it? */
static bool loop_holds(const struct race_sites *s, const struct race_finding *f)
{
	u32 at, before;
	const struct code *code = code_of(s, f->site, &at), *other = code_of(s, f->other, &before);

	if (code != other || before <= at || code->function->listing)
		return false;
	for (u32 k = code->origin[before]; k < code->function->body.count; k++) {
		const struct ir_instruction *x = &code->function->body.items[k];
		for (u32 n = 0; n < x->operand_count; n++)
			if (x->operands[n].symbol && x->operands[n].symbol->kind == SYM_LABEL &&
			    x->operands[n].symbol->label->target <= code->origin[at])
				return true;
	}
	return false;
}

static const char *remedy(const struct race_sites *s, const struct race_finding *f)
{
	if (is_update(s, f))
		return f->scope == SCOPE_GRID
			       ? "nothing orders the two blocks, which change it by load and store: an atomic "
				 "operation "
				 "(red, atom; atomicAdd and its like) does both in one"
			       : "each changes it by load and store: an atomic operation (red, atom; atomicAdd and its "
				 "like) does both in one";
	if (f->writes && f->other_writes && f->site == f->other)
		return f->scope == SCOPE_GRID
			       ? "nothing orders the two blocks: let one thread store, or use an atomic operation"
			       : "no order makes one of the values right: let one thread store, or use an atomic "
				 "operation";
	switch (f->scope) {
	case SCOPE_WARP:
		return "no bar.warp.sync (__syncwarp) comes between";
	case SCOPE_BLOCK:
		return loop_holds(s, f) ? "no barrier (bar.sync, __syncthreads) comes between the rounds of the loop"
					: "no barrier (bar.sync, __syncthreads) comes between";
	case SCOPE_CLUSTER:
		return "no barrier of the cluster (barrier.cluster, cluster.sync()) comes between";
	case SCOPE_GRID:
		break;
	}
	return "nothing orders the two blocks: two launches would, grid.sync() of a cooperative launch, or a flag that "
	       "is released and acquired";
}

/* --- Collecting ----------------------------------------------------------------------------- */

static enum scope scope_of(const struct warp *w, const struct race_mark *m)
{
	const struct cluster *c = w->block->cluster;

	if (m->block == (u32)w->block->index)
		return m->warp == w->index ? SCOPE_WARP : SCOPE_BLOCK;
	for (u32 k = 0; k < c->count; k++)
		if ((u32)c->blocks[k]->index == m->block)
			return SCOPE_CLUSTER;
	return SCOPE_GRID;
}

/* The pair's record, new or not; NULL: there is no room. */
static struct race_finding *find(struct race_findings *f, struct arena *arena, const struct race_finding *like)
{
	for (u32 k = 0; k < f->count; k++) {
		struct race_finding *x = &f->items[k];
		if (x->fault.kind == like->fault.kind && x->site == like->site && x->other == like->other &&
		    x->writes == like->writes && x->other_writes == like->other_writes)
			return x;
	}
	if (f->count == RACE_FINDINGS) {
		f->more++;
		return NULL;
	}
	if (!f->items)
		f->items = ARENA_ARRAY(arena, RACE_FINDINGS, struct race_finding);
	f->items[f->count] = *like;
	return &f->items[f->count++];
}

static void fill(struct race_finding *f, const struct race_sites *sites, const struct warp *w, enum fault_kind kind,
		 const struct race_place *p)
{
	u32 insn;
	const struct code *code = code_of(sites, f->site, &insn);

	f->fault = (struct fault){.kind = kind,
				  .code = code,
				  .insn = code->insns + insn,
				  .block = w->block->index,
				  .warp = w->index,
				  .lane = p->lane,
				  .lanes = 1u << p->lane,
				  .address = p->address,
				  .size = p->size,
				  .space = p->space,
				  .is_store = f->writes,
				  .null_param = -1};
	name_address(p, f->address);
}

void race_tell(struct race_findings *f, struct arena *arena, const struct race_sites *sites, struct warp *w, u32 site,
	       const struct race_place *p, bool writes, const struct race_mark *before, bool before_writes)
{
	const enum scope scope = scope_of(w, before);
	struct race_finding like = {
		.site = site, .other = before->site, .writes = writes, .other_writes = before_writes, .scope = scope};

	like.fault.kind = FAULT_RACE;
	const u32 count = f->count;
	struct race_finding *x = find(f, arena, &like);
	if (x && x->scope < scope)
		x->scope = scope;
	if (f->count == count)
		return;
	fill(x, sites, w, FAULT_RACE, p);
	x->fault.role = before_writes ? FAULT_ROLE_WRITES : FAULT_ROLE_READS;
	x->fault.other.code = code_of(sites, before->site, &x->fault.other.insn);
	x->fault.other.block = before->block;
	x->fault.other.thread = before->warp * WARP_LANES + before->lane;
}

void race_tell_unwritten(struct race_findings *f, struct arena *arena, const struct race_sites *sites, struct warp *w,
			 u32 site, const struct race_place *p)
{
	struct race_finding like = {.site = site};
	const u32 count = f->count;

	like.fault.kind = FAULT_UNWRITTEN;
	struct race_finding *x = find(f, arena, &like);
	if (f->count > count)
		fill(x, sites, w, FAULT_UNWRITTEN, p);
}

/* The same two instructions may have met in the other order, farther apart. */
static void widen(const struct race_findings *f, struct race_finding *x)
{
	for (u32 k = 0; k < f->count; k++) {
		const struct race_finding *y = &f->items[k];
		if (y->fault.kind == FAULT_RACE && y->site == x->other && y->other == x->site && y->scope > x->scope)
			x->scope = y->scope;
	}
}

const struct fault *race_finding_fault(const struct race_findings *f, u32 k, const struct race_sites *sites,
				       const struct launch *l)
{
	char thread[NAME_TEXT], place[PLACE_TEXT];

	if (k >= f->count)
		return NULL;
	struct race_finding *x = &f->items[k];
	if (x->fault.kind == FAULT_UNWRITTEN) {
		snprintf(x->fault.detail, sizeof x->fault.detail,
			 "%u bytes at %s, before any thread of the block has written all of them", x->fault.size,
			 x->address);
		return &x->fault;
	}
	widen(f, x);
	name_thread(l, x, thread);
	name_place(sites, x->other, place);
	snprintf(x->fault.detail, sizeof x->fault.detail, "%s %s, which %s %s at %s; %s",
		 x->writes ? "writes" : "reads", x->address, thread, x->other_writes ? "writes" : "reads", place,
		 remedy(sites, x));
	return &x->fault;
}
