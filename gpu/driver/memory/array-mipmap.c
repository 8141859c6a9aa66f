// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Mipmapped arrays: arrays each of which has half the extent of the one before. What else is asked of arrays: sizes and planes.
#include "gpu/driver/memory/array.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/stream/stream-capture.h"
#include "gpu/driver/texture/texture-reference.h"

enum {
  MAX_LEVELS = 20, // of 2^19 elements: more than there can be
};

struct Mipmap {
  unsigned n_levels;
  cudaArray_t levels[MAX_LEVELS];
};

static size_t
halve_extent(size_t extent, unsigned level) {
  size_t half = extent >> level;
  return extent > 0 && half == 0 ? 1 : half;
}

unsigned
mipmap_count(const struct Mipmap *mipmap) {
  return mipmap->n_levels;
}

Array *const *
mipmap_levels(const struct Mipmap *mipmap) {
  return mipmap->levels;
}

static void
free_levels(cudaMipmappedArray_t mipmap) {
  references_forget(mipmap);
  for (unsigned i = 0; i < mipmap->n_levels; i++)
    cudaFreeArray(mipmap->levels[i]);
  handle_free(mipmap);
}

API cudaError_t
cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap, const cudaChannelFormatDesc *format,
                         cudaExtent extent, unsigned n_levels, unsigned flags) {
  cudaError_t error = error_check();
  n_levels += n_levels == 0;
  if (!error && !mipmap)
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  struct Mipmap *made = handle_new(HANDLE_MIPMAP, sizeof *made);
  if (!made)
    return error_return(cudaErrorMemoryAllocation);
  // More levels than halvings of the largest extent are cut off. Layers are not halved.
  bool is_layered = flags & cudaArrayLayered;
  size_t longest = extent.width > extent.height ? extent.width : extent.height;
  longest = !is_layered && extent.depth > longest ? extent.depth : longest;
  for (unsigned i = 0; !error && i < n_levels && i < MAX_LEVELS && (i == 0 || longest >> i); i++) {
    cudaExtent part = {halve_extent(extent.width, i), halve_extent(extent.height, i),
                       is_layered ? extent.depth : halve_extent(extent.depth, i)};
    error = cudaMalloc3DArray(&made->levels[i], format, part, flags);
    made->n_levels += !error;
  }
  if (error)
    free_levels(made);
  else
    *mipmap = made;
  return error_return(error);
}

API cudaError_t
cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap) {
  cudaError_t error = error_check();
  if (error || !mipmap)
    return error_return(error);
  if (!handle_is(mipmap, HANDLE_MIPMAP))
    return error_return(cudaErrorInvalidResourceHandle);
  free_levels(mipmap);
  return cudaSuccess;
}

API cudaError_t
cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_t mipmap, unsigned which) {
  cudaError_t error = error_check();
  if (!error && !handle_is(mipmap, HANDLE_MIPMAP))
    error = cudaErrorInvalidResourceHandle;
  if (!error && (!level || which >= mipmap->n_levels))
    error = cudaErrorInvalidValue;
  if (!error)
    *level = mipmap->levels[which];
  return error_return(error);
}

// Only arrays have them whose memory is mapped later, which are not made (seen on an H100).
API cudaError_t
cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements *answer, cudaArray_t array, int device) {
  cudaError_t error = error_check();
  (void)answer, (void)array;
  if (!error && device != 0)
    error = cudaErrorInvalidDevice;
  return error_return(error ? error : cudaErrorInvalidValue);
}

// Only formats of several planes have one, which are not made.
API cudaError_t
cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned index) {
  cudaError_t error = error_check();
  (void)plane, (void)array, (void)index;
  return error_return(error ? error : cudaErrorInvalidValue);
}

// What only sparse and deferred arrays have, of which none is made.
API cudaError_t
cudaMipmappedArrayGetMemoryRequirements(cudaArrayMemoryRequirements *answer,
                                        cudaMipmappedArray_t mipmap, int device) {
  (void)mipmap;
  return cudaArrayGetMemoryRequirements(answer, NULL, device);
}

API cudaError_t
cudaArrayGetSparseProperties(void *answer, cudaArray_t array) {
  cudaError_t error = error_check();
  (void)answer, (void)array;
  return error_return(error ? error : cudaErrorInvalidValue);
}

API cudaError_t
cudaMipmappedArrayGetSparseProperties(void *answer, cudaMipmappedArray_t mipmap) {
  (void)mipmap;
  return cudaArrayGetSparseProperties(answer, NULL);
}
