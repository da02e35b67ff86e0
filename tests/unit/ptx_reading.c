/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading one text, for the tests of the PTX reader.
 */
#include "ptx_reading.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

void read_bytes(struct reading *r, const char *text, size_t length)
{
	memset(r, 0, sizeof *r);
	arena_init(&r->arena, NULL);
	r->sources.arena = &r->arena;
	strings_init(&r->strings, &r->arena);
	diags_init(&r->diags, &r->arena, &r->sources);
	r->m = ptx_read(&r->arena, &r->strings, &r->diags, source_add(&r->sources, "text.ptx", text, length));
}

char *load(const char *folder, const char *name, size_t *length)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "cannot open %s", path);
	fseek(f, 0, SEEK_END);
	*length = (size_t)ftell(f);
	rewind(f);
	char *text = malloc(*length + 1);
	ck_assert_uint_eq(fread(text, 1, *length, f), *length);
	fclose(f);
	return text;
}
