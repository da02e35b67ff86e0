#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ptxsim exec: checks, reports, which launches they look at, exit statuses. PTXSIM names the command, PTXSIM_PROGRAM
# what it runs (exec_program.c).
set -u

ptxsim=${PTXSIM-./ptxsim}
program=${PTXSIM_PROGRAM-tests/cuda/exec_program}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# expect NAME STATUS PATTERN ARGUMENTS...: the exit status, and a line of what is printed ('!' before it: no line).
expect() {
	name=$1 status=$2 pattern=$3
	shift 3
	"$ptxsim" exec "$@" >"$work/out" 2>&1
	have=$?
	found=no
	grep -q -- "${pattern#!}" "$work/out" && found=yes
	case $pattern in
	!*) wanted=no ;;
	*) wanted=yes ;;
	esac
	if [ "$have" = "$status" ] && [ "$found" = "$wanted" ]; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAIL: $name: status $have, expected $status; a line '$pattern'"
	head -n 20 "$work/out"
}

expect "a race is told, and fails" 1 'race: race: reads shared address' --check "$program" race
expect "what is found again is counted" 1 '^2 times more: race: ' --check=races "$program" race race race
expect "a clean program passes" 0 'found nothing; the program.s own exit status is 0' --check "$program" clean
expect "other checks are not made" 0 '!race:' --check=leaks "$program" race
expect "nothing is checked unasked" 0 '!race:' "$program" race
expect "a library that is closed while its threads run stays" 0 'done' "$program" clean fill streams ordered close
expect "its own status goes first" 3 "own exit status is 3" --check "$program" race exit3
expect "the status of findings can be chosen" 9 'race' --check --error-exitcode 9 "$program" race
expect "and switched off" 0 'race' --check --error-exitcode 0 "$program" race
expect "a value that nothing has written is told" 1 'look: value that nothing has written: a branch or guard depends on memory' --check "$program" look
expect "what a kernel before has written is written" 0 'found nothing' --check "$program" clean look copy
expect "so is what the host has filled" 0 'found nothing' --check "$program" fill look copy
expect "and what a kernel that is not looked at may have" 0 'found nothing' --check --kernel look "$program" clean look
expect "and what a kernel's own launches have" 0 'found nothing' --check "$program" child look
expect "the host reads what nothing has written" 1 'value that nothing has written: a copy .*to the host' --check "$program" copy
echo "race *" >"$work/all"
unordered='race: .* global address 0x.*, byte 0 of an allocation of 256 bytes, which [a-z]* of another stream [a-z]* at .*; nothing orders'
for how in open ordered waited copied bulk bulk-ordered adds gives hopes; do
	case $how in
	open | bulk) status=1 text=$unordered ;;
	copied | hopes) status=1 text='race: .* of another stream' ;;
	*) status=0 text='found nothing' ;;
	esac
	expect "two streams: $how" "$status" "$text" --check "$program" fill streams "$how"
