#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command line as users meet it: exit status and words of each command. Ends with the totals, as the
# other runners do. PTXSIM names the program; run from anywhere.
set -u

here=$(cd "$(dirname "$0")" && pwd)
samples=$here/../../samples
ptxsim=$(realpath "${PTXSIM-./ptxsim}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# expect STATUS TEXT COMMAND...: the command ends so, and its output holds the text.
expect() {
	status=$1 text=$2
	shift 2
	"$@" >"$work/out" 2>&1 </dev/null
	got=$?
	if [ "$got" != "$status" ]; then
		echo "FAIL: $* ended with $got, not $status"
	elif [ -n "$text" ] && ! grep -qF -e "$text" "$work/out"; then
		echo "FAIL: $* does not say '$text':"
		head -n 5 "$work/out"
	else
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
}

cat >"$work/fault.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
//@ buffer a u32[100]
//@ launch k(a) grid=4 block=32
.visible .entry k(.param .u64 a)
{
	.reg .b32 %t, %c;
	.reg .b64 %a;
	ld.param.u64 %a, [a];
	mov.u32 %t, %tid.x;
	mov.u32 %c, %ctaid.x;
	mad.lo.u32 %t, %c, 32, %t;
	mad.wide.u32 %a, %t, 4, %a;
	st.global.u32 [%a], %t;
	ret;
}
END
sed 's/grid=4 block=32/&\n\/\/@ expect fault "address out of bounds"/' "$work/fault.ptx" >"$work/expected.ptx"
sed 's/grid=4 block=32/grid=3 block=32\n\/\/@ expect a[5] = 6/' "$work/fault.ptx" >"$work/wrong.ptx"
sed 's/grid=4 block=32/grid=3 block=32/; s/st.global.u32/st.globl.u32/; s/add/&/' "$work/fault.ptx" >"$work/syntax.ptx"
sed '/^\/\/@/d' "$work/fault.ptx" >"$work/plain.ptx"
: >"$work/empty.ptx"
head -c 5000 /dev/urandom >"$work/noise.ptx"

# says COUNT TEXT: the last command's output has the text in so many lines.
says() {
	lines=$(grep -cF -e "$2" "$work/out")
	if [ "$lines" = "$1" ]; then
		passed=$((passed + 1))
	else
		echo "FAIL: '$2' stands in $lines lines of the last output, not $1"
		failed=$((failed + 1))
	fi
}

# what every command takes; colour
escape=$(printf '\033')
for command in run debug dap view test compare check info isa disasm; do
	expect 0 "Usage: ptxsim $command" "$ptxsim" $command -h
	expect 2 "color is auto, always or never" "$ptxsim" $command --color=pink
done
expect 1 "$escape[1;31maddress out of bounds" "$ptxsim" run --color=always "$work/fault.ptx"
expect 1 "address out of bounds" env NO_COLOR=1 "$ptxsim" run "$work/fault.ptx"
says 0 "$escape"
expect 1 "$escape[1;31mFAIL$escape[0m" "$ptxsim" test --color "$work/wrong.ptx"
expect 2 "$escape[1;31m^~~" "$ptxsim" check --color=always "$work/syntax.ptx"
expect 2 "error" "$ptxsim" check --color=auto "$work/syntax.ptx"
says 0 "$escape"

# a byte order mark before the text
{ printf '\357\273\277' && cat "$samples/vecadd.ptx"; } >"$work/mark.ptx"
expect 0 "" "$ptxsim" check "$work/mark.ptx"
expect 0 "" "$ptxsim" test "$work/mark.ptx"
printf '\357\273\277' >"$work/mark.ptx"
expect 2 "'.version' must come first" "$ptxsim" check "$work/mark.ptx"
# files that are none, and of another kind
for command in check run info debug; do
	expect 2 "the file name is empty" "$ptxsim" $command "" ""
done
: >"$work/empty.ptx"
expect 2 "expected: the file can be run" "$ptxsim" test "$work/empty.ptx"
expect 2 "this is PTX" "$ptxsim" disasm "$samples/vecadd.ptx"

# CUDA programs: what keeps one from being started
expect 0 "Usage: ptxsim exec" "$ptxsim" exec --help
expect 0 "races,unwritten,sync,leaks" "$ptxsim" exec --help
expect 2 "Usage: ptxsim exec" "$ptxsim" exec
expect 2 "there is no such program" "$ptxsim" exec "$work/nothing"
for name in "" . .. / "$work"; do
	expect 2 "'$name': there is no such program" "$ptxsim" exec "$name"
done
expect 2 "unrecognized option '--nothing'" "$ptxsim" exec --nothing true
# where a report or a trace cannot go is found out before the program runs
expect 2 "$work/none/report: No such file" "$ptxsim" exec --report json -o "$work/none/report" touch "$work/has-run"
expect 2 "$work/none/trace: No such file" "$ptxsim" exec --trace "$work/none/trace" touch "$work/has-run"
expect 1 "" test -e "$work/has-run"
printf '\177ELF.nvFatBinSegment' >"$work/static"
expect 2 "linked statically" "$ptxsim" exec "$work/static"

# the page with a file in it, from a page that is made up here
mkdir "$work/page"
for part in main.js engine.worker.js engine.js engine.wasm style.css icon.svg samples.json lessons.json isa.json; do
	echo "$part" >"$work/page/$part"
done
echo '<html><meta charset="utf-8"></html>' >"$work/page/index.html"
echo 'a kernel' >"$work/a'<b>.ptx"
expect 2 "no file given" "$ptxsim" view
expect 2 "'./dev web' builds the page" "$ptxsim" view --page "$work/nothing" "$work/fault.ptx"
expect 2 "No such file" "$ptxsim" view --page "$work/page" "$work/none.ptx"
expect 2 "one file at a time" "$ptxsim" view --page "$work/page" "$work/fault.ptx" "$work/fault.ptx"
expect 2 "there is no port 70000" "$ptxsim" view --port 70000 "$work/fault.ptx"
expect 0 "viewed/index.html" "$ptxsim" view --page "$work/page" --write "$work/viewed" "$work/a'<b>.ptx"
expect 0 'content="a&#39;&#60;b&#62;.ptx"' cat "$work/viewed/index.html"
expect 0 "a kernel" cat "$work/viewed/file.txt"
expect 0 "ok" python3 "$here/view_client.py" "$ptxsim" view --page "$work/page" "$work/fault.ptx"

# Names in files reach the terminal without its control characters. expect_plain WORDS...: no escape is printed.
expect_plain() {
	"$ptxsim" "$@" >"$work/printed" 2>&1 </dev/null
	expect 1 "" grep -q "$(printf '\033')" "$work/printed"
}
machine=$here/../debug/machine.cubin
LC_ALL=C sed "s/_Z5scale/$(printf '\033')[7mcale/g" "$machine" >"$work/named.cubin"
expect_plain info "$work/named.cubin"
expect_plain disasm "$work/named.cubin"
expect_plain disasm --list "$work/named.cubin"
LC_ALL=C sed "s/machine\.cu/$(printf '\033')[7mine.cu/g" "$machine" >"$work/from.cubin"
expect_plain run --block 64 --kernel _Z5scalefPKfPfi --arg f32:2 --arg f32[1] --arg f32[1] --arg b32:40 "$work/from.cubin"
expect_plain run --report text --kernel _Z5scalefPKfPfi --arg f32:2 --arg f32[64] --arg f32[64] --arg b32:40 "$work/from.cubin"
sed "s/^\.address_size 64/&\n.file 1 \"$(printf '\033')[7m\"/; s/^{/{\n.loc 1 3 1/" "$work/fault.ptx" >"$work/from.ptx"
expect_plain run "$work/from.ptx"
printf '\033[7m here\n' >"$work/quiet"
expect_plain run --check --suppress "$work/quiet" "$work/fault.ptx"

# the man page has every option
sed 's/\\-/-/g; s/\\f[BRI]//g' "$here/../../man/ptxsim.1" >"$work/man"
for command in run debug dap view test compare check info isa disasm exec; do
	"$ptxsim" $command --help | grep -oE -e ' --[a-z][a-z0-9-]*' | sort -u >"$work/options"
	while read -r option; do
		expect 0 "" grep -q -e "$option" "$work/man"
	done <"$work/options"
	# no option hides another of the same name
	"$ptxsim" $command --help | grep -oE -e '^ {2,6}(-., +)?--[a-z][a-z0-9-]*' | grep -oE -e '--.*' | sort | uniq -d >"$work/twice"
	expect 1 "" grep . "$work/twice"
done

# completion: words, one a line
expect 0 "compare" "$ptxsim" complete comp
expect 0 "--metrics" "$ptxsim" complete run --met
expect 0 "--report=html" "$ptxsim" complete run --report=h
expect 0 "html" "$ptxsim" complete run --report = h
expect 0 "row_sums" "$ptxsim" complete run "$samples/lines.ptx" -k ""
expect 0 "branch.executed,shared.conflicts" "$ptxsim" complete run --metrics branch.executed,shared.conf
expect 0 "sm_90a" "$ptxsim" complete check --arch sm_9
expect 0 "sarif" "$ptxsim" complete check --format s
expect 0 "always" "$ptxsim" complete test --color=a
expect 0 "--native=always" "$ptxsim" complete run --native=al
expect 0 "allocation" "$ptxsim" complete run --bounds al
expect 0 "" "$ptxsim" complete run samp
says 0 "s"
if command -v bash >/dev/null; then
	expect 0 "json" bash -c ". $here/../../completions/ptxsim; COMP_WORDS=('$ptxsim' run --report = j) COMP_CWORD=4; _ptxsim; echo \"\${COMPREPLY[@]}\""
fi

# check for programs
expect 2 '"severity": "error"' "$ptxsim" check --format=json "$work/syntax.ptx"
says 1 '"line": 15'
expect 2 '"startLine": 15' "$ptxsim" check --format=sarif "$work/syntax.ptx" "$work/plain.ptx"
says 1 '"level": "error"'
says 1 '"version": "2.1.0"'
expect 0 '"results": []' "$ptxsim" check --format=sarif "$work/plain.ptx"
expect 2 '"message": "No such file or directory"' "$ptxsim" check --format=json "$work/nothing.ptx"
expect 2 "--format is text, json or sarif" "$ptxsim" check --format=xml "$work/plain.ptx"

# isa by prefix
expect 0 "ld[.weak]" "$ptxsim" isa ld.global
says 0 "ld.param"
expect 0 "add[.rn|.rz][.ftz][.sat].f32" "$ptxsim" isa add.f32
says 0 "add(.u16"
expect 1 "unknown instruction 'ld.globl'" "$ptxsim" isa ld.globl

# files that have errors, and folders that have no tests, are wrong usage for test as for run
sed 's/@ launch/@ lunch/' "$work/fault.ptx" >"$work/typo.ptx"
for command in run test check; do
	expect 2 "typo.ptx:5:5: error: no such statement" "$ptxsim" $command "$work/typo.ptx"
done
mkdir "$work/folder"
expect 2 "no .ptx, .sass or .cubin file with //@ launch lines" "$ptxsim" test "$work/folder"
cp "$work/plain.ptx" "$work/folder"
expect 2 "no .ptx, .sass or .cubin file with //@ launch lines" "$ptxsim" test "$work/folder"

# reports and what kernels print
cat >"$work/print.ptx" <<'END'
//@ launch k()
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.global .align 1 .b8 text[9] = {112, 114, 105, 110, 116, 101, 100, 10, 0};
.visible .entry k()
{
	.reg .b64 %d;
	.param .b32 r;
	.param .b64 f;
	.param .b64 v;
	mov.u64 %d, text;
	cvta.global.u64 %d, %d;
	st.param.b64 [f], %d;
	st.param.b64 [v], 0;
	call (r), vprintf, (f, v);
	ret;
}
END
for kind in text json csv html; do
	expect 0 "" sh -c "'$ptxsim' run --report $kind '$work/print.ptx' 2>'$work/printed'"
	expect 1 "" grep -qx printed "$work/out"
	expect 0 "printed" cat "$work/printed"
	expect 0 "printed" "$ptxsim" run --report $kind -o "$work/report" "$work/print.ptx"
	expect 0 "" test -s "$work/report"
	expect 1 "" grep -qx printed "$work/report"
done
expect 2 "-o is for --report" "$ptxsim" run -o "$work/report" "$work/print.ptx"
expect 2 "No such file or directory" "$ptxsim" run --report json -o "$work/no/report" "$work/print.ptx"
expect 1 '"kind": "out_of_bounds"' "$ptxsim" run --report json "$work/fault.ptx"
# Counts of a launch that stops in a guarded instruction hold only what was counted: none falls below zero.
sed 's/st.global/@%g st.global/; s/.reg .b64 %a;/& .reg .pred %g;/; s/mad.wide/setp.gt.u32 %g, %t, 98;\n\t&/' "$work/fault.ptx" >"$work/guarded.ptx"
expect 1 '"launch.predicated_off"' "$ptxsim" run --report json "$work/guarded.ptx"
cp "$work/out" "$work/counts"
expect 1 "" grep -E '"[a-z]+[.][a-z_.]+": (-|[0-9]{13})' "$work/counts"

# what is not PTX, and what to do with it
printf '#include <cstdio>\n__global__ void k() {}\n' >"$work/source.cu"
expect 2 "source.cu' is CUDA C++, not PTX" "$ptxsim" run "$work/source.cu"
says 1 "hint: 'nvcc -ptx -lineinfo $work/source.cu' makes PTX of it"
expect 2 "is an ELF file: a program, a library or an object, not PTX" "$ptxsim" check /bin/sh
says 1 "hint: 'cuobjdump -ptx /bin/sh' gets the PTX out"
printf '\177ELF\2\1\1\63\7\0\0\0\0\0\0\0\2\0\276\0' >"$work/code.cubin"
expect 2 "is a cubin: machine code, not PTX" "$ptxsim" check "$work/code.cubin"
printf '; ModuleID = "k"\ntarget triple = "nvptx64-nvidia-cuda"\n' >"$work/code.ll"
expect 2 "is LLVM assembly, not PTX" "$ptxsim" check "$work/code.ll"
gzip -c "$work/plain.ptx" >"$work/plain.ptx.gz"
expect 2 "is compressed, not PTX" "$ptxsim" check "$work/plain.ptx.gz"
printf '// as in #include\n// __global__ void k()\n' | cat - "$work/plain.ptx" >"$work/spoken.ptx"
expect 0 "ok" "$ptxsim" check "$work/spoken.ptx"

# launch lines: what they do and what they are told when they are wrong
mkdir "$work/lines"
back=$(pwd)
cd "$work/lines" || exit 2
grep -v '^#' "$here/lines.txt" | sed 's/^\([0-9]\) | /\1|/; s/ | /|/' >"$work/rows"
while IFS='|' read -r status text lines; do
	{ cat "$here/lines.ptx" && printf '%s\n' "$lines" | sed 's/ ;; /\n/g' | sed 's|^|//@ |'; } >lines.ptx
	expect "$status" "$text" "$ptxsim" test lines.ptx
done <"$work/rows"
cd "$back" || exit 2

# check, of several files together
expect 0 "" "$ptxsim" check --quiet --arch sm_90a "$samples/vecadd.ptx"
expect 2 "" "$ptxsim" check --arch sm_1 "$samples/vecadd.ptx"
expect 0 "" "$ptxsim" check --link "$samples/vecadd.ptx"
expect 0 "kernel vecadd" "$ptxsim" info --arch sm_100 "$samples/vecadd.ptx"

# the debugger's exit status
expect 1 "address out of bounds" "$ptxsim" debug -batch -ex c -ex c "$work/fault.ptx"
expect 0 "has ended" "$ptxsim" debug -batch -ex c -ex c "$samples/vecadd.ptx"

# breakpoints are saved with all that they ask for, and set again from the file
points=$work/points
cat >"$work/want" <<'END'
break SMALL block 1 warp 0 lane 3 if %i > 2
commands
  p %tid.x
end
tbreak MEET
disable $bpnum
watch %i
END
{ echo run && sed 's/\$bpnum/2/' "$work/want" && echo "save breakpoints $points"; } >"$work/save"
expect 0 "3 saved in $points" sh -c "'$ptxsim' debug '$here/../debug/calls.ptx' <'$work/save'"
expect 0 "" cmp "$work/want" "$points"
expect 0 "Watchpoint 3: changes of %i" "$ptxsim" debug -batch -ex run -ex "source $points" "$here/../debug/calls.ptx"

# races, each with a twin
expect 0 "0 failed" "$ptxsim" test --check "$here/../check/races.ptx"
expect 0 "" "$ptxsim" test --check=races,unwritten "$samples"
expect 1 "an atomic operation depends on memory that nothing had written" "$ptxsim" run --check=unwritten "$here/../check/planted/init-histogram.ptx"
expect 1 "no barrier" "$ptxsim" run --check=races "$here/../check/races.ptx" --kernel block --block 64 --arg 'u32[1]' --arg 0
expect 0 "" "$ptxsim" run "$here/../check/races.ptx" --kernel block --block 64 --arg 'u32[1]' --arg 0
memory=$here/../lifetime
expect 0 "" "$ptxsim" test "$here/../run/const_written.ptx"
expect 1 "read-only" "$ptxsim" test --check "$here/../run/const_written.ptx"
expect 0 "" "$ptxsim" run --quiet --check "$memory/clean.ptx"
expect 1 "was freed before, at line 5" "$ptxsim" run --quiet "$memory/double-free.ptx"
expect 1 "16 bytes inside 'a'" "$ptxsim" run --quiet "$memory/free-interior.ptx"
expect 1 "256 bytes of 'a' leak" "$ptxsim" run --quiet --check=leaks "$memory/leak.ptx"
expect 0 "" "$ptxsim" run --quiet "$memory/leak.ptx"
expect 1 "freed allocation: a" "$ptxsim" run --quiet "$memory/stale-pointer.ptx"
expect 1 "life-use-after-free.cu:11" "$ptxsim" run --quiet "$memory/use-after-free.ptx"
sed 's/^\.visible \.entry k(/.visible .entry other() { ret; }\n&/; /^\/\/@/d' "$work/fault.ptx" >"$work/two.ptx"
expect 0 "Launch 1: k" "$ptxsim" debug --batch --kernel k --block 32 --arg "u32[32]" --ex c "$work/two.ptx"
expect 2 "there are 2 kernels" "$ptxsim" debug --batch --block 32 "$work/two.ptx"
expect 2 "--launch is for --exec" "$ptxsim" debug --batch --launch 1 "$work/two.ptx"
expect 2 "--counters are not for --exec" "$ptxsim" debug --batch --counters --exec true
expect 2 "unrecognized option '--grid'" "$ptxsim" debug --batch --grid 3 --exec true
expect 2 "--exec takes no files" "$ptxsim" debug --batch "$work/two.ptx" --exec true
expect 2 "--check is for run and test" "$ptxsim" debug --batch --check "$here/../check/races.ptx"
expect 2 "--check is some of races, unwritten, sync, leaks, neighbours, provenance, nan, denormals, overflow, plain-reads, lane-stores, not 'all'" "$ptxsim" run --check=all "$here/../check/races.ptx"

expect 1 "no barrier (bar.sync, __syncthreads) comes between" "$ptxsim" run -q --check=races "$here/../check/advice.ptx" --kernel shift --block 64
says 1 "race: "
says 0 "__syncwarp"
expect 1 "an atomic operation (red, atom; atomicAdd and its like)" "$ptxsim" run -q --check=races "$here/../check/advice.ptx" \
	--kernel count --block 32 --arg 'u32[1]'
says 0 "__syncwarp"
expect 1 "let one thread store" "$ptxsim" run -q --check=races "$here/../check/advice.ptx" --kernel store --block 64 --arg 'u32[1]'
expect 1 "comes between the rounds of the loop" "$ptxsim" run -q --check=races "$here/../check/advice.ptx" --kernel rounds --block 64
expect 1 '"more_faults"' "$ptxsim" run -q --check=races --report json "$here/../check/advice.ptx" --kernel count --block 64 --arg 'u32[1]'

# launches whose blocks wait for one another; targets that there are not
grid=$here/../run/grid_sync.ptx
expect 1 "perhaps for want of a cooperative launch" "$ptxsim" run "$grid" -k k -g 2 -b 32 -a 'u32[64] iota' -a 'u32[64]'
expect 0 "" "$ptxsim" run "$grid" -k k -g 2 -b 32 -a 'u32[64] iota' -a 'u32[64]' --cooperative
expect 2 "a cooperative launch of 65535 blocks is too large: sm_80 runs " "$ptxsim" run "$grid" -k k -g 65535 -b 32 \
	-a 'u32[64] iota' -a 'u32[64]' --cooperative
expect 2 "cooperative launches need sm_60" "$ptxsim" run "$work/plain.ptx" -g 1 -b 32 -a 'u32[100]' --cooperative \
	--arch sm_50
printf '.version 8.0\n.target sm_999\n.visible .entry k() { ret; }\n' >"$work/target.ptx"
expect 2 "target.ptx:2:9: error: target 'sm_999' is not known" "$ptxsim" check "$work/target.ptx"

# the device runtime is there; what a kernel asks for without arguments it is refused, and goes on
{
	printf '.version 8.0\n.target sm_80\n.address_size 64\n.extern .func __cudaCDP2LaunchDeviceV2;\n'
	printf '.visible .entry k() { call __cudaCDP2LaunchDeviceV2; ret; }\n'
} >"$work/child.ptx"
expect 0 "1 thread in 1 block" "$ptxsim" run "$work/child.ptx" -g 1 -b 1

# help and usage
expect 0 "Usage: ptxsim" "$ptxsim" --help
expect 2 "Usage: ptxsim" "$ptxsim"
expect 2 "there is no command 'fly'" "$ptxsim" fly
expect 0 "ptxsim 0." "$ptxsim" --version
for command in run compare test check info isa; do
	expect 0 "Usage: ptxsim $command" "$ptxsim" "$command" --help
done
for command in run test check info; do
	expect 2 "given" "$ptxsim" "$command"
	expect 2 "No such file" "$ptxsim" "$command" "$work/missing.ptx"
	expect 2 "unrecognized option" "$ptxsim" "$command" --wrong
done

# bash completion
# complete TEXT WORD...: completing the last of the words, behind the program's name, offers TEXT.
complete() {
	text=$1
	shift
	expect 0 "$text" bash -c 'complete() { :; }; . "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ptxsim
		printf "%s\n" "${COMPREPLY[@]}"' bash "$here/../../completions/ptxsim" "$ptxsim" "$@"
}
complete check ch
complete --limit run --li
complete sm_90a run --arch sm_9
complete samples/vecadd.ptx run "$samples/vec"

# run
expect 0 "2 of 2 expectations hold" "$ptxsim" run "$samples/vecadd.ptx"
expect 0 "8,448 threads in 33 blocks" "$ptxsim" run "$samples/vecadd.ptx" --jobs 1
expect 1 "address out of bounds" "$ptxsim" run "$work/fault.ptx"
expect 1 "fault.ptx:15:2" "$ptxsim" run "$work/fault.ptx"
expect 1 "block (3,0,0), thread (4,0,0)" "$ptxsim" run "$work/fault.ptx"
expect 0 "1 of 1 expectations hold" "$ptxsim" run "$work/expected.ptx"
expect 1 "a[5]: got 5, wanted 6" "$ptxsim" run "$work/wrong.ptx"
expect 2 "syntax.ptx:15:" "$ptxsim" run "$work/syntax.ptx"
expect 2 "has no //@ launch lines" "$ptxsim" run "$work/plain.ptx"
cp "$here/../debug/machine.cubin" "$work/bare.cubin"
echo '# nothing yet' >"$work/bare.cubin.launch"
expect 2 "bare.cubin.launch has no launch lines, which should say how to launch" "$ptxsim" run "$work/bare.cubin"
rm "$work/bare.cubin.launch"
mkdir "$work/bare.cubin.launch"
expect 2 "bare.cubin.launch: Is a directory" "$ptxsim" run "$work/bare.cubin"
expect 2 "bare.cubin has no //@ launch lines" sh -c 'rmdir "$1".launch && "$2" run "$1"' - "$work/bare.cubin" "$ptxsim"
expect 0 "a  u32[128]" "$ptxsim" run "$work/plain.ptx" --grid 4 --block 32 --arg 'a=u32[128]'
expect 2 "1 parameter, but 2 arguments" "$ptxsim" run "$work/plain.ptx" --arg 1 --arg 2
mangled=$here/../run/mangled.ptx
expect 2 "'scale' names 2 kernels" "$ptxsim" run "$mangled" -k scale
expect 2 "kernels: void scale<float>(float*, float, int); void scale<double>(double*, double, int)" "$ptxsim" run "$mangled" -k scale
expect 0 "" "$ptxsim" run "$mangled" -k one --arg 's32[4]' --block 4
expect 0 "" "$ptxsim" run "$mangled" -k 'scale<float>(float*,float,int)' --arg 'f32[4]' --arg 1 --arg 4 --block 4
expect 0 "symbol        _Z3onePi" "$ptxsim" info -k one "$mangled"
expect 2 "there is no kernel 'x'" "$ptxsim" run "$work/plain.ptx" --kernel x --arg 1
expect 2 "is not a float" "$ptxsim" run "$work/plain.ptx" --arg 1.5
expect 2 "error" "$ptxsim" run "$work/plain.ptx" --block 2048 --arg 'a=u32[128]'
expect 2 "--jobs: expected a whole number" "$ptxsim" run "$samples/vecadd.ptx" --jobs 0
expect 2 "unknown kind of report 'xml'" "$ptxsim" run "$samples/vecadd.ptx" --report xml
expect 2 "error" "$ptxsim" run "$work/empty.ptx"
expect 2 "noise.ptx' is no text" "$ptxsim" run "$work/noise.ptx"
expect 2 "cuobjdump -ptx" "$ptxsim" check "$ptxsim"
expect 2 "Is a directory" "$ptxsim" run "$work"
expect 2 "names no variant" env PTXSIM_VARIANT=none "$ptxsim" run "$samples/vecadd.ptx"
expect 2 "names no variant" env PTXSIM_VARIANT=none "$ptxsim" dap
expect 1 "deadlock" "$ptxsim" run "$samples/spinlock.ptx" --arch sm_60
# Blocks that poll sleep meanwhile: in the square of their number these would take 13 million.
expect 0 "expectation" "$ptxsim" run "$here/../run/polls_backwards.ptx" --limit 2000000
expect 0 "expectation" "$ptxsim" run "$here/../run/polls_barrier.ptx" --limit 2000000
expect 2 "--async is strict, eager" "$ptxsim" run "$samples/mma_tile.ptx" --async late
for mode in strict eager random random:7; do
	expect 0 "3 of 3 expectations hold" "$ptxsim" run "$samples/mma_tile.ptx" --async="$mode"
	expect 0 "2 passed" "$ptxsim" test "$samples/wgmma_ring.ptx" --async="$mode"
done
grep -v 'cp.async.wait_group' "$samples/mma_tile.ptx" >"$work/unwaited.ptx"
expect 1 "is still writing: the program has not waited for it" "$ptxsim" test "$work/unwaited.ptx"
cat >"$work/fenced.ptx" <<'END'
.version 8.3
.target sm_90a
.address_size 64
//@ buffer A u32[8,32] iota
//@ buffer B u32[16]
//@ buffer M b8[128]
//@ launch k(tmap(A box=2,8), M, B) block=32
//@ expect B[i] = i % 8 + (i / 8) * 32
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 m, .param .u64 out)
{
	.reg .b64 p, q, o, s;
	.reg .b32 t, v;
	.reg .pred first, done;
	.shared .align 128 .b8 tile[64];
	.shared .align 8 .b64 bar;
	mov.u32 t, %tid.x;
	ld.param.u64 p, [m];
	mul.wide.u32 o, t, 4;
	add.u64 s, p, o;
	mov.u64 q, map;
	add.u64 q, q, o;
	ld.param.b32 v, [q];
	st.global.b32 [s], v;
	setp.eq.u32 first, t, 0;
	@first mbarrier.init.shared.b64 [bar], 1;
	bar.sync 0;
	@first tensormap.replace.tile.element_stride.global.b1024.b32 [p], 0, 1;
	fence.proxy.tensormap::generic.release.gpu;
	bar.sync 0;
	fence.proxy.tensormap::generic.acquire.gpu [p], 128;
	@first mbarrier.arrive.expect_tx.shared.b64 q, [bar], 64;
	@first cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [p, {0, 0}], [bar];
WAIT:
	mbarrier.try_wait.parity.shared.b64 done, [bar], 0;
	@!done bra WAIT;
	setp.lt.u32 first, t, 16;
	mov.u64 s, tile;
	add.u64 s, s, o;
	@first ld.shared.b32 v, [s];
	ld.param.u64 p, [out];
	add.u64 p, p, o;
	@first st.global.b32 [p], v;
	ret;
}
END
grep -v acquire "$work/fenced.ptx" >"$work/unfenced.ptx"
expect 0 "1 passed" "$ptxsim" test "$work/fenced.ptx"
expect 1 "no fence.proxy.tensormap::generic.acquire came between" "$ptxsim" test "$work/unfenced.ptx"
expect 0 "1 passed" "$ptxsim" test --async=random:3 "$work/fenced.ptx"
cat >"$work/map.txt" <<'END'
buffer A f16[64,256]
launch wgmma_ring(tmap(A box=64,128 swizzle=128), tmap(A box=64,64), A, 64) block=160
END
expect 2 "a row of the box is longer than the swizzle's span" "$ptxsim" run "$samples/wgmma_ring.ptx" --script "$work/map.txt"

