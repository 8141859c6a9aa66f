#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Files that a kernel's file includes: where they are found, and what is said of their lines.
set -eu
. "${srcdir:?}/tests/cli/lib.sh"
mkdir -p "$work/src/inner" "$work/common"
cd "$work"

cat >src/k.cu <<'END'
#include <cuda_runtime.h>
#include "cuda_fp16.h"
#include "tile.h"
#include "inner/guarded.h"
#include "tile.h"
__global__ void k(float *o) {
  __shared__ float s[ROWS][ROWS];
  s[threadIdx.x][0] = 1;
  o[threadIdx.x] = get(s, threadIdx.x);
}
END
cat >src/inner/guarded.h <<'END'
#ifndef GUARDED
#define GUARDED
#include "../tile.h"
#include "guarded.h"

__device__ float get(float (*s)[ROWS], int t) {
  return s[0][t * 2 % ROWS];
}
struct unused { std::string s; };
#endif
END
cat >common/rows.h <<'END'
#define ROWS 32
END
cat >src/tile.h <<'END'
#pragma once
#include "rows.h"
END

# A file that is not found; -I, in every way of writing it.
expect 3 analyze src/k.cu
says "src/tile.h:2:10: error: 'rows.h' was not found: give its folder with -I"
for option in -Icommon '-I common' --include=common; do
  # shellcheck disable=SC2086 # several words
  expect 0 analyze src/k.cu $option
  shows 'src/inner/guarded.h:7'
done
expect 0 analyze src/k.cu -I nowhere -I common --format json
shows '"file" : "src/inner/guarded.h"'
is_json
# An access, and what is found of it.
[ "$(grep -c '"file" : "src/inner' out)" -eq 2 ] || die 'the file of an access'
expect 0 analyze src/k.cu -I common --annotate
shows '__global__ void k'
for command in explain advise; do
  expect 0 "$command" src/k.cu -I common
done
expect 0 report page.html src/k.cu -I common

# advise edits the file that it was given, never one that this includes.
printf '  o[threadIdx.x] = tile[threadIdx.x][threadIdx.y];\n' >src/body.h
cp src/body.h body.h
printf '__global__ void k(float *o) {\n  __shared__ float tile[32][32];\n  tile[threadIdx.y][threadIdx.x] = 1;\n  __syncthreads();\n#include "body.h"\n}\n' >src/whole.cu
expect 0 advise src/whole.cu --block 32,32 --out src/better.cu
shows "src/body.h:1:20: 'tile' is used through a macro or in an included file here"
cmp src/body.h body.h || die "$last: edited src/body.h"
grep -qF 'tile[32][32 + 1]' src/better.cu || die "$last: did not change the declaration: $(cat src/better.cu)"
grep -qF '#include "body.h"' src/better.cu || die "$last: lost the #include"
expect 0 advise src/whole.cu --block 32,32 --only swizzle --out src/swizzled.cu
[ ! -e src/swizzled.cu ] || die "$last: wrote what it could not change"
expect 2 advise src/whole.cu --block 32,32 --out src/body.h
says 'would overwrite'
cmp src/body.h body.h || die "$last: overwrote src/body.h"

# What is wrong in a file is said with its name.
printf '__device__ int f() { return missing; }\n' >src/wrong.h
printf '#include "wrong.h"\n__global__ void k(int *o) { o[0] = f(); }\n' >src/wrong.cu
expect 3 analyze src/wrong.cu
says "src/wrong.h:1:29: error: 'missing' is not declared"
printf '#if 1\n' >src/wrong.h
expect 3 analyze src/wrong.cu
says 'src/wrong.h:1:2: error: this #if has no #endif'
printf '#endif\n' >src/wrong.h
expect 3 analyze src/wrong.cu
says 'src/wrong.h:1:2: error: #endif without #if'
printf '/* no end' >src/wrong.h
expect 3 analyze src/wrong.cu
says 'src/wrong.h:1:1: error: this comment has no end'
printf 'a\001b' >src/wrong.h
expect 3 analyze src/wrong.cu
says 'src/wrong.h: byte 0x01'
printf '#include 3\n' >src/wrong.h
expect 3 analyze src/wrong.cu
says 'src/wrong.h:1:10: error: expected #include "FILE" or #include <FILE>'

# Limits: files that include each other, and many of them.
printf '#include "wrong.h"\n' >src/wrong.h
expect 3 analyze src/wrong.cu
says 'files include each other more than 64 deep'
: >src/empty.h
awk 'BEGIN { for (i = 0; i < 2100; i++) print "#include \"empty.h\"" }' >src/wrong.h
expect 3 analyze src/wrong.cu
says 'more than 2000 files are included'

# A name by a macro; an absolute path; included texts may be used more than once.
printf 'x += 2;\n' >src/step.h
printf '#define STEP "%s/src/step.h"\n__global__ void k(int *o) { __shared__ int s[8]; int x = 0;\n#include STEP\n#include "step.h"\ns[x] = 1; }\n' "$work" >src/twice.cu
expect 0 analyze src/twice.cu
shows 's[x]'
