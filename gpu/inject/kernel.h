// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The kernels that a process launches, by their handles: whether they are wanted, and what the command knows of their
// images. A kernel is asked about once; looking it up again takes no lock.
#pragma once

#include <stdbool.h>

#include "gpu/inject/channel.h"
#include "gpu/inject/driver.h"

#define MAX_PARAMETERS                                                                             \
  4096 // of a kernel; each has a byte at least, and all have 4 KiB, or 32764 bytes since CUDA 12.1

typedef struct {
  size_t offset;
  size_t bytes;
} ParameterPlace;

typedef struct {
  char *name;
  bool is_constant;
} Variable;

typedef struct Kernel {
  void *handle;   // as it is launched: a CUfunction, or a CUkernel
  void *function; // the CUfunction that it is; NULL: the driver did not say
  char *symbol;
  const char *symbol_seen; // where the driver keeps the symbol
  uint32_t module;         // module_number()
  bool is_gone;            // its module was unloaded: the handle may be another's
  bool is_wanted;
  bool has_image; // the command knows it; else it is asked again
  size_t n_parameters;
  ParameterPlace *parameters;
  size_t parameter_bytes;
  size_t n_variables;
  Variable *variables;
  unsigned long seen; // launches, since that was told
  struct Kernel *next;
} Kernel;

// The kernel of a launch; asks about it if it is new. NULL: there is no memory.
Kernel *kernel_find(const InjectDriver *driver, void *handle, const char *symbol);

// Whether a kernel of that name is wanted.
bool kernel_is_wanted(const char *symbol);

// Asks again, where its image was not known.
void kernel_complete(const InjectDriver *driver, Kernel *kernel);

// A module was unloaded, and with it its kernels; for some it is unknown whether they belong to it.
void kernel_unloaded(uint32_t module);

// Tells the command how often one was seen, or each.
void kernel_send_count(Kernel *kernel);
void kernel_send_counts(void);

// The bytes of the parameters, which an array of pointers, or a buffer, holds; Kernel.parameter_bytes of them. NULL: it
// is not known where they are.
unsigned char *kernel_gather(const Kernel *kernel, void *const *parameters, void *const *extra,
                             size_t *length);
