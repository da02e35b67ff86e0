#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shadow.sh BUILD: bytes of shadow that the check of races has for a byte that a kernel accesses: what the process takes beyond
# a run without checks, by the bytes that are read or written, each counted once. Needs GNU time.
set -eu

folder=$(cd "$(dirname "$0")" && pwd)
build=$1

# most_kib KERNEL N BYTES OFFSET OPTION...: of memory that a run takes of N threads, thread i at byte OFFSET of BYTES.
most_kib() {
	kernel=$1 n=$2 bytes=$3 offset=$4
	shift 4
	/usr/bin/time -f %M "$build/ptxsim" run --quiet --native=off --jobs=1 "$@" -k "$kernel" -g $((n / 256)) -b 256 \
		-a "u32[$n] = $offset" -a "u32[$((bytes / 4))]" "$folder/shadow.ptx" 2>&1 >/dev/null
}

# measure WHAT KERNEL N WIDTH BYTES OFFSET: WIDTH bytes are accessed by each thread.
measure() {
	what=$1 kernel=$2 n=$3 width=$4 bytes=$5 offset=$6
	plain=$(most_kib "$kernel" "$n" "$bytes" "$offset")
	checked=$(most_kib "$kernel" "$n" "$bytes" "$offset" --check=races)
	awk -v what="$what" -v plain="$plain" -v checked="$checked" -v touched=$((n * width)) 'BEGIN {
		printf "%-44s %7d KiB without, %7d with: %5.2f\n", what, plain, checked, (checked - plain) * 1024 / touched
	}'
}

m=$((1 << 20))
measure 'neighbouring words' words $((4 * m)) 4 $((16 * m)) '(i ^ 1023) * 4'
measure 'neighbouring halves' halves $((4 * m)) 2 $((8 * m)) '(i ^ 1023) * 2'
measure 'neighbouring bytes' bytes $((4 * m)) 1 $((4 * m)) 'i'
measure 'words, written only' stores $((4 * m)) 4 $((16 * m)) 'i * 4'
measure 'words, read and added to by atomic operations' sums $((4 * m)) 4 $((16 * m)) 'i * 4'
measure 'each word read by 3 threads, another written' stencil $m 8 $((8 * m + 256)) 'i * 4'
measure 'words in any order' words $((4 * m)) 4 $((16 * m)) 'i * (2 * i + 1) % 4194304 * 4'
measure 'every 2nd word' words $((4 * m)) 4 $((32 * m)) 'i * 8'
measure 'every 4th word' words $((4 * m)) 4 $((64 * m)) 'i * 16'
measure 'every 16th word' words $((4 * m)) 4 $((256 * m)) 'i * 64'
measure 'every 16th word, written only' stores $((4 * m)) 4 $((256 * m)) 'i * 64'
measure 'one word in 512 bytes' words $m 4 $((512 * m)) 'i * 512'
measure 'one word in 4096 bytes' words $((m / 16)) 4 $((256 * m)) 'i * 4096'
measure 'halves in any order' halves $((4 * m)) 2 $((8 * m)) 'i * (2 * i + 1) % 4194304 * 2'
measure 'every 16th half' halves $((4 * m)) 2 $((128 * m)) 'i * 32'
