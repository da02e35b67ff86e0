/* SPDX-License-Identifier: Apache-2.0
 *
 * The race check: what each instruction is to it, found before the run, and what it does when one runs. Clocks
 * are in race_clocks.c, marks in race_words.c, and race_tell.c words the fault.
 */
#include "observe/races.h"

#include <string.h>

#include "decode/form_address.h"
#include "exec/gang.h"
#include "isa/form.h"
#include "observe/race_proof.h"
#include "observe/race_roles.h"
#include "observe/race_tell.h"
#include "observe/sites.h"

enum { BUCKETS = 256 };

struct races {
	struct observer observer;
	struct check_options options;
	const struct check_sites *where;
	const struct program *program;
	const struct site_list *sites;
	struct race_role **roles; /* by code and decoded instruction */
	struct arena *lasting;
	struct race_proof **proofs; /* of kernels that have run, by code; see has_proof */
	bool *has_proof;
	const struct code *proved; /* the launch's kernel; NULL: every access is looked at */
	const bool *quiet;         /* of it: by instruction of the text, those that cannot race */
	bool none;                 /* nothing at all can race */
	struct race_clocks clocks;
	struct arena *arena; /* of a launch */
	u32 lives;
	struct race_block *buckets[BUCKETS];
	struct race_pages global;
	struct race_events events;
	struct race_findings findings;
};

/* --- Before the run ------------------------------------------------------------------------- */

static void find_roles(struct races *r, struct arena *arena)
{
	for (u32 c = 0; c < r->program->code_count; c++) {
		const struct code *code = r->program->codes[c];
		r->roles[c] = ARENA_ARRAY(arena, code->insn_count + 1, struct race_role);
		if (code->function->listing)
			continue;
		for (u32 k = 0; k < code->insn_count; k++) {
			const u32 origin = code->origin[k];
			/* Of what lowering made of one instruction of the text, the site, or else the last. */
			if (origin == NO_OPERAND || !code->forms[origin].row || !sites_is_own(code, k))
				continue;
			r->roles[c][k] = race_role_of(&code->forms[origin]);
		}
	}
}

/* Of instructions that nothing can race with. */
static bool is_quiet(const struct races *r, const struct code *code, u32 insn)
{
	return r->proved == code && code->origin[insn] != NO_OPERAND && r->quiet[code->origin[insn]];
}

/* Does it stand for a barrier of all threads of the block? */
static bool separates(const struct code *code, u32 origin, const struct race_role *role)
{
	const struct ir_instruction *x = &code->function->body.items[origin];
	const u32 number = code->forms[origin].has_result;

	return role->does & RACE_BARRIER && !role->counts && !x->guard && number < x->operand_count &&
	       x->operands[number].kind == OPERAND_INTEGER && x->operands[number].value == 0;
}

static struct race_proof *prove(const struct races *r, const struct kernel *k)
{
	const u16 orders = RACE_ACQUIRES | RACE_RELEASES;
	const struct code *code = k->code;
	struct race_proof_role *roles = ARENA_ARRAY(r->lasting, code->function->body.count + 1, struct race_proof_role);

	for (u32 n = 0; n < code->insn_count; n++) {
		const struct race_role *role = &r->roles[code->index][n];
		if (code->origin[n] == NO_OPERAND || !role->does)
			continue;
		struct race_proof_role *to = &roles[code->origin[n]];
		to->strong |= (role->does & RACE_STRONG) != 0;
		to->read_only |= (role->does & RACE_READ_ONLY) != 0;
		to->reaches_grid |= role->scope == RACE_GPU;
		to->orders |= role->does & RACE_FENCE || (role->does & orders && !(role->does & RACE_MBARRIER));
		to->separates |= separates(code, code->origin[n], role);
	}
	return race_proof_new(r->lasting, r->program, k, r->sites, roles);
}

/* Whether the kernel, or a function that it may call, does any of it. */
static bool does(const struct races *r, const struct kernel *k, u16 what)
{
	bool any = false;

	for (u32 f = 0; f <= k->function_count; f++) {
		const struct code *code = f ? k->functions[f - 1].code : k->code;
		for (u32 n = 0; code && n < code->insn_count; n++)
			any |= (r->roles[code->index][n].does & what) != 0;
	}
	return any;
}

