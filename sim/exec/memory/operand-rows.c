// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operands of matrix products in shared memory against the boxes of tensors (TMA) that brought them (of what threads wrote: operand-stores.c): whether the descriptor finds rows of
// the box where it reads rows of the operand. Both are taken as a device does, address by address, and only neighbours in the operand that
// one copy brought are compared. Told is what no order of the box's rows explains:
// - chunks of a row of the operand, or one row behind the other among eight, that are not the same in the box (a wrong swizzle, a wrong
//   base offset, a start between two rows);
// - eight rows that do not follow the eight before them, or chunks of a row that come from several rows of the box, though the box is of a
//   matrix (wrong leading and stride byte offsets);
// - bytes that are in two places of one operand, but eight rows that are all rows of their box;
// - eight rows that no copy brought, behind eight of a box that has more.
// Not told: an operand that is read as if it were transposed, which is as orderly; offsets that lead to another copy; copies that are not of
// boxes, whose order nobody knows; tensors that hold tiles one behind the other, of which each order of
// eight rows may be meant.
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/exec/memory/operand.h"
#include "sim/machine/check/checking.h"

enum {
  SEEN_WORDS = 1024, // a bit for each chunk of shared memory, as far as descriptors reach
};

// What is wrong with two chunks of an operand.
typedef enum {
  FAULT_NONE,
  FAULT_ROWS,    // among eight rows
  FAULT_CHUNKS,  // within the width of a row
  FAULT_GROUPS,  // from eight rows to the next
  FAULT_BEYOND,  // from one width to the next
  FAULT_REPEATS, // they are the same
  FAULT_OUTSIDE, // from eight rows to the next: there no copy brought anything, and the box goes on elsewhere
  FAULT_SLICE, // among eight rows, which are of two slices of the box
  FAULT_PAST,  // behind the last row of the box, where nothing was written
} Fault;

typedef struct {
  Fault fault;
  gboolean is_of_groups; // from eight rows to others, not from one width to another
  Cell cells[2];
  ChunkOrigin origins[2];
} Disorder;

guint32
smb_operand_locate(const SharedMatrix *matrix, Cell cell) {
  guint along = cell.chunk * SHARED_CHUNK / matrix->bytes;
  guint row = matrix->is_turned ? along : cell.line, k = matrix->is_turned ? cell.line : along;
  return smb_matrix_address(&matrix->place, matrix->is_turned, matrix->bytes, row, k) -
         matrix->reserved;
}

// Tiles one behind the other in the tensor, of which units of eight rows of 16 bytes may be anywhere.
static gboolean
may_be_tiles(const SharedMatrix *matrix, const CopyShape *shape) {
  return shape->is_packed && !matrix->place.mask && !shape->swizzle;
}

// Whether both are rows of one slice of their box, in which rows follow each other in one dimension of the tensor.
static gboolean
are_of_slice(const ChunkOrigin *here, const ChunkOrigin *next) {
  const guint32 rows = here->shape->flat_rows;
  return rows && here->row / rows == next->row / rows;
}

static Fault
compare_rows(const SharedMatrix *matrix, Cell cell, const ChunkOrigin *here,
             const ChunkOrigin *next) {
  gboolean is_within = cell.line % OPERAND_GROUP != OPERAND_GROUP - 1;
  if (!is_within && smb_operand_offset(matrix, TRUE) == 0)
    return FAULT_NONE; // is_repeated()
  gboolean is_orderly = next->row == here->row + 1 && next->x == here->x;
  if (is_orderly && is_within && here->shape->flat_rows % OPERAND_GROUP == 0 &&
      here->shape->has_slices && !are_of_slice(here, next))
    return FAULT_SLICE;
  if (is_orderly || may_be_tiles(matrix, here->shape) || !(is_within || are_of_slice(here, next)))
    return FAULT_NONE;
  return is_within ? FAULT_ROWS : FAULT_GROUPS;
}

