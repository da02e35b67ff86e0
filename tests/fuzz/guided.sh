#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# guided.sh PROGRAM FOLDER SECONDS TARGET...: libFuzzer on one target after another, each for so long, with the seeds in
# FOLDER/seeds-TARGET (and what FUZZ_SEEDS names). What reaches new code goes to FOLDER/found-TARGET, what does harm to
# FOLDER/bad-TARGET; the fuzzer is started again behind it. Prints for each target how many inputs were tried and how many
# did harm, then the sum; fails if any did, or if a target could not be tried. FUZZ_LENGTH: the longest input (4096).
set -u

program=$1 folder=$2 seconds=$3
shift 3
length=${FUZZ_LENGTH-4096}
all=0
harm=0
failed=0

# The number behind a name in the fuzzer's last words.
number() {
	sed -n "s/^stat::$1: *\([0-9]*\)$/\1/p" "$folder/log-$target" | tail -n 1
}

for target; do
	mkdir -p "$folder/found-$target" "$folder/bad-$target" "$folder/seeds-$target"
	: >"$folder/log-$target"
	tried=0
	end=$(($(date +%s) + seconds))
	while left=$((end - $(date +%s))) && [ "$left" -gt 0 ]; do
		# shellcheck disable=SC2086 # a list of folders
		PTXSIM_FUZZ=$target "$program" -max_total_time="$left" -timeout=60 -rss_limit_mb=4096 -max_len="$length" \
			-print_final_stats=1 -dict="$folder/words" -artifact_prefix="$folder/bad-$target/" \
			"$folder/found-$target" "$folder/seeds-$target" ${FUZZ_SEEDS-} </dev/null >"$folder/log-$target" 2>&1
		status=$?
		count=$(number number_of_executed_units)
		tried=$((tried + ${count:-0}))
		[ "$status" = 0 ] && break
		if [ -z "$count" ]; then
			echo "guided: $target: the fuzzer ended with $status and no count, see $folder/log-$target"
			failed=1
			break
		fi
		cp "$folder/log-$target" "$folder/log-$target-$tried"
	done
	bad=$(find "$folder/bad-$target" -type f | wc -l)
	reached=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$folder/log-$target" | tail -n 1)
	echo "$target: $tried inputs tried, ${reached:-?} edges reached, $bad do harm"
	[ "$tried" -gt 0 ] || failed=1
	all=$((all + tried))
	harm=$((harm + bad))
done
echo "$all inputs tried, $harm do harm"
[ "$harm" = 0 ] && [ "$failed" = 0 ]
