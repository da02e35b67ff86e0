#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ptxsim exec --check: pieces of work that nothing orders, by streams, edges of graphs and launches that begin early. PTXSIM names the command,
# PTXSIM_ORDER_PROGRAM what it runs (order_program.c).
set -u

ptxsim=${PTXSIM-./ptxsim}
program=${PTXSIM_ORDER_PROGRAM-tests/cuda/order_program}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../tools/holds.sh"

check() { "$ptxsim" exec --check "$program" "$@" >"$work/out" 2>&1; }

# told WORD PATTERN...: the program fails, and each pattern stands in a line; with -ordered it says nothing.
told() {
	word=$1
	shift
	check "$word"
	holds "$word fails" [ $? -eq 1 ]
	for pattern; do
		holds "$word: $pattern" grep -q -- "$pattern" "$work/out"
	done
	grep -q 'wrong' "$work/out"
	holds "$word does what it should" [ $? -eq 1 ]
	case $word in
	begins | twice) ;;
	*) holds "$word-ordered is clean" check "$word-ordered" ;;
	esac
}

of_256='global address 0x[0-9a-f]*, byte 0 of an allocation of 256 bytes'
told given "^puts: race: writes $of_256, which cuMemAllocAsync of another stream allocates; nothing orders the two streams"
told freed "^cuMemFreeAsync: race: frees $of_256, which puts of another stream writes at .*; nothing orders the two streams"
check freed
sed -n 's/.*to suppress: //p' "$work/out" >"$work/suppress"
holds 'the line that it prints suppresses it' "$ptxsim" exec --check --suppress "$work/suppress" "$program" freed
holds 'the call that frees is named' grep -q '^  freed by cuMemFreeAsync at order_program.* in main' "$work/out"
told nodes "^doubles: race: reads $of_256, which puts of the same graph writes at .*; nothing orders the two nodes: an edge"
told fork "^doubles: race: reads $of_256, which puts of the same graph writes at .*; nothing orders the two nodes: an edge"
holds 'launches of one graph come one after the other' check again
told early "^doubles: race: reads $of_256, which puts of the same stream writes at .*; it may begin before that has ended"
told begins "^begins: race: reads $of_256, which puts of the same stream writes at"
holds 'what it stores behind its wait is ordered' [ "$(grep -c '^begins: race' "$work/out")" -eq 1 ]
told twice '^double free: cuMemFreeAsync .*, which has been freed already, by cuMemFreeAsync'

echo "$((tried - failed)) of $tried passed, $failed failed"
[ $failed -eq 0 ]
