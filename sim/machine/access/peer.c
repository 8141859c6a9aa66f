// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Shared memory of the other blocks of a cluster: what a lane loads there, stores, or changes. It is no request of the block's own
// shared memory, and none is reported. Races between blocks are not looked for.
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/machine/access/access.h"
#include "sim/machine/check/checking.h"
#include "sim/machine/access/chunk.h"

enum {
  WORD_BYTES = 4,
};

// An H100 (driver 580, 2026-11-28): beyond what any block can have of shared memory it is an illegal address; else the launch fails,
// as where there is no such block.
static SmbFault
find_peer_fault(const SmbBlock *block, guint64 offset) {
  return offset < smb_arch_info(block->arch)->max_shared_bytes ? SMB_FAULT_TRAP : SMB_FAULT_ADDRESS;
}

// On an H100 a launch that loads from there fails, if the block is gone by then; stores are lost.
static void
tell_ended(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 rank) {
  const CheckFound found = {.kind = SMB_DEFECT_ADDRESS,
                            .site = move->site,
                            .other = G_MAXUINT,
                            .warp = warp,
                            .lane = lane,
                            .other_thread = G_MAXUINT};
  if (smb_inspect_counts(block, &found))
    return;
  g_autofree char *thread = smb_inspect_thread(block, warp * block->lanes + lane);
  smb_inspect_tell(block, &found,
                   "the shared memory of block %" G_GUINT64_FORMAT
                   " of the cluster, which may have ended, by %s",
                   rank, thread);
}

void
smb_peer_place(guint64 address, guint *above, guint32 *offset) {
  guint64 at = address - make_pointer(SHARED_OBJECT, 0);
  *above = (guint)((at + CLUSTER_BELOW) >> CLUSTER_SHIFT);
  *offset = (guint32)(at - ((guint64)*above << CLUSTER_SHIFT));
}

gboolean
smb_peer_find(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
              PeerPlace *place) {
  guint64 start = make_pointer(SHARED_OBJECT, 0);
  guint64 above = (address - start + CLUSTER_BELOW) >> CLUSTER_SHIFT;
  guint32 offset = (guint32)(address - start - (above << CLUSTER_SHIFT));
  guint64 rank = block->rank ^ above;
  g_autofree char *problem = NULL;
  place->block = rank < block->peers->n ? block->peers->blocks[rank] : NULL;
  if (offset % move->align) {
    g_autofree char *of =
        g_strdup_printf("the shared memory of block %" G_GUINT64_FORMAT " of the cluster", rank);
    return smb_access_misalign(block, move, warp, lane, offset, of);
  }
  if (!place->block) {
    smb_access_fault(block, SMB_FAULT_TRAP);
    problem = g_strdup_printf("out of bounds: the shared memory of block %" G_GUINT64_FORMAT
                              " of a cluster that has %u",
                              rank, block->peers->n);
  } else if (!smb_shared_find(place->block, start + offset, move->width, &place->offset)) {
    smb_access_fault(block, find_peer_fault(block, offset));
    problem =
        g_strdup_printf("out of bounds: byte %u of the shared memory of block %" G_GUINT64_FORMAT
                        " of the cluster, which has %" G_GSIZE_FORMAT " bytes",
                        offset, rank, place->block->shared_bytes);
  }
  if (problem)
    return smb_access_fail(block, move, warp, lane, problem);
  if (block->check && place->block->has_ended)
    tell_ended(block, move, warp, lane, rank);
  return TRUE;
}

static void
read_peer_place(const PeerPlace *place, const Move *move, guint lane, MarkedWords *words) {
  for (guint at = 0; at < move->width; at += WORD_BYTES) {
    gsize n = MIN(move->width - at, WORD_BYTES);
    guint32 value = 0, mark = MARKS_KNOWN;
    memcpy(&value, place->block->shared + place->offset + at, n);
    memcpy(&mark, place->block->shared_marks + place->offset + at, n);
    words->values[at / WORD_BYTES][lane] = value;
    words->marks[at / WORD_BYTES][lane] = mark;
  }
}

// Its threads find there what was written.
static void
note_peer_written(const PeerPlace *place, gsize bytes) {
  smb_shadow_fill(place->block->shadow, place->offset, bytes);
  smb_inspect_set(place->block, place->offset, bytes);
  smb_chunk_clear(place->block, place->offset, bytes);
  ++*place->block->peers->changes;
}

static void
write_peer_place(const PeerPlace *place, const Move *move, guint lane, const MarkedWords *words) {
  for (guint at = 0; at < move->width; at += WORD_BYTES) {
    gsize n = MIN(move->width - at, WORD_BYTES);
    memcpy(place->block->shared + place->offset + at, &words->values[at / WORD_BYTES][lane], n);
    memcpy(place->block->shared_marks + place->offset + at, &words->marks[at / WORD_BYTES][lane],
           n);
  }
  note_peer_written(place, move->width);
}

gboolean
smb_peer_load(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
              const guint64 *addresses, MarkedWords *words) {
  FOR_LANES(lanes, lane) {
    PeerPlace place;
    if (!smb_peer_find(block, move, warp, (guint)lane, addresses[lane], &place))
      return FALSE;
    if (block->check)
      smb_inspect_peer_read(block, move, warp, (guint)lane, &place);
    read_peer_place(&place, move, (guint)lane, words);
  }
  return TRUE;
}

gboolean
smb_peer_store(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
               const guint64 *addresses, const MarkedWords *words) {
  FOR_LANES(lanes, lane) {
    PeerPlace place;
    if (!smb_peer_find(block, move, warp, (guint)lane, addresses[lane], &place))
      return FALSE;
    write_peer_place(&place, move, (guint)lane, words);
  }
  return TRUE;
}

gboolean
smb_peer_atomic(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                const guint64 *addresses, const MarkedWords *operand, const MarkedWords *swap,
                MarkedWords *before) {
  MarkedWords after;
  FOR_LANES(lanes, lane) {
    PeerPlace place;
    if (!smb_peer_find(block, move, warp, (guint)lane, addresses[lane], &place))
      return FALSE;
    if (block->check && move->reads)
      smb_inspect_peer_read(block, move, warp, (guint)lane, &place);
    read_peer_place(&place, move, (guint)lane, before);
    smb_words_update(move, (guint)lane, FALSE, operand, swap, before, &after);
    write_peer_place(&place, move, (guint)lane, &after);
  }
  return TRUE;
}

gboolean
smb_peer_read(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
              guchar *bytes, guchar *marks) {
  PeerPlace place;
  if (!smb_peer_find(block, move, warp, lane, address, &place))
    return FALSE;
  if (block->check)
    smb_inspect_peer_read(block, move, warp, lane, &place);
  memcpy(bytes, place.block->shared + place.offset, move->width);
  memcpy(marks, place.block->shared_marks + place.offset, move->width);
  return TRUE;
}

gboolean
smb_peer_write(SmbBlock *block, const Move *move, guint warp, guint lane, guint64 address,
               const guchar *bytes, const guchar *marks) {
  PeerPlace place;
  if (!smb_peer_find(block, move, warp, lane, address, &place))
    return FALSE;
  memcpy(place.block->shared + place.offset, bytes, move->width);
  memcpy(place.block->shared_marks + place.offset, marks, move->width);
  note_peer_written(&place, move->width);
  return TRUE;
}

void
smb_peer_forget(SmbBlock *block) {
  for (guint i = 0; i < block->peers->n; i++) {
    SmbBlock *peer = block->peers->blocks[i];
    if (peer != block)
      smb_shared_forget(peer);
  }
}