static Fault
compare_in_row(const SharedMatrix *matrix, Cell cell, const ChunkOrigin *here,
               const ChunkOrigin *next) {
  gboolean is_within = (cell.chunk + 1) * SHARED_CHUNK % matrix->place.width != 0;
  if (next->row == here->row && next->x == here->x + SHARED_CHUNK)
    return FAULT_NONE;
  if (is_within)
    return FAULT_CHUNKS;
  if (next->row == here->row && next->x < here->x)
    return FAULT_NONE; // is_repeated(), if that was read
  const guint32 rows = here->shape->flat_rows;
  gboolean is_beside = rows && !are_of_slice(here, next) && next->row % rows == here->row % rows;
  return rows && !here->shape->is_packed && !is_beside ? FAULT_BEYOND : FAULT_NONE;
}

static void
find_origins(const SharedMatrix *matrix, guint n, guint depth, Grid *grid) {
  memset(grid, 0, sizeof *grid);
  grid->lines = matrix->is_turned ? depth : n;
  grid->chunks = (matrix->is_turned ? n : depth) * matrix->bytes / SHARED_CHUNK;
  g_assert(grid->lines * grid->chunks <= OPERAND_MAX_CELLS);
  for (guint i = 0; i < grid->lines * grid->chunks; i++) {
    guint32 offset = smb_operand_locate(matrix, (Cell){i / grid->chunks, i % grid->chunks});
    grid->places[i] = offset / SHARED_CHUNK;
    smb_chunk_find(matrix->block, offset, &grid->origins[i]);
  }
}

// Whether a copy brought the chunk of @at, and more rows of the box than that. @next: (out): where the next one is, or the span of a swizzle that has it
static gboolean
box_goes_on(const SharedMatrix *matrix, const Grid *grid, guint at, guint32 *next) {
  const ChunkOrigin *here = &grid->origins[at];
  *next = 0;
  if (!here->copy)
    return FALSE;
  const guint32 span = MAX(here->shape->swizzle, SHARED_CHUNK);
  *next = grid->places[at] * SHARED_CHUNK / span * span + here->shape->pitch;
  for (guint32 offset = *next; offset < *next + span; offset += SHARED_CHUNK) {
    ChunkOrigin other;
    if (smb_chunk_find(matrix->block, offset, &other) && other.copy == here->copy &&
        other.row == here->row + 1 && other.x == here->x)
      return TRUE;
  }
  return FALSE;
}

// Whether the next eight rows are read where no copy brought anything, though the copy brought more rows of the box: what follows the chunk of @at in it is
// elsewhere. Not if that row is read, of which something else was written since.
static gboolean
leads_outside(const SharedMatrix *matrix, const Grid *grid, guint at, guint next) {
  const CopyShape *shape = grid->origins[at].shape;
  guint32 row;
  const ChunkOrigin after = {.row = grid->origins[at].row + 1};
  return !grid->origins[next].copy && are_of_slice(&grid->origins[at], &after) &&
         !may_be_tiles(matrix, shape) && at / grid->chunks % OPERAND_GROUP == OPERAND_GROUP - 1 &&
         box_goes_on(matrix, grid, at, &row) &&
         grid->places[next] * SHARED_CHUNK - row >= MAX(shape->swizzle, SHARED_CHUNK);
}

// Whether the row behind one of the box is one that nothing was written to.
static gboolean
leads_past(const SharedMatrix *matrix, const Grid *grid, guint next) {
  const guint32 offset = grid->places[next] * SHARED_CHUNK;
  guint32 bits;
  return !grid->origins[next].copy && !smb_chunk_is_written(matrix->block, offset) &&
         offset < matrix->block->shared_bytes &&
         !(smb_shared_matrix_read(matrix, offset, sizeof bits, &bits) & MARK_KNOWN);
}

