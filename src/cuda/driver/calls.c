/* SPDX-License-Identifier: Apache-2.0
 *
 * Every symbol of the library, made from the table of calls; finding one by name and version.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

#define EXPORT __attribute__((visibility("default")))

#define NEEDS_NONE_OF           NEEDS_NONE, false
#define NEEDS_READY_OF          NEEDS_READY, false
#define NEEDS_OWNER_OF          NEEDS_OWNER, false
#define NEEDS_CONTEXT_OF        NEEDS_CONTEXT, false
#define NEEDS_THREAD_READY_OF   NEEDS_READY, true
#define NEEDS_THREAD_OWNER_OF   NEEDS_OWNER, true
#define NEEDS_THREAD_CONTEXT_OF NEEDS_CONTEXT, true
#define REST(...)               , ##__VA_ARGS__

#define CALL(symbol, handler, version, needs, params, args, format)          \
	EXPORT int symbol params;                                            \
	int symbol params                                                    \
	{                                                                    \
		const int refused = call_begin(#symbol, NEEDS_##needs##_OF); \
		const int result = refused ? refused : drv_##handler args;   \
		return call_end(#symbol, result, format REST args);          \
	}
#define ABSENT(symbol, version)  \
	EXPORT int symbol(void); \
	int symbol(void) { return call_absent(#symbol); }
#include "cuda/driver/calls.inc"
#undef CALL
#undef ABSENT

struct symbol {
	const char *name;
	void *address;
	int version;
};

#define CALL(symbol, handler, version, needs, params, args, format) {#symbol, (void *)symbol, version},
#define ABSENT(symbol, version)                                     {#symbol, (void *)symbol, version},
static const struct symbol symbols[] = {
#include "cuda/driver/calls.inc"
};
#undef CALL
#undef ABSENT

/* Is `name` the base name with nothing, or "_v2" and the like, behind it, and then `tail`? */
static bool is_variant(const char *name, const char *base, size_t length, const char *tail)
{
	if (strncmp(name, base, length))
		return false;
	const char *rest = name + length;
	if (rest[0] == '_' && rest[1] == 'v' && rest[2] >= '2' && rest[2] <= '9')
		rest += 3;
	return !strcmp(rest, tail);
}

/* The newest variant that the version has; *any: there is one at all. */
static const struct symbol *newest(const char *name, const char *tail, int version, bool *any)
{
	const size_t length = strlen(name);
	const struct symbol *best = NULL;

	for (size_t k = 0; k < COUNT_OF(symbols); k++) {
		const struct symbol *s = &symbols[k];
		if (!is_variant(s->name, name, length, tail))
			continue;
		*any = true;
		if (s->version <= version && (!best || s->version > best->version))
			best = s;
	}
	return best;
}

void *driver_find(const char *name, int version, bool own_stream, int *why)
{
	bool any_own = false, any = false;
	const struct symbol *s = NULL;

	if (own_stream) {
		s = newest(name, "_ptsz", version, &any_own);
		if (!any_own)
			s = newest(name, "_ptds", version, &any_own);
	}
	if (!any_own)
		s = newest(name, "", version, &any);
	*why = s ? 0 : any || any_own ? 2 : 1;
	return s ? s->address : NULL;
}

int drv_cuGetProcAddress_v2(const char *symbol, void **pfn, int cuda_version, u64 flags, int *symbol_status)
{
	int why = 1;

	if (!symbol || !pfn || cuda_version > DRIVER_VERSION)
		return CU_INVALID_VALUE;
	*pfn = *symbol ? driver_find(symbol, cuda_version, flags & 2, &why) : NULL;
	if (!*symbol && !cuda_version)
		return CU_OK;
	if (symbol_status)
		*symbol_status = why;
	return *pfn || symbol_status ? CU_OK : CU_NOT_FOUND;
}

int drv_cuGetProcAddress(const char *symbol, void **pfn, int cuda_version, u64 flags)
{
	return drv_cuGetProcAddress_v2(symbol, pfn, cuda_version, flags, NULL);
}
