// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/random-tile.h"

enum {
  MOST_STRIDE = 48, // 64 x 64 elements of 4 bytes are within the 48 KiB of a block then
};

static guint
draw(SmbRandom *random, guint least, guint most) {
  return least + smb_random_below(random, most - least + 1);
}

// The highest power of two that divides all of them, which are not all 0.
static guint
common_power(guint a, guint b, guint c) {
  guint all = a | b | c;
  return all & -all;
}

const char *
random_tile_type(guint bytes) {
  return bytes == 1 ? "u8" : bytes == 2 ? "f16" : bytes == 4 ? "f32" : bytes == 8 ? "f64" : "b128";
}

char *
random_mode(SmbRandom *random, guint size, guint most_stride, const char *coordinate,
            GString *shape, GString *stride) {
  guint first = 1;
  for (guint n = draw(random, 1, 3); n > 0 && size > 1 && smb_random_below(random, 2); n--)
    for (guint d = draw(random, 2, 4); d <= size && first == 1; d++)
      first = size % d == 0 ? d : 1;
  if (first == 1 || first == size) {
    guint by = smb_random_below(random, most_stride);
    by = smb_random_below(random, 2) && by ? 1u << (g_bit_storage(by) - 1) : by;
    g_string_append_printf(shape, "%u", size);
    g_string_append_printf(stride, "%u", by);
    return g_strdup_printf("%s * %u", coordinate, by);
  }
  // The first part runs fastest.
  g_autofree char *fast = g_strdup_printf("(%s %% %u)", coordinate, first);
  g_autofree char *slow = g_strdup_printf("(%s / %u)", coordinate, first);
  g_string_append_c(shape, '(');
  g_string_append_c(stride, '(');
  g_autofree char *a = random_mode(random, first, most_stride, fast, shape, stride);
  g_string_append_c(shape, ',');
  g_string_append_c(stride, ',');
  g_autofree char *b = random_mode(random, size / first, most_stride, slow, shape, stride);
  g_string_append_c(shape, ')');
  g_string_append_c(stride, ')');
  return g_strdup_printf("%s + %s", a, b);
}

// Swizzle<B,M,S>: bits of p from M+S on into those from M on; of negative S the other way round.
static void
swizzle_place(RandomTile *tile, guint b, guint m, gint s) {
  guint mask = (1u << b) - 1;
  if (s >= 0)
    g_string_append_printf(tile->place, " p ^= (p >> %u & %u) << %u;", m + (guint)s, mask, m);
  else
    g_string_append_printf(tile->place, " p ^= (p >> %u & %u) << %u;", m, mask, m + (guint)-s);
}

// CuTe: modes, nested or not, with swizzles of elements or of bytes in front.
static void
make_cute(SmbRandom *random, RandomTile *tile) {
  g_autoptr(GString) shape = g_string_new(NULL), stride = g_string_new(NULL);
  gboolean is_plain = smb_random_below(random, 2), in_bytes = smb_random_below(random, 3) == 0;
  guint b = smb_random_below(random, 4), m = smb_random_below(random, 5);
  gint s = (gint)(b + smb_random_below(random, 3)) * (smb_random_below(random, 4) ? 1 : -1);
  guint pitch = tile->columns + smb_random_below(random, 3) * 8 / tile->bytes;
  guint offset = smb_random_below(random, 4) ? 0 : draw(random, 0, 40), low = 0;
  tile->bytes = MIN(tile->bytes, 4);
  while (in_bytes && tile->bytes >> low != 1)
    low++;
  m = MAX(m, low);
  if (!is_plain) {
    g_autofree char *row = random_mode(random, tile->rows, MOST_STRIDE, "r", shape, stride);
    g_string_append_c(shape, ',');
    g_string_append_c(stride, ',');
    g_autofree char *column = random_mode(random, tile->columns, MOST_STRIDE, "c", shape, stride);
    g_string_append_printf(tile->place, "p = %s + %s;", row, column);
  } else {
    g_string_append_printf(shape, "%u,%u", tile->rows, tile->columns);
    g_string_append_printf(stride, "%u,1", pitch);
    g_string_append_printf(tile->place, "p = r * %u + c;", pitch);
    tile->kept =
        offset ? 1 : common_power(pitch, b ? 1u << m >> (in_bytes ? low : 0) : 64, tile->columns);
  }
  if (b)
    g_string_append_printf(tile->text, "%s<%u,%u,%d> o ", m % 2 ? "Sw" : "Swizzle", b, m, s);
  if (offset && !in_bytes)
    g_string_append_printf(tile->text, "%u o ", offset);
  if (in_bytes)
    g_string_append_printf(tile->text, "smem_ptr[%ub](unset) o ", 8 * tile->bytes);
  if (offset && in_bytes)
    g_string_append_printf(tile->text, "%u o ", offset);
  g_string_append_printf(tile->text, "(%s):(%s)", shape->str, stride->str);
  g_string_append_printf(tile->text, " x%s", random_tile_type(tile->bytes));
  if (offset)
    g_string_append_printf(tile->place, " p += %u;", offset);
  if (in_bytes)
    g_string_append_printf(tile->place, " p *= %u;", tile->bytes);
  if (b)
    swizzle_place(tile, b, m, s);
  if (!in_bytes)
    g_string_append_printf(tile->place, " p *= %u;", tile->bytes);
}

