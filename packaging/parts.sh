#!/bin/bash
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# parts.sh FOLDER: what the program and the library of `make static` are linked with: FOLDER/libc.flags and FOLDER/link.flags are options
# of the compiler, and FOLDER/licenses has the licences of all that is linked. $CC, $AR and $PKG_CONFIG are the tools, $CUDA_LIBS the libraries of CUDA, as
# configure found them. Debian's packages have the static libraries, but for those that json-glib.sh and libelf.sh make.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
: "${CC:=cc}" "${AR:=ar}" "${PKG_CONFIG:=pkg-config}" "${CUDA_LIBS=}"
export CC AR PKG_CONFIG

libraries=(gio-2.0 gobject-2.0 gmodule-2.0 glib-2.0 pcre2-8 ffi z zstd lz4 archive stdc++)

for part in json-glib libelf; do
  [ -e "$folder/$part/version" ] || "$here/$part.sh" "$folder/$part"
done
[ -s "$folder/libc/flags" ] || "$here/libc.sh" "$folder/libc"

installed=()
for library in "${libraries[@]}"; do
  archive=$($CC -print-file-name="lib$library.a")
  [ -e "$archive" ] || {
    echo "parts.sh: lib$library.a is not installed" >&2
    exit 1
  }
  installed+=("$(realpath "$archive")")
done
archives=("$folder/json-glib/libjson-glib-1.0.a" "$folder/libelf/libelf.a" "${installed[@]}")

# --- flags

$CC -std=gnu11 -O2 -fPIC -fvisibility=hidden -c -o "$folder/absent.o" "$here/absent.c"
cp "$folder/libc/flags" "$folder/libc.flags"
# Their symbols are hidden; those of smembank, which come from archives, too, are not.
hidden=$(basename -a "${archives[@]}" | paste -sd : -)
{
  echo "-Wl,--start-group ${archives[*]} -Wl,--end-group $folder/absent.o -static-libgcc"
  echo "-Wl,--exclude-libs,$hidden -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now -Wl,-z,defs"
  echo "-Wl,--wrap=exp -Wl,--wrap=exp2 -Wl,--wrap=log -Wl,--wrap=log2 -Wl,--wrap=pow -lm -lpthread -ldl -lrt"
} >"$folder/link.flags"

# --- licences

rm -rf "$folder/licenses"
mkdir "$folder/licenses"
cp "$folder/json-glib/COPYING" "$folder/licenses/json-glib"
cp "$folder/libelf/COPYING" "$folder/licenses/libelf"
{
  # shellcheck disable=SC2016 # quoted as in Markdown
  echo 'The program and the library have parts of these in them, whose sources Debian has. `make static` of the sources of smembank links'
  echo 'both again, with changed libraries, too.'
  echo
  echo "json-glib $(cat "$folder/json-glib/version"), LGPL-2.1 or later: json-glib"
  echo "libelf of elfutils $(cat "$folder/libelf/version"), LGPL-3 or later, or GPL-2 or later: libelf"
} >"$folder/licenses/README"
for archive in "${installed[@]}"; do
  # /lib may be a link to /usr/lib, and dpkg knows either name.
  package=$(dpkg -S "$archive" 2>/dev/null || dpkg -S "${archive#/usr}")
  package=${package%%: *} # with its architecture
  name=${package%%:*}
  cp "/usr/share/doc/$name/copyright" "$folder/licenses/$name"
  # shellcheck disable=SC2016 # dpkg-query's own variables
  echo "$(basename "$archive") of $(dpkg-query -W -f='${source:Package} ${source:Version}' "$package"): $name" >>"$folder/licenses/README"
done
for licence in LGPL-2.1 LGPL-3 GPL-2 GPL-3; do
  cp -L "/usr/share/common-licenses/$licence" "$folder/licenses"
done
if [ -n "$CUDA_LIBS" ]; then
  toolkit=$(realpath "${CUDA_LIBS%% *}")
  toolkit=${toolkit%/lib*}
  eula=$(find "$toolkit/" "$(dirname "$toolkit")/" -maxdepth 4 \( -iname 'EULA*' -o -path '*cuda_runtime*/License.txt' \) 2>/dev/null | head -n 1)
  [ -n "$eula" ] || {
    echo "parts.sh: no licence is found in $toolkit: configure --with-cuda=no leaves the CUDA runtime out" >&2
    exit 1
  }
  cp "$eula" "$folder/licenses/cuda-runtime"
  echo "the CUDA runtime (libcudart_static.a) of NVIDIA, whose licence lets programs bring it along: cuda-runtime" >>"$folder/licenses/README"
fi
