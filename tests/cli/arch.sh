#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The user's own architectures: other geometries, rules that are missing, files that are broken.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

mkdir -p "$work/data/archs"
SMEMBANK_DATADIR=$work/data
export SMEMBANK_DATADIR

# arch NAME: an architecture from standard input.
arch() {
  cat >"$work/data/archs/$1.ini"
}

# A rule that was taken from another architecture is made for the banks that are there.
arch sm_half <<'END'
[arch]
like=sm_90
title=Half of the banks
compute-capability=9.0
banks=16
row-bytes=64
evidence=assumed
source=made up
END
expect 0 analyze --rows 32 --cols 32 --pad 1 --arch sm_half --format json
shows '"banks" : 16'
shows '"wavefronts" : 64'
expect 0 explain --rows 32 --cols 32 --pad 1 --arch sm_half
shows 'bank = word mod 16'

# A rule may have its own number of banks: what is explained is what is counted.
{
  cat "$work/data/archs/sm_half.ini"
  printf '[ld 4]\ngroup=0x10\nbanks=64\nconflict=words\nevidence=assumed\nsource=made up\n'
} | arch sm_own
expect 0 explain --rows 32 --cols 32 --arch sm_own --op load
shows 'sm_own has 64 banks of 4 bytes'
shows 'bank 64 mod 64 = 0'
shows 'served by half-warps'

# A rule that is missing is never counted as nothing: every command refuses the kernel.
arch sm_poor <<'END'
[arch]
title=Loads of words
compute-capability=9.0
banks=32
bank-bytes=4
static-shared-bytes=49152
max-shared-bytes=65536
max-threads=1024
global-segment-bytes=32
evidence=assumed
source=made up
[ld 1 2 4]
group=warp
conflict=words
evidence=assumed
source=made up
END
for command in analyze explain advise; do
  expect 3 $command --rows 32 --cols 32 --arch sm_poor
  says 'sm_poor has no rule for st of 4 bytes'
done
expect 3 report "$work/page.html" --rows 32 --cols 32 --arch sm_poor
says 'sm_poor has no rule for st of 4 bytes'
[ ! -e "$work/page.html" ] || die 'report left a page'
expect 3 explain --rows 32 --cols 16 --elem double --write col --arch sm_poor
says 'sm_poor has no rule for st of 8 bytes'
printf '%s\n' 'st 4 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0' >"$work/st.trace"
expect 3 trace "$work/st.trace" --arch sm_poor
says 'sm_poor has no rule for st of 4 bytes'

# Warps of 64 lanes, scattered lane groups, accesses of 12 bytes, banks of a rule's own, empty groups that count.
arch gfx_like <<'END'
[arch]
title=Made up, of AMD's shape
compute-capability=0.0
lanes=64
banks=64
bank-bytes=4
static-shared-bytes=65536
max-shared-bytes=65536
max-threads=1024
global-segment-bytes=32
evidence=assumed
source=made up
[ld 4]
group=half
banks=32
empty-groups=count
conflict=words
evidence=assumed
source=made up
[st 4]
group=half
banks=32
empty-groups=count
conflict=words
evidence=assumed
source=made up
[ld 12]
group=0x20 0x08 0x14
banks=32
empty-groups=count
conflict=words
evidence=assumed
source=made up
[ld 16]
group=0x20 0x1c
empty-groups=count
conflict=words
evidence=assumed
source=made up
END
offsets() { # STRIDE
  lane=0
  while [ $lane -lt 64 ]; do
    printf ' %d' $((lane * $1))
    lane=$((lane + 1))
  done
}
{
  echo "ld 4 ffffffffffffffff$(offsets 4) = 2"
  echo "ld 4 ffffffffffffffff$(offsets 128) = 64"
  # One lane, and the half without an active lane.
  echo "ld 4 1$(offsets 4) = 2"
  echo "ld 12 ffffffffffffffff$(offsets 16) = 8"
  echo "ld 16 ffffffffffffffff$(offsets 16) = 4"
  echo "ld 16 8000000000000000$(offsets 16) = 4"
} >"$work/wide.trace"
expect 0 trace "$work/wide.trace" --arch gfx_like
expect 0 trace "$work/wide.trace" --arch gfx_like --counts
[ "$(tr '\n' ' ' <"$work/out")" = '2 64 2 8 4 4 ' ] || die "counts: $(cat "$work/out")"
expect 3 trace "$work/wide.trace"
says ': '"'ffffffffffffffff' is more than 32 bits: expected a bit for each of 32 lanes"
echo "ld 4 1$(offsets 4 | cut -d ' ' -f 1-33)" >"$work/narrow.trace"
expect 0 trace "$work/narrow.trace"
expect 3 trace "$work/narrow.trace" --arch gfx_like
says '32 offsets: expected one for each of 64 lanes'
expect 0 list archs gfx_like
shows '0x20 0x08 0x14'
expect 0 list archs gfx_like --format csv
shows '32 banks; empty lane groups take a wavefront'

# Kernels run in warps of 64 lanes: two rows of the tile, each of which is a lane group.
expect 0 analyze --rows 32 --cols 32 --arch gfx_like --format csv
shows 'shared,48,3,tile,store,4,tile[threadIdx.y][threadIdx.x],,16,32,32,0,1,'
shows 'shared,52,14,tile,load,4,tile[idx % ROWS][idx / ROWS],,16,1024,32,992,32,'
for mask in '-1,' '"ffffffffffffffff"'; do
  expect 0 explain --rows 32 --cols 32 --arch gfx_like --format json
  shows "$mask"
done

