/* SPDX-License-Identifier: Apache-2.0
 *
 * Which blocks dominate which, on random graphs, beside the definition: a block dominates what the entry does not reach
 * once the block is taken out.
 */
#include "decode/flow.h"
#include "main.h"

#include <check.h>

enum { MOST_BLOCKS = 12, MOST_WAYS = 3, GRAPHS = 20000 };

struct graph {
	struct flow flow;
	struct flow_block blocks[MOST_BLOCKS];
	u32 successors[MOST_BLOCKS][MOST_WAYS], predecessors[MOST_BLOCKS][MOST_BLOCKS * MOST_WAYS];
};

static u32 draw(u64 *seed, u32 below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (u32)(*seed >> 33) % below;
}

/* With loops, blocks that nothing reaches, several ways to one block, and ways back to the entry. */
static void draw_graph(struct graph *g, u64 *seed)
{
	*g = (struct graph){.flow.blocks = g->blocks, .flow.block_count = 1 + draw(seed, MOST_BLOCKS)};
	for (u32 b = 0; b < g->flow.block_count; b++) {
		g->blocks[b].successors = g->successors[b];
		g->blocks[b].predecessors = g->predecessors[b];
	}
	for (u32 b = 0; b < g->flow.block_count; b++) {
		g->blocks[b].successor_count = draw(seed, MOST_WAYS + 1);
		for (u32 s = 0; s < g->blocks[b].successor_count; s++) {
			const u32 to = draw(seed, g->flow.block_count);
			g->successors[b][s] = to;
			g->predecessors[to][g->blocks[to].predecessor_count++] = b;
		}
	}
}

static void reach(const struct graph *g, u32 from, u32 without, bool *reached)
{
	if (from == without || reached[from])
		return;
	reached[from] = true;
	for (u32 s = 0; s < g->blocks[from].successor_count; s++)
		reach(g, g->successors[from][s], without, reached);
}

START_TEST(dominate_as_defined)
{
	struct arena arena;
	u64 seed = 7;
	u32 dominated = 0;

	for (u32 k = 0; k < GRAPHS; k++) {
		struct graph g;
		draw_graph(&g, &seed);
		arena_init(&arena, NULL);
		const struct dominators d = flow_dominators(&g.flow, &arena);
		for (u32 a = 0; a < g.flow.block_count; a++) {
			bool reached[MOST_BLOCKS] = {false};
			reach(&g, 0, a, reached);
			for (u32 b = 0; b < g.flow.block_count; b++) {
				ck_assert_msg(flow_dominates(&d, a, b) == !reached[b], "graph %u: %u and %u", k, a, b);
				dominated += a != b && !reached[b];
			}
		}
		arena_free(&arena);
	}
	ck_assert_uint_gt(dominated, GRAPHS); /* not of trivial graphs only */
}
END_TEST

UNIT_TESTS("dominators", 60) { UNIT_TEST(dominate_as_defined); }
