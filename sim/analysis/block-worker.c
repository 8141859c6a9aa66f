// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A worker runs blocks of a grid, one after the other, and counts what they do to memory.
#include "sim/analysis/impl.h"
#include "sim/arch/arch.h"
#include "sim/base/hash.h"
#include "sim/base/parallel.h"
#include "sim/count/peer-packets.h"
#include "sim/count/recall.h"

// The rounds of an atomic that is a loop, where the architecture's rule has them.
static void
count_rounds(const SmbArch *arch, const SmbRequest *request, guint64 times, SmbLoopTally *loops) {
  SmbLoop loop = smb_wavefronts_loop(arch, request);
  loops->requests += loop.rounds > 0 ? times : 0;
  loops->loads += loop.rounds * times;
  loops->load_wavefronts += loop.load_wavefronts * times;
  loops->swaps += loop.rounds * times;
}

// Some lanes of a warp give the addresses of matrices, and all take part.
static guint
count_active_lanes(const SmbArch *arch, const SmbRequest *request) {
  gboolean all = smb_op_address_lanes((SmbOp)request->op) < SMB_MAX_LANES;
  return all ? smb_arch_info(arch)->lanes : smb_lanes_count(request->mask);
}

// The array that the first lane of a request asks for. @name: what the machine calls it; of a union a member may be meant
static const char *
name_accessed_array(const Worker *worker, guint site, const char *name, const SmbRequest *request) {
  SmbLanes lanes = smb_request_lanes(request);
  const SmbArray *array =
      lanes ? smb_program_array_of(worker->program, request->offset[smb_lanes_first(lanes)],
                                   request->width, smb_program_site(worker->program, site)->opcode)
            : NULL;
  return array && array->least_scalar ? array->name : name;
}

// Requests are counted by warp; the total is their sum (analysis.c).
static void
count_shared(gpointer user, guint site, guint warp, const char *array, const SmbRequest *request) {
  Worker *worker = user;
  SmbAccess *access = &worker->sums.accesses[site];
  SmbTally *tally = &access->warps[warp];
  const SmbCosts *costs = smb_recall_count(worker->recall, site, request);
  const SmbWavefronts *cost = &costs->counted;
  gboolean first = access->worst.width == 0;
  if (first) {
    access->array = name_accessed_array(worker, site, array, request);
    access->first_block = worker->now.block;
  }
  if (first || cost->excess > access->worst_cost.excess ||
      (cost->excess == access->worst_cost.excess && worker->now.block < access->worst_block)) {
    access->worst = *request;
    access->worst_cost = *cost;
    access->worst_block = worker->now.block;
    access->worst_warp = warp;
  }
  if (worker->options->request)
    worker->options->request(worker->options->user, worker->now.block, warp,
                             smb_program_site(worker->program, site), request);
  if (worker->requests)
    smb_requests_note(worker->requests, site, warp, &worker->now, request);
  if (request->op == SMB_OP_ATOM_LOOP)
    count_rounds(worker->arch, request, worker->now.times, &access->loops);
  if (request->op == SMB_OP_CP_ASYNC_CA || request->op == SMB_OP_CP_ASYNC_CG)
    access->no_source |= !smb_wavefronts_copy_is_known(worker->arch, request);
  access->lanes += count_active_lanes(worker->arch, request) * worker->now.times;
  guint64 pipe_wavefronts = tally->pipe_wavefronts + costs->pipe.wavefronts * worker->now.times;
  smb_tally_count(tally, cost, worker->now.times);
  tally->pipe_wavefronts = pipe_wavefronts;
}

static void
count_idle(gpointer user, guint site, guint warp) {
  Worker *worker = user;
  SmbTally *tally = &worker->sums.accesses[site].warps[warp];
  tally->idle_issues += worker->now.times;
  tally->pipe_wavefronts += worker->now.times;
}

// Distinct values of lanes, which come to the beginning of their array.
static guint
count_distinct(guint64 *values, guint n) {
  guint8 found[2 * SMB_MAX_LANES] = {0}; // by hash: which of the distinct ones, from 1
  guint distinct = 0;
  for (guint i = 0; i < n; i++) {
    guint64 value = values[i];
    guint64 hash = 0;
    smb_hash_mix(&hash, value);
    gsize at = hash % G_N_ELEMENTS(found);
    while (found[at] && values[found[at] - 1] != value)
      at = (at + 1) % G_N_ELEMENTS(found);
    if (found[at])
      continue;
    values[distinct++] = value;
    found[at] = (guint8)distinct;
  }
  return distinct;
}

