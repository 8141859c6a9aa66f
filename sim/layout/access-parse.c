// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads an access, and finds the elements of each thread. Fragments of mma are those of the PTX ISA ("Matrix Fragments for mma with …"),
// the rows of ldmatrix those of "Warp-level matrix load instruction".
#include "sim/layout/tile-access.h"

#include <string.h>

#include "sim/layout/attribute.h"
#include "sim/layout/distribution.h"

// The first chips that have instructions (PTX ISA, "Target ISA Notes"), as __CUDA_ARCH__.
enum {
  CHIP_LDMATRIX = 750,
  CHIP_WGMMA = 900, // wgmma is on no other, stmatrix on later ones as well
};

typedef enum {
  PATTERN_ROW,
  PATTERN_COLUMN,
  PATTERN_MATRIX, // of ldmatrix, stmatrix
  PATTERN_A,      // of mma
  PATTERN_B,
  PATTERN_C, // of mma, and of wgmma
  PATTERN_TUPLE,
  PATTERN_TRITON,
} Pattern;

// An access whose end was not read yet. @window: the part of the tile that a pattern is laid over; @origin: where that begins
typedef struct {
  Pattern pattern;
  SmbOp op;
  guint n_warps, n_values;
  guint first_chip, last_chip;
  guint64 vec;
  guint matrices;
  guint64 rows, columns; // of a fragment
  SmbTuple *tuple;
  guint32 encoding;
  guint64 origin[SMB_TUPLE_MAX_RANK], window[SMB_TUPLE_MAX_RANK];
  SmbDistribution distribution;
} Draft;

static void
clear_draft(Draft *draft) {
  smb_tuple_free(draft->tuple);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Draft, clear_draft)

// ldmatrix.x4.trans, with the words of PTX or without them
static gboolean
parse_matrix(const SmbNotation *notation, guint32 at, char **words, Draft *draft, GError **error) {
  static const SmbOp loads[] = {SMB_OP_LDMATRIX_X1, SMB_OP_LDMATRIX_X2, SMB_OP_LDMATRIX_X4};
  static const SmbOp stores[] = {SMB_OP_STMATRIX_X1, SMB_OP_STMATRIX_X2, SMB_OP_STMATRIX_X4};
  static const char *const counts[] = {"x1", "x2", "x4"};
  static const char *const others[] = {"sync", "aligned", "m8n8", "trans", "shared", "b16", NULL};
  gboolean loads_it = strcmp(words[0], "ldmatrix") == 0;
  for (guint i = 1; words[i]; i++) {
    guint which = 0;
    while (which < G_N_ELEMENTS(counts) && strcmp(counts[which], words[i]) != 0)
      which++;
    if (which < G_N_ELEMENTS(counts)) {
      draft->matrices = 1u << which;
      draft->op = loads_it ? loads[which] : stores[which];
    } else if (!g_strv_contains(others, words[i])) {
      return smb_notation_fail(notation, at, error,
                               "unknown part '%s': expected x1, x2, x4 or trans", words[i]);
    }
  }
  draft->pattern = PATTERN_MATRIX;
  draft->first_chip = loads_it ? CHIP_LDMATRIX : CHIP_WGMMA;
  return draft->matrices > 0 ||
         smb_notation_fail(notation, at, error, "expected %s.x1, .x2 or .x4", words[0]);
}

// "m16n8k16": the numbers in it.
static gboolean
parse_mnk(const char *text, guint64 *mnk) {
  static const char letters[] = "mnk";
  for (guint i = 0; i < 3; i++) {
    char *end;
    if (*text++ != letters[i] || !g_ascii_isdigit(*text))
      return FALSE;
    mnk[i] = g_ascii_strtoull(text, &end, 10);
    text = end;
  }
  return *text == 0;
}