# the source that the compiler read, through two calls that it inlined
cat >"$work/inlined.ptx" <<'END'
.version 8.0
.target sm_80
.address_size 64
.file 1 "outer.cu"
.file 2 "inner.h"
//@ launch k()
.visible .entry k()
{
	.reg .b64 %d;
	.loc 1 30 3
	mov.b64 %d, 0;
	.loc 1 20 5, function_name middle, inlined_at 1 30 3
	.loc 2 10 7, function_name names+7, inlined_at 1 20 5
	st.global.u32 [%d], 5;
	ret;
}
.section .debug_str
{
names:
.b8 99,99,99,99
.b8 99,99,0,0x5a,51,105,110,110,0
middle:
.b8 95,90,51,109,105,100,0
}
END
expect 1 "  from inner.h:10 in Z3inn" "$ptxsim" run "$work/inlined.ptx"
expect 1 "  inlined at outer.cu:20 in _Z3mid" "$ptxsim" run "$work/inlined.ptx"
expect 1 "  inlined at outer.cu:30" "$ptxsim" run "$work/inlined.ptx"

# limits
expect 0 "2 of 2 expectations hold" "$ptxsim" run "$samples/vecadd.ptx" --limit 5808
expect 1 "instruction limit reached: after 5807 warp instructions" "$ptxsim" run "$samples/vecadd.ptx" --limit 5807
expect 1 "32 blocks finished, of 33" "$ptxsim" run "$samples/vecadd.ptx" --limit 5807 --jobs 1
expect 1 "recursion.ptx" "$ptxsim" run "$samples/recursion.ptx" --limit 10

