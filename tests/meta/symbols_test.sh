#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names that the linker sees: the program exports none, the library only ptxsim_*, and no function of
# ours has a name that one of the shared libraries exports, too: a call of the library's would land in
# ours. Environment: BUILD, the build folder. Ends with the totals.
set -u

cd "$(dirname "$0")/../.." || exit 2
build=${BUILD-build}
. tests/tools/report.sh

program=$build/ptxsim
[ -f "$build/.libs/ptxsim" ] && program=$build/.libs/ptxsim
library=$build/.libs/libptxsim.so
if [ ! -f "$program" ] || [ ! -f "$library" ] || ! command -v nm >/dev/null 2>&1; then
	echo "skipped: no program, library or nm to look at in $build"
	echo "0 passed, 0 failed"
	exit 0
fi

# Names defined by a file for the dynamic linker. B and V are copies of other libraries' variables (stderr);
# a sanitizer's runtime brings names of its own.
exported() {
	nm -D --defined-only "$1" | awk '$2 !~ /^[BbVvwA]$/ { sub(/@.*/, "", $3); print $3 }'
}

case $(nm -D "$program") in
*__asan_init* | *__tsan_init*)
	echo "skipped: what a sanitizer's build exports" ;;
*)
	report "the program exports no names" "$(exported "$program")"
	report "the library exports the API alone" "$(exported "$library" | grep -v '^ptxsim_')" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ldd "$program" "$library" | grep -o '/[^ ]*\.so[^ ]*' | sort -u | while read -r other; do
	nm -D --defined-only "$other" 2>/dev/null | awk '{ sub(/@.*/, "", $3); print $3 }'
done | sort -u >"$work/theirs"
nm -g --defined-only "$build"/.libs/*.a 2>/dev/null | awk 'NF == 3 { print $3 }' | sort -u >"$work/ours"
report "our names and those of the shared libraries differ" "$(comm -12 "$work/ours" "$work/theirs" | grep -v '^ptxsim_')"
[ -s "$work/ours" ] && [ -s "$work/theirs" ] || report "there are names to compare" "none in $build/.libs"

totals
