#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# OpenMP offloading as GCC makes it: a `teams distribute parallel for reduction`, kept as dot.ptx, with a run time of
# ours; and, where GCC's compiler for nvptx is installed (gcc-12-offload-nvptx), what it makes now, with its own run time.
# PTXSIM names the program. Ends with the totals, as the other runners do.
set -u

here=$(cd "$(dirname "$0")" && pwd)
ptxsim=$(readlink -f "${PTXSIM-./ptxsim}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# runs NAME FILE...: the launches, with the files linked to them, give what is expected.
runs() {
	name=$1
	shift
	if "$ptxsim" run --quiet "$here/launch.ptx" "$@" >"$work/out" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $name"
		head -n 8 "$work/out"
	fi
}

runs "dot.ptx with our run time" "$here/dot.ptx" "$here/runtime.ptx"

# The compiler's assembler wants a ptxas that knows sm_35, or none at all.
compile() {
	cd "$work" && PATH=/usr/bin:/bin "$1" -O2 -fopenmp -foffload=nvptx-none -save-temps "$here/dot.c" -o dot >log 2>&1 &&
		tr '\000' '\001' <dot.xnvptx-none.mkoffload |
		awk 'BEGIN { RS = "\001" } /[.]version/ { file = sprintf("module%02d.ptx", n++); print >file; close(file) }'
}

for gcc in gcc gcc-14 gcc-13 gcc-12; do
	command -v "x86_64-linux-gnu-accel-nvptx-none-$gcc" >/dev/null || continue
	if compile "$gcc"; then
		runs "what $gcc makes of dot.c" "$work"/module*.ptx
	else
		echo "FAIL: $gcc does not compile dot.c"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
