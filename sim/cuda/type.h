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
const Type *type_scalar(TypeKind kind);

// A scalar or vector type by its one-word name ("int", "float4", "uint32_t", "uchar"), or NULL.
const Type *type_by_name(const char *name, gsize length);

const Type *type_pointer(KernelPool *pool, const Type *to);
const Type *type_array(KernelPool *pool, const Type *of, gsize count);

gboolean type_is_integer(const Type *type); // bool included
gboolean type_is_real(const Type *type);
gboolean type_is_arithmetic(const Type *type);
gboolean type_is_unsigned(const Type *type);
gboolean type_equal(const Type *a, const Type *b);

// Number of values that a lane holds for it: components of a vector, else 1.
guint type_components(const Type *type);

// Whether a lane's value takes 8 bytes in a register (else 4): 64-bit numbers and pointers.
gboolean kind_is_wide(TypeKind kind);
gboolean type_is_wide(const Type *type);

// What a value of that type is stored as, component by component.
const Type *type_component(const Type *type);

// C's integer promotion, and the type in which two operands meet.
const Type *type_promote(const Type *type);
const Type *type_common(const Type *a, const Type *b);

// "float4 *", "int [16][33]" (pool memory).
const char *type_describe(KernelPool *pool, const Type *type);
