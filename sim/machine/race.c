// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Races: two warps of a block touch one location of shared memory, at least one of them writes, and no
// barrier stands between. Found whatever order the warps run in. Lanes of one warp are not compared:
// they run in lockstep here. Atomics do not race with each other.
#include <string.h>

#include "sim/machine/access.h"

enum {
  NOBODY = 0,
  ATOMIC_OF = 64, // plus the warp's number: only its atomics wrote
  MANY = 255,     // several warps read, or wrote by atomics
};

// What happened to one granule of shared memory since the last barrier.
typedef struct {
  guint32 phase; // of the marks below; others are stale
  guint32 write_site;
  guint32 read_site;
  guint8 writer; // warp + 1, ATOMIC_OF + warp + 1, or MANY
  guint8 reader; // warp + 1, or MANY
} Cell;

// A load that was made before anything was written since the last barrier.
typedef struct {
  SmbLanes lanes;
  guint site;
  guint warp;
  guint width;
  guint16 padding; // Move.padding
} EarlyLoad;

enum {
  // That are noted of a phase; with the offsets of 32 lanes they take 600 KiB.
  MAX_EARLY_LOADS = 4096
};

struct _Shadow {
  guint granule_shift;
  gsize n_cells;
  gsize
      n_own; // of these: of the program's own memory; what the system has is always taken to be written
  guint32 phase; // counts barriers and blocks
  Cell *cells;
  guint8 *set;        // by cell: whether the block has written it
  gsize n_unset;      // of those that lie in shared memory: how many it has not; often soon none
  GHashTable *warned; // what was said of the block: keys of a warning and two sites
  GHashTable *exempt; // words, + 1, that are barriers of the block
  // Most phases write nothing, or nothing any more: loads are noted, and looked at when something is written after all.
  gboolean notes;
  guint n_loads, max_loads;
  EarlyLoad *loads;
  guint32 *offsets; // n_lanes of each
  guint n_lanes;
};

Shadow *
smb_shadow_new(const SmbProgram *program, gsize shared_bytes, gsize reserved_bytes) {
  Shadow *shadow = g_new0(Shadow, 1);
  shadow->granule_shift = 2;
  for (guint i = 0; i < program->sites->len; i++) {
    guint width = g_array_index(program->sites, SmbSite, i).width;
    shadow->granule_shift = MIN(shadow->granule_shift, (guint)__builtin_ctz(width));
  }
  shadow->n_own = (shared_bytes + (1u << shadow->granule_shift) - 1) >> shadow->granule_shift;
  shadow->n_cells = shadow->n_own + (reserved_bytes >> shadow->granule_shift);
  shadow->cells = g_new0(Cell, shadow->n_cells + 1);
  shadow->set = g_new0(guint8, shadow->n_cells + 1);
  memset(shadow->set + shadow->n_own, TRUE, shadow->n_cells - shadow->n_own);
  shadow->warned = g_hash_table_new(NULL, NULL);
  shadow->exempt = g_hash_table_new(NULL, NULL);
  shadow->n_lanes = program->lanes;
  return shadow;
}

void
smb_shadow_free(Shadow *shadow) {
  if (!shadow)
    return;
  g_free(shadow->cells);
  g_free(shadow->set);
  g_hash_table_unref(shadow->warned);
  g_hash_table_unref(shadow->exempt);
  g_free(shadow->loads);
  g_free(shadow->offsets);
  g_free(shadow);
}

void
smb_shadow_start_block(Shadow *shadow) {
  memset(shadow->set, 0, shadow->n_own);
  shadow->n_unset = shadow->n_own;
  g_hash_table_remove_all(shadow->warned);
  g_hash_table_remove_all(shadow->exempt);
  smb_shadow_barrier(shadow);
}

void
smb_shadow_barrier(Shadow *shadow) {
  shadow->notes = TRUE;
  shadow->n_loads = 0;
  if (++shadow->phase == 0) {
    memset(shadow->cells, 0, shadow->n_cells * sizeof *shadow->cells);
    shadow->phase = 1;
  }
}

static void
note_set(Shadow *shadow, gsize cell) {
  shadow->n_unset -= !shadow->set[cell];
  shadow->set[cell] = TRUE;
}

void
smb_shadow_exempt(Shadow *shadow, guint32 offset) {
  g_hash_table_add(shadow->exempt, GUINT_TO_POINTER(offset / 4 + 1));
}

void
smb_shadow_fill(Shadow *shadow, guint32 offset) {
  for (gsize cell = offset >> shadow->granule_shift; cell < shadow->n_cells; cell++)
    note_set(shadow, cell);
}

// Whether this is not said of the block yet: a loop says it again and again.
static gboolean
is_news(const SmbBlock *block, SmbWarning warning, guint site, guint other) {
  gsize key = ((gsize)warning << 60) ^ ((gsize)site << 30) ^ other;
  return g_hash_table_add(block->shadow->warned, GSIZE_TO_POINTER(key));
}

