/* SPDX-License-Identifier: Apache-2.0
 *
 * Causes and remedies. Each remedy is a changed set of addresses and a sentence.
 *
 * Advice is computed, not guessed: a remedy is tried on the addresses of the sample with the same rules that counted
 * it, and is given only if it costs less. It is about one execution by one warp, the costliest.
 */
#include "report/advice.h"

#include <stdio.h>
#include <string.h>

struct pattern {
	const struct accounting *a;
	const struct account_site *site;
	const struct account_sample *sample;
	bool even; /* neighbouring active lanes are `stride` bytes apart */
	s64 stride;
	u32 first, lanes; /* first active lane; how many */
};

static struct pattern pattern_of(const struct accounting *a, const struct account_site *site,
				 const struct account_sample *s)
{
	struct pattern p = {.a = a,
			    .site = site,
			    .sample = s,
			    .first = (u32)__builtin_ctz(s->mask | 1u << 31),
			    .lanes = (u32)__builtin_popcount(s->mask)};
	u32 last = p.first;

	p.even = p.lanes > 1;
	for (u32 left = s->mask & (s->mask - 1); left; left &= left - 1) {
		const u32 l = (u32)__builtin_ctz(left);
		const s64 apart = (s64)(s->address[l] - s->address[last]);
		const s64 steps = (s64)(l - last);
		if (last == p.first && apart % steps == 0)
			p.stride = apart / steps;
		p.even &= apart == p.stride * steps;
		last = l;
	}
	return p;
}

/* --- Shared memory -------------------------------------------------------------------------- */

static u32 shared_cost(const struct pattern *p, const u64 address[WARP_LANES], struct bank_detail *detail)
{
	const struct bank_access access = {p->site->bank_kind, accounting_bank_mode(p->a), p->site->width,
					   p->sample->mask};
	u32 offset[WARP_LANES];
	struct bank_count n;

	for (u32 l = 0; l < WARP_LANES; l++)
		offset[l] = (u32)address[l] & ((1u << SHARED_RANK_SHIFT) - 1);
	banks_count(accounting_arch(p->a), &access, offset, &n, detail);
	return n.wavefronts + n.load_wavefronts;
}

static void shared_cause(const struct pattern *p, struct advice *to)
{
	struct bank_detail detail;
	u32 banks = 0, bank = 0;

	shared_cost(p, p->sample->address, &detail);
	for (u32 b = 0; b < COUNT_OF(detail.bank_words); b++)
		if (detail.bank_words[b]) {
			banks++;
			bank = b;
		}
	if (p->even && p->stride == 0)
		snprintf(to->cause, sizeof to->cause, "all %u lanes at one address", p->lanes);
	else if (p->even && p->stride % 4 == 0 && banks == 1)
		snprintf(to->cause, sizeof to->cause, "all %u lanes in bank %u: stride %lld words", p->lanes, bank,
			 (long long)(p->stride / 4));
	else if (p->even && p->stride % 4 == 0)
		snprintf(to->cause, sizeof to->cause, "%u lanes in %u banks: stride %lld words", p->lanes, banks,
			 (long long)(p->stride / 4));
	else if (p->even)
		snprintf(to->cause, sizeof to->cause, "%u lanes in %u banks: stride %lld bytes", p->lanes, banks,
			 (long long)p->stride);
	else
		snprintf(to->cause, sizeof to->cause, "%u lanes in %u banks, no single stride", p->lanes, banks);
}

/* The most lanes at one address, and in *leaders one lane of each address. */
static u32 lanes_meeting(const struct pattern *p, u32 *leaders)
{
	const struct account_sample *s = p->sample;
	u32 most = 0;

	*leaders = 0;
	for (u32 l = 0; l < WARP_LANES; l++) {
		u32 same = 0, before = 0;
		for (u32 x = 0; x < WARP_LANES; x++) {
			const bool meets = s->mask >> l & 1 && s->mask >> x & 1 && s->address[x] == s->address[l];
			same += meets;
			before += meets && x < l;
		}
		if (same && !before)
			*leaders |= 1u << l;
		most = max_u32(most, same);
	}
	return most;
}

