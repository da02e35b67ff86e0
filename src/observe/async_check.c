/* SPDX-License-Identifier: Apache-2.0
 *
 * The faults of programs that do not wait for their asynchronous operations.
 *
 * Shared memory has a shadow, one entry a word, that names the newest operation which will write or may
 * read the word; numbers of operations that are over mean nothing, so nothing has to be cleared.
 * Global memory is compared with the ranges of the operations under way, which are few. What only another
 * warp has waited for may be touched after that warp has met others by whatever orders memory; that
 * both of them met is not checked, so no correct program is refused.
 *
 *      shadow word    writer  | number of the operation, lane |   0: none     lane: who issued it
 *                     reader  | number of the operation, lane |
 *                     told, site, when, by                        newest ordinary store, for the proxy fence
 *
 *      operation      pending   lanes whose bytes have not been waited for by their own warp
 *                     held      the same, as other warps see it: until the warp has met others after waiting
 *                     reading, held_reading   likewise for what the operation still reads
 *                     counted, home, phase    lanes that an mbarrier waits for, and in which phase it does
 *
 * `now` counts moments at which a warp met others or fenced; times are compared with it, never with a clock.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "observe/async_records.h"

/* --- Operations ----------------------------------------------------------------------------- */

/* Called when an instruction starts an operation; `range` then enters what it reads and writes. */
static struct async_op *issue(struct warp *w, const struct insn *i, u32 mask, enum async_kind kind, bool reduces)
{
	struct async_op *op = async_record_new(async_records_of(w));

	op->kind = kind;
	op->reduces = reduces;
	op->warp = w;
	op->code = w->frame->code;
	op->insn = async_insn_number(w, i);
	op->pending = op->held = op->reading = op->held_reading = mask;
	if (kind < ASYNC_GROUP_KINDS)
		memcpy(op->group, async_of(w)->groups[async_warp_number(w)][kind], sizeof op->group);
	return op;
}

static struct async_op *again(struct warp *w, struct async_op *op)
{
	struct async_op *more = async_record_new(async_records_of(w));

	more->kind = op->kind;
	more->reduces = op->reduces;
	more->warp = w;
	more->code = op->code;
	more->insn = op->insn;
	more->pending = more->held = more->reading = more->held_reading = op->pending;
	return more;
}

/* Bytes that no mbarrier counts cannot be waited for: such a record would never end. */
static void issued(struct warp *w, struct async_op *op)
{
	if (op->kind == ASYNC_BYTES && !op->counted)
		async_record_end(async_records_of(w), op);
}

static const struct async_strict *strict_of(const struct warp *w)
{
	return (const struct async_strict *)w->grid->async_checker;
}

/* Does anyone want to be told of the operation? */
static bool is_heard(const struct async_strict *s, const struct async_op *op)
{
	return s->listener && op->kind != ASYNC_COPY;
}

/* --- Who may touch what --------------------------------------------------------------------- */

/* The operation behind a shadow's number if the warp must not touch what it writes (or reads). */
static const struct async_op *in_the_way(const struct async_records *c, u32 number, const struct warp *w,
					 bool of_reader)
{
	const struct async_op *op = number ? async_find(c, number >> ASYNC_LANE_BITS) : NULL;
	const u32 bit = 1u << (number & ((1u << ASYNC_LANE_BITS) - 1));

	if (!op || !((of_reader ? op->held_reading : op->held) & bit))
		return NULL;
	if (op->counted & bit && op->home == w->block && op->seen >> w->index & 1)
		return NULL;
	if (op->warp == w && !((of_reader ? op->reading : op->pending) & bit))
		return NULL;
	return op;
}

/* Raises the fault: what is touched, by whom it is in use, and whether waiting or a barrier is missing. Always
 * false. */
