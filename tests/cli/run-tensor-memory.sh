#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# smembank run: tensor memory (tcgen05), and products of floats of 4 and 6 bits and with scales, by PTX as it is and by machine code. Each program compares with what its host makes of the documents; none of it was compared with a
# device.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
SMEMBANK=$(realpath "$SMEMBANK")
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

need_nvcc
run_libraries
kernels=$srcdir/tests/run/kernel

"$nvcc" -gencode arch=compute_100a,code=compute_100a -cudart shared -o tensor "$kernels/kernel-tensor-memory.cu"
SMEMBANK_NVCC=no "$SMEMBANK" run --arch sm_100 --output ranking -- ./tensor >out 2>err || die "status $?: $(cat out err)"
cmp out "$kernels/kernel-tensor-memory.expected" || die "another output: $(diff out "$kernels/kernel-tensor-memory.expected"; cat err)"
[ ! -s err ] || die "messages: $(cat err)"
# No chip was there to compare with: that is said in a ranking, and of each launch.
assumed='ounted by rules that are assumed, not measured: tcgen05 (tensor memory)'
grep -qF "$assumed" ranking || die "not said to be assumed: $(cat ranking)"
SMEMBANK_NVCC=no "$SMEMBANK" run --arch sm_100 -o tensor.zip --format json --output ranking -- ./tensor >out 2>err || die "a capture: $(cat out err)"
grep -qF "\"C$assumed" ranking || die "no note: $(cat ranking)"
expect 0 analyze tensor.zip --launch 1
tells "$assumed"
expect 0 analyze tensor.zip --launch 1 --format json
is_json
shows '"tcgen05 (tensor memory)"'
# The text is taken also where a compiler is.
"$SMEMBANK" run --arch sm_100 --output ranking -- ./tensor >out 2>err || die "with a compiler: status $?: $(cat out err)"
cmp out "$kernels/kernel-tensor-memory.expected" || die "with a compiler: another output"

# Machine code: the same. Its requests are those of PTX, and 9 more in each block, of the code around tcgen05.alloc (4), dealloc (4) and relinquish_alloc_permit; in a pair,
# whose blocks pass on what they are given, 13 and 8.
requests() {
  sed -n 's/^ *[0-9]* +[0-9]* *\([a-z0-9_]*\)(.* \([0-9][0-9]*\)  *[0-9][0-9]*  *[0-9][0-9]*  *[0-9][0-9]*%.*/\1 \2/p' ranking
}
requests >text.requests
"$nvcc" -gencode arch=compute_100a,code=sm_100a -cudart shared -o tensor.code "$kernels/kernel-tensor-memory.cu"
SMEMBANK_NVCC=no "$SMEMBANK" run --time --arch sm_100 --output ranking -- ./tensor.code >out 2>err || die "machine code: status $?: $(cat out err)"
cmp out "$kernels/kernel-tensor-memory.expected" || die "machine code: another output: $(diff out "$kernels/kernel-tensor-memory.expected"; cat err)"
[ ! -s err ] || die "machine code: messages: $(cat err)"
grep -qF "$assumed" ranking || die "machine code: not said to be assumed: $(cat ranking)"
tr '\n' ' ' <ranking | grep -q 'Time not known: how long UTCATOMSWS' || die "machine code: a time: $(cat ranking)"
requests >code.requests
[ "$(wc -l <code.requests)" -eq 8 ] || die "machine code: not 8 kinds of launches: $(cat ranking)"
awk '{ print $1, $2 + ($1 == "pairs" ? 21 : 9) }' text.requests | cmp - code.requests || die "machine code: other counts: $(diff text.requests code.requests)"
# Without optimization, products have masks of zeros.
"$nvcc" -Xptxas -O0 -gencode arch=compute_100a,code=sm_100a -cudart shared -o tensor.plain "$kernels/kernel-tensor-memory.cu"
SMEMBANK_NVCC=no "$SMEMBANK" run --arch sm_100 --output ranking -- ./tensor.plain >out 2>err || die "-O0: status $?: $(cat out err)"
cmp out "$kernels/kernel-tensor-memory.expected" || die "-O0: another output: $(diff out "$kernels/kernel-tensor-memory.expected"; cat err)"
[ ! -s err ] || die "-O0: messages: $(cat err)"
# Where there are both, it is machine code that runs.
"$nvcc" -gencode "arch=compute_100a,code=[sm_100a,compute_100a]" -cudart shared -o tensor.both "$kernels/kernel-tensor-memory.cu"
SMEMBANK_NVCC=no "$SMEMBANK" run --arch sm_100 --output ranking -- ./tensor.both >out 2>err || die "both: status $?: $(cat out err)"
requests | cmp - code.requests || die "both: other counts: $(cat ranking)"

