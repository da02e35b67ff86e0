/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of mnemonics, from rows and the table of lowering.
 */
#include "sass/table.h"

#include "sass/encoding.h"
#include "sass/lower.h"

const u16 sass_targets[SASS_TARGETS] = {75, 80, 86, 89, 90, 100, 120};

static const struct {
	const char *name;
	const struct sass_family *family;
} families[] = {
#define X(name) {#name, &sass_rows_##name},
	SASS_FAMILIES(X)
#undef X
};

static void add_row(struct sass_mnemonic *m, const char *family, const struct sass_row *row)
{
	m->rows++;
	m->family = m->family ? m->family : family;
	for (u32 t = 0; t < SASS_TARGETS; t++)
		if (row->since <= sass_targets[t] && sass_targets[t] <= row->until)
			m->targets |= (u8)(1u << t);
}

bool sass_mnemonic_at(u32 k, struct sass_mnemonic *m)
{
	if (k >= SASS_OP_COUNT)
		return false;
	*m = (struct sass_mnemonic){.name = sass_opcode_names[k], .runs = lower_table[k] != NULL};
	for (u32 f = 0; f < COUNT_OF(families); f++)
		for (u32 r = 0; r < families[f].family->count; r++)
			if (families[f].family->rows[r].opcode == k)
				add_row(m, families[f].name, &families[f].family->rows[r]);
	return true;
}
