#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# mcp: the protocol, spoken by mcp.py; its tools say what the commands say. Debian: python3; skipped without.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
command -v python3 >/dev/null || {
  echo 'no python3: skipped'
  exit 77
}
folder=$(cd "$srcdir" && pwd)
cat >"$work/transpose.cu" <<'END'
#ifndef PAD
#define PAD 0
#endif
__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[32][32 + PAD];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  int u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[v * n + u] = tile[threadIdx.x][threadIdx.y];
}
END
cd "$work"
# A program that launches nothing, and calls the runtime wrongly.
run_libraries
library=$SMEMBANK_RUN_LIBRARIES/libcudart.so.13
if [ -e "$library" ]; then
  echo 'int cudaFree(void *), puts(const char *); int main(void) { puts("done"); cudaFree((void *)8); return 0; }' >"$work/wrong.c"
  "${CC:-cc}" -o "$work/wrong" "$work/wrong.c" "$library"
fi
timeout 300 python3 "$folder/tests/cli/mcp.py" "$SMEMBANK" "$work" "$folder"

# Nothing is left behind.
mkdir "$work/tmp"
TMPDIR=$work/tmp "$SMEMBANK" mcp </dev/null
[ -z "$(ls "$work/tmp")" ] || die "mcp leaves $(ls "$work/tmp")"
expect 2 mcp --no-such
