// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Accesses of tests/random-tile.h. Fragments are those that the PTX ISA describes, by type; distributions of Triton are its documentation's
// nested tiles, as quotients and remainders.

#include "tests/random-tile.h"

// What an access is made for. @vector: as many elements as an instruction may move; @row, @column: where it begins
typedef struct {
  SmbRandom *random;
  const RandomTile *tile;
  guint lanes, vector, row, column;
  gboolean has_matrices;
} Making;

static guint
pick(const Making *making, guint least, guint most) {
  return least + smb_random_below(making->random, most - least + 1);
}

// Whether a part of so many rows and columns is in the tile; it begins somewhere then, where the notation says.
static gboolean
place_part(Making *making, RandomTouch *touch, guint rows, guint columns, guint step) {
  const RandomTile *tile = making->tile;
  if (rows > tile->rows || columns > tile->columns)
    return FALSE;
  if (smb_random_below(making->random, 2)) {
    making->row = pick(making, 0, tile->rows - rows);
    making->column = pick(making, 0, tile->columns - columns) / step * step;
    g_string_append_printf(touch->text, " @(%u,%u)", making->row, making->column);
  }
  return TRUE;
}

static void
end_part(const Making *making, RandomTouch *touch) {
  g_string_append_printf(touch->element, " r += %u; c += %u;", making->row, making->column);
}

// A warp along a row.
static gboolean
make_row(Making *making, RandomTouch *touch) {
  const RandomTile *tile = making->tile;
  guint n = making->lanes * making->vector, all = tile->rows * tile->columns;
  if (n > all)
    return FALSE;
  making->row = pick(making, 0, (all - n) / tile->columns);
  making->column = making->row * tile->columns + n + making->vector > all ? 0 : making->vector;
  g_string_append_printf(touch->text, "row @(%u,%u) vec=%u", making->row, making->column,
                         making->vector);
  g_string_append_printf(touch->element, "int n = %u + l * %u + v; r = n / %u; c = n %% %u;",
                         making->row * tile->columns + making->column, making->vector,
                         tile->columns, tile->columns);
  touch->values = making->vector;
  return making->column < tile->columns;
}

static gboolean
make_column(Making *making, RandomTouch *touch) {
  const RandomTile *tile = making->tile;
  guint turns = (making->lanes + tile->rows - 1) / tile->rows;
  guint n = turns * making->vector;
  if (n > tile->columns)
    return FALSE;
  making->column = pick(making, 0, tile->columns - n) / making->vector * making->vector;
  g_string_append_printf(touch->text, "column @(0,%u) vec=%u", making->column, making->vector);
  g_string_append_printf(touch->element, "r = l %% %u; c = %u + l / %u * %u + v;", tile->rows,
                         making->column, tile->rows, making->vector);
  touch->values = making->vector;
  return TRUE;
}

static gboolean
make_matrix(Making *making, RandomTouch *touch) {
  guint n = 1u << smb_random_below(making->random, 3), values = 16 / making->tile->bytes;
  gboolean loads = touch->op == SMB_OP_LD;
  if (!making->has_matrices || making->tile->kept < values)
    return FALSE;
  g_string_truncate(touch->text, 0);
  g_string_append_printf(touch->text, "%s.x%u%s", loads ? "ldmatrix" : "stmatrix", n,
                         smb_random_below(making->random, 2) ? ".trans" : "");
  touch->matrices = touch->values = n;
  g_string_append_printf(touch->element, "r = l %% 16; c = l / 16 * %u;", values);
  return place_part(making, touch, n > 1 ? 16 : 8, n > 2 ? 2 * values : values, values) &&
         (end_part(making, touch), TRUE);
}

