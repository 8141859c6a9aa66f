// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/compute/registers.h"

#include <string.h>

#include "sim/exec/compute/loop.h"
#include "sim/machine/access/lanes.h"

// Rows begin at a cache line.
enum {
  ALIGNMENT = 64
};

// --- constants

Constants *
smb_constants_new(guint n_lanes) {
  Constants *constants = g_new0(Constants, 1);
  constants->n_lanes = n_lanes;
  constants->values = g_array_new(FALSE, TRUE, sizeof(guint32));
  constants->flags = g_array_new(FALSE, TRUE, sizeof(guint8));
  for (guint i = 0; i < G_N_ELEMENTS(constants->rows); i++)
    constants->rows[i] = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  return constants;
}

void
smb_constants_free(Constants *constants) {
  if (!constants)
    return;
  g_array_unref(constants->values);
  g_array_unref(constants->flags);
  for (guint i = 0; i < G_N_ELEMENTS(constants->rows); i++)
    g_hash_table_unref(constants->rows[i]);
  g_free(constants);
}

static guint32 *
append_row(Constants *constants) {
  g_array_set_size(constants->values, constants->values->len + constants->n_lanes);
  g_array_set_size(constants->flags, ++constants->n_rows);
  return &g_array_index(constants->values, guint32, constants->values->len - constants->n_lanes);
}

Row
smb_constants_add(Constants *constants, guint64 bits, guint n_rows) {
  GHashTable *known = constants->rows[n_rows / 2];
  gpointer found;
  if (g_hash_table_lookup_extended(known, &bits, NULL, &found))
    return GPOINTER_TO_UINT(found);
  Row row = constants->n_rows | ROW_CONSTANT;
  for (guint i = 0; i < n_rows; i++) {
    guint32 *values = append_row(constants);
    for (guint lane = 0; lane < constants->n_lanes; lane++)
      values[lane] = i < 2 ? (guint32)(bits >> 32 * i) : 0;
  }
  g_hash_table_insert(known, g_memdup2(&bits, sizeof bits), GUINT_TO_POINTER(row));
  return row;
}

Row
smb_constants_add_lanes(Constants *constants, const guint32 *values) {
  Row row = constants->n_rows | ROW_CONSTANT;
  memcpy(append_row(constants), values, constants->n_lanes * sizeof *values);
  return row;
}

// --- registers

// Takes a part of one zeroed allocation, whose pages cost nothing until they are written.
static gpointer
take_memory_part(guchar **memory, gsize bytes) {
  gpointer part = *memory;
  *memory += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return part;
}

