// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Shared memory of other blocks of a cluster. A multiprocessor asks for it through a port, in packets of 32 bytes (sim/count/peer-packets.h); banks matter little there.
// The numbers of the device are those of blocks that ask each other: its answers to others go through the same port.
//
// Not modelled: blocks of a cluster of which one is asked more than others, where fewer ask than are asked, and where the blocks are on the
// chip (8 of them that store take up to 1.5 times as long as 4, an H200).
#include "sim/time/replay/multiprocessor-impl.h"

enum {
  OPEN_CYCLES = 1024, // of what has been sent and not been served: assumed
};

double
smb_cluster_port_room(const Multiprocessor *sm, double start) {
  return MAX(start, sm->port - OPEN_CYCLES);
}

double
smb_cluster_port_ask(Multiprocessor *sm, const SmbTimedRequest *request, double start) {
  double each = smb_chip_packet_cycles(sm->chip, request->peer_class, request->packets);
  double begin = MAX(start, sm->port), cycles = request->packets * each;
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
