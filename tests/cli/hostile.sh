#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Names and texts of others in every place that reaches a line of output: none begins a line, as a command to who runs the program
# (GitHub, Azure, GitLab) or as the place of another file would, nor steers the terminal; and none has a file overwritten.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
sources=$(cd "$srcdir" && pwd)
case $SMEMBANK in
/*) ;;
*) SMEMBANK=$PWD/$SMEMBANK ;;
esac
SMEMBANK_NVCC=no
export SMEMBANK_NVCC
mkdir "$work/inputs"
cd "$work/inputs"

# A line feed, and what each of these would take for a command or for a place; other ends of lines; controls.
evil=$(printf 'x\n::error file=README.md,line=1::pwn\n##[error]pwn\n##vso[task.x]pwn\n  ::warning ::pwn\nfake.c:7:1: error: pwn\r::error ::pwn\v\f\302\205::error ::pwn\342\200\250::error ::pwn\033[31m')
# The same as a member of a name, without its slashes.
line=$(printf '\n::error ::pwn\nfake.c:7:1: error: pwn\r##[error]pwn\033[31m')

# try ARGUMENT...: the program with them, however it ends but by a signal. What it writes is looked at when all has run. A third is tried, all
# with the effort of .ci/full.
n_tried=0
: >"$work/github"
try() {
  one_in 3 || return 0
  n_tried=$((n_tried + 1))
  to=results
  [ "${format-}" != github ] || to=github
  printf 'smembank %s\0' "$*" >>"$work/runs"
  printf '\n== %d\n' $n_tried >>"$work/$to"
  printf '\n== %d\n' $n_tried >>"$work/messages"
  status=0
  "$SMEMBANK" "$@" >>"$work/$to" 2>>"$work/messages" </dev/null || status=$?
  [ "$status" -le 4 ] || die "smembank $*: status $status: $(tail -n 5 "$work/messages" | cat -v)"
}

# harmless FILE PATTERN WHAT: no line of FILE has PATTERN.
harmless() {
  found=$(LC_ALL=C grep -naP -m 1 -e "$2" "$work/$1" | cat -v)
  [ -z "$found" ] && return
  run=$(head -n "${found%%:*}" "$work/$1" | sed -n 's/^== \([0-9]*\)$/\1/p' | tail -n 1)
  die "$(sed -zn "${run:-1}p" "$work/runs" | cat -v): $3 in $1: ${found#*:}"
}

# all_harmless: nothing of what the runs wrote is a command, names a place in fake.c, or steers the terminal.
all_harmless() {
  for file in results messages github; do
    # What a format is for is its own: the commands of github have one line each, whose texts are ours.
    if [ $file = github ]; then
      ours='::(error|warning|notice) (file=[^:,]*,)?(line=[0-9]+,)?(col=[0-9]+,)?title=[^:]*::|== [0-9]+$'
      harmless github "^(?!$ours)." 'no command of ours'
    else
      harmless $file '^\s*::' 'a command'
    fi
    harmless $file '##[a-z]*\[' 'a command'
    harmless $file '^\s*fake\.c:7' 'a place'
    harmless $file '[\x00-\x08\x0b-\x1f\x7f]' 'a control character'
    harmless $file '\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]' 'an end of a line'
  done
}

# A kernel whose file, arrays' text and comments are not ours.
kernel() {
  cat <<'END'
__global__ void k(int *out, const int *in) {
  __shared__ int s[64];
  s[threadIdx.x * 2] = in[threadIdx.x];
  s[threadIdx.x * 2 +
::zero /* ##[error]pwn */ * 0] = 1;
  out[threadIdx.x] = s[threadIdx.x * 2];
}
END
}
good=good.cu
kernel | sed 's/^::zero.*/0] = 1;/' >"$good"
named="a${line}b.cu"
cp "$good" "$named"
kernel >"excerpt.cu"
# shellcheck disable=SC1003 # a backslash
printf '__global__ void k(float *o) { __shared__ float s[32]; \n::error file=README.md,line=1::pwn;\n }\n' >error.cu
printf '__global__ void k(float *o) { __shared__ float s[32];\r::error ::pwn;\r\n##[error]pwn;\n  \302\205::error ::pwn; }\n' >ends.cu
printf '#include "%s"\n' "$named" >includes.cu
printf '#error %s\n__global__ void k() {}\n' '::error ::pwn ##[error]pwn' >says.cu
printf '// smembank: --block %s --arg "%s"\n' 32 '::error ::pwn=##[error]1' | cat - "$good" >words.cu
printf 'k 1 2\n::error ::pwn\n##[error]pwn\nst 4 1 ::error\n' >bad.trace
{
  printf 'st 4 ffffffff'
  i=0
  while [ $i -lt 32 ]; do printf ' %d' $((i * 8)); i=$((i + 1)); done
  printf ' = 7\n'
} >"t${line}.trace"
printf '[k%s]\nfile=%s\nblock=32\n[::error ::pwn]\nfile=good.cu\nblock=32\nmax-ways=1\n[bad]\n' ' ##[error]pwn' 'good.cu' >good.ini
printf 'file=%s\nblock=::error ::pwn\n[worse]\nfile=::error ::pwn\n[last]\nfile=error.cu\nblock=32\n' 'none ##[error]' >>good.ini
printf '[k]\nfile=good.cu\n::error ::pwn = ##[error]pwn\n' >bad.ini
cp good.ini "p${line}.ini"
cp "$sources/tests/data/capture/evil.capture" .
LC_ALL=C sed "$(printf 's/inlined\\.cu/\\\n::error x/g')" "$sources/tests/data/sass/inlined.sm_90.cubin" >lines.cubin
LC_ALL=C sed "$(printf 's/_Z9transposeI/_Z\\\n::error ::I/g')" "$sources/tests/data/sass/transpose.sm_90.cubin" >symbols.cubin
cp "$sources/tests/data/sass/transpose.sm_90.cubin" t.cubin
sed 's/void transpose<(int)0>/::error ::pwn ##[error]/; s/S2R R3/::error ##[error]/' "$sources/tests/data/sass/transpose.ncu.csv" >bad.csv
mkdir -p triton/AAAA
printf '{"name": "rows", "num_warps": "::error ::pwn\\n::error ##[error]pwn", "shared": 1024}\n' >triton/AAAA/rows.json
echo '.version 8.0' >triton/AAAA/rows.ptx
# shellcheck disable=SC2016 # as it is
printf '.version 8.0\n.target sm_80\n.address_size 64\n.file 1 "%s"\n.visible .entry k() {\n.loc 1 1 1\n::error ::pwn;\nret;\n}\n' 'a\n::error ::pwn' >bad.ptx
"$SMEMBANK" analyze "$good" --block 32 --format json >good.json
"$SMEMBANK" check --project good.ini --format json >check.json 2>/dev/null || true
"$SMEMBANK" analyze "$good" --block 32 --shard 1/1 --format json >part.json
for file in good check part; do
  sed 's/good\.cu/\\n::error ::pwn\\n##[error]pwn\\u2028/g; s/"k"/"\\n::error ::pwn\\nfake.c:7:1: error: pwn ##vso[x]"/g; s/s\[thr/\\r\\n::error ::pwn ##[error]/g' $file.json >bad-$file.json
