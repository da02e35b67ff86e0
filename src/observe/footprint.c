/* SPDX-License-Identifier: Apache-2.0
 *
 * Footprints of launches: pages of words, in a table by their number.
 */
#include "observe/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "decode/form_address.h"
#include "exec/gang.h"
#include "exec/run.h"
#include "isa/form.h"
#include "observe/race_roles.h"
#include "observe/texels.h"

enum { PAGE_WORDS = 1024, BUCKETS = 1 << 12, PLACES_MOST = 0xffff, WHOLE_WORD = 0xf };

/* Ways to access a word. Strong ones are atomic operations, and loads and stores that are volatile or ordered. */
enum way { WAY_READ, WAY_WRITE, WAY_STRONG_READ, WAY_STRONG_WRITE, WAYS };

struct page {
	u64 number;
	struct page *next;
	u16 by[WAYS][PAGE_WORDS];   /* the place whose access was first */
	u8 bytes[WAYS][PAGE_WORDS]; /* of the word, a bit each */
};

struct touched_place {
	u32 site;
	struct fault_place text; /* its words from malloc */
};

/* Of a copy. */
struct range {
	u64 low, high;
	bool writes;
	const char *what;
};

struct page_set {
	struct page *buckets[BUCKETS];
	struct page *last; /* asked for */
};

struct footprint {
	struct page_set all;
	struct page_set *early; /* before anything waits for earlier launches, in each block; NULL: nothing. */
	struct range *ranges;
	u32 range_count, range_room;
	struct touched_place *places;
	u32 place_count, place_room;
	bool releases, acquires; /* some thread, by fences or ordered accesses */
	bool may_wait;           /* for earlier launches: else all is early */
	bool lets;               /* the launches behind begin before it ends */
};

struct footprints {
	struct observer observer;
	const struct check_sites *where;
	const struct site_list *sites;
	u16 **numbers; /* by code and decoded instruction: of its place, from 1; 0: it has none yet */
	u8 *ways;      /* by site: a bit each */
	struct footprint *made;
	bool may_wait;    /* an instruction does, for earlier launches */
	u64 *have_waited; /* by block, a bit each */
	u64 waited_words;
	bool is_early; /* what is touched now */
	bool no_memory;
};

/* --- During the run --------------------------------------------------------------------------- */

static struct page *page_of(struct page_set *s, u64 number)
{
	struct page **bucket = &s->buckets[number * 0x9e3779b97f4a7c15ull >> 52];

	if (s->last && s->last->number == number)
		return s->last;
	for (struct page *p = *bucket; p; p = p->next)
		if (p->number == number)
			return s->last = p;
	struct page *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->number = number;
	p->next = *bucket;
	*bucket = p;
	return s->last = p;
}

/* NULL: there is no memory, or nothing is early. */
static struct page_set *early_set(struct footprints *f)
{
	if (!f->is_early)
		return NULL;
	if (!f->made->early && !(f->made->early = calloc(1, sizeof *f->made->early)))
		f->no_memory = true;
	return f->made->early;
}

/* The number of an instruction's place. 0: there is no room. */
static u16 place_number(struct footprints *f, const struct code *code, u32 insn)
{
	struct footprint *made = f->made;
	u16 *number = &f->numbers[code->index][insn];

	if (*number || made->place_count == PLACES_MOST)
		return *number;
	if (made->place_count == made->place_room) {
		const u32 room = 2 * made->place_room + 16;
		struct touched_place *more = realloc(made->places, room * sizeof *more);
		if (!more)
			return 0;
		made->places = more;
		made->place_room = room;
	}
	made->places[made->place_count++] = (struct touched_place){.site = f->where->bases[code->index] + insn};
	return *number = (u16)made->place_count;
}

/* False: there is no memory. */
static bool touch_bytes_in(struct page_set *s, u64 address, u32 size, enum way way, u16 place)
{
	for (u64 at = address & ~3ull; at < address + size; at += 4) {
		struct page *p = page_of(s, at / 4 / PAGE_WORDS);
		const u32 word = at / 4 % PAGE_WORDS;
		const u64 low = max_u64(at, address), high = min_u64(at + 4, address + size);
		if (!p)
			return false;
		if (!p->bytes[way][word])
			p->by[way][word] = place;
		p->bytes[way][word] |= (u8)(((1u << (high - low)) - 1) << (low - at));
	}
	return true;
}

