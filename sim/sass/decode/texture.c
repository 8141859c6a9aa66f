// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Textures and surfaces: TEX, TLD, TLD4, TXD, TXQ, SULD, SUST. How their operands lie in registers was found in what nvcc 13.0
// makes of CUDA's functions for each chip. A form that is not known here is refused when it is executed.
#include "sim/sass/decode/decode.h"

enum {
  FIRST_WITHOUT_LEVEL = 100, // chips on which TEX alone asks for the first level
  MAX_WORDS = 8,             // of two vectors of registers
  COMPONENTS = 4,
};

// The shapes of textures, as a word of the instruction.
typedef struct {
  SassPart part;
  guint n_coordinates;
  gboolean has_layer;
} TextureShape;

static const TextureShape shapes[] = {
    {PART_1D, 1, FALSE},        {PART_2D, 2, FALSE},      {PART_3D, 3, FALSE},
    {PART_CUBE, 3, FALSE},      {PART_ARRAY_1D, 1, TRUE}, {PART_ARRAY_2D, 2, TRUE},
    {PART_ARRAY_CUBE, 3, TRUE},
};

// An instruction of textures, taken apart: @missing, @b, @bank, @uniform: (nullable).
typedef struct {
  const SassOperand *missing; // the predicate that says whether texels have no memory
  const SassOperand *more, *data, *a, *b, *bank, *index, *uniform;
  const TextureShape *shape;
  guint mask;
} TextureOperands;

static void
add_unread(SassDecoder *decoder) {
  smb_sass_add_unsupported(decoder, decoder->instruction->name);
}

// Nothing is known of what it finds, and a launch that is run fails there.
gboolean
smb_sass_texture_unread(SassDecoder *decoder) {
  add_unread(decoder);
  return smb_sass_unknown(decoder);
}

// --- operands

static const SassOperand *
take_part(const SassDecoder *decoder, guint *at, SassKind kind) {
  const SassOperand *operand = smb_sass_operand(decoder, *at);
  if (!operand || operand->kind != kind)
    return NULL;
  ++*at;
  return operand;
}

// The same of a texture, whose components are in up to two pairs of registers, the second one ahead of the first.
static gboolean
add_unread_texture(SassDecoder *decoder) {
  guint at = 0, n = 0;
  const SassOperand *missing = take_part(decoder, &at, SASS_PREDICATE),
                    *more = take_part(decoder, &at, SASS_REGISTER),
                    *data = take_part(decoder, &at, SASS_REGISTER),
                    *mask = smb_sass_operand(decoder, decoder->instruction->n_operands - 1);
  for (guint i = 0; i < COMPONENTS; i++)
    n += mask->kind != SASS_IMMEDIATE || mask->value >> i & 1;
  add_unread(decoder);
  if (missing)
    smb_sass_add_unknown_predicate(decoder, smb_sass_predicate(decoder, missing));
  if (data && !smb_sass_is_dropped(data) && n > 0)
    smb_sass_add_unknown(decoder, smb_sass_result(decoder, data, 2), MIN(n, 2));
  if (more && !smb_sass_is_dropped(more) && n > 2)
    smb_sass_add_unknown(decoder, smb_sass_result(decoder, more, 2), n - 2);
  return TRUE;
}

// What says which texture: in a constant bank, or a uniform register. FALSE: with an offset, which is not modelled.
static gboolean
take_handle(const SassDecoder *decoder, guint *at, TextureOperands *operands) {
  operands->uniform = take_part(decoder, at, SASS_UNIFORM);
  if (operands->uniform) {
    const SassOperand *offset = take_part(decoder, at, SASS_IMMEDIATE);
    return !offset || offset->value == 0;
  }
  operands->bank = take_part(decoder, at, SASS_IMMEDIATE);
  operands->index = operands->bank ? take_part(decoder, at, SASS_IMMEDIATE) : NULL;
  return !operands->bank || operands->index;
}