# Blocks that wait for the whole grid cost instructions in proportion to their number, not to its square.
cat >"$work/grid.ptx" <<'END'
.version 7.8
.target sm_90
.address_size 64
//@ buffer count u32[1]
//@ launch k(count) grid=1024 block=32
.visible .entry k(.param .u64 p)
{
	.reg .pred %q; .reg .b32 %v; .reg .b64 %a;
	ld.param.u64 %a, [p];
	mov.u32 %v, %tid.x;
	setp.ne.u32 %q, %v, 0;
	@%q ret;
	atom.add.global.u32 %v, [%a], 1;
again:	ld.acquire.gpu.u32 %v, [%a];
	setp.lt.u32 %q, %v, 1024;
	@%q bra again;
	ret;
}
END
expect 0 "count" "$ptxsim" run "$work/grid.ptx" --limit 1500000

# small launches that check themselves
expect 0 " passed, 0 failed" "$ptxsim" test "$here/../run"

# data in and out
expect 0 "" "$ptxsim" run "$samples/vecadd.ptx" --save "c=$work/c.npy" --save "a=$work/a.bin" --quiet
expect 0 "b  f16[8]  0 0 50 2050 -70 0.5 1234 -1" "$ptxsim" run "$work/plain.ptx" --arg "b=f16[8] values 1 1 50 2050 -70 0.5 1234 -1"
expect 0 "a  f32[8448]  0 1.5 3 4.5" "$ptxsim" run "$work/plain.ptx" --arg "a=load $work/c.npy"
expect 2 "bytes, the buffer" "$ptxsim" run "$work/plain.ptx" --arg "a=u32[3] load $work/a.bin"
# a .npy file that cannot be used is not taken for raw bytes, not even where their number fits
sed 's/<f4/>f4/' "$work/c.npy" >"$work/big.npy"
bytes=$(wc -c <"$work/big.npy")
expect 2 "big.npy: its element type is not supported" "$ptxsim" run "$work/plain.ptx" --arg "a=u8[$bytes] load $work/big.npy"
head -c 1000 "$work/c.npy" >"$work/short.npy"
expect 2 "short.npy: its data is cut short" "$ptxsim" run "$work/plain.ptx" --arg "a=u8[1000] load $work/short.npy"
# nor is one of another type of the same size taken for the buffer's, unless the values are the same or the buffer is of bits
expect 2 "c.npy: it holds f32, the buffer u32" "$ptxsim" run "$work/plain.ptx" --arg "a=u32[8448] load $work/c.npy"
says 1 "hint: a buffer of b32 takes the bits as they are"
expect 0 "" "$ptxsim" run "$work/plain.ptx" --arg "a=b32[8448] load $work/c.npy"
expect 0 "" "$ptxsim" run "$work/plain.ptx" --arg "a=u32[64] iota 5" --save "a=$work/u.npy"
expect 0 "" "$ptxsim" run "$work/plain.ptx" --arg "a=s32[64] load $work/u.npy"
expect 0 "" "$ptxsim" run "$work/plain.ptx" --arg "a=s32[64] iota -9" --save "a=$work/s.npy" --block 8
expect 2 "s.npy: it holds s32, the buffer u32" "$ptxsim" run "$work/plain.ptx" --arg "a=u32[64] load $work/s.npy"