static bool refuse(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address, bool is_store,
		   const struct async_op *op, bool of_reader)
{
	const u32 left = of_reader ? op->reading : op->pending;
	char place[ASYNC_PLACE_TEXT];

	const struct fault_act other = async_act(op);
	async_place(op->code, op->insn, place);
	warp_fault_beside(w, i, FAULT_ASYNC, 1u << lane, of_reader ? FAULT_ROLE_READS : FAULT_ROLE_WRITES, &other,
			  "%s %s address 0x%llx, which %s (warp %u) %s: %s", is_store ? "writes" : "reads",
			  space == SPACE_SHARED ? "shared" : "global", (unsigned long long)address, place,
			  op->warp->index, of_reader ? "may still read" : "is still writing",
			  left || op->warp == w ? "the program has not waited for it"
						: "that warp has waited for it, but no barrier has followed");
	return false;
}

/* The async proxy reads what an ordinary store wrote: some fence of the proxy must lie between, of the
 * writer, or of another that the writer had met before. */
static bool is_fenced(const struct async_records *c, const struct async_shadow *s)
{
	const struct async_warp *by = &c->warps[s->by];

	return by->fence_time > s->when || (by->sync_time > s->when && c->fence_time > s->when);
}

static bool refuse_unfenced(struct warp *w, const struct insn *i, u32 lane, u64 address, const struct async_shadow *s)
{
	char place[ASYNC_PLACE_TEXT];

	struct fault_act other = {.block = w->block->index, .thread = s->by % w->block->warp_count * WARP_LANES};
	other.code = async_site_code(w->grid, s->site, &other.insn);
	async_place(other.code, other.insn, place);
	warp_fault_beside(
		w, i, FAULT_ASYNC, 1u << lane, FAULT_ROLE_WRITES, &other,
		"reads shared address 0x%llx through the async proxy; %s (warp %u) wrote it through the generic "
		"proxy, and no "
		"fence.proxy.async came between",
		(unsigned long long)address, place, s->by % w->block->warp_count);
	return false;
}

/* --- What operations read and write --------------------------------------------------------- */

/* Enters the operation in the shadow of each word, after looking who is there. Reductions may meet on one word. */
static bool shared_words(struct warp *w, const struct insn *i, struct async_op *op, u32 lane, struct block *b,
			 u64 offset, u64 size, bool is_store)
{
	struct async_records *c = async_records_of(w);
	struct async_shadow *shadow = c->shadow[b->cluster_rank];
	const u32 number = op->id << ASYNC_LANE_BITS | lane;

	for (u64 word = offset / 4; word < (offset + size + 3) / 4; word++) {
		struct async_shadow *s = &shadow[word];
		const struct async_op *other = in_the_way(c, s->writer, w, false);
		if (other && other != op && !(other->reduces && op->reduces && is_store))
			return refuse(w, i, lane, SPACE_SHARED, word * 4, is_store, other, false);
		other = is_store ? in_the_way(c, s->reader, w, true) : NULL;
		if (other && other != op)
			return refuse(w, i, lane, SPACE_SHARED, word * 4, true, other, true);
		if (!is_store && s->told && !is_fenced(c, s))
			return refuse_unfenced(w, i, lane, word * 4, s);
		if (!is_store) {
			s->reader = number;
			continue;
		}
		s->writer = number;
		/* Of cp.async, too: compilers feed wgmma by it with no fence, and the hardware's results are right. */
		s->told = false;
	}
	return true;
}

/* An operation under way whose global bytes an access would disturb. */
static const struct async_op *global_in_the_way(const struct async_records *c, const struct warp *w, u64 low, u64 high,
						bool is_store, const struct async_op *self, bool *of_reader)
{
	for (const struct async_op *op = c->live; op; op = op->next) {
		if (op == self || low >= op->high || high <= op->low || (self && self->reduces && op->reduces))
			continue;
		for (size_t k = 0; k < op->global.count; k++) {
			const struct async_bytes *r = &op->global.items[k];
			if (low >= r->high || high <= r->low || (!r->is_store && !is_store))
				continue;
			*of_reader = !r->is_store;
			if (in_the_way(c, op->id << ASYNC_LANE_BITS | r->lane, w, *of_reader))
				return op;
		}
	}
	return NULL;
}

