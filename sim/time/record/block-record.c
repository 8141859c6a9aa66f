// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Runs a block, and writes down what its warps execute.
#include "sim/time/record/block-record.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/count/peer-packets.h"
#include "sim/count/recall.h"
#include "sim/machine/access/lanes.h"
#include "sim/program/inside.h"
#include "sim/time/record/line-words.h"
#include "sim/time/record/path.h"
#include "sim/time/record/request-lines.h"
#include "sim/time/record/timed-sites.h"
#include "sim/time/record/unplaced.h"
#include "sim/time/replay/texture-unit.h"

enum {
  MAX_STEPS = 1 << 26, // of a block: one that waits for what nobody writes runs as long
};

// Where local memory is taken to begin, apart from all buffers, and how far that of two warps is apart.
#define LOCAL_START (G_GUINT64_CONSTANT(1) << 56)
#define LOCAL_BYTES (G_GUINT64_CONSTANT(1) << 24)
// Where copies are taken to be of which it is not known where they are, by block.
#define UNKNOWN_START (G_GUINT64_CONSTANT(1) << 59)
#define BLOCK_SHIFT   30

// A copy whose bytes are not known until the phase that it completes is.
typedef struct {
  guint32 request; // from 1
  guint warp;
  guint64 address;
} Unsized;

struct _SmbBlockRecorder {
  const SmbProgram *program;
  SmbSink sink;
  SmbBlock *block;
  SmbRecall *recall;
  SmbTimedMove move;
  guint max_warp_events;
  guint32 *last; // by site: the request of shared memory that it made last, from 1
  SmbPath paths[SMB_MAX_WARPS];
  guint32 *texture_sites; // by instruction
  guint32
      textures; // an instruction of textures of which it is not known yet what it asks for; G_MAXUINT32: none
  gboolean has_touches;
  gboolean is_kept;     // the instruction that is executed now,
  guint32 number;       // and which one it is
  GHashTable *seen;     // lines of the block: the sectors that were touched
  GHashTable *phases;   // by barrier and number: their place in SmbBlockRecord.phases, from 1
  GArray *unsized;      // Unsized
  const GArray *memory; // of the launch
  SmbBlockRecord *record;
};

static GArray *
warp_events(const SmbBlockRecord *record, guint warp) {
  return g_ptr_array_index(record->warps, warp);
}

static const SmbTiming *
timing_of(const SmbProgram *program, guint32 number) {
  return &g_array_index(program->timings, SmbTiming, number);
}

// A test of a barrier that fails is one of many, as time has it: a replay tests once, and waits.
static void
drop_failed_test(SmbBlockRecorder *recorder, GArray *events) {
  const SmbEvent *last = events->len ? &g_array_index(events, SmbEvent, events->len - 1) : NULL;
  if (!last || last->request ||
      timing_of(recorder->program, last->number)->rate != SMB_RATE_PHASE_WAIT)
    return;
  g_array_set_size(events, events->len - 1);
  recorder->record->kept--;
  recorder->record->instructions--;
}

static void
note_flow(SmbBlockRecorder *recorder, GArray *events, SmbPath *path, guint32 next,
          SmbLanes active) {
  SmbEvent *last = events->len ? &g_array_index(events, SmbEvent, events->len - 1) : NULL;
  if (last && last->number == path->number)
    last->flow =
        smb_path_flow(path, timing_of(recorder->program, last->number)->rate, next, active);
}

// Nobody has said what it asks for: its textures are not known.
static void
settle_textures(SmbBlockRecorder *recorder) {
  recorder->record->untimed = MIN(recorder->record->untimed, recorder->textures);
  recorder->textures = G_MAXUINT32;
}

static void
note_executed(gpointer user, guint warp, guint32 place, guint n, SmbLanes lanes, SmbLanes active) {
  SmbBlockRecorder *recorder = user;
  SmbBlockRecord *record = recorder->record;
  GArray *events = warp_events(record, warp);
  guint32 last = place / SMB_TIMING_BYTES;
  settle_textures(recorder);
  drop_failed_test(recorder, events);
  SmbPath *path = &recorder->paths[warp];
  note_flow(recorder, events, path, last + 1 - n, active);
  *path = (SmbPath){last, lanes, active, path->scattered};
  record->instructions += n;
  recorder->number = last;
  recorder->is_kept = events->len + n <= recorder->max_warp_events;
  if (!recorder->is_kept)
    return;
  record->kept += n;
  for (guint32 number = last + 1 - n; number <= last; number++) {
    const SmbEvent event = {.number = number};
    g_array_append_val(events, event);
    gboolean is_executed = number < last || lanes; // a NANOSLEEP behind a test that succeeds is not
    if (is_executed && timing_of(recorder->program, number)->rate == SMB_RATE_UNTIMED)
      record->untimed = MIN(record->untimed, number);
  }
  if (lanes && smb_is_texture(recorder->program, last))
    recorder->textures = last;
}

