/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: the uniform datapath, one value for the warp.
 */
#include "sass/encoding.h"

/* clang-format off */
static const struct sass_row rows[] = {
	ROW(UMOV, 0x082, "4g", ALL, "", " ud, us")
	ROW(UMOV, 0x082, "6g", ALL, "", ".mov64 ud, us")
	ROW(UMOV, 0x082, "2gx", FROM(120), "", ".64 ud, #24:40+64:24")
	ROW(UP2UR, 0x083, "4u", FROM(90), "", ".byte ud, 'UPR', ua, us")
	ROW(UR2UP, 0x084, "4u", FROM(90), "32:8=255", " 'UPR', ua.byte")
	ROW(UR2UP, 0x084, "4u", FROM(90), "", " 'UPR', ua.byte, us")
	ROW(VOTEU, 0x086, "4", ALL, "16:6=63", ".vote upu, pp")
	ROW(VOTEU, 0x086, "4", ALL, "", ".vote ud, upu, pp")
	ROW(USEL, 0x087, "14u", ALL, "", " ud, ua, us, upp")
	ROW(USEL, 0x087, "6g", FROM(120), "", ".64 ud, ua, us, upp")
	ROW(UISETP, 0x08c, "14u", FROM(120), "72=0", ".icmp.itype64.bool upu, upv, ua, us:s, upp")
	ROW(UISETP, 0x08c, "14u", FROM(120), "72=1", ".icmp.itype64.bool.ex upu, upv, ua, us:s, upp, upr")
	ROW(UISETP, 0x08c, "14u", TO(119), "72=0", ".icmp.u32.bool upu, upv, ua, us:s, upp")
	ROW(UISETP, 0x08c, "14u", TO(119), "72=1", ".icmp.u32.bool.ex upu, upv, ua, us:s, upp, upr")
	ROW(UIADD3, 0x090, "14u", ALL, "74=0", " ud, upu?-, upv?-, -ua, -ub:s, -uc")
	ROW(UIADD3, 0x090, "14u", ALL, "74=1", ".x ud, upu?-, upv?-, -~ua, -~ub:s, -~uc, upp, upq")
	ROW(UIADD3, 0x097, "14u", FROM(90), "74=0", ".64 ud, upu?-, upv?-, -ua, -ub:s, -uc")
	ROW(UIADD3, 0x097, "14u", FROM(90), "74=1", ".64.x ud, upu?-, upv?-, -~ua, -~ub:s, -~uc, upp, upq")
	ROW(ULEA, 0x091, "14u", ALL, "74=0 80=0 73=0", " ud, upu?, -ua, -ub, #75:5")
	ROW(ULEA, 0x091, "14u", ALL, "74=0 80=1 73=0", ".hi ud, upu?, -ua, -ub, uc, #75:5")
	ROW(ULEA, 0x091, "14u", ALL, "74=0 80=1 73=1", ".hi.sx32 ud, upu?, -ua, -ub, #75:5")
	ROW(ULEA, 0x091, "14u", ALL, "74=1 80=0 73=0", ".x ud, upu?, -~ua, -~ub, #75:5, upp")
	ROW(ULEA, 0x091, "14u", ALL, "74=1 80=1 73=0", ".hi.x ud, upu?, -~ua, -~ub, uc, #75:5, upp")
	ROW(ULEA, 0x091, "14u", ALL, "74=1 80=1 73=1", ".hi.x.sx32 ud, upu?, -~ua, -~ub, #75:5, upp")
	ROW(ULOP3, 0x092, "14u", ALL, "81:3=7", ".LUT.pand ud, ua, ub, uc, #72:8, upp")
	ROW(ULOP3, 0x092, "14u", ALL, "",       ".LUT.pand upu, ud, ua, ub, uc, #72:8, upp")
	ROW(UPRMT, 0x096, "14u", ALL, "", ".uprmt ud, ua, ub, uc")
	ROW(USHF, 0x099, "124u", ALL, "", ".shift.wrap.shifttype.hi ud, ua, ub, uc")
	ROW(USGXT, 0x09a, "14u", ALL, "", ".wrap.u32 ud, ua, us")
	ROW(UPLOP3, 0x09c, "4g", ALL, "", ".LUT upu, upv, upp, upq, upr, #64:3+72:5, #16:8")
	ROW(UIMAD, 0x0a4, "124u", ALL, "74=0", ".u32 ud, ua, ub:s, -uc:s")
	ROW(UIMAD, 0x0a4, "124u", ALL, "74=1", ".u32.x ud, ua, ub:s, -~uc:s, upp")
	ROW(UIMAD, 0x0a5, "14u", ALL, "74=0", ".WIDE.u32 ud, upu?, ua, ub:s, -uc")
	ROW(UIMAD, 0x0a5, "14u", ALL, "74=1", ".WIDE.u32.x ud, upu?, ua, ub:s, -~uc, upp")
	ROW(UFLO, 0x0bd, "1u", ALL, "", ".u32.sh ud, upu?, -~us")
	ROW(UPOPC, 0x0bf, "1u", ALL, "", " ud, -~us")
	ROW(UFADD, 0x054, "12u", FROM(120), "81=0", ".ftz.round.sat ud, -|ua, -|uc:f32")
	ROW(UFHADD, 0x054, "1u", FROM(120), "81=1", ".bf16.round.sat ud, -|ua, -|uc:f32")
	ROW(UFFMA, 0x055, "124u", FROM(120), "81=0", ".fmz.round.sat ud, -|ua, -|ub:f32, -|uc:f32")
	ROW(UFHFMA, 0x055, "1u", FROM(120), "81=1", ".bf16.round.sat ud, -|ua, -|ub:f32, -|uc:f32")
	ROW(UFMUL, 0x056, "14u", FROM(120), "", ".fmz.scaleby.round.sat ud, -|ua, -|us:f32")
	ROW(UI2F, 0x05a, "14u", FROM(120), "", ".real.intin.round ud, us")
	ROW(UF2I, 0x05c, "14u", FROM(120), "", ".ftz.int.realin32.roundint.ntz ud, -|us:f32")
	ROW(UI2FP, 0x05e, "1u", FROM(120), "", ".realpack.intpack.roundpack ud, us")
	ROW(UVIMNMX, 0x04a, "14u", FROM(120), "", ".vtype.vrelu ud, ua, us:s, upp")
	ROW(UIMNMX, 0x085, "14u", FROM(120), "", ".mnmx64 upu, upv, ud, ua, us:s, upp, upq")
	ROW(USEL, 0x087, "2u", FROM(120), "", ".64 ud, ua, us:s, upp")
	ROW(UCGABAR_ARV, 0x1c7, "4u", FROM(90), "", "")
	ROW(UCGABAR_WAIT, 0x1c7, "6", FROM(90), "", "")
	ROW(USETMAXREG, 0x1c8, "4u", FROM(90), "72:2=1", ".dealloc.ctapool #32:32")
	ROW(USETMAXREG, 0x1c8, "4u", FROM(90), "72:2=2", ".dealloc.ctapool upu, #32:32")
	ROW(UVIRTCOUNT, 0x04c, "4gx", FROM(100), "", ".DEALLOC.SMPOOL #32:32")
};
/* clang-format on */

SASS_FAMILY(uniform, rows);
