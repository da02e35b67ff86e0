/* SPDX-License-Identifier: Apache-2.0
 *
 * Gangs whose lanes go different ways. The ways are a stack: lanes that have yet to run from somewhere, and
 * joins with the lanes that have arrived there. What runs goes on to the topmost join (or to its end); then
 * what is on top of the stack runs. Each warp's lanes so take their ways in the order in which they would
 * if the warp ran by itself (exec/diverge.c), where a branch's other lanes are also put before all that
 * is ready; only, at a join a warp also waits for other warps. None waits for long: a gang whose turn is over
 * parts, and each warp gets the splits and joins that it would have by itself.
 *
 * In machine code joins are BSYNCs, and lanes wait at them by what the rows of barriers say (exec/converge.h), which a gang's
 * warps write like any row. That a branch's lanes meet at a BSYNC is read off the text, so it may be wrong: lanes that
 * go elsewhere only meet later.
 *
 * A picture of one warp's part of the stack, after a branch inside a branch:
 *
 *      if (p) { if (q) A; else B; } else C;          running: the lanes that do A
 *      stack   [0] join of the outer if              lanes that have arrived: none yet
 *              [1] C: lanes with !p                  to run from C
 *              [2] join of the inner if, outer = 0
 *              [3] B: lanes with p and !q            runs next, when A has reached the join
 *
 * An entry holds lanes of all warps; a warp may have none in it.
 */
#include <string.h>

#include "exec/converge.h"
#include "exec/gang_ways.h"
#include "exec/internal.h"

/* Writes the warps with any lanes to `list` and returns its end. Handlers loop over that list (EACH_MEMBER). */
static const struct gang_member *list_members(const struct gang *g, const u32 *lanes, struct gang_member *list)
{
	for (u32 k = 0; k < g->count; k++)
		if (lanes[k])
			*list++ = (struct gang_member){.rows = g->rows + k * g->stride,
						       .warp = &g->warps[k],
						       .mask = lanes[k],
						       .lanes = lanes_of(lanes[k])};
	return list;
}

/* Brings the gang in line with `running`: each warp's mask and the list of members. With all lanes running and nothing
 * on the stack the gang is whole again, and its handlers take their fast way. */
static void set_running(struct gang *g)
{
	struct gang_split *s = g->split;
	u32 all = FULL_MASK;

	for (u32 k = 0; k < g->count; k++) {
		g->warps[k].mask = s->running[k];
		all &= s->running[k];
	}
	if (all == FULL_MASK && !s->depth) {
		g->on = g->on_end = NULL;
		g->split = NULL;
		return;
	}
	g->on = s->on;
	g->on_end = list_members(g, s->running, s->on);
}

/* From the undivided state: all lanes run. Counts are each warp's own from now on, since warps execute different
 * instructions. */
static struct gang_split *begin(struct gang *g)
{
	struct gang_split *s = gang_split_room(g);

	gang_dissolve(g);
	g->split = s;
	s->depth = 0;
	s->join = NO_JOIN;
	memset(s->beside, 0, sizeof s->beside);
	for (u32 k = 0; k < g->count; k++)
		s->running[k] = FULL_MASK;
	return s;
}

void gang_split_live(struct gang *g)
{
	struct gang_split *s = begin(g);

	for (u32 k = 0; k < g->count; k++)
		s->running[k] = g->warps[k].live;
	set_running(g);
}

void gang_count_members(struct gang *g, u32 instructions, u32 branches)
{
	EACH_MEMBER (g, m) {
		m->warp->issued += instructions;
		m->warp->lanes_issued += (u64)instructions * m->lanes;
		m->warp->branches += branches;
	}
}

const struct insn *gang_change_code(struct gang *g, const struct insn *i, const struct insn *insns)
{
	const struct insn *const here = insns + (i - g->insns);

	for (u32 k = 0; g->split && k < g->split->depth; k++)
		g->split->stack[k].pc = insns + (g->split->stack[k].pc - g->insns);
	g->insns = insns;
	return here;
}

/* Whether lanes are waiting nowhere else: some may have exited. Only then can a barrier complete in the gang. */
bool gang_is_together(const struct gang *g) { return !g->split || !g->split->depth; }

