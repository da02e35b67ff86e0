/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim info on a listing: the machine's registers, what each instruction reads and writes of them,
 * and how many blocks an SM holds.
 */
#include <stdio.h>

#include "arch/arch.h"
#include "cli/info.h"
#include "observe/classes.h"

void info_listing_registers(const struct program *p, const struct code *code)
{
	u32 predicates = 0, top = 0;

	for (size_t k = 0; k < code->function->registers.count; k++) {
		const struct ir_register *r = code->function->registers.items[k];
		if (r->index >= SASS_REGISTER_P0)
			predicates++;
		else
			top = max_u32(top, r->index + 1);
	}
	printf("  registers     %u of %u for each thread", code->machine_registers, p->arch->registers_thread);
	if (top)
		printf(", named up to R%u", top - 1);
	printf("; %u predicate%s\n", predicates, predicates == 1 ? "" : "s");
}

static void print_limit(u32 blocks)
{
	if (blocks == UINT32_MAX)
		printf("  %9s", "-");
	else
		printf("  %9u", blocks);
}

void info_listing_occupancy(const struct program *p, const struct kernel *k)
{
	static const u32 sizes[] = {32, 64, 128, 192, 256, 384, 512, 768, 1024};

	printf("  occupancy     of %s, blocks of an SM by %u registers and %llu bytes of shared memory:\n"
	       "                threads  blocks  warps      warps     blocks  registers     shared  limited by\n",
	       p->arch->name, k->registers, (unsigned long long)k->static_shared_bytes);
	for (size_t n = 0; n < COUNT_OF(sizes); n++) {
		const struct arch_occupancy o =
			arch_occupancy(p->arch, sizes[n], k->registers, (u32)k->static_shared_bytes);
		if (sizes[n] > p->arch->max_threads_block)
			break;
		printf("                %7u  %6u  %5u", sizes[n], o.blocks, o.warps);
		for (u32 l = 0; l < ARCH_LIMITS; l++)
			print_limit(o.by_limit[l]);
		printf("  %s\n", arch_limit_name(o.limit));
	}
}

void info_listing_traffic(const struct program *p, const struct code *code, u32 instruction)
{
	const struct instruction_facts f =
		instruction_describe(p->isa, &code->function->body.items[instruction], &code->forms[instruction]);

	printf("/*%04x*/ %u read, %u written  ", code->function->body.items[instruction].address, f.reads, f.writes);
}
