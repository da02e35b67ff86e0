#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh BUILD [REPETITIONS [SCALE]]: what the checks cost on the six benchmarks, one thread: times slower than without, for each check alone
# and for all of --check, all measured in one run by accounting.sh.
set -eu

folder=$(cd "$(dirname "$0")" && pwd)
for check in races unwritten sync ''; do
	printf '%s\n' "--check${check:+=$check}"
	sh "$folder/accounting.sh" "$1" "${2-3}" "${3-0}" "--check${check:+=$check}" |
		awk '$3 == "ms" { printf "  %-10s %5.2f times slower\n", $1, 1 / $6 } /geometric/'
done