Registers *
smb_registers_new(const Constants *constants, guint32 n_rows, guint32 n_predicates,
                  SmbBlock *block) {
  Registers *registers = g_new0(Registers, 1);
  gsize words = (gsize)n_rows * constants->n_lanes * sizeof(guint32);
  gsize row_bytes = n_rows * (2 * sizeof(SmbLanes) + sizeof(guint32) + 2);
  gsize predicate_bytes = n_predicates * (3 * sizeof(SmbLanes) + sizeof(guint32) + 1);
  registers->n_bytes = 2 * words + row_bytes + predicate_bytes + 13 * ALIGNMENT;
  registers->memory = g_malloc0(registers->n_bytes);
  guintptr start = ((guintptr)registers->memory + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  guchar *memory = (guchar *)registers->memory + (start - (guintptr)registers->memory);
  registers->n_lanes = constants->n_lanes;
  registers->n_rows = n_rows;
  registers->n_predicates = n_predicates;
  registers->block = block;
  registers->values[0] = take_memory_part(&memory, words);
  registers->values[1] = (guint32 *)(gpointer)constants->values->data;
  registers->flags[0] = take_memory_part(&memory, n_rows);
  registers->flags[1] = (guint8 *)constants->flags->data;
  registers->zeros = take_memory_part(&memory, n_rows);
  for (guint i = 0; i < G_N_ELEMENTS(registers->depends); i++)
    registers->depends[i] = take_memory_part(&memory, n_rows * sizeof(SmbLanes));
  registers->unknown = take_memory_part(&memory, words);
  registers->origin = take_memory_part(&memory, n_rows * sizeof(guint32));
  registers->predicates = take_memory_part(&memory, n_predicates * sizeof(SmbLanes));
  registers->unknown_predicates = take_memory_part(&memory, n_predicates * sizeof(SmbLanes));
  registers->predicate_depends = take_memory_part(&memory, n_predicates * sizeof(SmbLanes));
  registers->predicate_origin = take_memory_part(&memory, n_predicates * sizeof(guint32));
  registers->predicate_flags = take_memory_part(&memory, n_predicates);
  smb_registers_reset(registers, smb_lanes_below(constants->n_lanes));
  return registers;
}

void
smb_registers_free(Registers *registers) {
  if (!registers)
    return;
  g_free(registers->memory);
  g_free(registers);
}

// What a copy of the memory has of a part of it.
static gconstpointer
find_copy(const Registers *registers, gconstpointer copy, gconstpointer part) {
  return (const guchar *)copy + ((const guchar *)part - (const guchar *)registers->memory);
}

static gboolean
is_part_same(const Registers *registers, gconstpointer copy, gconstpointer part, gsize bytes) {
  return memcmp(find_copy(registers, copy, part), part, bytes) == 0;
}

// One word for each lane, of rows that are marked so.
static gboolean
are_rows_same(const Registers *registers, gconstpointer copy, const guint32 *words, guint marks,
              guint marked) {
  const guint32 *then = find_copy(registers, copy, words);
  guint32 differs = 0;
  for (gsize row = 0; row < registers->n_rows && !differs; row++) {
    gsize first = row * registers->n_lanes;
    gboolean is_marked = (registers->flags[0][row] & marks) == marked;
    for (guint lane = 0; is_marked && lane < registers->n_lanes; lane++)
      differs |= registers->lanes >> lane & 1 ? words[first + lane] ^ then[first + lane] : 0;
  }
  return !differs;
}

static gboolean
are_predicates_same(const Registers *registers, gconstpointer copy, const SmbLanes *predicates) {
  const SmbLanes *then = find_copy(registers, copy, predicates);
  SmbLanes differs = 0;
  for (guint32 i = 0; i < registers->n_predicates; i++)
    differs |= (predicates[i] ^ then[i]) & registers->lanes;
  return !differs;
}

gboolean
smb_registers_are_same(const Registers *registers, gconstpointer copy) {
  gsize n = registers->n_rows, n_predicates = registers->n_predicates;
  return memcmp(copy, registers->memory, registers->n_bytes) == 0 ||
         (is_part_same(registers, copy, registers->flags[0], n) &&
          is_part_same(registers, copy, registers->zeros, n) &&
          is_part_same(registers, copy, registers->predicate_flags, n_predicates) &&
          are_predicates_same(registers, copy, registers->predicates) &&
          are_predicates_same(registers, copy, registers->unknown_predicates) &&
          are_rows_same(registers, copy, registers->values[0], ROW_ALL_UNKNOWN, 0) &&
          are_rows_same(registers, copy, registers->unknown, ROW_SOME_UNKNOWN, ROW_SOME_UNKNOWN));
}

void
smb_registers_reset(Registers *registers, SmbLanes lanes) {
  registers->lanes = lanes;
  memset(registers->flags[0], ROW_ALL_UNKNOWN, registers->n_rows);
  memset(registers->origin, 0, registers->n_rows * sizeof *registers->origin);
  for (Predicate i = 0; i < registers->n_predicates; i++) {
    registers->predicates[i] = 0;
    registers->unknown_predicates[i] = G_MAXUINT64;
    registers->predicate_flags[i] = ROW_SOME_UNKNOWN;
    registers->predicate_origin[i] = 0;
  }
  registers->predicates[PREDICATE_TRUE] = G_MAXUINT64;
  registers->unknown_predicates[PREDICATE_TRUE] = 0;
  registers->predicate_flags[PREDICATE_TRUE] = 0;
}

// --- rows

SmbLanes
smb_row_partly_known(const Registers *registers, Row row, SmbLanes lanes) {
  return lanes & ~find_set_lanes(registers->n_lanes, row_unknown(registers, row));
}

gboolean
smb_row_is_blank(const Registers *registers, Row row, SmbLanes lanes) {
  guint flags = row_flags_in(registers, row, lanes);
  if (flags & (ROW_DEPENDS | ROW_TAINT) || !(flags & ROW_UNKNOWN))
    return FALSE;
  for (; !(flags & ROW_ALL_UNKNOWN) && lanes; lanes &= lanes - 1) {
    if (row_unknown(registers, row)[smb_lanes_first(lanes)] != G_MAXUINT32)
      return FALSE;
  }
  return TRUE;
}

static void
blend(SmbLanes lanes, guint n, const guint32 *from, guint32 *to) {
  smb_loops(smb_processor())->blend(lanes, n, from, to);
}

void
smb_lanes_spread(SmbLanes lanes, guint n_lanes, guint32 *words) {
  guint32 ones[SMB_MAX_LANES];
  memset(ones, 0xff, sizeof ones);
  memset(words, 0, n_lanes * sizeof *words);
  blend(lanes, n_lanes, ones, words);
}

// The marks that say how a row depends on blockIdx, once @lanes are written, which have the marks @flags.
static guint
join_depends(Registers *registers, Row row, SmbLanes lanes, guint flags) {
  static const guint kinds[] = {ROW_AFFINE, ROW_BLOCK};
  guint old = registers->flags[0][row], marks = 0;
  gboolean has_sign = !(flags & ROW_BLOCK) || flags & ROW_SIGN;
  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
    SmbLanes *depends = &registers->depends[i][row];
    SmbLanes kept = old & kinds[i] ? *depends & ~lanes : 0;
    has_sign = has_sign && (kinds[i] != ROW_BLOCK || !(kept & registers->lanes) || old & ROW_SIGN);
    *depends = (kept | (flags & kinds[i] ? lanes : 0)) & registers->lanes;
    marks |= *depends ? kinds[i] : 0;
  }
  return has_sign && marks & ROW_BLOCK ? marks | ROW_SIGN : marks;
}

