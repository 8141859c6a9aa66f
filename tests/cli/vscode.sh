#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The extension of Visual Studio Code, with the server and without an editor. Debian: nodejs; skipped without.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null || {
  echo 'no node 18 or later: skipped'
  exit 77
}
timeout 120 node "$srcdir/editors/vscode/test.js" "$SMEMBANK" "$work" || die 'the extension'
