# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# What the tests of the commands share. A test runs the program with 'expect', then looks at what it
# wrote. The first thing that is not as it should be ends the test.
: "${SMEMBANK:?the program to test}"
: "${srcdir:?the source tree}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $srcdir in /*) checkout=$srcdir ;; *) checkout=$PWD/$srcdir ;; esac # also in another folder
unset NO_COLOR COLUMNS SMEMBANK_DATADIR SMEMBANK_CACHE SMEMBANK_CACHE_SIZE
# What a test compiles is kept for itself alone.
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
# No test looks for a GPU, except those that bring a fake one: the results are the same everywhere.
CUDA_VISIBLE_DEVICES=
export CUDA_VISIBLE_DEVICES

die() {
  echo "FAIL: $*" >&2
  exit 1
}

# one_in N: of N calls the first succeeds. With SMEMBANK_TEST_EFFORT=cases or full all do. For cases that are alike: make check takes some of
# them, .ci/full and make coverage all.
turn=0
one_in() {
  turn=$((turn + 1))
  quick || return 0
  [ $((turn % $1)) -eq $((1 % $1)) ]
}

# quick: this is a run that takes a part of the cases.
quick() {
  case ${SMEMBANK_TEST_EFFORT-} in full | cases) return 1 ;; esac
}

# one_message: the last run left nothing on standard output, and one message on standard error that starts with the name of the
# program, or with a place.
one_message() {
  [ ! -s "$work/out" ] || die "$last: failed, and wrote: $(head -3 "$work/out")"
  [ "$(grep -c '^smembank' "$work/err")" -le 1 ] || die "$last: not one message: $(cat "$work/err")"
  head -n 1 "$work/err" | grep -qE '^smembank|^[^:]+:[0-9]+(:[0-9]+)?: error: ' ||
    die "$last: says: $(cat "$work/err")"
}

# expect STATUS ARGUMENT...: runs the program. Wrong usage and bad input give one message.
expect() {
  wanted=$1
  shift
  last="smembank $*"
  status=0
  "$SMEMBANK" "$@" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" -eq "$wanted" ] || die "$last: status $status, expected $wanted: $(cat "$work/err")"
  case $wanted in
  2 | 3 | 4) one_message ;;
  esac
}

# shows TEXT: the last run wrote TEXT as a part of its result.
shows() {
  grep -qF -e "$1" "$work/out" || die "$last: does not show '$1': $(cat "$work/out")"
}

# tells TEXT: as shows, of sentences, wherever their lines are broken.
tells() {
  tr '\n' ' ' <"$work/out" | grep -qF -e "$1" || die "$last: does not tell '$1': $(cat "$work/out")"
}

# says TEXT: the last run wrote TEXT as a part of its messages.
says() {
  grep -qF -e "$1" "$work/err" || die "$last: does not say '$1': $(cat "$work/err")"
}

# quiet: the last run wrote no message.
quiet() {
  [ ! -s "$work/err" ] || die "$last: says: $(cat "$work/err")"
}

# is_json: the last run wrote a JSON document. Not checked where no program can tell.
is_json() {
  [ "$(head -c 1 "$work/out")" = '{' ] || die "$last: wrote no JSON"
  shows '"schema_version" : 1'
  if command -v json-glib-validate >/dev/null; then
    json-glib-validate "$work/out" >"$work/json" 2>&1 || die "$last: $(cat "$work/json")"
  fi
}

# in_parts N STATUS ARGUMENT...: analyze in N parts and in one, which has that status; the parts are in $parts. They are merged in $formats.
in_parts() {
  n=$1 whole=$2
  shift 2
  parts=
  for k in $(seq "$n"); do
    expect 0 analyze "$@" --shard "$k/$n" --format json
    cp "$work/out" "$work/part-$k.json"
    # The last one first: the order does not matter.
    parts="$work/part-$k.json $parts"
  done
  for format in ${formats:-csv json}; do
    expect "$whole" analyze "$@" --format "$format"
    cp "$work/out" "$work/whole"
    sed -n '/: warning: /p' "$work/err" >"$work/warnings"
    # shellcheck disable=SC2086 # several files
    expect "$whole" merge $parts --format "$format"
    cmp "$work/whole" "$work/out" || die "$n parts are not the whole of analyze $* --format $format"
    sed -n '/: warning: /p' "$work/err" | cmp "$work/warnings" - || die "other warnings: analyze $*"
  done
}

