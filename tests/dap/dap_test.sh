#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs dap_test.js and exec_test.js with their client library, which npm fetches into the folder FOLDER. Skipped with a
# message where npm is missing or cannot fetch it. Environment: PTXSIM, the program; PTXSIM_PROGRAM, the one that
# exec_test.js debugs, if it is not that of the same build.
# usage: dap_test.sh FOLDER
set -eu

here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${PTXSIM:-ptxsim}")
mkdir -p "$1"
folder=$(cd "$1" && pwd)

skip() {
	echo "skipped: $1"
	echo "0 passed, 0 failed"
	exit 0
}

command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || skip "node and npm, which the test client needs, are missing"
if [ ! -d "$folder/node_modules/@vscode/debugadapter-testsupport" ]; then
	cp "$here/package.json" "$folder"
	(cd "$folder" && timeout 120 npm install --silent --no-audit --no-fund >"$folder/npm.log" 2>&1) || skip "npm cannot fetch the test client"
fi
cd "$folder"
NODE_PATH=$folder/node_modules
export NODE_PATH
debugged=${PTXSIM_PROGRAM-$(dirname "$program")/tests/dap/program}
status=0
timeout 300 node "$here/dap_test.js" "$program" "$here/../../samples" "$here" >log || status=1
if [ -x "$debugged" ]; then
	timeout 300 node "$here/exec_test.js" "$program" "$(realpath "$debugged")" "$here" >>log || status=1
else
	echo "skipped: programs under the adapter: $debugged is not built ('make check TESTS=' does)" >>log
fi
# One line for both.
awk '/^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3; next } { print }
	END { print passed + 0 " passed, " failed + 0 " failed" }' log
exit $status
