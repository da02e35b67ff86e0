#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs with expectations: the samples, what belongs to no sample, and what runs only where asynchronous operations take
# effect at once. PTXSIM names the program.
set -u

ptxsim=${PTXSIM-./ptxsim}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

"$ptxsim" test "$here/../../samples" "$here" >"$work/out" || status=1
"$ptxsim" test --async=eager "$here/../eager" >>"$work/out" || status=1
grep -v '^[0-9]* passed, [0-9]* failed$' "$work/out"
sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/out" |
	awk -v status=$status '{ passed += $1; failed += $2 }
		END { print passed + 0 " passed, " (failed || !status ? failed + 0 : 1) " failed" }'
exit $status
