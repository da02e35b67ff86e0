#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench.sh BUILD [--quick] [--reps N] [--scale N] [--json FILE] [--kernels "A B"]: measures ptxsim
# against PoCL and plain C. Repetitions of all peers are interleaved, each in a process of its own;
# the table shows medians. Every result is checked bit by bit.
set -eu

build=$1
shift
folder=$(cd "$(dirname "$0")" && pwd)
reps=5
scale=0
json=
micro=1
kernels="saxpy matmul mandel hist transpose xorshift"
while [ $# -gt 0 ]; do
	case $1 in
	--quick)
		reps=3
		scale=2
		;;
	--reps)
		reps=$2
		shift
		;;
	--scale)
		scale=$2
		shift
		;;
	--json)
		json=$2
		shift
		;;
	--kernels)
		kernels=$2
		micro=
		shift
		;;
	*)
		echo "usage: dev bench [--quick] [--reps N] [--scale N] [--json FILE] [--kernels 'A B']" >&2
		exit 2
		;;
	esac
	shift
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=$work/rows
: >"$rows"

peers=ptxsim
if gcc -O3 -march=native -ffp-contract=off -fopenmp -std=gnu11 -o "$work/native" \
	"$folder/native.c" "$folder/problem.c" 2>"$work/log"; then
	peers="$peers native"
else
	echo "note: the plain-C peer does not build on this host; left out" >&2
fi
if gcc -O2 -ffp-contract=off -std=gnu11 -o "$work/cl" "$folder/bench_cl.c" "$folder/problem.c" -lOpenCL \
	2>"$work/log" && POCL_MAX_PTHREAD_COUNT=1 "$work/cl" xorshift 6 1 1 "$folder/kernels.cl" >/dev/null 2>&1; then
	peers="$peers pocl"
else
	echo "note: no OpenCL platform (apt-get install pocl-opencl-icd ocl-icd-opencl-dev); PoCL left out" >&2
fi

# One repetition; a row for the kernel's time, and one (P,...) for the process's.
measure() {
	who=$1 kernel=$2 threads=$3
	begin=$(date +%s%N)
	case $who in
	ptxsim) "$build/bench-run" "$kernel" "$scale" 1 "$threads" "$folder" ;;
	native) "$work/native" "$kernel" "$scale" 1 "$threads" ;;
	pocl) POCL_MAX_PTHREAD_COUNT=$threads "$work/cl" "$kernel" "$scale" 1 "$threads" "$folder/kernels.cl" ;;
	esac >>"$rows" || echo "R,$who,$kernel,$scale,$threads,0,0,0,0,WRONG,0,0" >>"$rows"
	end=$(date +%s%N)
	echo "P,$who,$kernel,$scale,$threads,$((end - begin))" >>"$rows"
}

rep=0
while [ "$rep" -lt "$reps" ]; do
	for kernel in $kernels; do
		for threads in 1 2; do
			for who in $peers; do
				measure "$who" "$kernel" "$threads"
			done
		done
	done
	rep=$((rep + 1))
done

awk -v json="$json" -v kernels="$kernels" -v peers="$peers" -f "$folder/table.awk" "$rows" || failed=1
if [ -n "$micro" ]; then
	"$build/bench-micro" "$folder" || failed=1
fi
exit "${failed-0}"
