#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Packs what a GPU machine without packages and without a network needs: the release tarball, its libraries as
# Debian packages, and run.sh, which does the rest there.
#
#   tests/gpu/pack.sh FOLDER        in a configured build tree; FOLDER is made; about 18 MB
#
# Then copy FOLDER to the GPU machine and run there:  sh FOLDER/run.sh RESULTS
set -eu

folder=${1:?usage: tests/gpu/pack.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
[ -f Makefile ] || {
  echo "pack.sh: no Makefile here: configure first" >&2
  exit 1
}
mkdir -p "$folder/packages"
folder=$(cd "$folder" && pwd)

rm -f "$folder"/smembank-*.tar.xz
make -s dist-xz >/dev/null
mv smembank-*.tar.xz "$folder"
cp "$here/run.sh" "$folder"

# GLib, json-glib, Check, and what reads compiled files and captures, with what they need to be built with.
cd "$folder/packages"
apt-get -o APT::Sandbox::User=root download -q \
  check libsubunit-dev libsubunit0 \
  libblkid-dev libblkid1 libffi-dev libffi8 libmount-dev libmount1 libpcre2-8-0 libpcre2-dev \
  libselinux1 libselinux1-dev libsepol-dev libsepol2 zlib1g zlib1g-dev \
  libglib2.0-0 libglib2.0-bin libglib2.0-dev libglib2.0-dev-bin \
  libjson-glib-1.0-0 libjson-glib-dev \
  libelf1 libelf-dev libzstd1 libzstd-dev liblz4-1 liblz4-dev \
  libarchive13 libarchive-dev libacl1 libbz2-1.0 libicu72 liblzma5 libnettle8 libxml2 >/dev/null
echo "packed $(du -sh "$folder" | cut -f 1) into $folder: copy it to the GPU machine, and there: sh run.sh RESULTS"
