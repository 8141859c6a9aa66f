// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operands of matrix products in shared memory that threads wrote: whether the descriptor reads them as they were written. Known of a chunk is
// from which address of global memory it was copied (cp.async; loads whose result is stored as it is), or which row of a matrix in registers it
// is (stmatrix). Eight rows are looked at, and the chunks of each up to the end of a swizzle's span. Told is what is not in order as it is read,
// and would be with another swizzle or another base offset. So rows that come from anywhere, or whose chunks are permuted, are not told.
// Of what was copied from memory, told are also leading and stride byte offsets that lead to the same bytes twice, or from eight rows to others than the
// next ones, if all of the operand would be in order with other offsets. Every other eight rows may be meant, but nobody can know.
// Not told either: rows that follow each other in memory without a gap and were copied as they are, since they may be swizzled there already; rows that were
// written 16 bytes wide; wrong offsets of what threads made, and starts between two rows.
#include "sim/exec/memory/operand.h"

// How eight rows may have been written: rows of @width bytes one behind the other, whose chunks are exchanged as in a MatrixPlace, but by bits of the address
// that are @shift above those of 128 bytes. @gap: bytes between two rows. @is_rotated: each row begins one chunk further than the one before, and goes on at its start.
typedef struct {
  guint32 width, mask, base;
  gint shift;
  guint32 gap;
  gboolean is_rotated;
} Written8;

enum {
  SWIZZLE_SHIFT = 7, // of an address
};

static guint32
locate_written(const SharedMatrix *matrix, const Written8 *written, Cell cell) {
  const guint32 width = written->width, chunk = SHARED_CHUNK;
  guint32 address = matrix->place.start + cell.line * (width + written->gap) + cell.chunk * chunk;
  if (written->is_rotated)
    return address / width * width + (address % width + address / width * chunk) % width -
           matrix->reserved;
  return (address ^
          (((address >> (SWIZZLE_SHIFT + written->shift)) - written->base) & written->mask) *
              SHARED_CHUNK) -
         matrix->reserved;
}

// Rows as they are.
static gboolean
is_plain_way(const Written8 *way) {
  return !way->mask && !way->gap && !way->is_rotated;
}

static const Written8 ways[] = {{128, 7, 0},
                                {64, 3, 0},
                                {32, 1, 0},
                                {128, 0, 0},
                                {64, 0, 0},
                                {32, 0, 0},
                                {128, 3, 0},
                                {128, 1, 0},
                                {64, 1, 0},
                                {128, 7, 1},
                                {128, 7, 2},
                                {128, 7, 3},
                                {128, 7, 4},
                                {128, 7, 5},
                                {128, 7, 6},
                                {128, 7, 7},
                                {64, 3, 1},
                                {64, 3, 2},
                                {64, 3, 3},
                                {32, 1, 1},
                                {128, 7, 0, 1},
                                {64, 3, 0, -1},
                                {128, 0, 0, 0, 16},
                                {128, 0, 0, 0, 32},
                                {64, 0, 0, 0, 16},
                                {32, 0, 0, 0, 16},
                                {128, 0, 0, 0, 0, TRUE},
                                {64, 0, 0, 0, 0, TRUE}};

// Where chunks of eight rows came from.
typedef struct {
  guint n; // of a row
  ChunkOrigin origins[OPERAND_GROUP][OPERAND_MAX_CELLS / OPERAND_GROUP];
} Eight;

static gboolean
are_written_alike(const ChunkOrigin *origin, const ChunkOrigin *first) {
  return origin->copy && origin->shape->kind != CHUNK_OF_BOX &&
         origin->shape->kind == first->shape->kind;
}

// Of memory, rows whose chunks follow each other, the same distance from row to row; of matrices, their rows one after the other.
static gboolean
reads_in_order(const Eight *eight) {
  const ChunkOrigin *first = eight->origins[0];
  gboolean is_matrix = first->shape->kind == CHUNK_OF_MATRIX;
  guint64 pitch = is_matrix ? 1 : eight->origins[1][0].from - first->from;
  for (guint i = 0; i < OPERAND_GROUP * eight->n; i++) {
    guint line = i / eight->n, chunk = i % eight->n;
    guint64 from = eight->origins[line][chunk].from;
    guint64 next = is_matrix ? first[chunk].from : first->from + (guint64)chunk * SHARED_CHUNK;
    if (from != next + line * pitch)
      return FALSE;
  }
  return TRUE;
}