/* What cannot race in the launch is not looked at. */
static void find_quiet(struct races *r, const struct launch *l)
{
	const struct kernel *k = l->kernel;
	const u32 code = k->code->index;
	bool any = true;

	if (!r->has_proof[code])
		r->proofs[code] = prove(r, k);
	r->has_proof[code] = true;
	r->proved = r->proofs[code] ? k->code : NULL;
	if (r->proved)
		r->quiet = race_proof_find(r->proofs[code], l, &any);
	r->none = !any && !does(r, k, RACE_MBARRIER);
}

/* --- During the run: one access --------------------------------------------------------------- */

/* An instruction that a warp executes with some of its lanes. */
struct event {
	struct races *r;
	struct race_block *block; /* the warp's */
	struct warp *w;
	const struct insn *i;
	const u8 *rows;
	u32 mask;
	const struct gang *gang; /* that executes it together; or NULL */
};

struct access {
	struct races *r;
	struct race_block *own; /* the accessing warp's */
	struct warp *w;
	const struct insn *i;
	u32 site;
	bool reads, writes, acquires, releases, is_mbarrier;
	bool read_only; /* ld.global.nc: no order lets it see what the launch writes */
	enum race_scope scope;
	const u8 *rows;
	bool wide;        /* addresses have 64 bits */
	const u8 *values; /* of a plain store, by lane; or NULL */
	u32 value_bytes;
	const struct gang *gang; /* that executes the instruction together; or NULL */
};

static struct race_block *block_of(struct races *r, const struct block *b)
{
	struct race_block *x = r->buckets[((uintptr_t)b / sizeof *b) % BUCKETS];

	while (x->block != b)
		x = x->next;
	return x;
}

static bool is_one_store(const struct race_mark *m, const struct race_mark *mine)
{
	return m->site == mine->site && m->time == mine->time && m->warp == mine->warp && m->block == mine->block;
}

/* Lanes that one instruction has store to one address: the highest wins, which programs rely on. With `lane-stores`,
 * values that differ are told of. */
static bool is_same_store(const struct access *a, const struct race_mark *m, const struct race_mark *mine)
{
	if (!is_one_store(m, mine))
		return false;
	if (!a->r->options.lane_stores || !a->values || m->lane == RACE_ANY_LANE)
		return true;
	return !memcmp(a->values + (size_t)m->lane * a->value_bytes, a->values + (size_t)mine->lane * a->value_bytes,
		       a->value_bytes);
}

/* A store that leaves what is there does no harm, whoever else stores the same. */
static bool changes(const struct access *a, const struct race_place *p)
{
	const u8 *value = a->values ? a->values + (size_t)p->lane * a->value_bytes : NULL;

	return !value || !p->host || memcmp(value, p->host, p->size) != 0;
}

/* Does another lane of this very store put the same value there? */
static bool stored_alike(const struct access *a, const struct race_mark *m, const struct race_mark *mine)
{
	if (!is_one_store(m, mine) || !a->values || a->scope)
		return false;
	return m->lane == RACE_ANY_LANE || !memcmp(a->values + (size_t)m->lane * a->value_bytes,
						   a->values + (size_t)mine->lane * a->value_bytes, a->value_bytes);
}

/* The rows of a warp that executes the instruction with the accessing one, and its lanes; 0: it does not. */
static u32 lanes_of_member(const struct gang *g, u32 warp, const u8 **rows)
{
	const u32 first = g->warps[0].index;

	if (!g->on) {
		*rows = g->rows + (warp - first) * g->stride;
		return warp >= first && warp - first < g->count ? FULL_MASK : 0;
	}
	EACH_MEMBER (g, m)
		if (m->warp->index == warp) {
			*rows = m->rows;
			return m->mask;
		}
	return 0;
}

