#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What doc/editors has for vim and Visual Studio Code, on messages of the program. Debian: vim, python3.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
folder=$(cd "$srcdir/doc" && pwd)

# Three problems: two limits and an error, of a file with a space in its name.
file="$work/two words.cu"
cat >"$file" <<'END'
__global__ void k(int *out) {
  __shared__ int s[1024];
  s[threadIdx.x * 2] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x * 2];
}
END
expect 1 analyze "$file" --block 32 --max-ways 1
cp "$work/err" "$work/messages"
sed 's/= 1;/= one;/' "$file" >"$work/wrong.cu"
SMEMBANK_NVCC=no expect 3 analyze "$work/wrong.cu" --block 32
cat "$work/err" >>"$work/messages"
cat >"$work/wanted" <<END
$file|3|3|w|the store of s[threadIdx.x * 2] is 2-way: more than --max-ways 1
$file|5|22|w|the load of s[threadIdx.x * 2] is 2-way: more than --max-ways 1
$work/wrong.cu|3|24|e|'one' is not declared
END

if command -v vim >/dev/null && vim --version | grep -q '+quickfix'; then
  cat >"$work/script.vim" <<END
command -nargs=* CompilerSet setlocal <args>
source $folder/editors/smembank.vim
cgetfile $work/messages
let lines = map(filter(getqflist(), 'v:val.valid'), 'join([bufname(v:val.bufnr), v:val.lnum, v:val.col, v:val.type, v:val.text], "|")')
call writefile(lines, '$work/found')
quitall!
END
  vim -es -N -u NONE -i NONE -S "$work/script.vim" </dev/null || die "vim fails on $(cat "$work/messages")"
  cmp -s "$work/wanted" "$work/found" || die "vim finds $(cat "$work/found"), not $(cat "$work/wanted")"
  grep -qxF "$(sed -n 's/^CompilerSet errorformat/&/p' "$folder/editors/smembank.vim")" "$folder/editors.md" ||
    die 'doc/editors.md shows another errorformat'
  tried=vim
fi

# The regular expression as Visual Studio Code applies it: to each line.
if command -v python3 >/dev/null; then
  python3 - "$folder/editors/tasks.json" "$work/messages" >"$work/found" <<'END'
import json, re, sys
tasks, messages = sys.argv[1:]
(task,) = json.load(open(tasks))["tasks"]
pattern = task["problemMatcher"]["pattern"]
for line in open(messages, encoding="utf-8"):
    match = re.search(pattern["regexp"], line.rstrip("\n"))
    if match:
        file, row, column, severity, text = (match[pattern[k]] for k in ("file", "line", "column", "severity", "message"))
        print(file, row, column, severity[0], text, sep="|")
END
  cmp -s "$work/wanted" "$work/found" || die "the problem matcher finds $(cat "$work/found"), not $(cat "$work/wanted")"
  tried="${tried-} matcher"
fi
[ -n "${tried-}" ] || { echo 'no vim, no python3: skipped'; exit 77; }