// Rows follow each other in memory, @width bytes each.
static gboolean
is_packed(const Eight *eight, guint32 width) {
  return eight->origins[0][0].shape->kind == CHUNK_OF_MEMORY &&
         eight->origins[1][0].from - eight->origins[0][0].from == width;
}

static gboolean
is_enough(const Eight *eight) {
  return eight->n > 1 || eight->origins[0][0].shape->kind == CHUNK_OF_MATRIX;
}

// FALSE: a chunk is of something else than the first one.
static gboolean
take_written(const SmbBlock *block, const SharedMatrix *matrix, const Written8 *written,
             const Eight *read, Eight *eight) {
  guint32 room = written->width - matrix->place.start % written->width;
  eight->n = MIN(read->n, room / SHARED_CHUNK);
  for (guint i = 0; i < OPERAND_GROUP * eight->n; i++) {
    Cell cell = {i / eight->n, i % eight->n};
    ChunkOrigin *origin = &eight->origins[cell.line][cell.chunk];
    if (!smb_chunk_find(block, locate_written(matrix, written, cell), origin) ||
        !are_written_alike(origin, &read->origins[0][0]))
      return FALSE;
  }
  return is_enough(eight);
}

// FALSE: a chunk is of something else than the first one.
static gboolean
take_read(const SharedMatrix *matrix, const Grid *grid, Eight *eight) {
  const MatrixPlace *place = &matrix->place;
  guint room = (place->width - place->start % place->width) / SHARED_CHUNK;
  eight->n = place->mask ? MIN(grid->chunks, room) : grid->chunks;
  if (grid->lines < OPERAND_GROUP || eight->n > G_N_ELEMENTS(eight->origins[0]))
    return FALSE;
  for (guint i = 0; i < OPERAND_GROUP * eight->n; i++) {
    const guint at = i / eight->n * grid->chunks + i % eight->n;
    const ChunkOrigin *origin = &grid->origins[at];
    if (!are_written_alike(origin, &grid->origins[0]) &&
        smb_chunk_is_written(matrix->block, grid->places[at] * SHARED_CHUNK))
      return FALSE; // what was not written is in a gap
    eight->origins[i / eight->n][i % eight->n] = *origin;
  }
  return is_enough(eight);
}

// The way in which the rows may have been written, of those as wide as they are read (@is_wide) or others.
static const Written8 *
search_writing(const SmbBlock *block, const SharedMatrix *matrix, const Eight *read,
               gboolean is_wide) {
  Eight eight;
  for (guint i = 0; i < G_N_ELEMENTS(ways); i++)
    if ((ways[i].width == matrix->place.width) == is_wide &&
        take_written(block, matrix, &ways[i], read, &eight) && reads_in_order(&eight))
      return is_plain_way(&ways[i]) && is_packed(&eight, ways[i].width) ? NULL : &ways[i];
  return NULL;
}

// NULL: it is not known.
static const Written8 *
find_writing(const SmbBlock *block, const SharedMatrix *matrix, const Eight *read) {
  const Written8 *way = search_writing(block, matrix, read, TRUE);
  return way ? way : search_writing(block, matrix, read, FALSE);
}

// The first chunk that is read as another one than it was written as; a chunk of the span of a row.
static gboolean
find_moved(const SharedMatrix *matrix, const Grid *grid, const Written8 *way, Cell *read,
           Cell *written) {
  const guint across = way->width / SHARED_CHUNK;
  for (guint i = 0; i < OPERAND_GROUP * grid->chunks; i++) {
    *read = (Cell){i / grid->chunks, i % grid->chunks};
    for (guint j = 0; j < OPERAND_GROUP * across; j++) {
      *written = (Cell){j / across, j % across};
      if (locate_written(matrix, way, *written) / SHARED_CHUNK == grid->places[i])
        break;
      written->line = OPERAND_GROUP;
    }
    if (written->line < OPERAND_GROUP &&
        (read->line != written->line || read->chunk != written->chunk))
      return TRUE;
  }
  return FALSE;
}

// "with a 128-byte swizzle", or, of one that has too few bits, or others, which.
static char *
describe_way(const Written8 *way) {
  const guint32 all = way->width / (guint32)SHARED_CHUNK - 1;
  if (way->shift)
    return g_strdup_printf(
        "whose chunks are exchanged by (byte / %u) %% %u, not (byte / 128) %% %u",
        1u << (SWIZZLE_SHIFT + way->shift), all + 1, all + 1);
  if (way->gap)
    return g_strdup_printf("without a swizzle, %u bytes apart", way->width + way->gap);
  if (way->is_rotated)
    return g_strdup_printf("whose chunks are rotated by (byte / %u) %% %u", way->width, all + 1);
  if (way->mask == 0 || way->mask == all)
    return smb_operand_describe_swizzle(way->mask ? way->width : 0, SHARED_CHUNK);
  return g_strdup_printf("whose chunks are exchanged by (byte / 128) %% %u, not %% %u",
                         way->mask + 1, all + 1);
}

