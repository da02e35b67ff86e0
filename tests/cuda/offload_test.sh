#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# OpenMP and OpenACC programs, offloaded by GCC through libcuda.so.1, must give what the host gives, and must run on the device.
# Skipped where GCC 12's offloading to nvptx is not installed. PTXSIM_LIBRARIES names the folder of libcuda.so.1.
set -u

libraries=$(cd "${PTXSIM_LIBRARIES-./.libs}" && pwd) || exit 2
nm -D "$libraries/libcuda.so.1" 2>/dev/null | grep -q __asan_init && { echo "skipped: only a program under AddressSanitizer can load libraries that are"; exit 77; }
cd "$(dirname "$0")/offload" || exit 2
gcc=$(command -v gcc-12) || { echo "skipped: there is no gcc-12"; exit 77; }
"$gcc" -print-file-name=accel/nvptx-none/mkoffload 2>/dev/null | grep -q '^/' || { echo "skipped: gcc-12-offload-nvptx is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

for source in *.c; do
	name=$(basename "$source" .c)
	case $name in
	acc_*) flag=-fopenacc ;;
	*) flag=-fopenmp ;;
	esac
	# An assembler of CUDA 12 or later in the path would refuse the target that GCC's own libraries are built for.
	PATH=/usr/bin:/bin "$gcc" -w -O2 $flag -foffload=nvptx-none '-foffload-options=-misa=sm_35 -lm -latomic' "$source" -o "$work/$name" 2>"$work/log"
	if LD_LIBRARY_PATH=$libraries OMP_TARGET_OFFLOAD=MANDATORY ACC_DEVICE_TYPE=nvidia timeout 120 "$work/$name" >"$work/out" 2>&1 &&
		grep -qx PASSED "$work/out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $name"
		cat "$work/log" "$work/out" 2>/dev/null | head -n 10
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