// mma.m16n8k16.A: registers of 32 bits, each with elements next to each other along k; the accumulators two along n.
static gboolean
parse_mma_name(const SmbNotation *notation, guint32 at, char **words, guint bits, Draft *draft,
               GError **error) {
  guint64 mnk[3];
  gboolean is_known = words[1] && words[2] && !words[3] && parse_mnk(words[1], mnk) &&
                      mnk[0] == 16 && mnk[1] == 8 && strlen(words[2]) == 1;
  char operand = is_known ? *words[2] : 0;
  guint64 k_bits = is_known ? mnk[2] * bits : 0;
  if (operand == 'C' || operand == 'D') {
    *draft =
        (Draft){.pattern = PATTERN_C, .op = SMB_OP_ST, .n_values = 4, .rows = 16, .columns = 8};
    return TRUE;
  }
  if ((operand != 'A' && operand != 'B') || 32 % bits || (k_bits != 128 && k_bits != 256))
    return smb_notation_fail(notation, at, error,
                             "expected mma.m16n8kK.A, .B or .C, with a K of 16 or 32 bytes: k16 or "
                             "k8 of f16");
  guint values = (guint)k_bits / 4 / bits;
  draft->pattern = operand == 'A' ? PATTERN_A : PATTERN_B;
  draft->rows = operand == 'A' ? 16 : mnk[2];
  draft->columns = operand == 'A' ? mnk[2] : 8;
  draft->n_values = operand == 'A' ? 2 * values : values;
  return TRUE;
}

// wgmma.m64n128k16.C; wgmma.C: as many columns as the window has, known later
static gboolean
parse_wgmma(const SmbNotation *notation, guint32 at, char **words, Draft *draft, GError **error) {
  guint64 mnk[3] = {64, 0, 0};
  guint n = g_strv_length(words);
  gboolean is_c = n > 1 && (strcmp(words[n - 1], "C") == 0 || strcmp(words[n - 1], "D") == 0);
  gboolean is_known = is_c && (n == 2 || (n == 3 && parse_mnk(words[1], mnk)));
  if (!is_known || mnk[0] != 64 || mnk[1] % 8 || mnk[1] > 256)
    return smb_notation_fail(notation, at, error,
                             "expected wgmma.C or wgmma.m64nNkK.C, with an N of 8 to 256");
  *draft = (Draft){.pattern = PATTERN_C,
                   .op = SMB_OP_ST,
                   .first_chip = CHIP_WGMMA,
                   .last_chip = CHIP_WGMMA,
                   .n_warps = 4,
                   .rows = 64,
                   .columns = mnk[1],
                   .n_values = (guint)mnk[1] / 2};
  return TRUE;
}

static gboolean
parse_access_name(SmbNotation *notation, const SmbTile *tile, Draft *draft, GError **error) {
  guint32 at = notation->at;
  g_autofree char *word = smb_notation_word(notation);
  g_auto(GStrv) words = g_strsplit(word, ".", -1);
  if (strcmp(word, "row") == 0 || strcmp(word, "column") == 0 || strcmp(word, "col") == 0) {
    draft->pattern = *word == 'r' ? PATTERN_ROW : PATTERN_COLUMN;
    return TRUE;
  }
  if (g_strcmp0(words[0], "ldmatrix") == 0 || g_strcmp0(words[0], "stmatrix") == 0)
    return parse_matrix(notation, at, words, draft, error);
  if (g_strcmp0(words[0], "mma") == 0)
    return parse_mma_name(notation, at, words, tile->element->bits, draft, error);
  if (g_strcmp0(words[0], "wgmma") == 0)
    return parse_wgmma(notation, at, words, draft, error);
  return smb_notation_fail(
      notation, at, error,
      "expected row, column, ldmatrix.xN, stmatrix.xN, mma.m16n8kK.A, wgmma.C, "
      "a thread-value layout, or an encoding of Triton");
}

