/* SPDX-License-Identifier: Apache-2.0
 *
 * An access whose lanes have the same distances from the first lane as before usually costs the same, so the figures
 * are remembered with the distances:
 *
 *     memo   mask, distances, low_mask       one pattern of a memory instruction
 *      unit  low, tags, account              one cost of it; times[] counts repetitions until memo_flush()
 *
 * Besides the distances, the cost depends on: in shared memory with consecutive banks, only the first address's byte
 * within its word (another bank only rotates the counts by bank: `rotates`). In global memory, the low bits of the first
 * address as far as carries between a line's parts can change which lanes share a sector (low_mask, line_bits()); and,
 * where lines pass a tag stage, which of the lines share a tag bank (tags).
 */
#include "observe/memo.h"

#include <stddef.h>
#include <string.h>

/* HITS_FEW: to note an access in a log costs little more than to know it, and a twentieth of making room for another. */
enum {
	MISSES_MOST = 4,
	HITS_FEW = 16,
	PAUSE = 64,
	PAUSES_MOST = 6,
	SHARED_BITS = 1023,
	LINE_BITS = 127,
	LINE_SHIFT = 7
};

/* --- Adding --------------------------------------------------------------------------------- */

void account_add_times(struct account *to, const struct account *unit, u64 times, u32 rotation)
{
	for (u32 k = 0; k < ACCOUNT_FIELD_COUNT; k++)
		to->n[k] = account_takes_most((enum account_field)k) ? max_u64(to->n[k], unit->n[k])
								     : to->n[k] + unit->n[k] * times;
	for (u32 k = 0; k <= WARP_LANES; k++)
		to->degree[k] += unit->degree[k] * times;
	for (u32 b = 0; b < COUNT_OF(to->banks); b++)
		to->banks[(b + rotation) % COUNT_OF(to->banks)] += unit->banks[b] * times;
}

void memo_flush(struct memo *m, struct account *to)
{
	if (!m->pending)
		return;
	for (u32 k = 0; k < WARP_LANES; k++) {
		if (m->times[k])
			account_add_times(to, &m->units[m->rotates ? 0 : k].account, m->times[k], m->rotates ? k : 0);
		m->times[k] = 0;
	}
	m->pending = false;
	m->pattern.mask = 0;
}

void memo_drop(struct memo *m, struct account *to)
{
	memo_flush(m, to);
	m->valid = false;
	m->used = 0;
}

/* --- Recognising ---------------------------------------------------------------------------- */

static u64 lane_address(const struct accesses *x, const u8 *rows, u32 lane)
{
	const void *row = rows + x->insn->a;

	return x->site->wide ? ((const u64 *)row)[lane] + (u64)(s64)x->insn->imm
			     : ((const u32 *)row)[lane] + (u32)x->insn->imm;
}

/* Whether every active lane of the first access is as far from the first as it was. */
static bool active_alike(const struct memo *m, const struct accesses *x)
{
	const void *row = x->rows + x->insn->a;
	const u64 *wide = row;
	const u32 *narrow = row;
	u64 off = 0;
	u32 off_narrow = 0;

	if (x->site->wide)
		for (u32 l = 0; l < WARP_LANES; l++)
			off |= ((wide[l] - wide[m->first]) ^ m->pattern.distance.wide[l]) & m->keep.wide[l];
	else
		for (u32 l = 0; l < WARP_LANES; l++)
			off_narrow |=
				((narrow[l] - narrow[m->first]) ^ m->pattern.distance.narrow[l]) & m->keep.narrow[l];
	return !(off | off_narrow);
}

static u32 count_alike(const struct memo *m, const struct alike *alike, const struct accesses *x)
{
	if (x->mask != FULL_MASK)
		return active_alike(m, x);
	return (x->site->wide ? alike->wide : alike->narrow)(x->rows + x->insn->a, x->stride, x->count,
							     &m->pattern.distance);
}

/* Atomics depend on the tag banks themselves, by which their visits are made and served; other accesses only on which
 * lines share one. */
static bool is_atomic(const struct account_site *s)
{
	return s->sector_kind >= SECTOR_RED && s->operation < ACCOUNT_ASYNC;
}

/* The lines' tag banks relative to the first line's. The hash is linear over xor and only the sharing counts, so xor with
 * the first bank gives the banks canonical names. base: the address of the first active lane. */
KEEPS_REGISTERS_IN_LINE u64 tags_of(const struct memo *m, const struct memo_unit *u, u64 base)
{
	u64 tags = 0;
	u32 first = 0;

	for (u32 k = 0; k < u->line_count; k++) {
		const u32 lane = u->line_lane[k];
		const u32 bank = sectors_tag_bank(m->wide ? base + m->pattern.distance.wide[lane]
							  : (u32)base + m->pattern.distance.narrow[lane]);
		first = k || m->atomic ? first : bank;
		tags = tags << 2 | (bank ^ first);
	}
	return tags;
}

