#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The libraries as programs see them: what cuGetProcAddress gives at each version, by the recorded table, and the layouts
# of CUDA 12's runtime. PTXSIM_LIBRARIES names the folder of libcuda.so.1, PTXSIM_LIBRARIES_12 that of libcudart.so.12.
set -u

build=$(pwd)
sources=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH=${PTXSIM_LIBRARIES-$build/.libs}:${PTXSIM_LIBRARIES_12-$build/src/cuda/twelve/.libs}
export LD_LIBRARY_PATH
failed=0

"$build/tests/cuda/runtime12" || failed=1
# Calls with wrong arguments neither crash nor hang.
"$build/tests/cuda/misuse" cuda 2>/dev/null || failed=1
"$build/tests/cuda/misuse" cudart 2>/dev/null || failed=1
xz -dc "$sources/expected/getprocaddress.txt.xz" | "$build/tests/cuda/entry_points" || failed=1
# The same calls, answered without executing.
PTXSIM_EXECUTE=no "$build/tests/cuda/runtime12" >/dev/null && { echo "PTXSIM_EXECUTE=no has executed a kernel"; failed=1; }
for setting in PTXSIM_EXECUTE=maybe PTXSIM_CODE=both; do
	env "$setting" "$build/tests/cuda/runtime12" 2>&1 | grep -q "^ptxsim: ${setting%=*} is [a-z]* or [a-z]*, not ${setting#*=}\$" ||
		{ echo "$setting is taken without a word"; failed=1; }
done
sh "$sources/../../src/cuda/calls.sh" | cmp - "$sources/../../docs/cuda-calls.md" || { echo "docs/cuda-calls.md is not what src/cuda/calls.sh prints"; failed=1; }
exit $failed
