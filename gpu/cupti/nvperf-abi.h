// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of the binary interface of NVIDIA's perf host library (libnvperf_host.so, which comes with
// CUPTI) that is called here: as gpu/cupti/cupti-abi.h. Names and order of the members are the library's
// (nvperf_host.h, nvperf_cuda_host.h, nvperf_common.h of CUDA 13.0, which only adds functions to those of
// 12.0: the layouts are the same). tests/cupti-abi.sh compares them with the headers of a toolkit.
#pragma once

#include "gpu/cupti/cupti-abi.h"

/** NVPA_Status: the value that is distinguished. */
enum {
  NVPA_STATUS_SUCCESS = 0,
};

/** NVPA_ActivityKind. */
enum {
  NVPA_ACTIVITY_KIND_PROFILER = 1,
};

typedef struct {
  size_t structSize;
  void *pPriv;
} NvpwInitializeHost;

typedef struct {
  size_t structSize;
  void *pPriv;
  const char *pChipName;
  const uint8_t *pCounterAvailabilityImage;
  size_t scratchBufferSize; /* out */
} NvpwEvaluatorScratchSize;

typedef struct {
  size_t structSize;
  void *pPriv;
  uint8_t *pScratchBuffer;
  size_t scratchBufferSize;
  const char *pChipName;
  const uint8_t *pCounterAvailabilityImage;
  const uint8_t *pCounterDataImage;
  size_t counterDataImageSize;
  void *pMetricsEvaluator; /* out */
} NvpwEvaluatorInitialize;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pMetricsEvaluator;
} NvpwEvaluatorDestroy;

/** A metric: has no size of its own; the functions take it. */
typedef struct {
  size_t metricIndex;
  uint8_t metricType;
  uint8_t rollupOp;
  uint16_t submetric;
} NvpwMetricEvalRequest;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pMetricsEvaluator;
  const char *pMetricName;
  NvpwMetricEvalRequest *pMetricEvalRequest; /* *out */
  size_t metricEvalRequestStructSize;
} NvpwEvaluatorConvertName;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pMetricsEvaluator;
  const NvpwMetricEvalRequest *pMetricEvalRequests;
  size_t numMetricEvalRequests;
  size_t metricEvalRequestStructSize;
  size_t metricEvalRequestStrideSize;
  const char **ppRawDependencies;         /* *out */
  size_t numRawDependencies;              /* in, out */
  const char **ppOptionalRawDependencies; /* *out */
  size_t numOptionalRawDependencies;      /* in, out */
} NvpwEvaluatorGetRawDependencies;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pMetricsEvaluator;
  const uint8_t *pCounterDataImage;
  size_t counterDataImageSize;
} NvpwEvaluatorSetDeviceAttributes;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pMetricsEvaluator;
  const NvpwMetricEvalRequest *pMetricEvalRequests;
  size_t numMetricEvalRequests;
  size_t metricEvalRequestStructSize;
  size_t metricEvalRequestStrideSize;
  const uint8_t *pCounterDataImage;
  size_t counterDataImageSize;
  size_t rangeIndex;
  uint8_t isolated;
  double *pMetricValues; /* *out */
} NvpwEvaluatorEvaluateToGpuValues;

/** A raw metric: what the hardware counts, and metrics are made of. */
typedef struct {
  size_t structSize;
  void *pPriv;
  const char *pMetricName;
  uint8_t isolated;
  uint8_t keepInstances;
} NvpaRawMetricRequest;

typedef struct {
  size_t structSize;
  void *pPriv;
  int activityKind;
  const char *pChipName;
  const uint8_t *pCounterAvailabilityImage;
  void *pRawMetricsConfig; /* out */
} NvpwRawConfigCreate;

/** Also the parameters of EndPassGroup. */
typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRawMetricsConfig;
} NvpwRawConfigDestroy;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRawMetricsConfig;
  const uint8_t *pCounterAvailabilityImage;
} NvpwRawConfigSetCounterAvailability;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRawMetricsConfig;
  size_t maxPassCount; /* 0: any number */
} NvpwRawConfigBeginPassGroup;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRawMetricsConfig;
  const NvpaRawMetricRequest *pRawMetricRequests;
  size_t numMetricRequests;
} NvpwRawConfigAddMetrics;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pRawMetricsConfig;
  uint8_t mergeAllPassGroups;
} NvpwRawConfigGenerateImage;

typedef struct {
  size_t structSize;
  void *pPriv;
  const void *pRawMetricsConfig;
  size_t bytesAllocated;
  uint8_t *pBuffer;
  size_t bytesCopied; /* out */
} NvpwRawConfigGetImage;

typedef struct {
  size_t structSize;
  void *pPriv;
  const char *pChipName;
  const uint8_t *pCounterAvailabilityImage;
  void *pCounterDataBuilder; /* out */
} NvpwBuilderCreate;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pCounterDataBuilder;
} NvpwBuilderDestroy;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pCounterDataBuilder;
  const NvpaRawMetricRequest *pRawMetricRequests;
  size_t numMetricRequests;
} NvpwBuilderAddMetrics;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *pCounterDataBuilder;
  size_t bytesAllocated;
  uint8_t *pBuffer;
  size_t bytesCopied; /* out */
} NvpwBuilderGetPrefix;