done
expect "what the giver writes while the taker runs is written" 0 'found nothing' --check "$program" flag streams gives
expect "what a flag does not tell of is not" 1 'look: value that nothing has written' --check "$program" flag look
expect "what streams do is suppressed as other findings" 0 'found nothing' --check --suppress "$work/all" "$program" fill streams open
expect "a kernel that waits for what nobody writes is told of" 1 "waits: deadlock: lanes 0xffffffff spin" --check "$program" fill waits
expect "a graph that is kept is no leak" 0 'found nothing' --check "$program" graph
expect "what it has not freed is" 1 '^leak: 512 bytes .* given by cuMemAllocAsync' --check "$program" graph-leak
expect "a leak is told" 1 'leak: 256 bytes .* given by cuMemAlloc' --check "$program" clean leak
expect "and that of an array" 1 'leak: 512 bytes .* given by cuArrayCreate' --check "$program" array
expect "a copy that overlaps is" 1 'copy that overlaps: cuMemcpyDtoD at exec_program.* copies 128 bytes from 0x.* 64 bytes away' --check "$program" fill copy-over
expect "one beside its source is none" 0 'found nothing' --check "$program" fill copy-along
past="is refused: of the [0-9]* bytes from 0x[0-9a-f]* on, [0-9]* lie past the end of an allocation of 256 bytes, given by cuMemAlloc"
expect "a copy beyond memory is told of" 1 "^address out of bounds: cuMemcpyDtoH at exec_program.* $past" --check "$program" fill copy-long
expect "and a fill" 1 "^address out of bounds: cuMemsetD32 at exec_program.* $past" --check "$program" fill-long
expect "and a copy of what has been freed" 1 '^memory that was freed: cuMemcpyDtoH at exec_program.* which lies in 256 bytes freed by cuMemFree' --check "$program" fill copy-freed
at='at exec_program[^ ]* in main'
expect "with the program's line that asked for it" 1 "^leak: 256 bytes .* given by cuMemAlloc $at, are never freed" --check "$program" clean leak
expect "a finding has the line of the launch" 1 "^  launched at exec_program" --check "$program" race
expect "the last line is still what suppresses it" 1 '^  to suppress: ' --check "$program" look
expect "memory that is freed has both lines" 1 "^  freed by cuMemFree $at" --check "$program" freed
expect "an address inside of memory is freed" 1 "^invalid free: cuMemFree $at frees 0x[0-9a-f]*, which lies 64 bytes inside an allocation of 256 bytes, given by cuMemAlloc $at" --check "$program" clean inside
expect "memory is freed twice" 1 "^double free: cuMemFree $at frees 0x[0-9a-f]*, which has been freed already, by cuMemFree $at" --check "$program" clean twice
expect "SARIF has what the program does to memory" 1 '"text": "leak: 256 bytes' --check --sarif /dev/stdout "$program" clean leak
expect "of neither is told unasked" 0 'error 1' "$program" clean inside twice
expect "that of its allocation, too" 1 "^  allocated by cuMemAlloc $at" --check "$program" freed
# AddressSanitizer must be loaded before all else, so nothing of ours is preloaded under it, or loaded by a program without it.
libcuda=$(dirname "$(command -v "$ptxsim")")/.libs/libcuda.so.1
nm -D "$libcuda" 2>/dev/null | grep -q __asan_init && sanitized=yes || sanitized=no
# A backtrace() of somebody else's, as sanitizers have one, is no place of the program's.
cat >"$work/backtrace.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
int backtrace(void **frames, int most)
{
	int (*real)(void **, int);
	*(void **)&real = dlsym(RTLD_NEXT, "backtrace");
	const int count = real(frames, most);
	return count;
}
END
if [ $sanitized = no ] && ${CC-cc} -shared -fPIC "$work/backtrace.c" -o "$work/libbacktrace.so" 2>/dev/null; then
	LD_PRELOAD=$work/libbacktrace.so expect "with another backtrace(), too" 1 "^  launched at exec_program" --check "$program" race