static gboolean
parse_pattern(SmbNotation *notation, const SmbTile *tile, Draft *draft, GError **error) {
  char next = smb_notation_skip(notation);
  if (next == '(') {
    draft->pattern = PATTERN_TUPLE;
    draft->tuple = smb_tuple_parse(notation, error);
    return draft->tuple &&
           (draft->tuple->rank == 2 || smb_notation_fail(notation, notation->at, error,
                                                         "a thread-value layout has two modes"));
  }
  if (next == '#') {
    draft->pattern = PATTERN_TRITON;
    draft->encoding = ++notation->at;
    return smb_attributes_skip(notation, error);
  }
  return parse_access_name(notation, tile, draft, error);
}

// "(" r "," c ")", a number for each dimension of the tile.
static gboolean
parse_origin(SmbNotation *notation, const SmbTile *tile, Draft *draft, GError **error) {
  if (!smb_notation_expect(notation, "(", error))
    return FALSE;
  for (guint i = 0; i < tile->rank; i++) {
    if ((i && !smb_notation_expect(notation, ",", error)) ||
        !smb_notation_number(notation, 0, tile->extent[i] - 1, &draft->origin[i], error))
      return FALSE;
  }
  return smb_notation_expect(notation, ")", error);
}

static gboolean
parse_window(SmbNotation *notation, const SmbTile *tile, Draft *draft, GError **error) {
  SmbTileDefaults shape = {0};
  smb_notation_skip(notation);
  guint32 at = notation->at;
  g_autofree char *word = smb_notation_word(notation);
  if (!smb_tile_parse_shape(word, &shape) || shape.element || shape.rank != tile->rank)
    return smb_notation_fail(notation, at, error,
                             "expected the %u extents of a part of the tile, as 16x8", tile->rank);
  memcpy(draft->window, shape.extent, sizeof draft->window);
  return TRUE;
}

static gboolean
parse_rest(SmbNotation *notation, const SmbTile *tile, Draft *draft, GError **error) {
  while (smb_notation_skip(notation)) {
    gboolean good = FALSE;
    if (smb_notation_take(notation, "@"))
      good = parse_origin(notation, tile, draft, error);
    else if (smb_notation_take(notation, "vec"))
      good = smb_notation_expect(notation, "=", error) &&
             smb_notation_number(notation, 1, 2 * SMB_MAX_WIDTH, &draft->vec, error);
    else if (smb_notation_take(notation, "of"))
      good = parse_window(notation, tile, draft, error);
    else
      smb_notation_fail(notation, notation->at, error,
                        "expected @(ROW,COLUMN), vec=ELEMENTS, of ROWSxCOLUMNS, or the end");
    if (!good)
      return FALSE;
  }
  return TRUE;
}

// --- which element a value of a thread is

// Within a row or column of all lanes: the number of the element, row by row.
static guint64
find_in_line(const Draft *draft, const SmbTile *tile, guint lane, guint value) {
  guint64 rows = tile->rank > 1 ? tile->extent[tile->rank - 2] : 1;
  guint64 columns = tile->extent[tile->rank - 1];
  guint64 origin = smb_tile_number(tile, draft->origin);
  if (draft->pattern == PATTERN_ROW)
    return origin + lane * draft->vec + value;
  guint64 first = origin / columns % rows, down = first + lane;
  guint64 column =
      origin % columns + down / rows * draft->vec + value; // the next one goes on at the top
  guint64 row = origin / columns - first + down % rows;
  return column < columns ? row * columns + column : G_MAXUINT64;
}

static void
find_in_fragment(const Draft *draft, guint bits, guint warp, guint lane, guint value,
                 guint64 *coordinate) {
  guint group = lane / 4, in_group = lane % 4;
  if (draft->pattern == PATTERN_C) {
    coordinate[0] = 16 * warp + group + 8 * (value / 2 % 2);
    coordinate[1] = 8 * (value / 4) + 2 * in_group + value % 2;
    return;
  }
  guint packed = 32 / bits, reg = value / packed, part = value % packed;
  guint half = draft->pattern == PATTERN_A ? reg / 2 : reg;
  guint k = (half * 4 + in_group) * packed + part;
  gboolean is_a = draft->pattern == PATTERN_A;
  coordinate[0] = is_a ? group + 8 * (reg % 2) : k;
  coordinate[1] = is_a ? k : group;
}