static gboolean
take_operands(const SassDecoder *decoder, gboolean has_shape, TextureOperands *operands) {
  guint at = 0;
  *operands = (TextureOperands){.missing = take_part(decoder, &at, SASS_PREDICATE)};
  operands->more = take_part(decoder, &at, SASS_REGISTER);
  operands->data = take_part(decoder, &at, SASS_REGISTER);
  operands->a = take_part(decoder, &at, SASS_REGISTER);
  operands->b = take_part(decoder, &at, SASS_REGISTER);
  if (!operands->a || !take_handle(decoder, &at, operands))
    return FALSE;
  const SassOperand *word = take_part(decoder, &at, SASS_WORD);
  for (guint i = 0; word && i < G_N_ELEMENTS(shapes); i++)
    if (shapes[i].part == word->part)
      operands->shape = &shapes[i];
  const SassOperand *mask = take_part(decoder, &at, SASS_IMMEDIATE);
  operands->mask = mask ? (guint)mask->value : (1 << COMPONENTS) - 1;
  return decoder->instruction->is_complete && (operands->shape || !has_shape);
}

// The row of a handle that is no register of the vector.
static Row
find_sass_handle(SassDecoder *decoder, const TextureOperands *operands) {
  if (operands->uniform)
    return smb_sass_source(decoder, operands->uniform, 1);
  if (!operands->bank)
    return NO_ROW;
  const SassOperand constant = {.kind = SASS_CONSTANT,
                                .bank = (guint8)operands->bank->value,
                                .base = SASS_RZ,
                                .uniform = SASS_URZ,
                                .descriptor = SASS_URZ,
                                .value = 4 * operands->index->value};
  return smb_sass_source(decoder, &constant, 1);
}

// Of two vectors of registers the words in their order.
typedef struct {
  Row rows[MAX_WORDS];
  guint n, next;
} Words;

static void
add_words(SassDecoder *decoder, Words *words, const SassOperand *first, guint n) {
  for (guint i = 0; i < n && words->n < MAX_WORDS; i++)
    words->rows[words->n++] = first && !smb_sass_is_dropped(first)
                                  ? decoder->registers + first->number + i
                                  : smb_sass_constant(decoder, 0, 1);
}

static Row
next_word(Words *words) {
  return words->next < words->n ? words->rows[words->next++] : NO_ROW;
}

// @n words: those that say where are in the first vector, the rest in the second. With SCR both have as many.
static Words
find_words(SassDecoder *decoder, const TextureOperands *operands, guint n, guint n_first) {
  Words words = {.n = 0};
  guint first = smb_sass_has(decoder, PART_SCR) ? (n + 1) / 2 : n_first;
  add_words(decoder, &words, operands->a, first);
  add_words(decoder, &words, operands->b, n - first);
  return words;
}

// The components that are asked for: two of them in a pair of registers, the others behind the other one.
static void
set_components(SassDecoder *decoder, const TextureOperands *operands, Sampling *sampling) {
  for (guint i = 0, n = 0; i < COMPONENTS; i++) {
    if (!(operands->mask >> i & 1))
      continue;
    const SassOperand *to = n < 2 ? operands->data : operands->more;
    if (!smb_sass_is_dropped(to))
      sampling->data[i] = smb_sass_result(decoder, to, 1) + n % 2;
    n++;
  }
}

// --- textures

// By gradients: [the handle,] coordinates, the layer; of each coordinate both gradients.
static void
set_sampled_gradients(SassDecoder *decoder, const TextureOperands *operands, Sampling *sampling) {
  const TextureShape *shape = operands->shape;
  gboolean is_among = sampling->handle == NO_ROW;
  Words at = {.n = 0}, gradients = {.n = 0};
  guint n = MAX(shape->n_coordinates, 2);
  add_words(decoder, &at, operands->a, is_among + shape->n_coordinates + shape->has_layer);
  add_words(decoder, &gradients, operands->b, 2 * n);
  if (is_among)
    sampling->handle = next_word(&at);
  for (guint i = 0; i < shape->n_coordinates; i++)
    sampling->coordinates[i] = next_word(&at);
  if (shape->has_layer)
    sampling->layer = next_word(&at);
  for (guint i = 0; i < n; i++)
    for (guint direction = 0; direction < 2; direction++)
      sampling->gradients[i][direction] = next_word(&gradients);
}

