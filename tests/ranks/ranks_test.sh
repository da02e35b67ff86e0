#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs on several ranks: results, reports and faults are those of one process, with 1, 2 and 4 ranks; launches that can
# be shared are, and of others the message says why; a rank that dies ends the run. PTXSIM names the program. Skipped
# where mpirun or the plug-in is missing. Ends with the totals, as the other runners do.
set -u

here=$(cd "$(dirname "$0")" && pwd)
ptxsim=$(readlink -f "${PTXSIM-./ptxsim}")
samples=$here/../../samples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

skip() {
	echo "skipped: runs on several ranks: $1"
	echo "0 passed, 0 failed"
	exit 0
}

command -v mpirun >/dev/null 2>&1 || skip "there is no mpirun"
[ -f "$(dirname "$ptxsim")/.libs/libptxsim-mpi.so" ] || [ -n "${PTXSIM_HAS_MPI-}" ] ||
	skip "the plug-in is not built (libopenmpi-dev)"
# As root, in a container or not; more ranks than processors.
NO_COLOR=1
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_btl_vader_single_copy_mechanism=none
export NO_COLOR OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_btl_vader_single_copy_mechanism
mpirun -n 2 true >"$work/log" 2>&1 || skip "mpirun does not start processes here: $(head -n 1 "$work/log")"

check() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $1"
		echo "$2" >"$work/wanted"
		echo "$3" >"$work/got"
		diff "$work/wanted" "$work/got" | head -n 10
	fi
}

# What does not depend on time, or on who ran what.
steady() {
	grep -vE '^  (time|instructions)|on [0-9]+ (of [0-9]+ )?ranks?|runs on one rank'
}
steady_json() {
	sed -e 's/"\(seconds\|jobs\)": *[0-9.e+-]*//g' "$1"
}

# same N FILE: with N ranks the output, the report, the faults and the exit status are those of one process.
same() {
	ranks=$1
	name=$(basename "$2")
	# How many blocks of a launch that fails are counted depends on the host's threads, as do races.
	case $name in fault.ptx | alone.ptx) jobs=1 ;; *) jobs=2 ;; esac
	[ -f "$work/$name.alone" ] || {
		"$ptxsim" run --jobs $jobs --report json -o "$work/$name.alone.json" "$2" >"$work/$name.out" 2>"$work/$name.err" </dev/null
		echo "status $?" >>"$work/$name.out"
		cat "$work/$name.out" "$work/$name.err" | steady >"$work/$name.alone"
		steady_json "$work/$name.alone.json" >"$work/$name.alone.counts"
	}
	mpirun -n "$ranks" "$ptxsim" run --mpi --jobs $jobs --report json -o "$work/ranks.json" "$2" >"$work/out" 2>"$work/err" </dev/null
	echo "status $?" >>"$work/out"
	cat "$work/out" "$work/err" | steady | grep -vE '^(-----*|$|Primary job|a non-zero|mpirun |  Process name|  Exit code|With the|terminated|per user)' >"$work/all"
	grep -vE '^(-----*|$)' "$work/$name.alone" >"$work/alone"
	check "$name on $ranks ranks: output" "$(cat "$work/alone")" "$(cat "$work/all")"
	check "$name on $ranks ranks: counters" "$(cat "$work/$name.alone.counts")" "$(steady_json "$work/ranks.json")"
	cp "$work/out" "$work/last.out"
	cp "$work/err" "$work/last.err"
}

for ranks in 1 2 4; do
	for file in "$here"/*.ptx "$samples"/matmul.ptx "$samples"/cluster_histogram.ptx "$samples"/histogram.ptx \
		"$samples"/convolution.ptx "$samples"/mma_tile.ptx "$samples"/lines.ptx; do
		same "$ranks" "$file"
		case $ranks-$(basename "$file") in
		1-*) ;;
		*-shared.ptx)
			check "shared.ptx on $ranks ranks: nothing runs on one rank" "" "$(cat "$work/last.err")"
			check "shared.ptx on $ranks ranks: launches that are shared" 18 "$(grep -c "on $ranks ranks, " "$work/last.out")"
			;;
		*-alone.ptx)
			sed -n '6,/^$/s/^\/\/ //p' "$file" >"$work/reasons"
			check "alone.ptx: launches on one rank" "$(wc -l <"$work/reasons" | tr -d ' ')" "$(grep -c 'runs on one rank' "$work/last.err")"
			grep 'runs on one rank' "$work/last.err" >"$work/told"
			paste -d '\n' "$work/reasons" "$work/told" | while read -r reason && read -r told; do
				case $told in *"$reason"*) ;; *) echo "$reason: $told" ;; esac
			done >"$work/unlike"
			check "alone.ptx on $ranks ranks: why" "" "$(cat "$work/unlike")"
			;;
		esac
	done
done

# Native code notes what it touches as the interpreter does: the same launches are shared, with the same results.
plugin=$(dirname "$ptxsim")/.libs/libptxsim-native.so
for file in "$here"/*.ptx; do
	[ -f "$plugin" ] || break
	name=$(basename "$file")
	PTXSIM_NATIVE_PLUGIN=$plugin
	export PTXSIM_NATIVE_PLUGIN
	for native in off always; do
		PTXSIM_NATIVE=$native mpirun -n 2 "$ptxsim" run --mpi --jobs 1 "$file" >"$work/out" 2>"$work/err" </dev/null
		echo "status $?" >>"$work/out"
		sed -E 's/, [0-9.]+ s( |:).*//' "$work/out" "$work/err" | grep -vE '^  (time|instructions)' >"$work/$native"
	done
	check "$name on 2 ranks: native code" "$(cat "$work/off")" "$(cat "$work/always")"