/* Warps of a gang store together: does the one that left the mark put the same value there? */
static bool gang_stores_alike(const struct access *a, const struct race_place *p, const struct race_mark *m,
			      const struct race_mark *mine)
{
	const u8 *rows;

	if (!a->gang || !a->values || m->site != mine->site || m->time != mine->time || m->block != mine->block)
		return false;
	const size_t values = (size_t)(a->values - a->rows);
	for (u32 left = lanes_of_member(a->gang, m->warp, &rows); left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (row_address(rows, a->i->a, a->i->imm, a->wide, l) == p->address)
			return !memcmp(rows + values + (size_t)l * a->value_bytes,
				       a->values + (size_t)p->lane * a->value_bytes, p->size);
	}
	return false;
}

/* Two strong accesses whose scopes take in both threads do not race. */
static bool are_strong(const struct access *a, const struct race_mark *m)
{
	return race_reaches(a->w, a->is_mbarrier && a->scope ? RACE_GPU : a->scope, m->block) &&
	       race_reaches(a->w, (enum race_scope)m->scope, m->block);
}

static bool is_conflict(const struct access *a, const struct race_place *p, const struct race_mark *m,
			const struct race_mark *mine, bool is_write)
{
	if (!(m->bytes & mine->bytes))
		return false;
	if (a->read_only)
		return true;
	if (are_strong(a, m) || race_ordered(a->own, a->w, p->lane, m))
		return false;
	return !(is_write && a->writes && !a->reads &&
		 (is_same_store(a, m, mine) || !changes(a, p) || gang_stores_alike(a, p, m, mine)));
}

/* The newest write that the access races with, or else, if it writes, a read. */
static bool conflict(const struct access *a, const struct race_place *p, struct race_word word,
		     const struct race_mark *mine, struct race_mark *with, bool *is_write)
{
	const u32 count = a->writes ? RACE_PLANES : RACE_READ;
	struct race_mark m;

	*is_write = false;
	with->time = 0;
	for (u32 n = 0; n < count && !(n == RACE_READ && *is_write); n++) {
		if (!race_mark_get(&a->r->events, word, (enum race_plane)n, &m) || m.time < with->time ||
		    !is_conflict(a, p, &m, mine, n < RACE_READ))
			continue;
		*with = m;
		*is_write = n < RACE_READ;
	}
	return with->time;
}

/* Has a strong write left what is there? */
static bool is_strong_last(const struct access *a, struct race_word word)
{
	struct race_mark strong, weak;

	return race_mark_get(&a->r->events, word, RACE_STRONG_WRITE, &strong) &&
	       (!race_mark_get(&a->r->events, word, RACE_WRITE, &weak) || strong.time >= weak.time);
}

/* A strong access learns what has been released there, and releases. */
static void synchronise(const struct access *a, const struct race_place *p, struct race_word word, u32 life)
{
	struct race_clocks *c = &a->r->clocks;
	const u64 key = life ? (u64)(uintptr_t)p->host : p->offset;
	struct race_location *at = race_location_find(c, key, life);

	if (at && a->reads && is_strong_last(a, word))
		race_strong_read(c, a->own, a->w, p->lane, at, a->scope, a->acquires, a->writes);
	if (!a->writes)
		return;
	if (!at && (a->releases || race_has_fence(a->own, a->w, p->lane)))
		at = race_location_new(c, key, life);
	if (at)
		race_strong_write(c, a->own, a->w, p->lane, at, a->scope, a->releases, a->reads);
}

static bool is_same_thread(const struct race_mark *a, const struct race_mark *b)
{
	return a->block == b->block && a->warp == b->warp && a->lane == b->lane;
}

/* The mark takes the place of the last one of its kind, which stays beside it if it is another thread's, and nothing
 * orders the two: rather one of another warp. */
static void leave(const struct access *a, const struct race_place *p, struct race_word word, enum race_plane plane,
		  enum race_plane other, const struct race_mark *mine)
{
	struct race_events *e = &a->r->events;
	struct race_mark last, before;

	if (race_mark_get(e, word, plane, &last) && !is_same_thread(&last, mine) &&
	    !race_ordered(a->own, a->w, p->lane, &last) &&
	    (last.warp != mine->warp || last.block != mine->block || !race_mark_get(e, word, other, &before) ||
	     (before.warp == mine->warp && before.block == mine->block)))
		race_mark_put(e, word, other, &last);
	race_mark_put(e, word, plane, mine);
}

