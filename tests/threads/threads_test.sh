#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Host threads under ThreadSanitizer: ./dev fuzz --threads. BUILD is a build with --enable-tsan, made by gcc, in which
# helpers start for any launch. Whether results are right is for other tests; here any report fails. Races of the kernels
# themselves are in memory of theirs, which src/memory/guest_bytes.h keeps apart.
set -u

build=$(cd "${BUILD-.}" && pwd) || exit 2
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
export PTXSIM_CACHE=off PTXSIM_NATIVE_PLUGIN="$build/.libs/libptxsim-native.so"
export TSAN_OPTIONS="exitcode=0 die_after_fork=0 history_size=4 log_path=$work/report"

# clean NAME COMMAND...: it makes no report, and ends with a status of ptxsim's own.
clean() {
	name=$1
	shift
	rm -f "$work"/report*
	timeout 900 "$@" >"$work/out" 2>&1 </dev/null
	status=$?
	if [ "$status" -le 1 ] && ! grep -qs 'WARNING: ThreadSanitizer' "$work"/report*; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $name: status $status"
		cat "$work"/report* 2>/dev/null | head -n "${LINES_SHOWN-60}"
	fi
}

# A race of the host's must be told: else nothing below means anything.
cat >"$work/race.c" <<'END'
#include <pthread.h>
#include <stddef.h>
static int shared;
static void *add(void *none) { shared++; return none; }
int main(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, add, NULL))
		return 2;
	shared++;
	return pthread_join(thread, NULL);
}
END
"${CC-cc}" -g -fsanitize=thread -pthread "$work/race.c" -o "$work/race" && "$work/race"
if ls "$work"/report* >/dev/null 2>&1 && nm "$build/.libs/ptxsim" "$build/ptxsim" 2>/dev/null | grep -q __tsan_init; then
	passed=$((passed + 1))
else
	echo "FAIL: the sanitizer tells no race, or $build is not a build with it"
	echo "0 passed, 1 failed"
	exit 1
fi

for file in "$root"/samples/*.ptx "$root"/tests/run/*.ptx "$here"/*.ptx "$root"/tests/check/*.ptx; do
	grep -q '^//@ launch' "$file" || continue
	for options in '--jobs 4' '--jobs 4 --any-order' '--jobs 4 --native=always'; do
		# shellcheck disable=SC2086 # a list of words
		clean "$(basename "$file") $options" "$build/ptxsim" run -q $options "$file"
	done
done
for options in '--metrics=*' '--report json' '--report html' '--check=races' '--async=strict'; do
	# shellcheck disable=SC2086
	clean "matmul.ptx $options" "$build/ptxsim" run -q --jobs 4 $options "$root/samples/matmul.ptx"
done
for stem in "$root"/tests/golden/prog-*.cases* "$root"/tests/golden/library-*.cases*; do
	for options in '' --any-order; do
		# shellcheck disable=SC2086
		clean "$(basename "$stem") --threads 4 $options" "$build/golden-run" -q --jobs 1 --threads 4 $options --timeout 600 "$stem"
	done
done
# Contexts of several threads, streams, helpers that stay; the thread that compiles beside those that want its code.
for program in test_api test_api_watch test_context test_spread test_native test_native_cache test_small_launches test_blocks test_streamed; do
	clean "$program" env srcdir="$root" CK_DEFAULT_TIMEOUT=600 CK_TIMEOUT_MULTIPLIER=20 "$build/tests/unit/$program"
done
# A CUDA program of eight threads, which knows nothing of the sanitizer.
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if "$nvcc" --version 2>/dev/null | grep -q 'release 13'; then
	(cd "$root/tests/cuda/programs" &&
		"$nvcc" -w -arch=sm_90 -cudart shared p10_pools_threads.cu -o "$work/eight" \
			-L"$(dirname "$nvcc")/../lib64/stubs" -lcuda)
	clean "CUDA program of eight threads" env LD_LIBRARY_PATH="$build/.libs" \
		LD_PRELOAD="$("${CC-cc}" -print-file-name=libtsan.so)" "$work/eight"
else
	echo "skipped: a CUDA program of eight threads; there is no nvcc 13"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
