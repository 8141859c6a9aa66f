// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The table of PTX types by name.
#include "sim/ptx/isa/type.h"

#include <string.h>

#define DECLARED .is_declared = 1
#define NUMBER   .is_declared = 1, .is_number = 1
#define REAL     NUMBER, .is_float = 1
#define OPAQUE   .is_declared = 1, .is_opaque = 1

#define TYPE(name, bits, scalar, ...)                                                              \
  { #name, bits, (bits) / 8, SMB_SCALAR_##scalar, __VA_ARGS__ }

static const PtxType types[] = {
    TYPE(b8, 8, U8, DECLARED),
    TYPE(u8, 8, U8, NUMBER),
    TYPE(s8, 8, I8, NUMBER),
    TYPE(b16, 16, U16, DECLARED),
    TYPE(u16, 16, U16, NUMBER),
    TYPE(s16, 16, I16, NUMBER),
    TYPE(b32, 32, U32, DECLARED),
    TYPE(u32, 32, U32, NUMBER),
    TYPE(s32, 32, I32, NUMBER),
    TYPE(b64, 64, U64, DECLARED),
    TYPE(u64, 64, U64, NUMBER),
    TYPE(s64, 64, I64, NUMBER),
    TYPE(b128, 128, U64, DECLARED),
    TYPE(f16, 16, F16, REAL),
    TYPE(bf16, 16, BF16, REAL),
    TYPE(f32, 32, F32, REAL),
    TYPE(f64, 64, F64, REAL),
    TYPE(f16x2, 32, F16, DECLARED),
    TYPE(bf16x2, 32, BF16, DECLARED),
    TYPE(f32x2, 64, F32, DECLARED),
    TYPE(pred, 0, BOOL, DECLARED),
    TYPE(texref, 64, U64, OPAQUE),
    TYPE(samplerref, 64, U64, OPAQUE),
    TYPE(surfref, 64, U64, OPAQUE),
    // of opcodes
    TYPE(u16x2, 32, U16, .is_number = 0),
    TYPE(s16x2, 32, I16, .is_number = 0),
    TYPE(tf32, 32, F32, .is_number = 1),
    TYPE(e4m3, 8, U8, .is_number = 0),
    TYPE(e5m2, 8, U8, .is_number = 0),
    TYPE(s4, 4, I8, .is_number = 0),
    TYPE(u4, 4, U8, .is_number = 0),
    TYPE(b1, 1, U8, .is_number = 0),
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
smb_ptx_type_named(const char *name) {
  return smb_ptx_type(name, strlen(name));
}

guint
smb_ptx_type_bytes(const char *name) {
  const PtxType *type = smb_ptx_type_named(name);
  return type && !type->is_opaque ? type->bytes : 0;
}
