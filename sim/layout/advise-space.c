// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The space of layouts that is searched (smb_advise_array() says what is in it).
#include "sim/arch/arch.h"
#include "sim/layout/advise-impl.h"

// Elements that fill all banks once: padding by as many more moves every row by a whole row of the banks.
static guint64
find_period(const SmbArch *arch, guint element_bytes) {
  guint row_bytes = smb_arch_info(arch)->row_bytes;
  guint common = element_bytes & (0u - element_bytes); // row_bytes is a power of two
  return row_bytes / MIN(common, row_bytes);
}

// Bits of the highest number of @n elements.
static guint
count_bits(guint64 n) {
  return n > 1 ? 64 - (guint)__builtin_clzll(n - 1) : 0;
}

SmbAdviseKinds
smb_advise_kind(const SmbLayout *layout) {
  if (layout->bits == 0)
    return SMB_ADVISE_PAD;
  return layout->pad ? SMB_ADVISE_BOTH : SMB_ADVISE_SWIZZLE;
}

static void
add_strip(GArray *space, const SmbLayout *layout, guint64 first_pad, guint64 end_pad) {
  Strip strip = {*layout, first_pad, end_pad};
  if (first_pad < end_pad)
    g_array_append_val(space, strip);
}

// Whether the swizzle of @layout never moves an element to another row.
static gboolean
stays_in_row(const SmbLayout *layout) {
  guint end = layout->base + (layout->shift < 0 ? (guint)-layout->shift : 0) + layout->bits;
  return layout->columns % (G_GUINT64_CONSTANT(1) << end) == 0;
}

// Every swizzle whose bits are all among the @n_bits of an element's number.
static void
add_swizzles(GArray *space, const SmbLayout *plain, guint n_bits, guint64 end_pad,
             SmbAdviseKinds kinds) {
  SmbLayout layout = *plain;
  for (guint bits = 1; 2 * bits <= n_bits; bits++) {
    for (guint shift = bits; bits + shift <= n_bits; shift++) {
      for (guint base = 0; base + bits + shift <= n_bits; base++) {
        for (int sign = 1; sign >= -1; sign -= 2) {
          layout.bits = bits;
          layout.base = base;
          layout.shift = sign * (int)shift;
          gboolean pads = (kinds & SMB_ADVISE_BOTH) && stays_in_row(&layout);
          add_strip(space, &layout, kinds & SMB_ADVISE_SWIZZLE ? 0 : 1, pads ? end_pad : 1);
        }
      }
    }
  }
}

GArray *
smb_advise_space(const SmbArch *arch, const SmbLayout *original, guint64 n, SmbAdviseKinds kinds) {
  GArray *space = g_array_new(FALSE, FALSE, sizeof(Strip));
  guint64 period = find_period(arch, original->element_bytes);
  SmbLayout plain = {.element_bytes = original->element_bytes, .columns = original->columns};
  gboolean has_rows = plain.columns < n;
  guint64 end_pad = has_rows ? period : 1;

  add_strip(space, &plain, 0, kinds & SMB_ADVISE_PAD ? end_pad : 1);
  if (!has_rows && (kinds & SMB_ADVISE_PAD)) {
    SmbLayout rows = plain;
    for (rows.columns = period; rows.columns <= n / 2; rows.columns *= 2)
      add_strip(space, &rows, 1, period);
  }
  if (kinds & (SMB_ADVISE_SWIZZLE | SMB_ADVISE_BOTH))
    add_swizzles(space, &plain, count_bits(n), end_pad, kinds);
  return space;
}
