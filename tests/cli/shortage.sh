#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Threads, processes and memory that cannot be had (ulimit -u, ulimit -v, a container's limits): the same result, or an error;
# never a wait without end, nor a crash.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
: "${MAKE_CAPTURE:?}" "${SMEMBANK_ON_FAKE:?}"
if ! command -v prlimit >/dev/null || ! command -v setpriv >/dev/null; then
  echo 'no prlimit and setpriv (util-linux) to set limits with'
  exit 77
fi
SMEMBANK=$(realpath "$SMEMBANK")
SMEMBANK_ON_FAKE=$(realpath "$SMEMBANK_ON_FAKE")
srcdir=$(cd "$srcdir" && pwd)
"$MAKE_CAPTURE" "$work/app.capture" "$srcdir"
cd "$work"
cat >t.cu <<'END'
__global__ void transpose(float *out, const float *in, int pitch) {
  __shared__ float tile[32][32];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * pitch + x + blockIdx.x];
  __syncthreads();
  out[y * pitch + x] = tile[x][(y + blockIdx.x * blockIdx.x) % 32];
}
END
printf '[*]\nfile = t.cu\nblock = 32,32\narg = pitch=1024\n[one]\ngrid = 1\n[two]\ngrid = 2\n[three]\ngrid = 3\n' >smembank.ini

# --- processes and threads: the limit counts those of a user, and root has none
user=$((200000 + $$))
within() {
  most=$1
  shift
  timeout 60 setpriv --reuid="$user" --regid="$user" --clear-groups prlimit --nproc="$most" "$@"
}
chmod -R a+rX "$work"
if [ "$(id -u)" -ne 0 ]; then
  echo 'not root: no user of its own to limit the processes of'
elif ! within 1 true 2>err; then
  echo "no other user to be: $(cat err)"
elif ! within 1 "$SMEMBANK" --version >out 2>err; then
  echo "another user cannot run it here: $(cat err)"
else
  # Each command, which has several threads or processes at work, and what it says without a limit.
  while read -r program words; do
    # shellcheck disable=SC2086 # several words
    "$program" $words >wanted 2>wanted.err || die "$words: $(cat wanted.err)"
    for most in 1 2 3; do
      last="$program $words, of at most $most processes"
      # shellcheck disable=SC2086
      within "$most" "$program" $words >out 2>err || die "$last: status $?: $(cat err)"
      cmp -s wanted out || die "$last: another result: $(diff wanted out | head -5)"
    done
  done <<END
$SMEMBANK analyze --kernel transposeSmem --threads 4
$SMEMBANK analyze t.cu --block 32,32 --arg pitch=1024 --grid 20 --threads 8
$SMEMBANK analyze app.capture --threads 4
$SMEMBANK advise t.cu --block 32,32 --arg pitch=1024
$SMEMBANK validate --recorded --kernel transposeSmem
END
  # Where another process is needed, besides the program and its threads that work and watch: it is done, or it is said why not.
  while read -r least program words; do
    for most in 1 2 3 4 5; do
      last="$program $words, of at most $most processes" status=0
      # shellcheck disable=SC2086
      within "$most" "$program" $words >out 2>err || status=$?
      if [ "$most" -ge "$least" ]; then
        [ "$status" -eq 0 ] || die "$last: status $status: $(cat err)"
      else
        { [ "$status" -eq 3 ] || [ "$status" -eq 4 ]; } || die "$last: status $status: $(cat err)"
        grep -q 'Resource temporarily unavailable' out err || die "$last: says: $(cat out err)"
      fi
    done
  done <<END
4 $SMEMBANK check --jobs 3
4 $SMEMBANK_ON_FAKE fuzz --count 10000 --op ld --seed 1
END
  # A compiler that cannot be started.
  cp /bin/true nvcc
  status=0
  SMEMBANK_NVCC=$work/nvcc within 1 "$SMEMBANK" analyze t.cu --block 32,32 --arg pitch=1 --nvcc -O3 >out 2>err || status=$?
  [ "$status" -eq 3 ] || die "a compiler that cannot be started: status $status: $(cat err)"
  grep -q 'cannot be started: Resource temporarily unavailable' err || die "a compiler that cannot be started: $(cat err)"
  # Without a thread to watch, an interrupt ends it all the same.
  last='interrupted, without a second thread' status=0
  timeout --signal=INT --kill-after=30 2 setpriv --reuid="$user" --regid="$user" --clear-groups prlimit --nproc=1 \
    "$SMEMBANK" analyze t.cu --block 32,32 --arg pitch=1024 --grid 1000000 >out 2>err || status=$?
  [ "$status" -eq 124 ] || die "$last: status $status: $(cat err)"
fi

# --- address space, in KiB
if ! prlimit --as=1000000000 "$SMEMBANK" --version >out 2>err; then
  echo "it does not run in 1 GB: $(cat err)" # with sanitizers
  exit 0
fi
for words in 'advise t.cu --block 32,32 --arg pitch=1024' 'analyze t.cu --block 32,32 --arg pitch=1024 --grid 20 --threads 64' \
  'analyze app.capture --threads 64'; do
  # shellcheck disable=SC2086 # several words
  "$SMEMBANK" $words >wanted
  # Below the first one it cannot be loaded.
  for kib in 50000 55000 60000 62000 65000 70000 75000 80000 90000 110000 120000 140000 200000 300000 600000 1000000; do
    last="smembank $words, in $kib KiB" status=0
    # shellcheck disable=SC2086
    timeout 60 prlimit --as=$((kib * 1024)) "$SMEMBANK" $words >out 2>err || status=$?
    case $status in
    0) cmp -s wanted out || die "$last: another result" ;;
    3) grep -qE '^smembank: out of memory' err || die "$last: says: $(cat err)" ;;
    127) grep -q 'shared' err || die "$last: says: $(cat err)" ;;
    *) die "$last: status $status: $(cat err)" ;;
    esac
  done
  [ "$status" -eq 0 ] || die "$last: $(cat err)"
done

# --- a kernel of many accesses: sums of each take 2.4 KB for each thread that has some
{
  printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry many() {\n.reg .b32 %%r<3>;\n.shared .align 4 .b8 s[256];\n'
  printf 'mov.u32 %%r1, s; mov.u32 %%r2, %%ctaid.x;\n'
  i=0
  while [ "$i" -lt 50000 ]; do
    echo 'st.shared.u32 [%r1], %r2;'
    i=$((i + 1))
  done
  echo 'ret; }'
} >many.ptx
last='many accesses, in 2 GB'
prlimit --as=2000000000 "$SMEMBANK" analyze many.ptx --block 32 --grid 64 --threads 64 --format csv >out 2>err || die "$last: $(cat err)"
[ "$(grep -c st.shared out)" -eq 50000 ] || die "$last: $(head -3 out)"
