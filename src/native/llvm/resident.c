/* SPDX-License-Identifier: Apache-2.0
 *
 * LLVM's code in memory. Each page of it that has run stays in the process, 50 MB after the first region, though the passes run one
 * after the other, and between kernels none does. It is the file's, unchanged, and the system keeps the file: pages that are given
 * back come again where they are wanted, sixteen at a time, all of them in 4 ms. (A
 * debugger's breakpoints in LLVM go with them.)
 */
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "native/llvm/internal.h"

struct wanted {
	uintptr_t within; /* an address in its code */
	size_t page;
};

static uintptr_t start_of(const struct dl_phdr_info *about, const ElfW(Phdr) * part)
{
	return about->dlpi_addr + part->p_vaddr;
}

static bool holds(const struct dl_phdr_info *about, const ElfW(Phdr) * part, uintptr_t address)
{
	return part->p_type == PT_LOAD && address - start_of(about, part) < part->p_memsz;
}

/* Only what nobody can have written to. */
static int give_back(struct dl_phdr_info *about, size_t size, void *context)
{
	const struct wanted *w = context;
	bool found = false;

	(void)size;
	for (u32 k = 0; k < about->dlpi_phnum; k++)
		found |= holds(about, &about->dlpi_phdr[k], w->within);
	for (u32 k = 0; found && k < about->dlpi_phnum; k++) {
		const ElfW(Phdr) *part = &about->dlpi_phdr[k];
		const uintptr_t start = (start_of(about, part) + w->page - 1) & ~(w->page - 1);
		const uintptr_t end = (start_of(about, part) + part->p_filesz) & ~(w->page - 1);
		if (part->p_type == PT_LOAD && !(part->p_flags & PF_W) && start < end)
			madvise((void *)start, end - start, MADV_DONTNEED);
	}
	return found;
}

void code_give_back(void)
{
	LLVMContextRef (*const any)(void) = LLVMContextCreate;
	struct wanted w = {.page = (size_t)sysconf(_SC_PAGESIZE)};

	memcpy(&w.within, &any, sizeof w.within);
	dl_iterate_phdr(give_back, &w);
}
