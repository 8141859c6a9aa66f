// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Triton's encodings of shared memory, as they are printed in its intermediate language (TritonGPUAttrDefs.td): swizzled_shared,
// padded_shared, shared_linear and nvmma_shared of two dimensions. Not read: encodings of several blocks of a cluster.
#include "sim/layout/attribute.h"
#include "sim/layout/function.h"
#include "sim/layout/tile-parse.h"

static gboolean
take_order(const GPtrArray *attributes, const SmbNotation *notation, SmbFunction *function,
           GError **error) {
  guint64 order[SMB_TUPLE_MAX_RANK];
  guint n = smb_attributes_take(attributes, notation, function->at, "order", 0, 0,
                                SMB_TUPLE_MAX_RANK - 1, order, error);
  for (guint i = 0; i < n; i++)
    function->order[i] = (guint)order[i];
  return n > 0;
}

// {vec, perPhase, maxPhase, order}: column ^ (row / perPhase % maxPhase) * vec.
static gboolean
parse_swizzled(SmbNotation *notation, SmbFunction *function, GError **error) {
  g_autoptr(GPtrArray) attributes = smb_attributes_parse(notation, error);
  return attributes &&
         smb_attributes_take(attributes, notation, function->at, "vec", 1, 1, SMB_TILE_MAX_ELEMENTS,
                             &function->vec, error) &&
         smb_attributes_take(attributes, notation, function->at, "perPhase", 1, 1,
                             SMB_TILE_MAX_ELEMENTS, &function->per_phase, error) &&
         smb_attributes_take(attributes, notation, function->at, "maxPhase", 1, 1,
                             SMB_TILE_MAX_ELEMENTS, &function->max_phase, error) &&
         take_order(attributes, notation, function, error);
}

// Coordinates of all dimensions as one number, as bits behind each other.
static guint64
pack_coordinate(const guint64 *coordinate, guint rank) {
  guint64 bits = 0;
  for (guint i = 0; i < rank; i++)
    bits |= coordinate[i] << i * SMB_FUNCTION_BITS;
  return bits;
}

// Takes what the rows of a matrix over F2 already have from a vector, and from what it stands for.
static void
reduce_vector(const guint64 *rows, const guint64 *means, guint n, guint64 *vector, guint64 *mean) {
  for (guint i = 0; i < n; i++) {
    if (*vector & rows[i] & -rows[i]) {
      *vector ^= rows[i];
      *mean ^= means[i];
    }
  }
}

// The lowest bit of each row is in no other row.
static void
add_row(guint64 *rows, guint64 *means, guint n, guint64 vector, guint64 mean) {
  guint64 lowest = vector & -vector;
  for (guint i = 0; i < n; i++) {
    if (rows[i] & lowest) {
      rows[i] ^= vector;
      means[i] ^= mean;
    }
  }
  rows[n] = vector;
  means[n] = mean;
}

// From the coordinate that each bit of the place stands for to the place of each bit of a coordinate: the inverse over F2. A bit of
// the place that repeats what others say is 0.
static gboolean
invert_bases(const SmbAttribute *offsets, const SmbNotation *notation, SmbFunction *function,
             GError **error) {
  guint64 rows[SMB_FUNCTION_BITS], means[SMB_FUNCTION_BITS];
  guint n = 0;
  for (guint i = 0; i < offsets->n_rows; i++) {
    const guint64 *coordinate = &g_array_index(offsets->numbers, guint64, i * function->rank);
    guint64 vector = pack_coordinate(coordinate, function->rank), mean = (guint64)1 << i;
    reduce_vector(rows, means, n, &vector, &mean);
    if (vector)
      add_row(rows, means, n++, vector, mean);
    for (guint d = 0; d < function->rank; d++) {
      while (function->extent[d] <= coordinate[d])
        function->extent[d] *= 2;
    }
  }
  for (guint d = 0; d < function->rank; d++) {
    for (guint bit = 0; (guint64)1 << bit < function->extent[d]; bit++) {
      guint64 vector = (guint64)1 << (d * SMB_FUNCTION_BITS + bit), mean = 0;
      reduce_vector(rows, means, n, &vector, &mean);
      if (vector)
        return smb_notation_fail(notation, offsets->at, error,
                                 "bit %u of dimension %u has no place: the bases do not reach all "
                                 "coordinates",
                                 bit, d);
      function->bases[d][bit] = mean;
    }
  }
  return TRUE;
}

static gboolean
take_bases(const GPtrArray *attributes, const SmbNotation *notation, SmbFunction *function,
           GError **error) {
  const SmbAttribute *offsets =
      smb_attributes_bases(attributes, notation, function->at, "offset", &function->rank, error);
  if (!offsets)
    return FALSE;
  if (offsets->n_rows == 0 || offsets->n_rows > SMB_FUNCTION_BITS)
    return smb_notation_fail(notation, offsets->at, error, "expected 1 to %d bases",
                             SMB_FUNCTION_BITS);
  guint64 elements = 1;
  for (guint i = 0; i < function->rank; i++)
    function->extent[i] = 1;
  for (guint i = 0; i < offsets->numbers->len; i++) {
    if (g_array_index(offsets->numbers, guint64, i) >= SMB_TILE_MAX_ELEMENTS)
      return smb_notation_fail(notation, offsets->at, error, "a coordinate beyond %u",
                               SMB_TILE_MAX_ELEMENTS - 1);
  }
  function->kind = SMB_FUNCTION_BASES;
  if (!invert_bases(offsets, notation, function, error))
    return FALSE;
  for (guint i = 0; i < function->rank; i++)
    elements *= function->extent[i];
  return elements <= SMB_TILE_MAX_ELEMENTS ||
         smb_notation_fail(notation, offsets->at, error, "more than %u elements",
                           SMB_TILE_MAX_ELEMENTS);
}

