/* SPDX-License-Identifier: Apache-2.0
 *
 * The lists of sass/modifiers.h as tables, and the names of special registers.
 */
#include "sass/encoding.h"

#define X(name, text, bits, ...) static const char *const words_##name[] = {__VA_ARGS__};
SASS_MODIFIER_LISTS(X)
#undef X

const struct sass_modifier_list sass_modifier_lists[MOD_COUNT] = {[MOD_NONE] = {"", "", NULL, 0},
#define X(name, text, bits, ...) [MOD_##name] = {text, bits, words_##name, COUNT_OF(words_##name)},
								  SASS_MODIFIER_LISTS(X)
#undef X
};

static const struct {
	u8 number;
	const char *name;
} specials[] = {
	{0, "SR_LANEID"},
	{1, "SR_CLOCK"},
	{2, "SR_VIRTCFG"},
	{3, "SR_VIRTID"},
	{15, "SR_ORDERING_TICKET"},
	{16, "SR_PRIM_TYPE"},
	{32, "SR_TID"},
	{33, "SR_TID.X"},
	{34, "SR_TID.Y"},
	{35, "SR_TID.Z"},
	{37, "SR_CTAID.X"},
	{38, "SR_CTAID.Y"},
	{39, "SR_CTAID.Z"},
	{41, "SR_CirQueueIncrMinusOne"},
	{45, "SR_MULTIPASSSHADERINFO"},
	{46, "SR_LWINHI"},
	{47, "SR_SWINHI"},
	{49, "SR_SWINSZ"},
	{50, "SR_SMEMSZ"},
	{53, "SR_LWINSZ"},
	{55, "SR_LMEMHIOFF"},
	{56, "SR_EQMASK"},
	{57, "SR_LTMASK"},
	{58, "SR_LEMASK"},
	{59, "SR_GTMASK"},
	{60, "SR_GEMASK"},
	{64, "SR_GLOBALERRORSTATUS"},
	{67, "SR_VIRTUALSMID"},
	{80, "SR_CLOCKLO"},
	{81, "SR_CLOCKHI"},
	{82, "SR_GLOBALTIMERLO"},
	{84, "SR_ESR_PC"},
	{97, "SR_CIRCULARQUEUEENTRYINDEX"},
	{100, "SR_PM0"},
	{101, "SR_PM_HI0"},
	{111, "SR_PM_HI5"},
	{112, "SR_PM6"},
	{127, "SR_SNAP_PM_HI5"},
	{136, "SR_CgaCtaId"},
	{138, "SR_CgaSize"},
	{255, "SRZ"},
};

const char *sass_special_name(u32 number)
{
	for (u32 k = 0; k < COUNT_OF(specials); k++)
		if (specials[k].number == number)
			return specials[k].name;
	return NULL;
}
