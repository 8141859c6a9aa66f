// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/grid/sampling.h"

#include "sim/time/dram/footprint.h"
#include "sim/time/grid/lot.h"

enum {
  N_SAMPLES = 4, // blocks of a launch that are compared
};

static void
free_sample(gpointer record) {
  smb_block_record_free(record);
}

// Blocks at even distances, the one in the middle first.
static gboolean
record_samples(SmbBlockRecorder *recorder, const SmbLaunch *launch, guint64 n_blocks,
               GPtrArray *records, GError **error) {
  guint64 middle = smb_footprint_middle(launch);
  for (guint64 i = 0; i < MIN(n_blocks, N_SAMPLES); i++) {
    guint64 block = (middle + i * (n_blocks / N_SAMPLES)) % n_blocks;
    SmbBlockRecord *record = smb_block_recorder_run(recorder, block, error);
    if (!record)
      return FALSE;
    g_ptr_array_add(records, record);
  }
  return TRUE;
}

// Whether a block learns what an atomic finds in global memory.
static gboolean
takes_tickets(const SmbBlockRecord *record) {
  for (guint r = 0; r < record->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(record->requests, SmbTimedRequest, r);
    if (request->is_load && request->is_store)
      return TRUE;
  }
  return FALSE;
}

// Lengths as if the last blocks were like @middle (transfer full); NULL: none is as long as @last.
static GArray *
shorten_last(const GArray *lengths, const SmbBlockRecord *last, const SmbBlockRecord *middle) {
  g_autoptr(GArray) shorter = g_array_copy((GArray *)lengths);
  gboolean is_there = FALSE;
  for (guint i = 0; i < lengths->len; i++) {
    guint32 *length = &g_array_index(shorter, guint32, i);
    guint64 apart = MAX(*length, last->instructions) - MIN(*length, last->instructions);
    gboolean is_last = apart * SMB_LOT_ALIKE <= last->instructions;
    *length = is_last ? (guint32)MIN(middle->instructions, G_MAXUINT32) : *length;
    is_there = is_there || is_last;
  }
  return is_there ? g_steal_pointer(&shorter) : NULL;
}

// What the last one of several blocks does that count how many have come: those along some dimensions, whichever make it do more than
// others. (transfer full) (nullable): none does; @n: (out): blocks that count together. What fails here is not what the launch does.
static SmbBlockRecord *
record_last(SmbBlockRecorder *recorder, const SmbLaunch *launch, const SmbBlockRecord *middle,
            guint64 *n) {
  SmbBlockRecord *last = NULL;
  guint64 most = middle->instructions + middle->instructions / SMB_LOT_ALIKE;
  for (guint set = 1; set < SMB_SHARINGS; set++) {
    guint64 together = 1;
    for (guint d = 0; d < 3 && together > 0; d++)
      together *= set >> d & 1 ? (launch->grid[d] > 1 ? launch->grid[d] : 0) : 1;
    if (together == 0)
      continue;
    smb_block_recorder_set_earlier(recorder, together - 1);
    SmbBlockRecord *record = smb_block_recorder_run(recorder, middle->block, NULL);
    if (record && record->instructions > most) {
      smb_block_record_free(last);
      most = record->instructions;
      last = g_steal_pointer(&record);
      *n = together;
    }
    smb_block_record_free(record);
  }
  return last;
}

SmbBlockRecorder *
smb_sampling_recorder(const SmbSampling *sampling, const SmbLaunch *launch, guint64 max_events,
                      GError **error) {
  SmbBlockRecorder *recorder = smb_block_recorder_new(sampling->program, sampling->arch, launch,
                                                      sampling->at_once, max_events, error);
  if (!recorder)
    return NULL;
  smb_block_recorder_set_cancel(recorder, sampling->is_cancelled, sampling->user);
  smb_block_recorder_set_move(recorder, &sampling->move);
  return recorder;
}

SmbBlockRecord *
smb_sampling_last(const SmbSampling *sampling, const SmbLaunch *launch,
                  const SmbBlockRecord *middle, guint64 *n, GArray **lengths) {
  SmbLaunch ended = *launch;
  ended.memory = launch->left ? launch->left : launch->memory;
  g_autoptr(SmbBlockRecorder) recorder =
      takes_tickets(middle) ? smb_sampling_recorder(sampling, &ended, SMB_MAX_EVENTS, NULL) : NULL;
  g_autoptr(SmbBlockRecord) last = recorder ? record_last(recorder, launch, middle, n) : NULL;
  *lengths = last && launch->lengths ? shorten_last(launch->lengths, last, middle) : NULL;
  return *lengths || !launch->lengths ? g_steal_pointer(&last) : NULL;
}

