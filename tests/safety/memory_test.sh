#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Memory: what large variables cost, the limit, and every allocation of every command failing in turn, which must end in
# a message and status 2, or make no difference. Ends with the totals. PTXSIM names the program, CC a compiler.
# usage: memory_test.sh [ALLOCATIONS]: how many of each command fail, 60 if left out
set -u

here=$(cd "$(dirname "$0")" && pwd)
samples=$(cd "$here/../../samples" && pwd)
ptxsim=$(realpath "${PTXSIM-./ptxsim}")
most=${1-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# AddressSanitizer takes terabytes of addresses and replaces malloc itself.
if nm -D "$ptxsim" 2>/dev/null | grep -q __asan_init; then
	echo "skipped: under AddressSanitizer addresses cannot be limited, nor allocations made to fail"
	echo "0 passed, 0 failed"
	exit 77
fi

# check WHAT: counts the status of the command before it.
check() {
	if [ "$2" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $1"
		head -c 300 "$work/err" 2>/dev/null
	fi
}

# --- Large variables ---------------------------------------------------------------------------------

# variables COUNT BYTES [INITIAL]: a kernel of a module with such variables, as $work/large.ptx.
variables() {
	{
		printf '.version 8.0\n.target sm_90\n.address_size 64\n'
		for ((k = 0; k < $1; k++)); do
			printf '.global .b8 a%d[%s]%s;\n' "$k" "$2" "${3-}"
		done
		printf '.visible .entry k()\n{\n\t.reg .b32 %%r;\n\tmov.u32 %%r, 1;\n'
		printf '\tst.global.u32 [a0+%s], %%r;\n\tret;\n}\n//@ launch k()\n' "${4-0}"
	} >"$work/large.ptx"
}

# within KILOBYTES STATUS TEXT WORD...: the command's peak of memory, its status and its words.
within() {
	local kilobytes=$1 status=$2 words=$3
	shift 3
	(ulimit -v 40000000; exec /usr/bin/time -f '%M' -o "$work/peak" timeout 60 "$@") >"$work/out" 2>"$work/err" </dev/null
	local got=$? peak
	peak=$(tail -n 1 "$work/peak")
	[ "$got" = "$status" ] && [ "$peak" -le "$kilobytes" ] && cat "$work/out" "$work/err" | grep -qF -e "$words"
	check "$* ended with $got (wanted $status), took $peak KB (at most $kilobytes), and must say '$words'" $?
}

if [ -x /usr/bin/time ]; then
	variables 1 1000000000
	for command in check run test info; do
		within 60000 0 "" "$ptxsim" "$command" "$work/large.ptx"
	done
	variables 1 1000000000 '' 999999996
	within 60000 0 "" "$ptxsim" run "$work/large.ptx"
	variables 1 1000000000 ' = {1, 2, 3}'
	within 60000 0 "" "$ptxsim" run "$work/large.ptx"
	variables 3000 1000000000
	within 80000 0 "" "$ptxsim" check "$work/large.ptx"
	within 80000 2 "--memory-limit" "$ptxsim" run --memory-limit 16G "$work/large.ptx"
	within 80000 2 "--memory-limit" "$ptxsim" test --memory-limit 16G "$work/large.ptx"
	variables 1 100000000000
	within 60000 2 "no memory for 'a0': 100000000000 bytes are more than the limit" "$ptxsim" run "$work/large.ptx"
	within 60000 2 "no memory for 'a0'" "$ptxsim" run --memory-limit 1T "$work/large.ptx"
	variables 1 1000
	within 60000 2 "1000 bytes are more than the limit of 999 leaves" "$ptxsim" run --memory-limit 999 "$work/large.ptx"
	within 60000 0 "" "$ptxsim" run --memory-limit 1K "$work/large.ptx"
	printf '//@ buffer a u8[2000000000]\n//@ launch k()\n.version 8.0\n.target sm_90\n.visible .entry k() { ret; }\n' >"$work/buffer.ptx"
	within 60000 2 "no memory for 'a': 2000000000 bytes are more than the limit" "$ptxsim" run --memory-limit 1G "$work/buffer.ptx"
	truncate -s 1T "$work/sparse.npy"
	printf '//@ buffer a load sparse.npy\n//@ buffer b u8[4] load sparse.npy\n//@ launch k()\n.version 8.0\n.target sm_90\n.visible .entry k() { ret; }\n' >"$work/sparse.ptx"
	within 400000 2 "too large" "$ptxsim" run --memory-limit 100M "$work/sparse.ptx"
	for wrong in 0 -1 x 1Q 99999999999T 1GG ''; do
		within 60000 2 "--memory-limit: expected" "$ptxsim" run "--memory-limit=$wrong" "$work/large.ptx"
	done
else
	echo "skipped: memory of large variables, which GNU time measures"
fi

# --- Failing allocations --------------------------------------------------------------------------------

if ! ${CC-cc} -shared -fPIC -O1 -o "$work/fail.so" "$here/fail_malloc.c" 2>"$work/err"; then
	echo "skipped: failing allocations, which need a C compiler"
	echo "$passed passed, $failed failed"
	exit "$((failed != 0))"
fi
"$ptxsim" run --report json "$samples/vecadd.ptx" >"$work/report.json"
mkdir "$work/folder"
cp "$samples/vecadd.ptx" "$samples/dot.ptx" "$samples/shared_atomic_fermi.sass" "$work/folder"
printf 'break vecadd\nrun\nnext\nprint %%r1\nreverse-step\ninfo registers\nquit\n' >"$work/commands"
initialize='{"seq":1,"type":"request","command":"initialize","arguments":{}}'
printf 'Content-Length: %d\r\n\r\n%s' "${#initialize}" "$initialize" >"$work/editor"

# What differs from run to run: times.
plain() {
	sed -E 's/[0-9.,]+ (ns|us|ms|s)\b/T/g; s/[0-9.,]+ [kMG]?instr\/s/R/g; s/"seconds": ?[-0-9.e]+//g; s/time="[0-9.]*"//g' "$1"
}

# same_output: out is what a run leaves without failures. Mostly letter for letter, which takes no other process to find.
same_output() {
	IFS= read -r -d '' out <"$work/out"
	[ "$out" = "$normal_out" ] || plain "$work/out" | cmp -s - "$work/wanted"
}

# fail_each INPUT WORD...: the command's allocations 1, 2, 3, ... fail, one in each run; then all from there on. Each of these thousands
# of runs is one process, of the command: the library that has them fail ends those that hang, too.
fail_each() {
	local input=$1 normal normal_out out status how n mark
	shift
	"$ptxsim" "$@" >"$work/out.normal" 2>"$work/err" <"$input"
	normal=$?
	IFS= read -r -d '' normal_out <"$work/out.normal"
	plain "$work/out.normal" >"$work/wanted"
	rm -f "$work"/mark.*
	for how in FAIL_ONE FAIL_FROM; do
		for ((n = 1; n <= most; n++)); do
			mark=$work/mark.$how.$n
			(export FAIL_AT=$n FAIL_MARK="$mark" $how=1 LD_PRELOAD="$work/fail.so"; exec "$ptxsim" "$@") \
				>"$work/out" 2>"$work/err" <"$input"
			status=$?
			[ -e "$mark" ] || break
			if [ "$status" = 2 ] && [ -s "$work/err" ]; then
				passed=$((passed + 1))
			elif [ "$status" = "$normal" ] && same_output; then
				passed=$((passed + 1))
			else
				failed=$((failed + 1))
				echo "FAIL: $* ends with $status when allocation $n ($how) fails: $(head -c 200 "$work/err")"
			fi
		done
	done
} 2>/dev/null

if "$ptxsim" --version >/dev/null && ! nm -D "$ptxsim" 2>/dev/null | grep -q __asan_init; then
	fail_each /dev/null --help
	fail_each /dev/null run --help
	fail_each /dev/null check "$samples/vecadd.ptx"
	fail_each /dev/null check "$samples/shared_atomic_fermi.sass"
	fail_each /dev/null info "$samples/vecadd.ptx"
	fail_each /dev/null info --dot "$samples/vecadd.ptx"
	fail_each /dev/null isa add
	fail_each /dev/null isa --json
	fail_each /dev/null isa --sass
	fail_each /dev/null run --jobs 1 "$samples/vecadd.ptx" --save "c=$work/c.npy"
	fail_each /dev/null run --jobs 1 -q "$samples/attention.ptx"
	for kind in text json csv html; do
		fail_each /dev/null run --jobs 1 --report $kind "$samples/lines.ptx"
	done
	fail_each /dev/null run --jobs 1 --annotate "$samples/lines.ptx"
	fail_each /dev/null run --jobs 1 --check "$samples/dot.ptx"
	fail_each /dev/null run --jobs 1 --caches "$samples/dot.ptx" --metrics '*'
	fail_each /dev/null test --jobs 1 "$samples/vecadd.ptx"
	fail_each /dev/null test --jobs 1 --junit "$work/folder"
	fail_each /dev/null compare "$work/report.json" "$work/report.json"
	fail_each /dev/null compare --report html "$work/report.json" "$work/report.json"
	fail_each /dev/null debug --batch -x "$work/commands" "$samples/vecadd.ptx"
	fail_each "$work/editor" dap
else
	echo "skipped: failing allocations, which a sanitizer's build has of its own"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
