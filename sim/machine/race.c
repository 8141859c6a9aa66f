// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Races: two warps of a block touch one location of shared memory, at least one of them writes, and no
// barrier is between. Found whatever order the warps run in. Lanes of one warp are not compared:
// they run in lockstep here. Atomics do not race with each other.
//
// In most phases, from one barrier to the next, warps keep to parts of their own, or all of them load. So accesses are
// noted at first, and of each warp it is known from where to where its accesses reach; only when one comes near what
// another warp touched are they looked at granule by granule.
#include <string.h>

#include "sim/arch/words.h"
#include "sim/machine/access/access.h"
#include "sim/machine/access/lanes.h"

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

// What an access does, as far as races are concerned.
typedef struct {
  SmbLanes lanes;
  guint site;
  guint warp;
  guint width;
  guint16 padding; // Move.padding
  guint8 op_class;
  guint32 low, high; // the first and the last place; of those that are noted
} Touch;

enum {
  // That are noted of a phase; with the offsets of 32 lanes they take 600 KiB.
  MAX_NOTED = 4096
};

struct _Shadow {
  guint granule_shift;
  gsize n_cells;
  // of these: of the program's own memory; what the system has is always taken to be written
  gsize n_own;
  guint32 phase; // counts barriers and blocks
  Cell *cells;
  guint8 *set;         // by cell: whether the block has written it
  gsize n_unset;       // of those that are in shared memory: how many it has not; often soon none
  GHashTable *warned;  // what was said of the block: keys of a warning and two sites
  guint64 last_warned; // the last of them that was asked for, + 1; 0: none
  GHashTable *exempt;  // words, + 1, that are barriers of the block
  gboolean closely;    // nothing is noted
  gboolean notes;      // all accesses of this phase are noted, and the cells say nothing of it yet
  guint n_noted, max_noted;
  Touch *noted;
  guint32 *offsets; // n_lanes of each
  guint n_lanes;
  gboolean one_warp;        // they are all of the same,
  gboolean one_kind;        // or all loads, or all atomics
  guint n_claimed;          // of them: none, as long as that is so
  guint8 *claims;           // by cell: PlaceLoops.claim
  gsize claims_at, claimed; // the first one and the end of those that may not be 0
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
  shadow->claims = g_new0(guint8, shadow->n_cells + 1);
  shadow->warned = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  shadow->exempt = g_hash_table_new(NULL, NULL);
  shadow->n_lanes = program->lanes;
  return shadow;
}

gsize
smb_shadow_bytes(const Shadow *shadow) {
  gsize of_cell = sizeof *shadow->cells + sizeof *shadow->set + sizeof *shadow->claims;
  gsize of_noted = sizeof *shadow->noted + shadow->n_lanes * sizeof *shadow->offsets;
  return sizeof *shadow + shadow->n_cells * of_cell + (gsize)MAX_NOTED * of_noted;
}

void
smb_shadow_free(Shadow *shadow) {
  if (!shadow)
    return;
  g_free(shadow->cells);
  g_free(shadow->set);
  g_hash_table_unref(shadow->warned);
  g_hash_table_unref(shadow->exempt);
  g_free(shadow->noted);
  g_free(shadow->offsets);
  g_free(shadow->claims);
  g_free(shadow);
}

void
smb_shadow_start_block(Shadow *shadow) {
  memset(shadow->set, 0, shadow->n_own);
  shadow->n_unset = shadow->n_own;
  g_hash_table_remove_all(shadow->warned);
  shadow->last_warned = 0;
  g_hash_table_remove_all(shadow->exempt);
  smb_shadow_barrier(shadow);
}

void
smb_shadow_barrier(Shadow *shadow) {
  shadow->one_warp = shadow->one_kind = TRUE;
  shadow->notes = !shadow->closely;
  shadow->n_noted = shadow->n_claimed = 0;
  if (shadow->claimed > shadow->claims_at)
    memset(shadow->claims + shadow->claims_at, 0, shadow->claimed - shadow->claims_at);
  shadow->claims_at = shadow->n_cells;
  shadow->claimed = 0;
  if (++shadow->phase == 0) {
    memset(shadow->cells, 0, shadow->n_cells * sizeof *shadow->cells);
    shadow->phase = 1;
  }
}

guint32
smb_shadow_phase(const Shadow *shadow) {
  return shadow->phase;
}