/* Bytes that an operation reads or writes, for one lane. False: another operation is in the way, and the fault is
 * raised. */
static bool enter(struct warp *w, const struct insn *i, struct async_op *op, u32 lane, enum ir_space space, u64 address,
		  u64 size, bool is_store)
{
	struct async_records *c = async_records_of(w);
	bool of_reader = false;

	if (space == SPACE_SHARED) {
		struct block *b = shared_owner(w, address);
		return !b || shared_words(w, i, op, lane, b, address & ((1u << SHARED_RANK_SHIFT) - 1), size, is_store);
	}
	if (space != SPACE_GLOBAL)
		return true;
	const struct async_op *other = global_in_the_way(c, w, address, address + size, is_store, op, &of_reader);
	if (other)
		return refuse(w, i, lane, SPACE_GLOBAL, address, is_store, other, of_reader);
	const struct async_bytes r = {address, address + size, (u8)lane, is_store};
	VEC_PUSH(c->arena, &op->global, r);
	op->low = min_u64(op->low, r.low);
	op->high = max_u64(op->high, r.high);
	return true;
}

static bool range(struct warp *w, const struct insn *i, struct async_op *op, u32 lane, enum ir_space space, u64 address,
		  u64 size, bool is_store)
{
	const struct async_strict *s = strict_of(w);

	if (!size)
		return true;
	if (space == SPACE_GENERIC)
		space = generic_space(w, &address);
	if (!enter(w, i, op, lane, space, address, size, is_store))
		return false;
	if (is_heard(s, op) && (space == SPACE_SHARED || space == SPACE_GLOBAL))
		s->listener->range(s->context, w, i, op, lane, space, address, size, is_store);
	return true;
}

/* An ordinary access by a lane. A store also overwrites mbarriers there, and is noted for later reads through the
 * proxy. */
static bool access_shared(struct warp *w, const struct insn *i, u32 lane, struct block *b, u64 offset, u32 size,
			  bool is_store)
{
	struct async_records *c = async_records_of(w);
	struct async_shadow *shadow = c->shadow[b->cluster_rank];

	for (u64 word = offset / 4; word < (offset + size + 3) / 4 && word < (b->shared_bytes + 3) / 4; word++) {
		struct async_shadow *s = &shadow[word];
		const struct async_op *op = in_the_way(c, s->writer, w, false);
		if (op)
			return refuse(w, i, lane, SPACE_SHARED, word * 4, is_store, op, false);
		op = is_store ? in_the_way(c, s->reader, w, true) : NULL;
		if (op)
			return refuse(w, i, lane, SPACE_SHARED, word * 4, true, op, true);
		if (!is_store)
			continue;
		c->mbarriers[b->cluster_rank][word / 2].expects = 0;
		if (!w->grid->async_watch->proxy_reads)
			continue;
		s->told = true;
		s->site = async_site_of(w, i);
		s->when = c->now;
		s->by = (u16)async_warp_number(w);
		c->touched = true;
	}
	return true;
}

static bool access_bytes(struct warp *w, const struct insn *i, u32 lane, enum ir_space space, u64 address, u32 size,
			 bool is_store)
{
	bool of_reader = false;

	if (space == SPACE_GENERIC)
		space = generic_space(w, &address);
	if (space == SPACE_SHARED) {
		struct block *b = shared_owner(w, address);
		return !b || access_shared(w, i, lane, b, address & ((1u << SHARED_RANK_SHIFT) - 1), size, is_store);
	}
	if (space != SPACE_GLOBAL)
		return true;
	const struct async_op *op =
		global_in_the_way(async_records_of(w), w, address, address + size, is_store, NULL, &of_reader);
	return !op || refuse(w, i, lane, SPACE_GLOBAL, address, is_store, op, of_reader);
}

