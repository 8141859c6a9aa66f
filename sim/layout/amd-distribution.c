// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Triton's encodings of AMD's matrix instructions: MFMA of 16 x 16 and 32 x 32 results, 64 lanes; WMMA of 16 x 16 results, 32 lanes. Which
// lane and register has which element is as in AMD's instruction sets ("Matrix Arithmetic Instructions" of CDNA 3, "WMMA" of RDNA 3 and 4).
// Not: MFMA of 4 rows or columns, and several tiles of a warp that are neighbours (tilesPerWarp).
#include "sim/layout/distribution-impl.h"

enum {
  MFMA_LANES = 64,
  WMMA_SIZE = 16, // rows and columns
};

static const guint columns_first[] = {1, 0};

static gboolean
has_two_dimensions(const SmbBuild *build, GError **error) {
  return build->out->rank == 2 ||
         smb_notation_fail(build->notation, build->at, error,
                           "encodings of matrix instructions are read of two dimensions only");
}

// Warps go along columns first. @same: a dimension in which all hold the same
static gboolean
extend_amd_warps(SmbBuild *build, const GPtrArray *attributes, guint same, GError **error) {
  guint64 warps[SMB_TUPLE_MAX_RANK];
  if (!smb_build_list(build, attributes, "warpsPerCTA", 1, 32, warps, error))
    return FALSE;
  for (guint i = 0; i < 2; i++) {
    guint d = columns_first[i];
    if (!smb_build_extend(build, SMB_HOLDER_WARP, d, warps[d], d == same, error))
      return FALSE;
  }
  return TRUE;
}

// An optional attribute.
static gboolean
take_optional(const SmbBuild *build, const GPtrArray *attributes, const char *key, guint64 most,
              guint64 *value, GError **error) {
  return !smb_attributes_find(attributes, key) ||
         smb_attributes_take(attributes, build->notation, build->at, key, 1, 0, most, value, error);
}

// An operand: @width elements of a register along @k, then lanes along the other dimension, and those that are left along @k.
static gboolean
extend_operand(SmbBuild *build, guint k, guint64 width, guint64 lanes, guint64 groups,
               gboolean is_same, GError **error) {
  return smb_build_extend(build, SMB_HOLDER_REGISTER, k, width, FALSE, error) &&
         smb_build_extend(build, SMB_HOLDER_LANE, 1 - k, lanes, FALSE, error) &&
         smb_build_extend(build, SMB_HOLDER_LANE, k, groups, is_same, error);
}

// Results: a lane has a column, and groups of lanes rows of it; @row: the dimension of rows, which is 1 if they are transposed. @step: rows of
// a register file that are adjacent.
static gboolean
extend_results(SmbBuild *build, guint row, guint64 step, guint64 lanes, guint64 groups,
               guint64 rows, GError **error) {
  return smb_build_extend(build, SMB_HOLDER_REGISTER, row, step, FALSE, error) &&
         smb_build_extend(build, SMB_HOLDER_LANE, 1 - row, lanes, FALSE, error) &&
         smb_build_extend(build, SMB_HOLDER_LANE, row, groups, FALSE, error) &&
         smb_build_extend(build, SMB_HOLDER_REGISTER, row, rows / (step * groups), FALSE, error);
}

// Products sum over it: 1 of operand A, 0 of B.
static guint
find_summed(gint operand) {
  return operand == 0 ? 1 : 0;
}

static gboolean
fill_amd(SmbBuild *build, gint operand, GError **error) {
  const guint order[] = {find_summed(operand), 1 - find_summed(operand)};
  return smb_build_fill(build, operand < 0 ? columns_first : order, error);
}

