/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory and events of one process in another. Memory that a program gives a handle of becomes a shared file's, where it
 * lies, with the rest of its chunk; a process that opens the handle maps the file at addresses of its own. Of an event,
 * the numbers of records given and done are shared.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/shared.h"

_Static_assert(sizeof(struct shared_name) == sizeof(struct cu_ipc_handle), "a handle holds a name");

/* --- Memory ------------------------------------------------------------------------------------ */

/* Mapped from another process. */
struct imported {
	struct imported *next;
	u64 id, offset; /* of the file */
	u8 *at;
	u64 bytes; /* of the mapping */
	u64 base;
	u32 users;
};
static struct imported *imports;

int ipc_export(u64 base, u8 handle[64])
{
	const struct region *b = block_at(base);
	struct shared_name n = {.magic = SHARED_MAGIC, .kind = SHARED_MEMORY, .process = getpid()};

	/* Nothing may write to it while it moves into the file. */
	const int result = context_finish(b->context);
	if (result)
		return result;
	b = block_at(base);
	if (!b)
		return CU_INVALID_VALUE;
	if (!heap_share(&driver.devices[b->device].heap, (u8 *)(uintptr_t)base, b->size, &n))
		return CU_OUT_OF_MEMORY;
	n.bytes = b->size;
	n.device = (u32)b->device;
	memcpy(handle, &n, sizeof n);
	return CU_OK;
}

int drv_cuIpcGetMemHandle(struct cu_ipc_handle *p_handle, u64 dptr)
{
	const struct region *b = block_of(dptr);

	if (!p_handle || !b || b->kind != BLOCK_DEVICE || b->of_graph)
		return CU_INVALID_VALUE;
	return ipc_export(b->base, (u8 *)p_handle);
}

/* Maps the file of another process's chunk, and makes the memory in it known to kernels. */
static int import(const struct shared_name *n, u64 *pdptr)
{
	struct heap *h = &device_current()->heap;
	const int file = shared_open(n, SHARED_MEMORY);
	struct imported *m = file < 0 ? NULL : calloc(1, sizeof *m);
	u8 *at = m ? heap_take_apart(h, n->file_bytes) : NULL;

	if (at && mmap(at, n->file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED &&
	    block_add(context_current(), (u64)(uintptr_t)at + n->offset, n->bytes, BLOCK_IMPORTED)) {
		close(file);
		*m = (struct imported){imports, n->id, n->offset, at, n->file_bytes, (u64)(uintptr_t)at + n->offset, 1};
		imports = m;
		*pdptr = m->base;
		return CU_OK;
	}
	if (at)
		heap_give_apart(h, at, n->file_bytes);
	free(m);
	if (file < 0)
		return CU_INVALID_HANDLE;
	close(file);
	return CU_OUT_OF_MEMORY;
}

/* A handle of this process's own is refused, as on the card; opened twice, it is the same address. */
int drv_cuIpcOpenMemHandle_v2(u64 *pdptr, struct cu_ipc_handle handle, u32 flags)
{
	struct shared_name n;

	memcpy(&n, &handle, sizeof n);
	if (!pdptr || flags & ~1u)
		return CU_INVALID_VALUE;
	if (n.magic == SHARED_MAGIC && n.process == getpid())
		return CU_INVALID_CONTEXT;
	for (struct imported *m = imports; m; m = m->next)
		if (m->id == n.id && m->offset == n.offset) {
			m->users++;
			*pdptr = m->base;
			return CU_OK;
		}
	return import(&n, pdptr);
}

int ipc_import(const u8 handle[64], u64 *address)
{
	struct shared_name n;

	memcpy(&n, handle, sizeof n);
	return import(&n, address);
}

void ipc_unmap(const struct region *b)
{
	for (struct imported **at = &imports, *m; (m = *at); at = &m->next)
		if (m->base == b->base) {
			*at = m->next;
			heap_give_apart(&driver.devices[b->device].heap, m->at, m->bytes);
			free(m);
			return;
		}
}

int drv_cuIpcCloseMemHandle(u64 dptr)
{
	struct imported *m = imports;

	while (m && m->base != dptr)
		m = m->next;
	if (!m)
		return CU_INVALID_VALUE;
	if (--m->users)
		return CU_OK;
	struct region *b = block_at(dptr);
	const int result = b->context->destroyed ? CU_OK : context_finish(b->context);
	b = block_at(dptr);
	if (b)
		block_remove(b);
	return result;
}

/* --- Events ------------------------------------------------------------------------------------ */

struct shared_event *shared_event_new(void)
{
	struct shared_event *e = malloc(sizeof *e);

	if (!e)
		return NULL;
	e->process = getpid();
	e->file = shared_make(sizeof *e->counts, &e->id);
	e->counts = e->file < 0 ? MAP_FAILED
				: mmap(NULL, sizeof *e->counts, PROT_READ | PROT_WRITE, MAP_SHARED, e->file, 0);
	if (e->counts != MAP_FAILED)
		return e;
	if (e->file >= 0)
		close(e->file);
	free(e);
	return NULL;
}

void shared_event_free(struct shared_event *e)
{
	if (!e)
		return;
	if (!e->watched)
		munmap(e->counts, sizeof *e->counts);
	close(e->file);
	free(e);
}

int drv_cuIpcGetEventHandle(struct cu_ipc_handle *p_handle, struct cu_event *event)
{
	if (!handle_is(event, HANDLE_EVENT))
		return CU_INVALID_HANDLE;
	const struct shared_event *e = event->shared;
	if (!p_handle || !e)
		return CU_INVALID_VALUE;
	const struct shared_name n = {.magic = SHARED_MAGIC,
				      .kind = SHARED_EVENT,
				      .process = e->process,
				      .file = e->file,
				      .id = e->id,
				      .bytes = sizeof *e->counts,
				      .file_bytes = sizeof *e->counts};
	memcpy(p_handle, &n, sizeof n);
	return CU_OK;
}

int drv_cuIpcOpenEventHandle(struct cu_event **ph_event, struct cu_ipc_handle handle)
{
	struct shared_name n;

	memcpy(&n, &handle, sizeof n);
	if (!ph_event)
		return CU_INVALID_VALUE;
	if (n.magic == SHARED_MAGIC && n.process == getpid())
		return CU_INVALID_CONTEXT;
	const int file = n.file_bytes == sizeof(struct shared_counts) ? shared_open(&n, SHARED_EVENT) : -1;
	if (file < 0)
		return CU_INVALID_HANDLE;
	struct shared_event *e = malloc(sizeof *e);
	struct shared_counts *counts =
		e ? mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
	if (counts == MAP_FAILED) {
		free(e);
		close(file);
		return CU_OUT_OF_MEMORY;
	}
	*e = (struct shared_event){.process = getpid(), .file = file, .id = n.id, .counts = counts};
	const int result = event_new(ph_event, EVENT_NO_TIMES | EVENT_INTERPROCESS, e);
	if (result)
		shared_event_free(e);
	return result;
}
