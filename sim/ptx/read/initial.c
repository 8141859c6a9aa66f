// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Initialisers of variables (PTX ISA 9.0, section 5.4.4): numbers, addresses of symbols, and single bytes of
// addresses (0xff00(symbol)), with braces for each dimension.
#include <string.h>

#include "sim/ptx/read/read-impl.h"

typedef struct {
  PtxReader *reader;
  PtxVariable *variable;
  const PtxType *type;
  guint levels;                          // of braces: dimensions, and one for a vector
  guint64 count[PTX_MAX_DIMENSIONS + 1]; // elements of each level; 0: as many as there are
  guint64 row[PTX_MAX_DIMENSIONS + 1];   // bytes of one of them
} Filler;

// Constants that follow each other within eight bytes share a piece; zeros need none.
static void
add_initial_constant(GArray *pieces, guint64 at, guint64 bits, guint bytes) {
  PtxInitial *last = pieces->len > 0 ? &g_array_index(pieces, PtxInitial, pieces->len - 1) : NULL;
  if (bits == 0)
    return;
  if (last && !last->symbol && at / 8 == last->at / 8 && at + bytes - last->at <= 8) {
    last->bits |= bits << 8 * (at - last->at);
    last->bytes = (guint8)(at + bytes - last->at);
    return;
  }
  PtxInitial piece = {.at = at, .bits = bits, .bytes = (guint8)bytes};
  g_array_append_val(pieces, piece);
}

// The bits of a double as an element has them: a float if that has 4 bytes; else its lowest ones, as ptxas has it.
static guint64
convert_initial(guint bytes, guint64 bits) {
  double number;
  guint32 low;
  memcpy(&number, &bits, sizeof number);
  float single = (float)number;
  memcpy(&low, &single, sizeof low);
  return bytes == 4 ? low : bits;
}

static gboolean
read_initial_number(Filler *filler, guint64 at) {
  PtxReader *reader = filler->reader;
  const PtxToken token = reader->lexer.token;
  const PtxType *type = filler->type;
  PtxConstant constant = {PTX_CONSTANT_DOUBLE, token.bits};
  gboolean is_single = token.kind == PTX_TOKEN_SINGLE;
  if (is_single)
    smb_ptx_lex(&reader->lexer);
  else if (!smb_ptx_at_constant(reader))
    return smb_ptx_fail_expected(reader, "a constant, or the name of a variable or function");
  else if (!smb_ptx_read_constant(reader, &constant))
    return FALSE;
  gboolean is_float = constant.kind == PTX_CONSTANT_DOUBLE;
  if (is_float && !type->is_float && type->name[0] != 'b')
    return smb_ptx_fail(reader, token.start, "expected an integer");
  if (!is_float && type->is_float)
    return smb_ptx_fail(reader, token.start, "expected a floating-point number");
  guint64 bits =
      is_float && !is_single ? convert_initial(type->bytes, constant.bits) : constant.bits;
  if (type->bytes < 8)
    bits &= (G_GUINT64_CONSTANT(1) << 8 * type->bytes) - 1;
  add_initial_constant(filler->variable->initial, at, bits, MIN(type->bytes, 8));
  return TRUE;
}

static gboolean
is_next_name(const PtxReader *reader, const char *name) {
  const PtxToken *token = &reader->lexer.token;
  return token->kind == PTX_TOKEN_NAME && token->length == strlen(name) &&
         memcmp(smb_ptx_text(reader), name, token->length) == 0;
}

