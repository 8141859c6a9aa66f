#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The list of commands, the help of each, and what all of them refuse.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

expect 0 --version
shows 'smembank 0'
quiet
expect 0 -V
shows 'smembank 0'
expect 0 -h
expect 0 help
expect 0 --help
shows 'Usage:'
quiet

commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' "$work/out")
[ -n "$commands" ] || die "--help lists no commands"
for command in analyze advise explain report; do
  expect 0 "$command" --help
  tr -s ' \n' ' ' <"$work/out" | grep -qF 'or a FILE of CUDA C, PTX or machine code;' || die "$last: what FILE may be"
done
for command in $commands; do
  expect 0 help "$command"
  cp "$work/out" "$work/help"
  expect 0 "$command" --help
  cmp -s "$work/out" "$work/help" || die "help $command is not $command --help"
  ! sed 's/…/./g' "$work/out" | grep -qE '.{101}' || die "$command --help: a line is longer than 100 columns"
  grep -qE '^(General o|O)ptions:' "$work/out" || die "$last: no options"
  shows 'Example:'
  shows "smembank $command"
  shows '--help'
  quiet
  sed -n 's/^  \(-[A-Za-z], \)\{0,1\}\(--[a-z-]*\).*/(^|[^-a-z])\2([^-a-z]|$)/p' "$work/out" >>"$work/options"
  # An option that takes a value, without one.
  options=$(sed -n 's/^  \(-[A-Za-z], \)\{0,1\}\(--[a-z-]*\)=.*/\2/p' "$work/out")
  for option in $options; do
    one_in 4 || continue
    expect 2 "$command" "$option"
    says "$option"
    says "see 'smembank $command --help'"
  done
  # All but validate, fuzz and doctor want to be told what to work on, and those that wait for questions.
  case $command in
  doctor | fuzz | learn | lsp | mcp | validate) ;;
  *) expect 2 "$command" ;;
  esac
  # A test is about it.
  grep -lE "(expect [0-9]|smembank\"?|SMEMBANK\"?) $command( |\$)" "$srcdir"/tests/cli/*.sh | grep -qvE '/(help|man|completion)\.sh$' ||
    die "no test in tests/cli runs 'smembank $command'"
  expect 2 "$command" --no-such-option
  says "unknown option --no-such-option"
  case $command in
  capture | init | merge | run | verify-proof) ;; # take any number of words
  *)
    expect 2 "$command" a b c d e f
    says "see 'smembank $command --help'"
    ;;
  esac
  case $options in
  *--format*)
    formats=$(sed -n 's/^  --format=\([^ ]*\).*/\1/p' "$work/help")
    case $formats in
    'text|json|csv'*) ;;
    *) die "$command --help: --format=$formats" ;;
    esac
    # merge writes what the command of the parts would, and layout what analyze does.
    [ "$command" = merge ] || grep -qE "\"const\": *\"$command\"" "$srcdir/doc/json-schema/$command.json" 2>/dev/null ||
      grep -qE "\"command\":.*\"enum\": \[[^]]*\"$command\"" "$srcdir/doc/json-schema/analyze.json" ||
      die "doc/json-schema has no $command.json for --format json"
    expect 2 "$command" --format xml a
    says "--format 'xml': expected text, json"
    ;;
  esac
  case $options in
  *--arch*)
    expect 2 "$command" --arch sm_0 a
    says "no architecture 'sm_0': expected one of"
    ;;
  esac
done

# Without a command it says how to begin, and what a script forgot is an error all the same. What it says works.
expect 2
says 'smembank: missing command'
says "'smembank help' lists all commands."
sed -n 's/^  smembank \([a-z]*\) .*/\1/p' "$work/err" >"$work/words"
while read -r word; do
  printf '%s\n' "$commands" | grep -qx "$word" || die "$last: no command '$word'"
