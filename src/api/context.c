/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts and their memory.
 */
#include "config.h"

#include "api/context.h"

#include <stdlib.h>
#include <string.h>

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

	if (!c || !session_open(&c->tables)) {
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

void ptxsim_context_free(ptxsim_context *context)
{
	if (!context)
		return;
	queue_group_end(&context->queues);
	watching_free(&context->watching);
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
	return name ? (const ptxsim_device *)device_find(name) : NULL;
}

static const struct device *device_of(const ptxsim_device *device) { return (const struct device *)device; }

const char *ptxsim_device_name(const ptxsim_device *device) { return device ? device_of(device)->name : ""; }
const char *ptxsim_device_title(const ptxsim_device *device) { return device ? device_of(device)->title : ""; }
const char *ptxsim_device_arch(const ptxsim_device *device) { return device ? device_of(device)->target : ""; }
uint64_t ptxsim_device_memory(const ptxsim_device *device) { return device ? device_of(device)->memory_bytes : 0; }

ptxsim_status ptxsim_device_attribute(const ptxsim_device *device, int number, int32_t *value)
{
	if (!device || !value)
		return PTXSIM_ERROR_ARGUMENT;
	return device_attribute(device_of(device), number, value) ? PTXSIM_OK : PTXSIM_ERROR_NOT_FOUND;
}

/* --- Memory --------------------------------------------------------------------------------- */

ptxsim_status ptxsim_alloc(ptxsim_context *context, uint64_t bytes, uint64_t *address)
{
	if (!context || !address)
		return PTXSIM_ERROR_ARGUMENT;
	const u64 at = memory_allocate_buffer(&context->memory, bytes, "ptxsim_alloc");
	if (!at)
		return PTXSIM_ERROR_MEMORY;
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
		return PTXSIM_ERROR_ARGUMENT;
	const char *kept = keep_name(context, name);
	if (!kept)
		return PTXSIM_ERROR_MEMORY;
	return memory_name(&context->memory, address, kept) ? PTXSIM_OK : PTXSIM_ERROR_ADDRESS;
}

ptxsim_status ptxsim_map(ptxsim_context *context, void *bytes, uint64_t size, uint64_t *address)
{
	if (!context || !bytes || !size || !address)
		return PTXSIM_ERROR_ARGUMENT;
	const u64 at = memory_attach(&context->memory, bytes, size, "ptxsim_map");
	if (!at)
		return PTXSIM_ERROR_MEMORY;
	*address = at;
	return PTXSIM_OK;
}

ptxsim_status ptxsim_map_at(ptxsim_context *context, void *bytes, uint64_t size, uint64_t address)
{
	if (!context || !bytes || !size || !address)
		return PTXSIM_ERROR_ARGUMENT;
	if (address >= ADDRESS_LIMIT || size > ADDRESS_LIMIT - address ||
	    (address < WINDOWS_END && address + size > WINDOWS_BEGIN))
		return PTXSIM_ERROR_ADDRESS;
	if (memory_map(&context->memory, address, size, bytes, "ptxsim_map_at", 0))
		return PTXSIM_OK;
	struct allocation a;
	return memory_look(&context->memory, address, 1, &a) || memory_look(&context->memory, address + size - 1, 1, &a)
		       ? PTXSIM_ERROR_ADDRESS
		       : PTXSIM_ERROR_MEMORY;
}

ptxsim_status ptxsim_multicast(ptxsim_context *context, const uint64_t *addresses, uint32_t count, uint64_t bytes,
			       uint64_t *address)
{
	struct allocation a;

	if (!context || !addresses || !count || !bytes || !address)
		return PTXSIM_ERROR_ARGUMENT;
	for (uint32_t k = 0; k < count; k++)
		if (!memory_look(&context->memory, addresses[k], bytes, &a))
			return PTXSIM_ERROR_ADDRESS;
	const u64 at = memory_multicast(&context->memory, addresses, count, bytes);
	if (!at)
		return PTXSIM_ERROR_MEMORY;
	*address = at;
	return PTXSIM_OK;
}

ptxsim_status ptxsim_release(ptxsim_context *context, uint64_t address)
{
	struct allocation a;

	if (!context)
		return PTXSIM_ERROR_ARGUMENT;
	if (memory_look(&context->memory, address, 1, &a) && a.flags & ALLOCATION_VARIABLE)
		return PTXSIM_ERROR_ADDRESS;
	return memory_release(&context->memory, address) ? PTXSIM_OK : PTXSIM_ERROR_ADDRESS;
}

ptxsim_status ptxsim_read(const ptxsim_context *context, void *to, uint64_t address, uint64_t bytes)
{
	struct allocation a;

	if (!context || (!to && bytes))
		return PTXSIM_ERROR_ARGUMENT;
	if (!bytes)
		return PTXSIM_OK;
	if (!memory_look((struct memory *)(uintptr_t)&context->memory, address, bytes, &a))
		return PTXSIM_ERROR_ADDRESS;
	memcpy(to, a.host + (address - a.base), bytes);
	return PTXSIM_OK;
}

ptxsim_status ptxsim_write(ptxsim_context *context, uint64_t address, const void *from, uint64_t bytes)
{
	struct allocation a;

	if (!context || (!from && bytes))
		return PTXSIM_ERROR_ARGUMENT;
	if (!bytes)
		return PTXSIM_OK;
	if (!memory_look(&context->memory, address, bytes, &a))
		return PTXSIM_ERROR_ADDRESS;
	memcpy(a.host + (address - a.base), from, bytes);
	return PTXSIM_OK;
}
