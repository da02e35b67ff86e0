#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Machine code: recorded listings of each target decode and print to the letter, and ptxsim disasm reads cubins, fat binaries,
# objects and listings as the vendor's tool prints them; cubins run as PTX does. PTXSIM names the program. Ends with the totals.
set -u

tests=$(cd "$(dirname "$0")" && pwd)
ptxsim=${PTXSIM-./ptxsim}
disasm_run=$(dirname "$ptxsim")/disasm-run
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# verdict NAME: counts the last command's status.
verdict() {
	if [ "$?" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $1"
	fi
}

for target in sm_75 sm_80 sm_86 sm_89 sm_90a sm_100a sm_120a; do
	"$disasm_run" --arch "$target" "$tests/listings/$target.txt.gz" >"$work/out" || cat "$work/out"
	! grep -q 'want' "$work/out" && grep -q ' 0 differ, 0 unknown' "$work/out"
	verdict "the listing of $target"
	"$disasm_run" --arch "$target" "$tests/listings/$target-forms.txt.gz" >"$work/out" || cat "$work/out"
	! grep -q 'want' "$work/out" && grep -q ' 0 differ, 0 unknown' "$work/out"
	verdict "operands that few kernels of $target have"
done
# What nvdisasm 13.0 prints of the code that ptxas makes of tcgen05.
"$disasm_run" --arch sm_100a "$tests/listings/sm_100a-tensor.txt.gz" >"$work/out" || cat "$work/out"
grep -q '^sm_100: 669 instructions, 0 differ, 0 unknown' "$work/out"
verdict "instructions of tensor memory"
"$ptxsim" run -k expand -b 32 --arg u32:0 "$tests/images/tensor.sm_100a.cubin" 2>"$work/out"
[ $? = 2 ] && grep -q 'not modelled: STTM.EXPAND16BIT tmem' "$work/out"
verdict "a store to tensor memory is refused by name"
"$ptxsim" run -k shift -b 32 --arg u32:0 --arg u64:0 "$tests/images/tensor.sm_100a.cubin" 2>"$work/out"
[ $? = 2 ] && grep -q 'not modelled: UTCHMMA.2CTA.ASHIFT tmem' "$work/out"
verdict "a product in tensor memory is refused by name"
for target in sm_75 sm_80 sm_90a sm_100a sm_120a; do
	"$disasm_run" --arch "$target" "$tests/listings/$target-refused.txt.gz" >"$work/out"
	verdict "what is not an instruction of $target is refused"
done

# The same instructions from the cubin, and from the listing that the vendor's tool made of it.
for target in sm_75 sm_80 sm_90a sm_120a; do
	gzip -dc "$tests/images/calls.$target.sass.gz" >"$work/want"
	"$ptxsim" disasm "$tests/images/calls.$target.cubin" | grep -e '/\* 0x' -e 'Function' >"$work/got"
	cmp -s "$work/want" "$work/got"
	verdict "disasm of a cubin of $target"
	{ printf '\tcode for %s\n' "$target" && cat "$work/want"; } >"$work/listing"
	"$ptxsim" disasm "$work/listing" | grep -e '/\* 0x' -e 'Function' | cmp -s "$work/want" -
	verdict "disasm of a listing of $target"
done
"$ptxsim" disasm "$tests/images/calls.sm_100a.cubin" >"$work/out"
verdict "disasm of a cubin of sm_100a"

"$ptxsim" disasm --list "$tests/images/store.elf" "$tests/images/store.fatbin" >"$work/out" 2>&1
status=$?
# Without liblz4 or libzstd, packed images are named and refused.
{ [ $status = 0 ] || grep -q 'which this build cannot unpack' "$work/out"; } && grep -q '^PTX for sm_75' "$work/out" &&
	grep -q '^cubin for sm_90a: ' "$work/out" && grep -q '  kernel k: 16 instructions, 8 registers, 8 bytes of parameters' "$work/out"
verdict "images in an object and in a fat binary"
"$ptxsim" disasm --arch sm_90a --no-hex "$tests/images/store.elf" >"$work/out" && grep -q 'STG.E desc\[UR4\]\[R2.64\], R5 ;' "$work/out" &&
	! grep -q 'sm_80' "$work/out"
verdict "code of one target only"
"$ptxsim" disasm --kernel none "$tests/images/store.elf" 2>"$work/out"
[ $? = 2 ] && grep -q 'no function of that name' "$work/out"
verdict "a kernel that is not there"
"$ptxsim" disasm --control "$tests/images/calls.sm_90a.cubin" | grep -q '/\*0010\*/  W1 R- w:------ s01 y .* LDC.64 R4'
verdict "control bits"
head -c 1000 "$tests/images/calls.sm_90a.cubin" >"$work/short" && "$ptxsim" disasm "$work/short" 2>"$work/out"
[ $? = 2 ] && grep -q 'outside the file' "$work/out"
verdict "a cubin that is cut off"
"$ptxsim" disasm "$0" 2>"$work/out"
[ $? = 2 ] && grep -q 'neither a cubin nor a fat binary nor an executable' "$work/out"
verdict "a file of another kind"

# Two kernels, of which one has an instruction that is not known: the other runs.
gzip -dc "$tests/unmodelled.cubin.gz" >"$work/unmodelled.cubin"
"$ptxsim" run -k good -b 32 --arg 's32[32] = 0' "$work/unmodelled.cubin" >"$work/out" 2>&1 && grep -q '0 1 2 3 4 .*(0 to 31)' "$work/out"
verdict "a kernel beside one that is not modelled"
"$ptxsim" run -k bad -b 32 --arg 's32[32] = 0' "$work/unmodelled.cubin" >"$work/out" 2>&1
[ $? = 2 ] && grep -q 'unmodelled.cubin:9:36: error: unknown encoding: bits 0-11 are 0xfff' "$work/out"
verdict "a kernel that is not modelled"

# out[tid] = tex1Dfetch<float>(t, tid), compiled for sm_90a: 0 names no texture, nor does a number whose lower half does.
gzip -dc "$tests/no_texture.cubin.gz" >"$work/no_texture.cubin"
for handle in 0 0x100000000 7; do
	"$ptxsim" run -k k -b 32 --arg 'f32[32] = 0' --arg "$handle" "$work/no_texture.cubin" >"$work/out" 2>&1
	[ $? = 1 ] && grep -q ' is not a texture, sampler or surface' "$work/out"
	verdict "machine code that looks texture $handle up"
done

# malloc, and free of the same twice in thread 3 (heap.cu): both are told of at the calls, not in what the system supplies.
for target in sm_75 sm_90; do
	"$ptxsim" run -k twice -b 32 --arg 's32[32] = 0' "$tests/images/heap.$target.cubin" >"$work/out" 2>&1
	[ $? = 1 ] && grep -q '^double free' "$work/out" && grep -q '^  at .* in twice: CALL.ABS.NOINC ' "$work/out" &&
		grep -q '^  from heap.cu:7$' "$work/out" &&
		grep -q '  freed by block (0,0,0), thread (3,0,0) at .*heap.cu:5)' "$work/out"
	verdict "where machine code of $target frees twice"
done

# Machine code in place of the PTX that it was made of: the recorded bytes of the same cases.
mkdir "$work/cubins"
for packed in "$tests"/cubins/*.cubin.gz; do
	name=${packed##*/}
	gzip -dc "$packed" >"$work/cubins/${name%.gz}"
