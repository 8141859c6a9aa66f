// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/fuzz/source.h"

#include "sim/arch/arch.h"
#include "sim/base/parallel.h"
#include "sim/trace/pattern.h"

typedef struct {
  const SmbFuzzSource *source;
  SmbTrial trial;
  guint64 first_piece; // of the sequence
  SmbParallel *making; // its pieces; NULL: they are made
} Batch;

struct _SmbFuzzSource {
  SmbArch *arch;
  guint32 shared_bytes;
  guint64 seed;
  guint instruction;
  guint64 end;     // of the requests of the instruction
  guint64 started; // those before are in batches that were started
  guint64 taken;   // those before are in batches that were handed out
  Batch batches[2];
  guint next; // the batch that is handed out next
};

static void
make_source_piece(gpointer user, guint piece) {
  Batch *batch = user;
  const SmbFuzzSource *source = batch->source;
  const SmbInstruction *instruction = smb_instruction(source->instruction);
  // By its name, so that a longer table of instructions leaves the requests as they are.
  guint64 stream = (guint64)g_str_hash(instruction->name) << 32 | (batch->first_piece + piece);
  SmbRandom random = smb_random_new_stream(source->seed, stream);
  guint32 limit = smb_op_is_shared(instruction->op)
                      ? source->shared_bytes
                      : MIN(source->shared_bytes, SMB_CONSTANT_PROBE_BYTES);
  gsize first = (gsize)piece * SMB_FUZZ_PIECE_REQUESTS;
  gsize n = MIN(batch->trial.n - first, SMB_FUZZ_PIECE_REQUESTS);
  SmbRequest *requests = batch->trial.requests + first;
  for (gsize i = 0; i < n; i++) {
    smb_pattern_request(&random, SMB_NVIDIA_LANES, instruction->op, instruction->width, limit,
                        &requests[i]);
    if (instruction->whole_warp)
      requests[i].mask = G_MAXUINT32;
  }
  smb_wavefronts_count_span(source->arch, smb_counter_best(), requests, n,
                            batch->trial.predicted + first);
}

// What no other thread makes, this one does.
static void
finish_batch(Batch *batch) {
  smb_parallel_finish(g_steal_pointer(&batch->making));
}

SmbFuzzSource *
smb_fuzz_source_new(SmbArch *arch, gsize shared_bytes, guint64 seed) {
  SmbFuzzSource *source = g_new0(SmbFuzzSource, 1);
  source->arch = smb_arch_ref(arch);
  source->shared_bytes = (guint32)MIN(shared_bytes, G_MAXUINT32);
  source->seed = seed;
  for (guint i = 0; i < G_N_ELEMENTS(source->batches); i++) {
    source->batches[i].source = source;
    smb_trial_init(&source->batches[i].trial, SMB_FUZZ_BATCH_REQUESTS);
  }
  return source;
}

void
smb_fuzz_source_free(SmbFuzzSource *source) {
  if (!source)
    return;
  for (guint i = 0; i < G_N_ELEMENTS(source->batches); i++) {
    finish_batch(&source->batches[i]);
    smb_trial_clear(&source->batches[i].trial);
  }
  smb_arch_unref(source->arch);
  g_free(source);
}

// Sets the threads to work on the batch after all that were started, if there is one.
static void
start_batch(SmbFuzzSource *source, Batch *batch) {
  gsize n = (gsize)MIN(source->end - source->started, SMB_FUZZ_BATCH_REQUESTS);
  guint pieces = (guint)((n + SMB_FUZZ_PIECE_REQUESTS - 1) / SMB_FUZZ_PIECE_REQUESTS);
  finish_batch(batch); // an empty one, after the last of another instruction
  smb_trial_begin(&batch->trial, source->arch, source->instruction, n);
  batch->first_piece = source->started / SMB_FUZZ_PIECE_REQUESTS;
  source->started += n;
  batch->making = smb_parallel_start(pieces, g_get_num_processors(), make_source_piece, batch);
}

void
smb_fuzz_source_begin(SmbFuzzSource *source, guint instruction, guint64 first, guint64 end) {
  source->instruction = instruction;
  source->end = end;
  source->started = source->taken = first;
  source->next = 0;
  start_batch(source, &source->batches[0]);
}

SmbTrial *
smb_fuzz_source_next(SmbFuzzSource *source) {
  if (source->taken == source->end)
    return NULL;
  Batch *batch = &source->batches[source->next];
  finish_batch(batch);
  source->taken += batch->trial.n;
  source->next = 1 - source->next;
  start_batch(source, &source->batches[source->next]);
  return &batch->trial;
}
