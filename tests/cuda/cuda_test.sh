#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CUDA programs, built with -cudart shared and run on the simulator, must print what they print on an H200. Skipped where there
# is no nvcc 13. PTXSIM_LIBRARIES names the folder of libcuda.so.1 and libcudart.so.13.
set -u

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
"$nvcc" --version 2>/dev/null | grep -q 'release 13' || { echo "skipped: there is no nvcc 13"; exit 77; }
libraries=$(cd "${PTXSIM_LIBRARIES-./.libs}" && pwd) || exit 2
nm -D "$libraries/libcuda.so.1" 2>/dev/null | grep -q __asan_init && { echo "skipped: only a program under AddressSanitizer can load libraries that are"; exit 77; }
cd "$(dirname "$0")" || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stubs=$(dirname "$nvcc")/../lib64/stubs
passed=0
failed=0

# mask PROGRAM: without what exceptions.txt excepts for it.
mask() {
	awk -F'\t' -v name="$1" '$1 == "all" || $1 == name { print $2 }' exceptions.txt >"$work/exceptions"
	sed -f "$work/exceptions"
}

# compare NAME ARGUMENTS...: runs $work/NAME.
compare() {
	expected=expected/$1.txt
	program=$2
	shift 2
	(cd "$work" && LD_LIBRARY_PATH=$libraries timeout 300 "./$program" "$@" >out 2>&1)
	mask "$program" <"$work/out" >"$work/have"
	mask "$program" <"$expected" >"$work/want"
	if cmp -s "$work/have" "$work/want"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $program $*"
		diff "$work/want" "$work/have" | head -n 20
	fi
}

for source in programs/p0*.cu programs/p10*.cu; do
	name=$(basename "$source" .cu)
	# From its own folder, as __FILE__ has it.
	(cd programs && "$nvcc" -w -arch=sm_90 -cudart shared "$name.cu" -o "$work/$name" -L"$stubs" -lcuda) || { failed=$((failed + 1)); continue; }
	[ "$name" = p09_errors ] || compare "$name" "$name"
done
for scenario in 0 1 2 3 4 5 6; do
	compare "p09_$scenario" p09_errors "$scenario"
done
# The same from machine code alone, and where that is chosen though there is PTX.
cp "$work/p02_vecadd" "$work/both"
for name in p02_vecadd p05_symbols; do
	(cd programs && "$nvcc" -w -gencode arch=compute_90,code=sm_90 -cudart shared "$name.cu" -o "$work/$name" -L"$stubs" -lcuda) &&
		compare "$name" "$name" || failed=$((failed + 1))
done
for code in ptx machine; do
	PTXSIM_CODE=$code LD_LIBRARY_PATH=$libraries PTXSIM_FINDINGS=/dev/null PTXSIM_REPORT=text PTXSIM_REPORT_FILE="$work/report" "$work/both" >/dev/null 2>&1
	case $code$(grep -c 'LDG' "$work/report") in
	ptx0 | machine[1-9]*) passed=$((passed + 1)) ;;
	*) failed=$((failed + 1)) && echo "FAIL: PTXSIM_CODE=$code does not choose" ;;
	esac
done
# Two processes with the same memory.
"$nvcc" -w -arch=sm_90 -cudart shared ../../samples/cuda/processes.cu -o "$work/processes" &&
	[ "$(LD_LIBRARY_PATH=$libraries timeout 300 "$work/processes")" = "15 after the other process" ] && passed=$((passed + 1)) || failed=$((failed + 1))
# Two objects, both with text of their own; linked here from PTX, and by nvcc to machine code.
"$nvcc" -w -arch=sm_90 -rdc=true -cudart shared programs/rdc_a.cu programs/rdc_b.cu -o "$work/rdc" || failed=$((failed + 1))
for code in ptx machine; do
	if [ "$(PTXSIM_CODE=$code LD_LIBRARY_PATH=$libraries "$work/rdc" | tr '\n' ' ')" = "of one object: 21 of the other: 21 PASSED " ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: linked programs from $code"
	fi
done
# Kernels that launch kernels: from PTX, and from machine code linked with the device runtime's.
"$nvcc" -w -arch=sm_90 -rdc=true -cudart shared programs/p12_cdp.cu -lcudadevrt -o "$work/p12_cdp" && compare p12_cdp p12_cdp &&
	PTXSIM_CODE=machine && export PTXSIM_CODE && compare p12_cdp p12_cdp
unset PTXSIM_CODE
# Programs that check themselves: from PTX, from machine code, and with all checks, which have nothing to tell of them.
for source in programs/s*.cu; do
	name=$(basename "$source" .cu)
	"$nvcc" -w -arch=sm_90 -lineinfo -rdc=true -cudart shared "$source" -o "$work/$name" -lcudadevrt || { failed=$((failed + 1)); continue; }
	for how in PTXSIM_CODE=ptx PTXSIM_CODE=machine PTXSIM_CHECK=; do
		: >"$work/findings"
		have=$(env "$how" PTXSIM_FINDINGS="$work/findings" LD_LIBRARY_PATH="$libraries" timeout 300 "$work/$name")
		if [ "$have" = PASSED ] && ! [ -s "$work/findings" ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "FAIL: $name with $how: $have"
			head -n 20 "$work/findings"
		fi
	done
done
${CC-cc} -w -x c programs/probe.c.in -I"$(dirname "$nvcc")/../include" -L"$stubs" -lcuda -ldl -o "$work/probe" && compare probe probe
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
