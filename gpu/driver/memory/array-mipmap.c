// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Mipmapped arrays: arrays each of which has half the extent of the one before. What else is asked of arrays: sizes and planes.
#include "gpu/driver/memory/array-pages.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/stream/stream-capture.h"
#include "gpu/driver/texture/texture-reference.h"

enum {
  MAX_LEVELS = 20, // of 2^19 elements: more than there can be
};

struct Mipmap {
  unsigned n_levels;
  cudaArray_t levels[MAX_LEVELS];
  Pages *pages; // (nullable): of all levels
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

Pages *
mipmap_pages(const struct Mipmap *mipmap) {
  return mipmap->pages;
}

static void
free_levels(cudaMipmappedArray_t mipmap) {
  references_forget(mipmap);
  for (unsigned i = 0; i < mipmap->n_levels; i++)
    cudaFreeArray(mipmap->levels[i]);
  if (mipmap->pages) {
    queue_wait(queue_last());
    pages_free(mipmap->pages);
  }
  handle_free(mipmap);
}

// More levels than halvings of the largest extent are cut off. Layers are not halved.
static unsigned
count_levels(cudaExtent extent, unsigned n_levels, bool is_layered) {
  size_t longest = extent.width > extent.height ? extent.width : extent.height;
  longest = !is_layered && extent.depth > longest ? extent.depth : longest;
  unsigned n = 1;
  while (n < n_levels && n < MAX_LEVELS && longest >> n)
    n++;
  return n;
}

static cudaExtent
find_level_extent(cudaExtent extent, unsigned level, bool is_layered) {
  return (cudaExtent){halve_extent(extent.width, level), halve_extent(extent.height, level),
                      is_layered ? extent.depth : halve_extent(extent.depth, level)};
}

// Levels that have pages of the mipmap.
static cudaError_t
make_paged_levels(struct Mipmap *mipmap, const cudaChannelFormatDesc *format, cudaExtent extent,
                  unsigned n_levels, unsigned flags) {
  bool is_layered = flags & (cudaArrayLayered | cudaArrayCubemap);
  size_t element;
  cudaError_t error = array_check(format, extent, flags, &element);
  if (error)
    return error;
  mipmap->pages = pages_new(element, extent, flags, n_levels, true);
  for (unsigned i = 0; mipmap->pages && i < n_levels; i++) {
    Array *level = handle_new(HANDLE_ARRAY, sizeof *level);
    if (!level)
      return cudaErrorMemoryAllocation;
    *level = (Array){.format = *format,
                     .extent = find_level_extent(extent, i, is_layered),
                     .flags = flags,
                     .element_bytes = element,
                     .pages = mipmap->pages,
                     .level = i,
                     .is_level = true};
    mipmap->levels[mipmap->n_levels++] = level;
  }
  return mipmap->pages ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t
make_levels(struct Mipmap *mipmap, const cudaChannelFormatDesc *format, cudaExtent extent,
            unsigned n_levels, unsigned flags) {
  bool is_layered = flags & (cudaArrayLayered | cudaArrayCubemap);
  cudaError_t error = cudaSuccess;
  for (unsigned i = 0; !error && i < n_levels; i++) {
    error = cudaMalloc3DArray(&mipmap->levels[i], format, find_level_extent(extent, i, is_layered),
                              flags);
    mipmap->n_levels += !error;
  }
  return error;
}

API cudaError_t
cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap, const cudaChannelFormatDesc *format,
                         cudaExtent extent, unsigned n_levels, unsigned flags) {
  cudaError_t error = error_check();
  if (!error && pages_are_asked(flags))
    error = capture_check_unsafe(false);
  if (!error && !mipmap)
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  struct Mipmap *made = handle_new(HANDLE_MIPMAP, sizeof *made);
  if (!made)
    return error_return(cudaErrorMemoryAllocation);
  n_levels = count_levels(extent, n_levels, flags & (cudaArrayLayered | cudaArrayCubemap));
  error = (pages_are_asked(flags) ? make_paged_levels : make_levels)(made, format, extent, n_levels,
                                                                     flags);
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

// Only formats of several planes have one, which are not made.
API cudaError_t
cudaArrayGetPlane(cudaArray_t *plane, cudaArray_t array, unsigned index) {
  cudaError_t error = error_check();
  (void)plane, (void)array, (void)index;
  return error_return(error ? error : cudaErrorInvalidValue);
}

// --- what the program has to know of pages that it maps

static Pages *
pages_of_array(const Array *array) {
  return handle_is(array, HANDLE_ARRAY) && !array->is_level ? array->pages : NULL;
}

static Pages *
pages_of_mipmap(const struct Mipmap *mipmap) {
  return handle_is(mipmap, HANDLE_MIPMAP) ? mipmap->pages : NULL;
}

// The memory that is mapped at once.
static cudaError_t
tell_requirements(cudaArrayMemoryRequirements *answer, const Pages *pages, int device) {
  cudaError_t error = error_check();
  if (!error && (!answer || !pages || pages->is_sparse))
    error = cudaErrorInvalidValue;
  if (!error && device != 0)
    error = cudaErrorInvalidDevice;
  if (!error)
    *answer = (cudaArrayMemoryRequirements){pages->n * SMB_TEXTURE_PAGE, SMB_TEXTURE_PAGE, {0}};
  return error_return(error);
}

API cudaError_t
cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements *answer, cudaArray_t array, int device) {
  return tell_requirements(answer, pages_of_array(array), device);
}

API cudaError_t
cudaMipmappedArrayGetMemoryRequirements(cudaArrayMemoryRequirements *answer,
                                        cudaMipmappedArray_t mipmap, int device) {
  return tell_requirements(answer, pages_of_mipmap(mipmap), device);
}

// What is reserved in the answer stays as it was, as on an H200.
static cudaError_t
tell_sparse(cudaArraySparseProperties *answer, const Pages *pages) {
  enum {
    SINGLE_MIPTAIL = 1
  };
  cudaError_t error = error_check();
  if (!error && (!answer || !pages || !pages->is_sparse))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  answer->tileExtent.width = (unsigned)pages->tile.width;
  answer->tileExtent.height = (unsigned)pages->tile.height;
  answer->tileExtent.depth = (unsigned)pages->tile.depth;
  answer->miptailFirstLevel = pages->is_mipmap ? pages->n_tiled : 0;
  answer->miptailSize = pages->tail_bytes;
  answer->flags = pages->has_one_tail ? SINGLE_MIPTAIL : 0;
  return cudaSuccess;
}

API cudaError_t
cudaArrayGetSparseProperties(cudaArraySparseProperties *answer, cudaArray_t array) {
  return tell_sparse(answer, pages_of_array(array));
}

API cudaError_t
cudaMipmappedArrayGetSparseProperties(cudaArraySparseProperties *answer,
                                      cudaMipmappedArray_t mipmap) {
  return tell_sparse(answer, pages_of_mipmap(mipmap));
}