fi
expect "what the program has not waited for is checked" 1 'race: race: reads shared' --check=races "$program" unwaited race
expect "and reported" 0 '^1,race' --report csv "$program" unwaited race
expect "but not waited for if it waits for the program" 0 '^1,forever' --report csv "$program" unwaited forever
expect "a fault is told with its place" 0 'clean: address out of bounds: store of 4 bytes' "$program" fault
expect "and reaches the program" 0 'error 700' "$program" fault
expect "a read beyond a buffer goes on as on a card" 0 '^error 0' "$program" beyond
expect "and is warned of" 0 'beyond: warning: address out of bounds: load of 4 bytes' "$program" beyond
expect "once for each kernel" 0 '^done' "$program" beyond beyond
[ "$(grep -c warning: "$work/out")" = 1 ] || failed=$((failed + 1))
expect "so does a store to what a buffer is rounded up to" 0 '^error 0' "$program" rounding
expect "which is warned of" 0 'clean: warning: address out of bounds: store of 4 bytes' "$program" rounding
expect "a store at objects' bounds is a fault" 0 '^error 700' --bounds object "$program" rounding
expect "and with checks" 1 '^error 700' --check "$program" rounding
expect "a store to constant memory passes, as on a card" 0 '^error 0' "$program" constant
expect "with checks it does not" 1 '^constant: store to read-only memory' --check "$program" constant
expect "at objects' bounds it is a fault" 0 '^error 700' --bounds object "$program" beyond
expect "with checks, too" 1 '^error 700' --check "$program" beyond
expect "bounds that are none" 2 "page or object, not 'word'" --bounds word "$program"
expect "only the chosen kernel is checked" 0 'found nothing' --check --kernel clean "$program" race clean
expect "only the chosen launch is checked" 1 '!times more' --check --launch 2 "$program" race race race
expect "kernels launch kernels" 0 '^done' "$program" child
expect "a kernel's kernels are counted" 0 '^clean on sm_90' --report text "$program" child
expect "a text report" 0 '^race on sm_90' --report text "$program" race
expect "a CSV report" 0 '^2,clean,launch' --report csv "$program" race clean
expect "the profiler bounds what is counted" 0 '!^2,' --report csv "$program" race profile clean
expect "a kernel that is not there" 0 'no launch was counted' --report text --kernel none "$program" clean
expect "a kernel that is not there, checked" 1 'no kernel of that name was launched; launched were: clean, race$' --check --kernel none "$program" clean race clean
expect "a launch that is not there, checked" 1 'launch 7: there were 2 launches' --check --launch 7 "$program" clean clean
expect "a wrong format" 2 'text, json, csv or html' --report xml "$program"
expect "a wrong check" 2 "not known: 'everything'" --check=everything "$program"
expect "launches that cannot be" 2 "^ptxsim exec: --launch is a number from 1, or two like 2-5, not '5-2'" --check --launch 5-2 "$program" clean
expect "a launch before the first" 2 "not '-3'" --check --launch -3 "$program" clean
expect "findings that nobody can write down" 1 "^ptxsim: /dev/full: No space left on device" --check --sarif /dev/full "$program" race
expect "a choice of nothing" 2 'need --check or --report' --kernel clean "$program"
expect "no such program" 2 'there is no such program' "$work/none"
expect "an unknown option" 2 'unrecognized option' --wrong "$program"
expect "no execution" 1 '^wrong' --no-execute "$program" child
expect "an unknown device" 2 "^ptxsim exec: --devices: there is no device 'h1000'; known are h200," --devices h1000 "$program"
expect "less memory" 0 '^total 8589934592 free 8' --memory 8G "$program" memory
expect "which is all that there is" 0 '^all of it: error 2' --memory 8G "$program" memory
expect "a card's own" 0 '^total 150109880320 free 149' "$program" memory
for wrong in 8GB -1 G 1M 16T 99999999999999999999 8388608T; do
	expect "memory of $wrong" 5 "^ptxsim: PTXSIM_MEMORY is a size like 8G, from 64M up to the 150109880320 bytes of h200, not $wrong" --memory "$wrong" "$program"
done

printf '# settings\ncheck = races\n\nexecute=yes\n' >"$work/settings"
printf 'device = h200\n' >"$work/wrong"
PTXSIM_CONFIG=$work/settings expect "settings by a file" 0 'race: race: reads' "$program" race
PTXSIM_CONFIG=$work/wrong expect "a wrong setting" 5 'wrong:1: this is not a setting' "$program" race

# A hostile kernel (docs/security.md).
for what in heap stack data code library; do
	expect "a kernel cannot store to the host's $what" 0 'error 700, unchanged' "$program" "$what"
done

