// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The types of the kernel language: scalars, the built-in vectors, pointers and arrays. Qualifiers are
// not part of a type. Private to the kernel language.
#pragma once

#include "sim/cuda/pool.h"

typedef enum {
  KIND_VOID,
  KIND_BOOL,
  KIND_CHAR,
  KIND_UCHAR,
  KIND_SHORT,
  KIND_USHORT,
  KIND_INT,
  KIND_UINT,
  KIND_LONG, // 64 bits: long, long long
  KIND_ULONG,
  KIND_FLOAT,
  KIND_DOUBLE,
  KIND_VECTOR, // count scalars: int2, float4, …
  KIND_POINTER,
  KIND_ARRAY, // count elements
} TypeKind;

typedef struct _Type Type;

struct _Type {
  TypeKind kind;
  guint align;      // bytes
  gsize size;       // bytes
  gsize count;      // components of a vector, elements of an array
  const Type *of;   // component, pointee or element
  const char *name; // of scalars and vectors
};

// A scalar type, KIND_VOID to KIND_DOUBLE.
const Type *smb_type_scalar(TypeKind kind);

// A scalar or vector type by its one-word name ("int", "float4", "uint32_t", "uchar"), or NULL.
const Type *smb_type_by_name(const char *name, gsize length);

const Type *smb_type_pointer(KernelPool *pool, const Type *to);
const Type *smb_type_array(KernelPool *pool, const Type *of, gsize count);

gboolean smb_type_is_integer(const Type *type); // bool included
gboolean smb_type_is_real(const Type *type);
gboolean smb_type_is_arithmetic(const Type *type);
gboolean smb_type_is_unsigned(const Type *type);
gboolean smb_type_equal(const Type *a, const Type *b);

// Number of values that a lane holds for it: components of a vector, else 1.
guint smb_type_components(const Type *type);

// Whether a lane's value takes 8 bytes in a register (else 4): 64-bit numbers and pointers.
gboolean smb_kind_is_wide(TypeKind kind);
gboolean smb_type_is_wide(const Type *type);

// What a value of that type is stored as, component by component.
const Type *smb_type_component(const Type *type);

// C's integer promotion, and the type in which two operands meet.
const Type *smb_type_promote(const Type *type);
const Type *smb_type_common(const Type *a, const Type *b);

// "float4 *", "int [16][33]" (pool memory).
const char *smb_type_describe(KernelPool *pool, const Type *type);
