/* SPDX-License-Identifier: Apache-2.0
 *
 * Warp-wide exchange (shfl, vote, match, redux, activemask, elect) against the manual's words, lane by lane: every mode
 * under random masks, segments, clamps and sources. What a shuffle gives from outside of the mask, where the manual
 * leaves it open, is recorded (mixed-forms): 0, and a true predicate.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_run.h"
#include "main.h"

enum { KERNELS = 60, FORMS = 24, INPUTS = 4 };
enum what {
	SHFL_UP,
	SHFL_DOWN,
	SHFL_BFLY,
	SHFL_IDX,
	BALLOT,
	ALL,
	ANY,
	UNI,
	MATCH_ANY,
	MATCH_ALL,
	MATCH_ANY64,
	MATCH_ALL64,
	REDUX_ADD,
	REDUX_MIN,
	REDUX_MAX,
	REDUX_AND,
	REDUX_OR,
	REDUX_XOR,
	ACTIVE,
	ELECT,
	WHATS
};

struct form {
	enum what what;
	uint32_t members, a, b, clamp, segment, is_signed, negated;
};
struct answer {
	uint32_t value, predicate;
	bool has_value, has_predicate;
};

/* The inputs of a lane: any bits, a small number, one of a few values, bits. */
struct lane {
	uint32_t in[INPUTS];
};

static bool truth(const struct form *f, const struct lane *l) { return (l->in[3] & 1) != f->negated; }

/* shfl of PTX ISA 9.7.9.6: j and pval as its pseudocode has them. */
static struct answer shuffle(const struct form *f, const struct lane lanes[KERNEL_LANES], int lane)
{
	const int b = (int)(lanes[lane].in[f->b] & 31), segment = (int)f->segment;
	const int low = lane & segment, last = low | (int)(f->clamp & ~f->segment & 31);
	int j = lane;
	bool inside = true;

	switch (f->what) {
	case SHFL_UP:
		j = lane - b;
		inside = j >= last;
		break;
	case SHFL_DOWN:
		j = lane + b;
		inside = j <= last;
		break;
	case SHFL_BFLY:
		j = lane ^ b;
		inside = j <= last;
		break;
	default:
		j = low | (b & ~segment);
		inside = j <= last;
	}
	j = inside ? j : lane;
	return (struct answer){f->members >> j & 1 ? lanes[j].in[f->a] : 0, inside, true, true};
}

static struct answer vote(const struct form *f, const struct lane lanes[KERNEL_LANES])
{
	uint32_t ballot = 0;

	for (int l = 0; l < KERNEL_LANES; l++)
		ballot |= (uint32_t)(f->members >> l & 1 && truth(f, &lanes[l])) << l;
	switch (f->what) {
	case BALLOT:
		return (struct answer){ballot, 0, true, false};
	case ALL:
		return (struct answer){0, ballot == f->members, false, true};
	case ANY:
		return (struct answer){0, ballot != 0, false, true};
	default:
		return (struct answer){0, ballot == f->members || !ballot, false, true};
	}
}

static uint64_t matched(const struct form *f, const struct lane *l)
{
	return f->what == MATCH_ANY64 || f->what == MATCH_ALL64 ? (uint64_t)l->in[1] << 32 | l->in[2] : l->in[f->a];
}

static struct answer match(const struct form *f, const struct lane lanes[KERNEL_LANES], int lane)
{
	const bool all = f->what == MATCH_ALL || f->what == MATCH_ALL64;
	uint32_t same = 0;

	for (int l = 0; l < KERNEL_LANES; l++)
		same |= (uint32_t)(f->members >> l & 1 && matched(f, &lanes[l]) == matched(f, &lanes[lane])) << l;
	if (!all)
		return (struct answer){same, 0, true, false};
	return (struct answer){same == f->members ? same : 0, same == f->members, true, true};
}

static struct answer reduce(const struct form *f, const struct lane lanes[KERNEL_LANES])
{
	uint32_t value = 0;
	bool first = true;

