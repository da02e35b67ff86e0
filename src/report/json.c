/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON report. Names come from the tables of fields, operations and counters, and stay.
 * Jansson's packing functions give NULL when memory runs out, and take NULL as a failure.
 */
#include "report/json.h"

#include <string.h>

#include "observe/lines.h"
#include "report/advice.h"
#include "report/costs.h"
#include "report/fault.h"
#include "report/findings.h"
#include "report/json_parts.h"

static json_t *degrees(const struct account *a)
{
	json_t *list = json_array();

	for (u32 k = 1; k <= WARP_LANES; k++)
		json_array_append_new(list, json_integer((json_int_t)a->degree[k]));
	return list;
}

/* How an execution was served, lane by lane: null for lanes that took no part. */
static void add_lanes(json_t *to, const char *name, u32 mask, const u32 values[WARP_LANES])
{
	json_t *list = json_array();

	for (u32 l = 0; l < WARP_LANES; l++)
		json_array_append_new(list, mask >> l & 1 ? json_integer(values[l]) : json_null());
	json_object_set_new(to, name, list);
}

/* Served again by the rules of `arch`, which a front end may ask for: the run's figures are not changed. */
static void add_served_shared(json_t *to, const struct accounting *a, const struct arch *arch,
			      const struct account_site *site, u32 mask, const u64 address[WARP_LANES])
{
	const struct bank_access access = {site->bank_kind, accounting_bank_mode(a), site->width, mask};
	u32 offset[WARP_LANES], bank[WARP_LANES], unit[WARP_LANES], wavefront[WARP_LANES];
	struct bank_detail detail;
	struct bank_count n;

	for (u32 l = 0; l < WARP_LANES; l++)
		offset[l] = (u32)address[l] & ((1u << SHARED_RANK_SHIFT) - 1);
	banks_count(arch, &access, offset, &n, &detail);
	for (u32 l = 0; l < WARP_LANES; l++) {
		bank[l] = offset[l] / arch->bank_bytes % arch->banks;
		unit[l] = detail.unit[l];
		wavefront[l] = detail.wavefront[l];
	}
	add_lanes(to, "bank", mask, bank);
	add_lanes(to, "unit", mask, unit);
	add_lanes(to, "wavefront", mask, wavefront);
}

static void add_served_global(json_t *to, const struct arch *arch, const struct account_site *site, u32 mask,
			      const u64 address[WARP_LANES])
{
	const struct sector_access access = {site->sector_kind, site->width, mask, site->through_l1, false};
	u32 transaction[WARP_LANES], tag[WARP_LANES];
	struct sector_detail detail = {{0}, {0}};
	struct sector_count n;

	sectors_count_global(arch, &access, address, &n, &detail);
	for (u32 l = 0; l < WARP_LANES; l++) {
		transaction[l] = detail.transaction[l];
		tag[l] = detail.tag_wavefront[l];
	}
	add_lanes(to, "transaction", mask, transaction);
	add_lanes(to, "tag_wavefront", mask, tag);
}

static json_t *addresses_array(u32 mask, const u64 address[WARP_LANES])
{
	json_t *list = json_array();

	for (u32 l = 0; l < WARP_LANES; l++)
		json_array_append_new(list, mask >> l & 1 ? json_integer((json_int_t)address[l]) : json_null());
	return list;
}

static void add_served(json_t *to, const struct accounting *a, const struct arch *arch, const struct account_site *site,
		       enum ir_space space, u32 mask, const u64 address[WARP_LANES])
{
	if (space == SPACE_SHARED)
		add_served_shared(to, a, arch, site, mask, address);
	else if (space == SPACE_GLOBAL)
		add_served_global(to, arch, site, mask, address);
}

/* The other side of a copy. */
static json_t *other_side(const struct accounting *a, const struct arch *arch, const struct account_site *site,
			  const struct account_sample *s)
{
	const enum ir_space space = s->space == SPACE_SHARED ? SPACE_GLOBAL : SPACE_SHARED;
	json_t *o = json_pack("{s:s, s:o}", "space", memory_space_name(space), "addresses",
			      addresses_array(s->mask, s->other));

	if (o)
		add_served(o, a, arch, site, space, s->mask, s->other);
	return o;
}

