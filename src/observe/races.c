/* SPDX-License-Identifier: Apache-2.0
 *
 * The race check: what each instruction is to it, found before the run, and what it does when one runs. Clocks
 * are in race_clocks.c, marks in race_words.c, and race_tell.c words the fault.
 */
#include "observe/races.h"

#include <string.h>

#include "exec/run.h"
#include "isa/form.h"
#include "observe/race_tell.h"
#include "observe/sites.h"

enum { BUCKETS = 256 };

/* What an instruction does, besides accesses, which site_list knows. */
enum { RACE_BARRIER = 1, RACE_ARRIVE = 2, RACE_LANES = 4, RACE_MEET = 8, RACE_WAIT = 16, RACE_STRONG = 32 };

struct races {
	struct observer observer;
	struct race_options options;
	const struct program *program;
	struct site_list sites;
	u8 **roles; /* by code and decoded instruction */
	u32 *bases; /* number of each code's first decoded instruction */
	bool has_hidden_writes;
	struct race_clocks clocks;
	struct arena arena; /* of a launch; begins with its first block */
	bool has_arena;
	u32 lives;
	struct race_block *buckets[BUCKETS];
	struct race_pages global;
	struct race_findings findings;
};

bool race_options_read(const char *text, struct race_options *options)
{
	*options = (struct race_options){0};
	for (size_t length; *text; text += length + (text[length] == ',')) {
		length = strcspn(text, ",");
		if (length == 5 && !strncmp(text, "races", 5))
			options->races = true;
		else if (length == 9 && !strncmp(text, "unwritten", 9))
			options->unwritten = true;
		else if (length == 5 && !strncmp(text, "leaks", 5))
			options->leaks = true;
		else
			return false;
	}
	return options->races || options->unwritten || options->leaks;
}

/* --- Before the run ------------------------------------------------------------------------- */

static u8 roles_of(const struct form *f)
{
	const u32 traits = f->row->traits;

	if (traits & TRAIT_CLUSTER_BARRIER)
		return form_has(f, M_wait) ? RACE_MEET | RACE_WAIT : RACE_MEET;
	if (traits & TRAIT_MBARRIER)
		return RACE_MEET;
	if (traits & TRAIT_WARP_BARRIER)
		return RACE_LANES;
	if (traits & TRAIT_BARRIER)
		return form_has(f, M_arrive) ? RACE_ARRIVE : RACE_BARRIER;
	if (f->row->flags & ISA_ATOMIC || form_has(f, M_volatile) || form_has(f, M_relaxed) || form_has(f, M_acquire) ||
	    form_has(f, M_release) || form_has(f, M_mmio))
		return RACE_STRONG;
	return form_has(f, M_sync) ? RACE_LANES : 0;
}

static void find_roles(struct races *r, struct arena *arena)
{
	u32 count = 0;

	for (u32 c = 0; c < r->program->code_count; c++) {
		const struct code *code = r->program->codes[c];
		r->bases[c] = count;
		count += code->insn_count;
		r->roles[c] = ARENA_ARRAY(arena, code->insn_count + 1, u8);
		if (code->function->listing)
			continue;
		for (u32 k = 0; k < code->insn_count; k++) {
			const u32 origin = code->origin[k];
			/* Of what lowering made of one instruction of the text, the site, or else the last. */
			if (origin == NO_OPERAND || !code->forms[origin].row || !sites_is_own(code, k))
				continue;
			r->roles[c][k] = roles_of(&code->forms[origin]);
			r->has_hidden_writes |= (code->forms[origin].row->traits & TRAIT_UNSEEN) != 0;
		}
	}
}

/* --- During the run: one access --------------------------------------------------------------- */

struct access {
	struct races *r;
	struct race_block *own; /* the accessing warp's */
	struct warp *w;
	const struct insn *i;
	u32 site;
	bool reads, writes, strong;
	const u8 *values; /* of a plain store, by lane; or NULL */
	u32 value_bytes;
};

static struct race_block *block_of(struct races *r, const struct block *b)
{
	struct race_block *x = r->buckets[((uintptr_t)b / sizeof *b) % BUCKETS];

