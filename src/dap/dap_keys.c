/* SPDX-License-Identifier: Apache-2.0
 *
 * The keys of a launch: what the user has written into a configuration of the editor. A value of the wrong type is an
 * error; a key that is not known is told, since it is often an option that belongs into "args".
 */
#include <string.h>

#include "dap/dap.h"

enum { BOOLEAN = 1 << JSON_TRUE | 1 << JSON_FALSE };

struct launch_key {
	const char *name;
	u32 types; /* bits of json_type */
	const char *value;
};

static const struct launch_key keys[] = {
	{"program", 1u << JSON_STRING | 1u << JSON_ARRAY, "a file, or an array of files"},
	{"args", 1u << JSON_ARRAY, "an array of strings: options of 'ptxsim run', or of a program its arguments"},
	{"cwd", 1u << JSON_STRING, "a folder"},
	{"token", 1u << JSON_STRING, "what 'ptxsim dap --port' has printed"},
	{"sourceLevel", 1u << JSON_STRING, "\"source\" or \"text\""},
	{"stopOnEntry", BOOLEAN, "true or false"},
	{"history", BOOLEAN, "true or false"},
	{"historySpacing", 1u << JSON_INTEGER, "a number from 1 to 1048576"},
	{"historyLimit", 1u << JSON_INTEGER, "a number of MiB from 1 to 1048576"},
	{"counters", BOOLEAN, "true or false"},
	{"exec", BOOLEAN, "true or false"},
	{"env", 1u << JSON_OBJECT, "an object of strings, and null for what is to be left out"},
	{"stopOnLaunch", BOOLEAN | 1u << JSON_STRING | 1u << JSON_ARRAY, "true, false, or names of kernels"},
	{"kernel", 1u << JSON_STRING, "the name of a kernel"},
	{"launches", 1u << JSON_STRING, "a number from 1, or two like \"2-5\""},
	{"devices", 1u << JSON_STRING, "a list of devices, such as \"h200,h200\""},
};

/* What the protocol and editors put there themselves; editors' own begin with two underscores as well. */
static const char *const editors[] = {"name",
				      "type",
				      "request",
				      "noDebug",
				      "preLaunchTask",
				      "postDebugTask",
				      "internalConsoleOptions",
				      "console",
				      "presentation",
				      "debugServer",
				      "serverReadyAction",
				      "suppressMultipleSessionWarning",
				      "envFile",
				      "timeout",
				      "linux",
				      "osx",
				      "windows"};

static bool has_strings(const json_t *array)
{
	for (size_t k = 0; k < json_array_size(array); k++)
		if (!json_is_string(json_array_get(array, k)))
			return false;
	return true;
}

/* Names and values as a process can have them. */
static bool is_environment(json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
	{
		const bool text =
			json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value);
		if (!*name || strchr(name, '=') || !(text || json_is_null(value)))
			return false;
	}
	return true;
}

static bool is_good(const struct launch_key *key, json_t *value)
{
	const char *text = json_string_value(value);
	u64 first, last;

	if (!(key->types >> json_typeof(value) & 1))
		return false;
	if (json_is_object(value))
		return is_environment(value);
	if (json_is_array(value))
		return has_strings(value);
	if (json_is_integer(value))
		return json_integer_value(value) >= 1 && json_integer_value(value) <= 1 << 20;
	if (!strcmp(key->name, "launches"))
		return check_launches_read(text, &first, &last);
	return strcmp(key->name, "sourceLevel") || !strcmp(text, "source") || !strcmp(text, "text");
}

static bool is_editors(const char *name)
{
	if (!strncmp(name, "__", 2))
		return true;
	for (size_t k = 0; k < COUNT_OF(editors); k++)
		if (!strcmp(name, editors[k]))
			return true;
	return false;
}

static const struct launch_key *key_named(const char *name)
{
	for (size_t k = 0; k < COUNT_OF(keys); k++)
		if (!strcmp(name, keys[k].name))
			return &keys[k];
	return NULL;
}

const char *dap_wrong_key(struct dap *s, json_t *launch)
{
	const char *name;
	json_t *value;

	json_object_foreach(launch, name, value)
	{
		const struct launch_key *key = key_named(name);
		if (key && !json_is_null(value) && !is_good(key, value))
			return arena_printf(&s->arena, "\"%s\" must be %s", key->name, key->value);
		if (key || is_editors(name))
			continue;
		const char *words =
			arena_printf(&s->arena,
				     "ptxsim: launch has a key \"%.64s\" that is not known; options of 'ptxsim run' "
				     "go into \"args\"\n",
				     name);
		dap_output(s, "console", words, strlen(words));
	}
	return NULL;
}

void dap_tell_program_keys(struct dap *s, json_t *launch)
{
	static const char *const names[] = {"stopOnLaunch", "kernel", "launches", "devices"};

	for (size_t k = 0; k < COUNT_OF(names); k++) {
		if (!json_object_get(launch, names[k]))
			continue;
		const char *words =
			arena_printf(&s->arena,
				     "ptxsim: launch has a key \"%s\" that is not known for files, only for "
				     "CUDA programs; options of 'ptxsim run' go into \"args\"\n",
				     names[k]);
		dap_output(s, "console", words, strlen(words));
	}
}