done

# Buffers, to the last byte.
"$ptxsim" run --quiet --save y="$work/y1" --save bytes="$work/b1" --save odd="$work/o1" "$here/shared.ptx" </dev/null
mpirun -n 4 "$ptxsim" run --mpi --quiet --save y="$work/y4" --save bytes="$work/b4" --save odd="$work/o4" "$here/shared.ptx" </dev/null
check "buffers on 4 ranks" "$(cat "$work/y1" "$work/b1" "$work/o1" | cksum)" "$(cat "$work/y4" "$work/b4" "$work/o4" | cksum)"

# What goes where: what is only read travels once, what nobody changed not at all.
bytes() {
	sed -n "s/^$1: on .*: sent \([0-9]*\) bytes.*/\1/p" "$work/out" | sed -n "$2p"
}
mpirun -n 2 "$ptxsim" run --mpi "$here/shared.ptx" >"$work/out" 2>&1 </dev/null
check "the second launch of scale sends less than a page for each one written" yes \
	"$([ "$(bytes scale 1)" -gt 40000 ] && [ "$(bytes scale 2)" -lt 30000 ] && echo yes)"

# A suite: the same report, each file once. On one thread each: alone.ptx races.
"$ptxsim" test --jobs 1 "$samples" "$here" 2>&1 | sed 's/, [0-9.]* ms$//' >"$work/alone"
mpirun -n 2 "$ptxsim" test --mpi --jobs 1 "$samples" "$here" 2>&1 | sed 's/, [0-9.]* ms$//' >"$work/ranks"
check "test --mpi: the report" "$(cat "$work/alone")" "$(cat "$work/ranks")"
mpirun -n 4 "$ptxsim" test --mpi --tap "$samples/fermi" "$here/shared.ptx" >"$work/ranks" 2>&1
check "test --mpi --tap: the report" "$("$ptxsim" test --tap "$samples/fermi" "$here/shared.ptx")" "$(cat "$work/ranks")"
printf '//@ let n = 1\n//@ buffer a u32[1] const 0\n//@ launch k(a)\n//@ expect a[0] = 2\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n\tret;\n}\n' >"$work/wrong.ptx"
mpirun -n 2 "$ptxsim" test --mpi "$work/wrong.ptx" "$here/shared.ptx" >"$work/ranks" 2>&1
check "test --mpi: the status of a failure" 1 $?
check "test --mpi: the report of a failure" "17 passed, 1 failed" "$(grep ' passed, ' "$work/ranks")"

# A file that is not there.
mpirun -n 2 "$ptxsim" run --mpi "$work/nowhere.ptx" >"$work/out" 2>&1
check "run --mpi: the status without its file" yes "$([ $? != 0 ] && echo yes)"
check "run --mpi: the message without its file" 1 "$(grep -c 'nowhere.ptx: No such file' "$work/out")"

# A rank that dies: the run ends, and shows nothing as its result.
cat >"$work/long.ptx" <<'END'
//@ buffer a u32[1024] const 0
//@ launch k(a) grid=1024 block=32
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a)
{
	.reg .pred %p;
	.reg .b32 %r<4>;
	.reg .b64 %d<4>;
	mov.u32 %r1, 0;
again:
	add.u32 %r1, %r1, 1;
	setp.lt.u32 %p, %r1, 100000000;
	@%p bra again;
	ld.param.u64 %d1, [a];
	mov.u32 %r2, %ctaid.x;
	mad.wide.u32 %d1, %r2, 4, %d1;
	st.global.u32 [%d1], %r1;
	ret;
}
END
cat >"$work/rank" <<'END'
#!/bin/sh
# The second rank ends by a signal after a moment.
if [ "${OMPI_COMM_WORLD_RANK-${PMI_RANK-0}}" = 1 ]; then
	(sleep 2; kill -9 $$) &
fi
exec "$@"
END
chmod +x "$work/rank"
timeout 60 mpirun -n 2 "$work/rank" "$ptxsim" run --mpi "$work/long.ptx" >"$work/out" 2>&1 </dev/null
status=$?
check "a rank that dies: the status" yes "$([ $status != 0 ] && [ $status != 124 ] && echo yes)"
check "a rank that dies: nothing is shown as a result" 0 "$(grep -c '^a  *u32' "$work/out")"
check "a rank that dies: it is named" yes "$(grep -qE 'rank 1|\[[0-9]+,1\]|Process name' "$work/out" && echo yes)"

# mpirun gives its processes a terminal, though this is a file.
timeout 60 env -u NO_COLOR TERM=xterm mpirun -n 2 "$ptxsim" test --mpi "$samples/vecadd.ptx" "$samples/dot.ptx" >"$work/out" 2>&1 </dev/null
check "no colours in a file" 0 "$(grep -c "$(printf '\033')" "$work/out")"
timeout 60 env -u NO_COLOR TERM=xterm mpirun -n 2 "$ptxsim" test --mpi --color=always "$samples/vecadd.ptx" >"$work/out" 2>&1 </dev/null
check "colours where they are asked for" yes "$(grep -q "$(printf '\033')" "$work/out" && echo yes)"

# Without mpirun it is a run of one rank.
check "--mpi without mpirun" 0 "$("$ptxsim" run --mpi --quiet "$here/shared.ptx" >"$work/out" 2>&1; echo $?)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
