/* SPDX-License-Identifier: Apache-2.0 */
/* Bits: the distances; the order within a frontier is free. */
#include <stdlib.h>

#include "bench.h"

enum { NODES = 1 << 18, BLOCKS = 128, LEVELS = 32 };

/* With two threads the next frontier and the distances are shared. */
static void plain(void *const *b)
{
	const uint32_t *restrict row = b[0], *restrict col = b[1];
	uint32_t *dist = b[2], *from = b[3], *to = b[4], n = 1;

	for (uint32_t level = 0; n; level++) {
		uint32_t next = 0;
#pragma omp parallel
		{
			uint32_t mine[1024], count = 0;
#pragma omp for schedule(dynamic, 256) nowait
			for (uint32_t i = 0; i < n; i++) {
				const uint32_t u = from[i];
				for (uint32_t e = row[u]; e < row[u + 1]; e++) {
					const uint32_t v = col[e];
					uint32_t none = ~0u;
					if (dist[v] != ~0u ||
					    !__atomic_compare_exchange_n(&dist[v], &none, level + 1, 0,
									 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
						continue;
					mine[count++] = v;
					if (count < 1024)
						continue;
					const uint32_t at = __atomic_fetch_add(&next, count, __ATOMIC_RELAXED);
					while (count)
						count--, to[at + count] = mine[count];
				}
			}
			const uint32_t at = __atomic_fetch_add(&next, count, __ATOMIC_RELAXED);
			while (count)
				count--, to[at + count] = mine[count];
		}
		n = next;
		uint32_t *swap = from;
		from = to;
		to = swap;
	}
}

void make_bfs(struct problem *p)
{
	uint32_t *row = add_buffer(p, (NODES + 1) * 4), edges = 0;
	uint64_t seed = 7;

	/* Many nodes of few edges, few of many: 2 to 65, 8 on average. */
	for (uint32_t k = 0; k < NODES; k++) {
		const double u = draw(&seed) * 0x1p-32;
		row[k] = edges;
		edges += 2 + (uint32_t)(64 * u * u * u * u * u * u * u * u * u * u);
	}
	row[NODES] = edges;
	uint32_t *col = add_buffer(p, (size_t)edges * 4);
	for (uint32_t k = 0; k < edges; k++) {
		const double u = draw(&seed) * 0x1p-32;
		col[k] = (uint32_t)(NODES * u * u);
	}
	uint32_t *dist = add_buffer(p, NODES * 4);
	for (uint32_t k = 1; k < NODES; k++)
		dist[k] = ~0u;
	add_buffer(p, NODES * 4); /* node 0 is the first frontier */
	add_buffer(p, NODES * 4);
	((uint32_t *)add_buffer(p, (LEVELS + 2) * 4))[0] = 1;
	p->plain = plain;
	p->any_order = 1;
	uint32_t *want = add_reference(p, 2, 0, 0), *queue = malloc(NODES * 4), head = 0, tail = 1, levels = 0;
	for (uint32_t k = 0; k < NODES; k++)
		want[k] = dist[k];
	queue[0] = 0;
	while (head < tail) {
		const uint32_t u = queue[head++];
		levels = want[u];
		for (uint32_t e = row[u]; e < row[u + 1]; e++)
			if (want[col[e]] == ~0u) {
				want[col[e]] = want[u] + 1;
				queue[tail++] = col[e];
			}
	}
	free(queue);
	if (levels >= LEVELS)
		abort();
	for (uint32_t k = 0; k <= levels; k++)
		add_step(p, "bfs", BLOCKS, 1, 256, 1, "bbbbbbu", 0, 1, 2, 3 + k % 2, 4 - k % 2, 5, k);
}
