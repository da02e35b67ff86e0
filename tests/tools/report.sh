# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts whose checks print what is wrong: report, and the totals that ./dev test adds up.
passed=0
failed=0

# report NAME LINES: one check; it fails if there are lines.
report() {
	if [ -z "$2" ]; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAIL: $1"
	echo "$2" | sed 's/^/    /' | head -n 20
}

# The last line; its status is the script's.
totals() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
