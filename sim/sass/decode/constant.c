// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Constant banks. Bank 0 has what the driver puts there: sizes of the launch, windows of memory, the stack,
// parameters; its other words are not known. The other banks are sections of the image: 3 has the variables in
// constant memory, 4 addresses of variables and functions, 2 and others numbers that the compiler wrote there.
#include "sim/base/range.h"
#include "sim/sass/decode/decode.h"

// Words of bank 0 that are not parameters, found by compiling kernels that ask for them (CUDA 12 and 13).
#define NO_SPECIAL G_MAXUINT

typedef enum {
  WORD_SPECIAL, // a Special
  WORD_SHARED, // low word of where shared memory begins among generic addresses; the high word is after it
  WORD_LOCAL, // the same of local memory
  WORD_GRID, // high word of where the memory for barriers of the grid begins; the low word is after it
  WORD_STACK, // where the stack of a thread begins
  WORD_BANK, // low word of where the bank begins among generic addresses; the high word is after it
  WORD_PARAMETERS,     // the same of the parameters
  WORD_VARIABLES,      // the same of the variables in constant memory
  WORD_RESERVED,       // %reserved_smem_offset_1
  WORD_RESERVED_BYTES, // of the system's part of shared memory
} WordKind;

typedef struct {
  guint first_chip, last_chip;
  guint offset;
  guint n_words; // side by side: of an address two, of a special its components
  WordKind kind;
  guint special;
} Word;

static const Word words[] = {
    {70, 99, 0x00, 3, WORD_SPECIAL, SPECIAL_NTID},
    {70, 99, 0x0c, 3, WORD_SPECIAL, SPECIAL_NCTAID},
    {70, 89, 0x18, 2, WORD_SHARED, 0},
    {70, 99, 0x20, 2, WORD_LOCAL, 0},
    {75, 89, 0x40, 2, WORD_BANK, 0},
    {90, 99, 0xc0, 2, WORD_BANK, 0}, // cuBLAS finds tensor maps among its parameters by it
    {75, 89, 0x50, 2, WORD_VARIABLES, 0},
    {90, 99, 0xd0, 2, WORD_VARIABLES, 0},
    {100, 999, 0x120, 2, WORD_VARIABLES, 0},
    {90, 99, 0x198, 2, WORD_PARAMETERS, 0},
    {100, 999, 0x348, 2, WORD_PARAMETERS, 0},
    {70, 89, 0x8c, 2, WORD_GRID, 0},
    {90, 99, 0x44, 2, WORD_GRID, 0},
    {70, 99, 0x28, 1, WORD_STACK, 0},
    {70, 99, 0x2c, 1, WORD_SPECIAL, SPECIAL_DYNAMIC_BYTES},
    {90, 99, 0x140, 1, WORD_SPECIAL, SPECIAL_IS_CLUSTER},
    {90, 99, 0x144, 3, WORD_SPECIAL, SPECIAL_CLUSTER_NCTAID},
    {90, 99, 0x150, 3, WORD_SPECIAL, SPECIAL_CLUSTER_INVERSE},
    {90, 99, 0x15c, 3, WORD_SPECIAL, SPECIAL_NCLUSTERID},
    {90, 99, 0x188, 1, WORD_SPECIAL, SPECIAL_CLUSTER_BLOCKS},
    {90, 99, 0x190, 2, WORD_SPECIAL, SPECIAL_GRAPH},
    {80, 99, 0x114, 1, WORD_RESERVED_BYTES, 0},
    {80, 89, 0x124, 1, WORD_RESERVED, 0},
    {90, 99, 0x6c, 1, WORD_RESERVED, 0},
    {100, 999, 0x360, 3, WORD_SPECIAL, SPECIAL_NTID},
    {100, 999, 0x370, 3, WORD_SPECIAL, SPECIAL_NCTAID},
    {100, 999, 0x36c, 1, WORD_SPECIAL, SPECIAL_IS_CLUSTER},
    {100, 999, 0x200, 3, WORD_SPECIAL, SPECIAL_CLUSTER_NCTAID},
    {100, 999, 0x210, 3, WORD_SPECIAL, SPECIAL_CLUSTER_INVERSE},
    {100, 999, 0x220, 3, WORD_SPECIAL, SPECIAL_NCLUSTERID},
    {100, 999, 0x22c, 1, WORD_SPECIAL, SPECIAL_CLUSTER_BLOCKS},
    {100, 999, 0x2f8, 2, WORD_LOCAL, 0},
    {100, 999, 0x37c, 1, WORD_STACK, 0},
    {100, 999, 0x1b4, 2, WORD_GRID, 0},
    {100, 999, 0x16c, 1, WORD_RESERVED_BYTES, 0},
    {100, 999, 0x1dc, 1, WORD_RESERVED, 0},
};

