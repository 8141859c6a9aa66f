// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The data of a request: from registers to the words that the machine moves, and back, with what is known of each byte.
#include "sim/exec/memory/memory.h"

#include <string.h>

#define BLOCK_MARKS (MARK_BLOCK * MARKS_KNOWN)

// The bits of the bytes that are not known.
static guint32
unknown_bits(guint32 marks) {
  return ~((marks & MARKS_KNOWN) * 0xff);
}

static void
put_row(Exec *exec, const Step *step, Row row, SmbLanes lanes, const guint32 *values,
        const guint32 *unknown, guint flags) {
  smb_row_set(exec->warp->registers, row, lanes, values, unknown, flags, step_origin(exec, step));
}

// A word that is one row. Returns whether all of it is known.
static gboolean
deliver_word(Exec *exec, const Step *step, Row to, SmbLanes lanes, guint flags,
             const guint32 *values, const guint32 *marks) {
  guint32 all = G_MAXUINT32, any = 0;
  if (lanes == exec->block->all_lanes) {
    EACH_LANE(exec->block->lanes, {
      all &= marks[lane];
      any |= marks[lane];
    })
  } else {
    FOR_LANES(lanes, lane) {
      all &= marks[lane];
      any |= marks[lane];
    }
  }
  flags |= any & BLOCK_MARKS ? ROW_BLOCK : 0;
  if ((any & MARKS_KNOWN) == 0)
    smb_row_forget(exec->warp->registers, to, lanes, flags, step_origin(exec, step));
  else if ((all & MARKS_KNOWN) == MARKS_KNOWN)
    put_row(exec, step, to, lanes, values, NULL, flags);
  else {
    guint32 unknown[SMB_MAX_LANES], known[SMB_MAX_LANES];
    EACH_LANE(exec->block->lanes, {
      unknown[lane] = unknown_bits(marks[lane]);
      known[lane] = values[lane] & ~unknown[lane];
    })
    put_row(exec, step, to, lanes, known, unknown, flags);
  }
  return (all & MARKS_KNOWN) == MARKS_KNOWN;
}

// A component that is narrower than its register.
static gboolean
deliver_extended(Exec *exec, const Step *step, guint component, SmbLanes lanes, guint flags,
                 const MarkedWords *words) {
  const Transfer *transfer = step->transfer;
  guint at = component * transfer->bytes, bits = transfer->bytes * 8;
  guint32 values[2][SMB_MAX_LANES] = {{0}}, marks[2][SMB_MAX_LANES];
  FOR_LANES(lanes, lane) {
    guint64 value = words->values[at / 4][lane] >> (at % 4 * 8);
    guint32 mark = words->marks[at / 4][lane] >> (at % 4 * 8);
    guint64 sign = transfer->is_signed ? G_GUINT64_CONSTANT(1) << (bits - 1) : 0;
    value &= bits == 32 ? G_MAXUINT32 : (1u << bits) - 1;
    value = (value ^ sign) - sign;
    // What is copied from the sign is known if that is.
    guint32 top = mark >> (bits - 8) & 0xff, fill = transfer->is_signed ? top : MARK_KNOWN;
    guint32 within = bits == 32 ? G_MAXUINT32 : (1u << bits) - 1;
    marks[0][lane] = (mark & within) | (fill * MARKS_KNOWN & ~within);
    marks[1][lane] = fill * MARKS_KNOWN;
    values[0][lane] = (guint32)value;
    values[1][lane] = (guint32)(value >> 32);
  }
  gboolean known = TRUE;
  for (guint row = 0; row < transfer->rows; row++)
    known &= deliver_word(exec, step, transfer->data[component] + row, lanes, flags, values[row],
                          marks[row]);
  return known;
}