// Whether the next width of a row is read elsewhere than behind all rows of the one before, of a box that has them in that order.
static gboolean
misses_next_width(const SharedMatrix *matrix, const ChunkOrigin *here, const ChunkOrigin *next) {
  const CopyShape *shape = here->shape;
  return shape->rows_of_width && shape->pitch == SHARED_CHUNK &&
         matrix->place.width == SHARED_CHUNK && next->row != here->row + shape->rows_of_width;
}

// Compares a chunk with the next one in a direction.
static gboolean
is_disorderly(const SharedMatrix *matrix, const Grid *grid, Cell cell, gboolean is_line,
              Disorder *disorder) {
  Cell next = {cell.line + is_line, cell.chunk + !is_line};
  if (next.line == grid->lines || next.chunk == grid->chunks)
    return FALSE;
  guint at = cell.line * grid->chunks + cell.chunk, at_next = next.line * grid->chunks + next.chunk;
  const ChunkOrigin *here = &grid->origins[at], *other = &grid->origins[at_next];
  Fault fault = FAULT_NONE;
  if (grid->places[at] == grid->places[at_next])
    return FALSE; // is_repeated()
  if (here->copy == other->copy)
    fault = !is_line && misses_next_width(matrix, here, other)
                ? FAULT_BEYOND
                : (is_line ? compare_rows : compare_in_row)(matrix, cell, here, other);
  else if (is_line && leads_outside(matrix, grid, at, at_next))
    fault = FAULT_OUTSIDE;
  else if (is_line && leads_past(matrix, grid, at_next))
    fault = FAULT_PAST;
  *disorder = (Disorder){fault, is_line, {cell, next}, {*here, *other}};
  return fault != FAULT_NONE;
}

// Which offset leads from a chunk to the same one again. If both may, the wrong one: eight rows that follow the first ones in the box are right.
static gboolean
is_repeated_by_groups(const SharedMatrix *matrix, const Grid *grid, Cell first, Cell again) {
  const guint across = matrix->place.width / SHARED_CHUNK;
  const ChunkOrigin *next = &grid->origins[OPERAND_GROUP * grid->chunks];
  if (first.line / OPERAND_GROUP == again.line / OPERAND_GROUP)
    return FALSE;
  return first.chunk / across == again.chunk / across || next->copy != grid->origins[0].copy ||
         next->row != grid->origins[0].row + OPERAND_GROUP;
}

// Whether a stride of 0 is meant: there are no other eight rows.
static gboolean
is_all_of_box(const SharedMatrix *matrix, const Grid *grid, Cell first) {
  const guint last = first.line / OPERAND_GROUP * OPERAND_GROUP + OPERAND_GROUP - 1;
  guint32 row;
  return smb_operand_offset(matrix, TRUE) == 0 &&
         !box_goes_on(matrix, grid, last * grid->chunks + first.chunk, &row);
}

// Whether a chunk is the same as one before it.
static gboolean
is_repeated(const SharedMatrix *matrix, const Grid *grid, guint32 *seen, Cell cell,
            Disorder *disorder) {
  guint at = cell.line * grid->chunks + cell.chunk, i = 0;
  guint32 place = grid->places[at], bit = 1u << place % 32;
  if (place / 32 >= SEEN_WORDS)
    return FALSE;
  gboolean is_seen = (seen[place / 32] & bit) != 0;
  seen[place / 32] |= bit;
  if (!is_seen)
    return FALSE;
  while (grid->places[i] != place)
    i++;
  Cell first = {i / grid->chunks, i % grid->chunks};
  *disorder = (Disorder){FAULT_REPEATS,
                         is_repeated_by_groups(matrix, grid, first, cell),
                         {first, cell},
                         {grid->origins[at], grid->origins[at]}};
  return !disorder->is_of_groups || !is_all_of_box(matrix, grid, first);
}

static gboolean
is_of_box(const ChunkOrigin *origin) {
  return origin->copy && origin->shape->kind == CHUNK_OF_BOX;
}

