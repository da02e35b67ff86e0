/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: matrix products.
 */
#include "sass/encoding.h"

/* clang-format off */
static const struct sass_row rows[] = {
	ROW(MOVM, 0x03a, "1", TO(99), "", ".16.movm d, a")
	ROW(MOVM, 0x03a, "1", FROM(100), "", ".movmtype.movm d, a")
	ROW(HMMA, 0x036, "1", TO(79), "76=1", ".884.f16f32.f16f32@78.step.satfinitemma d, a.rowcol, b.colrow, c")
	ROW(HMMA, 0x036, "1", TO(79), "76=0", ".884.f16f32.f16f32@78.step2.satfinitemma d, a.rowcol, b.colrow, c")
	ROW(HMMA, 0x03c, "1", TO(79), "", ".hmmashape.f16f32.satfinitemma d, -a, -b, c")
	ROW(HMMA, 0x03c, "1", FROM(80), "73=0", ".hmmashape.f16f32.hmmatype d, -a, -b, c, UPi@87?")
	ROW(HMMA, 0x03c, "1", FROM(80), "73=1", ".SP.hmmaspshape.f16f32.hmmatype d, -a, -b, c, UPi@87?, R@40, #48:2")
	ROW(IMMA, 0x037, "1", ALL, "72=0", ".immashape.immaa.immab.immasat d, a.rowonly, b.colonly, c, UPi@87?")
	ROW(IMMA, 0x037, "1", ALL, "72=1", ".SP.immaspshape.immaa.immab.immasat d, a.rowonly, b.colonly, c, UPi@87?, R@40, #48:2")
	ROW(BMMA, 0x03d, "1", TO(89), "", ".bmmashape.bmmaop.bmmapopc d, a.rowonly, b.colonly, c")
	ROW(BMMA, 0x03d, "1", OF(90, 90), "", ".bmmashape.bmmaop90.bmmapopc d, a.rowonly, b.colonly, c, UPi@87?")
	ROW(DMMA, 0x03f, "1", OF(80, 89), "", ".dmma80.round d, -|a, -|b, -|c")
	ROW(DMMA, 0x03f, "1", OF(90, 90), "", ".dmma.round d, -|a, -|b, -|c, UPi@87?")
	ROW(DMMA, 0x03f, "1", FROM(100), "", ".dmma100.round d, -|a, -|b, -|c, UPi@87?")
	ROW(QMMA, 0x07a, "1", OF(89, 89), "80=0", ".qmmashape.qmmaout.qmmaa@78.qmmab@79 d, a.rows, b.columns, c")
	ROW(QMMA, 0x07a, "1", OF(89, 89), "80=1", ".SP.qmmashape.qmmaout.qmmaa@78.qmmab@79 d, a.rows, b.columns, c, R@40, #48:2")
	ROW(QMMA, 0x07a, "1", FROM(120), "80=0", ".qmmashape.qmmaout.qmmaa.qmmab d, a, b, c, UPi@87?")
	ROW(QMMA, 0x07a, "1", FROM(120), "80=1", ".SP.qmmashape.qmmaout.qmmaa.qmmab d, a, b, c, UPi@87?, R@40, #48:2")
	ROW(QMMA, 0x07a, "2", FROM(120), "72=0 80:2=0 86:5=0", ".SF.16832.F32.qmmaa.qmmab.E8 d, a, R@32, R@64, R@40, R@52, UR@60:3+73:5")
	ROW(OMMA, 0x07f, "2", FROM(120), "72=0 78:4=0 82:2=2 84:7=0", ".SF.16864.F32.E2M1.E2M1.E8 d, a, R@32, R@64, R@40, R@52, UR@60:3+73:5")
	ROW(OMMA, 0x07f, "2", FROM(120), "72=0 78:4=0 82:2=1 84:7=0", ".SF.16864.F32.E2M1.E2M1.UE4M3.4X d, a, R@32, R@64, R@40, R@52, UR@60:3+73:5")
	ROW(HGMMA, 0x1f0, "4u", OF(90, 90), "73=0", ".gmman16.gmmaf32.gmmatype d, gdesc[24].gmmasigns, R@64, UPi@87?, =gsb")
	ROW(HGMMA, 0x1f0, "4u", OF(90, 90), "73=1", ".SP.regoffset.gmman16sp.gmmaf32.gmmatype d, gdesc[24].gmmasigns, R@64, UPi@87?, R@40, #48:2, =gsb")
	ROW(HGMMA, 0x1f0, "6", OF(90, 90), "73=0", ".gmman16.gmmaf32.gmmatype d, -a, gdesc[32].gmmasignsb, R@64, UPi@87?, =gsb")
	ROW(HGMMA, 0x1f0, "6", OF(90, 90), "73=1", ".SP.regoffset.gmman16sp.gmmaf32.gmmatype d, -a, gdesc[32].gmmasignsb, R@64, UPi@87?, R@40, #48:2, =gsb")
	ROW(IGMMA, 0x1f1, "4u", OF(90, 90), "73=0", ".igmman.igmmaa.igmmab.sat@75 d, gdesc[24], R@64, UPi@87?, =gsb")
	ROW(IGMMA, 0x1f1, "4u", OF(90, 90), "73=1", ".SP.regoffset.igmmansp.igmmaa.igmmab.sat@75 d, gdesc[24], R@64, UPi@87?, R@40, #48:2?, =gsb")
	ROW(IGMMA, 0x1f1, "6", OF(90, 90), "73=0", ".igmman.igmmaa.igmmab.sat@75 d, a, gdesc[32], R@64, UPi@87?, =gsb")
	ROW(IGMMA, 0x1f1, "6", OF(90, 90), "73=1", ".SP.regoffset.igmmansp.igmmaa.igmmab.sat@75 d, a, gdesc[32], R@64, UPi@87?, R@40, #48:2?, =gsb")
	ROW(BGMMA, 0x1f2, "4u", OF(90, 90), "", ".bgmman.bmmaop90.bmmapopc d, gdesc[24], R@64, UPi@87?, =gsb")
	ROW(BGMMA, 0x1f2, "6", OF(90, 90), "", ".bgmman.bmmaop90.bmmapopc d, a, gdesc[32], R@64, UPi@87?, =gsb")
	ROW(QGMMA, 0x1f3, "4u", OF(90, 90), "73=0", ".gmman32.gmmaf32.qgmmaa.qgmmab d, gdesc[24].qgmmasigns, R@64, UPi@87?, =gsb")
	ROW(QGMMA, 0x1f3, "4u", OF(90, 90), "73=1", ".SP.regoffset.gmman64sp.gmmaf32.qgmmaa.qgmmab d, gdesc[24].qgmmasigns, R@64, UPi@87?, R@40, #48:2?, =gsb")
	ROW(QGMMA, 0x1f3, "6", OF(90, 90), "73=0", ".gmman32.gmmaf32.qgmmaa.qgmmab d, -a, gdesc[32].gmmasignsb, R@64, UPi@87?, =gsb")
	ROW(QGMMA, 0x1f3, "6", OF(90, 90), "73=1", ".SP.regoffset.gmman64sp.gmmaf32.qgmmaa.qgmmab d, -a, gdesc[32].gmmasignsb, R@64, UPi@87?, R@40, #48:2?, =gsb")
	ROW(FMUL2, 0x04a, "16", FROM(100), "", ".ftz.round d, -|a.f32x2, -|s.f32x2")
	ROW(FADD2, 0x04b, "17", FROM(100), "", ".ftz.round d, -|a.f32x2, -|s.f32x2")
	ROW(FFMA2, 0x049, "167", FROM(100), "", ".ftz.round d, -|a.f32x2, -|b.f32x2, -|c.f32x2")
};
/* clang-format on */

SASS_FAMILY(tensor, rows);
