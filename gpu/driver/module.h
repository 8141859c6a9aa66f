// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Modules, their kernels and variables, and what the code that nvcc makes for the host registers of them.
#pragma once

#include "gpu/driver/abi.h"
#include "gpu/inject/payload.h"

typedef struct Module Module;

typedef struct {
  Module *module;
  char *symbol;
  unsigned registers, local_bytes, shared_bytes, parameter_bytes;
  uint64_t max_threads;
  unsigned dynamic_bytes; // the most that it may be launched with
  size_t n_parameters;
  uint64_t *parameters; // offset and bytes of each
} Kernel;

// A kernel by the address of its host function, or the handle that stands for it. Its module is loaded if it is not.
cudaError_t module_kernel(const void *function, Kernel **kernel);

// The memory of a variable by the address of its host variable.
cudaError_t module_variable(const void *host, void **address, size_t *bytes);

uint64_t module_id(const Module *module);

// Adds how many variables a module has, and each of them (RUN_LAUNCH).
void module_add_variables(SmbPayload *payload, const Module *module);