// The code's address of what %reserved_smem_offset_1 names.
static guint32
find_reserved(SassDecoder *decoder) {
  decoder->program->reaches_reserved = TRUE;
  return decoder->reserved_shared - CODE_RESERVED_BYTES;
}

static guint64
find_window(const SassDecoder *decoder, WordKind kind) {
  return kind == WORD_SHARED       ? make_pointer(REGION_SHARED, 0)
         : kind == WORD_LOCAL      ? make_pointer(REGION_LOCAL, 0)
         : kind == WORD_PARAMETERS ? make_pointer(REGION_PARAMETERS, 0)
         : kind == WORD_VARIABLES  ? make_pointer(REGION_VARIABLES, 0)
         : kind == WORD_BANK
             ? make_pointer(REGION_PARAMETERS, -(gint64)decoder->kernel->parameter_base)
             : make_pointer(REGION_GRID, 0);
}

// Whether a number is put into a word; *@special: it is one that a launch decides, NO_SPECIAL: it is @value.
static gboolean
find_constant_word(SassDecoder *decoder, gint64 offset, guint *special, guint32 *value) {
  for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
    const Word *word = &words[i];
    guint which = (guint)(offset - word->offset) / 4;
    if (decoder->chip < word->first_chip || decoder->chip > word->last_chip ||
        offset < word->offset || which >= word->n_words ||
        (word->kind == WORD_VARIABLES && !smb_sass_has_variables(decoder)))
      continue;
    guint64 window = find_window(decoder, word->kind);
    *special = word->kind == WORD_SPECIAL ? word->special + which : NO_SPECIAL;
    *value = word->kind == WORD_STACK                    ? decoder->stack_bytes
             : word->kind == WORD_RESERVED               ? find_reserved(decoder)
             : word->kind == WORD_RESERVED_BYTES         ? CODE_RESERVED_BYTES
             : (which == 0) == (word->kind == WORD_GRID) ? (guint32)(window >> 32)
                                                         : (guint32)window;
    return TRUE;
  }
  return FALSE;
}

static void
add_preset(SassDecoder *decoder, guint special, guint32 argument, Row row) {
  const Preset preset = {.special = (Special)special, .argument = argument, .row = row};
  g_array_append_val(decoder->code->presets, preset);
}

// Behind the parameters of a kernel are the numbers of the textures and surfaces that its code names; 0 of one that the program has destroyed.
// FALSE: here is none that is known.
static gboolean
find_reference(const SassDecoder *decoder, gint64 offset, guint32 *number) {
  const SmbCubin *cubin = decoder->cubin;
  for (guint i = 0; decoder->addresses && i < cubin->relocations->len; i++) {
    const SmbCubinRelocation *relocation =
        &g_array_index(cubin->relocations, SmbCubinRelocation, i);
    const SmbCubinSymbol *symbol =
        &g_array_index(cubin->symbols, SmbCubinSymbol, relocation->symbol);
    if (relocation->section != decoder->kernel->constants ||
        relocation->offset != (guint64)offset ||
        (relocation->type != SMB_CUBIN_RELOCATE_TEXTURE &&
         relocation->type != SMB_CUBIN_RELOCATE_SURFACE))
      continue;
    const guint64 *known = g_hash_table_lookup(decoder->addresses, symbol->name);
    *number = known ? (guint32)*known : 0;
    return TRUE;
  }
  return FALSE;
}

// Rows of bank 0 that are set when a warp starts; what nobody sets is not known.
static Row
find_launch_row(SassDecoder *decoder, gint64 offset, guint n_rows) {
  const SmbCubinFunction *kernel = decoder->kernel;
  gpointer key = GUINT_TO_POINTER((guint)offset * 4 + n_rows), known;
  if (offset < 0 || offset > G_MAXUINT16 || offset % 4 != 0)
    return NO_ROW;
  if (g_hash_table_lookup_extended(decoder->presets, key, NULL, &known))
    return GPOINTER_TO_UINT(known);
  Row row = smb_code_new_rows(decoder->code, n_rows);
  g_hash_table_insert(decoder->presets, key, GUINT_TO_POINTER(row));
  for (guint i = 0; i < n_rows; i++, offset += 4) {
    guint special;
    guint32 value;
    gint64 parameter = offset - kernel->parameter_base;
    if (parameter >= 0 && parameter < (gint64)kernel->parameter_bytes)
      add_preset(decoder, SPECIAL_PARAMETER, (guint32)parameter, row + i);
    else if (find_constant_word(decoder, offset, &special, &value))
      add_preset(decoder, special == NO_SPECIAL ? SPECIAL_NUMBER : special, value, row + i);
    else if (find_reference(decoder, offset, &value))
      add_preset(decoder, SPECIAL_NUMBER, value, row + i);
  }
  return row;
}

