#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench.sh BUILD [--quick] [--reps N] [--json FILE] [--kernels "A B"] [--native WHEN] [--sass]: measures ptxsim against PoCL and
# plain C: the sixteen problems of list.h, then single costs. --native: always (compiled before the first launch), auto, or off, the
# default. --sass: machine code (sm_90a/NAME.cubin, by ptxas 13.0) against PTX. What measures is compiled here: nobody else needs OpenMP
# and OpenCL.
set -eu

build=$(cd "$1" && pwd)
shift
folder=$(cd "$(dirname "$0")" && pwd)
reps=5
json=
kernels=$(sed -n 's/^K(\(.*\))$/\1/p' "$folder/list.h" | tr '\n' ' ')
micro=1
against=peers
native=off
usage="usage: dev bench [--quick] [--reps N] [--json FILE] [--kernels 'A B'] [--native WHEN] [--sass]"
while [ $# -gt 0 ]; do
	case $1 in
	--quick)
		reps=3
		;;
	--sass)
		against=sass
		micro=
		;;
	--reps)
		reps=${2-}
		shift
		;;
	--json)
		json=${2-}
		shift
		;;
	--native)
		native=${2-}
		shift
		;;
	--kernels)
		kernels=${2-}
		micro=
		shift
		;;
	*)
		echo "$usage" >&2
		exit 2
		;;
	esac
	[ $# -gt 0 ] || { echo "$usage" >&2 && exit 2; }
	shift
done

export PTXSIM_NATIVE="$native" PTXSIM_NATIVE_PLUGIN="$build/.libs/libptxsim-native.so"
if [ "$native" != off ] && [ ! -e "$PTXSIM_NATIVE_PLUGIN" ]; then
	echo "bench.sh: --native=$native, but $build has no plug-in (configure --with-native)" >&2
	exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

common="-std=gnu11 -O3 -march=native -fopenmp -I$folder -I$folder/../../src"
objects=
for source in "$folder"/*.c; do
	name=$(basename "$source" .c)
	case $name in
	bench_micro | peer_pocl | calls) continue ;; # programs of their own
	esac
	# Where a bound is allowed the host's compiler may reorder sums and use vector functions, as one would have it.
	if grep -q '^/\* Bounded' "$source"; then flags=-ffast-math; else flags=-ffp-contract=off; fi
	[ "$name" = bench ] || gcc $common $flags -c -o "$work/$name.o" "$source"
	[ "$name" = bench ] || objects="$objects $work/$name.o"
done
pocl=
if gcc $common -c -o "$work/peer_pocl.o" "$folder/peer_pocl.c" 2>/dev/null &&
	gcc -shared -o "$work/try.so" -lOpenCL 2>/dev/null; then
	pocl="-DWITH_POCL"
	objects="$objects $work/peer_pocl.o -lOpenCL"
else
	echo "note: no OpenCL (apt-get install pocl-opencl-icd ocl-icd-opencl-dev opencl-headers); PoCL left out" >&2
fi
gcc $common $pocl -o "$work/bench" "$folder/bench.c" $objects -L"$build/.libs" -Wl,-rpath,"$build/.libs" -lptxsim -lmvec -lm

"$work/bench" "$folder" --reps "$reps" --kernels "$kernels" --against "$against" ${json:+--json "$json"} || failed=1
if [ -n "$micro" ]; then
	"$build/bench-micro" "$folder" || failed=1
fi
exit "${failed-0}"
