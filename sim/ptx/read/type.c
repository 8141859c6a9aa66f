// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The types of registers and variables (PTX ISA 9.0, sections 5.2 and 5.3).
#include <string.h>

#include "sim/ptx/read/read-impl.h"

static const PtxType types[] = {
    {"b8", 1, 0, 0},    {"u8", 1, 0, 0},     {"s8", 1, 0, 0},         {"b16", 2, 0, 0},
    {"u16", 2, 0, 0},   {"s16", 2, 0, 0},    {"f16", 2, 1, 0},        {"bf16", 2, 1, 0},
    {"b32", 4, 0, 0},   {"u32", 4, 0, 0},    {"s32", 4, 0, 0},        {"f32", 4, 1, 0},
    {"f16x2", 4, 0, 0}, {"bf16x2", 4, 0, 0}, {"b64", 8, 0, 0},        {"u64", 8, 0, 0},
    {"s64", 8, 0, 0},   {"f64", 8, 1, 0},    {"f32x2", 8, 0, 0},      {"b128", 16, 0, 0},
    {"pred", 0, 0, 0},  {"texref", 8, 0, 1}, {"samplerref", 8, 0, 1}, {"surfref", 8, 0, 1},
};

const PtxType *
smb_ptx_type(const char *name, gsize length) {
  for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
    if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
      return &types[i];
  }
  return NULL;
}

const PtxType *
smb_ptx_find_type(const PtxReader *reader) {
  const PtxToken *token = &reader->lexer.token;
  return token->kind == PTX_TOKEN_DIRECTIVE
             ? smb_ptx_type(smb_ptx_text(reader) + 1, token->length - 1)
             : NULL;
}

guint
smb_ptx_find_vector(const PtxReader *reader) {
  return smb_ptx_is_directive(reader, ".v2")   ? 2
         : smb_ptx_is_directive(reader, ".v4") ? 4
         : smb_ptx_is_directive(reader, ".v8") ? 8
                                               : 0;
}
