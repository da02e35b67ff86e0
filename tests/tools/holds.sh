# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts whose checks are commands that must succeed.
failed=0
tried=0

# holds WHAT COMMAND...: the command succeeds.
holds() {
	what=$1
	shift
	tried=$((tried + 1))
	"$@" >/dev/null 2>&1 && return
	failed=$((failed + 1))
	echo "FAIL $what"
}