# shifts that the type has not enough bits for; names that are not seen
for shift in '1 << 64' '1 >> 64' '1 << -1'; do
	expect 2 "a shift by less than 0 or more than 63 bits" "$ptxsim" run "$work/plain.ptx" --arg "$shift"
done
expect 2 "'': No such file" "$ptxsim" disasm ""
expect 2 "'': the file name is empty" "$ptxsim" run ""
expect 2 "'': No such file" "$ptxsim" test ""

# the same bytes and counts for any number of threads and any vector width
timeless() {
	sed '/^  time/d; s/, [^,]*instr\/s$//'
}
# kernels that show the order of blocks: the same for any number of threads, and right in any order
for program in exchange timer allocate print overwrite; do
	"$ptxsim" run "$here/../threads/$program.ptx" --jobs 1 --heads 100000 | timeless >"$work/one"
	for jobs in 2 3 8; do
		"$ptxsim" run "$here/../threads/$program.ptx" --jobs $jobs --heads 100000 | timeless >"$work/two"
		expect 0 "" cmp "$work/one" "$work/two"
		expect 0 "" "$ptxsim" run "$here/../threads/$program.ptx" --jobs $jobs --any-order
	done
done
for jobs in 2 4 8; do
	for round in 1 2 3 4; do
		expect 0 "1 of 1 expectations hold" "$ptxsim" run "$here/../threads/ring.ptx" --set rounds=20 --jobs $jobs --any-order
		expect 0 "" "$ptxsim" run "$here/../run/grid_sync.ptx" --jobs 64 --any-order
		expect 1 "is not a multimem address" timeout 60 "$ptxsim" run "$here/../threads/multimem_fault.ptx" --jobs $jobs --any-order
	done
