// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// layout: swizzled | '#' triton | 'tma:' MODE | SHAPE | expression, then SHAPE
// swizzled: (('Sw' | 'Swizzle') '<' B ',' M ',' S '>' 'o' | INTEGER 'o' | 'smem_ptr' '[' BITS 'b' ']' '(' 'unset' ')' 'o')* tuple
// SHAPE: extents and the type of an element with 'x' between them, or a part of that
#include "sim/layout/tile-parse.h"

#include <string.h>

void
smb_function_free(SmbFunction *function) {
  if (!function)
    return;
  smb_tuple_free(function->tuple);
  smb_expression_free(function->expression);
  g_array_unref(function->steps);
  g_free(function);
}

void
smb_function_add(SmbFunction *function, const SmbFunctionStep *step, gboolean in_front) {
  if (in_front)
    g_array_prepend_val(function->steps, *step);
  else
    g_array_append_val(function->steps, *step);
}

gboolean
smb_tile_parse_shape(const char *text, SmbTileDefaults *defaults) {
  g_auto(GStrv) parts = g_strsplit(*text == 'x' ? text + 1 : text, "x", -1);
  guint n = g_strv_length(parts);
  const SmbElement *element = n > 0 ? smb_element_find(parts[n - 1]) : NULL;
  guint extents = element ? n - 1 : n;
  guint64 elements = 1;
  if (extents > SMB_TUPLE_MAX_RANK || n == 0)
    return FALSE;
  for (guint i = 0; i < extents; i++) {
    if (!g_ascii_string_to_unsigned(parts[i], 10, 1, SMB_TILE_MAX_ELEMENTS / elements,
                                    &defaults->extent[i], NULL))
      return FALSE;
    elements *= defaults->extent[i];
  }
  if (extents > 0)
    defaults->rank = extents;
  if (element)
    defaults->element = element;
  return TRUE;
}

// What follows a layout: its shape, or what of it is said. @defaults: (inout)
static gboolean
parse_tile_suffix(SmbNotation *notation, SmbTileDefaults *defaults, GError **error) {
  if (!smb_notation_skip(notation))
    return TRUE;
  guint32 at = notation->at;
  g_autofree char *word = smb_notation_word(notation);
  if (*word && smb_tile_parse_shape(word, defaults) && !smb_notation_skip(notation))
    return TRUE;
  return smb_notation_fail(
      notation, at, error,
      "expected the end of the layout, or its shape as ROWSxCOLUMNSxTYPE of at "
      "most %u elements, with a TYPE of " SMB_ELEMENT_TYPES,
      SMB_TILE_MAX_ELEMENTS);
}

// Swizzle<B,M,S>: what CuTe refuses is refused, and bits beyond the 31st.
static gboolean
parse_swizzle(SmbNotation *notation, SmbFunctionStep *step, GError **error) {
  guint32 at = notation->at;
  guint64 bits = 0, base = 0;
  gint64 shift = 0;
  if (!smb_notation_expect(notation, "<", error) ||
      !smb_notation_number(notation, 0, 31, &bits, error) ||
      !smb_notation_expect(notation, ",", error) ||
      !smb_notation_number(notation, 0, 31, &base, error) ||
      !smb_notation_expect(notation, ",", error) ||
      !smb_notation_integer(notation, &shift, error) || !smb_notation_expect(notation, ">", error))
    return FALSE;
  guint64 size = (guint64)ABS(shift);
  if (bits > 0 && size < bits)
    return smb_notation_fail(notation, at, error, "the bits of the swizzle overlap: |S| < B");
  if (bits + base + size > 31)
    return smb_notation_fail(notation, at, error, "the swizzle reaches beyond bit 31");
  *step = (SmbFunctionStep){.kind = SMB_STEP_SWIZZLE,
                            .swizzle = {.element_bytes = 1,
                                        .columns = 1,
                                        .bits = (guint)bits,
                                        .base = (guint)base,
                                        .shift = bits ? (gint)shift : 0}};
  return TRUE;
}

