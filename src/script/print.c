/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers as text: name, type, the first elements and the range of all.
 */
#include "script/script.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Least and greatest element, NaN left out; false if there is none. */
static bool range(const struct buffer *b, u64 *low, u64 *high)
{
	bool any = false;

	for (u64 k = 0; k < b->count; k++) {
		const u8 *at = b->host + k * element_bytes(b->type);
		const struct number n = element_read(b->type, at);
		if (n.is_float && isnan(n.f))
			continue;
		if (!any) {
			*low = *high = k;
			any = true;
			continue;
		}
		const struct number l = element_read(b->type, b->host + *low * element_bytes(b->type));
		const struct number h = element_read(b->type, b->host + *high * element_bytes(b->type));
		const bool is_unsigned = element_class(b->type) == 'u';
		if (n.is_float ? n.f < l.f : is_unsigned ? (u64)n.i < (u64)l.i : n.i < l.i)
			*low = k;
		if (n.is_float ? n.f > h.f : is_unsigned ? (u64)n.i > (u64)h.i : n.i > h.i)
			*high = k;
	}
	return any;
}

static void print_element(FILE *to, const struct buffer *b, u64 index)
{
	char text[64];

	element_print(b->type, b->host + index * element_bytes(b->type), text, sizeof text);
	fputs(text, to);
}

void script_print_buffers(FILE *to, const struct script *s, u32 heads)
{
	int widest = 0, widest_type = 0;
	char type[128];

	for (int pass = 0; pass < 2; pass++)
		for (size_t k = 0; k < s->buffers.count; k++) {
			const struct buffer *b = s->buffers.items[k];
			u64 low, high;
			int used = snprintf(type, sizeof type, "%s[", element_name(b->type));
			for (u32 d = 0; d < b->rank; d++)
				used += snprintf(type + used, sizeof type - (size_t)used, "%s%llu", d ? "," : "",
						 (unsigned long long)b->dims[d]);
			used += snprintf(type + used, sizeof type - (size_t)used, "]");
			if (pass == 0) {
				const int name = (int)strlen(b->name);
				widest = name > widest ? name : widest;
				widest_type = used > widest_type ? used : widest_type;
				continue;
			}
			if (!b->host)
				continue;
			fprintf(to, "%-*s  %-*s ", widest, b->name, widest_type, type);
			for (u64 n = 0; n < b->count && n < heads; n++) {
				fputc(' ', to);
				print_element(to, b, n);
			}
			if (b->count > heads)
				fputs(" ...", to);
			if (b->count > heads && range(b, &low, &high)) {
				fputs("  (", to);
				print_element(to, b, low);
				fputs(" to ", to);
				print_element(to, b, high);
				fputc(')', to);
			}
			fputc('\n', to);
		}
}