// Banks that the compiler fills with numbers are constant rows; variables can be copied by the host, and are loaded.
Row
smb_sass_bank_row(SassDecoder *decoder, guint bank, gint64 offset, guint n_rows) {
  if (bank == 0)
    return find_launch_row(decoder, offset, n_rows);
  if (bank == SASS_BANK_VARIABLES || n_rows > 2)
    return NO_ROW;
  const SassBank *section = smb_sass_bank(decoder, bank);
  guint64 bits = 0;
  if (!section->bytes || offset < 0 ||
      !smb_range_is_within((guint64)offset, 4 * n_rows, section->bytes->len))
    return NO_ROW;
  for (guint i = 0; i < 4 * n_rows; i++)
    bits |= (guint64)section->bytes->data[offset + i] << (8 * i);
  return smb_sass_constant(decoder, bits, n_rows);
}

// A region of its own for a part of bank 0, so that each word says by itself whether it is known.
static void
add_constant_piece(SassDecoder *decoder, GArray *pieces, guint64 first, guint64 end,
                   const SmbContents *contents) {
  const BankPiece piece = {first, end - first, decoder->program->regions->len};
  const Region region = {.name = CODE_DRIVER_REGION,
                         .space = SPACE_CONSTANT,
                         .size = end - first,
                         .contents = *contents};
  g_array_append_val(decoder->program->regions, region);
  g_array_append_val(pieces, piece);
}

// Bank 0 for loads with an index: since sm_100, ptxas finds words below the parameters at -0xa0 * SR_CgaSize (R2)
// of where they are: c[0x0][R2+0x27c] is word 0x1dc. That register is taken as 1. Of the others nothing is known.
static const GArray *
find_launch_pieces(SassDecoder *decoder) {
  static const SmbContents unknown = {.fill = SMB_FILL_UNKNOWN};
  const guint base = decoder->kernel->parameter_base;
  SassBank *bank = &decoder->banks[SASS_BANK_PARAMETERS];
  if (bank->pieces)
    return bank->pieces;
  bank->pieces = g_array_new(FALSE, FALSE, sizeof(BankPiece));
  g_ptr_array_add(decoder->code->owned, bank->pieces);
  guint at = 0;
  for (guint offset = 0; offset < base; offset += 4) {
    guint special;
    guint32 value;
    if (!find_constant_word(decoder, offset, &special, &value))
      continue;
    const LaunchWord word = {special == NO_SPECIAL ? SPECIAL_NUMBER : (Special)special, value,
                             decoder->program->regions->len + 1};
    g_array_append_val(decoder->code->launch_words, word);
    add_constant_piece(decoder, bank->pieces, at, offset, &unknown);
    add_constant_piece(decoder, bank->pieces, offset, offset + 4, &unknown);
    at = offset + 4;
  }
  add_constant_piece(decoder, bank->pieces, at, base, &unknown);
  const BankPiece parameters = {base, decoder->kernel->parameter_bytes, REGION_PARAMETERS};
  g_array_append_val(bank->pieces, parameters);
  return bank->pieces;
}

gboolean
smb_sass_set_bank_address(SassDecoder *decoder, Transfer *transfer, const SassOperand *operand) {
  if (operand->is_bindless)
    return FALSE;
  transfer->window = WINDOW_GENERIC;
  transfer->is_bank = TRUE;
  transfer->offset = (guint64)operand->value;
  if (operand->bank == SASS_BANK_PARAMETERS && operand->value < decoder->kernel->parameter_base)
    transfer->pieces = find_launch_pieces(decoder);
  else if (operand->bank == SASS_BANK_PARAMETERS)
    transfer->offset += make_pointer(REGION_PARAMETERS, -(gint64)decoder->kernel->parameter_base);
  else
    transfer->pieces = smb_sass_bank_pieces(decoder, operand->bank);
  if (operand->bank != SASS_BANK_PARAMETERS && !transfer->pieces)
    return FALSE;
  return smb_sass_set_index(decoder, transfer, operand);
}

// A word that a handler needs as a row: where the place is not fixed, a load ahead of the instruction, of the same
// guard.
Row
smb_sass_load_bank(SassDecoder *decoder, const SassOperand *operand, guint n_rows) {
  Row row = NO_ROW;
  if (!operand->is_bindless && operand->base == SASS_RZ && operand->uniform == SASS_URZ)
    row = smb_sass_bank_row(decoder, operand->bank, operand->value, n_rows);
  if (row != NO_ROW)
    return row;
  row = smb_sass_scratch(decoder, n_rows);
  Transfer *transfer = smb_sass_new_transfer(decoder);
  if (!smb_sass_set_bank_address(decoder, transfer, operand)) {
    smb_sass_add_unknown(decoder, row, n_rows);
    return row;
  }
  transfer->n_components = n_rows;
  for (guint i = 0; i < n_rows; i++)
    transfer->data[i] = row + i;
  smb_build_access(&decoder->builder, transfer, TRUE, FALSE);
  return row;
}