// smem_ptr[16b](unset): the swizzles in front of it are of bytes.
static gboolean
parse_pointer(SmbNotation *notation, SmbFunctionStep *step, const SmbElement **element,
              GError **error) {
  if (!smb_notation_expect(notation, "[", error))
    return FALSE;
  guint32 at = notation->at;
  g_autofree char *word = smb_notation_word(notation);
  char *end;
  guint64 bits = g_ascii_strtoull(word, &end, 10);
  *element = strcmp(end, "b") != 0 || bits > 128 ? NULL
             : bits == 4                         ? smb_element_find("u4")
             : bits == 6                         ? smb_element_find("e2m3")
             : bits % 8                          ? NULL
                                                 : smb_element_of_bytes((guint)bits / 8);
  if (!*element)
    return smb_notation_fail(notation, at, error, "expected 4b, 6b, 8b, 16b, 32b, 64b or 128b");
  if (!smb_notation_expect(notation, "]", error))
    return FALSE;
  if (smb_notation_take(notation, "(") && (!smb_notation_expect(notation, "unset", error) ||
                                           !smb_notation_expect(notation, ")", error)))
    return FALSE;
  *step = (SmbFunctionStep){.kind = SMB_STEP_BYTES};
  return TRUE;
}

// Whether a number comes next that is composed with what follows, and is no tuple itself: "4 o".
static gboolean
is_offset(const SmbNotation *notation) {
  SmbNotation copy = *notation;
  gint64 ignored;
  return smb_notation_is_digit(&copy) && smb_notation_integer(&copy, &ignored, NULL) &&
         smb_notation_take(&copy, "o");
}

// What stands in front of a tuple, outermost first.
static gboolean
parse_composed(SmbNotation *notation, SmbFunction *function, GError **error) {
  for (;;) {
    SmbFunctionStep step = {.kind = SMB_STEP_ADD};
    if (smb_notation_take(notation, "Sw") || smb_notation_take(notation, "cute::Swizzle") ||
        smb_notation_take(notation, "Swizzle")) {
      if (!parse_swizzle(notation, &step, error))
        return FALSE;
    } else if (smb_notation_take(notation, "smem_ptr")) {
      if (!parse_pointer(notation, &step, &function->element, error))
        return FALSE;
    } else if (is_offset(notation)) {
      if (!smb_notation_integer(notation, &step.amount, error))
        return FALSE;
    } else {
      return TRUE;
    }
    if (!smb_notation_expect(notation, "o", error))
      return FALSE;
    smb_function_add(function, &step, TRUE);
  }
}

static gboolean
parse_cute(SmbNotation *notation, SmbFunction *function, GError **error) {
  function->kind = SMB_FUNCTION_TUPLE;
  if (!parse_composed(notation, function, error))
    return FALSE;
  function->tuple = smb_tuple_parse(notation, error);
  if (!function->tuple)
    return FALSE;
  function->rank = function->tuple->rank;
  memcpy(function->extent, function->tuple->size, sizeof function->extent);
  return TRUE;
}

void
smb_function_add_span(SmbFunction *function, guint row_bytes) {
  const SmbFunctionStep bytes = {.kind = SMB_STEP_BYTES};
  const SmbFunctionStep swizzle = {
      .kind = SMB_STEP_SWIZZLE,
      .swizzle = {.bits = row_bytes ? g_bit_storage(row_bytes) - 5 : 0, .base = 4, .shift = 3}};
  smb_function_add(function, &bytes, FALSE);
  smb_function_add(function, &swizzle, FALSE);
  function->row_bytes = row_bytes;
}

// tma:MODE, the swizzles of cuTensorMapEncodeTiled() (CUDA Driver API, CUtensorMapSwizzle): chunks of 16 bytes within 128, 256, 512 or
// 1,024 bytes. What one row may be is checked once the shape is known.
static const struct {
  const char *mode;
  guint row_bytes;
} tensor_modes[] = {{"128B", 128}, {"64B", 64}, {"32B", 32}, {"none", 0}};

static gboolean
parse_tensor_mode(SmbNotation *notation, SmbFunction *function, GError **error) {
  guint32 at = notation->at;
  g_autofree char *word = smb_notation_word(notation);
  for (guint i = 0; i < G_N_ELEMENTS(tensor_modes); i++) {
    if (strcmp(tensor_modes[i].mode, word) == 0) {
      smb_function_add_span(function, tensor_modes[i].row_bytes);
      return TRUE;
    }
  }
  return smb_notation_fail(notation, at, error, "expected 128B, 64B, 32B or none");
}

// Whether a tuple comes next, and not an expression: only a tuple has a ':'.
static gboolean
is_tuple(const SmbNotation *notation) {
  const char *text = smb_source_text(notation->source);
  return memchr(text + notation->at, ':', notation->end - notation->at) != NULL;
}

