// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the warps of a block executed, instruction by instruction, with what each asked of memory: the input of the clock
// (sim/time/replay/multiprocessor.h). Blocks are run for it by themselves, on the contents that the launch gives.
#pragma once

#include <glib.h>

#include "sim/launch/launch.h"
#include "sim/machine/block.h"
#include "sim/time/chip.h"
#include "sim/time/record/touches.h"

G_BEGIN_DECLS

enum {
  SMB_LINE_SHIFT = 7, // of the first-level cache: 128 bytes
  SMB_SECTOR_SHIFT = 5,
  SMB_LINE_SECTORS = 1 << (SMB_LINE_SHIFT - SMB_SECTOR_SHIFT),
};

/** SmbTimedLine: a line of global memory that a request touches; @sectors: a bit for each of its four; @news: the pairs of them
 * (smb_sector_pairs()) that a load asks for, and no request of the block has touched before; @words: that a store writes as a whole, or an atomic changes, a bit for each; @lanes: of an atomic, that change the
 * line, and @same: the most that change one word of it; @full_turns: with 32 bytes of operands at different words, that its slice of the
 * second-level cache takes for it, and @other_turns: with fewer */
typedef struct {
  guint64 line;
  guint32 words;
  guint8 sectors;
  guint8 news;
  guint8 lanes;
  guint8 same;
  guint8 full_turns;
  guint8 other_turns;
} SmbTimedLine;

/** smb_sector_pairs: Returns: of sectors of a line, the first of each pair of which one is among them: bit 0, bit 2 */
static inline guint8
smb_sector_pairs(guint sectors) {
  return (guint8)((sectors | sectors >> 1) & 5);
}

/**
 * SmbTimedRequest: what one execution of an instruction asks of memory
 * @site: in the program; of several the first; of an instruction of textures one behind those of the program (smb_timed_sites())
 * @wavefronts: of the pipe of shared memory
 * @ideal: those if no two lanes conflicted
 * @loads: of the same pipe, as it is that of the first-level cache, if that looks up its lines meanwhile; @banks: if it does so beside it
 * @sectors: of its lines
 * @turns: of the unit that looks up textures; @is_element: of elements of memory or of a surface, by their numbers
 * @same: lanes of an atomic that change one word, the most of any
 * @first, @n: of SmbBlockRecord.lines
 * @phase: of a barrier, in SmbBlockRecord.phases, from 1; 0: none
 * @actions: SmbPhaseAction, at @phase
 * @bytes: that a copy in bulk moves; 0: it is none
 * @more_blocks: of the cluster get the same copy (multicast): as many others send theirs to this one
 * @packets: to and from other blocks of the cluster (smb_peer_packets()), by @peer_class, SmbOpClass
 * @peer_bytes: that a copy in bulk sends there
 * @is_load: something of global memory comes back, of the device's own
 * @is_store: something goes there
 * @is_real: of an atomic, that its numbers are real ones; @is_swap: that it compares and swaps
 * @loads_host: something of memory of the host comes back, and then nothing of the device's
 * @stores_host: something goes there
 * @is_strong: it loads past the first-level cache
 * @is_local: of memory that each thread has of its own, which a store leaves in the first-level cache as well
 * @is_box: of a tensor
 */
typedef struct {
  guint32 site;
  guint16 wavefronts;
  guint16 ideal;
  guint16 loads;
  guint16 banks;
  guint16 sectors;
  guint16 same;
  guint32 phase;
  guint32 bytes;
  guint32 peer_bytes;
  guint16 packets;
  guint16 turns;
  guint8 peer_class;
  guint8 more_blocks;
  guint8 actions;
  gboolean is_load;
  gboolean is_store;
  gboolean loads_host;
  gboolean stores_host;
  gboolean is_strong;
  gboolean is_local;
  gboolean is_box;
  gboolean is_real;
  gboolean is_swap;
  gboolean is_element;
  guint32 first;
  guint32 n;
} SmbTimedRequest;

/**
 * SmbTimedPhase: of a barrier: it ends when all have arrived, copies in bulk included
 * @arrivals: how often that happens
 * @announced: bytes of copies, and @copied: those of which it is known
 * @n_unsized: copies whose bytes are not known
 */
typedef struct {
  guint32 arrivals;
  guint32 n_unsized;
  guint64 announced;
  guint64 copied;
} SmbTimedPhase;

