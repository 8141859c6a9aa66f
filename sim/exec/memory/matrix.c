// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// ldmatrix and stmatrix (PTX ISA): 1, 2 or 4 matrices of 8 rows of 8 numbers of 16 bits. Lane 8 * j + i gives the
// address of row i of matrix j. Lane t holds two numbers of each matrix: columns 2 * (t % 4) and the next of row t / 4;
// of a transposed one, rows 2 * (t % 4) and the next of column t / 4. Of
// matrices of numbers of 8 bits and fewer only the requests are modelled: they have rows of 16 bytes as well.
#include <string.h>

#include "sim/exec/memory/memory.h"
#include "sim/machine/access/chunk.h"

enum {
  ROWS = 8,
  ROW_BYTES = 16,
};

// Where the number @half (0 or 1) that lane @t holds of matrix @j lies: the lane that gives the row's address, its word
// and how far that is shifted.
typedef struct {
  guint lane, word, shift;
} Place;

static Place
find_element_place(gboolean is_transposed, guint j, guint t, guint half) {
  guint row = is_transposed ? 2 * (t % 4) + half : t / 4;
  guint column = is_transposed ? t / 4 : 2 * (t % 4) + half;
  return (Place){j * ROWS + row, column / 2, column % 2 * 16};
}

// The two numbers of matrix @j that lane @t holds, and the marks of their bytes.
static inline guint32
take_element(const MarkedWords *words, gboolean is_transposed, guint j, guint t, guint32 *marks) {
  if (!is_transposed) { // they are a word
    *marks = words->marks[t % 4][j * ROWS + t / 4];
    return words->values[t % 4][j * ROWS + t / 4];
  }
  Place low = find_element_place(TRUE, j, t, 0), high = find_element_place(TRUE, j, t, 1);
  *marks = (words->marks[low.word][low.lane] >> low.shift & 0xffff) |
           words->marks[high.word][high.lane] >> high.shift << 16;
  return (words->values[low.word][low.lane] >> low.shift & 0xffff) |
         words->values[high.word][high.lane] >> high.shift << 16;
}

// The lanes that give an address, among those that execute it: all of them should (PTX ISA), and of a row whose lane
// does not, nothing is moved. FALSE: an address is not known.
static gboolean
find_lanes(Exec *exec, const Step *step, guint64 *addresses, SmbLanes lanes, SmbLanes *asking,
           guint32 *origin) {
  const Transfer *transfer = step->transfer;
  guint flags;
  *asking = lanes & smb_lanes_below(transfer->n_components * ROWS);
  SmbLanes known = smb_transfer_addresses(exec, transfer, *asking, addresses, &flags, origin);
  exec_watch(exec, flags);
  return known == *asking;
}

gboolean
smb_step_load_matrix(Exec *exec, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  guint64 addresses[SMB_MAX_LANES];
  guint32 origin = 0;
  SmbLanes asking;
  MarkedWords words;
  if (!lanes)
    return TRUE;
  if (!find_lanes(exec, step, addresses, lanes, &asking, &origin)) {
    smb_unknown_uncounted(exec, step, lanes, "the address", origin);
    smb_doubt_writes(exec, step, lanes, origin);
    return TRUE;
  }
  if (asking != smb_lanes_below(transfer->n_components * ROWS)) {
    memset(&words, 0, sizeof words); // rows that no lane asks for are not known
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
  }
  if (asking && !smb_words_load(exec->block, &transfer->move, exec->w, asking, addresses, &words))
    return FALSE;
  if (step->argument == MATRIX_UNKNOWN) {
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
    smb_doubt_writes(exec, step, lanes, step_origin(exec, step));
    return TRUE;
  }
  if (asking)
    smb_provenance_explain_lanes(exec, step, asking, addresses, ROW_BYTES, &words);
  for (guint j = 0; j < transfer->n_components; j++) {
    guint32 values[SMB_MAX_LANES] = {0}, unknown[SMB_MAX_LANES] = {0}, all = 0;
    FOR_LANES(lanes, t) {
      guint32 marks;
      values[t] = take_element(&words, step->argument == MATRIX_TRANSPOSED, j, (guint)t, &marks);
      guint32 known = (marks & 0x01010101) * 0xff;
      values[t] &= known;
      unknown[t] = ~known;
      all |= marks;
    }
    smb_row_set(exec->warp->registers, transfer->data[j], lanes, values, unknown,
                all & (MARK_BLOCK * 0x01010101u) ? ROW_BLOCK : 0, step_origin(exec, step));
  }
  return TRUE;
}

// Rows that it stored: matrices of the same store are numbered, and so are stores of the block.
static gboolean
note_rows(Exec *exec, const Step *step, SmbLanes asking, const guint64 *addresses) {
  guint32 number = smb_chunk_begin(exec->block);
  FOR_LANES(asking, lane) {
    guint32 offset;
    if (smb_shared_find(exec->block, addresses[lane], ROW_BYTES, &offset))
      smb_chunk_note_store(exec->block, offset, ROW_BYTES, CHUNK_OF_MATRIX,
                           step->transfer->move.site, (guint64)number * SMB_MAX_LANES + lane);
  }
  return TRUE;
}

gboolean
smb_step_store_matrix(Exec *exec, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  const Registers *registers = exec->warp->registers;
  guint64 addresses[SMB_MAX_LANES];
  guint32 origin = 0;
  SmbLanes asking;
  MarkedWords words;
  if (!lanes)
    return TRUE;
  if (!find_lanes(exec, step, addresses, lanes, &asking, &origin)) {
    smb_transfer_mark_unknown(exec, step, lanes, origin);
    smb_unknown_uncounted(exec, step, lanes, "the address", origin);
    return TRUE;
  }
  memset(&words, 0, sizeof words);
  origin = 0;
  if (step->argument == MATRIX_UNKNOWN) {
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
    origin = step_origin(exec, step);
  }
  for (guint j = 0; j < transfer->n_components && step->argument != MATRIX_UNKNOWN; j++) {
    const guint32 *values = row_values(registers, transfer->data[j]);
    guint flags = row_flags_in(registers, transfer->data[j], lanes);
    guint block = flags & (ROW_AFFINE | ROW_BLOCK) ? MARK_BLOCK : 0;
    if (!origin && smb_row_known(registers, transfer->data[j], lanes) != lanes)
      origin = row_origin(registers, transfer->data[j]);
    FOR_LANES(lanes, t) {
      guint32 unknown = row_lane_unknown(registers, transfer->data[j], (guint)t);
      for (guint half = 0; half < 2; half++) {
        Place at = find_element_place(step->argument == MATRIX_TRANSPOSED, j, (guint)t, half);
        for (guint byte = 2 * half; byte < 2 * half + 2; byte++) {
          guint shift = at.shift + 8 * (byte - 2 * half);
          gboolean is_known = !(unknown >> (8 * byte) & 0xff);
          guint mark = (is_known ? MARK_KNOWN : 0) | block;
          words.values[at.word][at.lane] |= (is_known ? values[t] >> (8 * byte) & 0xff : 0)
                                            << shift;
          words.marks[at.word][at.lane] |= mark << shift;
        }
      }
    }
  }
  smb_provenance_note(exec, step, asking, addresses, ROW_BYTES, origin);
  return !asking ||
         (smb_words_store(exec->block, &transfer->move, exec->w, asking, addresses, &words) &&
          (!exec->code->has_operands || note_rows(exec, step, asking, addresses)));
}