done
for pack in scalar-int scalar-float scalar-half scalar-video warp-collective warp-matrix prog-seed prog-apps prog-triton; do
	"$(dirname "$ptxsim")/golden-run" --quiet --cubins "$work/cubins" "$tests/../golden/$pack" >"$work/out" 2>&1 || cat "$work/out"
	grep -q ' 0 failed' "$work/out"
	verdict "the cubins of $pack run"
done

# The same for each target: what its own instructions do. Cases that none of these modules has are not counted; known/TARGET.txt
# says which ones cannot leave what an H200 left, and why.
for folder in "$tests"/cubins/sm_*; do
	target=${folder##*/}
	mkdir "$work/$target"
	known=$tests/known/$target.txt
	[ -f "$known" ] || known=/dev/null
	for packed in "$folder"/*.cubin.gz; do
		name=${packed##*/}
		gzip -dc "$packed" >"$work/$target/${name%.gz}"
	done
	for pack in approx exchange-and-add guarded-forms mixed-forms nan-order scalar-cvt scalar-int scalar-mem warp-async warp-atomics warp-cluster warp-collective warp-control warp-matrix warp-memory warp-sync warp-system warp-wgmma prog-basic prog-crypto prog-lang prog-math prog-memory prog-more prog-tensor; do
		"$(dirname "$ptxsim")/golden-run" --quiet --known "$known" --arch "$target" --cubins "$work/$target" "$tests/../golden/$pack" >"$work/out" 2>&1 ||
			cat "$work/out"
		grep -q ' 0 failed' "$work/out"
		verdict "the cubins of $target run cases of $pack"
	done
