/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: loads, stores, constants, matrices in shared memory, cache control.
 */
#include "sass/encoding.h"

/* clang-format off */
static const struct sass_row rows[] = {
	ROW(LD,  0x180, "4x", TO(79),        "91=0 87=0", ".e.cache.ltc.size75.order75.scope75.private75 d, [a:32], Pi@64?")
	ROW(LD,  0x180, "4x", TO(79),        "87=1", ".e.cache.ltc.size75.order75.scope75.private75.zd pu, d, [g+32], Pi@64?")
	ROW(LD,  0x180, "4x", TO(79),        "",     ".e.cache.ltc.size75.order75.scope75.private75.zd d, [g+32], Pi@64?")
	ROW(LD,  0x180, "4x", FROM(80),      "91=0", ".e.cache.ltc.size.order d, [a:32], Pi@64?")
	ROW(LD,  0x180, "4x", FROM(80),      "91=1 90=1", ".ewide.cache.ltc.size.order d, [g+32], Pi@64?")
	ROW(LD,  0x180, "4x", FROM(80),      "",     ".e.cache.ltc.size.order d, [g+32], Pi@64?")
	ROW(LDG, 0x181, "1x", TO(79),        "",     ".e.cache.ltc.size75.order75.scope75.private75.zd pu?, d, [a], Pi@64?")
	ROW(LDG, 0x181, "1x", FROM(80),      "",     ".e.cache.ltc.size.order pu?, d, [a], Pi@64?")
	ROW(LDG, 0x181, "4x", TO(79),        "",     ".e.cache.ltc.size75.order75.scope75.private75.zd pu?, d, [g+32], Pi@64?")
	ROW(LDG, 0x181, "4x", FROM(80),      "90=1", ".ewide.cache.ltc.size.order pu?, d, [g+32], Pi@64?")
	ROW(LDG, 0x181, "4x", FROM(80),      "",     ".e.cache.ltc.size.order pu?, d, [g+32], Pi@64?")
	ROW(LDG, 0x17e, "4x", FROM(100),     "",     ".E.ENL2.256 R@64, d, [g+32], #32:8?")
	ROW(ST,  0x185, "1", TO(79),         "",     ".e.cache.size75.order75.scope75.private75 [a:32], R@64")
	ROW(ST,  0x185, "1", FROM(80),       "",     ".e.cache.size.order [a:32], R@64")
	ROW(ST,  0x185, "4x", TO(79),        "",     ".e.cache.size75.order75.scope75.private75 [g+64], R@32")
	ROW(ST,  0x185, "4x", FROM(80),      "91=1 90=1", ".ewide.cache.size.order [g+64], R@32")
	ROW(ST,  0x185, "4x", FROM(80),      "",     ".e.cache.size.order [g+64], R@32")
	ROW(STG, 0x186, "1", TO(79),         "",     ".e.cache.size75.order75.scope75.private75 [a], R@32")
	ROW(STG, 0x186, "4x", TO(79),        "",     ".e.cache.size75.order75.scope75.private75 [g+64], R@32")
	ROW(STG, 0x186, "4x", FROM(80),      "91=1 90=1", ".ewide.cache.size.order [g+64], R@32")
	ROW(STG, 0x186, "4x", FROM(80),      "",     ".e.cache.size.order [g+64], R@32")
	ROW(STG, 0x17f, "4x", FROM(100),     "",     ".E.ENL2.256 [g+64], d, R@32")
	ROW(LDL, 0x183, "4x", ALL,           "",     ".cache.size d, [a+32]")
	ROW(STL, 0x187, "1", ALL,            "",     ".cache.size [a], R@32")
	ROW(STL, 0x187, "4x", FROM(90),      "",     ".cache.size [a+64], R@32")
	ROW(LDS, 0x184, "4x", TO(79),        "87=1", ".u.sizeq.zd pu, d, [x+32]")
	ROW(LDS, 0x184, "4x", TO(79),        "",     ".u.sizeq.zd d, [x+32]")
	ROW(LDS, 0x184, "4x", FROM(80),      "",     ".sizeq d, [x+32]")
	ROW(STS, 0x188, "1", ALL,            "",     ".size [x], R@32")
	ROW(STS, 0x188, "4x", ALL,           "",     ".size [x+64], R@32")
	ROW(LDC, 0x182, "5", ALL,            "",     ".ldcsize.ldcmode d, const+a")
	ROW(LDCU, 0x1ac, "3u", FROM(100),    "",     ".size.unpack UR@16, const+u")
	ROW(ULDC, 0x0b9, "5gx", TO(90),      "",     ".size ud, const")
	ROW(ULDC, 0x0bb, "5gx", TO(90),      "",     ".size ud, const+u")
	ROW(LDSM, 0x03b, "4x", TO(99),       "",     ".16.ldsmtype.ldsmcount d, [a+32]")
	ROW(LDSM, 0x03b, "4x", FROM(100),    "",     ".16.ldsmtype.ldsmcount d, [a+32]")
	ROW(STSM, 0x044, "4x", OF(90, 99),   "",     ".stsmbits90.ldsmtype.ldsmcount [a+64], R@32")
	ROW(STSM, 0x044, "4x", FROM(100),    "",     ".stsmbits.stsmtype.ldsmcount [a+64], R@32")
	ROW(LDGSTS, 0x1ae, "7x", FROM(100),  "",     ".e@83.bypass.cache.ltc@72:2.ldgsts100.zfill [copy16], [copy+64], pp?")
	ROW(LDGSTS, 0x1ae, "7x", OF(80, 99), "",     ".e@70.bypass.cache.ltc@71:2.ldgstssize.zfill [copy16], [copy+64], pp?")
	ROW(LDGDEPBAR, 0x1af, "4", FROM(80), "",     "")
	ROW(CCTL, 0x18f, "4", ALL,           "87:3=4", ".cctlcache.cctl")
	ROW(CCTL, 0x18f, "4", ALL,           "87:3=6", ".cctlcache.cctl")
	ROW(CCTL, 0x18f, "4", ALL,           "87:4=7", ".cctlcache.cctl")
	ROW(CCTL, 0x18f, "4", ALL,           "",     ".e.cctlcache.cctl [a]")
	ROW(CCTL, 0x140, "2u", FROM(100),    "",     ".E.cctlcache.LDCU.cctl.DEEP [u24.]")
	ROW(CCTLL, 0x190, "4", FROM(90),     "",     ".cctl [a]")
	ROW(MEMBAR, 0x192, "4", ALL,         "",     ".membar.membarscope.membarasync")
	ROW(ERRBAR, 0x1ab, "4", ALL,         "",     "")
	ROW(CGAERRBAR, 0x1ab, "2", FROM(90), "",     "")
	ROW(QSPC, 0x1aa, "1", ALL,           "",     ".e.qspc pu, d, [a]")
	ROW(QSPC, 0x1aa, "4x", ALL,          "",     ".e.qspc pu, d, [g+32]")
};
/* clang-format on */

SASS_FAMILY(memory, rows);
