#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The documentation beside the program: one version everywhere, a page for each command, every public function in
# section 3, pages that groff reads without a warning. Environment: BUILD, the build folder. Ends with the totals.
set -u

cd "$(dirname "$0")/../.." || exit 2
build=${BUILD-build}
. tests/tools/report.sh

version=$(sed -n 's/^AC_INIT(\[ptxsim\], \[\(.*\)\])$/\1/p' configure.ac)
report "one version everywhere" "$(
	grep -q "^\.TH PTXSIM 1 \"\" \"ptxsim $version\"" man/ptxsim.1 || echo "man/ptxsim.1 has not $version"
	grep -qF "/* \"$version\". */" src/ptxsim.h || echo "src/ptxsim.h has not $version"
	grep -q "^## $version" CHANGELOG.md || echo "CHANGELOG.md has no section for $version"
	head -n 1 debian/changelog | grep -qF "($version" || echo "debian/changelog does not begin with $version"
)"

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
commands=$(sed -n 's/^\t{"\([a-z]*\)", cli_[a-z]*, .*/\1/p' src/cli/main.c)
[ -n "$commands" ] || report "the commands are found in src/cli/main.c" "none"
report "each command has its page" "$(
	for command in $commands; do
		awk -v command="$command" -v version="$version" -f man/command.awk man/ptxsim.1 >"$pages/ptxsim-$command.1" 2>&1 ||
			cat "$pages/ptxsim-$command.1"
		grep -q "man/ptxsim-$command\.1" Makefile.am || echo "Makefile.am does not install ptxsim-$command.1"
	done
)"
# Long options: of what the program says of a command, and of its page.
long_options() {
	sed 's/\\-/-/g; s/\\f[A-Z]//g' | grep -oE -- '--[a-z][a-z-]*' | sort -u
}
if [ -x "$build/ptxsim" ]; then
	report "pages have the options that commands have" "$(
		for command in $commands; do
			"$build/ptxsim" "$command" --help 2>&1 | long_options >"$pages/said"
			long_options <"$pages/ptxsim-$command.1" >"$pages/written"
			comm -23 "$pages/said" "$pages/written" | sed "s/^/ptxsim-$command.1 lacks /"
			[ "$command" = debug ] || comm -13 "$pages/said" "$pages/written" |
				sed "s/^/ptxsim-$command.1 has what the command does not take: /"
		done
		rm -f "$pages/said" "$pages/written"
	)"
fi
awk -v version="$version" -f man/header.awk src/ptxsim.h src/ptxsim_observe.h src/ptxsim_script.h >"$pages/ptxsim.3"
if command -v python3 >/dev/null 2>&1; then
	report "generated cases are what tests/insn/make_cases.py writes" "$(
		mkdir "$pages/insn" && python3 tests/insn/make_cases.py "$pages/insn" &&
			for file in "$pages"/insn/*.cases; do diff -q "$file" "tests/insn/$(basename "$file")"; done)"
else
	echo "skipped: generated cases: python3 is missing"
fi

library=$build/.libs/libptxsim.so
if [ -f "$library" ] && command -v nm >/dev/null 2>&1; then
	report "section 3 has every public function" "$(
		nm -D --defined-only "$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | while read -r name; do
			case $name in ptxsim_*) grep -qE "[ *]$name\(" "$pages/ptxsim.3" || echo "$name" ;; esac
		done
	)"
	nm -D --defined-only "$library" | sed -n 's/.* T \(ptxsim_[a-z_]*\).*/\1/p' | sort -u >"$pages/exported"
	make -s -C "$build" print-public-functions 2>/dev/null | sort -u >"$pages/installed"
	report "a page is installed under the name of every public function" "$(diff "$pages/exported" "$pages/installed")"
	rm -f "$pages/exported" "$pages/installed"
fi
if command -v groff >/dev/null 2>&1; then
	report "pages have no errors" "$(
		for page in man/ptxsim.1 "$pages"/*; do
			groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null | grep -vE 'cannot adjust|can.t break' | sed "s|^|$(basename "$page"): |"
		done
	)"
else
	echo "skipped: the pages' layout, which groff checks"
fi

totals
