// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which rule a chip has for an operation of a width: doc/model.md as a table, written a second time.
#include <stdlib.h>
#include <string.h>

#include "src/verify-proof/recount.h"

// Sets of widths: of n bytes bit n.
#define NARROW (1u << 1 | 1u << 2 | 1u << 4)
#define WORD   (1u << 4)
#define DOUBLE (1u << 8)
#define TRIPLE (1u << 12)
#define QUAD   (1u << 16)
#define WIDE   (TRIPLE | QUAD)

typedef enum {
  NVIDIA, // compute capability 5.0 and later
  CDNA,   // gfx90a, gfx942
  CDNA4,  // gfx950
  RDNA3,
  RDNA3_64, // waves of 64 lanes
  RDNA4,
  RDNA4_64,
  N_FAMILIES,
} Family;

// @ops: words with a space on both sides; @widths: bit set
typedef struct {
  guint families; // bit set
  const char *ops;
  guint widths;
  SmbRecountRule rule;
} Row;

#define ON(family) (1u << (family))
#define WAVES32    (ON(RDNA3) | ON(RDNA4))
#define WAVES64    (ON(CDNA) | ON(RDNA3_64) | ON(RDNA4_64))
#define ALL64      (WAVES64 | ON(CDNA4))

// Masks of the groups come last.
#define GIVEN(access_, givers_, passes_, waits, ...)                                               \
  {                                                                                                \
    .group = {__VA_ARGS__}, .access = access_, .lanes = 32, .givers = givers_, .banks = 32,        \
    .passes = passes_, .waits_for_lanes = waits                                                    \
  }
#define RULE(access_, ...)       GIVEN(access_, 32, 1, FALSE, __VA_ARGS__)
#define MATRIX(access_, givers_) GIVEN(access_, givers_, 1, FALSE, 0x10, 0x08)
#define ATOMIC(passes_, ...)     GIVEN("atomic", 32, passes_, TRUE, __VA_ARGS__)
#define MERGED(merged_, ...)                                                                       \
  {                                                                                                \
    .group = {__VA_ARGS__}, .access = "load", .lanes = 32, .givers = 32, .banks = 32, .passes = 1, \
    .merges = TRUE, .merged = {                                                                    \
      merged_                                                                                      \
    }                                                                                              \
  }
#define WAVE(lanes_, access_, banks_, ...)                                                         \
  {                                                                                                \
    .group = {__VA_ARGS__}, .access = access_, .lanes = lanes_, .givers = lanes_, .banks = banks_, \
    .passes = 1, .pays_all = TRUE                                                                  \
  }
#define WAVE32(access_, ...)         WAVE(32, access_, 32, __VA_ARGS__)
#define WAVE64(access_, banks_, ...) WAVE(64, access_, banks_, __VA_ARGS__)

// The atomics of AMD's chips wait for words like stores.
#define AMD_ATOMICS " atom cas "