// The coordinate in the window of a value of a thread; FALSE: it has none.
static gboolean
find_in_window(const Draft *draft, const SmbTile *tile, guint lanes, guint warp, guint lane,
               guint value, guint64 *coordinate) {
  guint bits = tile->element->bits;
  const guint holders[SMB_N_HOLDERS] = {
      [SMB_HOLDER_REGISTER] = value, [SMB_HOLDER_LANE] = lane, [SMB_HOLDER_WARP] = warp};
  const guint64 thread[SMB_TUPLE_MAX_RANK] = {(guint64)warp * lanes + lane, value};
  switch (draft->pattern) {
  case PATTERN_MATRIX:
    if (lane >= 8 * draft->matrices)
      return FALSE;
    coordinate[0] = lane % 16;
    coordinate[1] = lane / 16 * (8 * SMB_MAX_WIDTH / bits) + value;
    return TRUE;
  case PATTERN_A:
  case PATTERN_B:
  case PATTERN_C:
    find_in_fragment(draft, bits, warp, lane, value, coordinate);
    return TRUE;
  case PATTERN_TUPLE: {
    guint64 index = (guint64)smb_tuple_offset(draft->tuple, thread);
    for (guint i = 0; i < tile->rank; i++) {
      guint64 extent = i + 1 < tile->rank ? draft->window[i] : G_MAXUINT64;
      coordinate[i] = index % extent;
      index /= extent;
    }
    return thread[0] < draft->tuple->size[0];
  }
  case PATTERN_TRITON:
    smb_distribution_find(&draft->distribution, holders, coordinate);
    return TRUE;
  case PATTERN_ROW:
  case PATTERN_COLUMN:
    break;
  }
  g_assert_not_reached();
}

// --- how many threads and values there are

// What is laid over a part of the tile needs one: there is no whole of it if its shape is open.
static gboolean
check_open(const SmbNotation *notation, guint32 at, const SmbTile *tile, const Draft *draft,
           GError **error) {
  gboolean is_sized =
      draft->pattern < PATTERN_TUPLE && (draft->pattern != PATTERN_C || draft->columns);
  gboolean is_whole = draft->window[0] == SMB_TILE_OPEN_EXTENT;
  return !tile->is_open || is_sized || !is_whole ||
         smb_notation_fail(notation, at, error,
                           "the layout has no shape: expected one there, or the part that this is "
                           "laid over, as 'of 16x8'");
}

static gboolean
refuse_lanes(const SmbNotation *notation, guint32 at, guint has, guint lanes, GError **error) {
  return smb_notation_fail(notation, at, error,
                           "it is for %u lanes of a warp, and the architecture has %u", has, lanes);
}

static gboolean
measure_triton(SmbNotation *notation, const SmbTile *tile, guint lanes, Draft *draft,
               GError **error) {
  SmbNotation encoding = *notation;
  encoding.at = draft->encoding;
  const guint *n = draft->distribution.n;
  if (!smb_distribution_parse(&encoding, tile->rank, draft->window, &draft->distribution, error))
    return FALSE;
  if (n[SMB_HOLDER_LANE] > 6 || 1u << n[SMB_HOLDER_LANE] != lanes)
    return refuse_lanes(notation, draft->encoding, 1u << n[SMB_HOLDER_LANE], lanes, error);
  if (n[SMB_HOLDER_WARP] > 5)
    return smb_notation_fail(notation, draft->encoding, error, "more than %d warps",
                             SMB_TILE_MAX_WARPS);
  draft->n_values = 1u << n[SMB_HOLDER_REGISTER];
  draft->n_warps = 1u << n[SMB_HOLDER_WARP];
  return TRUE;
}

