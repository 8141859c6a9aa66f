#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Nothing that a text, a project file, a name of a file or a word of the command line says is run (doc/security.md): hostile words
# in every place that reaches a compiler, a file name or a shell, of every command that can compile. With a made-up nvcc that hands
# its words to a shell as nvcc does, and with the real one where configure found it, which has to see the values as they were given.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
cp "$srcdir/tests/data/security/inject-line.cu" "$work"
mkdir "$work/tmp" "$work/run"
TMPDIR=$work/tmp
export TMPDIR
cd "$work/run"

# nvcc puts some words between double quotes, and hands others on as they are.
made_nvcc <<'END'
for word; do
  case $word in
  -Xcompiler=* | --compiler-options=*) eval ": ${word#*=}" ;;
  *) eval ": \"$word\"" ;;
  esac
done
stores 8 1
END

# What a shell would do here is to make a file of that name.
# shellcheck disable=SC2016,SC1003 # nothing is to be expanded
evil='$(touch pwned)`touch pwned`";touch pwned;"'\'';touch pwned;'\''|touch pwned&touch pwned&&touch pwned>pwned<pwned*?\\'
name=$(printf %s "$evil" | tr '>?' '_.') # as good as any name of a file

# safe ARGUMENT...: whatever comes of it, nothing was run, and it did not crash.
safe() {
  last="smembank $*"
  status=0
  timeout 60 "$SMEMBANK" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
  [ "$status" -le 4 ] || die "$last: status $status: $(cat "$work/err")"
  found=$(find "$work" /tmp/pwned -name 'pwned*' 2>/dev/null | head -n 1)
  [ -z "$found" ] || die "$last: ran a command"
}

text='__global__ void k() { struct A { virtual __device__ int f(); }; }'
echo "$text" >k.cu
mkdir -p "$name" plain
echo "$text" | tee "$name/k.cu" "$name.cu" >plain/k.cu

# The words of the command line, of every command that takes a kernel.
for command in analyze explain advise 'trace --from' 'report page.html'; do
  # shellcheck disable=SC2086 # words of a command
  for option in -D "-DA=$evil" -I "-I$evil" --entry --arg --buffer --array --dynamic-bytes --block --grid --case --project \
    --arch --max-compile --frames --output; do
    one_in 3 || continue
    case $option in
    -D?* | -I?*) safe $command k.cu --block 32 "$option" ;;
    -D) safe $command k.cu --block 32 -D "A=$evil" ;;
    *) safe $command k.cu --block 32 "$option" "$evil" ;;
    esac
  done
  # shellcheck disable=SC2086
  {
    safe $command k.cu --block 32 --instance "k<$evil>"
    safe $command k.cu --block 32 --arg "$evil=3" --buffer "$evil=zeros"
    safe $command "$name.cu" --block 32
    safe $command "$name/k.cu" --block 32
    safe $command "$name" --block 32
    safe $command k.cu --block 32 --output "$name.out"
  }
done
[ -s "$work/calls" ] || die 'the compiler was never called'
safe report "$name.html" k.cu --block 32
safe explain k.cu --block 32 --svg "$name.svg"
safe advise k.cu --block 32 --out "$name.out.cu"
safe validate k.cu --block 32 --record "$name.json" -D "A=$evil"
safe fix "$name.cu" k.cu --block 32 -D "A=$evil"
safe init "$name.cu" "$name/k.cu" --output "$name.ini"
safe list kernels "$name/k.cu"
safe list kernels k.cu
safe compare "$name.cu" "$name/k.cu" --block 32 -D "A=$evil"

# The key of a project file, each with what would be run. A backslash and a semicolon are of the list.
listed=$(printf %s "$evil" | sed 's/\\/\\\\/g; s/;/\\;/g')
for key in define include arg buffer entry instance block grid cluster dynamic-bytes arch unknown max-ways max-compile nvcc file; do
  {
    printf '[*]\narch = sm_80\n[%s]\n' "$(printf %s "$name" | tr '[]' '__')"
    [ "$key" = file ] || printf 'file = k.cu\n'
    [ "$key" = block ] || printf 'block = 32\n'
    case $key in
    define) printf 'define = A=%s; B\n' "$listed" ;;
    arg | buffer) printf '%s = %s=1\n' "$key" "$listed" ;;
    instance) printf 'instance = k<%s>\n' "$listed" ;;
    *) printf '%s = %s\n' "$key" "$listed" ;;
    esac
  } >smembank.ini
  safe check
  one_in 3 || continue
  safe check --trust
  safe check --jobs 1 --no-cache --format github
  safe analyze --case "$name"
  safe advise --case "$name"
  safe explain --case "$name"
  safe report page.html --case "$name"
  safe fix "$name.cu"