static bool touch_words_in(struct page_set *s, u64 address, u64 bytes, enum way way, u16 place)
{
	const u64 end = address + bytes;

	for (u64 at = address; at < end;) {
		struct page *p = page_of(s, at / 4 / PAGE_WORDS);
		const u32 word = at / 4 % PAGE_WORDS, count = (u32)min_u64(PAGE_WORDS - word, (end - at) / 4);
		if (!p)
			return false;
		u8 *known = &p->bytes[way][word], all = WHOLE_WORD;
		for (u32 k = 0; k < count; k++)
			all &= known[k];
		for (u32 k = 0; all != WHOLE_WORD && k < count; k++) {
			if (!known[k])
				p->by[way][word + k] = place;
			known[k] = WHOLE_WORD;
		}
		at += 4ull * count;
	}
	return true;
}

static void touch(struct footprints *f, u64 address, u32 size, enum way way, u16 place)
{
	struct page_set *early = early_set(f);

	f->no_memory |= !touch_bytes_in(&f->made->all, address, size, way, place) ||
			(early && !touch_bytes_in(early, address, size, way, place));
}

static void touch_words(struct footprints *f, u64 address, u64 bytes, enum way way, u16 place)
{
	struct page_set *early = early_set(f);

	f->no_memory |= !touch_words_in(&f->made->all, address, bytes, way, place) ||
			(early && !touch_words_in(early, address, bytes, way, place));
}

/* All lanes access neighbouring words of one allocation. False: they do not. */
static bool touch_row(struct footprints *f, const struct warp *w, const struct account_site *s, u32 ways,
		      const u64 address[WARP_LANES], u32 size, u16 place)
{
	u64 first = address[0], last = address[WARP_LANES - 1];

	if (size % 4 || first % 4 || !addresses_are_dense(address, size))
		return false;
	/* The windows of the other spaces are larger than a row. */
	if (s->space == SPACE_GENERIC &&
	    (generic_space(w, &first) != SPACE_GLOBAL || generic_space(w, &last) != SPACE_GLOBAL))
		return false;
	const struct allocation *a = memory_find(w->grid->memory, first, (u64)WARP_LANES * size);
	if (!a)
		return false;
	for (u32 way = 0; way < WAYS && !(a->flags & (ALLOCATION_READ_ONLY | ALLOCATION_HEAP)); way++)
		if (ways >> way & 1)
			touch_words(f, first, (u64)WARP_LANES * size, (enum way)way, place);
	return true;
}

static void touch_lanes(struct footprints *f, const struct warp *w, const struct account_site *s, u32 mask, u32 ways,
			const u64 address[WARP_LANES], u32 size)
{
	const u16 place = place_number(f, s->code, s->insn);

	if (place && mask == FULL_MASK && touch_row(f, w, s, ways, address, size, place))
		return;
	for (u32 left = place ? mask : 0; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u64 at = address[l];
		if (s->space == SPACE_GENERIC && generic_space(w, &at) != SPACE_GLOBAL)
			continue;
		const struct allocation *a = memory_find(w->grid->memory, at, size);
		if (!a || a->flags & (ALLOCATION_READ_ONLY | ALLOCATION_HEAP))
			continue;
		for (u32 way = 0; way < WAYS; way++)
			if (ways >> way & 1)
				touch(f, at, size, (enum way)way, place);
	}
}

/* Of one lane, or of an operation that goes on by itself. */
static void touch_range(struct footprints *f, const struct warp *w, u64 address, u64 bytes, enum way way, u16 place)
{
	const struct allocation *a = place ? memory_find(w->grid->memory, address, bytes) : NULL;

	if (!a || a->flags & (ALLOCATION_READ_ONLY | ALLOCATION_HEAP))
		return;
	if (address % 4 || bytes % 4)
		touch(f, address, (u32)bytes, way, place);
	else
		touch_words(f, address, bytes, way, place);
}

static u32 ways_of(const struct account_site *s)
{
	const bool strong = race_role_of(s->form).does & RACE_STRONG;

	if (s->operation == ACCOUNT_LOAD || s->operation >= ACCOUNT_ASYNC)
		return 1u << (strong ? WAY_STRONG_READ : WAY_READ);
	return 1u << (strong || s->operation != ACCOUNT_STORE ? WAY_STRONG_WRITE : WAY_WRITE);
}

