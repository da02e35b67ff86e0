/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON report. Names come from the tables of fields, operations and counters, and stay.
 * Jansson's packing functions give NULL when memory runs out, and take NULL as a failure.
 */
#include "report/json.h"

#include <jansson.h>

#include "report/advice.h"
#include "report/memory.h"

static const char *space_name(enum ir_space space)
{
	return space == SPACE_SHARED   ? "shared"
	       : space == SPACE_LOCAL  ? "local"
	       : space == SPACE_GLOBAL ? "global"
	                               : "constant";
}

static json_t *degrees(const struct account *a)
{
	json_t *list = json_array();

	for (u32 k = 1; k <= WARP_LANES; k++)
		json_array_append_new(list, json_integer((json_int_t)a->degree[k]));
	return list;
}

static json_t *sample(const struct accounting *a, const struct account_site *site,
                      const struct account_sample *s)
{
	json_t *addresses = json_array();
	struct advice advice = {.cost_then = s->cost};

	if (s->excess)
		advice_find(a, site, s, &advice);
	for (u32 l = 0; l < WARP_LANES; l++)
		json_array_append_new(addresses, s->mask >> l & 1 ? json_integer((json_int_t)s->address[l])
		                                                  : json_null());
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:s, s:s, s:I}", "space", space_name(s->space),
	                 "block", (json_int_t)(s->order >> 8), "warp", (json_int_t)(s->order & 0xff), "cost",
	                 (json_int_t)s->cost, "excess", (json_int_t)s->excess, "addresses", addresses,
	                 "cause", advice.cause, "remedy", advice.remedy, "cost_then",
	                 (json_int_t)advice.cost_then);
}

static json_t *site_object(const struct accounting *a, const struct account_site *site,
                           const struct account *account)
{
	const struct account_place p = accounting_place(site);
	json_t *sums = json_object();
	json_t *o = json_pack("{s:s, s:I, s:s%, s:s, s:s, s:I, s:o}", "file", p.file, "line",
	                      (json_int_t)p.line, "instruction", p.text, (size_t)p.length, "operation",
	                      account_operation_name(site->operation), "function", site->code->name, "bytes",
	                      (json_int_t)site->width, "sums", sums);

	for (u32 k = 0; k < ACCOUNT_FIELD_COUNT; k++)
		if (account->n[k])
			json_object_set_new(sums, account_field_name((enum account_field)k),
			                    json_integer((json_int_t)account->n[k]));
	if (o && p.loc_file)
		json_object_set_new(
		    o, "source", json_pack("{s:s, s:I}", "file", p.loc_file, "line", (json_int_t)p.loc_line));
	if (o && account->n[ACCOUNT_shared_instructions])
		json_object_set_new(o, "degrees", degrees(account));
	if (o && account->worst.taken)
		json_object_set_new(o, "worst", sample(a, site, &account->worst));
	return o;
}

static json_t *dimensions(const u32 d[3])
{
	return json_pack("[I, I, I]", (json_int_t)d[0], (json_int_t)d[1], (json_int_t)d[2]);
}

static json_t *launch_object(const struct accounting *a, const struct account_run *run)
{
	const struct account_site *sites;
	const u32 count = accounting_sites(a, &sites);
	json_t *counters = json_object(), *list = json_array();

	for (u32 k = 0; k < counters_count(); k++) {
		const struct counter *c = counters_get(k);
		const double value = counter_value(c, run);
		json_object_set_new(counters, c->name,
		                    c->scale != 0 ? json_real(value) : json_integer((json_int_t)value));
	}
	for (u32 s = 0; s < count; s++)
		if (run->sites[s].n[ACCOUNT_executed] || run->sites[s].n[ACCOUNT_executed_empty])
			json_array_append_new(list, site_object(a, &sites[s], &run->sites[s]));
	return json_pack("{s:s, s:o, s:o, s:f, s:o, s:o}", "kernel", run->kernel->name, "grid",
	                 dimensions(run->grid), "block", dimensions(run->block), "seconds",
	                 run->stats.seconds, "counters", counters, "sites", list);
}

bool report_json(FILE *to, const struct accounting *a, const struct account_run *const *runs, size_t count)
{
	json_t *launches = json_array();

	for (size_t k = 0; k < count; k++)
		json_array_append_new(launches, launch_object(a, runs[k]));
	json_t *report = json_pack("{s:i, s:s, s:o}", "ptxsim_report", 1, "arch", accounting_arch(a)->name,
	                           "launches", launches);
	const bool ok = report && !json_dumpf(report, to, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	json_decref(report);
	fputc('\n', to);
	return ok;
}
