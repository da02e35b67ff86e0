#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The debugger's full screen in a real terminal, tmux's, in two sizes. Skipped with a message where tmux is
# missing. Environment: PTXSIM, the program. Ends with "N passed, N failed".
set -eu

here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${PTXSIM:-ptxsim}")
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
trap 'run kill-server 2>/dev/null || true' EXIT

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

screen=$(mktemp)
for size in 80x24 200x60; do
	run new-session -d -s screen -x "${size%x*}" -y "${size#*x}" \
		"NO_COLOR=1 TERM=screen $program debug --tui $here/../../samples/dot.ptx"
	shows "no launch yet"
	run send-keys -t screen start Enter
	shows "launch 1: dot"
	shows "registers: block 0, warp 0"
	run send-keys -t screen "break @bar.sync" Enter F5
	shows "*32>"
	shows "shared:0"
	shows "(ptxsim)"
	run send-keys -t screen F11
	shows "registers: block 0, warp 1"
	run send-keys -t screen "disas" Tab
	shows "(ptxsim) disassemble"
	run send-keys -t screen C-u "p %tid.x" Enter
	shows " = "
	run resize-window -t screen -x 120 -y 40
	shows "registers: block 0"
	if run capture-pane -t screen -p -e | grep -q "$(printf '\033\\[3[0-7]m')"; then
		echo "FAIL at $size: colours in spite of NO_COLOR"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
	run send-keys -t screen quit Enter
	run kill-server 2>/dev/null || true
	sleep 0.2
done
rm -f "$screen"
if "$program" debug --tui "$here/../../samples/dot.ptx" </dev/null >/dev/null 2>&1; then
	echo "FAIL: --tui without a terminal succeeds"
	failed=$((failed + 1))
else
	passed=$((passed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
