#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ptxsim debug --exec: a program of the driver interface (exec_program.c) under the debugger. PTXSIM names the command,
# PTXSIM_PROGRAM the program.
set -u

ptxsim=${PTXSIM-./ptxsim}
program=${PTXSIM_PROGRAM-tests/cuda/exec_program}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work
export HOME
passed=0
failed=0

# expect NAME STATUS COMMANDS WORDS...: lines that must be printed, in this order, come on standard input. COMMANDS
# are separated by ';'. WORDS: options, --exec, the program's words.
expect() {
	name=$1 status=$2
	printf '%s\n' "$3" | tr ';' '\n' >"$work/commands"
	shift 3
	timeout 60 "$ptxsim" debug "$@" <"$work/commands" >"$work/out" 2>&1
	have=$?
	cat >"$work/expected"
	if [ "$have" = "$status" ] && awk 'NR == FNR { want[++n] = $0; next } index($0, want[k + 1]) && k < n { k++ }
		END { if (k < n) print "missing: " want[k + 1]; exit k < n }' "$work/expected" "$work/out"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAIL: $name: status $have, expected $status"
	head -n 30 "$work/out"
}

expect "launches stop at their beginning, and the program goes on" 3 'info registers %t;c;c' --exec "$program" clean clean exit3 <<'END'
Launch 1: clean, grid (1,1,1), block (64,1,1)
(ptxsim) info registers %t
(ptxsim) c
Launch 1 has ended
Launch 2: clean
Launch 2 has ended
END
expect "a breakpoint inside, values, and the way back" 0 'break clean+4;c;p %t;reverse-step;p %t;delete;c' --exec "$program" clean <<'END'
Launch 1: clean
Breakpoint 1 at
Breakpoint 1: block (0,0,0), warp 0
(ptxsim) p %t
(ptxsim) reverse-step
Launch 1 has ended
END
expect "with a breakpoint, launches without it do not stop" 0 'break clean;c;delete;c' --exec "$program" race clean <<'END'
Launch 1: race
Breakpoint 1 at
Launch 1 has ended
Breakpoint 1: block (0,0,0), warp 0
Launch 2 has ended
END
expect "launches that cannot be" 2 'c' --launch 5-2 --exec "$program" clean <<'END'
ptxsim debug: --launch is a number from 1, or two like 2-5, not '5-2'
END
expect "only the chosen launches" 0 'c' --kernel clean --launch 2 --exec "$program" clean race clean clean <<'END'
Launch 1: clean
Launch 1 has ended
END
expect "a kernel that is never launched" 1 'c' --kernel nope --exec "$program" clean <<'END'
exec_program has ended: there was no launch of a kernel 'nope'
END
expect "a launch that never comes" 3 'c' --kernel clean --launch 99 --exec "$program" clean exit3 <<'END'
exec_program has ended: there was no launch 99 of a kernel 'clean'
END
expect "a program without a launch" 3 'c' --exec "$program" exit3 <<'END'
exec_program has ended: there was no launch
END
expect "a fault stops where it is, and the program gets its error" 0 'c;bt;c' --exec "$program" fault <<'END'
Launch 1:
The kernel failed: 
(ptxsim) bt
#0
END
expect "commands beforehand; --batch leaves" 0 '' --batch --ex 'break clean' --ex 'p %tid.x' --exec "$program" clean <<'END'
Launch 1: clean
Breakpoint 1 at
= 0
END
expect "quit ends the program" 0 'quit' --exec "$program" clean exit3 <<'END'
Launch 1: clean
(ptxsim) quit
END
expect "grids that a kernel launches are launches, too" 0 'c;c' --exec "$program" child <<'END'
Launch 1: parent
Launch 1 has ended
Launch 2: clean
Launch 2 has ended
END
expect "a program that is not there" 2 '' --exec /nowhere/program <<'END'
'/nowhere/program': there is no such program
END
expect "--exec without a program" 2 '' --exec <<'END'
--exec needs a program
END
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
