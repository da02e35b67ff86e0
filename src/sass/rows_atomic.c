/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: atomic operations and reductions.
 */
#include "sass/encoding.h"

/* clang-format off */
static const struct sass_row rows[] = {
	ROW(ATOM, 0x18a, "1", TO(79),       "", ".e.atom.cache.atomtype75.order75.scope75.private75 pu, d, [a], R@32")
	ROW(ATOM, 0x18a, "1", OF(80, 89),   "", ".e.atom.cache.atomtype80.atomorder pu, d, [a], R@32")
	ROW(ATOM, 0x18a, "1", FROM(90),     "", ".e.atom.cache.atomtype.atomorder pu, d, [a], R@32")
	ROW(ATOM, 0x18a, "4x", TO(79),      "91=1", ".e.atom.cache.atomtype75.order75.scope75.private75 pu, d, [t+64], R@32")
	ROW(ATOM, 0x18a, "4x", OF(80, 89),  "91=1 70=1", ".ewide.atom.cache.atomtype80.atomorder pu, d, [t+64], R@32")
	ROW(ATOM, 0x18a, "4x", OF(80, 89),  "91=1", ".e.atom.cache.atomtype80.atomorder pu, d, [t+64], R@32")
	ROW(ATOM, 0x18a, "7", OF(80, 89),   "", ".e.ARRIVE.cache.atomtype80.atomorder pu, d, [u64]")
	ROW(ATOM, 0x18a, "4x", OF(90, 99),    "91=1 70=1", ".ewide.atom.cache.atomtype.atomorder pu, d, [t+64], R@32")
	ROW(ATOM, 0x18a, "4x", FROM(100),    "91=1 76=1 24:8!255", ".ewide.atom.cache.atomtype.atomorder pu, d, [t100+64], R@32")
	ROW(ATOM, 0x18a, "4x", OF(90, 99),    "91=1", ".e.atom.cache.atomtype.atomorder pu, d, [t+64], R@32")
	ROW(ATOM, 0x18a, "4x", FROM(100),    "91=1 76=0", ".e.atom.cache.atomtype.atomorder pu, d, [t100+64], R@32")
	ROW(ATOM, 0x18b, "1", TO(79),       "87=0", ".e.CAS.cache.castype.order75.scope75.private75 pu, d, [a], R@32, R@64")
	ROW(ATOM, 0x18b, "1", FROM(80),     "87=0", ".e.CAS.cache.castype.atomorder pu, d, [a], R@32, R@64")
	ROW(ATOM, 0x18b, "1", TO(79),       "", ".e.cas.spin.cache.castype.order75.scope75.private75 pu, d, [a], R@32, R@64")
	ROW(ATOM, 0x18b, "1", FROM(80),     "", ".e.cas.spin.cache.castype.atomorder pu, d, [a], R@32, R@64")
	ROW(ATOM, 0x1a2, "1", FROM(90),     "", ".e.atomfloatop@88:2.cache.atomreal.atomorder pu, d, [a], R@32")
	ROW(ATOM, 0x1a2, "4x", OF(90, 99),    "91=1", ".e.atomfloatop@88:2.cache.atomreal.atomorder pu, d, [t+64], R@32")
	ROW(ATOM, 0x1a2, "4x", FROM(100),    "91=1 90=1 24:8!255", ".e.atomfloatop@88:2.cache.atomreal.atomorder pu, d, [f100+64], R@32")
	ROW(ATOM, 0x1a2, "4x", FROM(100),    "91=1 90=0", ".e.atomfloatop@88:2.cache.atomreal.atomorder pu, d, [f100+64], R@32")
	ROW(ATOMG, 0x1a3, "4x", OF(90, 99),   "91=1", ".ewide.atomfloatop@88:2.cache.atomreal.atomorder pu, d, [t+64], R@32")
	ROW(ATOMG, 0x1a3, "4x", FROM(100),   "91=1", ".ewide.atomfloatop@88:2.cache.atomreal.atomorder pu, d, [f100+64], R@32")
	ROW(ATOMG, 0x1a8, "1", TO(79),      "", ".e.atomg.cache.atomtype75.order75.scope75.private75 pu, d, [a], R@32")
	ROW(ATOMG, 0x1a8, "1", FROM(80),    "", ".e.atomg.cache.atomtype.atomorder pu, d, [a], R@32")
	ROW(ATOMG, 0x1a8, "4x", TO(79),     "91=1", ".e.atomg.cache.atomtype75.order75.scope75.private75 pu, d, [t+64], R@32")
	ROW(ATOMG, 0x1a8, "4x", OF(80, 89), "91=1", ".ewide.atomg.cache.atomtype80.atomorder pu, d, [t+64], R@32")
	ROW(ATOMG, 0x1a8, "4x", OF(90, 99),   "91=1", ".ewide.atomg.cache.atomtype.atomorder pu, d, [t+64], R@32")
	ROW(ATOMG, 0x1a8, "4x", FROM(100),   "91=1", ".ewide.atomg.cache.atomtype.atomorder pu, d, [t100+64], R@32")
	ROW(ATOMG, 0x1a9, "1", TO(79),      "", ".e.CAS.cache.castype.order75.scope75.private75 pu, d, [a], R@32, R@64")
	ROW(ATOMG, 0x1a9, "1", FROM(80),    "", ".e.CAS.cache.castype.atomorder pu, d, [a], R@32, R@64")
	ROW(RED, 0x18e, "4x", TO(79),       "", ".e.atom3.cache.atomtype75.order75.scope75.private75 [r+64], R@32")
	ROW(RED, 0x18e, "4x", OF(80, 89),   "", ".e.atom3.cache.atomtype80.atomorder [r+64], R@32")
	ROW(REDG, 0x18e, "4x", OF(90, 99),    "", ".ewide.atom3.cache.atomtype.atomorder [r+64], R@32")
	ROW(REDG, 0x18e, "4x", FROM(100),    "", ".ewide.atom3.cache.atomtype.atomorder [r100+64], R@32")
	ROW(REDG, 0x1a6, "4x", OF(90, 99),    "", ".ewide.atomfloatop@88:2.cache.atomreal.atomorder [r+64], R@32")
	ROW(REDG, 0x1a6, "4x", FROM(100),    "", ".ewide.atomfloatop@88:2.cache.atomreal.atomorder [r100+64], R@32")
	ROW(ATOMS, 0x18c, "1", ALL,         "", ".atom.castype d, [x], R@32")
	ROW(ATOMS, 0x18c, "4x", ALL,        "91=1", ".atom.castype d, [x+64], R@32")
	ROW(ATOMS, 0x18c, "7", OF(80, 89),  "87:4=9", ".popcinc.arrivetype d, [xu+64]")
	ROW(ATOMS, 0x18c, "7", OF(80, 89),  "87:4=10", ".popcinc.arrivetype d, [xu+64]")
	ROW(ATOMS, 0x18c, "7", FROM(90),    "87:4=10", ".popcinc90.arrivetype d, [xu+64]")
	ROW(ATOMS, 0x18c, "7", FROM(90),    "87:4=11", ".popcinc90.arrivetype d, [xu+64]")
	ROW(ATOMS, 0x18d, "1", ALL,         "87=0", ".CAS.castype d, [x], R@32, R@64")
	ROW(ATOMS, 0x18d, "1", ALL,         "87=1", ".cas.spin.castype d, [x], R@32, R@64")
	ROW(ATOMS, 0x18d, "2", FROM(100),   "", ".cast.spin.castype pu, [x], R@32, R@64")
	ROW(REDAS, 0x1be, "6x", FROM(90),   "", ".atom.redastype [w72+64], R@32")
	ROW(STAS, 0x1bd, "6x", FROM(90),    "", ".stassize [w+64], R@32")
};
/* clang-format on */

SASS_FAMILY(atomic, rows);
