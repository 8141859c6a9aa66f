// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/layout/distribution.h"

#include "sim/layout/distribution-impl.h"

gboolean
smb_build_add(SmbBuild *build, SmbHolder holder, const guint64 *coordinate, GError **error) {
  SmbDistribution *out = build->out;
  if (out->n[holder] == SMB_HOLDER_MAX_BITS)
    return smb_notation_fail(build->notation, build->at, error, "too large");
  for (guint i = 0; i < out->rank; i++)
    out->basis[holder][out->n[holder]][i] = coordinate[i];
  out->n[holder]++;
  return TRUE;
}

gboolean
smb_build_extend(SmbBuild *build, SmbHolder holder, guint dimension, guint64 n, gboolean is_same,
                 GError **error) {
  if (n == 0 || n & (n - 1))
    return smb_notation_fail(build->notation, build->at, error, "expected powers of two");
  for (; n > 1; n /= 2) {
    guint64 coordinate[SMB_TUPLE_MAX_RANK] = {0};
    if (!is_same) {
      coordinate[dimension] = build->size[dimension];
      build->size[dimension] *= 2;
    }
    if (!smb_build_add(build, holder, coordinate, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_build_fill(SmbBuild *build, const guint *order, GError **error) {
  SmbDistribution *out = build->out;
  for (guint i = 0; i < out->rank; i++) {
    guint64 size = build->size[order[i]], extent = build->extent[order[i]];
    if (!smb_build_extend(build, SMB_HOLDER_REGISTER, order[i], MAX(extent / size, 1), FALSE,
                          error))
      return FALSE;
  }
  for (guint holder = 0; holder < SMB_N_HOLDERS; holder++) {
    for (guint bit = 0; bit < out->n[holder]; bit++) {
      for (guint i = 0; i < out->rank; i++)
        out->basis[holder][bit][i] %= build->extent[i];
    }
  }
  return TRUE;
}

gboolean
smb_build_list(const SmbBuild *build, const GPtrArray *attributes, const char *key, guint64 least,
               guint64 most, guint64 *numbers, GError **error) {
  return smb_attributes_take(attributes, build->notation, build->at, key, build->out->rank, least,
                             most, numbers, error) > 0;
}

static gboolean
take_dimensions(const SmbBuild *build, const GPtrArray *attributes, const char *key, guint *order,
                GError **error) {
  guint64 numbers[SMB_TUPLE_MAX_RANK];
  guint seen = 0;
  if (!smb_build_list(build, attributes, key, 0, build->out->rank - 1, numbers, error))
    return FALSE;
  for (guint i = 0; i < build->out->rank; i++)
    seen |= 1u << (order[i] = (guint)numbers[i]);
  return seen == (1u << build->out->rank) - 1 ||
         smb_notation_fail(build->notation, build->at, error, "'%s' names each dimension once",
                           key);
}

// #ttg.blocked<{sizePerThread, threadsPerWarp, warpsPerCTA, order}>. @whole: of an operand of a product of it: the dimension that each
// thread has all of; or SMB_BUILD_NONE
static gboolean
build_blocked(SmbBuild *build, const GPtrArray *attributes, guint whole, GError **error) {
  static const struct {
    const char *key;
    SmbHolder holder;
    guint64 most;
  } parts[] = {{"sizePerThread", SMB_HOLDER_REGISTER, 1 << 12},
               {"threadsPerWarp", SMB_HOLDER_LANE, 64},
               {"warpsPerCTA", SMB_HOLDER_WARP, 32}};
  guint order[SMB_TUPLE_MAX_RANK];
  if (!take_dimensions(build, attributes, "order", order, error))
    return FALSE;
  for (guint part = 0; part < G_N_ELEMENTS(parts); part++) {
    guint64 numbers[SMB_TUPLE_MAX_RANK];
    if (!smb_build_list(build, attributes, parts[part].key, 1, parts[part].most, numbers, error))
      return FALSE;
    for (guint i = 0; i < build->out->rank; i++) {
      guint d = order[i];
      gboolean is_whole = d == whole;
      guint64 n = is_whole && part == 0 ? build->extent[d] : numbers[d];
      if (!smb_build_extend(build, parts[part].holder, d, n, is_whole && part > 0, error))
        return FALSE;
    }
  }
  return smb_build_fill(build, order, error);
}

static gboolean
parse_blocked(SmbBuild *build, const GPtrArray *attributes, GError **error) {
  return build_blocked(build, attributes, SMB_BUILD_NONE, error);
}

static gboolean
parse_mfma(SmbBuild *build, const GPtrArray *attributes, GError **error) {
  return smb_build_mfma(build, attributes, -1, 0, error);
}

static gboolean
parse_wmma(SmbBuild *build, const GPtrArray *attributes, GError **error) {
  return smb_build_wmma(build, attributes, -1, 0, error);
}

// The tile of an mma instruction: @width elements of a register, 4 lanes and the rest along @inner; 8 lanes and the rest along the
// other dimension.
static gboolean
extend_tile(SmbBuild *build, guint64 inner_size, guint64 outer_size, guint64 width, guint inner,
            GError **error) {
  guint outer = 1 - inner;
  if (outer_size % 8 || inner_size % (4 * width))
    return smb_notation_fail(build->notation, build->at, error,
                             "the instruction has no such shape");
  return smb_build_extend(build, SMB_HOLDER_REGISTER, inner, width, FALSE, error) &&
         smb_build_extend(build, SMB_HOLDER_LANE, inner, 4, FALSE, error) &&
         smb_build_extend(build, SMB_HOLDER_LANE, outer, 8, FALSE, error) &&
         smb_build_extend(build, SMB_HOLDER_REGISTER, outer, outer_size / 8, FALSE, error) &&
         smb_build_extend(build, SMB_HOLDER_REGISTER, inner, inner_size / (4 * width), FALSE,
                          error);
}

// An mma encoding: its version, its warps, and the shape of its instruction.
typedef struct {
  guint64 version;
  guint64 warps[SMB_TUPLE_MAX_RANK];
  guint64 shape[SMB_TUPLE_MAX_RANK];
} Mma;

static gboolean
take_mma(const SmbBuild *build, const GPtrArray *attributes, Mma *mma, GError **error) {
  if (build->out->rank != 2)
    return smb_notation_fail(build->notation, build->at, error,
                             "mma encodings are read of two dimensions only");
  return smb_attributes_take(attributes, build->notation, build->at, "versionMajor", 1, 2, 3,
                             &mma->version, error) &&
         smb_build_list(build, attributes, "warpsPerCTA", 1, 32, mma->warps, error) &&
         smb_attributes_take(attributes, build->notation, build->at, "instrShape",
                             mma->version == 2 ? 2 : 3, 1, 256, mma->shape, error);
}

// Warps go along columns first, of version 3 along rows first. @same: a dimension in which all hold the same; 2: none
static gboolean
extend_warps(SmbBuild *build, const Mma *mma, guint same, GError **error) {
  guint first = mma->version == 2 ? 1 : 0;
  return smb_build_extend(build, SMB_HOLDER_WARP, first, mma->warps[first], first == same, error) &&
         smb_build_extend(build, SMB_HOLDER_WARP, 1 - first, mma->warps[1 - first],
                          1 - first == same, error);
}

// #ttg.nvidia_mma<{versionMajor, versionMinor, warpsPerCTA, instrShape}>
static gboolean
parse_mma(SmbBuild *build, const GPtrArray *attributes, GError **error) {
  static const guint order[] = {1, 0};
  Mma mma;
  return take_mma(build, attributes, &mma, error) &&
         extend_tile(build, mma.shape[1], mma.shape[0], 2, 1, error) &&
         extend_warps(build, &mma, 2, error) && smb_build_fill(build, order, error);
}

// An operand of a product whose results are @attributes; its registers have @width elements that are adjacent.
static gboolean
build_mma_operand(SmbBuild *build, const GPtrArray *attributes, gint operand, guint64 width,
                  GError **error) {
  Mma mma;
  if (!take_mma(build, attributes, &mma, error))
    return FALSE;
  if (operand == 1 && mma.version == 3)
    return smb_notation_fail(build->notation, build->at, error,
                             "operand B of version 3 is read from shared memory, not by threads");
  guint k = operand == 0 ? 1 : 0; // the dimension that products sum over
  const guint order[] = {k, 1 - k};
  return extend_tile(build, 8 * width, operand == 0 ? 16 : 8, width, k, error) &&
         extend_warps(build, &mma, k, error) && smb_build_fill(build, order, error);
}

// Products of scalars: a thread has all that it sums over.
static gboolean
build_blocked_operand(SmbBuild *build, const GPtrArray *attributes, gint operand,
                      G_GNUC_UNUSED guint64 width, GError **error) {
  guint rank = build->out->rank;
  return rank >= 2 ? build_blocked(build, attributes, operand == 0 ? rank - 1 : rank - 2, error)
                   : smb_notation_fail(build->notation, build->at, error,
                                       "an operand has two dimensions or more");
}

static const struct {
  const char *name;
  gboolean (*build)(SmbBuild *build, const GPtrArray *attributes, gint operand, guint64 width,
                    GError **error);
} parents[] = {
    {"ttg.nvidia_mma", build_mma_operand},  {"triton_gpu.nvidia_mma", build_mma_operand},
    {"ttg.amd_mfma", smb_build_mfma},       {"ttg.amd_wmma", smb_build_wmma},
    {"ttg.blocked", build_blocked_operand},
};

// #ttg.dot_op<{opIdx, parent, kWidth}>
static gboolean
parse_dot(SmbBuild *build, const GPtrArray *attributes, GError **error) {
  const SmbAttribute *parent = smb_attributes_find(attributes, "parent");
  SmbNotation notation = *build->notation;
  guint64 operand, width = 1;
  guint which = 0;
  if (!smb_attributes_take(attributes, build->notation, build->at, "opIdx", 1, 0, 1, &operand,
                           error))
    return FALSE;
  notation.at = parent ? parent->encoding : 0;
  while (which < G_N_ELEMENTS(parents) &&
         !(parent && parent->encoding && smb_notation_take(&notation, parents[which].name)))
    which++;
  if (which == G_N_ELEMENTS(parents))
    return smb_notation_fail(
        build->notation, parent ? parent->at : build->at, error,
        "expected parent = #ttg.nvidia_mma<{…}>, written out; or #ttg.amd_mfma, "
        "#ttg.amd_wmma, #ttg.blocked");
  if (parents[which].build != build_blocked_operand &&
      !smb_attributes_take(attributes, build->notation, build->at, "kWidth", 1, 1, 64, &width,
                           error))
    return FALSE;
  if (!smb_notation_expect(&notation, "<", error))
    return FALSE;
  g_autoptr(GPtrArray) inner = smb_attributes_parse(&notation, error);
  return inner && parents[which].build(build, inner, (gint)operand, width, error);
}

static gboolean
take_holder(SmbBuild *build, const GPtrArray *attributes, const char *key, SmbHolder holder,
            GError **error) {
  guint rank = build->out->rank;
  const SmbAttribute *bases =
      smb_attributes_bases(attributes, build->notation, build->at, key, &rank, error);
  if (!bases)
    return FALSE;
  if (bases->n_rows > SMB_HOLDER_MAX_BITS)
    return smb_notation_fail(build->notation, bases->at, error, "more than %d bases",
                             SMB_HOLDER_MAX_BITS);
  for (guint i = 0; i < bases->n_rows; i++) {
    if (!smb_build_add(build, holder, &g_array_index(bases->numbers, guint64, i * rank), error))
      return FALSE;
  }
  return TRUE;
}

// #ttg.linear<{register = [[…], …], lane = …, warp = …, block = []}>
static gboolean
parse_linear_bases(SmbBuild *build, const GPtrArray *attributes, GError **error) {
  return take_holder(build, attributes, "register", SMB_HOLDER_REGISTER, error) &&
         take_holder(build, attributes, "lane", SMB_HOLDER_LANE, error) &&
         take_holder(build, attributes, "warp", SMB_HOLDER_WARP, error);
}

// #ttg.slice<{dim, parent}>: the parent's, of a tensor that is one element wide in a dimension, without that dimension.
static gboolean
parse_slice(SmbBuild *build, const GPtrArray *attributes, GError **error) {
  const SmbAttribute *parent = smb_attributes_find(attributes, "parent");
  SmbDistribution *out = build->out;
  SmbNotation notation = *build->notation;
  guint64 extent[SMB_TUPLE_MAX_RANK], dimension;
  SmbDistribution whole;
  if (out->rank == SMB_TUPLE_MAX_RANK)
    return smb_notation_fail(build->notation, build->at, error,
                             "its parent has more dimensions than %d", SMB_TUPLE_MAX_RANK);
  if (!smb_attributes_take(attributes, build->notation, build->at, "dim", 1, 0, out->rank,
                           &dimension, error))
    return FALSE;
  if (!parent || !parent->encoding)
    return smb_notation_fail(
        build->notation, parent ? parent->at : build->at, error,
        "expected parent = #ttg.blocked<{…}> or another encoding, written out");
  for (guint i = 0; i <= out->rank; i++)
    extent[i] = i < dimension ? build->extent[i] : i == dimension ? 1 : build->extent[i - 1];
  notation.at = parent->encoding;
  if (!smb_distribution_parse(&notation, out->rank + 1, extent, &whole, error))
    return FALSE;
  for (guint holder = 0; holder < SMB_N_HOLDERS; holder++) {
    out->n[holder] = whole.n[holder];
    for (guint bit = 0; bit < whole.n[holder]; bit++) {
      for (guint i = 0; i < out->rank; i++)
        out->basis[holder][bit][i] = whole.basis[holder][bit][i + (i >= dimension)];
    }
  }
  return TRUE;
}

static const struct {
  const char *name;
  gboolean (*parse)(SmbBuild *build, const GPtrArray *attributes, GError **error);
} encodings[] = {
    {"blocked", parse_blocked},     {"nvidia_mma", parse_mma}, {"dot_op", parse_dot},
    {"amd_mfma", parse_mfma},       {"amd_wmma", parse_wmma},  {"slice", parse_slice},
    {"linear", parse_linear_bases},
};

// Registers that repeat another one's elements are not loaded or stored again.
static void
drop_same_registers(SmbDistribution *out) {
  guint kept = 0;
  for (guint bit = 0; bit < out->n[SMB_HOLDER_REGISTER]; bit++) {
    const guint64 *basis = out->basis[SMB_HOLDER_REGISTER][bit];
    gboolean is_zero = TRUE;
    for (guint i = 0; i < out->rank; i++) {
      is_zero = is_zero && basis[i] == 0;
      out->basis[SMB_HOLDER_REGISTER][kept][i] = basis[i];
    }
    kept += !is_zero;
  }
  out->n[SMB_HOLDER_REGISTER] = kept;
}

gboolean
smb_distribution_parse(SmbNotation *notation, guint rank, const guint64 *extent,
                       SmbDistribution *distribution, GError **error) {
  SmbBuild build = {.notation = notation, .at = notation->at, .out = distribution};
  *distribution = (SmbDistribution){.rank = rank};
  for (guint i = 0; i < rank; i++) {
    build.size[i] = 1;
    build.extent[i] = extent[i];
  }
  g_autofree char *word = smb_notation_word(notation);
  const char *name = g_str_has_prefix(word, "ttg.")          ? word + 4
                     : g_str_has_prefix(word, "triton_gpu.") ? word + 11
                                                             : "";
  for (guint i = 0; i < G_N_ELEMENTS(encodings); i++) {
    if (g_strcmp0(name, encodings[i].name) != 0)
      continue;
    if (!smb_notation_expect(notation, "<", error))
      return FALSE;
    g_autoptr(GPtrArray) attributes = smb_attributes_parse(notation, error);
    if (!attributes || !encodings[i].parse(&build, attributes, error))
      return FALSE;
    drop_same_registers(distribution);
    return smb_notation_expect(notation, ">", error);
  }
  return smb_notation_fail(notation, build.at, error,
                           "expected #ttg.blocked, #ttg.nvidia_mma, #ttg.amd_mfma, #ttg.amd_wmma, "
                           "#ttg.dot_op, #ttg.slice or #ttg.linear");
}

void
smb_distribution_find(const SmbDistribution *distribution, const guint *number,
                      guint64 *coordinate) {
  for (guint i = 0; i < distribution->rank; i++)
    coordinate[i] = 0;
  for (guint holder = 0; holder < SMB_N_HOLDERS; holder++) {
    for (guint bit = 0; bit < distribution->n[holder]; bit++) {
      for (guint i = 0; number[holder] >> bit & 1 && i < distribution->rank; i++)
        coordinate[i] ^= distribution->basis[holder][bit][i];
    }
  }
}
