#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The pictures of the documents are what the program draws: 'make pictures' makes those that are SVG as they are. Pixels of a browser
# differ from machine to machine, so report.png is not compared. Skipped without python3.
set -eu
command -v python3 >/dev/null || { echo 'SKIP: no python3'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "${srcdir:?}/doc/pictures.sh" "${SMEMBANK:?}" "$work" svg
for picture in "$work"/*.svg; do
  cmp -s "$picture" "$srcdir/doc/pictures/${picture##*/}" || {
    echo "FAIL: doc/pictures/${picture##*/} is not what the program draws: make pictures, and look at it"
    diff "$srcdir/doc/pictures/${picture##*/}" "$picture" | head -20
    exit 1
  }
done
for picture in bank-map session; do
  [ -s "$work/$picture.svg" ] || { echo "FAIL: no $picture.svg"; exit 1; }
done

# A colour that terminal.py does not know, and any other escape, is an error.
for escape in '\033[35mx' '\033[2Jx'; do
  ! PYTHONDONTWRITEBYTECODE=1 python3 "$srcdir/doc/terminal.py" "$work/wrong.svg" t "printf '$escape'" 2>/dev/null || {
    echo "FAIL: draws $escape"
    exit 1
  }
done