// Whether a shape alone comes next: "64x64xf16".
static gboolean
is_shape(const SmbNotation *notation) {
  SmbNotation copy = *notation;
  SmbTileDefaults ignored = {0};
  g_autofree char *word = smb_notation_word(&copy);
  return strchr(word, 'x') && smb_tile_parse_shape(word, &ignored) && ignored.rank > 0;
}

// Says what is wrong with a word that is written as a shape and is none: "64x64xf15". TRUE: it is not written so
static gboolean
check_shape_word(const SmbNotation *notation, GError **error) {
  SmbNotation copy = *notation;
  g_autofree char *word = smb_notation_word(&copy);
  g_auto(GStrv) parts = g_strsplit(word, "x", -1);
  guint n = g_strv_length(parts);
  if (!g_regex_match_simple("^[1-9][0-9]*(x[0-9]+)*x[a-z0-9]+$", word, 0, 0))
    return TRUE;
  gboolean has_type = !g_ascii_isdigit(*parts[n - 1]);
  if (has_type && !smb_element_find(parts[n - 1]))
    return smb_notation_fail(notation, notation->at, error,
                             "unknown element type '%s': expected " SMB_ELEMENT_TYPES,
                             parts[n - 1]);
  return smb_notation_fail(notation, notation->at, error,
                           "expected 1 to %d extents, and at most %u elements in all",
                           SMB_TUPLE_MAX_RANK, SMB_TILE_MAX_ELEMENTS);
}

// A formula, unless it begins with a word that none has.
static gboolean
parse_formula(SmbNotation *notation, SmbFunction *function, GError **error) {
  static const char *const names[] = {"r", "c", "i", "addr", NULL};
  SmbNotation copy = *notation;
  g_autofree char *word = smb_notation_word(&copy);
  if (g_ascii_isalpha(*word) && !g_strv_contains(names, word))
    return smb_notation_fail(notation, notation->at, error,
                             "unknown layout '%s': expected CuTe's Swizzle<B,M,S> o SHAPE:STRIDE, "
                             "Triton's #ttg.NAME<{…}>, tma:MODE, a shape as 64x64xf16, or a "
                             "formula in r, c, i and addr",
                             word);
  function->kind = SMB_FUNCTION_EXPRESSION;
  function->expression = smb_expression_parse(notation, error);
  return function->expression != NULL;
}

// @needs_shape: (out): whether the shape has to be said besides
static gboolean
parse_notation(SmbNotation *notation, SmbFunction *function, gboolean *needs_shape,
               GError **error) {
  *needs_shape = TRUE;
  if (smb_notation_take(notation, "#"))
    return smb_function_parse_triton(notation, function, error);
  if (smb_notation_take(notation, "tma:"))
    return parse_tensor_mode(notation, function, error);
  if (is_shape(notation))
    return TRUE;
  if (is_tuple(notation)) {
    *needs_shape = FALSE;
    return parse_cute(notation, function, error);
  }
  return check_shape_word(notation, error) && parse_formula(notation, function, error);
}

// Whether a shape that is said fits the shape that the notation has.
static gboolean
take_shape(SmbNotation *notation, SmbFunction *function, const SmbTileDefaults *said,
           gboolean needs_shape, GError **error) {
  const gboolean *uses = function->expression ? function->expression->uses : NULL;
  if (said->rank == 0 && function->rank == 0 && uses && said->may_be_open) {
    if (uses[SMB_EXPRESSION_INDEX] || uses[SMB_EXPRESSION_ADDRESS])
      return smb_notation_fail(notation, notation->at, error,
                               "expected a shape after the layout, as 64x64xf16: '%s' depends on "
                               "how many columns there are",
                               uses[SMB_EXPRESSION_INDEX] ? "i" : "addr");
    function->rank = 2;
    function->extent[0] = function->extent[1] = SMB_TILE_OPEN_EXTENT;
    function->is_open = TRUE;
    return TRUE;
  }
  if (said->rank == 0 && function->rank == 0)
    return smb_notation_fail(notation, notation->at, error,
                             "expected a shape after the layout, as 64x64xf16");
  if (function->rank == 0) {
    function->rank = said->rank;
    memcpy(function->extent, said->extent, sizeof function->extent);
    return TRUE;
  }
  gboolean is_same = said->rank == function->rank;
  for (guint i = 0; is_same && i < said->rank; i++)
    is_same = said->extent[i] == function->extent[i];
  return is_same || said->rank == 0 ||
         smb_notation_fail(notation, function->at, error,
                           needs_shape ? "the encoding has another shape than the one given"
                                       : "the layout has another shape than the one given");
}