# Scaled factors: of a warp, and of tensor memory; then of a warp in machine code.
"$nvcc" -gencode arch=compute_100a,code=compute_100a -gencode arch=compute_120a,code=compute_120a -cudart shared -o scaled "$kernels/kernel-scaled.cu"
scaled='ounted by rules that are assumed, not measured: mma (numbers of 4 and 6 bits, scales)'
for how in 'warp sm_120' 'tensor sm_100'; do
  SMEMBANK_NVCC=no "$SMEMBANK" run --arch "${how#* }" --output ranking -- ./scaled "${how% *}" >out 2>err || die "$how: status $?: $(cat out err)"
  [ ! -s err ] || die "$how: messages: $(cat err)"
  [ "$how" != 'warp sm_120' ] || grep -qF "$scaled" ranking || die "$how: not said to be assumed: $(cat ranking)"
  cat out
done >scaled.out
cmp scaled.out "$kernels/kernel-scaled.expected" || die "scaled: another output: $(diff scaled.out "$kernels/kernel-scaled.expected")"

"$nvcc" -gencode arch=compute_120a,code=sm_120a -cudart shared -o scaled "$kernels/kernel-scaled.cu"
SMEMBANK_NVCC=no "$SMEMBANK" run --arch sm_120 --output ranking -- ./scaled warp >out 2>err || die "machine code: status $?: $(cat out err)"
[ ! -s err ] || die "machine code: messages: $(cat err)"
grep -qF "$scaled" ranking || die "machine code: not said to be assumed: $(cat ranking)"
head -7 scaled.out | cmp - out || die "machine code: another output: $(cat out)"

"$nvcc" -gencode arch=compute_100a,code=sm_100a -cudart shared -o scaled "$kernels/kernel-scaled.cu"
SMEMBANK_NVCC=no "$SMEMBANK" run --arch sm_100 --output ranking -- ./scaled tensor >out 2>err || die "scaled, machine code: status $?: $(cat out err)"
[ ! -s err ] || die "scaled, machine code: messages: $(cat err)"
tail -n +8 scaled.out | cmp - out || die "scaled, machine code: another output: $(cat out)"

# Copies that name the rows of a tensor: machine code, and PTX as it is.
for code in sm_100a compute_100a; do
  "$nvcc" -gencode arch=compute_100a,code=$code -cudart shared -o rows "$kernels/kernel-rows.cu"
  SMEMBANK_NVCC=no "$SMEMBANK" run --check --arch sm_100 --output ranking -- ./rows >out 2>err || die "rows, $code: status $?: $(cat out err ranking)"
  cmp out "$kernels/kernel-rows.expected" || die "rows, $code: another output: $(diff out "$kernels/kernel-rows.expected"; cat err)"
  [ ! -s err ] || die "rows, $code: messages: $(cat err)"
  tr '\n' ' ' <ranking | grep -qF 'ounted by rules that are assumed, not measured: tensor maps (their form is that of sm_90)' || die "rows, $code: not said to be assumed: $(cat ranking)"
done

