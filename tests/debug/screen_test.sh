#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The debugger in a real terminal, tmux's: the prompt with line editing, and the full screen in two sizes, each
# from the first key to the exit status. Skipped with a message where tmux is missing. Environment: PTXSIM, the
# program. Ends with "N passed, N failed".
set -eu

here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${PTXSIM:-ptxsim}")
dot=$here/../../samples/dot.ptx
socket=ptxsim-test-$$
passed=0
failed=0

if ! command -v tmux >/dev/null 2>&1; then
	echo "skipped: tmux, in which the full screen is tested, is missing"
	echo "0 passed, 0 failed"
	exit 0
fi

run() {
	tmux -L "$socket" "$@"
}
work=$(mktemp -d)
trap 'run kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
screen=$work/screen

# open SIZE WORD...: the program in a terminal of that size; its exit status is shown when it has ended.
open() {
	size=$1
	shift
	run new-session -d -s screen -x "${size%x*}" -y "${size#*x}" \
		"cd $here; HOME=$work NO_COLOR=1 TERM=${term-screen} $program $*; echo \"ended with \$?\"; sleep 100"
}

keys() {
	run send-keys -t screen "$@"
}

close() {
	run kill-server 2>/dev/null || true
	sleep 0.2
}

# Waits until the screen shows the words.
shows() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		run capture-pane -t screen -p >"$screen"
		if grep -qF -e "$1" "$screen"; then
			passed=$((passed + 1))
			return 0
		fi
		sleep 0.2
	done
	echo "FAIL at $size: no '$1' on the screen:"
	cat "$screen"
	failed=$((failed + 1))
}

# The prompt: editing, completion, history, the ways out.
open 80x24 debug "$dot"
shows "(ptxsim)"
keys "star" C-a C-e "t" Enter
shows "Launch 1: dot"
keys "disas" Tab
shows "(ptxsim) disassemble"
keys C-u "quit" Enter
shows "ended with 0"
close
open 80x24 debug "$dot"
shows "(ptxsim)"
keys Up Up
shows "(ptxsim) start"
keys C-u C-d
shows "ended with 0"
close
# Keys work as well where TERM names another terminal than the one that sends them.
for term in xterm vt100; do
	open 80x24 debug "$dot"
	shows "(ptxsim)"
	keys "arp" Home "st" End "t" Left DC BSpace "t"
	shows "(ptxsim) start"
	keys C-u C-d
	shows "ended with 0"
	close
done
unset term
cat >"$work/endless.ptx" <<'PTX'
.version 8.0
.target sm_90
.address_size 64
//@ launch k() block=32
.visible .entry k()
{
	.reg .b32 %n;
AGAIN:
	add.u32 %n, %n, 1;
	bra AGAIN;
}
PTX
open 80x24 debug --ex start "$work/endless.ptx"
shows "(ptxsim)"
keys "c" Enter
sleep 0.5
keys C-c
shows "Interrupted"
keys "q" Enter
shows "ended with 0"
close

# Stopped and gone on with by the shell, and in a terminal of another size: the line is still edited.
size=80x24
run new-session -d -s screen -x 80 -y 24 "cd $here; HOME=$work PS1='shell> ' NO_COLOR=1 TERM=screen sh -i"
shows "shell>"
keys "$program debug $dot" Enter
shows "(ptxsim)"
keys "sta"
shows "(ptxsim) sta"
keys C-z
shows "Stopped"
keys "fg" Enter
sleep 0.5
keys "rt" Enter
shows "Launch 1: dot"
run resize-window -t screen -x 120 -y 40
keys "p %tid"
shows "(ptxsim) p %tid"
keys C-c
keys "p 6 * 7" Enter
shows "= 42"
keys "quit" Enter
shows "shell>"
keys 'echo ended with $?' Enter
shows "ended with 0"
close

for at in 80x24 200x60; do
	open $at debug --tui "$dot"
	shows "no launch yet"
	keys start Enter
	shows "launch 1: dot"
	shows "registers: block 0, warp 0"
	keys "break @bar.sync" Enter F5
	shows "*32>"
	shows ".b32 in shared"
	shows "(ptxsim)"
	keys F11
	shows "registers: block 0, warp 1"
	keys "disas" Tab
	shows "(ptxsim) disassemble"
	keys C-u "p %tid.x" Enter
	shows " = "
	run resize-window -t screen -x 120 -y 40
	shows "registers: block 0"
	if run capture-pane -t screen -p -e | grep -q "$(printf '\033\\[3[0-7]m')"; then
		echo "FAIL at $size: colours in spite of NO_COLOR"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
	keys quit Enter
	shows "ended with 0"
	close
done

# With the CUDA C: lines are stepped, memory has its type, long answers fill the screen, the end can be looked at.
for at in 80x24 200x60; do
	open $at debug --tui locals.ptx
	keys start Enter
	shows "launch 1: fall"
	keys "break locals.cu:46" Enter F5
	shows "*32>  46"
	shows "__syncthreads();"
	keys F10
	shows " 32>  47"
	shows "memory: part  .f32 in shared"
	shows "        3.25"
	keys "mem /x part" Enter
	shows "40500000"
	keys F1
	shows "lines 1 to "
	shows "F3   CUDA C, PTX, or both"
	keys End
	shows "tells more"
	keys Escape
	shows "registers: block 0, warp 0"
	keys "info functions" Enter "help info" Enter
	shows "lines 1 to "
	keys "p i" Enter
	shows "= 0"
	shows "registers: block 0, warp 0"
	keys F3
	[ $at = 80x24 ] || keys F3
	shows "cvt.s64.s32"
	keys F10
	shows "nexti"
	keys F5
	shows ", ended"
	shows "%rd3"
	keys quit Enter
	shows "ended with 0"
	close
done
# Keys: the line is edited, the focus goes to the next warp, a breakpoint comes and goes, pages open and close, panes scroll.
open 100x40 debug --tui "$dot"
shows "(ptxsim)"
keys "xrun" Home DC End BSpace "n" Left Right Enter
shows "Launch 1: dot"
keys F6
shows "warp 1"
keys F9 "info breakpoints" Enter
shows "in dot"
keys F9 "info breakpoints" Enter
shows "No breakpoints"
keys PPage NPage C-l "p 6*7" Left Left C-k "*7" Enter
shows "= 42"
keys F1
shows "F9"
keys q F2 q "q" Tab C-u "br" Tab C-u F11 F10 F8 F12
keys C-u "quit" Enter
shows "ended with"
close
if "$program" debug --tui "$dot" </dev/null >/dev/null 2>&1; then
	echo "FAIL: --tui without a terminal succeeds"
	failed=$((failed + 1))
else
	passed=$((passed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
