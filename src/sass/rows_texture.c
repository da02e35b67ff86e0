/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code: textures and surfaces. A handle stands in constant memory (up to sm_89, by words), in a uniform register (from
 * sm_90 on), or, .B, in a register among the operands. What is looked up goes to two registers from d on and two from bit
 * 64 on, as many as the mask of channels says, which is printed unless it has all.
 *
 * Spelled as in listings: .SCR .LL .LZ .R .A of lookups, all of surfaces. Other words are those of older machines.
 */
#include "sass/encoding.h"

/* clang-format off */
#define BY_MASK(name, bits, forms, since, until, when, text) \
	ROW(name, bits, forms, OF(since, until), when " 72:4=15", text) \
	ROW(name, bits, forms, OF(since, until), when, text ", #72:4")
#define REGISTERS " pu?, R@64, d, a, R@32?"
#define BANK      "#54:5, #40:14"
#define LOOKUP(name, bits, own, own100, rest, rest100, words, words100) \
	BY_MASK(name, bits, "5", 75, 89, "59=0" rest, ".scr" words ".nodep.cache" REGISTERS ", " BANK ", =texdim") \
	BY_MASK(name, own, "1", 75, 89, "59=1 40:19=0" rest, ".scr.B" words ".nodep.cache" REGISTERS ", =texdim") \
	BY_MASK(name, bits, "7", 75, 89, "46:14=0" rest, ".scr" words ".nodep.cache" REGISTERS ", UR@40, #48:6, =texdim") \
	BY_MASK(name, bits, "7", 90, 99, "46:15=0" rest, words ".nodep.cache" REGISTERS ", UR@40, #48:6, =texdim") \
	BY_MASK(name, bits, "7", 100, 255, own100 "60=0" rest100, words100 ".nodep.cache" REGISTERS ", UR@40, UR@48?, =texdim")

static const struct sass_row rows[] = {
	LOOKUP(TEX,  0x160, 0x161, "57:2=0 ", " 80=0 92:13=0", " 76=0 77=0 79:2=0 92:13=0", ".texlod.aoffi.texdc.ndv.texf16",
	       ".texlod100.aoffi@56.texdc")
	LOOKUP(TLD,  0x166, 0x167, "57:3=0 ", " 80=0 92:13=0", " 78=0 79:2=0 92:13=0", ".tldlod.aoffi.texms.texcl.texf16",
	       ".tldlod100.aoffi@56.texms@77.texcl@76")
	LOOKUP(TLD4, 0x163, 0x164, "56:4=0 ", " 77=0 80=0 92:13=0", " 77=0 79:2=0 92:13=0", ".gather.aoffi.texdc.texf16",
	       ".gather.aoffi.texdc")
	LOOKUP(TXD,  0x16c, 0x16d, "57:3=0 ", " 77=0 78=0 80=0 87:3=0 92:13=0", " 76:5=0 87:3=0 92:13=0", ".aoffi.texf16",
	       ".aoffi@56")
	ROW(TXQ, 0x16f, "5", TO(89), "62:2=0 76:8=0 84:7=0 92:13=0", " R@64, d, a, =txq, " BANK ", #72:4")
	ROW(TXQ, 0x170, "1", TO(89), "32:27=0 59=1 62:2=0 76:8=0 84:7=0 92:13=0", ".B R@64, d, a, =txq@60:2, #72:4")
	ROW(TXQ, 0x16f, "7", FROM(90), "46:13=0 62:2=0 76:8=0 84:7=0 92:13=0", " R@64, d, a, =txq, UR@40, #48:6, #72:4")
#define SURFACE(name, bits, forms, forms90, own, text, text90, mask, data, result, more) \
	ROW(name, bits, forms, TO(79), more, text "75.scope75.private75" mask ".cache.surfacebound" result "[a.]" data ", " BANK) \
	ROW(name, bits, forms, OF(80, 89), more, text90 mask ".cache.surfacebound" result "[a.]" data ", " BANK) \
	ROW(name, bits, forms90, OF(90, 99), "46:13=0 " more, text90 mask ".cache.surfacebound" result "[a.]" data ", UR@40, #48:6") \
	ROW(name, bits, forms90, FROM(100), "48:8=255 56:3=0 " more, text90 mask ".cache.surfacebound" result "[a.]" data ", UR@40") \
	own
	SURFACE(SULD, 0x199, "5", "7",
		ROW(SULD, 0x19a, "4", TO(79), "32:27=0 81:3=7 87:4=0 92:13=0", ".D.ba.surfacedim.sizeq.order75.scope75.private75.cache.surfacebound d, [a.], R@64")
		ROW(SULD, 0x19a, "4", OF(80, 89), "32:27=0 81:3=7 87:4=0 92:13=0", ".D.ba.surfacedim.sizeq.order.cache.surfacebound d, [a.], R@64"),
		".D.ba.surfacedim.sizeq.order", ".D.ba.surfacedim.sizeq.order", "", "", " d, ", "32:8=0 64:8=0 81:3=7 87:4=0 92:13=0")
	SURFACE(SUST, 0x19b, "5", "7",
		ROW(SUST, 0x19c, "4", TO(79), "16:8=0 40:19=0 81:3=0 87:4=0 92:13=0", ".P.surfacedim.order75.scope75.private75.surfacemask.cache.surfacebound [a.], R@32, R@64")
		ROW(SUST, 0x19c, "4", OF(80, 89), "16:8=0 40:19=0 81:3=0 87:4=0 92:13=0", ".P.surfacedim.atomorder.surfacemask.cache.surfacebound [a.], R@32, R@64"),
		".P.surfacedim.order", ".P.surfacedim.atomorder", ".surfacemask", ", R@32", " ", "16:8=0 64:8=0 81:3=0 87:4=0 92:13=0")
	SURFACE(SUST, 0x19d, "5", "7",
		ROW(SUST, 0x19e, "4", TO(79), "16:8=0 40:19=0 81:3=0 87:4=0 92:13=0", ".D.ba.surfacedim.sizeq.order75.scope75.private75.cache.surfacebound [a.], R@32, R@64")
		ROW(SUST, 0x19e, "4", OF(80, 89), "16:8=0 40:19=0 81:3=0 87:4=0 92:13=0", ".D.ba.surfacedim.sizeq.atomorder.cache.surfacebound [a.], R@32, R@64"),
		".D.ba.surfacedim.sizeq.order", ".D.ba.surfacedim.sizeq.atomorder", "", ", R@32", " ", "16:8=0 64:8=0 81:3=0 87:4=0 92:13=0")
	SURFACE(SURED, 0x19f, "2", "7",
		ROW(SURED, 0x1a0, "1", TO(79), "16:8=0 40:19=0 81:3=0 90=0 92:13=0", ".D.ba.surfacedim.atom3.suredtype.order75.scope75.private75.cache.surfacebound [a.], R@32, R@64")
		ROW(SURED, 0x1a0, "1", OF(80, 89), "16:8=0 40:19=0 81:3=0 90=0 92:13=0", ".D.ba.surfacedim.atom3.suredtype.atomorder.cache.surfacebound [a.], R@32, R@64"),
		".D.ba.surfacedim.atom3.suredtype.order", ".D.ba.surfacedim.atom3.suredtype.atomorder", "", ", R@32", " ", "16:8=0 64:8=0 81:3=0 90=0 92:13=0")
};
/* clang-format on */

SASS_FAMILY(texture, rows);