// The layer, coordinates, [the handle,] the level.
static void
set_sampled_place(SassDecoder *decoder, const TextureOperands *operands, gboolean has_level,
                  Sampling *sampling) {
  const TextureShape *shape = operands->shape;
  guint n_first = shape->has_layer + shape->n_coordinates;
  gboolean is_among = sampling->handle == NO_ROW;
  Words words = find_words(decoder, operands, n_first + is_among + has_level, n_first);
  if (shape->has_layer)
    sampling->layer = next_word(&words);
  for (guint i = 0; i < shape->n_coordinates; i++)
    sampling->coordinates[i] = next_word(&words);
  if (is_among)
    sampling->handle = next_word(&words);
  if (has_level)
    sampling->level = next_word(&words);
}

static SamplingKind
find_sampling(const char *name) {
  return g_str_equal(name, "TLD")    ? SAMPLING_TEXEL
         : g_str_equal(name, "TLD4") ? SAMPLING_GATHERED
                                     : SAMPLING_FILTERED;
}

gboolean
smb_sass_texture(SassDecoder *decoder) {
  static const SassChoice components[] = {{PART_R, 0}, {PART_G, 1}, {PART_A, 3}};
  const char *name = decoder->instruction->name;
  SamplingKind kind = find_sampling(name);
  gboolean by_gradients = g_str_equal(name, "TXD");
  gboolean has_level = smb_sass_has(decoder, PART_LL), is_first = smb_sass_has(decoder, PART_LZ);
  gboolean is_implied = !has_level && !is_first && g_str_equal(name, "TEX");
  TextureOperands operands;
  if (!take_operands(decoder, TRUE, &operands) || smb_sass_has(decoder, PART_LB) ||
      (is_implied && decoder->chip < FIRST_WITHOUT_LEVEL) ||
      (kind == SAMPLING_TEXEL && (has_level || operands.shape->part != PART_1D)))
    return add_unread_texture(decoder);
  Sampling *sampling = smb_build_sampling(&decoder->builder, kind);
  sampling->handle = find_sass_handle(decoder, &operands);
  sampling->component = SASS_CHOOSE(decoder, components, 2);
  if (by_gradients)
    set_sampled_gradients(decoder, &operands, sampling);
  else
    set_sampled_place(decoder, &operands, has_level, sampling);
  set_components(decoder, &operands, sampling);
  if (operands.missing)
    sampling->missing = smb_sass_predicate(decoder, operands.missing);
  smb_build_sample(&decoder->builder, sampling);
  return TRUE;
}

// TXQ: of a level; of which extents is in the mask.
gboolean
smb_sass_texture_size(SassDecoder *decoder) {
  TextureOperands operands;
  if (!take_operands(decoder, FALSE, &operands))
    return add_unread_texture(decoder);
  Row level = smb_sass_source(decoder, operands.a, 1);
  Row handle = find_sass_handle(decoder, &operands);
  for (guint i = 0, n = 0; i < COMPONENTS - 1; i++) {
    if (!(operands.mask >> i & 1))
      continue;
    const SassOperand *to = n < 2 ? operands.data : operands.more;
    Sampling *sampling = smb_build_sampling(&decoder->builder, SAMPLING_SIZE);
    sampling->handle = handle;
    sampling->component = i;
    sampling->level = level;
    sampling->data[0] = smb_sass_result(decoder, to, 1) + n++ % 2;
    smb_build_sample(&decoder->builder, sampling);
  }
  return TRUE;
}

// --- surfaces

