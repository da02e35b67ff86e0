/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts and their memory.
 *
 * Every call checks its arguments and names itself in the error (call_fails), which ptxsim_last_error returns. Memory
 * of a context is one address space with 47 bits; the windows of other state spaces lie in it, and nothing is mapped
 * there.
 */
#include "config.h"

#include "api/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/error.h"

/* Guest addresses end below bit 47, as on the hardware; below this are the windows of other state spaces. */
static const u64 ADDRESS_LIMIT = (u64)1 << 47, ADDRESS_LIMIT_32 = (u64)1 << 32;
static const u64 WINDOWS_BEGIN = 0x100000000000, WINDOWS_END = 0x140000000000;

const char *ptxsim_version(void) { return PACKAGE_VERSION; }

const char *ptxsim_status_text(ptxsim_status status)
{
	static const char *const texts[] = {
		"success",
		"an argument is null or out of range",
		"the module or context is not in the right state for this call",
		"the file cannot be read",
		"the modules have errors",
		"there is none of that name",
		"the range is not within one allocation",
		"the launch's shape or arguments are wrong",
		"the kernel failed",
		"the launch was interrupted",
		"the host has no memory left",
	};

	return (size_t)status < COUNT_OF(texts) ? texts[status] : "no such status";
}

ptxsim_context *ptxsim_context_create(const ptxsim_device *device)
{
	ptxsim_context *c = calloc(1, sizeof *c);

	errno = ENOMEM;
	if (!c || !session_open(&c->tables)) {
		if (errno == ENOMEM)
			call_fails(__func__, PTXSIM_ERROR_MEMORY, NULL);
		else
			call_fails(__func__, PTXSIM_ERROR_ARGUMENT,
				   "PTXSIM_VARIANT is '%s', which is none of the vector variants that this host runs",
				   getenv("PTXSIM_VARIANT"));
		free(c);
		return NULL;
	}
	c->device = (const struct device *)device;
	c->address_bits = 64;
	c->last_module = &c->modules;
	native_mode_read(NULL, &c->native);
	pthread_mutex_init(&c->threads_lock, NULL);
	pthread_mutex_init(&c->print_lock, NULL);
	pthread_mutex_init(&c->lock, NULL);
	queue_group_init(&c->queues);
	memory_init(&c->memory, address_map(64)->global_base, ADDRESS_LIMIT, c->tables.memory_limit, c->tables.bounds);
	return c;
}

/* PTX of 32-bit addresses needs a smaller address space, which must be chosen before there is memory. False: it is too
 * late. */
bool context_take_bits(ptxsim_context *c, u32 bits)
{
	pthread_mutex_lock(&c->lock);
	if (bits != c->address_bits && !c->memory.count && !c->memory.multicast_count) {
		memory_free(&c->memory);
		memory_init(&c->memory, address_map(bits)->global_base, bits == 32 ? ADDRESS_LIMIT_32 : ADDRESS_LIMIT,
			    c->tables.memory_limit, c->tables.bounds);
		c->address_bits = bits;
	}
	const bool same = bits == c->address_bits;
	pthread_mutex_unlock(&c->lock);
	return same;
}

/* Work that is under way is done first; then records, modules, threads and memory go, in this order. */
void ptxsim_context_free(ptxsim_context *context)
{
	if (!context)
		return;
	queue_group_end(&context->queues);
	ptxsim_record_free(context->record);
	while (context->modules)
		ptxsim_module_free(context->modules);
	host_threads_end(&context->threads);
	memory_free(&context->memory);
	session_close(&context->tables);
	pthread_mutex_destroy(&context->threads_lock);
	pthread_mutex_destroy(&context->print_lock);
	pthread_mutex_destroy(&context->lock);
	free(context);
}

const ptxsim_device *ptxsim_context_device(const ptxsim_context *context)
{
	return context ? (const ptxsim_device *)context->device : NULL;
}

