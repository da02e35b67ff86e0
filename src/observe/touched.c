/* SPDX-License-Identifier: Apache-2.0
 *
 * Masks of touched bytes: the pages' tables, what an access sets in them, and which instructions are accesses.
 *
 * Who asks: ranks, which exchange the bytes that other processes' blocks have written, and may have to undo a launch
 * and run it on one process. For each page of global memory that a kernel touches:
 *
 *  struct touched_page   read, written, reduced: a bit for each byte
 *                        image: the page as it was before the first write (if asked for)
 *
 * Workers share the masks: bits are set atomically, and only if they are not set yet, so that a page that many read
 * stays in all caches. Pages are made under the lock, and found without it.
 */
#include "observe/touched.h"

#include <stdlib.h>
#include <string.h>

#include "decode/form_address.h"
#include "exec/gang.h"
#include "isa/form.h"
#include "observe/classes.h"
#include "observe/sites.h"

struct touched {
	struct observer observer;
	const struct program *program;
	struct site_list sites;
	u32 *bytes; /* by site: of a lane's access, in full */
	u32 *hints; /* by site: the range of its last access */
	bool keep_images, no_memory;
	pthread_mutex_t lock; /* of what is made while the kernel runs */
	struct touched_range *ranges;
	u32 count;
};

/* --- Pages ---------------------------------------------------------------------------------- */

static void free_pages(struct touched *t)
{
	for (u32 r = 0; r < t->count; r++) {
		struct touched_range *range = &t->ranges[r];
		for (u64 p = 0; range->pages && p < range->page_count; p++) {
			if (range->pages[p])
				free(range->pages[p]->image);
			free(range->pages[p]);
		}
		free(range->pages);
	}
	free(t->ranges);
	t->ranges = NULL;
	t->count = 0;
}

void touched_free(struct touched *t)
{
	free_pages(t);
	pthread_mutex_destroy(&t->lock);
}

/* Forgets the launch before. False: there is no memory. */
bool touched_begin(struct touched *t, const struct memory *m)
{
	free_pages(t);
	t->no_memory = false;
	t->ranges = calloc(m->count + 1ull, sizeof *t->ranges);
	if (!t->ranges)
		return false;
	for (u32 k = 0; k < m->count; k++) {
		const struct allocation *a = &m->list[k];
		if (!a->size)
			continue;
		struct touched_range *r = &t->ranges[t->count++];
		*r = (struct touched_range){.base = a->base, .size = a->size, .host = a->host};
		r->page_count = (a->size + TOUCHED_PAGE - 1) / TOUCHED_PAGE;
		r->pages = calloc(r->page_count, sizeof *r->pages);
		if (!r->pages)
			return false;
	}
	return true;
}

/* The last page of an allocation is shorter. */
static u64 page_bytes(const struct touched_range *r, u64 page)
{
	return min_u64(TOUCHED_PAGE, r->size - page * TOUCHED_PAGE);
}

/* Makes a page or its image, if another thread has not done so meanwhile. Where there is no memory, that is kept
 * (no_memory): the masks are not whole then, and nobody relies on them. */
static struct touched_page *page_make(struct touched *t, struct touched_range *r, u64 number, bool writes)
{
	struct touched_page *p;

	pthread_mutex_lock(&t->lock);
	p = r->pages[number];
	if (!p) {
		p = calloc(1, sizeof *p);
		__atomic_store_n(&r->pages[number], p, __ATOMIC_RELEASE);
	}
	if (p && writes && t->keep_images && !p->image) {
		u8 *image = malloc(TOUCHED_PAGE);
		if (image) {
			memcpy(image, r->host + number * TOUCHED_PAGE, page_bytes(r, number));
			__atomic_store_n(&p->image, image, __ATOMIC_RELEASE);
		}
		t->no_memory |= !image;
	}
	t->no_memory |= !p;
	pthread_mutex_unlock(&t->lock);
	return p;
}

static struct touched_page *page_of(struct touched *t, struct touched_range *r, u64 number, bool writes)
{
	struct touched_page *p = __atomic_load_n(&r->pages[number], __ATOMIC_ACQUIRE);
	const bool wants_image = writes && t->keep_images;

	if (__builtin_expect(p && (!wants_image || __atomic_load_n(&p->image, __ATOMIC_ACQUIRE)), 1))
		return p;
	return page_make(t, r, number, writes);
}

static void set_bits(u64 *words, u32 first, u32 count)
{
	while (count) {
		const u32 at = first % 64, n = min_u32(64 - at, count);
		const u64 bits = (n == 64 ? ~0ull : (1ull << n) - 1) << at;
		u64 *word = &words[first / 64];
		if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bits) != bits)
			__atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
		first += n;
		count -= n;
	}
}