static void
note_called(gpointer user, G_GNUC_UNUSED guint warp, const char *function) {
  ((SmbBlockRecorder *)user)->record->called = function;
}

// The request of the instruction that the warp executes now, or NULL: it is not kept.
static SmbTimedRequest *
current_request(SmbBlockRecorder *recorder, guint warp, guint site) {
  SmbBlockRecord *record = recorder->record;
  GArray *events = warp_events(record, warp);
  if (events->len == 0 || !recorder->is_kept)
    return NULL;
  SmbEvent *event = &g_array_index(events, SmbEvent, events->len - 1);
  if (!event->request) {
    const SmbTimedRequest request = {.site = site, .first = record->lines->len};
    g_array_append_val(record->requests, request);
    event->request = record->requests->len;
  }
  return &g_array_index(record->requests, SmbTimedRequest, event->request - 1);
}

static const SmbTiming *
current_timing(const SmbBlockRecorder *recorder, guint warp) {
  const GArray *events = warp_events(recorder->record, warp);
  return timing_of(recorder->program, g_array_index(events, SmbEvent, events->len - 1).number);
}

// Most requests of a loop are those of the round before: these are kept once.
static void
note_shared(gpointer user, guint site, guint warp, G_GNUC_UNUSED const char *array,
            const SmbRequest *asked) {
  SmbBlockRecorder *recorder = user;
  SmbBlockRecord *record = recorder->record;
  GArray *events = warp_events(record, warp);
  // Copies past the first-level cache write shared memory apart from the pipe (an H200: none of its wavefronts are counted).
  static const SmbWavefronts none = {0};
  SmbRequest moved;
  if (recorder->move.move)
    asked = recorder->move.move(recorder->move.user, asked, &moved);
  const SmbWavefronts *cost = asked->op == SMB_OP_CP_ASYNC_CG
                                  ? &none
                                  : &smb_recall_count(recorder->recall, site, asked)->pipe;
  SmbEvent *event =
      events->len && recorder->is_kept ? &g_array_index(events, SmbEvent, events->len - 1) : NULL;
  guint32 last = recorder->last[site];
  if (event && !event->request && last) {
    const SmbTimedRequest *before = &g_array_index(record->requests, SmbTimedRequest, last - 1);
    if (before->wavefronts == cost->wavefronts && before->ideal == cost->ideal && before->n == 0) {
      event->request = last;
      return;
    }
  }
  SmbTimedRequest *request = current_request(recorder, warp, site);
  if (!request)
    return;
  request->wavefronts = (guint16)MIN(request->wavefronts + cost->wavefronts, G_MAXUINT16);
  request->ideal = (guint16)MIN(request->ideal + cost->ideal, G_MAXUINT16);
  recorder->last[site] = g_array_index(events, SmbEvent, events->len - 1).request;
}

// A request that others may share becomes one of its own, to which lines can be added.
static SmbTimedRequest *
own_request(SmbBlockRecord *record, guint warp, const SmbTimedRequest *shared) {
  GArray *events = warp_events(record, warp);
  SmbTimedRequest request = *shared;
  request.first = record->lines->len;
  g_array_append_val(record->requests, request);
  g_array_index(events, SmbEvent, events->len - 1).request = record->requests->len;
  return &g_array_index(record->requests, SmbTimedRequest, record->requests->len - 1);
}