# Matrices of numbers of 8 bits and fewer: the same values and the same counts in machine code as in PTX as it is.
for chip in 100 120; do
  one_in 2 || continue
  for code in sm_${chip}a compute_${chip}a; do
    "$nvcc" -gencode "arch=compute_${chip}a,code=$code" -cudart shared -o matrices "$kernels/kernel-matrices.cu"
    SMEMBANK_NVCC=no "$SMEMBANK" run --arch sm_$chip --output ranking -- ./matrices >out 2>err || die "matrices, $code: status $?: $(cat out err ranking)"
    [ "$(cat out)" = 'kernel-matrices: as expected' ] || die "matrices, $code: another output: $(cat out)"
    [ ! -s err ] || die "matrices, $code: messages: $(cat err)"
    tr '\n' ' ' <ranking | grep -qF 'ounted by rules that are assumed, not measured: ldmatrix and stmatrix (numbers of 8 bits and fewer)' || die "matrices, $code: not said to be assumed: $(cat ranking)"
    grep '  void move<' ranking >"$code.counts"
  done
  cmp sm_${chip}a.counts compute_${chip}a.counts || die "matrices, sm_$chip: other counts: $(diff sm_${chip}a.counts compute_${chip}a.counts)"
  [ "$(wc -l <sm_${chip}a.counts)" -eq 24 ] || die "matrices, sm_$chip: not 24 kinds of launches: $(cat ranking)"
done

# Blocks that ask for the work of others, and zeros in bulk; products of single bits, which these chips make of others. In a quick run each in
# machine code of one chip and as PTX of the other.
for chip in 100 120; do
  for code in sm_${chip}a compute_${chip}a; do
    for name in next bits; do
      case $name-$code in next-compute_100a | next-sm_120a | bits-sm_100a | bits-compute_120a) ;; *) ! quick || continue ;; esac
      "$nvcc" -gencode "arch=compute_${chip}a,code=$code" -cudart shared -o "$name" "$kernels/kernel-$name.cu"
      SMEMBANK_NVCC=no "$SMEMBANK" run --arch sm_$chip --output ranking -- "./$name" >out 2>err || die "$name, $code: status $?: $(cat out err)"
      [ "$(cat out)" = "kernel-$name: as expected" ] || die "$name, $code: another output: $(cat out)"
      [ ! -s err ] || die "$name, $code: messages: $(cat err)"
    done
  done
done