	while (x->block != b)
		x = x->next;
	return x;
}

/* Lanes that one instruction has store to one address: the highest wins, which programs rely on. */
static bool is_same_store(const struct race_mark *m, const struct race_mark *mine)
{
	return m->site == mine->site && m->time == mine->time && m->warp == mine->warp && m->block == mine->block;
}

/* A store that leaves what is there does no harm, whoever else stores the same. */
static bool changes(const struct access *a, const struct race_place *p)
{
	const u8 *value = a->values ? a->values + (size_t)p->lane * a->value_bytes : NULL;

	return !value || !p->host || memcmp(value, p->host, p->size) != 0;
}

static const struct race_mark *conflict(const struct access *a, const struct race_place *p,
					const struct race_word *word, const struct race_mark *mine)
{
	const struct race_mark *marks[] = {&word->write, &word->read, &word->other_read};

	for (u32 k = 0; k < (a->writes ? 3u : 1u); k++) {
		const struct race_mark *m = marks[k];
		if (!m->time || !(m->bytes & mine->bytes) || (m->strong && mine->strong) ||
		    race_ordered(a->own, a->w, p->lane, m))
			continue;
		if (k == 0 && a->writes && !a->reads && (is_same_store(m, mine) || !changes(a, p)))
			continue;
		return m;
	}
	return NULL;
}

/* One word of a lane's access. */
static void touch(const struct access *a, const struct race_place *p, struct race_word *word, u8 bytes)
{
	const struct race_mark mine = {.time = a->r->clocks.now,
				       .block = (u32)a->w->block->index,
				       .site = a->site,
				       .warp = (u8)a->w->index,
				       .lane = (u8)p->lane,
				       .bytes = bytes,
				       .strong = a->strong};

	const struct race_sites sites = {a->r->program, a->r->bases};

	if (a->r->options.unwritten && a->reads && p->space == SPACE_SHARED && !a->r->has_hidden_writes &&
	    bytes & ~word->written)
		race_tell_unwritten(&a->r->findings, &a->r->arena, &sites, a->w, a->site, p);
	const struct race_mark *m = a->r->options.races ? conflict(a, p, word, &mine) : NULL;
	if (m)
		race_tell(&a->r->findings, &a->r->arena, &sites, a->w, a->site, p, a->writes, m, m == &word->write);
	if (a->strong && a->reads && word->write.time && word->write.strong)
		race_learn(a->own, a->w, &word->write);
	if (a->reads)
		race_word_read(word, &mine);
	if (a->writes)
		race_word_write(word, &mine);
}

static void touch_words(const struct access *a, const struct race_place *p, struct race_block *owner)
{
	for (u64 at = p->offset & ~3ull; at < p->offset + p->size; at += 4) {
		struct race_word *word = owner ? race_word_at(&owner->words[at / 4], owner->life)
					       : race_page_word(&a->r->global, &a->r->arena, at);
		const u64 low = max_u64(at, p->offset), high = min_u64(at + 4, p->offset + p->size);
		const u8 bytes = (u8)(((1u << (high - low)) - 1) << (low - at));
		touch(a, p, word, bytes);
	}
}

