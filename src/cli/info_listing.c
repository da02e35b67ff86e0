/* SPDX-License-Identifier: Apache-2.0
 *
 * ptxsim info on a listing: the machine's registers, what each instruction reads and writes of them,
 * and how many blocks an SM holds.
 */
#include <stdio.h>

#include "arch/arch.h"
#include "cli/info.h"
#include "observe/classes.h"
#include "sass/module.h"
#include "sass/registers.h"

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

/* --- Machine code --------------------------------------------------------------------------------- */

/* What each thread is granted, and how many of each kind the code names. */
void info_machine_registers(const struct code *code)
{
	static const struct {
		u32 first, count;
		const char *name;
	} kinds[] = {{SASS_INDEX_R, SASS_NO_REGISTER, "R"},
		     {SASS_INDEX_UR, SASS_NO_REGISTER, "UR"},
		     {SASS_INDEX_P, SASS_PT, "P"},
		     {SASS_INDEX_UP, SASS_PT, "UP"},
		     {SASS_INDEX_B, 16, "B"}};
	bool used[SASS_INDEX_COUNT];

	sass_registers_used(code->function, used);
	printf("  registers     %u granted to each thread; the code names", code->machine_registers);
	for (u32 k = 0; k < COUNT_OF(kinds); k++) {
		u32 count = 0;
		for (u32 n = 0; n < kinds[k].count; n++)
			count += used[kinds[k].first + n];
		if (count)
			printf(" %u %s", count, kinds[k].name);
	}
	printf("\n");
}

/* Runs of instructions that are entered at the first and left at the last only; jumps by addresses in registers may enter
 * others. */
u32 info_machine_blocks(struct arena *arena, const struct code *code)
{
	const struct ir_function *f = code->function;
	const struct sass_kernel *kernel = f->machine->kernel;
	bool *leads = ARENA_ARRAY(arena, f->body.count + 1, bool);
	u32 blocks = 0;

	for (u32 k = 0; k < f->body.count; k++) {
		struct sass_insn i;
		u32 base = 0, target;
		if (!sass_instruction_at(f, k, &i))
			continue;
		for (u32 n = 0; n < kernel->module->section_count; n++)
			if (kernel->module->sections[n].base + i.address == f->body.items[k].address)
				base = kernel->module->sections[n].base;
		leads[k] |= !k || !i.address;
		const bool jumps = i.opcode == SASS_OP_BRA || i.opcode == SASS_OP_BRX || i.opcode == SASS_OP_CALL ||
				   i.opcode == SASS_OP_RET || i.opcode == SASS_OP_EXIT;
		leads[k + 1] |= jumps;
		for (u32 n = 0; n < i.operand_count && jumps; n++)
			if (i.operands[n].arg == ARG_TARGET && ir_find_address(f, base + i.operands[n].value, &target))
				leads[target] = true;
	}
	for (u32 k = 0; k < f->body.count; k++)
		blocks += leads[k];
	return blocks;
}
