#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The Python package on the library that was just built, and its types. Debian: python3-pytest, python3-numpy, mypy; skipped without the first.
set -eu
library=$PWD/libsmembank.so.0
[ -e "$library" ] || {
  echo "no shared library was built"
  exit 77
}
for python in python3 /usr/bin/python3 none; do
  "$python" -c 'import pytest' 2>/dev/null && break
done
[ "$python" != none ] || {
  echo "no python3 with pytest"
  exit 77
}
# An interpreter without the sanitizers cannot load what has them.
if ! SMEMBANK_LIBRARY=$library "$python" -c 'import ctypes, os; ctypes.CDLL(os.environ["SMEMBANK_LIBRARY"])' >/dev/null 2>&1 &&
  ldd "$library" | grep -q 'lib[a-z]*san\.so'; then
  echo "the library was built with sanitizers"
  exit 77
fi
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' "${srcdir:?}/python/smembank/__init__.py")
grep -qF "AC_INIT([smembank],[$version])" "$srcdir/configure.ac" || {
  echo "FAIL: the package has version $version"
  exit 1
}
# The program, and what it puts in the place of CUDA's runtime, are those of this build.
SMEMBANK=$PWD/smembank SMEMBANK_LIBRARY=$library PYTHONPATH=$srcdir/python PYTHONDONTWRITEBYTECODE=1 \
  "$python" -m pytest -q -p no:cacheprovider "$srcdir/python/tests"

# It says that it has types (py.typed): they hold.
if command -v mypy >/dev/null; then
  (cd "$srcdir/python" && mypy --strict --cache-dir=/dev/null -p smembank)
fi
