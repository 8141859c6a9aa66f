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
  guint32 phase;  // of the marks below; others are stale
  guint32 set_in; // block in which it was written last
  guint32 write_site;
  guint32 read_site;
  guint8 writer; // warp + 1, ATOMIC_OF + warp + 1, or MANY
  guint8 reader; // warp + 1, or MANY
} Cell;

struct _Shadow {
  guint granule_shift;
  gsize n_cells;
  guint32 phase; // counts barriers and blocks
  guint32 block;
  Cell *cells;
  GHashTable *warned; // what was said of the block: keys of a warning and two sites
};

Shadow *
smb_shadow_new(const SmbProgram *program, gsize shared_bytes) {
  Shadow *shadow = g_new0(Shadow, 1);
  shadow->granule_shift = 2;
  for (guint i = 0; i < program->sites->len; i++) {
    guint width = g_array_index(program->sites, SmbSite, i).width;
    shadow->granule_shift = MIN(shadow->granule_shift, (guint)__builtin_ctz(width));
  }
  shadow->n_cells = (shared_bytes >> shadow->granule_shift) + 1;
  shadow->cells = g_new0(Cell, shadow->n_cells);
  shadow->warned = g_hash_table_new(NULL, NULL);
  return shadow;
}

void
smb_shadow_free(Shadow *shadow) {
  if (!shadow)
    return;
  g_free(shadow->cells);
  g_hash_table_unref(shadow->warned);
  g_free(shadow);
}

void
smb_shadow_start_block(Shadow *shadow) {
  shadow->block++;
  g_hash_table_remove_all(shadow->warned);
  smb_shadow_barrier(shadow);
}

void
smb_shadow_barrier(Shadow *shadow) {
  if (++shadow->phase == 0) {
    memset(shadow->cells, 0, shadow->n_cells * sizeof *shadow->cells);
    shadow->phase = 1;
  }
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
  if (!is_news(block, SMB_WARNING_RACE, site, other))
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

static void
touch_cell(SmbBlock *block, Cell *cell, const Move *move, const Access *access, guint lane,
           guint32 offset) {
  const Shadow *shadow = block->shadow;
  guint site = move->site;
  guint8 me = (guint8)(access->warp + 1);
  if (cell->phase != shadow->phase) {
    cell->phase = shadow->phase;
    cell->writer = cell->reader = NOBODY;
  }
  gboolean atomic = move->op_class == SMB_OP_CLASS_ATOMIC;
  gboolean both_atomic = atomic && cell->writer > ATOMIC_OF;
  if (is_foreign(cell->writer, me) && !both_atomic)
    warn_race(block, site, cell->write_site, cell->writer, access, lane, offset);
  if (move->reads && cell->set_in != shadow->block)
    warn_unset(block, site, access, lane, offset);
  if (move->op_class == SMB_OP_CLASS_LOAD) {
    cell->reader = cell->reader == NOBODY || cell->reader == me ? me : MANY;
    cell->read_site = site;
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
  cell->set_in = shadow->block;
}

void
smb_shadow_access(SmbBlock *block, const Move *move, const Access *access) {
  const Shadow *shadow = block->shadow;
  const SmbRequest *request = &access->request;
  guint32 bytes = 1u << shadow->granule_shift, all = (1u << bytes) - 1, last = G_MAXUINT32;
  gboolean loads = move->op_class == SMB_OP_CLASS_LOAD;
  FOR_LANES(request->mask, lane) {
    guint32 first = request->offset[lane];
    if (loads && first == last) // one warp's second load from a place says nothing new
      continue;
    last = first;
    for (guint32 i = 0; i < request->width; i += bytes) {
      if ((move->padding >> i & all) != all) // what is padding alone holds nothing
        touch_cell(block, &shadow->cells[(first + i) >> shadow->granule_shift], move, access, lane,
                   first + i);
    }
  }
}
