/* SPDX-License-Identifier: Apache-2.0
 *
 * The words that modify an instruction or say which part of a register an operand is: lists in the order of the field's
 * values, by name and by the bits in which most instructions have them. "" prints nothing; "!" stands for a value
 * without a meaning, printed INVALID and its number; "?" for one printed ??? and its number; so are all values beyond the
 * list's end. An executor refuses both: sass_insn.invalid.
 */
#ifndef PTXSIM_SASS_MODIFIERS_H
#define PTXSIM_SASS_MODIFIERS_H

/* clang-format off */
/* Widths of warpgroup matrices: 64 rows by 8 to 256 columns in steps of 8; for integers 48, 64, 80 ... behind 32. */
#define SASS_WIDTHS(k) \
	"64x8" k, "64x16" k, "64x24" k, "64x32" k, "64x40" k, "64x48" k, "64x56" k, "64x64" k, "64x72" k, "64x80" k, "64x88" k, \
	"64x96" k, "64x104" k, "64x112" k, "64x120" k, "64x128" k, "64x136" k, "64x144" k, "64x152" k, "64x160" k, "64x168" k, \
	"64x176" k, "64x184" k, "64x192" k, "64x200" k, "64x208" k, "64x216" k, "64x224" k, "64x232" k, "64x240" k, "64x248" k, "64x256" k
#define SASS_NO_WIDTHS \
	"!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!", \
	"!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!", "!"
#define SASS_FIRST(word)  word, "!", "!"
#define SASS_SECOND(word) "!", word, "!"
#define SASS_ONLY(word)   word
#define SASS_INTEGER_WIDTHS(k, AT) \
	AT("64x8" k), AT("64x16" k), AT("64x24" k), AT("64x32" k), AT("64x48" k), AT("64x64" k), AT("64x80" k), AT("64x96" k), \
	AT("64x112" k), AT("64x128" k), AT("64x144" k), AT("64x160" k), AT("64x176" k), AT("64x192" k), AT("64x208" k), \
	AT("64x224" k), AT("64x240" k), AT("64x256" k)

/* What the four lanes of a quad add, one after the other: the signs of both sources; Z: the first counts as zero. */
#define SASS_SIGNS1(p) p "PP", p "PN", p "NP", p "ZP"
#define SASS_SIGNS2(p) SASS_SIGNS1(p "PP"), SASS_SIGNS1(p "PN"), SASS_SIGNS1(p "NP"), SASS_SIGNS1(p "ZP")
#define SASS_SIGNS3(p) SASS_SIGNS2(p "PP"), SASS_SIGNS2(p "PN"), SASS_SIGNS2(p "NP"), SASS_SIGNS2(p "ZP")
#define SASS_SIGNS4(p) SASS_SIGNS3(p "PP"), SASS_SIGNS3(p "PN"), SASS_SIGNS3(p "NP"), SASS_SIGNS3(p "ZP")