/* The row of a convergence barrier of a warp, for each lane. */
static const u32 *barrier_row(const u8 *rows, u32 barrier) { return (const u32 *)(const void *)(rows + barrier); }

/* Whether some that have come to a join of machine code wait for lanes that are still to come, from deeper in the stack: the join
 * was opened by a branch of only a part of those whose barrier it is. */
static bool awaits_others(const struct gang *g, const struct entry *join)
{
	for (u32 k = 0; k < g->count; k++) {
		const u32 *row = barrier_row(g->rows + k * g->stride, join->pc->d);
		u32 awaited = 0;
		for (u32 left = join->lanes[k]; left; left &= left - 1)
			awaited |= row[__builtin_ctz(left)];
		if (awaited & g->warps[k].live & ~join->lanes[k])
			return true;
	}
	return false;
}

/* The way that ran has ended. Runs the next one, of which any lanes are left. */
static const struct insn *next_way(struct gang *g)
{
	struct gang_split *s = g->split;

	while (s->depth) {
		const struct entry *e = &s->stack[s->depth - 1];
		u32 any = 0;
		if (e->is_join && g->code->machine_banks && awaits_others(g, e)) {
			memset(s->running, 0, sizeof s->running);
			return gang_part(g, e->pc, g->count);
		}
		s->depth--;
		for (u32 k = 0; k < g->count; k++) {
			any |= s->running[k] = e->lanes[k];
			s->beside[k] = s->beside[k] > s->depth ? 0 : s->beside[k];
		}
		if (e->is_join)
			s->join = e->outer;
		if (!any)
			continue;
		set_running(g);
		return e->is_join ? e->pc + 1 : e->pc;
	}
	for (u32 k = 0; k < g->count; k++)
		g->warps[k].mask = 0;
	return NULL;
}

/* The caller has made sure of room (STACK_ENTRIES): otherwise the gang parts. */
static struct entry *push(struct gang_split *s, const struct insn *pc, bool is_join)
{
	struct entry *e = &s->stack[s->depth++];

	e->pc = pc;
	e->is_join = is_join;
	return e;
}

/* The join at pc becomes the innermost; nobody has arrived. */
static void push_join(struct gang *g, const struct insn *pc)
{
	struct gang_split *s = g->split;
	struct entry *e = push(s, pc, true);

	e->outer = s->join;
	for (u32 k = 0; k < g->count; k++)
		e->lanes[k] = e->awaited[k] = 0;
	s->join = (s32)s->depth - 1;
	if (g->code->machine_banks)
		EACH_MEMBER (g, m)
			e->awaited[m->warp - g->warps] = barrier_row(m->rows, pc->d)[__builtin_ctz(m->mask)];
}

/* Only the innermost join counts: lanes reach an outer one after they have left this one. */
static struct entry *open_join(struct gang_split *s, const struct insn *pc)
{
	return s->join != NO_JOIN && s->stack[s->join].pc == pc ? &s->stack[s->join] : NULL;
}

/* Whether a warp's running lanes wait for those that the join was opened for. Otherwise it is another's: a function that
 * calls itself comes to its BSYNC again before those that wait there are done. */
static bool is_of(const struct gang_member *m, u32 warp, const struct entry *join)
{
	const u32 *awaited = barrier_row(m->rows, join->pc->d);
	u32 off = 0;

	for (u32 l = 0; l < WARP_LANES; l++)
		off |= m->mask >> l & 1 ? awaited[l] ^ join->awaited[warp] : 0;
	return off == 0;
}

static bool is_theirs(const struct gang *g, const struct entry *join)
{
	EACH_MEMBER (g, m)
		if (!is_of(m, (u32)(m->warp - g->warps), join))
			return false;
	return true;
}

/* Before lanes part that are to meet at pc: the join there becomes the innermost, unless it is already. */
static void open_join_at(struct gang *g, const struct insn *pc)
{
	const struct entry *join = pc ? open_join(g->split, pc) : NULL;

	if (pc && !(join && (!g->code->machine_banks || is_theirs(g, join))))
		push_join(g, pc);
}

