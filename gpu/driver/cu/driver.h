// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The driver's interface: every function is a line of driver-functions.def. It is called through an Entry, which checks what the function
// needs, and makes a CUresult of its error.
#pragma once

#include "gpu/driver/cu/driver-abi.h"
#include "gpu/driver/cu/runtime.h"
#include "gpu/driver/cu/driver-entry.h"

// A copy as the runtime makes it.
cudaError_t driver_take_box(const CUDA_MEMCPY3D *given, cudaMemcpy3DParms *box);
void driver_give_box(const cudaMemcpy3DParms *box, CUDA_MEMCPY3D *given);

// The format of elements: whether it is one of the runtime's; CUarray_format of one of these.
bool driver_take_format(int format, unsigned n, cudaChannelFormatDesc *taken);
int driver_give_format(const cudaChannelFormatDesc *format, unsigned *n);

// How a texture is read, by CU_TRSF_…; @format (nullable) of its elements.
void driver_take_flags(unsigned flags, const cudaChannelFormatDesc *format, cudaTextureDesc *how);

// In the list that is given instead of arguments; CU_LAUNCH_PARAM_….
enum {
  DRIVER_EXTRA_END,
  DRIVER_EXTRA_BUFFER,
  DRIVER_EXTRA_BYTES,
};

// A launch, with its arguments as a list, or as one buffer.
cudaError_t driver_launch_function(CUfunction function, const cudaLaunchConfig_t *configuration,
                                   void **given, void **extra);

// The arguments of a launch, which come as one buffer if @extra says so. The caller frees *@kept.
cudaError_t driver_take_arguments(const Kernel *kernel, void **given, void **extra,
                                  void ***arguments, void ***kept);
