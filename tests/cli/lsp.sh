#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# lsp: the protocol, spoken by lsp.py. Debian: python3; skipped without.
set -eu
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"
command -v python3 >/dev/null || {
  echo 'no python3: skipped'
  exit 77
}
folder=$(cd "$srcdir" && pwd)
cp "$srcdir/tests/ptx/transpose.ptx" "$work"
cd "$work"
# A compiler that makes one store of four.
(echo "stores 64 5" | made_nvcc)
timeout 300 python3 "$folder/tests/cli/lsp.py" "$SMEMBANK" "$work"

# Nothing is left behind.
mkdir "$work/tmp"
TMPDIR=$work/tmp "$SMEMBANK" lsp </dev/null && die "a client that goes without a word has status 0"
[ -z "$(ls "$work/tmp")" ] || die "lsp leaves $(ls "$work/tmp")"
expect 2 lsp --no-such
