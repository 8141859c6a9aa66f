#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Each file of sim, gpu, src, data, doc and tests that the sources, their comments or HACKING.md name is there. A path with a word in capitals, data/kernels/NAME.cu, is a form.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# missing: of lines FILE:LINE:TEXT, "FILE:LINE: PATH" of each path of TEXT that is not there.
missing() {
  awk '{
    place = $0; match(place, /^[^:]*:[0-9]+/); place = substr(place, 1, RLENGTH); rest = substr($0, RLENGTH + 2)
    while (match(rest, /(^|[^A-Za-z0-9_.\/-])(sim|src|gpu|tests|data|doc)\/[A-Za-z0-9_\/.-]*\.(c|h|def|sh|py|md|ini|cu|am)/)) {
      path = substr(rest, RSTART, RLENGTH); sub(/^[^a-z]/, "", path); rest = substr(rest, RSTART + RLENGTH)
      if (rest !~ /^[A-Za-z0-9_]/ && path !~ /[A-Z][A-Z]/ && path !~ /smb-(gpu-)?resources/) print place ": " path
    }
  }' | while read -r place path; do
    [ -e "$path" ] || echo "$place $path"
  done
}

cd "${srcdir:?}"
# The check finds what it is for.
[ "$(printf '%s\n' 'a.c:7:// as sim/base/no.h, sim/base/error.h' 'b.c:8:// (src/NAME/command.c)' | missing)" = 'a.c:7: sim/base/no.h' ] || {
  echo 'FAIL: does not find a file that is missing'
  exit 1
}
{
  grep -rn --include='*.[ch]' --include='*.def' '/[a-z]' sim src gpu
  grep -n '' /dev/null HACKING.md
} >"$work/lines"
[ "$(wc -l <"$work/lines")" -gt 1000 ] || { echo "FAIL: no source found"; exit 1; }
missing <"$work/lines" >"$work/found"
if [ -s "$work/found" ]; then
  echo 'FAIL: these name files that are not there:'
  cat "$work/found"
  exit 1
fi
