#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Planted faults: programs with one fault each, of which --check must name both places that the program's lines give
# (//! fault, //! other) and what kind it is (//! kind), and clean ones, of which it must say nothing. PTXSIM names the program.
set -u
ptxsim=${PTXSIM-./ptxsim}
folder=$(cd "$(dirname "$0")" && pwd)
failed=0 tried=0

# names FILE TAG: the places that a line of the program names.
places() { sed -n "s/^\/\/! $2 //p" "$1"; }

# told TEXT PLACE...: one of the places stands in the text.
told() {
	text=$1
	shift
	[ $# -eq 0 ] && return 0
	for place; do
		case $text in *"$place"[!0-9]*) return 0 ;; esac
	done
	return 1
}

# of_kind FILE TEXT: the text has the words that the program's line gives.
of_kind() {
	kind=$(sed -n 's,^//! kind ,,p' "$1")
	case $2 in *"$kind"*) return 0 ;; esac
	return 1
}

for file in "$folder"/planted/*.ptx; do
	name=$(basename "$file" .ptx)
	options=$(sed -n 's,^//! options ,,p' "$file") # --check, unless it says otherwise
	text=$("$ptxsim" run --quiet --limit=50000000 "${options:---check}" "$file" 2>&1)
	status=$?
	tried=$((tried + 1))
	case $name in
	clean-*)
		[ $status -eq 0 ] && continue
		;;
	local-stack-overflow) # told at the call that takes the stack, before the frame is accessed
		# shellcheck disable=SC2046
		[ $status -eq 1 ] && told "$text
" $(places "$file" other) && continue
		;;
	*)
		# shellcheck disable=SC2046
		[ $status -eq 1 ] && of_kind "$file" "$text" && told "$text
" $(places "$file" fault) && told "$text
" $(places "$file" other) && continue
		;;
	esac
	failed=$((failed + 1))
	printf 'FAIL %s (status %s): %s\n' "$name" "$status" "$text"
done
# Native code, where it is there, leaves to the interpreter what is watched: it changes no finding.
for file in "$folder"/planted/proof-*.ptx; do
	tried=$((tried + 1))
	set -- run --quiet "$file"
	[ "$("$ptxsim" "$@" --check --native=always 2>&1)" = "$("$ptxsim" "$@" --check --native=off 2>&1)" ] && continue
	failed=$((failed + 1))
	echo "FAIL $(basename "$file" .ptx): other findings with native code"
done
# Machine code of some of them (ptxas -arch=sm_90a -lineinfo planted/NAME.ptx): unwritten values, by the launches and places of
# the text that it was made from.
launches=$(mktemp)
trap 'rm -f "$launches"' EXIT
for file in "$folder"/machine/*.cubin; do
	name=$(basename "$file" .cubin)
	text_file=$folder/planted/$name.ptx
	sed -n 's,^//@ ,,p' "$text_file" >"$launches"
	text=$("$ptxsim" run --quiet --limit=50000000 --check=unwritten --script="$launches" "$file" 2>&1)
	status=$?
	tried=$((tried + 1))
	case $name in
	clean-*) [ $status -eq 0 ] && continue ;;
	*)
		# shellcheck disable=SC2046
		[ $status -eq 1 ] && of_kind "$text_file" "$text" && told "$text
" $(places "$text_file" fault) && continue
		;;
	esac
	failed=$((failed + 1))
	printf 'FAIL machine code of %s (status %s): %s\n' "$name" "$status" "$text"
done
echo "$((tried - failed)) of $tried passed, $failed failed"
[ $failed -eq 0 ]
