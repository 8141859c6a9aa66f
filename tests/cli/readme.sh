#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The README and other documents do not lie: their sessions (```console) are run, and what they show must be what comes out, standard error
# included. "$ cat FILE" makes the file; a line "..." stands for any lines left out. Sessions of "```console nvcc" are run where there is an nvcc.
# SMEMBANK_UPDATE_README=FILE writes the README with the output of now instead, and FILE.compiled that of doc/compiled.md, and so on. The
# README has at most 160 lines. Links: tests/site.sh.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

case $srcdir in
/*) top=$srcdir ;;
*) top=$PWD/$srcdir ;;
esac
find_nvcc
run_libraries
sessions=$work/sessions
home=$work/home
mkdir "$work/bin"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$SMEMBANK" >"$work/bin/smembank"
# The library of the build tree in the place of an installed one.
cat >"$work/bin/cc" <<END
#!/bin/sh
set -e
rm -f "$work"/example*
cp "\$1" "$work/example.c"
cd "${PWD}"
${README_CC:?} -o "$work/example" "$work/example.c" ${README_LIBS:?} >"$work/cc.log" 2>&1 || {
  cat "$work/cc.log"
  exit 1
}
printf '#!/bin/sh\nexec "%s"\n' "$work/example" >"$home/count"
chmod +x "$home/count"
END
printf '#!/bin/sh\n' >"$work/bin/pkg-config"
# What nvcc 13.0 made of the same kernels by the same commands: PTX in a folder /src, and machine code of one instance, in the
# folder of the program, whose name is put in place of the one that it was made in (as long: TMPDIR is /tmp).
cat >"$work/bin/nvcc" <<END
#!/bin/sh
set -e
case "\$*" in
'-ptx -arch=sm_90 -lineinfo '*)
  [ "\$#" = 4 ]
  cp "$top/tests/data/ptx/\${4%.cu}.ptx" .
  ;;
'-cubin -lineinfo -arch=sm_90 -O3 '*)
  for text; do
    [ "\$previous" != -o ] || out=\$text
    previous=\$text
  done
  known=$top/tests/data/sass/product
  head -c "\$(wc -c <"\$known.cu")" "\$text" | cmp -s - "\$known.cu"
  pad=\$(sed -n 's/.*, product<float,16,\([0-9]*\)>>;\$/\1/p' "\$text")
  gunzip -c "\$known.\$pad.cubin.gz" | LC_ALL=C sed "s,/tmp/smembank-compile-000000,\${text%/*},g" >"\$out"
  ;;
*) exit 1 ;;
esac
END
chmod +x "$work"/bin/*

# Whether the file $1 is $2 once the lines "..." of $2 stand for any lines.
resembles() {
  awk '
    NR == FNR { actual[++n] = $0; next }
    $0 == "..." { skipping = 1; next }
    skipping { while (at < n && actual[at + 1] != $0) at++; skipping = 0 }
    actual[++at] != $0 { exit failed = 1 }
    END { exit failed || (!skipping && at != n) }' "$1" "$2"
}

# check_page FILE NEW: what a page shows is what comes out; NEW takes the page of now, if that is asked for.
check_page() {
  readme=$top/$1
  rm -rf "$home" "$sessions"
  mkdir "$home" "$sessions"
  # One file for each command: its line, and what follows it; and an empty one beside it if it takes the real nvcc.
  awk -v folder="$sessions" -v all="$nvcc" '
    /^```/ { real = all && $0 == "```console nvcc"; inside = real || $0 == "```console"; next }
    inside && /^\$ / { n++; file = sprintf("%s/%03d", folder, n) }
    inside && real { printf "" > (file ".nvcc") }
    inside { print > file }' "$readme"
  [ -e "$sessions/001" ] || die 'no session found'

  for session in "$sessions"/[0-9][0-9][0-9]; do
    command=$(sed -n '1s/^\$ //p' "$session")
    sed 1d "$session" >"$work/expected"
    case $command in
    "cat "*)
      cp "$work/expected" "$home/${command#cat }"
      continue
      ;;
    esac
    compiler=$work/bin/nvcc
    [ ! -e "$session.nvcc" ] || compiler=$nvcc
    (
      cd "$home"
      TMPDIR=/tmp SMEMBANK_NVCC=$compiler PATH="$work/bin:$PATH" sh -c "$command" >"$session.out" 2>&1
    ) || true
    if [ -z "${SMEMBANK_UPDATE_README-}" ] && ! resembles "$session.out" "$work/expected"; then
      diff "$work/expected" "$session.out" >&2 || true
      die "$1: '$command' gives something else"
    fi
  done

  if [ -n "${SMEMBANK_UPDATE_README-}" ]; then
    awk -v folder="$sessions" -v all="$nvcc" '
      /^```/ { inside = $0 == "```console" || all && $0 == "```console nvcc" }
      inside && /^\$ / {
        n++
        kept = $0 ~ /^\$ cat /
        print
        name = sprintf("%s/%03d.out", folder, n)
        while (!kept && (getline line < name) > 0) print line
        next
      }
      !inside || kept || /^```/ { print }' "$readme" >"$2"
  fi
}

check_page README.md "${SMEMBANK_UPDATE_README-}"
for page in compiled library faq guides/textbook guides/engineer guides/ci guides/triton guides/teacher; do
  check_page "doc/$page.md" "${SMEMBANK_UPDATE_README:+$SMEMBANK_UPDATE_README.${page#*/}}"
done
[ "$(wc -l <"$top/README.md")" -le 160 ] || die 'README.md: more than 160 lines'
