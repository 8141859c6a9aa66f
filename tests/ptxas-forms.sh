#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# Which loads, stores and atomics there are: those that ptxas takes (ptxas-forms.py). Skipped without ptxas or python3.
set -eu
if [ "${PTXAS:-no}" = no ]; then
  echo 'no ptxas'
  exit 77
fi
if ! command -v python3 >/dev/null; then
  echo 'no python3'
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "${srcdir:?}/tests/ptxas-forms.py" "$PTXAS" tests/print-fates "$work"
