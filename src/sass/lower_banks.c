/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant banks of machine code: 2 holds jump tables and constants of the kernel, 3 variables, 4 addresses; bank 0,
 * parameters and the launch's state, is filled at run time (exec/driver_bank.c).
 */
#include <string.h>

#include "sass/lower.h"

/* Bank 4: addresses, which relocations give. */
static const u8 *address_bank(struct lower *l, u64 size)
{
	const struct cubin *c = l->m->cubin;
	u8 *bytes = ARENA_ARRAY(l->e.low->arena, size + 8, u8);

	memcpy(bytes, c->banks[4], size);
	for (u32 k = 0; k < c->relocation_count; k++) {
		const struct cubin_relocation *r = &c->relocations[k];
		u64 address;
		if (strcmp(c->elf.sections[r->section].name, ".nv.constant4") || r->offset + 8 > size ||
		    !sass_symbol_address(l->m, r->symbol, layout_address, l->e.low, &address))
			continue;
		address += (u64)r->addend + (r->in_place ? read_u64(bytes + r->offset) : 0);
		memcpy(bytes + r->offset, &address, sizeof address);
	}
	return bytes;
}

const struct machine_banks *lower_banks(struct lower *l)
{
	struct machine_banks *b = ARENA_NEW(l->e.low->arena, struct machine_banks);
	const struct cubin_function *own = l->m->sections[l->kernel->section].function;
	const struct cubin *c = l->m->cubin;

	b->sm = c->sm;
	b->param_base = own->param_base;
	b->bytes[2] = own->banks[2];
	b->sizes[2] = own->bank_bytes[2];
	if (c->banks[4] && c->bank_bytes[4]) {
		b->bytes[4] = address_bank(l, c->bank_bytes[4]);
		b->sizes[4] = c->bank_bytes[4];
	}
	if (l->m->constants) {
		b->variables = layout_address(l->e.low, l->m->constants);
		b->variables_bytes = l->m->constants->size;
	}
	return b;
}