/* One execution, lane by lane: `arch` NULL is the one that was modelled. */
json_t *report_execution(const struct accounting *a, const struct arch *arch, const struct account_site *site,
			 const struct account_sample *s)
{
	struct advice advice = {.cost_then = s->cost};

	arch = arch ? arch : accounting_arch(a);
	if (s->excess)
		advice_find(a, site, s, &advice);
	json_t *o = json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:s, s:s, s:I}", "space", memory_space_name(s->space),
			      "block", (json_int_t)(s->order >> 8), "warp", (json_int_t)(s->order & 0xff), "cost",
			      (json_int_t)s->cost, "excess", (json_int_t)s->excess, "addresses",
			      addresses_array(s->mask, s->address), "cause", advice.cause, "remedy", advice.remedy,
			      "cost_then", (json_int_t)advice.cost_then);
	if (o)
		add_served(o, a, arch, site, s->space, s->mask, s->address);
	if (o && site->operation >= ACCOUNT_ASYNC)
		json_object_set_new(o, "other", other_side(a, arch, site, s));
	return o;
}

static json_t *bank_words(const struct accounting *a, const struct account *account)
{
	json_t *list = json_array();

	for (u32 b = 0; b < accounting_arch(a)->banks; b++)
		json_array_append_new(list, json_integer((json_int_t)account->banks[b]));
	return list;
}

/* The line of source that a site was compiled from, and the calls that it was inlined at. */
static json_t *source_object(struct place_names *names, const struct place_of *p)
{
	json_t *o = json_pack("{s:s, s:I}", "file", p->loc_file, "line", (json_int_t)p->loc_line);
	json_t *calls = json_array();
	const char *function = place_function(names, p->module, p->loc);

	if (o && function)
		json_object_set_new(o, "function", json_string(function));
	for (const struct ir_loc *l = ir_loc_caller(p->module, p->loc); l; l = ir_loc_caller(p->module, l)) {
		const char *file = ir_file_path(p->module, l->file);
		json_array_append_new(calls,
				      json_pack("{s:s, s:I}", "file", file ? file : "", "line", (json_int_t)l->line));
	}
	if (o && json_array_size(calls))
		json_object_set(o, "inlined_at", calls);
	json_decref(calls);
	return o;
}

static json_t *site_object(struct arena *arena, const struct accounting *a, struct place_names *names,
			   const struct account_site *site, const struct account *account)
{
	const struct place_of p = accounting_place(site);
	json_t *sums = json_object();
	json_t *o = json_pack("{s:s, s:I, s:o, s:s, s:s, s:I, s:o}", "file", p.file, "line", (json_int_t)p.line,
			      "instruction", report_string(arena, p.text, p.length), "operation",
			      account_operation_name(site->operation), "function", site->code->name, "bytes",
			      (json_int_t)site->width, "sums", sums);

	for (u32 k = 0; k < ACCOUNT_FIELD_COUNT; k++)
		if (account->n[k])
			json_object_set_new(sums, account_field_name((enum account_field)k),
					    json_integer((json_int_t)account->n[k]));
	if (o && p.loc_file)
		json_object_set_new(o, "source", source_object(names, &p));
	if (o && account->n[ACCOUNT_shared_instructions]) {
		json_object_set_new(o, "degrees", degrees(account));
		json_object_set_new(o, "banks", bank_words(a, account));
	}
	if (o && account->worst.taken)
		json_object_set_new(o, "worst", report_execution(a, NULL, site, &account->worst));
	return o;
}

static json_t *counter_json(const struct counter *c, double value)
{
	if (c->scale != 0)
		return json_real(value);
	return json_integer(value >= -0x1p63 && value < 0x1p63 ? (json_int_t)value : 0);
}