// What a row is marked with, but for what is known of it, once @lanes are written.
static guint
join_flags(Registers *registers, Row row, SmbLanes lanes, guint flags) {
  guint old = registers->flags[0][row];
  guint marks = (flags | (registers->lanes & ~lanes ? old : 0)) & ROW_ORDER;
  return G_UNLIKELY((old | flags) & ROW_DEPENDS)
             ? marks | join_depends(registers, row, lanes, flags)
             : marks;
}

// The row of unknown bits, up to date, whatever the row is marked with.
static guint32 *
open_unknown(Registers *registers, Row row) {
  guint32 *unknown = row_unknown(registers, row);
  guint flags = registers->flags[0][row];
  gsize bytes = registers->n_lanes * sizeof *unknown;
  if (flags & ROW_ALL_UNKNOWN) {
    memset(unknown, 0xff, bytes);
    memset(registers->values[0] + (gsize)row * registers->n_lanes, 0, bytes);
  } else if (!(flags & ROW_SOME_UNKNOWN))
    memset(unknown, 0, bytes);
  return unknown;
}

// Which mark a row of unknown bits deserves, in the lanes that run.
static guint
judge_unknown(const Registers *registers, const guint32 *unknown) {
  guint32 any = 0, all = G_MAXUINT32;
  guint n = registers->n_lanes;
  gboolean whole = registers->lanes == smb_lanes_below(n);
  EACH_LANE(whole ? n : 0, {
    any |= unknown[lane];
    all &= unknown[lane];
  })
  FOR_LANES(whole ? 0 : registers->lanes, lane) {
    any |= unknown[lane];
    all &= unknown[lane];
  }
  return all == G_MAXUINT32 ? ROW_ALL_UNKNOWN : any ? ROW_SOME_UNKNOWN : 0;
}

void
smb_row_set(Registers *registers, Row row, SmbLanes lanes, const guint32 *values,
            const guint32 *unknown, guint flags, guint32 origin) {
  guint n = registers->n_lanes, old = registers->flags[0][row];
  gboolean whole = !(registers->lanes & ~lanes);
  guint marks = join_flags(registers, row, lanes, flags);
  if (unknown || (!whole && old & ROW_UNKNOWN)) {
    static const guint32 none[SMB_MAX_LANES];
    guint32 *bits = open_unknown(registers, row);
    blend(lanes, n, unknown ? unknown : none, bits);
    marks |= judge_unknown(registers, bits);
  }
  if (unknown)
    registers->origin[row] = origin;
  guint32 *to = registers->values[0] + (gsize)row * n;
  if (whole)
    memcpy(to, values, n * sizeof *values);
  else
    blend(lanes, n, values, to);
  registers->flags[0][row] = (guint8)marks;
  registers->zeros[row] = 0;
}

