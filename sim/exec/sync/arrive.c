// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Barriers in shared memory as chips before sm_90 have them: 8 bytes that the program initialises by a store, changes
// by atomics and tests by loads of its own, and one instruction that arrives (ATOMS.ARRIVE.64; ARRIVES.LDGSTSBAR.64,
// when the copies of the thread are complete, which they are at once here). Of n arrivals that a phase expects, the low
// word holds 2^30 - n, and the high word the phase in bit 31 and 2^31 less what is pending below it; so the last
// arrival carries into the phase. That is what ptxas of CUDA 13.0 writes for mbarrier.init, .arrive_drop,
// .pending_count and .test_wait.
#include <string.h>

#include "sim/base/range.h"
#include "sim/exec/sync/sync.h"
#include "sim/machine/check/checking.h"

#define EXPECTED_LIMIT (1u << 30)
#define PHASE          (1u << 31)

enum {
  WORD_BYTES = 4,
  OBJECT_BYTES = 2 * WORD_BYTES,
  MAX_EXPECTED = (1 << 20) - 1, // arrivals
};

// One arrival; TRUE: it completes the phase.
static gboolean
arrive_at_words(guint32 *words) {
  guint32 expected = EXPECTED_LIMIT - (words[0] & (EXPECTED_LIMIT - 1));
  guint32 before = words[1]++;
  if (!((before ^ words[1]) & PHASE))
    return FALSE;
  words[1] = (words[1] & PHASE) | ((PHASE - expected) & (PHASE - 1));
  return TRUE;
}

// Names a barrier by its address, and declares that its words do not race.
static void
note_object(Exec *exec, guint32 offset) {
  g_hash_table_add(exec->sync->arrivals, GUINT_TO_POINTER(offset + 1));
  for (guint at = 0; at < OBJECT_BYTES; at += WORD_BYTES)
    smb_shadow_exempt(exec->block->shadow, offset + at);
  smb_inspect_exempt(exec->block, offset, OBJECT_BYTES);
}

// The object of one lane, which is not known unless all its bytes are: what it was, and which bits of that are not
// known.
static void
arrive_at(Exec *exec, guint32 offset, guint32 *before, guint32 *unknown) {
  SmbBlock *block = exec->block;
  guchar *marks = block->shared_marks + offset;
  *unknown = 0;
  for (guint i = 0; i < OBJECT_BYTES; i++)
    *unknown |= marks[i] & MARK_KNOWN ? 0 : G_MAXUINT32;
  guint32 words[2];
  memcpy(words, block->shared + offset, sizeof words);
  memcpy(before, words, sizeof words);
  if (block->check)
    smb_inspect_arrive(block, exec->w, offset);
  if (*unknown)
    memset(marks, 0, OBJECT_BYTES);
  else if (arrive_at_words(words)) {
    smb_shadow_barrier(block->shadow);
    if (block->check)
      smb_inspect_complete(block, offset);
  }
  memcpy(block->shared + offset, words, sizeof words);
  note_object(exec, offset);
}

gboolean
smb_step_arrive(Exec *exec, const Step *step, SmbLanes lanes) {
  guint64 addresses[SMB_MAX_LANES];
  guint32 offsets[SMB_MAX_LANES], states[2][SMB_MAX_LANES] = {{0}}, unknown[SMB_MAX_LANES] = {0};
  guint flags;
  guint32 origin;
  if (!lanes)
    return TRUE;
  exec_list_traffic(exec, step, SMB_TRAFFIC_BARRIER,
                    (guint64)OBJECT_BYTES * smb_lanes_count(lanes));
  if (smb_transfer_addresses(exec, step->transfer, lanes, addresses, &flags, &origin) != lanes) {
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_ADDRESS, .origin = origin});
    smb_doubt_apart(exec, step, lanes, step_origin(exec, step));
    return TRUE;
  }
  exec_watch(exec, flags);
  if (!smb_shared_locate(exec->block, &step->transfer->move, exec->w, lanes, addresses, offsets))
    return FALSE;
  smb_provenance_explain(exec, step, addresses[smb_lanes_first(lanes)]);
  FOR_LANES(lanes, lane) {
    guint32 before[2];
    arrive_at(exec, offsets[lane], before, &unknown[lane]);
    states[0][lane] = before[0];
    states[1][lane] = before[1];
  }
  for (guint row = 0; row < 2 && step->compute.d != NO_ROW; row++)
    smb_row_set(exec->warp->registers, step->compute.d + row, lanes, states[row], unknown, 0,
                step_origin(exec, step));
  return TRUE;
}

// Whether 8 bytes hold a barrier at which no thread has arrived.
static gboolean
is_fresh(const SmbBlock *block, guint32 offset) {
  guint32 words[2];
  if (offset % OBJECT_BYTES || !smb_range_is_within(offset, OBJECT_BYTES, block->shared_bytes))
    return FALSE;
  memcpy(words, block->shared + offset, sizeof words);
  guint32 expected = EXPECTED_LIMIT - words[0];
  return expected > 0 && expected <= MAX_EXPECTED && words[1] == PHASE - expected;
}

// Whether a load tests such a barrier.
static gboolean
tests_barrier(Exec *exec, const Step *step, SmbLanes lanes) {
  const Transfer *transfer = step->transfer;
  guint32 offset = (guint32)transfer->offset - WORD_BYTES;
  if (transfer->address_rows)
    offset += row_values(exec->warp->registers, transfer->address)[smb_lanes_first(lanes)];
  if (g_hash_table_contains(exec->sync->arrivals, GUINT_TO_POINTER(offset + 1))) {
    if (exec->block->check)
      smb_inspect_await(exec->block, exec->w, lanes, offset);
    return TRUE;
  }
  if (!is_fresh(exec->block, offset))
    return FALSE;
  note_object(exec, offset);
  return TRUE;
}

gboolean
smb_step_test_arrivals(Exec *exec, const Step *step, SmbLanes lanes) {
  if (lanes && tests_barrier(exec, step, lanes)) {
    smb_spin_warn(exec, step);
    if (!smb_spin_may_look(exec, step, lanes))
      return TRUE;
  }
  return smb_step_load(exec, step, lanes);
}
