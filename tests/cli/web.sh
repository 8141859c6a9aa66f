#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The page of `make web`: its program says what this one says (tests/cli/web-counts.js), and its view in a headless Chromium, by
# playwright-core from npm (tests/cli/web-page.js), and the documents' sessions that it runs (tests/cli/web-live.js). Skipped unless `make web` was run, which needs Emscripten; a part is skipped
# without Node, Chromium or playwright-core. SMEMBANK_SCREENSHOTS=FOLDER keeps what the pages look like.
set -eu
here=$PWD
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

site=$here/web/site
[ -e "$site/smembank.js" ] || { echo 'SKIP: no page: make web'; exit 77; }
command -v node >/dev/null || { echo 'SKIP: no node'; exit 77; }
sources=$(cd "$srcdir" && pwd)
mkdir -p "$work/kernels"
node "$sources/tests/cli/web-counts.js" "$site" "$SMEMBANK" "$sources/tests/cases" "$sources/tests/data/sass" "$work/kernels"

browser=$(command -v chromium || command -v google-chrome || true)
if [ -z "$browser" ] || ! node -e 'require("playwright-core")' 2>/dev/null; then
  echo 'no Chromium, or no playwright-core in NODE_PATH: the view is not tested'
  exit 0
fi
node "$sources/tests/cli/web-page.js" "$site" "$browser" "$sources/tests/data/sass/transpose.sm_90.cubin" "${SMEMBANK_SCREENSHOTS-}"
if command -v cmark-gfm >/dev/null && command -v mandoc >/dev/null; then
  (cd "$sources" && PYTHONDONTWRITEBYTECODE=1 python3 doc/site/build.py . "$work/documents" 0 "$site")
  node "$sources/tests/cli/web-live.js" "$work/documents" "$browser" "${SMEMBANK_SCREENSHOTS-}"
fi