void
smb_row_set_known_lanes(Registers *registers, Row row, SmbLanes lanes, const guint32 *values) {
  guint32 *to = registers->values[0] + (gsize)row * registers->n_lanes;
  if (registers->flags[0][row])
    smb_row_set(registers, row, lanes, values, NULL, 0, 0);
  else
    blend(lanes, registers->n_lanes, values, to);
}

void
smb_rows_join(const Registers *registers, Row first, guint64 *wide) {
  const guint32 *low = row_values(registers, first), *high = row_values(registers, first + 1);
  EACH_LANE(registers->n_lanes, wide[lane] = low[lane] | (guint64)high[lane] << 32;)
}

void
smb_rows_part(Registers *registers, Row first, SmbLanes lanes, const guint64 *wide) {
  guint32 *low = registers->values[0] + (gsize)first * registers->n_lanes;
  guint32 *high = low + registers->n_lanes;
  FOR_LANES(lanes, lane) {
    low[lane] = (guint32)wide[lane];
    high[lane] = (guint32)(wide[lane] >> 32);
  }
}

// Some lanes of a row, or one that depends on blockIdx.
G_GNUC_NO_INLINE static void
forget_lanes(Registers *registers, Row row, SmbLanes lanes, guint flags) {
  static const guint32 none[SMB_MAX_LANES];
  guint n = registers->n_lanes, old = registers->flags[0][row];
  guint marks = join_flags(registers, row, lanes, flags);
  if (!(registers->lanes & ~lanes) || old & ROW_ALL_UNKNOWN)
    marks |= ROW_ALL_UNKNOWN;
  else {
    guint32 all[SMB_MAX_LANES];
    memset(all, 0xff, sizeof all);
    blend(lanes, n, all, open_unknown(registers, row));
    blend(lanes, n, none, registers->values[0] + (gsize)row * n);
    marks |= ROW_SOME_UNKNOWN;
  }
  registers->flags[0][row] = (guint8)marks;
}

void
smb_row_forget(Registers *registers, Row row, SmbLanes lanes, guint flags, guint32 origin) {
  guint8 *mark = &registers->flags[0][row];
  registers->origin[row] = origin;
  if (registers->lanes & ~lanes || (*mark | flags) & ROW_DEPENDS)
    forget_lanes(registers, row, lanes, flags);
  else
    *mark = (guint8)((flags & ROW_ORDER) | ROW_ALL_UNKNOWN);
}

// --- predicates

void
smb_predicate_set(Registers *registers, Predicate predicate, SmbLanes lanes, SmbLanes value,
                  SmbLanes unknown, guint flags, guint32 origin) {
  if (predicate == PREDICATE_TRUE)
    return;
  SmbLanes *values = registers->predicates + predicate;
  SmbLanes *unknowns = registers->unknown_predicates + predicate;
  gboolean whole = !(registers->lanes & ~lanes);
  *values = (*values & ~lanes) | (value & ~unknown & lanes);
  *unknowns = (*unknowns & ~lanes) | (unknown & lanes);
  guint old = registers->predicate_flags[predicate];
  guint marks = ((whole ? 0 : old) | flags) & ROW_ORDER;
  if (G_UNLIKELY((old | flags) & ROW_BLOCK)) {
    SmbLanes *depends = &registers->predicate_depends[predicate];
    SmbLanes kept = old & ROW_BLOCK ? *depends & ~lanes : 0;
    *depends = (kept | (flags & ROW_BLOCK ? lanes : 0)) & registers->lanes;
    marks |= *depends ? ROW_BLOCK : 0;
  }
  if (*unknowns & registers->lanes)
    marks |= ROW_SOME_UNKNOWN;
  if (unknown & lanes)
    registers->predicate_origin[predicate] = origin;
  registers->predicate_flags[predicate] = (guint8)marks;
}