# Sparse factors, and what only some chips have.
for code in compute sm; do
  "$nvcc" -gencode "arch=compute_100a,code=${code}_100a" -gencode "arch=compute_110a,code=${code}_110a" -cudart shared -o sparse "$kernels/kernel-sparse-tensor.cu"
  for how in '/sm_100' 'extremes/sm_110'; do
    # shellcheck disable=SC2086 # no word, or one
    SMEMBANK_NVCC=no "$SMEMBANK" run --arch "${how#*/}" --output ranking -- ./sparse ${how%/*} >out 2>err || die "$code, $how: status $?: $(cat out err)"
    [ ! -s err ] || die "$code, $how: messages: $(cat err)"
    cat out
  done >sparse.out
  cmp sparse.out "$kernels/kernel-sparse-tensor.expected" || die "sparse, $code: another output: $(diff sparse.out "$kernels/kernel-sparse-tensor.expected")"
done

# What is not modelled is refused by its name: reductions over several devices, kinds of textures, sparse factors with scales in machine code.
cat >refused.cu <<'EOF'
#include <cstdio>
__global__ void refused(float *p) {
  float x[4] = {};
#if KIND == 0
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(x[0]) : "l"(p) : "memory");
#elif KIND == 1
  asm volatile("{ .reg .pred q; istypep.texref q, %1; selp.f32 %0, 0f3f800000, 0f00000000, q; }" : "=f"(x[0]) : "l"((size_t)p[0]));
#else
  unsigned a = __float_as_uint(p[0]), s = 0x7f7f7f7f;
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0 "
               "{%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4, %4, %4}, {%0, %1, %2, %3}, %4, 0, {%5}, {0, 0}, {%5}, {0, 0};"
               : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]) : "r"(a), "r"(s));
#endif
  p[0] = x[0];
}
int main() {
  float *p;
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  refused<<<1, 32>>>(p);
  puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF
while read -r kind code arch name; do
  "$nvcc" -gencode "arch=${code%,*},code=${code#*,}" -DKIND="$kind" -cudart shared -Wno-deprecated-gpu-targets -o refused refused.cu
  SMEMBANK_NVCC=no "$SMEMBANK" run --arch "$arch" --output ranking -- ./refused >out 2>err || true
  [ "$(cat out)" = cudaErrorLaunchFailure ] || die "$name: $(cat out err)"
  says "$name"
done <<'EOF'
0 compute_90,compute_90 sm_90 'multimem.ld_reduce.relaxed.sys.global.add.f32' is not supported
0 compute_90,sm_90 sm_90 unsupported instruction 'LDGMC.E
1 compute_90,compute_90 sm_90 'istypep.texref' is not supported
2 compute_120a,sm_120a sm_120 'QMMA.SF.SP' is not supported
EOF

# Scales where no columns are allocated.
for beyond in 's/"r"(of_a), "r"(of_b))/"r"(of_a + 512), "r"(of_b))/=columns 576 to 579' 's/"r"(of_a), "r"(of_b))/"r"(of_a), "r"(of_b + 512))/=columns 580 to 581'; do
  sed "${beyond%=*}; s,\.\./check\.h,$srcdir/tests/run/check.h," "$kernels/kernel-scaled.cu" >beyond.cu
  "$nvcc" -gencode arch=compute_100a,code=compute_100a -cudart shared -o beyond beyond.cu
  SMEMBANK_NVCC=no "$SMEMBANK" run --arch sm_100 --output ranking -- ./beyond tensor >out 2>err || true
  says "${beyond#*=} of tensor memory: they are not allocated"
done

# --- what a program must not do
cat >wrong.cu <<'EOF'
#include <cstdio>
__global__ void wrong(int how) {
  __shared__ unsigned where;
  unsigned to = (unsigned)__cvta_generic_to_shared(&where), word, columns = how == 0 ? 48 : 64;
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(to), "r"(columns) : "memory"); // wrong 0 5
  __syncthreads();
  unsigned at = where + (how == 1 ? 64 : how == 2 ? 96 << 16 : 0);
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(word) : "r"(at)); // wrong 1 2
  if (how != 5)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(where), "r"(how == 3 ? 32 : 64)); // wrong 3
  if (how != 6)
    return;
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(to) : "memory"); // wrong 6
  __syncthreads();
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(where));
}
int main(int, char **argv) {
  wrong<<<1, 32>>>(argv[1][0] - '0');
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
EOF
"$nvcc" -lineinfo -gencode arch=compute_100a,code=compute_100a -cudart shared -o wrong wrong.cu 2>nvcc.log || die "$(cat nvcc.log)"
"$nvcc" -lineinfo -gencode arch=compute_100a,code=sm_100a -cudart shared -o wrong.code wrong.cu 2>nvcc.log || die "$(cat nvcc.log)"
program=./wrong
wrong() {
  "$SMEMBANK" run --arch sm_100 --output ranking -- $program "$1" >out 2>err || true
  grep -qF "$2" err || die "wrong $1: expected '$2': $(cat out err)"
}
wrong 0 '48 columns of tensor memory: expected a power of two, of at least 32, of which as many are free'
wrong 1 'columns 64 to 64 of tensor memory: they are not allocated'
wrong 2 'lane 96 of tensor memory, by warp 0: expected lane 0'
wrong 3 'no 32 columns of tensor memory were allocated at 0x0'
# With --check each is a finding at its line, and so is what a device lets pass.
while read -r how text; do
  status=0
  "$SMEMBANK" run --check --arch sm_100 -- ./wrong "$how" >out 2>err || status=$?
  [ "$status" = 1 ] || die "wrong $how, checked: status $status: $(cat out err)"
  says "wrong.cu:$(grep -n "// wrong.* $how" wrong.cu | sed 's/:.*//'): wrong use of tensor memory: $text"
done <<'EOF'
0 48 columns of tensor memory: expected a power of two
1 columns 64 to 64 of tensor memory: they are not allocated
2 lane 96 of tensor memory
3 no 32 columns of tensor memory were allocated
5 the block ends, and has not given back these 64 columns from column 0 on (tcgen05.dealloc)
6 tcgen05.alloc after the block has executed tcgen05.relinquish_alloc_permit
EOF
# Machine code: ptxas puts checks around, which trap. It gives as many units of 32 columns as there are in a number, and leaves out loads that nobody uses.
program=./wrong.code
wrong 0 'a trap of tcgen05 (unallocated columns being dealloced), executed by thread (0,0,0)'
wrong 3 'no 32 columns of tensor memory were allocated at 0x0'
wrong 6 'a trap of tcgen05 (phase invalid during alloc), executed by thread (0,0,0)'
while read -r how text; do
  status=0
  "$SMEMBANK" run --check --arch sm_100 -- $program "$how" >out 2>err || status=$?
  [ "$status" = 1 ] || die "wrong $how, machine code: status $status: $(cat out err)"
  says "wrong use of tensor memory: $text"
  case $how in
  3 | 5) says "wrong.cu:$(grep -n "// wrong.* $how" wrong.cu | sed 's/:.*//'): wrong use" ;;
  esac
