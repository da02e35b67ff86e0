/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for races, and what would order the accesses.
 */
#include "observe/race_tell.h"

#include <stdio.h>

#include "exec/run.h"
#include "observe/race_validated.h"
#include "observe/texels.h"

enum { NAME_TEXT = 64 };

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

/* Does what it stores come from a register, and do the lanes that load store? One lane that stores a constant sets a
 * flag, and changes nothing that others have read. */
static bool may_store_change(const struct ir_instruction *load, const struct ir_instruction *store)
{
	return store->operand_count && store->operands[store->operand_count - 1].kind != OPERAND_INTEGER &&
	       load->guard == store->guard && load->guard_negated == store->guard_negated;
}

/* The instruction that a branch leads to, or NO_OPERAND. */
static u32 target_of(const struct ir_instruction *x)
{
	for (u32 n = 0; n < x->operand_count; n++)
		if (x->operands[n].symbol && x->operands[n].symbol->kind == SYM_LABEL)
			return x->operands[n].symbol->label->target;
	return NO_OPERAND;
}

/* May `to` run behind `from`, without going back? *steps: looked at before it is taken for true. */
static bool leads_to(const struct code *code, u32 from, u32 to, u32 *steps)
{
	const struct ir_instruction *body = code->function->body.items;

	for (u32 k = from; k < to; k++) {
		const u32 flags = code->forms[k].row ? code->forms[k].row->flags : 0, target = target_of(&body[k]);
		if (!*steps || !--*steps)
			return true;
		if (flags & ISA_BRANCH && target != NO_OPERAND && target > k && target <= to &&
		    leads_to(code, target, to, steps))
			return true;
		if (flags & (ISA_BRANCH | ISA_RET | ISA_EXIT) && !body[k].guard)
			return false;
	}
	return true;
}

/* Is the instruction a load that the store's address was read by, before it: x[i] = f(x[i])? */
static bool loads_the_same(const struct code *code, u32 load, u32 store)
{
	const struct ir_instruction *body = code->function->body.items;
	u32 steps = 10000;

	return load < store && leads_to(code, load, store, &steps) && may_store_change(&body[load], &body[store]) &&
	       code->forms[load].row && code->forms[load].row->flags & ISA_MEMORY && body[load].operand_count &&
	       body[load].operands[0].kind != OPERAND_ADDRESS && same_address(&body[load], &body[store]);
}

/* Both threads read, change and write the word: an order would lose one's change, too, unless it takes in all three
 * steps. */
