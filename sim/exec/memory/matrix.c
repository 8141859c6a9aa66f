// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// ldmatrix and stmatrix (PTX ISA): 1, 2 or 4 matrices of 8 rows of 8 numbers of 16 bits. Lane 8 * j + i gives the
// address of row i of matrix j. Lane t holds two numbers of each matrix: columns 2 * (t % 4) and the next of row t / 4;
// of a transposed one, rows 2 * (t % 4) and the next of column t / 4.
//
// Matrices of numbers of 8 bits (sm_100 and later) have rows of 16 numbers. Loads transpose 16 rows: in the first of two
// registers lane t has rows 4 * (t % 4) to 4 * (t % 4) + 3 of column t / 4, in the second of column t / 4 + 8. Stores
// transpose 8 rows: the bytes of a register are rows 2 * (t % 4) and the next of column t / 4, and of column t / 4 + 8.
// A row may have 16 numbers of 6 or 4 bits, side by side, with nothing behind them: each becomes a byte with zeros above. None of this was
// compared with a chip here: it is by the PTX ISA, and by what CuTe does with the registers.
#include <string.h>

#include "sim/exec/memory/memory.h"
#include "sim/machine/access/chunk.h"

enum {
  ROWS = 8,
  ROW_BYTES = 16,
};

// Where byte @byte of register @j of lane @t lies: the lane that gives the row's address, its word and how far that is
// shifted.
typedef struct {
  guint lane, word, shift;
} Place;

static Place
find_byte_place(guint layout, gboolean loads, guint j, guint t, guint byte) {
  guint row = j * ROWS + t / 4, column = 4 * (t % 4) + byte;
  if (layout == MATRIX_TRANSPOSED) {
    row = j * ROWS + 2 * (t % 4) + byte / 2;
    column = t / 4 * 2 + byte % 2;
  } else if (layout == MATRIX_BYTES) {
    row = loads ? j / 2 * 2 * ROWS + 4 * (t % 4) + byte : j * ROWS + 2 * (t % 4) + byte % 2;
    column = t / 4 + ROWS * (loads ? j % 2 : byte / 2);
  }
  return (Place){row, column / 4, column % 4 * 8};
}

// What register @j of lane @t is loaded with, and the marks of its bytes.
static inline guint32
take_register(const MarkedWords *words, guint layout, guint j, guint t, guint32 *marks) {
  if (layout == MATRIX_PLAIN) { // it is a word
    *marks = words->marks[t % 4][j * ROWS + t / 4];
    return words->values[t % 4][j * ROWS + t / 4];
  }
  guint bytes = layout == MATRIX_BYTES ? 1 : 2; // of a number
  guint32 mask = layout == MATRIX_BYTES ? 0xff : 0xffff, value = 0;
  *marks = 0;
  for (guint byte = 0; byte < 4; byte += bytes) {
    Place at = find_byte_place(layout, TRUE, j, t, byte);
    *marks |= (words->marks[at.word][at.lane] >> at.shift & mask) << (8 * byte);
    value |= (words->values[at.word][at.lane] >> at.shift & mask) << (8 * byte);
  }
  return value;
}

