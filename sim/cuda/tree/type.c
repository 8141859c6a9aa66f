// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/tree/type.h"

#include <string.h>

#define SCALAR(kind, bytes, name) [kind] = {kind, bytes ? bytes : 1, bytes, 1, NULL, name}

static const Type scalars[] = {
    SCALAR(KIND_VOID, 0, "void"),      SCALAR(KIND_BOOL, 1, "bool"),
    SCALAR(KIND_CHAR, 1, "char"),      SCALAR(KIND_UCHAR, 1, "unsigned char"),
    SCALAR(KIND_SHORT, 2, "short"),    SCALAR(KIND_USHORT, 2, "unsigned short"),
    SCALAR(KIND_INT, 4, "int"),        SCALAR(KIND_UINT, 4, "unsigned int"),
    SCALAR(KIND_LONG, 8, "long long"), SCALAR(KIND_ULONG, 8, "unsigned long long"),
    SCALAR(KIND_HALF, 2, "half"),      SCALAR(KIND_BFLOAT, 2, "__nv_bfloat16"),
    SCALAR(KIND_FLOAT, 4, "float"),    SCALAR(KIND_DOUBLE, 8, "double"),
};

// Alignment and size as in CUDA's vector_types.h: two and four components are aligned to their size,
// up to 16 bytes; one and three to the component.
#define VECTOR(kind, bytes, count, name)                                                           \
  {                                                                                                \
    KIND_VECTOR, (count) % 2 ? (bytes) : MIN((bytes) * (count), 16), (bytes) * (count), count,     \
        &scalars[kind], name                                                                       \
  }
#define VECTORS(kind, bytes, name)                                                                 \
  VECTOR(kind, bytes, 1, name "1"), VECTOR(kind, bytes, 2, name "2"),                              \
      VECTOR(kind, bytes, 3, name "3"), VECTOR(kind, bytes, 4, name "4")

static const Type vectors[] = {
    VECTORS(KIND_CHAR, 1, "char"),     VECTORS(KIND_UCHAR, 1, "uchar"),
    VECTORS(KIND_SHORT, 2, "short"),   VECTORS(KIND_USHORT, 2, "ushort"),
    VECTORS(KIND_INT, 4, "int"),       VECTORS(KIND_UINT, 4, "uint"),
    VECTORS(KIND_LONG, 8, "longlong"), VECTORS(KIND_ULONG, 8, "ulonglong"),
    VECTORS(KIND_FLOAT, 4, "float"),   VECTORS(KIND_DOUBLE, 8, "double"),
    VECTOR(KIND_HALF, 2, 2, "half2"),  VECTOR(KIND_BFLOAT, 2, 2, "__nv_bfloat162"),
};

// Other names of theirs, of one word.
static const char *const aliases[][2] = {
    {"long", "long long"},
    {"int8_t", "char"},
    {"uint8_t", "unsigned char"},
    {"int16_t", "short"},
    {"uint16_t", "unsigned short"},
    {"int32_t", "int"},
    {"uint32_t", "unsigned int"},
    {"int64_t", "long long"},
    {"uint64_t", "unsigned long long"},
    {"size_t", "unsigned long long"},
    {"ptrdiff_t", "long long"},
    {"uchar", "unsigned char"},
    {"ushort", "unsigned short"},
    {"uint", "unsigned int"},
    {"ulong", "unsigned long long"},
    {"__half", "half"},
    {"nv_bfloat16", "__nv_bfloat16"},
    {"__half2", "half2"},
    {"nv_bfloat162", "__nv_bfloat162"},
};

const Type *
smb_type_scalar(TypeKind kind) {
  return &scalars[kind];
}

const Type *
smb_type_by_name(const char *name) {
  if (strchr(name, ' '))
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS(aliases); i++)
    name = strcmp(aliases[i][0], name) == 0 ? aliases[i][1] : name;
  for (guint i = 0; i < G_N_ELEMENTS(scalars); i++) {
    if (strcmp(scalars[i].name, name) == 0)
      return &scalars[i];
  }
  for (guint i = 0; i < G_N_ELEMENTS(vectors); i++) {
    if (strcmp(vectors[i].name, name) == 0)
      return &vectors[i];
  }
  return NULL;
}