enum touch { TOUCH_READ, TOUCH_WRITE, TOUCH_REDUCE };

static bool holds(const struct touched_range *r, u64 address) { return address - r->base < r->size; }

/* The range that holds the address, by binary search; NULL: none does. */
static struct touched_range *range_of(const struct touched *t, u32 *hint, u64 address)
{
	const u32 near = __atomic_load_n(hint, __ATOMIC_RELAXED);
	u32 low = 0, high = t->count;

	if (near < t->count && holds(&t->ranges[near], address))
		return &t->ranges[near];
	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		if (t->ranges[middle].base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !holds(&t->ranges[low - 1], address))
		return NULL;
	__atomic_store_n(hint, low - 1, __ATOMIC_RELAXED);
	return &t->ranges[low - 1];
}

/* What is not allocated is told by the access itself. */
static void touch(struct touched *t, u32 *hint, enum touch how, u64 address, u64 bytes)
{
	struct touched_range *r = range_of(t, hint, address);

	if (!r)
		return;
	u64 at = address - r->base, end = min_u64(at + bytes, r->size);
	while (at < end) {
		const u64 number = at / TOUCHED_PAGE, n = min_u64(end, (number + 1) * TOUCHED_PAGE) - at;
		struct touched_page *p = page_of(t, r, number, how != TOUCH_READ);
		if (!p)
			return;
		set_bits(how == TOUCH_READ    ? p->read
			 : how == TOUCH_WRITE ? p->written
					      : p->reduced,
			 (u32)(at % TOUCHED_PAGE), (u32)n);
		at += n;
	}
}

/* --- Accesses ------------------------------------------------------------------------------- */

static void touch_lanes(struct touched *t, u32 *hint, enum touch how, const struct warp *w, enum ir_space space,
			u32 mask, const u64 address[WARP_LANES], u32 bytes)
{
	u64 first = address[0], end = address[WARP_LANES - 1];

	/* The windows of the other spaces are larger than a row. */
	if (mask == FULL_MASK && addresses_are_dense(address, bytes) &&
	    (space == SPACE_GLOBAL ||
	     (generic_space(w, &first) == SPACE_GLOBAL && generic_space(w, &end) == SPACE_GLOBAL))) {
		touch(t, hint, how, address[0], (u64)WARP_LANES * bytes);
		return;
	}
	u64 last = 0;
	for (u32 left = mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		u64 offset = address[l];
		if (left != mask && address[l] == last)
			continue;
		last = address[l];
		if (space == SPACE_GLOBAL || generic_space(w, &offset) == SPACE_GLOBAL)
			touch(t, hint, how, address[l], bytes);
	}
}

static void access(struct touched *t, u32 site, const struct warp *w, const struct insn *i, const u8 *rows, u32 mask)
{
	const struct account_site *s = &t->sites.items[site];
	const enum touch how = s->operation == ACCOUNT_STORE                                 ? TOUCH_WRITE
			       : s->operation == ACCOUNT_ATOM || s->operation == ACCOUNT_RED ? TOUCH_REDUCE
											     : TOUCH_READ;
	u64 address[WARP_LANES];

	if (s->operation >= ACCOUNT_ASYNC) {
		operand_addresses(s, i, rows, 2, address);
		touch_lanes(t, &t->hints[site], TOUCH_READ, w, SPACE_GLOBAL, mask, address, t->bytes[site]);
		return;
	}
	row_addresses(rows, i->a, i->imm, s->wide, address);
	if (!s->fragment) {
		touch_lanes(t, &t->hints[site], how, w, s->space, mask, address, t->bytes[site]);
		return;
	}
	const u64 stride = fragments_stride(s->fragment, s->code, s->form, i, rows, mask);
	for (u32 k = 0; k < s->fragment->count; k++) {
		u64 part[WARP_LANES];
		fragments_address(s->fragment, k, address, stride, part);
		touch_lanes(t, &t->hints[site], how, w, s->space, mask, part, s->fragment->access[k].bytes);
	}
}

static void before(void *context, struct warp *w, const struct insn *i, u8 *rows, u32 mask)
{
	struct touched *t = context;
	const u32 code = w->frame->code->index, site = t->sites.slots[code][i - w->grid->insns[code]];

	if (mask)
		access(t, site - 1, w, i, rows, mask);
}

static bool natively(void *context, const struct block *b)
{
	(void)context, (void)b;
	return true;
}