// Distinct addresses, and distinct segments.
typedef struct {
  guint addresses;
  guint segments;
} Distinct;

// Of addresses in rising order, as most are; else FALSE.
static gboolean
count_rising(const guint64 *asked, guint n, guint segment_shift, Distinct *distinct) {
  gboolean falls = FALSE;
  *distinct = (Distinct){n > 0, n > 0};
  for (guint i = 1; i < n; i++) {
    falls |= asked[i] < asked[i - 1];
    distinct->addresses += asked[i] != asked[i - 1];
    distinct->segments += asked[i] >> segment_shift != asked[i - 1] >> segment_shift;
  }
  return !falls;
}

// Of 32 lanes that ask side by side; else FALSE.
static gboolean
count_dense(const guint64 *addresses, guint width, guint segment_shift, Distinct *distinct) {
  guint64 first = addresses[0], stray = 0;
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    stray |= addresses[lane] ^ (first + (guint64)lane * width);
  guint64 last = addresses[SMB_NVIDIA_LANES - 1];
  distinct->addresses = SMB_NVIDIA_LANES;
  distinct->segments = (guint)((last >> segment_shift) - (first >> segment_shift)) + 1;
  return stray == 0;
}

static Distinct
count_lanes(const guint64 *addresses, SmbLanes mask, guint width, guint segment_shift) {
  guint64 asked[SMB_MAX_LANES];
  guint n = 0;
  Distinct distinct;
  if (mask == smb_lanes_below(SMB_NVIDIA_LANES) &&
      (count_dense(addresses, width, segment_shift, &distinct) ||
       count_rising(addresses, SMB_NVIDIA_LANES, segment_shift, &distinct)))
    return distinct;
  for (; mask; mask &= mask - 1, n++)
    asked[n] = addresses[smb_lanes_first(mask)];
  if (count_rising(asked, n, segment_shift, &distinct))
    return distinct;
  distinct.addresses = count_distinct(asked, n);
  for (guint i = 0; i < distinct.addresses; i++)
    asked[i] >>= segment_shift;
  distinct.segments = count_distinct(asked, distinct.addresses);
  return distinct;
}

// Segments that a request accesses. An access is aligned to its width, so it lies within one.
static void
count_global_segments(gpointer user, guint site, G_GNUC_UNUSED guint warp, const char *buffer,
                      SmbLanes mask, guint width, const guint64 *addresses) {
  Worker *worker = user;
  SmbGlobalAccess *access = &worker->sums.globals[site];
  Distinct distinct = count_lanes(addresses, mask, width, worker->segment_shift);
  guint bytes = distinct.addresses * width;
  guint segment_bytes = 1u << worker->segment_shift;
  if (access->requests == 0) {
    access->buffer = buffer;
    access->first_block = worker->now.block;
  }
  guint64 times = worker->now.times;
  access->requests += times;
  access->segments += distinct.segments * times;
  access->ideal += (bytes + segment_bytes - 1) / segment_bytes * times;
  access->max_segments = MAX(access->max_segments, distinct.segments);
  access->bytes += (guint64)smb_lanes_count(mask) * width * times;
}

static void
take_warning(gpointer user, SmbWarning kind, guint site, guint other, const char *message) {
  Worker *worker = user;
  SmbAnalysisWarning warning = {kind, site, other, worker->now.block, (char *)message};
  smb_warnings_note(worker->sums.warnings, &warning);
}

static void
count_uncounted(gpointer user, guint site, G_GNUC_UNUSED guint warp, G_GNUC_UNUSED SmbLanes mask,
                const char *reason, const SmbHint *hint) {
  Worker *worker = user;
  worker->sums.accesses[site].uncounted += worker->now.times;
  SmbAnalysisWarning warning = {.kind = SMB_WARNING_UNCOUNTED,
                                .site = site,
                                .other = site,
                                .block = worker->now.block,
                                .message = (char *)reason};
  if (hint)
    warning.hint = *hint;
  smb_warnings_note(worker->sums.warnings, &warning);
}

static void
count_unplaced(gpointer user, guint site, G_GNUC_UNUSED guint warp, G_GNUC_UNUSED SmbLanes mask,
               G_GNUC_UNUSED const char *reason, G_GNUC_UNUSED const SmbHint *hint) {
  Worker *worker = user;
  worker->sums.globals[site].uncounted += worker->now.times;
}

static void
count_traffic(gpointer user, SmbTraffic kind, guint site, guint64 bytes) {
  Worker *worker = user;
  SmbOtherTraffic *traffic = &worker->sums.traffic[site];
  traffic->kind = kind;
  traffic->executions += worker->now.times;
  if (bytes == SMB_BYTES_UNKNOWN)
    traffic->unsized += worker->now.times;
  else
    traffic->bytes += bytes * worker->now.times;
}

