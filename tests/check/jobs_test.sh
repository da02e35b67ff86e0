#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checked launches on several host threads: findings are the same for any number of them, launches without findings use
# several, and memory is what one thread leaves. PTXSIM names the program.
set -u
ptxsim=${PTXSIM-./ptxsim}
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 tried=0

# outcome JOBS KERNEL OPTIONS...: what is found and left, without times.
outcome() {
	jobs=$1 kernel=$2
	shift 2
	"$ptxsim" run --jobs "$jobs" "$@" "$folder/jobs/$kernel.ptx" >"$work/all" 2>&1
	echo "status $?" >>"$work/all"
	sed '/^  time/d; s/, [0-9.]* [kMG]*instr.*//' "$work/all"
}

fail() {
	failed=$((failed + 1))
	echo "FAIL: $*"
}

for kernel in clean border every-block shared-race unwritten-shared unwritten-left unwritten-handed past-the-end; do
	tried=$((tried + 1))
	status=1
	[ "$kernel" = clean ] && status=0
	outcome 1 "$kernel" --check >"$work/one"
	grep -q "^status $status" "$work/one" || fail "$kernel: $(cat "$work/one")"
	for jobs in 2 3; do
		outcome $jobs "$kernel" --check >"$work/more"
		cmp -s "$work/one" "$work/more" || fail "$kernel: $jobs threads find and leave something else"
	done
done
tried=$((tried + 1))
outcome 2 clean --check >/dev/null
grep -q 'on 2 host threads' "$work/all" || fail "a clean launch has one thread"
echo "$((tried - failed)) of $tried passed, $failed failed"
[ $failed -eq 0 ]
