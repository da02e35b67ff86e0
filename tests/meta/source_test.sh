#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks on the source itself: layers (a file includes only from its own folder or those before it), sizes
# of files and functions, licence lines. Ends with the totals.
set -u

cd "$(dirname "$0")/../.." || exit 2
. tests/tools/report.sh

files=$(find src grammar tests -name '*.[chly]' | sort)

# shellcheck disable=SC2086
report "a layer includes only from those before it" "$(awk '
	BEGIN {
		n = split("base number arch isa ir dwarf grammar decode ptxas sass memory exec sem native observe report api script ranks debug front screen dap cuda web cli", names, " ")
		for (k = 1; k <= n; k++) level[names[k]] = k
	}
	/^#include "[a-z]+\// {
		split(FILENAME, path, "/"); split($2, parts, "[\"/]")
		own = path[1] == "src" ? path[2] : path[1]
		if ((own in level) && (parts[2] in level) && level[parts[2]] > level[own])
			print FILENAME ":" FNR ": " own " includes " parts[2]
	}' $files)"

# shellcheck disable=SC2086
report "files have at most 800 lines, tests 1000" "$(wc -l $files | awk '
	$2 != "total" && $1 > ($2 ~ /^tests/ ? 1000 : 800) { print $2 ": " $1 " lines" }')"

# Tests hold tables, which may be longer.
# shellcheck disable=SC2086
report "functions have at most 60 lines" "$(awk '
	FNR == 1 { inside = 0 }
	FILENAME ~ /^tests/ { next }
	/^[{]/ { if (!inside) { inside = 1; first = FNR } next }
	/^[}]/ { if (inside && FNR - first > 60) print FILENAME ":" first ": " FNR - first " lines"; inside = 0 }
	' $files)"

# Longer ones are functions or templates. Tables, which take an X or are named ..._ROWS, may be longer.
# shellcheck disable=SC2086
report "macros have at most 12 lines" "$(awk '
	FNR == 1 { first = 0 }
	!first && /^[ \t]*#[ \t]*define/ { first = FNR; table = /\(X[,)]/ || /_ROWS\(/ }
	first && !/\\$/ { if (FNR - first >= 12 && !table) print FILENAME ":" first ": " FNR - first + 1 " lines"; first = 0 }
	' $files)"

# What is known of an instruction stands in its row, as a flag, a trait or an opcode of src/isa/opcodes.h, not in strings
# elsewhere. Left out are names of other things: tokens, state spaces, counters, classes and operations of reports, fields
# of encodings, features of host processors; and the words of the launch language, the debugger's and the editors'.
# src/sass/lower_*.c write PTX, as text for the same table; tests/unit/test_machine_code.c has each of these texts matched.
opcodes=$(
	grep -o '^| `[a-z][a-z0-9_]*' docs/instructions.md | sed 's/.*`//'
	grep -ohE 'FERMI\("[A-Z][A-Z0-9]*' src/sem/sass_*.c | sed 's/.*"//'
)
opcodes=$(echo "$opcodes" | sort -u | paste -s -d '|')
report "opcodes are strings in src/sem alone" "$(
	find src grammar -name '*.[chly]' | grep -vE '^src/(sem|script|debug|front|screen|dap)/|^src/sass/lower_[a-z]*\.c$' |
		grep -vE '/(tokens|opcodes|classes|fault|modifiers)\.h$|/(counters|accounting|opcodes|space)\.c$|report/memory\.c$' | sort |
		xargs grep -nE "\"%?($opcodes)([.][A-Za-z0-9_:.]*)?\"" | grep -vE '^[^:]*:[0-9]*:(/\*| \*)|__builtin_cpu_supports'
	find src grammar -name '*.[chly]' -not -path 'src/sem/*' -not -path 'src/isa/*' | sort |
		xargs grep -nE '(str[a-z]*|starts)\([^;]*(->opcode|row->form|[.]form)\b' |
		grep -vE 'opcode_text\(|strlen\(o->opcode\)|strcspn\(row->form'
)"

# shellcheck disable=SC2086
report "every file names its licence" "$(grep -L 'SPDX-License-Identifier: Apache-2.0' $files)"

# shellcheck disable=SC2086
report "nothing is left to do" "$(grep -nwE 'TODO|FIXME|XXX' $files)"

# shellcheck disable=SC2086
report "structs have no typedef but public handles" "$(grep -nE '^typedef struct[^(]*$' $files | grep -v 'src/ptxsim.h')"

# Other versions lay some things out otherwise.
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	report "sources are laid out as .clang-format says" "$(find src grammar tests -name '*.[ch]' -exec \
		clang-format --dry-run -Werror {} + 2>&1 | grep 'error:')"
else
	echo "skipped: the layout of the sources, which clang-format 14 checks"
fi

totals
