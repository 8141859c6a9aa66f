#!/bin/sh
# SPDX-FileCopyrightText: the smembank authors
# SPDX-License-Identifier: MIT
#
# gpu/cupti/cupti-abi.h, gpu/cupti/cupti-legacy-abi.h and gpu/cupti/nvperf-abi.h say of CUPTI's structures, and of those of the
# perf host library, what their own headers say: every member at the same offset and of the same size,
# every structure as long, every constant of the same value. What a toolkit has no headers of is left out
# (the Range Profiler's are in CUDA 12.6 and later). Skipped where there are none, or no C++ compiler, which
# they need.
set -eu

CXX=${CXX:-g++}
source=$(realpath "${srcdir:?}")
if ! command -v "$CXX" >/dev/null; then
  echo "no C++ compiler"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile FILE: with the headers of the toolkit that configure found.
compile() {
  # shellcheck disable=SC2086 # CUDA_CPPFLAGS are words
  "$CXX" -std=c++17 -fsyntax-only -w -I "$source" ${CUDA_CPPFLAGS-} \
    -isystem "$(dirname "${NVCC:-no}")/../extras/CUPTI/include" "$1"
}

# write_checks NAME: a source that compiles if gpu/cupti/NAME.h is right.
# A release may append members to a structure; that of the header's has none more.
write_checks() {
  cat "$work/$1.headers" - <<EOF
#include <cupti_version.h>
namespace ours {
#include "gpu/cupti/$1.h"
}
#define NVPA_RawMetricRequest_STRUCT_SIZE NVPA_RAW_METRIC_REQUEST_STRUCT_SIZE
// Of these, CUPTI says no size, or that of a part.
#define CUpti_SassMetrics_MetricDetails_STRUCT_SIZE sizeof(CUpti_SassMetrics_MetricDetails)
#define CUpti_SassMetrics_Data_STRUCT_SIZE sizeof(CUpti_SassMetrics_Data)
#define CUpti_SassMetrics_Config_STRUCT_SIZE (offsetof(CUpti_SassMetrics_Config, outputGranularity) + 1)
#undef CUpti_SassMetricsFlushData_Params_STRUCT_SIZE
#define CUpti_SassMetricsFlushData_Params_STRUCT_SIZE sizeof(CUpti_SassMetricsFlushData_Params)
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
      print "SIZE(" $1 ", " $2 ", " member[n] ");" }' "$work/$1.members" "$work/$1.structures"
  awk 'NR == FNR { theirs[$1] = $2; next }
    match($0, /^  (CUPTI|NVPA)_[A-Z_]* =/) {
      name = $1
      print "SAME(int(ours::" name "), int(::" (name in theirs ? theirs[name] : name) "));" }' \
    "$work/constants" "$source/gpu/cupti/$1.h"
}

# compare NAME: gpu/cupti/NAME.h with the headers $work/NAME.headers, by the lines of $work/NAME.structures.
compare() {
  cp "$work/$1.headers" "$work/headers.cc"
  if ! compile "$work/headers.cc" >"$work/log" 2>&1; then
    echo "$1: no headers to compare with: $(head -n 1 "$work/log")"
    return
  fi
  # One line for each structure: its name and its members, in order.
  awk '/^typedef struct/ { members = "" }
    /^  [A-Za-z].*;/ { sub(/;.*/, ""); sub(/.*[ *]/, ""); members = members " " $0 }
    /^} / { sub(/^} /, ""); sub(/;.*/, ""); print $0 members }' "$source/gpu/cupti/$1.h" >"$work/$1.members"
  cut -d ' ' -f 1 "$work/$1.members" | sort -u >"$work/declared"
  cut -d ' ' -f 1 "$work/$1.structures" | sort -u | diff "$work/declared" - || {
    echo "not every structure of gpu/cupti/$1.h is compared"
    exit 1
  }
  write_checks "$1" >"$work/abi.cc"
  compile "$work/abi.cc" || exit 1
  compared=yes
  echo "$1: $(grep -c '^MEMBER' "$work/abi.cc") members," \
    "$(grep -c '^SAME' "$work/abi.cc") constants as in the toolkit"
}

# The constants that CUPTI calls something else; the others have its names.
cat >"$work/constants" <<'EOF'
CUPTI_USER_RANGE CUPTI_UserRange
CUPTI_USER_REPLAY CUPTI_UserReplay
CUPTI_RANGE_PROFILER CUPTI_PROFILER_TYPE_RANGE_PROFILER
EOF