static void
append_shape(RandomTile *tile) {
  g_string_append_printf(tile->text, "%ux%ux%s", tile->rows, tile->columns,
                         random_tile_type(tile->bytes));
}

static void
make_rows(G_GNUC_UNUSED SmbRandom *random, RandomTile *tile) {
  append_shape(tile);
  g_string_append_printf(tile->place, "p = (r * %u + c) * %u;", tile->columns, tile->bytes);
  tile->kept = common_power(tile->columns, 64, 0);
}

// The box of a tensor map, by CUtensorMapSwizzle: chunk i of 16 bytes of 128-byte line j goes to i ^ j, of which the mode uses some bits.
static void
append_span(RandomTile *tile, guint span, gboolean is_transposed) {
  const char *fast = is_transposed ? "r" : "c", *slow = is_transposed ? "c" : "r";
  guint n = is_transposed ? tile->rows : tile->columns;
  g_string_append_printf(tile->place, "p = (%s * %u + %s) * %u;", slow, n, fast, tile->bytes);
  if (span)
    g_string_append_printf(tile->place, " p = p / 16 * 16 ^ p / 128 %% %u * 16 | p %% 16;",
                           span / 16);
  tile->kept = is_transposed ? 1 : common_power(tile->columns, 16 / tile->bytes, 0);
}

static void
make_tma(SmbRandom *random, RandomTile *tile) {
  static const char *const names[] = {"none", "32B", "64B", "128B"};
  guint mode = smb_random_below(random, 4), span = mode ? 16u << mode : 0;
  tile->columns = span ? MIN(tile->columns, span / tile->bytes) : tile->columns;
  g_string_append_printf(tile->text, "tma:%s ", names[mode]);
  append_shape(tile);
  append_span(tile, span, FALSE);
}

static void
make_nvmma(SmbRandom *random, RandomTile *tile) {
  guint mode = smb_random_below(random, 4), span = mode ? 16u << mode : 0;
  gboolean is_transposed = smb_random_below(random, 2);
  guint *fast = is_transposed ? &tile->rows : &tile->columns;
  *fast = span ? MIN(*fast, span / tile->bytes) : *fast;
  g_string_append_printf(tile->text,
                         "#ttg.nvmma_shared<{swizzlingByteWidth = %u, transposed = %s, "
                         "elementBitWidth = %u}> ",
                         span, is_transposed ? "true" : "false", 8 * tile->bytes);
  append_shape(tile);
  append_span(tile, span, is_transposed);
}

