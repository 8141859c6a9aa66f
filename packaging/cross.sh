#!/bin/bash
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# cross.sh ARCHITECTURE SOURCE.tar.xz FOLDER: the wheel and the static tarball for another machine (arm64), whose compiler and libraries are
# Debian 12's, in a system of its own that is gone when they are made: FOLDER gets both. SOURCE is of `make dist`. Of the programs that are
# built only the shell completions of smembank are asked, by QEMU. Needs root, debootstrap, qemu-user-static with binfmt-support, and Debian's
# archive. It has no CUDA Toolkit, and so neither counters of a GPU nor capture.
set -euo pipefail
architecture=$1 source=$(realpath "$2")
mkdir -p "$3"
folder=$(realpath "$3")
triplet=$(dpkg-architecture -f -a "$architecture" -q DEB_HOST_GNU_TYPE 2>/dev/null)
root=$(mktemp -d)
leave() {
  ! mountpoint -q "$root/proc" || umount "$root/proc"
  rm -rf --one-file-system "$root"
}
trap leave EXIT

# step COMMAND...: shows what a command wrote only if it fails.
step() {
  "$@" >"$root/log" 2>&1 || {
    tail -n 40 "$root/log" >&2
    exit 1
  }
}

step debootstrap --variant=minbase --include=ca-certificates bookworm "$root" http://deb.debian.org/debian
cp -n /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d" # how the archive is reached
mount -t proc proc "$root/proc"
mkdir "$root/source" "$root/build"
tar -xf "$source" -C "$root/source" --strip-components=1

libraries=(libarchive-dev libelf-dev libffi-dev libglib2.0-dev libjson-glib-dev liblz4-dev libpcre2-dev libzstd-dev zlib1g-dev)
cat >"$root/inside.sh" <<'END'
set -eux
triplet=$1
shift
apt-get update -q
apt-get install -q -y --no-install-recommends "$@"
cd /build
PKG_CONFIG="$triplet-pkg-config" ../source/configure --host="$triplet" --with-cuda=no
make -j "$(nproc)" all
make wheel static
END
step chroot "$root" dpkg --add-architecture "$architecture"
step env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" sh inside.sh "$triplet" \
  "g++-$(tr _ - <<<"$triplet")" dpkg-dev gcc libc6-dev libglib2.0-dev make pkg-config python3 xz-utils "${libraries[@]/%/:$architecture}"
cp "$root"/build/*.whl "$root"/build/*-linux-*.tar.xz "$folder"
