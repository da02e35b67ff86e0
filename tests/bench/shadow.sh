#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shadow.sh BUILD: bytes of shadow that the check of races has for a byte that it looks at: what the process takes beyond a run
# without checks, by what the kernel touches. Needs GNU time.
set -eu

folder=$(cd "$(dirname "$0")" && pwd)
touched=$(((1 << 22) * 4))

# most_kib OPTION...: of memory that a run took.
most_kib() {
	/usr/bin/time -f %M "$build/ptxsim" run --quiet --native=off --jobs=1 "$@" "$folder/shadow.ptx" 2>&1 >/dev/null
}

build=$1
plain=$(most_kib)
checked=$(most_kib --check=races)
awk -v plain="$plain" -v checked="$checked" -v touched="$touched" 'BEGIN {
	printf "%d KiB without checks, %d with: %.2f bytes for a byte that is looked at\n", plain, checked, (checked - plain) * 1024 / touched
}'
