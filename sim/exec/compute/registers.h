// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The registers of a warp of compiled code. A row is one 32-bit register of all lanes; 64-bit values take two rows,
// low word first, 128-bit values four; values of 8 and 16 bits lie zero-extended in one. Predicates are sets of lanes.
// What is not known is known not to be: a mask of unknown bits goes with each row, and what it depends on.
// Private to sim/exec and its front ends.
#pragma once

#include <string.h>

#include "sim/machine/machine.h"

G_BEGIN_DECLS

// A register by its number. Rows of constants are in a table that all warps share: the highest bit tells them apart.
typedef guint32 Row;
#define ROW_CONSTANT 0x80000000u

// A predicate by its number. The first one is always true, and what is written to it is dropped.
typedef guint32 Predicate;
#define PREDICATE_TRUE 0u

// What is known of a row, or of a predicate, as a whole; 0: every bit.
enum {
  ROW_SOME_UNKNOWN = 1, // bits are unknown where the row of unknown bits says so
  ROW_ALL_UNKNOWN =
      2, // all bits of all lanes are; the row of unknown bits and the values are not up to date
  ROW_UNKNOWN = ROW_SOME_UNKNOWN | ROW_ALL_UNKNOWN,
  ROW_AFFINE =
      4, // affine in blockIdx, as a signed number of its width (sim/exec/compute/affine.c); for a pair: both rows
  ROW_BLOCK = 8,  // depends on blockIdx in another way
  ROW_ORDER = 16, // depends on the order in which threads execute atomics or poll memory
  ROW_SIGN = 32,  // for one marked ROW_BLOCK: its sign is the same in all blocks
  ROW_TAINT = ROW_BLOCK | ROW_ORDER, // is inherited by whatever is computed from it
  ROW_DEPENDS = ROW_AFFINE | ROW_BLOCK,
  ROW_OF_LANES =
      ROW_DEPENDS | ROW_SOME_UNKNOWN, // it may hold for some lanes only: see row_flags_in()
};

// --- constants

// The constants of a program, for warps of @n_lanes. Rows stay where they are; values move when one is added.
typedef struct {
  guint n_lanes;
  guint32 n_rows;
  GArray *values;      // guint32: [row][lane]
  GArray *flags;       // guint8: 0 for each row
  GHashTable *rows[3]; // of 1, 2 and 4 rows: a number that is alike in all lanes → the first one
} Constants;

Constants *smb_constants_new(guint n_lanes);
void smb_constants_free(Constants *constants);

// @n_rows (1, 2 or 4) rows that hold @bits in every lane, zero-extended; the same ones for the same number.
Row smb_constants_add(Constants *constants, guint64 bits, guint n_rows);
// A row with a value of its own for each lane, such as the lane's number.
Row smb_constants_add_lanes(Constants *constants, const guint32 *values);

// --- registers

// Those of one warp. Read and written by whoever executes it; sizes are fixed.
typedef struct {
  guint n_lanes;
  SmbLanes lanes; // that still run: what others hold is lost. Only fewer become of them
  guint32 n_rows, n_predicates;
  guint32 *values[2]; // [is constant]: [row * n_lanes + lane]; constants are only read
  guint8 *flags[2];   // [is constant]: [row]
  guint8 *zeros;      // [row]: of one marked ROW_AFFINE, its low bits that are 0 in all blocks
  // [is ROW_BLOCK, else ROW_AFFINE][row]: of one with that mark, the lanes in which the mark holds
  SmbLanes *depends[2];
  guint32 *unknown; // [row * n_lanes + lane]: bits that are not known; the value's are then 0
  // [row]: where its unknown bits come from: an operation's number + 1; 0: never written
  guint32 *origin;
  SmbLanes *predicates; // of unknown lanes the value is 0
  SmbLanes *unknown_predicates;
  // ROW_SOME_UNKNOWN, and ROW_TAINT: a comparison of affine values is noted in the signature
  guint8 *predicate_flags;
  SmbLanes *predicate_depends; // of one marked ROW_BLOCK, the lanes in which the mark holds
  guint32 *predicate_origin;
  SmbBlock *block; // where affine values are noted; needed only if rows are marked ROW_AFFINE
  gpointer memory; // all of the above but constants
  gsize n_bytes;   // of it
} Registers;

// @n_predicates includes the first, which is always true. @constants: (transfer none): complete. Nothing is known yet.
Registers *smb_registers_new(const Constants *constants, guint32 n_rows, guint32 n_predicates,
                             SmbBlock *block);
void smb_registers_free(Registers *registers);

// Whether they hold what they did when @copy was made, of Registers.memory, as far as lanes that still run can tell.
gboolean smb_registers_are_same(const Registers *registers, gconstpointer copy);

// Another block begins: @lanes run, and nothing is known.
void smb_registers_reset(Registers *registers, SmbLanes lanes);

static inline gsize
row_index(Row row) {
  return row & ~ROW_CONSTANT;
}

// The values of a row; of bits that are unknown 0, but see ROW_ALL_UNKNOWN.
static inline const guint32 *
row_values(const Registers *registers, Row row) {
  return registers->values[row >> 31] + row_index(row) * registers->n_lanes;
}

static inline guint
row_flags(const Registers *registers, Row row) {
  return registers->flags[row >> 31][row_index(row)];
}