// Triton: within a row along order[0], units of vec elements are XORed with the phase of the row.
static void
make_swizzled(SmbRandom *random, RandomTile *tile) {
  guint vec = 1u << smb_random_below(random, 4), per = draw(random, 1, 3),
        max = 1u << smb_random_below(random, 4);
  gboolean is_transposed = smb_random_below(random, 3) == 0;
  guint *fast = is_transposed ? &tile->rows : &tile->columns;
  tile->bytes = MIN(tile->bytes, 4);
  *fast = MAX(vec * max, 4) << smb_random_below(random, 2);
  g_string_append_printf(tile->text,
                         "#ttg.swizzled_shared<{vec = %u, perPhase = %u, maxPhase = %u, order = "
                         "[%s]}> ",
                         vec, per, max, is_transposed ? "0, 1" : "1, 0");
  append_shape(tile);
  g_string_append_printf(tile->place, "p = (%s * %u + (%s ^ %s / %u %% %u * %u)) * %u;",
                         is_transposed ? "c" : "r", *fast, is_transposed ? "r" : "c",
                         is_transposed ? "c" : "r", per, max, vec, tile->bytes);
  tile->kept = is_transposed ? 1 : vec;
}

static void
make_padded(SmbRandom *random, RandomTile *tile) {
  guint kept = 1u << smb_random_below(random, 4), n = draw(random, 1, 2);
  tile->bytes = MIN(tile->bytes, 4);
  gboolean is_transposed = smb_random_below(random, 3) == 0;
  g_string_append_printf(tile->place, "int i = %s * %u + %s; p = i;", is_transposed ? "c" : "r",
                         is_transposed ? tile->rows : tile->columns, is_transposed ? "r" : "c");
  g_string_append(tile->text, "#ttg.padded_shared<[");
  for (guint k = 0; k < n; k++) {
    guint interval = kept << draw(random, 1, 5), pad = kept * draw(random, 1, 2);
    g_string_append_printf(tile->text, "%s%u:+%u", k ? ", " : "", interval, pad);
    g_string_append_printf(tile->place, " p += i / %u * %u;", interval, pad);
  }
  g_string_append_printf(tile->place, " p *= %u;", tile->bytes);
  g_string_append_printf(tile->text, "] {order = [%s], shape = [%u, %u]}> x%s",
                         is_transposed ? "0, 1" : "1, 0", tile->rows, tile->columns,
                         random_tile_type(tile->bytes));
  tile->kept = is_transposed ? 1 : common_power(tile->columns, kept, 0);
}

// The place of each bit of a coordinate, those of the column first; and for each bit of a place the coordinate that is there, by looking.
static void
make_linear(SmbRandom *random, RandomTile *tile) {
  guint row_bits = draw(random, 3, 5), column_bits = draw(random, 3, 5), n = row_bits + column_bits;
  guint fixed = draw(random, 0, 3), place_of[16] = {0}, coordinate_of[16] = {0};
  tile->rows = 1u << row_bits;
  tile->columns = 1u << column_bits;
  for (guint i = 0; i < n; i++)
    place_of[i] = 1u << i;
  for (guint step = 0; step < 20; step++) {
    guint a = draw(random, fixed, n - 1), b = draw(random, fixed, n - 1);
    place_of[a] ^= a == b ? 0 : place_of[b];
  }
  for (guint place = 1; place < 1u << n; place *= 2) {
    guint bit = (guint)__builtin_ctz(place);
    for (guint coordinate = 1; coordinate < 1u << n; coordinate++) { // the one that has this place
      guint sum = 0;
      for (guint i = 0; i < n; i++)
        sum ^= coordinate >> i & 1 ? place_of[i] : 0;
      if (sum == place)
        coordinate_of[bit] = coordinate;
    }
  }
  gboolean is_padded = smb_random_below(random, 3) == 0;
  guint interval = 8u << smb_random_below(random, 4), pad = 8 * draw(random, 1, 3);
  if (is_padded)
    g_string_append_printf(tile->text, "#ttg.padded_shared<[%u:+%u] {offset = [", interval, pad);
  else
    g_string_append(tile->text, "#ttg.shared_linear<{offset = [");
  for (guint i = 0; i < n; i++)
    g_string_append_printf(tile->text, "%s[%u, %u]", i ? ", " : "", coordinate_of[i] >> column_bits,
                           coordinate_of[i] & (tile->columns - 1));
  g_string_append_printf(tile->text, "], block = []}> x%s", random_tile_type(tile->bytes));
  g_string_append(tile->place, "p = 0;");
  for (guint i = 0; i < n; i++)
    g_string_append_printf(tile->place, " p ^= (%c >> %u & 1) * %u;", i < column_bits ? 'c' : 'r',
                           i < column_bits ? i : i - column_bits, place_of[i]);
  if (is_padded)
    g_string_append_printf(tile->place, " p += p / %u * %u;", interval, pad);
  g_string_append_printf(tile->place, " p *= %u;", tile->bytes);
  tile->kept = 1u << fixed;
}