/* Every counter that the architecture has; if it is NULL, those that are not 0. */
static json_t *counters_object(const struct account_run *sums, const struct arch *arch)
{
	json_t *o = json_object();

	for (u32 k = 0; k < counters_count(); k++) {
		const struct counter *c = counters_get(k);
		const double value = counter_value(c, sums);
		if (arch ? counter_exists(c, arch) : value != 0)
			json_object_set_new(o, c->name, counter_json(c, value));
	}
	return o;
}

static void add_line(void *context, const struct account_line *line)
{
	json_t *o = json_pack("{s:s, s:I}", "file", line->file, "line", (json_int_t)line->line);

	if (o && line->function)
		json_object_set_new(o, "function", json_string(line->function));
	if (o && line->source)
		json_object_set_new(
			o, "source",
			json_pack("{s:s, s:I}", "file", line->source, "line", (json_int_t)line->source_line));
	if (o && line->has_own)
		json_object_set_new(o, "counters", counters_object(&line->own, NULL));
	if (o && line->has_inlined)
		json_object_set_new(o, "inlined", counters_object(&line->inlined, NULL));
	json_array_append_new(context, o);
}

/* NULL if memory ran out. */
static json_t *lines_array(struct arena *arena, const struct accounting *a, const struct account_run *run,
			   enum line_kind kind)
{
	json_t *list = json_array();

	if (list && lines_visit(a, run, kind, arena, add_line, list))
		return list;
	json_decref(list);
	return NULL;
}

/* Average active lanes of each slice, to a hundredth. */
static json_t *timelines_array(const struct account_run *run)
{
	json_t *list = json_array();

	for (u32 k = 0; k < TIMELINE_WARPS; k++) {
		const struct flow_timeline *t = &run->timelines[k];
		json_t *lanes = json_array();
		u64 instructions = 0;
		for (u32 s = 0; s < t->used; s++) {
			const double average = (double)t->lanes[s] / (double)t->instructions[s];
			json_array_append_new(lanes, json_real((double)(u64)(average * 100 + 0.5) / 100));
			instructions += t->instructions[s];
		}
		if (t->used)
			json_array_append_new(list, json_pack("{s:I, s:I, s:I, s:I, s:O}", "block",
							      (json_int_t)t->block, "warp", (json_int_t)t->warp,
							      "instructions", (json_int_t)instructions, "slice",
							      (json_int_t)t->slice, "active_lanes", lanes));
		json_decref(lanes);
	}
	return list;
}

static json_t *occupancy_object(const struct account_run *run)
{
	const u64 *f = run->facts;

	return json_pack("{s:I, s:I, s:I, s:s, s:I}", "blocks", (json_int_t)f[FACT_sm_blocks], "warps",
			 (json_int_t)f[FACT_sm_warps], "warps_most", (json_int_t)f[FACT_sm_warps_most], "limited_by",
			 arch_limit_name(run->occupancy.limit), "registers", (json_int_t)f[FACT_thread_registers]);
}

/* Those that were counted apart. */
static json_t *blocks_array(const struct account_run *run)
{
	json_t *list = json_array();

	for (u64 k = 0; k < run->block_count; k++)
		if (run->blocks[k])
			json_array_append_new(list, json_pack("{s:I, s:o}", "block", (json_int_t)k, "counters",
							      counters_object(run->blocks[k], NULL)));
	return list;
}

/* What it spends that it need not, the worst first. */
static json_t *findings_array(struct arena *arena, const struct accounting *a, const struct account_run *run)
{
	u32 count;
	const struct finding *findings = findings_find(arena, a, run, &count);
	json_t *list = json_array();

	for (u32 k = 0; k < count; k++) {
		const struct finding *f = &findings[k];
		json_t *o = json_pack("{s:s, s:I, s:s, s:s, s:s, s:s}", "kind", finding_kind_name(f->kind), "slots",
				      (json_int_t)f->slots, "text", f->text, "cause", f->cause, "remedy", f->remedy,
				      "counter", finding_counter(f->kind));
		if (o && f->has_place) {
			json_object_set_new(o, "file", report_string(arena, f->place.file, strlen(f->place.file)));
			json_object_set_new(o, "line", json_integer((json_int_t)f->place.line));
			json_object_set_new(o, "instruction", report_string(arena, f->place.text, f->place.length));
		}
		if (o && f->has_place && f->place.loc_file)
			json_object_set_new(o, "source",
					    json_pack("{s:s, s:I}", "file", f->place.loc_file, "line",
						      (json_int_t)f->place.loc_line));
		json_array_append_new(list, o);
	}
	return list;
}

