// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/fuzz/source.h"

#include "sim/arch/arch.h"
#include "sim/trace/pattern.h"

enum {
  PIECES = SMB_FUZZ_BATCH_REQUESTS / SMB_FUZZ_PIECE_REQUESTS,
};

typedef struct _Batch Batch;

typedef struct {
  Batch *batch;
  guint index; // within the batch
} Piece;

struct _Batch {
  SmbTrial trial;
  guint64 first_piece; // of the sequence
  guint pending;       // pieces that are not made yet; guarded by the mutex of the source
  Piece pieces[PIECES];
};

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
  GThreadPool *pool;
  GMutex mutex;
  GCond made;
};

static void
make_piece(gpointer data, gpointer user_data) {
  const Piece *piece = data;
  SmbFuzzSource *source = user_data;
  Batch *batch = piece->batch;
  const SmbInstruction *instruction = smb_instruction(source->instruction);
  // By its name, so that a longer table of instructions leaves the requests as they are.
  guint64 stream =
      (guint64)g_str_hash(instruction->name) << 32 | (batch->first_piece + piece->index);
  SmbRandom random = smb_random_new_stream(source->seed, stream);
  guint32 limit = smb_op_is_shared(instruction->op)
                      ? source->shared_bytes
                      : MIN(source->shared_bytes, SMB_CONSTANT_PROBE_BYTES);
  gsize first = (gsize)piece->index * SMB_FUZZ_PIECE_REQUESTS;
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
  g_mutex_lock(&source->mutex);
  if (--batch->pending == 0)
    g_cond_signal(&source->made);
  g_mutex_unlock(&source->mutex);
}

SmbFuzzSource *
smb_fuzz_source_new(SmbArch *arch, gsize shared_bytes, guint64 seed) {
  SmbFuzzSource *source = g_new0(SmbFuzzSource, 1);
  source->arch = smb_arch_ref(arch);
  source->shared_bytes = (guint32)MIN(shared_bytes, G_MAXUINT32);
  source->seed = seed;
  g_mutex_init(&source->mutex);
  g_cond_init(&source->made);
  source->pool = g_thread_pool_new(make_piece, source, (int)g_get_num_processors(), FALSE, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(source->batches); i++) {
    Batch *batch = &source->batches[i];
    smb_trial_init(&batch->trial, SMB_FUZZ_BATCH_REQUESTS);
    for (guint piece = 0; piece < PIECES; piece++)
      batch->pieces[piece] = (Piece){batch, piece};
  }
  return source;
}

void
smb_fuzz_source_free(SmbFuzzSource *source) {
  if (!source)
    return;
  g_thread_pool_free(source->pool, FALSE, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS(source->batches); i++)
    smb_trial_clear(&source->batches[i].trial);
  g_cond_clear(&source->made);
  g_mutex_clear(&source->mutex);
  smb_arch_unref(source->arch);
  g_free(source);
}

// Sets the threads to work on the batch after all that were started, if there is one.
static void
start_batch(SmbFuzzSource *source, Batch *batch) {
  gsize n = (gsize)MIN(source->end - source->started, SMB_FUZZ_BATCH_REQUESTS);
  guint pieces = (guint)((n + SMB_FUZZ_PIECE_REQUESTS - 1) / SMB_FUZZ_PIECE_REQUESTS);
  smb_trial_begin(&batch->trial, source->arch, source->instruction, n);
  batch->first_piece = source->started / SMB_FUZZ_PIECE_REQUESTS;
  batch->pending = pieces; // no thread works on it yet
  source->started += n;
  for (guint i = 0; i < pieces; i++)
    g_thread_pool_push(source->pool, &batch->pieces[i], NULL);
}

static void
wait_for(SmbFuzzSource *source, const Batch *batch) {
  g_mutex_lock(&source->mutex);
  while (batch->pending > 0)
    g_cond_wait(&source->made, &source->mutex);
  g_mutex_unlock(&source->mutex);
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
  wait_for(source, batch);
  source->taken += batch->trial.n;
  source->next = 1 - source->next;
  start_batch(source, &source->batches[source->next]);
  return &batch->trial;
}
