// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Indices as plain C: what a layout makes of the indices that a kernel has. Numbers of elements are never
// negative and less than 2^32, so that shifts and masks are divisions.
#include "sim/cuda/rewrite/impl.h"

// The bits that a swizzle changes, and those that it reads.
typedef struct {
  guint target;
  guint source;
  guint64 mask; // not shifted
} Bits;

static Bits
find_swizzle_bits(const SmbLayout *layout) {
  guint distance = (guint)ABS(layout->shift);
  return (Bits){.target = layout->base + (layout->shift < 0 ? distance : 0),
                .source = layout->base + (layout->shift > 0 ? distance : 0),
                .mask = (G_GUINT64_CONSTANT(1) << layout->bits) - 1};
}

// The power of two that divides a number.
static guint
count_factors(guint64 number) {
  return number ? (guint)__builtin_ctzll(number) : 64;
}

const char *
smb_index_name(guint number) {
  static const char *const names[] = {"i", "j", "k", "l", "m", "o", "p", "q"};
  return names[number];
}

void
smb_index_append_term(GString *out, const Term *term, gint least) {
  if (term->binding < least)
    g_string_append_printf(out, "(%s)", term->text);
  else
    g_string_append(out, term->text);
}

// An operand of "^": in parentheses too where compilers ask for them.
static void
append_operand(GString *out, const Term *term) {
  smb_index_append_term(out, term, term->binding == BINDS_XOR ? BINDS_XOR : BINDS_MUL);
}

gboolean
smb_layout_keeps_rows(const SmbLayout *layout) {
  return layout->bits == 0 ||
         count_factors(layout->columns) >= find_swizzle_bits(layout).target + layout->bits;
}

gboolean
smb_layout_scale(const SmbLayout *layout, guint64 unit, SmbLayout *scaled) {
  guint log2 = count_factors(unit);
  if (unit == 0 || unit & (unit - 1) || layout->columns % unit || layout->pad % unit ||
      (layout->bits && layout->base < log2))
    return FALSE;
  *scaled = *layout;
  scaled->element_bytes *= (guint)unit;
  scaled->columns /= unit;
  scaled->pad /= unit;
  scaled->base -= layout->bits ? log2 : 0;
  return TRUE;
}

// Appends what is XORed into a number: bits of @source, from bit @shift on, moved to where they change it.
static void
append_flip(GString *out, const Term *source, guint shift, const Bits *bits) {
  gboolean masked = source->limit == 0 || (source->limit - 1) >> shift > bits->mask;
  if (!masked && !shift && !bits->target) {
    append_operand(out, source);
    return;
  }
  g_autoptr(GString) picked = g_string_new(NULL);
  smb_index_append_term(picked, source, source->binding == BINDS_SHIFT ? BINDS_SHIFT : BINDS_MUL);
  if (shift)
    g_string_append_printf(picked, " >> %u", shift);
  if (masked)
    g_string_append_printf(picked, " & %" G_GUINT64_FORMAT, bits->mask);
  if (masked && bits->target)
    g_string_append_printf(out, "((%s) << %u)", picked->str, bits->target);
  else if (bits->target)
    g_string_append_printf(out, "(%s << %u)", picked->str, bits->target);
  else
    g_string_append_printf(out, "(%s)", picked->str);
}

void
smb_index_append_swizzle(GString *out, const SmbLayout *layout, const Term *n) {
  Bits bits = find_swizzle_bits(layout);
  if (layout->bits == 0)
    return;
  g_string_append(out, " ^ ");
  append_flip(out, n, bits.source, &bits);
}

Term
smb_index_join(GString *out, const Term *indices, const guint64 *dimensions, guint n) {
  if (n == 1)
    return indices[0];
  g_autoptr(GString) text = g_string_new(NULL);
  smb_index_append_term(text, &indices[0], BINDS_MUL);
  guint64 limit = dimensions[0];
  for (guint i = 1; i < n; i++) {
    g_autofree char *before = g_strdup(text->str);
    g_string_printf(text,
                    i > 1 ? "(%s) * %" G_GUINT64_FORMAT " + " : "%s * %" G_GUINT64_FORMAT " + ",
                    before, dimensions[i]);
    smb_index_append_term(text, &indices[i], BINDS_MUL);
    limit *= dimensions[i];
  }
  g_string_assign(out, text->str);
  return (Term){out->str, BINDS_ADD, limit};
}