# made_nvcc: makes an nvcc that notes its words in $NVCC_CALLS, a line each time, and then does the commands on standard input. They find
# its last word, the text, in $word, the file that it is to make in $out, and that of the preprocessor's words, if there is one, in $host.
# "stores N LINE" makes PTX of a kernel k whose lanes store N bytes apart, in that line of the text.
made_nvcc() {
  {
    cat <<'END'
#!/bin/sh
printf '%s\n' "$*" >>"$NVCC_CALLS"
host=
for word; do
  [ "${previous-}" != -o ] || out=$word
  case $word in -Xcompiler=@*) host=${word#*@} ;; esac
  previous=$word
done
stores() {
  cat >"$out" <<PTX
.version 8.0
.target sm_70
.address_size 64
.visible .entry k() {
  .reg .b32 %r<3>;
  .shared .align 4 .b8 s[16384];
  .loc 1 $2 5
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r1, $1;
  st.shared.u32 [%r2], %r1;
  ret;
}
.file 1 "$word"
PTX
}
END
    cat
  } >"$work/nvcc"
  chmod +x "$work/nvcc"
  SMEMBANK_NVCC=$work/nvcc NVCC_CALLS=$work/calls
  export SMEMBANK_NVCC NVCC_CALLS
}

# has_terminal: a test can open a terminal of its own: there is Python, and /dev/pts.
has_terminal() {
  python3 -c 'import pty; pty.openpty()' 2>/dev/null
}

# golden FILE: the last run wrote what FILE in tests/cli/golden holds. SMEMBANK_UPDATE_GOLDEN=1 in the
# environment of 'make check' writes the files anew: look at every difference before it is committed.
golden() {
  stored=$srcdir/tests/cli/golden/$1
  if [ -n "${SMEMBANK_UPDATE_GOLDEN-}" ]; then
    cp "$work/out" "$stored"
    return
  fi
  cmp -s "$stored" "$work/out" || {
    diff "$stored" "$work/out" >&2 || true
    die "$last: is not what golden/$1 holds"
  }
}

# run_libraries: 'smembank run' takes the runtime of this build.
run_libraries() {
  SMEMBANK_RUN_LIBRARIES=${SMEMBANK_RUN_LIBRARIES:-$(dirname "$SMEMBANK")/gpu/driver}
  export SMEMBANK_RUN_LIBRARIES
}

# find_nvcc: $nvcc is a compiler of CUDA, or nothing.
find_nvcc() {
  nvcc=${SMEMBANK_NVCC:-}
  [ "$nvcc" != no ] || nvcc=
  for candidate in "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
    [ -n "$nvcc" ] || [ ! -x "$candidate" ] || nvcc=$candidate
  done
}

# quick_nvcc COMPILER: $nvcc is that compiler of CUDA, which takes less time in a quick run (tests/quick-nvcc.sh).
quick_nvcc() {
  REAL_NVCC=$1
  export REAL_NVCC
  nvcc=$checkout/tests/quick-nvcc.sh
}

# need_nvcc: $nvcc is a compiler of CUDA, and smembank takes it; without one, the rest of the test is left out. $toolkit is the folder of its
# toolkit, which it is asked for, because nvcc may be a script in another folder.
need_nvcc() {
  find_nvcc
  if [ -z "$nvcc" ]; then
    echo "no nvcc: programs were not compiled"
    exit 0
  fi
  quick_nvcc "$nvcc"
  SMEMBANK_NVCC=$nvcc
  export SMEMBANK_NVCC
  # shellcheck disable=SC2034 # of the tests
  toolkit=$("$nvcc" --dryrun -x cu -c /dev/null 2>&1 | sed -n 's,^#\$ TOP=,,p')
}