// #ttg.amd_mfma<{version, warpsPerCTA, instrShape, isTransposed, elementBitWidth}>
gboolean
smb_build_mfma(SmbBuild *build, const GPtrArray *attributes, gint operand, guint64 width,
               GError **error) {
  const SmbAttribute *tiles = smb_attributes_find(attributes, "tilesPerWarp");
  const SmbAttribute *named = smb_attributes_find(attributes, "instrShape");
  guint64 shape[SMB_TUPLE_MAX_RANK], transposed = 0, bits = 32;
  guint n = named && named->numbers->len == 2 ? 2 : 3, k = find_summed(operand);
  if (!has_two_dimensions(build, error) ||
      !smb_attributes_take(attributes, build->notation, build->at, "instrShape", n, 1, 256, shape,
                           error) ||
      !take_optional(build, attributes, "isTransposed", 1, &transposed, error) ||
      !take_optional(build, attributes, "elementBitWidth", 64, &bits, error))
    return FALSE;
  for (guint i = 0; tiles && i < tiles->numbers->len; i++) {
    if (g_array_index(tiles->numbers, guint64, i) != 1)
      return smb_notation_fail(build->notation, tiles->at, error,
                               "expected tilesPerWarp = [1, 1]: others are not read");
  }
  if (shape[0] != shape[1] || (shape[0] != 16 && shape[0] != 32))
    return smb_notation_fail(build->notation, named->at, error,
                             "expected an instrShape of [16, 16, K] or [32, 32, K]");
  guint64 groups = MFMA_LANES / shape[0], step = bits == 64 ? 1 : 4;
  return (operand < 0
              ? extend_results(build, transposed ? 1 : 0, step, shape[0], groups, shape[0], error)
              : extend_operand(build, k, width, shape[0], groups, FALSE, error)) &&
         extend_amd_warps(build, attributes, operand < 0 ? SMB_BUILD_NONE : k, error) &&
         fill_amd(build, operand, error);
}

// ctaLayout = {register = …, warp = …}: which of the tiles that the bits of a register, or of a warp, stand for.
static gboolean
extend_tiles(SmbBuild *build, const GPtrArray *attributes, const char *key, SmbHolder holder,
             guint same, GError **error) {
  guint rank = 2;
  guint64 size[] = {build->size[0], build->size[1]};
  if (!smb_attributes_find(attributes, key))
    return TRUE;
  const SmbAttribute *bases =
      smb_attributes_bases(attributes, build->notation, build->at, key, &rank, error);
  for (guint i = 0; bases && i < bases->n_rows; i++) {
    guint64 coordinate[SMB_TUPLE_MAX_RANK] = {0};
    for (guint d = 0; d < 2; d++) {
      guint64 tile = d == same ? 0 : g_array_index(bases->numbers, guint64, 2 * i + d);
      coordinate[d] = tile * WMMA_SIZE;
      while (size[d] <= coordinate[d])
        size[d] *= 2;
    }
    if (!smb_build_add(build, holder, coordinate, error))
      return FALSE;
  }
  build->size[0] = size[0];
  build->size[1] = size[1];
  return bases != NULL;
}

// #ttg.amd_wmma<{version, isTranspose, ctaLayout = {warp = …}}>; before that was there, warpsPerCTA. Of RDNA 3, version 1, rows of the
// results go round the two halves of a warp, and both halves have the whole operands.
gboolean
smb_build_wmma(SmbBuild *build, const GPtrArray *attributes, gint operand, guint64 width,
               GError **error) {
  guint64 version, transposed = 0;
  guint k = find_summed(operand), same = operand < 0 ? SMB_BUILD_NONE : k;
  if (!has_two_dimensions(build, error) ||
      !smb_attributes_take(attributes, build->notation, build->at, "version", 1, 1, 3, &version,
                           error) ||
      !take_optional(build, attributes, "isTranspose", 1, &transposed, error))
    return FALSE;
  gboolean is_first = version == 1;
  return (operand < 0 ? extend_results(build, transposed ? 1 : 0, is_first ? 1 : 8, WMMA_SIZE, 2,
                                       WMMA_SIZE, error)
                      : extend_operand(build, k, width, WMMA_SIZE, 2, is_first, error)) &&
         (smb_attributes_find(attributes, "ctaLayout.warp")
              ? extend_tiles(build, attributes, "ctaLayout.register", SMB_HOLDER_REGISTER, same,
                             error) &&
                    extend_tiles(build, attributes, "ctaLayout.warp", SMB_HOLDER_WARP, same, error)
              : extend_amd_warps(build, attributes, same, error)) &&
         fill_amd(build, operand, error);
}