done
sed 's/setRowReadCol/\\n::error ::pwn\\n##[error]pwn/g; s/No device/\\n::error ::pwn/' "$sources/tests/data/recording.json" >bad-recording.json
sed 's/setRowReadCol\.cu/::error ::pwn ##[error].cu/g' "$sources/tests/data/recording.json" >bad-file.json
find . -type f -exec cksum {} + | sort >"$work/before"

# Names of files that are there, and of others, in every place that takes one.
formats=$("$SMEMBANK" analyze --help | sed -n 's/^  --format=\([a-z|]*\).*/\1/p' | tr '|' ' ')
[ -n "$formats" ] || die 'analyze --help lists no formats'
for file in "$named" excerpt.cu error.cu ends.cu includes.cu says.cu words.cu bad.ptx lines.cubin symbols.cubin evil.capture "none$evil" "$evil"; do
  for format in $formats; do
    try analyze "$file" --block 32 --format "$format"
    try analyze "$file" --block 32 --max-ways 1 --unknown skip --format "$format"
  done
  format=
  try analyze "$file" --block 32 --annotate
  try analyze "$file" --block 32 --warps
  try explain "$file" --block 32
  try explain "$file" --block 32 --format json
  try advise "$file" --block 32
  try advise "$file" --block 32 --format csv
  try advise "$file" --block 32 --all
  try report - "$file" --block 32
  try trace "$file"
  try trace --from "$file" --block 32
  try list kernels "$file"
  try list launches "$file"
  try validate "$file" --block 32
  try validate "$file" --recorded
  try validate t.cubin --block 32 --ncu "$file"
  try fix "$file"
  try fix "$file" "$good" --block 32
  try merge "$file"
  try compare "$file" "$good" --block 32
  try compare "$good" "$file" --block 32 --format markdown
  try compare --git "$file"
  try check --project "$file"
  try check --project good.ini --baseline "$file"
  try init "$file" -o "$work/new.ini"
  rm -f "$work/new.ini"
  try init "$file" "$good" -o /dev/stdout --force
  try analyze "$good" --block 32 --buffer "in=$file"
  try analyze "$good" --block 32 --arg "in=@$file"
  try analyze "$good" --block 32 -I "$file"
  try analyze --triton "$file"
  try explain "$good" --block 32 --svg "$file"
  try capture -o "$file" -- "$file"
done
try analyze --triton triton
try analyze evil.capture --launch 1 --unknown skip
try list launches evil.capture