// The sectors of a request, line by line.
static void
note_global(gpointer user, guint site, guint warp, G_GNUC_UNUSED const char *buffer, SmbLanes mask,
            guint width, const guint64 *addresses) {
  SmbBlockRecorder *recorder = user;
  SmbBlockRecord *record = recorder->record;
  SmbTimedRequest *request = current_request(recorder, warp, site);
  if (!request)
    return;
  if (request->n == 0)
    request = own_request(record, warp, request);
  if (request->first + request->n != record->lines->len)
    return;
  for (SmbLanes rest = mask; rest; rest &= rest - 1)
    smb_request_add_sector(record, request, addresses[smb_lanes_first(rest)]);
  smb_request_count_sectors(record, request);
  SmbOpClass op_class = smb_program_site(recorder->program, site)->op_class;
  smb_request_find_news(record, recorder->seen, request, warp, op_class != SMB_OP_CLASS_STORE);
  if (op_class != SMB_OP_CLASS_ATOMIC)
    smb_request_count_l1(request, recorder->recall, site, mask, width, addresses);
  SmbMemoryKind kind = smb_memory_kind(recorder->memory, addresses[smb_lanes_first(mask)]);
  gboolean is_host = kind == SMB_MEMORY_HOST;
  record->is_managed |= kind == SMB_MEMORY_MANAGED;
  if (op_class == SMB_OP_CLASS_STORE) {
    smb_lines_find_words(smb_request_lines(record, request), request->n, mask, width, addresses);
    if (!is_host)
      smb_request_note_stored(record, mask, width, addresses);
  }
  if (op_class == SMB_OP_CLASS_ATOMIC)
    request->same = MAX(request->same, smb_lines_count_changes(smb_request_lines(record, request),
                                                               request->n, mask, width, addresses));
  request->is_strong = current_timing(recorder, warp)->is_strong;
  const SmbTimedTouch touch = {warp, warp_events(record, warp)->len - 1};
  if (record->stored_at && op_class == SMB_OP_CLASS_STORE)
    smb_touches_note(record->stored_at, touch, mask, width, addresses);
  if (record->loaded_at && op_class == SMB_OP_CLASS_LOAD && request->is_strong)
    smb_touches_note(record->loaded_at, touch, mask, width, addresses);
  request->is_real = current_timing(recorder, warp)->is_real;
  request->is_swap = current_timing(recorder, warp)->is_swap;
  *(is_host ? &request->loads_host : &request->is_load) |= op_class != SMB_OP_CLASS_STORE;
  *(is_host ? &request->stores_host : &request->is_store) |= op_class != SMB_OP_CLASS_LOAD;
}

// Words of local memory that a warp's lanes have at one offset lie side by side: a line for each word ("CUDA C++ Programming Guide", local
// memory). Each block has lines of its own.
static void
note_local(gpointer user, guint site, guint warp, SmbLanes mask, guint width,
           const guint64 *offsets) {
  enum {
    WORD_BYTES = 4
  };
  SmbBlockRecorder *recorder = user;
  guint64 place = recorder->record->block * SMB_MAX_WARPS + warp, addresses[SMB_MAX_LANES];
  for (guint at = 0; at < width; at += WORD_BYTES) {
    for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++) {
      guint64 offset = offsets[lane] + at;
      addresses[lane] = LOCAL_START + place * LOCAL_BYTES +
                        offset / WORD_BYTES * (1 << SMB_LINE_SHIFT) + lane * WORD_BYTES +
                        offset % WORD_BYTES;
    }
    note_global(user, site, warp, NULL, mask, MIN(width, WORD_BYTES), addresses);
  }
  SmbTimedRequest *request = current_request(recorder, warp, site);
  if (request)
    request->is_local = TRUE;
}

static void
note_unplaced(gpointer user, guint site, G_GNUC_UNUSED guint warp, G_GNUC_UNUSED SmbLanes mask,
              const char *reason, const SmbHint *hint) {
  SmbBlockRecorder *recorder = user;
  if (reason)
    smb_unplaced_note(recorder->record->unplaced, recorder->program, site, reason, hint);
}

// Texels of 16 bytes or less lie in one sector. What is stored to a surface leaves lines as other stores do.
static void
note_texels(gpointer user, guint warp, const SmbTexels *texels) {
  SmbBlockRecorder *recorder = user;
  SmbBlockRecord *record = recorder->record;
  gboolean stores = texels->way == SMB_TEXELS_STORED;
  recorder->textures = G_MAXUINT32;
  SmbTimedRequest *request =
      current_request(recorder, warp, recorder->texture_sites[recorder->number]);
  if (!request)
    return;
  guint64 addresses[SMB_MAX_LANES] = {0};
  SmbLanes mask = 0;
  for (SmbLanes rest = texels->mask; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest);
    for (guint i = 0; i < texels->n[lane]; i++)
      smb_request_add_sector(record, request, texels->places[lane][i]);
    mask |= texels->n[lane] ? (SmbLanes)1 << lane : 0;
    addresses[lane] = texels->places[lane][0];
  }
  smb_request_count_sectors(record, request);
  smb_request_find_news(record, recorder->seen, request, warp, !stores);
  if (stores) {
    smb_lines_find_words(smb_request_lines(record, request), request->n, mask, texels->width,
                         addresses);
    smb_request_note_stored(record, mask, texels->width, addresses);
  }
  request->turns = (guint16)smb_texture_unit_count(texels);
  request->is_element = texels->way == SMB_TEXELS_ELEMENT || texels->way == SMB_TEXELS_LOADED;
  request->is_load = request->n && !stores;
  request->is_store = request->n && stores;
}