static char *
describe_writing(const SharedMatrix *matrix, const Written8 *way, const char *where) {
  const MatrixPlace *place = &matrix->place;
  const char name = matrix->is_left ? 'A' : 'B';
  g_autofree char *read = smb_operand_describe_swizzle(place->mask ? place->width : 0, place->unit);
  g_autofree char *written = describe_way(way);
  if (matrix->is_stored)
    return g_strdup_printf("the box is stored %s, and what %s wrote has rows of %u bytes %s%s",
                           read, where, way->width, written,
                           way->base ? ", which begin elsewhere" : "");
  if (place->mask && place->width == way->width && place->mask == way->mask && !way->shift)
    return g_strdup_printf(
        "the base offset of operand %c is %u, and what %s wrote is swizzled as with one of %u",
        name, place->base, where, way->base);
  return g_strdup_printf("operand %c is read %s, and what %s wrote has rows of %u bytes %s", name,
                         read, where, way->width, written);
}

// --- offsets

static gboolean
is_of_memory(const ChunkOrigin *origin) {
  return origin->copy && origin->shape->kind == CHUNK_OF_MEMORY;
}

// Of the first eight rows, which begin so far from each other in memory. FALSE: they do not.
static gboolean
find_pitch(const Grid *grid, guint64 *pitch) {
  const ChunkOrigin *first = &grid->origins[0];
  if (grid->lines < OPERAND_GROUP || !is_of_memory(first))
    return FALSE;
  *pitch = grid->origins[grid->chunks].from - first->from;
  for (guint line = 1; line < OPERAND_GROUP; line++) {
    const ChunkOrigin *row = &grid->origins[line * grid->chunks];
    if (!is_of_memory(row) || row->from != first->from + line * *pitch)
      return FALSE;
  }
  return TRUE;
}

// Another place of the operand at which it reads the chunk of @at; as many as there are: there is none.
static guint
find_twin(const Grid *grid, guint at) {
  const guint n = grid->lines * grid->chunks;
  guint i = 0;
  while (i < n && (i == at || grid->places[i] != grid->places[at]))
    i++;
  return i;
}

static gboolean
follows_first(const ChunkOrigin *first, const ChunkOrigin *origin, Cell cell, guint64 pitch) {
  return is_of_memory(origin) &&
         origin->from == first->from + cell.line * pitch + (guint64)cell.chunk * SHARED_CHUNK;
}

static gboolean
all_follow_first(const SharedMatrix *matrix, const Grid *grid, guint64 pitch) {
  for (guint i = 0; i < grid->lines * grid->chunks; i++) {
    const Cell cell = {i / grid->chunks, i % grid->chunks};
    ChunkOrigin origin;
    if (!smb_chunk_find(matrix->block, smb_operand_locate(matrix, cell), &origin) ||
        !follows_first(&grid->origins[0], &origin, cell, pitch))
      return FALSE;
  }
  return TRUE;
}

// The first chunk that an offset leads to: of the ninth row, or behind the first width of a row.
static Cell
find_next_cell(const SharedMatrix *matrix, gboolean is_of_groups) {
  return is_of_groups ? (Cell){OPERAND_GROUP, 0} : (Cell){0, matrix->place.width / SHARED_CHUNK};
}

// Whether an offset leads elsewhere than on in memory. A wrong offset shows there, what else is out of order may be meant.
static gboolean
leads_elsewhere(const SharedMatrix *matrix, const Grid *grid, guint64 pitch,
                gboolean is_of_groups) {
  const Cell cell = find_next_cell(matrix, is_of_groups);
  return cell.line < grid->lines && cell.chunk < grid->chunks &&
         !follows_first(&grid->origins[0], &grid->origins[cell.line * grid->chunks + cell.chunk],
                        cell, pitch);
}