/* Counts the branch i, of whose warps `taken` parts some or none. Returns how many. */
static u32 count_branch(struct gang *g, const struct insn *i, const u32 *taken)
{
	u32 parted = 0;

	gang_account_branch(g, i);
	EACH_MEMBER (g, m) {
		const u32 t = taken[m->warp - g->warps];
		m->warp->divergent_branches += t && t != m->mask;
		parted += t && t != m->mask;
	}
	return parted;
}

/* Running lanes, the chosen ones or the others, are to run from pc later; or they have arrived at the join there. */
static void put_aside(struct gang *g, const struct insn *pc, const u32 *chosen, bool others)
{
	struct gang_split *s = g->split;
	/* A BSYNC is an instruction, which they have yet to run. */
	struct entry *e = g->code->machine_banks ? NULL : open_join(s, pc);

	if (!e) {
		e = push(s, pc, false);
		memset(e->lanes, 0, sizeof e->lanes);
	}
	for (u32 k = 0; k < g->count; k++) {
		const u32 lanes = s->running[k] & (others ? ~chosen[k] : chosen[k]);
		e->lanes[k] |= lanes;
		s->running[k] &= ~lanes;
	}
}

/* Machine code: lanes of warp k that have waited beside those that run join the pool, as their warp parts again: those that wait
 * at the same place below, up to the innermost join (exec/converge.h). */
static void join_pool(struct gang *g, u32 k)
{
	struct gang_split *s = g->split;
	const u32 at = s->beside[k];
	const u8 *rows = g->rows + k * g->stride;
	bool others = false;

	s->beside[k] = 0;
	for (u32 below = at ? at - 1 : 0; below-- > 0 && !s->stack[below].is_join;) {
		struct entry *from = &s->stack[at - 1], *to = &s->stack[below];
		const bool there = to->lanes[k] != 0;
		/* An entry of other warps will do, too: so the stack does not grow with each round of a loop. */
		if (to->pc == from->pc &&
		    (there ? converge_alike(g->code, (u32)(to->pc - g->insns), rows, from->lanes[k], to->lanes[k])
			   : !others)) {
			to->lanes[k] |= from->lanes[k];
			from->lanes[k] = 0;
			return;
		}
		others |= there;
	}
}

/* The members whose lanes part, a bit each. */
static u32 parting(const struct gang *g, const u32 *taken)
{
	u32 parts = 0;

	for (u32 k = 0; k < g->count; k++) {
		const u32 mask = g->on ? g->split->running[k] : FULL_MASK;
		parts |= (u32)(taken[k] && taken[k] != mask) << k;
	}
	return parts;
}

static void join_pools(struct gang *g, u32 parts)
{
	for (u32 left = parts; left; left &= left - 1)
		join_pool(g, (u32)__builtin_ctz(left));
}

/* Of these warps the topmost entry has the lanes that wait beside those that run. */
static void note_beside(struct gang_split *s, u32 warps)
{
	for (u32 left = warps; left; left &= left - 1)
		s->beside[__builtin_ctz(left)] = s->depth;
}

/* If no warp's lanes part, the warp comes first that would without gangs: others may wait for it. */
const struct insn *gang_diverge(struct gang *g, const struct insn *i, const u32 taken[GANG_WARPS],
				const struct insn *join_pc, bool taken_leads)
{
	const struct insn *target = i + i->imm;

	/* A warp by itself does no worse. */
	if ((g->count == 1 && !g->single) || (g->split && g->split->depth + 2 > STACK_ENTRIES))
		return gang_part(g, i, 0);
	struct gang_split *s = g->split ? g->split : begin(g);
	g->on = s->on;
	g->on_end = list_members(g, s->running, s->on);
	const u32 lead = s->running[g->lead] ? g->lead : (u32)(s->on->warp - g->warps);
	/* Who goes to the join at once does so first, and need not be remembered. */
	const bool taken_first = count_branch(g, i, taken) ? taken_leads && i + 1 != join_pc : taken[lead];
	const u32 parts = g->code->machine_banks ? parting(g, taken) : 0;
	join_pools(g, parts);
	open_join_at(g, join_pc);
	put_aside(g, taken_first ? i + 1 : target, taken, taken_first);
	note_beside(s, parts);
	set_running(g);
	return taken_first ? target : i + 1;
}