char *
smb_index_write_row(const SmbLayout *layout, const Term *indices, const guint64 *dimensions,
                    guint rank, gboolean *uses) {
  Bits bits = find_swizzle_bits(layout);
  guint last = rank - 1, column_bits = count_factors(layout->columns);
  gboolean power = layout->columns == G_GUINT64_CONSTANT(1) << MIN(column_bits, 63u);
  g_autoptr(GString) joined = g_string_new(NULL);
  guint shift = bits.source, first = 0, after = rank; // of the indices that are read
  Term source;
  if (bits.source + layout->bits <= column_bits) {
    first = last;
    source = indices[last];
    source.limit = layout->columns;
  } else if (power && bits.source >= column_bits && rank > 1) {
    after = last;
    shift -= column_bits;
    guint inner = count_factors(dimensions[last - 1]);
    gboolean inner_only = dimensions[last - 1] == G_GUINT64_CONSTANT(1) << MIN(inner, 63u) &&
                          shift + layout->bits <= inner;
    first = inner_only || last == 1 ? last - 1 : 0;
    source = first == last - 1 ? indices[first] : smb_index_join(joined, indices, dimensions, last);
    if (source.limit == 0 && first == last - 1)
      source.limit = dimensions[first];
  } else {
    guint64 inner[MAX_RANK];
    for (guint i = 0; i < rank; i++)
      inner[i] = i == last ? layout->columns : dimensions[i];
    source = smb_index_join(joined, indices, inner, rank);
  }
  for (guint i = 0; uses && i < rank; i++)
    uses[i] = i >= first && i < after;
  GString *out = g_string_new(" ^ ");
  append_flip(out, &source, shift, &bits);
  return g_string_free(out, FALSE);
}

void
smb_index_append_padded(GString *out, const Term *n, guint64 row, gint64 pad) {
  smb_index_append_term(out, n, BINDS_ADD);
  g_string_append(out, pad < 0 ? " - " : " + ");
  smb_index_append_term(out, n, BINDS_MUL);
  g_string_append_printf(out, " / %" G_GUINT64_FORMAT, row);
  if (ABS(pad) != 1)
    g_string_append_printf(out, " * %" G_GINT64_FORMAT, ABS(pad));
}

char *
smb_index_write_flat(const SmbLayout *from, const SmbLayout *to, const Term *i) {
  GString *out = g_string_new(NULL);
  if (to->bits == 0 && (from->pad == 0 || from->columns == to->columns)) {
    guint64 row = from->pad ? from->columns + from->pad : to->columns;
    gint64 more = (gint64)to->pad - (gint64)from->pad;
    if (more == 0)
      smb_index_append_term(out, i, BINDS_NOTHING);
    else
      smb_index_append_padded(out, i, row, more);
  } else if (from->pad == 0 && to->pad == 0) {
    append_operand(out, i);
    smb_index_append_swizzle(out, to, i);
  } else {
    return g_string_free(out, TRUE);
  }
  return g_string_free(out, FALSE);
}

// Statements that turn the number n of an element into its place, and return it.
static void
append_place(GString *out, const SmbLayout *to) {
  static const Term n = {"n", BINDS_ALL, 0};
  g_autoptr(GString) flip = g_string_new(NULL);
  smb_index_append_swizzle(flip, to, &n);
  if (to->bits && to->pad)
    g_string_append_printf(out, "  n = n%s;\n", flip->str);
  g_string_append(out, "  return ");
  if (to->pad)
    smb_index_append_padded(out, &n, to->columns, (gint64)to->pad);
  else
    g_string_append_printf(out, "n%s", flip->str);
  g_string_append(out, ";\n");
}

char *
smb_index_write_number(const SmbLayout *from) {
  guint64 pitch = from->columns + from->pad;
  return from->pad ? g_strdup_printf("i / %" G_GUINT64_FORMAT " * %" G_GUINT64_FORMAT
                                     " + i %% %" G_GUINT64_FORMAT,
                                     pitch, from->columns, pitch)
                   : g_strdup("i");
}

char *
smb_index_write_flat_body(const SmbLayout *from, const SmbLayout *to, guint64 limit) {
  Term i = {"i", BINDS_ALL, limit};
  g_autofree char *expression = smb_index_write_flat(from, to, &i);
  if (expression)
    return g_strdup_printf("  return %s;\n", expression);
  g_autofree char *number = smb_index_write_number(from);
  GString *out = g_string_new(NULL);
  g_string_append_printf(out, "  unsigned n = %s;\n", number);
  append_place(out, to);
  return g_string_free(out, FALSE);
}

char *
smb_index_write_row_body(const SmbLayout *to, const guint64 *dimensions, guint rank) {
  Term indices[MAX_RANK] = {{0}};
  guint64 inner[MAX_RANK];
  for (guint i = 0; i < rank; i++) {
    indices[i] = (Term){smb_index_name(i), BINDS_ALL, dimensions[i]};
    inner[i] = i + 1 == rank ? to->columns : dimensions[i];
  }
  g_autoptr(GString) joined = g_string_new(NULL);
  GString *out = g_string_new(NULL);
  if (smb_layout_keeps_rows(to)) {
    g_autofree char *flip = smb_index_write_row(to, indices, dimensions, rank, NULL);
    Term row = smb_index_join(joined, indices, dimensions, rank - 1);
    g_string_append(out, "  return ");
    smb_index_append_term(out, &row, BINDS_MUL);
    g_string_append_printf(out, " * %" G_GUINT64_FORMAT " + (%s%s);\n", to->columns + to->pad,
                           smb_index_name(rank - 1), flip);
    return g_string_free(out, FALSE);
  }
  Term n = smb_index_join(joined, indices, inner, rank);
  g_string_append_printf(out, "  unsigned n = %s;\n", n.text);
  append_place(out, to);
  return g_string_free(out, FALSE);
}
