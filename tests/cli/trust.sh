#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Which options of nvcc a project file may give, and that --trust lets through the others, in every command that reads one
# (doc/security.md). With a made-up nvcc that writes down its words.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
cd "$work"

made_nvcc <<'END'
[ -z "$host" ] || tr -d '\\' <"$host" | tr '\n' ' ' >"$NVCC_CALLS.host"
stores 8 2
END
printf '__global__ void k() {\n  class A; __shared__ int s[64];\n  s[threadIdx.x] = 1;\n}\n' >k.cu

# project FLAGS: a project with them, in a case and in that of all cases.
project() {
  printf '# A comment.\n[*]\nblock = 32\n\n[a]\nfile = k.cu\nnvcc = %s\n' "$1" >smembank.ini
}

while read -r flags; do
  rm -f calls
  project "$flags"
  expect 0 analyze --case a
  [ -s calls ] || die "$last: nvcc was not called with $flags"
done <<'END'
-O3
-O 2 -O=1 --optimize 0 --optimize=3
-std=c++17
-std c++20 --std=c++14 --std c++17
-arch=sm_80
-arch sm_86
--gpu-architecture=sm_90a
-gencode arch=compute_80,code=sm_80
-gencode=arch=compute_90,code=sm_90
--generate-code arch=compute_90,code=sm_90
-maxrregcount=32
--maxrregcount 32 -maxrregcount 64
-G -g -lineinfo -w -ptx
-use_fast_math --use_fast_math
--fmad=false --ftz true -prec-div=true --prec-sqrt false
--extended-lambda --expt-relaxed-constexpr -expt-extended-lambda
-Xptxas -v
-Xptxas=-O3
-Xptxas -O3,-v,-dlcm=ca
--ptxas-options=-v --ptxas-options -dlcm=cg
-Xcudafe --diag_suppress=177 -diag-suppress 177,20012
-Xcompiler -Wall,-fPIC -Xcompiler=-O2
-Xcompiler "-Wall -Wextra -Wno-unused" -Xptxas "-v -O3"
-Xcompiler -march=native,-fvisibility=hidden,-Wl,-Wno-comment
-Werror all-warnings -Wno-deprecated-gpu-targets -t 2 --threads=2
-rdc=true -default-stream per-thread --resource-usage -x cu
-DN=4 -D M --define-macro=K=1 -UZ -U Y -I include -Iother -isystem third -include some/header.h
"-DTEXT=$(a b; c)" '-DF(x)=x*2'
END
# shellcheck disable=SC2016
grep -qF -- '-DTEXT=$(a b; c) -DF(x)=x*2 ' calls.host || die "the preprocessor gets $(cat calls.host)"

refused=$(
  cat <<'END'
-ccbin ./evil
-ccbin=./evil
--compiler-bindir=./evil
-Xcompiler -fplugin=./evil.so
-Xcompiler=-fplugin=./evil.so
-Xcompiler -Wall,-fplugin=./evil.so
--compiler-options -B.,-Wall
-Xcompiler -Wp,-MF,out
-Xcompiler @words
-Xcompiler "-Wall -fplugin=./evil.so"
-Xcompiler -Wl,-rpath,x
-Xcompiler -fdump-tree-all
-Xcompiler -save-temps
-Xcompiler ""
-Xcompiler "-Wall;touch x"
-Xcompiler "$(touch pwned)"
-Xlinker -x
-Xptxas --options-file,file
-Xptxas=-O3,--plugin=x
-Xptxas -o,file
-Xptxas "$(touch pwned)"
-Xcicc x
-Xnvvm x
-Xcudafe "--gen_c_file_name=x"
-MD -MF file
-MF file
-M
-o file
--output-file=file
-odir folder
--options-file file
--options-file=file
-optf file
@file
-include ../a$(touch pwned)
-keep
--keep-dir=x
-save-temps
-time file
-run
-c
-E
-dryrun
-v
evil.cu
./evil
-std=c++17;touch
-std
-O3;touch
-arch=sm_90;x
-arch=../../x
-gencode arch=compute_90,code="sm_90;x"
-maxrregcount=$(touch)
-D
-Lfolder
-lname
-target-dir=x
-ldir x
-x
-fdevice-time-trace=x
-opt-info=inline
--forward-unknown-opts -fplugin=x
--extra-unknown
-expt-evil
-keepx
END
)
echo "$refused" | while read -r flags; do
  rm -f calls
  project "$flags"
  expect 3 analyze --case a
  says 'smembank.ini:7: error: nvcc: '
  says 'is not among the options that a file may give to nvcc: --trust on the command line allows it'
  [ ! -e calls ] || die "$last: nvcc was called: $(cat calls)"
done

# With --trust it is called, with these words.
project '-ccbin ./evil -Xcompiler -fplugin=./evil.so -O3'
expect 0 analyze --case a --trust
grep -q -- '-ccbin ./evil -Xcompiler -fplugin=./evil.so -O3 ' calls || die "called as $(cat calls)"

# safe ARGUMENT...: is refused, without a call. check has a result nevertheless.
safe() {
  last="smembank $*"
  status=0
  "$SMEMBANK" "$@" >out 2>err || status=$?
  [ "$status" -eq 3 ] || die "$last: status $status"
  grep -qF -e '--trust on the command line allows it' err || die "$last: says $(cat err)"
  [ ! -e calls ] || die "$last: nvcc was called"
}

# Every command that takes a case, and those that take all of them.
rm -f calls
for command in analyze advise explain trace 'report page.html' check; do
  case $command in
  check) words=a ;;
  *) words='--case a' ;;
  esac
  # shellcheck disable=SC2086 # words of a command
  safe $command $words
  # shellcheck disable=SC2086
  expect 0 $command $words --trust
  [ -s calls ] || die "$last: nvcc was not called"
  rm calls
done
printf '[*]\nblock = 32\nnvcc = -O3 -keep\n[a]\nfile = k.cu\n' >smembank.ini
expect 3 analyze --case a
says 'smembank.ini:3: error: nvcc: '
# The user's own options take the place of those of the file, and are hers.
expect 0 analyze --case a --nvcc '-O3 -keep'
expect 0 analyze k.cu --block 32 --nvcc '-ccbin x'
# A file cannot say that it is to be trusted.
for key in trust no-cache; do
  printf '[a]\nfile = k.cu\nblock = 32\n%s = true\nnvcc = -keep\n' "$key" >smembank.ini
  expect 3 analyze --case a
  says "smembank.ini:4: error: unknown key '$key'"
done

# The project file of each revision.
if command -v git >/dev/null; then
  project '-O3'
  git init -q . && git add k.cu smembank.ini && git -c user.name=a -c user.email=a@b commit -qm one
  project '-ccbin ./evil -O1'
  git add . && git -c user.name=a -c user.email=a@b commit -qm two
  project '-O3'
  rm -f calls
  expect 1 compare --git HEAD~1..HEAD
  ! grep -q evil calls || die "$last: nvcc was called: $(cat calls)"
  shows '1 not counted'
  rm -f calls
  expect 3 compare --git HEAD --case a
  says '--trust on the command line allows it'
  ! grep -q evil calls || die "$last: nvcc was called: $(cat calls)"
  expect 0 compare --git HEAD --case a --trust
  grep -q evil calls || die "$last: nvcc was not called"
  expect 0 compare --git HEAD~1..HEAD --trust
  shows '1 same'
fi