void
smb_shadow_look_closely(Shadow *shadow) {
  shadow->closely = TRUE;
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
smb_shadow_fill(Shadow *shadow, guint32 offset, gsize bytes) {
  gsize end = offset + bytes;
  for (gsize cell = offset >> shadow->granule_shift;
       cell < shadow->n_cells && cell << shadow->granule_shift < end; cell++)
    note_set(shadow, cell);
}

gboolean
smb_shadow_is_news(const SmbBlock *block, SmbWarning warning, guint site, guint other) {
  Shadow *shadow = block->shadow;
  guint64 key = ((guint64)warning << 60) ^ ((guint64)site << 30) ^ other;
  // A lane says what the one before it said.
  if (shadow->last_warned == key + 1)
    return FALSE;
  shadow->last_warned = key + 1;
  return g_hash_table_add(shadow->warned, g_memdup2(&key, sizeof key));
}

static void
warn_race(SmbBlock *block, guint site, guint other, guint other_mark, const Access *access,
          guint lane, guint32 offset) {
  // Tiles of several warps meet at words in the system's part: what these order is not followed.
  if (block->program->reaches_reserved ||
      g_hash_table_contains(block->shadow->exempt, GUINT_TO_POINTER(offset / 4 + 1)) ||
      !smb_shadow_is_news(block, SMB_WARNING_RACE, site, other))
    return;
  const SmbSite *here = smb_program_site(block->program, site);
  const SmbSite *there = smb_program_site(block->program, other);
  g_autofree char *where = smb_site_place(there);
  guint other_warp = other_mark & (ATOMIC_OF - 1);
  g_autofree char *who =
      other_mark == MANY ? g_strdup(smb_arch_say(block->arch, "other warps"))
                         : g_strdup_printf(smb_arch_say(block->arch, "warp %u"), other_warp - 1);
  g_autofree char *message = g_strdup_printf(
      smb_arch_say(block->arch, "race on '%s' (byte %u of shared memory): this %s by warp %u and "
                                "the %s at %s by %s have no barrier between them"),
      smb_access_array(block, access, lane, offset), offset, smb_op_class_name(here->op_class),
      access->warp, smb_op_class_name(there->op_class), where, who);
  block->sink->warn(block->user, SMB_WARNING_RACE, site, other, message);
}

static void
warn_unset(SmbBlock *block, guint site, const Access *access, guint lane, guint32 offset) {
  if (!smb_shadow_is_news(block, SMB_WARNING_UNSET, site, site))
    return;
  g_autofree char *thread = smb_block_thread(block, access->warp, lane);
  g_autofree char *message = g_strdup_printf(
      smb_arch_say(block->arch, "'%s' is read before any thread of the block wrote there, by %s"),
      smb_access_array(block, access, lane, offset), thread);
  block->sink->warn(block->user, SMB_WARNING_UNSET, site, site, message);
}

// Whether a mark of another warp's plain or atomic write is in the way of this warp.
static gboolean
is_foreign(guint8 mark, guint8 me) {
  return mark != NOBODY && mark != me && mark != ATOMIC_OF + me;
}

gboolean
smb_shadow_is_disputed(const Shadow *shadow, guint warp, guint32 offset, guint n) {
  for (guint32 at = 0; at < n; at += 1u << shadow->granule_shift) {
    const Cell *cell = &shadow->cells[(offset + at) >> shadow->granule_shift];
    if (cell->phase == shadow->phase && is_foreign(cell->writer, (guint8)(warp + 1)))
      return TRUE;
  }
  return FALSE;
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

// @access: of a touch that may race
static void
touch_cell(SmbBlock *block, const Touch *touch, const Access *access, guint lane, guint32 offset) {
  Cell *cell = open_cell(block->shadow, offset);
  guint site = touch->site;
  guint8 me = (guint8)(touch->warp + 1);
  gboolean atomic = touch->op_class == SMB_OP_CLASS_ATOMIC;
  gboolean both_atomic = atomic && cell->writer > ATOMIC_OF;
  if (is_foreign(cell->writer, me) && !both_atomic)
    warn_race(block, site, cell->write_site, cell->writer, access, lane, offset);
  if (touch->op_class == SMB_OP_CLASS_LOAD) {
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
}

// Whether only this warp has accessed the cell, so that it cannot race.
static gboolean
is_own_cell(const Cell *cell, guint8 me) {
  return !is_foreign(cell->writer, me) && (cell->reader == NOBODY || cell->reader == me);
}

// The granules that lie @at bytes into the lanes' accesses. What no other warp has accessed since the last barrier
// takes a few instructions. @first: the cell of a granule that no warp has accessed; whether it @loads is known at
// compile time.
static inline void
touch_granules(SmbBlock *block, const Touch *touch, const guint32 *offset, const Access *access,
               Cell first, guint32 at, gboolean loads) {
  Cell *cells = block->shadow->cells;
  guint shift = block->shadow->granule_shift;
  guint8 me = (guint8)(touch->warp + 1);
  FOR_LANES(touch->lanes, lane) {
    Cell *cell = &cells[(offset[lane] + at) >> shift];
    if (cell->phase != first.phase)
      *cell = first;
    else if (!loads && first.writer > ATOMIC_OF && cell->writer > ATOMIC_OF &&
             cell->reader == NOBODY) {
      cell->write_site = first.write_site;
      cell->writer = cell->writer == first.writer ? first.writer : MANY;
    } else if (!is_own_cell(cell, me))
      touch_cell(block, touch, access, lane, offset[lane] + at);
    else if (loads) {
      cell->read_site = first.read_site;
      cell->reader = me;
    } else {
      cell->write_site = first.write_site;
      cell->writer = first.writer;
    }
  }
}

// Takes a touch to the cells. @access: unless it is known not to race
G_GNUC_NO_INLINE static void
mark(SmbBlock *block, const Touch *touch, const guint32 *offsets, const Access *access) {
  const Shadow *shadow = block->shadow;
  gboolean loads = touch->op_class == SMB_OP_CLASS_LOAD;
  guint8 me = (guint8)(touch->warp + 1);
  guint8 atomic = touch->op_class == SMB_OP_CLASS_ATOMIC ? ATOMIC_OF : 0;
  Cell load = {.phase = shadow->phase, .read_site = touch->site, .reader = me};
  Cell write = {.phase = shadow->phase, .write_site = touch->site, .writer = atomic + me};
  guint32 bytes_of_one = 1u << shadow->granule_shift, all_of_one = (1u << bytes_of_one) - 1;
  for (guint32 at = 0; at < touch->width; at += bytes_of_one) {
    if ((touch->padding >> at & all_of_one) == all_of_one)
      continue;
    if (loads)
      touch_granules(block, touch, offsets, access, load, at, TRUE);
    else
      touch_granules(block, touch, offsets, access, write, at, FALSE);
  }
}

// Whether all bytes of a whole warp's words were written.
static gboolean
is_written_word(const SmbBlock *block, const SmbRequest *request) {
  const Shadow *shadow = block->shadow;
  guint8 set = TRUE;
  if (request->mask != block->all_lanes || request->width != 1u << shadow->granule_shift)
    return FALSE;
  for (guint lane = 0; lane < block->lanes; lane++)
    set &= shadow->set[request->offset[lane] >> shadow->granule_shift];
  return set;
}

G_GNUC_NO_INLINE static void
check_all_written(SmbBlock *block, const Move *move, const Access *access) {
  const SmbRequest *request = &access->request;
  const Shadow *shadow = block->shadow;
  if (is_written_word(block, request))
    return;
  guint32 bytes_of_one = 1u << shadow->granule_shift, all_of_one = (1u << bytes_of_one) - 1;
  FOR_LANES(request->mask, lane) {
    for (guint32 at = 0; at < request->width; at += bytes_of_one) {
      guint32 offset = request->offset[lane] + at;
      gboolean is_padding = (move->padding >> at & all_of_one) == all_of_one;
      if (!is_padding && !shadow->set[offset >> shadow->granule_shift])
        warn_unset(block, move->site, access, lane, offset);
    }
  }
}

// The granules of a whole warp's words that lie side by side.
static void
note_row(Shadow *shadow, gsize first) {
  guint n_set = 0;
  for (gsize i = 0; i < shadow->n_lanes; i++)
    n_set += shadow->set[first + i];
  shadow->n_unset -= shadow->n_lanes - n_set;
  memset(shadow->set + first, TRUE, shadow->n_lanes);
}

static void
note_written_words(Shadow *shadow, const Access *access) {
  const SmbRequest *request = &access->request;
  guint32 bytes_of_one = 1u << shadow->granule_shift;
  if (access->pattern == PATTERN_DENSE && request->width == bytes_of_one) {
    note_row(shadow, request->offset[0] >> shadow->granule_shift);
    return;
  }
  for (guint32 at = 0; at < request->width; at += bytes_of_one) {
    FOR_LANES(request->mask, lane) {
      note_set(shadow, (request->offset[lane] + at) >> shadow->granule_shift);
    }
  }
}

static inline Touch
make_touch(const Move *move, const Access *access) {
  const SmbRequest *request = &access->request;
  return (Touch){request->mask,          move->site,  access->warp, request->width, move->padding,
                 (guint8)move->op_class, access->low, access->high};
}

// Lanes that are off get the place of the first one.
static void
note_accesses(SmbBlock *block, const Move *move, const Access *access) {
  Shadow *shadow = block->shadow;
  if (shadow->n_noted == shadow->max_noted) {
    shadow->max_noted = MAX(64, 2 * shadow->max_noted);
    shadow->noted = g_renew(Touch, shadow->noted, shadow->max_noted);
    shadow->offsets = g_renew(guint32, shadow->offsets, (gsize)shadow->max_noted * shadow->n_lanes);
  }
  gsize i = shadow->n_noted++;
  guint32 *offsets = shadow->offsets + i * shadow->n_lanes;
  shadow->noted[i] = make_touch(move, access);
  EACH_LANE(shadow->n_lanes, offsets[lane] = access->request.offset[lane];)
  SmbLanes lanes = access->request.mask;
  for (guint lane = 0; !access->common && lane < shadow->n_lanes; lane++)
    offsets[lane] = offsets[lanes >> lane & 1 ? lane : smb_lanes_first(lanes)];
  Touch *touch = &shadow->noted[i];
  if (touch->low > touch->high)
    block->place_loops->span(shadow->n_lanes, offsets, &touch->low, &touch->high);
}

// Claims all between the first and the last granule of a noted access. FALSE: another warp did.
G_GNUC_NO_INLINE static gboolean
claim(const SmbBlock *block, gsize i) {
  static const guint8 kinds[SMB_N_OP_CLASSES] = {[SMB_OP_CLASS_LOAD] = CLAIM_LOAD,
                                                 [SMB_OP_CLASS_STORE] = CLAIM_STORE,
                                                 [SMB_OP_CLASS_ATOMIC] = CLAIM_ATOMIC};
  Shadow *shadow = block->shadow;
  const Touch *touch = &shadow->noted[i];
  gsize first = touch->low >> shadow->granule_shift;
  gsize end = ((touch->high + touch->width - 1) >> shadow->granule_shift) + 1;
  shadow->claims_at = MIN(shadow->claims_at, first);
  shadow->claimed = MAX(shadow->claimed, end);
  return block->place_loops->claim(shadow->claims + first, end - first,
                                   (guint8)(kinds[touch->op_class] | (touch->warp + 1)));
}

// Whether what is noted keeps apart from what other warps did. That of one warp does, and so do loads alone and atomics
// alone; else only the last access may not.
static gboolean
keeps_apart(const SmbBlock *block) {
  Shadow *shadow = block->shadow;
  gboolean apart = TRUE;
  const Touch *first = &shadow->noted[0], *last = &shadow->noted[shadow->n_noted - 1];
  shadow->one_warp = shadow->one_warp && last->warp == first->warp;
  shadow->one_kind =
      shadow->one_kind && last->op_class == first->op_class && last->op_class != SMB_OP_CLASS_STORE;
  if (shadow->one_warp || shadow->one_kind)
    return TRUE;
  while (apart && shadow->n_claimed < shadow->n_noted)
    apart = claim(block, shadow->n_claimed++);
  return apart;
}

// What was noted, and did not race, becomes marks.
static void
mark_noted(SmbBlock *block) {
  Shadow *shadow = block->shadow;
  for (gsize i = 0; i < shadow->n_noted; i++)
    mark(block, &shadow->noted[i], shadow->offsets + i * shadow->n_lanes, NULL);
  shadow->notes = FALSE;
}

static void
find_word_races(SmbBlock *block, const Move *move, const Access *access) {
  Shadow *shadow = block->shadow;
  if (move->reads && shadow->n_unset > 0)
    check_all_written(block, move, access);
  if (move->op_class != SMB_OP_CLASS_LOAD && shadow->n_unset > 0)
    note_written_words(shadow, access);
  if (shadow->notes && shadow->n_noted < MAX_NOTED) {
    note_accesses(block, move, access);
    if (keeps_apart(block))
      return;
    shadow->n_noted--; // which may race
  }
  if (shadow->notes)
    mark_noted(block);
  Touch touch = make_touch(move, access);
  mark(block, &touch, access->request.offset, access);
}

void
smb_shadow_access(SmbBlock *block, const Move *move, const Access *access) {
  find_word_races(block, move, access);
  if (G_UNLIKELY(block->pending))
    smb_pending_check(block, move, access);
}
