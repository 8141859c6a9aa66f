// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/product/tensor.h"

void
smb_tensor_cell(TensorSpread spread, guint r, guint t, guint *lane, guint *column) {
  switch (spread) {
  case TENSOR_32X32:
    *lane = t;
    *column = r;
    return;
  case TENSOR_16X64:
    *lane = t / 4 + t % 2 * 8;
    *column = t / 2 % 2 + 2 * r;
    return;
  case TENSOR_16X128:
    *lane = t / 4 + r % 2 * 8;
    *column = t % 4 + r / 2 * 4;
    return;
  case TENSOR_16X256:
    *lane = t / 4 + r / 2 % 2 * 8;
    *column = 2 * (t % 4) + r % 2 + r / 4 * 8;
    return;
  case TENSOR_16X32X2:
    *lane = t % 16;
    *column = r;
    return;
  }
  g_assert_not_reached();
}

guint
smb_tensor_columns(TensorSpread spread, guint n) {
  return spread == TENSOR_32X32 || spread == TENSOR_16X32X2 ? n : 2 * n;
}

guint32
smb_tensor_row(TensorRows rows, guint lane) {
  switch (rows) {
  case TENSOR_ALL_ROWS:
    return lane;
  case TENSOR_FOUR_ROWS:
    return lane % 32 ? NO_MATRIX : lane / 32;
  case TENSOR_QUARTER:
    return lane % 32;
  case TENSOR_HALF_02_13:
    return lane % 64;
  case TENSOR_HALF_01_23:
    return lane / 64 * 32 + lane % 32;
  }
  g_assert_not_reached();
}

// --- instruction descriptors (PTX ISA, "Instruction descriptor")

enum {
  NO_NUMBER = N_PRODUCT_NUMBERS,
  N_FORMATS = 8,
  N_SUM_FORMATS = 4,
};

typedef struct {
  guint8 factors[N_FORMATS];
  guint8 sums[N_SUM_FORMATS];
  guint depth;
} KindFormats;

static const KindFormats kind_formats[N_TENSOR_KINDS] = {
    [TENSOR_KIND_F16] = {{PRODUCT_F16, PRODUCT_BF16, NO_NUMBER, NO_NUMBER, NO_NUMBER, NO_NUMBER,
                          NO_NUMBER, NO_NUMBER},
                         {PRODUCT_F16, PRODUCT_F32, NO_NUMBER, NO_NUMBER},
                         16},
    [TENSOR_KIND_TF32] = {{NO_NUMBER, NO_NUMBER, PRODUCT_TF32, NO_NUMBER, NO_NUMBER, NO_NUMBER,
                           NO_NUMBER, NO_NUMBER},
                          {NO_NUMBER, PRODUCT_F32, NO_NUMBER, NO_NUMBER},
                          8},
    [TENSOR_KIND_F8F6F4] = {{PRODUCT_E4M3, PRODUCT_E5M2, NO_NUMBER, PRODUCT_E2M3, PRODUCT_E3M2,
                             PRODUCT_E2M1, NO_NUMBER, NO_NUMBER},
                            {PRODUCT_F16, PRODUCT_F32, NO_NUMBER, NO_NUMBER},
                            32},
    [TENSOR_KIND_I8] = {{PRODUCT_U8, PRODUCT_S8, NO_NUMBER, NO_NUMBER, NO_NUMBER, NO_NUMBER,
                         NO_NUMBER, NO_NUMBER},
                        {NO_NUMBER, NO_NUMBER, PRODUCT_S32, NO_NUMBER},
                        32},
    [TENSOR_KIND_MXF8F6F4] = {{PRODUCT_E4M3, PRODUCT_E5M2, NO_NUMBER, PRODUCT_E2M3, PRODUCT_E3M2,
                               PRODUCT_E2M1, NO_NUMBER, NO_NUMBER},
                              {PRODUCT_F32, PRODUCT_F32, PRODUCT_F32, PRODUCT_F32},
                              32},
    [TENSOR_KIND_MXF4] = {{NO_NUMBER, PRODUCT_E2M1, NO_NUMBER, NO_NUMBER, NO_NUMBER, NO_NUMBER,
                           NO_NUMBER, NO_NUMBER},
                          {PRODUCT_F32, PRODUCT_F32, PRODUCT_F32, PRODUCT_F32},
                          64},
};