done
for jobs in '--jobs 1' '--jobs 4' '--jobs 4 --any-order'; do
	# shellcheck disable=SC2086
	expect 1 "waiting blocks: (0,0,0) to (39,0,0); block (40,0,0) cannot become resident before one of them ends: sm_75 holds 40" \
		timeout 60 "$ptxsim" run "$here/../threads/too_many.ptx" $jobs
	# shellcheck disable=SC2086
	expect 1 "what they look at is 0x28, which line 19 of this kernel could change: load of 4 bytes at global address 0x" \
		timeout 60 "$ptxsim" run "$here/../threads/too_many.ptx" $jobs
	# shellcheck disable=SC2086
	expect 0 "1 of 1 expectations hold" timeout 60 "$ptxsim" run "$here/../threads/too_many.ptx" --set blocks=40 $jobs
done
for sample in "$samples"/*.ptx; do
	"$ptxsim" run "$sample" --jobs 1 --heads 100000 | timeless >"$work/one"
	for variant in baseline avx2 avx512; do
		PTXSIM_VARIANT=$variant "$ptxsim" run "$sample" --jobs 2 --heads 100000 >"$work/all" 2>&1
		if grep -q "names no variant" "$work/all"; then
			continue
		fi
		timeless <"$work/all" >"$work/two"
		expect 0 "" cmp "$work/one" "$work/two"
	done
done

# What memory accesses cost
tile=$samples/transpose.ptx
expect 0 "32-way bank conflict, 5,952 wavefronts more" "$ptxsim" run -q "$tile" --report text
expect 0 "padded on sm_75: nothing costs more than it must" "$ptxsim" run -q "$tile" --report text
expect 0 '"shared.conflicts": 5952' "$ptxsim" run "$tile" --report json
expect 0 "tiled shared.conflicts 5952" "$ptxsim" run -q "$tile" --metrics 'gld_efficiency,shared.conf*'
expect 2 "unknown counter 'nope'" "$ptxsim" run -q "$tile" --metrics shared.conflicts,nope
expect 0 "shared_efficiency" "$ptxsim" run --metrics help
expect 0 "5,952   182  " "$ptxsim" run -q "$tile" --annotate
expect 0 "limited by warps" "$ptxsim" run -q "$tile" --report text
expect 0 "1,naive,launch,,,,,launch.warps,192" "$ptxsim" run "$tile" --report csv
expect 0 '1,naive,instruction,'"$tile"',118,,"ld.global.f32 %f1, [%rd5]",global.lines,192' "$ptxsim" run "$tile" --report csv
expect 0 "tiled launch.blocks 1" "$ptxsim" run -q "$tile" --metrics launch.blocks --of-block 2
expect 2 "is for --report json and csv" "$ptxsim" run -q "$tile" --per-block
expect 2 "is at most" "$ptxsim" run -q "$tile" --per-block=1000000000 --report csv
# The blocks' counts add up to the launch's, and only as many are told as were asked for.
"$ptxsim" run -q "$tile" --report csv --per-block | awk -F, '
	$3 == "launch" && $8 ~ /^(shared|global|memory)\./ && $8 !~ /efficiency|per_request/ { whole[$1 $8] = $9 }
	$3 ~ /^block / { sum[$1 $8] += $9 }
	END { for (k in whole) { n += whole[k] > 0; if (whole[k] != sum[k] + 0) print k, whole[k], sum[k] }; print "compared", (n > 20) }' >"$work/blocks"
expect 0 "compared 1" cat "$work/blocks"
expect 0 "differences 0" awk 'END { print "differences", NR - 1 }' "$work/blocks"
"$ptxsim" run -q "$tile" --report csv --per-block=2 >"$work/blocks"
expect 0 "blocks 2" awk -F, '$3 ~ /^block / { if (!seen[$3]++) n++ } END { print "blocks", n }' "$work/blocks"
expect 0 "occupancy.limit_registers 1" "$ptxsim" run -q "$tile" --metrics 'occupancy.*' --registers 40

expect 0 "matmul l2.read.hits 1152" "$ptxsim" run -q "$samples/matmul.ptx" --metrics 'l2.read.hits' --caches
expect 0 "tiled l2.read.misses 0" "$ptxsim" run -q "$tile" --metrics 'l2.read.misses' --caches=warm
expect 2 "--caches is cold or warm" "$ptxsim" run -q "$samples/matmul.ptx" --caches=hot

# By lines of the source, inlined ones among them
lines=$samples/lines.ptx
expect 0 "3,072 wavefront         2,944    10  " "$ptxsim" run -q "$lines" --annotate
expect 0 "lines.cu:10                                       256 shared            3,072          2,944" "$ptxsim" run -q "$lines" --report text
expect 0 "1,row_sums,source_line,lines.cu,10,_Z7row_sumPKfi,,shared.conflicts,2944" "$ptxsim" run "$lines" --report csv
expect 0 "1,row_sums,source_line_inlined,lines.cu,23,,,launch.instructions,784" "$ptxsim" run "$lines" --report csv
expect 0 '"function": "_Z7row_sumPKfi"' "$ptxsim" run "$lines" --report json

# The page: one file that needs no network; what it shows is looked at where there is a browser
"$ptxsim" run "$lines" --report html >"$work/page.html"
expect 0 '"kind":"report","title":' cat "$work/page.html"
expect 1 "" grep -E '(src|href)="?(https?:)?//' "$work/page.html"
"$ptxsim" run "$tile" --report json >"$work/a.json"
sed 's/^\.target .*/.target sm_20/; s/^\.version .*/.version 3.0/' "$tile" >"$work/fermi.ptx"
"$ptxsim" run "$work/fermi.ptx" --report json >"$work/b.json"
expect 0 "the other " "$ptxsim" compare "$work/a.json" "$work/b.json"
expect 0 "on sm_75, B is" "$ptxsim" compare "$work/a.json" "$work/b.json"
expect 0 "counters are the same" "$ptxsim" compare "$work/a.json" "$work/a.json"
expect 2 "two files" "$ptxsim" compare "$work/a.json"
echo '{"ptxsim_report": 1, "arch": "sm_90", "launches": []}' >"$work/old.json"
expect 2 "not a report of this version" "$ptxsim" compare "$work/a.json" "$work/old.json"
expect 2 "expected near" "$ptxsim" compare "$work/a.json" "$tile"
"$ptxsim" compare "$work/a.json" "$work/b.json" --report html >"$work/compare.html"
expect 0 '"kind":"compare"' cat "$work/compare.html"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
# shows PAGE TEXT: what the page's script makes of it holds the text.
shows() {
	expect 0 "$2" timeout 120 "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=5000 --dump-dom "file://$1"
}
if [ -n "$browser" ]; then
	shows "$work/page.html" '<section id="summary" aria-labelledby="summary-title">'
	shows "$work/page.html" 'limited by blocks'
	shows "$work/page.html" '<strong>24-way bank conflict, 2,944 wavefronts more than needed in 128 executions</strong>'
	shows "$work/page.html" 'all 24 lanes in bank 0: stride 32 words'
	shows "$work/page.html" '<dfn>A wavefront</dfn> is a pass of shared memory through its banks'
	shows "$work/page.html" 'row_sums: grid'
	"$ptxsim" run -q "$work/fault.ptx" --report html >"$work/failed.html" 2>/dev/null
	shows "$work/failed.html" '<pre class="fault code">address out of bounds: store of 4 bytes'
	"$ptxsim" run -q "$samples/mandelbrot.ptx" --report html >"$work/diverged.html"
	shows "$work/diverged.html" '<option value="launch.idle_lanes" selected="">'
	shows "$work/diverged.html" 'class="low"'
	shows "$work/page.html" 'rgba(var(--heat), 0.700)">2,944</td><td class="text">		sum += tile[row * 32 + k];'
	shows "$work/page.html" 'aria-label="Banks by lane: 24 lanes in 1 bank, 24 wavefronts"'
	shows "$work/page.html" 'Degree 24: 128'
	shows "$work/page.html" 'Active lanes of 4 warps'
	shows "$work/page.html" '_Z7row_sumPKfi'
	# a line of the source is chosen, another theme, another counter
	sed 's#^</body>#<script>document.querySelector("[data-key=\\"slines.cu\\"] tr[data-line=\\"20\\"] button").click();\
		document.getElementById("theme").click();</script>&#' "$work/page.html" >"$work/chosen.html"
	shows "$work/chosen.html" 'aria-label="Sectors by lane: 32 lanes, 4 sectors in 1 line of 128 bytes"'
	shows "$work/chosen.html" '<html lang="en" data-theme="light">'
	shows "$work/chosen.html" '<tr class="chosen same" data-line="20">'
	shows "$work/chosen.html" '<tr class="same" data-line="47">'
	shows "$work/compare.html" '<td class="number">66.67 %</td>'