// An expression of C over r, c and i. Its value is below 2^29 for tiles of 8,192 elements, so that int is enough.
static void
append_formula(SmbRandom *random, GString *out, guint depth) {
  static const char *const leaves[] = {"r", "c", "r", "c", "i", "N"};
  static const char *const forms[] = {"(E + E)", "(E - E)", "(E ^ E)",     "(E & E)",    "(E | E)",
                                      "E * N",   "E / N",   "(E) % N",     "(E >> N)",   "(E << 2)",
                                      "(-E)",    "(~E)",    "(E ^ E%8*8)", "(E * N + E)"};
  const char *form = depth == 0 || smb_random_below(random, 6) == 0
                         ? leaves[smb_random_below(random, G_N_ELEMENTS(leaves))]
                         : forms[smb_random_below(random, G_N_ELEMENTS(forms))];
  for (const char *at = form; *at; at++) {
    if (*at == 'E')
      append_formula(random, out, depth - 1);
    else if (*at == 'N')
      g_string_append_printf(out, "%u", draw(random, 1, 8));
    else
      g_string_append_c(out, *at);
  }
}

static void
make_formula(SmbRandom *random, RandomTile *tile) {
  guint kind = smb_random_below(random, 3), pitch = tile->columns + smb_random_below(random, 9);
  g_autoptr(GString) formula = g_string_new(NULL);
  if (kind == 0) {
    guint low = draw(random, 4, 6), high = low + draw(random, 1, 4);
    g_string_printf(formula, "addr ^ ((addr %% %u) >> %u << 4)", 1u << high, low);
    tile->kept = common_power(tile->columns, 16 / tile->bytes, 0);
  } else if (kind == 1) {
    g_string_printf(formula, "r*%u + (c ^ r%%8*%u)", pitch, 8u);
    tile->kept = common_power(pitch, 8, 0);
    tile->columns = MAX(tile->columns, 64);
  } else {
    g_string_append_c(formula, '(');
    append_formula(random, formula, 3);
    g_string_append(formula, ") & 4095");
  }
  g_string_append_printf(tile->text, "%s ", formula->str);
  append_shape(tile);
  g_string_append_printf(tile->place, "int i = r * %u + c, addr = i * %u; p = addr; p = (%s) * %u;",
                         tile->columns, tile->bytes, formula->str, kind ? tile->bytes : 1);
}

void
random_tile(SmbRandom *random, RandomTile *tile) {
  static void (*const make[])(SmbRandom *, RandomTile *) = {
      make_cute,  make_cute,     make_cute,   make_rows,   make_tma,
      make_nvmma, make_swizzled, make_padded, make_linear, make_formula};
  *tile = (RandomTile){.text = g_string_new(NULL),
                       .place = g_string_new(NULL),
                       .rows = 1u << draw(random, 3, 6),
                       .columns = 1u << draw(random, 2, 6),
                       .bytes = 1u << smb_random_below(random, 4),
                       .kept = 1};
  make[smb_random_below(random, G_N_ELEMENTS(make))](random, tile);
}

void
random_tile_clear(RandomTile *tile) {
  g_string_free(tile->text, TRUE);
  g_string_free(tile->place, TRUE);
}
