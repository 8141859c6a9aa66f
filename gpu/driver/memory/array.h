// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arrays: memory that kernels would reach by textures and surfaces. Their elements lie in rows here, without gaps.
#pragma once

#include "gpu/driver/abi.h"

typedef struct Array {
  cudaChannelFormatDesc format;
  cudaExtent extent; // as given: a height or depth of 0 is of an array with fewer dimensions
  unsigned flags;
  size_t element_bytes;
  char *data;
} Array;

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format,
                              cudaExtent extent, unsigned flags);
cudaError_t cudaFreeArray(cudaArray_t array);

// Elements in each direction, at least one.
cudaExtent array_extent(const Array *array);