// The rows of what says which surface.
static Row
find_surface(SassDecoder *decoder, guint at) {
  const SassOperand *first = smb_sass_operand(decoder, at),
                    *next = smb_sass_operand(decoder, at + 1);
  TextureOperands operands = {.uniform = NULL};
  if (!first)
    return NO_ROW;
  if (first->kind == SASS_REGISTER)
    return smb_sass_source(decoder, first, 1);
  if (first->kind == SASS_UNIFORM && (!next || next->value == 0))
    operands.uniform = first;
  else if (first->kind == SASS_IMMEDIATE && next) {
    operands.bank = first;
    operands.index = next;
  }
  return find_sass_handle(decoder, &operands);
}

// [R4]: the byte of a row, the row, the slice, as far as there are some.
static gboolean
set_surface_place(SassDecoder *decoder, const SassOperand *place, Sampling *sampling) {
  static const SassChoice n_rows[] = {
      {PART_1D, 0}, {PART_1D_ARRAY, 0}, {PART_2D, 1}, {PART_2D_ARRAY, 1}, {PART_3D, 1}};
  gboolean has_slice = smb_sass_has(decoder, PART_1D_ARRAY) ||
                       smb_sass_has(decoder, PART_2D_ARRAY) || smb_sass_has(decoder, PART_3D);
  guint rows = SASS_CHOOSE(decoder, n_rows, G_MAXUINT);
  if (!place || place->kind != SASS_ADDRESS || place->value != 0 || rows > 1)
    return FALSE;
  Words words = {.n = 0};
  const SassOperand base = {.kind = SASS_REGISTER, .number = place->base};
  add_words(decoder, &words, &base, 1 + rows + has_slice);
  sampling->coordinates[0] = next_word(&words);
  if (rows)
    sampling->coordinates[1] = next_word(&words);
  if (has_slice)
    sampling->layer = next_word(&words);
  return TRUE;
}

static gboolean
decode_surface(SassDecoder *decoder, gboolean loads) {
  static const SassChoice sizes[] = {{PART_U8, 1},   {PART_U16, 2}, {PART_64, 8},
                                     {PART_128, 16}, {PART_S8, 0},  {PART_S16, 0}};
  static const SassChoice boundaries[] = {
      {PART_IGN, BOUNDARY_ZERO}, {PART_NEAR, BOUNDARY_CLAMP}, {PART_TRAP, BOUNDARY_TRAP}};
  const SassOperand *data = smb_sass_operand(decoder, loads ? 0 : 1);
  Sampling *sampling =
      smb_build_sampling(&decoder->builder, loads ? SAMPLING_LOAD : SAMPLING_STORE);
  guint boundary = SASS_CHOOSE(decoder, boundaries, G_MAXUINT);
  sampling->width = SASS_CHOOSE(decoder, sizes, 4);
  sampling->handle = find_surface(decoder, 2);
  if (!decoder->instruction->is_complete || !smb_sass_has(decoder, PART_BA) || !data ||
      data->kind != SASS_REGISTER || sampling->width == 0 || boundary == G_MAXUINT ||
      sampling->handle == NO_ROW ||
      !set_surface_place(decoder, smb_sass_operand(decoder, loads ? 1 : 0), sampling))
    return smb_sass_texture_unread(decoder);
  sampling->boundary = (Boundary)boundary;
  Words words = {.n = 0};
  add_words(decoder, &words, data, MAX(sampling->width, 4) / 4);
  for (guint i = 0; i < words.n && !(loads && smb_sass_is_dropped(data)); i++)
    sampling->data[i] = words.rows[i];
  smb_build_sample(&decoder->builder, sampling);
  return TRUE;
}

gboolean
smb_sass_surface_load(SassDecoder *decoder) {
  return decode_surface(decoder, TRUE);
}

gboolean
smb_sass_surface_store(SassDecoder *decoder) {
  return decode_surface(decoder, FALSE);
}
