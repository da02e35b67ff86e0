#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs with expectations: the samples, what belongs to no sample, and what runs only where asynchronous operations take
# effect at once. PTXSIM names the program.
ptxsim=${PTXSIM-./ptxsim}
here=$(dirname "$0")

"$ptxsim" test "$here/../../samples" "$here"
status=$?
"$ptxsim" test --async=eager "$here/../eager" && exit $status
