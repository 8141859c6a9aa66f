#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Includes point one way. A line of the table: what begins with the first word includes nothing that begins
# with one of the others. Folders that the table does not name may include what their parent may. "=NAME WORDS": what =NAME stands for.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/rules" <<'END'
sim/         src/ gpu/ tests/
gpu/         src/ tests/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/open/
src/         tests/ sim/layout/front-end sim/exec/ sim/ptx/ sim/sass/ sim/image/cubin sim/image/function sim/image/images sim/image/source-line sim/machine/front-end sim/open/contained
=commands    src/shard/ src/advise/ src/analyze/ src/capture/ src/check/ src/compare/ src/doctor/ src/explain/ src/fix/ src/fuzz/ src/init/ src/layout/ src/learn/ src/list/ src/lsp/ src/mcp/ src/merge/ src/report/ src/run/ src/trace/ src/validate/ src/verify-proof/
src/out/     src/finding/ src/draw/ src/cli/ src/compile/ src/target/ src/analysis/ src/project/ src/rank/ src/measure/ src/serve/ =commands src/commands.h
src/finding/ src/draw/ src/cli/ src/compile/ src/target/ src/analysis/ src/project/ src/rank/ src/measure/ src/serve/ =commands src/commands.h
src/draw/    src/finding/ src/cli/ src/compile/ src/target/ src/analysis/ src/project/ src/rank/ src/measure/ src/serve/ =commands src/commands.h
src/compile/ src/finding/ src/draw/ src/cli/ src/target/ src/analysis/ src/project/ src/rank/ src/measure/ src/serve/ =commands src/commands.h
src/cli/     src/finding/ src/draw/ src/compile/ src/target/ src/analysis/ src/project/ src/rank/ src/measure/ src/serve/ =commands src/commands.h
src/target/  src/finding/ src/draw/ src/analysis/ src/project/ src/rank/ src/measure/ src/serve/ =commands src/commands.h
src/analysis/ src/project/ src/rank/ src/measure/ src/serve/ =commands src/commands.h
src/project/ src/rank/ src/measure/ src/serve/ =commands src/commands.h
src/verify-proof/ sim/arch/ sim/count/ sim/program/ sim/launch/ sim/machine/ sim/layout/ sim/proof/ sim/cuda/ sim/analysis/ sim/advise/
src/rank/    src/project/ src/measure/ src/serve/ =commands src/commands.h
sim/texture/ sim/base/ sim/arch/ sim/count/ sim/trace/ sim/program/ sim/launch/ sim/machine/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/base/    sim/arch/ sim/count/ sim/trace/ sim/program/ sim/launch/ sim/machine/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/arch/    sim/count/ sim/trace/ sim/program/ sim/launch/ sim/machine/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/count/   sim/program/ sim/launch/ sim/machine/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/program/ sim/launch/ sim/machine/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/launch/  sim/machine/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/machine/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/analysis/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/exec/ sim/count/ sim/trace/ sim/cuda/ sim/ptx/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/ptx/     sim/count/ sim/trace/ sim/cuda/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/sass/    sim/count/ sim/trace/ sim/cuda/ sim/ptx/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/cuda/    sim/ptx/ sim/sass/ sim/image/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/advise/  sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/measured/ sim/machine/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/advise/ sim/open/ sim/binding/ sim/capture/
sim/time/    sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/time/chip sim/time/record/ sim/time/dram/ sim/time/replay/ sim/time/grid/ sim/time/time.h
sim/time/record/ sim/time/dram/ sim/time/replay/multiprocessor sim/time/grid/ sim/time/time.h
sim/time/dram/ sim/time/replay/ sim/time/grid/ sim/time/time.h
sim/time/replay/ sim/time/grid/ sim/time/time.h
sim/time/grid/ sim/time/time.h
sim/trace/   sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/advise/ sim/open/ sim/binding/ sim/capture/
sim/proof/   sim/trace/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/layout/  sim/trace/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/image/   sim/arch/ sim/count/ sim/trace/ sim/program/ sim/launch/ sim/machine/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/ sim/capture/
sim/capture/ sim/arch/ sim/count/ sim/trace/ sim/machine/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/analysis/ sim/advise/ sim/measured/ sim/open/ sim/binding/
sim/open/    sim/analysis/ sim/advise/ sim/measured/ sim/binding/ sim/capture/
sim/binding/ sim/cuda/ sim/exec/ sim/ptx/ sim/sass/ sim/image/ sim/measured/ sim/open/ sim/capture/
sim/cuda/text/ sim/cuda/tree/ sim/cuda/parse/ sim/cuda/builtin/ sim/cuda/rewrite/ sim/cuda/lower/ sim/exec/
sim/cuda/tree/ sim/cuda/lower/ sim/exec/
sim/cuda/parse/ sim/cuda/lower/ sim/exec/
sim/cuda/builtin/ sim/cuda/lower/ sim/exec/
sim/cuda/rewrite/ sim/cuda/lower/ sim/exec/
sim/cuda/lower/ sim/cuda/text/ sim/cuda/parse/ sim/cuda/rewrite/ sim/exec/unknown/ sim/exec/warp/ sim/exec/memory/ sim/exec/sync/
sim/exec/compute/ sim/exec/product/ sim/exec/flow/ sim/exec/unknown/ sim/exec/warp/ sim/exec/memory/ sim/exec/sync/ sim/exec/step.h sim/exec/code.h sim/exec/build.h sim/exec/exec.h
sim/exec/product/ sim/exec/flow/ sim/exec/unknown/ sim/exec/warp/ sim/exec/memory/ sim/exec/sync/ sim/exec/step.h sim/exec/code.h sim/exec/build.h sim/exec/exec.h
sim/exec/flow/ sim/exec/compute/ sim/exec/product/ sim/exec/unknown/ sim/exec/warp/ sim/exec/memory/ sim/exec/sync/ sim/exec/step.h sim/exec/code.h sim/exec/build.h sim/exec/exec.h
sim/exec/step.h sim/exec/flow/ sim/exec/unknown/ sim/exec/warp/ sim/exec/memory/ sim/exec/sync/ sim/exec/code.h sim/exec/build.h sim/exec/exec.h
sim/exec/code. sim/exec/unknown/ sim/exec/warp/ sim/exec/memory/ sim/exec/sync/ sim/exec/build.h sim/exec/exec.h
sim/exec/build. sim/exec/unknown/ sim/exec/warp/ sim/exec/memory/ sim/exec/sync/ sim/exec/exec.h
sim/exec/exec.h sim/exec/unknown/ sim/exec/warp/ sim/exec/memory/ sim/exec/sync/
sim/exec/unknown/ sim/exec/warp/ sim/exec/memory/ sim/exec/sync/
sim/exec/warp/ sim/exec/memory/ sim/exec/sync/ sim/exec/service/
sim/exec/service/ sim/exec/memory/ sim/exec/sync/
sim/exec/memory/ sim/exec/warp/ sim/exec/sync/
sim/exec/sync/ sim/exec/warp/
sim/ptx/isa/ sim/ptx/read/ sim/ptx/decode/ sim/ptx/entries sim/ptx/front-end
sim/ptx/read/ sim/ptx/decode/ sim/ptx/isa/computation sim/ptx/entries sim/ptx/front-end
sim/ptx/decode/ sim/ptx/entries sim/ptx/front-end
sim/ptx/     sim/exec/exec.h sim/exec/unknown/ sim/exec/warp/ sim/exec/memory/ sim/exec/sync/
sim/sass/    sim/exec/exec.h sim/exec/unknown/ sim/exec/warp/ sim/exec/memory/ sim/exec/sync/
END

