#!/bin/bash
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# package.sh SOURCE WORK: builds the Debian packages of a copy of SOURCE in the folder WORK, without the tests of the program; asks lintian;
# and tries what they install: the program, a C program on the library, the tests of the Python package. Needs the packages of debian/control
# and lintian, not root: nothing is installed.
set -euo pipefail
source=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)

mkdir "$work/smembank" "$work/root"
tar -C "$source" -cf - . | tar -C "$work/smembank" -xf -
cd "$work/smembank"
DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS="nocheck parallel=$(nproc) ${DEB_BUILD_OPTIONS-}" dpkg-buildpackage -us -uc -b >"$work/build.log" 2>&1 || {
  tail -n 100 "$work/build.log"
  exit 1
}
lintian --fail-on error,warning "$work"/*.changes

for package in "$work"/*.deb; do
  case $package in
  *-dbgsym_*) ;;
  *) dpkg-deb -x "$package" "$work/root" ;;
  esac
done
libraries=$(dirname "$work"/root/usr/lib/*/libsmembank.so.0)
export LD_LIBRARY_PATH=$libraries PYTHONDONTWRITEBYTECODE=1
cd "$work"
"$work/root/usr/bin/smembank" analyze --rows 32 --cols 32 --max-ways 31 >"$work/out" 2>&1 && {
  echo "a tile that conflicts passes"
  exit 1
}
grep -q '32-way' "$work/out"

# The headers and the pkg-config file, as they will lie in /usr.
PKG_CONFIG_PATH=$libraries/pkgconfig pkg-config --define-variable=prefix="$work/root/usr" \
  --define-variable=libdir="$libraries" --define-variable=includedir="$work/root/usr/include" --cflags --libs smembank >"$work/flags"
awk '/^\$ cat kernel.c/ { inside = 1; next } /^\$ cc/ { inside = 0 } inside' "$source/doc/library.md" >"$work/kernel.c"
# shellcheck disable=SC2046 # one word for each flag
cc "$work/kernel.c" $(cat "$work/flags") -o "$work/kernel"
"$work/kernel" | grep -q 'line 5: .*32-way'

# The Python package finds an installed library by itself; one that is only unpacked is named.
SMEMBANK=$work/root/usr/bin/smembank SMEMBANK_LIBRARY=$libraries/libsmembank.so.0 \
  PYTHONPATH=$work/root/usr/lib/python3/dist-packages /usr/bin/python3 -m pytest -q -p no:cacheprovider "$source/python/tests"
ls -l "$work"/*.deb