static bool is_update(const struct check_sites *s, const struct race_finding *f)
{
	u32 at, before;
	const struct code *code = check_site_code(s, f->site, &at), *other = check_site_code(s, f->other, &before);

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
static bool loop_holds(const struct check_sites *s, const struct race_finding *f)
{
	u32 at, before;
	const struct code *code = check_site_code(s, f->site, &at), *other = check_site_code(s, f->other, &before);

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

/* Does it draw values by atomic operations, as locks do? */
static bool draws(const struct check_sites *s, const struct race_finding *f)
{
	u32 at;
	const struct code *code = check_site_code(s, f->site, &at);

	for (u32 k = 0; !code->function->listing && k < code->function->body.count; k++)
		if (code->forms[k].row && code->forms[k].row->flags & ISA_ATOMIC && code->forms[k].has_result)
			return true;
	return false;
}

static const char *update_remedy(const struct check_sites *s, const struct race_finding *f)
{
	if (f->scope != APART_IN_GRID)
		return "each changes it by load and store: an atomic operation (red, atom; atomicAdd and its like) "
		       "does both in one";
	if (draws(s, f))
		return "nothing orders the two blocks, which change it by load and store: a lock must acquire when it "
		       "is taken and release when it is given back (__threadfence() behind the one and before the "
		       "other)";
	return "nothing orders the two blocks, which change it by load and store: an atomic operation (red, atom; "
	       "atomicAdd and its like) does both in one";
}

static bool is_texel(const struct check_sites *s, u32 site)
{
	u32 insn;
	const struct code *code = check_site_code(s, site, &insn);

	return code->origin[insn] != NO_OPERAND && texels_use(&code->forms[code->origin[insn]]) != TEXEL_NONE;
}

/* What the operation, which has begun before, reads or writes. */
static const char *async_remedy(const struct race_finding *f)
{
	if (f->other_writes)
		return "nothing orders this after the operation's end: it must be waited for, at the mbarrier that "
		       "counts it or by cp.async.bulk.wait_group (without .read), and who has not waited must be "
		       "told by one who has";
	return "nothing orders this after the operation has read it: it must be waited for, at the mbarrier that "
	       "counts it, by cp.async.bulk.wait_group.read or by wgmma.wait_group, and who has not waited must be "
	       "told by one who has";
}

static const char *remedy(const struct check_sites *s, const struct race_finding *f)
{
	if (f->unfenced)
		return "this reads through the async proxy what was written through the generic one, and no "
		       "fence.proxy.async (or .global) comes behind the write and before this";
	if (f->other_async)
		return async_remedy(f);
	if (f->strong && f->other_strong && f->scope == APART_IN_WARP)
		return "volatile orders nothing between lanes of a warp, which need not step together: no "
		       "bar.warp.sync "
		       "(__syncwarp) comes between";
	if (f->strong && f->other_strong)
		return "both are atomic or ordered, but a scope of theirs does not reach the other thread: .gpu does "
		       "(atomicAdd instead of atomicAdd_block, thread_scope_device)";
	if (f->read_only && is_texel(s, f->site))
		return "a texture may only be looked up where nothing writes in the launch: no barrier or fence lets "
		       "it see the write";
	if (f->read_only)
		return "ld.global.nc (__ldg, or a load from a const __restrict__ pointer) may only read what nothing "
		       "writes in the launch: no barrier or fence lets it see the write";
	if (is_update(s, f))
		return update_remedy(s, f);
	if (f->writes && f->other_writes && f->site == f->other)
		return f->scope == APART_IN_GRID
			       ? "nothing orders the two blocks: let one thread store, or use an atomic operation"
			       : "no order makes one of the values right: let one thread store, or use an atomic "
				 "operation";
	switch (f->scope) {
	case APART_IN_WARP:
		return "no bar.warp.sync (__syncwarp) comes between";
	case APART_IN_BLOCK:
		return loop_holds(s, f) ? "no barrier (bar.sync, __syncthreads) comes between the rounds of the loop"
					: "no barrier (bar.sync, __syncthreads) comes between";
	case APART_IN_CLUSTER:
		return "no barrier of the cluster (barrier.cluster, cluster.sync()) comes between";
	case APART_IN_GRID:
		break;
	}
	return "nothing orders the two blocks: two launches would, grid.sync() of a cooperative launch, or a flag that "
	       "is released and acquired (a fence of scope .gpu, __threadfence(), before it is written and after it is "
	       "read)";
}

/* --- Collecting ----------------------------------------------------------------------------- */

static enum race_distance scope_of(const struct warp *w, const struct race_mark *m)
{
	const struct cluster *c = w->block->cluster;
	const u32 block = race_mark_block(m);

	if (block == (u32)w->block->index)
		return m->warp == w->index ? APART_IN_WARP : APART_IN_BLOCK;
	for (u32 k = 0; k < c->count; k++)
		if ((u32)c->blocks[k]->index == block)
			return APART_IN_CLUSTER;
	return APART_IN_GRID;
}

/* The pair's record, new or not; NULL: there is no room. */
static struct race_finding *find(struct race_findings *f, const struct race_finding *like, bool *is_new)
{
	*is_new = false;
	for (size_t k = 0; k < f->items.count; k++) {
		struct race_finding *x = &f->items.items[k];
		if (x->fault.kind == like->fault.kind && x->site == like->site && x->other == like->other &&
		    x->writes == like->writes && x->other_writes == like->other_writes &&
		    x->unfenced == like->unfenced) {
			x->fault.times++;
			return x;
		}
	}
	if (f->items.count >= f->most) {
		f->more++;
		return NULL;
	}
	VEC_PUSH(f->arena, &f->items, *like);
	*is_new = true;
	return &f->items.items[f->items.count - 1];
}

static void fill(struct race_finding *f, const struct check_sites *sites, const struct warp *w, enum fault_kind kind,
		 const struct race_place *p)
{
	u32 insn;
	const struct code *code = check_site_code(sites, f->site, &insn);

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
				  .null_param = -1,
				  .times = 1};
	name_address(p, f->address);
}

/* What is asked of a site's instruction once. */
enum site_fact { FACT_USED_FIRST, FACT_VALIDATED };

static bool site_is(struct race_findings *f, u32 site, enum site_fact fact)
{
	enum { NO = 1, YES = 2, BITS = 2 };
	const struct program *p = f->sites->program;
	const u32 shift = (u32)fact * BITS;
	u32 insn;

	if (!f->facts) {
		const u32 last = p->code_count - 1;
		f->facts = ARENA_ARRAY(f->arena, f->sites->bases[last] + p->codes[last]->insn_count + 1, u8);
	}
	if (!(f->facts[site] >> shift & (NO | YES))) {
		const struct code *code = check_site_code(f->sites, site, &insn);
		const u32 load = code->origin[insn];
		const bool is = fact == FACT_VALIDATED ? race_is_validated(code, load) : race_is_used_first(code, load);
		f->facts[site] |= (u8)((is ? YES : NO) << shift);
	}
	return f->facts[site] >> shift & YES;
}

bool race_uses_first(struct race_findings *f, u32 site) { return site_is(f, site, FACT_USED_FIRST); }

/* A plain read, whose value only a compare and swap lets count, beside strong writes. */
static bool is_validated(struct race_findings *f, const struct race_finding *x)
{
	const bool here = !x->writes && !x->strong && x->other_strong;

	if (f->plain_reads || !(here || (!x->other_writes && !x->other_strong && x->strong)))
		return false;
	return site_is(f, here ? x->site : x->other, FACT_VALIDATED);
}

/* Two volatile accesses of lanes of one warp: a flag, whose value decides a branch, or data? */
static bool is_flag(const struct race_findings *f, const struct race_finding *x)
{
	u32 insn;

	if (!x->strong || !x->other_strong || x->scope != APART_IN_WARP || x->writes == x->other_writes)
		return false;
	const struct code *code = check_site_code(f->sites, x->writes ? x->other : x->site, &insn);
	return !race_steps_together(code, code->origin[insn]);
}

void race_tell(struct race_findings *f, struct warp *w, const struct race_access *access, const struct race_place *p,
	       const struct race_mark *before, bool before_writes)
{
	struct race_finding like = {.site = access->site,
				    .other = before->site,
				    .writes = access->writes,
				    .strong = access->strong,
				    .read_only = access->read_only,
				    .frees = access->frees,
				    .async = access->async,
				    .unfenced = access->unfenced,
				    .other_async = race_mark_is_async(before),
				    .other_writes = before_writes,
				    .other_strong = before->scope != RACE_WEAK,
				    .scope = scope_of(w, before)};
	bool is_new;

	like.fault.kind = FAULT_RACE;
	struct race_finding *x = find(f, &like, &is_new);
	/* Of the occurrences that lie farthest apart, the first is told: what helps there helps all. */
	if (!x || (!is_new && x->scope >= like.scope))
		return;
	const u64 times = is_new ? 1 : x->fault.times;
	x->scope = like.scope;
	/* FAULT_NONE: known, and not to be told. */
	fill(x, f->sites, w, is_validated(f, x) || is_flag(f, x) ? FAULT_NONE : FAULT_RACE, p);
	x->fault.times = times;
	check_tell_other(&x->fault, f->sites, before_writes ? FAULT_ROLE_WRITES : FAULT_ROLE_READS, before->site,
			 race_mark_block(before),
			 before->warp * WARP_LANES + (before->lane == RACE_ANY_LANE ? 0 : before->lane));
}

/* The same two instructions may have met in the other order, farther apart. */
static void widen(const struct race_findings *f, struct race_finding *x)
{
	for (size_t k = 0; k < f->items.count; k++) {
		const struct race_finding *y = &f->items.items[k];
		if (y->fault.kind == FAULT_RACE && y->site == x->other && y->other == x->site && y->scope > x->scope)
			x->scope = y->scope;
	}
}

struct fault *race_finding_fault(const struct race_findings *f, u32 k, const struct launch *l)
{
	char thread[NAME_TEXT], place[CHECK_PLACE_TEXT];

	if (k >= f->items.count)
		return NULL;
	struct race_finding *x = &f->items.items[k];
	if (x->fault.kind == FAULT_NONE)
		return &x->fault;
	widen(f, x);
	name_thread(l, x, thread);
	check_site_place(f->sites, x->other, place);
	snprintf(x->fault.detail, sizeof x->fault.detail, "%s %s, which %s%s %s at %s",
		 x->frees    ? "frees"
		 : x->writes ? "writes"
			     : "reads",
		 x->address, x->other_async ? "an asynchronous operation of " : "", thread,
		 x->other_writes ? "writes" : "reads", place);
	x->fault.advice = remedy(f->sites, x);
	return &x->fault;
}