static void
count_peer(gpointer user, guint site, G_GNUC_UNUSED guint warp, SmbLanes mask, guint64 width,
           const guint64 *addresses) {
  Worker *worker = user;
  SmbOtherTraffic *traffic = &worker->sums.traffic[site];
  SmbOpClass op_class = smb_program_site(worker->program, site)->op_class;
  const SmbPeerPackets counted = smb_peer_packets(op_class, mask, width, addresses);
  traffic->packets += counted.packets * worker->now.times;
  traffic->ideal_packets += counted.ideal * worker->now.times;
}

// Those of block 0, each once.
static void
note_tile(gpointer user, guint site, char name, const SmbPlacement *placement,
          const SmbRequest *request) {
  Worker *worker = user;
  const SmbPlacedRows tile = {smb_program_site(worker->program, site), name, *placement, *request};
  if (worker->now.block != 0 || worker->tiles->len == SMB_ANALYSIS_MAX_PLACED)
    return;
  for (guint i = 0; i < worker->tiles->len; i++) {
    const SmbPlacedRows *other = &g_array_index(worker->tiles, SmbPlacedRows, i);
    if (other->site == tile.site && other->name == name &&
        memcmp(&other->placement, placement, sizeof *placement) == 0)
      return;
  }
  g_array_append_val(worker->tiles, tile);
}

// The first ones. Instructions that ask lane by lane are told so, until a lane comes again.
static void
note_peer_access(gpointer user, guint site, guint warp, SmbLanes mask, guint64 width,
                 const guint64 *addresses) {
  enum {
    MOST = 16, // bytes of a lane: a copy in bulk has more
  };
  Worker *worker = user;
  SmbPeerAccess *access = NULL;
  count_peer(user, site, warp, mask, width, addresses);
  if (worker->now.block != 0 || width > MOST)
    return;
  for (guint i = 0; i < worker->peers->len && !access; i++) {
    SmbPeerAccess *other = &g_array_index(worker->peers, SmbPeerAccess, i);
    access = other->site == smb_program_site(worker->program, site) ? other : NULL;
  }
  if (access && (access->warp != warp || access->lanes & mask || access->lanes > mask))
    return;
  if (!access) {
    const SmbPeerAccess fresh = {
        .site = smb_program_site(worker->program, site), .warp = warp, .width = (guint)width};
    g_array_append_val(worker->peers, fresh);
    access = &g_array_index(worker->peers, SmbPeerAccess, worker->peers->len - 1);
  }
  access->lanes |= mask;
  for (SmbLanes rest = mask; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest), rank;
    smb_peer_place(addresses[lane], &rank, &access->offset[lane]);
    access->rank[lane] = (guint8)rank; // that of block 0 is 0
  }
}

static void
count_constant(gpointer user, guint site, const char *name, const SmbRequest *request) {
  Worker *worker = user;
  SmbConstantAccess *access = &worker->sums.constants[site];
  SmbWavefronts cost;
  if (!request) {
    access->uncounted += worker->now.times;
    return;
  }
  smb_wavefronts_count_span(worker->arch, worker->counter, request, 1, &cost);
  if (!access->variable) {
    access->variable = name;
    access->first_block = worker->now.block;
  }
  smb_tally_count(&access->total, &cost, worker->now.times);
}

void
smb_worker_free(Worker *worker) {
  if (!worker)
    return;
  smb_sums_clear(&worker->sums);
  smb_requests_free(worker->requests);
  g_clear_pointer(&worker->tiles, g_array_unref);
  g_clear_pointer(&worker->peers, g_array_unref);
  smb_block_free(worker->block);
  smb_recall_free(worker->recall);
  g_free(worker);
}

SmbBlock *
smb_worker_new_block(Worker *worker, GError **error) {
  SmbBlock *block =
      smb_block_new(worker->program, worker->arch, worker->launch, &worker->options->limits,
                    &worker->sink, worker, worker->global, error);
  if (!block)
    return NULL;
  smb_block_set_races(block, worker->options->races);
  smb_block_set_cancel(block, worker->options->is_cancelled, worker->options->cancel_user);
  return block;
}

