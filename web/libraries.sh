#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# libraries.sh SOURCE FOLDER: GLib, GObject, the streams of GIO, json-glib, libelf, LZ4, PCRE2 and the reading half of Zstandard as
# WebAssembly, which Debian does not have: FOLDER/libraries.a and FOLDER/include, and the licences in FOLDER/licenses. The sources are
# Debian's (packaging/debian.sh). SMEMBANK_WEB_SOURCES names a folder that has the tarballs. GLib's own build would try some hundred
# programs first, for minutes, to find what glib/config.h says.
set -eu
source=$(cd "$1" && pwd)
# shellcheck source=packaging/debian.sh
. "$source/packaging/debian.sh"
mkdir -p "$2"
folder=$(cd "$2" && pwd)
kept=$(realpath "${SMEMBANK_WEB_SOURCES:-/nonexistent}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fetch PACKAGE: its source in ./PACKAGE.
fetch() {
  tarball=$(find "$kept" -maxdepth 1 -name "$1_*.orig.tar.*" 2>/dev/null | head -n 1)
  [ -n "$tarball" ] || tarball=$(fetch_source "$1")
  mkdir "$1"
  tar -xf "$tarball" -C "$1" --strip-components=1
}

# listed NAME FILE: the .c files of a list in a meson.build.
listed() {
  sed -n "/^$1 = /,/^)/p" "$2" | grep -o "'[a-z0-9-]*\.c'" | tr -d "'"
}

# compile DOMAIN FLAGS FILE…: adds them to the library.
compile() {
  domain=$1
  flags=$2
  shift 2
  for file; do
    # shellcheck disable=SC2086 # one word for each flag
    emcc -Oz -w -D__GCC_HAVE_SYNC_COMPARE_AND_SWAP_4 -DPCRE2_STATIC -DG_DISABLE_CAST_CHECKS -DG_LOG_DOMAIN="\"$domain\"" $flags \
      -c "$file" -o "$work/objects/$domain-$(basename "$file" .c).o"
  done
}

cd "$work"
for package in glib2.0 pcre2 json-glib elfutils lz4 libzstd; do
  fetch "$package"
done
include=$folder/include
rm -rf "$include"
mkdir -p objects "$include/json-glib" "$folder/licenses"

# --- PCRE2

cd "$work/pcre2/src"
cp config.h.generic config.h
cp pcre2.h.generic pcre2.h
cp pcre2_chartables.c.dist pcre2_chartables.c
cp pcre2.h "$include"
for part in auto_possess chartables compile config context convert dfa_match error extuni find_bracket jit_compile maketables match match_data \
  newline ord2utf pattern_info script_run serialize string_utils study substitute substring tables ucd valid_utf xclass; do
  compile PCRE2 '-DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DSUPPORT_UNICODE -I.' "pcre2_$part.c"
done
cp ../LICENCE "$folder/licenses/pcre2"

# --- GLib, GObject, GIO's streams

cd "$work/glib2.0"
version=$(sed -n "s/^ *version : '\([0-9.]*\)'.*/\1/p" meson.build | head -n 1)
[ "$version" = "$(pkg-config --modversion glib-2.0)" ] || {
  echo "libraries.sh: expected the source of GLib $(pkg-config --modversion glib-2.0), which is installed, not of $version" >&2
  exit 1
}
# The header that depends on the processor: this machine's, for pointers and longs of four bytes.
sed 's/^typedef signed long gint64/typedef signed long long gint64/; s/^typedef unsigned long guint64/typedef unsigned long long guint64/
  s/##UL)/##ULL)/; s/##L)/##LL)/; /GINT64_MODIFIER\|GINT64_FORMAT\|GUINT64_FORMAT/s/"l/"ll/; /^#define GLIB_SIZEOF_/s/8/4/
  /^#define GU*LONG_TO_/s/INT64_TO/INT32_TO/; /^#define GU*LONG_TO_/s/UINT64/UINT32/; /^#define GS*SIZE_TO_/s/INT64/INT32/' \
  "$(pkg-config --variable=libdir glib-2.0)/glib-2.0/include/glibconfig.h" >"$include/glibconfig.h"
for kind in h c; do
  glib-mkenums --template "gobject/glib-enumtypes.$kind.template" glib/gunicode.h >"gobject/glib-enumtypes.$kind"
  glib-mkenums --template "gio/gioenumtypes.$kind.template" gio/gioenums.h >"gio/gioenumtypes.$kind"
done
flags="-I$source/web/glib -I$include -I. -Iglib -Iglib/libcharset -Igobject -Igio -Igmodule -DGLIB_COMPILATION -DGOBJECT_COMPILATION \
  -DGIO_COMPILATION -DLIBDIR=\"/lib\""
# shellcheck disable=SC2046 # one word for each file
compile GLib "$flags" $(listed glib_sources glib/meson.build | grep -v gversion | sed 's,^,glib/,') \
  glib/giounix.c glib/glib-unix.c glib/gspawn.c glib/gthread-posix.c glib/libcharset/localcharset.c
# shellcheck disable=SC2046
compile GObject "$flags" $(listed gobject_sources gobject/meson.build | sed 's,^,gobject/,') gobject/glib-enumtypes.c
for part in gasynchelper gasyncresult gbufferedinputstream gcancellable gcontextspecificgroup gfiledescriptorbased gfilterinputstream \
  ginputstream gioenumtypes gioerror gioscheduler gmemoryinputstream gmemoryoutputstream goutputstream gpollableinputstream \
  gpollableoutputstream gpollableutils gseekable gsimpleasyncresult gtask giounix-private gunixinputstream; do
  compile GIO "$flags" "gio/$part.c"
done
find glib gobject gio gmodule -name '*.h' | while read -r header; do
  mkdir -p "$include/${header%/*}"
  cp "$header" "$include/$header"
done
cp glib/glib.h glib/glib-object.h "$include"
cp LICENSES/LGPL-2.1-or-later.txt "$folder/licenses/glib"

# --- json-glib

cd "$work/json-glib"
configure_json_glib
cd json-glib
# Types of enumerations, which nothing here asks for.
echo '#pragma once' >json-enum-types.h
cp json-*.h "$include/json-glib"
for part in array builder debug gboxed generator node object parser scanner utils value; do
  compile Json "-I.. -I. -I$include -I$include/glib -I$include/gmodule -DJSON_COMPILATION -DJSON_LOCALEDIR=\"/l\"" "json-$part.c"
done
cp ../LICENSES/LGPL-2.1-or-later.txt "$folder/licenses/json-glib"

# --- libelf, which reads what is not compressed

cd "$work/elfutils"
cat >config.h <<EOF
#define _GNU_SOURCE 1
#define HAVE_ERR_H 1
#define HAVE_VISIBILITY 1
#define HAVE_DECL_REALLOCARRAY 1
#define HAVE_DECL_POWEROF2 1
#define HAVE_DECL_RAWMEMCHR 0
#define HAVE_DECL_MEMPCPY 1
#define HAVE_DECL_MEMRCHR 1
#include <eu-config.h>
EOF
# shellcheck disable=SC2046 # one word for each file
compile elf '-std=gnu99 -DHAVE_CONFIG_H -I. -Ilib -Ilibelf' $(sed -n '/^libelf_a_SOURCES/,/^$/p' libelf/Makefile.am |
  grep -o '[a-z0-9_]*\.c' | grep -v 'elf_compress\|nlist' | sed 's,^,libelf/,')
cp libelf/libelf.h libelf/gelf.h libelf/elf.h "$include"
cp COPYING-LGPLV3 "$folder/licenses/elfutils"

# --- what images in object files are compressed by

cd "$work/lz4/lib"
compile lz4 '' lz4.c
cp lz4.h "$include"
cp LICENSE "$folder/licenses/lz4"
cd "$work/libzstd/lib"
compile zstd '-DZSTD_DISABLE_ASM' common/*.c decompress/*.c
cp zstd.h zstd_errors.h "$include"
cp ../LICENSE "$folder/licenses/zstd"

rm -f "$folder/libraries.a"
emar rcs "$folder/libraries.a" "$work"/objects/*.o