gboolean
smb_transfer_deliver(Exec *exec, const Step *step, SmbLanes lanes, guint flags,
                     const MarkedWords *words) {
  const Transfer *transfer = step->transfer;
  gboolean known = TRUE;
  for (guint c = 0; c < transfer->n_components; c++) {
    if (transfer->data[c] == NO_ROW)
      continue;
    guint word = c * transfer->bytes / 4;
    if (transfer->bytes < 4 || transfer->rows * 4 > transfer->bytes) {
      known &= deliver_extended(exec, step, c, lanes, flags, words);
      continue;
    }
    for (guint row = 0; row < transfer->rows; row++)
      known &= deliver_word(exec, step, transfer->data[c] + row, lanes, flags,
                            words->values[word + row], words->marks[word + row]);
  }
  return known;
}

void
smb_transfer_deliver_known(Exec *exec, const Step *step, SmbLanes lanes, MarkedWords *words) {
  const Transfer *transfer = step->transfer;
  Registers *registers = exec->warp->registers;
  if (transfer->rows * 4 > transfer->bytes) { // extended, with its marks
    for (guint word = 0; word < transfer->move.width / 4; word++)
      EACH_LANE(exec->block->lanes, words->marks[word][lane] = MARKS_KNOWN;)
    smb_transfer_deliver(exec, step, lanes, 0, words);
    return;
  }
  for (guint c = 0; c < transfer->n_components; c++) {
    for (guint row = 0; transfer->data[c] != NO_ROW && row < transfer->rows; row++)
      smb_row_set_known(registers, transfer->data[c] + row, lanes,
                        words->values[c * transfer->bytes / 4 + row]);
  }
}

// The values of @lanes of a row, and the marks of their bytes. Returns the row's origin if something is not known of
// these.
static guint32
gather_row(const Registers *registers, Row from, SmbLanes lanes, guint32 *values, guint32 *marks) {
  guint flags = row_flags_in(registers, from, lanes), n = registers->n_lanes;
  guint32 block = depends_on_block(flags) ? BLOCK_MARKS : 0, known = MARKS_KNOWN | block;
  if (flags & ROW_ALL_UNKNOWN) {
    memset(values, 0, n * sizeof *values);
    EACH_LANE(n, marks[lane] = block;)
    return row_origin(registers, from);
  }
  memcpy(values, row_values(registers, from), n * sizeof *values);
  EACH_LANE(n, marks[lane] = known;)
  if (smb_row_known(registers, from, lanes) == lanes)
    return 0;
  const guint32 *unknown = row_unknown(registers, from);
  for (guint lane = 0; lane < n; lane++) {
    for (guint byte = 0; byte < 4; byte++) {
      if (unknown[lane] >> (8 * byte) & 0xff)
        marks[lane] &= ~((guint32)MARK_KNOWN << (8 * byte));
    }
  }
  return row_origin(registers, from);
}

// Registers of @bytes each, side by side, of @lanes. Returns the origin of what is not known of them; 0: all is.
guint32
smb_transfer_gather(const Registers *registers, const Row *rows, guint n_components, guint bytes,
                    SmbLanes lanes, MarkedWords *words) {
  guint32 origin = 0;
  guint n = registers->n_lanes;
  if (bytes < 4) {
    memset(words->values, 0, sizeof words->values);
    memset(words->marks, 0, sizeof words->marks);
  }
  for (guint c = 0; c < n_components; c++) {
    guint at = c * bytes, word = at / 4, shift = at % 4 * 8;
    guint32 from = 0;
    for (guint row = 0; bytes >= 4 && row < bytes / 4; row++) {
      guint32 of_row = gather_row(registers, rows[c] + row, lanes, words->values[word + row],
                                  words->marks[word + row]);
      from = from ? from : of_row;
    }
    if (bytes < 4) {
      guint32 values[SMB_MAX_LANES], marks[SMB_MAX_LANES], within = (1u << (bytes * 8)) - 1;
      from = gather_row(registers, rows[c], lanes, values, marks);
      EACH_LANE(n, {
        words->values[word][lane] |= (values[lane] & within) << shift;
        words->marks[word][lane] |= (marks[lane] & within) << shift;
      })
    }
    origin = origin ? origin : from;
  }
  return origin;
}
