/* SPDX-License-Identifier: Apache-2.0
 *
 * Settings of coredumps, for a context and for all. They are kept and given back; dumps themselves are not written, so those
 * that ask for one are refused.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/driver/driver.h"

/* CUcoredumpSettings; of each what it holds. */
enum setting { ON_EXCEPTION = 1, TRIGGER_HOST, LIGHTWEIGHT, USER_TRIGGER, DUMP_FILE, PIPE, FLAGS, SETTINGS };
enum { TEXT_MOST = 1024, FLAGS_LIGHTWEIGHT = 0x2f, FLAGS_KNOWN = 0x3f, SKIP_ABORT = 1 << 4 };

struct coredump {
	bool triggers_host;
	int flags;
	char file[TEXT_MOST], pipe[TEXT_MOST];
};

static struct coredump *global;

static void name_default(char text[TEXT_MOST], const char *prefix)
{
	char host[256] = "localhost";

	gethostname(host, sizeof host - 1);
	snprintf(text, TEXT_MOST, "%s.cuda.%s.%ld", prefix, host, (long)getpid());
}

/* What holds for all; NULL: no memory. */
static struct coredump *global_settings(void)
{
	if (global || !(global = calloc(1, sizeof *global)))
		return global;
	global->triggers_host = true;
	name_default(global->file, "core");
	name_default(global->pipe, "corepipe");
	return global;
}

/* A context's own, which begin as those for all. */
static struct coredump *own_settings(struct cu_context *c)
{
	const struct coredump *all = global_settings();

	if (all && !c->coredump && (c->coredump = malloc(sizeof *c->coredump)))
		*c->coredump = *all;
	return c->coredump;
}

static size_t size_of(int setting)
{
	return setting == FLAGS ? sizeof(int) : setting == DUMP_FILE || setting == PIPE ? TEXT_MOST : sizeof(bool);
}

static int get(const struct coredump *d, int setting, void *value, size_t *size)
{
	const bool truth = (setting == TRIGGER_HOST && d->triggers_host && !(d->flags & SKIP_ABORT)) ||
			   (setting == LIGHTWEIGHT && (d->flags & FLAGS_LIGHTWEIGHT) == FLAGS_LIGHTWEIGHT);
	const char *text = setting == PIPE ? d->pipe : d->file;

	if (setting == FLAGS) {
		if (*size < sizeof d->flags)
			return CU_INVALID_VALUE;
		memcpy(value, &d->flags, sizeof d->flags);
		return CU_OK;
	}
	if (setting != DUMP_FILE && setting != PIPE) {
		if (*size < sizeof truth)
			return CU_INVALID_VALUE;
		memcpy(value, &truth, sizeof truth);
		return CU_OK;
	}
	if (*size <= strlen(text))
		return CU_INVALID_VALUE;
	memcpy(value, text, strlen(text) + 1);
	return CU_OK;
}

static int set_flags(struct coredump *d, const void *value)
{
	int flags;

	memcpy(&flags, value, sizeof flags);
	if (flags & ~FLAGS_KNOWN)
		return CU_INVALID_VALUE;
	d->flags = flags;
	return CU_OK;
}

static int set(struct coredump *d, int setting, const void *value, size_t size)
{
	const bool truth = *(const u8 *)value != 0;

	switch (setting) {
	case ON_EXCEPTION:
	case USER_TRIGGER:
		return truth ? CU_NOT_SUPPORTED : CU_OK;
	case TRIGGER_HOST:
		d->triggers_host = truth;
		return CU_OK;
	case LIGHTWEIGHT:
		d->flags = truth ? d->flags | FLAGS_LIGHTWEIGHT : d->flags & ~FLAGS_LIGHTWEIGHT;
		return CU_OK;
	case FLAGS:
		return size < sizeof d->flags ? CU_INVALID_VALUE : set_flags(d, value);
	default:
		break;
	}
	const size_t length = strnlen(value, size);
	char *to = setting == PIPE ? d->pipe : d->file;
	if (length >= TEXT_MOST)
		return CU_INVALID_VALUE;
	memcpy(to, value, length);
	to[length] = 0;
	return CU_OK;
}

/* A NULL value asks for the size that a value has. True: that is the answer, or *result an error. */
static bool is_answered(int setting, const void *value, size_t *size, int *result)
{
	*result = setting < ON_EXCEPTION || setting >= SETTINGS || !size ? CU_INVALID_VALUE : CU_OK;
	if (!*result && !value)
		*size = size_of(setting);
	return *result || !value;
}

int drv_cuCoredumpGetAttribute(int setting, void *value, size_t *size)
{
	const struct coredump *d = context_current()->coredump ? context_current()->coredump : global_settings();
	int result;

	if (is_answered(setting, value, size, &result))
		return result;
	return d ? get(d, setting, value, size) : CU_OUT_OF_MEMORY;
}

int drv_cuCoredumpGetAttributeGlobal(int setting, void *value, size_t *size)
{
	int result;

	if (is_answered(setting, value, size, &result))
		return result;
	return global_settings() ? get(global, setting, value, size) : CU_OUT_OF_MEMORY;
}

/* Of one context there is neither a pipe nor a trigger. */
int drv_cuCoredumpSetAttribute(int setting, void *value, size_t *size)
{
	int result;

	if (is_answered(setting, value, size, &result))
		return result;
	if (setting == USER_TRIGGER || setting == PIPE)
		return CU_NOT_PERMITTED;
	struct coredump *d = own_settings(context_current());
	return d ? set(d, setting, value, *size) : CU_OUT_OF_MEMORY;
}

int drv_cuCoredumpSetAttributeGlobal(int setting, void *value, size_t *size)
{
	int result;

	if (is_answered(setting, value, size, &result))
		return result;
	return global_settings() ? set(global, setting, value, *size) : CU_OUT_OF_MEMORY;
}
