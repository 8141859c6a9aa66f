// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The certificate of layout --find: the layout takes what is said, and no layout of its kind takes fewer. An ideal one has no conflicts.
// One that was found by trying all is compared with all of them again. By rank: src/verify-proof/space-check.c.
#include "sim/base/text.h"
#include "src/out/json.h"
#include "src/verify-proof/check-impl.h"
#include "src/verify-proof/moved-tile.h"

static void
compare_layout(const SmbMovedTile *tile, const SmbMovedLayout *layout, guint64 least,
               SmbVerified *verified) {
  SmbRecount sum;
  verified->cases++;
  if (smb_verified_spend(verified, tile->steps) && smb_moved_tile_count(tile, layout, &sum) &&
      sum.wavefronts < least)
    smb_verified_fail(verified, "another layout takes %u wavefronts", sum.wavefronts);
}

// A row that is longer by a row of the banks, or more of them, changes no bank.
static void
compare_paddings(const SmbMovedTile *tile, guint64 least, SmbVerified *verified) {
  guint row = smb_moved_tile_row_bytes(tile);
  SmbMovedLayout layout = {.n_bases = 0};
  do {
    compare_layout(tile, &layout, least, verified);
    layout.pad++;
  } while (layout.pad * tile->element_bytes % row);
}

// All Swizzle<B,M,S> with |S| >= B, whose bits are among those of the number of an element.
static void
compare_swizzles(const SmbMovedTile *tile, guint64 least, SmbVerified *verified) {
  guint n_bits = (guint)g_bit_storage(tile->n - 1);
  for (guint bits = 0; 2 * bits <= n_bits; bits++) {
    for (guint shift = bits; bits + shift <= n_bits; shift++) {
      for (guint base = 0; base + bits + shift <= n_bits; base++) {
        SmbMovedLayout layout = {.bits = bits, .base = base, .shift = (gint)shift};
        compare_layout(tile, &layout, least, verified);
        layout.shift = -layout.shift;
        compare_layout(tile, &layout, least, verified);
      }
    }
  }
}

static void
verify_best(JsonObject *found, JsonObject *certificate, const char *by, const SmbMovedTile *tile,
            SmbVerified *verified) {
  SmbMovedLayout layout;
  SmbRecount sum;
  gint64 wavefronts = smb_json_get_number(found, "wavefronts");
  verified->requests = tile->requests->len;
  verified->cases = 1;
  if (!smb_moved_layout_read(certificate, tile, &layout)) {
    smb_verified_fail(verified, "its layout cannot be read");
  } else if (!smb_moved_tile_count(tile, &layout, &sum)) {
    smb_verified_fail(verified, "a lane does not have side by side what it moves");
  } else if (sum.wavefronts != wavefronts) {
    smb_verified_fail(verified, "it takes %u wavefronts", sum.wavefronts);
  } else if (g_strcmp0(by, "ideal") == 0) {
    if (sum.wavefronts > sum.ideal)
      smb_verified_fail(verified, "it has conflicts");
  } else if (g_strcmp0(by, "rank") == 0) {
    smb_verify_rank(found, certificate, tile, verified);
  } else if (g_strcmp0(by, "exhaustive") != 0) {
    verified->open = "it has no proof";
  } else if (g_strcmp0(smb_json_get_text(certificate, "kind"), "pad") == 0) {
    compare_paddings(tile, sum.wavefronts, verified);
  } else {
    compare_swizzles(tile, sum.wavefronts, verified);
  }
}

void
smb_verify_best(JsonObject *result, JsonObject *found, SmbVerification *all) {
  JsonObject *proof = smb_json_get_object(found, "proof");
  JsonObject *certificate = smb_json_get_object(proof, "certificate");
  const char *by = smb_json_get_text(proof, "by");
  const char *chip = smb_json_get_text(smb_json_get_object(result, "arch"), "name");
  guint64 wavefronts = (guint64)smb_json_get_number(found, "wavefronts");
  SmbVerified *one = smb_verified_add(all, g_strdup_printf("the best layout: %s, by %s",
                                                           smb_count(wavefronts, "wavefront").text,
                                                           by ? by : "no proof"));
  g_autoptr(SmbMovedTile) tile = smb_moved_tile_read(certificate, chip);
  if (!certificate)
    one->open = "it has no certificate";
  else if (!smb_recount_knows(chip))
    one->open = "the rules of its chip are not known here";
  else if (!tile)
    smb_verified_fail(one, "the certificate cannot be read");
  else
    verify_best(found, certificate, by, tile, one);
}
