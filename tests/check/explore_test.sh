#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --explore and --schedule: what differs under other schedules is told with the one that repeats it; what is right stays right. PTXSIM names the program.
set -u
ptxsim=${PTXSIM-./ptxsim}
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$folder/../tools/holds.sh"
fails() { ! "$@"; }
# Buffers as they are printed.
values() { grep '\[' "$1"; }

# Programs whose result depends on the schedule: updates that are lost, a reset between additions, a missing barrier.
for name in global-counter grid-atomic-mixed block-branch-barriers; do
	file=$folder/planted/$name.ptx
	"$ptxsim" run --explore=12 "$file" >"$work/out" 2>"$work/err"
	holds "$name fails" [ $? -eq 1 ]
	holds "$name differs" grep -q 'differs from the usual result' "$work/err"
	schedule=$(sed -n 's/.*--schedule=//p' "$work/err" | head -n 1)
	"$ptxsim" run --schedule="$schedule" "$file" >"$work/one" 2>&1
	"$ptxsim" run --schedule="$schedule" "$file" >"$work/two" 2>&1
	"$ptxsim" run "$file" >"$work/usual" 2>&1
	holds "$name: $schedule is always the same" [ "$(values "$work/one")" = "$(values "$work/two")" ]
	holds "$name: and not as usual" fails [ "$(values "$work/one")" = "$(values "$work/usual")" ]
done
# A deadlock of the usual schedule is told, too.
"$ptxsim" run --explore=2 "$folder/planted/sync-too-many-warps.ptx" >"$work/out" 2>"$work/err"
holds 'a deadlock fails' [ $? -eq 1 ]
holds 'a deadlock is told' grep -q 'the usual schedule: k: deadlock' "$work/err"

for name in clean-last-block clean-spinlock clean-grid-barrier clean-named-barriers clean-lookback-fence clean-half-exits; do
	holds "$name is the same under all schedules" "$ptxsim" run --explore=12 "$folder/planted/$name.ptx"
done
holds 'a seed must fit' fails "$ptxsim" run --schedule=random:99999999999999999999 "$folder/planted/clean-block-loop.ptx"
holds 'the debugger explores nothing' fails "$ptxsim" debug --batch --explore=3 "$folder/planted/global-counter.ptx"
holds 'a schedule must be known' fails "$ptxsim" run --schedule=best "$folder/planted/global-counter.ptx"

echo "$((tried - failed)) of $tried passed, $failed failed"
[ $failed -eq 0 ]
