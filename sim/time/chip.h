// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A device as its clock sees it: how many multiprocessors it has, how fast they do what. Devices are data (data/devices/*.ini, group
// [time]), apart from the model that they are the numbers of (sim/time/replay/multiprocessor.h); each file says how its numbers were found.
// A device that nobody has measured is like one that was: its file has what documents say of it and "like=NAME", and the rest is that one's. What
// follows from the bandwidth of DRAM, or from the size of the second-level cache, is scaled by them (chip-numbers.def).
#pragma once

#include <glib.h>

#include "sim/arch/arch.h"
#include "sim/program/timing.h"

G_BEGIN_DECLS

enum {
  SMB_MAX_QUEUE = 64,   // entries of the queue of a sub-partition
  SMB_MAX_SLICES = 256, // of the second-level cache
  SMB_MAX_FMA_PIPES = 2,
};

/**
 * SmbChip:
 * @name: as it is asked for: "h100"
 * @title: as texts call it: "H100"
 * @arch: its architecture
 * @evidence: of its times
 * @source: what was measured, and how
 * @error: how far predictions were off on average, as a part of what was measured; 0: they were not compared
 * @error_of: (nullable): of which launches
 * @multiprocessors: that run blocks
 * @clock_khz: of these, at most
 * @memory_clock_khz, @memory_bus_bits: of DRAM, which moves two bits of each line in a cycle
 * @l2_bytes: of the second-level cache
 * @rate: for each SmbRate: cycles that an instruction of a warp occupies the pipe of its sub-partition; 0 of those without one
 */
typedef struct {
  char *name;
  char *title;
  char *arch;
  SmbEvidence evidence;
  char *source;
  double error;
  char *error_of;
  double multiprocessors;
  double clock_khz;
  double memory_clock_khz, memory_bus_bits;
  double l2_bytes;
  double rate[SMB_N_RATES];
#define NUMBER(member, key) double member;
#include "sim/time/chip-numbers.def"
#undef NUMBER
} SmbChip;

/**
 * smb_chip_load:
 * @name: (nullable): of a file in data/devices without its ending, in any case; %NULL: the first one of @arch
 * @error: SMB_ERROR_USAGE for a name that is not there, or a device of another architecture; SMB_ERROR_INPUT for a file that lacks
 *   something
 *
 * Returns: (transfer full): the device; %NULL without an error: no device of @arch has times
 */
SmbChip *smb_chip_load(const char *name, const SmbArch *arch, GError **error);
/** smb_chip_is_measured: whether its times were measured, as those of a user's file are taken to be */
gboolean smb_chip_is_measured(const SmbChip *chip);
/** smb_chip_packet_cycles: Returns: of the port to other blocks of the cluster, for each of so many packets of a request, where the blocks ask each other */
double smb_chip_packet_cycles(const SmbChip *chip, guint op_class, guint packets);
/** smb_chip_ref: @chip: (nullable). Returns: (transfer full): the same, for one more owner */
SmbChip *smb_chip_ref(SmbChip *chip);
/** smb_chip_free: An owner has done with it. */
void smb_chip_free(SmbChip *chip);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbChip, smb_chip_free)

G_END_DECLS