Worker *
smb_worker_new(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
               const SmbAnalysisOptions *options, SmbGlobal *global, GError **error) {
  Worker *worker = g_new0(Worker, 1);
  worker->arch = arch;
  worker->program = program;
  worker->launch = launch;
  worker->options = options;
  worker->global = global;
  worker->counter = smb_counter_best();
  worker->recall = smb_recall_new(arch, worker->counter, smb_program_is_machine_code(program));
  worker->segment_shift = (guint)__builtin_ctz(smb_arch_info(arch)->global_segment_bytes);
  smb_sums_init(&worker->sums, options->only_runs ? 0 : smb_program_n_sites(program));
  worker->requests = options->keep_requests ? smb_requests_new() : NULL;
  worker->tiles = options->keep_requests ? g_array_new(FALSE, FALSE, sizeof(SmbPlacedRows)) : NULL;
  worker->peers = options->keep_requests ? g_array_new(FALSE, FALSE, sizeof(SmbPeerAccess)) : NULL;
  worker->block = smb_worker_new_block(worker, error);
  if (worker->block)
    return worker;
  smb_worker_free(worker);
  return NULL;
}

gboolean
smb_queue_take(Queue *queue, SmbShare *share) {
  if (queue->next >= queue->end)
    return FALSE;
  *share = queue->shares ? g_array_index(queue->shares, SmbShare, queue->next)
                         : (SmbShare){queue->next, 1};
  if (queue->next < queue->first)
    share->times = 0;
  queue->next++;
  return share->block <= queue->failed_block;
}

void
smb_worker_note_facts(Worker *worker, const SmbBlock *block) {
  Sums *sums = &worker->sums;
  guint32 place;
  const char *idle = smb_block_idle(block, &place);
  if (idle && !sums->idle && smb_program_n_arrays(worker->program) > 0) {
    sums->idle = g_strdup(idle);
    sums->idle_place = place;
    smb_source_locate(smb_program_source(worker->program), sums->idle_place, &sums->idle_line,
                      &sums->idle_column);
  }
  sums->diverged = sums->diverged || smb_block_diverged(block);
  sums->misses_others = sums->misses_others || smb_block_misses_others(block);
  sums->is_cooperative = sums->is_cooperative || smb_block_is_cooperative(block);
}

void
smb_worker_turn_to(Worker *worker, const SmbShare *share) {
  static const SmbSink nobody = {0};
  static const SmbSink counts = {.shared = count_shared,
                                 .global = count_global_segments,
                                 .warn = take_warning,
                                 .uncounted = count_uncounted,
                                 .unplaced = count_unplaced,
                                 .traffic = count_traffic,
                                 .peer = count_peer,
                                 .constant = count_constant,
                                 .idle = count_idle};
  worker->now = *share;
  worker->sink = share->times ? counts : nobody;
  if (share->times && worker->tiles)
    worker->sink.tile = note_tile;
  if (share->times && worker->peers)
    worker->sink.peer = note_peer_access;
}

void
smb_worker_end_block(Worker *worker, const SmbBlock *block, Queue *queue, GError *error) {
  guint64 instructions = block ? smb_block_instructions(block) : 0;
  worker->sums.instructions += instructions * worker->now.times;
  if (worker->options->lengths)
    g_array_index(worker->options->lengths, guint32, worker->now.block) =
        (guint32)MIN(instructions, G_MAXUINT32);
  smb_progress_add(queue->progress, 1);
  if (!error)
    return;
  g_mutex_lock(&queue->lock);
  if (worker->now.block < queue->failed_block) {
    queue->failed_block = worker->now.block;
    g_clear_error(&queue->error);
    queue->error = g_steal_pointer(&error);
  }
  g_mutex_unlock(&queue->lock);
  g_clear_error(&error);
}

// Takes blocks, in order, until there are none or an earlier one has failed.
static void
run_queued_blocks(Worker *worker, Queue *queue) {
  SmbShare share;
  for (;;) {
    g_mutex_lock(&queue->lock);
    gboolean taken = smb_queue_take(queue, &share);
    g_mutex_unlock(&queue->lock);
    if (!taken)
      break;
    GError *error = NULL;
    smb_worker_turn_to(worker, &share);
    smb_block_run(worker->block, share.block, &error);
    smb_worker_end_block(worker, worker->block, queue, error);
  }
  smb_worker_note_facts(worker, worker->block);
}

typedef struct {
  const GPtrArray *workers;
  Queue *queue;
} Crew;

static void
run_worker(gpointer user, guint item) {
  const Crew *crew = user;
  run_queued_blocks(g_ptr_array_index(crew->workers, item), crew->queue);
}

void
smb_workers_run(const GPtrArray *workers, Queue *queue) {
  Crew crew = {workers, queue};
  smb_parallel_run(workers->len, workers->len, run_worker, &crew);
}
