#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# gpu/cupti-abi.h says of CUPTI's structures what CUPTI's own headers say: every member at the same offset
# and of the same size, every structure as long, every constant of the same value. Skipped where there
# are no such headers (CUDA 12.6 and later have them) or no C++ compiler, which they need.
set -eu

CXX=${CXX:-g++}
abi=$(realpath "${srcdir:?}")/gpu/cupti-abi.h
if ! command -v "$CXX" >/dev/null; then
  echo "no C++ compiler"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile FILE: with the headers of the toolkit that configure found.
compile() {
  # shellcheck disable=SC2086 # CUDA_CPPFLAGS are words
  "$CXX" -std=c++17 -fsyntax-only -w ${CUDA_CPPFLAGS-} \
    -isystem "$(dirname "${NVCC:-no}")/../extras/CUPTI/include" "$1"
}

cat >"$work/headers.h" <<'EOF'
#include <cstddef>
#include <cstdint>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>
EOF
cp "$work/headers.h" "$work/headers.cc"
if ! compile "$work/headers.cc" >"$work/log" 2>&1; then
  echo "no headers of CUPTI's Range Profiler: $(head -n 1 "$work/log")"
  exit 77
fi

# Ours, and CUPTI's of which it is one: each of gpu/cupti-abi.h has a line.
cat >"$work/structures" <<'EOF'
CuptiInitialize CUpti_Profiler_Initialize_Params
CuptiGetChipName CUpti_Device_GetChipName_Params
CuptiGetCounterAvailability CUpti_Profiler_GetCounterAvailability_Params
CuptiHostInitialize CUpti_Profiler_Host_Initialize_Params
CuptiHostDeinitialize CUpti_Profiler_Host_Deinitialize_Params
CuptiHostConfigAddMetrics CUpti_Profiler_Host_ConfigAddMetrics_Params
CuptiHostGetConfigImageSize CUpti_Profiler_Host_GetConfigImageSize_Params
CuptiHostGetConfigImage CUpti_Profiler_Host_GetConfigImage_Params
CuptiHostEvaluateToGpuValues CUpti_Profiler_Host_EvaluateToGpuValues_Params
CuptiRangeProfilerEnable CUpti_RangeProfiler_Enable_Params
CuptiRangeProfilerCall CUpti_RangeProfiler_Disable_Params
CuptiRangeProfilerCall CUpti_RangeProfiler_Start_Params
CuptiRangeProfilerCall CUpti_RangeProfiler_PopRange_Params
CuptiRangeProfilerGetCounterDataSize CUpti_RangeProfiler_GetCounterDataSize_Params
CuptiRangeProfilerInitializeCounterData CUpti_RangeProfiler_CounterDataImage_Initialize_Params
CuptiRangeProfilerSetConfig CUpti_RangeProfiler_SetConfig_Params
CuptiRangeProfilerPushRange CUpti_RangeProfiler_PushRange_Params
CuptiRangeProfilerStop CUpti_RangeProfiler_Stop_Params
CuptiRangeProfilerDecodeData CUpti_RangeProfiler_DecodeData_Params
EOF
# The constants that CUPTI calls something else; the others have its names.
cat >"$work/constants" <<'EOF'
CUPTI_USER_RANGE CUPTI_UserRange
CUPTI_USER_REPLAY CUPTI_UserReplay
CUPTI_RANGE_PROFILER CUPTI_PROFILER_TYPE_RANGE_PROFILER
EOF

# One line for each structure: its name and its members, in order.
awk '/^typedef struct/ { members = "" }
  /^  [a-z].*;/ { sub(/;.*/, ""); sub(/.*[ *]/, ""); members = members " " $0 }
  /^} / { sub(/^} /, ""); sub(/;.*/, ""); print $0 members }' "$abi" >"$work/members"
# A release may append members to a structure; that of the header's has none more.
{
  cat "$work/headers.h"
  cat <<EOF
namespace ours {
#include "$abi"
}
#define SAME(x, y) static_assert(x == y, "not as in the toolkit")
#define MEMBER(o, c, m) \\
  SAME(offsetof(ours::o, m), offsetof(c, m)); SAME(sizeof(ours::o::m), sizeof(c::m))
#define LENGTH(o, m) (offsetof(ours::o, m) + sizeof(ours::o::m))
#if CUPTI_API_VERSION / 100 == 1300
#  define SIZE(o, c, m) SAME(LENGTH(o, m), c##_STRUCT_SIZE)
#else
#  define SIZE(o, c, m) static_assert(LENGTH(o, m) <= c##_STRUCT_SIZE, "longer than in the toolkit")
#endif
EOF
  awk 'NR == FNR { members[$1] = $0; next }
    { n = split(members[$1], member, " ")
      for (i = 2; i <= n; i++) print "MEMBER(" $1 ", " $2 ", " member[i] ");"
      print "SIZE(" $1 ", " $2 ", " member[n] ");" }' "$work/members" "$work/structures"
  awk 'NR == FNR { theirs[$1] = $2; next }
    match($0, /^  CUPTI_[A-Z_]* =/) {
      name = $1
      print "SAME(int(ours::" name "), int(::" (name in theirs ? theirs[name] : name) "));" }' \
    "$work/constants" "$abi"
} >"$work/abi.cc"

cut -d ' ' -f 1 "$work/members" | sort -u >"$work/declared"
cut -d ' ' -f 1 "$work/structures" | sort -u | diff "$work/declared" - || {
  echo "not every structure of gpu/cupti-abi.h is compared"
  exit 1
}
compile "$work/abi.cc"
echo "$(grep -c '^MEMBER' "$work/abi.cc") members, $(grep -c '^SAME' "$work/abi.cc") constants as in the toolkit"