// g: groupID, i: threadID_in_group.
static gboolean
make_mma(Making *making, RandomTouch *touch) {
  static const struct {
    guint bytes, k;
    char operand;
    guint values;
    const char *row, *column;
  } fragments[] = {
      {2, 8, 'A', 4, "v < 2 ? g : g + 8", "i * 2 + v % 2"},
      {2, 8, 'B', 2, "i * 2 + v", "g"},
      {2, 16, 'A', 8, "v < 2 || (v >= 4 && v < 6) ? g : g + 8", "i * 2 + v % 2 + (v >= 4 ? 8 : 0)"},
      {2, 16, 'B', 4, "i * 2 + v % 2 + (v >= 2 ? 8 : 0)", "g"},
      {4, 4, 'A', 2, "v == 0 ? g : g + 8", "i"},
      {4, 4, 'B', 1, "i", "g"},
      {4, 8, 'A', 4, "v == 0 || v == 2 ? g : g + 8", "v < 2 ? i : i + 4"},
      {4, 8, 'B', 2, "v == 0 ? i : i + 4", "g"},
      {1, 16, 'A', 8, "v < 4 ? g : g + 8", "i * 4 + v % 4"},
      {1, 16, 'B', 4, "i * 4 + v", "g"},
      {1, 32, 'A', 16, "v < 4 || (v >= 8 && v < 12) ? g : g + 8",
       "i * 4 + v % 4 + (v >= 8 ? 16 : 0)"},
      {1, 32, 'B', 8, "i * 4 + v % 4 + (v >= 4 ? 16 : 0)", "g"},
      {0, 16, 'C', 4, "v < 2 ? g : g + 8", "i * 2 + v % 2"},
  };
  guint which = smb_random_below(making->random, G_N_ELEMENTS(fragments));
  guint bytes = fragments[which].bytes, k = fragments[which].k;
  char operand = fragments[which].operand;
  if (making->lanes != 32 || (bytes && bytes != making->tile->bytes))
    return FALSE;
  g_string_append_printf(touch->text, "mma.m16n8k%u.%c", k, operand);
  g_string_append_printf(touch->element, "int g = l / 4, i = l %% 4; r = %s; c = %s;",
                         fragments[which].row, fragments[which].column);
  touch->values = fragments[which].values;
  return place_part(making, touch, operand == 'B' ? k : 16, operand == 'A' ? k : 8, 1) &&
         (end_part(making, touch), TRUE);
}

// Four warps, 16 rows each; of 8 columns a lane has a pair in row l / 4, and one 8 rows below.
static gboolean
make_wgmma(Making *making, RandomTouch *touch) {
  guint n = 8 * pick(making, 1, 4);
  if (making->lanes != 32)
    return FALSE;
  g_string_append_printf(touch->text, "wgmma.m64n%uk16.C", n);
  g_string_append(touch->element,
                  "r = w * 16 + l / 4 + v / 2 % 2 * 8; c = v / 4 * 8 + l % 4 * 2 + v % 2;");
  touch->threads = 128;
  touch->values = n / 2;
  return place_part(making, touch, 64, n, 1) && (end_part(making, touch), TRUE);
}

// CuTe's thread-value layout: an index that goes down the columns of a part of the tile.
static gboolean
make_thread_value(Making *making, RandomTouch *touch) {
  const RandomTile *tile = making->tile;
  g_autoptr(GString) shape = g_string_new(NULL), stride = g_string_new(NULL);
  touch->threads = pick(making, 1, 3) * (smb_random_below(making->random, 4) ? making->lanes : 12);
  touch->values = pick(making, 1, 4);
  guint rows = 4u << smb_random_below(making->random, 4);
  rows = MIN(rows, tile->rows);
  guint most = MAX(rows * tile->columns / (touch->threads + touch->values), 1);
  g_autofree char *thread = random_mode(making->random, touch->threads, most, "t", shape, stride);
  g_string_append_c(shape, ',');
  g_string_append_c(stride, ',');
  g_autofree char *value = random_mode(making->random, touch->values, most, "v", shape, stride);
  g_string_append_printf(touch->text, "(%s):(%s) of %ux%u", shape->str, stride->str, rows,
                         tile->columns);
  g_string_append_printf(touch->element, "int n = %s + %s; r = n %% %u; c = n / %u;", thread, value,
                         rows, rows);
  return TRUE;
}

