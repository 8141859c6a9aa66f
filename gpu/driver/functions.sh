#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# What functions.def says, and of the driver cu/driver-functions.def, in other forms.
#   functions.sh names MAJOR FILE.def: the functions of the library of CUDA 12 or 13, with their variants
#   functions.sh map MAJOR FILE.def: the version script of that library
#   functions.sh table FILE.def: the table in doc/functions.md
#   functions.sh page FILE.def DRIVER.def PAGE.md: that page, with the tables of both between their marks
#   functions.sh driver-names FILE.def, driver-map FILE.def: of libcuda.so.1
set -eu

# names MAJOR FILE.def
names() {
  awk -F '[(), ]+' -v major="$1" '
    /^(DONE|ACCEPTED|REFUSED)\(/ && index($3, major) {
      print $2
      if ($4 != "PLAIN") print $2 "_" tolower($4)
    }' "$2"
}

# driver_names FILE.def
driver_names() {
  awk -F '[(), ]+' '
    /^(DONE|ACCEPTED|REFUSED)\(/ {
      print $2
      if ($4 != "PLAIN") print $2 "_" tolower($4)
    }' "$1"
}

# write_map NAME: the version script of the library, which gives its symbols the version NAME, or none
write_map() {
  printf '%s{\n  global:\n' "${1:+$1 }"
  sed 's/.*/    &;/'
}

# table FILE.def
table() {
  heading=CUDA
  grep -q '^DONE(.*, CUDA_' "$1" || heading=since
  awk -F '[(), ]+' -v heading="$heading" '
    /^SECTION/ {
      title = $0
      gsub(/^SECTION\("|"\)$/, "", title)
      printf "\n### %s\n\n| function | %s | state | |\n|---|---|---|---|\n", title, heading
    }
    /^(DONE|ACCEPTED|REFUSED)\(/ {
      versions = $3
      if (sub(/^CUDA_/, "", versions)) sub(/_/, ", ", versions)
      else versions = int(versions / 1000) "." int(versions % 1000 / 10)
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
  names "$2" "$3" | write_map "libcudart.so.$2"
  # For the redirection (gpu/redirect) and libcuda.so.1.
  printf '    smembank_run_unknown;\n    smembank_run_driver;\n  local: *;\n};\n'
  ;;
driver-names) driver_names "$2" ;;
driver-map)
  driver_names "$2" | write_map ''
  printf '  local: *;\n};\n'
  ;;
table) table "$2" ;;
page)
  sed '/^<!-- functions -->$/q' "$4"
  table "$2"
  printf '\n'
  sed '1,/^<!-- functions -->$/d' "$4" | sed -n '/^<!-- end -->$/,$p' | sed '/^<!-- driver -->$/q'
  table "$3"
  printf '\n'
  sed '1,/^<!-- driver -->$/d' "$4" | sed -n '/^<!-- end -->$/,$p'
  ;;
*)
  echo "functions.sh: unknown form '$1'" >&2
  exit 2
  ;;
esac