ptxsim_module *ptxsim_get_module(const ptxsim_context *context, size_t index)
{
	ptxsim_module *m = context ? context->modules : NULL;

	while (m && index--)
		m = m->next;
	return m;
}

/* --- Devices -------------------------------------------------------------------------------- */

const ptxsim_device *ptxsim_device_find(const char *name)
{
	const ptxsim_device *found = name ? (const ptxsim_device *)device_find(name) : NULL;

	if (!found)
		call_fails(__func__, PTXSIM_ERROR_NOT_FOUND, "there is no device '%s'", name ? name : "");
	return found;
}

static const struct device *device_of(const ptxsim_device *device) { return (const struct device *)device; }

const char *ptxsim_device_name(const ptxsim_device *device) { return device ? device_of(device)->name : ""; }
const char *ptxsim_device_title(const ptxsim_device *device) { return device ? device_of(device)->title : ""; }
const char *ptxsim_device_arch(const ptxsim_device *device) { return device ? device_of(device)->target : ""; }
uint64_t ptxsim_device_memory(const ptxsim_device *device) { return device ? device_of(device)->memory_bytes : 0; }

ptxsim_status ptxsim_device_attribute(const ptxsim_device *device, int number, int32_t *value)
{
	if (!device || !value)
		return WRONG_ARGUMENT("the device or the place for the value is NULL");
	if (device_attribute(device_of(device), number, value))
		return PTXSIM_OK;
	return call_fails(__func__, PTXSIM_ERROR_NOT_FOUND, "there is no attribute %d", number);
}

/* --- Memory --------------------------------------------------------------------------------- */

/* There was no room for so many bytes. */
static ptxsim_status no_memory(const char *call, const ptxsim_context *c, u64 bytes)
{
	char why[200];

	memory_refusal(&c->memory, bytes, why, sizeof why);
	return call_fails(call, PTXSIM_ERROR_MEMORY, "%s", why);
}

static ptxsim_status wrong_range(const char *call, u64 address, u64 bytes)
{
	return call_fails(call, PTXSIM_ERROR_ADDRESS, "%llu byte%s at 0x%llx %s not within one allocation",
			  (unsigned long long)bytes, plural_s(bytes), (unsigned long long)address,
			  bytes == 1 ? "is" : "are");
}

ptxsim_status ptxsim_alloc(ptxsim_context *context, uint64_t bytes, uint64_t *address)
{
	if (!context || !address)
		return WRONG_ARGUMENT("the context or the place for the address is NULL");
	const u64 at = memory_allocate_buffer(&context->memory, bytes, "ptxsim_alloc");
	if (!at)
		return no_memory(__func__, context, bytes);
	*address = at;
	return PTXSIM_OK;
}

/* A copy that lives as long as the context; NULL: there is no memory. */
static const char *keep_name(ptxsim_context *c, const char *name)
{
	const char *volatile kept = NULL;

	pthread_mutex_lock(&c->lock);
	if (!SESSION_ENTER(&c->tables))
		kept = strings_intern_text(&c->tables.strings, name);
	pthread_mutex_unlock(&c->lock);
	return kept;
}

ptxsim_status ptxsim_name_memory(ptxsim_context *context, uint64_t address, const char *name)
{
	if (!context || !name)
		return WRONG_ARGUMENT("the context or the name is NULL");
	const char *kept = keep_name(context, name);
	if (!kept)
		return call_fails(__func__, PTXSIM_ERROR_MEMORY, NULL);
	if (memory_name(&context->memory, address, kept))
		return PTXSIM_OK;
	return call_fails(__func__, PTXSIM_ERROR_ADDRESS, "no memory begins at 0x%llx", (unsigned long long)address);
}

