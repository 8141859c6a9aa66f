#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The page of 'smembank report' in a headless Chromium (tests/cli/browser.py). Skipped where there is none:
# the Debian packages are chromium, chromium-driver and python3.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

for program in chromedriver python3; do
  command -v "$program" >/dev/null || { echo "SKIP: no $program"; exit 77; }
done
command -v chromium >/dev/null || command -v google-chrome >/dev/null || { echo 'SKIP: no browser'; exit 77; }
python3 "$srcdir/tests/cli/browser.py" "$SMEMBANK" "$work"