// '[' INTERVAL ':' '+' PAD (',' …)* ']'
static gboolean
parse_intervals(SmbNotation *notation, SmbFunction *function, GError **error) {
  if (!smb_notation_expect(notation, "[", error))
    return FALSE;
  do {
    SmbFunctionStep step = {.kind = SMB_STEP_PAD};
    guint64 amount;
    if (!smb_notation_number(notation, 1, SMB_TILE_MAX_ELEMENTS, &step.interval, error) ||
        !smb_notation_expect(notation, ":", error) || !smb_notation_expect(notation, "+", error) ||
        !smb_notation_number(notation, 1, SMB_TILE_MAX_ELEMENTS, &amount, error))
      return FALSE;
    step.amount = (gint64)amount;
    smb_function_add(function, &step, FALSE);
  } while (smb_notation_take(notation, ","));
  return smb_notation_expect(notation, "]", error);
}

static gboolean
parse_padded(SmbNotation *notation, SmbFunction *function, GError **error) {
  if (!parse_intervals(notation, function, error))
    return FALSE;
  g_autoptr(GPtrArray) attributes = smb_attributes_parse(notation, error);
  if (!attributes)
    return FALSE;
  if (smb_attributes_find(attributes, "offset"))
    return take_bases(attributes, notation, function, error);
  if (!take_order(attributes, notation, function, error))
    return FALSE;
  if (!smb_attributes_find(attributes, "shape"))
    return TRUE;
  function->rank = smb_attributes_take(attributes, notation, function->at, "shape", 0, 1, 1 << 16,
                                       function->extent, error);
  guint64 elements = 1;
  for (guint i = 0; i < function->rank; i++)
    elements *= function->extent[i];
  if (elements > SMB_TILE_MAX_ELEMENTS)
    return smb_notation_fail(notation, function->at, error, "more than %u elements",
                             SMB_TILE_MAX_ELEMENTS);
  return function->rank > 0;
}

// {offset = [[…], …], block = []}, alignment = N
static gboolean
parse_linear(SmbNotation *notation, SmbFunction *function, GError **error) {
  g_autoptr(GPtrArray) attributes = smb_attributes_parse(notation, error);
  guint64 alignment;
  if (!attributes || !take_bases(attributes, notation, function, error))
    return FALSE;
  return !smb_notation_take(notation, ",") ||
         (smb_notation_expect(notation, "alignment", error) &&
          smb_notation_expect(notation, "=", error) &&
          smb_notation_number(notation, 1, G_MAXUINT32, &alignment, error));
}

// {swizzlingByteWidth, transposed, elementBitWidth}: the layout of a tensor map's box, along columns if it is transposed.
static gboolean
parse_nvmma(SmbNotation *notation, SmbFunction *function, GError **error) {
  g_autoptr(GPtrArray) attributes = smb_attributes_parse(notation, error);
  guint64 width, transposed, bits, padded = 0;
  if (!attributes ||
      !smb_attributes_take(attributes, notation, function->at, "swizzlingByteWidth", 1, 0, 128,
                           &width, error) ||
      !smb_attributes_take(attributes, notation, function->at, "transposed", 1, 0, 1, &transposed,
                           error) ||
      !smb_attributes_take(attributes, notation, function->at, "elementBitWidth", 1, 8, 64, &bits,
                           error))
    return FALSE;
  if (smb_attributes_find(attributes, "fp4Padded") &&
      !smb_attributes_take(attributes, notation, function->at, "fp4Padded", 1, 0, 1, &padded,
                           error))
    return FALSE;
  function->element = bits % 8 ? NULL : smb_element_of_bytes((guint)bits / 8);
  if (padded || !function->element || (width && width != 32 && width != 64 && width != 128))
    return smb_notation_fail(notation, function->at, error,
                             "expected a swizzlingByteWidth of 0, 32, 64 or 128, and elements of "
                             "8, 16, 32 or 64 bits without padding");
  smb_function_add_span(function, (guint)width);
  function->is_divided = TRUE;
  function->order[0] = transposed ? 0 : 1;
  function->order[1] = transposed ? 1 : 0;
  return TRUE;
}

static const struct {
  const char *name;
  gboolean (*parse)(SmbNotation *notation, SmbFunction *function, GError **error);
} shared_encodings[] = {
    {"ttg.swizzled_shared", parse_swizzled}, {"triton_gpu.shared", parse_swizzled},
    {"ttg.padded_shared", parse_padded},     {"ttg.shared_linear", parse_linear},
    {"ttg.nvmma_shared", parse_nvmma},
};

gboolean
smb_function_parse_triton(SmbNotation *notation, SmbFunction *function, GError **error) {
  guint32 at = notation->at;
  for (guint i = 0; i < G_N_ELEMENTS(shared_encodings); i++) {
    if (smb_notation_take(notation, shared_encodings[i].name))
      return smb_notation_expect(notation, "<", error) &&
             shared_encodings[i].parse(notation, function, error) &&
             smb_notation_expect(notation, ">", error);
  }
  return smb_notation_fail(notation, at, error,
                           "expected #ttg.swizzled_shared, #ttg.padded_shared, "
                           "#ttg.shared_linear or #ttg.nvmma_shared");
}