enum {
  SPARSE_BIT = 2,
  LEFT_FORMAT = 7, // its first bit
  FORMAT_MASK = N_FORMATS - 1,
};

TensorKind
smb_tensor_kind_of_form(guint32 descriptor) {
  guint format = descriptor >> LEFT_FORMAT & FORMAT_MASK;
  return kind_formats[TENSOR_KIND_TF32].factors[format] != NO_NUMBER ? TENSOR_KIND_TF32
                                                                     : TENSOR_KIND_F16;
}

gboolean
smb_tensor_is_sparse_form(guint32 descriptor) {
  return descriptor >> SPARSE_BIT & 1;
}

gboolean
smb_tensor_form(TensorKind kind, guint32 descriptor, TensorForm *form) {
  const KindFormats *formats = &kind_formats[kind];
  gboolean is_sparse = smb_tensor_is_sparse_form(descriptor),
           has_scales = kind >= TENSOR_KIND_MXF8F6F4;
  gboolean is_deeper = has_scales && descriptor >> 31; // of sm_103
  const ProductForm product = {.a = formats->factors[descriptor >> LEFT_FORMAT & FORMAT_MASK],
                               .b = formats->factors[descriptor >> 10 & 7],
                               .sum = formats->sums[descriptor >> 4 & 3],
                               .rows = PRODUCT_ROWS,
                               .columns = (guint16)((descriptor >> 17 & 0x3f) * PRODUCT_COLUMNS),
                               .depth = (guint16)(formats->depth << is_sparse),
                               .is_sparse = is_sparse,
                               .saturates = !has_scales && descriptor >> 3 & 1,
                               .has_fine_scales = has_scales && !(descriptor >> 23 & 1),
                               .negates = (descriptor >> 13 & 1) != (descriptor >> 14 & 1)};
  *form = (TensorForm){.product = product,
                       .rows = (descriptor >> 24 & 0x1f) * 16,
                       .left_is_turned = descriptor >> 15 & 1,
                       .right_is_turned = descriptor >> 16 & 1,
                       .first_scales = {descriptor >> 29 & 3, descriptor >> 4 & 3},
                       .selector = descriptor & 3};
  return !is_deeper && product.a != NO_NUMBER && product.b != NO_NUMBER &&
         product.sum != NO_NUMBER && product.columns > 0 && product.columns <= 256;
}

// --- metadata of a sparse A (PTX ISA, "Sparse Matrices"). Which four bits are whose, no text of it says: here as CuTe's UMMA::tmem_e_frg has it

guint
smb_tensor_group(TensorKind kind) {
  return kind == TENSOR_KIND_TF32 ? 2 : kind == TENSOR_KIND_MXF4 ? 8 : 4;
}

TensorMetadata
smb_tensor_metadata(TensorKind kind, guint i, guint lane, guint group) {
  enum {
    GROUP_BITS = 4,
    WORD_GROUPS = 32 / GROUP_BITS,
    HALF = WORD_GROUPS / 2,
  };
  gboolean is_paired = kind == TENSOR_KIND_F16 || kind == TENSOR_KIND_TF32;
  // a word has four groups of a row, and of the one eight below; those after them are eight lanes below
  if (is_paired)
    return (TensorMetadata){lane / 16 * 16 + i % 8 + group / HALF * 8, 0,
                            (i / 8 % 2 * HALF + group % HALF) * GROUP_BITS};
  return (TensorMetadata){lane, group / WORD_GROUPS, group % WORD_GROUPS * GROUP_BITS};
}
