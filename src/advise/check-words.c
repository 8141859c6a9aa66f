// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The facts of sim/layout/swizzle-check as words: why an access still conflicts with a swizzle, or cannot be made.
#include "src/advise/check-words.h"

// "bit 7", "bits 2-6 and 9".
static void
append_bits(GString *text, guint64 bits) {
  gboolean one = (bits & (bits - 1)) == 0;
  g_string_append(text, !bits ? "no bit" : one ? "bit " : "bits ");
  for (gboolean first = TRUE; bits; first = FALSE) {
    guint from = (guint)__builtin_ctzll(bits), to = from;
    while (to < 63 && bits >> (to + 1) & 1)
      to++;
    bits &= to == 63 ? 0 : ~G_GUINT64_CONSTANT(0) << (to + 1);
    g_string_append_printf(text, "%s%u", first ? "" : bits ? ", " : " and ", from);
    if (to > from)
      g_string_append_printf(text, "-%u", to);
  }
}

static void
append_misfit(GString *text, const SmbLayoutCheck *check) {
  switch (check->fit) {
  case SMB_LAYOUT_FITS:
    break;
  case SMB_LAYOUT_OUTSIDE:
    g_string_append(text, "a request asks for more than this array: it cannot be laid out anew");
    break;
  case SMB_LAYOUT_TORN:
    g_string_append_printf(
        text,
        "wrong width: the %u bytes of a lane would no longer lie side by side; M "
        "has to be at least %u",
        check->width, check->needed_base);
    break;
  case SMB_LAYOUT_MISALIGNED:
    g_string_append_printf(text, "the %u bytes of a lane would no longer start at a multiple of %u",
                           check->width, check->width);
    break;
  }
}

// What the swizzle does not do for the lanes that still meet.
static void
append_fault(GString *text, const SmbLayoutCheck *check) {
  switch (check->fault) {
  case SMB_FAULT_NONE:
    g_string_append(text, check->original.excess ? "free of conflicts with it" : "has no conflict");
    return;
  case SMB_FAULT_MISFIT:
    append_misfit(text, check);
    return;
  case SMB_FAULT_SAME:
    g_string_append(text, "lanes wait for each other on one word: no layout helps");
    return;
  case SMB_FAULT_UNSWIZZLED:
    g_string_append(text, "no swizzle: it changes nothing");
    return;
  case SMB_FAULT_NO_BITS:
    g_string_append(text,
                    "no bits of the offset choose the bank here: rows are padded, or an element "
                    "is not a power of two bytes");
    return;
  case SMB_FAULT_TARGET:
    g_string_append(text, "wrong bits: it changes ");
    append_bits(text, check->target_bits);
    g_string_append(text, " of the byte offset, and ");
    append_bits(text, check->bank_bits);
    g_string_append_printf(text, " choose the bank of %u-byte accesses", check->width);
    return;
  case SMB_FAULT_SOURCE:
    g_string_append(text, "wrong bits: it reads ");
    append_bits(text, check->source_bits);
    g_string_append(text, " of the byte offset, and the lanes that conflict differ in ");
    append_bits(text, check->lane_bits);
    return;
  case SMB_FAULT_TOO_FEW:
    g_string_append(text, "too few bits: the lanes that conflict differ in ");
    append_bits(text, check->lane_bits);
    g_string_append(text, " of the byte offset, of which it reads ");
    append_bits(text, check->read);
    if (check->unread) {
      g_string_append(text, " and not ");
      append_bits(text, check->unread);
    } else {
      g_string_append(text, ", and not all of them reach a bit that chooses the bank");
    }
    return;
  case SMB_FAULT_CANCELS:
    g_string_append(text, "it reads every bit in which the lanes that conflict differ (");
    append_bits(text, check->lane_bits);
    g_string_append(text, "), and what it changes cancels what was there");
    return;
  }
}

char *
smb_advise_check_explain(const SmbLayoutCheck *check) {
  GString *text = g_string_new(NULL);
  append_fault(text, check);
  return g_string_free(text, FALSE);
}