else
	echo "skipped: no chromium, so that the pages were not opened"
fi

# Each counter, by each of its names, can be expected
"$ptxsim" run --metrics help | sed -n 's/^| `\([^`]*\)` | [^|]* | .* | \(.*\)|$/\1 \2/p' | tr -d '`,' >"$work/names"
"$ptxsim" run "$lines" --report csv | sed -n 's/^1,row_sums,launch,,,,,\([^,]*\),/\1 /p' >"$work/values"
counters=0
while read -r name aliases; do
	value=$(sed -n "s/^$name //p" "$work/values")
	for alias in $name $aliases; do
		echo "//@ expect count $alias == $value" >>"$work/expectations"
		counters=$((counters + 1))
	done
done <"$work/names"
sed '/^\/\/@ expect/d' "$lines" | sed "/^\/\/@ launch/r $work/expectations" >"$work/counters.ptx"
expect 0 "$counters of $counters expectations hold" "$ptxsim" run "$work/counters.ptx"
expect 0 "block 0, warp 0: cost 32, ideal 1: all 32 lanes in bank 0" "$ptxsim" run -q "$tile" --explain 182
expect 2 "no memory access of line 3" "$ptxsim" run -q "$tile" --explain 3
sed 's#^//@ launch tiled.*#&\n//@ expect count shared.conflicts == 5952#' "$tile" >"$work/conflicts.ptx"
expect 0 "5 of 5 expectations hold" "$ptxsim" run "$work/conflicts.ptx"
sed 's#^//@ launch tiled.*#&\n//@ expect count shared.conflicts == 0#' "$tile" >"$work/conflicts.ptx"
expect 1 "shared.conflicts is 5952, wanted == 0" "$ptxsim" run "$work/conflicts.ptx"