/* Of a word's bytes that the store leaves alone, the last one stays known. */
static void leave_write(const struct access *a, struct race_word word, const struct race_mark *mine)
{
	struct race_events *e = &a->r->events;
	struct race_mark last, mark = *mine;

	if (race_mark_get(e, word, RACE_WRITE, &last)) {
		if (stored_alike(a, &last, mine))
			mark.lane = RACE_ANY_LANE;
		last.bytes &= (u8)~mine->bytes;
		if (last.bytes)
			race_mark_put(e, word, RACE_OTHER_WRITE, &last);
	}
	race_mark_put(e, word, RACE_WRITE, &mark);
}

/* One word of a lane's access. */
static void touch(const struct access *a, const struct race_place *p, struct race_word word, u8 bytes, u32 life)
{
	const struct race_mark mine = {.time = a->r->clocks.now,
				       .block = (u32)a->w->block->index,
				       .site = a->site,
				       .warp = (u8)a->w->index,
				       .lane = (u8)p->lane,
				       .bytes = bytes,
				       .scope = (u8)(a->is_mbarrier && a->scope ? RACE_GPU : a->scope)};
	struct race_mark with;
	bool is_write;

	if (conflict(a, p, word, &mine, &with, &is_write))
		race_tell(&a->r->findings, a->w,
			  &(struct race_access){a->site, a->writes, a->scope != RACE_WEAK, a->read_only}, p, &with,
			  is_write);
	if (a->scope)
		synchronise(a, p, word, life);
	/* What changes a word is remembered as its write: who races with the one does so with the other. */
	if (a->reads && !a->writes)
		leave(a, p, word, RACE_READ, RACE_OTHER_READ, &mine);
	if (a->writes && mine.scope)
		leave(a, p, word, RACE_STRONG_WRITE, RACE_OTHER_STRONG, &mine);
	else if (a->writes)
		leave_write(a, word, &mine);
}

static void touch_words(const struct access *a, const struct race_place *p, struct race_block *owner)
{
	for (u64 at = p->offset & ~3ull; at < p->offset + p->size; at += 4) {
		const struct race_word word = owner ? race_shared_word(owner->words, &a->r->events, at, owner->life)
						    : race_global_word(&a->r->global, &a->r->events, at);
		const u64 low = max_u64(at, p->offset), high = min_u64(at + 4, p->offset + p->size);
		const u8 bytes = (u8)(((1u << (high - low)) - 1) << (low - at));
		touch(a, p, word, bytes, owner ? owner->life : 0);
	}
}

/* Addresses that are wrong are told by the access itself. */
static void touch_lane(const struct access *a, u32 lane, enum ir_space space, u64 address, u32 size)
{
	struct race_place p = {.lane = lane, .address = address, .offset = address, .size = size};

	if (!(size & (size - 1)) && address & (size - 1))
		return;

	p.space = space == SPACE_GENERIC ? generic_space(a->w, &p.offset) : space;
	if (p.space == SPACE_SHARED) {
		struct block *owner = shared_owner(a->w, p.offset);
		p.offset &= (1u << SHARED_RANK_SHIFT) - 1;
		if (!owner || p.offset >= owner->shared_bytes || size > owner->shared_bytes - p.offset)
			return;
		p.host = owner->shared + p.offset;
		touch_words(a, &p, block_of(a->r, owner));
		return;
	}
	if (p.space != SPACE_GLOBAL)
		return;
	p.memory = memory_find(a->w->grid->memory, p.offset, size);
	if (!p.memory || p.memory->flags & ALLOCATION_READ_ONLY)
		return;
	p.host = p.memory->host + (p.offset - p.memory->base);
	touch_words(a, &p, NULL);
}

static void touch_lanes(const struct access *a, u32 mask, enum ir_space space, const u64 address[WARP_LANES], u32 size)
{
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		touch_lane(a, l, space, address[l], size);
	}
}

/* cp.async: the shared address comes first. */
static void touch_copy(struct access *a, const struct account_site *s, const u8 *rows, u32 mask)
{
	u64 address[WARP_LANES];

	a->writes = true;
	operand_addresses(s, a->i, rows, 0, address);
	touch_lanes(a, mask, SPACE_SHARED, address, s->width);
}