done <<'EOF'
0 a trap of tcgen05 (unallocated columns being dealloced)
3 no 32 columns of tensor memory were allocated
5 the block ends, and has not given back these 64 columns from column 0 on (tcgen05.dealloc)
6 a trap of tcgen05 (phase invalid during alloc)
EOF
for program in ./wrong ./wrong.code; do
  "$SMEMBANK" run --check --arch sm_100 -- $program 4 >out 2>err || die "right, checked: status $?: $(cat out err)"
  says 'nothing found.'
  "$SMEMBANK" run --arch sm_100 --output ranking -- $program 4 >out 2>err
  grep -qx cudaSuccess out || die "right: $(cat out err)"
done

# Machine code is analyzed, and where it is refused, PTX: of a text or of a program that has both.
cat wrong.cu - >both.cu <<'EOF'
__global__ void several(int how, float *p) {
  __shared__ unsigned where;
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"((unsigned)__cvta_generic_to_shared(&where)) : "memory");
  __syncthreads();
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(where));
  float sum;
  if (how == 4)
    return;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(sum) : "l"(p) : "memory");
  p[0] = sum;
}
__global__ void plain(int *out) {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
  __syncwarp();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}
EOF
"$SMEMBANK" run --arch sm_100a --output ranking both.cu -- 4 >out 2>err || die "a text: status $?: $(cat out err)"
grep -qx cudaSuccess out || die "a text: $(cat out err)"
"$nvcc" -gencode "arch=compute_100a,code=[sm_100a,compute_100a]" -cudart shared -o both both.cu 2>nvcc.log || die "$(cat nvcc.log)"
for file in both.cu both; do
  expect 0 analyze "$file" --arch sm_100 --entry several --block 32 --arg "$([ "$file" = both ] && echo 0 || echo how)=4"
  shows 'counted: PTX'
  expect 0 analyze "$file" --arch sm_100 --entry wrong --block 32 --arg "$([ "$file" = both ] && echo 0 || echo how)=4"
  shows 'counted: machine code'
  expect 0 analyze "$file" --arch sm_100 --entry plain --block 32
  shows 'counted: machine code'
