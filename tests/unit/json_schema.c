/* SPDX-License-Identifier: Apache-2.0 */
#include "json_schema.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct check {
	const json_t *root;
	char *why;
	size_t size;
};

static bool follows(const struct check *c, const json_t *schema, const json_t *v, const char *path);

static bool fail(const struct check *c, const char *path, const char *reason)
{
	snprintf(c->why, c->size, "%s: %s", path, reason);
	return false;
}

static bool is_type(const json_t *v, const char *type)
{
	return !strcmp(type, "object")    ? json_is_object(v)
	       : !strcmp(type, "array")   ? json_is_array(v)
	       : !strcmp(type, "string")  ? json_is_string(v)
	       : !strcmp(type, "integer") ? json_is_integer(v)
	       : !strcmp(type, "number")  ? json_is_number(v)
	       : !strcmp(type, "boolean") ? json_is_boolean(v)
	       : !strcmp(type, "null")    ? json_is_null(v)
					  : false;
}

/* A type, or a list of them. */
static bool has_type(const json_t *v, const json_t *types)
{
	if (json_is_string(types))
		return is_type(v, json_string_value(types));
	for (size_t k = 0; k < json_array_size(types); k++)
		if (is_type(v, json_string_value(json_array_get(types, k))))
			return true;
	return false;
}

static bool in_list(const json_t *list, const json_t *v)
{
	for (size_t k = 0; k < json_array_size(list); k++)
		if (json_equal(json_array_get(list, k), v))
			return true;
	return false;
}

static bool members_follow(const struct check *c, const json_t *schema, const json_t *v, const char *path)
{
	const json_t *properties = json_object_get(schema, "properties");
	const json_t *more = json_object_get(schema, "additionalProperties");
	const char *key;
	json_t *member;
	char below[512];

	json_object_foreach((json_t *)(uintptr_t)v, key, member)
	{
		const json_t *own = json_object_get(properties, key);
		snprintf(below, sizeof below, "%s/%s", path, key);
		if (!own && json_is_false(more))
			return fail(c, below, "is not described");
		if (!own && json_is_object(more))
			own = more;
		if (own && !follows(c, own, member, below))
			return false;
	}
	return true;
}

static bool items_follow(const struct check *c, const json_t *items, const json_t *v, const char *path)
{
	char below[512];

	for (size_t k = 0; items && k < json_array_size(v); k++) {
		snprintf(below, sizeof below, "%s/%zu", path, k);
		if (!follows(c, items, json_array_get(v, k), below))
			return false;
	}
	return true;
}

static const json_t *find_definition(const struct check *c, const char *reference)
{
	return strncmp(reference, "#/$defs/", 8) ? NULL
						 : json_object_get(json_object_get(c->root, "$defs"), reference + 8);
}

/* One keyword of a schema. */
static bool keyword(const struct check *c, const json_t *schema, const char *key, const json_t *rule, const json_t *v,
		    const char *path)
{
	if (!strcmp(key, "$ref"))
		return find_definition(c, json_string_value(rule))
			       ? follows(c, find_definition(c, json_string_value(rule)), v, path)
			       : fail(c, path, "refers to nothing");
	if (!strcmp(key, "type"))
		return has_type(v, rule) || fail(c, path, "is of another type");
	if (!strcmp(key, "enum"))
		return in_list(rule, v) || fail(c, path, "is none of the enum");
	if (!strcmp(key, "const"))
		return json_equal(rule, v) || fail(c, path, "is not the constant");
	if (!strcmp(key, "minimum"))
		return json_number_value(v) >= json_number_value(rule) || fail(c, path, "is too small");
	if (!strcmp(key, "maximum"))
		return json_number_value(v) <= json_number_value(rule) || fail(c, path, "is too large");
	if (!strcmp(key, "minItems"))
		return (json_int_t)json_array_size(v) >= json_integer_value(rule) || fail(c, path, "is too short");
	if (!strcmp(key, "maxItems"))
		return (json_int_t)json_array_size(v) <= json_integer_value(rule) || fail(c, path, "is too long");
	if (!strcmp(key, "items"))
		return items_follow(c, rule, v, path);
	if (!strcmp(key, "properties") || !strcmp(key, "additionalProperties"))
		return members_follow(c, schema, v, path);
	if (!strcmp(key, "required")) {
		for (size_t k = 0; k < json_array_size(rule); k++)
			if (!json_object_get(v, json_string_value(json_array_get(rule, k))))
				return fail(c, path, json_string_value(json_array_get(rule, k)));
		return true;
	}
	if (!strcmp(key, "description") || !strcmp(key, "title") || !strcmp(key, "$schema") || !strcmp(key, "$defs"))
		return true;
	return fail(c, key, "is a keyword that is not known");
}

static bool follows(const struct check *c, const json_t *schema, const json_t *v, const char *path)
{
	const char *key;
	json_t *rule;

	json_object_foreach((json_t *)(uintptr_t)schema, key,
			    rule) if (!keyword(c, schema, key, rule, v, path)) return false;
	return true;
}

bool json_follows(const json_t *schema, const json_t *value, char *why, size_t size)
{
	const struct check c = {schema, why, size};

	return follows(&c, schema, value, "");
}
