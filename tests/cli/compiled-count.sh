#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# shellcheck disable=SC2016 # backquotes are Markdown's, and $word is that of the made-up nvcc
#
# A text beside what a compiler makes of it: verdict, limits and statuses are of that. With a made-up nvcc, and with the real one.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
srcdir=$(cd "$srcdir" && pwd)
cd "$work"

# Line 6 is compiled to one store that conflicts, of four; line 7 to both of its own; line 8 to a load that the text does not have; and
# nothing of line 9. $1: bytes between the lanes of the first.
made_nvcc <<'END'
. "$NVCC_TASK"
END
NVCC_TASK=$work/task
export NVCC_TASK
makes() {
  cat >task <<END
/bin/cat >"\$out" <<PTX
.version 8.0
.target sm_70
.address_size 64
.visible .entry k() {
  .reg .b32 %r<6>;
  .shared .align 4 .b8 a[4352];
  .shared .align 4 .b8 b[128];
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r1, $1;
  shl.b32 %r3, %r1, 2;
  mov.u32 %r4, b;
  add.u32 %r4, %r4, %r3;
  .loc 1 6 5
  st.shared.u32 [%r2], %r1;
  .loc 1 7 3
  st.shared.u32 [%r4], %r1;
  st.shared.u32 [%r3], %r1;
  .loc 1 8 3
  bar.sync 0;
  ld.shared.u32 %r5, [%r3];
  ret;
}
.file 1 "\$word"
PTX
END
}
makes 64
cat >k.cu <<'END'
__global__ void k() {
  __shared__ int a[32][34];
  __shared__ int b[32];
  int t = threadIdx.x;
  for (int i = 0; i < 4; i++)
    a[t][i] = 1;
  b[t] = 2, a[0][t] = 3;
  __syncthreads();
  b[t] = a[t][0];
}
END
expect 0 analyze k.cu --block 32
quiet
shows 'sm_90; counted: PTX, beside the text'
shows 'compiled: nvcc -cubin -lineinfo -arch=sm_90'
shows 'Bank conflicts: 15 of 19 wavefronts (79%) are in excess.'
tells 'The text asks for 13 wavefronts, 5 of them in excess; what nvcc makes of it takes 19, 15 in excess, and that is what the verdict and limits are of.'
golden compiled-count.txt
# explain takes what costs most as compiled, and says what has become of the line.
expect 0 explain k.cu --block 32
tells 'Of the accesses in the text, the one with the most excess wavefronts as compiled is this store. In the text, it makes 4 requests, which take 8 wavefronts, 4 of them in excess.'
expect 0 explain k.cu --block 32 --op load
tells 'The access is this load. In the text, it makes 1 request, which takes 2 wavefronts, 1 of them in excess.'
expect 2 explain k.cu --block 32 --line 8
says "--line '8': the text has no access to shared memory there, but what nvcc makes of it has: --nvcc '' explains that"
expect 2 explain k.cu --block 32 --line 4
says "--line '4': no access to shared memory on it is counted: expected one of 6, 7, 9"
expect 0 explain k.cu --block 32 --line 6
shows 'What nvcc makes of it'
tells 'Of the stores in line 6 nvcc makes st.shared.u32: 1 request, 16 wavefronts, 15 in excess (16-way at worst).'
tells 'that is what the verdict and limits are of. What follows explains the request as the text makes it.'
expect 0 explain k.cu --block 32 --line 9 --op load
tells 'nvcc leaves no load in shared memory of line 9.'
expect 0 explain k.cu --block 32 --line 7 --column 13
tells "Of the stores of 'a' in line 7 nvcc makes st.shared.u32: 1 request, 1 wavefront, 0 in excess (1-way at worst)."
expect 0 explain k.cu --block 32 --line 7 --format json
golden compiled-explain.json
expect 0 explain k.cu --block 32 --line 9 --op load --format json
tr -d ' \n' <out | grep -qF '"accesses":[],' || die "$last: $(cat out)"
expect 0 explain k.cu --block 32 --line 6 --text
! grep -q 'nvcc makes' out || die "$last: a compiler was asked"
expect 0 analyze k.cu --block 32 --format json
golden compiled-count.json
[ "$(wc -l <calls)" -ge 1 ] || die 'no compiler was asked'
expect 0 analyze k.cu --block 32 --format markdown
shows '| place | shared access | op | requests | wavefronts | ideal | excess | worst | compiled wavefronts | excess |'
shows '| line 7 | `a[0][t]` | store | 1 | 1 | 1 | 0 | 1-way | 1 | 0 |'
shows '| k.cu:8 | `ld.shared.u32 %r5, [%r3]` | load | | | | | | 1 | 0 |'
expect 0 analyze k.cu --block 32 --format github
shows 'file=k.cu,line=6,col=5,title=Bank conflict::the store of a[t][i] (st.shared.u32) takes 16 wavefronts, 15 of them in excess'
expect 0 analyze k.cu --block 32 --annotate
grep -qE '^ +4 +8 +4 +2-way +16 +15 +6 ' "$work/out" || die "$last: no line 6: $(cat "$work/out")"
expect 0 report page.html k.cu --block 32
grep -q 'Bank conflicts: 15 of 19 wavefronts' page.html || die "$last: another head"
grep -q '>worst</th><th scope="col">compiled: wavefronts</th><th scope="col">compiled: excess</th>' page.html || die "$last: no columns"
grep -q '<td class="bad">2-way</td><td>16</td><td class="bad">15</td></tr>' page.html || die "$last: no line 6"
grep -q 'ld.shared.u32 %r5, \[%r3\]</td><td></td><td></td><td></td><td></td><td></td><td>1</td><td class="good">0</td></tr>' page.html ||
  die "$last: no line 8"