/* --- Waiting -------------------------------------------------------------------------------- */

/* Lanes of the operation whose group is before `before`. */
static u32 lanes_before(const struct async_op *op, u32 mask, const u32 before[WARP_LANES])
{
	u32 lanes = 0;

	for (u32 left = mask & (op->pending | op->reading); left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		if (op->group[l] < before[l])
			lanes |= 1u << l;
	}
	return lanes;
}

/* cp.async.wait_group and its like: groups before `before` are over for the warp; with `reading` only their sources
 * are. */
static void waited(struct warp *w, enum async_kind kind, u32 mask, const u32 before[WARP_LANES], bool reading)
{
	for (struct async_op *op = async_records_of(w)->live; op; op = op->next) {
		if (op->warp != w || op->kind != kind)
			continue;
		const u32 lanes = lanes_before(op, mask, before);
		if (lanes && is_heard(strict_of(w), op))
			strict_of(w)->listener->waited(strict_of(w)->context, w, op, lanes, reading);
		op->reading &= ~lanes;
		if (!reading)
			op->pending &= ~lanes;
	}
}

/* --- mbarriers ------------------------------------------------------------------------------ */

/* The block that holds a host address, and the number of the 8 bytes there. */
static struct block *holder(const struct warp *w, const u8 *at, u32 *eighth)
{
	const struct cluster *c = w->block->cluster;

	for (u32 r = 0; r < c->count; r++) {
		struct block *b = c->blocks[r];
		if (at >= b->shared && at < b->shared + b->shared_bytes) {
			*eighth = (u32)(at - b->shared) / 8;
			return b;
		}
	}
	return NULL;
}

static void counts(struct warp *w, struct async_op *op, const u8 *mbarrier)
{
	u32 eighth;
	struct block *b = holder(w, mbarrier, &eighth);

	/* Bytes that come in parts count from the first. */
	if (!b || op->counted)
		return;
	struct async_mbarrier *m = &async_records_of(w)->mbarriers[b->cluster_rank][eighth];
	op->counted = op->pending;
	op->mbarrier = mbarrier;
	op->home = b;
	op->phase = m->phase;
	m->copy = w->grid->async_watch->bases[op->code->index] + op->insn + 1;
}

/* cp.async.mbarrier.arrive: the mbarrier takes over the lane's copies that nothing counts yet. */
static void bind(struct warp *w, u32 lane, const u8 *mbarrier)
{
	struct async_records *c = async_records_of(w);
	const u32 bit = 1u << lane;
	u32 eighth;
	struct block *b = holder(w, mbarrier, &eighth);

	if (!b)
		return;
	const u32 phase = c->mbarriers[b->cluster_rank][eighth].phase;
	for (struct async_op *op = c->live; op; op = op->next) {
		if (op->warp != w || op->kind != ASYNC_COPY || !(op->pending & bit) || op->counted & bit)
			continue;
		if (!op->counted) {
			op->mbarrier = mbarrier;
			op->home = b;
			op->phase = phase;
		}
		if (op->mbarrier == mbarrier && op->phase == phase) {
			op->counted |= bit;
		} else {
			/* A record knows one mbarrier: what another one tells of further lanes is believed. */
			op->pending &= ~bit;
			op->reading &= ~bit;
		}
	}
}

/* mbarrier.init (is_one), or inval. */
static void made(struct warp *w, const struct insn *i, const u8 *mbarrier, bool is_one)
{
	struct async_records *c = async_records_of(w);
	u32 eighth;
	const struct block *b = holder(w, mbarrier, &eighth);

	c->touched = true;
	if (!b)
		return;
	struct async_mbarrier *m = &c->mbarriers[b->cluster_rank][eighth];
	m->made = is_one;
	m->init = async_site_of(w, i) + 1;
	m->newest = m->copy = 0;
	m->came = 0;
	m->others = false;
}