static const struct account_site *site_of(const struct footprints *f, const struct code *code, u32 insn)
{
	const u32 slot = f->sites->slots[code->index][insn];
	const struct account_site *s = slot && !(slot & SITE_GUARD) ? &f->sites->items[slot - 1] : NULL;

	return s && !s->in_frame &&
			       (s->space == SPACE_GLOBAL || s->space == SPACE_GENERIC || s->operation >= ACCOUNT_ASYNC)
		       ? s
		       : NULL;
}

/* What an instruction does to the order of memory, of enum race_role_bit. */
static u32 ordering_of(const struct code *code, u32 insn)
{
	const u32 origin = code->origin[insn];

	if (origin == NO_OPERAND || !code->forms[origin].row || !sites_is_own(code, insn))
		return 0;
	return race_role_of(&code->forms[origin]).does &
	       (RACE_FENCE | RACE_ACQUIRES | RACE_RELEASES | RACE_GRID_WAIT | RACE_GRID_LETS);
}

/* --- Launches that begin before the one before them has ended -------------------------------------------------- */

/* Of machine code nothing is known of its waits. */
static bool waits_somewhere(const struct program *p)
{
	for (u32 c = 0; c < p->code_count; c++) {
		const struct code *code = p->codes[c];
		for (u32 k = 0; k < code->insn_count; k++)
			if (code->function->machine || ordering_of(code, k) & RACE_GRID_WAIT)
				return true;
	}
	return false;
}

static bool has_waited(const struct footprints *f, const struct block *b)
{
	return b->grid->kernel->function->machine ||
	       (b->index / 64 < f->waited_words && f->have_waited[b->index / 64] >> b->index % 64 & 1);
}

/* What the block does from now on comes after earlier launches: some of its threads may still be early, but who waits for
 * whom within it is not looked at. */
static void wait(struct footprints *f, const struct block *b)
{
	const u64 word = b->index / 64, room = 2 * word + 16;

	if (word >= f->waited_words) {
		u64 *more = realloc(f->have_waited, room * sizeof *more);
		if (!more) {
			f->no_memory = true;
			return;
		}
		memset(more + f->waited_words, 0, (room - f->waited_words) * sizeof *more);
		f->have_waited = more;
		f->waited_words = room;
	}
	f->have_waited[word] |= 1ull << b->index % 64;
}

static void order(struct footprints *f, const struct block *b, u32 ordering)
{
	f->made->releases |= (ordering & (RACE_FENCE | RACE_RELEASES)) != 0;
	f->made->acquires |= (ordering & (RACE_FENCE | RACE_ACQUIRES)) != 0;
	f->made->lets |= (ordering & RACE_GRID_LETS) != 0;
	if (ordering & RACE_GRID_WAIT)
		wait(f, b);
}

static bool begin(struct footprints *f, const struct block *b)
{
	if (!f->made && !(f->made = calloc(1, sizeof *f->made)))
		return false;
	f->made->may_wait = f->may_wait;
	f->is_early = f->may_wait && !has_waited(f, b);
	return true;
}

/* Of machine code, textures are not followed. */
static enum texel_use texel_use(const struct code *code, u32 insn)
{
	const u32 origin = code->origin[insn];

	if (code->function->machine || origin == NO_OPERAND || !code->forms[origin].row || !sites_is_own(code, insn))
		return TEXEL_NONE;
	return texels_use(&code->forms[origin]);
}

static void touch_texels(struct footprints *f, struct warp *w, const struct insn *i, const u8 *rows, u32 mask,
			 enum texel_use use)
{
	const enum way way = use == TEXEL_STORE ? WAY_WRITE : use == TEXEL_REDUCE ? WAY_STRONG_WRITE : WAY_READ;
	const u16 place = place_number(f, w->frame->code, (u32)(i - grid_entry(w->grid, w->frame->code)));
	struct texel_range ranges[TEXEL_RANGES];

