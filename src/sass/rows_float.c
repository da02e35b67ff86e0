/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: f32 and f64 arithmetic and comparisons, special functions.
 */
#include "sass/encoding.h"

/* clang-format off */
static const struct sass_row rows[] = {
	ROW(FSWZADD, 0x022, "4", ALL, "40:24=0 72:5=0 81:10=0 92:13=0", ".ftz.round.ndv d, a, R@64, =swizzle")
	ROW(FSEL, 0x008, "1456", ALL, "", ".ftz d, -|a, -|s:f32, pp")
	ROW(FMNMX, 0x009, "1456", ALL, "65=0", ".ftz.nan.xorsign d, -|a, -|s:f32, pp")
	ROW(FMNMX, 0x009, "1456", ALL, "65=1", ".ftz.isa.nan.xorsign d, P@68, -|a, -|s:f32, pp")
	ROW(FMNMX3, 0x076, "146", FROM(100), "", ".ftz.nan.xorsign d, -|a, -|b:f32, -|c, pp")
	ROW(FSET, 0x00a, "1456", ALL, "", ".BF.fcmp.ftz.bool d, -|a, -|s:f32, pp")
	ROW(FSETP, 0x00b, "1456", ALL, "", ".fcmp.ftz.bool pu, pv, -|a, -|s:f32, pp")
	ROW(FMUL, 0x020, "1456", ALL, "", ".fmz.scaleby.round.sat d, -|a, -|s:f32")
	ROW(FADD, 0x021, "1237", ALL, "81=0", ".ftz.round.sat d, -|a, -|s:f32^124")
	ROW(FHADD, 0x021, "17", FROM(100), "81=1 83:2=0", ".bf16.round.sat d, -|a, -|s:f32")
	ROW(FFMA, 0x023, "1234567", ALL, "81=0", ".fmz.round.sat d, -|a, -|b:f32, -|c:f32")
	ROW(FHFMA, 0x023, "167", FROM(100), "81=1 83=0", ".bf16.round.sat d, -|a, -|b.h1@84:1:f32, -|c:f32")
	ROW(DMUL, 0x028, "1456", ALL, "", ".round d, -|a, -|s:f64")
	ROW(DADD, 0x029, "1237", ALL, "", ".round d, -|a, -|c:f64")
	ROW(DSETP, 0x02a, "1237", ALL, "", ".dcmp.bool pu, pv, -|a, -|s:f64^124, pp")
	ROW(DFMA, 0x02b, "1234567", ALL, "", ".round d, -|a, -|b:f64, -|c:f64")
	ROW(FCHK, 0x102, "1456", ALL, "", " pu, -|a, -|s:f32")
	ROW(MUFU, 0x108, "1456", TO(89), "74:4=6 72:2!3", ".mufu.mufutypeold d, -|s:f64")
	ROW(MUFU, 0x108, "1456", TO(89), "74:4=7 72:2!3", ".mufu.mufutypeold d, -|s:f64")
	ROW(MUFU, 0x108, "1456", TO(89), "72:2=0", ".mufu.mufutypeold d, -|s:f32")
	ROW(MUFU, 0x108, "1456", TO(89), "72:2!3", ".mufu.mufutypeold d, -|s.h1:f32")
	ROW(MUFU, 0x108, "1456", FROM(90), "74:4=6 72:2!3", ".mufu.mufutype d, -|s:f64")
	ROW(MUFU, 0x108, "1456", FROM(90), "74:4=7 72:2!3", ".mufu.mufutype d, -|s:f64")
	ROW(MUFU, 0x108, "1456", FROM(90), "72:2=0", ".mufu.mufutype d, -|s:f32")
	ROW(MUFU, 0x108, "1456", FROM(90), "72:2!3", ".mufu.mufutype d, -|s.h1:f32")
};
/* clang-format on */

SASS_ARITHMETIC_FAMILY(float, rows);
