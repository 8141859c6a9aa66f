// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Textures and surfaces by a handle in a register, or by the name of a .texref or .surfref (PTX ISA, 9.7.10 and 9.7.11): tex, tld4, txq, suld.b,
// sust.b, suq. Other forms, such as samplers of their own, offsets and comparisons of depth, are opaque.
#include <string.h>

#include "sim/ptx/decode/decode.h"

enum {
  COMPONENTS = 4,
  MAX_WIDTH = 16, // bytes of an access to a surface
  WORD_BYTES = 4, // of what a texture gives
};

typedef struct {
  const char *part;
  guint n_coordinates;
  gboolean has_layer;
} Geometry;

static const Geometry geometries[] = {
    {"1d", 1, FALSE}, {"2d", 2, FALSE}, {"3d", 3, FALSE},   {"cube", 3, FALSE},
    {"a1d", 1, TRUE}, {"a2d", 2, TRUE}, {"acube", 3, TRUE},
};

static const Geometry *
find_geometry(const PtxDecoder *decoder) {
  for (guint i = 0; i < G_N_ELEMENTS(geometries); i++)
    if (smb_ptx_has_part(decoder, geometries[i].part))
      return &geometries[i];
  return NULL;
}

// --- operands

// What a name stands for: its address, which of a texture or surface is its handle. NO_ROW: it is neither.
static Row
named_handle(PtxDecoder *decoder, const PtxOperand *base) {
  guint64 handle;
  const PtxVariable *variable =
      base->kind == PTX_OPERAND_SYMBOL && base->where == PTX_WHERE_MODULE
          ? &g_array_index(decoder->module->variables, PtxVariable, base->index)
          : NULL;
  const PtxType *type = variable ? smb_ptx_type_named(variable->type) : NULL;
  return type && type->is_opaque && base->bits == 0 && smb_ptx_address(decoder, base, &handle)
             ? smb_ptx_constant(decoder, handle, 8)
             : NO_ROW;
}

// The handle in brackets, and what is in braces behind it (nullable). NO_ROW: it is neither a register nor a name.
static Row
find_ptx_handle(PtxDecoder *decoder, const PtxOperand *operand, const PtxOperand **place) {
  const PtxOperand *base = smb_ptx_element(decoder, operand, 0);
  *place = operand->n == 2 ? smb_ptx_element(decoder, operand, 1) : NULL;
  if (operand->kind != PTX_OPERAND_ADDRESS || operand->n > 2 || operand->bits != 0)
    return NO_ROW;
  return smb_ptx_register_bytes(decoder, base) == 8 ? smb_ptx_register_row(decoder, base)
                                                    : named_handle(decoder, base);
}

// The @i-th word of a vector, or of what stands for one. NO_ROW: there is none.
static Row
vector_row(PtxDecoder *decoder, const PtxOperand *operand, guint i, guint bytes) {
  if (operand->kind != PTX_OPERAND_VECTOR)
    return i == 0 ? smb_ptx_row(decoder, operand, bytes, TRUE) : NO_ROW;
  return i < operand->n ? smb_ptx_row(decoder, smb_ptx_element(decoder, operand, i), bytes, TRUE)
                        : NO_ROW;
}

// The layer, then coordinates. FALSE: there are not so many.
static gboolean
set_tex_coordinates(PtxDecoder *decoder, const Geometry *geometry, const PtxOperand *place,
                    Sampling *sampling) {
  guint next = 0;
  if (geometry->has_layer && (sampling->layer = vector_row(decoder, place, next++, 4)) == NO_ROW)
    return FALSE;
  for (guint i = 0; i < geometry->n_coordinates; i++)
    if ((sampling->coordinates[i] = vector_row(decoder, place, next++, 4)) == NO_ROW)
      return FALSE;
  return TRUE;
}

// The registers of a result, of at least so many bytes each; "_" is dropped.
static gboolean
set_result_rows(PtxDecoder *decoder, const PtxOperand *result, guint n, guint bytes, Row *rows) {
  for (guint i = 0; i < n; i++) {
    const PtxOperand *element =
        result->kind == PTX_OPERAND_VECTOR ? smb_ptx_element(decoder, result, i) : result;
    rows[i] = element->kind == PTX_OPERAND_REGISTER ? smb_ptx_row(decoder, element, bytes, FALSE)
                                                    : NO_ROW;
    if (rows[i] == NO_ROW && element->kind != PTX_OPERAND_SINK)
      return FALSE;
  }
  return result->kind == PTX_OPERAND_VECTOR ? result->n == n : n == 1;
}