// --- barriers

static SmbTimedPhase *
phase_at(const SmbBlockRecord *record, guint32 number) {
  return &g_array_index(record->phases, SmbTimedPhase, number - 1);
}

// Its place, from 1; 0: a wait for it does not wait.
static guint32
find_phase(SmbBlockRecorder *recorder, const SmbPhase *phase) {
  GArray *phases = recorder->record->phases;
  const SmbTimedPhase none = {0};
  if (phase->number == G_MAXUINT32)
    return 0;
  gpointer key = GSIZE_TO_POINTER((phase->barrier + 1) << 32 | phase->number);
  guint32 place = GPOINTER_TO_UINT(g_hash_table_lookup(recorder->phases, key));
  if (place)
    return place;
  g_array_append_val(phases, none);
  g_hash_table_insert(recorder->phases, key, GUINT_TO_POINTER(phases->len));
  return phases->len;
}

// Whether the warp does what another one has just done: then both have one request.
static gboolean
repeats_request(const SmbBlockRecord *record, SmbEvent *event, guint32 phase, guint what) {
  guint32 last = record->requests->len;
  const SmbTimedRequest *before =
      last ? &g_array_index(record->requests, SmbTimedRequest, last - 1) : NULL;
  if (event->request || !before || before->phase != phase || before->actions != what ||
      before->is_load || before->is_store)
    return FALSE;
  event->request = last;
  return TRUE;
}

static void
add_copied(const SmbBlockRecord *record, guint32 place, guint64 bytes) {
  SmbTimedPhase *phase = phase_at(record, place);
  phase->n_unsized += bytes == SMB_BYTES_UNKNOWN;
  phase->copied += bytes == SMB_BYTES_UNKNOWN ? 0 : bytes;
}

// An instruction is taken to act at one barrier of the block, the first that it names.
static void
note_phase(gpointer user, guint warp, guint what, const SmbPhase *phase, guint64 bytes) {
  SmbBlockRecorder *recorder = user;
  SmbBlockRecord *record = recorder->record;
  GArray *events = warp_events(record, warp);
  if (events->len == 0 || !recorder->is_kept)
    return;
  guint32 place = find_phase(recorder, phase);
  if (what & SMB_PHASE_ANNOUNCES) {
    phase_at(record, place)->announced += bytes;
    return;
  }
  SmbEvent *event = &g_array_index(events, SmbEvent, events->len - 1);
  if (!repeats_request(record, event, place, what)) {
    SmbTimedRequest *request = current_request(recorder, warp, 0);
    if (request->actions) { // one copy for several blocks
      request->more_blocks += request->phase == place && bytes > 0;
      add_copied(record, place, bytes);
      return;
    }
    request->phase = place;
    request->actions = (guint8)what;
  }
  if (!(what & SMB_PHASE_ARRIVES))
    return;
  phase_at(record, place)->arrivals++;
  add_copied(record, place, bytes);
}

// --- shared memory of other blocks

static void
note_peer(gpointer user, guint site, guint warp, SmbLanes mask, guint64 width,
          const guint64 *addresses) {
  SmbBlockRecorder *recorder = user;
  SmbTimedRequest *request = current_request(recorder, warp, site);
  if (!request)
    return;
  if (current_timing(recorder, warp)->rate == SMB_RATE_BULK) {
    request->peer_bytes += (guint32)MIN(width, G_MAXINT32);
    return;
  }
  SmbOpClass op_class = smb_program_site(recorder->program, site)->op_class;
  guint64 packets = smb_peer_packets(op_class, mask, width, addresses).packets;
  request->peer_class = (guint8)op_class;
  request->packets = (guint16)MIN(request->packets + packets, G_MAXUINT16);
}

// --- copies in bulk

