// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Contexts and streams, as functions of other files use them.
#pragma once

#include "gpu/driver/cu/driver-abi.h"

typedef struct Green Green; // CUgreenCtx

cudaError_t cuDevicePrimaryCtxRelease_v2(CUdevice device);
cudaError_t cuCtxRecordEvent(CUcontext context, cudaEvent_t event);
cudaError_t cuCtxWaitEvent(CUcontext context, cudaEvent_t event);
cudaError_t cuStreamGetCtx_v2(cudaStream_t stream, CUcontext *context, Green **green);