static gboolean
find_disorder(const SharedMatrix *matrix, const Grid *grid, Disorder *disorder) {
  guint32 seen[SEEN_WORDS] = {0};
  for (guint i = 0; i < grid->lines * grid->chunks; i++) {
    Cell cell = {i / grid->chunks, i % grid->chunks};
    if (is_of_box(&grid->origins[i]) && (is_disorderly(matrix, grid, cell, TRUE, disorder) ||
                                         is_disorderly(matrix, grid, cell, FALSE, disorder) ||
                                         is_repeated(matrix, grid, seen, cell, disorder)))
      return TRUE;
  }
  return FALSE;
}

// --- in words

char *
smb_operand_describe_swizzle(guint bytes, guint unit) {
  if (bytes && unit != SHARED_CHUNK)
    return g_strdup_printf("with a %u-byte swizzle of %u-byte units", bytes, unit);
  return bytes ? g_strdup_printf("with a %u-byte swizzle", bytes) : g_strdup("without a swizzle");
}

static gboolean
is_other_swizzle(const SharedMatrix *matrix, const CopyShape *shape) {
  const MatrixPlace *place = &matrix->place;
  return (place->mask ? place->width : 0) != shape->swizzle ||
         (place->mask && place->unit != shape->unit);
}

static char *
describe_other_swizzle(const SharedMatrix *matrix, const CopyShape *shape, const char *where) {
  const MatrixPlace *place = &matrix->place;
  g_autofree char *read = smb_operand_describe_swizzle(place->mask ? place->width : 0, place->unit),
                  *copied = smb_operand_describe_swizzle(shape->swizzle, shape->unit);
  return g_strdup_printf("operand %c is read %s, and the copy at %s brought it %s",
                         matrix->is_left ? 'A' : 'B', read, where, copied);
}

char *
smb_operand_describe_offset(const SharedMatrix *matrix, gboolean is_of_groups) {
  return g_strdup_printf("the %s byte offset of operand %c is %u",
                         smb_operand_is_stride(matrix, is_of_groups) ? "stride" : "leading",
                         matrix->is_left ? 'A' : 'B', smb_operand_offset(matrix, is_of_groups));
}

static char *
describe_mistake(const SharedMatrix *matrix, const Disorder *disorder, const char *where) {
  const CopyShape *shape = disorder->origins[0].shape;
  char name = matrix->is_left ? 'A' : 'B';
  guint32 swizzle = matrix->place.mask ? matrix->place.width : 0;
  g_autofree char *offset = smb_operand_describe_offset(matrix, disorder->is_of_groups);
  if (is_other_swizzle(matrix, shape) && disorder->fault != FAULT_PAST &&
      disorder->fault != FAULT_SLICE)
    return describe_other_swizzle(matrix, shape, where);
  switch (disorder->fault) {
  case FAULT_ROWS:
  case FAULT_CHUNKS:
    if (matrix->place.base)
      return g_strdup_printf("the base offset of operand %c is %u, and the copy at %s swizzles by "
                             "the address alone",
                             name, matrix->place.base, where);
    if (!swizzle)
      return g_strdup_printf(
          "rows of operand %c have 16 bytes, since it is read without a swizzle, "
          "and those of the box that the copy at %s brought have %u",
          name, where, shape->row_bytes);
    return g_strdup_printf(
        "operand %c begins at byte %u of shared memory, which is not where a row "
        "of the box begins that the copy at %s brought",
        name, matrix->place.start - matrix->reserved, where);
  case FAULT_GROUPS:
    return g_strdup_printf(
        "%s, and eight rows of the box that the copy at %s brought take %u bytes", offset, where,
        OPERAND_GROUP * shape->pitch);
  case FAULT_BEYOND:
    return g_strdup_printf("%s, which leads to another row of the box that the copy at %s brought",
                           offset, where);
  case FAULT_REPEATS:
    return g_strdup_printf("%s, so that what the copy at %s brought is in it twice", offset, where);
  case FAULT_OUTSIDE:
    return g_strdup_printf("%s, which leads out of the box that the copy at %s brought", offset,
                           where);
  case FAULT_SLICE:
  case FAULT_PAST:
    return g_strdup_printf("operand %c leads out of %s that the copy at %s brought", name,
                           disorder->fault == FAULT_PAST ? "the box" : "a slice of the box", where);
  case FAULT_NONE:
    break;
  }
  g_assert_not_reached();
}