done

# Textures and surfaces: the recorded PTX as machine code of each target, and once more (-handles) with handles that the
# assembler cannot know to be alike in all lanes.
for packed in "$tests"/textures/*.cubin.gz; do
	name=$(basename "$packed" .cubin.gz)
	mkdir -p "$work/textures/$name"
	gzip -dc "$packed" >"$work/textures/$name/texture-forms.cubin"
	"$(dirname "$ptxsim")/golden-run" --quiet --known "$tests/textures/known.txt" --arch "${name%-handles}" \
		--cubins "$work/textures/$name" "$tests/../golden/texture-forms" >"$work/out" 2>&1 || cat "$work/out"
	grep -q '^439 passed.* 0 failed' "$work/out"
	verdict "textures and surfaces of $name"
	"$ptxsim" disasm --check=scoreboard "$work/textures/$name/texture-forms.cubin" >"$work/out"
	! grep -v 'R2UR' "$work/out" | grep -q 'reads'
	verdict "the registers of lookups of $name"
done

# Programs in CUDA C (programs/NAME.cu), compiled by nvcc 13.0: what the PTX of sm_90a leaves, the cubins of all targets leave.
mkdir "$work/programs"
for launch in "$tests"/programs/*.launch; do
	name=$(basename "$launch" .launch)
	folder=$work/programs/$name
	mkdir -p "$folder/ptx"
	{
		sed 's|^|//@ |' "$launch"
		gzip -dc "$tests/programs/$name.ptx.gz"
	} >"$folder/ptx/k.ptx"
	ran=true
	"$ptxsim" run "$folder/ptx/k.ptx" >"$work/ptx" 2>&1 || { cat "$work/ptx" && ran=false; }
	grep '^lane' "$work/ptx" >"$folder/ptx/printed.bin"
	for packed in "$tests"/programs/"$name".*.cubin.gz; do
		target=$(basename "$packed" .cubin.gz)
		mkdir "$folder/$target"
		gzip -dc "$packed" >"$folder/$target/k.cubin"
		cp "$launch" "$folder/$target/k.cubin.launch"
		equal=$ran
		"$ptxsim" run "$folder/$target/k.cubin" >"$work/out" 2>&1 || { cat "$work/out" && equal=false; }
		grep '^lane' "$work/out" >"$folder/$target/printed.bin"
		for bytes in "$folder"/ptx/*.bin; do
			cmp "$bytes" "$folder/$target/${bytes##*/}" || equal=false
		done
		$equal
		verdict "machine code of $target leaves what its PTX does"
	done
done

# Grids that kernels launch run behind them, of machine code as of PTX, and have what they print and their faults told.
for name in launches.ptx launches.sm_75.cubin launches.sm_90.cubin launches.sm_120.cubin; do
	"$ptxsim" run "$tests/images/$name" --kernel parent --grid 1 --block 32 --arg 'o=s32[64] = 0' >"$work/$name.left" 2>&1
	[ $? = 0 ] && grep -q '^o  s32\[64\]  1225 233 241 249 257 260' "$work/$name.left"
	verdict "kernels of $name launch kernels"
