#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs with expectations: the samples, and what belongs to no sample. PTXSIM names the program.
exec "${PTXSIM-./ptxsim}" test "$(dirname "$0")/../../samples" "$(dirname "$0")"