static gboolean
check_order(const SmbNotation *notation, const SmbFunction *function, GError **error) {
  guint seen = 0;
  for (guint i = 0; i < function->rank; i++)
    seen |= function->order[i] < function->rank ? 1u << function->order[i] : 0;
  return seen == (1u << function->rank) - 1 ||
         smb_notation_fail(notation, function->at, error,
                           "order names each of the %u dimensions of the shape once",
                           function->rank);
}

// Places that an XOR makes have to stay within a row of Triton, and a row within the span of a tensor map.
static gboolean
check_tile_rows(const SmbNotation *notation, const SmbFunction *function, GError **error) {
  guint64 columns = function->extent[function->order[0]];
  guint64 bytes = (columns * function->element->bits + 7) / 8;
  if (function->is_divided && function->row_bytes && bytes > function->row_bytes &&
      bytes % function->row_bytes)
    return smb_notation_fail(notation, function->at, error,
                             "rows of %" G_GUINT64_FORMAT
                             " bytes cannot be divided into parts of %u bytes",
                             bytes, function->row_bytes);
  if (function->row_bytes && bytes > function->row_bytes && !function->is_divided)
    return smb_notation_fail(
        notation, function->at, error,
        "a box has rows of at most %u bytes in this mode, not %" G_GUINT64_FORMAT,
        function->row_bytes, bytes);
  if (function->vec && function->rank > 1 && columns % (function->vec * function->max_phase))
    return smb_notation_fail(
        notation, function->at, error,
        "vec * maxPhase has to divide the %" G_GUINT64_FORMAT " elements of a row", columns);
  return TRUE;
}

// Bases reach as far as the shape does.
static gboolean
check_bases(const SmbNotation *notation, const SmbFunction *function, const guint64 *own,
            GError **error) {
  for (guint i = 0; function->kind == SMB_FUNCTION_BASES && i < function->rank; i++) {
    if (function->extent[i] != own[i])
      return smb_notation_fail(notation, function->at, error,
                               "the bases are of another shape than the one given");
  }
  return TRUE;
}

SmbFunction *
smb_function_parse(SmbNotation *notation, const SmbTileDefaults *defaults, GError **error) {
  g_autoptr(SmbFunction) function = g_new0(SmbFunction, 1);
  SmbTileDefaults said = *defaults;
  gboolean needs_shape;
  function->steps = g_array_new(FALSE, FALSE, sizeof(SmbFunctionStep));
  for (guint i = 0; i < SMB_TUPLE_MAX_RANK; i++)
    function->order[i] = G_MAXUINT;
  smb_notation_skip(notation);
  function->at = notation->at;
  if (!parse_notation(notation, function, &needs_shape, error))
    return NULL;
  guint64 own[SMB_TUPLE_MAX_RANK];
  memcpy(own, function->extent, sizeof own);
  const SmbElement *pointed = function->element;
  SmbTileDefaults given = {0};
  if (!parse_tile_suffix(notation, &given, error))
    return NULL;
  if (given.rank > 0) {
    said.rank = given.rank;
    memcpy(said.extent, given.extent, sizeof said.extent);
  } else if (function->rank > 0) {
    said.rank = 0;
  }
  said.element = given.element ? given.element : said.element;
  function->is_assumed = !said.element && !pointed && said.assumed;
  function->element = said.element   ? said.element
                      : pointed      ? pointed
                      : said.assumed ? said.assumed
                                     : smb_element_find("f32");
  if (pointed && pointed->bits != function->element->bits) {
    smb_notation_fail(notation, function->at, error, "the layout says elements of %u bits, not %u",
                      pointed->bits, function->element->bits);
    return NULL;
  }
  if (!take_shape(notation, function, &said, needs_shape, error))
    return NULL;
  gboolean has_order = function->order[0] != G_MAXUINT;
  for (guint i = 0; !has_order && i < function->rank; i++)
    function->order[i] = function->rank - 1 - i;
  return check_order(notation, function, error) && check_tile_rows(notation, function, error) &&
                 check_bases(notation, function, own, error)
             ? g_steal_pointer(&function)
             : NULL;
}
