/* SPDX-License-Identifier: Apache-2.0
 *
 * See texture_argument.h.
 */
#include "texture_argument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_format(const char *text, struct texture *t)
{
	unsigned bits, channels;
	char kind, end[4] = "";

	if (sscanf(text, "%c%ux%u%3[^,]", &kind, &bits, &channels, end) < 3 || !strchr("usf", kind))
		return false;
	t->kind = kind == 'u' ? TEXEL_UNSIGNED : kind == 's' ? TEXEL_SIGNED : TEXEL_FLOAT;
	t->channel_bits = (u8)bits;
	t->channels = (u8)channels;
	t->normalized_values = end[0] == 'n';
	return true;
}

static bool parse_flags(const char *text, struct texture *t)
{
	for (; *text && *text != ','; text++) {
		t->linear |= *text == 'l';
		t->mixes_levels |= *text == 't';
		t->normalized_coordinates |= *text == 'n';
		t->seamless |= *text == 's';
		if (!strchr("ltns", *text))
			return false;
	}
	return true;
}

static bool parse_border(const char *text, struct texture *t)
{
	u32 bits[4];

	if (sscanf(text, "%xx%xx%xx%x", &bits[0], &bits[1], &bits[2], &bits[3]) != 4)
		return false;
	memcpy(t->border, bits, sizeof t->border);
	return true;
}

static bool parse_number(const char *name, const char *text, struct texture *t, u32 *buffer)
{
	const struct {
		const char *name;
		u32 *to;
	} numbers[] = {{"buf", buffer},
		       {"width", &t->width},
		       {"height", &t->height},
		       {"depth", &t->depth},
		       {"layers", &t->layers}};
	const struct {
		const char *name;
		f32 *to;
	} levels[] = {{"bias", &t->level_bias}, {"low", &t->level_low}, {"high", &t->level_high}};

	for (u32 k = 0; k < COUNT_OF(numbers); k++)
		if (!strcmp(name, numbers[k].name)) {
			*numbers[k].to = (u32)strtoul(text, NULL, 10);
			return true;
		}
	for (u32 k = 0; k < COUNT_OF(levels); k++)
		if (!strcmp(name, levels[k].name)) {
			*levels[k].to = strtof(text, NULL);
			return true;
		}
	if (!strcmp(name, "address"))
		memset(t->address, atoi(text), sizeof t->address);
	else if (!strcmp(name, "levels"))
		t->levels = (u8)atoi(text);
	else
		return false;
	return true;
}

static bool parse_field(const char *name, const char *text, struct texture *t, u32 *buffer)
{
	if (!strcmp(name, "format"))
		return parse_format(text, t);
	if (!strcmp(name, "flags"))
		return parse_flags(text, t);
	if (!strcmp(name, "border"))
		return parse_border(text, t);
	return parse_number(name, text, t, buffer);
}

bool texture_argument_parse(const char *text, struct texture *t, u32 *buffer)
{
	char name[16];

	*t = (struct texture){.magic = TEXTURE_MAGIC};
	*buffer = 0;
	for (; *text; text += *text == ',') {
		if (sscanf(text, "%15[a-z]=", name) != 1)
			return false;
		text += strcspn(text, "=,");
		text += *text == '=';
		if (!parse_field(name, text, t, buffer))
			return false;
		text += strcspn(text, ",");
	}
	t->pitch = texture_row_bytes(t);
	t->slice = t->pitch * (t->height ? t->height : 1);
	return texture_is_sound(t);
}