done
"$nvcc" -gencode arch=compute_100a,code=sm_100a -cudart shared -o machine both.cu 2>nvcc.log || die "$(cat nvcc.log)"
expect 3 analyze machine --arch sm_100 --entry several --block 32
says "unsupported instruction 'LDGMC"
sed 's/cta_group::1/cta_group::2/' both.cu >pair.cu
"$nvcc" -gencode arch=compute_100a,code=sm_100a -cudart shared -o machine pair.cu 2>nvcc.log || die "$(cat nvcc.log)"
expect 3 analyze machine --arch sm_100 --entry wrong --block 32 --arg 0=4
says "the block has no other one in its cluster"
expect 0 analyze machine --arch sm_100 --entry wrong --block 32 --grid 2 --cluster 2 --arg 0=4
shows 'counted: machine code'

# A ranking says why in one line, without the excerpt of the source; a chip that has no code is named.
"$SMEMBANK" run --arch sm_100 -- ./wrong 2 2>err | sed -n '/Not counted/,$p' | tr '\n' ' ' >out
shows "lane 96 of tensor memory"
! grep -q '\\n\|     | ' out || die "an excerpt: $(cat out)"
"$SMEMBANK" run -- ./tensor >out 2>err || true
says 'nothing in it runs on sm_90: it has PTX for sm_100'

# --- descriptors against what threads copied: rows of 128 bytes as they are, which a descriptor reads with a swizzle, or without one
cat >copied.cu <<'EOF'
#include <cstdio>
__global__ void product(const char *in, unsigned *out, unsigned long long mode) {
  __shared__ __align__(1024) char tile[128 * 128];
  __shared__ unsigned where;
  __shared__ unsigned long long barrier;
  unsigned base = (unsigned)__cvta_generic_to_shared(tile), at = (unsigned)__cvta_generic_to_shared(&barrier), word;
  for (int i = threadIdx.x; i < 128 * 8; i += 128) {
    int row = i / 8, chunk = mode == 2 ? i % 8 ^ row % 8 : i % 8;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + row * 128 + chunk * 16), "l"(in + row * 256 + i % 8 * 16) : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
  if (threadIdx.x < 32)
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"((unsigned)__cvta_generic_to_shared(&where)) : "memory");
  __syncthreads();
  unsigned long long matrix = base >> 4 | 64ull << 32 | 1ull << 46 | 2ull << 61;
  if (threadIdx.x == 0) {
    asm volatile("tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %1, %2, 0;" ::"r"(where), "l"(matrix), "r"(0x08080010)); // product
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(at) : "memory");
  }
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(at) : "memory");
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(word) : "r"(where));
  out[threadIdx.x] = word;
  __syncthreads();
  if (threadIdx.x < 32)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(where));
}
int main(int, char **argv) {
  char *in;
  unsigned *out;
  cudaMallocManaged(&in, 128 * 256);
  cudaMallocManaged(&out, 512);
  for (int i = 0; i < 128 * 256; i++)
    in[i] = 0;
  product<<<1, 128>>>(in, out, argv[1][0] - '0');
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(in);
  cudaFree(out);
}
EOF
"$nvcc" -lineinfo -gencode arch=compute_100a,code=compute_100a -cudart shared -o copied copied.cu
"$SMEMBANK" run --check --arch sm_100 -- ./copied 2 >out 2>err || die "swizzled: status $?: $(cat out err)"
says 'nothing found.'
status=0
"$SMEMBANK" run --check --arch sm_100 -- ./copied 0 >out 2>err || status=$?
[ "$status" = 1 ] || die "not swizzled: status $status: $(cat out err)"
says 'Checked 1 launch: 1 finding.'
says 'operand A is read with a 128-byte swizzle'
says 'has rows of 128 bytes without a swizzle'

# --- mma.sync of floats of 8, 6 and 4 bits (kind::f8f6f4, sm_120): each in a byte, those of 4 bits in the middle of it
cat >narrow.cu <<'EOF'
#include <cstdio>
#include <cstdlib>
#define PRODUCT(a, b)                                                                                                                   \
  asm volatile("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32." a "." b ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]))
