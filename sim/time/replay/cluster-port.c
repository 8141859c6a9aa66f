// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Shared memory of other blocks of a cluster. A multiprocessor asks for it through a port, in packets of 32 bytes; banks matter little there.
// The numbers of the device are those of blocks that ask each other: its answers to others go through the same port.
//
// Not modelled: blocks of a cluster of which one is asked more than others, where fewer ask than are asked, and where the blocks are on the
// chip (8 of them that store take up to 1.5 times as long as 4, an H200).
#include "sim/time/replay/cluster-port.h"

#include "sim/time/replay/multiprocessor-impl.h"

enum {
  SECTOR = 1 << SMB_SECTOR_SHIFT,
  WORD_BYTES = 4,
  WORDS = SECTOR / WORD_BYTES,
  NARROW_PACKETS = 8, // of a store: more than these follow each other faster
  OPEN_CYCLES = 1024, // of what has been sent and not been served: assumed
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
count_packets(SmbOpClass op_class, const Touched *touched) {
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

guint
smb_cluster_port_count(SmbOpClass op_class, SmbLanes mask, guint width, const guint64 *addresses) {
  Touched all[2 * SMB_MAX_LANES]; // no lane's bytes are in more than two
  guint n = 0, packets = 0;
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
  for (guint i = 0; i < n; i++)
    packets += count_packets(op_class, &all[i]);
  return packets;
}

static double
packet_cycles(const SmbChip *chip, const SmbTimedRequest *request) {
  switch (request->peer_class) {
  case SMB_OP_CLASS_LOAD:
    return chip->peer_load;
  case SMB_OP_CLASS_STORE:
    return request->packets > NARROW_PACKETS ? chip->peer_store_wide : chip->peer_store;
  default:
    return chip->peer_atomic;
  }
}

double
smb_cluster_port_room(const Multiprocessor *sm, double start) {
  return MAX(start, sm->port - OPEN_CYCLES);
}

double
smb_cluster_port_ask(Multiprocessor *sm, const SmbTimedRequest *request, double start) {
  double begin = MAX(start, sm->port), cycles = request->packets * packet_cycles(sm->chip, request);
  sm->port = begin + cycles;
  sm->busy[SMB_UNIT_CLUSTER] += cycles;
  return begin + sm->chip->peer_latency;
}

double
smb_cluster_port_copy(Multiprocessor *sm, const SmbTimedRequest *request, double start) {
  double cycles = request->peer_bytes / sm->chip->peer_bulk;
  sm->port = MAX(start, sm->port) + cycles;
  sm->busy[SMB_UNIT_CLUSTER] += cycles;
  return sm->port + sm->chip->peer_latency;
}
