// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/count/peer-packets.h"

enum {
  SECTOR = 32, // bytes of a packet
  WORD_BYTES = 4,
  WORDS = SECTOR / WORD_BYTES,
  MAX_REQUEST = 16, // bytes of a lane: more are a copy in bulk
};

// What lanes do to a sector.
typedef struct {
  guint64 sector;
  guint32 bytes;       // a bit for each that is touched
  guint8 lanes[WORDS]; // of each word
} Touched;

static gboolean
are_consecutive(guint32 bytes) {
  guint32 low = bytes & -bytes, above = bytes + low;
  return (above & bytes) == 0;
}

static guint
count_sector_packets(SmbOpClass op_class, const Touched *touched) {
  guint most = 0;
  if (op_class == SMB_OP_CLASS_STORE)
    return are_consecutive(touched->bytes) ? 1 : 2;
  for (guint w = 0; w < WORDS; w++)
    most = MAX(most, touched->lanes[w]);
  return op_class == SMB_OP_CLASS_ATOMIC ? most : 1;
}

static Touched *
find_touched(Touched *all, guint *n, guint64 sector) {
  for (guint i = *n; i-- > 0;)
    if (all[i].sector == sector)
      return &all[i];
  all[*n] = (Touched){.sector = sector};
  return &all[(*n)++];
}

// Bytes of consecutive packets, each of which is asked for by itself.
static SmbPeerPackets
count_bulk_packets(SmbLanes mask, guint64 width) {
  guint64 packets = smb_lanes_count(mask) * ((width + SECTOR - 1) / SECTOR);
  return (SmbPeerPackets){packets, packets};
}

SmbPeerPackets
smb_peer_packets(SmbOpClass op_class, SmbLanes mask, guint64 width, const guint64 *addresses) {
  Touched all[2 * SMB_MAX_LANES]; // no lane's bytes are in more than two
  SmbPeerPackets counted = {0};
  guint n = 0, bytes = 0;
  if (width > MAX_REQUEST)
    return count_bulk_packets(mask, width);
  for (SmbLanes rest = mask; rest; rest &= rest - 1) {
    guint64 at = addresses[smb_lanes_first(rest)];
    for (guint64 end = at + width; at < end;) {
      guint place = at % SECTOR, length = (guint)MIN(end - at, SECTOR - place);
      Touched *touched = find_touched(all, &n, at / SECTOR);
      touched->bytes |= (guint32)(((G_GUINT64_CONSTANT(1) << length) - 1) << place);
      touched->lanes[place / WORD_BYTES]++;
      at += length;
    }
  }
  for (guint i = 0; i < n; i++) {
    counted.packets += count_sector_packets(op_class, &all[i]);
    bytes += (guint)__builtin_popcount(all[i].bytes);
  }
  if (op_class == SMB_OP_CLASS_ATOMIC)
    bytes = smb_lanes_count(mask) * (guint)width;
  counted.ideal = (bytes + SECTOR - 1) / SECTOR;
  return counted;
}