/* Whether the lanes lie in rows: few different distances between neighbours. Where addresses depend on
 * data, padding that would help one execution says nothing of the next. */
static bool is_regular(const struct pattern *p)
{
	enum { DISTANCES = 3 };
	s64 seen[DISTANCES];
	u32 count = 0;

	for (u32 l = 1; l < WARP_LANES; l++) {
		const s64 distance = (s64)(p->sample->address[l] - p->sample->address[l - 1]);
		u32 k = 0;

		if ((p->sample->mask >> (l - 1) & 3) != 3)
			continue;
		while (k < count && seen[k] != distance)
			k++;
		if (k == DISTANCES)
			return false;
		if (k == count)
			seen[count++] = distance;
	}
	return true;
}

/* What to do about lanes of an atomic operation that meet. */
static const char *meeting_text(const struct pattern *p)
{
	return p->site->combines ? "Combining such lanes first, one of them acting for all"
				 : "One such lane acting for all";
}

/* Lanes of an atomic operation that meet at one address, if that is what it costs. */
static bool meeting_remedy(const struct pattern *p, struct advice *to)
{
	struct pattern fewer = *p;
	struct account_sample sample = *p->sample;
	u32 leaders;
	const u32 most = lanes_meeting(p, &leaders);

	if (p->site->bank_kind < BANK_ATOM || most < 2)
		return false;
	sample.mask = leaders;
	fewer.sample = &sample;
	const u32 cost = shared_cost(&fewer, sample.address, NULL);
	if (cost >= to->cost_then)
		return false;
	to->cost_then = cost;
	snprintf(to->cause, sizeof to->cause, "up to %u lanes meet at one address", most);
	snprintf(to->remedy, sizeof to->remedy, "%s: %u wavefront%s", meeting_text(p), cost, cost == 1 ? "" : "s");
	return true;
}

/* Words put in after every `pitch` bytes: tries the stride itself and the powers of two, keeps the
 * cheapest, of equals the widest pitch, which wastes least. */
static void shared_remedy(const struct pattern *p, struct advice *to)
{
	const u32 pad = max_u32(4, p->site->width);
	u64 pitches[12], best_pitch = 0;
	u32 count = 0, best = p->sample->cost;

	for (u64 pitch = 8192; pitch >= 16; pitch /= 2)
		pitches[count++] = pitch;
	if (p->even && p->stride > (s64)pad && p->stride % 4 == 0)
		pitches[count++] = (u64)p->stride;
	for (u32 k = 0; k < count; k++) {
		u64 address[WARP_LANES];
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = p->sample->address[l] + p->sample->address[l] / pitches[k] * pad;
		const u32 cost = shared_cost(p, address, NULL);
		if (cost < best || (cost == best && best_pitch && pitches[k] > best_pitch)) {
			best = cost;
			best_pitch = pitches[k];
		}
	}
	to->cost_then = best;
	if (best_pitch)
		snprintf(to->remedy, sizeof to->remedy,
			 "%u bytes of padding after every %llu (rows of %llu words instead of %llu): %u "
			 "wavefront%s",
			 pad, (unsigned long long)best_pitch, (unsigned long long)(best_pitch + pad) / 4,
			 (unsigned long long)best_pitch / 4, best, best == 1 ? "" : "s");
}

/* --- Global memory -------------------------------------------------------------------------- */

/* Sectors that the same access would take at other addresses. */
static u32 global_cost(const struct pattern *p, const u64 address[WARP_LANES], u32 mask)
{
	const struct sector_access access = {p->site->sector_kind, p->site->width, mask, p->site->through_l1, false};
	struct sector_count n;

	sectors_count_global(accounting_arch(p->a), &access, address, &n, NULL);
	return n.sectors;
}

