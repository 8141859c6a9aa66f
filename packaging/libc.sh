#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# libc.sh FOLDER: the C library of Debian 11 to link with, which is older than most machines': what is linked with it runs wherever the
# symbols are that it asks for. FOLDER/flags is what the compiler is told, @FOLDER/flags. Where the archive does not have it any more, that
# file is empty, and this machine's own is linked; the wheel's tag says what that needs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=packaging/debian.sh
. "$here/debian.sh"

rm -rf "$1"
mkdir -p "$1"
cd "$1"
folder=$PWD

machine=$(${CC:-cc} -print-multiarch)
# dpkg-architecture is of dpkg-dev, which only a build for another machine needs.
architecture=$(dpkg-architecture -f -t "$machine" -q DEB_HOST_ARCH 2>/dev/null || dpkg --print-architecture)
if ! {
  ask_debian deb bullseye -o APT::Architecture="$architecture" update &&
    ask_debian deb bullseye -o APT::Architecture="$architecture" download libc6/bullseye libc6-dev/bullseye
} >fetch.log 2>&1; then
  echo "libc.sh: Debian 11's C library is not to be had: this machine's is linked" >&2
  : >flags
  exit
fi
for package in libc6*.deb; do
  dpkg-deb -x "$package" root
done
rm -rf lists sources.list ./*.deb
# Links to places in the root are links to places in the folder.
find root -type l -lname '/*' | while read -r link; do
  ln -sfn "$folder/root$(readlink "$link")" "$link"
done
echo "--sysroot=$folder/root -B$folder/root/usr/lib/$machine -L$folder/root/usr/lib/$machine -L$folder/root/lib/$machine" >flags
echo "the C library of Debian 11"
