#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# report: the page, texts that try to be more than text, what is left out, and every kind of bad input. What a
# browser makes of it is tests/cli/browser.sh.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

page=$work/page.html
escape=$(printf '\033')

# has TEXT, lacks TEXT: about the page that was written last.
has() {
  grep -qF -e "$1" "$page" || die "$last: the page has no '$1'"
}
lacks() {
  ! grep -qF -e "$1" "$page" || die "$last: the page has '$1'"
}
count() {
  grep -oF -e "$1" "$page" | wc -l
}

# The page as it was looked at, but for its style and its script.
cat >"$work/small.cu" <<'EOF'
__global__ void small(float *out, const float *in) {
  __shared__ float tile[4][32];
  tile[threadIdx.x % 4][threadIdx.x / 4] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x / 4];
}
EOF
expect 0 report "$page" "$work/small.cu" --block 16
shows 'page.html: 2 shared accesses, 1 with conflicts, 1 bank map, '
tells 'The costliest access is the store of tile[threadIdx.x % 4][threadIdx.x / 4] at line 3.'
sed "s|$work/||; s|smembank [0-9][0-9.]*|smembank VERSION|; /^<style>/,/^<\/style>/d; /^<script>/,/^<\/script>/d" "$page" >"$work/out"
golden report.html

# The style and the script are in it, once each, and nothing is asked of anyone.
[ "$(count '<style>')" -eq 1 ] || die 'not one style'
[ "$(count '<script>')" -eq 1 ] || die 'not one script'
has "default-src 'none'"
for word in 'src="' 'url(' '@import' 'href="http' 'fetch(' 'XMLHttpRequest'; do
  lacks "$word"
done
! grep -oE 'https?:[^" ]*' "$page" | grep -qvFx 'http://www.w3.org/2000/svg' || die 'the page names an address'

# A text is a text: in the source, in an expression, in a name of a file, and in a macro.
printf '%s\n' '// </script><script>alert(1)</script> <b>"bold"</b> &amp; '"'"' é 漢 ]]> <!--' \
  '#define T t' \
  '__global__ void h(int *o) {' \
  '  __shared__ int t[1024];' \
  '  t[threadIdx.x * (32 < 33 ? 32 : 1 /* </script><script>alert(2)</script> */)] = 1;' \
  '  o[threadIdx.x] = t[threadIdx.x * 32]; }' >"$work/hostile<b>&.cu"
printf '// \377\200 bytes that are no UTF-8\n' >>"$work/hostile<b>&.cu"
expect 0 report "$page" "$work/hostile<b>&.cu" -D 'M=</script><img onerror=alert(3)>'
[ "$(count '</script>')" -eq 2 ] || die "$last: $(count '</script>') ends of scripts"
[ "$(count '<script')" -eq 2 ] || die "$last: $(count '<script') scripts"
lacks '<b>'
lacks '<img'
has '&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &lt;b&gt;'
has 'é 漢'
has '\u003c/script>\u003cscript>alert(2)'
has 'hostile&lt;b&gt;&amp;.cu'
iconv -f UTF-8 -t UTF-8 "$page" >/dev/null || die "$last: not UTF-8"
! grep -qF "$escape" "$page" || die "$last: an escape in the page"

# What is said and what is left out.
expect 0 report "$page" --rows 32 --cols 32
has 'Warp 31'
has 'padding 1: <span class="good">1 wavefront</span>'
lacks 'left out'
expect 0 report "$page" --rows 32 --cols 32 --pad 1
shows '0 with conflicts, 0 bank maps'
has 'No bank conflicts.'
lacks '<section id="advice">'
cat >"$work/many.cu" <<'EOF'
__global__ void many(int *out) {
  extern __shared__ int t[];
  int x = threadIdx.x % 32 * 32 + threadIdx.x / 32;
  t[x] = 1; t[x] = 2; t[x] = 3; t[x] = 4;
  t[threadIdx.x] = 5;
}
EOF
expect 0 report "$page" "$work/many.cu" --block 1024 --dynamic-bytes 4096
shows '5 shared accesses, 4 with conflicts, 96 bank maps'
has 'The maps of 31 more warps are left out: a page has at most 96 maps.'
[ "$(count '<figure class="map"')" -eq 96 ] || die "$last: not 96 maps"
# The costliest access comes first, also where the text has it last; the advice has a padding and a swizzle.
cat >"$work/order.cu" <<'EOF'
__global__ void order(int *out) {
  __shared__ int a[32][64];
  a[threadIdx.y][threadIdx.x * 2] = 1;
  out[threadIdx.x] = a[threadIdx.x][threadIdx.y];
}
EOF
expect 0 report "$page" "$work/order.cu" --block 32,32
[ "$(grep -o '<article class="access" id="access-[0-9]*"' "$page" | tr -dc '0-9\n' | tr '\n' ' ')" = '1 0 ' ] ||
  die "$last: not the costliest first"
