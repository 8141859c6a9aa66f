#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Machine code and PTX in files of all kinds: bundles and objects of tests/data/sass, and what nvcc makes where it is.
. "${srcdir:?}/tests/cli/lib.sh"

srcdir=$(cd "$srcdir" && pwd)
data=$srcdir/tests/data/sass
cp "$data"/bundle.* "$data"/parameters.*.cubin "$data"/inlined.*.cubin "$work"
cd "$work" || exit

# What is in a file: machine code and PTX for several architectures, side by side.
expect 0 list kernels bundle.zstd.fatbin
golden list-container.txt
expect 0 list kernels bundle.zstd.fatbin --format json
is_json
shows '"level" : "several"'
shows '"static_shared_bytes" : 256'
expect 0 list kernels bundle.zstd.fatbin --format csv
golden list-container.csv
expect 0 list kernels parameters.sm_90a.cubin
golden list-cubin.txt
expect 0 list kernels - <bundle.object
shows 'stdin: machine code for sm_90'
expect 0 list kernels bundle.lz4.fatbin
shows 'shared tile'

# What is not linked yet has sizes that are not known.
expect 0 list kernels "$data/pieces.sm_75.cubin"
shows 'sm_75         24             -            -'
shows '-: unknown until this code is linked'
expect 0 list kernels "$data/pieces.sm_75.cubin" --format json
is_json
shows '"static_shared_bytes" : null'
expect 0 list kernels "$data/linked.sm_75.cubin" --format json
shows '"static_shared_bytes" : 256'

# The machine code of the architecture is run, else PTX that is not later.
expect 0 analyze bundle.zstd.fatbin --block 64 --arch sm_75 --format json
shows '"level" : "sass"'
shows '"wavefronts" : 2'
expect 0 analyze bundle.zstd.fatbin --block 64 --arch sm_90 --format json
shows '"level" : "sass"'
expect 0 analyze bundle.zstd.fatbin --block 64 --arch sm_100 --format json
shows '"level" : "ptx"'
expect 0 analyze bundle.lz4.fatbin --entry rotate --block 64 --arch sm_90 --format json
shows '"level" : "ptx"'
expect 0 analyze bundle.object --block 64 --arch sm_90
expect 3 analyze bundle.zstd.fatbin --block 64 --arch sm_80
says 'bundle.zstd.fatbin: nothing in it runs on sm_80: it has sm_75, sm_90a, PTX for sm_90'
expect 2 analyze bundle.zstd.fatbin --entry other --block 64 --arch sm_90
says "bundle.zstd.fatbin has no kernel 'other': expected one of 'rotate(int*)'"

# The line of the source, and of the calls that are inlined.
expect 0 analyze inlined.sm_90.cubin --entry inlined --block 32 --arch sm_90 --format csv --frames outer
shows 'shared,16,0,'
expect 0 analyze inlined.sm_90.cubin --entry inlined --block 32 --arch sm_90 --format json
shows '"line" : 6'
shows '"inlined_at" : ['

# What is cut, damaged, or has nothing in it.
head -c 2000 bundle.zstd.fatbin >cut.fatbin
expect 3 list kernels cut.fatbin
says 'cut.fatbin: byte 0x0: a truncated fatbin: it is larger than the file'
{ head -c 84 bundle.zstd.fatbin; printf damaged; tail -c +92 bundle.zstd.fatbin; } >damaged.fatbin
expect 3 list kernels damaged.fatbin
says 'damaged.fatbin: byte 0x50: a damaged image: it does not decompress to'
head -c 64 parameters.sm_75.cubin >cut.cubin
expect 3 analyze cut.cubin
says 'cut.cubin: '
expect 3 analyze "$SMEMBANK"
says 'an object file without GPU code'

[ "${NVCC:-no}" != no ] || exit 0
quick_nvcc "$NVCC"
cp "$srcdir/tests/data/sass/bundle.cu" .
cat >main.cu <<'END'
#include "bundle.cu"
int main() { rotate<<<1, 64>>>(nullptr); return 0; }
END
codes='-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]'
# make OUTPUT OPTIONS: what nvcc makes, with the kernel run from it.
make_and_run() {
  output=$1
  shift
  # shellcheck disable=SC2086 # several words
  "$nvcc" $codes -o "$output" "$@" main.cu
  expect 0 analyze "$output" --block 64 --arch sm_80 --format json
  shows '"level" : "sass"'
  shows '"wavefronts" : 2'
  expect 0 list kernels "$output"
  shows 'PTX for sm_90'
}
make_and_run plain.fatbin -fatbin -no-compress
make_and_run all.fatbin -fatbin --fatbin-options -compress-all
make_and_run speed.fatbin -fatbin --compress-mode=speed
make_and_run main.o -c
make_and_run libmain.so -shared -Xcompiler -fPIC
make_and_run main
make_and_run separate -rdc=true
ar rc libmain.a main.o
expect 0 analyze libmain.a --block 64 --arch sm_80
"$nvcc" -rdc=true -c -arch=sm_80 -o unlinked.o main.cu
expect 3 analyze unlinked.o --block 64 --arch sm_80
says 'is not linked yet'
