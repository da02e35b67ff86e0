/* SPDX-License-Identifier: Apache-2.0
 *
 * Which registers code may read before it has written them: backward data flow over a kernel's instructions. What cannot be
 * followed (jumps by registers, returns) may go wherever anything jumps to.
 */
#include "sass/live.h"

#include <string.h>

#include "decode/program.h"
#include "sass/registers.h"

enum { WORDS = (SASS_INDEX_COUNT + 63) / 64 };

struct set {
	u64 words[WORDS];
};

struct flow {
	struct set reads, writes, before;
	u32 target; /* index, or NO_OPERAND */
	bool goes_on, anywhere;
};

static void add(struct set *s, u32 first, u32 count)
{
	for (u32 k = first; k < first + count && k < SASS_INDEX_COUNT; k++)
		s->words[k / 64] |= 1ull << k % 64;
}

static bool has(const struct set *s, u32 k) { return s->words[k / 64] >> k % 64 & 1; }

/* Whether a control instruction is done by all lanes that come to it. */
static bool is_certain(const struct sass_insn *i)
{
	const struct sass_operand *o = &i->operands[0];
	const bool has_second = i->operand_count && (o->arg == ARG_PREDICATE || o->arg == ARG_UPREDICATE);

	return i->guard == SASS_PT && !i->guard_negated &&
	       (!has_second || (o->number == SASS_PT && !(o->flags & SASS_NOT)));
}

static void find_ways(const struct ir_function *f, const struct sass_insn *i, u32 base, struct flow *to)
{
	const struct sass_operand *last = &i->operands[i->operand_count ? i->operand_count - 1 : 0];

	to->target = NO_OPERAND;
	to->goes_on = true;
	switch (i->opcode) {
	case SASS_OP_EXIT:
		to->goes_on = !is_certain(i);
		break;
	case SASS_OP_BRA:
	case SASS_OP_WARPSYNC:
		if (i->operand_count && last->arg == ARG_TARGET)
			if (!ir_find_address(f, base + last->value, &to->target))
				to->anywhere = true;
		to->goes_on =
			i->opcode != SASS_OP_BRA || i->operand_count > 2 || !is_certain(i) || to->target == NO_OPERAND;
		break;
	case SASS_OP_CALL:
	case SASS_OP_BRX:
	case SASS_OP_RET:
	case SASS_OP_ENDCOLLECTIVE:
		to->anywhere = true;
		break;
	default:
		break;
	}
}

static void describe(const struct ir_function *f, u32 index, u32 base, struct flow *to)
{
	struct sass_effects effects;
	struct sass_insn i;

	to->goes_on = true;
	to->target = NO_OPERAND;
	if (!sass_instruction_at(f, index, &i)) {
		to->anywhere = true;
		return;
	}
	sass_effects_of(sass_decoder_of(f), &i, &effects);
	for (u32 k = 0; k < effects.count; k++)
		if (!effects.items[k].written)
			add(&to->reads, effects.items[k].first, effects.items[k].count);
		else if (i.guard == SASS_PT && !i.guard_negated)
			add(&to->writes, effects.items[k].first, effects.items[k].count);
	find_ways(f, &i, base, to);
}

static bool merge(struct set *to, const struct set *from)
{
	u64 more = 0;

	for (u32 k = 0; k < WORDS; k++) {
		more |= from->words[k] & ~to->words[k];
		to->words[k] |= from->words[k];
	}
	return more;
}

/* What instruction k reads, or code behind it that it does not write. */
static bool step(struct flow *all, u32 k, const struct set *anywhere)
{
	struct flow *f = &all[k];
	struct set after = {{0}};

	if (f->goes_on)
		merge(&after, &all[k + 1].before);
	if (f->target != NO_OPERAND)
		merge(&after, &all[f->target].before);
	if (f->anywhere)
		merge(&after, anywhere);
	for (u32 n = 0; n < WORDS; n++)
		after.words[n] = (after.words[n] & ~f->writes.words[n]) | f->reads.words[n];
	return merge(&f->before, &after);
}

void sass_live_at(struct arena *scratch, const struct ir_function *f, const bool *leads, const u32 *bases, u32 entry,
		  bool live[SASS_INDEX_COUNT], u16 *barriers)
{
	const u32 count = (u32)f->body.count;
	struct flow *all = ARENA_ARRAY(scratch, count + 1, struct flow);
	struct set anywhere = {{0}};
	bool again = true;

	for (u32 k = 0; k < count; k++)
		describe(f, k, bases[k], &all[k]);
	while (again) {
		again = false;
		for (u32 k = count; k-- > 0;) {
			again |= step(all, k, &anywhere);
			if (leads[k])
				again |= merge(&anywhere, &all[k].before);
		}
	}
	for (u32 k = 0; k < SASS_INDEX_COUNT; k++)
		live[k] = entry < count && has(&all[entry].before, k);
	for (u32 k = 0; k < count; k++)
		for (u32 b = 0; b < 16; b++)
			barriers[k] |= (u16)(has(&all[k].before, SASS_INDEX_B + b) << b);
}
