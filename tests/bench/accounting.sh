#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# accounting.sh BUILD [REPETITIONS [SCALE [OPTION...]]]: what counting costs, or what OPTIONs do (--check, --check=races), at sizes halved SCALE
# times. Runs the six benchmarks on one thread, plain and with every count on, interleaved; prints the processor time of a launch of each, the
# share of full speed that is left, the median of the six shares, and their geometric mean as a factor.
set -eu

build=$1
reps=${2-5}
scale=${3-0}
if [ $# -gt 3 ]; then shift 3; else set -- --report text; fi
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

script() {
	case $1 in
	saxpy) echo "let n = $((1 << (22 - scale)))
buffer x f32[n] uniform 0 1
buffer y f32[n] uniform 0 1
launch saxpy(x, y, 3.0, n) grid=n / 256 block=256" ;;
	matmul) echo "let n = $((512 >> scale))
buffer a f32[n,n] uniform 0 1
buffer b f32[n,n] uniform 0 1
buffer c f32[n,n]
launch matmul(a, b, c, n) grid=n / 16, n / 16 block=16,16" ;;
	mandel) echo "let n = $((1024 >> scale))
buffer r u32[n,n]
launch mandel(r, n, 256, -2.0, -1.5, 3.0 / n) grid=n / 16, n / 16 block=16,16" ;;
	hist) echo "let n = $((1 << (20 - scale)))
buffer in u32[n] random
buffer r u32[256]
launch hist(in, r, n) grid=$((256 >> scale)) block=256" ;;
	transpose) echo "let n = $((2048 >> scale))
buffer a f32[n,n] uniform 0 1
buffer r f32[n,n]
launch transpose(a, r, n) grid=n / 32, n / 32 block=32,8" ;;
	xorshift) echo "let n = $((1 << (18 - scale)))
buffer r u32[n]
launch xorshift(r, 64, n) grid=n / 256 block=256" ;;
	esac
}

# cpu LAUNCHES OPTION...: the seconds of processor time that a run with so many launches takes.
cpu() {
	launches=$1
	shift
	{
		script "$name" | sed '$d'
		while [ "$launches" -gt 0 ]; do
			script "$name" | tail -n 1
			launches=$((launches - 1))
		done
	} >"$work/script"
	(
		"$build/ptxsim" run "$folder/$name.ptx" --script "$work/script" --jobs 1 --heads 0 "$@" >/dev/null
		times >"$work/times" # of this shell, then of what it ran
	)
	tail -n 1 "$work/times" | awk '{ split($1, u, /[ms]/); split($2, s, /[ms]/); print u[1] * 60 + u[2] + s[1] * 60 + s[2] }'
}

# launch OPTION...: the processor time of one launch, without reading, filling and reporting. The shell counts hundredths of a
# second, so there are as many launches as take about a second.
launch() {
	case $name in
	matmul | mandel) more=20 ;;
	*) more=100 ;;
	esac
	few=$(cpu 1 "$@") many=$(cpu $((1 + more)) "$@")
	awk -v a="$few" -v b="$many" -v n="$more" 'BEGIN { print (b - a) / n }'
}

median() {
	sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

printf '%-10s %12s %12s %8s\n' benchmark plain counting share
for name in saxpy matmul mandel hist transpose xorshift; do
	: >"$work/plain"
	: >"$work/counting"
	k=0
	while [ "$k" -lt "$reps" ]; do
		launch >>"$work/plain"
		launch "$@" >>"$work/counting"
		k=$((k + 1))
	done
	plain=$(median <"$work/plain") counting=$(median <"$work/counting")
	awk -v n="$name" -v p="$plain" -v c="$counting" -v f="$work/shares" 'BEGIN {
		printf "%-10s %10.2f ms %10.2f ms %8.3f\n", n, p * 1e3, c * 1e3, p / c; print p / c >> f }'
done
printf 'median share of full speed %.3f\n' "$(median <"$work/shares")"
awk '{ l += log($1) } END { printf "geometric mean: %.2f times slower\n", exp(-l / NR) }' "$work/shares"