// A block of which the atomics find what those before it in the grid have added (transfer full) (nullable).
static SmbBlockRecord *
record_in_turn(const SmbSampling *sampling, const SmbLaunch *launch, const SmbBlockRecord *middle) {
  g_autoptr(SmbBlockRecorder) recorder =
      smb_sampling_recorder(sampling, launch, SMB_MAX_EVENTS, NULL);
  if (!recorder)
    return NULL;
  smb_block_recorder_set_earlier(recorder, middle->block);
  return smb_block_recorder_run(recorder, middle->block, NULL);
}

SmbRelay
smb_sampling_relay(const SmbSampling *sampling, const SmbLaunch *launch,
                   const SmbBlockRecord *middle) {
  SmbRelay relay = {0};
  SmbLaunch ended = *launch;
  ended.memory = launch->left;
  gboolean counts = takes_tickets(middle);
  g_autoptr(SmbBlockRecord) in_turn =
      launch->left && counts ? record_in_turn(sampling, launch, middle) : NULL;
  const SmbBlockRecord *polling = in_turn ? in_turn : middle;
  g_autoptr(SmbBlockRecorder) recorder =
      launch->left && smb_relay_waits(sampling->program, polling)
          ? smb_sampling_recorder(sampling, &ended, SMB_MAX_EVENTS, NULL)
          : NULL;
  if (recorder)
    smb_relay_find(recorder, sampling->program, launch, polling, counts, &relay);
  return relay;
}

gboolean
smb_sampling_hands_over(const SmbSampling *sampling, const SmbLaunch *launch,
                        const SmbBlockRecord *middle) {
  g_autoptr(SmbBlockRecorder) recorder =
      !launch->left && smb_relay_may_wait(sampling->program, middle)
          ? smb_sampling_recorder(sampling, launch, SMB_MAX_EVENTS, NULL)
          : NULL;
  return recorder && smb_relay_hands_over(recorder, middle, takes_tickets(middle));
}

// How far the lengths of blocks are from those that a run has shown.
static guint64
find_departure(const SmbLaunch *launch, const GPtrArray *records) {
  guint64 departure = 0;
  for (guint i = 0; i < records->len; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(records, i);
    guint64 shown = g_array_index(launch->lengths, guint32, record->block);
    departure += MAX(shown, record->instructions) - MIN(shown, record->instructions);
  }
  return departure;
}

// Blocks that do what they did in a run only on the memory that the launch has left, since most of it was so when they came: a minimum that others
// have found, for instance; those that wait for others do not. @launch: (inout): on that memory then; @ended: (out): that launch; @recorder, @records: (inout): of @launch
static void
choose_memory(const SmbSampling *sampling, const SmbLaunch **launch, SmbLaunch *ended,
              SmbBlockRecorder **recorder, GPtrArray **records) {
  guint64 departure = (*launch)->left && (*launch)->lengths ? find_departure(*launch, *records) : 0;
  if (departure == 0 || smb_relay_waits(sampling->program, g_ptr_array_index(*records, 0)))
    return;
  *ended = **launch;
  ended->memory = (*launch)->left;
  g_autoptr(GPtrArray) others = g_ptr_array_new_with_free_func(free_sample);
  g_autoptr(SmbBlockRecorder) other = smb_sampling_recorder(sampling, ended, SMB_MAX_EVENTS, NULL);
  if (!other || !record_samples(other, ended, smb_launch_n_blocks(ended), others, NULL) ||
      find_departure(ended, others) >= departure)
    return;
  *launch = ended;
  g_ptr_array_unref(*records);
  *records = g_steal_pointer(&others);
  smb_block_recorder_free(*recorder);
  *recorder = g_steal_pointer(&other);
}

gboolean
smb_sampling_run(const SmbSampling *sampling, const SmbLaunch **launch, SmbLaunch *ended,
                 SmbBlockRecorder **recorder, GPtrArray **records, GError **error) {
  g_autoptr(SmbBlockRecorder) first =
      smb_sampling_recorder(sampling, *launch, SMB_MAX_EVENTS, error);
  g_autoptr(GPtrArray) samples = g_ptr_array_new_with_free_func(free_sample);
  if (!first || !record_samples(first, *launch, smb_launch_n_blocks(*launch), samples, error))
    return FALSE;
  choose_memory(sampling, launch, ended, &first, &samples);
  *recorder = g_steal_pointer(&first);
  *records = g_steal_pointer(&samples);
  return TRUE;
}