// --- textures

// A direction is scaled so that its longest coordinate is 1, as ptxas does it.
static void
scale_direction(PtxDecoder *decoder, Sampling *sampling) {
  Row longest = smb_code_new_rows(decoder->code, 1), length = smb_code_new_rows(decoder->code, 1);
  for (guint i = 0; i < 3; i++) {
    Row to = i == 0 ? longest : length;
    smb_ptx_add_operation(decoder, OPERATION_ABS_F32, to, sampling->coordinates[i], NO_ROW);
    if (i > 0)
      smb_ptx_add_operation(decoder, OPERATION_MAX_F32, longest, longest, length);
  }
  const Compute reciprocal = {.operation = OPERATION_UNIT_RCP_F32,
                              .modifiers = MODIFIER_APPROXIMATE | MODIFIER_FLUSH,
                              .d = length,
                              .s = {longest}};
  smb_ptx_add_compute(decoder, &reciprocal);
  for (guint i = 0; i < 3; i++) {
    Row scaled = smb_code_new_rows(decoder->code, 1);
    smb_ptx_add_operation(decoder, OPERATION_MUL_F32, scaled, sampling->coordinates[i], length);
    sampling->coordinates[i] = scaled;
  }
}

static gboolean
set_tex_gradients(PtxDecoder *decoder, const Geometry *geometry, Sampling *sampling) {
  for (guint i = 0; i < geometry->n_coordinates; i++)
    for (guint direction = 0; direction < 2; direction++) {
      const PtxOperand *vector = smb_ptx_operand(decoder, 2 + direction);
      sampling->gradients[i][direction] = vector_row(decoder, vector, i, 4);
      if (sampling->gradients[i][direction] == NO_ROW)
        return FALSE;
    }
  for (guint i = geometry->n_coordinates; i < 3; i++)
    for (guint direction = 0; direction < 2; direction++)
      sampling->gradients[i][direction] = smb_ptx_constant(decoder, 0, 4);
  return TRUE;
}

// The predicate beside the result: whether texels are resident.
static gboolean
set_tex_predicate(const PtxDecoder *decoder, Sampling *sampling) {
  const PtxOperand *partner = smb_ptx_partner(decoder);
  if (decoder->instruction->partner == PTX_NONE || partner->kind == PTX_OPERAND_SINK)
    return TRUE;
  sampling->resident = smb_ptx_predicate(decoder, partner);
  return smb_ptx_is_predicate(decoder, partner);
}

// The coordinates of tex, tld4, and the level or gradients.
static gboolean
set_tex(PtxDecoder *decoder, Sampling *sampling) {
  const Geometry *geometry = find_geometry(decoder);
  const PtxOperand *place;
  guint n_operands = decoder->instruction->n_operands;
  gboolean has_level = smb_ptx_has_part(decoder, "level");
  gboolean by_gradients = smb_ptx_has_part(decoder, "grad");
  sampling->handle = find_ptx_handle(decoder, smb_ptx_operand(decoder, 1), &place);
  if (!geometry || sampling->handle == NO_ROW || !place ||
      n_operands != 2u + has_level + 2u * by_gradients || !set_tex_predicate(decoder, sampling) ||
      !smb_ptx_has_part(decoder, "v4") ||
      !set_tex_coordinates(decoder, geometry, place, sampling) ||
      !set_result_rows(decoder, smb_ptx_operand(decoder, 0), COMPONENTS, WORD_BYTES,
                       sampling->data))
    return FALSE;
  if (has_level)
    sampling->level = smb_ptx_row(decoder, smb_ptx_operand(decoder, 2), 4, TRUE);
  if ((has_level && sampling->level == NO_ROW) ||
      (by_gradients && !set_tex_gradients(decoder, geometry, sampling)))
    return FALSE;
  gboolean is_texel = strcmp(smb_ptx_last_part(decoder), "s32") == 0;
  if (is_texel && (geometry->n_coordinates > 1 || geometry->has_layer || has_level))
    return FALSE;
  if (is_texel)
    sampling->kind = SAMPLING_TEXEL;
  else if (g_str_has_suffix(geometry->part, "cube"))
    scale_direction(decoder, sampling);
  return TRUE;
}