done
"$ptxsim" run "$tests/images/unlinked.sm_90.cubin" --kernel boss --grid 1 --block 32 --arg 'o=s32[16] = 0' --arg s32:0 >"$work/out" 2>&1
[ $? = 0 ] && grep -q '^kid 8' "$work/out" && grep -q '^kid<<<1, 4>>>: 4 threads' "$work/out" && grep -q ' 7 7 7 7 ' "$work/out"
verdict "a file that is not linked"
"$ptxsim" run "$tests/images/unlinked.sm_90.cubin" --kernel boss --grid 1 --block 32 --arg 'o=s32[16] = 0' --arg s32:100 >"$work/out" 2>&1
[ $? = 1 ] && grep -q 'in kid: STG.E' "$work/out"
verdict "a fault in a kernel that a kernel launched"

# Lanes that spin for ever: a deadlock at the load, and no address that is not its own.
"$ptxsim" run "$tests/images/loop.cubin" --block 32 --arg 'o=s32[1]' >"$work/out" 2>&1
[ $? = 1 ] && grep -q '^deadlock: lanes 0xffffffff spin' "$work/out" && grep -q 'LDG.E.STRONG.SYS R0' "$work/out" &&
	! grep -q 'past its end' "$work/out"
verdict "machine code that spins"

# The scoreboard: what the assembler made is sound; without one wait it is not.
"$ptxsim" disasm --check=scoreboard "$tests/../debug/machine.cubin" | grep -q ' 0 registers not waited for'
verdict "the scoreboard of a kernel"
cp "$tests/../debug/machine.cubin" "$work/machine.cubin" && chmod u+w "$work/machine.cubin" &&
	printf '\017' | dd of="$work/machine.cubin" bs=1 seek=4318 conv=notrunc 2>/dev/null
"$ptxsim" disasm --check=scoreboard "$work/machine.cubin" >"$work/out"
[ $? = 1 ] && grep -q '+0x0150: FFMA R3, R2, R9, 1: reads R2 before the result of 0x00e0 is there: barrier 2 is not waited for' "$work/out"
verdict "a wait that is left out"
"$ptxsim" isa --sass HGMMA | grep -q '^  HGMMA  *-   -   -   -  90   -   -  tensor'
verdict "the table of mnemonics"

# Counts by opcode and by pipe equal the profiler's on an H200; programs whose course depends on the order of warps are named.
"$(dirname "$ptxsim")/metrics-run" --cubins "$tests/cubins" "$tests/counters.csv" "$tests/../golden" >"$work/out" 2>"$work/totals" ||
	{ cat "$work/out"; false; }
verdict "counters by opcode"

# A kernel that calls the driver's functions is granted what these need, as launch__registers_per_thread says on an H200.
gunzip -c "$tests/programs/virt.sm_90a.cubin.gz" >"$work/virt.cubin"
"$ptxsim" disasm --list "$work/virt.cubin" | grep -q '  kernel k: .* 28 registers' &&
	"$ptxsim" info "$work/virt.cubin" | grep -q '32 granted to each thread'
verdict "registers of a kernel that calls malloc"

# Counters of memory likewise: those of whole programs, and of single accesses, whose kernels ptxas made cubins of.
"$(dirname "$ptxsim")/metrics-run" --cubins "$tests/cubins" "$tests/../golden/metrics/programs.csv" "$tests/../golden" >"$work/out" 2>"$work/totals" ||
	{ cat "$work/out"; false; }
verdict "counters of memory of programs"
"$(dirname "$ptxsim")/metrics-run" "$tests/../golden/metrics" "$tests/../golden/metrics" >"$work/out" 2>&1 ||
	{ grep -v -e 'known: ' -e '^not modelled' "$work/out"; false; }
verdict "counters of memory of single accesses"

# Fifteen cases stepped on an H200 with the vendor's debugger: registers and predicates are equal at every step.
mkdir "$work/traced"
cp "$tests"/traced/* "$work/traced"
for name in scalar-float-div scalar-float-fma scalar-half-fma scalar-int-add scalar-int-div warp-collective-shfl-bfly; do
	cp "$tests/cubins/$name.cubin.gz" "$work/traced"
done
"$(dirname "$ptxsim")/trace-run" "$work/traced" "$tests/traced/trace.txt.gz" "$tests/../golden" >"$work/out" || cat "$work/out"
grep -q '^584 steps, ' "$work/out" && grep -q '^15 passed, 0 failed' "$work/out"
verdict "the registers of each step"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
