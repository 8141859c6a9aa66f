// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arrays: memory that kernels reach by textures and surfaces. Their elements lie in rows here, without gaps (sim/texture/descriptor.h).
#pragma once

#include "gpu/driver/abi.h"

struct Pages;

typedef struct Array {
  cudaChannelFormatDesc format;
  cudaExtent extent; // as given: a height or depth of 0 is of an array with fewer dimensions
  unsigned flags;
  size_t element_bytes;
  char *data;          // NULL: it has pages
  struct Pages *pages; // (nullable): that the program maps (array-pages.h)
  unsigned level;      // among them
  bool is_level;       // of a mipmap, which has the pages
} Array;

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *format,
                              cudaExtent extent, unsigned flags);
cudaError_t cudaFreeArray(cudaArray_t array);

// The bytes of an element: one, two or four components of the same 8, 16 or 32 bits; 0: it is another format.
size_t array_element_bytes(const cudaChannelFormatDesc *format);

// Whether there can be such an array, and the bytes of its elements.
cudaError_t array_check(const cudaChannelFormatDesc *format, cudaExtent extent, unsigned flags,
                        size_t *element_bytes);

// The pages of a mipmap. NULL: it has none.
struct Pages *mipmap_pages(const struct Mipmap *mipmap);

// The levels of a mipmapped array.
unsigned mipmap_count(const struct Mipmap *mipmap);
Array *const *mipmap_levels(const struct Mipmap *mipmap);

// Elements in each direction, at least one.
cudaExtent array_extent(const Array *array);