# What follows: the headers of a toolkit; ours, and that of theirs of which it is one.
cat >"$work/cupti-abi.headers" <<'EOF'
#include <cstddef>
#include <cstdint>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
EOF
cat >"$work/cupti-abi.structures" <<'EOF'
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
cat >"$work/cupti-legacy-abi.headers" <<'EOF'
#include <cstddef>
#include <cstdint>
#include <cupti_profiler_target.h>
EOF
cat >"$work/cupti-legacy-abi.structures" <<'EOF'
CuptiCounterDataOptions CUpti_Profiler_CounterDataImageOptions
CuptiCounterDataGetSize CUpti_Profiler_CounterDataImage_CalculateSize_Params
CuptiCounterDataInitialize CUpti_Profiler_CounterDataImage_Initialize_Params
CuptiCounterDataGetScratchSize CUpti_Profiler_CounterDataImage_CalculateScratchBufferSize_Params
CuptiCounterDataInitializeScratch CUpti_Profiler_CounterDataImage_InitializeScratchBuffer_Params
CuptiProfilerBeginSession CUpti_Profiler_BeginSession_Params
CuptiProfilerSetConfig CUpti_Profiler_SetConfig_Params
CuptiProfilerCall CUpti_Profiler_EndSession_Params
CuptiProfilerCall CUpti_Profiler_UnsetConfig_Params
CuptiProfilerCall CUpti_Profiler_BeginPass_Params
CuptiProfilerCall CUpti_Profiler_EnableProfiling_Params
CuptiProfilerCall CUpti_Profiler_DisableProfiling_Params
CuptiProfilerCall CUpti_Profiler_PopRange_Params
CuptiProfilerEndPass CUpti_Profiler_EndPass_Params
CuptiProfilerFlushCounterData CUpti_Profiler_FlushCounterData_Params
CuptiProfilerPushRange CUpti_Profiler_PushRange_Params
EOF
cat >"$work/nvperf-abi.headers" <<'EOF'
#include <cstddef>
#include <cstdint>
#include <nvperf_cuda_host.h>
#include <nvperf_host.h>
EOF
cat >"$work/nvperf-abi.structures" <<'EOF'
NvpwInitializeHost NVPW_InitializeHost_Params
NvpwEvaluatorScratchSize NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params
NvpwEvaluatorInitialize NVPW_CUDA_MetricsEvaluator_Initialize_Params
NvpwEvaluatorDestroy NVPW_MetricsEvaluator_Destroy_Params
NvpwMetricEvalRequest NVPW_MetricEvalRequest
NvpwEvaluatorConvertName NVPW_MetricsEvaluator_ConvertMetricNameToMetricEvalRequest_Params
NvpwEvaluatorGetRawDependencies NVPW_MetricsEvaluator_GetMetricRawDependencies_Params
NvpwEvaluatorSetDeviceAttributes NVPW_MetricsEvaluator_SetDeviceAttributes_Params
NvpwEvaluatorEvaluateToGpuValues NVPW_MetricsEvaluator_EvaluateToGpuValues_Params
NvpaRawMetricRequest NVPA_RawMetricRequest
NvpwRawConfigCreate NVPW_CUDA_RawMetricsConfig_Create_V2_Params
NvpwRawConfigDestroy NVPW_RawMetricsConfig_Destroy_Params
NvpwRawConfigDestroy NVPW_RawMetricsConfig_EndPassGroup_Params
NvpwRawConfigSetCounterAvailability NVPW_RawMetricsConfig_SetCounterAvailability_Params
NvpwRawConfigBeginPassGroup NVPW_RawMetricsConfig_BeginPassGroup_Params
NvpwRawConfigAddMetrics NVPW_RawMetricsConfig_AddMetrics_Params
NvpwRawConfigGenerateImage NVPW_RawMetricsConfig_GenerateConfigImage_Params
NvpwRawConfigGetImage NVPW_RawMetricsConfig_GetConfigImage_Params
NvpwBuilderCreate NVPW_CUDA_CounterDataBuilder_Create_Params
NvpwBuilderDestroy NVPW_CounterDataBuilder_Destroy_Params
NvpwBuilderAddMetrics NVPW_CounterDataBuilder_AddMetrics_Params
NvpwBuilderGetPrefix NVPW_CounterDataBuilder_GetCounterDataPrefix_Params
EOF

cat >"$work/cupti-sass-abi.headers" <<'EOF'
#include <cstddef>
#include <cstdint>
#include <cupti_profiler_target.h>
#include <cupti_sass_metrics.h>
EOF
cat >"$work/cupti-sass-abi.structures" <<'EOF'
CuptiSassMetricDetails CUpti_SassMetrics_MetricDetails
CuptiSassGetProperties CUpti_SassMetrics_GetProperties_Params
CuptiSassConfig CUpti_SassMetrics_Config
CuptiSassSetConfig CUpti_SassMetricsSetConfig_Params
CuptiSassEnable CUpti_SassMetricsEnable_Params
CuptiSassDisable CUpti_SassMetricsDisable_Params
CuptiSassGetDataProperties CUpti_SassMetricsGetDataProperties_Params
CuptiSassInstanceValue CUpti_SassMetrics_InstanceValue
CuptiSassData CUpti_SassMetrics_Data
CuptiSassFlushData CUpti_SassMetricsFlushData_Params
EOF

compared=
compare cupti-abi
compare cupti-sass-abi
compare cupti-legacy-abi
compare nvperf-abi
[ -n "$compared" ] || exit 77