/* Puts lanes of each warp aside, to run from pc; all below them of such warps run later. The topmost entry will do where it is
 * there for others. */
static void put_beside(struct gang *g, const struct insn *pc, const u32 lanes[GANG_WARPS])
{
	struct gang_split *s = g->split;
	struct entry *e = s->depth ? &s->stack[s->depth - 1] : NULL;
	bool fits = e && !e->is_join && e->pc == pc;

	for (u32 k = 0; k < g->count && fits; k++)
		fits = !(lanes[k] && e->lanes[k]);
	if (!fits) {
		e = push(s, pc, false);
		memset(e->lanes, 0, sizeof e->lanes);
	}
	for (u32 k = 0; k < g->count; k++) {
		e->lanes[k] |= lanes[k];
		s->running[k] &= ~lanes[k];
	}
}

/* Warps that part run one after the other, those first that jump:
 *
 *      warps of which fewer jump     run the target; then what is behind the branch
 *      the others that part          wait; then run what is behind the branch, while those that jump wait below */
const struct insn *gang_diverge_fewer_first(struct gang *g, const struct insn *i, const u32 taken[GANG_WARPS],
					    const struct insn *join_pc)
{
	u32 later[GANG_WARPS] = {0}, behind[GANG_WARPS] = {0}, stays = 0;

	if ((g->count == 1 && !g->single) || (g->split && g->split->depth + 3 > STACK_ENTRIES))
		return gang_part(g, i, 0);
	const u32 parts = parting(g, taken);
	if (!parts)
		return gang_diverge(g, i, taken, join_pc, true);
	struct gang_split *s = g->split ? g->split : begin(g);
	g->on = s->on;
	g->on_end = list_members(g, s->running, s->on);
	count_branch(g, i, taken);
	join_pools(g, parts);
	open_join_at(g, join_pc);
	EACH_MEMBER (g, m) {
		const u32 k = (u32)(m->warp - g->warps), stay = m->mask & ~taken[k];
		const bool stay_first = parts >> k & 1 && lanes_of(stay) <= lanes_of(taken[k]);
		behind[k] = stay;
		later[k] = stay_first ? taken[k] : 0;
		stays |= (u32)stay_first << k;
	}
	const bool target_first = parts != stays;
	if (stays)
		put_beside(g, i + i->imm, target_first ? later : taken);
	note_beside(s, stays);
	if (target_first)
		put_beside(g, i + 1, behind);
	note_beside(s, parts & ~stays);
	set_running(g);
	return target_first ? i + i->imm : i + 1;
}

/* Counts the branch; whether the lanes of any warp part. */
static bool count_ways(struct gang *g, const struct insn *i, const struct gang_ways *ways)
{
	bool parts = false;

	gang_account_branch(g, i);
	EACH_MEMBER (g, m) {
		u32 taken = 0;
		for (u32 n = 0; n < ways->count; n++)
			taken += ways->lanes[n][m->warp - g->warps] != 0;
		m->warp->divergent_branches += taken > 1;
		parts |= taken > 1;
	}
	return parts;
}

/* As with two ways, the nearest comes first, or that of the warp that would go on first without gangs. */
const struct insn *gang_diverge_ways(struct gang *g, const struct insn *i, const struct gang_ways *ways,
				     const struct insn *join_pc)
{
	u32 first = 0;

	if ((g->count == 1 && !g->single) || (g->split && g->split->depth + ways->count + 1 > STACK_ENTRIES))
		return gang_part(g, i, 0);
	struct gang_split *s = g->split ? g->split : begin(g);
	g->on = s->on;
	g->on_end = list_members(g, s->running, s->on);
	const u32 lead = s->running[g->lead] ? g->lead : (u32)(s->on->warp - g->warps);
	if (!count_ways(g, i, ways))
		while (!ways->lanes[first][lead])
			first++;
	open_join_at(g, join_pc);
	for (u32 n = ways->count; n-- > 0;)
		if (n != first)
			put_aside(g, i + ways->distance[n], ways->lanes[n], false);
	set_running(g);
	return i + ways->distance[first];
}

