/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings, and the places that they name.
 */
#include "observe/check_findings.h"

#include <stdio.h>

#include "exec/run.h"

u32 *check_site_bases(struct arena *arena, const struct program *program)
{
	u32 *bases = ARENA_ARRAY(arena, program->code_count + 1, u32), count = 0;

	for (u32 c = 0; c < program->code_count; c++) {
		bases[c] = count;
		count += program->codes[c]->insn_count;
	}
	bases[program->code_count] = count;
	return bases;
}

const struct code *check_site_code(const struct check_sites *s, u32 site, u32 *insn)
{
	u32 c = s->program->code_count - 1;

	while (c && s->bases[c] > site)
		c--;
	*insn = site - s->bases[c];
	return s->program->codes[c];
}

void check_site_place(const struct check_sites *s, u32 site, char text[CHECK_PLACE_TEXT])
{
	u32 insn;
	const struct code *code = check_site_code(s, site, &insn);
	struct fault_place p;

	fault_find_place(code, insn, &p);
	fault_place_text(&p, text);
}

u32 check_site(const struct check_sites *s, const struct warp *w, const struct insn *i)
{
	const struct code *code = w->frame->code;

	return s->bases[code->index] + (u32)(i - grid_entry(w->grid, code));
}

static bool is_known(struct check_findings *f, enum fault_kind kind, u32 site, u32 other)
{
	for (size_t k = 0; k < f->items.count; k++) {
		struct check_finding *x = &f->items.items[k];
		if (x->fault.kind == kind && x->site == site && x->other == other) {
			x->fault.times++;
			return true;
		}
	}
	return false;
}

struct fault *check_tell(struct check_findings *f, enum fault_kind kind, const struct warp *w, u32 site, u32 lanes,
			 u32 other)
{
	u32 insn;

	if (is_known(f, kind, site, other))
		return NULL;
	if (f->items.count >= f->most) {
		f->more++;
		return NULL;
	}
	const struct code *code = check_site_code(f->sites, site, &insn);
	const struct check_finding x = {.fault = {.kind = kind,
						  .code = code,
						  .insn = code->insns + insn,
						  .block = w->block->index,
						  .warp = w->index,
						  .lane = lanes ? (u32)__builtin_ctz(lanes) : 0,
						  .lanes = lanes,
						  .space = SPACE_GENERIC,
						  .null_param = -1,
						  .times = 1},
					.site = site,
					.other = other};
	VEC_PUSH(f->arena, &f->items, x);
	return &f->items.items[f->items.count - 1].fault;
}

void check_tell_other(struct fault *fault, const struct check_sites *sites, enum fault_role role, u32 other, u64 block,
		      u32 thread)
{
	fault->role = role;
	fault->other.code = check_site_code(sites, other, &fault->other.insn);
	fault->other.block = block;
	fault->other.thread = thread;
}
