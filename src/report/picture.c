/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of single executions.
 */
#include "report/picture.h"

#include "base/demangle.h"
#include "report/advice.h"

static void explain_shared(FILE *to, const struct accounting *a, const struct account_site *site, u32 mask,
			   const u64 address[WARP_LANES])
{
	const struct bank_access access = {site->bank_kind, accounting_bank_mode(a), site->width, mask};
	const u32 banks = accounting_arch(a)->banks, bytes = accounting_arch(a)->bank_bytes;
	u32 offset[WARP_LANES];
	struct bank_detail detail;
	struct bank_count n;

	for (u32 l = 0; l < WARP_LANES; l++)
		offset[l] = (u32)address[l] & ((1u << SHARED_RANK_SHIFT) - 1);
	banks_count(accounting_arch(a), &access, offset, &n, &detail);
	fprintf(to, "  lane    address  bank  unit  wavefront\n");
	for (u32 l = 0; l < WARP_LANES; l++)
		if (mask >> l & 1)
			fprintf(to, "  %4u %#10x  %4u  %4u  %9u\n", l, offset[l], offset[l] / bytes % banks,
				detail.unit[l], detail.wavefront[l]);
	for (u32 b = 0; b < banks; b++)
		if (detail.bank_words[b])
			fprintf(to, "  bank %2u: %.*s %u\n", b, (int)min_u32(detail.bank_words[b], 64),
				"################################################################",
				detail.bank_words[b]);
}

static void explain_global(FILE *to, const struct accounting *a, const struct account_site *site, u32 mask,
			   const u64 address[WARP_LANES])
{
	const struct sector_access access = {site->sector_kind, site->width, mask, site->through_l1, false};
	struct sector_detail detail;
	struct sector_count n;

	sectors_count_global(accounting_arch(a), &access, address, &n, &detail);
	fprintf(to, "  lane            address  sector of line  transaction  tag wavefront\n");
	for (u32 l = 0; l < WARP_LANES; l++)
		if (mask >> l & 1)
			fprintf(to, "  %4u %#18llx  %14u  %11u  %13u\n", l, (unsigned long long)address[l],
				(u32)(address[l] % 128 / 32), detail.transaction[l], detail.tag_wavefront[l]);
}

void report_access(FILE *to, const struct accounting *a, const struct account_site *site,
		   const struct account_sample *s)
{
	const bool is_copy = site->operation >= ACCOUNT_ASYNC;
	struct advice advice;

	advice_find(a, site, s, &advice);
	fprintf(to, "  block %llu, warp %llu: cost %u, ideal %u%s%s\n", (unsigned long long)(s->order >> 8),
		(unsigned long long)(s->order & 0xff), s->cost, s->cost - s->excess, s->excess ? ": " : "",
		s->excess ? advice.cause : "");
	if (is_copy && s->space == SPACE_SHARED) {
		fprintf(to, "  from global memory\n");
		explain_global(to, a, site, s->mask, s->other);
		fprintf(to, "  to shared memory\n");
	} else if (is_copy) {
		fprintf(to, "  from global memory\n");
	}
	if (s->space == SPACE_SHARED)
		explain_shared(to, a, site, s->mask, s->address);
	else if (s->space == SPACE_GLOBAL)
		explain_global(to, a, site, s->mask, s->address);
	else
		for (u32 l = 0; l < WARP_LANES; l++)
			if (s->mask >> l & 1)
				fprintf(to, "  lane %2u: %#llx\n", l, (unsigned long long)s->address[l]);
	if (is_copy && s->space == SPACE_GLOBAL) {
		fprintf(to, "  to shared memory\n");
		explain_shared(to, a, site, s->mask, s->other);
	}
}

bool report_explain(FILE *to, const struct accounting *a, const struct account_run *run, u32 line)
{
	const struct account_site *sites;
	const u32 count = accounting_sites(a, &sites);
	bool found = false;

	for (u32 k = 0; k < count; k++) {
		const struct account_sample *s = &run->sites[k].worst;
		const struct place_of p = accounting_place(&sites[k]);
		if (p.line != line || !s->taken)
			continue;
		found = true;
		demangle_print(to, run->kernel->name);
		fprintf(to, ", line %u: %.*s\n", line, (int)p.length, p.text);
		report_access(to, a, &sites[k], s);
	}
	return found;
}