static void arrived(struct warp *w, const struct insn *i, const u8 *mbarrier)
{
	u32 eighth;
	const struct block *b = holder(w, mbarrier, &eighth);

	if (!b)
		return;
	struct async_mbarrier *m = &async_records_of(w)->mbarriers[b->cluster_rank][eighth];
	m->newest = async_site_of(w, i) + 1;
	if (b == w->block)
		m->came |= 1u << w->index;
	else
		m->others = true;
}

static void phase(struct warp *w, const u8 *mbarrier)
{
	u32 eighth;
	const struct block *b = holder(w, mbarrier, &eighth);

	if (!b)
		return;
	const struct async_records *c = async_records_of(w);
	struct async_mbarrier *m = &c->mbarriers[b->cluster_rank][eighth];
	const struct async_strict *strict = strict_of(w);
	for (const struct async_op *op = strict->listener ? c->live : NULL; op; op = op->next)
		if (op->mbarrier == mbarrier && op->phase == m->phase && is_heard(strict, op))
			strict->listener->counted(strict->context, w, op);
	m->phase++;
	m->came = 0;
	m->others = false;
}

static void expects(struct warp *w, const struct insn *i, const u8 *mbarrier)
{
	struct async_records *c = async_records_of(w);
	u32 eighth;
	const struct block *b = holder(w, mbarrier, &eighth);

	c->touched = true;
	if (b)
		c->mbarriers[b->cluster_rank][eighth].expects = async_site_of(w, i) + 1;
}

/* A successful test or wait: the warp has seen the phases that are complete. */
static void observed(struct warp *w, const u8 *mbarrier)
{
	const struct async_records *c = async_records_of(w);
	u32 eighth;
	const struct block *b = holder(w, mbarrier, &eighth);

	if (b != w->block)
		return;
	struct async_mbarrier *m = &c->mbarriers[b->cluster_rank][eighth];
	m->asked = true;
	async_warp(w)->missed = NULL;
	for (struct async_op *op = c->live; op; op = op->next)
		if (op->mbarrier == mbarrier && (s32)(m->phase - op->phase) > 0)
			op->seen |= 1u << w->index;
}

static void missed(struct warp *w, const u8 *mbarrier) { async_warp(w)->missed = mbarrier; }

/* What completes its message. */
struct words {
	char *text;
	size_t length;
	const struct grid *grid;
};

static void __attribute__((format(printf, 2, 3))) say(struct words *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	const int n = vsnprintf(t->text + t->length, ASYNC_WAIT_TEXT - t->length, format, args);
	va_end(args);
	if (n > 0)
		t->length = min_u64(t->length + (u64)n, ASYNC_WAIT_TEXT - 1);
}

/* Nothing if `site`, which counts from 1, is 0. */
static void say_site(struct words *t, const char *what, u32 site)
{
	char place[ASYNC_PLACE_TEXT];

	if (!site)
		return;
	async_site_place(t->grid, site - 1, place);
	say(t, "%s%s", what, place);
}

static void say_known(struct words *t, const struct async_mbarrier *m)
{
	say_site(t, "; initialised by ", m->init);
	say_site(t, "; last arrival by ", m->newest);
	say_site(t, "; last copy by ", m->copy);
}

static void tell_mbarrier(struct warp *w, const u8 *mbarrier, char text[ASYNC_WAIT_TEXT])
{
	struct words t = {text, 0, w->grid};
	u32 eighth;
	const struct block *b = holder(w, mbarrier, &eighth);
	const struct async_mbarrier *m = b ? &async_records_of(w)->mbarriers[b->cluster_rank][eighth] : NULL;

	*text = 0;
	if (m && m->made)
		say_known(&t, m);
	else if (m && m->init)
		say_site(&t, "; it has been invalidated by ", m->init);
}

