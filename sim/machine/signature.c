// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The signature of a block's run: hashes over what its requests count, apart from the values that it computes.
// Sums and products of hashes are not needed: signatures are compared, and nothing else.
#include "sim/machine/signature.h"

#include "sim/arch/arch.h"
#include "sim/base/hash.h"
#include "sim/machine/access/access.h"

gboolean
smb_program_may_repeat(const SmbProgram *program) {
  return program->may_repeat;
}

void
smb_signature_note(SmbBlock *block, guint64 word) {
  smb_hash_mix(&block->signature->course, word);
}

__extension__ typedef unsigned __int128 Product;

static guint64
reduce(gint64 number) {
  guint64 size = number < 0 ? -(guint64)number : (guint64)number;
  size %= SMB_QUOTIENT_MODULUS;
  return number < 0 && size > 0 ? SMB_QUOTIENT_MODULUS - size : size;
}

void
smb_signature_quotients(SmbBlock *block, SmbLanes lanes, const gint64 *quotients) {
  SmbSignature *signature = block->signature;
  guint64 number = ++signature->n_quotients;
  FOR_LANES(lanes, lane) {
    guint64 weight = number;
    if (quotients[lane] == 0)
      continue;
    smb_hash_mix(&weight, lane + 1);
    smb_hash_mix(&weight, number);
    Product term = (Product)(weight % SMB_QUOTIENT_MODULUS) * reduce(quotients[lane]);
    signature->quotients = (guint64)((term + signature->quotients) % SMB_QUOTIENT_MODULUS);
  }
}

void
smb_signature_hint(SmbBlock *block, const SmbQuotient *hint) {
  SmbSignature *signature = block->signature;
  for (guint i = 0; i < signature->n_hints; i++) {
    if (signature->hints[i].place == hint->place)
      return;
  }
  if (signature->n_hints < SMB_MAX_HINTS)
    signature->hints[signature->n_hints++] = *hint;
}

void
smb_signature_refuse(SmbBlock *block) {
  block->signature->is_alone = TRUE;
}

static guint
find_object(const SmbBlock *block, const Access *access, guint lane) {
  return (guint)(access_object(block, access, lane) - block->objects);
}

enum {
  CHAINS = 4, // of products, side by side, take less time than one
};

static void
note_hashes(SmbBlock *block, const guint64 *hashes) {
  for (guint i = 0; i < CHAINS; i++)
    smb_signature_note(block, hashes[i]);
}

// Where the lanes go of an access to one object: what its pattern does not say. Lanes that take no part have the place
// of the first one.
static void
note_common(SmbBlock *block, const Access *access, guint lane, gboolean is_outside) {
  const Object *object = access->common;
  gboolean is_shared = object->space == SPACE_SHARED; // Access.offset says nothing then
  gint64 start = is_shared ? (gint64)access->request.offset[lane] : access->offset[lane];
  smb_signature_note(block, (guint64)(object - block->objects) << 2 | access->pattern);
  smb_signature_note(block, is_outside ? 0 : (guint64)start);
  if (access->pattern != PATTERN_ANY)
    return;
  guint64 hashes[CHAINS] = {1, 2, 3, 4};
  for (guint i = 0; is_shared && i < block->lanes; i += 2) {
    guint64 two = access->request.offset[i] | (guint64)access->request.offset[i + 1] << 32;
    smb_hash_mix(&hashes[i / 2 % CHAINS], two);
  }
  for (guint i = 0; !is_shared && i < block->lanes; i++)
    smb_hash_mix(&hashes[i % CHAINS], (guint64)(access->offset[i] - start));
  note_hashes(block, hashes);
}

// Where the lanes of @all go, those of @outside relative to @first. Returns whether the places outside differ.
static gboolean
note_each(SmbBlock *block, const Access *access, SmbLanes all, SmbLanes outside, gint64 first) {
  guint64 hashes[CHAINS] = {1, 2, 3, 4};
  gboolean spreads = FALSE;
  FOR_LANES(all, lane) {
    gboolean is_outside = outside >> lane & 1;
    gint64 offset = access->offset[lane] - (is_outside ? first : 0);
    smb_signature_note(block, find_object(block, access, lane));
    smb_hash_mix(&hashes[lane % CHAINS], (guint64)offset);
    spreads = spreads || (is_outside && offset != 0);
  }
  note_hashes(block, hashes);
  return spreads;
}

void
smb_signature_access(SmbBlock *block, const Move *move, const Access *access) {
  SmbLanes global = access->lanes[SPACE_GLOBAL], outside = global | access->lanes[SPACE_CONSTANT];
  gint64 first = outside ? access->offset[smb_lanes_first(outside)] : 0;
  SmbLanes all = outside | access->lanes[SPACE_SHARED] | access->lanes[SPACE_PRIVATE];
  smb_signature_note(block, (guint64)access->warp << 32 | move->site);
  smb_signature_note(block, all);
  gboolean spreads = access->common && outside && access->pattern != PATTERN_SAME;
  if (access->common)
    note_common(block, access, smb_lanes_first(all), outside != 0);
  else
    spreads = note_each(block, access, all, outside, first);
  // An access that is aligned to its width is in one segment, wherever that is.
  guint modulus = spreads ? smb_arch_info(block->arch)->global_segment_bytes : move->align;
  if (outside)
    smb_hash_mix(&block->signature->residues, (guint64)first % modulus);
  if (move->op_class != SMB_OP_CLASS_LOAD)
    block->signature->global_stores += (guint)__builtin_popcountll(global);
}

void
smb_signature_sources(SmbBlock *block, SmbLanes lanes, const guint64 *sources) {
  guint64 first = lanes ? sources[smb_lanes_first(lanes)] : 0;
  FOR_LANES(lanes, lane) {
    smb_signature_note(block, sources[lane] - first);
  }
  smb_hash_mix(&block->signature->residues, first % SMB_SOURCE_LINE_BYTES);
}

gboolean
smb_block_sign(SmbBlock *block, guint64 index, SmbSignature *signature) {
  *signature = (SmbSignature){0};
  block->signature = signature;
  gboolean ok = smb_block_run(block, index, NULL);
  block->signature = NULL;
  // What data decides may take other blocks to a limit that this one keeps to.
  const SmbProgram *program = block->program;
  if (block->steps > block->limits.max_steps / (1 + program->guarded_steps) ||
      signature->global_stores > smb_overlay_capacity(block->limits.max_memory))
    signature->is_alone = TRUE;
  return ok;
}

gboolean
smb_signature_matches(const SmbSignature *a, const SmbSignature *b) {
  return !a->is_alone && !b->is_alone && a->course == b->course && a->n_quotients == b->n_quotients;
}
