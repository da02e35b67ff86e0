/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: moves, selections, predicates, votes, special registers.
 */
#include "sass/encoding.h"

/* clang-format off */
static const struct sass_row rows[] = {
	ROW(MOV, 0x002, "1456", TO(119), "72:4=15", " d, s")
	ROW(MOV, 0x002, "1456", FROM(120), "72:4=15", ".mov64 d, s")
	ROW(MOV, 0x002, "2", FROM(120), "", ".64 d, #24:40+64:24")
	ROW(MOV, 0x002, "1456", ALL, "",        " d, s, #72:4")
	ROW(P2R, 0x003, "1456", ALL, "", ".byte d, 'PR', a, s")
	ROW(R2P, 0x004, "1456", ALL, "", " 'PR', a.byte, s")
	ROW(CS2R, 0x005, "4", ALL, "", ".cs2r d, sreg")
	ROW(VOTE, 0x006, "4", ALL, "16:8=255", ".vote pu?, pp")
	ROW(VOTE, 0x006, "4", ALL, "",         ".vote d, pu, pp")
	ROW(SEL, 0x007, "1456", ALL, "", " d, a, s, pp")
	ROW(SEL, 0x007, "2", FROM(120), "", ".64 d, a, s:s, pp")
	ROW(SEL, 0x007, "3", FROM(120), "", ".64 d, a, R@32, pp")
	ROW(SEL, 0x007, "7", FROM(120), "", ".64 d, a, UR@32, pp")
	ROW(PRMT, 0x016, "1234567", ALL, "", ".prmt d, a, b, c")
	ROW(PLOP3, 0x01c, "4", ALL, "67=0", ".LUT pu, pv, pp, pq, pr, #64:3+72:5, #16:8")
	ROW(PLOP3, 0x01c, "4", ALL, "67=1", ".LUT pu, pv, pp, pq, upr, #64:3+72:5, #16:8")
	ROW(PLOP3, 0x01f, "3567", ALL, "", ".LUT pu, pv, a.sign, b.sign, c.sign, #72:8, '0x0'")
	ROW(PLOP3, 0x01f, "1", ALL, "", ".LUT pu, pv, a.sign, b.sign, c.sign, #72:8, #40:8")
	ROW(S2R, 0x119, "4", ALL, "", " d, sreg")
	ROW(SHFL, 0x189, "1", ALL, "", ".shfl pu, d, a, b, c")
	ROW(SHFL, 0x189, "2", ALL, "", ".shfl pu, d, a, R@32, #40:13")
	ROW(SHFL, 0x189, "4", ALL, "", ".shfl pu, d, a, #53:5, R@64")
	ROW(SHFL, 0x189, "7", ALL, "91=0", ".shfl pu, d, a, #53:5, #40:13")
	ROW(MATCH, 0x1a1, "1", ALL, "79=1", ".match.u64 d, a")
	ROW(MATCH, 0x1a1, "1", ALL, "79=0", ".match.u64 pu, d, a")
	ROW(REDUX, 0x1c4, "1", FROM(80), "", ".redux.s32 UR@16, a")
	ROW(R2UR, 0x1c2, "1", TO(89), "", " pu?, UR@16, a")
	ROW(R2UR, 0x0ca, "1", FROM(100), "84=0 86:2!3", ".fill pu?, UR@16, a")
	ROW(R2UR, 0x0ca, "1", OF(90, 99), "84=0", " pu?, UR@16, a")
	ROW(R2UR, 0x0ca, "1", FROM(90), "84=1", ".OR pu, UR@16, a")
	ROW(S2UR, 0x1c3, "4g", ALL, "", " UR@16, sreg")
	ROW(CS2UR, 0x0cb, "4gx", FROM(120), "", ".cs2r UR@16, sreg")
	ROW(CREDUX, 0x0cc, "1g", FROM(100), "", ".creduxop.creduxtype.creduxnan UR@16, a")
	ROW(ELECT, 0x02f, "4", FROM(90), "91=0", " pu, UR@16, pp")
	ROW(NOP, 0x118, "4", ALL, "", "")
	ROW(PMTRIG, 0x001, "4", ALL, "", " pp?, #32:32")
};
/* clang-format on */

SASS_ARITHMETIC_FAMILY(move, rows);