/* Completes the message of a deadlock: which mbarrier a warp waits for, and who used it last. */
static void tell_wait(const struct warp *w, char text[ASYNC_WAIT_TEXT])
{
	const struct async_warp *a = async_warp(w);
	struct words t = {text, 0, w->grid};
	u64 word;
	u32 eighth;

	const struct block *b = a->missed ? holder(w, a->missed, &eighth) : NULL;
	if (!b)
		return;
	memcpy(&word, a->missed, sizeof word);
	const struct async_mbarrier *m = &async_records_of(w)->mbarriers[b->cluster_rank][eighth];
	say(&t, "; the mbarrier at 0x%x, of which %u phase%s complete, waits for %u arrival%s", eighth * 8, m->phase,
	    m->phase == 1 ? " is" : "s are", mbarrier_pending(word), plural_s(mbarrier_pending(word)));
	if (m->expects) {
		say(&t, " and %d byte%s", mbarrier_bytes(word), mbarrier_bytes(word) == 1 ? "" : "s");
		say_site(&t, ", which it was told to expect last by ", m->expects);
	}
	say_known(&t, m);
}

/* --- Tensor maps ---------------------------------------------------------------------------- */

static void map_changed(struct warp *w, const struct insn *i, u64 address)
{
	struct async_records *c = async_records_of(w);

	if (generic_space(w, &address) != SPACE_GLOBAL)
		return;
	c->maps[c->map_count++ % ASYNC_MAPS] = (struct async_map){address, async_site_of(w, i), ++c->now};
	c->touched = true;
}

/* Only the last ASYNC_MAPS changes are remembered: older ones are taken as fenced. */
static bool map_used(struct warp *w, const struct insn *i, u32 lane, u64 address)
{
	const struct async_records *c = async_records_of(w);
	char place[ASYNC_PLACE_TEXT];

	if (generic_space(w, &address) != SPACE_GLOBAL)
		return true;
	for (u32 k = 0; k < min_u32(c->map_count, ASYNC_MAPS); k++) {
		if (c->maps[k].address != address || c->maps[k].when < c->map_fence_time)
			continue;
		async_site_place(w->grid, c->maps[k].site, place);
		warp_fault(w, i, FAULT_ASYNC, 1u << lane,
			   "uses the tensor map at 0x%llx, which %s changed, and no "
			   "fence.proxy.tensormap::generic.acquire came between",
			   (unsigned long long)address, place);
		return false;
	}
	return true;
}

/* --- Clusters ------------------------------------------------------------------------------- */

static void make_tables(struct async_records *r)
{
	const struct grid *grid = r->owner->grid;
	const u64 words = grid->shared_bytes / 4 + 2, eighths = grid->shared_bytes / 8 + 2;
	const u32 blocks = r->owner->cluster->count;

	r->shadow = ARENA_ARRAY(r->arena, blocks, struct async_shadow *);
	r->mbarriers = ARENA_ARRAY(r->arena, blocks, struct async_mbarrier *);
	for (u32 b = 0; b < blocks; b++) {
		r->shadow[b] = ARENA_ARRAY(r->arena, words, struct async_shadow);
		r->mbarriers[b] = ARENA_ARRAY(r->arena, eighths, struct async_mbarrier);
	}
	r->warps = ARENA_ARRAY(r->arena, blocks * grid->warps_per_block, struct async_warp);
	for (u32 k = 0; k < blocks * grid->warps_per_block; k++)
		r->warps[k].registers =
			ARENA_ARRAY(r->arena, grid->async_watch->register_count + 1, struct async_registers);
}

