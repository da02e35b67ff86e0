#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: debian/source-package.sh TARBALL FOLDER
# Makes the Debian source package in FOLDER, which is made, from the tarball of `make dist`: the .orig.tar.xz, .debian.tar.xz
# and .dsc, and beside them the unpacked tree in which `dpkg-buildpackage -us -uc -b` builds. debian/ is this one's.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# = 2 ] && [ -f "$1" ] || { sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2; exit 2; }
package=$(sed -n '1s/ .*//p' "$here/changelog")
version=$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' "$here/changelog")
[ "$(basename "$1")" = "$package-$version.tar.xz" ] || {
	echo "$0: debian/changelog is of $package $version, the tarball is $(basename "$1")" >&2
	exit 2
}
mkdir -p "$2"
cp "$1" "$2/${package}_$version.orig.tar.xz"
cd "$2"
rm -rf "$package-$version"
tar -xf "${package}_$version.orig.tar.xz"
rm -rf "$package-$version/debian"
cp -R "$here" "$package-$version/debian"
cd "$package-$version"
# Nothing is built, so nothing that building needs has to be there.
dpkg-buildpackage -S -us -uc -d