static gboolean
measure_fragment(const SmbNotation *notation, guint32 at, const SmbTile *tile, guint lanes,
                 Draft *draft, GError **error) {
  if (lanes != SMB_NVIDIA_LANES)
    return refuse_lanes(notation, at, SMB_NVIDIA_LANES, lanes, error);
  if (tile->rank != 2)
    return smb_notation_fail(notation, at, error, "fragments are of a tile of two dimensions");
  if (draft->pattern == PATTERN_MATRIX) {
    draft->vec = draft->n_values = 8 * SMB_MAX_WIDTH / tile->element->bits;
    if (8 * SMB_MAX_WIDTH % tile->element->bits)
      return smb_notation_fail(notation, at, error, "rows of 16 bytes have no whole number of %s",
                               tile->element->name);
  } else if (draft->columns == 0) {
    draft->columns = MIN(draft->window[1], 256) & ~(guint64)7;
    draft->n_values = (guint)draft->columns / 2;
    if (draft->columns == 0)
      return smb_notation_fail(notation, at, error, "the tile has less than 8 columns");
  }
  return TRUE;
}

// The fewest elements that an instruction moves: whole bytes, and not 3 of them.
static guint
least_vector(const SmbElement *element) {
  return element->bits == 4 ? 2 : element->bits == 6 ? 16 : 1;
}

static gboolean
measure(SmbNotation *notation, guint32 at, const SmbTile *tile, guint lanes, Draft *draft,
        GError **error) {
  draft->n_warps = MAX(draft->n_warps, 1);
  switch (draft->pattern) {
  case PATTERN_ROW:
  case PATTERN_COLUMN:
    draft->vec = draft->vec ? draft->vec : least_vector(tile->element);
    draft->n_values = (guint)draft->vec;
    return TRUE;
  case PATTERN_MATRIX:
  case PATTERN_A:
  case PATTERN_B:
  case PATTERN_C:
    return measure_fragment(notation, at, tile, lanes, draft, error);
  case PATTERN_TUPLE:
    draft->n_values = (guint)draft->tuple->size[1];
    draft->n_warps = (guint)MIN((draft->tuple->size[0] + lanes - 1) / lanes, G_MAXINT);
    break;
  case PATTERN_TRITON:
    if (!measure_triton(notation, tile, lanes, draft, error))
      return FALSE;
  }
  if (draft->n_warps > SMB_TILE_MAX_WARPS)
    return smb_notation_fail(notation, at, error, "more than %d warps", SMB_TILE_MAX_WARPS);
  return (guint64)draft->n_warps * lanes * draft->n_values <= 2 * SMB_TILE_MAX_ELEMENTS ||
         smb_notation_fail(notation, at, error, "more than %u values", 2 * SMB_TILE_MAX_ELEMENTS);
}

// --- the table

static gboolean
refuse_outside(const SmbNotation *notation, const SmbTileAccess *access, const SmbTile *tile,
               guint warp, guint lane, const guint64 *coordinate, GError **error) {
  g_autoptr(GString) asked = g_string_new(NULL);
  g_autoptr(GString) shape = g_string_new(NULL);
  for (guint i = 0; i < tile->rank; i++) {
    g_string_append_printf(asked, "%s%" G_GUINT64_FORMAT, i ? "," : "", coordinate[i]);
    g_string_append_printf(shape, "%s%" G_GUINT64_FORMAT, i ? "x" : "", tile->extent[i]);
  }
  return smb_notation_fail(notation, access->at, error,
                           "lane %u of warp %u asks for (%s), which is outside of the tile of %s",
                           lane, warp, asked->str, shape->str);
}

static gboolean
find_access_element(const SmbNotation *notation, const SmbTileAccess *access, const Draft *draft,
                    const SmbTile *tile, guint warp, guint lane, guint value, guint32 *element,
                    GError **error) {
  guint64 coordinate[SMB_TUPLE_MAX_RANK] = {0};
  if (draft->pattern == PATTERN_ROW || draft->pattern == PATTERN_COLUMN) {
    guint64 number = find_in_line(draft, tile, lane, value);
    *element = (guint32)number;
    return number < tile->n ||
           smb_notation_fail(notation, access->at, error,
                             "the tile has fewer elements than the warp asks for: lane %u goes "
                             "beyond its end",
                             lane);
  }
  *element = SMB_TILE_NONE;
  if (!find_in_window(draft, tile, access->n_lanes, warp, lane, value, coordinate))
    return TRUE;
  for (guint i = 0; i < tile->rank; i++) {
    coordinate[i] += draft->origin[i];
    if (coordinate[i] >= tile->extent[i])
      return refuse_outside(notation, access, tile, warp, lane, coordinate, error);
  }
  *element = (guint32)smb_tile_number(tile, coordinate);
  return TRUE;
}