char *
smb_operand_describe_cell(const SharedMatrix *matrix, Cell cell) {
  return g_strdup_printf("bytes %u to %u of %s%u", cell.chunk * SHARED_CHUNK,
                         (cell.chunk + 1) * SHARED_CHUNK - 1,
                         matrix->is_turned ? "k = "
                         : matrix->is_left ? "row "
                                           : "column ",
                         cell.line);
}

static char *
describe_disorder(const SharedMatrix *matrix, const Disorder *disorder, const char *where) {
  const ChunkOrigin *origins = disorder->origins;
  g_autofree char *mistake = describe_mistake(matrix, disorder, where);
  g_autofree char *one = smb_operand_describe_cell(matrix, disorder->cells[0]);
  g_autofree char *other = smb_operand_describe_cell(matrix, disorder->cells[1]);
  if (disorder->fault == FAULT_REPEATS)
    return g_strdup_printf("%s: %s and %s are row %u of the box from byte %u on", mistake, one,
                           other, origins[0].row, origins[0].x);
  if (disorder->fault == FAULT_PAST)
    return g_strdup_printf("%s: %s are row %u of the box from byte %u on, and nothing wrote %s",
                           mistake, one, origins[0].row, origins[0].x, other);
  if (disorder->fault == FAULT_OUTSIDE)
    return g_strdup_printf("%s: %s are row %u of the box from byte %u on, and no copy brought %s",
                           mistake, one, origins[0].row, origins[0].x, other);
  return g_strdup_printf("%s: %s are row %u of the box from byte %u on, and %s are its row "
                         "%u from byte %u on",
                         mistake, one, origins[0].row, origins[0].x, other, origins[1].row,
                         origins[1].x);
}

// Whether rows of a box that has no swizzle would all be in order if they were read without one: then they are right as they are read if the tensor lies swizzled in global memory.
static gboolean
may_be_swizzled(const SharedMatrix *matrix, guint n, guint depth, const ChunkOrigin *origin) {
  SharedMatrix plain = *matrix;
  Disorder disorder;
  Grid grid;
  if (!matrix->place.mask || origin->shape->swizzle)
    return FALSE;
  plain.place.mask = 0;
  if (matrix->is_turned) { // the offsets have each other's meaning then
    plain.place.leading = matrix->place.stride;
    plain.place.stride = matrix->place.leading;
  }
  find_origins(&plain, n, depth, &grid);
  return !find_disorder(matrix, &grid, &disorder);
}

// With what a right program may do the same, at the end of the message; NULL: with nothing. Results of rows and columns may be left alone, but each k counts.
static const char *
find_excuse(const SharedMatrix *matrix, guint n, guint depth, const Disorder *disorder,
            gboolean *is_doubt) {
  const gboolean is_of_rows = disorder->fault == FAULT_PAST || disorder->fault == FAULT_SLICE;
  *is_doubt = is_of_rows && !matrix->is_turned;
  if (is_of_rows)
    return matrix->is_turned ? NULL
           : matrix->is_left ? ", which is wrong unless the results of these rows are not used"
                             : ", which is wrong unless the results of these columns are not used";
  return may_be_swizzled(matrix, n, depth, &disorder->origins[0]) ? OPERAND_UNLESS_SWIZZLED : NULL;
}

