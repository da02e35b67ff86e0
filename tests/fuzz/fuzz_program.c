/* SPDX-License-Identifier: Apache-2.0
 *
 * The program whose launches, debugging and editors are fuzzed: branches, a barrier, a call, an atomic, printing,
 * variables of all kinds. And the list of targets.
 */
#include "fuzz_text.h"

#include <string.h>

/* clang-format off */
const char fuzz_program[] =
	".version 8.3\n"
	".target sm_90\n"
	".address_size 64\n"
	".file 1 \"fuzz.cu\"\n"
	".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
	".global .align 1 .b8 text[4] = {37, 100, 10};\n"
	".global .align 16 .b8 table[64] = {1, 2, 3};\n"
	".const .align 4 .f32 factors[4] = {1.0, 2.0, 3.0, 4.0};\n"
	".global .texref pictures;\n"
	".shared .align 16 .b8 tile[256];\n"
	"//@ buffer a u32[64] iota\n"
	"//@ buffer b f32[8,8] iota 0 0.5\n"
	"//@ launch main(a, 64, 1.5) grid=2 block=40\n"
	"//@ expect a[0] = 0\n"
	"//@ launch pair({b, u32:3, f32:1.5})\n"
	".func (.param .b32 r) twice(.param .b32 x)\n"
	"{\n"
	"\t.reg .b32 %r<3>;\n"
	"\tld.param.b32 %r1, [x];\n"
	"\tadd.u32 %r2, %r1, %r1;\n"
	"\tst.param.b32 [r], %r2;\n"
	"\tret;\n"
	"}\n"
	".visible .entry main(.param .u64 a, .param .u32 n, .param .f32 f)\n"
	"{\n"
	"\t.reg .pred %p<3>;\n"
	"\t.reg .b32 %r<9>;\n"
	"\t.reg .b64 %d<5>;\n"
	"\t.reg .f32 %f<4>;\n"
	"\t.local .align 8 .b8 own[16];\n"
	"\t.loc 1 1 0\n"
	"\tmov.u32 %r1, %tid.x;\n"
	"\tld.param.u64 %d1, [a];\n"
	"\tld.param.u32 %r2, [n];\n"
	"\tmov.u32 %r3, 0;\n"
	"\tshl.b32 %r7, %r1, 2;\n"
	"\tmov.u64 %d4, own;\n"
	"\tst.local.u32 [own+4], %r1;\n"
	"\t.loc 1 2 0\n"
	"again:\n"
	"\tsetp.ge.u32 %p1, %r3, 3;\n"
	"\t@%p1 bra done;\n"
	"\tand.b32 %r4, %r1, 1;\n"
	"\tsetp.eq.u32 %p2, %r4, 0;\n"
	"\t@%p2 bra even;\n"
	"\t.loc 1 3 0\n"
	"\t{\n"
	"\t\t.param .b32 x;\n"
	"\t\t.param .b32 y;\n"
	"\t\tst.param.b32 [x], %r3;\n"
	"\t\tcall.uni (y), twice, (x);\n"
	"\t\tld.param.b32 %r5, [y];\n"
	"\t}\n"
	"\tbra next;\n"
	"even:\n"
	"\tatom.global.add.u32 %r5, [%d1], %r1;\n"
	"next:\n"
	"\tadd.u32 %r3, %r3, 1;\n"
	"\tbra again;\n"
	"done:\n"
	"\t.loc 1 4 0\n"
	"\tbar.sync 0;\n"
	"\tmul.wide.u32 %d2, %r1, 4;\n"
	"\tadd.u64 %d3, %d1, %d2;\n"
	"\tld.const.f32 %f1, [factors+4];\n"
	"\tld.param.f32 %f2, [f];\n"
	"\tfma.rn.f32 %f3, %f1, %f2, %f2;\n"
	"\tcvt.rzi.u32.f32 %r6, %f3;\n"
	"\tadd.u32 %r6, %r6, %r5;\n"
	"\tst.global.u32 [%d3], %r6;\n"
	"\tret;\n"
	"}\n"
	".visible .entry pair(.param .align 8 .b8 s[16])\n"
	"{\n"
	"\t.reg .b64 %d<3>;\n"
	"\t.reg .f32 %f<3>;\n"
	"\tld.param.u64 %d1, [s];\n"
	"\tld.global.f32 %f1, [%d1];\n"
	"\tld.param.f32 %f2, [s+12];\n"
	"\tadd.f32 %f1, %f1, %f2;\n"
	"\tst.global.f32 [%d1], %f1;\n"
	"\tret;\n"
	"}\n"
	".visible .entry maps(.param .align 64 .b8 m[128], .param .u64 t)\n"
	"{\n"
	"\t.reg .b64 %d<2>;\n"
	"\t.reg .b32 %r<6>;\n"
	"\tld.param.u64 %d1, [t];\n"
	"\tmov.u32 %r1, %tid.x;\n"
	"\ttex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%d1, {%r1}];\n"
	"\tret;\n"
	"}\n";
/* clang-format on */

const struct fuzz_target fuzz_targets[] = {
	{"text", fuzz_text, true, "PTX and SASS: read, built and run, with one of the vector widths"},
	{"variants", fuzz_variants, true, "the same with all vector widths, which must agree"},
	{"native", fuzz_native, true, "the same interpreted and in native code, which must agree"},
	{"script", fuzz_script, false, "launch lines"},
	{"npy", fuzz_npy, false, "a .npy file"},
	{"json", fuzz_json, false, "two JSON reports to compare"},
	{"debug", fuzz_debug, false, "commands of the debugger"},
	{"dap", fuzz_dap, false, "messages of an editor"},
	{"sass", fuzz_sass, false, "cubins, fat binaries, executables and listings of machine code"},
	{0},
};

const struct fuzz_target *fuzz_target_find(const char *name)
{
	for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}
