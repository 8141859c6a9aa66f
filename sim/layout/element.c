// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/layout/element.h"

#include <string.h>

static const SmbElement elements[] = {
    {"u8", "unsigned char", 1},   {"u16", "unsigned short", 2},
    {"u32", "unsigned", 4},       {"u64", "unsigned long", 8},
    {"b128", "uint4", 16},        {"i8", "char", 1},
    {"i16", "short", 2},          {"i32", "int", 4},
    {"i64", "long", 8},           {"f16", "half", 2},
    {"bf16", "__nv_bfloat16", 2}, {"f32", "float", 4},
    {"f64", "double", 8},
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
    if (elements[i].bytes == bytes)
      return &elements[i];
  }
  return NULL;
}