# Words of the command line: values, and names of what is not there.
for word in "$evil" "k$line" "::error ::pwn" "##[error]pwn" "::x=$evil" "in=$evil"; do
  try "$word"
  try help "$word"
  try completion "$word"
  for option in block grid cluster dynamic-bytes arg buffer entry instance define include array launch unknown frames max-ways max-excess max-steps threads \
    arch wave format color shard kernel shape rows elem triton case project nvcc; do
    try analyze "$good" --block 32 "--$option=$word"
  done
  try analyze --rows "$word" --cols "$word"
  try analyze --nothing="$word"
  try explain "$good" --block 32 --line "$word"
  try explain "$good" --block 32 --line "$word:3"
  try explain "$good" --block 32 --lanes "$word"
  try advise "$good" --block 32 --tune "$word"
  try advise "$good" --block 32 --row "$word"
  try advise "$good" --block 32 --check "$word"
  try check "$word" --project good.ini
  try compare --git "$word"
  try compare --git "$word..$word" --case "$word"
  try fuzz --op "$word"
  try learn "$word"
  try list "$word"
  try list kernels "$word"
  try validate --kernel "$word"
  try capture --kernel "$word" --launches "$word" -- true
  try trace --counts "$word"
done
printf '%s\nread\n%s=%s\nquit\n' "$evil" "$evil" "$evil" >"$work/lines"
"$SMEMBANK" learn 1 <"$work/lines" >>"$work/results" 2>>"$work/messages" || true

# What results, projects, traces and profiles of others say.
for format in $formats; do
  try compare good.json bad-good.json --format "$format"
  try compare bad-good.json good.json --format "$format"
  try compare check.json bad-check.json --format "$format"
  try merge bad-part.json --format "$format"
  try check --project good.ini --format "$format"
  try check --project "p$line.ini" --format "$format"
  try check --project good.ini --baseline bad-check.json --format "$format"
  try trace bad.trace --format "$format"
  try trace "t$line.trace" --format "$format"
  try validate bad-recording.json --format "$format"
  try validate bad-file.json --format "$format"
  try fix bad.csv t.cubin --block 32,8 --arg 2=64 --format "$format"
  try fix bad.csv --project good.ini --format "$format"
  try validate t.cubin --block 32,8 --arg 2=64 --ncu bad.csv --format "$format"
done
format=
try check --project bad.ini
try analyze --project bad.ini --case k
try analyze --project good.ini --case '::error ::pwn'
for shell in bash zsh fish; do
  try completion $shell
done

# What a compiler says, of a text that it quotes, is behind a bar.
cat >"$work/nvcc" <<'END'
#!/bin/sh
for word; do :; done
printf '%s(2): error: no such thing\n  ::error ::pwn\n  ^\n::error ::pwn\nfake.c:7:1: x\n##[error]pwn\r::error ::pwn\n1 error detected in the compilation of "%s".\n' "$word" "$word"
exit 2
END
chmod +x "$work/nvcc"
SMEMBANK_NVCC=$work/nvcc expect 3 analyze "$good" --block 32 --nvcc=
cat "$work/err" >>"$work/messages"
says '      |   ::error ::pwn'
says '      | ::error ::pwn'
says "good.cu:2:1: error: no such thing"

# An excerpt has its line's number and a bar.
expect 3 analyze error.cu --block 32
says '    2 | ::error file=README.md,line=1::pwn;'

# A name that begins as a place does is not taken for one.
placed='README.md:1:1: error: x.cu'
cp error.cu "$work/$placed"
printf '[a]\nfile = %s\nblock = 32\n' "$placed" >"$work/placed.ini"
cd "$work"
for command in analyze explain advise 'trace --from'; do
  # shellcheck disable=SC2086 # words of a command
  expect 3 $command "$placed" --block 32
  says "smembank ${command%% *}: $placed:2:3: "
done
expect 3 check --project placed.ini --output placed.out
says "placed.ini:1: error: case a: "
printf '__global__ void k(int *out) {\n  __shared__ int s[32];\n  out[threadIdx.x] = s[threadIdx.x];\n}\n' >unset.cu
for name in 'README.md:1:1: warning: x.cu' 'x.cu:12:3'; do
  mv unset.cu "$name"
  expect 0 analyze "$name" --block 32
  cat "$work/err" >>"$work/messages"
  says "smembank: $name:3:22: warning: 's' is read before"
  expect 0 analyze "$name" --block 32 -D NONE=1
  says "smembank: $name: warning: -D NONE: "
  mv "$name" unset.cu
done
cd inputs

# A patch is the text itself: not where a line of it would be a command.
{
  printf '__global__ void k(int *out) {\n  __shared__ int s[32][32];\n  int t = threadIdx.x;\n /*\n::error ::pwn\n*/\n  s[t][0] = t;\n'
  printf '  __syncthreads();\n  out[t] = s[t][0];\n}\n'
} >"$work/patched.cu"
expect 2 advise "$work/patched.cu" --block 32 --patch
cat "$work/err" >>"$work/messages"
says 'would be a command'

find . -type f -exec cksum {} + | sort | cmp -s - "$work/before" || {
  find . -type f -exec cksum {} + | sort | diff "$work/before" - >&2 || true
  die 'a file has changed'
}
all_harmless
[ "$n_tried" -gt 300 ] || die "only $n_tried runs"