	for (int l = 0; l < KERNEL_LANES; l++) {
		const uint32_t x = lanes[l].in[f->a];
		if (!(f->members >> l & 1))
			continue;
		const bool less = f->is_signed ? (int32_t)x < (int32_t)value : x < value;
		const uint32_t next[] = {value + x, less ? x : value, less ? value : x,
					 value & x, value | x,        value ^ x};
		value = first ? x : next[f->what - REDUX_ADD];
		first = false;
	}
	return (struct answer){value, 0, true, false};
}

static struct answer expected(const struct form *f, const struct lane lanes[KERNEL_LANES], int lane)
{
	uint32_t lowest = 0;

	if (f->what <= SHFL_IDX)
		return shuffle(f, lanes, lane);
	if (f->what <= UNI)
		return vote(f, lanes);
	if (f->what <= MATCH_ALL64)
		return match(f, lanes, lane);
	if (f->what <= REDUX_XOR)
		return reduce(f, lanes);
	if (f->what == ACTIVE)
		return (struct answer){f->members, 0, true, false};
	while (!(f->members >> lowest & 1))
		lowest++;
	return (struct answer){lowest, (uint32_t)lane == lowest, true, true};
}

/* --- Kernels ---------------------------------------------------------------------------------------------- */

static struct form random_form(uint64_t *r)
{
	static const uint32_t segments[] = {0, 0x10, 0x18, 0x1c, 0x1e, 0x1f, 0x0f, 0x15};
	struct form f = {.what = (enum what)random_below(r, WHATS), .members = 0xffffffff};

	if (random_below(r, 3) == 0)
		f.members = (uint32_t)random_next(r) | 1u << random_below(r, 32);
	f.a = f.what >= MATCH_ANY && f.what <= MATCH_ALL ? 1 + random_below(r, 2) : random_below(r, 3);
	f.b = random_below(r, 2);
	f.clamp = f.what == SHFL_UP    ? random_below(r, 2) * random_below(r, 32)
		  : random_below(r, 2) ? 31
				       : random_below(r, 32);
	f.segment = segments[random_below(r, 8)];
	f.is_signed = f.what != REDUX_AND && f.what != REDUX_OR && f.what != REDUX_XOR && random_below(r, 2);
	f.negated = random_below(r, 2);
	return f;
}

static void write_form(struct kernel_text *t, const struct form *f)
{
	static const char *const modes[] = {"up",       "down",     "bfly", "idx", "ballot.b32", "all.pred",
					    "any.pred", "uni.pred", "any",  "all", "any",        "all",
					    "add",      "min",      "max",  "and", "or",         "xor"};
	const char *not = f->negated ? "!" : "";

	if (f->what <= SHFL_IDX)
		kernel_add(t, "shfl.sync.%s.b32 %%d|%%p, %%r%u, %%r%u, %u, %u;", modes[f->what], f->a, f->b,
			   f->segment << 8 | f->clamp, f->members);
	else if (f->what == BALLOT)
		kernel_add(t, "vote.sync.%s %%d, %s%%q, %u;", modes[f->what], not, f->members);
	else if (f->what <= UNI)
		kernel_add(t, "vote.sync.%s %%p, %s%%q, %u;", modes[f->what], not, f->members);
	else if (f->what <= MATCH_ALL)
		kernel_add(t, "match.%s.sync.b32 %%d%s, %%r%u, %u;", modes[f->what], f->what == MATCH_ALL ? "|%p" : "",
			   f->a, f->members);
	else if (f->what <= MATCH_ALL64)
		kernel_add(t, "match.%s.sync.b64 %%d%s, %%w, %u;", modes[f->what], f->what == MATCH_ALL64 ? "|%p" : "",
			   f->members);
	else if (f->what <= REDUX_XOR)
		kernel_add(t, "redux.sync.%s.%s %%d, %%r%u, %u;", modes[f->what],
			   f->what >= REDUX_AND ? "b32"
			   : f->is_signed       ? "s32"
						: "u32",
			   f->a, f->members);
	else if (f->what == ACTIVE)
		kernel_add(t, "activemask.b32 %%d;");
	else
		kernel_add(t, "elect.sync %%d|%%p, %u;", f->members);
}

