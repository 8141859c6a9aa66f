// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies and fills. They are done when they are asked for: what was launched before has run.
#include <string.h>

#include "gpu/driver/error.h"
#include "gpu/driver/memory.h"
#include "gpu/driver/module.h"
#include "gpu/driver/output.h"

// Whether bytes at an address lie in one allocation, or, of the host's memory, anywhere.
static bool
fits_allocation(const void *address, size_t bytes, bool is_device) {
  Allocation found;
  if (memory_find(address, &found))
    return (uintptr_t)address - found.address + bytes <= found.bytes;
  return !is_device;
}

static cudaError_t
check_copy(const void *to, const void *from, size_t bytes, int kind) {
  bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  cudaError_t error = error_check();
  if (error || bytes == 0)
    return error;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  return fits_allocation(to, bytes, to_device) && fits_allocation(from, bytes, from_device)
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

API cudaError_t
cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
  output_write();
  cudaError_t error = check_copy(to, from, bytes, kind);
  if (!error)
    memmove(to, from, bytes);
  return error_return(error);
}

API cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t stream) {
  (void)stream;
  return cudaMemcpy(to, from, bytes, kind);
}

API cudaError_t
cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
             size_t height, int kind) {
  output_write();
  cudaError_t error = width > to_pitch || width > from_pitch ? cudaErrorInvalidValue : cudaSuccess;
  size_t rows = height > 0 ? height - 1 : 0;
  if (!error && height > 0)
    error = check_copy(to, from, 1, kind);
  if (!error && height > 0 && width > 0 &&
      (check_copy(to, from, rows * to_pitch + width, kind) &&
       check_copy(to, from, rows * from_pitch + width, kind)))
    error = cudaErrorInvalidValue;
  for (size_t row = 0; !error && row < height; row++)
    memmove((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
  return error_return(error);
}

API cudaError_t
cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                  size_t height, int kind, cudaStream_t stream) {
  (void)stream;
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

API cudaError_t
cudaMemset(void *to, int value, size_t bytes) {
  cudaError_t error = error_check();
  if (!error && bytes > 0 && !fits_allocation(to, bytes, true))
    error = cudaErrorInvalidValue;
  if (!error && bytes > 0)
    memset(to, value, bytes);
  return error_return(error);
}

API cudaError_t
cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
  (void)stream;
  return cudaMemset(to, value, bytes);
}

API cudaError_t
cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height) {
  cudaError_t error = cudaSuccess;
  for (size_t row = 0; !error && row < height; row++)
    error = cudaMemset((char *)to + row * pitch, value, width);
  return error;
}

// --- variables

static cudaError_t
find_symbol_part(const void *symbol, size_t offset, size_t bytes, char **part) {
  void *address;
  size_t size;
  cudaError_t error = module_variable(symbol, &address, &size);
  if (!error && (offset > size || bytes > size - offset))
    error = cudaErrorInvalidValue;
  *part = (char *)address + offset;
  return error;
}

API cudaError_t
cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind) {
  output_write();
  char *part;
  (void)kind;
  cudaError_t error = find_symbol_part(symbol, offset, bytes, &part);
  if (!error)
    memmove(part, from, bytes);
  return error_return(error);
}

API cudaError_t
cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind) {
  output_write();
  char *part;
  (void)kind;
  cudaError_t error = find_symbol_part(symbol, offset, bytes, &part);
  if (!error)
    memmove(to, part, bytes);
  return error_return(error);
}

API cudaError_t
cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                        cudaStream_t stream) {
  (void)stream;
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}

API cudaError_t
cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                          cudaStream_t stream) {
  (void)stream;
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}

API cudaError_t
cudaGetSymbolAddress(void **address, const void *symbol) {
  size_t bytes;
  return error_return(module_variable(symbol, address, &bytes));
}

API cudaError_t
cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  void *address;
  return error_return(module_variable(symbol, &address, bytes));
}
