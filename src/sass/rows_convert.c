/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: conversions.
 */
#include "sass/encoding.h"

/* clang-format off */
static const struct sass_row rows[] = {
	ROW(F2F, 0x104, "1456", ALL, "75:3=1 84:3=4", ".ftz.realout.realin.round d, -|s.h1")
	ROW(F2F, 0x104, "1456", ALL, "75:3=1 84:3=2", ".ftz.realout.realin.round d, -|s.h1")
	ROW(F2F, 0x104, "1456", ALL, "75:3=2 84:3=4", ".ftz.realout.realin.round d, -|s.h1")
	ROW(F2F, 0x104, "1456", ALL, "75:3=4 84:3=1", ".ftz.realout.realin.round d, -|s.h1")
	ROW(F2F, 0x104, "1456", ALL, "75:3=4 84:3=2", ".ftz.realout.realin.round d, -|s.h1")
	ROW(F2F, 0x110, "1456", ALL, "75:3=1 84:3=3", ".ftz.realout.realin.round d, -|s.h1")
	ROW(F2F, 0x110, "1456", ALL, "75:3=2 84:3=3", ".ftz.realout.realin.round d, -|s.h1")
	ROW(F2F, 0x110, "1456", ALL, "75:3=4 84:3=3", ".ftz.realout.realin.round d, -|s.h1")
	ROW(F2F, 0x110, "1456", ALL, "75:3=3 84:3=1", ".ftz.realout.realin.round d, -|s.h1")
	ROW(F2F, 0x110, "1456", ALL, "75:3=3 84:3=2", ".ftz.realout.realin.round d, -|s.h1")
	ROW(F2F, 0x110, "1456", ALL, "75:3=3 84:3=4", ".ftz.realout.realin.round d, -|s.h1")
	ROW(F2I, 0x105, "1456", ALL, "84:3=1", ".ftz.int.realin32.roundint.ntz d, -|s.h1:f32")
	ROW(F2I, 0x105, "1456", ALL, "84:3=2", ".ftz.int.realin32.roundint.ntz d, -|s.h1:f32")
	ROW(F2I, 0x105, "1456", ALL, "84:3=4", ".ftz.int.realin32.roundint.ntz d, -|s.h1:f32")
	ROW(F2I, 0x111, "1456", ALL, "84:3=3", ".ftz.int64.realin32.roundint.ntz d, -|s.h1")
	ROW(F2I, 0x111, "1456", ALL, "75:2=3 84:3=1", ".ftz.int64.realin32.roundint.ntz d, -|s.h1")
	ROW(F2I, 0x111, "1456", ALL, "75:2=3 84:3=2", ".ftz.int64.realin32.roundint.ntz d, -|s.h1")
	ROW(F2I, 0x111, "1456", ALL, "75:2=3 84:3=4", ".ftz.int64.realin32.roundint.ntz d, -|s.h1")
	ROW(I2F, 0x106, "1456", ALL, "74=0 84:2!3", ".real32.intin.round d, s.bsel")
	ROW(I2F, 0x106, "1456", ALL, "74=1 84:2!3", ".real32.intin.round d, s.bsel:s")
	ROW(I2F, 0x112, "1456", ALL, "74=0 75:3=3 84:2!3", ".real.intin.round d, s.bsel")
	ROW(I2F, 0x112, "1456", ALL, "74=1 75:3=3 84:2!3", ".real.intin.round d, s.bsel:s")
	ROW(I2F, 0x112, "1456", ALL, "74=0 75:3=1 84:2=3", ".real.intin.round d, s.bsel")
	ROW(I2F, 0x112, "1456", ALL, "74=1 75:3=1 84:2=3", ".real.intin.round d, s.bsel:s")
	ROW(I2F, 0x112, "1456", ALL, "74=0 75:3=2 84:2=3", ".real.intin.round d, s.bsel")
	ROW(I2F, 0x112, "1456", ALL, "74=1 75:3=2 84:2=3", ".real.intin.round d, s.bsel:s")
	ROW(I2F, 0x112, "1456", ALL, "74=0 75:3=3 84:2=3", ".real.intin.round d, s.bsel")
	ROW(I2F, 0x112, "1456", ALL, "74=1 75:3=3 84:2=3", ".real.intin.round d, s.bsel:s")
	ROW(I2F, 0x112, "1456", ALL, "74=0 75:3=4 84:2=3", ".real.intin.round d, s.bsel")
	ROW(I2F, 0x112, "1456", ALL, "74=1 75:3=4 84:2=3", ".real.intin.round d, s.bsel:s")
	ROW(FRND, 0x107, "1456", ALL, "75:3=1 84:3=1", ".ftz.real.roundint d, -|s")
	ROW(FRND, 0x107, "1456", ALL, "75:3=2 84:3=2", ".ftz.real.roundint d, -|s")
	ROW(FRND, 0x107, "1456", ALL, "75:3=4 84:3=4", ".ftz.real.roundint d, -|s")
	ROW(FRND, 0x113, "1456", ALL, "", ".ftz.frnd64.roundint d, -|s")
	ROW(I2FP, 0x045, "1456", FROM(86), "", ".realpack.intpack.roundpack d, s")
	ROW(F2FP, 0x03e, "1", OF(80, 86), "78=0 72:3=0 82:4=0", ".satfinite.prelu.f2fpto80.PACK_AB.f2fpround d, a, b")
	ROW(F2FP, 0x03e, "1", OF(75, 86), "78=1 72:3=0 82:4=0", ".satfinite.prelu.f2fpto80.MERGE_C.f2fpround d, b, c")
	ROW(F2FP, 0x03e, "1", FROM(89), "89:2=0 78=0 72:3=0 82:4=0", ".satfinite.prelu.f2fpto.F32.PACK_AB.f2fpround d, a, b")
	ROW(F2FP, 0x03e, "1", FROM(89), "89:2=0 78=1 72:3=0 82:4=0", ".satfinite.prelu.f2fpto.F32.MERGE_C.f2fpround d, b, c")
	ROW(F2FP, 0x03e, "1", FROM(89), "89:2=2 78=1 72:3=0 82:4=0", ".satfinite.prelu.f2fpto.F32.PACK_AB_MERGE_C.f2fpround d, a, b, c")
	ROW(F2FP, 0x03e, "1", FROM(89), "89:2=1 78=1 72:3=0 82:4=0", ".satfinite.prelu.f2fpto.F32.PACK_B.f2fpround d, b")
	ROW(F2FP, 0x03e, "1", FROM(89), "89:2=1 78=0 74=1 72=0 82:4=0", ".satfinite.prelu.f2fpto.f2fpfrom8.UNPACK_B.f2fpround d, b.f2fph1")
	ROW(F2FP, 0x03e, "1", FROM(89), "89:2=2 78=0 72:3=2 82:4=0", ".satfinite.prelu.f2fpto.F16.UNPACK_B_MERGE_C.f2fpround d, b, c")
	ROW(I2I, 0x038, "1456", ALL, "", ".i2i.S32.SAT d, s")
	ROW(I2IP, 0x039, "1", TO(89), "78=0", ".i2ip.S32.SAT d, a, b, c.i2ip875")
	ROW(I2IP, 0x039, "1", TO(89), "78=1 77=1", ".i2ip.S32.SAT d, a, b, c.i2ip4")
	ROW(I2IP, 0x039, "1", TO(89), "78=1 77=0", ".i2ip.S32.SAT d, a, b, c.i2ip2")
	ROW(I2IP, 0x039, "1", FROM(90), "78=0", ".i2ip.S32.i2ipsat d, a, b, c.i2ip8")
	ROW(I2IP, 0x039, "1", FROM(90), "78=1 77=1", ".i2ip.S32.i2ipsat d, a, b, c.i2ip4")
	ROW(I2IP, 0x039, "1", FROM(90), "78=1 77=0", ".i2ip.S32.i2ipsat d, a, b, c.i2ip2")
	ROW(F2IP, 0x043, "1", FROM(86), "", ".f2ip.F32.roundip.f2ipntz.f2iprelu d, a, b, c.h1@72")
};
/* clang-format on */

SASS_ARITHMETIC_FAMILY(convert, rows);
