#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's programs that bring GPU code of their own, or make it while they run: they must compute on the device what they
# compute on the host. Those that are not installed are skipped, said so. PTXSIM names the command.
set -u

ptxsim=${PTXSIM-./ptxsim}
libcuda=$(dirname "$ptxsim")/.libs/libcuda.so.1
nm -D "$libcuda" 2>/dev/null | grep -q __asan_init && { echo "skipped: only a program under AddressSanitizer can load libraries that are"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

verdict() {
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $1"
		head -n 20 "$work/log"
	fi
}

# frames OUTPUT FILTERS COMMAND...: checksums of three pictures, as the filters leave them.
frames() {
	output=$1 filters=$2
	shift 2
	"$@" ffmpeg -hide_banner -loglevel error -y -init_hw_device cuda=gpu:0 -filter_hw_device gpu -f lavfi -i testsrc=size=192x144:rate=5 \
		-frames:v 3 -vf "$filters" -f framemd5 "$output" >"$work/log" 2>&1
}

if command -v ffmpeg >/dev/null && ffmpeg -hide_banner -filters 2>/dev/null | grep -q ' scale_cuda '; then
	frames "$work/device" format=yuv420p,hwupload_cuda,scale_cuda=96:72:interp_algo=nearest,hwdownload,format=yuv420p "$ptxsim" exec --quiet &&
		ffmpeg -hide_banner -loglevel error -y -f lavfi -i testsrc=size=192x144:rate=5 -frames:v 3 -vf format=yuv420p,scale=96:72:flags=neighbor \
			-f framemd5 "$work/host" 2>>"$work/log" && diff "$work/device" "$work/host" >>"$work/log"
	verdict "FFmpeg scales pictures on the device" $?
	frames "$work/other" format=yuv420p,hwupload_cuda,yadif_cuda,hwdownload,format=yuv420p "$ptxsim" exec --quiet &&
		[ "$(grep -vc '^#' "$work/other")" = 3 ]
	verdict "FFmpeg takes interlaced pictures apart on the device" $?
else
	echo "skipped: FFmpeg's filters: there is no ffmpeg that has them"
fi

cat >"$work/blur.py" <<'END_OF_PROGRAM'
import halide as hl
import numpy as np
x, y, bx, by, tx, ty = (hl.Var(n) for n in ("x", "y", "bx", "by", "tx", "ty"))
a = np.random.default_rng(1).random((60, 90)).astype(np.float32)
edge = hl.BoundaryConditions.repeat_edge(hl.Buffer(a))
def blur(target):
    rows, both = hl.Func("rows"), hl.Func("both")
    rows[x, y] = (edge[x - 1, y] + edge[x, y] + edge[x + 1, y]) / 3
    both[x, y] = hl.sqrt(rows[x, y - 1] + rows[x, y] + rows[x, y + 1])
    if target.has_gpu_feature():
        both.gpu_tile(x, y, bx, by, tx, ty, 16, 16)
        rows.compute_at(both, bx).gpu_threads(x, y)
    return np.array(both.realize([60, 90], target))
difference = np.abs(blur(hl.Target("host-cuda-cuda_capability_70")) - blur(hl.Target("host"))).max()
print("difference", difference)
assert difference < 1e-6
END_OF_PROGRAM
if /usr/bin/python3 -c 'import halide, numpy' 2>/dev/null; then
	"$ptxsim" exec --quiet --trace "$work/calls" /usr/bin/python3 "$work/blur.py" >"$work/log" 2>&1 && grep -q 'cuLaunchKernel(.* = 0' "$work/calls"
	verdict "Halide makes and runs code for the device" $?
else
	echo "skipped: Halide: there is no python3-halide"
fi

# hashcat compiles its kernels by NVRTC. The mask has 10,000 passwords.
nvrtc=$(find -L /usr/local/cuda/lib64 /usr/lib/x86_64-linux-gnu -maxdepth 1 -name 'libnvrtc.so*' 2>/dev/null | head -n 1)
if command -v hashcat >/dev/null && [ -n "$nvrtc" ]; then
	hash=$(printf 4711 | md5sum | cut -d ' ' -f 1)
	HOME=$work LD_LIBRARY_PATH=$(dirname "$nvrtc") timeout 300 "$ptxsim" exec --quiet --trace "$work/calls" hashcat -m 0 -a 3 --quiet --force \
		--backend-ignore-opencl --potfile-disable -n 1 -u 32 "$hash" '?d?d?d?d' >"$work/log" 2>&1
	grep -q "^$hash:4711" "$work/log" && grep -q 'cuLaunchKernel(.* = 0' "$work/calls"
	verdict "hashcat finds a password by its mask" $?
else
	echo "skipped: hashcat: it is not installed, or NVRTC, which it needs, is not"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] || exit 1
[ "$passed" -gt 0 ] || exit 77
