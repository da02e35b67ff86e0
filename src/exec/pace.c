/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/pace.h"

static u32 place_of(const struct kernel *kernel)
{
	const u64 mixed = (u64)(uintptr_t)kernel * 0x9e3779b97f4a7c15u;

	return (u32)(mixed >> 61);
}

void pace_note(struct paces *p, const struct kernel *kernel, double nanoseconds)
{
	p->of[place_of(kernel)] = (struct pace){kernel, nanoseconds};
}

double pace_expected(const struct paces *p, const struct kernel *kernel)
{
	const struct pace *known = &p->of[place_of(kernel)];

	return known->kernel == kernel ? known->nanoseconds : 0;
}
