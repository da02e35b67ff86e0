/* SPDX-License-Identifier: Apache-2.0
 *
 * For each place where ways meet: the barriers that may be pending there for each register. A walk from place to place adds to
 * them until nothing is new; a last one tells.
 *
 * Instructions of variable latency set one of six barriers when they write their result, or have read their sources;
 * others wait for barriers (control bits, see sass_control_of). The hardware checks nothing: code that does not wait
 * reads old values.
 *
 *  LDG R2, [R4]     sets barrier 0 for results      pending.results[R2] |= 1
 *  IADD R3, R2, 1   waits for 0: fine;  does not: HAZARD_READ_EARLY
 *  MOV R4, RZ       before the load has read R4: HAZARD_SOURCE_LOST
 */
#include "sass/scoreboard.h"

#include <stdio.h>
#include <string.h>

#include "sass/elf.h"

enum { NO_BARRIER = 7, INSN_BYTES = 16 };

/* Bit b: barrier b, for each register.
 * One for each place where ways meet. */
struct pending {
	u8 results[SASS_INDEX_COUNT], sources[SASS_INDEX_COUNT];
	u8 instead
		[SASS_INDEX_COUNT]; /* who has waited for one of these results knows that the sources have been read */
};

struct checking {
	struct arena *arena;
	const struct sass_decoder *decoder;
	const u8 *code;
	u32 count;           /* instructions */
	struct pending **at; /* by instruction where ways meet, else NULL */
	bool *todo;
	void (*tell)(void *context, const struct sass_hazard *h);
	void *context;
	u32 hazards;
};

static bool decode(const struct checking *c, u32 k, struct sass_insn *i)
{
	const u8 *at = c->code + (size_t)k * INSN_BYTES;

	return sass_decode(c->decoder, read_u64(at), read_u64(at + 8), k * INSN_BYTES, i);
}

static bool target_of(const struct checking *c, const struct sass_insn *i, u32 *k)
{
	for (u32 o = 0; o < i->operand_count; o++)
		if (i->operands[o].arg == ARG_TARGET && i->operands[o].value / INSN_BYTES < c->count) {
			*k = (u32)(i->operands[o].value / INSN_BYTES);
			return true;
		}
	return false;
}

/* The first instruction, and all targets of branches. */
static void find_meetings(struct checking *c)
{
	struct sass_insn i;
	u32 target;

	c->at[0] = ARENA_NEW(c->arena, struct pending);
	c->todo[0] = true;
	for (u32 k = 0; k < c->count; k++)
		if (decode(c, k, &i) && target_of(c, &i, &target) && !c->at[target])
			c->at[target] = ARENA_NEW(c->arena, struct pending);
}

/* Whether the way may go on behind the instruction. */
static bool falls_through(const struct sass_insn *i)
{
	switch (i->opcode) {
	case SASS_OP_BRA:
	case SASS_OP_EXIT:
		return i->guard != SASS_PT || i->guard_negated || i->operands[0].number != SASS_PT ||
		       i->operands[0].flags & SASS_NOT;
	case SASS_OP_BRX:
	case SASS_OP_RET:
		return i->guard != SASS_PT;
	default:
		return true;
	}
}

/* Adds what may be pending on one more way; if that is new, the place has to be walked from again. */
static void add(struct checking *c, u32 k, const struct pending *from)
{
	struct pending *to = c->at[k];
	bool is_new = false;

	for (u32 r = 0; r < SASS_INDEX_COUNT; r++) {
		const u8 instead = to->sources[r] && from->sources[r] ? to->instead[r] & from->instead[r]
				   : from->sources[r]                 ? from->instead[r]
								      : to->instead[r];
		is_new |= (from->results[r] & ~to->results[r]) || (from->sources[r] & ~to->sources[r]) ||
			  instead != to->instead[r];
		to->instead[r] = instead;
		to->results[r] |= from->results[r];
		to->sources[r] |= from->sources[r];
	}
	c->todo[k] |= is_new;
}

/* The barriers are no longer pending for any register. */
static void wait_for(struct pending *p, u32 barriers)
{
	const u8 keep = (u8)~barriers;

	for (u32 r = 0; r < SASS_INDEX_COUNT; r++) {
		p->results[r] &= keep;
		p->sources[r] &= p->instead[r] & barriers ? 0 : keep;
		p->instead[r] = p->sources[r] ? p->instead[r] : 0;
	}
}

/* Barriers that DEPBAR waits for, to the last or but for some: what it lets pass is in the order of the memory unit. */
static u32 waited_by_depbar(const struct sass_insn *i)
{
	u32 barriers = 0;

	for (u32 o = 0; o < i->operand_count; o++) {
		if (i->operands[o].arg == ARG_SCOREBOARD)
			barriers |= 1u << (i->operands[o].number & 7);
		if (i->operands[o].arg == ARG_SCOREBOARDS)
			barriers |= (u32)i->operands[o].value & 63;
	}
	return barriers;
}

/* Whether instruction k sets that barrier for the register. */
static bool sets_for(const struct checking *c, u32 k, u32 barrier, u32 reg, bool result)
{
	struct sass_effects effects;
	struct sass_insn i;

	if (!decode(c, k, &i))
		return false;
	const struct sass_control control = sass_control_of(&i);
	if ((result ? control.write_barrier : control.read_barrier) != barrier)
		return false;
	sass_effects_of(c->decoder, &i, &effects);
	for (u32 n = 0; n < effects.count; n++)
		if (effects.items[n].written == result && reg >= effects.items[n].first &&
		    reg < effects.items[n].first + effects.items[n].count)
			return true;
	return false;
}

