#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Valgrind's memcheck, which follows each uninitialised byte, over the program: each sample, each text of tests/run, and one
# run of every other command. BUILD names the build folder, of the baseline's vectors (valgrind knows no AVX-512); words
# given are files to run instead of all. Prints what valgrind finds, and "N passed, N failed".
set -u

here=$(cd "$(dirname "$0")/../.." && pwd)
ptxsim=${BUILD-.}/ptxsim
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check STATUS WORD...: the command ends so, and valgrind has nothing to say.
check() {
	wanted=$1
	shift
	valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite \
		"$ptxsim" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	if [ "$got" = "$wanted" ] && ! grep -q '^==[0-9]*== ' "$work/err"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAIL: ptxsim $*: status $got, expected $wanted"
	grep '^==' "$work/err" | head -n 20
}

if [ $# = 0 ]; then
	set -- "$here"/samples/*.ptx "$here"/samples/*.sass "$here"/tests/run/*.ptx
	others=yes
fi
for file; do
	check 0 test -j2 "$file"
done
if [ "${others-}" = yes ]; then
	check 0 run --report json -o "$work/r.json" "$here/samples/vecadd.ptx"
	check 0 run --report html -o "$work/r.html" "$here/samples/vecadd.ptx"
	check 0 run --check "$here/samples/vecadd.ptx"
	check 0 check "$here/samples/dot.ptx"
	check 0 info "$here/samples/dot.ptx"
	check 0 isa add
	check 0 compare "$work/r.json" "$work/r.json"
	check 0 debug --batch --ex start --ex 'info registers' --ex 'step 50' --ex reverse-step --ex continue "$here/samples/scan.ptx"
	check 1 debug --batch --ex continue --ex continue "$here/tests/debug/fault.ptx"
	sed 's/ld.param/ld.parm/' "$here/samples/dot.ptx" >"$work/wrong.ptx"
	check 2 check "$work/wrong.ptx"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