done <"$work/words"
says 'smembank analyze --rows 16 --cols 32 --pad 1 '
expect 0 analyze --rows 16 --cols 32 --pad 1
# A file in the place of the command.
cp "$srcdir/data/kernels/transposeSmem.cu" "$work/my kernel.cu"
printf '[k]\nfile = k.cu\n' >"$work/smembank.ini"
# reads STATUS COMMAND FILE WORD...: what COMMAND says of FILE is said without it.
reads() {
  wanted_status=$1 command=$2
  shift 2
  # shellcheck disable=SC2086 # a command and its option
  expect "$wanted_status" $command "$@"
  cp "$work/out" "$work/named"
  expect "$wanted_status" "$@"
  cmp -s "$work/out" "$work/named" || die "$last: not what 'smembank $command' writes"
}
reads 0 analyze "$work/my kernel.cu" --block 16,16 --arg nrows=32 --arg ncols=32 --format csv
says "smembank: $work/my kernel.cu is CUDA C: this was 'smembank analyze '$work/my kernel.cu''"
reads 1 'check --project' "$srcdir/tests/data/project.ini" --format csv
says "project.ini is a project file: this was 'smembank check --project $srcdir"
reads 0 analyze "$srcdir/tests/ptx/transpose.ptx" --entry transpose_float4 --block 8,32 --arg 2=32 --format csv
says "transpose.ptx is PTX: this was 'smembank analyze "
reads 0 analyze "$srcdir/data/lessons/turn.cubin" --entry turn --block 32,8 --arg 2=32 --format csv
says "is compiled code: this was 'smembank analyze "
printf 'layout (32,32):(33,1)\naccess column\n' >"$work/tile"
reads 0 analyze "$work/tile" --format csv
says "$work/tile is a layout: this was 'smembank analyze "
reads 0 analyze "$srcdir/tests/data/capture/own.capture" --format csv
says "is a capture: this was 'smembank analyze "
reads 0 trace "$srcdir/data/measured/h200-requests.txt"
says "is a trace: this was 'smembank trace "
reads 0 'validate --recorded' "$srcdir/data/measured/h100-requests.json" --format csv
says "is a recording: this was 'smembank validate --recorded "
cp "$srcdir/tests/data/sass/bundle.object" "$work/bundle.o"
expect 2 "$work/bundle.o" --entry none
says 'smembank analyze: '
# With arguments, a text is a program that is compiled.
expect 3 "$work/my kernel.cu" -- 7
says 'smembank run: '
if command -v cc >/dev/null; then
  made_nvcc <<'END'
for word; do
  case $word in *.cu) cc -x c -o "$out" "$word" ;; esac
done
END
  printf '#include <stdio.h>\n#if 0\n__global__ void k() {}\n#endif\nint main(int n, char **words) { printf("%%d %%s\\n", n, words[1]); return 0; }\n' >"$work/main.cu"
  expect 0 "$work/main.cu" -- --size
  shows '2 --size'
  says "main.cu is a program in CUDA C: this was 'smembank run $work/main.cu'"
  # Its kernels may be in other files.
  printf '#include <stdio.h>\nint main(int n, char **words) { printf("%%d\\n", n); return 0; }\n' >"$work/host.cu"
  expect 0 "$work/host.cu"
  says "host.cu is a program in CUDA C: this was 'smembank run $work/host.cu'"
  expect 0 "$work/host.cu" -- 1 2
  shows 3
fi
# An error is that of the command, and nothing else is said.
expect 2 "$work/my kernel.cu" --no-such-option
says "smembank analyze: unknown option --no-such-option"
# A program is run, with its own arguments and exit status.
printf '#include <stdio.h>\nint main(int n, char **words) { printf("%%d %%s\\n", n, words[1]); return 7; }\n' >"$work/program.c"
if cc -o "$work/program" "$work/program.c" 2>/dev/null; then
  status=0
  "$SMEMBANK" "$work/program" --size >"$work/out" 2>"$work/err" || status=$?
  [ "$status" -eq 7 ] || die "a program: status $status: $(cat "$work/err")"
  shows '2 --size'
  # So is one in this folder, which is not on the path.
  status=0
  (cd "$work" && "$SMEMBANK" program --size) >"$work/out" 2>"$work/err" || status=$?
  [ "$status" -eq 7 ] || die "a program in this folder: status $status: $(cat "$work/err")"
  shows '2 --size'
  echo 'int main(void) { return 0; }' >"$work/quiet.c"
  cc -o "$work/quiet" "$work/quiet.c"
  (cd "$work" && "$SMEMBANK" quiet) >"$work/out" 2>"$work/err"
  says "quiet is a program: this was 'smembank run -- ./quiet'"