#define SASS_MODIFIER_LISTS(X) \
	/* Floats */ \
	X(FTZ, "ftz", "80", "", "FTZ") \
	X(FMZ, "fmz", "80+76", "", "FTZ", "FMZ", "!") \
	X(FMZ_OOB, "fmzoob", "80+76", "", "FTZ", "FMZ", "OOB") \
	X(ROUND, "round", "78:2", "", "RM", "RP", "RZ") \
	X(SAT, "sat", "77", "", "SAT") \
	X(SCALE_BY, "scaleby", "84:3", "!", "D8", "D4", "D2", "", "M2", "M4", "M8") \
	X(FCMP, "fcmp", "76:4", "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T") \
	X(DCMP, "dcmp", "76:4", "MIN", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "MAX") \
	X(BOOL, "bool", "74:2", "AND", "OR", "XOR", "!") \
	X(BF16, "bf16", "82", "", "BF16") \
	X(MUFU, "mufu", "74:4", "COS", "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH") \
	X(MUFU_TYPE_OLD, "mufutypeold", "72:2", "", "?", "F16", "?") \
	X(MUFU_TYPE, "mufutype", "72:2", "", "F16", "BF16", "BF16_V2") \
	X(IS_A, "isa", "65", "", "IS_A") \
	X(NAN, "nan", "81", "", "NAN") \
	X(XORSIGN, "xorsign", "82", "", "XORSIGN") \
	X(BF, "bf", "71", "", "BF") \
	/* Halves */ \
	X(HALF, "half", "74:2", "", "!", "H0_H0", "H1_H1") \
	X(HALF_F32, "halff32", "74:2", "", "F32", "H0_H0", "H1_H1") \
	X(HALF_NH1, "halfnh1", "60:2+86", "", "F32", "H0_H0", "H1_H1", "H0_NH1", "!", "!", "!") \
	X(HALF_TYPE, "halftype", "85", "", "BF16_V2") \
	X(HALF_TYPE4, "halftype4", "78+85", "", "!", "BF16_V2", "!") \
	X(HALF_TYPE2, "halftype2", "64:2", "", "!", "BF16_V2", "!") \
	X(HALF_F32_OUT, "halfout", "78", "", "F32") \
	X(RELU, "relu", "79", "", "RELU") \
	X(H_AND, "hand", "71", "", "H_AND") \
	/* Integers */ \
	X(ICMP, "icmp", "76:3", "F", "LT", "EQ", "LE", "GT", "NE", "GE", "T") \
	X(U32, "u32", "73", "U32", "") \
	X(ITYPE64, "itype64", "73+80", "U32", "", "U64", "S64") \
	X(VTYPE, "vtype", "72:3", "U32", "S32", "U16x2", "S16x2", "U8x4", "S8x4", "!", "!") \
	X(U8, "u8", "73", "U8", "") \
	X(S32, "s32", "73", "", "S32") \
	X(U64, "u64", "73", "", "U64") \
	X(ACC, "acc", "75", "", "ACC") \
	X(EX, "ex", "72", "", "EX") \
	X(X, "x", "74", "", "X") \
	X(HI, "hi", "80", "", "HI") \
	X(SX32, "sx32", "73", "", "SX32") \
	X(B64, "b64", "73", "", "64") \
	X(SHIFT, "shift", "76", "L", "R") \
	X(WRAP, "wrap", "75", "", "W") \
	X(SHIFT_TYPE, "shifttype", "73:2", "S64", "U64", "S32", "U32") \
	X(PRMT, "prmt", "72:3", "", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16", "!") \
	X(PAND, "pand", "80", "", "PAND") \
	X(SIGN, "sign", "0:0", "SIGN") \
	X(SH, "sh", "74", "", "SH") \
	X(DP, "dp", "76:2", "4A", "2A.LO", "?", "2A.HI") \
	X(DP8A, "dp8a", "73", "U8", "S8") \
	X(DP16A, "dp16a", "73", "U16", "S16") \
	X(DP8B, "dp8b", "74", "U8", "S8") \
	X(X2, "x2", "72:2", "U32", "", "U16x2", "S16x2") \
	X(VADD, "vadd", "73", "", "16x2") \
	X(VADD_WIDE, "vaddwide", "73:3", "32", "16x2", "S32", "S16x2", "U8x4", "S8x4", "!", "!") \
	X(ISAT, "isat", "80", "", "ISAT") \
	X(VRELU, "vrelu", "76", "", "RELU") \
	X(BYTE, "byte", "76:2", "", "B1", "B2", "B3") \
	X(CS2R, "cs2r", "80", "32", "") \
	X(VOTE, "vote", "72:2", "ALL", "ANY", "EQ", "!") \
	X(MNMX64, "mnmx64", "73:3", "U32", "S32", "U64", "S64") \
	/* Conversions */ \
	X(ROUND_INT, "roundint", "78:2", "", "FLOOR", "CEIL", "TRUNC") \
	X(ROUND_PACK, "roundpack", "78:2", "", "!", "!", "RZ") \
	X(ROUND_IP, "roundip", "78:2", "", "!", "!", "TRUNC") \
	X(NTZ, "ntz", "77", "", "NTZ") \
	X(INT, "int", "72+75:2", "U8", "S8", "U16", "S16", "U32", "", "?", "?") \
	X(INT64, "int64", "72+75:2", "U8", "S8", "U16", "S16", "U32", "", "U64", "S64") \
	X(INT_IN, "intin", "74+84:2", "U8", "S8", "U16", "S16", "U32", "", "U64", "S64") \
	X(INT_PACK, "intpack", "74+84:2", "!", "!", "!", "!", "U32", "S32", "!", "!") \
	X(REAL, "real", "75:3", "?", "F16", "", "F64", "BF16") \
	X(REAL32, "real32", "75:3", "?", "F16", "", "?", "BF16", "?", "?", "?") \
	X(FRND64, "frnd64", "75:3+84:3", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", \
		"?", "?", "?", "?", "?", "?", "?", "?", "F64", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", \
		"?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?") \
	X(REAL_PACK, "realpack", "75:3", "!", "!", "F32", "!", "!", "!", "!", "!") \
	X(REAL_OUT, "realout", "75:3", "?", "F16", "F32", "F64", "BF16") \
	X(REAL_IN, "realin", "84:3", "?", "F16", "F32", "F64", "BF16") \
	X(REAL_IN32, "realin32", "84:3", "?", "F16", "", "F64", "BF16") \
	X(PART_H1, "h1", "60", "", "H1") \
	X(PART_B, "bsel", "60:2", "", "B1", "B2", "B3") \
	X(I2I, "i2i", "76:2", "U8", "S8", "U16", "S16") \
	X(I2IP, "i2ip", "76:3", "U8", "S8", "U16", "S16", "U2", "S2", "U4", "S4") \
	X(I2IP_SAT, "i2ipsat", "74:2", "", "SAT", "!", "!") \
	X(I2IP_8, "i2ip8", "72:2", "", "H1", "?", "?") \
	X(I2IP_8_75, "i2ip875", "72:2", "", "H1", "!", "!") \
	X(I2IP_4, "i2ip4", "72:2", "?", "?", "24", "?") \
	X(I2IP_2, "i2ip2", "72:2", "?", "?", "?", "28") \
	X(SATFINITE, "satfinite", "77", "", "SATFINITE") \
	X(PRELU, "prelu", "75", "", "RELU") \
	X(F2IP, "f2ip", "76", "U8", "S8") \
	X(F2IP_NTZ, "f2ipntz", "74", "", "NTZ") \
	X(F2IP_RELU, "f2iprelu", "75", "", "RELU") \
	/* Memory */ \
	X(E, "e", "72", "", "E") \
	X(CACHE, "cache", "84:3", "EF", "", "EL", "LU", "EU", "NA", "!", "!") \
	X(LTC, "ltc", "68:2", "", "LTC64B", "LTC128B", "LTC256B") \
	X(SIZE, "size", "73:3", "U8", "S8", "U16", "S16", "", "64", "128", "!") \
	X(SIZE_Q, "sizeq", "73:3", "U8", "S8", "U16", "S16", "", "64", "128", "?") \
	X(ORDER, "order", "77:4", "", "CONSTANT.PRIVATE", "CONSTANT.CTA", "CONSTANT.CTA.PRIVATE", "CONSTANT", "STRONG.SM", \
		"STRONG.GPU.PRIVATE", "STRONG.GPU", "MMIO.GPU", "CONSTANT.SM", "STRONG.SYS", "CONSTANT.SM.PRIVATE", "MMIO.SYS", \
		"CONSTANT.VC", "CONSTANT.VC.PRIVATE", "CONSTANT.GPU") \
	X(ATOM_ORDER, "atomorder", "77:4", "", "CONSTANT.PRIVATE", "CONSTANT.CTA", "CONSTANT.CTA.PRIVATE", "STRONG.SM.PRIVATE", \
		"STRONG.SM", "STRONG.GPU.PRIVATE", "STRONG.GPU", "MMIO.GPU", "CONSTANT.SM", "STRONG.SYS", "CONSTANT.SM.PRIVATE", \
		"MMIO.SYS", "CONSTANT.VC", "CONSTANT.VC.PRIVATE", "CONSTANT.GPU") \
	/* Stores; from sm_100 on they can be ordered. Copies to shared memory have scopes of their own. */ \
	X(STORE_ORDER100, "storeorder", "77:4", "", "CONSTANT.PRIVATE", "CONSTANT.CTA", "CONSTANT.CTA.PRIVATE", "STRONG.SM.PRIVATE", \
		"STRONG.SM", "STRONG.GPU.PRIVATE", "STRONG.GPU", "MMIO.GPU", "CONSTANT.SM", "STRONG.SYS", "CONSTANT.SM.PRIVATE", \
		"MMIO.SYS", "SYS.ORDERED", "STRONG.SYS.ORDERED", "MMIO.SYS.ORDERED") \
	X(COPY_ORDER, "copyorder", "77:4", "", "CONSTANT.PRIVATE", "CONSTANT.CTA", "CONSTANT.CTA.PRIVATE", "CONSTANT", "MMIO.CTA", \
		"GPU.PRIVATE", "MMIO.CTA.PRIVATE", "MMIO.SM", "!", "!", "!", "!", "!", "!", "!") \
	X(STORE_ORDER75, "storeorder75", "79:2", "!", "", "STRONG", "MMIO") \
	X(ORDER75, "order75", "79:2", "CONSTANT", "", "STRONG", "MMIO") \
	X(SCOPE75, "scope75", "77:2", "CTA", "SM", "GPU", "SYS") \
	X(PRIVATE75, "private75", "76", "", "PRIVATE") \
	X(ZD, "zd", "87", "", "ZD") \
	X(U, "u", "76", "", "U") \
	X(SCALE, "scale", "78:2", "", "X4", "X8", "X16") \
	X(L2_KEEP, "l2keep", "81:3", "EFL2", "ENL2", "ELL2", "!", "!", "!", "!", "!") \
	X(LDC_MODE, "ldcmode", "78:2", "", "IL", "IS", "ISL") \
	X(LDSM_TYPE, "ldsmtype", "78:2", "M88", "MT88", "M816", "M832") \
	X(LDSM_TYPE100, "ldsmtype100", "78:2+80", "M88", "MT88", "M816", "M832", "MT1616", "!", "!", "!") \
	X(LDSM_COUNT, "ldsmcount", "72:2", "", "2", "4", "!") \
	X(BYPASS, "bypass", "81", "BYPASS", "") \
	X(ZFILL, "zfill", "82", "", "ZFILL") \
	X(E_WIDE, "ewide", "72", "?", "E") \
	X(SIZE75, "size75", "73:3", "U8", "S8", "U16", "S16", "", "64", "128", "U.128") \
	X(STAS_SIZE, "stassize", "73:3", "!", "!", "!", "!", "", "64", "128", "!") \
	X(LDC_SIZE, "ldcsize", "73:3", "U8", "S8", "U16", "S16", "", "64", "!", "!") \
	X(LDGSTS_SIZE100, "ldgsts100", "74:2", "", "64", "128", "!") \
	X(LDGSTS_SIZE, "ldgstssize", "73:3", "!", "!", "!", "!", "", "64", "128", "!") \
	X(STSM_BITS, "stsmbits", "75", "16", "8") \
	X(STSM_BITS90, "stsmbits90", "75", "16", "?") \
	X(STSM_TYPE, "stsmtype", "78:2", "M88", "MT88", "MT168", "!") \
	X(LDCU_UNPACK, "unpack", "80:2", "", "TEXUNPACK", "HDRUNPACK", "!") \
	/* Atomics */ \
	X(ATOM, "atom", "87:4", "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "!", "!", "!", "!", "!", "!", "!") \
	X(ATOMG, "atomg", "87:4", "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "SAFEADD", "!", "!", "!", "!", "!", "!") \
	X(ATOM3, "atom3", "87:3", "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR") \
	X(ATOM_TYPE, "atomtype", "73:3", "", "S32", "64", "S64", "128", "!", "!", "!") \
	X(ATOM_FLOAT_OP, "atomfloatop", "87:3", "ADD", "MIN", "MAX", "!") \
	X(CAS_TYPE, "castype", "73:3", "", "S32", "64", "!", "128", "!", "!", "!") \
	X(CAS, "cas", "87", "CAS", "CAST") \
	X(CAST, "cast", "87", "?", "CAST") \
	X(SPIN, "spin", "88", "", "SPIN") \
	X(QSPC, "qspc", "73:2", "G", "L", "S", "D") \
	X(QSPC80, "qspc80", "73:2", "G", "L", "S", "!") \
	X(POPC_INC, "popcinc", "87:4", "?", "?", "?", "?", "?", "?", "?", "?", "?", "ARRIVE", "POPC.INC") \
	X(POPC_INC90, "popcinc90", "87:4", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "ARRIVE", "POPC.INC") \
	X(REDUX, "redux", "78:3", "", "OR", "XOR", "SUM", "MIN", "MAX", "!", "!") \
	X(MATCH, "match", "79", "ALL", "ANY") \
	X(SHFL, "shfl", "58:2", "IDX", "UP", "DOWN", "BFLY") \
	X(ATOM_REAL, "atomreal", "73:4+87:1", "F16x2.RN", "F16x4.RN", "F16x8.RN", "BF16x2.RN", "BF16x4.RN", "BF16x8.RN", "!", "!", "!", \
		"F32.FTZ.RN", "F32x2.FTZ.RN", "F32x4.FTZ.RN", "F32.RN", "F32x2.RN", "F32x4.RN", "F64.RN") \
	X(ATOM_TYPE75, "atomtype75", "73:3", "", "S32", "64", "F32.FTZ.RN", "F16x2.RN", "S64", "F64.RN", "!") \
	X(ATOM_TYPE80, "atomtype80", "73:4", "", "S32", "64", "F32.FTZ.RN", "F16x2.RN", "S64", "F64.RN", "!", "!", "!", "!", "!", "!", "!", "!", "!") \
	X(MC_TYPE, "mctype", "73:3", "32", "S32", "64", "S64", "!", "!", "!", "!") \
	X(MC_REAL, "mcreal", "73:4+87:1", "F16x2.RN", "F16x4.RN", "F16x8.RN", "BF16x2.RN", "BF16x4.RN", "BF16x8.RN", "!", "!", "!", \
		"F32.FTZ.RN", "F32x2.FTZ.RN", "F32x4.FTZ.RN", "F32.RN", "F32x2.RN", "F32x4.RN", "F64.RN", "!", "E5M2x4.RN", "E5M2x8.RN", "E5M2x16.RN", \
		"E4M3x4.RN", "E4M3x8.RN", "E4M3x16.RN", "!", "!", "!", "!", "!", "!", "!", "!", "!") \
	X(MC_OP90, "mcop90", "88:3", "ADD", "MIN", "MAX", "F32ADD", "!", "!", "!", "!") \
	X(MC_OP, "mcop", "88:3", "ADD", "MIN", "MAX", "HPADD", "!", "!", "!", "!") \
	X(REDAS_TYPE, "redastype", "73:3", "", "S32", "64", "!", "!", "!", "!", "!") \
	X(ARRIVE_TYPE, "arrivetype", "73:3", "32", "?", "64", "?", "?", "?", "?", "?") \
	X(FILL, "fill", "86:2", "", "FILL", "BROADCAST", "!") \
	/* Textures and surfaces */ \
	X(SCR, "scr", "60", "", "SCR") \
	X(TEX_LOD, "texlod", "87:3", "", "LZ", "LB", "LL", "!", "!", "!", "!") \
	X(TEX_LOD100, "texlod100", "87:3+59", "", "!", "!", "!", "!", "!", "!", "!", "LZ", "LL", "!", "!", "!", "!", "!", "!") \
	X(TLD_LOD, "tldlod", "87:3", "!", "LZ", "!", "LL", "!", "!", "!", "!") \
	X(TLD_LOD100, "tldlod100", "87:3", "LZ", "LL", "!", "!", "!", "!", "!", "!") \
	X(GATHER, "gather", "87:3", "R", "G", "B", "A", "!", "!", "!", "!") \
	X(AOFFI, "aoffi", "76", "", "AOFFI") \
	X(NDV, "ndv", "77", "", "NDV") \
	X(TEX_CL, "texcl", "77", "", "CL") \
	X(TEX_DC, "texdc", "78", "", "DC") \
	X(TEX_MS, "texms", "78", "", "MS") \
	X(TEX_F16, "texf16", "79", "", "F16") \
	X(NODEP, "nodep", "90", "", "NODEP") \
	X(TEX_DIM, "texdim", "61:3", "1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", "!", "ARRAY_CUBE") \
	X(TXQ, "txq", "59:3", "TEX_HEADER_DIMENSION", "!", "!", "!", "!", "!", "!", "!") \
	X(SURFACE_DIM, "surfacedim", "61:3", "1D", "1D_BUFFER", "1D_ARRAY", "2D", "2D_ARRAY", "3D", "!", "!") \
	X(SURFACE_BOUND, "surfacebound", "59:2", "IGN", "", "TRAP", "!") \
	X(BYTE_ADDRESS, "ba", "72", "", "BA") \
	X(SURFACE_MASK, "surfacemask", "72:4", "!", "R", "G", "RG", "B", "RB", "GB", "RGB", "A", "RA", "GA", "RGA", "BA", "RBA", "GBA", "") \
	X(SURED_TYPE, "suredtype", "73:3", "", "S32", "U64", "!", "!", "S64", "SD32", "SD64") \
	/* Control */ \
	X(NOINC, "noinc", "86", "", "NOINC") \
	X(NODEC, "nodec", "86", "", "NODEC") \
	X(RET, "ret", "85", "REL", "ABS") \
	X(INCDEC, "incdec", "85:2", "", "INC", "DEC", "!") \
	X(EXIT, "exit", "84:2", "", "KEEPREFCOUNT", "PREEMPTED", "!") \
	X(NO_ATEXIT, "noatexit", "86", "", "NO_ATEXIT") \
	X(BMOV_CLEAR, "bmovclear", "84", "", "CLEAR") \
	X(BMOV_PQUAD, "bmovpquad", "84", "", "PQUAD") \
	X(MEMBAR, "membar", "79:2", "SC", "ALL", "", "MMIO") \
	X(MEMBAR_SCOPE80, "membarscope80", "76:3", "CTA", "SM", "GPU", "SYS", "!", "VC", "!", "!") \
	X(MEMBAR_SCOPE, "membarscope", "76:3", "CTA", "SM", "GPU", "SYS", "!", "VC", "CTA.PARTIAL", "!") \
	X(CCTL, "cctl", "87:4", "PF1", "PF2", "WB", "IV", "IVALL", "RS", "IVALLP", "WBALL", "?", "PML2", "DML2", "RML2") \
	X(CCTL_LDCU, "cctlldcu", "87:4", "?", "?", "?", "IV", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?", "?") \
	X(CCTL_LDCU_CACHE, "ldcucache", "78:3", "?", "?", "C", "?", "?", "?", "?", "?") \
	X(DEEP, "deep", "86", "", "DEEP") \
	X(CCTL_CACHE, "cctlcache", "78:3", "", "U", "C", "I", "?", "?", "?", "?") \
	X(DEFER, "defer", "80", "", "DEFER_BLOCKING") \
	X(BAR, "bar", "77:3", "SYNC", "ARV", "RED", "SCAN", "SYNCALL") \
	X(BAR_RED, "barred", "74:2", "POPC", "AND", "OR", "!") \
	X(BPT, "bpt", "84:3", "", "?", "PAUSE", "TRAP", "INT", "DRAIN") \
	X(ANY, "any", "84", "", "ANY") \
	X(RELIABLE, "reliable", "72:2", "", "RELIABLE", "RECONVERGENT", "!") \
	X(COLLECTIVE, "collective", "85:2", "", "EXCLUSIVE", "COLLECTIVE", "!") \
	X(EXCLUSIVE, "exclusive", "86", "", "EXCLUSIVE") \
	X(MEMBAR_MMIO, "membarmmio", "72:2", "", "MMIO", "", "") \
	X(SLEEP_RAND, "sleeprand", "86", "", "RAND") \
	X(SLEEP_WARP, "sleepwarp", "85", "", "WARP") \
	X(SLEEP_SYNCS, "sleepsyncs", "84", "", "SYNCS") \
	/* The uniform datapath, asynchronous copies and barriers */ \
	X(MOV64, "mov64", "80", "", "64") \
	X(UPRMT_MODE, "uprmt", "72", "", "?") \
	X(DIMENSIONS, "dims", "79:3", "1D", "2D", "3D", "4D", "5D", "!", "!", "!") \
	X(IM2COL, "im2col", "82:2", "", "IM2COL", "W.GATHER4", "W") \
	X(IM2COL100, "im2col100", "82:2", "", "IM2COL", "W128", "W") \
	X(IM2COL90, "im2col90", "82", "", "IM2COL") \
	X(SCATTER4, "scatter4", "82:2", "", "IM2COL", "SCATTER4", "!") \
	X(GATHER4, "gather4", "84", "", "GATHER4") \
	X(CTA2, "cta2", "85", "", "2CTA") \
	X(MULTICAST, "multicast", "75", "", "MULTICAST") \
	X(COPY_TO, "copyto", "73", "G", "S") \
	X(COPY_FROM, "copyfrom", "74", "G", "S") \
	X(COPY_FROM_S90, "copyfroms90", "74", "?", "S") \
	X(COPY_FROM_S, "copyfroms", "74", "!", "S") \
	X(COPY_LTC, "copyltc", "81:2", "", "LTC64B", "LTC128B", "LTC256B") \
	X(SEQUENCED, "sequenced", "83", "", "SEQUENCED") \
	X(BYTE_MASK, "bytemask", "84:2", "", "DST_G_BYTE_MASK", "COUNTED", "!") \
	X(COUNTED, "counted", "85", "", "COUNTED") \
	X(BULK_RED, "bulkred", "87:3", "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR") \
	X(BULK_TYPE, "bulktype", "81:4", "", "S32", "U64", "S64", "F16.RN", "F32.RN", "F32.FTZ.RN", "F64.RN", "BF16.RN", "!", "!", "!", "!", "!", "!", "!") \
	X(TMACCTL, "tmacctl", "82", "IV", "PF") \
	X(ARRIVES_BAR, "arrivesbar", "72", "LDGSTSBAR", "?") \
	X(ARRIVES_SIZE, "arrivessize", "73:3", "?", "?", "?", "?", "?", "64", "?", "?") \
	X(ARRIVES_COUNT, "arrivescount", "70:2", "", "ARVCNT", "TRANSCNT", "!") \
	X(PHASECHK, "phasechk", "70:2", "?", "PHASECHK", "?", "?") \
	X(PHASECHK100, "phasechk100", "76:2", "?", "PHASECHK", "?", "?") \
	X(TRYWAIT, "trywait", "72", "", "TRYWAIT") \
	X(SYNCS_ARRIVE, "syncsarrive", "70:2", "ARRIVE", "?", "?", "?") \
	X(SYNCS_RED, "syncsred", "73:2", "", "TMASK", "RED", "!") \
	X(OPTOUT, "optout", "75", "", "OPTOUT") \
	X(TRANSACTION, "transaction", "84:3", "", "A1T0", "A0T1", "A0TR", "A0TX", "ART0", "!", "!") \
	X(EXCH, "exch", "72:2", "?", "EXCH", "?", "?") \
	X(SYNCS_CCTL, "syncscctl", "73", "CCTL", "?") \
	X(SYNCS_IV, "syncsiv", "72", "IVALL", "WBALL") \
	X(FENCE_SPACE, "fencespace", "72:2", "S", "G", "T", "?") \
	X(DEALLOC, "dealloc", "72", "TRY_ALLOC", "DEALLOC") \
	X(CTAPOOL, "ctapool", "74", "?", "CTAPOOL") \
	/* Matrices */ \
	X(ROW_COL, "rowcol", "73", "ROW", "COL") \
	X(COL_ROW, "colrow", "74", "ROW", "COL") \
	X(HMMA_SHAPE, "hmmashape", "75+78", "1688", "16816", "1684", "!") \
	X(HMMA_SP_SHAPE, "hmmaspshape", "75+78", "1688", "16816", "!", "16832") \
	X(F16_F32, "f16f32", "76", "F16", "F32") \
	X(HMMA_TYPE, "hmmatype", "82:2", "", "BF16", "TF32", "!") \
	X(SATFINITE_MMA, "satfinitemma", "77", "", "SATFINITE") \
	X(SWIZZLE, "swizzle", "32:8", SASS_SIGNS4("")) \
	X(STEP, "step", "79:2", "STEP0", "STEP1", "STEP2", "STEP3") \
	X(STEP2, "step2", "79:2", "STEP0", "STEP1", "!", "!") \
	X(ROW_ONLY, "rowonly", "73", "ROW", "?") \
	X(COL_ONLY, "colonly", "74", "?", "COL") \
	X(IMMA_SHAPE75, "immashape75", "75+85:2", "8816", "?", "8832", "?", "16816", "16832", "16864", "?") \
	X(IMMA_SHAPE80, "immashape80", "75+85:2", "8816", "!", "8832", "!", "16816", "16832", "16864", "!") \
	X(IMMA_SHAPE, "immashape", "75+85:2", "8816", "!", "!", "!", "16816", "16832", "!", "!") \
	X(IMMA_SHAPE100, "immashape100", "75+85:2", "!", "!", "!", "!", "16816", "16832", "!", "!") \
	X(IMMA_SP_SHAPE80, "immaspshape80", "75+85:2", "!", "!", "8832", "8864", "!", "16832", "16864", "168128") \
	X(IMMA_SP_SHAPE90, "immaspshape90", "75+85:2", "!", "!", "8832", "!", "!", "16832", "16864", "!") \
	X(IMMA_SP_SHAPE, "immaspshape", "75+85:2", "!", "!", "!", "!", "!", "16832", "16864", "!") \
	X(IMMA_A80, "immaa80", "76:2+83", "U8", "S8", "!", "!", "U4", "S4", "!", "!") \
	X(IMMA_B80, "immab80", "78:2+84", "U8", "S8", "!", "!", "U4", "S4", "!", "!") \
	X(IMMA_A, "immaa", "76:2+83", "U8", "S8", "!", "!", "!", "!", "!", "!") \
	X(IMMA_B, "immab", "78:2+84", "U8", "S8", "!", "!", "!", "!", "!", "!") \
	X(IMMA_SAT, "immasat", "82", "", "SAT") \
	X(BMMA_SHAPE, "bmmashape", "75:2", "88128", "168128", "168256", "!") \
	X(BMMA_OP, "bmmaop", "77:2", "XOR", "!", "AND", "?") \
	X(BMMA_OP90, "bmmaop90", "77:2", "?", "?", "AND", "?") \
	X(BMMA_POPC, "bmmapopc", "80", "?", "POPC") \
	X(DMMA80, "dmma80", "76:2", "884", "?", "?", "?") \
	X(DMMA, "dmma", "76:2", "8x8x4", "16x8x4", "16x8x8", "16x8x16") \
	X(DMMA100, "dmma100", "76:2", "8x8x4", "!", "!", "!") \
	X(MOVM_TYPE, "movmtype", "75", "16", "U4TO8") \
	X(MOVM, "movm", "78:2", "MT88", "M832", "M864", "!") \
	X(QMMA_SHAPE, "qmmashape", "74:3", "?", "16816", "?", "16832", "?", "16864", "?", "?") \
	X(QMMA_SHAPE120, "qmmashape120", "75:2", "16816", "16832", "!", "!") \
	X(QMMA_SP_SHAPE120, "qmmaspshape120", "75:2", "!", "16832", "16864", "!") \
	X(QMMA_OUT, "qmmaout", "77", "F16", "F32") \
	X(QMMA_A, "qmmaa", "78+82:2", "E4M3", "E5M2", "?", "E3M2", "E2M3", "E2M1", "?", "?") \
	X(QMMA_B, "qmmab", "79+84:2", "E4M3", "E5M2", "?", "E3M2", "E2M3", "E2M1", "?", "?") \
	/* Tensor memory */ \
	X(TMEM_SHAPE, "tmemshape", "81:2+87", "16dp128bit", "16dp256bit", "", "16dp64bit", "16dp32bit_t0_t15", "16dp32bit_t16_t31", "?", "?") \
	X(TMEM_COUNT, "tmemcount", "83:3", "", "x2", "x4", "x8", "x16", "x32", "x64", "x128") \
	X(TMEM_PACK, "tmempack", "80", "", "PACK16BIT") \
	X(TMEM_EXPAND, "tmemexpand", "80", "", "EXPAND16BIT") \
	X(UTCCP_SHAPE, "utccpshape", "83:2+88", "", "?", "4dp256bit", "128dp128bit", "2x64dp128bit_lw02_lw13", "2x64dp128bit_lw01_lw23", "4x32dp128bit", "?") \
	X(UTCCP_FROM, "utccpfrom", "80:2", "", "U4x16P64", "U6x16P32", "?") \
	X(UTCMMA_ASHIFT, "ashift", "74", "", "ASHIFT") \
	X(UTCMMA_SCALE, "utcscale", "62", "4X", "") \
	X(UTCMMA_A, "utcmmaa", "84+86", "", "A_KEEP", "A_REUSE", "A_REUSE.A_KEEP") \
	X(UTCMMA_B, "utcmmab", "81:2+79:2", "", "B_KEEP", "B_REUSE", "B_REUSE.B_KEEP", \
	  "BUFFER1", "B_KEEP.BUFFER1", "B_REUSE.BUFFER1", "B_REUSE.B_KEEP.BUFFER1", \
	  "BUFFER2", "B_KEEP.BUFFER2", "B_REUSE.BUFFER2", "B_REUSE.B_KEEP.BUFFER2", \
	  "BUFFER3", "B_KEEP.BUFFER3", "B_REUSE.BUFFER3", "B_REUSE.B_KEEP.BUFFER3") \
	X(GMMA_N16, "gmman16", "53:7", SASS_WIDTHS("x16"), SASS_WIDTHS("x8")) \
	X(GMMA_N16_SP, "gmman16sp", "53:7", SASS_WIDTHS("x16"), SASS_WIDTHS("x8"), SASS_WIDTHS("x32")) \
	X(GMMA_N32, "gmman32", "53:6", SASS_WIDTHS("x32")) \
	X(GMMA_N64_SP, "gmman64sp", "53:6", SASS_NO_WIDTHS, SASS_WIDTHS("x64")) \
	X(IGMMA_N, "igmman", "53:6", SASS_INTEGER_WIDTHS("x32", SASS_FIRST)) \
	X(IGMMA_N_SP, "igmmansp", "53:6", SASS_INTEGER_WIDTHS("x64", SASS_SECOND)) \
	X(BGMMA_N, "bgmman", "53:6", SASS_INTEGER_WIDTHS("x256", SASS_ONLY)) \
	X(GMMA_F32, "gmmaf32", "75", "F16", "F32") \
	X(GMMA_TYPE, "gmmatype", "76:2", "", "BF16", "TF32", "!") \
	X(REGOFFSET, "regoffset", "74", "", "REGOFFSET") \
	X(GMMA_SIGNS, "gmmasigns", "72+63+61:2", "", "negA", "negB", "negA.negB", "tnspA", "negA.tnspA", "negB.tnspA", "negA.negB.tnspA", \
		"tnspB", "negA.tnspB", "negB.tnspB", "negA.negB.tnspB", "tnspA.tnspB", "negA.tnspA.tnspB", "negB.tnspA.tnspB", \
		"negA.negB.tnspA.tnspB") \
	X(QGMMA_SIGNS, "qgmmasigns", "72+63", "", "negA", "negB", "negA.negB") \
	X(GMMA_SIGNS_B, "gmmasignsb", "63+62", "", "negB", "tnspB", "negB.tnspB") \
	X(GSB, "gsb", "84:3", "gsb0", "!", "!", "!", "!", "!", "!", "") \
	X(IGMMA_A, "igmmaa", "76:2", "U8", "S8", "!", "!") \
	X(IGMMA_B, "igmmab", "82:2", "U8", "S8", "!", "!") \
	X(QGMMA_A, "qgmmaa", "76", "E4M3", "E5M2") \
	X(QGMMA_B, "qgmmab", "77", "E4M3", "E5M2") \
	X(ROWS, "rows", "0:0", "ROW") \
	X(COLUMNS, "columns", "0:0", "COL") \
	X(F32X2, "f32x2", "0:0", "F32x2.HI_LO", "F32x2.LO_HI", "F32", "?") \
	X(F2FP_TO80, "f2fpto80", "76", "", "BF16") \
	X(F2FP_TO, "f2fpto", "76+86:2", "F16", "BF16", "?", "TF32", "E5M2", "E4M3", "?", "?") \
	X(F2FP_FROM8, "f2fpfrom8", "73", "E5M2", "E4M3") \
	X(F2FP_ROUND, "f2fpround", "79:3", "", "?", "?", "RZ", "?", "?", "?", "?") \
	X(F2FP_ROUND8, "f2fpround8", "79:3", "?", "?", "RP", "RZ", "?", "?", "?", "?") \
	X(F2FP_TO4, "f2fpto4", "76+86:2", "?", "E2M1", "E2M3", "E3M2", "?", "?", "?", "?") \
	X(F2FP_FROM4, "f2fpfrom4", "73:2", "?", "E2M1", "E2M3", "E3M2") \
	X(F2FP_H1, "f2fph1", "88", "", "H1") \
	X(CREDUX, "creduxop", "78:2", "MAX", "MAXABS", "MIN", "MINABS") \
	X(CREDUX_TYPE, "creduxtype", "73:2", "", "S32", "F32", "?") \
	X(CREDUX_NAN, "creduxnan", "77", "", "NAN")

enum sass_modifier_kind {
	MOD_NONE,
#define X(name, ...) MOD_##name,
	SASS_MODIFIER_LISTS(X)
#undef X
	MOD_COUNT
};
/* clang-format on */

/* Values that meanings ask for by name. */
enum sass_round { SASS_ROUND_RN, SASS_ROUND_RM, SASS_ROUND_RP, SASS_ROUND_RZ };
enum sass_fmz { SASS_FMZ_NONE, SASS_FMZ_FTZ, SASS_FMZ_FMZ };

#endif