# What costs most as compiled comes first.
sed -n '/id="access-/p' page.html | head -n 1 | grep -q 'id="access-0"' || die "$last: $(grep 'id="access-' page.html)"
grep -q 'Of the stores in line 6 nvcc makes st.shared.u32: 1 request, 16 wavefronts' page.html || die "$last: no instructions"

# What a script reads of the text stays as it is, and --text counts nothing else.
expect 0 analyze k.cu --block 32 --format csv
grep -qE '^shared,6,5,a,store,4,a\[t\]\[i\],,4,8,4,4,2,.*,0,1,16,1,15,16,,0$' out || die "$last: line 6: $(cat out)"
grep -qE '^shared,9,10,a,load,.*,0,0,0,0,0,0,,0$' out || die "$last: line 9: $(cat out)"
grep -qE '^shared,8,3,a,load,4,"ld.shared.u32 %r5, \[%r3\]",,,,,,,,,,,,k.cu,20,ld.shared.u32,,,,1,1,1,0,1,,$' out || die "$last: line 8: $(cat out)"
of_text() { grep -v '^shared,8,' out | sed 's/\(,compiled_[a-z_]*\)\{5\},cost_cycles,idle_issues$//; s/\(,[0-9]*\)\{7\}$//'; }
of_text >beside.csv
expect 0 analyze k.cu --block 32 --format callgrind
grep -qx '6 16 1 15 1 0' out || die "$last: $(cat out)"
grep -qx 'totals: 19 4 15 4 0' out || die "$last: $(cat out)"
rm calls
expect 0 analyze k.cu --block 32 --text
shows 'counted: the text'
expect 0 analyze k.cu --block 32 --format csv --text
of_text | cmp -s - beside.csv || die "$last: the text's columns are others: $(cat out)"
expect 0 analyze k.cu --block 32 --text
shows 'exact for the text as written: the compiled count may differ'
! grep -q 'no nvcc' "$work/out" || die "$last: there is one"
expect 3 analyze - --text <<'END'
class Words { static constexpr int n = 2; };
__global__ void k() { Words::use(); }
END
# Neither are tiles, built-in kernels, HIP, and chips of others.
cp k.cu k.hip
expect 0 analyze --rows 32 --cols 32
expect 0 analyze --kernel transposeSmem
expect 0 analyze k.hip --block 32
expect 0 analyze k.cu --block 32 --arch gfx942
shows 'exact for the text as written: the compiled count may differ'
[ ! -e calls ] || die "compiled what is no text for nvcc: $(cat calls)"
SMEMBANK_NVCC=no expect 0 analyze k.cu --block 32
shows 'the compiled count may differ (no nvcc was found)'