/* The unit that holds the cost of an access with the memo's distances; MEMO_UNITS: none does. */
KEEPS_REGISTERS_IN_LINE u32 find_unit(const struct memo *m, u64 base)
{
	const struct memo_unit *known = NULL; /* whose lines gave `tags` */
	u64 tags = 0;

	for (u32 n = 0; n < m->used; n++) {
		const struct memo_unit *u = &m->units[n];
		if (u->low != (base & m->low_mask))
			continue;
		if (u->line_count > 1 && !known)
			tags = tags_of(m, known = u, base);
		if (u->line_count <= 1 || u->tags == tags)
			return n;
	}
	return MEMO_UNITS;
}

/* Why find_unit() found none. A generic address in another window may be in another state space, where other bits decide:
 * start over. */
static enum memo_miss why_unknown(const struct memo *m, const struct accesses *x, u64 base)
{
	return x->site->space == SPACE_GENERIC && (base ^ m->base) >> 32 ? MEMO_OTHER_DISTANCES : MEMO_OTHER_PLACE;
}

/* Whether the access would replace the worst sample so far: then it must be counted in full. */
KEEPS_REGISTERS_IN_LINE bool is_sample(const struct memo_unit *u, const struct account_sample *worst, u64 order)
{
	return u->excess > worst->excess || (u->excess == worst->excess && order < worst->order);
}

/* Of accesses to two lines native code compares their tag banks itself. */
KEEPS_REGISTERS_IN_LINE bool has_pair(const struct memo *m, const struct memo_unit *u)
{
	return u->line_count == 2 && m->wide && !m->atomic;
}

/* Native code may count what is like the unit, as long as it cannot be the sample. Samples only become worse or earlier, so
 * that what is known of them now stays true. */
KEEPS_REGISTERS_IN_LINE void open_pattern(struct memo *m, u32 n)
{
	const struct memo_unit *u = &m->units[n];
	struct native_pattern *p = &m->pattern;

	p->mask = m->mask;
	p->rotation = m->rotates ? WARP_LANES - 1 : 0;
	p->low_mask = m->low_mask;
	p->low = u->low;
	p->base = m->base;
	p->times = &m->times[m->rotates ? 0 : n];
	p->order = u->excess < m->worst->excess ? 0 : m->worst->order;
	p->apart = has_pair(m, u) ? m->pattern.distance.wide[u->line_lane[1]] : 0;
	p->tag = has_pair(m, u) ? (u32)u->tags : 0;
	if ((u->line_count > 1 && !has_pair(m, u)) || u->excess > m->worst->excess)
		p->order = ~0ull;
}

KEEPS_REGISTERS_IN_LINE void count_known(struct memo *m, u32 n, u64 base)
{
	m->times[m->rotates ? (base - m->base) / 4 % WARP_LANES : n]++;
	m->pending = true;
}

/* What memo_repeat does of an access whose lanes and distances are the memo's. */
KEEPS_REGISTERS static bool again(struct native_pattern *p, u64 address, u64 order)
{
	struct memo *m = (struct memo *)(void *)p; /* its first field */
	const u32 n = find_unit(m, address);

	if (n == MEMO_UNITS || is_sample(&m->units[n], m->worst, order))
		return false;
	count_known(m, n, address);
	open_pattern(m, n);
	return true;
}

struct native_pattern *memo_pattern(struct memo *m)
{
	_Static_assert(offsetof(struct memo, pattern) == 0, "again() takes the one for the other");
	/* Where the attribute is a part of the type (clang), it must be cast away. */
	m->pattern.again = (bool (*)(struct native_pattern *, u64, u64))again;
	return &m->pattern;
}

u32 memo_repeat(struct memo *m, const struct alike *alike, const struct accesses *x, const struct account_sample *worst)
{
	const u8 *rows = x->rows;
	u32 k = 0, known, last = MEMO_UNITS;

	m->miss = MEMO_OTHER_DISTANCES;
	if (!m->valid || m->mask != x->mask)
		return 0;
	known = count_alike(m, alike, x);
	for (; k < known; k++, rows += x->stride) {
		const u64 base = lane_address(x, rows, m->first);
		const u32 n = find_unit(m, base);
		if (n == MEMO_UNITS || is_sample(&m->units[n], worst, x->order + k)) {
			m->miss = n == MEMO_UNITS ? why_unknown(m, x, base) : MEMO_SAMPLE;
			break;
		}
		count_known(m, last = n, base);
	}
	m->worst = worst;
	if (last != MEMO_UNITS && m->pattern.again)
		open_pattern(m, last);
	return k;
}

/* --- Remembering ---------------------------------------------------------------------------- */

/* Whether enough accesses have been known since the last of which that was not so. */
static bool was_worth_it(const struct memo *m)
{
	u64 times = 0;

	for (u32 k = 0; k < WARP_LANES; k++)
		times += m->times[k];
	return times > m->used + (m->pattern.log ? HITS_FEW : 0);
}