// Sectors of consecutive bytes. Where it is not known where these are, nobody else asks for them.
static void
add_consecutive_lines(SmbBlockRecorder *recorder, SmbTimedRequest *request, guint warp,
                      guint64 address) {
  const guint64 sector = 1 << SMB_SECTOR_SHIFT, line = 1 << SMB_LINE_SHIFT;
  SmbBlockRecord *record = recorder->record;
  if (address == 0 || address == SMB_BOX_START)
    address = UNKNOWN_START | (record->block << BLOCK_SHIFT) | (guint64)record->lines->len * line;
  request->first = record->lines->len;
  for (guint64 at = address / sector * sector; at < address + request->bytes; at += sector) {
    if (request->n == 0 || at % line == 0) {
      const SmbTimedLine added = {.line = at >> SMB_LINE_SHIFT};
      g_array_append_val(record->lines, added);
      request->n++;
    }
    g_array_index(record->lines, SmbTimedLine, record->lines->len - 1).sectors |=
        (guint8)(1u << (at >> SMB_SECTOR_SHIFT & 3));
    request->sectors++;
  }
  smb_request_find_news(record, recorder->seen, request, warp, request->is_load);
}

static void
note_bulk(gpointer user, guint site, guint warp, gboolean stores, guint64 address, guint64 bytes) {
  SmbBlockRecorder *recorder = user;
  SmbTimedRequest *request = current_request(recorder, warp, site);
  if (!request)
    return;
  request->is_load = !stores;
  request->is_store = stores;
  request->is_box = address >= SMB_BOX_START;
  if (bytes == SMB_BYTES_UNKNOWN) {
    const Unsized unsized = {
        .request = recorder->record->requests->len, .warp = warp, .address = address};
    g_array_append_val(recorder->unsized, unsized);
    return;
  }
  request->bytes = (guint32)bytes;
  add_consecutive_lines(recorder, request, warp, address);
}

// Boxes of tensors whose size is in a descriptor: those that complete one phase have equal parts of what was announced for it. Returns:
// whether all are known.
static gboolean
size_copies(SmbBlockRecorder *recorder) {
  SmbBlockRecord *record = recorder->record;
  for (guint i = 0; i < recorder->unsized->len; i++) {
    const Unsized *unsized = &g_array_index(recorder->unsized, Unsized, i);
    SmbTimedRequest *request =
        &g_array_index(record->requests, SmbTimedRequest, unsized->request - 1);
    const SmbTimedPhase *phase = request->phase ? phase_at(record, request->phase) : NULL;
    if (!phase || phase->announced <= phase->copied)
      return FALSE;
    request->bytes = (guint32)((phase->announced - phase->copied) / phase->n_unsized);
    add_consecutive_lines(recorder, request, unsized->warp, unsized->address);
  }
  return TRUE;
}

// The first copy in bulk of what is kept.
static guint32
find_bulk_event(const SmbBlockRecorder *recorder) {
  for (guint w = 0; w < recorder->record->warps->len; w++) {
    const GArray *events = warp_events(recorder->record, w);
    for (guint i = 0; i < events->len; i++) {
      guint32 number = g_array_index(events, SmbEvent, i).number;
      if (timing_of(recorder->program, number)->rate == SMB_RATE_BULK)
        return number;
    }
  }
  return G_MAXUINT32;
}

SmbBlockRecorder *
smb_block_recorder_new(const SmbProgram *program, const SmbArch *arch, const SmbLaunch *launch,
                       guint64 at_once, guint64 max_events, GError **error) {
  static const SmbProgramLimits limits = {.max_steps = MAX_STEPS};
  SmbBlockRecorder *recorder = g_new0(SmbBlockRecorder, 1);
  recorder->program = program;
  recorder->memory = launch->memory;
  guint threads = launch->block[0] * launch->block[1] * launch->block[2];
  recorder->max_warp_events = (guint)(max_events / MAX(1, smb_arch_warps(arch, threads)));
  recorder->seen = g_hash_table_new(g_direct_hash, g_direct_equal);
  recorder->phases = g_hash_table_new(g_direct_hash, g_direct_equal);
  recorder->unsized = g_array_new(FALSE, FALSE, sizeof(Unsized));
  recorder->sink = (SmbSink){.shared = note_shared,
                             .global = note_global,
                             .unplaced = note_unplaced,
                             .local = note_local,
                             .peer = note_peer,
                             .phase = note_phase,
                             .bulk = note_bulk,
                             .texels = note_texels,
                             .executed = note_executed,
                             .called = note_called};
  recorder->recall = smb_recall_new(arch, smb_counter_best(), FALSE);
  recorder->last = g_new0(guint32, smb_program_n_sites(program) + 1);
  recorder->texture_sites = smb_number_texture_sites(program);
  recorder->textures = G_MAXUINT32;
  recorder->block =
      smb_block_new(program, arch, launch, &limits, &recorder->sink, recorder, NULL, error);
  if (recorder->block) {
    smb_block_set_guesses(recorder->block, MAX(1, at_once));
    return recorder;
  }
  smb_block_recorder_free(recorder);
  return NULL;
}

