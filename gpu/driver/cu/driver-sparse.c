// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory is mapped in arrays. Which errors there are was seen on an H200 with driver 580; where the driver crashes, as for handles that
// are none, it is an invalid value here. There, copies of layers of sparse mipmaps go wrong if a tail is between the layers: that is not done here.
#include <stdlib.h>

#include "gpu/driver/cu/driver.h"
#include "gpu/driver/cu/virtual.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/array-pages.h"
#include "gpu/driver/stream/stream-capture.h"

enum {
  SPARSE_LEVEL = 0, // CU_ARRAY_SPARSE_SUBRESOURCE_TYPE_…
  MIP_TAIL = 1,
  OPERATION_MAP = 1, // CU_MEM_OPERATION_TYPE_…
  OPERATION_UNMAP = 2,
  HANDLE_GENERIC = 0, // CU_MEM_HANDLE_TYPE_…
  DEVICE_BIT = 1,     // of the only one
  PAGE = SMB_TEXTURE_PAGE,
};

// What becomes of a page.
typedef struct {
  Pages *pages;
  size_t page;
  Physical *owner; // NULL: it is unmapped
  char *address;
} Change;

// What a call asks for.
typedef struct {
  size_t n, room;
  Change *all;
} Changes;

// Of one entry: what it maps, and how much of that is left.
typedef struct {
  Pages *pages;
  Physical *owner;
  char *next;
  size_t left;
  Changes *changes;
} Mapping;

static cudaError_t
add_page(Mapping *mapping, size_t page) {
  Changes *changes = mapping->changes;
  if (mapping->owner && mapping->left < PAGE)
    return cudaErrorInvalidValue;
  if (changes->n == changes->room) {
    size_t room = 2 * changes->room + 16;
    Change *larger = realloc(changes->all, room * sizeof *larger);
    if (!larger)
      return cudaErrorMemoryAllocation;
    changes->all = larger;
    changes->room = room;
  }
  changes->all[changes->n++] = (Change){mapping->pages, page, mapping->owner, mapping->next};
  if (mapping->owner) {
    mapping->next += PAGE;
    mapping->left -= PAGE;
  }
  return cudaSuccess;
}

static cudaError_t
add_pages(Mapping *mapping, size_t first, size_t n) {
  cudaError_t error = cudaSuccess;
  for (size_t i = 0; !error && i < n; i++)
    error = add_page(mapping, first + i);
  return error;
}

// Whether a stretch consists of tiles; only the last one may be cut off, by the end of the array.
static bool
is_tiled(size_t offset, size_t extent, size_t tile, size_t whole) {
  return offset % tile == 0 && extent > 0 && offset < whole && extent <= whole - offset &&
         (extent % tile == 0 || offset + extent == whole);
}

static cudaError_t
add_level(Mapping *mapping, const CUarrayMapInfo *info) {
  const Pages *pages = mapping->pages;
  const unsigned level = info->subresource.sparseLevel.level;
  const cudaPos at = {info->subresource.sparseLevel.offsetX, info->subresource.sparseLevel.offsetY,
                      info->subresource.sparseLevel.offsetZ};
  const cudaExtent box = {info->subresource.sparseLevel.extentWidth,
                          info->subresource.sparseLevel.extentHeight,
                          info->subresource.sparseLevel.extentDepth};
  if (level >= pages->n_tiled || info->subresource.sparseLevel.layer >= pages->n_layers)
    return cudaErrorInvalidValue;
  const cudaExtent tile = pages->tile, whole = pages_extent(pages, level);
  if (!is_tiled(at.x, box.width, tile.width, whole.width) ||
      !is_tiled(at.y, box.height, tile.height, whole.height) ||
      !is_tiled(at.z, box.depth, tile.depth, whole.depth))
    return cudaErrorInvalidValue;
  const SmbTextureLevel *layout = &pages->levels[level];
  size_t first =
      (info->subresource.sparseLevel.layer * pages->layer_bytes + layout->address) / PAGE;
  size_t n = (box.width + tile.width - 1) / tile.width;
  cudaError_t error = cudaSuccess;
  for (size_t z = at.z; !error && z < at.z + box.depth; z += tile.depth)
    for (size_t y = at.y; !error && y < at.y + box.height; y += tile.height) {
      size_t row = z / tile.depth * layout->n_down + y / tile.height;
      error = add_pages(mapping, first + row * layout->n_across + at.x / tile.width, n);
    }
  return error;
}