// Other offsets in the place of those that lead elsewhere, with which all of the operand would be in order. First from one width to the next, then from eight
// rows to the next (@is_of_groups).
static gboolean
search_offsets(const Grid *grid, guint64 pitch, gboolean is_of_groups, SharedMatrix *matrix) {
  const Cell cell = find_next_cell(matrix, is_of_groups);
  const guint32 span = matrix->place.width, first = grid->places[0] * SHARED_CHUNK / span;
  guint32 *distance =
      smb_operand_is_stride(matrix, is_of_groups) ? &matrix->place.stride : &matrix->place.leading;
  if (!leads_elsewhere(matrix, grid, pitch, is_of_groups))
    return is_of_groups ? all_follow_first(matrix, grid, pitch)
                        : search_offsets(grid, pitch, TRUE, matrix);
  for (guint32 offset = (first + 1) * span; offset < matrix->block->shared_bytes;
       offset += SHARED_CHUNK) {
    ChunkOrigin origin;
    if (!smb_chunk_find(matrix->block, offset, &origin) ||
        !follows_first(&grid->origins[0], &origin, cell, pitch))
      continue;
    *distance = (offset / span - first) * span;
    if (is_of_groups ? all_follow_first(matrix, grid, pitch)
                     : search_offsets(grid, pitch, TRUE, matrix))
      return TRUE;
  }
  return FALSE;
}

static gboolean
are_exchanged(const SharedMatrix *matrix, const SharedMatrix *right) {
  return right->place.leading == matrix->place.stride &&
         right->place.stride == matrix->place.leading;
}

// Whether the operand would be in order with other offsets, and is not meant as it is: rows without a gap may be tiles one behind the other, and columns may
// be taken from two matrices.
static gboolean
find_right_offsets(const SharedMatrix *matrix, const Grid *grid, guint64 pitch,
                   gboolean is_of_groups, SharedMatrix *right) {
  const MatrixPlace *place = &matrix->place;
  const gboolean is_packed = pitch == place->width || pitch == grid->chunks * SHARED_CHUNK;
  const gboolean is_wrong = is_of_groups ? !is_packed || smb_operand_offset(matrix, TRUE) == 0
                                         : !is_packed && !matrix->is_turned;
  *right = *matrix;
  if (is_wrong)
    return search_offsets(grid, pitch, FALSE, right);
  right->place.leading = place->stride;
  right->place.stride = place->leading;
  return all_follow_first(right, grid, pitch);
}

static char *
describe_twins(const SharedMatrix *matrix, const Grid *grid, Cell cell, guint twin,
               const char *offset, const char *where) {
  const Cell twins = {twin / grid->chunks, twin % grid->chunks};
  g_autofree char *what = smb_operand_describe_cell(matrix, cell);
  g_autofree char *other = smb_operand_describe_cell(matrix, twins);
  return g_strdup_printf("%s, so that what %s wrote is in it twice: %s are also %s", offset, where,
                         what, other);
}

static char *
describe_right_offsets(const SharedMatrix *matrix, const SharedMatrix *right, Cell cell,
                       const char *offset, const char *where) {
  g_autofree char *what = smb_operand_describe_cell(matrix, cell);
  g_autofree char *mistake =
      are_exchanged(matrix, right)
          ? g_strdup_printf("the leading and stride byte offsets of operand %c, %u and %u, are "
                            "exchanged for what %s wrote",
                            matrix->is_left ? 'A' : 'B', matrix->place.leading,
                            matrix->place.stride, where)
          : g_strdup_printf("%s, which leads past what %s wrote", offset, where);
  return g_strdup_printf("%s: what follows in memory is at byte %u of shared memory, and is not "
                         "read as %s",
                         mistake, smb_operand_locate(right, cell), what);
}

// Of what threads copied from memory, row by row: an offset that does not lead to what follows there. A stride of 0 is meant if nothing follows.
static char *
find_wrong_offset(const SmbBlock *block, const SharedMatrix *matrix, const Grid *grid) {
  guint64 pitch;
  SharedMatrix right;
  if (!find_pitch(grid, &pitch))
    return NULL;
  const gboolean is_of_groups = !leads_elsewhere(matrix, grid, pitch, FALSE);
  const Cell cell = find_next_cell(matrix, is_of_groups);
  if (!leads_elsewhere(matrix, grid, pitch, is_of_groups) ||
      !is_of_memory(&grid->origins[cell.line * grid->chunks + cell.chunk]))
    return NULL;
  const guint twin = find_twin(grid, cell.line * grid->chunks + cell.chunk);
  const gboolean is_twice = twin < grid->lines * grid->chunks;
  if (!(is_twice && (!is_of_groups || smb_operand_offset(matrix, TRUE) != 0)) &&
      !find_right_offsets(matrix, grid, pitch, is_of_groups, &right))
    return NULL;
  const guint site = grid->origins[0].shape->site;
  g_autofree char *where = smb_site_place(smb_program_site(block->program, site));
  g_autofree char *offset = smb_operand_describe_offset(matrix, is_of_groups);
  return is_twice ? describe_twins(matrix, grid, cell, twin, offset, where)
                  : describe_right_offsets(matrix, &right, cell, offset, where);
}