ptxsim_status ptxsim_map(ptxsim_context *context, void *bytes, uint64_t size, uint64_t *address)
{
	if (!context || !bytes || !size || !address)
		return WRONG_ARGUMENT("the context, the bytes or the place for the address is NULL, or the size is 0");
	const u64 at = memory_attach(&context->memory, bytes, size, "ptxsim_map");
	if (!at)
		return no_memory(__func__, context, size);
	*address = at;
	return PTXSIM_OK;
}

ptxsim_status ptxsim_map_at(ptxsim_context *context, void *bytes, uint64_t size, uint64_t address)
{
	if (!context || !bytes || !size || !address)
		return WRONG_ARGUMENT("the context, the bytes or the address is NULL, or the size is 0");
	if (address >= ADDRESS_LIMIT || size > ADDRESS_LIMIT - address ||
	    (address < WINDOWS_END && address + size > WINDOWS_BEGIN))
		return call_fails(__func__, PTXSIM_ERROR_ADDRESS, "0x%llx and %llu bytes on is not all global memory",
				  (unsigned long long)address, (unsigned long long)size);
	if (memory_map(&context->memory, address, size, bytes, "ptxsim_map_at", 0))
		return PTXSIM_OK;
	struct allocation a;
	if (memory_look(&context->memory, address, 1, &a) || memory_look(&context->memory, address + size - 1, 1, &a))
		return call_fails(__func__, PTXSIM_ERROR_ADDRESS, "other memory is at 0x%llx",
				  (unsigned long long)a.base);
	return no_memory(__func__, context, size);
}

ptxsim_status ptxsim_multicast(ptxsim_context *context, const uint64_t *addresses, uint32_t count, uint64_t bytes,
			       uint64_t *address)
{
	struct allocation a;

	if (!context || !addresses || !count || !bytes || !address)
		return WRONG_ARGUMENT("the context, the addresses or the place for one is NULL, or there are none");
	for (uint32_t k = 0; k < count; k++)
		if (!memory_look(&context->memory, addresses[k], bytes, &a))
			return wrong_range(__func__, addresses[k], bytes);
	const u64 at = memory_multicast(&context->memory, addresses, count, bytes);
	if (!at)
		return no_memory(__func__, context, bytes);
	*address = at;
	return PTXSIM_OK;
}

ptxsim_status ptxsim_release(ptxsim_context *context, uint64_t address)
{
	struct allocation a;

	if (!context)
		return WRONG_ARGUMENT("there is no context");
	if (memory_look(&context->memory, address, 1, &a) && a.flags & ALLOCATION_VARIABLE)
		return call_fails(__func__, PTXSIM_ERROR_ADDRESS, "0x%llx is a module's variable '%s'",
				  (unsigned long long)address, a.name ? a.name : "");
	if (memory_release(&context->memory, address))
		return PTXSIM_OK;
	return call_fails(__func__, PTXSIM_ERROR_ADDRESS, "no memory begins at 0x%llx", (unsigned long long)address);
}

ptxsim_status ptxsim_read(const ptxsim_context *context, void *to, uint64_t address, uint64_t bytes)
{
	struct allocation a;

	if (!context || (!to && bytes))
		return WRONG_ARGUMENT("the context or the host's bytes are NULL");
	if (!bytes)
		return PTXSIM_OK;
	if (!memory_look((struct memory *)(uintptr_t)&context->memory, address, bytes, &a))
		return wrong_range(__func__, address, bytes);
	memcpy(to, a.host + (address - a.base), bytes);
	return PTXSIM_OK;
}

ptxsim_status ptxsim_write(ptxsim_context *context, uint64_t address, const void *from, uint64_t bytes)
{
	struct allocation a;

	if (!context || (!from && bytes))
		return WRONG_ARGUMENT("the context or the host's bytes are NULL");
	if (!bytes)
		return PTXSIM_OK;
	if (!memory_look(&context->memory, address, bytes, &a))
		return wrong_range(__func__, address, bytes);
	memcpy(a.host + (address - a.base), from, bytes);
	return PTXSIM_OK;
}