void
smb_block_recorder_set_cancel(SmbBlockRecorder *recorder, gboolean (*is_cancelled)(gpointer user),
                              gpointer user) {
  smb_block_set_cancel(recorder->block, is_cancelled, user);
}

void
smb_block_recorder_set_move(SmbBlockRecorder *recorder, const SmbTimedMove *move) {
  recorder->move = *move;
}

void
smb_block_recorder_set_earlier(SmbBlockRecorder *recorder, guint64 n_blocks) {
  smb_block_set_earlier(recorder->block, n_blocks);
}

void
smb_block_recorder_set_touches(SmbBlockRecorder *recorder) {
  recorder->has_touches = TRUE;
}

void
smb_block_recorder_free(SmbBlockRecorder *recorder) {
  if (!recorder)
    return;
  smb_block_free(recorder->block);
  smb_recall_free(recorder->recall);
  g_free(recorder->last);
  g_free(recorder->texture_sites);
  g_hash_table_unref(recorder->seen);
  g_hash_table_unref(recorder->phases);
  g_array_unref(recorder->unsized);
  g_free(recorder);
}

SmbBlockRecord *
smb_block_recorder_run(SmbBlockRecorder *recorder, guint64 index, GError **error) {
  g_autoptr(SmbBlockRecord) record = g_new0(SmbBlockRecord, 1);
  record->block = index;
  record->untimed = G_MAXUINT32;
  record->warps = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
  record->requests = g_array_new(FALSE, FALSE, sizeof(SmbTimedRequest));
  record->lines = g_array_new(FALSE, FALSE, sizeof(SmbTimedLine));
  record->phases = g_array_new(FALSE, FALSE, sizeof(SmbTimedPhase));
  record->unplaced = smb_unplaced_new();
  record->stored = g_hash_table_new(g_direct_hash, g_direct_equal);
  record->loaded_at = recorder->has_touches ? smb_touches_new() : NULL;
  record->stored_at = recorder->has_touches ? smb_touches_new() : NULL;
  for (guint w = 0; w < SMB_MAX_WARPS; w++)
    g_ptr_array_add(record->warps, g_array_new(FALSE, FALSE, sizeof(SmbEvent)));
  memset(recorder->last, 0, smb_program_n_sites(recorder->program) * sizeof(guint32));
  memset(recorder->paths, 0, sizeof recorder->paths);
  g_hash_table_remove_all(recorder->seen);
  g_hash_table_remove_all(recorder->phases);
  g_array_set_size(recorder->unsized, 0);
  recorder->record = record;
  gboolean ran = smb_block_run(recorder->block, index, error);
  settle_textures(recorder);
  if (!size_copies(recorder))
    record->untimed = MIN(record->untimed, find_bulk_event(recorder));
  recorder->record = NULL;
  guint n = SMB_MAX_WARPS;
  while (n > 0 && warp_events(record, n - 1)->len == 0)
    n--;
  g_ptr_array_set_size(record->warps, (gint)n);
  return ran ? g_steal_pointer(&record) : NULL;
}

void
smb_block_record_free(SmbBlockRecord *record) {
  if (!record)
    return;
  g_clear_pointer(&record->warps, g_ptr_array_unref);
  g_clear_pointer(&record->requests, g_array_unref);
  g_clear_pointer(&record->lines, g_array_unref);
  g_clear_pointer(&record->phases, g_array_unref);
  g_clear_pointer(&record->unplaced, g_array_unref);
  g_clear_pointer(&record->stored, g_hash_table_unref);
  g_clear_pointer(&record->loaded_at, g_hash_table_unref);
  g_clear_pointer(&record->stored_at, g_hash_table_unref);
  g_free(record);
}
