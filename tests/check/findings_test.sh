#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What becomes of findings: each place once with a count, over copies of a line and over launches; the line that suppresses one; SARIF; the most that are
# kept; the launches after them. PTXSIM names the program.
set -u
ptxsim=${PTXSIM-./ptxsim}
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$folder/../tools/holds.sh"

check() { "$ptxsim" run --quiet --check "$@" >"$work/out" 2>"$work/err"; }
lines() { [ "$(grep -c "$1" "$work/err")" -eq "$2" ]; }

# The compiler has unrolled the loop that reads: four instructions of one line race, and are told once.
check "$folder/planted/global-last-block.ptx"
holds 'a finding fails the run' [ $? -eq 1 ]
holds 'copies of a line are told once' lines '^race:' 1
holds 'with a count' grep -q 'times in all' "$work/err"
sed -n 's/.*to suppress: //p' "$work/err" >"$work/suppress"
holds 'a finding prints the line that suppresses it' \
	[ "$(cat "$work/suppress")" = 'race global-last-block.cu:25 global-last-block.cu:18' ]

holds 'that line does' check --suppress "$work/suppress" "$folder/planted/global-last-block.ptx"
printf '# known\n  race global-last-block.cu:* *  \n' >"$work/pattern"
holds 'so does a pattern' check --suppress "$work/pattern" "$folder/planted/global-last-block.ptx"
echo 'race other.cu:25 global-last-block.cu:18' >"$work/other"
check --suppress "$work/other" "$folder/planted/global-last-block.ptx"
holds 'the line of another finding does not' [ $? -eq 1 ]
printf 'races a.cu:1 b.cu:2\nrace\nrace a.cu:1 *\nra*\n*.cu:3\n' >"$work/doubtful"
check --suppress "$work/doubtful" "$folder/planted/global-last-block.ptx"
holds 'a line of no kind is warned of' grep -q "doubtful:1: warning: .* no kind of finding" "$work/err"
holds 'a line without a place is, too' grep -q "doubtful:2: warning: .* no place" "$work/err"
holds 'others are not' lines 'suppresses nothing' 2
check --suppress "$work" "$folder/planted/global-last-block.ptx"
holds 'a folder suppresses nothing' [ $? -eq 2 ]
check --suppress "$work/absent" "$folder/planted/global-last-block.ptx"
holds 'a suppression file must be there' [ $? -eq 2 ]

check --sarif "$work/found.sarif" "$folder/planted/global-last-block.ptx"
for text in '"version": "2.1.0"' '"ruleId": "race"' '"uri": "global-last-block.cu"' '"startLine": 25' '"startLine": 18' \
	'"thread": "block (7,0,0), thread (0,0,0)"' '"suggestion": ' \
	'"suppression": "race global-last-block.cu:25 global-last-block.cu:18"'; do
	holds "SARIF has $text" grep -q -F "$text" "$work/found.sarif"
done
mkdir "$work/odd"
cp "$folder/planted/global-last-block.ptx" "$work/odd/100% é #1.ptx"
check --sarif "$work/odd.sarif" "$work/odd/100% é #1.ptx"
holds 'paths are references in SARIF' grep -q '"uri": ".*/odd/100%25%20%C3%A9%20%231.ptx"' "$work/odd.sarif"
check --report=json "$folder/planted/global-last-block.ptx"
holds 'the report has the suggestion' grep -q '"suggestion": "nothing orders the two blocks' "$work/out"

# Three launches, in the first and the last of which something is found; the last one's value is right all the same.
sed -e 's/^\/\/@ launch.*/&\n&\n/' "$folder/planted/global-counter.ptx" >"$work/twice.ptx"
check "$work/twice.ptx"
holds 'launches go on after findings' grep -q 'in 2 launches' "$work/err"
holds 'and each place is told once' lines '^race:' "$(sort -u "$work/err" | grep -c '^race:')"
check --max-findings=1 "$folder/planted/warp-reduce.ptx"
holds 'no more findings are kept than asked for' lines '^race:' 1

# What launch lines do to memory stands there, too, with its line.
check --sarif "$work/leak.sarif" "$folder/planted/life-leak.ptx"
for text in '"ruleId": "host"' 'life-leak.ptx' "256 bytes of 'a' leak: nothing frees them" '"startLine": 4'; do
	holds "SARIF of a leak has $text" grep -q -F "$text" "$work/leak.sarif"
done

# Lanes of PTX for a target that knows no independent scheduling step together on later hardware, too.
cat >"$work/slot.ptx" <<'END'
.version 6.4
.target sm_35
.address_size 64
//@ launch k grid=1 block=32
.visible .entry k()
{
	.shared .u32 slot;
	.reg .u32 %r<4>;
	mov.u32 %r1, %laneid;
	st.volatile.shared.u32 [slot], 7;
	ld.shared.u32 %r2, [slot];
	add.u32 %r2, %r2, %r1;
	st.shared.u32 [slot], %r2;
	ret;
}
END
sed 's/sm_35/sm_70/' "$work/slot.ptx" >"$work/later.ptx"
holds 'lanes of older PTX step together' check --arch=sm_90 "$work/slot.ptx"
check --arch=sm_90 "$work/later.ptx"
holds 'those of later PTX need not' [ $? -eq 1 ]

# A loop that looks at the time is not known to spin for ever; but what it waits for is.
cat >"$work/patient.ptx" <<'END'
.version 8.0
.target sm_90
.address_size 64
//@ launch k grid=1 block=32
.visible .entry k()
{
	.shared .align 8 .b64 bar;
	.reg .pred %p<3>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<8>;
	mov.u32 %r1, %tid.x;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 mbarrier.init.shared::cta.b64 [bar], 33;
	bar.warp.sync 0xffffffff;
	mbarrier.arrive.shared::cta.b64 %rd1, [bar];
	mov.u64 %rd2, %globaltimer;
again:
	mbarrier.try_wait.shared::cta.b64 %p2, [bar], %rd1;
	mov.u64 %rd3, %globaltimer;
	sub.u64 %rd4, %rd3, %rd2;
	@!%p2 bra again;
	ret;
}
END
check --limit=20000 "$work/patient.ptx"
holds 'at the limit, the mbarrier that is waited for is named' \
	grep -q 'after 20000 warp instructions; the mbarrier waits for 1 of 33 arrivals .* initialises mbarriers at line 13' "$work/err"

echo "$((tried - failed)) of $tried passed, $failed failed"
[ $failed -eq 0 ]
