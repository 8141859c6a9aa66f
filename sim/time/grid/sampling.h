// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Blocks that stand for the others of a launch: some at even distances, the last one, and those that wait in a row.
//
// They are executed on the memory that the launch finds. After a run it is known how many instructions each block has executed. If the blocks come
// closer to that on the memory that the launch has left, most of it was so when they came: a minimum that others had found, for instance.
//
// Not modelled: memory as it was in between.
#pragma once

#include "sim/time/grid/relay.h"

G_BEGIN_DECLS

enum {
  SMB_MAX_EVENTS = 1 << 21, // of a block
};

/** SmbSampling: how blocks are executed; @at_once: blocks that run at the same time; @move: smb_block_recorder_set_move(); @is_cancelled: (nullable): smb_block_set_cancel(), of @user */
typedef struct {
  const SmbProgram *program;
  const SmbArch *arch;
  guint64 at_once;
  SmbTimedMove move;
  gboolean (*is_cancelled)(gpointer user);
  gpointer user;
} SmbSampling;

/** smb_sampling_recorder: @max_events, @error: as of smb_block_recorder_new(). Returns: (transfer full): what runs blocks of a launch */
SmbBlockRecorder *smb_sampling_recorder(const SmbSampling *sampling, const SmbLaunch *launch,
                                        guint64 max_events, GError **error);

/**
 * smb_sampling_run:
 * @launch: (inout): @ended, if its blocks do what a run has shown only on the memory that it has left
 * @ended: (out caller-allocates): that launch
 * @recorder: (out) (transfer full): of @launch
 * @records: (out) (transfer full) (element-type SmbBlockRecord): blocks at even distances, the one in the middle first
 * @error: those of smb_block_recorder_run()
 *
 * Returns: FALSE with an error
 */
gboolean smb_sampling_run(const SmbSampling *sampling, const SmbLaunch **launch, SmbLaunch *ended,
                          SmbBlockRecorder **recorder, GPtrArray **records, GError **error);

/**
 * smb_sampling_last:
 * @middle: a block of @launch
 * @n: (out): blocks that count together
 * @lengths: (out) (transfer full) (nullable): of all blocks as if there were no last one, if a run has shown them
 *
 * Returns: (transfer full) (nullable): what the last one of several blocks does that count how many have come, with what others have left if a
 * run has shown it; %NULL: none does more than the others
 */
SmbBlockRecord *smb_sampling_last(const SmbSampling *sampling, const SmbLaunch *launch,
                                  const SmbBlockRecord *middle, guint64 *n, GArray **lengths);

/** smb_sampling_relay: @middle: a block of @launch. Returns: whether blocks wait in a row, of a launch that a run has executed: to be released with
 * smb_relay_clear() */
SmbRelay smb_sampling_relay(const SmbSampling *sampling, const SmbLaunch *launch,
                            const SmbBlockRecord *middle);

/** smb_sampling_hands_over: @middle: a block of @launch. Returns: whether blocks of it wait for each other in a row, and nothing is known of what they
 * find then, since no run has executed it */
gboolean smb_sampling_hands_over(const SmbSampling *sampling, const SmbLaunch *launch,
                                 const SmbBlockRecord *middle);

G_END_DECLS
