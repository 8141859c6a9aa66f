#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What is wrong on a command line is said before a compiler is started, which may take long. With a made-up nvcc that only notes
# that it was called.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
cd "$work"

printf '#!/bin/sh\necho "$*" >>"%s/calls"\nexit 1\n' "$work" >nvcc
chmod +x nvcc
SMEMBANK_NVCC=$work/nvcc
export SMEMBANK_NVCC
printf '__global__ void k(int *p, int n) {\n  class A; __shared__ int s[64];\n  s[threadIdx.x] = n;\n}\n' >k.cu
printf '[a]\nfile = k.cu\nblock = 32\nnvcc = -O3\n' >smembank.ini
echo '{' >bad.json

while read -r status words; do
  eval "expect $status $words"
  [ ! -e calls ] || die "$last: nvcc was called"
done <<'END'
2 analyze k.cu --nvcc '' --arg x
2 analyze k.cu --nvcc '' --arg =3
2 analyze k.cu --nvcc '' --arg 1=
2 analyze k.cu --nvcc '' --arg 1=zz
2 analyze k.cu --nvcc '' --arg n=zz
2 analyze k.cu --nvcc '' --dynamic-bytes 3+
2 analyze k.cu --nvcc '' --dynamic-bytes -3
3 analyze k.cu --nvcc '' --arg 1=@none
2 analyze k.cu --nvcc '' --arg 1=raw:zz
2 analyze k.cu --nvcc '' --arg 1=raw:
2 analyze k.cu --nvcc '' --buffer 0
3 analyze k.cu --nvcc '' --buffer 0=none.bin
2 analyze k.cu --nvcc '' --buffer 0=random:zz
2 analyze k.cu --nvcc '' --block 0
2 analyze k.cu --nvcc '' --block 32,x
2 analyze k.cu --nvcc '' --block 2048
2 analyze k.cu --nvcc '' --block 32,64
2 analyze k.cu --nvcc '' --grid 0
2 analyze k.cu --nvcc '' --cluster 99
2 analyze k.cu --nvcc '' --block 32 --grid 3 --cluster 2
2 analyze k.cu --nvcc '' --format zz
2 analyze k.cu --nvcc '' --arch zz
2 analyze k.cu --nvcc '' --arch sm_30_4B
2 analyze k.cu --nvcc '' --wave 3
2 analyze k.cu --nvcc '' --unknown x
2 analyze k.cu --nvcc '' --frames x
2 analyze k.cu --nvcc '' --max-ways x
2 analyze k.cu --nvcc '' --max-excess x
2 analyze k.cu --nvcc '' --max-steps x
2 analyze k.cu --nvcc '' --max-compile 0
2 analyze k.cu --nvcc '' --threads x
2 analyze k.cu --nvcc '' --shard 3/2 --format json
2 analyze k.cu --nvcc '' --output k.cu
2 analyze k.cu --nvcc '' --color x
2 analyze k.cu --nvcc '' --shape x
2 analyze k.cu --nvcc '' --instance x
2 analyze k.cu --nvcc '' --launch 3
2 analyze k.cu --nvcc '-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90'
2 analyze k.cu --nvcc "'"
2 analyze k.cu --nvcc '' -D "A=1$(printf '\n2')"
2 advise k.cu --nvcc '' --out k.cu
2 advise k.cu --nvcc '' --only x
2 advise k.cu --nvcc '' --top x
2 explain k.cu --nvcc '' --line x
2 explain k.cu --nvcc '' --svg k.cu
2 report k.cu k.cu --nvcc ''
2 report p.html k.cu --nvcc '' --block x
2 trace --from k.cu --nvcc '' --format zz
2 trace --from k.cu --nvcc '' --block x
2 validate k.cu --nvcc '' --record k.cu
2 check none
2 check --jobs x
2 check --format x
3 check --baseline none.json
3 check --baseline bad.json
2 check --shard 9
2 check --output smembank.ini
2 check --output k.cu
2 compare k.cu k.cu --format x
3 fix k.cu k.cu --nvcc ''
END
# The same of a case.
for setting in 'block = x' 'arg = 1' 'arg = 1=@none' 'buffer = 0=none.bin' 'arch = none' 'max-ways = x' 'max-compile = 0'; do
  printf '[a]\nfile = k.cu\nnvcc = -O3\n%s\n' "$setting" >smembank.ini
  status=0
  "$SMEMBANK" check >out 2>err || status=$?
  [ "$status" -eq 3 ] || die "check with $setting: status $status: $(cat err)"
  [ ! -e calls ] || die "check with $setting: nvcc was called"
done
# It is called where nothing is wrong.
expect 3 analyze k.cu --nvcc '' --block 32 --arg 1=3 --grid 2
[ -e calls ] || die "$last: nvcc was not called"