__global__ void product(const unsigned char *a, const unsigned char *b, float *c, int which) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  unsigned x[4], y[2];
  float d[4];
  for (int i = 0; i < 4; i++)
    x[i] = *(const unsigned *)(a + (g + i % 2 * 8) * 32 + t * 4 + i / 2 * 16);
  for (int i = 0; i < 2; i++)
    y[i] = *(const unsigned *)(b + g * 32 + t * 4 + i * 16);
  for (int i = 0; i < 4; i++)
    d[i] = c[(g + i / 2 * 8) * 8 + 2 * t + i % 2];
  switch (which) {
  case 0: PRODUCT("e2m3", "e2m3"); break;
  case 1: PRODUCT("e3m2", "e2m1"); break;
  case 2: PRODUCT("e2m1", "e2m3"); break;
  case 3: PRODUCT("e2m1", "e5m2"); break;
  }
  for (int i = 0; i < 4; i++)
    c[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
}
// Its bits, and what they are worth.
static float choose(int exponent_bits, int fraction_bits, int bias, int shift, unsigned char *bits) {
  int least = exponent_bits == 5 ? bias - 2 : 0, exponent = least + rand() % (exponent_bits == 5 ? 4 : 1 << exponent_bits);
  int fraction = rand() % (1 << fraction_bits), negative = rand() % 2;
  *bits = (unsigned char)((negative << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction) << shift);
  float value = fraction + (exponent ? 1 << fraction_bits : 0);
  for (int i = (exponent ? exponent : 1) - bias - fraction_bits; i; i += i < 0 ? 1 : -1)
    value = i < 0 ? value / 2 : value * 2;
  return negative ? -value : value;
}
int main() {
  static const int kinds[][4] = {{2, 3, 1, 0}, {3, 2, 3, 0}, {2, 1, 1, 2}, {5, 2, 15, 0}}; // e2m3, e3m2, e2m1, e5m2
  static const int pairs[][2] = {{0, 0}, {1, 2}, {2, 0}, {2, 3}};
  unsigned char *a, *b;
  float *c, left[16 * 32], right[8 * 32], before[16 * 8];
  cudaMallocManaged(&a, sizeof left);
  cudaMallocManaged(&b, sizeof right);
  cudaMallocManaged(&c, sizeof before);
  for (int which = 0; which < 4; which++) {
    const int *x = kinds[pairs[which][0]], *y = kinds[pairs[which][1]];
    int wrong = 0;
    for (int i = 0; i < 16 * 32; i++)
      left[i] = choose(x[0], x[1], x[2], x[3], &a[i]);
    for (int i = 0; i < 8 * 32; i++)
      right[i] = choose(y[0], y[1], y[2], y[3], &b[i]);
    for (int i = 0; i < 16 * 8; i++)
      c[i] = before[i] = rand() % 64;
    product<<<1, 32>>>(a, b, c, which);
    cudaDeviceSynchronize();
    for (int i = 0; i < 16; i++)
      for (int j = 0; j < 8; j++) {
        float sum = before[i * 8 + j];
        for (int k = 0; k < 32; k++)
          sum += left[i * 32 + k] * right[j * 32 + k];
        wrong += c[i * 8 + j] != sum;
      }
    printf("%d: %d wrong\n", which, wrong);
  }
}
EOF
"$nvcc" -gencode arch=compute_120a,code=compute_120a -cudart shared -o narrow narrow.cu
SMEMBANK_NVCC=no "$SMEMBANK" run --arch sm_120 --output ranking -- ./narrow >out 2>err || die "narrow: status $?: $(cat out err)"
printf '%d: 0 wrong\n' 0 1 2 3 | cmp - out || die "narrow: $(cat out err)"
[ ! -s err ] || die "narrow: messages: $(cat err)"