/* How the launch ended.
 * Several faults come from checks: the first is `fault`, others `more_faults`. */
static void set_end(struct arena *arena, json_t *o, const struct account_run *run)
{
	json_t *more = json_array();

	json_object_set_new(o, "status", json_string(run->fault_count ? "fault" : "finished"));
	for (u32 k = 0; k < run->fault_count; k++) {
		json_t *fault = report_fault(arena, &run->faults[k], run->fault_texts[k]);
		if (k)
			json_array_append_new(more, fault);
		else
			json_object_set_new(o, "fault", fault);
	}
	if (json_array_size(more))
		json_object_set(o, "more_faults", more);
	json_decref(more);
}

static json_t *opcodes_array(const struct account_run *run)
{
	json_t *list = json_array();

	for (size_t k = 0; k < run->opcodes.items.count; k++) {
		const struct opcode_count *c = &run->opcodes.items.items[k];
		json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I}", "name", c->name, "pipe", opcodes_pipe(c),
						      "executed", (json_int_t)c->executed, "threads",
						      (json_int_t)c->threads));
	}
	return list;
}

static json_t *launch_object(struct arena *arena, const struct accounting *a, const struct account_run *run)
{
	const struct account_site *sites;
	const u32 count = accounting_sites(a, &sites);
	struct place_names *names = place_names_new(arena);
	json_t *list = json_array();

	for (u32 s = 0; s < count; s++)
		if (run->sites[s].n[ACCOUNT_executed] || run->sites[s].n[ACCOUNT_executed_empty])
			json_array_append_new(list, site_object(arena, a, names, &sites[s], &run->sites[s]));
	json_t *o = json_pack("{s:s, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "kernel", run->kernel->name, "grid",
			      report_dimensions(run->grid), "block", report_dimensions(run->block), "seconds",
			      run->stats.seconds, "occupancy", occupancy_object(run), "counters",
			      counters_object(run, accounting_arch(a)), "sites", list, "lines",
			      lines_array(arena, a, run, LINES_PTX), "source_lines",
			      lines_array(arena, a, run, LINES_SOURCE), "timelines", timelines_array(run));
	if (o) {
		set_end(arena, o, run);
		json_object_set_new(o, "findings", findings_array(arena, a, run));
	}
	if (o && run->opcodes.items.count)
		json_object_set_new(o, "opcodes", opcodes_array(run));
	if (o && run->block_count)
		json_object_set_new(o, "blocks", blocks_array(run));
	return o;
}

/* NULL if memory ran out in any part: a report is whole or not written. */
json_t *report_object(struct arena *arena, const struct accounting *a, const struct account_run *const *runs,
		      size_t count)
{
	json_t *launches = json_array();

	for (size_t k = 0; k < count; k++)
		json_array_append_new(launches, launch_object(arena, a, runs[k]));
	if (json_array_size(launches) != count) {
		json_decref(launches);
		return NULL;
	}
	return json_pack("{s:i, s:s, s:i, s:o}", "ptxsim_report", 2, "arch", accounting_arch(a)->name, "bank_bytes",
			 accounting_arch(a)->bank_bytes, "launches", launches);
}

bool report_json(FILE *to, struct arena *arena, const struct accounting *a, const struct account_run *const *runs,
		 size_t count)
{
	json_t *report = report_object(arena, a, runs, count);
	const bool ok = report && !json_dumpf(report, to, JSON_INDENT(1) | JSON_REAL_PRECISION(17));

	json_decref(report);
	fputc('\n', to);
	return ok;
}
