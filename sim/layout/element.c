// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/layout/element.h"

#include <string.h>

static const SmbElement elements[] = {
    {"u8", "unsigned char", 1, 8},
    {"u16", "unsigned short", 2, 16},
    {"u32", "unsigned", 4, 32},
    {"u64", "unsigned long", 8, 64},
    {"b128", "uint4", 16, 128},
    {"i8", "char", 1, 8},
    {"i16", "short", 2, 16},
    {"i32", "int", 4, 32},
    {"i64", "long", 8, 64},
    {"f16", "half", 2, 16},
    {"bf16", "__nv_bfloat16", 2, 16},
    {"f32", "float", 4, 32},
    {"f64", "double", 8, 64},
    {"i4", "unsigned char", 1, 4},
    {"u4", "unsigned char", 1, 4},
    {"f4", "unsigned char", 1, 4},
    {"e2m1", "unsigned char", 1, 4},
    {"f6", "unsigned char", 1, 6},
    {"e2m3", "unsigned char", 1, 6},
    {"e3m2", "unsigned char", 1, 6},
    {"f8", "unsigned char", 1, 8},
    {"e4m3", "unsigned char", 1, 8},
    {"e5m2", "unsigned char", 1, 8},
    {"f8E4M3FN", "unsigned char", 1, 8}, // as MLIR and Triton
    {"f8E5M2", "unsigned char", 1, 8},
};

const SmbElement *
smb_element_find(const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(elements); i++) {
    if (strcmp(elements[i].name, name) == 0)
      return &elements[i];
  }
  return NULL;
}

const SmbElement *
smb_element_of_bytes(guint bytes) {
  for (guint i = 0; i < G_N_ELEMENTS(elements); i++) {
    if (elements[i].bits == 8 * bytes)
      return &elements[i];
  }
  return NULL;
}
