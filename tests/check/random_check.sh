#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random kernels (random_check.py): the checks say the same of them whether or not they prove anything beforehand, with native code, and
# on two host threads. What is proved changes the order of warps, and so which of several earlier accesses a race is told with: there
# the places count where something is found, elsewhere every word.
# usage: PTXSIM=PROGRAM random_check.sh [COUNT [FIRST]]
set -u

tests=$(cd "$(dirname "$0")" && pwd)
PTXSIM=$(cd "$(dirname "$PTXSIM")" && pwd)/$(basename "$PTXSIM")
count=${1-50} first=${2-1}
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir watched

# say FILE OPTION...: all that the checks say of it; a kernel that runs for too long is a fault like others.
say() {
	file=$1
	shift
	(cd "$(dirname "$file")" && timeout 60 "$PTXSIM" run --quiet --limit=300000 --max-findings=10000 "$@" k.ptx 2>&1)
	echo "status $?"
}

# What is found, and where.
places() { awk '/^[a-z][^:]*: /{ kind = $1 } /^  at /{ print kind, $2 } /^status/' "$1" | sort -u; }

seed=$first
while [ "$seed" -lt $((first + count)) ]; do
	bad=
	python3 "$tests/random_check.py" "$seed" >k.ptx && python3 "$tests/random_check.py" "$seed" --watched >watched/k.ptx || exit 1
	for check in races unwritten; do
		set -- --check=$check
		say k.ptx "$@" --jobs=1 --native=off >one
		say watched/k.ptx "$@" --jobs=1 --native=off >all
		say k.ptx "$@" --jobs=2 --native=off >two
		say k.ptx "$@" --jobs=1 --native=always >native
		grep -q '^status [01]$' one || bad="$bad $check ends with $(tail -n 1 one);"
		places one >here && places all >there
		cmp -s here there || bad="$bad $check without the proof;"
		cmp -s one two || bad="$bad $check on two threads;"
		cmp -s one native || bad="$bad $check in native code;"
	done
	if [ -z "$bad" ]; then
		passed=$((passed + 1))
	else
		echo "FAIL seed $seed: not the same:$bad"
		failed=$((failed + 1))
	fi
	seed=$((seed + 1))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