sed 's/^\.target .*/.target sm_30/' "$tile" >"$work/kepler.ptx"
expect 0 "tiled shared.load.conflicts 2880" "$ptxsim" run -q "$work/kepler.ptx" --metrics shared.load.conflicts --bank-mode 8
expect 0 "naive global.load.transactions 192" "$ptxsim" run -q "$work/kepler.ptx" --metrics gld_transactions --l1 on
expect 0 "naive global.load.transactions 768" "$ptxsim" run -q "$work/kepler.ptx" --metrics gld_transactions --l1 off
expect 2 "--bank-mode is 4 or 8" "$ptxsim" run "$tile" --bank-mode 5

# test, check, info, isa
expect 0 " passed, 0 failed" "$ptxsim" test "$samples"
expect 1 "0 passed, 1 failed" "$ptxsim" test "$work/wrong.ptx"
expect 1 "line 6: expect a[5] = 6" "$ptxsim" test "$work/wrong.ptx"
expect 1 "not ok 1" "$ptxsim" test --tap "$work/wrong.ptx"
expect 1 "<failure>" "$ptxsim" test --junit "$work/wrong.ptx"
expect 1 "no //@ launch lines" "$ptxsim" test "$work/plain.ptx"
expect 0 "1 kernel, 0 functions" "$ptxsim" check "$work/plain.ptx"
expect 2 "syntax.ptx:15:" "$ptxsim" check "$work/syntax.ptx"
expect 0 "kernel mandelbrot" "$ptxsim" info "$samples/mandelbrot.ptx"
expect 0 "lanes meet again" "$ptxsim" info --cfg "$samples/mandelbrot.ptx"
expect 0 "digraph" "$ptxsim" info --dot "$samples/mandelbrot.ptx"
expect 0 "    in all      " "$ptxsim" info --native "$samples/mandelbrot.ptx"
# Kernels of which nothing is compiled say why.
{
	printf '.version 9.0\n.target sm_75\n.address_size 64\n.visible .entry long() {\n.reg .b32 %%r<2>;\n'
	yes 'add.u32 %r1, %r1, 1;' | head -n 60000
	printf 'ret;\n}\n'
} >"$work/long.ptx"
expect 0 "in all      none: it has 60003 decoded instructions, more than 60000" "$ptxsim" info --native "$work/long.ptx"
{
	printf '.version 9.0\n.target sm_75\n.address_size 64\n.visible .entry wide(.param .u64 to) {\n.reg .b32 %%r<9001>;\n'
	printf '.reg .b64 %%d;\nld.param.u64 %%d, [to];\n'
	for of in 'ld.global.u32 %%r%d, [%%d];\n' 'st.global.u32 [%%d], %%r%d;\n'; do
		# shellcheck disable=SC2059 # a format
		printf "$of" $(seq 9000)
	done
	printf 'ret;\n}\n'
} >"$work/wide.ptx"
expect 0 "bytes a warp, more than 1048576" "$ptxsim" info --native "$work/wide.ptx"
expect 0 "in all      none: functions that are called are interpreted" "$ptxsim" info --native --kernel fib "$samples/recursion.ptx"
expect 2 "ptxsim run: PTXSIM_NATIVE is auto, always or off, not 'perhaps'" env PTXSIM_NATIVE=perhaps "$ptxsim" run "$samples/saxpy.ptx"
expect 0 "saxpy<<<40, 256>>>" env PTXSIM_NATIVE=perhaps "$ptxsim" run --native=off "$samples/saxpy.ptx"
expect 0 "native        none: machine code is interpreted" "$ptxsim" info --native "$samples/fermi/reduce.sass"
expect 1 "no kernel or function" "$ptxsim" info --kernel x "$samples/mandelbrot.ptx"
for target in sm_90a sm_100a sm_120a; do
	gzip -dc "$here/../forms/hopper-$target.ptx.gz" >"$work/forms.ptx"
	case $target in
	sm_90a) expect 0 "1 kernel, 0 functions, 2962 instructions: ok" "$ptxsim" check "$work/forms.ptx" ;;
	sm_120a) expect 0 "1 kernel, 0 functions, 249 instructions: ok" "$ptxsim" check "$work/forms.ptx" ;;
	*) expect 1 "is not modelled" "$ptxsim" check "$work/forms.ptx" ;;
	esac
	if grep -q "error:" "$work/out"; then
		echo "FAIL: forms that the assembler takes for $target are refused:"
		grep -m 3 "error:" "$work/out"
		failed=$((failed + 1))
	fi
