#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# The header for static_assert: it compiles with each compiler of C++ that is here, nvcc among them, and counts what the program counts:
# 20,000 requests for each, a million with SMEMBANK_TEST_EFFORT=full.
set -eu
: "${SMEMBANK:?the program to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
requests=20000
[ "${SMEMBANK_TEST_EFFORT:-}" != full ] || requests=1000000
found=no
for compiler in "${NVCC:-nvcc}" g++ clang++ clang++-14; do
  command -v "$compiler" >/dev/null || continue
  found=yes
  case $compiler in
  *nvcc) set -- -x cu -Xcompiler -Wall ;;
  *) set -- -Wall -Wextra -Wno-missing-field-initializers -Werror ;;
  esac
  "$compiler" -std=c++17 -O1 "$@" -I"${srcdir:?}" "$srcdir/tests/layout-header.cpp" -o "$work/header" ||
    { echo "FAIL: $compiler does not compile the header"; exit 1; }
  "$work/header" "$requests" >"$work/trace"
  [ "$(wc -l <"$work/trace")" -eq "$requests" ] || { echo "FAIL: $compiler: requests are missing"; exit 1; }
  "$SMEMBANK" trace "$work/trace" >"$work/out" || { echo "FAIL: $compiler: other counts:"; tail -20 "$work/out"; exit 1; }
done
[ "$found" = yes ] || { echo 'no compiler of C++'; exit 77; }
# Tiles and accesses by their names: the offsets are the program's, too.
"$work/header" tiles >"$work/tiles"
[ "$(wc -l <"$work/tiles")" -ge 15 ] || { echo "FAIL: too few tiles: $(cat "$work/tiles")"; exit 1; }
while IFS='|' read -r layout access wavefronts; do
  counted=$("$SMEMBANK" layout "$layout" --access "$access" --format csv | awk -F, 'NR == 2 { print $10 }')
  [ "$counted" = "$wavefronts" ] || { echo "FAIL: $layout, $access: $counted, in the header $wavefronts"; exit 1; }
done <"$work/tiles"
# The lines for CMake that doc/layout.md shows.
if command -v cmake >/dev/null; then
  mkdir -p "$work/include/smembank" "$work/project"
  cp "$srcdir/sim/binding/layout.hpp" "$work/include/smembank/"
  { echo 'cmake_minimum_required(VERSION 3.16)'; echo 'project(tile CXX)'; echo 'set(CMAKE_CXX_STANDARD 17)'; echo 'add_library(kernels tile.cpp)'
    sed -n '/find_path(SMEMBANK_INCLUDE/,/target_include_directories/p' "$srcdir/doc/layout.md"; } >"$work/project/CMakeLists.txt"
  sed -n '/#include <smembank\/layout.hpp>/,/static_assert.*ldmatrix/p' "$srcdir/doc/layout.md" >"$work/project/tile.cpp"
  { cmake -S "$work/project" -B "$work/built" -DCMAKE_PREFIX_PATH="$work" && cmake --build "$work/built"; } >"$work/cmake" 2>&1 ||
    { echo "FAIL: CMake: $(cat "$work/cmake")"; exit 1; }
  [ -s "$work/built/libkernels.a" ] || { echo "FAIL: nothing was built: $(cat "$work/cmake")"; exit 1; }
fi