// The unknown bits of a row that is marked ROW_SOME_UNKNOWN.
static inline guint32 *
row_unknown(const Registers *registers, Row row) {
  return registers->unknown + (gsize)row * registers->n_lanes;
}

// Of smb_row_known(), of a row that is marked ROW_SOME_UNKNOWN.
SmbLanes smb_row_partly_known(const Registers *registers, Row row, SmbLanes lanes);

// The same, as far as these lanes deserve the marks: what a compiler left in others, which do not take part, is often
// of another kind.
static inline guint
row_flags_in(const Registers *registers, Row row, SmbLanes lanes) {
  guint flags = row_flags(registers, row);
  if (!(flags & ROW_OF_LANES))
    return flags;
  if (flags & ROW_SOME_UNKNOWN && smb_row_partly_known(registers, row, lanes) == lanes)
    flags &= ~(guint)ROW_SOME_UNKNOWN;
  if (flags & ROW_AFFINE && !(registers->depends[0][row] & lanes))
    flags &= ~(guint)ROW_AFFINE;
  if (flags & ROW_BLOCK && !(registers->depends[1][row] & lanes))
    flags &= ~(guint)ROW_BLOCK;
  return flags;
}

static inline guint
predicate_flags_in(const Registers *registers, Predicate predicate, SmbLanes lanes) {
  guint flags = registers->predicate_flags[predicate];
  if (!flags)
    return 0;
  if (!(registers->unknown_predicates[predicate] & lanes))
    flags &= ~(guint)ROW_SOME_UNKNOWN;
  if (flags & ROW_BLOCK && !(registers->predicate_depends[predicate] & lanes))
    flags &= ~(guint)ROW_BLOCK;
  return flags;
}

// Where the unknown bits of a row come from; 0 of a constant.
static inline guint32
row_origin(const Registers *registers, Row row) {
  return row & ROW_CONSTANT ? 0 : registers->origin[row];
}

// The unknown bits of one lane.
static inline guint32
row_lane_unknown(const Registers *registers, Row row, guint lane) {
  guint flags = row_flags(registers, row);
  return flags & ROW_ALL_UNKNOWN    ? G_MAXUINT32
         : flags & ROW_SOME_UNKNOWN ? row_unknown(registers, row)[lane]
                                    : 0;
}

// Whether no bit of a row is known in any lane of @lanes, in whatever block.
gboolean smb_row_is_blank(const Registers *registers, Row row, SmbLanes lanes);

// The lanes of @lanes in which all bits of a row are known.
static inline SmbLanes
smb_row_known(const Registers *registers, Row row, SmbLanes lanes) {
  guint flags = row_flags(registers, row);
  if (!(flags & ROW_UNKNOWN))
    return lanes;
  return flags & ROW_ALL_UNKNOWN ? 0 : smb_row_partly_known(registers, row, lanes);
}

// Writes @lanes of a row; others keep theirs. @unknown: (nullable): the bits that are not known, whose values are 0.
// @flags: ROW_AFFINE and ROW_TAINT, as they apply; @origin: of unknown bits.
void smb_row_set(Registers *registers, Row row, SmbLanes lanes, const guint32 *values,
                 const guint32 *unknown, guint flags, guint32 origin);

// The same of values that are known and depend on nothing, in some lanes, or of another number of lanes than 32.
void smb_row_set_known_lanes(Registers *registers, Row row, SmbLanes lanes, const guint32 *values);

// The same in any lanes.
static inline void
smb_row_set_known(Registers *registers, Row row, SmbLanes lanes, const guint32 *values) {
  if (registers->lanes & ~lanes || registers->n_lanes != 32) {
    smb_row_set_known_lanes(registers, row, lanes, values);
    return;
  }
  memcpy(registers->values[0] + (gsize)row * 32, values, 32 * sizeof *values);
  registers->flags[0][row] = 0;
}

// Numbers of 64 bits lie in two rows, their low halves first; together they are in @wide, by lane.
void smb_rows_join(const Registers *registers, Row first, guint64 *wide);
// The same the other way, of @lanes: only the values.
void smb_rows_part(Registers *registers, Row first, SmbLanes lanes, const guint64 *wide);

// Nothing is known any longer of these lanes of a row.
void smb_row_forget(Registers *registers, Row row, SmbLanes lanes, guint flags, guint32 origin);

// Writes @lanes of a predicate; @unknown: the lanes of which it is not known.
void smb_predicate_set(Registers *registers, Predicate predicate, SmbLanes lanes, SmbLanes value,
                       SmbLanes unknown, guint flags, guint32 origin);

// The same of a value that is known and depends on nothing.
static inline void
smb_predicate_set_known(Registers *registers, Predicate predicate, SmbLanes lanes, SmbLanes value) {
  SmbLanes *values = &registers->predicates[predicate];
  if (registers->predicate_flags[predicate] || predicate == PREDICATE_TRUE)
    smb_predicate_set(registers, predicate, lanes, value, 0, 0, 0);
  else
    *values = (*values & ~lanes) | (value & lanes);
}

// A word of all bits in the lanes of a set, and of none in others.
void smb_lanes_spread(SmbLanes lanes, guint n_lanes, guint32 *words);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Constants, smb_constants_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Registers, smb_registers_free)

G_END_DECLS
