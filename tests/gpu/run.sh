#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# On a GPU machine, from the folder that pack.sh made: unpacks, builds, tests and records in one go. What
# comes of it lies in RESULTS: the logs, and the recordings.
#
#   sh run.sh RESULTS [COUNT]       COUNT: random requests for each instruction (default 10000000)
#
# It needs a C compiler, make, pkg-config, dpkg and a CUDA Toolkit; nothing is installed.
set -eu

results=${1:?usage: sh run.sh RESULTS [COUNT]}
count=${2:-10000000}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$results"
results=$(cd "$results" && pwd)
work=$(mktemp -d)

# The libraries, unless the machine has them.
if ! pkg-config --exists 'gio-unix-2.0 >= 2.70' json-glib-1.0 check libelf libzstd liblz4 libarchive; then
  root=$work/root
  for package in "$here"/packages/*.deb; do
    dpkg -x "$package" "$root"
  done
  lib=$root/usr/lib/$(gcc -dumpmachine | sed 's/-pc-/-/')
  PKG_CONFIG_SYSROOT_DIR=$root
  PKG_CONFIG_LIBDIR=$lib/pkgconfig:$root/usr/share/pkgconfig
  LD_LIBRARY_PATH=$lib:$root/lib/$(basename "$lib")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  LIBRARY_PATH=$lib${LIBRARY_PATH:+:$LIBRARY_PATH}
  PATH=$root/usr/bin:$lib/glib-2.0:$PATH
  export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR LD_LIBRARY_PATH LIBRARY_PATH PATH
fi
PATH=$PATH:/usr/local/cuda/bin
export PATH

# step NAME COMMAND...: runs it into a log; the log's end is shown if it fails.
step() {
  name=$1
  shift
  echo "run.sh: $name"
  "$@" >"$results/$name.log" 2>&1 || {
    tail -n 30 "$results/$name.log"
    echo "run.sh: $name failed: $results/$name.log" >&2
    exit 1
  }
}

cd "$work"
tar xf "$here"/smembank-*.tar.xz
cd smembank-*
step configure ./configure
step build make -j "$(nproc)"
step check make -j "$(nproc)" check
step devices ./smembank list devices
# Effective bandwidth: of a small copy, cold caches are the slower ones; of one larger than the L2 cache, both
# are about what the GPU's memory gives.
step small-copy ./smembank validate --kernel copyGmem
step large-copy ./smembank validate tests/gpu/copy.cu --block 256 --grid 65536 --arg n=16777216
# PTX, as nvcc makes it here of own kernels: what differs is listed, what cannot be measured is an error.
step ptx-pack sh tests/gpu/validate-ptx.sh pack ./smembank "$work/ptx"
step ptx sh "$work/ptx/validate-ptx.sh" run "$results/ptx" 85 ./smembank
step record sh tests/gpu/record.sh ./smembank "$results" "$count"
cat "$results/devices.log"
tail -n 1 "$results/ptx.txt"
grep -h -A 4 '^measured times' "$results/small-copy.log" "$results/large-copy.log"
tail -n 40 "$results/record.log"
rm -rf "$work"
