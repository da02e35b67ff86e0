#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oclgrind.sh: what Oclgrind (Debian's package oclgrind) says of the kernels beside it, a line each; docs/checks.md has the result. Not a test of
# ptxsim.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$folder/kernels.cl" "$work"
cd "$work"

sed -n 's/^kernel void \([a-z0-9_]*\)(\([^)]*\)).*/\1 \2/p' kernels.cl | while read -r name arguments; do
	blocks=1 threads=64 bytes=16384
	case $name in
	global_* | clean_bytes | clean_histogram | clean_last_block | clean_spinlock) blocks=4 ;;
	sync_*) threads=32 ;;
	g_*) bytes=256 ;;
	esac
	printf 'kernels.cl\n%s\n%d 1 1\n%d 1 1\n' "$name" $((blocks * threads)) $threads >run.sim
	first=fill=0
	case $name:$arguments in
	init_*,* | clean_padding_copy:* | clean_vector_unused:*) first=noinit ;;
	esac
	echo "<size=$bytes $first uint>" >>run.sim
	case $arguments in
	*', uint n') printf '<size=4 uint>\n33\n' >>run.sim ;;
	*,*) echo "<size=$bytes fill=0 uint>" >>run.sim ;;
	esac
	status=0
	timeout 60 oclgrind-kernel --data-races --uninitialized --max-errors 1 run.sim >told 2>&1 || status=$?
	said=$(grep -v -e 'warnings* generated' -e '^$' told | head -1 || true)
	[ $status -lt 128 ] || said="ended by signal $((status - 128))"
	printf '%-24s %s\n' "$name" "${said:-silent}"
done
