/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: pairs of f16 and bf16.
 */
#include "sass/encoding.h"

/* clang-format off */
static const struct sass_row rows[] = {
	ROW(HADD2, 0x030, "1367", TO(89), "78=0", ".halftype.ftz.sat d, -|a.halff32, -|s.halff32@60:2^124")
	ROW(HADD2, 0x030, "2", TO(89), "78=0 85=0", ".halftype.ftz.sat d, -|a.halff32, s:f16")
	ROW(HADD2, 0x030, "2", TO(89), "78=0 85=1", ".halftype.ftz.sat d, -|a.halff32, s:bf16")
	ROW(HADD2, 0x030, "1367", TO(89), "78=1 85=0", ".halfout.ftz.sat d, -|a.halff32, -|s.halff32@60:2^124")
	ROW(HADD2, 0x030, "2", TO(89), "78=1 85=0", ".halfout.ftz.sat d, -|a.halff32, s:f16")
	ROW(HADD2, 0x030, "1367", FROM(90), "78=0", ".halftype.ftz.sat d, -|a.half, -|s.half@60:2^124")
	ROW(HADD2, 0x030, "2", FROM(90), "78=0 85=0", ".halftype.ftz.sat d, -|a.half, s:f16")
	ROW(HADD2, 0x030, "2", FROM(90), "78=0 85=1", ".halftype.ftz.sat d, -|a.half, s:bf16")
	ROW(HADD2, 0x030, "1367", FROM(90), "78=1 85=0", ".halfout.ftz.sat d, -a.half, -|s.half@60:2^124")
	ROW(HADD2, 0x030, "2", FROM(90), "78=1 85=0", ".halfout.ftz.sat d, -a.half, s:f16")
	ROW(HMUL2, 0x032, "156", TO(89), "78=1 85=0", ".halfout.fmz.sat d, -|a.half, -|s.half@60:2")
	ROW(HMUL2, 0x032, "4", TO(89), "78=1 85=0", ".halfout.fmz.sat d, -|a.half, s:f16")
	ROW(HMUL2, 0x032, "156", ALL, "", ".halftype4.fmz.sat d, -|a.half, -|s.half@60:2")
	ROW(HMUL2, 0x032, "4", ALL, "85=0", ".halftype4.fmz.sat d, -|a.half, s:f16")
	ROW(HMUL2, 0x032, "4", ALL, "85=1", ".halftype4.fmz.sat d, -|a.half, s:bf16")
	ROW(HFMA2, 0x031, "156", ALL, "79=0", ".halftype.halfout.fmzoob.sat d, -|a.half, -|b.halfnh1, -84|83c.half@81:2")
	ROW(HFMA2, 0x031, "156", ALL, "79=1 77=0", ".halftype.halfout.fmzoob.relu d, -|a.half, -|b.halfnh1, -84|83c.half@81:2, pp?")
	ROW(HFMA2, 0x031, "37", ALL, "79=0", ".halftype.halfout.fmzoob.sat d, -|a.half, -84|83b.halfnh1@81:2+86, -|c.half@60:2")
	ROW(HFMA2, 0x031, "37", ALL, "79=1 77=0", ".halftype.halfout.fmzoob.relu d, -|a.half, -84|83b.halfnh1@81:2+86, -|c.half@60:2, pp?")
	ROW(HFMA2, 0x031, "2", ALL, "85=0 79=0", ".halftype.halfout.fmzoob.sat d, -|a.half, -84|83b.halfnh1@81:2+86, c:f16")
	ROW(HFMA2, 0x031, "2", ALL, "85=0 79=1 77=0", ".halftype.halfout.fmzoob.relu d, -|a.half, -84|83b.halfnh1@81:2+86, c:f16, pp?")
	ROW(HFMA2, 0x031, "2", ALL, "85=1 79=0", ".halftype.halfout.fmzoob.sat d, -|a.half, -84|83b.halfnh1@81:2+86, c:bf16")
	ROW(HFMA2, 0x031, "2", ALL, "85=1 79=1 77=0", ".halftype.halfout.fmzoob.relu d, -|a.half, -84|83b.halfnh1@81:2+86, c:bf16, pp?")
	ROW(HFMA2, 0x031, "4", ALL, "85=0 79=0", ".halftype.halfout.fmzoob.sat d, -|a.half, b:f16, -84|83c.half@81:2")
	ROW(HFMA2, 0x031, "4", ALL, "85=0 79=1 77=0", ".halftype.halfout.fmzoob.relu d, -|a.half, b:f16, -84|83c.half@81:2, pp?")
	ROW(HFMA2, 0x031, "4", ALL, "85=1 79=0", ".halftype.halfout.fmzoob.sat d, -|a.half, b:bf16, -84|83c.half@81:2")
	ROW(HFMA2, 0x031, "4", ALL, "85=1 79=1 77=0", ".halftype.halfout.fmzoob.relu d, -|a.half, b:bf16, -84|83c.half@81:2, pp?")
	ROW(HFMA2, 0x035, "1456", OF(80, 90), "79=0 85=0", ".MMA.halftype4.fmz.sat d, -|a, -|b:f16, -84|83c:f16")
	ROW(HFMA2, 0x035, "2", OF(80, 90), "79=0 85=0", ".MMA.halftype4.fmz.sat d, -|a, -84|83b:f16, c:f16")
	ROW(HFMA2, 0x035, "37", OF(80, 90), "79=0 85=0", ".MMA.halftype4.fmz.sat d, -|a, -84|83b:f16, -|c:f16")
	ROW(HFMA2, 0x035, "1456", OF(80, 90), "79=0 85=1", ".MMA.halftype4.fmz.sat d, -|a, -|b:bf16, -84|83c:bf16")
	ROW(HFMA2, 0x035, "2", OF(80, 90), "79=0 85=1", ".MMA.halftype4.fmz.sat d, -|a, -84|83b:bf16, c:bf16")
	ROW(HFMA2, 0x035, "37", OF(80, 90), "79=0 85=1", ".MMA.halftype4.fmz.sat d, -|a, -84|83b:bf16, -|c:bf16")
	ROW(HFMA2, 0x035, "1456", OF(80, 90), "79=1 77=0 85=0", ".MMA.halftype4.fmz.relu d, -|a, -|b:f16, -84|83c:f16, pp?")
	ROW(HFMA2, 0x035, "2", OF(80, 90), "79=1 77=0 85=0", ".MMA.halftype4.fmz.relu d, -|a, -84|83b:f16, c:f16, pp?")
	ROW(HFMA2, 0x035, "37", OF(80, 90), "79=1 77=0 85=0", ".MMA.halftype4.fmz.relu d, -|a, -84|83b:f16, -|c:f16, pp?")
	ROW(HFMA2, 0x035, "1456", OF(80, 90), "79=1 77=0 85=1", ".MMA.halftype4.fmz.relu d, -|a, -|b:bf16, -84|83c:bf16, pp?")
	ROW(HFMA2, 0x035, "2", OF(80, 90), "79=1 77=0 85=1", ".MMA.halftype4.fmz.relu d, -|a, -84|83b:bf16, c:bf16, pp?")
	ROW(HFMA2, 0x035, "37", OF(80, 90), "79=1 77=0 85=1", ".MMA.halftype4.fmz.relu d, -|a, -84|83b:bf16, -|c:bf16, pp?")
	ROW(HSET2, 0x033, "1367", ALL, "", ".halftype2.bf.fcmp.ftz.bool@69:2 d, -|a.half, -|s.half@60:2^124, pp")
	ROW(HSET2, 0x033, "2", ALL, "65=0", ".halftype2.bf.fcmp.ftz.bool@69:2 d, -|a.half, s:f16, pp")
	ROW(HSET2, 0x033, "2", ALL, "65=1", ".halftype2.bf.fcmp.ftz.bool@69:2 d, -|a.half, s:bf16, pp")
	ROW(HSETP2, 0x034, "137", ALL, "", ".halftype2.fcmp.hand.ftz.bool@69:2 pu, pv, -|a.half, -|s.half@60:2^124, pp")
	ROW(HSETP2, 0x034, "2", ALL, "65=0", ".halftype2.fcmp.hand.ftz.bool@69:2 pu, pv, -|a.half, s:f16, pp")
	ROW(HSETP2, 0x034, "2", ALL, "65=1", ".halftype2.fcmp.hand.ftz.bool@69:2 pu, pv, -|a.half, s:bf16, pp")
	ROW(HMNMX2, 0x040, "156", FROM(80), "65=0", ".halftype4.ftz.nan.xorsign d, -|a.half, -|s.half@60:2, pp")
	ROW(HMNMX2, 0x040, "4", FROM(80), "65=0 85=0", ".halftype4.ftz.nan.xorsign d, -|a.half, s:f16, pp")
	ROW(HMNMX2, 0x040, "4", FROM(80), "65=0 85=1", ".halftype4.ftz.nan.xorsign d, -|a.half, s:bf16, pp")
	ROW(HMNMX2, 0x040, "1", FROM(80), "65=1", ".halftype4.ftz.isa.nan.xorsign d, P@68, P@84, -|a.half, -|s.half@60:2, pp")
	ROW(VHMNMX, 0x047, "156", OF(90, 119), "", ".halftype4.ftz.nan.xorsign d, -|a.half, -|b.half@60:2, -84|83c.half@76:2, pp")
	ROW(VHMNMX, 0x047, "4", OF(90, 119), "85=0", ".halftype4.ftz.nan.xorsign d, -|a.half, b:f16, -84|83c.half@76:2, pp")
	ROW(VHMNMX, 0x047, "4", OF(90, 119), "85=1", ".halftype4.ftz.nan.xorsign d, -|a.half, b:bf16, -84|83c.half@76:2, pp")
};
/* clang-format on */

SASS_ARITHMETIC_FAMILY(half, rows);