static void touch_fragment(const struct access *a, const struct account_site *s, const u8 *rows, u32 mask,
			   const u64 base[WARP_LANES])
{
	const struct fragment_accesses *f = s->fragment;
	const u64 stride = fragments_stride(f, s->code, s->form, a->i, rows, mask);

	for (u32 k = 0; k < f->count; k++) {
		u64 address[WARP_LANES];
		fragments_address(f, k, base, stride, address);
		touch_lanes(a, mask, s->space, address, f->access[k].bytes);
	}
}

/* What nothing reads of a vector, nobody misses. */
static void touch_parts(const struct access *a, const struct account_site *s, u32 mask, const u64 base[WARP_LANES])
{
	for (u32 k = 0; k < s->parts.count; k++) {
		u64 address[WARP_LANES];
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = base[l] + s->parts.part[k].offset;
		touch_lanes(a, mask, s->space, address, s->parts.part[k].bytes);
	}
}

static void find_values(struct access *a, const struct account_site *s, const u8 *rows)
{
	const struct form *f = s->form;

	if (s->operation != ACCOUNT_STORE || s->fragment || s->code->function->listing || form_vector(f) != 1 ||
	    s->width > 8)
		return;
	const u32 bits = f->operand_count ? f->operand_bits[f->operand_count - 1] : 0;
	a->values = rows + insn_operand(s->code, f, a->i, f->operand_count - 1u);
	a->value_bytes = bits == 64 || (!bits && s->width == 8) ? 8 : 4;
	if (a->value_bytes < s->width)
		a->values = NULL;
}

static struct access access_of(const struct event *e, u32 site, const struct race_role *role)
{
	return (struct access){.r = e->r,
			       .own = e->block,
			       .w = e->w,
			       .i = e->i,
			       .rows = e->rows,
			       .gang = e->gang,
			       .site = site,
			       .scope = role->does & RACE_STRONG ? (enum race_scope)role->scope : RACE_WEAK,
			       .acquires = role->does & RACE_ACQUIRES,
			       .releases = role->does & RACE_RELEASES,
			       .read_only = role->does & RACE_READ_ONLY};
}

static void access(const struct event *e, const struct account_site *s, const struct race_role *role)
{
	struct access a = access_of(e, e->r->where->bases[s->code->index] + s->insn, role);
	const u8 *rows = e->rows;
	const u32 mask = e->mask;
	u64 address[WARP_LANES];

	a.reads = s->operation == ACCOUNT_LOAD || s->operation == ACCOUNT_LDMATRIX || s->operation == ACCOUNT_ATOM ||
		  s->operation == ACCOUNT_RED;
	a.writes = s->operation != ACCOUNT_LOAD && s->operation != ACCOUNT_LDMATRIX;
	if (s->operation >= ACCOUNT_ASYNC) {
		touch_copy(&a, s, rows, mask);
	} else {
		a.wide = s->wide;
		row_addresses(rows, e->i->a, e->i->imm, s->wide, address);
		find_values(&a, s, rows);
		if (s->fragment)
			touch_fragment(&a, s, rows, mask, address);
		else if (s->parts.count)
			touch_parts(&a, s, mask, address);
		else
			touch_lanes(&a, mask & s->matrix_mask, s->space, address, s->width);
	}
	if (a.scope && a.writes)
		e->r->clocks.now++;
}

/* An mbarrier is a place that its users read and write strongly; they learn of one another when a wait succeeds. */
static void access_mbarrier(const struct event *e, u32 mask, const struct race_role *role, bool waited)
{
	enum { MBARRIER_BYTES = 8 };
	const struct code *code = e->w->frame->code;
	const u32 insn = (u32)(e->i - grid_entry(e->w->grid, code));
	const struct form *f = &code->forms[code->origin[insn]];
	struct access a = access_of(e, e->r->where->bases[code->index] + insn, role);
	u64 address[WARP_LANES];

	a.is_mbarrier = true;
	a.writes = !(role->does & RACE_MBARRIER_WAIT);
	a.reads = !(role->does & RACE_MBARRIER_INIT);
	a.acquires &= waited;
	row_addresses(e->rows, insn_operand(code, f, e->i, role->address),
		      (s32)insn_operand(code, f, e->i, role->address + 1u), f->operand_bits[role->address] == 64,
		      address);
	touch_lanes(&a, mask, form_space(f) == SPACE_GENERIC ? SPACE_GENERIC : SPACE_SHARED, address, MBARRIER_BYTES);
	if (a.scope && a.writes)
		e->r->clocks.now++;
}