// Of nested tiles: registers, lanes and warps of each dimension, and how often this is repeated over the tile of shared memory.
static gboolean
make_blocked(Making *making, RandomTouch *touch) {
  const guint extent[2] = {making->tile->rows, making->tile->columns};
  guint size[2] = {1u << smb_random_below(making->random, 2),
                   1u << smb_random_below(making->random, 4)};
  guint down = 1u << smb_random_below(making->random, 6),
        warps = 1u << smb_random_below(making->random, 3);
  guint fast = smb_random_below(making->random, 2), slow = 1 - fast, repeats[2];
  const guint across[2] = {down, making->lanes / down};
  const guint warp[2] = {warps / 2 + (warps < 2), warps < 2 ? 1 : 2};
  touch->values = 1;
  g_string_append_printf(
      touch->text,
      "#ttg.blocked<{sizePerThread = [%u, %u], threadsPerWarp = [%u, %u], warpsPerCTA = [%u, %u], "
      "order = [%u, %u]}>",
      size[0], size[1], across[0], across[1], warp[0], warp[1], fast, slow);
  guint below = 1;
  for (guint k = 0; k < 2; k++) { // registers, the fast dimension first
    guint d = k ? slow : fast, n = MIN(size[d], extent[d]);
    g_string_append_printf(touch->element, "int v%u = v / %u %% %u; ", d, below, n);
    below *= n;
  }
  for (guint k = 0; k < 2; k++) {
    guint d = k ? slow : fast, whole = size[d] * across[d] * warp[d];
    repeats[d] = MAX(extent[d] / whole, 1);
    g_string_append_printf(touch->element, "int n%u = v / %u %% %u; ", d, below, repeats[d]);
    below *= repeats[d];
  }
  touch->values = below;
  touch->threads = making->lanes * warps;
  for (guint d = 0; d < 2; d++)
    g_string_append_printf(
        touch->element, "%c = (v%u + %u * (l / %u %% %u) + %u * (w / %u %% %u) + %u * n%u) %% %u; ",
        d ? 'c' : 'r', d, size[d], d == fast ? 1 : across[fast], across[d], size[d] * across[d],
        d == fast ? 1 : warp[fast], warp[d], size[d] * across[d] * warp[d], d, extent[d]);
  return touch->values <= 64;
}

// A tile of size[0] x size[1], in which a value v < @values is at the expressions @part, by many: warps of @warp, those along @low first,
// which hold the same along @same, and registers that repeat it, along @first first. FALSE: the tile is smaller, and repeats registers.
static gboolean
append_repeats(RandomTouch *touch, const Making *making, const char *const part[2],
               const guint size[2], guint values, const guint *warp, guint low, guint same,
               guint first) {
  const guint extent[2] = {making->tile->rows, making->tile->columns};
  guint below = values;
  for (guint k = 0; k < 2; k++) {
    guint d = k ? 1 - first : first, covered = size[d] * (d == same ? 1 : warp[d]);
    guint repeats = MAX(extent[d] / covered, 1);
    g_string_append_printf(touch->element, "int n%u = v / %u %% %u * %u; ", d, below, repeats,
                           covered);
    below *= repeats;
  }
  touch->values = below;
  for (guint d = 0; d < 2; d++)
    g_string_append_printf(touch->element, "%c = (%s + n%u + w / %u %% %u * %u) %% %u; ",
                           d ? 'c' : 'r', part[d], d, d == low ? 1 : warp[low], warp[d],
                           d == same ? 0 : size[d], extent[d]);
  return size[0] <= extent[0] && size[1] <= extent[1] && touch->values <= 64;
}

// A tile of an instruction of NVIDIA's of 8 or 16 rows, with @width elements of a register in a row, 4 lanes and @halves of that along @inner.
// Version 2: warps along columns first, of version 3 along rows.
static gboolean
append_tiles(RandomTouch *touch, const Making *making, guint inner, guint width, guint outer_size,
             guint halves, const guint *warp, guint version, guint same, guint first) {
  const char *part[2];
  guint size[2];
  part[inner] = "in";
  part[1 - inner] = "out";
  size[inner] = 4 * width * halves;
  size[1 - inner] = outer_size;
  g_string_append_printf(touch->element,
                         "int in = v %% %u + l %% 4 * %u, out = l / 4; out += v / %u %% %u * 8; in "
                         "+= v / %u %% %u * %u; ",
                         width, width, width, outer_size / 8, width * outer_size / 8, halves,
                         4 * width);
  return append_repeats(touch, making, part, size, width * (outer_size / 8) * halves, warp,
                        version == 2 ? 1 : 0, same, first);
}