done
printf '\t.target\tsm_90a\n\t/*0000*/ LDC R1, c[0x0][0x28] ;\n' >"$work/later.sass"
expect 2 "machine code for sm_90a is not modelled: listings of sm_20 and sm_21 are" "$ptxsim" check "$work/later.sass"
expect 0 "6 of 63 for each thread" "$ptxsim" info "$samples/fermi/reduce.sass"
expect 0 "SSY 0x88" "$ptxsim" info --cfg "$samples/fermi/reduce.sass"
expect 0 "retries 31, longest loop 32" "$ptxsim" run --report text "$samples/fermi/contend.sass"
# The atomic of the twin is that loop up to sm_37, and an instruction from sm_50 on.
expect 0 "lock.rounds 32" "$ptxsim" run --metrics lock.rounds "$samples/fermi/contend.ptx"
expect 0 "lock.rounds 32" "$ptxsim" run --arch sm_35 --metrics lock.rounds "$samples/fermi/contend.ptx"
expect 1 "lock.rounds is 0, wanted == 1" "$ptxsim" run --arch sm_50 "$samples/fermi/contend.ptx"
expect 0 "36 of 36 expectations hold" "$ptxsim" run --lock-order random:7 "$samples/fermi/contend.sass"
expect 2 "lock-order is lowest or random:SEED" "$ptxsim" run --lock-order first "$samples/fermi/contend.sass"
last_word=$here/../run/last_word.ptx
expect 1 "at byte 0 of it" "$ptxsim" test --bounds=object "$last_word"
expect 1 "3 of 4 expectations hold" "$ptxsim" test --bounds=word "$last_word"
expect 1 "1 of 4 expectations hold" "$ptxsim" test --bounds=allocation "$last_word"
expect 2 "bounds is object, word or allocation, not 'page'" "$ptxsim" run --bounds=page "$last_word"
expect 0 "tries to take the word" "$ptxsim" isa --sass LDSLK
expect 0 "add(.u16" "$ptxsim" isa add
expect 0 '"form": "add.sat.s32"' "$ptxsim" isa --json add
expect 1 "unknown instruction 'addd'" "$ptxsim" isa addd
"$ptxsim" isa --markdown >"$work/instructions.md"
# Made by ./dev docs: run it after a change of the table.
expect 0 "" cmp "$work/instructions.md" "$here/../../docs/instructions.md"
"$ptxsim" isa --sass --markdown >"$work/mnemonics.md"
expect 0 "" cmp "$work/mnemonics.md" "$here/../../docs/mnemonics.md"

# Editors' messages that no editor sends: answered, whatever they hold.
message() { printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"; }
request() { message "{\"seq\":1,\"type\":\"request\",\"command\":\"$1\",\"arguments\":{$2}}"; }
{
	request initialize ''
	request stackTrace '"threadId":-9223372036854775808'
	request launch "\"program\":\"$work/fault.ptx\",\"stopOnEntry\":true"
	request setBreakpoints "\"source\":{\"path\":\"/$(printf '%0700d' 0)\"},\"breakpoints\":[{\"line\":9223372036854775807}]"
	request breakpointLocations '"source":{"path":"a"},"line":9223372036854775800,"endLine":9223372036854775807'
	request configurationDone ''
	request stackTrace '"threadId":1,"startFrame":1,"levels":4294967295'
	request completions '"text":"pri","column":-9223372036854775808'
	request disconnect ''
} >"$work/messages"
# what is not of the protocol
for input in 'GET / HTTP/1.1\r\n\r\n' 'Content-Length: 50\r\n\r\n{}' 'Content-Length: 9' 'Content-Length: 0\r\n\r\n' \
	'Content-Length: 99999999999\r\n\r\n{}'; do
	# shellcheck disable=SC2059 # it is a format
	printf "$input" >"$work/input"
	expect 2 "this is not the Debug Adapter Protocol" sh -c "timeout 60 '$ptxsim' dap <'$work/input'"
done
expect 0 "" sh -c "timeout 60 '$ptxsim' dap </dev/null"
expect 0 '"command":"disconnect"' sh -c "timeout 60 '$ptxsim' dap <'$work/messages'"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
