#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Scripted sessions: NAME.script is fed to the debugger, whose output must be NAME.out. The first line of a
# script names the file and options after "#!". Ends with the totals, as the other runners do. PTXSIM
# names the program. With --accept, what is printed becomes what is expected.
set -u

case ${PTXSIM-./ptxsim} in
/*) ptxsim=${PTXSIM-} ;;
*) ptxsim=$(pwd)/${PTXSIM-./ptxsim} ;;
esac
cd "$(dirname "$0")" || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work
export HOME
passed=0
failed=0

for script in *.script; do
	name=${script%.script}
	words=$(sed -n '1s/^#! *//p' "$script")
	# shellcheck disable=SC2086 # several words
	sed 1d "$script" | timeout 120 "$ptxsim" debug $words >"$work/out" 2>&1
	if [ "${1-}" = --accept ]; then
		cp "$work/out" "$name.out"
	fi
	if cmp -s "$work/out" "$name.out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $name"
		diff "$name.out" "$work/out" | head -n 10
	fi
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
