// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies to and from the variables of modules, by the address of the host's variable.
#include "gpu/driver/stream/symbol-copy.h"

#include "gpu/driver/error.h"
#include "gpu/driver/kernel/module.h"

cudaError_t
symbol_part(const void *symbol, size_t offset, size_t bytes, void **part) {
  void *address;
  size_t size = 0;
  cudaError_t error = module_variable(symbol, &address, &size);
  *part = (char *)address + offset;
  return error                                    ? error
         : offset > size || bytes > size - offset ? cudaErrorInvalidValue
                                                  : cudaSuccess;
}

// Which of the directions that a copy to (@is_to) or from the device may have.
static cudaError_t
check_direction(int kind, bool is_to) {
  bool fits = kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault ||
              kind == (is_to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
  return fits ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

cudaError_t
symbol_make_copy(Call *call, const void *symbol, void *memory, size_t bytes, size_t offset,
                 int kind, bool is_to) {
  void *part;
  cudaError_t error = symbol_part(symbol, offset, bytes, &part);
  error = error ? error : check_direction(kind, is_to);
  const cudaPitchedPtr places[] = {{part, bytes, bytes, 1}, {memory, bytes, bytes, 1}};
  *call = (Call){.kind = cudaGraphNodeTypeMemcpy,
                 .copy = {.dstPtr = places[!is_to],
                          .srcPtr = places[is_to],
                          .extent = {bytes, 1, 1},
                          .kind = kind}};
  return error;
}

static cudaError_t
copy_symbol(const void *symbol, void *memory, size_t bytes, size_t offset, int kind, bool is_to,
            cudaStream_t stream, bool waits) {
  Call call;
  cudaError_t error = symbol_make_copy(&call, symbol, memory, bytes, offset, kind, is_to);
  return error ? error_return(error) : call_submit(&call, stream, waits);
}

API cudaError_t
cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind) {
  return copy_symbol(symbol, (void *)from, bytes, offset, kind, true, NULL, true);
}

API cudaError_t
cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind) {
  return copy_symbol(symbol, to, bytes, offset, kind, false, NULL, true);
}

API cudaError_t
cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                        cudaStream_t stream) {
  return copy_symbol(symbol, (void *)from, bytes, offset, kind, true, stream, false);
}

API cudaError_t
cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                          cudaStream_t stream) {
  return copy_symbol(symbol, to, bytes, offset, kind, false, stream, false);
}

API cudaError_t
cudaGetSymbolAddress(void **address, const void *symbol) {
  size_t bytes;
  return error_return(address ? module_variable(symbol, address, &bytes) : cudaErrorInvalidValue);
}

API cudaError_t
cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  void *address;
  return error_return(bytes ? module_variable(symbol, &address, bytes) : cudaErrorInvalidValue);
}
