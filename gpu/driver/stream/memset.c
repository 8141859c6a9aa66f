// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Fills of memory of the device: boxes of rows of elements that all have one value.
#include <string.h>

#include "gpu/driver/stream/call.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/memory/initialized.h"

static bool
is_empty_fill(const FillCall *fill) {
  return fill->rows.width == 0 || fill->rows.height == 0 || fill->depth == 0;
}

cudaError_t
fill_check(const FillCall *fill) {
  const cudaMemsetParams *rows = &fill->rows;
  size_t width = rows->width * rows->elementSize;
  if (rows->elementSize != 1 && rows->elementSize != 2 && rows->elementSize != 4)
    return cudaErrorInvalidValue;
  if (is_empty_fill(fill))
    return cudaSuccess;
  if (rows->height > 1 && width > rows->pitch)
    return cudaErrorInvalidValue;
  size_t bytes = (fill->depth - 1) * fill->slice_bytes + (rows->height - 1) * rows->pitch + width;
  return (uintptr_t)rows->dst % rows->elementSize == 0 && bytes <= memory_reach(rows->dst)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

static void
fill_row(char *row, const cudaMemsetParams *rows) {
  if (rows->elementSize == 1)
    memset(row, (int)rows->value, rows->width);
  else
    for (size_t i = 0; i < rows->width; i++)
      memcpy(row + i * rows->elementSize, &rows->value, rows->elementSize); // little-endian
  written_note(row, rows->width * rows->elementSize);
}

void
fill_run(const FillCall *fill) {
  if (is_empty_fill(fill))
    return;
  for (size_t z = 0; z < fill->depth; z++)
    for (size_t y = 0; y < fill->rows.height; y++)
      fill_row((char *)fill->rows.dst + z * fill->slice_bytes + y * fill->rows.pitch, &fill->rows);
}

static cudaError_t
fill_box(cudaPitchedPtr to, int value, cudaExtent box, cudaStream_t stream) {
  Call call = {.kind = cudaGraphNodeTypeMemset,
               .fill = {.rows = {to.ptr, to.pitch, (unsigned char)value, 1, box.width, box.height},
                        .depth = box.depth,
                        .slice_bytes = to.pitch * to.ysize}};
  return call_submit(&call, stream, false);
}

API cudaError_t
cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent box, cudaStream_t stream) {
  return fill_box(to, value, box, stream);
}

API cudaError_t
cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                  cudaStream_t stream) {
  return fill_box((cudaPitchedPtr){to, pitch, width, height}, value, (cudaExtent){width, height, 1},
                  stream);
}

API cudaError_t
cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  return cudaMemset2DAsync(to, bytes, value, bytes, 1, stream);
}

// The host does not wait for fills of memory of the device.
API cudaError_t
cudaMemset(void *to, int value, size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, NULL);
}

API cudaError_t
cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, NULL);
}

API cudaError_t
cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent box) {
  return fill_box(to, value, box, NULL);
}
