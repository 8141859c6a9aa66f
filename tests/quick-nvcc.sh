#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# nvcc in a quick run of the tests, $REAL_NVCC. Programs are C++14, in which a compilation takes half as long as in the C++17 of nvcc's default:
# the headers that it brings into every text are shorter. The machine code is the same. Texts with headers that need C++17, calls that say what
# they want, and all calls with SMEMBANK_TEST_EFFORT=cases or full (.ci/full) are as they are.
standard=
case ${SMEMBANK_TEST_EFFORT-} in full | cases) exec "${REAL_NVCC:?}" "$@" ;; esac
for word; do
  case $word in
  -std* | --std* | --version | --dryrun) exec "${REAL_NVCC:?}" "$@" ;;
  *.cu)
    ! grep -qsE '<(cooperative_groups|cuda/|thrust/|cub/)' "$word" || exec "${REAL_NVCC:?}" "$@"
    standard=-std=c++14
    ;;
  esac
done
exec "${REAL_NVCC:?}" $standard "$@"