/* Gives the remedy if it is the best so far. */
static void propose(const struct pattern *p, struct advice *to, const u64 address[WARP_LANES], u32 mask,
		    const char *text)
{
	const u32 cost = global_cost(p, address, mask);

	if (cost >= to->cost_then)
		return;
	to->cost_then = cost;
	snprintf(to->remedy, sizeof to->remedy, "%s: %u sector%s", text, cost, cost == 1 ? "" : "s");
}

/* In this order: lanes at one address, a shift against the sectors, a stride, scattered lanes. For the last there is no
 * remedy that a change of layout alone would be. */
static void global_find(const struct pattern *p, struct advice *to)
{
	const struct account_sample *s = p->sample;
	const bool atomic = p->site->operation == ACCOUNT_ATOM || p->site->operation == ACCOUNT_RED;
	const u32 width = p->site->width;
	const u64 low = s->address[p->first];
	u64 address[WARP_LANES];
	u32 leaders;
	const u32 meeting = lanes_meeting(p, &leaders);

	if (atomic && meeting > 1) {
		snprintf(to->cause, sizeof to->cause, "up to %u lanes wait for each other at one address", meeting);
		propose(p, to, s->address, leaders, meeting_text(p));
		return;
	}
	if (p->even && p->stride == (s64)width) {
		snprintf(to->cause, sizeof to->cause, "neighbouring lanes in order, but %u bytes into a sector of 32",
			 (u32)(low % 32));
		for (u32 l = 0; l < WARP_LANES; l++)
			address[l] = s->address[l] - low % 128;
		propose(p, to, address, s->mask, "Starting at a multiple of 128 bytes");
		return;
	}
	if (p->even)
		snprintf(to->cause, sizeof to->cause, "stride %lld bytes, of which each lane uses %u",
			 (long long)p->stride, width);
	else
		snprintf(to->cause, sizeof to->cause, "%u lanes scattered over %u sectors", p->lanes, s->cost);
	if (!p->even)
		return;
	for (u32 l = 0; l < WARP_LANES; l++)
		address[l] = low / 128 * 128 + (u64)l * width;
	propose(p, to, address, s->mask, "Neighbouring lanes at neighbouring elements");
}

static void constant_find(const struct pattern *p, struct advice *to)
{
	const struct account_sample *s = p->sample;
	const struct sector_access access = {SECTOR_LOAD, p->site->width, s->mask, true, false};
	struct sector_count n;

	snprintf(to->cause, sizeof to->cause, "%u different addresses, which are served in turn", s->cost);
	sectors_count_global(accounting_arch(p->a), &access, s->address, &n, NULL);
	if (n.sectors >= s->cost)
		return;
	to->cost_then = n.sectors;
	snprintf(to->remedy, sizeof to->remedy, "The same table in global memory: %u sector%s", n.sectors,
		 n.sectors == 1 ? "" : "s");
}

/* Cause, remedy and what it would cost; remedy empty: none is known. */
void advice_find(const struct accounting *a, const struct account_site *site, const struct account_sample *sample,
		 struct advice *advice)
{
	const struct pattern p = pattern_of(a, site, sample);

	memset(advice, 0, sizeof *advice);
	advice->cost_then = sample->cost;
	switch (sample->space) {
	case SPACE_SHARED:
		shared_cause(&p, advice);
		if (!meeting_remedy(&p, advice) && is_regular(&p) && site->bank_kind != BANK_LDMATRIX &&
		    site->bank_kind != BANK_STMATRIX)
			shared_remedy(&p, advice);
		break;
	case SPACE_GLOBAL:
		global_find(&p, advice);
		break;
	case SPACE_LOCAL:
		snprintf(advice->cause, sizeof advice->cause, "lanes index their own arrays differently: %u sectors",
			 sample->cost);
		break;
	default:
		constant_find(&p, advice);
	}
}
