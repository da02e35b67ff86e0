/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded counters and measured ones: see recorded.h.
 */
#include "tests/metrics/recorded.h"

#include <fnmatch.h>

#include <stdlib.h>
#include <string.h>

bool recorded_read(struct recorded *r, struct arena *arena, const char *path)
{
	char *rest = NULL;
	struct bytes text;

	if (!pack_read_file(arena, path, &text))
		return false;
	for (char *line = strtok_r((char *)text.data, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
		char *inner = NULL, *field[4];
		int n = 0;
		for (char *f = strtok_r(line, ",", &inner); f && n < 4; f = strtok_r(NULL, ",", &inner))
			field[n++] = f;
		if (n != 4 || !strcmp(field[3], "value"))
			continue;
		const struct recorded_row row = {field[0], field[1], field[2], strtod(field[3], NULL)};
		VEC_PUSH(arena, r, row);
	}
	return true;
}

size_t recorded_end(const struct recorded *r, size_t k)
{
	const char *name = r->items[k].name;

	while (k < r->count && !strcmp(r->items[k].name, name))
		k++;
	return k;
}

const struct pack_case *recorded_case(const struct pack *p, const char *name)
{
	for (size_t k = 0; p && k < p->cases.count; k++)
		if (!strcmp(p->cases.items[k].name, name))
			return &p->cases.items[k];
	return NULL;
}

bool recorded_cubin(struct session *s, const char *cubins, const char *module)
{
	const char *dot = strrchr(module, '.');
	const int stem = dot ? (int)(dot - module) : (int)strlen(module);
	struct bytes text;

	if (!pack_read_file(&s->arena, arena_printf(&s->arena, "%s/%.*s.cubin", cubins, stem, module), &text))
		return false;
	session_add_text(s, module, (const char *)text.data, text.size);
	return true;
}

static void on_ran(void *context, const struct launch *l, const struct launch_stats *stats)
{
	struct measured *m = context;

	m->run = accounting_end(m->accounting, m->arena, l, stats);
}

bool measured_run(struct measured *m, struct session *s, const struct pack *pack, const struct pack_case *c,
		  const struct accounting_options *counting, char message[CASE_MESSAGE])
{
	m->accounting = accounting_new(&s->arena, s->program, counting);
	m->arena = &s->arena;
	struct observer *const observers[] = {accounting_observer(m->accounting), NULL};
	const struct case_options options = {.observers = observers, .ran = on_ran, .context = m};

	accounting_begin(m->accounting);
	return case_run(s, pack, c, &options, message) && m->run;
}

void measured_free(struct measured *m)
{
	if (m->accounting)
		accounting_free(m->accounting);
}

const char *reason_find(const struct reason *reasons, size_t count, const struct recorded_row *row)
{
	for (size_t k = 0; k < count; k++)
		if (!fnmatch(reasons[k].program, row->name, 0) && !fnmatch(reasons[k].metric, row->metric, 0))
			return reasons[k].text;
	return NULL;
}
