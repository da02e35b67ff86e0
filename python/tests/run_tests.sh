#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python package's tests against a build: run_tests.sh BUILD. Ends with "N passed, N failed"; skipped, and said so, where
# no Python has cffi, NumPy and pytest.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
for python in python3 /usr/bin/python3; do
	"$python" -c 'import cffi, numpy, pytest' 2>/dev/null && break
	python=
done
if [ -z "$python" ]; then
	echo "skipped: no Python with cffi, NumPy and pytest"
	echo "0 passed, 0 failed"
	exit 0
fi
PYTHONPATH=$here/../src PYTHONDONTWRITEBYTECODE=1 PTXSIM=$build/ptxsim PTXSIM_LIBRARY=$build/.libs/libptxsim.so \
	"$python" -m pytest -q -p no:cacheprovider "$here" >"$build/pytest.out" 2>&1
cat "$build/pytest.out"
last=$(tail -n 1 "$build/pytest.out")
count() {
	number=$(printf '%s\n' "$last" | sed -n "s/.*\b\([0-9][0-9]*\) $1.*/\1/p")
	echo "${number:-0}"
}
failed=$(($(count failed) + $(count error)))
passed=$(count passed)
[ "$passed" -gt 0 ] || failed=$((failed + 1))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