/* Between clusters. Shadows are cleared only if something was entered. */
static void clear_tables(struct async_records *r)
{
	const struct grid *grid = r->owner->grid;
	const u32 blocks = r->owner->cluster->count;

	while (r->live)
		async_record_end(r, r->live);
	for (u32 b = 0; r->touched && b < blocks; b++) {
		memset(r->shadow[b], 0, (grid->shared_bytes / 4 + 2) * sizeof **r->shadow);
		memset(r->mbarriers[b], 0, (grid->shared_bytes / 8 + 2) * sizeof **r->mbarriers);
	}
	for (u32 k = 0; k < blocks * grid->warps_per_block; k++)
		r->warps[k] = (struct async_warp){.registers = r->warps[k].registers};
	r->touched = false;
	r->now = r->fence_time = r->map_fence_time = r->map_count = 0;
}

static void start(struct async_cluster *a)
{
	struct async_records *r = a->records;

	if (!r) {
		r = a->records = ARENA_NEW(a->arena, struct async_records);
		r->owner = a;
		r->arena = a->arena;
		make_tables(r);
	}
	clear_tables(r);
}

/* Bulk copies must have read shared memory, and copies have written it, before it goes. */
static bool refuse_end(const struct async_op *op)
{
	struct warp *w = op->warp;
	char place[ASYNC_PLACE_TEXT];

	async_place(op->code, op->insn, place);
	block_fault(
		w, op->code, op->insn,
		"the block ends while %s (warp %u) may still use its shared memory: the program has not waited for it",
		place, w->index);
	return false;
}

/* An mbarrier that nobody asks may be left as it is. */
static bool check_expectations(struct async_records *a, struct block *b)
{
	const struct grid *grid = a->owner->grid;
	char place[ASYNC_PLACE_TEXT];

	for (u32 k = 0; k < grid->shared_bytes / 8; k++) {
		const struct async_mbarrier *known = &a->mbarriers[b->cluster_rank][k];
		u64 word;
		memcpy(&word, b->shared + (size_t)k * 8, 8);
		const s32 bytes = mbarrier_bytes(word);
		if (!known->asked || !known->expects || !(word >> MBARRIER_VALID & 1) || !bytes)
			continue;
		async_site_place(grid, known->expects - 1, place);
		block_fault(&b->warps[0], grid->kernel->code, 0,
			    bytes > 0 ? "the block ends while the mbarrier at 0x%x waits for %d more bytes; %s told it "
					"to expect them"
				      : "the mbarrier at 0x%x has been brought %d bytes more than it was told to "
					"expect; %s told it last",
			    k * 8, bytes > 0 ? bytes : -bytes, place);
		return false;
	}
	return true;
}

/* At the end of a cluster: operations under way, and mbarriers that still wait for bytes. */
static bool end(struct async_cluster *a)
{
	struct async_records *r = a->records;

	for (const struct async_op *op = r->live; op; op = op->next) {
		const bool copies =
			op->kind == ASYNC_BULK ? op->reading != 0 : op->kind == ASYNC_BYTES && op->pending && !op->seen;
		if (copies)
			return refuse_end(op);
	}
	for (u32 b = 0; b < a->cluster->count && r->touched; b++)
		if (!check_expectations(r, a->cluster->blocks[b]))
			return false;
	return true;
}

const struct async_strict async_strict = {
	.checker =
		{
			.prepare = async_watch_prepare,
			.start = start,
			.end = end,
			.tell_wait = tell_wait,
			.tell_mbarrier = tell_mbarrier,
			.issue = issue,
			.again = again,
			.range = range,
			.counts = counts,
			.issued = issued,
			.bind = bind,
			.made = made,
			.arrived = arrived,
			.phase = phase,
			.expects = expects,
			.observed = observed,
			.missed = missed,
			.map_changed = map_changed,
			.map_used = map_used,
			.access = access_bytes,
			.registers = async_watch_registers,
			.waited = waited,
		},
};

struct async_strict async_strict_with(const struct async_listener *listener, void *context)
{
	struct async_strict s = async_strict;

	s.listener = listener;
	s.context = context;
	return s;
}