static void gang_before(void *context, const struct gang *g, const struct insn *i)
{
	struct touched *t = context;
	const u32 site = t->sites.slots[g->code->index][i - g->plain] - 1;
	const struct warp *w = g->warps;

	if (g->on)
		EACH_MEMBER (g, one)
			access(t, site, one->warp, i, one->rows, one->mask);
	else
		EACH_WARP (g)
			access(t, site, w++, i, rows, FULL_MASK);
}

/* --- Before the run ------------------------------------------------------------------------- */

/* Whether the site may reach global memory. */
static bool is_global(const struct account_site *s) { return s->space == SPACE_GLOBAL || s->space == SPACE_GENERIC; }

static bool wants(void *context, const struct code *code, u32 insn)
{
	const struct touched *t = context;
	const u32 site = t->sites.slots[code->index][insn];

	return site && !(site & SITE_GUARD) && is_global(&t->sites.items[site - 1]);
}

static u32 site_bytes(const struct account_site *s)
{
	if (s->operation >= ACCOUNT_ASYNC)
		return s->width;
	return form_vector(s->form) * type_bits(form_type(s->form, 0)) / 8;
}

struct touched *touched_new(struct arena *arena, const struct program *program, bool keep_images)
{
	static const struct accounting_options none;
	struct touched *t = ARENA_NEW(arena, struct touched);

	t->program = program;
	t->keep_images = keep_images;
	t->sites = sites_find(arena, program, &none);
	t->bytes = ARENA_ARRAY(arena, t->sites.count + 1, u32);
	t->hints = ARENA_ARRAY(arena, t->sites.count + 1, u32);
	for (u32 k = 0; k < t->sites.count; k++)
		t->bytes[k] = site_bytes(&t->sites.items[k]);
	t->observer = (struct observer){
		.context = t, .wants = wants, .before = before, .gang_before = gang_before, .natively = natively};
	pthread_mutex_init(&t->lock, NULL);
	return t;
}

struct observer *touched_observer(struct touched *t) { return &t->observer; }

bool touched_is_whole(const struct touched *t) { return !t->no_memory; }

const struct touched_range *touched_ranges(const struct touched *t, u32 *count)
{
	*count = t->count;
	return t->ranges;
}

/* Puts back all pages that were written. */
void touched_undo(const struct touched *t)
{
	for (u32 k = 0; k < t->count; k++) {
		const struct touched_range *r = &t->ranges[k];
		for (u64 p = 0; p < r->page_count; p++)
			if (r->pages[p] && r->pages[p]->image)
				memcpy(r->host + p * TOUCHED_PAGE, r->pages[p]->image, page_bytes(r, p));
	}
}

/* --- What is not seen ----------------------------------------------------------------------- */

static bool has_address(const struct form *f)
{
	struct operand_spec specs[FORM_OPERANDS];
	const u32 count = isa_operand_specs(f, specs);

	for (u32 k = 0; k < count; k++)
		if (specs[k].kind == '@' || specs[k].kind == 'T' || specs[k].kind == 'X' || specs[k].kind == 'S')
			return true;
	return false;
}

/* Instructions with addresses that are not sites and may mean global memory. Of those that name shared memory alone,
 * and of mbarriers, which lie there, nothing need be known. */
static bool is_unseen(const struct form *f)
{
	const enum ir_space space = form_space(f);

	if (f->row->traits & TRAIT_MBARRIER || !has_address(f))
		return false;
	return form_has(f, M_global) || (space != SPACE_SHARED && space != SPACE_LOCAL && space != SPACE_PARAM);
}

static const char *unseen_in(struct arena *arena, const struct code *code, const struct site_list *sites)
{
	for (u32 k = 0; k < code->insn_count; k++) {
		const u32 origin = code->origin[k];
		if (origin == NO_OPERAND || !sites_is_own(code, k) || !code->forms[origin].row ||
		    sites->slots[code->index][k])
			continue;
		if (is_unseen(&code->forms[origin])) {
			const struct place_of at = place_find(code, origin);
			return arena_printf(arena, "line %u uses %.*s, whose accesses are not followed", at.line,
					    (int)strcspn(at.text, " \t\n;"), at.text);
		}
	}
	return NULL;
}

/* Why a kernel's accesses cannot all be followed; NULL: they can. */
const char *touched_refuses(struct arena *arena, const struct program *program, const struct kernel *kernel)
{
	static const struct accounting_options none;

	if (kernel->function->listing)
		return "accesses of listings are not followed";
	const struct site_list sites = sites_find(arena, program, &none);
	const char *why = unseen_in(arena, kernel->code, &sites);
	for (u32 k = 0; k < kernel->function_count && !why; k++)
		why = unseen_in(arena, kernel->functions[k].code, &sites);
	return why;
}