// SYMBOL or generic(SYMBOL), and what is added to it.
static gboolean
read_symbol(PtxReader *reader, PtxInitial *piece) {
  piece->is_generic = is_next_name(reader, "generic") && *smb_ptx_lexer_peek(&reader->lexer) == '(';
  if (piece->is_generic) {
    smb_ptx_lex(&reader->lexer);
    smb_ptx_lex(&reader->lexer);
  }
  const PtxToken token = reader->lexer.token;
  const char *name = smb_ptx_text(reader);
  if (!smb_ptx_expect_kind(reader, PTX_TOKEN_NAME, "the name of a variable or function"))
    return FALSE;
  if (smb_ptx_names_find(reader->names, name, token.length).kind != PTX_MEANS_SYMBOL)
    return smb_ptx_fail(reader, token.start, "unknown name '%.*s'", (int)token.length, name);
  piece->symbol = smb_ptx_intern(reader, name, token.length);
  if (piece->is_generic && !smb_ptx_expect(reader, ')'))
    return FALSE;
  if (smb_ptx_accept(reader, '+') || smb_ptx_is(reader, '-'))
    return smb_ptx_read_integer(reader, &piece->bits);
  return TRUE;
}

static gboolean
read_element(Filler *filler, guint64 at) {
  PtxReader *reader = filler->reader;
  const PtxToken token = reader->lexer.token;
  PtxInitial piece = {.at = at, .bytes = filler->type->bytes};
  gboolean is_masked =
      token.kind == PTX_TOKEN_INTEGER && *smb_ptx_lexer_peek(&reader->lexer) == '(';
  if (!is_masked && (token.kind != PTX_TOKEN_NAME || smb_ptx_at_constant(reader)))
    return read_initial_number(filler, at);
  if (is_masked) {
    piece.mask = token.bits;
    smb_ptx_lex(&reader->lexer);
    smb_ptx_lex(&reader->lexer);
  }
  if (!read_symbol(reader, &piece) || (is_masked && !smb_ptx_expect(reader, ')')))
    return FALSE;
  g_array_append_val(filler->variable->initial, piece);
  return TRUE;
}

// { … } of one level, the first element of which is at a byte. An array of [] gets its length here.
static gboolean
read_initial_level(Filler *filler, guint level, guint64 at) {
  PtxReader *reader = filler->reader;
  guint64 most = filler->count[level], n = 0;
  gboolean is_open = level == 0 && most == 0;
  if (!smb_ptx_expect(reader, '{'))
    return FALSE;
  while (!smb_ptx_accept(reader, '}')) {
    if (n > 0 && !smb_ptx_accept(reader, ','))
      return smb_ptx_fail_expected(reader, "',' or '}'");
    if (!is_open && !smb_ptx_within(reader, n + 1, most, "elements"))
      return FALSE;
    guint64 place = at + n++ * filler->row[level];
    if (!(level + 1 == filler->levels ? read_element(filler, place)
                                      : read_initial_level(filler, level + 1, place)))
      return FALSE;
  }
  if (is_open)
    filler->variable->dimension[0] = n;
  return TRUE;
}

gboolean
smb_ptx_read_initial(PtxReader *reader, PtxVariable *variable, const PtxType *type) {
  Filler filler = {reader, variable, type, variable->n_dimensions, {0}, {0}};
  if (type->is_opaque)
    return smb_ptx_expect(reader, '{') && smb_ptx_skip_to(reader, '}');
  variable->initial = g_array_new(FALSE, FALSE, sizeof(PtxInitial));
  for (guint i = 0; i < variable->n_dimensions; i++)
    filler.count[i] = variable->dimension[i];
  if (variable->vector > 1)
    filler.count[filler.levels++] = variable->vector;
  guint64 bytes = type->bytes;
  for (guint level = filler.levels; level-- > 0;) {
    filler.row[level] = bytes;
    // For an array of as many elements as there are, the others may say what is too much for any.
    if (level > 0 && (__builtin_mul_overflow(bytes, filler.count[level], &bytes) ||
                      bytes > PTX_MAX_VARIABLE_BYTES))
      return smb_ptx_fail(reader, variable->offset,
                          "'%s' has more than %" G_GUINT64_FORMAT " bytes", variable->name,
                          PTX_MAX_VARIABLE_BYTES);
  }
  return filler.levels > 0 ? read_initial_level(&filler, 0, 0) : read_element(&filler, 0);
}