// Accumulators and operands of mma in Triton's encodings.
static gboolean
make_triton_mma(Making *making, RandomTouch *touch) {
  guint version = 2 + smb_random_below(making->random, 2),
        n = 8u << smb_random_below(making->random, 3);
  guint warp[2] = {1u << smb_random_below(making->random, 3),
                   1u << smb_random_below(making->random, 2)};
  guint operand = smb_random_below(making->random, 3),
        width = 1u << smb_random_below(making->random, 3);
  g_autoptr(GString) parent = g_string_new(NULL);
  gboolean fits;
  if (making->lanes != 32)
    return FALSE;
  operand = operand == 1 && version == 3 ? 2 : operand;
  if (version == 3)
    warp[0] = 4;
  g_string_append_printf(parent,
                         "#ttg.nvidia_mma<{versionMajor = %u, versionMinor = 0, warpsPerCTA = [%u, "
                         "%u], instrShape = [16, %u",
                         version, warp[0], warp[1], version == 2 ? 8 : n);
  g_string_append(parent, version == 2 ? "]}>" : ", 16]}>");
  if (operand == 2) {
    g_string_append(touch->text, parent->str);
    fits = append_tiles(touch, making, 1, 2, 16, version == 2 ? 1 : n / 8, warp, version, 2, 1);
  } else {
    g_string_append_printf(touch->text, "#ttg.dot_op<{opIdx = %u, parent = %s, kWidth = %u}>",
                           operand, parent->str, width);
    guint k = 1 - operand;
    fits = append_tiles(touch, making, k, width, operand ? 8 : 16, 2, warp, version, k, k);
  }
  touch->threads = 32 * warp[0] * warp[1];
  return fits;
}

// Of AMD's matrix instructions: results, whose rows are adjacent in registers, or operands, of which a lane has @width elements along k.
// MFMA (64 lanes): 4 rows of a lane, those of the next group of lanes, and so on; of doubles one row. WMMA (32 lanes): version 1 has even rows
// in the first half of a warp, and whole operands in both; later ones have 8 rows in each half.
static gboolean
make_amd(Making *making, RandomTouch *touch) {
  gboolean is_mfma = making->lanes == 64, is_double = smb_random_below(making->random, 4) == 0;
  guint n = is_mfma && !is_double ? 16u << smb_random_below(making->random, 2) : 16;
  guint version = pick(making, 1, 3), operand = smb_random_below(making->random, 3);
  guint width = !is_mfma && version == 1 ? 16 : 4u << smb_random_below(making->random, 2);
  guint warp[2] = {1u << smb_random_below(making->random, 2),
                   1u << smb_random_below(making->random, 3)};
  guint transposed = smb_random_below(making->random, 2), groups = making->lanes / n;
  g_autoptr(GString) parent = g_string_new(NULL);
  if (is_mfma)
    g_string_append_printf(parent,
                           "#ttg.amd_mfma<{version = 3, warpsPerCTA = [%u, %u], instrShape = [%u, "
                           "%u, 8], isTransposed = %s, elementBitWidth = %u}>",
                           warp[0], warp[1], n, n, transposed ? "true" : "false",
                           is_double ? 64u : 32u);
  else
    g_string_append_printf(
        parent, "#ttg.amd_wmma<{version = %u, isTranspose = %s, ctaLayout = {warp = [%s%s%s%s]}}>",
        version, transposed ? "true" : "false", warp[1] > 1 ? "[0, 1]" : "",
        warp[1] > 2 ? ", [0, 2]" : "", warp[0] > 1 && warp[1] > 1 ? ", " : "",
        warp[0] > 1 ? "[1, 0]" : "");
  touch->threads = making->lanes * warp[0] * warp[1];
  if (operand == 2) {
    guint step = is_mfma ? (is_double ? 1 : 4) : version == 1 ? 1 : 8, rows = n / groups;
    const char *const part[2] = {transposed ? "out" : "in", transposed ? "in" : "out"};
    g_string_append(touch->text, parent->str);
    g_string_append_printf(touch->element,
                           "int in = v %% %u + l / %u * %u + v / %u %% %u * %u, out = l %% %u; ",
                           step, n, step, step, rows / step, groups * step, n);
    return append_repeats(touch, making, part, (guint[]){n, n}, rows, warp, 1, 2, 1);
  }
  guint k = 1 - operand, size[2];
  const char *part[2];
  size[k] = width * (!is_mfma && version == 1 ? 1 : groups);
  size[1 - k] = n;
  part[k] = "in";
  part[1 - k] = "out";
  g_string_append_printf(touch->text, "#ttg.dot_op<{opIdx = %u, parent = %s, kWidth = %u}>",
                         operand, parent->str, width);
  g_string_append_printf(touch->element, "int in = v %% %u + l / %u * %u, out = l %% %u; ", width,
                         n, !is_mfma && version == 1 ? 0 : width, n);
  return append_repeats(touch, making, part, size, width, warp, 1, k, k);
}