// FALSE: nothing is wrong.
static gboolean
find_mistake(const SharedMatrix *matrix, guint n, guint depth, OperandMistake *mistake) {
  const SmbBlock *block = matrix->block;
  Disorder disorder;
  Grid grid;
  find_origins(matrix, n, depth, &grid);
  if (!find_disorder(matrix, &grid, &disorder))
    return smb_operand_find_stores(block, matrix, &grid, mistake);
  const ChunkOrigin *origin = &disorder.origins[0];
  gboolean is_doubt;
  const char *unless = find_excuse(matrix, n, depth, &disorder, &is_doubt);
  g_autofree char *where = smb_site_place(smb_program_site(block->program, origin->shape->site));
  g_autofree char *message = describe_disorder(matrix, &disorder, where);
  *mistake = (OperandMistake){*origin, is_doubt, g_strconcat(message, unless, NULL)};
  return TRUE;
}

void
smb_tile_tell(const SmbBlock *block, guint site, char name, const SmbPlacement *placement) {
  static const SmbOp ops[] = {SMB_OP_LDMATRIX_X1, SMB_OP_LDMATRIX_X2, SMB_OP_LDMATRIX_X4};
  const guint chunks = placement->line_bytes / SHARED_CHUNK;
  const guint shift = chunks >= 4 ? 2 : chunks >= 2 ? 1 : 0, n = OPERAND_GROUP << shift;
  SmbRequest request = {
      .op = (guint8)ops[shift], .width = SHARED_CHUNK, .mask = smb_lanes_below(n)};
  if (placement->lines < OPERAND_GROUP || chunks == 0)
    return;
  for (guint lane = 0; lane < n; lane++) {
    request.offset[lane] =
        smb_placement_locate(placement, lane % OPERAND_GROUP, lane / OPERAND_GROUP * SHARED_CHUNK);
    if (request.offset[lane] % SHARED_CHUNK || request.offset[lane] >= block->shared_bytes)
      return;
  }
  block->sink->tile(block->user, site, name, placement, &request);
}

// Of @n rows or columns, of @depth numbers.
static SmbPlacement
place_operand(const SharedMatrix *matrix, guint n, guint depth) {
  const MatrixPlace *place = &matrix->place;
  const guint lines = matrix->is_turned ? depth : n, along = matrix->is_turned ? n : depth;
  const guint32 line_bytes = along * matrix->bytes;
  return (SmbPlacement){.start = place->start - matrix->reserved,
                        .lines = lines,
                        .line_bytes = line_bytes,
                        .width = place->width,
                        .pitch = place->width,
                        .group = lines > OPERAND_GROUP ? smb_operand_offset(matrix, TRUE) : 0,
                        .next = line_bytes > place->width ? smb_operand_offset(matrix, FALSE) : 0,
                        .span = place->mask ? place->width : 0,
                        .unit = place->unit,
                        .base = place->base,
                        .is_turned = matrix->is_turned};
}

void
smb_operand_read(const SharedMatrix *matrix, const CheckWork *work, guint first, guint n,
                 guint depth) {
  const guint in_chunk = SHARED_CHUNK / matrix->bytes, along = matrix->is_turned ? n : depth;
  const guint lines = matrix->is_turned ? depth : n;
  if (!matrix->block->check)
    return;
  for (guint i = 0; i < lines * (along / in_chunk); i++) {
    Cell cell = {i / (along / in_chunk), i % (along / in_chunk)};
    if (matrix->is_turned)
      cell.chunk += first / in_chunk;
    else
      cell.line += first;
    smb_inspect_operand(matrix->block, work, smb_operand_locate(matrix, cell), SHARED_CHUNK);
  }
}

