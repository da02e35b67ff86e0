#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The engine as WebAssembly on samples and recordings, and the page in a browser, as ./dev web has built them.
# usage: web_test.sh BUILD
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
passed=0
failed=0

# Adds "N passed, M failed" of a log's last line.
add() {
	line=$(tail -n 1 "$1")
	case $line in
	*" passed, "*" failed") ;;
	*)
		echo "$1 ends without its totals: $line"
		line="0 passed, 1 failed"
		;;
	esac
	passed=$((passed + ${line%% passed*}))
	line=${line% failed}
	failed=$((failed + ${line##* }))
}

# The glue takes Node's fetch for a browser's.
for pack in "$top"/tests/golden/*.cases.gz; do
	stem=${pack%.cases.gz}
	log=$build/web-golden-$(basename "$stem").log
	node --no-experimental-fetch "$build/wasm/golden-web" "$top/tests/golden/known-differences.txt" "$stem" >"$log" 2>&1 || grep '^FAIL' "$log" | head -n 10
	add "$log"
done
node "$here/engine_test.mjs" "$build/wasm" "$build/ptxsim" >"$build/web-engine.log" 2>&1 || grep '^FAIL' "$build/web-engine.log" || true
add "$build/web-engine.log"
for browser in chromium firefox; do
	log=$build/web-page-$browser.log
	node "$here/page_test.mjs" "$build/web" "$browser" >"$log" 2>&1 || grep '^FAIL' "$log" || true
	grep '^skipped' "$log" || true
	add "$log"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
