#!/bin/bash
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# static.sh SOURCE FOLDER: of a tree that is built, in the current folder: FOLDER/tree with all that `make install` would install, below
# bin, lib and share, but the program and the library have everything in them except the C library; and FOLDER/licenses of what that is.
# Nothing is compiled again: the objects are those of the tree. $CC, $CUDA_LIBS and $MAKE are make's. Debian's packages have the static
# libraries, but for json-glib's (json-glib.sh).
set -euo pipefail
source=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
: "${CC:=cc}" "${CUDA_LIBS=}" "${MAKE:=make}"

# What is linked, and the Debian packages whose copyright files come along.
libraries=(gio-2.0 gobject-2.0 gmodule-2.0 glib-2.0 pcre2-8 ffi z elf zstd lz4 archive stdc++)

[ -e "$folder/json-glib/version" ] || "$source/packaging/json-glib.sh" "$folder/json-glib"

archives=("$folder/json-glib/libjson-glib-1.0.a")
for library in "${libraries[@]}"; do
  archive=$($CC -print-file-name="lib$library.a")
  [ -e "$archive" ] || {
    echo "static.sh: lib$library.a is not installed" >&2
    exit 1
  }
  archives+=("$archive")
done

$CC -O2 -fPIC -c -o "$folder/absent.o" "$source/packaging/absent.c"
# Their symbols are hidden, and those of smembank, which are in an archive, too, are not.
hidden=$(basename -a "${archives[@]}" | paste -sd : -)
# shellcheck disable=SC2054 # commas are of the linker's flags
linked=(-Wl,--start-group "${archives[@]}" -Wl,--end-group "$folder/absent.o" -static-libgcc -Wl,--exclude-libs,"$hidden" -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now -lm -lpthread -ldl)

rm -rf "$folder/tree" "$folder/licenses"
mkdir -p "$folder/tree/bin" "$folder/tree/lib"

# The rest as it is installed, below the folder as a prefix.
"$MAKE" -s install-data install-injectPROGRAMS install-driverPROGRAMS DESTDIR="$folder/tree" prefix= exec_prefix= bindir=/bin \
  libdir=/lib datarootdir=/share >"$folder/install.log" 2>&1 || {
  cat "$folder/install.log" >&2
  exit 1
}
find "$folder/tree/lib/smembank" -name '*.so*' -exec strip --strip-unneeded {} +
rm -rf "$folder/tree/lib/pkgconfig" "$folder"/tree/lib/libsmembank.*

# shellcheck disable=SC2086 # one word for each library and flag
$CC -s -pie -o "$folder/tree/bin/smembank" src/smembank.o .libs/libsmembank-cli.a .libs/libsmembank-sim.a .libs/libsmembank-gpu.a \
  $CUDA_LIBS "${linked[@]}"
{
  echo '{ global:'
  sed 's/$/;/' sim/libsmembank.sym
  echo 'local: *; };'
} >"$folder/libsmembank.map"
$CC -s -shared -o "$folder/tree/lib/libsmembank.so.0" -Wl,-soname,libsmembank.so.0 -Wl,-z,defs \
  -Wl,--version-script="$folder/libsmembank.map" -Wl,--whole-archive .libs/libsmembank-sim.a -Wl,--no-whole-archive "${linked[@]}"
ln -s libsmembank.so.0 "$folder/tree/lib/libsmembank.so"

# --- licences

mkdir "$folder/licenses"
cp "$source/LICENSE" "$folder/licenses/smembank"
cp "$folder/json-glib/COPYING" "$folder/licenses/json-glib"
{
  echo 'The program and the library have parts of these in them. Their sources are in Debian; with those of smembank, packaging/static.sh links'
  echo 'the program again, with changed libraries, too.'
  echo
  echo "json-glib $(cat "$folder/json-glib/version"): LGPL-2.1 or later (json-glib)"
} >"$folder/licenses/README"
for archive in "${archives[@]:1}"; do
  # /lib may be a link to /usr/lib, and dpkg knows either name.
  path=$(realpath "$archive")
  package=$(dpkg -S "$path" 2>/dev/null || dpkg -S "${path#/usr}")
  package=${package%%:*}
  cp "/usr/share/doc/$package/copyright" "$folder/licenses/$package"
  # shellcheck disable=SC2016 # dpkg-query's own variables
  echo "$(basename "$archive"), of $(dpkg-query -W -f='${source:Package} ${source:Version}' "$package"): $package" >>"$folder/licenses/README"
done
for licence in LGPL-2.1 LGPL-3 GPL-2 GPL-3; do
  cp -L "/usr/share/common-licenses/$licence" "$folder/licenses"
done
if [ -n "$CUDA_LIBS" ]; then
  toolkit=$(realpath "${CUDA_LIBS%% *}")
  toolkit=${toolkit%/lib*}
  eula=$(find "$toolkit/" "$(dirname "$toolkit")/" -maxdepth 4 \( -iname 'EULA*' -o -path '*cuda_runtime*/License.txt' \) 2>/dev/null | head -n 1)
  [ -n "$eula" ] || {
    echo "static.sh: no licence is found in $toolkit: configure --with-cuda=no leaves the CUDA runtime out" >&2
    exit 1
  }
  cp "$eula" "$folder/licenses/cuda-runtime"
  echo "the CUDA runtime (libcudart_static.a), of NVIDIA, whose licence lets it be distributed as a part of programs: cuda-runtime" \
    >>"$folder/licenses/README"
fi
mkdir -p "$folder/tree/share/doc/smembank"
cp -r "$folder/licenses" "$folder/tree/share/doc/smembank"
