// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Modules, their kernels and variables, and what the code that nvcc makes for the host registers of them.
#pragma once

#include "gpu/driver/abi.h"
#include "gpu/inject/payload.h"

typedef struct Module Module;

typedef struct Kernel {
  Module *module;
  char *symbol;
  unsigned registers, local_bytes, shared_bytes, parameter_bytes;
  uint64_t max_threads;
  bool names_references;  // textures or surfaces (texture/texture-reference.h)
  unsigned dynamic_bytes; // the most that it may be launched with
  dim3 cluster;           // that it requires; zeros: none
  size_t n_parameters;
  uint64_t *parameters; // offset and bytes of each
  // cudaFuncSetAttribute
  bool must_cluster, may_cluster_more;
  int carveout, cluster_policy;
  void *pieces; // (nullable): of launches in pieces (cu/driver-pieces.c)
} Kernel;

// A kernel by the address of its host function, or the handle that stands for it. Its module is loaded if it is not.
cudaError_t module_kernel(const void *function, Kernel **kernel);

// The memory of a variable by the address of its host variable.
cudaError_t module_variable(const void *host, void **address, size_t *bytes);

uint64_t module_id(const Module *module);

// The kernel of a symbol, which ends after @length bytes, of the module that has that number. NULL: there is none.
Kernel *module_numbered_kernel(uint64_t number, const char *symbol, size_t length);

// What cudaFuncGetAttributes says of a kernel.
void function_describe(const Kernel *kernel, cudaFuncAttributes *attributes);

// The library that a module was loaded as (nullable), and the module of a library.
Module *library_module(cudaLibrary_t library);
void module_set_library(Module *module, void *library);
void *module_library(const Module *module);

// Modules that a program loads itself, of the bytes of a fatbin, a cubin or PTX, which are copied. They and their kernels are handles.
// @log (nullable): what is said of it goes there, besides standard error.
typedef struct {
  char *text;
  size_t room, length; // with and without the byte that ends it
} ModuleLog;
cudaError_t module_open(const void *bytes, size_t n_bytes, ModuleLog *log, Module **module);
void module_close(Module *module);

// Whether text is PTX, by how it begins.
bool module_is_ptx(const char *text);

// The whole of a file as bytes. NULL: it cannot be read. The caller frees it.
char *module_read_file(const char *path, size_t *n_bytes);

// What options of the compiler say of logs, and what of it they are told: numbers of cudaJitOption and CUjit_option.
ModuleLog module_find_log(const int *options, void **values, unsigned n);
void module_keep_log(ModuleLog *log, const unsigned char *message, size_t length);
void module_tell_log(const ModuleLog *log, const int *options, void **values, unsigned n);

// Those that were loaded in a context (context.h).
void module_close_context(uint64_t context);
cudaError_t module_find_kernel(Module *module, const char *symbol, Kernel **kernel);
cudaError_t module_find_variable(Module *module, const char *name, void **address, size_t *bytes);
size_t module_count_kernels(const Module *module);
Kernel *module_get_kernel(const Module *module, size_t i);

// How many bytes a fatbin, a cubin or PTX has; 0: it is none of them. Of what nvcc wraps, *@image becomes what is in it.
size_t module_measure(const void **image);

// All are loaded anew when they are needed again (cudaDeviceReset).
void module_reset(void);

// Adds how many variables a module has, and each of them (RUN_LAUNCH).
void module_add_variables(SmbPayload *payload, const Module *module);

// A variable of a library (@address, @bytes: nullable).
cudaError_t library_find_variable(void **address, size_t *bytes, cudaLibrary_t library,
                                  const char *name);