# Limits are of what was compiled, where that is known.
for limit in '--max-ways 2' '--max-excess 5' '--max-ways 6=2' '--max-wavefronts 18'; do
  # shellcheck disable=SC2086 # two words
  expect 1 analyze k.cu --block 32 $limit
  # shellcheck disable=SC2086
  expect 0 analyze k.cu --block 32 $limit --text
done
expect 1 analyze k.cu --block 32 --max-ways 2
says 'k.cu:6:5: warning: the store of a[t][i] (st.shared.u32) is 16-way: more than --max-ways 2'
# Nothing is compiled of line 9, and that takes nothing; in line 7, both arrays are stored to.
expect 0 analyze k.cu --block 32 --max-ways 9=1 --max-wavefronts 9=0
expect 1 analyze k.cu --block 32 --max-ways 9=1 --text
says 'k.cu:9:10: warning: the load of a[t][0] is 2-way'
expect 1 analyze k.cu --block 32 --max-ways a=2 --max-ways b=1
says 'k.cu:6:5: warning: the store of a[t][i] (st.shared.u32) is 16-way: more than --max-ways a=2'
expect 0 analyze k.cu --block 32 --max-ways a=16 --max-wavefronts b=1 --max-wavefronts 8=1
expect 1 analyze k.cu --block 32 --max-wavefronts 8=0
says 'line 8 takes 1 wavefronts: more than --max-wavefronts 8=0'
expect 1 analyze k.cu --block 32 --max-ways 10=1
says '--max-ways 10=1: nothing was checked: no access to shared memory there is counted'
makes 4
expect 0 analyze k.cu --block 32 --no-cache --max-ways 1 --max-excess 0
expect 1 analyze k.cu --block 32 --no-cache --max-ways 1 --text
# Where both take the same, it is told in the words of the text.
sed 's/a\[t\]\[i\]/a[i][t]/; s/i < 4/i < 2/; s/= a\[t\]\[0\]/+= 1/' k.cu >same.cu
expect 0 analyze same.cu --block 32 --no-cache
shows 'No bank conflicts: '

# What cannot be compiled is counted alone, with a warning.
echo 'echo "$word(3): error: no such thing"; exit 1' >task
expect 0 analyze k.cu --block 32 --no-cache
says 'k.cu: warning: the text alone is counted: k.cu:3:1: error: no such thing'
shows 'Bank conflicts: 5 of 13 wavefronts'
expect 1 analyze k.cu --block 32 --no-cache --max-ways 1 --format json
shows '"error" : "k.cu:3:1: error: no such thing"'

# check and compare.
makes 64
cat >smembank.ini <<'END'
[both]
file = k.cu
block = 32
max-ways = 2
[alone]
file = k.cu
block = 32
max-ways = 2
text = true
END
expect 1 check
grep -qE '^both +k +4 +19 +4 +15 +16-way +failed' "$work/out" || die "$last: $(cat "$work/out")"
grep -qE '^alone +k +8 +13 +8 +5 +2-way +passed' "$work/out" || die "$last: $(cat "$work/out")"
expect 0 check --text both
expect 1 check --format json
cp "$work/out" before.json
makes 4
expect 0 check both --baseline before.json --no-cache
expect 0 check both --no-cache --format json
cp "$work/out" after.json
makes 128
expect 1 check both --baseline after.json --no-cache
says 'the store of a[t][i] (st.shared.u32) takes 32 wavefronts, 31 in excess: 1, and 0 in excess, in the baseline'
expect 1 compare after.json before.json
shows 'both: worse, 4 -> 19 wavefronts, 0 -> 15 in excess'
expect 0 check both --text --format json
cp "$work/out" text.json
expect 0 compare text.json after.json
shows 'the text is compared: one of both was not compiled'