static Type *
make_type(KernelPool *pool, TypeKind kind, const Type *of, gsize count, gsize size, guint align) {
  Type *type = kernel_pool_new_struct(pool, Type);
  type->kind = kind;
  type->of = of;
  type->count = count;
  type->size = size;
  type->align = align;
  return type;
}

const Type *
smb_type_pointer(KernelPool *pool, const Type *to) {
  return make_type(pool, KIND_POINTER, to, 1, 8, 8);
}

const Type *
smb_type_array(KernelPool *pool, const Type *of, gsize count) {
  return make_type(pool, KIND_ARRAY, of, count, of->size * count, of->align);
}

Type *
smb_type_structure(KernelPool *pool, const char *name) {
  Type *type = make_type(pool, KIND_STRUCT, NULL, 0, 0, 1);
  type->name = name;
  return type;
}

gboolean
smb_type_is_integer(const Type *type) {
  return type->kind >= KIND_BOOL && type->kind <= KIND_ULONG;
}

gboolean
smb_type_is_real(const Type *type) {
  return type->kind >= KIND_HALF && type->kind <= KIND_DOUBLE;
}

gboolean
smb_type_is_half(const Type *type) {
  return type->kind == KIND_HALF || type->kind == KIND_BFLOAT;
}

gboolean
smb_type_is_arithmetic(const Type *type) {
  return type->kind >= KIND_BOOL && type->kind <= KIND_DOUBLE;
}

gboolean
smb_type_is_unsigned(const Type *type) {
  return type->kind == KIND_BOOL || type->kind == KIND_UCHAR || type->kind == KIND_USHORT ||
         type->kind == KIND_UINT || type->kind == KIND_ULONG;
}

gboolean
smb_type_equal(const Type *a, const Type *b) {
  while (a != b) {
    if (a->kind != b->kind || a->count != b->count || !a->of || !b->of)
      return FALSE;
    a = a->of;
    b = b->of;
  }
  return TRUE;
}

gboolean
smb_type_is_aggregate(const Type *type) {
  return type->kind == KIND_ARRAY || type->kind == KIND_STRUCT;
}

const Type *
smb_type_leaf(const Type *type) {
  while (type->kind == KIND_ARRAY || type->kind == KIND_VECTOR)
    type = type->of;
  return type->kind == KIND_STRUCT ? type->leaf : type;
}

guint
smb_type_move_bytes(const Type *type) {
  gboolean at_once = type->size <= 16 && (type->size & (type->size - 1)) == 0;
  return at_once ? (guint)type->size : MIN(type->align, 16);
}

const Type *
smb_type_promote(const Type *type) {
  return smb_type_is_integer(type) && type->kind < KIND_INT ? &scalars[KIND_INT] : type;
}

const Type *
smb_type_common(const Type *a, const Type *b) {
  a = smb_type_promote(a);
  b = smb_type_promote(b);
  return a->kind > b->kind ? a : b;
}

const char *
smb_type_describe(KernelPool *pool, const Type *type) {
  if (type->kind == KIND_POINTER)
    return smb_kernel_pool_printf(pool, "%s *", smb_type_describe(pool, type->of));
  if (type->kind != KIND_ARRAY)
    return type->name ? type->name : type->is_union ? "union" : "struct";
  g_autoptr(GString) dimensions = g_string_new(NULL);
  for (; type->kind == KIND_ARRAY; type = type->of)
    g_string_append_printf(dimensions, type->count ? "[%" G_GSIZE_FORMAT "]" : "[]", type->count);
  return smb_kernel_pool_printf(pool, "%s %s", smb_type_describe(pool, type), dimensions->str);
}

const char *
smb_type_phrase(KernelPool *pool, const Type *type) {
  const char *name = smb_type_describe(pool, type);
  gboolean vowel = strchr("aeio", name[0]) || g_str_has_prefix(name, "unsigned");
  return smb_kernel_pool_printf(pool, "%s %s", vowel ? "an" : "a", name);
}