/* --- During the run: the observer ------------------------------------------------------------- */

/* Lanes that have met wait no longer: all members of the mask they gave. */
static void meet(struct races *r, struct race_block *b, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
		 const struct race_role *role)
{
	const u32 *members = (const u32 *)(const void *)(rows + i->a);

	if (w->resumed || role->does & RACE_EXCHANGE) {
		race_meet_lanes(&r->clocks, b, w, w->resumed ? w->member_mask : mask);
		return;
	}
	for (u32 left = mask; left;) {
		const u32 wanted = members[__builtin_ctz(left)];
		u32 same = 0;
		for (u32 more = left; more; more &= more - 1)
			if (members[__builtin_ctz(more)] == wanted)
				same |= more & -more;
		race_meet_lanes(&r->clocks, b, w, same & wanted);
		left &= ~same;
	}
}

static void order(struct races *r, struct race_block *b, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
		  const struct race_role *role)
{
	if (role->does & (RACE_LANES | RACE_EXCHANGE))
		meet(r, b, w, i, rows, mask, role);
	if (role->does & RACE_CLUSTER_ARRIVE)
		race_arrive_cluster(&r->clocks, b, w, mask);
	if (role->does & RACE_CLUSTER_WAIT)
		race_wait_cluster(b, w, mask);
	if (role->does & RACE_FENCE)
		race_fence(&r->clocks, b, w, mask, (enum race_scope)role->scope, role->does & RACE_ACQUIRES,
			   role->does & RACE_RELEASES);
	if (role->does & (RACE_BARRIER | RACE_ARRIVE)) {
		const u32 number = ((const u32 *)(const void *)(rows + i->a))[__builtin_ctz(mask)];
		if (number < BARRIERS_PER_BLOCK)
			race_arrive(&r->clocks, b, w, mask, number, role->does & RACE_BARRIER, role->counts);
	}
}

static void happen(const struct event *e)
{
	struct races *r = e->r;
	const struct code *code = e->w->frame->code;
	const size_t at = (size_t)(e->i - grid_entry(e->w->grid, code));
	const struct race_role *role = &r->roles[code->index][at];
	const u32 site = r->sites->slots[code->index][at];

	race_resume(&r->clocks, e->block, e->w);
	order(r, e->block, e->w, e->i, e->rows, e->mask, role);
	if (role->does & RACE_MBARRIER)
		access_mbarrier(e, e->mask, role, false);
	if (site && !(site & SITE_GUARD) && !r->sites->items[site - 1].in_frame && !is_quiet(r, code, (u32)at))
		access(e, &r->sites->items[site - 1], role);
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	if (mask)
		happen(&(struct event){.r = context,
				       .block = block_of(context, w->block),
				       .w = w,
				       .i = i,
				       .rows = rows,
				       .mask = mask});
}

static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	struct event e = {.r = context, .block = block_of(context, g->block), .i = i, .gang = g};

	if (g->on) {
		EACH_MEMBER (g, m) {
			e.w = m->warp;
			e.rows = m->rows;
			e.mask = m->mask;
			happen(&e);
		}
		return;
	}
	for (u32 k = 0; k < g->count; k++) {
		e.w = &g->warps[k];
		e.w->frame = e.w->entry_frame;
		e.rows = g->rows + k * g->stride;
		e.mask = FULL_MASK;
		happen(&e);
	}
}

