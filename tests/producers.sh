#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# One kernel through every producer of PTX that is here, with the options that change what they write: nvcc (debugging
# code, relocatable code, chips), NVRTC, clang at all levels, rustc. All of them make the same requests of it.
set -eu

source=${srcdir:?}/tests/ptx/producers
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
made=0

# counts NAME: of $work/k.ptx, which NAME made.
counts() {
  made=$((made + 1))
  "${SMEMBANK:?}" analyze "$work/k.ptx" --entry tile --block 32,32 ${2:+--arg "$2"} --arg 2=32 --format csv >"$work/csv" || status=1
  awk -F, '$1 == "shared" { n[$5] += $(NF - 22); w[$5] += $(NF - 21) }
    END { print "load " n["load"] "/" w["load"] ", store " n["store"] "/" w["store"] }' "$work/csv" >"$work/counted"
  echo "load 32/1024, store 32/32" | cmp -s "$work/counted" - || {
    echo "$1: $(cat "$work/counted"), expected load 32/1024, store 32/32"
    status=1
  }
}

nvcc=${NVCC-}
[ "$nvcc" != no ] || nvcc=
[ -z "$nvcc" ] || for options in '-arch=sm_75 -lineinfo' '-arch=sm_80 -rdc=true' '-arch=sm_90 -G' '-arch=sm_90a -dopt=on -G' \
  '-arch=sm_100 --maxrregcount=32' '-arch=sm_120 -Xcicc -O0'; do
  # shellcheck disable=SC2086 # several words
  if "$nvcc" -ptx $options -o "$work/k.ptx" "$source.cu" 2>"$work/err"; then
    counts "nvcc $options"
  else
    grep -i 'unsupported\|not defined for option' "$work/err" || { # of another version
      cat "$work/err"
      status=1
    }
  fi
done

# nvcc may be a script in another folder: it says itself where its toolkit is.
nvrtc=$([ -z "$nvcc" ] || "$nvcc" --dryrun -x cu -c /dev/null 2>&1 | sed -n 's,^#\$ TOP=,,p')/lib64/libnvrtc.so
if [ -e "$nvrtc" ] && command -v python3 >/dev/null; then
  python3 - "$nvrtc" "$source.cu" "$work/k.ptx" <<'PYTHON' && counts NVRTC || status=1
import ctypes
import sys

nvrtc, program, size = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p(), ctypes.c_size_t()
text = open(sys.argv[2], "rb").read()
options = [b"--gpu-architecture=compute_90", b"--generate-line-info"]
done = nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"producers.cu", 0, None, None)
done = done or nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
done = done or nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
ptx = ctypes.create_string_buffer(size.value)
done = done or nvrtc.nvrtcGetPTX(program, ptx)
open(sys.argv[3], "wb").write(ptx.value)
sys.exit(f"NVRTC: error {done}" if done else 0)
PYTHON
fi

clang=$(command -v clang-14 || true)
[ -z "$clang" ] || for level in -O0 -O1 -O2 -O3 -Os; do
  "$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-path=/nonexistent -Xclang -target-feature -Xclang +ptx75 \
    "$level" -S -nocudalib -nocudainc -include "$srcdir/tests/ptx/clang.h" -o "$work/k.ptx" "$source.cu"
  counts "clang $level"
done

# Rust's language items are no interface: what another version says of them is no failure.
if command -v rustc >/dev/null && RUSTC_BOOTSTRAP=1 rustc --target nvptx64-nvidia-cuda --emit asm -O -C target-cpu=sm_80 \
  -C panic=abort -o "$work/k.ptx" "$source.rs" 2>"$work/err"; then
  counts rustc 1=1.0
fi

echo "$made ways to PTX"
[ "$made" -gt 0 ] || exit 77
exit "$status"
