#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What functions.def says, in other forms.
#   functions.sh names MAJOR FILE.def: the functions of the library of CUDA 12 or 13, with their variants
#   functions.sh map MAJOR FILE.def: the version script of that library
#   functions.sh table FILE.def: the table in doc/run.md
#   functions.sh page FILE.def PAGE.md: that page, with the table of FILE.def between its marks
set -eu

# names MAJOR FILE.def
names() {
  awk -F '[(), ]+' -v major="$1" '
    /^(DONE|ACCEPTED|REFUSED)\(/ && index($3, major) {
      print $2
      if ($4 != "PLAIN") print $2 "_" tolower($4)
    }' "$2"
}

# table FILE.def
table() {
  awk -F '[(), ]+' '
    /^SECTION/ {
      title = $0
      gsub(/^SECTION\("|"\)$/, "", title)
      printf "\n### %s\n\n| function | CUDA | state | |\n|---|---|---|---|\n", title
    }
    /^(DONE|ACCEPTED|REFUSED)\(/ {
      versions = substr($3, 6)
      sub(/_/, ", ", versions)
      text = ""
      if (match($0, /"[^"]*"/)) text = substr($0, RSTART + 1, RLENGTH - 2)
      variant = $4 == "PLAIN" ? "" : ", `_" tolower($4) "`"
      printf "| `%s`%s | %s | %s | %s |\n", $2, variant, versions, tolower($1), text
      n[$1]++
    }
    END {
      printf "\n%d functions: %d done, %d accepted, %d refused.\n", n["DONE"] + n["ACCEPTED"] + n["REFUSED"], n["DONE"], n["ACCEPTED"], n["REFUSED"]
    }' "$1"
}

case $1 in
names) names "$2" "$3" ;;
map)
  printf 'libcudart.so.%s {\n  global:\n' "$2"
  names "$2" "$3" | sed 's/.*/    &;/'
  # For the redirection (gpu/redirect).
  printf '    smembank_run_unknown;\n  local: *;\n};\n'
  ;;
table) table "$2" ;;
page)
  sed '/^<!-- functions -->$/q' "$3"
  table "$2"
  printf '\n'
  sed '1,/^<!-- functions -->$/d' "$3" | sed -n '/^<!-- end -->$/,$p'
  ;;
*)
  echo "functions.sh: unknown form '$1'" >&2
  exit 2
  ;;
esac