/* Addresses that are wrong are told by the access itself. */
static void touch_lane(const struct access *a, u32 lane, enum ir_space space, u64 address, u32 size)
{
	struct race_place p = {.lane = lane, .address = address, .offset = address, .size = size};

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
	p.memory = memory_find(a->w->machine->memory, p.offset, size);
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

static void access(struct races *r, const struct account_site *s, struct warp *w, const struct insn *i, const u8 *rows,
		   u32 mask, u8 roles)
{
	struct access a = {.r = r,
			   .own = block_of(r, w->block),
			   .w = w,
			   .i = i,
			   .site = r->bases[s->code->index] + s->insn,
			   .strong = roles & RACE_STRONG};
	u64 address[WARP_LANES];

	a.reads = s->operation == ACCOUNT_LOAD || s->operation == ACCOUNT_LDMATRIX || s->operation == ACCOUNT_ATOM ||
		  s->operation == ACCOUNT_RED;
	a.writes = s->operation != ACCOUNT_LOAD && s->operation != ACCOUNT_LDMATRIX;
	if (s->operation >= ACCOUNT_ASYNC) {
		touch_copy(&a, s, rows, mask);
	} else {
		row_addresses(rows, i->a, i->imm, s->wide, address);
		find_values(&a, s, rows);
		if (s->fragment)
			touch_fragment(&a, s, rows, mask, address);
		else
			touch_lanes(&a, mask & s->matrix_mask, s->space, address, s->width);
	}
	if (a.strong && a.writes)
		r->clocks.now++;
}

/* --- During the run: the observer ------------------------------------------------------------- */

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct races *r = context;
	const u32 code = w->frame->code->index;
	const size_t at = (size_t)(i - w->machine->insns[code]);
	const u8 roles = r->roles[code][at];
	const u32 site = r->sites.slots[code][at];
	struct race_block *b = block_of(r, w->block);

	if (!mask)
		return;
	race_resume(&r->clocks, b, w);
	if (roles & RACE_LANES)
		race_meet_lanes(&r->clocks, b, w);
	if (roles & RACE_MEET)
		race_meet(&r->clocks, b, w, roles & RACE_WAIT);
	if (roles & (RACE_BARRIER | RACE_ARRIVE)) {
		const u32 number = ((const u32 *)(const void *)(rows + i->a))[__builtin_ctz(mask)];
		if (number < BARRIERS_PER_BLOCK)
			race_arrive(&r->clocks, b, w, number, roles & RACE_BARRIER);
	}
	if (site && !(site & SITE_GUARD))
		access(r, &r->sites.items[site - 1], w, i, rows, mask, roles);
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct races *r = context;
	const u32 site = r->sites.slots[code->index][insn];

	if (code->function->listing)
		return false;
	return (site && !(site & SITE_GUARD)) || r->roles[code->index][insn] & ~RACE_STRONG;
}

/* The machine uses its blocks' records again. */
static struct race_block *record_of(struct races *r, struct block *b)
{
	struct race_block **bucket = &r->buckets[((uintptr_t)b / sizeof *b) % BUCKETS], *x = *bucket;

	while (x && x->block != b)
		x = x->next;
	if (x)
		return x;
	x = ARENA_NEW(&r->arena, struct race_block);
	x->words = ARENA_ARRAY(&r->arena, b->machine->shared_bytes / 4 + 4, struct race_word);
	x->block = b;
	x->next = *bucket;
	return *bucket = x;
}

static void block_start(void *context, struct block *b)
{
	struct races *r = context;

	if (!r->has_arena) {
		arena_init(&r->arena, &b->worker->out_of_memory);
		r->has_arena = true;
	}
	struct race_block *x = record_of(r, b);
	memset(x->warps, 0, sizeof x->warps);
	memset(x->arrivals, 0, sizeof x->arrivals);
	x->life = ++r->lives;
}

/* --- Around the run ------------------------------------------------------------------------- */

struct races *races_new(struct arena *arena, const struct program *program, const struct race_options *options)
{
	static const struct accounting_options none;
	struct races *r = ARENA_NEW(arena, struct races);

	r->program = program;
	r->options = *options;
	r->observer = (struct observer){.context = r, .wants = wants, .before = before, .block_start = block_start};
	r->sites = sites_find(arena, program, &none);
	r->roles = ARENA_ARRAY(arena, program->code_count + 1, u8 *);
	r->bases = ARENA_ARRAY(arena, program->code_count + 1, u32);
	find_roles(r, arena);
	return r;
}

void races_free(struct races *r)
{
	if (r->has_arena)
		arena_free(&r->arena);
	r->has_arena = false;
	memset(r->buckets, 0, sizeof r->buckets);
	r->global = (struct race_pages){0};
	r->findings = (struct race_findings){0};
}

void races_begin(struct races *r)
{
	races_free(r);
	r->clocks = (struct race_clocks){.now = 1};
	r->lives = 0;
}

const struct fault *races_finding(const struct races *r, u32 k, const struct launch *l)
{
	return race_finding_fault(&r->findings, k, &(struct race_sites){r->program, r->bases}, l);
}

struct observer *races_observer(struct races *r) { return &r->observer; }