# Without a compiler, advise merges stores as it merges loads: Clang does, too.
cat >turn.cu <<'END'
__global__ void turn(unsigned *io) {
  __shared__ unsigned s[128];
  int l = threadIdx.x;
  unsigned v[4];
  for (int i = 0; i < 4; i++)
    s[i * 32 + l] = io[i * 32 + l];
  __syncwarp();
  for (int i = 0; i < 4; i++)
    v[i] = s[i * 32 + l];
  __syncwarp();
  for (int i = 0; i < 4; i++)
    s[l * 4 + i] = v[i];
  __syncwarp();
  for (int i = 0; i < 4; i++)
    io[i * 32 + l] = s[i * 32 + l];
}
END
cat >merged.hip <<'END'
__global__ void k(float *o) {
  __shared__ float s[64 * 4];
  int t = threadIdx.x;
  for (int i = 0; i < 4; i++) s[t * 4 + i] = t;
  __syncthreads();
  float r = 0;
  for (int i = 0; i < 4; i++) r += s[t * 4 + i];
  o[t] = r;
}
END
SMEMBANK_NVCC=no expect 0 advise turn.cu --block 32
tells 'The lanes of s[l * 4 + i] at line 12 store consecutive elements. A compiler may merge these into stores of up to 16 bytes: now 16 wavefronts, instead of 28 in the text.'
tells 'is not recommended: 43 % fewer wavefronts in the text, as many with adjacent accesses merged'
expect 0 advise merged.hip --block 64 --arch gfx90a
tells 'now 16 cycles, instead of 64 in the text.'
tells 'is not recommended: 75 % fewer cycles in the text, as many with adjacent accesses merged'