static void
warn_race(SmbBlock *block, guint site, guint other, guint other_mark, const Access *access,
          guint lane, guint32 offset) {
  // Tiles of several warps meet at words in the system's part: what these order is not followed.
  if (block->reserved_bytes ||
      g_hash_table_contains(block->shadow->exempt, GUINT_TO_POINTER(offset / 4 + 1)) ||
      !is_news(block, SMB_WARNING_RACE, site, other))
    return;
  const SmbSite *here = smb_program_site(block->program, site);
  const SmbSite *there = smb_program_site(block->program, other);
  g_autofree char *where = smb_site_place(there);
  guint other_warp = other_mark & (ATOMIC_OF - 1);
  g_autofree char *who =
      other_mark == MANY ? g_strdup("other warps") : g_strdup_printf("warp %u", other_warp - 1);
  g_autofree char *message = g_strdup_printf("race on '%s' (byte %u of shared memory): this %s by "
                                             "warp %u and the %s at %s by %s have "
                                             "no barrier between them",
                                             smb_access_array(block, access, lane, offset), offset,
                                             smb_op_class_name(here->op_class), access->warp,
                                             smb_op_class_name(there->op_class), where, who);
  block->sink->warn(block->user, SMB_WARNING_RACE, site, other, message);
}

static void
warn_unset(SmbBlock *block, guint site, const Access *access, guint lane, guint32 offset) {
  if (!is_news(block, SMB_WARNING_UNSET, site, site))
    return;
  g_autofree char *thread = smb_block_thread(block, access->warp, lane);
  g_autofree char *message =
      g_strdup_printf("'%s' is read before any thread of the block wrote there, by %s",
                      smb_access_array(block, access, lane, offset), thread);
  block->sink->warn(block->user, SMB_WARNING_UNSET, site, site, message);
}

// Whether a mark of another warp's plain or atomic write stands in the way of this warp.
static gboolean
is_foreign(guint8 mark, guint8 me) {
  return mark != NOBODY && mark != me && mark != ATOMIC_OF + me;
}

static Cell *
open_cell(const Shadow *shadow, guint32 offset) {
  Cell *cell = &shadow->cells[offset >> shadow->granule_shift];
  if (cell->phase != shadow->phase)
    *cell = (Cell){.phase = shadow->phase};
  return cell;
}

static void
read_cell(Cell *cell, guint site, guint8 me) {
  cell->reader = cell->reader == NOBODY || cell->reader == me ? me : MANY;
  cell->read_site = site;
}

static void
touch_cell(SmbBlock *block, const Move *move, const Access *access, guint lane, guint32 offset) {
  Cell *cell = open_cell(block->shadow, offset);
  guint site = move->site;
  guint8 me = (guint8)(access->warp + 1);
  gboolean atomic = move->op_class == SMB_OP_CLASS_ATOMIC;
  gboolean both_atomic = atomic && cell->writer > ATOMIC_OF;
  if (is_foreign(cell->writer, me) && !both_atomic)
    warn_race(block, site, cell->write_site, cell->writer, access, lane, offset);
  if (move->op_class == SMB_OP_CLASS_LOAD) {
    read_cell(cell, site, me);
    return;
  }
  if (cell->reader != NOBODY && cell->reader != me)
    warn_race(block, site, cell->read_site, cell->reader, access, lane, offset);
  if (!atomic)
    cell->writer = me;
  else
    cell->writer =
        cell->writer == NOBODY || !is_foreign(cell->writer, me) ? (guint8)(ATOMIC_OF + me) : MANY;
  cell->write_site = site;
  note_set(block->shadow, offset >> block->shadow->granule_shift);
}

// Whether nobody but this warp has done anything to a cell; then nothing can be wrong with what it does.
static gboolean
is_own(const Cell *cell, guint8 me) {
  return !is_foreign(cell->writer, me) && (cell->reader == NOBODY || cell->reader == me);
}

// The granules that lie @at bytes into the lanes' accesses. What nobody else touched since the last barrier takes a few
// instructions. @first: the cell of a granule that nobody touched; whether it @loads is known at compile time.
static inline void
touch_granules(SmbBlock *block, const Move *move, const Access *access, Cell first, guint32 at,
               gboolean loads) {
  const guint32 *offset = access->request.offset;
  Cell *cells = block->shadow->cells;
  guint shift = block->shadow->granule_shift;
  guint8 me = (guint8)(access->warp + 1);
  FOR_LANES(access->request.mask, lane) {
    Cell *cell = &cells[(offset[lane] + at) >> shift];
    if (cell->phase != first.phase)
      *cell = first;
    else if (!loads && first.writer > ATOMIC_OF && cell->writer > ATOMIC_OF &&
             cell->reader == NOBODY) {
      cell->write_site = first.write_site;
      cell->writer = cell->writer == first.writer ? first.writer : MANY;
    } else if (!is_own(cell, me))
      touch_cell(block, move, access, lane, offset[lane] + at);
    else if (loads) {
      cell->read_site = first.read_site;
      cell->reader = me;
    } else {
      cell->write_site = first.write_site;
      cell->writer = first.writer;
    }
  }
}

