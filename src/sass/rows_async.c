/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: bulk copies, tensor copies, mbarriers, fences between proxies.
 */
#include "sass/encoding.h"

/* clang-format off */
static const struct sass_row rows[] = {
	ROW(UTMALDG, 0x1b4, "1u", OF(90, 99), "76=0", ".dims.gather4.im2col.cta2.multicast [u32.], [u24.], UR@64")
	ROW(UTMALDG, 0x1b4, "1u", FROM(100), "76=0", ".dims.gather4.im2col100.multicast.cta2 [u32.], [u24.], UR@64")
	ROW(UTMALDG, 0x1b4, "1u", OF(90, 99), "76=1", ".dims.gather4.im2col.cta2.multicast [u32.], [u24.], UR@64, desc[40]")
	ROW(UTMALDG, 0x1b4, "1u", FROM(100), "76=1", ".dims.gather4.im2col100.multicast.cta2 [u32.], [u24.], UR@64, desc[40]")
	ROW(UTMALDG, 0x1b4, "2u", OF(90, 99), "76=0", ".dims.gather4.im2col.cta2.multicast [u32.], [u24.]")
	ROW(UTMALDG, 0x1b4, "2u", FROM(100), "76=0", ".dims.gather4.im2col100.multicast.cta2 [u32.], [u24.]")
	ROW(UTMALDG, 0x1b4, "2u", OF(90, 99), "76=1", ".dims.gather4.im2col.cta2.multicast [u32.], [u24.], desc[40]")
	ROW(UTMALDG, 0x1b4, "2u", FROM(100), "76=1", ".dims.gather4.im2col100.multicast.cta2 [u32.], [u24.], desc[40]")
	ROW(UTMASTG, 0x1b5, "1u", FROM(90), "76=0", ".dims.scatter4 [u32.], [u24.]")
	ROW(UTMASTG, 0x1b5, "1u", FROM(90), "76=1", ".dims.scatter4 [u32.], [u24.], desc[40]")
	ROW(UTMAREDG, 0x1b6, "1u", FROM(90), "76=0", ".dims.im2col90.bulkred [u32.], [u24.]")
	ROW(UTMAREDG, 0x1b6, "1u", FROM(90), "76=1", ".dims.im2col90.bulkred [u32.], [u24.], desc[40]")
	ROW(UTMACMDFLUSH, 0x1b7, "4g", FROM(90), "", "")
	ROW(UTMAPF, 0x1b8, "1u", OF(90, 99), "76=0", ".L2.dims.gather4.im2col [u32.], [u24.], UR@64")
	ROW(UTMAPF, 0x1b8, "1u", FROM(100), "76=0", ".L2.dims.gather4.im2col100 [u32.], [u24.], UR@64")
	ROW(UTMAPF, 0x1b8, "1u", OF(90, 99), "76=1", ".L2.dims.gather4.im2col [u32.], [u24.], UR@64, desc[40]")
	ROW(UTMAPF, 0x1b8, "1u", FROM(100), "76=1", ".L2.dims.gather4.im2col100 [u32.], [u24.], UR@64, desc[40]")
	ROW(UTMAPF, 0x1b8, "2u", FROM(90), "76=0", ".L2.dims.gather4 [u32.], [u24.]")
	ROW(UTMAPF, 0x1b8, "2u", FROM(90), "76=1", ".L2.dims.gather4 [u32.], [u24.], desc[40]")
	ROW(UTMACCTL, 0x1b9, "4u", FROM(90), "", ".tmacctl [u24.]")
	ROW(UBLKCP, 0x1ba, "1u", FROM(90), "76=0 77:4=0", ".copyto.copyfrom.multicast.copyltc.sequenced.bytemask [u32.], [u24.], UR@64")
	ROW(UBLKCP, 0x1ba, "1u", FROM(90), "76=1 77:4=0", ".copyto.copyfrom.multicast.copyltc.sequenced.bytemask [u32.], [u24.], UR@64, desc[40]")
	ROW(UBLKRED, 0x1bb, "1u", OF(90, 99), "76=0 77:4=0", ".copyto.copyfroms90.bulkred.bulktype.counted [u32.], [u24.], UR@64")
	ROW(UBLKRED, 0x1bb, "1u", FROM(100), "76=0 77:4=0", ".copyto.copyfroms.bulkred.bulktype.counted [u32.], [u24.], UR@64")
	ROW(UBLKRED, 0x1bb, "1u", OF(90, 99), "76=1 77:4=0", ".copyto.copyfroms90.bulkred.bulktype.counted [u32.], [u24.], UR@64, desc[40]")
	ROW(UBLKRED, 0x1bb, "1u", FROM(100), "76=1 77:4=0", ".copyto.copyfroms.bulkred.bulktype.counted [u32.], [u24.], UR@64, desc[40]")
	ROW(UBLKPF, 0x1bc, "1u", FROM(90), "76=0", ".L2 [u24.], UR@64")
	ROW(UBLKPF, 0x1bc, "1u", FROM(90), "76=1", ".L2 [u24.], UR@64, desc[40]")
	ROW(ARRIVES, 0x1b0, "4x", OF(80, 89), "91=1", ".arrivesbar.arrivessize.arrivescount [a+64]")
	ROW(ARRIVES, 0x1b0, "4x", OF(90, 99), "91=1", ".arrivesbar.arrivessize.arrivescount [u64]")
	ROW(ARRIVES, 0x1b0, "4x", FROM(100), "91=1", ".arrivesbar.arrivessize.arrivescount@76:2 [u64]")
	ROW(SYNCS, 0x1a7, "2x", OF(90, 99), "91=1", ".phasechk.TRANS64.trywait pu, [s+64], R@32")
	ROW(SYNCS, 0x1a7, "2x", FROM(100), "91=1", ".phasechk100.TRANS64.trywait pu, [s+64], R@32")
	ROW(SYNCS, 0x1a7, "4x", OF(90, 99), "91=1", ".syncsarrive.TRANS64.syncsred.optout.transaction d, [s+64], R@32")
	ROW(SYNCS, 0x1a7, "4x", FROM(100), "91=1", ".syncsarrive@76:2.TRANS64.syncsred.optout.transaction d, [s+64], R@32")
	ROW(SYNCS, 0x1b2, "2u", FROM(90), "", ".exch.64 UR@16, [u24], UR@32")
	ROW(SYNCS, 0x1b1, "4", FROM(100), "", ".syncscctl.syncsiv")
	ROW(SYNCS, 0x1b1, "4x", FROM(90), "91=1 72:2=0", ".CCTL.IV [s+64]")
	ROW(FENCE, 0x1c6, "1", FROM(90), "", ".VIEW.ASYNC.fencespace")
	ROW(UGETNEXTWORKID, 0x1ca, "1u", FROM(100), "72=0", ".SELFCAST [u24.], [u24+1]")
	ROW(WARPGROUP, 0x1c5, "4", OF(90, 90), "79=0 80=0", ".ARRIVE")
	ROW(WARPGROUP, 0x1c5, "4", OF(90, 90), "79=1", ".WAIT")
	ROW(WARPGROUP, 0x1c5, "4", OF(90, 90), "80=1", ".DEPBAR.LE 'gsb0', #72:8")
};
/* clang-format on */

SASS_FAMILY(async, rows);