/* At a join: the lanes that ran wait there, and the next way runs. Not a join of this gang's: nothing happens. */
const struct insn *gang_join(struct gang *g, const struct insn *i)
{
	struct entry *join = g->split ? open_join(g->split, i) : NULL;

	if (!join)
		return i + 1;
	for (u32 k = 0; k < g->count; k++)
		join->lanes[k] |= g->split->running[k];
	return next_way(g);
}

/* --- Machine code ---------------------------------------------------------------------------- */

/* The innermost open join at that place that is of those who run, or NULL: none, or warps come to different ones. Lanes may
 * come to an outer one before those of inner ones have: BREAK. */
static struct entry *join_at(const struct gang *g, const struct insn *pc)
{
	struct gang_split *s = g->split;
	s32 found = NO_JOIN;

	EACH_MEMBER (g, m) {
		s32 at = s->join;
		while (at != NO_JOIN && !(s->stack[at].pc == pc && is_of(m, (u32)(m->warp - g->warps), &s->stack[at])))
			at = s->stack[at].outer;
		if (at == NO_JOIN || (m != g->on && at != found))
			return NULL;
		found = at;
	}
	return found == NO_JOIN ? NULL : &s->stack[found];
}

/* Whether all that the running lanes of each warp wait for run with them. */
static bool awaits_none(const struct gang *g, u32 barrier)
{
	EACH_MEMBER (g, m) {
		const u32 *row = barrier_row(m->rows, barrier);
		u32 awaited = 0;
		for (u32 left = m->mask; left; left &= left - 1)
			awaited |= row[__builtin_ctz(left)];
		if (awaited & m->warp->live & ~m->mask)
			return false;
	}
	return true;
}

/* BSYNC, by the row i->d, which holds for each lane the lanes that it waits for. With no join open here, the gang can
 * go on only if no warp would wait. */
const struct insn *gang_converge(struct gang *g, const struct insn *i)
{
	struct gang_split *s = g->split;
	struct entry *join = s ? join_at(g, i) : NULL;

	if (s && !join && !awaits_none(g, i->d))
		return gang_part(g, i, 0);
	gang_account(g, i);
	if (!join)
		return i + 1;
	for (u32 k = 0; k < g->count; k++)
		join->lanes[k] |= s->running[k];
	return next_way(g);
}

void gang_leave(struct gang *g, u32 barrier, u32 k, u32 awaited, u32 lanes)
{
	for (u32 at = 0; g->split && at < g->split->depth; at++) {
		struct entry *e = &g->split->stack[at];
		if (e->is_join && e->pc->d == barrier && e->awaited[k] == awaited)
			e->awaited[k] &= ~lanes;
	}
}

/* --- Exits ---------------------------------------------------------------------------------- */

static void exit_lanes(struct warp *w, u32 lanes)
{
	w->live &= ~lanes;
	w->mask &= ~lanes;
	if (!w->live)
		w->stop = STOP_FINISHED;
	block_lanes_exited(w, lanes);
}

const struct insn *gang_split_exit(struct gang *g)
{
	EACH_MEMBER (g, m)
		exit_lanes(m->warp, m->mask);
	return next_way(g);
}

const struct insn *gang_exit_some(struct gang *g, const struct insn *i, const u32 ends[GANG_WARPS])
{
	if (g->count == 1 && !g->single)
		return gang_part(g, i, 0);
	gang_account(g, i);
	struct gang_split *s = g->split ? g->split : begin(g);
	for (u32 k = 0; k < g->count; k++) {
		if (!ends[k])
			continue;
		s->running[k] &= ~ends[k];
		exit_lanes(&g->warps[k], ends[k]);
	}
	set_running(g);
	return i + 1;
}

/* Runs the instruction behind the guard i for the lanes `on` alone, by one dispatch, and restores the members.
 * `guarded` tells gang_part() that warps which have not run it resume at the guard. */
const struct insn *gang_guarded(struct gang *g, const struct insn *i, const u32 on[GANG_WARPS])
{
	const struct gang_member *const running = g->on, *const running_end = g->on_end;
	struct gang_split *s = gang_split_room(g);

	g->on = s->guarded;
	g->on_end = list_members(g, on, s->guarded);
	g->guarded = true;
	const struct insn *next = i[1].gang(g, i + 1);
	g->guarded = false;
	g->on = running;
	g->on_end = running_end;
	return next;
}