static void
load_granules(SmbBlock *block, const Move *move, const Access *access, guint32 at) {
  Cell first = {
      .phase = block->shadow->phase, .read_site = move->site, .reader = (guint8)(access->warp + 1)};
  touch_granules(block, move, access, first, at, TRUE);
}

static void
write_granules(SmbBlock *block, const Move *move, const Access *access, guint32 at) {
  Shadow *shadow = block->shadow;
  guint8 atomic = move->op_class == SMB_OP_CLASS_ATOMIC ? ATOMIC_OF : 0;
  Cell first = {.phase = shadow->phase,
                .write_site = move->site,
                .writer = (guint8)(atomic + access->warp + 1)};
  FOR_LANES(shadow->n_unset > 0 ? access->request.mask : 0, lane) {
    note_set(shadow, (access->request.offset[lane] + at) >> shadow->granule_shift);
  }
  touch_granules(block, move, access, first, at, FALSE);
}

// Executes a statement for each granule of a load, store or atomic, in @lane, at @offset. One warp's second look at
// a place says nothing new. What is padding alone holds nothing.
#define FOR_GRANULES(shadow, lanes, offsets, width, padding, lane, offset, ...)                    \
  {                                                                                                \
    guint32 bytes_of_one = 1u << (shadow)->granule_shift, all_of_one = (1u << bytes_of_one) - 1;   \
    guint32 last_place = G_MAXUINT32;                                                              \
    FOR_LANES(lanes, lane) {                                                                       \
      if ((offsets)[lane] == last_place)                                                           \
        continue;                                                                                  \
      last_place = (offsets)[lane];                                                                \
      for (guint32 at = 0; at < (width); at += bytes_of_one) {                                     \
        guint32 offset = last_place + at;                                                          \
        if (((padding) >> at & all_of_one) != all_of_one)                                          \
          __VA_ARGS__                                                                              \
      }                                                                                            \
    }                                                                                              \
  }

// Whether all bytes of a whole warp's words were written.
static gboolean
is_set(const SmbBlock *block, const SmbRequest *request) {
  const Shadow *shadow = block->shadow;
  guint8 set = TRUE;
  if (request->mask != block->all_lanes || request->width != 1u << shadow->granule_shift)
    return FALSE;
  for (guint lane = 0; lane < block->lanes; lane++)
    set &= shadow->set[request->offset[lane] >> shadow->granule_shift];
  return set;
}

static void
check_set(SmbBlock *block, const Move *move, const Access *access) {
  const SmbRequest *request = &access->request;
  const Shadow *shadow = block->shadow;
  if (shadow->n_unset == 0 || is_set(block, request))
    return;
  FOR_GRANULES(shadow, request->mask, request->offset, request->width, move->padding, lane, offset,
               {
                 if (!shadow->set[offset >> shadow->granule_shift])
                   warn_unset(block, move->site, access, lane, offset);
               })
}

static void
note_load(Shadow *shadow, const Move *move, guint warp, const SmbRequest *request) {
  if (shadow->n_loads == shadow->max_loads) {
    shadow->max_loads = MAX(64, 2 * shadow->max_loads);
    shadow->loads = g_renew(EarlyLoad, shadow->loads, shadow->max_loads);
    shadow->offsets = g_renew(guint32, shadow->offsets, (gsize)shadow->max_loads * shadow->n_lanes);
  }
  gsize i = shadow->n_loads++;
  shadow->loads[i] = (EarlyLoad){request->mask, move->site, warp, request->width, move->padding};
  memcpy(shadow->offsets + i * shadow->n_lanes, request->offset,
         shadow->n_lanes * sizeof *request->offset);
}

// What was noted becomes marks.
static void
mark_loads(Shadow *shadow) {
  for (gsize i = 0; i < shadow->n_loads; i++) {
    const EarlyLoad *load = &shadow->loads[i];
    const guint32 *offsets = shadow->offsets + i * shadow->n_lanes;
    guint8 me = (guint8)(load->warp + 1);
    FOR_GRANULES(shadow, load->lanes, offsets, load->width, load->padding, lane, offset,
                 { read_cell(open_cell(shadow, offset), load->site, me); })
  }
  shadow->n_loads = 0;
  shadow->notes = FALSE;
}

void
smb_shadow_access(SmbBlock *block, const Move *move, const Access *access) {
  const SmbRequest *request = &access->request;
  Shadow *shadow = block->shadow;
  gboolean loads = move->op_class == SMB_OP_CLASS_LOAD;
  if (move->reads)
    check_set(block, move, access);
  if (loads && shadow->notes && shadow->n_loads < MAX_EARLY_LOADS) {
    note_load(shadow, move, access->warp, request);
    return;
  }
  if (shadow->notes)
    mark_loads(shadow);
  guint32 bytes_of_one = 1u << shadow->granule_shift, all_of_one = (1u << bytes_of_one) - 1;
  for (guint32 at = 0; at < request->width; at += bytes_of_one) {
    if ((move->padding >> at & all_of_one) == all_of_one)
      continue;
    if (loads)
      load_granules(block, move, access, at);
    else
      write_granules(block, move, access, at);
  }
}
