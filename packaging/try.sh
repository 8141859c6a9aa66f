#!/bin/bash
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# try.sh WHEEL TARBALL [SUITE...]: the wheel and the static tarball in systems of Debian that have Python and git, and no compiler (default:
# bookworm and trixie). Says how long it takes from pip install to the first answer, which is to be 15 seconds at most, and runs every command
# that needs no compiler, and with an nvcc on this machine, which compiles for them, programs of CUDA. Needs root, debootstrap, and Debian's archive.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
wheel=$(realpath "$1") tarball=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- bookworm trixie
work=$(mktemp -d)
mounted=()
leave() {
  local folder
  for folder in "${mounted[@]}"; do
    umount "$folder"
  done
  rm -rf --one-file-system "$work"
}
trap leave EXIT

mkdir "$work/applications"
for nvcc in "$(command -v nvcc || :)" /usr/local/cuda/bin/nvcc; do
  [ -x "$nvcc" ] || continue
  "$nvcc" -arch=sm_90 -o "$work/applications/static" "$source/tests/run/algorithm/transpose.cu"
  "$nvcc" -arch=sm_90 -cudart shared -o "$work/applications/shared" "$source/tests/run/algorithm/transpose.cu"
  break
done

cat >"$work/inside.sh" <<'END'
set -eu
cd /opt
for compiler in cc gcc c++ nvcc clang; do
  ! command -v $compiler || exit 1
done
python3 -m venv environment
begin=$(date +%s%N)
environment/bin/pip install -q --no-index --disable-pip-version-check ./*.whl
environment/bin/smembank analyze --kernel transposeSmem >answer
end=$(date +%s%N)
grep -q '896 of 1152 wavefronts' answer
echo "from pip install to the first answer: $(((end - begin) / 1000000)) ms"
[ $((end - begin)) -le 15000000000 ]
environment/bin/python -m smembank --version
environment/bin/python -c 'import smembank; assert smembank.count([128 * lane for lane in range(32)]).wavefronts == 32'
srcdir=/source /source/packaging/try-commands.sh /opt/environment/bin/smembank $(find /opt/applications -type f)
tar -xf ./*.tar.*
srcdir=/source /source/packaging/try-commands.sh "$(echo /opt/smembank-*/bin/smembank)" $(find /opt/applications -type f)
END

for suite; do
  echo "== $suite"
  root=$work/$suite
  debootstrap --variant=minbase --include=python3,python3-venv,git,xz-utils "$suite" "$root" http://deb.debian.org/debian >"$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    exit 1
  }
  cp -r "$wheel" "$tarball" "$work/applications" "$work/inside.sh" "$root/opt"
  mkdir "$root/source"
  mount --bind -o ro "$source" "$root/source"
  mounted+=("$root/source")
  mount -t proc proc "$root/proc"
  mounted+=("$root/proc")
  env -i PATH=/usr/bin:/bin:/usr/sbin LC_ALL=C.UTF-8 HOME=/root chroot "$root" sh /opt/inside.sh
done
echo "tried: $*"