bool memo_wants(struct memo *m, const struct account_site *s)
{
	/* In shared memory what decides about a part does so whatever its offset; elsewhere it has lines of its own. */
	const bool parts_known = s->parts.count <= 1 || s->space == SPACE_SHARED;

	if (s->fragment || !parts_known || s->operation >= ACCOUNT_ASYNC || (s->space == SPACE_GENERIC && !s->wide))
		return false;
	if (m->pause) {
		m->pause--;
		return false;
	}
	if (was_worth_it(m))
		m->misses = m->pauses = 0;
	if (++m->misses <= MISSES_MOST)
		return true;
	m->misses = 0;
	m->pause = PAUSE << m->pauses;
	m->pauses = min_u32(m->pauses + 1, PAUSES_MOST);
	return false;
}

struct memo_unit *memo_room(struct memo *m, struct account *to)
{
	if (m->miss != MEMO_OTHER_PLACE || m->rotates)
		memo_drop(m, to);
	else if (m->used == MEMO_UNITS)
		memo_flush(m, to);
	struct memo_unit *u = &m->units[m->used < MEMO_UNITS ? m->used++ : m->next++ % MEMO_UNITS];
	memset(u, 0, offsetof(struct memo_unit, account.worst));
	return u;
}

/* The number of state spaces that an access reached. */
static u32 spaces_of(const struct account *unit)
{
	return (unit->n[ACCOUNT_shared_instructions] != 0) + (unit->n[ACCOUNT_global_instructions] != 0) +
	       (unit->n[ACCOUNT_local_instructions] != 0) + (unit->n[ACCOUNT_const_instructions] != 0);
}

static void keep_distances(struct memo *m, const struct accesses *x)
{
	const u64 *wide = (const u64 *)(const void *)(x->rows + x->insn->a);
	const u32 *narrow = (const u32 *)(const void *)(x->rows + x->insn->a);

	m->mask = x->mask;
	m->first = (u32)__builtin_ctz(x->mask);
	for (u32 l = 0; l < WARP_LANES; l++)
		if (x->site->wide) {
			m->keep.wide[l] = x->mask >> l & 1 ? ~0ull : 0;
			m->pattern.distance.wide[l] = wide[l] - wide[m->first];
		} else {
			m->keep.narrow[l] = x->mask >> l & 1 ? ~0u : 0;
			m->pattern.distance.narrow[l] = narrow[l] - narrow[m->first];
		}
}

/* The bits of the first address that decide which lanes share sectors and lines. If all distances are multiples of a
 * power of two, bits below it never carry and do not matter, except those within an element, which decide about
 * alignment. */
static u64 line_bits(const struct memo *m, const struct accesses *x)
{
	u64 distances = LINE_BITS + 1;

	for (u32 left = m->mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		distances |= x->site->wide ? m->pattern.distance.wide[l] : m->pattern.distance.narrow[l];
	}
	return LINE_BITS & (~((distances & -distances) - 1) | (x->site->width - 1));
}

static void choose_bits(struct memo *m, const struct arch *arch, const struct accesses *x, const struct account *unit)
{
	const u64 *n = unit->n;

	m->rotates = false;
	if (n[ACCOUNT_shared_instructions]) {
		m->rotates = arch->shared_rule == ARCH_SHARED_UNITS;
		m->low_mask = m->rotates ? 3 : SHARED_BITS;
	} else if (n[ACCOUNT_global_instructions]) {
		m->low_mask =
			arch->global_rule == ARCH_GLOBAL_SECTORS && !is_atomic(x->site) ? line_bits(m, x) : LINE_BITS;
	} else {
		m->low_mask = n[ACCOUNT_const_instructions] ? 0 : ~0ull;
	}
	/* Windows of generic addresses are multiples of 4 GB: the upper bits tell the state space. */
	if (x->site->space == SPACE_GENERIC)
		m->low_mask |= ~0ull << 32;
}

/* One lane of each line that the access touches. */
static void keep_lines(const struct memo *m, struct memo_unit *u, const struct accesses *x)
{
	u64 line[WARP_LANES];

	u->line_count = 0;
	for (u32 left = x->mask; left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const u64 at = lane_address(x, x->rows, l) >> LINE_SHIFT;
		u32 k = 0;
		while (k < u->line_count && line[k] != at)
			k++;
		if (k == u->line_count) {
			line[k] = at;
			u->line_lane[u->line_count++] = (u8)l;
		}
	}
	u->tags = tags_of(m, u, lane_address(x, x->rows, m->first));
}

void memo_keep(struct memo *m, const struct arch *arch, const struct accesses *x, struct memo_unit *u,
	       struct account *to)
{
	const u32 n = (u32)(u - m->units);
	const bool fresh = !m->valid;

	m->times[n]++;
	m->pending = true;
	if (spaces_of(&u->account) != 1) {
		m->rotates = false;
		memo_drop(m, to);
		return;
	}
	if (fresh) {
		keep_distances(m, x);
		choose_bits(m, arch, x, &u->account);
		m->base = lane_address(x, x->rows, m->first);
		m->wide = x->site->wide;
		m->atomic = is_atomic(x->site);
		m->valid = true;
	}
	u->low = lane_address(x, x->rows, m->first) & m->low_mask;
	if (u->account.n[ACCOUNT_global_instructions] && arch->global_rule == ARCH_GLOBAL_SECTORS)
		keep_lines(m, u, x);
	m->worst = &to->worst;
	if (m->pattern.again)
		open_pattern(m, n);
}
