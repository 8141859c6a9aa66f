// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of CUPTI's binary interface that only its older profiler needs: as gpu/cupti/cupti-abi.h. Names and
// order of the members are those of cupti_profiler_target.h, the same in CUDA 12.0 and 13.0. A context of
// NULL is the current one. tests/cupti-abi.sh compares the layouts with the headers of a toolkit.
#pragma once

#include "gpu/cupti/cupti-abi.h"

typedef struct {
  size_t structSize;
  void *pPriv;
  const uint8_t *pCounterDataPrefix; /* aligned to 8 bytes */
  size_t counterDataPrefixSize;
  uint32_t maxNumRanges;
  uint32_t maxNumRangeTreeNodes;
  uint32_t maxRangeNameLength; /* with the final 0 */
} CuptiCounterDataOptions;

typedef struct {
  size_t structSize;
  void *pPriv;
  size_t sizeofCounterDataImageOptions;
  const CuptiCounterDataOptions *pOptions;
  size_t counterDataImageSize; /* out */
} CuptiCounterDataGetSize;

typedef struct {
  size_t structSize;
  void *pPriv;
  size_t sizeofCounterDataImageOptions;
  const CuptiCounterDataOptions *pOptions;
  size_t counterDataImageSize;
  uint8_t *pCounterDataImage;
} CuptiCounterDataInitialize;

typedef struct {
  size_t structSize;
  void *pPriv;
  size_t counterDataImageSize;
  uint8_t *pCounterDataImage;
  size_t counterDataScratchBufferSize; /* out */
} CuptiCounterDataGetScratchSize;

typedef struct {
  size_t structSize;
  void *pPriv;
  size_t counterDataImageSize;
  uint8_t *pCounterDataImage;
  size_t counterDataScratchBufferSize;
  uint8_t *pCounterDataScratchBuffer;
} CuptiCounterDataInitializeScratch;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx;
  size_t counterDataImageSize;
  uint8_t *pCounterDataImage;
  size_t counterDataScratchBufferSize;
  uint8_t *pCounterDataScratchBuffer;
  uint8_t bDumpCounterDataInFile;
  const char *pCounterDataFilePath;
  int range;
  int replayMode;
  size_t maxRangesPerPass;
  size_t maxLaunchesPerPass; /* at least maxRangesPerPass */
} CuptiProfilerBeginSession;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx;
  const uint8_t *pConfig; /* aligned to 8 bytes */
  size_t configSize;
  uint16_t minNestingLevel;
  uint16_t numNestingLevels;
  size_t passIndex;
  uint16_t targetNestingLevel;
} CuptiProfilerSetConfig;

/** The parameters of EndSession, UnsetConfig, BeginPass, EnableProfiling, DisableProfiling, PopRange. */
typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx;
} CuptiProfilerCall;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx;
  uint16_t targetNestingLevel; /* out */
  size_t passIndex;            /* out */
  uint8_t allPassesSubmitted;  /* out */
} CuptiProfilerEndPass;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx;
  size_t numRangesDropped;     /* out */
  size_t numTraceBytesDropped; /* out */
} CuptiProfilerFlushCounterData;

typedef struct {
  size_t structSize;
  void *pPriv;
  void *ctx;
  const char *pRangeName;
  size_t rangeNameLength;
} CuptiProfilerPushRange;