static void write_kernel(struct kernel_text *t, struct form forms[FORMS], uint64_t *r)
{
	kernel_add(
		t,
		".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n"
		".reg .b32 %%r<%d>, %%t, %%d, %%e, %%m; .reg .b64 %%i, %%o, %%w; .reg .pred %%p, %%q, %%in;\n"
		"ld.param.u64 %%i, [in]; ld.param.u64 %%o, [out]; mov.u32 %%t, %%tid.x;\n"
		"mul.wide.u32 %%w, %%t, %d; add.u64 %%i, %%i, %%w; mul.wide.u32 %%w, %%t, 8; add.u64 %%o, %%o, %%w;\n"
		"ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%i]; mov.b64 %%w, {%%r2, %%r1};\n"
		"and.b32 %%e, %%r3, 1; setp.ne.u32 %%q, %%e, 0;\n",
		INPUTS, 4 * INPUTS);
	for (int k = 0; k < FORMS; k++) {
		forms[k] = random_form(r);
		kernel_add(t,
			   "mov.u32 %%d, 0; setp.ne.u32 %%p, %%d, 0; shr.u32 %%m, %u, %%t; and.b32 %%m, %%m, 1; "
			   "setp.eq.u32 %%in, %%m, 0;\n"
			   "@%%in bra L%d; ",
			   forms[k].members, k);
		write_form(t, &forms[k]);
		kernel_add(t, "\nL%d: selp.u32 %%e, 1, 0, %%p; st.global.v2.u32 [%%o+%d], {%%d, %%e};\n", k,
			   k * KERNEL_LANES * 8);
	}
	kernel_add(t, "ret; }\n");
}

static void compare(const struct form *f, const struct lane lanes[KERNEL_LANES], int lane, const uint32_t got[2])
{
	struct answer want = {0, 0, true, true};
	struct kernel_text text = {NULL, 0, 0};

	if (f->members >> lane & 1)
		want = expected(f, lanes, lane);
	const bool same =
		(!want.has_value || got[0] == want.value) && (!want.has_predicate || got[1] == want.predicate);
	if (!same)
		write_form(&text, f);
	ck_assert_msg(same, "%s lane %d: %#x %u, not %#x %u", text.text, lane, got[0], got[1], want.value,
		      want.predicate);
}

START_TEST(every_mode_is_as_the_manual_says)
{
	uint64_t r = 0x2545f4914f6cdd1d;

	for (int kernel = 0; kernel < KERNELS; kernel++) {
		struct kernel_text t = {NULL, 0, 0};
		struct form forms[FORMS];
		struct lane in[KERNEL_LANES];
		uint32_t out[FORMS][KERNEL_LANES][2];
		char error[200] = "";
		write_kernel(&t, forms, &r);
		for (int l = 0; l < KERNEL_LANES; l++)
			in[l] = (struct lane){{(uint32_t)random_value(&r, 32), random_below(&r, kernel % 3 ? 3 : 1),
					       0xfffffff0 + random_below(&r, kernel % 4 ? 2 : 1),
					       (uint32_t)random_next(&r)}};
		ck_assert_msg(kernel_run(&t, in, sizeof in, out, sizeof out, KERNEL_LANES, error), "%s", error);
		for (int k = 0; k < FORMS; k++)
			for (int l = 0; l < KERNEL_LANES; l++)
				compare(&forms[k], in, l, out[k][l]);
		kernel_free(&t);
	}
}
END_TEST

UNIT_TESTS("oracle_warp", 120) { UNIT_TEST(every_mode_is_as_the_manual_says); }