/* Those whose wait for an mbarrier has succeeded know what its users have released. */
static void after(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct races *r = context;
	const struct code *code = w->frame->code;
	const u32 insn = (u32)(i - grid_entry(w->grid, code));
	const struct race_role *role = &r->roles[code->index][insn];

	if (!(role->does & RACE_MBARRIER_WAIT) || w->stop == STOP_FAULT)
		return;
	const u32 result = insn_operand(code, &code->forms[code->origin[insn]], i, 0);
	const u32 done = result == NO_OPERAND ? 0 : *(const u32 *)(const void *)(rows + result) & mask;
	const struct event e = {.r = r, .block = block_of(r, w->block), .w = w, .i = i, .rows = rows, .mask = done};
	if (done)
		access_mbarrier(&e, done, role, true);
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct races *r = context;
	const u32 site = r->sites->slots[code->index][insn];

	if (code->function->listing || r->none)
		return false;
	return (site && !(site & SITE_GUARD) && r->sites->items[site - 1].space != SPACE_LOCAL &&
		!is_quiet(r, code, insn)) ||
	       r->roles[code->index][insn].does & (u16) ~(RACE_STRONG | RACE_ACQUIRES | RACE_RELEASES | RACE_READ_ONLY);
}

/* The machine uses its blocks' records again. */
static struct race_block *record_of(struct races *r, struct block *b)
{
	struct race_block **bucket = &r->buckets[((uintptr_t)b / sizeof *b) % BUCKETS], *x = *bucket;

	while (x && x->block != b)
		x = x->next;
	if (x)
		return x;
	x = ARENA_NEW(r->arena, struct race_block);
	x->words = ARENA_ARRAY(r->arena, b->grid->shared_bytes / (4 * RACE_PAGE_WORDS) + 2, struct race_page);
	x->block = b;
	x->next = *bucket;
	return *bucket = x;
}

static void block_start(void *context, struct block *b)
{
	struct races *r = context;

	if (r->none)
		return;
	struct race_block *x = record_of(r, b);
	race_start(&r->clocks, x);
	x->life = ++r->lives;
}

/* --- Around the run ------------------------------------------------------------------------- */

struct races *races_new(struct arena *arena, const struct check_sites *where, const struct site_list *sites,
			const struct check_options *options)
{
	struct races *r = ARENA_NEW(arena, struct races);
	const struct program *program = where->program;

	r->where = where;
	r->program = program;
	r->options = *options;
	r->observer = (struct observer){.context = r, .wants = wants, .before = before, .block_start = block_start};
	r->sites = sites;
	r->lasting = arena;
	r->roles = ARENA_ARRAY(arena, program->code_count + 1, struct race_role *);
	r->proofs = ARENA_ARRAY(arena, program->code_count + 1, struct race_proof *);
	r->has_proof = ARENA_ARRAY(arena, program->code_count + 1, bool);
	find_roles(r, arena);
	return r;
}

void races_begin(struct races *r, struct arena *arena, const struct launch *l)
{
	/* A wait for an mbarrier tells its result afterwards, which gangs do not. */
	const bool gangs = !does(r, l->kernel, RACE_MBARRIER_WAIT);

	r->arena = arena;
	r->observer.gang_before = gangs ? gang_before : NULL;
	r->observer.after = gangs ? NULL : after;
	find_quiet(r, l);
	memset(r->buckets, 0, sizeof r->buckets);
	r->global = (struct race_pages){0};
	r->events = (struct race_events){.arena = arena};
	r->findings = (struct race_findings){
		.arena = arena, .sites = r->where, .most = r->options.most, .plain_reads = r->options.plain_reads};
	r->clocks = (struct race_clocks){.now = 1, .sets.arena = arena};
	r->lives = 0;
}

struct fault *races_finding(const struct races *r, u32 k, const struct launch *l)
{
	return race_finding_fault(&r->findings, k, l);
}

u32 races_count(const struct races *r) { return (u32)r->findings.items.count; }

bool races_have(const struct races *r, u32 site)
{
	for (size_t k = 0; k < r->findings.items.count; k++) {
		const struct race_finding *x = &r->findings.items.items[k];
		if (x->fault.kind == FAULT_RACE && (x->site == site || x->other == site))
			return true;
	}
	return false;
}

u64 races_more(const struct races *r) { return r->findings.more; }

struct observer *races_observer(struct races *r) { return &r->observer; }