// Whether threads copied rows as they are, as wide as they are read: then they are right if they lie swizzled in global memory. What is stored may be meant to lie so.
static gboolean
may_copy_swizzled(const SharedMatrix *matrix, const Written8 *way, const ChunkOrigin *origin) {
  const guint32 all = way->width / (guint32)SHARED_CHUNK - 1;
  const gboolean is_plain = is_plain_way(way),
                 is_swizzled = way->mask == all && !way->base && !way->shift;
  if (matrix->is_stored)
    return matrix->place.mask ? is_plain : is_swizzled;
  return is_plain && way->width == matrix->place.width && origin->shape->kind == CHUNK_OF_MEMORY;
}

gboolean
smb_operand_find_stores(const SmbBlock *block, const SharedMatrix *matrix, const Grid *grid,
                        OperandMistake *mistake) {
  Eight read;
  Cell cells[2];
  if (!grid->origins[0].copy)
    return FALSE;
  gboolean is_whole = take_read(matrix, grid, &read);
  const Written8 *way =
      is_whole && !reads_in_order(&read) ? find_writing(block, matrix, &read) : NULL;
  if (!way || !find_moved(matrix, grid, way, &cells[0], &cells[1])) {
    *mistake = (OperandMistake){grid->origins[0], FALSE,
                                matrix->is_stored ? NULL : find_wrong_offset(block, matrix, grid)};
    return mistake->message != NULL;
  }
  const ChunkOrigin *moved = &grid->origins[cells[0].line * grid->chunks + cells[0].chunk];
  const ChunkOrigin *origin = moved->copy ? moved : &grid->origins[0];
  const gboolean has_excuse = may_copy_swizzled(matrix, way, origin);
  g_autofree char *where = smb_site_place(smb_program_site(block->program, origin->shape->site));
  g_autofree char *ways_differ = describe_writing(matrix, way, where);
  g_autofree char *one = smb_operand_describe_cell(matrix, cells[0]);
  g_autofree char *other = smb_operand_describe_cell(matrix, cells[1]);
  *mistake = (OperandMistake){*origin, has_excuse && matrix->is_stored,
                              g_strdup_printf("%s: what is read as %s was written as %s%s",
                                              ways_differ, one, other,
                                              !has_excuse         ? ""
                                              : matrix->is_stored ? OPERAND_UNLESS_STORED_SWIZZLED
                                                                  : OPERAND_UNLESS_SWIZZLED)};
  return TRUE;
}

// Of what threads copied: as it is written in the row of a swizzle's span that the operand begins with.
static gboolean
find_written_base(const SharedMatrix *matrix, const ChunkOrigin *first, guint32 *base) {
  const MatrixPlace *place = &matrix->place;
  const Eight whole = {.n = place->width / SHARED_CHUNK, .origins = {{*first}}};
  Eight eight;
  if (first->shape->kind != CHUNK_OF_MEMORY || place->start % place->width)
    return FALSE;
  for (*base = 0; *base <= place->mask; ++*base) {
    const Written8 way = {place->width, place->mask, *base};
    if (take_written(matrix->block, matrix, &way, &whole, &eight) && reads_in_order(&eight))
      return TRUE;
  }
  return FALSE;
}

gboolean
smb_operand_find_base(const SharedMatrix *matrix, ChunkOrigin *origin, guint32 *base) {
  const MatrixPlace *place = &matrix->place;
  if (!place->mask || place->unit != SHARED_CHUNK || matrix->is_turned ||
      !smb_chunk_find(matrix->block, smb_operand_locate(matrix, (Cell){0, 0}), origin))
    return FALSE;
  if (origin->shape->kind != CHUNK_OF_BOX)
    return find_written_base(matrix, origin, base);
  *base = place->base ^ (origin->x ^ place->start) % place->width / SHARED_CHUNK;
  return origin->shape->swizzle == place->width;
}

char *
smb_operand_describe_base(const SharedMatrix *matrix, guint32 base, const char *where) {
  const Written8 way = {matrix->place.width, matrix->place.mask, base};
  g_autofree char *bases = describe_writing(matrix, &way, where);
  g_autofree char *one = smb_operand_describe_cell(matrix, (Cell){0, 0});
  g_autofree char *other =
      smb_operand_describe_cell(matrix, (Cell){0, (matrix->place.base ^ base) & way.mask});
  return g_strdup_printf("%s, other than the other operand: what is read as %s was written as %s",
                         bases, one, other);
}
