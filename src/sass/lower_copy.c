/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of machine code: copies to shared memory that the system supplies. sm_120's own instructions copy to the block that
 * asks for it; for another block of the cluster, and for several, its code calls
 *
 *      __cuda_syscall_cp_async_bulk_{unicast,multicast}
 *       R4, R5: to   R6, R7: from   R8: bytes   R9: mask of blocks, with multicast   R10, R11: barrier   R12, R13: policy
 *
 *      __cuda_syscall_cp_async_bulk_tensor_Nd_{tile,im2col}_{unicast,multicast}
 *       R4, R5: to   R6, R7: tensor map   R8 to R12: coordinates   R13: mask   R14, R15: barrier   on the stack: of im2col
 *       16 bits an offset, then the policy
 *
 * Addresses of shared memory are those of the cluster, below 2^32. The policy is a cache's, which results do not depend on.
 */
#include <stdio.h>
#include <string.h>

#include "sass/lower.h"

enum { TO = 4, FROM = 6, BYTES = 8, MASK = 9, BARRIER = 10 };
enum { COORDINATES = 8, TENSOR_MASK = 13, TENSOR_BARRIER = 14, MOST_ARGUMENTS = 20 };

static struct lower_arg pair(struct lower *l, u32 reg)
{
	return ROW64(lower_join(l, lower_register(l, reg), lower_register(l, reg + 1)));
}

static const char *suffix(bool several) { return several ? ".multicast::cluster" : ""; }

static void copy_bytes(struct lower *l, bool several)
{
	const struct lower_arg zero = OFFSET(0);
	const struct lower_arg args[] = {ROW32(lower_register(l, TO)),
					 zero,
					 pair(l, FROM),
					 zero,
					 ROW32(lower_register(l, BYTES)),
					 ROW32(lower_register(l, BARRIER)),
					 zero,
					 ROW16(lower_register(l, MASK))};

	lower_ptx(l,
		  lower_text(l, "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes%s", suffix(several)),
		  args, COUNT_OF(args) - !several);
}

static u32 push_offsets(struct lower *l, struct lower_arg *args, u32 count)
{
	for (u32 k = 0; k < count; k++) {
		const u32 offset = lower_word(l);
		PTX(l, "ld.local.u16", TO16(offset), ROW32(lower_register(l, 1)), OFFSET(2 * k));
		args[k] = ROW16(offset);
	}
	return count;
}

static void copy_tile(struct lower *l, u32 dims, bool im2col, bool several)
{
	const struct lower_arg zero = OFFSET(0);
	struct lower_arg args[MOST_ARGUMENTS] = {ROW32(lower_register(l, TO)), zero, pair(l, FROM), zero};
	u32 count = 4;

	for (u32 k = 0; k < dims; k++)
		args[count++] = ROW32(lower_register(l, COORDINATES + k));
	args[count++] = ROW32(lower_register(l, TENSOR_BARRIER));
	args[count++] = zero;
	if (im2col)
		count += push_offsets(l, args + count, dims - 2);
	if (several)
		args[count++] = ROW16(lower_register(l, TENSOR_MASK));
	l->form = NULL; /* that of the offsets' loads */
	lower_ptx(l,
		  lower_text(l, "cp.async.bulk.tensor.%ud.shared::cluster.global.%s.mbarrier::complete_tx::bytes%s",
			     dims, im2col ? "im2col" : "tile", suffix(several)),
		  args, count);
}

/* What of a tensor to how many blocks: false if it is none of these. */
static bool tile_of(const char *rest, u32 *dims, bool *im2col, bool *several)
{
	char kind[8], to[10];
	int end = 0;

	if (sscanf(rest, "tensor_%1ud_%7[a-z0-9]_%9[a-z]%n", dims, kind, to, &end) != 3 || rest[end])
		return false;
	*im2col = !strcmp(kind, "im2col");
	*several = !strcmp(to, "multicast");
	return *dims >= (*im2col ? 3 : 1) && *dims <= 5 && (*im2col || !strcmp(kind, "tile")) &&
	       (*several || !strcmp(to, "unicast"));
}

void lower_system_copy(struct lower *l, const char *name)
{
	const char *rest = name + strlen(SASS_BULK_COPY);
	const bool several = !strcmp(rest, "multicast");
	u32 dims;
	bool im2col, to_several;

	if (several || !strcmp(rest, "unicast"))
		copy_bytes(l, several);
	else if (tile_of(rest, &dims, &im2col, &to_several))
		copy_tile(l, dims, im2col, to_several);
	else
		lower_not_supplied(l, name);
}
