#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Each relative link of an installed document leads to an installed one. tests/site.sh looks at anchors.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
  echo "FAIL: $*"
  exit 1
}

# lost FOLDER: "DOCUMENT LINK" of each link that leads to no file below it. What is between backquotes or fences is no link.
# shellcheck disable=SC2016 # Backquotes of Markdown.
lost() {
  find "$1" -name '*.md' | LC_ALL=C sort | while read -r document; do
    sed -e '/^ *```/,/^ *```/d' -e 's/`[^`]*`//g' "$document" | grep -o '\]([^)]*)' | sed 's/^](//; s/[ #].*//; s/)$//' | LC_ALL=C sort -u | while read -r link; do
      case $link in
      '' | *:*) ;;
      *) [ -e "${document%/*}/$link" ] || echo "${document#"$1/"} $link" ;;
      esac
    done
  done
}

# The check finds what it is for.
mkdir -p "$work/made-up/doc"
cat >"$work/made-up/one.md" <<'END'
[a](doc/two.md), [b](doc/two.md#x "title"), [c](https://x.org/), [d](#here), ![e](e.svg), `[f](no)` and [g](doc)
```c
x[0](no);
```
END
echo '[h](../one.md) [i](two.md) [j](one.md)' >"$work/made-up/doc/two.md"
[ "$(lost "$work/made-up" | tr '\n' ' ')" = 'doc/two.md one.md one.md e.svg ' ] || die "finds $(lost "$work/made-up")"

env -u MAKEFLAGS -u MFLAGS make -s install-nobase_dist_docDATA docdir=/installed DESTDIR="$work" >"$work/log" 2>&1 || die "not installed: $(cat "$work/log")"
[ "$(find "$work/installed" -name '*.md' | wc -l)" -gt 20 ] || die 'no documents are installed'
lost "$work/installed" >"$work/found"
if [ -s "$work/found" ]; then
  echo 'FAIL: links of installed documents that lead nowhere:'
  cat "$work/found"
  exit 1
fi
