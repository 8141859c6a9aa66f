#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The documents as a site (doc/site): it is built, and no link or anchor of it is broken. Where there is a Chromium, its pages are looked at
# (tests/site-browser.py). Skipped without cmark-gfm, mandoc and python3.
set -eu
for program in cmark-gfm mandoc python3; do
  command -v "$program" >/dev/null || { echo "SKIP: no $program"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "${srcdir:?}"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

die() {
  echo "FAIL: $*"
  exit 1
}

# The check finds what it is for.
mkdir "$work/made-up"
cat >"$work/made-up/index.html" <<'END'
<p id="a"><a href="#a">a</a> <a href="#b">b</a> <a href="no.html">c</a> <a href="other.html#a">d</a> <a href="http://x.org">e</a> <img src="index.html">
<p id="a"><b>f</p>
END
echo '<i id="b">g</i>' >"$work/made-up/other.html"
echo '<i>h</i>' >"$work/made-up/lost.html"
cat >"$work/expected" <<'END'
index.html: a picture without a text: index.html
index.html: anchor twice: a
index.html: </p> closes nothing
index.html: <b> is not closed
index.html: link http://x.org
index.html: no anchor #b
index.html: no anchor other.html#a
index.html: no file no.html
lost.html: no page leads here
other.html: no page leads here
END
! python3 doc/site/check.py "$work/made-up" >"$work/found" || die 'no fault found in made-up pages'
LC_ALL=C sort "$work/found" >"$work/sorted"
LC_ALL=C sort "$work/expected" | diff - "$work/sorted" || die 'other faults found in made-up pages'

python3 doc/site/build.py . "$work/site" 0
python3 doc/site/check.py "$work/site"

# The same again is the same: nothing of the time or the machine is in it.
python3 doc/site/build.py . "$work/again" 0
diff -r "$work/site" "$work/again" || die 'two builds differ'

# With the page that runs in a browser, each page has a link to it.
mkdir "$work/web"
echo '<p>x</p>' >"$work/web/index.html"
python3 doc/site/build.py . "$work/with" 0 "$work/web"
python3 doc/site/check.py "$work/with" >/dev/null
cmp "$work/web/index.html" "$work/with/try/index.html"
grep -q '<a href="try/index.html">' "$work/with/faq.html" || die 'faq.html: no link to the page that runs in a browser'

# Then sessions that its program can run have what it needs for that: others, of nvcc or a shell, do not.
sed -n 's/.*<pre data-live="\([^"]*\)".*/\1/p' "$work/with/faq.html" >"$work/live"
[ "$(wc -l <"$work/live")" -ge 15 ] || die "faq.html: only $(wc -l <"$work/live") sessions can be run"
grep -q 'square.cu.*tile\|square.cu.*__global__ void square' "$work/live" || die 'faq.html: a session lacks its file'
! grep -q 'trace -\|sed \|--nvcc' "$work/live" || die 'faq.html: a session is offered that needs a shell'
! grep -q 'data-live' "$work/with/guide-engineer.html" || die 'guide-engineer.html: a session is offered that needs nvcc'
! grep -rq '<pre data-live\|src="live.js"' "$work/site" --include='*.html' || die 'sessions are offered without the page that runs them'

# A session has its commands marked, a table may be wider than the page, and a man page names others as links.
grep -q '<span class="command">\$ smembank ' "$work/site/index.html" || die 'index.html: no command is marked'
grep -q '<div class="wide" tabindex="0"><table>' "$work/site/model.html" || die 'model.html: no table'
grep -q '<a href="smembank-merge.1.html"><b>smembank-merge</b>(1)</a>' "$work/site/smembank-check.1.html" || die 'smembank-check(1): no link'
grep -qF '["smembank-advise.1.html#DESCRIPTION","smembank-advise(1)","Description","' "$work/site/search.js" || die 'the search lacks a section'
if command -v node >/dev/null; then
  for script in site.js search.js ../with/live.js; do
    node --check "$work/site/$script" || die "$script is no script"
  done
fi
if command -v chromedriver >/dev/null; then
  python3 tests/site-browser.py "$work/site" "$work/profile" || die 'in a browser'
fi