static void
tell_mistake(Exec *exec, guint site, const OperandMistake *mistake) {
  SmbBlock *block = exec->block;
  guint other = mistake->origin.shape->site;
  const CheckFound found = {.kind = mistake->is_doubt ? SMB_DEFECT_DOUBT : SMB_DEFECT_DESCRIPTOR,
                            .site = site,
                            .other = other,
                            .warp = exec->w,
                            .lane = G_MAXUINT,
                            .other_thread = G_MAXUINT};
  if (!smb_chunk_tell(block, &mistake->origin, mistake->is_doubt))
    return;
  if (block->check && !smb_inspect_counts(block, &found))
    smb_inspect_tell(block, &found, "%s", mistake->message);
  if (block->sink->warn)
    block->sink->warn(block->user, SMB_WARNING_DESCRIPTOR, site, other, mistake->message);
}

void
smb_operand_check(Exec *exec, const SharedMatrix *matrix, guint site, guint n, guint depth) {
  SmbBlock *block = exec->block;
  OperandMistake mistake;
  guint along = matrix->is_turned ? n : depth;
  if (block->sink->tile) {
    const SmbPlacement placement = place_operand(matrix, n, depth);
    smb_tile_tell(block, site, matrix->is_left ? 'A' : 'B', &placement);
  }
  gboolean has_chunks = block->chunks && n > 0 && along * matrix->bytes >= SHARED_CHUNK;
  if (!has_chunks || !find_mistake(matrix, n, depth, &mistake))
    return;
  tell_mistake(exec, site, &mistake);
  g_free(mistake.message);
}

void
smb_stored_box_check(Exec *exec, const SharedMatrix *matrix, guint site, guint rows,
                     guint row_bytes) {
  const guint chunks = row_bytes / SHARED_CHUNK;
  OperandMistake mistake;
  Grid grid;
  if (!exec->block->chunks || row_bytes % SHARED_CHUNK || rows < OPERAND_GROUP ||
      chunks * OPERAND_GROUP > OPERAND_MAX_CELLS)
    return;
  find_origins(matrix, OPERAND_GROUP, row_bytes, &grid);
  if (!grid.origins[0].copy || is_of_box(&grid.origins[0]) ||
      !smb_operand_find_stores(exec->block, matrix, &grid, &mistake))
    return;
  tell_mistake(exec, site, &mistake);
  g_free(mistake.message);
}

void
smb_operand_check_unit(Exec *exec, const SharedMatrix *matrix, guint site) {
  OperandMistake mistake = {.is_doubt = FALSE};
  if (!exec->block->chunks ||
      !smb_chunk_find(exec->block, smb_operand_locate(matrix, (Cell){0, 0}), &mistake.origin) ||
      !is_of_box(&mistake.origin) || !mistake.origin.shape->swizzle ||
      !is_other_swizzle(matrix, mistake.origin.shape))
    return;
  const CopyShape *shape = mistake.origin.shape;
  g_autofree char *where = smb_site_place(smb_program_site(exec->block->program, shape->site));
  mistake.message = describe_other_swizzle(matrix, shape, where);
  tell_mistake(exec, site, &mistake);
  g_free(mistake.message);
}

// By how much the base offset of a descriptor is another one than @base, as far as its swizzle looks at it.
static guint32
compare_base(const SharedMatrix *matrix, guint32 base) {
  return (matrix->place.base ^ base) & matrix->place.mask;
}

void
smb_operand_compare(Exec *exec, const SharedMatrix *left, const SharedMatrix *right, guint site) {
  const SmbBlock *block = exec->block;
  ChunkOrigin origins[2];
  guint32 bases[2];
  if (!block->chunks || !smb_operand_find_base(left, &origins[0], &bases[0]) ||
      !smb_operand_find_base(right, &origins[1], &bases[1]) ||
      compare_base(left, bases[0]) == compare_base(right, bases[1]))
    return;
  guint i = compare_base(left, bases[0]) == 0;
  g_autofree char *where = smb_site_place(smb_program_site(block->program, origins[i].shape->site));
  g_autofree char *message = smb_operand_describe_base(i ? right : left, bases[i], where);
  tell_mistake(exec, site, &(OperandMistake){origins[i], FALSE, message});
}
