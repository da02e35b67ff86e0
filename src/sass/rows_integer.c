/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: integer arithmetic, logic, shifts and comparisons.
 */
#include "sass/encoding.h"

/* clang-format off */
static const struct sass_row rows[] = {
	ROW(ISETP, 0x00c, "1456", FROM(120), "72=0", ".icmp.itype64.bool pu, pv, a, s:s, pp")
	ROW(ISETP, 0x00c, "1456", FROM(120), "72=1", ".icmp.itype64.bool.ex pu, pv, a, s:s, pp, pr")
	ROW(ISETP, 0x00c, "1456", TO(79), "72=0", ".icmp.u32.bool pu, pv, a, s:s, pp, pr?")
	ROW(ISETP, 0x00c, "1456", OF(80, 119), "72=0", ".icmp.u32.bool pu, pv, a, s:s, pp")
	ROW(ISETP, 0x00c, "1456", TO(79), "72=1", ".icmp.u32.bool.ex pu, pv, a, s:s, pp, pr?")
	ROW(ISETP, 0x00c, "1456", OF(80, 119), "72=1", ".icmp.u32.bool.ex pu, pv, a, s:s, pp, pr")
	ROW(IADD3, 0x010, "1234567", ALL, "74=0", " d, pu?-, pv?-, -a, -b:s, -c")
	ROW(IADD3, 0x010, "1234567", ALL, "74=1", ".x d, pu?-, pv?-, -~a, -~b:s, -~c, pp, pq")
	ROW(IADD, 0x035, "146", FROM(120), "74=0", ".b64 d, pu?, -a, -s:s")
	ROW(IADD, 0x035, "146", FROM(120), "74=1", ".b64.x d, pu?, -~a, -~s:s, pp")
	ROW(LEA, 0x011, "1234567", ALL, "74=0 80=0 73=0", " d, pu?, -a, -b, #75:5")
	ROW(LEA, 0x011, "1234567", ALL, "74=0 80=1 73=0", ".hi d, pu?, -a, -b, c, #75:5")
	ROW(LEA, 0x011, "1234567", ALL, "74=0 80=1 73=1", ".hi.sx32 d, pu?, -a, -b, #75:5")
	ROW(LEA, 0x011, "1234567", ALL, "74=1 80=0 73=0", ".x d, pu?, -~a, -~b, #75:5, pp")
	ROW(LEA, 0x011, "1234567", ALL, "74=1 80=1 73=0", ".hi.x d, pu?, -~a, -~b, c, #75:5, pp")
	ROW(LEA, 0x011, "1234567", ALL, "74=1 80=1 73=1", ".hi.x.sx32 d, pu?, -~a, -~b, #75:5, pp")
	ROW(LOP3, 0x012, "1234567", ALL, "81:3=7", ".LUT.pand d, a, b, c, #72:8, pp")
	ROW(LOP3, 0x012, "1234567", ALL, "",       ".LUT.pand pu, d, a, b, c, #72:8, pp")
	ROW(IABS, 0x013, "1456", ALL, "", " d, s:s")
	ROW(VABSDIFF, 0x014, "1234567", ALL, "", ".u32 d, pu?, a, b, c")
	ROW(VABSDIFF4, 0x015, "1234567", ALL, "", ".u8.acc d, pu?, a, b, c")
	ROW(IMNMX, 0x017, "1456", TO(119), "", ".u32 d, a, s:s, pp")
	ROW(IMNMX, 0x017, "1456", FROM(120), "", ".mnmx64 pu, pv, d, a, s:s, pp, pq")
	ROW(SHF, 0x019, "1234567", ALL, "", ".shift.wrap.shifttype.hi d, a, b, c")
	ROW(SGXT, 0x01a, "1456", ALL, "", ".wrap.u32 d, a, s")
	ROW(BMSK, 0x01b, "1456", ALL, "", ".wrap d, a, s")
	ROW(IMAD, 0x024, "1", ALL, "74=0 24:8=255 32:8=255", ".MOV.u32 d, a, b:s, -c:s")
	ROW(IMAD, 0x024, "23", ALL, "74=0 24:8=255 64:8=255", ".MOV.u32 d, a, b:s, -c:s")
	ROW(IMAD, 0x024, "4", ALL, "74=0 32:32=1", ".IADD.u32 d, a, b:s, -c:s")
	ROW(IMAD, 0x024, "4", ALL, "74=0 63=0 64:8=255 73=1 32^", ".SHL.u32 d, a, b:s, -c:s")
	ROW(IMAD, 0x024, "4", ALL, "74=0 63=0 64:8=255 73=0 48=0 32^", ".SHL.u32 d, a, b:s, -c:s")
	ROW(IMAD, 0x024, "1234567", ALL, "74=0", ".u32 d, a, b:s, -c:s")
	ROW(IMAD, 0x024, "1234567", ALL, "74=1", ".u32.x d, a, b:s, -~c:s, pp")
	ROW(IMAD, 0x025, "1234567", ALL, "74=0", ".WIDE.u32 d, pu?, a, b:s, -c")
	ROW(IMAD, 0x025, "1234567", ALL, "74=1", ".WIDE.u32.x d, pu?, a, b:s, -~c, pp")
	ROW(IMAD, 0x027, "1234567", ALL, "74=0", ".HI.u32 d, pu?, a, b:s, -c")
	ROW(IMAD, 0x027, "1234567", ALL, "74=1", ".HI.u32.x d, pu?, a, b:s, -~c, pp")
	ROW(IDP, 0x026, "1456", ALL, "76:2=0", ".dp.dp8a.dp8b d, a, b, -c")
	ROW(IDP, 0x026, "1456", ALL, "76=1", ".dp.dp16a.dp8b d, a, b, -c")
	ROW(VIADD, 0x036, "1456", OF(90, 119), "", ".vadd d, a, -s")
	ROW(VIADD, 0x036, "1456", FROM(120), "", ".vaddwide.isat d, -a, -s")
	ROW(VIADDMNMX, 0x046, "1234567", FROM(90), "", ".x2.vrelu d, a, -b, c, pp")
	ROW(VIMNMX, 0x048, "1456", OF(90, 99), "73=1", ".x2.vrelu d, pu?, pv?, a, s:s, pp")
	ROW(VIMNMX, 0x048, "1456", OF(90, 99), "", ".x2.vrelu d, pu?*, pv?*, a, s:s, pp")
	ROW(VIMNMX, 0x048, "1456", OF(100, 119), "", ".x2.vrelu d, pu, pv, a, s:s, pp")
	ROW(VIMNMX, 0x048, "1456", FROM(120), "", ".vtype.vrelu d, pu?*, pv?*, a, s:s, pp")
	ROW(VIMNMX3, 0x00f, "1456", FROM(90), "", ".x2.vrelu d, a, b, c, pp")
	ROW(FLO, 0x100, "1456", ALL, "", ".u32.sh d, pu?, -~s")
	ROW(BREV, 0x101, "1456", ALL, "", " d, s")
	ROW(POPC, 0x109, "1456", ALL, "", " d, -~s")
};
/* clang-format on */

SASS_ARITHMETIC_FAMILY(integer, rows);
