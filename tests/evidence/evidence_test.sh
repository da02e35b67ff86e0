#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How each row of the instruction tables is verified, found by running what verifies it: recordings of hardware whose
# kernels use the row (tests/golden), oracles that compare every form of it, or what it computes, with arithmetic of
# their own (tests/unit), cases worked out by hand (tests/insn, tests/sass). rows.txt, from which `ptxsim isa` and
# docs/instructions.md have it, must say the same; with --accept it does from now on. A row that is modelled and has
# none of these fails. BUILD is the build folder. Ends with the totals.
set -u

BUILD=$(cd "${BUILD-.}" && pwd)
cd "$(dirname "$0")/../.." || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/tools/report.sh

# These tell their rows themselves.
for test in sem_integer sem_float insn sass; do
	report "test_$test passes" "$(
		PTXSIM_EVIDENCE=$work/found srcdir=. "$BUILD/tests/unit/test_$test" >"$work/log" 2>&1 || tail -n 5 "$work/log")"
done

# Of the kernels that these oracles make, the rows that they compute.
oracle() {
	mkdir "$work/$1"
	report "test_oracle_$1 passes" "$(
		PTXSIM_EVIDENCE_TEXTS=$work/$1 srcdir=. "$BUILD/tests/unit/test_oracle_$1" >"$work/log" 2>&1 ||
			tail -n 5 "$work/log")"
	"$BUILD/row-hits" "$work/$1"/*.ptx | sort -u | grep -E "^($2)[.([;]" | sed 's/^/oracle\t/' >>"$work/found"
}
oracle atomic 'atom|red'
oracle memory 'ld|ldu|st'
oracle warp 'shfl|vote|match|redux|activemask|elect'
oracle video 'v(add|sub|absdiff|min|max|avrg|set|shl|shr|mad)[24]?'

for pack in tests/golden/*.ptx.gz; do
	gzip -dc "$pack" >"$work/$(basename "$pack" .gz)"
done
"$BUILD/row-hits" "$work"/*.ptx | sort -u | sed 's/^/recording\t/' >>"$work/found"

LC_ALL=C sort -u "$work/found" | awk -F '\t' '
	{ has[$2, $1] = 1; rows[$2] = 1 }
	END {
		count = split("recording oracle case", kinds, " ")
		for (row in rows) {
			text = ""
			for (k = 1; k <= count; k++)
				if ((row, kinds[k]) in has)
					text = text (text ? ", " : "") kinds[k]
			print row "\t" text
		}
	}' | LC_ALL=C sort >"$work/rows.txt"
if [ "${1-}" = --accept ]; then
	cp "$work/rows.txt" tests/evidence/rows.txt
fi
report "tests/evidence/rows.txt is what was found (made anew by ./dev docs)" \
	"$(diff tests/evidence/rows.txt "$work/rows.txt" | head -n 10)"

# What stands in no table any more, and what stands there with nothing to show.
"$BUILD/row-hits" --table >"$work/table"
report "every row that is modelled has a recording, an oracle or a case" "$(
	awk -F '\t' 'NR == FNR { known[$1] = 1; next } !($0 in known)' "$work/rows.txt" "$work/table")"

totals