// A row of 16 numbers of @bits bits becomes one of bytes.
static void
unpack_row(MarkedWords *words, guint lane, guint bits) {
  guint32 values[ROW_BYTES / 4] = {0}, marks[ROW_BYTES / 4] = {0};
  for (guint i = 0; i < ROW_BYTES; i++) {
    guint first = i * bits, last = first + bits - 1, to = i % 4 * 8;
    guint64 pair = words->values[first / 32][lane] | (guint64)words->values[last / 32][lane] << 32;
    guint64 low = first / 32 == last / 32 ? (guint32)pair : pair;
    values[i / 4] |= (guint32)(low >> first % 32 & ((1U << bits) - 1)) << to;
    guint32 a = words->marks[first / 32][lane] >> first % 32 / 8 * 8;
    guint32 b = words->marks[last / 32][lane] >> last % 32 / 8 * 8;
    marks[i / 4] |= ((a & b & MARK_KNOWN) | ((a | b) & MARK_BLOCK)) << to;
  }
  for (guint i = 0; i < ROW_BYTES / 4; i++) {
    words->values[i][lane] = values[i];
    words->marks[i][lane] = marks[i];
  }
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
  if (asking)
    smb_provenance_explain_lanes(exec, step, asking, addresses, ROW_BYTES, &words);
  guint layout = step->argument & MATRIX_LAYOUT;
  FOR_LANES(step->argument != layout ? asking : 0, lane)
  unpack_row(&words, (guint)lane, step->argument & MATRIX_OF_6 ? 6 : 4);
  for (guint j = 0; j < transfer->n_components; j++) {
    guint32 values[SMB_MAX_LANES] = {0}, unknown[SMB_MAX_LANES] = {0}, all = 0;
    FOR_LANES(lanes, t) {
      guint32 marks;
      values[t] = take_register(&words, layout, j, (guint)t, &marks);
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
  for (guint j = 0; j < transfer->n_components; j++) {
    const guint32 *values = row_values(registers, transfer->data[j]);
    guint flags = row_flags_in(registers, transfer->data[j], lanes);
    guint block = flags & (ROW_AFFINE | ROW_BLOCK) ? MARK_BLOCK : 0;
    if (!origin && smb_row_known(registers, transfer->data[j], lanes) != lanes)
      origin = row_origin(registers, transfer->data[j]);
    FOR_LANES(lanes, t) {
      guint32 unknown = row_lane_unknown(registers, transfer->data[j], (guint)t);
      for (guint byte = 0; byte < 4; byte++) {
        Place at = find_byte_place(step->argument, FALSE, j, (guint)t, byte);
        gboolean is_known = !(unknown >> (8 * byte) & 0xff);
        guint mark = (is_known ? MARK_KNOWN : 0) | block;
        words.values[at.word][at.lane] |= (is_known ? values[t] >> (8 * byte) & 0xff : 0)
                                          << at.shift;
        words.marks[at.word][at.lane] |= mark << at.shift;
      }
    }
  }
  smb_provenance_note(exec, step, asking, addresses, ROW_BYTES, origin);
  return !asking ||
         (smb_words_store(exec->block, &transfer->move, exec->w, asking, addresses, &words) &&
          (!exec->code->has_operands || note_rows(exec, step, asking, addresses)));
}

// --- wmma, as ptxas of CUDA 13.0 makes it for sm_90

// What lanes ask for at once: @address of each.
typedef struct {
  SmbOp op;
  guint width, n;
  guint64 address[SMB_MAX_LANES];
} Request;

// Where a number of a lane lies, or one @right of and @below it.
static guint64
locate_number(const Exec *exec, const Step *step, const guint64 *addresses, guint index, guint lane,
              guint below, guint right) {
  const Fragment *fragment = step->fragment;
  guint row, column;
  smb_fragment_place(fragment, index, lane, &row, &column);
  guint64 stride = row_values(exec->warp->registers, fragment->stride)[lane];
  row += below;
  column += right;
  return addresses[lane] + (fragment->is_across ? row * stride + column : column * stride + row) *
                               smb_product_bits(fragment->number) / 8;
}

// The request @first of a lane's registers begins with, of those that are moved: matrices of factors by ldmatrix, if their numbers have 16 bits, or 8 and lie
// one after the other; halves of sums that are turned by two at a time; others by what lies together.
static void
make_fragment_request(const Exec *exec, const Step *step, const guint64 *addresses, guint number,
                      guint *moved, Request *request) {
  const Fragment *fragment = step->fragment;
  guint bits = smb_product_bits(fragment->number), in_register = MAX(32 / bits, 1);
  gboolean loads = step->transfer->move.op_class == SMB_OP_CLASS_LOAD;
  gboolean is_turned = !fragment->is_across, swaps = is_turned && fragment->is_sum && bits == 16;
  gboolean is_matrix = !fragment->is_sum && (bits == 16 || (bits == 8 && fragment->is_across));
  guint of_tile = fragment->base / (fragment->halves == 2 ? fragment->across : 1),
        left = of_tile - number / in_register % of_tile;
  guint n = !is_matrix ? 0 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
  *request = (Request){.op = loads ? SMB_OP_LD : SMB_OP_ST, .width = bits / 8, .n = 32};
  *moved = is_matrix ? n * in_register : fragment->is_sum && (fragment->is_across || swaps) ? 2 : 1;
  if (is_matrix) {
    static const SmbOp ops[] = {
        [1] = SMB_OP_LDMATRIX_X1, [2] = SMB_OP_LDMATRIX_X2, [4] = SMB_OP_LDMATRIX_X4};
    request->op = ops[n];
    request->width = ROW_BYTES;
    request->n = n * ROWS;
  } else
    request->width *= *moved;
  for (guint lane = 0; lane < request->n; lane++) {
    guint of = number + (is_matrix ? lane / ROWS * in_register : 0), i = lane % ROWS;
    guint from = swaps || (is_matrix && is_turned) ? 0 : is_matrix ? 4 * i : lane;
    guint right = swaps ? lane / 4 : is_matrix && is_turned ? i : 0;
    request->address[lane] =
        locate_number(exec, step, addresses, of, from, swaps ? lane % 4 * 2 : 0, right);
  }
}

// Makes the requests of a fragment, of which what they move has been moved already. FALSE: one of them cannot be made.
gboolean
smb_fragment_ask(Exec *exec, const Step *step, const guint64 *addresses) {
  const Fragment *fragment = step->fragment;
  guint bits = smb_product_bits(fragment->number), moved;
  for (guint number = 0; number < fragment->base * 32 / bits; number += moved) {
    Request request;
    MarkedWords words;
    make_fragment_request(exec, step, addresses, number, &moved, &request);
    Move move = step->transfer->move;
    move.op = request.op;
    move.width = move.align = request.width;
    SmbLanes lanes = smb_lanes_below(request.n);
    if (move.op_class == SMB_OP_CLASS_LOAD) {
      if (!smb_words_load(exec->block, &move, exec->w, lanes, request.address, &words))
        return FALSE;
      continue;
    }
    memset(&words, 0, sizeof words);
    FOR_LANES(lanes, lane) {
      guchar bytes[ROW_BYTES], marks[ROW_BYTES];
      if (!smb_bulk_read(exec->block, &move, exec->w, (guint)lane, request.address[lane], bytes,
                         marks))
        return FALSE;
      for (guint i = 0; i < request.width; i++) {
        words.values[i / 4][lane] |= (guint32)bytes[i] << i % 4 * 8;
        words.marks[i / 4][lane] |= (guint32)marks[i] << i % 4 * 8;
      }
    }
    if (!smb_words_store(exec->block, &move, exec->w, lanes, request.address, &words))
      return FALSE;
  }
  return TRUE;
}
