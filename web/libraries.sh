#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the two libraries that the engine needs beside itself, jansson and zlib, for WebAssembly, from the sources of the
# system's own packages: FOLDER/include and FOLDER/lib. Needs emcc and apt-get; installs nothing.
# usage: libraries.sh FOLDER
set -eu

mkdir -p "$1/parts" "$1/lists/partial" "$1/lib" "$1/include"
folder=$(cd "$1" && pwd)
[ ! -f "$folder/lib/libz.a" ] || [ ! -f "$folder/lib/libjansson.a" ] || exit 0

# The system's package sources, as sources of source packages, beside the system's own lists.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
	[ ! -f "$list" ] || sed -n 's/^deb /deb-src /p' "$list" >"$folder/parts/$(basename "$list" .list).list"
done
for list in /etc/apt/sources.list.d/*.sources; do
	[ ! -f "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$folder/parts/$(basename "$list")"
done
cd "$folder"
fetch() {
	apt-get -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$folder/parts" \
		-o Dir::State::Lists="$folder/lists" -o APT::Sandbox::User=root -qq "$@"
}
fetch update
fetch source --download-only jansson zlib

unpack() {
	rm -rf "$1" && mkdir "$1"
	tar -xf "$folder/$1"_*.orig.tar.* -C "$1" --strip-components=1
}

unpack jansson
(
	cd jansson/src
	sed 's/@json_inline@/inline/; s/@json_have_[a-z_]*@/1/' jansson_config.h.in >jansson_config.h
	echo '#define INITIAL_HASHTABLE_ORDER 3' >jansson_private_config.h
	emcc -O2 -msimd128 -I. -DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_SYS_TIME_H -DHAVE_SYS_TYPES_H -DHAVE_GETTIMEOFDAY \
		-DHAVE_ATOMIC_BUILTINS -DHAVE_SCHED_H -DHAVE_SCHED_YIELD -c ./*.c
	emar rc "$folder/lib/libjansson.a" ./*.o
	cp jansson.h jansson_config.h "$folder/include"
)

unpack zlib
(
	cd zlib
	emcc -O2 -DHAVE_UNISTD_H -c adler32.c crc32.c inffast.c inflate.c inftrees.c zutil.c deflate.c trees.c \
		gzclose.c gzlib.c gzread.c gzwrite.c
	emar rc "$folder/lib/libz.a" ./*.o
	cp zlib.h zconf.h "$folder/include"
)
