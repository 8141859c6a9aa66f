// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of CUPTI's binary interface that counts by instruction, as gpu/cupti/cupti-abi.h has the rest
// (cupti_sass_metrics.h of CUDA
// 13.0). tests/cupti-abi.sh compares the layouts with the headers of a toolkit.
#pragma once

#include <stddef.h>
#include <stdint.h>

/** CUpti_SassMetrics_OutputGranularity: one sum over the whole device. */
enum {
  CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU = 0,
};

typedef struct {
  uint64_t metricId;
  const char *pMetricName;
  const char *pMetricDescription;
} CuptiSassMetricDetails;

typedef struct {
  size_t structSize;
  void *pPriv;
  const char *pChipName;
  const char *pMetricName;
  CuptiSassMetricDetails metric; /* out */
} CuptiSassGetProperties;

typedef struct {
  uint64_t metricId;
  uint8_t outputGranularity;
} CuptiSassConfig;

typedef struct {
  size_t structSize;
  void *pPriv;
  size_t numOfMetricConfig;
  CuptiSassConfig *pConfigs;
  uint32_t deviceIndex;
} CuptiSassSetConfig;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx; /* NULL: the current one */
  uint8_t enableLazyPatching;
} CuptiSassEnable;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx;
  size_t numOfDroppedRecords; /* out */
} CuptiSassDisable;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx;
  size_t numOfPatchedInstructionRecords; /* out */
  size_t numOfInstances;                 /* out */
} CuptiSassGetDataProperties;

typedef struct {
  uint64_t metricId;
  uint64_t value;
} CuptiSassInstanceValue;

typedef struct {
  size_t structSize;
  void *pPriv;
  uint32_t cubinCrc;
  uint32_t functionIndex;
  const char *functionName;
  uint32_t pcOffset;
  CuptiSassInstanceValue *pInstanceValues;
} CuptiSassData;

// Its size, for CUPTI, is up to numOfInstances.
typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx;
  size_t numOfPatchedInstructionRecords;
  size_t numOfInstances;
  CuptiSassData *pMetricsData;
} CuptiSassFlushData;
