// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/patterns.h"

Random
random_new(guint64 seed) {
  return (Random){seed * 0x9e3779b97f4a7c15ull + 0x2545f4914f6cdd1dull};
}

static guint32
next_number(Random *random) {
  random->state ^= random->state >> 12;
  random->state ^= random->state << 25;
  random->state ^= random->state >> 27;
  return (guint32)(random->state * 0x2545f4914f6cdd1dull >> 32);
}

guint32
random_below(Random *random, guint64 below) {
  return (guint32)(next_number(random) * below >> 32);
}

static guint32
random_mask(Random *random) {
  switch (random_below(random, 12)) {
  case 0:
    return next_number(random);
  case 1:
    return next_number(random) & next_number(random);
  case 2:
    return next_number(random) | next_number(random);
  case 3:
    return random_below(random, 2) ? 0xffffu : 0xffff0000u;
  case 4:
    return 0xffu << 8 * random_below(random, 4) | 0xffu << 8 * random_below(random, 4);
  case 5:
    return 1u << random_below(random, 32);
  case 6:
    return random_below(random, 4) ? 1u << random_below(random, 32) | 1u << random_below(random, 32)
                                   : 0;
  case 7:
    return 0x11111111u * random_below(random, 16);
  default:
    return 0xffffffffu;
  }
}

// Offsets in units of the width, before alignment. Each pattern says where its words are.
typedef void (*Fill)(Random *random, guint32 *at);

static void
fill_stride(Random *random, guint32 *at) {
  guint32 stride = random_below(random, 4) ? random_below(random, 70) : 1;
  guint32 start = random_below(random, 64);
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    at[lane] = start + lane * stride;
}

static void
fill_column(Random *random, guint32 *at) {
  guint32 columns = 1u << random_below(random, 8), row = columns + random_below(random, 3);
  guint32 height = 1u << random_below(random, 6);
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    at[lane] = lane % height * row + lane / height;
}

static void
fill_swizzle(Random *random, guint32 *at) {
  guint32 row = 1u << (2 + random_below(random, 5)), shift = random_below(random, 4);
  guint32 column = random_below(random, row);
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    at[lane] = lane * row + ((column ^ lane >> shift) % row);
}

static void
fill_window(Random *random, guint32 *at) {
  guint64 window = 1ull << (1 + random_below(random, 16));
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    at[lane] = random_below(random, window);
}

static void
fill_pairs(Random *random, guint32 *at) {
  guint x = 1 + random_below(random, 2);
  fill_window(random, at);
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    at[lane] = at[lane & ~x];
  if (random_below(random, 3) == 0)
    at[random_below(random, SMB_WARP_LANES)]++;
}

static void
fill_few_words(Random *random, guint32 *at) {
  guint n = 1 + random_below(random, 8);
  guint32 words[8];
  guint32 step = random_below(random, 2) ? 1 : 32;
  for (guint i = 0; i < n; i++)
    words[i] = random_below(random, 256) * step;
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    at[lane] = words[random_below(random, n)];
}

static void
fill_one_bank(Random *random, guint32 *at) {
  guint32 bank = random_below(random, 32), rows = 1 + random_below(random, 64);
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    at[lane] = bank + 32 * random_below(random, rows);
}

static void
fill_permuted(Random *random, guint32 *at) {
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    at[lane] = lane;
  for (guint lane = SMB_WARP_LANES - 1; lane > 0; lane--) {
    guint other = random_below(random, lane + 1);
    guint32 swap = at[lane];
    at[lane] = at[other];
    at[other] = swap;
  }
  if (random_below(random, 2)) // a conflict or two, and rows apart
    at[random_below(random, SMB_WARP_LANES)] += random_below(random, 65);
}

static void
fill_anywhere(Random *random, guint32 *at) {
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    at[lane] = next_number(random);
}

void
random_request(Random *random, const SmbArch *arch, SmbRequest *request) {
  static const Fill fills[] = {fill_stride,   fill_column,  fill_swizzle,   fill_window,
                               fill_window,   fill_pairs,   fill_few_words, fill_one_bank,
                               fill_permuted, fill_anywhere};
  do {
    request->op = (guint8)random_below(random, SMB_N_OPS);
    request->width = (guint8)(1u << random_below(random, SMB_N_WIDTHS));
  } while (!(smb_op_widths((SmbOp)request->op) & request->width) ||
           !smb_arch_check_request(arch, request, NULL));
  request->mask = random_mask(random);
  fills[random_below(random, G_N_ELEMENTS(fills))](random, request->offset);

  // Sometimes the pattern is one of words, whatever the width, sometimes it ends just below 4 GiB.
  guint32 unit = random_below(random, 4) ? request->width : 4;
  guint32 base = random_below(random, 8) ? 0 : 0u - (1u << (6 + random_below(random, 12)));
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    request->offset[lane] = (base + request->offset[lane] * unit) & ~(request->width - 1u);
}

char *
format_request(const SmbRequest *request) {
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%s %u %08x", smb_op_name((SmbOp)request->op), request->width,
                         request->mask);
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    g_string_append_printf(text, " %u", request->offset[lane]);
  return g_string_free(text, FALSE);
}
