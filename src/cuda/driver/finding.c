/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages come as text; lines about the host go behind what they explain, and before the line that says how to suppress it.
 */
#include "cuda/driver/finding.h"

#include <string.h>

#include "cuda/driver/watch.h"

enum { PLACE_TEXT = 600, FREED_MOST = 256 };

/* Freed last, in a ring: a kernel may still hold the address. */
static struct gone {
	u64 base, size;
	const struct host_place *given, *freed;
} gone[FREED_MOST];
static u64 gone_count;

void finding_forget_later(const struct region *b)
{
	if (!b->given && !b->freed)
		return;
	gone[gone_count % FREED_MOST].base = b->base;
	gone[gone_count % FREED_MOST].size = b->size;
	gone[gone_count % FREED_MOST].given = b->given;
	gone[gone_count % FREED_MOST].freed = b->freed;
	gone_count++;
}

void finding_giver(const struct region *b, const char *call, char *text, size_t room)
{
	host_place_text(b->given, call, NULL, text, room);
}

/* The last that had the address, of those whose calls are known; NULL: none. */
static const struct gone *find_gone_around(u64 address)
{
	for (u64 k = gone_count; k > 0 && gone_count - k < FREED_MOST; k--) {
		const struct gone *x = &gone[(k - 1) % FREED_MOST];
		if (address - x->base < x->size)
			return x;
	}
	return NULL;
}

/* What begins at the address, and has been freed; NULL: its calls are not known. */
static const struct gone *find_gone(u64 address)
{
	for (u64 k = gone_count; k > 0 && gone_count - k < FREED_MOST; k--)
		if (gone[(k - 1) % FREED_MOST].base == address)
			return &gone[(k - 1) % FREED_MOST];
	return NULL;
}

void finding_wrong_free(u64 address, const char *call)
{
	const struct region *b = block_of(address);
	const bool inside = b && b->base != address;
	const struct gone *before = b ? NULL : find_gone(address);
	const struct host_place *freed = before ? before->freed : b && b->freeing ? b->freed : NULL;
	char here[PLACE_TEXT], other[PLACE_TEXT];

	if (!watch_checks() || !(before || inside || (b && b->freeing)))
		return;
	host_place_text(watch_place(), call, NULL, here, sizeof here);
	if (inside) {
		finding_giver(b, "cuMemAlloc", other, sizeof other);
		watch_tell("invalid free: %s frees 0x%llx, which lies %llu bytes inside an allocation of %llu bytes, "
			   "given by %s",
			   here, (unsigned long long)address, (unsigned long long)(address - b->base),
			   (unsigned long long)b->size, other);
	} else {
		host_place_text(freed, "cuMemFree", NULL, other, sizeof other);
		watch_tell("double free: %s frees 0x%llx, which has been freed already, by %s", here,
			   (unsigned long long)address, other);
	}
}

void finding_refused(u64 address, u64 bytes, const char *call)
{
	struct allocation a;
	const bool is_there = memory_look(&driver.machine->memory, address, 1, &a);
	const struct region *b = is_there ? block_of(address) : NULL;
	const struct gone *before = is_there ? NULL : find_gone_around(address);
	char here[PLACE_TEXT], other[PLACE_TEXT];

	if (!watch_checks() || !(before || (is_there && bytes > a.base + a.size - address)))
		return;
	host_place_text(watch_place(), call, NULL, here, sizeof here);
	if (is_there) {
		const u64 past = bytes - (a.base + a.size - address);
		if (b)
			finding_giver(b, "cuMemAlloc", other, sizeof other);
		else
			snprintf(other, sizeof other, "%s", a.name ? a.name : "a module");
		watch_tell("address out of bounds: %s is refused: of the %llu bytes from 0x%llx on, %llu lie%s past "
			   "the end of "
			   "an allocation of %llu bytes, given by %s",
			   here, (unsigned long long)bytes, (unsigned long long)address, (unsigned long long)past,
			   past == 1 ? "s" : "", (unsigned long long)a.size, other);
	} else {
		host_place_text(before->freed, "cuMemFree", NULL, other, sizeof other);
		watch_tell("memory that was freed: %s is refused: it accesses 0x%llx, which lies in %llu bytes freed "
			   "by %s",
			   here, (unsigned long long)address, (unsigned long long)before->size, other);
	}
}

void finding_overlap(u64 to, u64 from, u64 bytes)
{
	const u64 apart = to < from ? from - to : to - from;
	char here[PLACE_TEXT];

	if (!watch_checks() || !apart || apart >= bytes || !block_of(to))
		return;
	host_place_text(watch_place(), "cuMemcpy", NULL, here, sizeof here);
	watch_tell("copy that overlaps: %s copies %llu bytes from 0x%llx to 0x%llx, %llu bytes away: what it leaves "
		   "there is "
		   "not defined",
		   here, (unsigned long long)bytes, (unsigned long long)from, (unsigned long long)to,
		   (unsigned long long)apart);
}

/* The program's two calls for the memory; NULL: not known. */
static void find_calls(const struct finding *f, const struct host_place **given, const struct host_place **freed)
{
	const bool is_known = f->memory && f->memory->kind;
	const u64 address = is_known ? f->memory->base : f->address;
	const bool is_gone = is_known && f->memory->kind == FAULT_MEMORY_RELEASED;
	const struct region *b =
		address && !is_gone && !(is_known && f->memory->is_variable) ? block_of(address) : NULL;

	*given = b ? b->given : NULL;
	*freed = NULL;
	const struct gone *x = is_gone ? find_gone(address) : NULL;
	if (x) {
		*given = x->given;
		*freed = x->freed;
	}
}

static void print_place(FILE *to, const char *what, const char *call, const struct host_place *p, const char *kernel)
{
	char text[PLACE_TEXT];

	if (!p)
		return;
	host_place_text(p, call, kernel, text, sizeof text);
	fprintf(to, "  %s %s\n", what, text);
}

void finding_print(FILE *to, const struct finding *f)
{
	static const char by_host[] = "  freed by the host\n", suppress[] = "  to suppress: ";
	const char *text = f->text, *end = strstr(text, suppress), *host = strstr(text, by_host);
	const struct host_place *given, *freed;

	if (!end)
		end = text + strlen(text);
	fprintf(to, "%s: ", f->title);
	find_calls(f, &given, &freed);
	/* "The host" gets its name. */
	if (host && freed) {
		fwrite(text, 1, (size_t)(host - text), to);
		text = host + sizeof by_host - 1;
		print_place(to, "freed by", "cuMemFree", freed, NULL);
	}
	fwrite(text, 1, (size_t)(end - text), to);
	if (end > f->text && end[-1] != '\n')
		fputc('\n', to);
	print_place(to, "allocated by", "cuMemAlloc", given, NULL);
	print_place(to, "launched", "", f->launched, f->kernel);
	fputs(end, to);
	fflush(to);
}