	for (u32 left = mask; left; left &= left - 1) {
		const u32 count = texels_of(w, i, rows, (u32)__builtin_ctz(left), ranges);
		for (u32 k = 0; k < count; k++)
			touch_range(f, w, ranges[k].address, ranges[k].bytes, way, place);
	}
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct footprints *f = context;
	const struct code *code = w->frame->code;
	const u32 insn = (u32)(i - grid_entry(w->grid, code)), ordering = ordering_of(code, insn);
	const struct account_site *s = site_of(f, code, insn);
	u64 base[WARP_LANES], address[WARP_LANES];

	if (!begin(f, w->block))
		return;
	order(f, w->block, ordering);
	const enum texel_use use = texel_use(code, insn);
	if (use != TEXEL_NONE)
		touch_texels(f, w, i, rows, mask, use);
	if (!s)
		return;
	const u32 ways = f->ways[s - f->sites->items];
	if (s->operation >= ACCOUNT_ASYNC)
		operand_addresses(s, i, rows, 2, base);
	else
		row_addresses(rows, i->a, i->imm, s->wide, base);
	if (!s->fragment) {
		touch_lanes(f, w, s, mask, ways, base, s->width);
		return;
	}
	const u64 stride = fragments_stride(s->fragment, s->code, s->form, i, rows, mask);
	for (u32 k = 0; k < s->fragment->count; k++) {
		fragments_address(s->fragment, k, base, stride, address);
		touch_lanes(f, w, s, mask, ways, address, s->fragment->access[k].bytes);
	}
}

static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	gang_before_each(g, i, before, context);
}

static bool wants(void *context, const struct code *code, u32 insn)
{
	return !code->function->listing &&
	       (site_of(context, code, insn) || ordering_of(code, insn) || texel_use(code, insn) != TEXEL_NONE);
}

void footprints_range(struct footprints *f, const struct warp *w, const struct insn *i, u64 address, u64 bytes,
		      bool writes, bool reduces)
{
	const struct code *code = w->frame->code;

	if (!begin(f, w->block))
		return;
	touch_range(f, w, address, bytes,
		    reduces  ? WAY_STRONG_WRITE
		    : writes ? WAY_WRITE
			     : WAY_READ,
		    place_number(f, code, (u32)(i - grid_entry(w->grid, code))));
}

/* --- Around the run ----------------------------------------------------------------------------- */

struct footprints *footprints_new(struct arena *arena, const struct check_sites *where, const struct site_list *sites)
{
	struct footprints *f = ARENA_NEW(arena, struct footprints);
	const struct program *p = where->program;

	f->observer = (struct observer){.context = f, .wants = wants, .before = before, .gang_before = gang_before};
	f->where = where;
	f->sites = sites;
	f->numbers = ARENA_ARRAY(arena, p->code_count + 1, u16 *);
	f->ways = ARENA_ARRAY(arena, sites->count + 1, u8);
	for (u32 k = 0; k < sites->count; k++)
		f->ways[k] = (u8)ways_of(&sites->items[k]);
	for (u32 c = 0; c < p->code_count; c++)
		f->numbers[c] = ARENA_ARRAY(arena, p->codes[c]->insn_count + 1, u16);
	f->may_wait = waits_somewhere(p);
	return f;
}

struct observer *footprints_observer(struct footprints *f) { return &f->observer; }

/* Words of a place that outlive the program. */
static void keep_place(const struct check_sites *where, struct touched_place *p)
{
	struct fault_place found;
	u32 insn;
	const struct code *code = check_site_code(where, p->site, &insn);

	fault_find_place(code, insn, &found);
	p->text = (struct fault_place){.line = found.line, .column = found.column, .source_line = found.source_line};
	p->text.file = found.file ? strdup(found.file) : NULL;
	p->text.function = found.function ? strdup(found.function) : NULL;
	p->text.source = found.source ? strdup(found.source) : NULL;
}

static void forget_waits(struct footprints *f)
{
	free(f->have_waited);
	f->have_waited = NULL;
	f->waited_words = 0;
}

struct footprint *footprints_take(struct footprints *f)
{
	struct footprint *made = f->made;

	f->made = NULL;
	forget_waits(f);
	if (!made || f->no_memory) {
		footprint_free(made);
		return NULL;
	}
	for (u32 k = 0; k < made->place_count; k++)
		keep_place(f->where, &made->places[k]);
	return made;
}

