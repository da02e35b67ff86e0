#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random kernels in CUDA C (random_cuda.py): what their PTX leaves, their machine code leaves. Needs nvcc.
# usage: PTXSIM=PROGRAM random_cuda.sh [COUNT [FIRST [ARCH [NVCC-OPTION...]]]]
set -u

tests=$(cd "$(dirname "$0")" && pwd)
PTXSIM=$(cd "$(dirname "$PTXSIM")" && pwd)/$(basename "$PTXSIM")
count=${1-20} first=${2-1} arch=${3-sm_90a}
[ $# -lt 3 ] && shift $# || shift 3
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin
if ! command -v nvcc >/dev/null; then
	echo "skipped: there is no nvcc"
	echo "0 passed, 0 failed"
	exit 0
fi
cd "$work" || exit 1
cat >launches <<'END'
buffer in s32[1024] random seed=5
buffer fin f32[1024] normal 0 20 seed=6
buffer out s32[6144] = 0
buffer sums s32[8] = 0
launch k(in, fin, out, sums) grid=8 block=64
save out out.bin
save sums sums.bin
END

# What one view of the kernel leaves, or what was said instead.
leave() {
	"$PTXSIM" run -q --allow-paths --overwrite --arch "$arch" --script launches "$1" >said 2>&1 && cat out.bin sums.bin >"$1.left" || cp said "$1.left"
}

seed=$first
while [ "$seed" -lt $((first + count)) ]; do
	python3 "$tests/random_cuda.py" "$seed" "$arch" >k.cu
	if ! nvcc -w -arch="$arch" "$@" -ptx -o k.ptx k.cu >said 2>&1 ||
		! nvcc -w -arch="$arch" "$@" -cubin -o k.cubin k.ptx >>said 2>&1; then
		echo "FAIL seed $seed: it is not compiled: $(grep -m 1 error said)"
		failed=$((failed + 1))
	else
		leave k.ptx
		leave k.cubin
		if cmp -s k.ptx.left k.cubin.left && [ -s out.bin ]; then
			passed=$((passed + 1))
		else
			echo "FAIL seed $seed: PTX and machine code of $arch differ: $(cmp k.ptx.left k.cubin.left 2>&1 | cut -c 1-80) $(grep -a -m 1 -h 'error\|fault\|address' said)"
			failed=$((failed + 1))
		fi
	fi
	rm -f out.bin sums.bin
	seed=$((seed + 1))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