/** SmbFlow: where a warp goes on after an instruction */
typedef enum {
  SMB_FLOW_ON,     /* at the next instruction, or with lanes that have been elsewhere */
  SMB_FLOW_TAKEN,  /* all of its lanes elsewhere */
  SMB_FLOW_PARTS,  /* some lanes elsewhere, others not */
  SMB_FLOW_MEETS,  /* lanes that have waited for each other, or that need not */
  SMB_FLOW_IDLE,   /* at the next instruction: no lane has executed this one */
  SMB_FLOW_OTHERS, /* others that an indirect branch has sent elsewhere, for the first time */
} SmbFlow;

/**
 * SmbEvent: an executed instruction
 * @number: of its SmbTiming
 * @flow: SmbFlow
 * @request: of SmbBlockRecord.requests, from 1; 0: none, no lane was active, or what it asks for is not known
 */
typedef struct {
  guint32 number : 29;
  guint32 flow : 3;
  guint32 request;
} SmbEvent;

/**
 * SmbBlockRecord: a block
 * @block: its number in the grid
 * @warps: (element-type GArray of SmbEvent): by warp
 * @requests: (element-type SmbTimedRequest)
 * @lines: (element-type SmbTimedLine)
 * @phases: (element-type SmbTimedPhase): of its barriers
 * @has_common: some of its warps touch the same lines of global memory
 * @stored: words of lines that the block stores: line → a bit for each
 * @loaded_at, @stored_at: (nullable): words that it loads past the first-level cache, and that it stores, by anything but atomics: number of
 *   the word → SmbTimedTouch, the first (smb_block_recorder_set_touches())
 * @instructions: executed, those that were not kept included
 * @kept: of them
 * @untimed: (nullable) (transfer none): the first instruction whose time is not modelled, by its opcode's place; G_MAXUINT32: none
 * @is_managed: it uses managed memory
 * @unplaced: (element-type SmbUnplaced): accesses to global memory that are not known
 * @called: (nullable) (transfer none): a function of the device's run-time system that it calls: how long that takes is not modelled
 */
typedef struct {
  guint64 block;
  GPtrArray *warps;
  GArray *requests;
  GArray *lines;
  GArray *phases;
  gboolean has_common;
  GHashTable *stored;
  GHashTable *loaded_at;
  GHashTable *stored_at;
  guint64 instructions;
  guint64 kept;
  guint32 untimed;
  gboolean is_managed;
  GArray *unplaced;
  const char *called;
} SmbBlockRecord;

typedef struct _SmbBlockRecorder SmbBlockRecorder;

/**
 * smb_block_recorder_new:
 * @program: machine code (smb_program_is_machine_code())
 * @at_once: blocks that run at the same time
 * @max_events: instructions of a block that are kept, of all its warps together
 * @error: those of smb_block_new()
 *
 * Returns: (transfer full): what runs blocks of the launch; for one thread
 */
SmbBlockRecorder *smb_block_recorder_new(const SmbProgram *program, const SmbArch *arch,
                                         const SmbLaunch *launch, guint64 at_once,
                                         guint64 max_events, GError **error);

/** smb_block_recorder_set_cancel: as smb_block_set_cancel(), of all blocks that it runs */
void smb_block_recorder_set_cancel(SmbBlockRecorder *recorder,
                                   gboolean (*is_cancelled)(gpointer user), gpointer user);

/** smb_block_recorder_set_earlier: as smb_block_set_earlier(), of all blocks that it runs from now on */
void smb_block_recorder_set_earlier(SmbBlockRecorder *recorder, guint64 n_blocks);

/** SmbTimedMove: what becomes of requests of shared memory if arrays lie otherwise: @move (nullable) returns that, which it may put into @moved */
typedef struct {
  const SmbRequest *(*move)(gconstpointer user, const SmbRequest *request, SmbRequest *moved);
  gconstpointer user;
} SmbTimedMove;

/** smb_block_recorder_set_move: requests are counted as they are made then; what blocks do with memory stays as it is */
void smb_block_recorder_set_move(SmbBlockRecorder *recorder, const SmbTimedMove *move);

/** smb_block_recorder_set_touches: records from now on say where a block has first asked for each word */
void smb_block_recorder_set_touches(SmbBlockRecorder *recorder);
void smb_block_recorder_free(SmbBlockRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbBlockRecorder, smb_block_recorder_free)

/** smb_block_recorder_run: Returns: (transfer full): what block @index executes; %NULL with the errors of smb_block_run() */
SmbBlockRecord *smb_block_recorder_run(SmbBlockRecorder *recorder, guint64 index, GError **error);
void smb_block_record_free(SmbBlockRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbBlockRecord, smb_block_record_free)

G_END_DECLS
