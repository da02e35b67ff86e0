#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a file from a stranger can do to the host, and what becomes of output that cannot be written: the promises of
# docs/security.md, one by one. Ends with the totals. PTXSIM names the program; run from anywhere.
set -u

ptxsim=$(realpath "${PTXSIM-./ptxsim}")
samples=$(cd "$(dirname "$0")/../../samples" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# expect STATUS TEXT COMMAND...: the command ends so within 20 seconds, and its output holds the text.
expect() {
	status=$1 text=$2
	shift 2
	timeout 20 "$@" >"$work/out" 2>&1 </dev/null
	got=$?
	if [ "$got" != "$status" ]; then
		echo "FAIL: $* ended with $got, not $status:"
		head -n 5 "$work/out"
	elif [ -n "$text" ] && ! grep -qF -e "$text" "$work/out"; then
		echo "FAIL: $* does not say '$text':"
		head -n 5 "$work/out"
	else
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
}

# holds WORDS... : the shell's test of these words is true.
holds() {
	if [ "$@" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: [ $* ]"
	fi
}

# script NAME LINE...: a kernel that does nothing, with these launch lines, as $in/NAME.
script() {
	name=$1
	shift
	{
		printf '.version 7.0\n.target sm_75\n.address_size 64\n'
		printf '//@ %s\n' "$@"
		printf '.visible .entry k() { ret; }\n'
	} >"$in/$name"
}

mkdir -p "$work/home/in/sub" "$work/home/.ssh" "$work/elsewhere"
in=$work/home/in
cd "$work/elsewhere" || exit 2
printf 'secretsecretsecr' >"$work/home/secret.bin"
printf 'secretsecretsecr' >"$work/home/in/.hidden"
printf 'insideinsideinsi' >"$in/sub/inside.bin"
mkfifo "$in/pipe"
ln -s ../secret.bin "$in/out.link"
ln -s "$in/sub/inside.bin" "$in/absolute.link"
ln -s sub/inside.bin "$in/inside.link"
ln -s ../sub/../sub/inside.bin "$in/sub/round.link"
ln -s .. "$in/up"
ln -s loop.link "$in/loop.link"
ln -s /dev/zero "$in/zero.link"
ln -s .hidden "$in/hidden.link"

# Loading: regular files below the text's folder, through links that stay there.
for path in sub/inside.bin ./sub/inside.bin sub//inside.bin inside.link sub/round.link; do
	script load.ptx "buffer a u8[16] load $path" 'launch k()' 'expect a[0:2] = 105 110'
	expect 0 "1 of 1 expectations hold" "$ptxsim" run "$in/load.ptx"
	expect 0 "1 passed, 0 failed" "$ptxsim" test "$in/load.ptx"
done
# load_refused PATH WHY: in all ways that a line can name a file to read.
load_refused() {
	script load.ptx "buffer a u8[16] load $1" 'launch k()'
	expect 2 "$2" "$ptxsim" run "$in/load.ptx"
	script load.ptx "buffer a load $1" 'launch k()'
	expect 2 "$2" "$ptxsim" run "$in/load.ptx"
	expect 2 "$2" "$ptxsim" check "$in/load.ptx"
	expect 2 "$2" "$ptxsim" debug --batch "$in/load.ptx"
	expect 2 "$2" "$ptxsim" test "$in/load.ptx"
	script load.ptx 'buffer a u8[16]' 'launch k()' "expect a == $1"
	expect 1 "$2" "$ptxsim" run "$in/load.ptx"
}
load_refused ../secret.bin "'..' leads out of the folder"
load_refused sub/../../secret.bin "'..' leads out of the folder"
load_refused "$work/home/secret.bin" "an absolute path leads out of the folder"
load_refused /dev/zero "an absolute path leads out of the folder"
load_refused out.link "a symbolic link leads out of the folder"
load_refused absolute.link "a symbolic link leads out of the folder"
load_refused up/secret.bin "a symbolic link leads out of the folder"
load_refused zero.link "a symbolic link leads out of the folder"
load_refused loop.link "Too many levels of symbolic links"
load_refused .hidden "hidden files"
load_refused hidden.link "hidden files"
load_refused pipe "it is not a regular file"
load_refused sub "Is a directory"
load_refused missing.bin "No such file"
load_refused sub/inside.bin/x "Not a directory"

# The user's own word may name any file: an option of their own, and --allow-paths.
cat >"$work/plain.ptx" <<'END'
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a) { ret; }
END
expect 0 "a  u8[16]  115 101" "$ptxsim" run "$work/plain.ptx" --arg "a=u8[16] load $work/home/secret.bin"
expect 0 "a  u8[16]  115 101" "$ptxsim" run "$work/plain.ptx" --arg "a=u8[16] load ../home/secret.bin"
script own.ptx "buffer a u8[16] load ../secret.bin" 'launch k()' 'expect a[0] = 115'
expect 0 "1 of 1 expectations hold" "$ptxsim" run --allow-paths "$in/own.ptx"
expect 0 "1 passed" "$ptxsim" test --allow-paths "$in/own.ptx"
script own.ptx "buffer a u8[16] load $work/home/secret.bin" 'launch k()' 'expect a[0] = 115'
expect 0 "1 of 1 expectations hold" "$ptxsim" run --allow-paths "$in/own.ptx"
# A script file is a text like others.
printf 'buffer a u8[16] load ../secret.bin\nlaunch k()\n' >"$in/lines"
expect 2 "'..' leads out of the folder" "$ptxsim" run "$in/own.ptx" --script "$in/lines"

# Saving: new files below the text's folder.
script save.ptx 'buffer a u8[16] const 65' 'launch k()' 'save a sub/new.bin' 'save a sub/new.npy'
expect 0 "" "$ptxsim" run "$in/save.ptx"
holds "$(cat "$in/sub/new.bin")" = AAAAAAAAAAAAAAAA
holds "$(wc -c <"$in/sub/new.npy")" = 144
expect 2 "new.bin: it exists already" "$ptxsim" run "$in/save.ptx"
expect 2 "new.bin: it exists already" "$ptxsim" test "$in/save.ptx"
expect 2 "new.bin: it exists already" "$ptxsim" run --allow-paths "$in/save.ptx"
expect 0 "" "$ptxsim" run --overwrite "$in/save.ptx"
expect 0 "" "$ptxsim" test --overwrite "$in/save.ptx"
rm "$in/sub/new.bin" "$in/sub/new.npy"
# save_refused PATH WHY FILE: FILE is as it was.
save_refused() {
	before=$(cat "$3" 2>/dev/null)
	for overwrite in "" --overwrite; do
		script save.ptx 'buffer a u8[16] const 65' 'launch k()' "save a $1"
		expect 2 "$2" "$ptxsim" run $overwrite "$in/save.ptx"
		expect 2 "$2" "$ptxsim" test $overwrite "$in/save.ptx"
	done
	holds "$(cat "$3" 2>/dev/null)" = "$before"
}
save_refused ../secret.bin "'..' leads out of the folder" "$work/home/secret.bin"
save_refused ../new.bin "'..' leads out of the folder" "$work/home/new.bin"
save_refused "$work/home/new.bin" "an absolute path leads out of the folder" "$work/home/new.bin"
save_refused up/new.bin "a symbolic link leads out of the folder" "$work/home/new.bin"
save_refused .profile "hidden files" "$in/.profile"
save_refused pipe "it is not a regular file" /dev/null
save_refused sub "it is not a regular file" "$in/sub/inside.bin"
save_refused out.link "it is not a regular file" "$work/home/secret.bin"
save_refused missing/new.bin "No such file" "$in/missing/new.bin"
script save.ptx 'buffer a u8[16] const 65' 'launch k()' "save a ../allowed.bin"
expect 0 "" "$ptxsim" run --allow-paths "$in/save.ptx"
holds "$(cat "$work/home/allowed.bin")" = AAAAAAAAAAAAAAAA
printf x >"$work/home/allowed.bin"
expect 2 "it exists already" "$ptxsim" run --allow-paths "$in/save.ptx"
holds "$(cat "$work/home/allowed.bin")" = x
# The user's own word replaces, through links, and writes to what is no file.
script save.ptx 'buffer a u8[16] const 65' 'launch k()'
ln -s "$work/home/allowed.bin" "$work/home/own.link"
chmod 640 "$work/home/allowed.bin"
expect 0 "" "$ptxsim" run "$in/save.ptx" --save "a=$work/home/own.link"
holds "$(cat "$work/home/allowed.bin")" = AAAAAAAAAAAAAAAA
holds "$(stat -c %a "$work/home/allowed.bin")" = 640
holds -L "$work/home/own.link"
expect 0 "AAAAAAAAAAAAAAAA" "$ptxsim" run -q "$in/save.ptx" --save a=/dev/stdout
# Nor does a link go to a file that has no name any more: as root, that replaced /dev/stdout.
ln -s /proc/self/fd/1 "$work/home/out.link"
(
	exec >"$work/home/gone"
	rm "$work/home/gone"
	"$ptxsim" run -q "$in/save.ptx" --save "a=$work/home/out.link"
)
holds -L "$work/home/out.link"

# A file is written whole or not at all.
expect 2 "No space left on device" "$ptxsim" run "$in/save.ptx" --save a=/dev/full
script big.ptx 'buffer a u8[1000000] const 65' 'launch k()' 'save a sub/big.bin'
for name in big.bin big.npy; do
	printf old >"$in/sub/own-$name"
	expect 2 "File too large" sh -c 'ulimit -f 100; exec "$@"' sh "$ptxsim" run -q "$work/plain.ptx" \
		--arg 'a=u8[1000000]' --save "a=$in/sub/own-$name"
	holds "$(cat "$in/sub/own-$name")" = old
done
expect 2 "File too large" sh -c 'ulimit -f 100; exec "$@"' sh "$ptxsim" run -q "$in/big.ptx"
holds ! -e "$in/sub/big.bin"
holds -z "$(find "$work" -name '.ptxsim-*')"
# Nor is one that appeared meanwhile replaced, or half of one left by a line that fails.
script twice.ptx 'buffer a u8[16] const 65' 'launch k()' 'save a sub/twice.bin' 'save a sub/twice.bin'
expect 2 "twice.bin: it exists already" "$ptxsim" run "$in/twice.ptx"
holds "$(cat "$in/sub/twice.bin")" = AAAAAAAAAAAAAAAA

# Sources that .file names are shown only if they look like sources and lie where sources lie.
# source PATH LINE: a kernel compiled from line LINE of PATH, as $in/source.ptx.
source_of() {
	cat >"$in/source.ptx" <<END
.version 7.0
.target sm_75
.address_size 64
.file 1 "$1"
//@ buffer a u32[64]
//@ launch k(a) block=32
.visible .entry k(.param .u64 p)
{
	.reg .u64 %a;
	.reg .u32 %r;
	.loc 1 1 0
	ld.param.u64 %a, [p];
	.loc 1 $2 0
	mov.u32 %r, 7;
	st.global.u32 [%a], %r;
	ret;
}
END
}
# shown TEXT, hidden TEXT: whether the reports and the debugger show it. More words are options.
shown() {
	seen=$1
	shift
	expect 0 "$seen" "$ptxsim" run "$@" --annotate "$in/source.ptx"
	expect 0 "$seen" "$ptxsim" run "$@" --report html "$in/source.ptx"
}
hidden() {
	seen=$1
	shift
	for words in --annotate '--report html' '--report json' '--report text'; do
		expect 0 "" "$ptxsim" run "$@" $words "$in/source.ptx"
		holds -z "$(grep -aF -e "$seen" "$work/out")"
	done
	printf 'break k\nrun\nlist\nstep\nstep\nwhere\nlist\nquit\n' >"$work/commands"
	timeout 20 "$ptxsim" debug "$@" --batch -x "$work/commands" "$in/source.ptx" >"$work/out" 2>&1 </dev/null
	holds -z "$(grep -aF -e "$seen" "$work/out")"
}
printf 'first secret\nsecond secret\nthird secret\n' >"$work/home/private.cu"
cp "$work/home/private.cu" "$work/home/.ssh/key.cu"
printf 'first of mine\nsecond of mine\nthird of mine\n' >"$in/mine.cu"
printf 'first here\nsecond here\nthird here\n' >"$work/elsewhere/here.cu"
source_of "$in/mine.cu" 2
shown "second of mine"
source_of /where/it/was/compiled/mine.cu 2
shown "second of mine"
source_of here.cu 2
shown "second here"
source_of "$work/elsewhere/../elsewhere/here.cu" 2
shown "second here"
source_of "$work/home/private.cu" 2
hidden secret
shown "second secret" --source-path "$work/home"
hidden secret --source-path "$in/sub"
source_of ../private.cu 2
hidden secret
source_of ../home/private.cu 2
hidden secret
source_of "$work/home/.ssh/key.cu" 2
hidden secret --source-path "$work/home"
shown "second secret" --source-path "$work/home/.ssh"
ln -s ../private.cu "$in/link.cu"
source_of link.cu 2
hidden secret
source_of /etc/passwd 2
hidden root:x:
for device in /dev/zero /dev/stdin "$in/pipe" "$in" / ""; do
	source_of "$device" 2
	hidden "no such text"
done
# Too short for the lines that .loc names, or no text.
source_of "$in/mine.cu" 4
hidden "of mine"
printf 'first of mine\nsecond \001of mine\n' >"$in/binary.cu"
source_of "$in/binary.cu" 2
hidden "first of mine"

# What is printed and does not arrive is an error: of every command.
cp "$samples/vecadd.ptx" "$work/vecadd.ptx"
"$ptxsim" run --report json "$work/vecadd.ptx" >"$work/report.json" 2>/dev/null
printf 'run\nquit\n' >"$work/commands"
for words in "run $work/vecadd.ptx" "run --report html $work/vecadd.ptx" "run --report csv $work/vecadd.ptx" \
	"run --report json $work/vecadd.ptx" "test $work/vecadd.ptx" "test --tap $work/vecadd.ptx" "test --junit $work/vecadd.ptx" \
	"check $work/vecadd.ptx" "info $work/vecadd.ptx" "info --dot $work/vecadd.ptx" "isa" "isa --json" "isa --markdown" \
	"isa --sass" "compare $work/report.json $work/report.json" "compare --report html $work/report.json $work/report.json" \
	"debug --batch -x $work/commands $work/vecadd.ptx" "run --metrics help" "--help" "--version" "run --help" \
	"run $samples/print.ptx"; do
	case $words in *print.ptx) [ -f "$samples/print.ptx" ] || continue ;; esac
	# shellcheck disable=SC2086 # words
	expect 2 "standard output cannot be written: No space left on device" sh -c '"$@" 2>&1 >/dev/full' sh "$ptxsim" $words
	# shellcheck disable=SC2086
	expect 2 "standard output cannot be written" bash -c 'exec 3>&2; { sleep 0.2; "$@" 2>&3; echo $? >&4; } 4>'"$work/status"' | true; exit $(cat '"$work/status"')' \
		bash "$ptxsim" $words
	# shellcheck disable=SC2086
	expect 2 "" sh -c '"$@" >&-' sh "$ptxsim" $words
done
expect 2 "" sh -c '"$@" 2>/dev/full' sh "$ptxsim" run "$work/missing.ptx"
# A stream that is closed is not the file that is opened next.
expect 2 "" sh -c '"$@" >&- 2>&-' sh "$ptxsim" run "$in/save.ptx" --save "a=$work/closed.bin"
holds "$(cat "$work/closed.bin" 2>/dev/null)" = AAAAAAAAAAAAAAAA
# A kernel that prints without end stops when nobody reads.
cat >"$work/endless.ptx" <<'END'
.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[6] = {104, 101, 108, 108, 111, 10};
//@ launch k()
.visible .entry k()
{
	.reg .b64 %t;
	.reg .b32 %r;
	mov.u64 %t, text;
	cvta.global.u64 %t, %t;
again:
	{
		.param .b64 f;
		.param .b64 a;
		.param .b32 r;
		st.param.b64 [f], %t;
		st.param.b64 [a], 0;
		call.uni (r), vprintf, (f, a);
		ld.param.b32 %r, [r];
	}
	bra again;
}
END
expect 0 "hello" bash -c '"$1" run -q --limit 100000000 "$2" 2>/dev/null | head -n 1' bash "$ptxsim" "$work/endless.ptx"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
