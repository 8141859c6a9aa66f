#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# json-glib.sh FOLDER [SOURCE.tar.xz]: json-glib as a static library, which Debian does not have: FOLDER/libjson-glib-1.0.a, its headers
# in FOLDER/include, its licence in FOLDER/COPYING, and FOLDER/version. The source is Debian's (debian.sh). Its own build wants a newer
# Meson than Debian 12 has, so the sources are compiled here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=packaging/debian.sh
. "$here/debian.sh"

enter_source json-glib "${2-}" "$1"
configure_json_glib

# What Meson's gnome.mkenums_simple() makes: the types of the enumerations.
cd json-glib
headers='json-builder.h json-generator.h json-gobject.h json-gvariant.h json-parser.h json-path.h json-reader.h json-types.h json-utils.h'
# shellcheck disable=SC2086 # one word for each header
glib-mkenums --fhead '#pragma once\n#include <glib-object.h>\n#include <json-glib/json-version-macros.h>\n' \
  --vhead 'JSON_AVAILABLE_IN_1_0 GType @enum_name@_get_type (void);\n#define @ENUMPREFIX@_TYPE_@ENUMSHORT@ (@enum_name@_get_type ())\n' \
  $headers >json-enum-types.h
# shellcheck disable=SC2086
glib-mkenums --fhead '#include "config.h"\n#include "json-enum-types.h"\n' --ftail '' --fprod '#include "@basename@"\n' \
  --vhead 'GType @enum_name@_get_type (void) {\n  static gsize id = 0;\n  static const G@Type@Value values[] = {\n' \
  --vprod '    { @VALUENAME@, "@VALUENAME@", "@valuenick@" },\n' \
  --vtail '    { 0, NULL, NULL }\n  };\n  if (g_once_init_enter (&id))\n    g_once_init_leave (&id, g_@type@_register_static ("@EnumName@", values));\n  return id;\n}\n' \
  $headers >json-enum-types.c
for file in json-*.c; do
  case $file in
  json-glib-format.c | json-glib-validate.c) continue ;;
  esac
  # shellcheck disable=SC2046 # one word for each flag
  ${CC:-cc} -O2 -fPIC -fvisibility=hidden -w -I.. -I. -DG_LOG_DOMAIN='"Json"' -DJSON_COMPILATION -DJSON_LOCALEDIR='"/usr/share/locale"' \
    $(${PKG_CONFIG:-pkg-config} --cflags gio-2.0) -c "$file"
done
rm -f "$folder/libjson-glib-1.0.a"
${AR:-ar} rcs "$folder/libjson-glib-1.0.a" json-*.o
rm -rf "$folder/include"
mkdir -p "$folder/include/json-glib"
cp json-*.h "$folder/include/json-glib"
[ ! -e ../COPYING ] || cp ../COPYING "$folder"
[ ! -e ../LICENSES/LGPL-2.1-or-later.txt ] || cp ../LICENSES/LGPL-2.1-or-later.txt "$folder/COPYING"
echo "$version" >"$folder/version"
echo "json-glib $version"
