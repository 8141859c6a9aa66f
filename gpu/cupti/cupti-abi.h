// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of CUPTI's binary interface that is called here. CUPTI is opened at run time, and its header
// for the host functions is C++: so the interface is declared here, and builds without a toolkit. Each
// structure begins with its own size, by which CUPTI knows what the caller knows; names and order of
// the members are CUPTI's (cupti_profiler_target.h, cupti_profiler_host.h, cupti_range_profiler.h,
// cupti_target.h of CUDA 13.0). tests/cupti-abi.sh compares the layouts with the headers of a toolkit.
#pragma once

#include <stddef.h>
#include <stdint.h>

/** CUptiResult: the values that are distinguished. */
enum {
  CUPTI_SUCCESS = 0,
  CUPTI_ERROR_INVALID_METRIC_NAME = 17,
  CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
  CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40,
};

/** CUpti_ProfilerRange and CUpti_ProfilerReplayMode: ranges and passes are the caller's. */
enum {
  CUPTI_USER_RANGE = 2,
  CUPTI_USER_REPLAY = 3,
};

/** CUpti_ProfilerType. */
enum {
  CUPTI_RANGE_PROFILER = 0,
};

typedef struct {
  size_t structSize;
  void *pPriv;
} CuptiInitialize;

typedef struct {
  size_t structSize;
  void *pPriv;
  size_t deviceIndex;
  const char *pChipName; /* out */
} CuptiGetChipName;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx;
  size_t counterAvailabilityImageSize; /* in, out */
  uint8_t *pCounterAvailabilityImage;
} CuptiGetCounterAvailability;

typedef struct {
  size_t structSize;
  void *pPriv;
  int profilerType;
  const char *pChipName;
  const uint8_t *pCounterAvailabilityImage;
  void *pHostObject; /* out */
} CuptiHostInitialize;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
} CuptiHostDeinitialize;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
  const char **ppMetricNames;
  size_t numMetrics;
} CuptiHostConfigAddMetrics;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
  size_t configImageSize; /* out */
} CuptiHostGetConfigImageSize;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
  size_t configImageSize;
  uint8_t *pConfigImage;
} CuptiHostGetConfigImage;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pHostObject;
  const uint8_t *pCounterDataImage;
  size_t counterDataImageSize;
  size_t rangeIndex;
  const char **ppMetricNames;
  size_t numMetrics;
  double *pMetricValues; /* out */
} CuptiHostEvaluateToGpuValues;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx;
  void *pRangeProfilerObject; /* out */
} CuptiRangeProfilerEnable;

/** Also the parameters of Disable, Start, PopRange. */
typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRangeProfilerObject;
} CuptiRangeProfilerCall;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRangeProfilerObject;
  const char **pMetricNames;
  size_t numMetrics;
  size_t maxNumOfRanges;
  uint32_t maxNumRangeTreeNodes;
  size_t counterDataSize; /* out */
} CuptiRangeProfilerGetCounterDataSize;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRangeProfilerObject;
  size_t counterDataSize;
  uint8_t *pCounterData;
} CuptiRangeProfilerInitializeCounterData;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRangeProfilerObject;
  size_t configSize;
  const uint8_t *pConfig;
  size_t counterDataImageSize;
  uint8_t *pCounterDataImage;
  int range;
  int replayMode;
  size_t maxRangesPerPass;
  uint16_t numNestingLevels;
  uint16_t minNestingLevel;
  size_t passIndex;
  uint16_t targetNestingLevel;
} CuptiRangeProfilerSetConfig;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRangeProfilerObject;
  const char *pRangeName;
} CuptiRangeProfilerPushRange;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRangeProfilerObject;
  size_t passIndex;           /* out */
  size_t targetNestingLevel;  /* out */
  uint8_t isAllPassSubmitted; /* out */
} CuptiRangeProfilerStop;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRangeProfilerObject;
  size_t numOfRangeDropped; /* out */
} CuptiRangeProfilerDecodeData;

/** The size of a structure as CUPTI counts it: up to the end of its last member. */
#define CUPTI_SIZE(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

/** The parameters of a function: a structure of @type, whose last member is @last, with these members. */
#define CUPTI_PARAMETERS(type, last, ...)                                                          \
  ((type){.structSize = CUPTI_SIZE(type, last), ##__VA_ARGS__})