fi
expect 2 "$work/none.cu"
says "no command '$work/none.cu', and no file of that name: expected advise, "
expect 0 completion --help
shows 'smembank completion bash|zsh|fish'
expect 0 help completion
expect 0 help
shows "'smembank completion bash|zsh|fish' writes the completion of a shell."
expect 2 "$srcdir/LICENSE"
says "smembank: '$srcdir/LICENSE' is not a kernel, program, capture, trace or profile that smembank reads (see"
: >"$work/empty"
expect 2 "$work/empty"
says "'$work/empty' is not a kernel, "
expect 2 "$work"
says "'$work' is a folder, not a file"
expect 2 - </dev/null
says "standard input is read by a command alone, as in 'smembank analyze -'"
for kernel in one two; do
  mkdir -p "$work/triton/$kernel"
  cp "$srcdir/tests/ptx/transpose.ptx" "$work/triton/$kernel/$kernel.ptx"
  printf '{"num_warps": 4, "shared": 0, "name": "%s"}\n' "$kernel" >"$work/triton/$kernel/$kernel.json"
  expect 2 "$work/triton"
  says "'$work/triton' is a folder of Triton's cache: 'smembank analyze --triton $work/triton' counts a kernel of it"
done
# An option where the one before it lacks its value is not that value.
expect 2 analyze "$work/my kernel.cu" --nvcc --arg 3=1
says "--nvcc needs a value, but the next word is the option '--arg': write --nvcc='' for none, or --nvcc='--arg' if that is meant"
expect 2 analyze "$work/my kernel.cu" --block --grid=4
says "--block needs a value, but the next word is the option '--grid=4': write --block='--grid=4' if that is meant"
expect 2 analyze "$work/my kernel.cu" -D --grid 4
says "--define needs a value, but the next word is the option '--grid'"
expect 2 analyze "$work/my kernel.cu" --block=--grid=4
says "--block '--grid=4': expected X, X,Y or X,Y,Z"
expect 2 analyze "$work/my kernel.cu" -o x
says "unknown option -o; did you mean '--output'?"
expect 2 analyse
says "; did you mean 'analyze'?"
expect 2 no-such-command
says "no command 'no-such-command': expected advise, "
for command in $commands; do
  says "$command"
done
expect 2 ''
expect 2 --no-such-option
expect 2 --version more
says "unexpected argument 'more'"
expect 2 analyze app.cu -- 7
says "unexpected argument '7': 'smembank run' gives a program what follows '--'"
expect 2 analyze app.cu other.cu -- 7
says "unexpected argument 'other.cu' (see"
expect 2 help no-such-command
says "no command 'no-such-command'"
expect 2 help analyze more

# A long option may be cut short, a block is written as it is shown, an architecture as compilers do.
expect 0 analyze --row 32 --cols 32 --arch 86 --form csv
cp "$work/out" "$work/short"
expect 0 analyze --rows 32 --cols 32 --arch sm_86 --format csv
cmp -s "$work/out" "$work/short" || die 'options cut short give another result'
expect 0 analyze - --block 32x32 --arch sm_90a <"$srcdir/data/kernels/tile.cu"
shows 'tile  stdin'
shows 'block 32x32'
expect 3 analyze - </dev/null
says 'stdin'
expect 4 analyze --arch native --rows 32 --cols 32
says '--arch native: no usable GPU ('
expect 2 analyze --arch sm_9O --rows 32 --cols 32
says "; did you mean 'sm_90'?"
expect 2 analyze --kernel transposeGmm
says "; did you mean 'transposeSmem'?"
expect 2 analyze --max 3 --rows 32 --cols 32
says 'ambiguous option --max: expected --max-ways, --max-excess, '

# Colour on demand.
escape=$(printf '\033')
expect 0 analyze --rows 32 --cols 32 --color=always
shows "${escape}["
expect 0 analyze --rows 32 --cols 32 --color never
! grep -qF "$escape" "$work/out" || die 'colour in spite of --color never'

# The library names no option of the command line: its users may have none. An error carries a hint (sim/base/error.h), of which
# src/cli/hint.c makes the option.
echo '"%s (--max-steps)"' >"$work/wrong"
grep -qEf "$work/options" "$work/wrong" || die 'an option in a text of the library is not found'
! grep -rnEf "$work/options" --include='*.[ch]' --include='*.def' "$srcdir/sim" "$srcdir/gpu" ||
  die 'the library names options of the command line'
