/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: functions that the system supplies and that code calls by name: printing, malloc, the device
 * runtime. Each becomes insns behind the function's body, in which a call ends.
 *
 * Arguments lie in R4 to R15, those of eight bytes in an even register and the next, then on the stack from R1 on; the
 * result is in R4, and the callee returns to where R20 and R21 lead:
 *
 *      cudaGetParameterBufferV2(kernel, grid, block, shared)       cudaMemcpy2DAsync(to, to_pitch, from, ...)
 *       R4, R5: kernel   R6, R7, R8: grid   R9, R10, R11: block     R4, R5: to   ...   [R1]: kind   [R1+0x8]: stream
 *       R12: shared      R4, R5: the buffer, afterwards
 *
 * A file that was linked with the device runtime has code for its functions, which asks the driver in ways of its own: it is
 * not run, as functions of these names are supplied.
 */
#include <string.h>

#include "sass/lower.h"

enum { FIRST_ARGUMENT = 4, LAST_ARGUMENT = 15, RETURN_TO = 20 };

/* What a function takes and leaves, a letter each: p eight bytes, i four, d a dim3 of twelve; the result comes first, v:
 * there is none. */
struct system_function {
	const char *name, *types;
};

/* clang-format off */
static const struct system_function functions[] = {
	{"vprintf", "ipp"},
	{"malloc", "pp"},
	{"free", "vp"},
	{"__assertfail", "vppip"},
	{"cudaGraphSetConditional", "vpi"},
	{"__cudaCDP2GetParameterBuffer", "ppp"},
	{"__cudaCDP2GetParameterBufferV2", "ppddi"},
	{"__cudaCDP2LaunchDevice", "ippddip"},
	{"__cudaCDP2LaunchDevice_ptsz", "ippddip"},
	{"__cudaCDP2LaunchDeviceV2", "ipp"},
	{"__cudaCDP2LaunchDeviceV2_ptsz", "ipp"},
	{"__cudaCDP2StreamCreateWithFlags", "ipi"},
	{"__cudaCDP2StreamDestroy", "ip"},
	{"__cudaCDP2StreamWaitEvent", "ippi"},
	{"__cudaCDP2StreamWaitEvent_ptsz", "ippi"},
	{"__cudaCDP2EventCreateWithFlags", "ipi"},
	{"__cudaCDP2EventRecord", "ipp"},
	{"__cudaCDP2EventRecord_ptsz", "ipp"},
	{"__cudaCDP2EventRecordWithFlags", "ippi"},
	{"__cudaCDP2EventRecordWithFlags_ptsz", "ippi"},
	{"__cudaCDP2EventDestroy", "ip"},
	{"__cudaCDP2GetLastError", "i"},
	{"__cudaCDP2PeekAtLastError", "i"},
	{"__cudaCDP2GetErrorString", "pi"},
	{"__cudaCDP2GetErrorName", "pi"},
	{"__cudaCDP2GetDeviceCount", "ip"},
	{"__cudaCDP2GetDevice", "ip"},
	{"__cudaCDP2DeviceGetAttribute", "ipii"},
	{"__cudaCDP2DeviceGetLimit", "ipi"},
	{"__cudaCDP2DeviceGetCacheConfig", "ip"},
	{"__cudaCDP2DeviceGetSharedMemConfig", "ip"},
	{"__cudaCDP2FuncGetAttributes", "ipp"},
	{"__cudaCDP2Malloc", "ipp"},
	{"__cudaCDP2Free", "ip"},
	{"__cudaCDP2MemcpyAsync", "ipppip"},
	{"__cudaCDP2MemcpyAsync_ptsz", "ipppip"},
	{"__cudaCDP2Memcpy2DAsync", "ippppppip"},
	{"__cudaCDP2Memcpy2DAsync_ptsz", "ippppppip"},
	{"__cudaCDP2Memcpy3DAsync", "ipp"},
	{"__cudaCDP2Memcpy3DAsync_ptsz", "ipp"},
	{"__cudaCDP2MemsetAsync", "ipipp"},
	{"__cudaCDP2MemsetAsync_ptsz", "ipipp"},
	{"__cudaCDP2Memset2DAsync", "ippippp"},
	{"__cudaCDP2Memset2DAsync_ptsz", "ippippp"},
	{"__cudaCDP2RuntimeGetVersion", "ip"},
	{"__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor", "ippip"},
	{"__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "ippipi"},
};
/* clang-format on */

static const struct system_function *function_of(const char *name)
{
	for (u32 k = 0; k < COUNT_OF(functions); k++)
		if (!strcmp(functions[k].name, name))
			return &functions[k];
	return NULL;
}

static u32 bytes_of(char type) { return type == 'd' ? 12 : type == 'p' ? 8 : type == 'i' ? 4 : 0; }

/* Where arguments are found one after the other: in registers as long as one fits in there, then on the stack. */
struct places {
	u32 reg, stack;
};

static u32 stack_word(struct lower *l, u32 at)
{
	const u32 to = lower_word(l);

	PTX(l, "ld.local.b32", TO32(to), ROW32(lower_register(l, 1)), OFFSET(at));
	return to;
}

static struct call_transfer next_argument(struct lower *l, struct places *at, char type)
{
	const u32 words = bytes_of(type) / 4, align = type == 'p' ? 2 : 1, reg = (at->reg + align - 1) / align * align;
	struct call_transfer t = {.from_register = true, .bytes = words * 4};

	if (reg + words <= LAST_ARGUMENT + 1) {
		at->reg = reg + words;
		t.is_words = true;
		t.from = lower_register(l, reg);
		return t;
	}
	at->stack = (at->stack + 4 * align - 1) / (4 * align) * (4 * align);
	if (words > 2)
		lower_fails(l);
	t.from = stack_word(l, at->stack);
	if (words == 2)
		t.from = lower_join(l, t.from, stack_word(l, at->stack + 4));
	at->stack += words * 4;
	return t;
}

static void return_from_system(struct lower *l)
{
	const u32 list[] = {0, 0, lower_register(l, RETURN_TO + 1), 0};
	const s32 at = (s32)lower_list(l, list, COUNT_OF(list));

	lower_control(l, MACHINE_brx, (struct insn){.d = lower_register(l, RETURN_TO), .c = 1, .imm = at},
		      (struct predicate){l->true_row, false});
}

void lower_not_supplied(struct lower *l, const char *name)
{
	const struct insn i = {.c = (u32)l->e.plans.count};

	VEC_PUSH(l->e.low->scratch, &l->e.plans, lower_text(l, "not modelled: a call of %s", name));
	lower_control(l, MACHINE_not_known, i, (struct predicate){l->true_row, false});
}

static void call_system(struct lower *l, const struct system_function *f)
{
	const u32 count = (u32)strlen(f->types) - 1, result = lower_long(l);
	struct call_site site = {.external = f->name,
				 .function_row = lower_register(l, RETURN_TO),
				 .in_count = count,
				 .out_count = f->types[0] != 'v'};
	struct places at = {.reg = FIRST_ARGUMENT};

	site.in = ARENA_ARRAY(l->e.low->arena, count + 1ull, struct call_transfer);
	site.out = ARENA_ARRAY(l->e.low->arena, 1, struct call_transfer);
	for (u32 k = 0; k < count; k++)
		site.in[k] = next_argument(l, &at, f->types[k + 1]);
	*site.out = (struct call_transfer){.to_register = true, .bytes = bytes_of(f->types[0]), .to = result};
	VEC_PUSH(l->e.low->scratch, &l->e.calls, site);
	lower_machine(l, MACHINE_system_call, (struct insn){.c = (u32)l->e.calls.count - 1});
	if (site.out_count && site.out->bytes == 4)
		PTX(l, "mov.b32", TO32(lower_register(l, FIRST_ARGUMENT)), ROW32(result));
	else if (site.out_count)
		lower_split(l, lower_register(l, FIRST_ARGUMENT), lower_register(l, FIRST_ARGUMENT + 1), result);
}

void lower_system(struct lower *l, const char *name)
{
	const struct system_function *f = function_of(name);

	if (l->registers <= RETURN_TO + 1)
		lower_not_supplied(l, name);
	else if (f)
		call_system(l, f);
	else if (sass_is_texture_gradient(name))
		lower_texture_gradient(l, name);
	else if (!strncmp(name, SASS_BULK_COPY, strlen(SASS_BULK_COPY)))
		lower_system_copy(l, name);
	else
		lower_not_supplied(l, name);
	return_from_system(l);
}