expect 0 report "$page" --kernel setRowReadCol
has '<h4>pad 1: <strong class="good">64 wavefronts</strong> instead of 1056</h4>'
has '<h4>Swizzle&lt;5,0,5&gt;: <strong class="good">64 wavefronts</strong> instead of 1056</h4>'
has '<ins>  15 +   __shared__ int tile[BDIMY][BDIMX + 1];</ins>'
has '<ins>  22 +   out[idx] = tile[icol][irow ^ icol];</ins>'
# Of a program the functions in which something is counted are shown; the rest is folded, and in the page.
cat >"$work/program.cu" <<'END'
// A comment.
#define N 32
__device__ int unused(int v) {
  return v;
}
__device__ int scale(const int *s, int v) {
  return s[v * N % 1024];
}
/* Of blocks. */
template <int M>
__global__ void k(int *o) {
  __shared__ int s[1024];
  s[threadIdx.x] = 1;
  __syncthreads();
  if (o) {
    o[threadIdx.x] = scale(s, threadIdx.x);
  }
}
int main() {
  int *o = 0;
  k<1><<<1, 32>>>(o);
  return 0;
}
END
expect 0 report "$page" "$work/program.cu" --instance 'k<1>' --block 32 --text
grep -oE 'lines [0-9]+ to [0-9]+' "$page" >"$work/folds"
printf 'lines 1 to 5\nlines 19 to 23\n' | cmp -s - "$work/folds" || die "$last: folds $(cat "$work/folds")"
has '<td class="code">int main() {</td>'
# A padding that is better, and not free of conflicts, is not red; the present one is.
expect 0 report "$page" --rows 32 --cols 32
has 'padding 2: <span class="good">2 wavefronts</span>'
has 'padding 0, now: <span class="bad">32 wavefronts</span>'

# An array that a pointer names which may point elsewhere cannot be rewritten: the index is said, and why.
cat >"$work/alias.cu" <<'EOF'
__global__ void alias(int *out) {
  __shared__ int s[1024];
  int *p = threadIdx.x < 32 ? s + threadIdx.x : out;
  p[threadIdx.x * 31] = 1;
  out[threadIdx.x] = p[threadIdx.x * 31];
}
EOF
expect 0 report "$page" "$work/alias.cu"
has '<section id="advice">'
has 'To try by hand, with the index'
# More different requests than are kept: there is a page, without advice, which says why.
cat >"$work/varied.cu" <<'EOF'
__global__ void varied(int *out) {
  __shared__ int s[2048];
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 160; j++)
      s[(threadIdx.x * 32 + threadIdx.x % 3 * i + threadIdx.x % 5 * j) % 2048] = 1;
}
EOF
expect 0 report "$page" "$work/varied.cu"
has 'No layouts were searched: '
has 'to keep one by one'
cat >"$work/loop.cu" <<'EOF'
__global__ void loop(float *out, const float *in) {
  __shared__ float s[32];
  s[threadIdx.x] = 0;
  atomicAdd(&s[threadIdx.x / 4], in[threadIdx.x]);
  out[threadIdx.x] = s[threadIdx.x];
}
EOF
expect 0 report "$page" "$work/loop.cu"
has 'round 1 of 4'
has 'its count is a lower bound'
has '<section id="warnings">'
says 'is a loop of loads and swaps'
for arch in sm_10 sm_20 sm_30_4B sm_30_8B; do
  expect 0 report "$page" --rows 16 --cols 16 --arch "$arch"
  case $arch in
  sm_10) has 'words of one bank; of stores of less than a word, the most distinct addresses.' ;;
  sm_30_4B) has 'words of one bank; words of one row of 256 bytes count once.' ;;
  *) has 'words of one bank.' ;;
  esac
done
expect 0 report "$work/PAGE.HTM" --kernel reduceGmem
printf '__global__ void nothing(int *out) { out[threadIdx.x] = 1; }\n' >"$work/global.cu"
expect 0 report "$page" "$work/global.cu"
has 'The kernel makes no shared-memory requests.'

# A page is replaced whole, or stays as it is.
echo 'as it was' >"$page"
expect 3 report "$page" "$work/no-such.cu"
expect 2 report "$page"
says 'nothing to analyse'
printf 'no kernel\n' >"$work/bad.cu"
expect 3 report "$page" "$work/bad.cu"
[ "$(cat "$page")" = 'as it was' ] || die 'a failure changed the page'
expect 3 report "$work/no/such/folder/page.html" "$work/small.cu"
says 'page: cannot write '
expect 2 report
says 'missing argument: expected PAGE.html|- [FILE|-]'
expect 2 report "$work/small.cu" "$page"
says 'expected a name that ends in .html'
expect 2 report "$work/small.cu"
expect 2 report "$page" a b
expect 2 report "$page" --kernel tile "$work/small.cu"
grep -q __global__ "$work/small.cu" || die 'the kernel was written over'

# Boxes of tensors and operands of products.
expect 0 report "$page" "$srcdir/tests/data/capture/hopper.capture" --launch 4
grep -q 'Operand B of QGMMA.64x64x32.F32.E4M3.E5M2 at /src/kernel/hopper.cu:124. Lanes 0-7 stand for' "$page" || die 'no operand'
[ "$(grep -c '<svg' "$page")" = 5 ] || die "not a picture of each box and operand"
expect 0 report "$page" "$srcdir/tests/data/capture/hopper.capture" --launch 6
if grep -q 'Operand' "$page"; then die 'operands of a kernel without products'; fi