done
printf '[a]\nfile = k.cu\nblock = 32\nnvcc = "-DA=%s" -O3\n' "$(printf %s "$evil" | sed 's/[\\"`$]/\\&/g; s/\\/\\\\/g')" >smembank.ini
safe check
[ "$status" -eq 0 ] || die "$last: $(cat "$work/err")"

# Lines of a text.
for option in define include arg buffer entry instance block max-ways; do
  quoted=$(printf %s "$evil" | sed "s/'/'\\\\\\\\''/g")
  case $option in
  define) printf "// smembank: --block 32 --define 'A=%s'\n" "$quoted" ;;
  *) printf "// smembank: --%s '%s'\n" "$option" "$quoted" ;;
  esac >line.cu
  echo "$text" >>line.cu
  for command in analyze explain advise 'trace --from' 'report page.html'; do
    # shellcheck disable=SC2086
    safe $command line.cu
  done
  safe compare line.cu line.cu
done
cp "$work/inject-line.cu" .
safe analyze inject-line.cu
# What is not of the launch cannot be said there.
for option in "--nvcc '-O3'" --trust --no-cache '--max-steps 9' '--max-memory 9' '--threads 9' '--kernel transposeSmem'; do
  printf '// smembank: --block 32 %s\n%s\n' "$option" "$text" >line.cu
  expect 3 analyze line.cu
  says 'line.cu:1'
done

# Names of revisions, and the files of each.
if command -v git >/dev/null; then
  mkdir repository
  (
    cd repository
    git init -q .
    cp ../k.cu .
    cp -r "../$name" "../$name.cu" .
    printf '[a]\nfile = k.cu\nblock = 32\ndefine = A=%s\n[b]\nfile = %s\nblock = 32\n' "$listed" "$name.cu" >smembank.ini
    git add . && git -c user.name=a -c user.email=a@b commit -qm one
    safe compare --git HEAD
    safe compare --git "$evil"
    safe compare --git "HEAD..$evil"
    safe compare --git HEAD --case a
    safe compare --git HEAD "$name/k.cu" --block 32
    safe compare --git HEAD "$name.cu" --block 32 -D "A=$evil"
    # A folder that is a link elsewhere in a revision that has no project file.
    mkdir below ../elsewhere && mv smembank.ini below
    git rm -q --cached smembank.ini 2>/dev/null
    cp k.cu below
    rm -rf below.saved && mv below below.saved && ln -s "$work/run/elsewhere" below
    git add below && git -c user.name=a -c user.email=a@b commit -qm two
    rm below && mv below.saved below
    safe compare --git HEAD --project below/smembank.ini --case a
    [ -z "$(ls ../elsewhere)" ] || die "$last: wrote $(ls ../elsewhere)"
  )
fi

# The real one. The text compares what it sees with what was given.
[ "${NVCC-no}" != no ] || exit 0
SMEMBANK_NVCC=$NVCC
export SMEMBANK_NVCC
cat >see.cu <<'END'
constexpr bool same(const char *a, const char *b) { return *a == *b && (!*a || same(a + 1, b + 1)); }
template <class Q_, int N_> struct Pair { static constexpr int n = N_; };
#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)
@SAYS@
#ifdef F
static_assert(F(3) == 6, "another function");
#endif
#ifdef T
static_assert(Pair<T>::n == 4, "another list");
#endif
__global__ void k() {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
}
END
# sees VALUE AS [MACRO]: a macro of that value is AS in the text; with TEXT, its tokens are. All of them are seen at once.
n=0
: >says
sees() {
  n=$((n + 1))
  value="${3-}${3:+(}S$n${3:+)}"
  printf 'static_assert(same(%s, R"--(%s)--"), "another value of S%d");\n' "$value" "$2" $n >>says
  eval "S$n=\$1"
}
sees '"a b"' 'a b'
# shellcheck disable=SC2016
sees '"$(touch pwned)`touch pwned`"' '$(touch pwned)`touch pwned`'
sees '"a;b|c&d<e>f*?[x]{y}~!#^%@"' 'a;b|c&d<e>f*?[x]{y}~!#^%@'
sees '"it'\''s, \"quoted\", back\\slash"' 'it'\''s, "quoted", back\slash'
sees "'\"'" "'\"'" TEXT
sees 'f(1, 2)' 'f(1, 2)' TEXT
# shellcheck disable=SC2016
sees '$HOME @ # x' '$HOME @ # x' TEXT
sees '' '' TEXT
sees '"ä € 漢"' 'ä € 漢'
sed -e '/@SAYS@/{' -e 'r says' -e 'd' -e '}' see.cu >seen.cu
set --
for i in $(seq $n); do
  eval "set -- \"\$@\" -D \"S$i=\$S$i\""
done
safe analyze seen.cu --nvcc '' --block 32 "$@"
[ "$status" -eq 0 ] || die "$last: $(cat "$work/err")"
# Another one would have been noticed.
sed 's/R"--(/R"--(x/' seen.cu >other.cu
expect 3 analyze other.cu --nvcc '' --block 32 "$@"
says 'another value of S1'
sed -i '/@SAYS@/d' see.cu
expect 0 analyze see.cu --nvcc '' --block 32 -D 'F(x)=x*2' -D 'T=float, 4'
expect 3 analyze see.cu --nvcc '' --block 32 -D 'F(x)=x*3'
says 'another function'
expect 0 analyze see.cu --block 32 --nvcc "'-DF(x)=x*2' '-DT=float\\, 4'"
expect 2 analyze see.cu --nvcc '' --block 32 -D "A=1
#define B 2"
says 'has a line break, which cannot be passed to nvcc'
# A macro that does not end, or goes on in a next line, ends there: the text sees the other one as it is, or is refused.
# shellcheck disable=SC1003
for value in 'A=x\' 'A=/*' 'A="x' "A='x"; do
  for macros in '' '-D T=float,4'; do
    # shellcheck disable=SC2086
    safe analyze see.cu --nvcc '' --block 32 -D "$value" -D 'F(x)=x*2' $macros
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || die "$last: status $status"
    ! grep -q 'another function' "$work/err" || die "$last: a macro became part of another"
  done
done

# Folders and files of any name: beside the text, below it, and all of them by -I.
set --
: >include.cu
n=0
for folder in "it's a, \"folder\"" "$name" 'a  b#c%d@e' '(x)[y]{z}' '-I' 'ä漢'; do
  n=$((n + 1))
  set -- "$@" -I "$folder"
  mkdir -p "./$folder"
  echo '#define FOUND 1' | tee "./$folder/found.h" >"./$folder/found$n.h"
  echo "#include \"found$n.h\"" >>include.cu
  printf '#include "found.h"\nstatic_assert(FOUND == 1, "");\n__global__ void k() { __shared__ int s[64]; s[threadIdx.x] = 1; }\n' >"./$folder/$name.cu"
  safe analyze "./$folder/$name.cu" --nvcc '' --block 32
  [ "$status" -eq 0 ] || die "$last: $(cat "$work/err")"
done
tail -n 2 "./$name/$name.cu" >>include.cu
safe analyze include.cu --nvcc '' --block 32 "$@"
[ "$status" -eq 0 ] || die "$last: $(cat "$work/err")"
expect 3 analyze include.cu --nvcc '' --block 32
safe analyze inject-line.cu --no-cache
[ "$status" -eq 0 ] || die "$last: $(cat "$work/err")"
safe analyze inject-line.cu -D "A=$evil" -I "$evil"

# A temporary folder whose name a shell would not leave alone: nothing is run there.
# shellcheck disable=SC2016
mkdir -p "$work/tmp/\$(touch pwned)" "$work/tmp/a b,c"
TMPDIR="$work/tmp/a b,c" expect 0 analyze include.cu --nvcc '' --block 32 "$@" --no-cache
# shellcheck disable=SC2016
TMPDIR="$work/tmp/\$(touch pwned)" expect 3 analyze include.cu --nvcc '' --block 32 "$@" --no-cache
says 'has shell characters, so nvcc cannot work there'
