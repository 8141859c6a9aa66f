#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Sentences of the documents are short: their mean length in words, and the longest one. Prose is what is left without
# code, tables, headings and generated blocks (<!-- … --> to <!-- end -->); `code` in a sentence is one word.
# 'tests/prose.sh FILE...' shows the figures of each file and its longest sentences.
set -eu

# sentences FILE: its sentences, one a line, each after its number of words.
sentences() {
  awk '
    function finish(  n, i, words, sentence, more) {
      gsub(/`[^`]*`/, "CODE", text)
      gsub(/\]\([^)]*\)/, "]", text)
      n = split(text, words, " ")
      sentence = ""
      more = 0
      for (i = 1; i <= n; i++) {
        sentence = sentence " " words[i]
        if (words[i] ~ /[A-Za-z0-9]/) more++
        if (i == n || words[i] ~ /[.!?][)"*]*$/) {
          if (more) print more sentence
          sentence = ""
          more = 0
        }
      }
      text = ""
    }
    /^```/ { finish(); code = !code; next }
    code { next }
    /^<!-- end/ { block = 0; next }
    /^<!--/ { finish(); block = $0 !~ /-->.*-->|end -->/; next }
    block { next }
    /^$/ { finish(); blank = 1; next }
    blank && !list && /^    / { indented = 1 }
    indented && /^    / { next }
    { indented = 0 }
    /^[|#]/ { finish(); list = 0; next }
    /^ *([-*]|[0-9]+\.) / { finish(); sub(/^ *([-*]|[0-9]+\.) /, ""); list = 1 }
    blank && /^[^ ]/ { list = 0 }
    { blank = 0; text = text " " $0 }
    END { finish() }' "$1"
}

# measure FILE: sentences, mean times ten, longest.
measure() {
  sentences "$1" | awk '{ sum += $1; if ($1 > longest) longest = $1 } END { printf "%d %d %d\n", NR, NR ? sum * 10 / NR + 0.5 : 0, longest }'
}

if [ $# -gt 0 ]; then
  for file; do
    echo "$file: $(measure "$file" | awk '{ print $1 " sentences, mean " $2 / 10 ", longest " $3 }')"
    sentences "$file" | sort -rn | head -n "${PROSE_TOP:-5}"
  done
  exit
fi

failed=0
for file in "${srcdir:?}"/doc/*.md "$srcdir"/doc/guides/*.md "$srcdir/README.md"; do
  measure "$file" | {
    read -r n tenths longest
    [ "$n" -gt 5 ] && [ "$tenths" -lt 180 ] && [ "$longest" -le 35 ]
  } || {
    echo "FAIL: $file: sentences of 18 words or more on average, or one of more than 35"
    PROSE_TOP=3 sh "$0" "$file"
    failed=1
  }
done
exit "$failed"
