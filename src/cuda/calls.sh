#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs/cuda-calls.md, from the tables of calls: which are implemented, and which give CUDA_ERROR_NOT_SUPPORTED (801).
# Variants of a call (_v2, _ptsz, _ptds) are one entry, implemented if its newest is.
set -eu

cd "$(dirname "$0")"

# names TABLE ROWS: base names, sorted.
names() {
	sed -n "s/^\($2\)(\([A-Za-z0-9_]*\).*/\2/p" "$1" | sed 's/_pts[zd]$//; s/_v[0-9]$//' | sort -u
}

# section TITLE TABLE ROWS
section() {
	names "$2" "$3" >"$work/have"
	names "$2" ABSENT >"$work/absent"
	comm -13 "$work/have" "$work/absent" >"$work/none"
	printf '\n## %s\n\n%d calls are implemented, %d are not.\n\nImplemented:\n\n' "$1" "$(wc -l <"$work/have")" "$(wc -l <"$work/none")"
	sed 's/.*/`&`/' "$work/have" | paste -s -d ' ' | fold -s -w 118 | sed 's/ $//'
	printf '\nNot implemented:\n\n'
	sed 's/.*/`&`/' "$work/none" | paste -s -d ' ' | fold -s -w 118 | sed 's/ $//'
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat <<'END'
# Calls of CUDA's interfaces

Made by `src/cuda/calls.sh` from `src/cuda/driver/calls.inc` and `src/cuda/runtime/calls.inc`; do not edit. Every name of both
interfaces is exported. What is not implemented returns `CUDA_ERROR_NOT_SUPPORTED` (801) and appears in the trace
(`ptxsim exec --trace FILE`). Names without suffix stand for all their versions.
END
section "Driver interface (libcuda.so.1)" driver/calls.inc CALL
section "Runtime interface (libcudart.so.12 and .13)" runtime/calls.inc 'CALL\|PASS\|PLAIN'
