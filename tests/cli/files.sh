#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The files that commands write: never an input, whole or not at all, with the mode and the links that
# they had.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
cd "$work"

cat >kernel.cu <<'END'
__global__ void k(float *out, const float *in) {
  __shared__ float s[32][32];
  s[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
END

# write_to FILE: runs the writer of this round of tests.
write_to() {
  case $writer in
  --out) set -- "$1" advise "$input" --block 32,32 --out "$1" ;;
  --svg) set -- "$1" explain "$input" --block 32,32 --svg "$1" ;;
  page) set -- "$1" report "$1" "$input" --block 32,32 ;;
  --record) set -- "$1" validate "$input" --block 32,32 --record "$1" ;;
  esac
  shift
  if [ "$status_wanted" = limit ]; then
    said=$( (ulimit -f 0 && "$SMEMBANK" "$@" 2>&1 >/dev/null) || echo "status $?")
  else
    expect "$status_wanted" "$@"
  fi
}

# attempt STATUS FILE; STATUS limit: where no file may be larger than 0 bytes, with the messages in $said.
attempt() {
  status_wanted=$1
  write_to "$2"
}

if [ -n "${SMEMBANK_ON_FAKE-}" ] && [ -x "$SMEMBANK_ON_FAKE" ]; then
  writers='--out:cu --svg:svg page:html --record:cu'
else
  writers='--out:cu --svg:svg page:html'
fi
real=$SMEMBANK
for pair in $writers; do
  writer=${pair%:*}
  suffix=${pair#*:}
  SMEMBANK=$real
  [ "$writer" != --record ] || SMEMBANK=$SMEMBANK_ON_FAKE

  # Nothing is written over the input, by whatever name.
  input=own.$suffix
  mkdir -p folder
  cp kernel.cu "$input"
  ln -sf "$input" "link.$suffix"
  ln -f "$input" "hard.$suffix"
  ln -sf "../link.$suffix" "folder/far.$suffix"
  case $writer in
  --record) input=own.cu ;;
  esac
  for name in "$input" "./$input" "$work/folder/../$input" "link.$suffix" "hard.$suffix" "folder/far.$suffix"; do
    attempt 2 "$name"
    says "$writer '$name' would overwrite the input file $input"
  done
  input=link.$suffix
  attempt 2 "own.$suffix"
  input=own.$suffix
  cmp -s kernel.cu "$input" || die "$writer: the input is changed"
  echo '/* included */' >"included.$suffix"
  { echo "#include \"included.$suffix\"" && cat kernel.cu; } >"including.cu"
  input=including.cu
  attempt 2 "included.$suffix"
  says "$writer 'included.$suffix' would overwrite the input file included.$suffix"
  grep -q included "included.$suffix" || die "$writer: an included file is changed"
  input=own.$suffix

  # A file keeps its mode; a new one has that of any new file.
  echo old >"kept.$suffix"
  chmod 0600 "kept.$suffix"
  attempt 0 "kept.$suffix"
  [ "$(stat -c %a "kept.$suffix")" = 600 ] || die "$writer: mode $(stat -c %a "kept.$suffix")"
  ! grep -q '^old$' "kept.$suffix" || die "$writer: wrote nothing"
  (umask 027 && attempt 0 "new.$suffix")
  [ "$(stat -c %a "new.$suffix")" = 640 ] || die "$writer: a new file of mode $(stat -c %a "new.$suffix")"

  # A link stays a link, also one that leads nowhere yet; one that leads round in circles is refused.
  ln -sf "folder/made.$suffix" "dangling.$suffix"
  for round in first second; do
    attempt 0 "dangling.$suffix"
    { [ -L "dangling.$suffix" ] && [ -s "folder/made.$suffix" ]; } || die "$writer: $round time: the link is lost"
  done
  ln -sf "circle.$suffix" "circle.$suffix"
  attempt 3 "circle.$suffix"
  says "$writer: cannot write circle.$suffix: "

  # What cannot be written is said before the work, and stays.
  echo old >"fixed.$suffix"
  chmod 0444 "fixed.$suffix"
  attempt 3 "fixed.$suffix"
  says "$writer: cannot write fixed.$suffix: Permission denied"
  [ "$(cat "fixed.$suffix")" = old ] || die "$writer: a read-only file is changed"
  mkdir -p "dir.$suffix"
  attempt 3 "dir.$suffix"
  says "$writer: cannot write dir.$suffix: Is a directory"
  attempt 3 "no-folder/x.$suffix"
  says "$writer: cannot write no-folder/x.$suffix: No such file or directory"

  # A limit on the size of files, or a full device: nothing is left half written, and it is the user's
  # file that the message names.
  echo old >"small.$suffix"
  attempt limit "small.$suffix"
  case $said in
  *"$writer: cannot write small.$suffix: File too large"*'status 3') ;;
  *) die "$writer under ulimit -f: $said" ;;
  esac
  [ "$(cat "small.$suffix")" = old ] || die "$writer: a limit left half a file"
  [ -z "$(find . -name '.smembank-*')" ] || die "$writer: left $(find . -name '.smembank-*')"
done
SMEMBANK=$real

# Devices are written to.
if [ -w /dev/full ]; then
  ln -sf /dev/full full.html
  expect 3 report full.html kernel.cu --block 32,32
  says 'page: cannot write full.html: No space left on device'
  [ -c /dev/full ] || die 'a device was replaced'
fi