"$ptxsim" exec --report json -o "$work/r.json" "$program" race clean >/dev/null 2>&1
if [ "$(grep -c '"kernel": ' "$work/r.json")" = 2 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: a JSON report of two launches"; fi
"$ptxsim" exec --report html -o "$work/r.html" "$program" race >/dev/null 2>&1
if grep -q '<title>' "$work/r.html" && grep -q 'st.shared.u32' "$work/r.html"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: an HTML report with its sources"; fi
"$ptxsim" exec --trace "$work/trace" "$program" clean >/dev/null 2>&1
if grep -q 'cuLaunchKernel(.*) = 0 CUDA_SUCCESS' "$work/trace"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: a trace"; fi
expect "a trace that nobody can write down" 0 "^ptxsim: PTXSIM_TRACE cannot be written any further: No space" --trace /dev/full "$program" clean
expect "a report that nobody can write down" 2 "^ptxsim exec: /dev/full: No space left on device" --report json -o /dev/full "$program" clean
expect "a folder where a file of findings is wanted" 2 "^ptxsim exec: --suppress: '$work' is a folder" --check --suppress "$work" "$program" clean
# Ended by a signal, to the program or to the command: the report is of what has run so far, and the status the signal's.
# A signal that this script was started to ignore (nohup) would never arrive.
for signal in TERM HUP; do
	env --default-signal="$signal" "$ptxsim" exec --report text "$program" clean forever >"$work/out" 2>&1 &
	command=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		grep -q begins "$work/out" && break
		sleep 0.2
	done
	sleep 0.3
	kill -"$signal" "$command"
	wait "$command"
	status=$?
	if [ $status -gt 128 ] && grep -q '^clean on sm_90' "$work/out" && grep -q '^forever on sm_90' "$work/out" &&
		grep -q '^forever: was stopped before its end$' "$work/out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: a report after SIG$signal: status $status"
		cat "$work/out"
	fi
done

# Of one that is killed at once, the program ends, too, and no file stays behind.
"$ptxsim" exec sleep 300 >"$work/out" 2>&1 &
command=$!
child=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	child=$(ps -o pid= --ppid "$command" | tr -d ' ')
	[ -z "$child" ] || break
	sleep 0.2
done
findings=$(tr '\0' '\n' <"/proc/$child/environ" | sed -n 's/^PTXSIM_FINDINGS=//p')
kill -KILL "$command"
wait "$command" 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
	kill -0 "$child" 2>/dev/null || break
	sleep 0.2
done
if [ -n "$child" ] && ! kill -0 "$child" 2>/dev/null; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: the program goes on although ptxsim exec was killed"; kill "$child"; fi
if [ -n "$findings" ] && [ ! -e "$findings" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: ptxsim exec was killed and left '$findings'"; rm -f "$findings"; fi

# A forked process does not report for its parent a second time.
"$ptxsim" exec --check=leaks --report csv "$program" clean fork leak >"$work/out" 2>&1
if [ "$(grep -c '^leak:' "$work/out")" = 1 ] && [ "$(grep -c '^launch,kernel' "$work/out")" = 1 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: reports of a program that forks" && head "$work/out"; fi

# A file of the current folder is not found by its name alone, as in a shell.
: >"$work/here" && chmod +x "$work/here"
case $ptxsim in /*) whole=$ptxsim ;; *) whole=$PWD/$ptxsim ;; esac
(cd "$work" && "$whole" exec here) >"$work/out" 2>&1
if [ $? = 2 ] && grep -q 'not in PATH; for the file in this folder write ./' "$work/out"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: a program of the current folder"; fi

# Where parts are missing: the libraries altogether, the runtime that the program asks for, the plug-in for native code.
mkdir -p "$work/alone/.libs"
cp "$(dirname "$whole")/.libs/ptxsim" "$work/alone/ptxsim" 2>/dev/null || cp "$whole" "$work/alone/ptxsim"
cp -L "$(dirname "$whole")/.libs/libcuda.so.1" "$work/alone/.libs/"
installed=$ptxsim
ptxsim=$work/alone/ptxsim
unset PTXSIM_NATIVE_PLUGIN
interpreted='^ptxsim: kernels are interpreted, though native code was asked for: '
PTXSIM_NATIVE=always PTXSIM_NATIVE_PLUGIN=/none expect "a plug-in that is named and not there" 0 "${interpreted}PTXSIM_NATIVE_PLUGIN names /none: No such file" "$program" clean
expect "which matters only to who asks for it" 0 '!interpreted' "$program" clean
if [ -f "$(dirname "$whole")/.libs/libptxsim-native.so" ] && grep -q avx2 /proc/cpuinfo; then
	if [ ! -f "${PTXSIM_INSTALLED-/usr/local/lib/ptxsim}/libptxsim-native.so" ]; then
		PTXSIM_NATIVE=always expect "no plug-in" 0 "${interpreted}libptxsim-native.so is not installed" "$program" clean
	fi
	ln -s "$(cd "$(dirname "$whole")/.libs" && pwd)/libptxsim-native.so" "$work/alone/.libs/"
	PTXSIM_NATIVE=always expect "a plug-in beside the library" 0 '!interpreted' "$program" clean
	PTXSIM_NATIVE=always PTXSIM_NATIVE_DUMP=regions expect "which is used" 0 ': native$' "$program" clean
fi
rm -f "$work/alone/.libs/libcuda.so.1"
if [ ! -f "${PTXSIM_INSTALLED-/usr/local/lib/ptxsim}/libcuda.so.1" ]; then
	expect "no libraries" 2 "^ptxsim exec: ptxsim's own libcuda.so.1 is neither beside ptxsim nor in .*: install ptxsim with its libraries" "$program" clean
fi
ptxsim=$installed
: >"$work/empty.c"
if ${CC-cc} -shared -Wl,-soname,libcudart.so.11.0 "$work/empty.c" -o "$work/libcudart.so.11.0" 2>/dev/null; then
	echo 'int main(void) { return 0; }' >"$work/main.c"
	${CC-cc} "$work/main.c" -Wl,--no-as-needed "$work/libcudart.so.11.0" -o "$work/eleven"
	expect "the runtime of another CUDA" 2 "eleven needs libcudart.so.11.0, which is not among ptxsim's libraries" "$work/eleven"
	cp "$work/eleven" "$work/broken"
	# A program header's place, and that of the dynamic entries, beyond the file's end.
	printf '\377\377\377\377\377\377\377\177' | dd of="$work/broken" bs=1 seek=32 conv=notrunc 2>/dev/null
	expect "a broken program is the system's to refuse" 2 'broken: Exec format error' "$work/broken"
fi
# Who asks for the tables of NVIDIA's own driver is told by name, but for the libraries that do without them.
cat >"$work/asks.c" <<'END'
int cuInit(unsigned);
int cuGetExportTable(const void **, const void *);
static const char table[16] = {1};
int asks(void) { const void *t; cuInit(0); return cuGetExportTable(&t, table) != 35; }
END
echo 'int asks(void); int main(void) { return asks(); }' >"$work/main.c"
[ $sanitized = yes ] && libraries= || libraries='libasks.so libnvrtc.so.13'
for library in $libraries; do
	${CC-cc} -shared -fPIC "$work/asks.c" -o "$work/$library" 2>/dev/null &&
		${CC-cc} "$work/main.c" "$work/$library" "$libcuda" -Wl,-rpath,"$work" -o "$work/asking" 2>/dev/null || break
	case $library in
	libasks.so) expect "a static runtime in a library" 0 '^ptxsim: CUDA.s runtime, linked statically into libasks.so, asks for' "$work/asking" ;;
	*) expect "run-time compilation does without" 0 '!linked statically' "$work/asking" ;;
	esac
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