void footprints_free(struct footprints *f)
{
	footprint_free(f->made);
	f->made = NULL;
	forget_waits(f);
}

static void free_pages(struct page_set *s)
{
	for (u32 k = 0; s && k < BUCKETS; k++)
		for (struct page *p = s->buckets[k], *next; p; p = next) {
			next = p->next;
			free(p);
		}
}

void footprint_free(struct footprint *f)
{
	if (!f)
		return;
	free_pages(&f->all);
	free_pages(f->early);
	free(f->early);
	for (u32 k = 0; k < f->place_count; k++) {
		free((void *)(uintptr_t)f->places[k].text.file);
		free((void *)(uintptr_t)f->places[k].text.function);
		free((void *)(uintptr_t)f->places[k].text.source);
	}
	free(f->places);
	free(f->ranges);
	free(f);
}

bool footprint_add(struct footprint **f, u64 address, u64 bytes, bool writes, const char *what)
{
	if (!*f && !(*f = calloc(1, sizeof **f)))
		return false;
	struct footprint *x = *f;
	if (x->range_count == x->range_room) {
		const u32 room = 2 * x->range_room + 2;
		struct range *more = realloc(x->ranges, room * sizeof *more);
		if (!more)
			return false;
		x->ranges = more;
		x->range_room = room;
	}
	x->ranges[x->range_count++] = (struct range){address, address + bytes, writes, what};
	return true;
}

static u64 word_address(const struct page *p, u32 word) { return (p->number * PAGE_WORDS + word) * 4; }

static void forget_pages(struct page_set *s, u64 address, u64 bytes)
{
	for (u32 k = 0; s && k < BUCKETS; k++)
		for (struct page *p = s->buckets[k]; p; p = p->next)
			for (u32 n = 0; n < PAGE_WORDS; n++)
				for (u32 way = 0; way < WAYS; way++)
					if (word_address(p, n) - address < bytes)
						p->bytes[way][n] = 0;
}

void footprint_forget(struct footprint *f, u64 address, u64 bytes)
{
	for (u32 k = 0; k < f->range_count; k++)
		if (f->ranges[k].low < address + bytes && f->ranges[k].high > address)
			f->ranges[k].high = f->ranges[k].low;
	forget_pages(&f->all, address, bytes);
	forget_pages(f->early, address, bytes);
}

/* --- Comparing ------------------------------------------------------------------------------------ */

static bool is_write(u32 way) { return way == WAY_WRITE || way == WAY_STRONG_WRITE; }

static bool do_clash(u32 way, u32 other)
{
	return (is_write(way) || is_write(other)) && (way < WAY_STRONG_READ || other < WAY_STRONG_READ);
}

struct clashes {
	const struct footprint *a, *b;
	struct footprint_clash *to;
	u32 room, count;
	u32 pairs[16]; /* told: a's place, b's place */
};

static void add_range(struct clashes *c, const struct footprint_clash *clash)
{
	for (u32 k = 0; k < c->count; k++)
		if (c->to[k].at.function == clash->at.function && c->to[k].other.function == clash->other.function &&
		    c->to[k].at.line == clash->at.line && c->to[k].other.line == clash->other.line)
			return;
	if (c->count < c->room && c->count < COUNT_OF(c->pairs)) {
		c->pairs[c->count] = 0;
		c->to[c->count++] = *clash;
	}
}

/* A copy, and what a kernel has done. */
static void compare_range(struct clashes *c, const struct range *r, const struct footprint *f, bool is_first)
{
	const struct fault_place copy = {.function = r->what};

	for (u32 k = 0; r->low < r->high && k < BUCKETS; k++)
		for (const struct page *p = f->all.buckets[k]; p; p = p->next) {
			if (word_address(p, PAGE_WORDS) <= r->low || word_address(p, 0) >= r->high)
				continue;
			for (u32 n = 0; n < PAGE_WORDS; n++)
				for (u32 way = 0; way < WAYS; way++) {
					const u64 at = word_address(p, n);
					const bool meets = at < r->high && at + 4 > r->low && p->bytes[way][n];
					if (!meets || !(r->writes || is_write(way)))
						continue;
					const struct fault_place *kernel = &f->places[p->by[way][n] - 1].text;
					add_range(c, &(struct footprint_clash){
							     .address = max_u64(at, r->low),
							     .writes = is_first ? r->writes : is_write(way),
							     .other_writes = is_first ? is_write(way) : r->writes,
							     .at = is_first ? copy : *kernel,
							     .other = is_first ? *kernel : copy});
				}
		}
}

