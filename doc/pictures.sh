#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Makes the pictures of the README anew: make pictures. Arguments: the program, the folder that takes them.
# bank-map.svg is what the program writes; report.png is a page of it in a headless Chromium.
set -eu
program=$1
folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$folder"
"$program" explain --rows 16 --cols 32 --pad 1 --svg "$folder/bank-map.svg" >/dev/null
# What the README's example of padding shows, as a page.
"$program" report "$work/report.html" --rows 16 --cols 32 --pad 1 >/dev/null
sed -i 's|<main>|<style>#source, #accesses { display: none }</style>&|' "$work/report.html"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
  --user-data-dir="$work/profile" --window-size=1000,1200 --screenshot="$folder/report.png" \
  "file://$work/report.html" >/dev/null 2>&1
