/* SPDX-License-Identifier: Apache-2.0
 *
 * The operand words of SASS rows, and the names of conditions and special registers.
 */
#include "isa/sass.h"

#include <ctype.h>
#include <string.h>

enum sass_condition sass_condition_find(const char *name)
{
	static const char *const names[] = {
#define X(name) #name,
		SASS_CONDITIONS(X)
#undef X
	};

	for (u32 k = 0; k < COUNT_OF(names); k++)
		if (!strcmp(names[k], name))
			return (enum sass_condition)k;
	return SASS_CC_COUNT;
}

u32 sass_width(const struct form *f)
{
	if (form_has_word(f, "U8") || form_has_word(f, "S8"))
		return 1;
	if (form_has_word(f, "U16") || form_has_word(f, "S16"))
		return 2;
	if (form_has_word(f, "64") || form_has_word(f, "U64"))
		return 8;
	return form_has_word(f, "128") ? 16 : 4;
}

u32 sass_specs(const struct form *f, struct sass_spec specs[FORM_OPERANDS])
{
	const char *p = f->row->operands;
	u32 count = 0;

	while (*p && count < FORM_OPERANDS) {
		struct sass_spec *s = &specs[count++];
		*s = (struct sass_spec){.registers = 1};
		/* A condition alone may be left out before what follows. */
		if (count > 1)
			s->optional = specs[count - 2].optional && specs[count - 2].kind != 'Q';
		for (; *p && strchr("?-+|~", *p); p++) {
			s->optional |= *p == '?';
			s->minus |= *p == '-' || *p == '+';
			s->borrow |= *p == '+';
			s->absolute |= *p == '|';
			s->inverted |= *p == '~';
		}
		s->kind = *p++;
		if (*p == 'w')
			s->registers = (u8)(sass_width(f) < 4 ? 1 : sass_width(f) / 4);
		else if (*p && *p != ' ')
			s->registers = (u8)(*p - '0');
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	return count;
}

/* Old disassemblers print SR_Tid_X, newer ones SR_TID.X. */
static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (tolower((u8)*a) != tolower((u8)*b) && !(strchr("._", *a) && strchr("._", *b)))
			return false;
	return !*a && !*b;
}

const char *sass_sreg(const char *name)
{
	static const char *const names[][2] = {
		{"SR_Tid_X", "%tid.x"},
		{"SR_Tid_Y", "%tid.y"},
		{"SR_Tid_Z", "%tid.z"},
		{"SR_CTAid_X", "%ctaid.x"},
		{"SR_CTAid_Y", "%ctaid.y"},
		{"SR_CTAid_Z", "%ctaid.z"},
		{"SR_NTid_X", "%ntid.x"},
		{"SR_NTid_Y", "%ntid.y"},
		{"SR_NTid_Z", "%ntid.z"},
		{"SR_NCTAid_X", "%nctaid.x"},
		{"SR_NCTAid_Y", "%nctaid.y"},
		{"SR_NCTAid_Z", "%nctaid.z"},
		{"SR_LaneId", "%laneid"},
		{"SR_EqMask", "%lanemask_eq"},
		{"SR_LtMask", "%lanemask_lt"},
		{"SR_LeMask", "%lanemask_le"},
		{"SR_GtMask", "%lanemask_gt"},
		{"SR_GeMask", "%lanemask_ge"},
		{"SR_SMemSz", "%total_smem_size"},
		{"SR_ClockLo", "%clock"},
		{"SR_ClockHi", "%clock_hi"},
		{"SR_GlobalTimerLo", "%globaltimer_lo"},
		{"SR_GlobalTimerHi", "%globaltimer_hi"},
	};

	for (u32 k = 0; k < COUNT_OF(names); k++)
		if (same_name(names[k][0], name))
			return names[k][1];
	return NULL;
}