static cudaError_t
add_tail(Mapping *mapping, const CUarrayMapInfo *info) {
  const Pages *pages = mapping->pages;
  unsigned long long offset = info->subresource.miptail.offset;
  unsigned long long size = info->subresource.miptail.size;
  unsigned layer = info->subresource.miptail.layer;
  if (offset % PAGE || size % PAGE || size == 0 || size > pages->tail_bytes ||
      offset > pages->tail_bytes - size || layer >= (pages->has_one_tail ? 1 : pages->n_layers))
    return cudaErrorInvalidValue;
  size_t start = layer * pages->layer_bytes + pages->tail_start + offset;
  return add_pages(mapping, start / PAGE, size / PAGE);
}

static Pages *
find_asked_pages(const CUarrayMapInfo *info) {
  const Array *array = info->resource.array;
  const struct Mipmap *mipmap = info->resource.mipmap;
  return info->resourceType == cudaResourceTypeArray && handle_is(array, HANDLE_ARRAY) &&
                 !array->is_level
             ? array->pages
         : info->resourceType == cudaResourceTypeMipmappedArray && handle_is(mipmap, HANDLE_MIPMAP)
             ? mipmap_pages(mipmap)
             : NULL;
}

static cudaError_t
find_asked_memory(const CUarrayMapInfo *info, Mapping *mapping) {
  size_t bytes;
  if (info->memOperationType == OPERATION_UNMAP)
    return cudaSuccess;
  mapping->owner = info->memHandle.memHandle;
  mapping->next = physical_tiles(mapping->owner, &bytes);
  if (info->memOperationType != OPERATION_MAP || info->memHandleType != HANDLE_GENERIC ||
      !mapping->next || info->offset % PAGE || info->offset >= bytes)
    return cudaErrorInvalidValue;
  mapping->next += info->offset;
  mapping->left = bytes - info->offset;
  return cudaSuccess;
}

static cudaError_t
add_entry(Changes *changes, const CUarrayMapInfo *info) {
  Mapping mapping = {.pages = find_asked_pages(info), .changes = changes};
  if (!mapping.pages || info->deviceBitMask != DEVICE_BIT || info->flags || info->reserved[0] ||
      info->reserved[1])
    return cudaErrorInvalidValue;
  cudaError_t error = find_asked_memory(info, &mapping);
  if (error)
    return error;
  if (!mapping.pages->is_sparse)
    return add_pages(&mapping, 0, mapping.pages->n);
  return info->subresourceType == SPARSE_LEVEL ? add_level(&mapping, info)
         : info->subresourceType == MIP_TAIL   ? add_tail(&mapping, info)
                                               : cudaErrorInvalidValue;
}

static void
free_changes(Changes *changes) {
  free(changes->all);
  free(changes);
}

// In the order of the stream.
static void
run_changes(void *user) {
  Changes *changes = user;
  for (size_t i = 0; i < changes->n; i++)
    pages_set(changes->all[i].pages, changes->all[i].page, changes->all[i].owner,
              changes->all[i].address);
  free_changes(changes);
}

// The memory is used from now on, also if its handle is released before the stream comes to it.
static cudaError_t
submit_changes(Changes *changes, cudaStream_t stream) {
  for (size_t i = 0; i < changes->n; i++)
    if (changes->all[i].owner)
      physical_retain(changes->all[i].owner);
  Call call = {.kind = cudaGraphNodeTypeHost, .host = {run_changes, changes}};
  return call_submit(&call, stream, false);
}

// No graph has such nodes.
static cudaError_t
check_no_capture(cudaStream_t handle) {
  Stream *stream = stream_of(handle);
  return !stream                    ? cudaErrorInvalidResourceHandle
         : stream->capture          ? capture_break(stream, cudaErrorStreamCaptureUnsupported)
         : stream_is_legacy(stream) ? capture_check_legacy()
                                    : cudaSuccess;
}

cudaError_t
cuMemMapArrayAsync(const CUarrayMapInfo *list, unsigned n, cudaStream_t stream) {
  if (!list || n == 0)
    return cudaErrorInvalidValue;
  cudaError_t error = check_no_capture(stream);
  if (error)
    return error;
  Changes *changes = calloc(1, sizeof *changes);
  if (!changes)
    return cudaErrorMemoryAllocation;
  for (unsigned i = 0; !error && i < n; i++)
    error = add_entry(changes, &list[i]);
  if (error) {
    free_changes(changes);
    return error;
  }
  return submit_changes(changes, stream);
}
