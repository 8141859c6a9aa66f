// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/cuda-driver.h"

#include "gpu/symbols.h"

// The functions that are called, by their names without "cu" (cuda.h of CUDA 12 and 13). What they
// return has the numbers of cudaError_t.
typedef struct {
  int (*ModuleLoadData)(void **module, const void *image);
  int (*ModuleUnload)(void *module);
  int (*ModuleGetFunction)(void **function, void *module, const char *name);
  int (*FuncSetAttribute)(void *function, int attribute, int value);
  int (*LaunchKernel)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_bytes,
                      void *stream, void **parameters, void **extra);
} Driver;

struct _SmbCudaFunction {
  Driver driver;
  void *module;
  void *function;
};

enum {
  ATTRIBUTE_MAX_DYNAMIC_SHARED_BYTES = 8, // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  STATIC_LIMIT = 48 * 1024,               // more has to be asked for
  ERROR_NOT_FOUND = 500,                  // cudaErrorSymbolNotFound
};

#define SYMBOL(name)                                                                               \
  { "cu" #name, G_STRUCT_OFFSET(Driver, name) }

static int
find_symbols(Driver *driver) {
  static const SmbSymbol symbols[] = {SYMBOL(ModuleLoadData), SYMBOL(ModuleUnload),
                                      SYMBOL(ModuleGetFunction), SYMBOL(FuncSetAttribute),
                                      SYMBOL(LaunchKernel)};
  g_autofree char *reason = NULL;
  gpointer handle = smb_cuda_open_library(SMB_CUDA_DRIVER, &reason);
  return handle && !smb_symbols_find(handle, symbols, G_N_ELEMENTS(symbols), driver)
             ? SMB_CUDA_SUCCESS
             : ERROR_NOT_FOUND;
}

int
smb_driver_load(GBytes *image, const char *symbol, gsize dynamic_bytes,
                SmbCudaFunction **function) {
  SmbCudaFunction *loaded = g_new0(SmbCudaFunction, 1);
  int error = find_symbols(&loaded->driver);
  if (error == SMB_CUDA_SUCCESS)
    error = loaded->driver.ModuleLoadData(&loaded->module, g_bytes_get_data(image, NULL));
  if (error == SMB_CUDA_SUCCESS)
    error = loaded->driver.ModuleGetFunction(&loaded->function, loaded->module, symbol);
  if (error == SMB_CUDA_SUCCESS && dynamic_bytes > STATIC_LIMIT)
    error = loaded->driver.FuncSetAttribute(loaded->function, ATTRIBUTE_MAX_DYNAMIC_SHARED_BYTES,
                                            (int)dynamic_bytes);
  if (error == SMB_CUDA_SUCCESS)
    *function = loaded;
  else
    smb_driver_unload(loaded);
  return error;
}

void
smb_driver_unload(SmbCudaFunction *function) {
  if (!function)
    return;
  if (function->module)
    function->driver.ModuleUnload(function->module);
  g_free(function);
}

int
smb_driver_launch(SmbCudaFunction *function, const SmbCudaLaunch *launch) {
  return function->driver.LaunchKernel(function->function, launch->grid[0], launch->grid[1],
                                       launch->grid[2], launch->block[0], launch->block[1],
                                       launch->block[2], (unsigned)launch->dynamic_bytes, NULL,
                                       launch->parameters, NULL);
}