PtxResult
smb_ptx_decode_texture(PtxDecoder *decoder) {
  Sampling *sampling = smb_build_sampling(&decoder->build, SAMPLING_FILTERED);
  if (!set_tex(decoder, sampling))
    return smb_ptx_add_opaque(decoder, LOOKS | ELSEWHERE);
  smb_build_sample(&decoder->build, sampling);
  return PTX_DECODED;
}

PtxResult
smb_ptx_decode_texture_gather(PtxDecoder *decoder) {
  static const char *const components[COMPONENTS] = {"r", "g", "b", "a"};
  Sampling *sampling = smb_build_sampling(&decoder->build, SAMPLING_GATHERED);
  for (guint i = 0; i < COMPONENTS; i++)
    if (smb_ptx_has_part(decoder, components[i]))
      sampling->component = i;
  if (!smb_ptx_has_part(decoder, "2d") || !set_tex(decoder, sampling))
    return smb_ptx_add_opaque(decoder, LOOKS | ELSEWHERE);
  smb_build_sample(&decoder->build, sampling);
  return PTX_DECODED;
}

// txq, suq: an extent of a level.
PtxResult
smb_ptx_decode_texture_size(PtxDecoder *decoder) {
  static const char *const extents[] = {"width", "height", "depth"};
  Sampling *sampling = smb_build_sampling(&decoder->build, SAMPLING_SIZE);
  const PtxOperand *place;
  gboolean has_level = smb_ptx_has_part(decoder, "level");
  sampling->component = G_MAXUINT;
  for (guint i = 0; i < G_N_ELEMENTS(extents); i++)
    if (smb_ptx_has_part(decoder, extents[i]))
      sampling->component = i;
  sampling->handle = find_ptx_handle(decoder, smb_ptx_operand(decoder, 1), &place);
  if (has_level)
    sampling->level = smb_ptx_row(decoder, smb_ptx_operand(decoder, 2), 4, FALSE);
  if (sampling->component == G_MAXUINT || sampling->handle == NO_ROW || place ||
      (has_level && sampling->level == NO_ROW) ||
      !set_result_rows(decoder, smb_ptx_operand(decoder, 0), 1, WORD_BYTES, sampling->data))
    return smb_ptx_add_opaque(decoder, LOOKS | ELSEWHERE);
  smb_build_sample(&decoder->build, sampling);
  return PTX_DECODED;
}

// --- surfaces

// The bytes of one of the components; 0: it is not said.
static guint
component_bytes(const PtxDecoder *decoder) {
  static const struct {
    const char *part;
    guint bytes;
  } types[] = {{"b8", 1}, {"b16", 2}, {"b32", 4}, {"b64", 8}};
  for (guint i = 0; i < G_N_ELEMENTS(types); i++)
    if (smb_ptx_has_part(decoder, types[i].part))
      return types[i].bytes;
  return 0;
}

// Which surface, where, and how wide. FALSE: it is not modelled.
static gboolean
set_surface(PtxDecoder *decoder, const PtxOperand *operand, guint bytes, guint n,
            Sampling *sampling) {
  const Geometry *geometry = find_geometry(decoder);
  const PtxOperand *place;
  sampling->handle = find_ptx_handle(decoder, operand, &place);
  sampling->width = bytes * n;
  sampling->boundary = smb_ptx_has_part(decoder, "zero")    ? BOUNDARY_ZERO
                       : smb_ptx_has_part(decoder, "clamp") ? BOUNDARY_CLAMP
                                                            : BOUNDARY_TRAP;
  if (!geometry || sampling->handle == NO_ROW || !place || bytes == 0 ||
      sampling->width > MAX_WIDTH || !smb_ptx_has_part(decoder, "b") ||
      decoder->instruction->n_operands != 2 ||
      !set_tex_coordinates(decoder, geometry, place, sampling))
    return FALSE;
  if (geometry->n_coordinates == 3) {
    sampling->layer = sampling->coordinates[2];
    sampling->coordinates[2] = NO_ROW;
  }
  return TRUE;
}

