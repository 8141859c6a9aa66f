// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Texture and surface references: what PTX declares as .texref and .surfref, and a program binds to arrays and memory. A launch takes along
// what is bound when it is called (texture-reference.c); functions of the driver set and get the rest (cu/driver-reference.c).
#pragma once

#include "gpu/driver/abi.h"
#include "gpu/driver/kernel/module.h"
#include "sim/texture/descriptor.h"

typedef struct Reference {
  struct Reference *next;
  const Module *module; // (nullable) that declares it; NULL: the program has made it
  char *name;           // (nullable), with it
  uint64_t number;      // of its texture or surface in kernels
  bool is_surface, is_bound;
  cudaResourceDesc resource;   // what it is bound to
  int format;                  // CUarray_format, as it was set, and how many of it
  unsigned channels;           //
  cudaChannelFormatDesc texel; // the same; bits of 0: there is no such format
  unsigned flags;              // CU_TRSF_…
  cudaTextureDesc how;
} Reference;

// One that is not bound, which is a handle. NULL: there is no memory.
Reference *reference_new(const Module *module, const char *name, bool is_surface);
void reference_free(Reference *reference);

// That of a name in a module. NULL: there is none.
Reference *reference_find(const Module *module, const char *name, bool is_surface);

// The module is closed: it has none any more.
void references_close(const Module *module);

// An array or a mipmap is destroyed: nothing is bound to it any more.
void references_forget(const void *array);

// What those of a module are bound to, @n of them (nullable). The caller frees it.
SmbTexture *references_take(const Module *module, size_t *n);

// Adds how many a module has, and each of them (RUN_LAUNCH).
void references_add(SmbPayload *payload, const Module *module);
