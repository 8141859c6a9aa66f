#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# libelf.sh FOLDER [SOURCE.tar.bz2]: libelf as a static library whose code may lie anywhere, as that of a shared library has to and that of
# Debian's libelf.a may not: FOLDER/libelf.a, FOLDER/COPYING and FOLDER/version. The source is Debian's (debian.sh).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=packaging/debian.sh
. "$here/debian.sh"

enter_source elfutils "${2-}" "$1"
{
  ./configure --host="$(${CC:-cc} -dumpmachine)" --disable-debuginfod --disable-libdebuginfod --disable-nls --without-bzlib --without-lzma --disable-demangler CFLAGS='-g0 -O2' &&
    make -C lib libeu.a && make -C libelf libelf_pic.a
} >"$work/build.log" 2>&1 || {
  tail -n 30 "$work/build.log" >&2
  exit 1
}
# One library: what of libeu.a it calls is in it.
printf 'create %s/libelf.a\naddlib libelf/libelf_pic.a\naddlib lib/libeu.a\nsave\nend\n' "$folder" | "${AR:-ar}" -M
cat COPYING-LGPLV3 >"$folder/COPYING"
sed -n "s/^PACKAGE_VERSION='\(.*\)'/\1/p" configure >"$folder/version"
echo "libelf $(cat "$folder/version")"