static gboolean
fill_elements(const SmbNotation *notation, SmbTileAccess *access, const Draft *draft,
              const SmbTile *tile, GError **error) {
  guint32 *element = access->element =
      g_new(guint32, (gsize)access->n_warps * access->n_lanes * access->n_values);
  for (guint warp = 0; warp < access->n_warps; warp++) {
    for (guint lane = 0; lane < access->n_lanes; lane++) {
      for (guint value = 0; value < access->n_values; value++) {
        if (!find_access_element(notation, access, draft, tile, warp, lane, value, element++,
                                 error))
          return FALSE;
      }
    }
  }
  return TRUE;
}

static gboolean
check_vector(const SmbNotation *notation, guint32 at, const Draft *draft, const SmbTile *tile,
             GError **error) {
  guint64 bits = draft->vec * tile->element->bits, bytes = bits / 8;
  gboolean is_width = bits % 8 == 0 && bytes <= SMB_MAX_WIDTH &&
                      (!(bytes & (bytes - 1)) || (bytes == 12 && tile->element->bits == 6));
  return !draft->vec || (is_width && draft->n_values % draft->vec == 0) ||
         smb_notation_fail(notation, at, error,
                           "vec: expected 1, 2, 4, 8 or 16 bytes at once, and a number of elements "
                           "that divides the %u of a thread",
                           draft->n_values);
}

SmbTileAccess *
smb_tile_access_parse(SmbNotation *notation, const SmbTile *tile, guint lanes, GError **error) {
  static const SmbOp ops[] = {SMB_OP_LD, SMB_OP_ST, SMB_OP_ATOM};
  static const char *const names[] = {"load", "store", "atomic"};
  g_auto(Draft) draft = {0};
  g_autoptr(SmbTileAccess) access = g_new0(SmbTileAccess, 1);
  guint named = 0;
  smb_notation_skip(notation);
  access->at = notation->at;
  while (named < G_N_ELEMENTS(ops) && !smb_notation_take(notation, names[named]))
    named++;
  memcpy(draft.window, tile->extent, sizeof draft.window);
  if (!parse_pattern(notation, tile, &draft, error))
    return NULL;
  memcpy(draft.window, tile->extent, sizeof draft.window);
  if (!parse_rest(notation, tile, &draft, error) ||
      !check_open(notation, access->at, tile, &draft, error) ||
      !measure(notation, access->at, tile, lanes, &draft, error) ||
      !check_vector(notation, access->at, &draft, tile, error))
    return NULL;
  if (named < G_N_ELEMENTS(ops) && draft.pattern == PATTERN_MATRIX) {
    smb_notation_fail(notation, access->at, error,
                      "ldmatrix loads and stmatrix stores: expected no "
                      "'%s' in front",
                      names[named]);
    return NULL;
  }
  access->op = named < G_N_ELEMENTS(ops) ? ops[named] : draft.op;
  access->text = smb_source_slice(notation->source, access->at, notation->at);
  g_strstrip(access->text);
  access->n_warps = draft.n_warps;
  access->n_lanes = lanes;
  access->n_values = draft.n_values;
  access->vector = (guint)MAX(draft.vec, 1);
  access->is_given = draft.vec > 0;
  access->first_chip = draft.first_chip;
  access->last_chip = draft.last_chip;
  return fill_elements(notation, access, &draft, tile, error) ? g_steal_pointer(&access) : NULL;
}
