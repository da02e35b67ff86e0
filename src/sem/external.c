/* SPDX-License-Identifier: Apache-2.0
 *
 * System functions. malloc takes from the launch's heap; free of anything else is a fault; what vprintf and __assertfail
 * print is in sem/print.c.
 */
#include "sem/external.h"

#include <string.h>

#include "sem/print.h"

enum { HEAP_DEFAULT = 8 << 20 };

static u64 argument(const struct warp *w, const u8 *rows, const struct call_site *site, u32 k, u32 lane)
{
	return call_argument(w, rows, site, k, 0, lane);
}

/* --- malloc, free, __assertfail ------------------------------------------------------------- */

static struct memory_act act_of(const struct warp *w, const struct insn *i, u32 lane)
{
	const struct code *code = w->frame->code;

	return (struct memory_act){code, (u32)(i - grid_entry(w->grid, code)), w->block->index,
				   w->index * WARP_LANES + lane};
}

static u64 allocate(struct warp *w, const struct insn *i, u32 lane, u64 size)
{
	const u64 heap = w->grid->launch->heap_bytes ? w->grid->launch->heap_bytes : HEAP_DEFAULT;

	const struct memory_act by = act_of(w, i, lane);

	return size ? memory_allocate_heap(w->grid->memory, size, heap, "device heap", &by) : 0;
}

static bool release(struct warp *w, const struct insn *i, u8 *rows, const struct call_site *site, u32 lane)
{
	struct memory *m = w->grid->memory;
	const u64 address = argument(w, rows, site, 0, lane);
	struct allocation a;

	if (!address)
		return true;
	const struct memory_act by = act_of(w, i, lane);
	/* Several threads may free it at once. */
	if (!memory_look(m, address, 1, &a) || a.base != address || !(a.flags & ALLOCATION_HEAP) ||
	    !memory_release_by(m, address, &by)) {
		warp_fault_free(w, i, lane, address);
		return false;
	}
	/* The worker's next access there must not find what it remembers. */
	memset(w->worker->allocations, 0, sizeof w->worker->allocations);
	return true;
}

static bool print(struct warp *w, const struct insn *i, u8 *rows, const struct call_site *site, u32 lane)
{
	u64 read;

	if (!print_format(w, i, lane, argument(w, rows, site, 0, lane), argument(w, rows, site, 1, lane), &read))
		return false;
	call_result(w, rows, site, lane, read);
	return true;
}

static struct assertion assertion_of(const struct warp *w, const u8 *rows, const struct call_site *site, u32 lane)
{
	return (struct assertion){.expression = argument(w, rows, site, 0, lane),
				  .file = argument(w, rows, site, 1, lane),
				  .line = (u32)argument(w, rows, site, 2, lane),
				  .function = argument(w, rows, site, 3, lane)};
}

/* Every lane that comes here says so, as on the card; the first one's words are the fault's. */
static void fail_assertion(struct warp *w, const struct insn *i, u8 *rows, const struct call_site *site, u32 mask)
{
	char expression[160], file[160], function[160];
	const u32 first = (u32)__builtin_ctz(mask);
	const struct assertion a = assertion_of(w, rows, site, first);

	if (!print_string(w, i, first, a.expression, expression, sizeof expression) ||
	    !print_string(w, i, first, a.file, file, sizeof file) ||
	    !print_string(w, i, first, a.function, function, sizeof function))
		return;
	for (u32 lane = first; lane < WARP_LANES; lane++) {
		const struct assertion own = assertion_of(w, rows, site, lane);
		if (mask >> lane & 1 && !print_assertion(w, i, lane, &own))
			return;
	}
	warp_fault(w, i, FAULT_ASSERT, mask, "%s:%u: %s: assertion `%s' failed", file, a.line, function, expression);
}

/* The instruction that called: machine code gets here from anywhere, and where it is to return to stands in registers.
 * What the function does wrong is that instruction's fault, and memory is allocated and freed there. */
static const struct insn *caller_of(const struct warp *w, const struct insn *i, const u8 *rows,
				    const struct call_site *site, u32 lane)
{
	const struct code *code = w->frame->code;
	u32 index, words[2];

	if (!site->function_row)
		return i;
	for (u32 k = 0; k < 2; k++) /* a pair of registers */
		memcpy(words + k, rows + site->function_row + 4 * (k * WARP_LANES + lane), 4);
	const u64 address = (words[0] | (u64)words[1] << 32) - w->grid->map->function_base;
	if (!ir_find_address(code->function, address, &index) || !index)
		return i;
	return grid_entry(w->grid, code) + code->starts[index - 1];
}

const struct insn *external_call(struct warp *w, const struct insn *i, u8 *rows, u32 mask, const struct call_site *site)
{
	if (!strcmp(site->external, "__assertfail") && site->in_count >= 4) {
		fail_assertion(w, caller_of(w, i, rows, site, (u32)__builtin_ctz(mask)), rows, site, mask);
		return NULL;
	}
	for (u32 lane = 0; lane < WARP_LANES; lane++) {
		bool ok = true;
		if (!(mask >> lane & 1))
			continue;
		const struct insn *from = caller_of(w, i, rows, site, lane);
		if (!strcmp(site->external, "vprintf") && site->in_count >= 2)
			ok = print(w, from, rows, site, lane);
		else if (!strcmp(site->external, "malloc") && site->in_count >= 1)
			call_result(w, rows, site, lane, allocate(w, from, lane, argument(w, rows, site, 0, lane)));
		else if (!strcmp(site->external, "free") && site->in_count >= 1)
			ok = release(w, from, rows, site, lane);
		else
			ok = device_runtime_call(w, from, rows, site, lane);
		if (!ok)
			return NULL;
	}
	return i + 1;
}