// How many components; the rows of each one's first word.
static guint
find_components(PtxDecoder *decoder, const PtxOperand *operand, guint bytes, Row *rows) {
  guint n = operand->kind == PTX_OPERAND_VECTOR ? operand->n : 1;
  for (guint i = 0; i < n && i < COMPONENTS; i++)
    rows[i] = vector_row(decoder, operand, i, bytes);
  return n;
}

// Components of less than a word lie in rows of their own: @i-th one, in its word.
static Row
shift_component(PtxDecoder *decoder, Operation operation, Row row, guint i, guint bytes) {
  Row shifted = smb_code_new_rows(decoder->code, 1);
  guint bits = i * bytes % 4 * 8;
  smb_ptx_add_operation(decoder, operation, shifted, row, smb_ptx_constant(decoder, bits, 4));
  return shifted;
}

PtxResult
smb_ptx_decode_surface_load(PtxDecoder *decoder) {
  Sampling *sampling = smb_build_sampling(&decoder->build, SAMPLING_LOAD);
  const PtxOperand *result = smb_ptx_operand(decoder, 0);
  guint bytes = component_bytes(decoder);
  guint n = result->kind == PTX_OPERAND_VECTOR ? result->n : 1;
  Row rows[COMPONENTS];
  if (n > COMPONENTS || !set_surface(decoder, smb_ptx_operand(decoder, 1), bytes, n, sampling) ||
      !set_result_rows(decoder, result, n, bytes, rows))
    return smb_ptx_add_opaque(decoder, LOOKS | ELSEWHERE);
  for (guint i = 0; i < MAX(sampling->width, 4) / 4; i++)
    sampling->data[i] = bytes < 4                       ? smb_code_new_rows(decoder->code, 1)
                        : rows[4 * i / bytes] == NO_ROW ? NO_ROW
                                                        : rows[4 * i / bytes] + 4 * i % bytes / 4;
  smb_build_sample(&decoder->build, sampling);
  for (guint i = 0; i < n && bytes < 4; i++) {
    Row shifted =
        shift_component(decoder, OPERATION_SHR_U32, sampling->data[i * bytes / 4], i, bytes);
    Row within = smb_ptx_constant(decoder, bytes == 1 ? 0xff : 0xffff, 4);
    if (rows[i] != NO_ROW)
      smb_ptx_add_operation(decoder, OPERATION_AND_32, rows[i], shifted, within);
  }
  return PTX_DECODED;
}

PtxResult
smb_ptx_decode_surface_store(PtxDecoder *decoder) {
  Sampling *sampling = smb_build_sampling(&decoder->build, SAMPLING_STORE);
  guint bytes = component_bytes(decoder);
  Row rows[COMPONENTS] = {NO_ROW, NO_ROW, NO_ROW, NO_ROW};
  guint n = bytes ? find_components(decoder, smb_ptx_operand(decoder, 1), bytes, rows) : 0;
  gboolean fits = n > 0 && n <= COMPONENTS &&
                  set_surface(decoder, smb_ptx_operand(decoder, 0), bytes, n, sampling);
  for (guint i = 0; fits && i < n; i++)
    fits = rows[i] != NO_ROW;
  if (!fits)
    return smb_ptx_add_opaque(decoder, ELSEWHERE);
  for (guint i = 0; i < MAX(sampling->width, 4) / 4 && bytes >= 4; i++)
    sampling->data[i] = rows[4 * i / bytes] + 4 * i % bytes / 4;
  for (guint i = 0; i < n && bytes < 4; i++) {
    Row within = smb_ptx_constant(decoder, bytes == 1 ? 0xff : 0xffff, 4);
    Row masked = smb_code_new_rows(decoder->code, 1), *word = &sampling->data[i * bytes / 4];
    smb_ptx_add_operation(decoder, OPERATION_AND_32, masked, rows[i], within);
    Row shifted = shift_component(decoder, OPERATION_SHL_32, masked, i, bytes);
    if (*word == NO_ROW)
      *word = shifted;
    else
      smb_ptx_add_operation(decoder, OPERATION_OR_32, *word, *word, shifted);
  }
  smb_build_sample(&decoder->build, sampling);
  return PTX_DECODED;
}