# The real one: a structure that is copied at once, and four stores of a lane that are merged.
SMEMBANK_NVCC=no
need_nvcc
cat >real-nvcc <<END
#!/bin/sh
echo called >>'$work/calls'
exec '$nvcc' "\$@"
END
chmod +x real-nvcc
SMEMBANK_NVCC=$work/real-nvcc
cat >copy.cu <<'END'
struct Q { float a, b, c, d; };
__global__ void k(Q *o, const Q *in) {
  __shared__ Q s[128];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  o[t] = s[t ^ 1];
}
END
expect 0 analyze copy.cu --block 32 --max-ways 1
shows 'No bank conflicts: 8 wavefronts'
tells 'The text asks for 32 wavefronts, 24 of them in excess; what nvcc makes of it takes 8, 0 in excess'
expect 0 analyze turn.cu --block 32 --max-excess s=0
grep -qE '^ +12  s\[l \* 4 \+ i\] +store +4 +16 +4 +12  4-way +4 +0$' "$work/out" || die "$last: $(cat "$work/out")"
# Two accesses of a line to one array are counted together.
cat >pair.cu <<'END'
__global__ void pair(int *o) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t, s[t + 32] = 1;
  __syncthreads();
  o[t] = s[t * 2] + s[t + 1];
}
END
expect 0 analyze pair.cu --block 32
grep -qE '^ +6 +s\[t \+ 1\] +load +1 +1 +1 +0 +1-way +↑ +↑$' "$work/out" || die "$last: $(cat "$work/out")"
shows '↑: counted in the first row of its line and operation'
# Instructions of a line that are alike fail a limit together.
cat >unrolled.cu <<'END'
__global__ void unrolled(int *o, const int *in) {
  __shared__ int s[32][32];
  int t = threadIdx.x;
  for (int i = 0; i < 8; i++) s[t][i * 4 + t % 4] = in[t + i];
  __syncthreads();
  o[t] = s[0][t];
}
END
expect 1 analyze unrolled.cu --block 32 --max-ways 4 --format github
[ "$(grep -c "more than" err)" -eq 1 ] || die "$last: $(cat err)"
says 'unrolled.cu:4:31: warning: the store of s[t][i * 4 + t % 4] (8 × STS) is up to 8-way: more than --max-ways 4'
[ "$(grep -c '^::error' out)" -eq 1 ] || die "$last: $(cat out)"
# Those of one line that read two arrays are two findings, as they are two rows.
cat >product.cu <<'END'
__global__ void product(float *c, const float *a, const float *b, int n) {
  __shared__ float as[16][16], bs[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[y][x] = a[y * n + k + x];
    bs[y][x] = b[y * n + k + x];
    __syncthreads();
    for (int i = 0; i < 16; i++)
      sum += as[y][i] * bs[x][i];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
END
expect 0 analyze product.cu --block 16,16 --arg n=16 --format github
wide='::the load of bs\[x\]\[i\] \(([0-9]+) × LDS.128\) takes ([0-9]+) wavefronts, ([0-9]+) of them in excess'
found=$(sed -nE "s/.*$wide.*/\\2 \\3/p" out)
[ -n "$found" ] || die "$last: $(cat out)"
expect 0 analyze product.cu --block 16,16 --arg n=16
grep -qE "^ +10 +bs\[x\]\[i\] +load .* ${found% *} +${found#* }\$" out || die "$found, and $(cat out)"
# Turns at a word, of an atomic that is a loop: excess of the text, requests of what is compiled.
cat >turns.cu <<'END'
__global__ void turns(float *o) {
  __shared__ float s[32];
  s[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&s[0], 1.f);
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x];
}
END
expect 0 analyze turns.cu --block 32
tells 'The text asks for 98 wavefronts, 93 of them in excess; what nvcc makes of it takes 98, 0 in excess, and that is what the verdict and limits are of. Lanes take turns at a word: the text counts their turns as excess, and compiled code as requests.'
# What depends on contents that were not given is not certain in what is compiled either: of that line alone, with or without nvcc.
cat >bins.cu <<'END'
__global__ void bins(int *out, const int *in) {
  __shared__ int bins[64], tile[64];
  bins[threadIdx.x] = 0;
  tile[threadIdx.x ^ 1] = in[threadIdx.x];
  __syncthreads();
  bins[in[threadIdx.x] % 64]++;
  __syncthreads();
  out[threadIdx.x] = bins[threadIdx.x] + tile[threadIdx.x];
}
END
for text in '' --text; do
  # shellcheck disable=SC2086 # a word, or none
  expect 1 analyze bins.cu --block 64 -q --max-excess 0 $text
  shows 'No bank conflicts with the contents assumed: 12 wavefronts, the minimum for these accesses.'
  says "--max-excess 0 cannot be checked: the addresses of 'bins[in[threadIdx.x] % 64]' depend on the contents of 'in'"
  # shellcheck disable=SC2086
  expect 1 analyze bins.cu --block 64 --max-ways bins=1 $text
  # shellcheck disable=SC2086
  expect 0 analyze bins.cu --block 64 --max-ways tile=1 $text
  # shellcheck disable=SC2086
  expect 0 analyze bins.cu --block 64 --max-excess 0 --buffer in=iota:i32 $text
done
expect 0 analyze bins.cu --block 64 --format json
[ "$(sed -n '/"compiled" : {/,$p' out | grep -c '"exact" : false')" -eq 2 ] || die "$last: $(cat out)"
expect 0 advise bins.cu --block 64 -q
shows 'Nothing is recommended: there are no bank conflicts with the contents assumed.'
# A header has one name, in the text and as compiled.
mkdir headers
sed -n '2,$p' pair.cu | sed 's/^/  /' | sed '$d' >headers/body.h
{ echo '__global__ void pair(int *o) {'; echo '#include "headers/body.h"'; echo '}'; } >headed.cu
for name in headed.cu ./headed.cu "$PWD/headed.cu"; do
  expect 0 analyze "$name" --block 32 --format json
  [ "$(grep '"file" : ' out | sort -u | sed 's/^ *//' | sort -u | wc -l)" -eq 2 ] || die "$last: $(grep '"file"' out | sort -u)"
done
# A time says whose contents it assumes, where they decide what is asked for or how often.
cat >chase.cu <<'END'
__global__ void chase(int *g, int n) {
  int p = threadIdx.x;
  for (int i = 0; i < n; i++)
    p = g[p];
  g[p] = n;
}
END
expect 0 analyze chase.cu --block 32 --arg n=10 --time
tells "The time depends on the contents of 'g', which were not given: give --buffer g=SPEC."
expect 0 analyze chase.cu --block 32 --arg n=10 --buffer g=random:i32:0:31 --time
! grep -q 'which were not given' out || die "$last: $(cat out)"
expect 0 analyze turn.cu --block 32 --time
! grep -q 'which were not given' out || die "$last: $(cat out)"
# It is kept, for the other formats and commands.
expect 0 analyze turn.cu --block 32
rm calls
expect 0 analyze turn.cu --block 32 --format markdown
expect 0 compare turn.cu turn.cu --block 32
shows 'turn: same, 16 -> 16 wavefronts'
[ ! -e calls ] || die "$last: compiled again"