static const Row rows[] = {
    {ON(NVIDIA), " ld ld.generic ", NARROW, RULE("load", 0)},
    {ON(NVIDIA), " ld ", DOUBLE, MERGED(0, 0x10)},
    {ON(NVIDIA), " ld ", QUAD, MERGED(0x10, 0x10, 0x08)},
    {ON(NVIDIA), " ld.generic ", DOUBLE, RULE("load", 0x10)},
    {ON(NVIDIA), " ld.generic ", QUAD, RULE("load", 0x10, 0x08)},
    {ON(NVIDIA), " st st.generic ", NARROW, RULE("store", 0)},
    {ON(NVIDIA), " st st.generic ", DOUBLE, RULE("store", 0x10)},
    {ON(NVIDIA), " st st.generic ", QUAD, RULE("store", 0x10, 0x08)},
    {ON(NVIDIA), " ldmatrix.x1 ", QUAD, MATRIX("load", 8)},
    {ON(NVIDIA), " ldmatrix.x2 ", QUAD, MATRIX("load", 16)},
    {ON(NVIDIA), " ldmatrix.x4 ", QUAD, MATRIX("load", 32)},
    {ON(NVIDIA), " stmatrix.x1 ", QUAD, MATRIX("store", 8)},
    {ON(NVIDIA), " stmatrix.x2 ", QUAD, MATRIX("store", 16)},
    {ON(NVIDIA), " stmatrix.x4 ", QUAD, MATRIX("store", 32)},
    {ON(NVIDIA), " red.uniform ", WORD, RULE("atomic", 0)},
    {ON(NVIDIA), " atom ", WORD, ATOMIC(1, 0)},
    {ON(NVIDIA), " atom ", DOUBLE, ATOMIC(1, 0x10)},
    {ON(NVIDIA), " cas ", WORD, ATOMIC(2, 0)},
    {ON(NVIDIA), " cas ", DOUBLE, ATOMIC(2, 0x10)},
    {WAVES32, " ld ", NARROW, WAVE32("load", 0)},
    {WAVES32, " ld ", DOUBLE, WAVE32("load", 0x10)},
    {ON(RDNA3), " ld ", WIDE, WAVE32("load", 0x08, 0x14)},
    {ON(RDNA4), " ld ", WIDE, WAVE32("load", 0x10, 0x08)},
    {WAVES32, " st ", NARROW, WAVE32("store", 0)},
    {WAVES32, " st ", DOUBLE, WAVE32("store", 0x10)},
    {WAVES32, " st ", WIDE, WAVE32("store", 0x10, 0x08)},
    {WAVES32, AMD_ATOMICS, WORD, WAVE32("atomic", 0)},
    {WAVES32, AMD_ATOMICS, DOUBLE, WAVE32("atomic", 0x10)},
    {WAVES64, " ld ", NARROW, WAVE64("load", 32, 0x20)},
    {WAVES64, " ld ", DOUBLE, WAVE64("load", 32, 0x20, 0x10)},
    {ON(CDNA) | ON(RDNA3_64), " ld ", WIDE, WAVE64("load", 32, 0x20, 0x08, 0x14)},
    {ON(RDNA4_64), " ld ", WIDE, WAVE64("load", 32, 0x20, 0x10, 0x08)},
    {ON(CDNA4), " ld ", NARROW, WAVE64("load", 64, 0)},
    {ON(CDNA4), " ld ", DOUBLE, WAVE64("load", 64, 0x20)},
    {ON(CDNA4), " ld ", TRIPLE, WAVE64("load", 32, 0x20, 0x08, 0x14)},
    {ON(CDNA4), " ld ", QUAD, WAVE64("load", 64, 0x20, 0x1c)},
    {ALL64, " st ", NARROW, WAVE64("store", 32, 0x20)},
    {ALL64, " st ", DOUBLE, WAVE64("store", 32, 0x20, 0x10)},
    {ALL64, " st ", WIDE, WAVE64("store", 32, 0x20, 0x10, 0x08)},
    {ALL64, AMD_ATOMICS, WORD, WAVE64("atomic", 32, 0x20)},
    {ALL64, AMD_ATOMICS, DOUBLE, WAVE64("atomic", 32, 0x20, 0x10)},
};

// N_FAMILIES: none that is known.
static Family
find_chip_family(const char *chip) {
  static const struct {
    const char *chip;
    Family family;
  } chips[] = {
      {"gfx90a", CDNA},
      {"gfx942", CDNA},
      {"gfx950", CDNA4},
      {"gfx1100", RDNA3},
      {"gfx1201", RDNA4},
      {"gfx1100_wave64", RDNA3_64},
      {"gfx1201_wave64", RDNA4_64},
  };
  if (g_str_has_prefix(chip, "sm_") && strlen(chip) <= 6 && atoi(chip + 3) >= 50)
    return NVIDIA;
  for (guint i = 0; i < G_N_ELEMENTS(chips); i++) {
    if (strcmp(chips[i].chip, chip) == 0)
      return chips[i].family;
  }
  return N_FAMILIES;
}

gboolean
smb_recount_knows(const char *chip) {
  return chip && find_chip_family(chip) != N_FAMILIES;
}

SmbRecountRule
smb_recount_rule(const char *chip, const char *op, guint width) {
  g_autofree char *word = g_strdup_printf(" %s ", op ? op : "");
  for (guint i = 0; chip && op && width <= 16 && i < G_N_ELEMENTS(rows); i++) {
    if (rows[i].families & ON(find_chip_family(chip)) && rows[i].widths >> width & 1 &&
        strstr(rows[i].ops, word))
      return rows[i].rule;
  }
  return (SmbRecountRule){.access = NULL};
}