# AMD's chips in their own words, and never in the other vendor's. Options and the user's text stay as they are.
cat >"$work/hip.cu" <<'END'
__global__ void block(int *warp) {
  __shared__ int wavefront[32][64];
  wavefront[threadIdx.x % 32][threadIdx.x / 32] = 1;
  __syncthreads();
  warp[threadIdx.x] = wavefront[threadIdx.x / 32][threadIdx.x % 32];
}
END
for command in analyze 'analyze --warps' explain advise 'analyze --annotate' 'analyze --format markdown'; do
  # shellcheck disable=SC2086 # a command and an option
  expect 0 $command "$work/hip.cu" --block 256 --arch mi300x
  shows 'wavefront[threadIdx.x'
  ! grep -nE '[Ww]avefronts|[Ww]arps|[Ww]arp [0-9]|a warp|blocks|^block [0-9]|[Ss]hared mem|multiproc' "$work/out" ||
    die "$command: words of NVIDIA"
done
expect 0 explain "$work/hip.cu" --block 256 --arch mi300x
shows 'served by half-waves'
shows 'workgroup 256'
offsets 4 | sed 's/^/ld 4 ffffffffffffffff/; s/$/ = 2/' >"$work/amd.trace"
expect 0 trace "$work/amd.trace" --arch gfx942
shows 'requests  cycles  ideal  excess  worst'
expect 0 trace "$work/amd.trace" --arch gfx942 --requests
shows 'lanes      cycles  ideal  excess  worst'
expect 0 trace "$work/amd.trace" --arch rdna3 --wave 64
expect 1 trace "$work/amd.trace" --arch gfx950
tells 'note: ld 4 is counted by a rule that is assumed, and disputed: '
expect 2 trace "$work/amd.trace" --arch gfx942 --wave 32
says 'gfx942 has no waves of 32 lanes, only of 64'
expect 2 analyze --rows 32 --cols 32 --wave 16
# No table of what compute units hold, of which nothing is known; latencies are no counts.
expect 0 list archs gfx1201
! grep -qw reserved "$work/out" || die "$last: an empty table"
! grep -qw measured "$work/out" || die "$last: latencies are said to be counts"
expect 0 list archs gfx1201 --format csv
shows 'inferred from latencies of pairs of lanes'
# Counts by the names of the vendor's profilers, and rules that are assumed: results say so.
expect 0 analyze --rows 32 --cols 32 --arch mi300x
tells 'SQ_LDS_IDX_ACTIVE 1056, SQ_LDS_BANK_CONFLICT 992; rocprof-compute: 15.50'
tells 'conflicts per access, bank conflict rate 48.4%'
tells 'assumed, not measured: st 4'
! grep -q 'disputed' "$work/out" || die 'shows disputed'
expect 0 analyze --rows 32 --cols 32 --arch mi300x --format json
is_json
shows '"SQ_LDS_BANK_CONFLICT" : 992'
shows '"conflicts_per_access" : 15.5'
expect 0 analyze --rows 32 --cols 32 --arch gfx1100 --format json
shows '"SQC_LDS_IDX_ACTIVE" : 1056'
expect 0 analyze --rows 32 --cols 32 --format json
! grep -q '"counters"' "$work/out" || die 'shows "counters"'
expect 0 analyze --rows 32 --cols 32 --arch gfx950
tells 'ld 4 (disputed: '
expect 0 explain --rows 32 --cols 32 --arch gfx950
tells 'It is disputed: '
expect 0 explain --rows 32 --cols 16 --elem int4 --arch gfx950 --op load
tells 'The phases are lanes 0-3, 12-15 and 20-27; 4-11, 16-19'
tells 'as SQ_LDS_IDX_ACTIVE, the excess as'
expect 0 list archs gfx950
shows 'disputed: '
# It takes what --arch takes, and names what that is.
for name in 90a sm_90a hopper; do
  expect 0 list archs $name
  shows 'sm_90  '
done
expect 0 list archs gfx942:xnack-
shows 'gfx942  ld'
expect 0 list archs mi300x
shows 'gfx942  ld'
! grep -q "^mi300x" "$work/out" || die "$last: $(cat "$work/out")"
expect 2 list archs gfx1030
says "no architecture 'gfx1030'"
expect 0 list archs gfx950 --format json
is_json
shows '"disputed" : "the model of'
expect 0 report "$work/page.html" --rows 32 --cols 32 --arch mi355x
grep -q 'SQ_LDS_BANK_CONFLICT' "$work/page.html" || die 'the page has no counters'
grep -q '<th scope="col">cycles</th>' "$work/page.html" || die 'the page has no cycles'
# 160 KiB of LDS on CDNA 4, 64 before: what fits is known to advise.
expect 0 advise --rows 32 --cols 32 --arch gfx950
shows 'Counted by rules that are assumed, not measured:'
expect 0 advise --rows 32 --cols 32 --arch gfx950 --format json
shows '"assumed_rules"'
expect 0 advise --rows 32 --cols 32 --elem int4 --arch gfx950
expect 0 advise --rows 32 --cols 32 --elem int4 --arch gfx942
expect 0 list archs --format json
shows '"wave_size" : 64'
shows '"aliases" : "mi350'
expect 0 analyze --rows 32 --cols 32 --arch gfx942:sramecc+:xnack-
shows '4096 bytes of LDS, gfx942'

# Syntax errors carry their line, and what is quoted is short.
printf '[arch]\ntitle=x\nnonsense\nbanks=32\n' | arch sm_broken
expect 3 list archs sm_broken
says 'sm_broken.ini:3: error: '
{
  printf '[arch]\ntitle=x\ncompute-capability=9.0\nmax-threads=1\nbanks='
  head -c 1000000 /dev/zero | tr '\0' 9
  echo
} | arch sm_long
expect 3 list archs sm_long
says 'sm_long.ini: [arch] banks: '
[ "$(wc -c <"$work/err")" -lt 400 ] || die 'a message of a megabyte'