/* Reports a hazard. The instruction that set the barrier is looked for backwards in the text: it is for the message
 * only. */
static void found(struct checking *c, u32 k, u32 reg, u8 barriers, enum sass_hazard_kind kind)
{
	struct sass_hazard h = {.kind = kind,
				.address = k * INSN_BYTES,
				.setter = k * INSN_BYTES,
				.reg = (u16)reg,
				.barrier = (u8)__builtin_ctz(barriers)};

	c->hazards++;
	for (u32 at = k; at-- > 0;)
		if (sets_for(c, at, h.barrier, reg, kind != HAZARD_SOURCE_LOST)) {
			h.setter = at * INSN_BYTES;
			break;
		}
	c->tell(c->context, &h);
}

/* Memory instructions read their sources in order: one that writes a source of an earlier one is behind it. */
static void check(struct checking *c, u32 k, const struct sass_effects *effects, const struct pending *p, bool late)
{
	for (u32 n = 0; n < effects->count; n++)
		for (u32 r = effects->items[n].first; r < (u32)effects->items[n].first + effects->items[n].count; r++) {
			const bool written = effects->items[n].written;
			if (p->results[r])
				found(c, k, r, p->results[r], written ? HAZARD_WRITTEN_TWICE : HAZARD_READ_EARLY);
			else if (written && !late && p->sources[r])
				found(c, k, r, p->sources[r], HAZARD_SOURCE_LOST);
		}
}

/* What the instruction makes pending. */
static void set(struct pending *p, const struct sass_insn *i, const struct sass_effects *effects)
{
	const struct sass_control control = sass_control_of(i);

	for (u32 n = 0; n < effects->count; n++)
		for (u32 r = effects->items[n].first; r < (u32)effects->items[n].first + effects->items[n].count; r++) {
			if (effects->items[n].written && control.write_barrier < NO_BARRIER - 1 && r < SASS_INDEX_P)
				p->results[r] |= (u8)(1u << control.write_barrier);
			if (effects->items[n].written || control.read_barrier >= NO_BARRIER - 1 || r >= SASS_INDEX_P)
				continue;
			const u8 instead =
				(u8)(control.write_barrier < NO_BARRIER - 1 ? 1u << control.write_barrier : 0);
			p->instead[r] = p->sources[r] ? p->instead[r] & instead : instead;
			p->sources[r] |= (u8)(1u << control.read_barrier);
		}
}

/* From a place where ways meet to the next ones. */
static void walk(struct checking *c, u32 from, bool tells)
{
	struct pending p = *c->at[from];
	struct sass_effects effects;
	struct sass_insn i;
	u32 target;

	for (u32 k = from; k < c->count; k++) {
		if (k > from && c->at[k]) {
			add(c, k, &p);
			return;
		}
		if (!decode(c, k, &i))
			continue;
		wait_for(&p, sass_control_of(&i).wait);
		if (i.opcode == SASS_OP_DEPBAR)
			wait_for(&p, waited_by_depbar(&i));
		sass_effects_of(c->decoder, &i, &effects);
		if (tells)
			check(c, k, &effects, &p, sass_control_of(&i).write_barrier < NO_BARRIER - 1);
		set(&p, &i, &effects);
		if (target_of(c, &i, &target) && i.opcode != SASS_OP_BSSY && i.opcode != SASS_OP_RET &&
		    i.opcode != SASS_OP_LEPC)
			add(c, target, &p);
		if (i.opcode == SASS_OP_BAR)
			memset(p.sources, 0, sizeof p.sources); /* it goes behind memory instructions in order */
		/* What is called waits for what it pleases. */
		if (i.opcode == SASS_OP_CALL)
			memset(&p, 0, sizeof p);
		if (!falls_through(&i))
			return;
	}
}

u32 sass_check_scoreboard(struct arena *a, const struct sass_decoder *d, const u8 *code, u64 bytes,
			  void (*tell)(void *context, const struct sass_hazard *h), void *context)
{
	struct checking c = {.arena = a,
			     .decoder = d,
			     .code = code,
			     .count = (u32)(bytes / INSN_BYTES),
			     .tell = tell,
			     .context = context};
	bool again = c.count > 0;

	c.at = ARENA_ARRAY(a, c.count + 1ull, struct pending *);
	c.todo = ARENA_ARRAY(a, c.count + 1ull, bool);
	if (c.count)
		find_meetings(&c);
	while (again) {
		again = false;
		for (u32 k = 0; k < c.count; k++)
			if (c.todo[k]) {
				c.todo[k] = false;
				walk(&c, k, false);
				again = true;
			}
	}
	for (u32 k = 0; k < c.count; k++)
		if (c.at[k])
			walk(&c, k, true);
	return c.hazards;
}

void sass_register_name(u32 index, char name[8])
{
	static const struct {
		const char *prefix;
		u32 first;
	} files[] = {{"B", SASS_INDEX_B},
		     {"UP", SASS_INDEX_UP},
		     {"P", SASS_INDEX_P},
		     {"UR", SASS_INDEX_UR},
		     {"R", SASS_INDEX_R}};
	u32 k = 0;

	while (files[k].first > index)
		k++;
	snprintf(name, 8, "%s%u", files[k].prefix, (index - files[k].first) & 0xfff);
}