// The coordinate of each bit of register, lane and warp.
static gboolean
make_bases(Making *making, RandomTouch *touch) {
  static const char names[] = "vlw";
  static const char *const keys[] = {"register", "lane", "warp"};
  const guint bits[3] = {pick(making, 0, 3), making->lanes == 64 ? 6 : 5, pick(making, 0, 2)};
  g_string_append(touch->text, "#ttg.linear<{");
  g_string_append(touch->element, "r = c = 0;");
  for (guint holder = 0; holder < 3; holder++) {
    g_string_append_printf(touch->text, "%s = [", keys[holder]);
    for (guint bit = 0; bit < bits[holder]; bit++) {
      guint r = smb_random_below(making->random, making->tile->rows);
      guint c = smb_random_below(making->random, making->tile->columns);
      c |= !r && !c; // a register that repeats another one is left out
      g_string_append_printf(touch->text, "%s[%u, %u]", bit ? ", " : "", r, c);
      g_string_append_printf(touch->element, " r ^= (%c >> %u & 1) * %u; c ^= (%c >> %u & 1) * %u;",
                             names[holder], bit, r, names[holder], bit, c);
    }
    g_string_append(touch->text, "], ");
  }
  g_string_append(touch->text, "block = []}>");
  touch->values = 1u << bits[0];
  touch->threads = making->lanes << bits[2];
  // XORs stay within a tile of powers of two.
  return !(making->tile->rows & (making->tile->rows - 1)) &&
         !(making->tile->columns & (making->tile->columns - 1));
}

void
random_touch(SmbRandom *random, const RandomTile *tile, guint lanes, gboolean has_matrices,
             RandomTouch *touch) {
  static gboolean (*const make[])(Making *, RandomTouch *) = {
      make_row,          make_column,  make_matrix,     make_mma, make_wgmma,
      make_thread_value, make_blocked, make_triton_mma, make_amd, make_bases};
  static const SmbOp ops[] = {SMB_OP_LD, SMB_OP_ST, SMB_OP_ATOM};
  static const char *const words[] = {"load ", "store ", "atomic "};
  for (gboolean made = FALSE; !made;) {
    Making making = {
        .random = random, .tile = tile, .lanes = lanes, .has_matrices = has_matrices, .vector = 1};
    guint op = smb_random_below(random, tile->bytes == 4 ? 3 : 2);
    while (op < 2 && making.vector < tile->kept && 2 * making.vector * tile->bytes <= 16 &&
           smb_random_below(random, 3))
      making.vector *= 2;
    *touch = (RandomTouch){.text = g_string_new(words[op]),
                           .element = g_string_new(NULL),
                           .op = ops[op],
                           .threads = lanes};
    guint which = smb_random_below(random, G_N_ELEMENTS(make));
    made = (op < 2 || make[which] != make_matrix) && make[which](&making, touch);
    if (made && op == 2 && which > 1)
      g_string_append(touch->text, " vec=1");
    if (!made)
      random_touch_clear(touch);
  }
}

void
random_touch_clear(RandomTouch *touch) {
  g_string_free(touch->text, TRUE);
  g_string_free(touch->element, TRUE);
}
