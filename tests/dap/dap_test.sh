#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs dap_test.js with its client library, which npm fetches into the folder FOLDER. Skipped with a message where
# npm is missing or cannot fetch it. Environment: PTXSIM, the program.
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
NODE_PATH=$folder/node_modules exec timeout 300 node "$here/dap_test.js" "$program" "$here/../../samples" "$here"