static void compare_ranges(struct clashes *c)
{
	for (u32 k = 0; k < c->a->range_count; k++)
		for (u32 n = 0; n < c->b->range_count; n++) {
			const struct range *x = &c->a->ranges[k], *y = &c->b->ranges[n];
			if (x->low < y->high && y->low < x->high && x->low < x->high && y->low < y->high &&
			    (x->writes || y->writes))
				add_range(c, &(struct footprint_clash){.address = max_u64(x->low, y->low),
								       .writes = x->writes,
								       .other_writes = y->writes,
								       .at = {.function = x->what},
								       .other = {.function = y->what}});
		}
	for (u32 k = 0; k < c->a->range_count; k++)
		compare_range(c, &c->a->ranges[k], c->b, true);
	for (u32 k = 0; k < c->b->range_count; k++)
		compare_range(c, &c->b->ranges[k], c->a, false);
}

static void add(struct clashes *c, u64 address, u32 way, u16 by, u32 other_way, u16 other)
{
	const u32 pair = (u32)by << 16 | other;

	for (u32 k = 0; k < c->count; k++)
		if (c->pairs[k] == pair)
			return;
	if (c->count == c->room || c->count == COUNT_OF(c->pairs))
		return;
	c->pairs[c->count] = pair;
	c->to[c->count++] = (struct footprint_clash){.address = address,
						     .writes = is_write(way),
						     .other_writes = is_write(other_way),
						     .at = c->a->places[by - 1].text,
						     .other = c->b->places[other - 1].text};
}

static void compare_pages(struct clashes *c, const struct page *p, const struct page *q)
{
	for (u32 way = 0; way < WAYS; way++)
		for (u32 other = 0; other < WAYS; other++)
			for (u32 n = 0; do_clash(way, other) && n < PAGE_WORDS; n++)
				if (p->bytes[way][n] & q->bytes[other][n])
					add(c, word_address(p, n), way, p->by[way][n], other, q->by[other][n]);
}

/* Is there a flag in the page that the first launch writes and the other one looks at? */
static bool has_flag(const struct page *p, const struct page *q)
{
	for (u32 n = 0; n < PAGE_WORDS; n++)
		if (p->bytes[WAY_STRONG_WRITE][n] & (q->bytes[WAY_STRONG_READ][n] | q->bytes[WAY_STRONG_WRITE][n]))
			return true;
	return false;
}

static bool tells(const struct footprint *f, const struct footprint *other)
{
	for (u32 k = 0; f->releases && other->acquires && k < BUCKETS; k++)
		for (const struct page *p = f->all.buckets[k]; p; p = p->next)
			for (const struct page *q = other->all.buckets[k]; q; q = q->next)
				if (q->number == p->number && has_flag(p, q))
					return true;
	return false;
}

static void compare_sets(struct clashes *c, const struct page_set *s, const struct page_set *other)
{
	for (u32 k = 0; k < BUCKETS; k++)
		for (const struct page *p = s->buckets[k]; p; p = p->next)
			for (const struct page *q = other->buckets[k]; q; q = q->next)
				if (q->number == p->number)
					compare_pages(c, p, q);
}

u32 footprint_early_clashes(const struct footprint *f, const struct footprint *other, struct footprint_clash *to,
			    u32 room)
{
	struct clashes c = {.a = f, .b = other, .to = to, .room = room};
	const struct page_set *early = f->may_wait ? f->early : &f->all;

	if (other->lets && early && !tells(f, other) && !tells(other, f))
		compare_sets(&c, early, &other->all);
	return c.count;
}

u32 footprint_clashes(const struct footprint *f, const struct footprint *other, struct footprint_clash *to, u32 room)
{
	struct clashes c = {.a = f, .b = other, .to = to, .room = room};

	/* Launches that run side by side may wait for each other's flags: which accesses that orders is not known here. */
	if (tells(f, other) || tells(other, f))
		return 0;
	compare_ranges(&c);
	compare_sets(&c, &f->all, &other->all);
	return c.count;
}
