// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The types of the kernel language: scalars, the built-in vectors, pointers, arrays and structures.
// Qualifiers are not part of a type. Private to the kernel language.
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
  KIND_HALF,   // binary16
  KIND_BFLOAT, // bfloat16
  KIND_FLOAT,
  KIND_DOUBLE,
  KIND_VECTOR, // count scalars: int2, float4, …
  KIND_POINTER,
  KIND_ARRAY,  // count elements
  KIND_STRUCT, // count members; of size 0 until its definition ends
} TypeKind;

typedef struct _Type Type;

// Whether a class is plain as the C++ ABI means it: a class that is derived of another one uses the padding at its end. Classes that are
// read for their layout say so.
typedef enum {
  PLAIN_SO_FAR,
  PLAIN_OR_NOT, // compilers may differ
  PLAIN_NOT,
} Plainness;

// Of a structure.
typedef struct {
  const char *name;
  const Type *type;
  gsize offset;  // bytes from the start of the structure
  guint32 start; // where its name is declared
} Member;

struct _Type {
  TypeKind kind;
  guint align;           // bytes
  gsize size;            // bytes
  gsize count;           // components of a vector, elements of an array, members of a structure
  const Type *of;        // component, pointee or element
  const char *name;      // of scalars, vectors and structures
  const Member *members; // of a structure
  const Type *leaf;      // of a structure: smb_type_leaf()
  const char *unknown;   // of one whose size is not known: why
  gboolean is_union;     // a structure whose members are all at its start
  guint n_parts;         // of a structure: members, with those of its members; an array counts once
  // of a class: whether it is plain, and bytes that a derived one leaves alone; 0: not known
  Plainness plainness;
  gsize used;
};

// A scalar type, KIND_VOID to KIND_DOUBLE.
const Type *smb_type_scalar(TypeKind kind);

// A scalar or vector type by its one-word name ("int", "float4", "uint32_t", "uchar"), or NULL.
const Type *smb_type_by_name(const char *name);

const Type *smb_type_pointer(KernelPool *pool, const Type *to);
const Type *smb_type_array(KernelPool *pool, const Type *of, gsize count);
// A structure without members yet. @name: or NULL
Type *smb_type_structure(KernelPool *pool, const char *name);

gboolean smb_type_is_integer(const Type *type); // bool included
gboolean smb_type_is_real(const Type *type);
gboolean smb_type_is_half(const Type *type); // a real of 16 bits
gboolean smb_type_is_arithmetic(const Type *type);
gboolean smb_type_is_unsigned(const Type *type);
gboolean smb_type_equal(const Type *a, const Type *b);

// Number of values that a lane holds for it: components of a vector, else 1.
static inline guint
smb_type_components(const Type *type) {
  return type->kind == KIND_VECTOR ? (guint)type->count : 1;
}

// Whether variables of it lie in memory, and its value is an address: arrays and structures.
gboolean smb_type_is_aggregate(const Type *type);

// The scalar that all of it consists of (float: of float3 [4]), or NULL if there are several.
const Type *smb_type_leaf(const Type *type);

// Bytes that one instruction moves of a scalar or a vector: all of them if that is a power of two up to 16,
// else as many as the alignment allows (a float3: 4).
guint smb_type_move_bytes(const Type *type);

// What a value of that type is stored as, component by component.
static inline const Type *
smb_type_component(const Type *type) {
  return type->kind == KIND_VECTOR ? type->of : type;
}

// Whether a lane's value takes 8 bytes in a register (else 4): 64-bit numbers and pointers.
static inline gboolean
smb_kind_is_wide(TypeKind kind) {
  return kind == KIND_LONG || kind == KIND_ULONG || kind == KIND_DOUBLE || kind == KIND_POINTER ||
         kind == KIND_ARRAY || kind == KIND_STRUCT;
}

static inline gboolean
smb_type_is_wide(const Type *type) {
  return smb_kind_is_wide(smb_type_component(type)->kind);
}

// C's integer promotion, and the type in which two operands meet.
const Type *smb_type_promote(const Type *type);
const Type *smb_type_common(const Type *a, const Type *b);

// "float4 *", "int [16][33]" (pool memory).
const char *smb_type_describe(KernelPool *pool, const Type *type);
// With its article: "an int".
const char *smb_type_phrase(KernelPool *pool, const Type *type);