# check FILES-OF: FILE:LINE:#include "WHAT" in; the includes against the direction out.
check() {
  awk '
    NR == FNR && $1 ~ /^=/ { group[$1] = $0; sub(/^=[a-z]+ */, "", group[$1]); next }
    NR == FNR {
      for (name in group) gsub(name, group[name])
      n++; from[n] = $1; for (i = 2; i <= NF; i++) not[n, i] = $i; words[n] = NF; next
    }
    {
      file = $0; sub(/:.*/, "", file)
      what = $0; sub(/^[^"]*"/, "", what); sub(/".*/, "", what)
      for (r = 1; r <= n; r++) {
        if (index(file, from[r]) != 1) continue
        for (i = 2; i <= words[r]; i++) if (index(what, not[r, i]) == 1) print
      }
    }' "$work/rules" -
}

# The check finds what it is for.
for wrong in 'sim/machine/block.c:7:#include "sim/cuda/tree/ast.h"' 'src/target/ncu.c:7:#include "src/merge/document.h"'; do
  [ "$(echo "$wrong" | check)" = "$wrong" ] || { echo "FAIL: $wrong is not found"; exit 1; }
done
[ -z "$(echo 'sim/cuda/tree/node.c:7:#include "sim/machine/block.h"' | check)" ] || {
  echo "FAIL: an include in the right direction is found"
  exit 1
}

cd "${srcdir:?}"
# Each command is in the table: others may not include it.
for command in src/*/command.c; do
  grep -q "^=commands .*${command%command.c}" "$work/rules" || {
    echo "FAIL: ${command%command.c} is a command: expected it in the line =commands of tests/includes.sh"
    exit 1
  }
done
grep -rn --include='*.[ch]' --include='*.def' '^# *include "[a-z]*/' sim src gpu >"$work/includes"
[ -s "$work/includes" ] || { echo "FAIL: no include found"; exit 1; }
check <"$work/includes" >"$work/found"
if [ -s "$work/found" ]; then
  echo "FAIL: includes against the direction:"
  cat "$work/found"
  exit 1
fi
