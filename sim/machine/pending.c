// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies that end later (cp.async). What they bring is in shared memory at once here; on a device it comes some time
// before the thread that made the copy has waited for it, and until then no thread may access these bytes. A thread's
// copies are in groups, which it commits one after the other, and a wait leaves so many of the newest pending. Other
// warps see what came only behind a barrier that follows the wait; lanes of one warp are not compared, as in race.c.
//
// Not told: a copy to bytes that another copy of the thread may still write.
#include <string.h>

#include "sim/base/text.h"
#include "sim/machine/check/checking.h"
#include "sim/machine/access/lanes.h"

enum {
  WORD_BYTES = 4,   // the smallest copy
  LINE_BYTES = 128, // a multiple of the largest access
  LINE_WORDS = LINE_BYTES / WORD_BYTES,
};

// The last copy that wrote a word.
typedef struct {
  guint32 group; // its number among those of the thread
  guint32 thread;
  guint32 site;
  guint32 phase; // smb_shadow_phase(), then
} Filled;

// The groups of each thread.
typedef struct {
  guint32 *next;   // the number of the one that is not committed yet
  guint32 *waited; // those below are complete,
  guint32 *seen;   // and those below were before the phase of its last wait
  guint32 *phase;  // smb_shadow_phase(), then
} Groups;

// Words side by side. Open: a copy wrote it that may be pending, or that other warps do not see yet.
typedef struct {
  guint8 open[LINE_WORDS];
  Filled filled[LINE_WORDS]; // of those that are open
  guint32 looked; // n_waits + smb_shadow_phase(), when words that all saw by then were closed
} Line;

struct _Pending {
  gsize n_lines, n_threads;
  Line *lines;
  guint8 *n_open; // words, by line
  Groups groups;
  guint32 n_waits; // of any thread
};

static Pending *
pending_new(const SmbBlock *block) {
  Pending *pending = g_new0(Pending, 1);
  pending->n_lines = (block->reserved_start + block->reserved_bytes) / LINE_BYTES + 1;
  pending->n_threads = (gsize)block->n_warps * block->lanes;
  pending->lines = g_new0(Line, pending->n_lines);
  pending->n_open = g_new0(guint8, pending->n_lines);
  pending->groups.next = g_new0(guint32, pending->n_threads);
  pending->groups.waited = g_new0(guint32, pending->n_threads);
  pending->groups.seen = g_new0(guint32, pending->n_threads);
  pending->groups.phase = g_new0(guint32, pending->n_threads);
  return pending;
}

void
smb_pending_free(Pending *pending) {
  if (!pending)
    return;
  g_free(pending->lines);
  g_free(pending->n_open);
  g_free(pending->groups.next);
  g_free(pending->groups.waited);
  g_free(pending->groups.seen);
  g_free(pending->groups.phase);
  g_free(pending);
}

void
smb_pending_start_block(Pending *pending) {
  if (!pending)
    return;
  for (gsize i = 0; i < pending->n_lines; i++)
    memset(pending->lines[i].open, 0, LINE_WORDS);
  memset(pending->n_open, 0, pending->n_lines);
  gsize bytes = pending->n_threads * sizeof(guint32);
  memset(pending->groups.next, 0, bytes);
  memset(pending->groups.waited, 0, bytes);
  memset(pending->groups.seen, 0, bytes);
  memset(pending->groups.phase, 0, bytes);
}

// --- groups

void
smb_pending_commit(SmbBlock *block, guint warp, SmbLanes lanes) {
  if (!block->pending) // a group without copies
    return;
  guint32 *next = block->pending->groups.next + (gsize)warp * block->lanes;
  EACH_LANE(block->lanes, next[lane] += (guint32)(lanes >> lane & 1);)
}

void
smb_pending_wait(SmbBlock *block, guint warp, SmbLanes lanes, guint32 left) {
  Pending *pending = block->pending;
  if (!pending)
    return;
  if (left == PENDING_NONE)
    smb_pending_commit(block, warp, lanes);
  pending->n_waits++;
  gsize first = (gsize)warp * block->lanes;
  const guint32 *restrict next = pending->groups.next + first;
  guint32 *restrict waited = pending->groups.waited + first;
  guint32 *restrict seen = pending->groups.seen + first;
  guint32 *restrict phase = pending->groups.phase + first;
  guint32 now = smb_shadow_phase(block->shadow), n = left == PENDING_NONE ? 0 : left;
  EACH_LANE(block->lanes, {
    gboolean waits = lanes >> lane & 1;
    guint32 complete = MAX(waited[lane], next[lane] - MIN(next[lane], n));
    seen[lane] = waits && phase[lane] != now ? waited[lane] : seen[lane];
    phase[lane] = waits ? now : phase[lane];
    waited[lane] = waits ? complete : waited[lane];
  })
}

static gboolean
is_pending(const Pending *pending, const Filled *filled) {
  return filled->group >= pending->groups.waited[filled->thread];
}

// Whether every warp sees what a copy wrote: of one that was waited for before the last barrier, or in a block of one
// warp.
static gboolean
is_seen(const SmbBlock *block, const Filled *filled, guint32 phase) {
  const Groups *groups = &block->pending->groups;
  gboolean waits_for_barrier = groups->phase[filled->thread] == phase && block->n_warps > 1;
  return filled->group <
         (waits_for_barrier ? groups->seen[filled->thread] : groups->waited[filled->thread]);
}

// --- copies

static gboolean
is_copy(const Move *move) {
  return move->op == SMB_OP_CP_ASYNC_CA || move->op == SMB_OP_CP_ASYNC_CG;
}

void
smb_pending_begin(SmbBlock *block, const Move *move, const Access *access) {
  if (!block->pending)
    block->pending = pending_new(block);
  Pending *pending = block->pending;
  guint32 phase = smb_shadow_phase(block->shadow);
  guint n_words = move->width / WORD_BYTES;
  FOR_LANES(access->request.mask, lane) {
    guint32 thread = access->warp * block->lanes + (guint32)lane;
    guint32 at = access->request.offset[lane];
    guint first = at % LINE_BYTES / WORD_BYTES, n_open = 0;
    Line *line = &pending->lines[at / LINE_BYTES];
    Filled filled = {pending->groups.next[thread], thread, move->site, phase};
    for (guint word = first; word < first + n_words; word++) {
      n_open += line->open[word];
      line->open[word] = TRUE;
      line->filled[word] = filled;
    }
    pending->n_open[at / LINE_BYTES] += (guint8)(n_words - n_open);
  }
}

static void
close_word(Pending *pending, gsize line, guint word) {
  pending->lines[line].open[word] = FALSE;
  pending->n_open[line]--;
}

// Closes words of a line that all see by now, if any may be among them.
static void
close_seen(const SmbBlock *block, gsize number) {
  Pending *pending = block->pending;
  Line *line = &pending->lines[number];
  guint32 phase = smb_shadow_phase(block->shadow), now = pending->n_waits + phase;
  if (line->looked == now)
    return;
  line->looked = now;
  for (guint word = 0; word < LINE_WORDS; word++) {
    if (line->open[word] && is_seen(block, &line->filled[word], phase))
      close_word(pending, number, word);
  }
}

// The copy that wrote the word at @offset, if that is open; else NULL.
static const Filled *
find_open(const Pending *pending, guint32 offset) {
  const Line *line = &pending->lines[offset / LINE_BYTES];
  guint word = offset % LINE_BYTES / WORD_BYTES;
  return line->open[word] ? &line->filled[word] : NULL;
}

gboolean
smb_pending_is_at(const SmbBlock *block, guint32 offset) {
  const Filled *filled = block->pending ? find_open(block->pending, offset) : NULL;
  return filled && is_pending(block->pending, filled);
}

// --- who accesses what they write

// What is missing: a wait, or a barrier after it.
static char *
advise_wait(const Pending *pending, const Filled *filled, gboolean is_own) {
  guint32 next = pending->groups.next[filled->thread], left = next - filled->group - 1;
  if (!is_pending(pending, filled))
    return g_strdup("no barrier follows the wait");
  g_autofree char *wait = filled->group == next ? g_strdup("it is in no group yet")
                          : left == 0
                              ? g_strdup("to wait for it, leave no group pending")
                              : g_strdup_printf("to wait for it, leave at most %u group%s pending",
                                                left, smb_plural(left));
  return g_strconcat(wait, is_own ? "" : "; a barrier must follow the wait", NULL);
}

G_GNUC_NO_INLINE static void
warn_pending(SmbBlock *block, const Move *move, const Access *access, guint lane, guint32 offset,
             const Filled *filled) {
  static const char *const verbs[SMB_N_OP_CLASSES] = {[SMB_OP_CLASS_LOAD] = "reads",
                                                      [SMB_OP_CLASS_STORE] = "overwrites",
                                                      [SMB_OP_CLASS_ATOMIC] = "changes"};
  const CheckFound found = {.kind = SMB_DEFECT_PENDING,
                            .site = move->site,
                            .other = filled->site,
                            .warp = access->warp,
                            .lane = lane,
                            .other_thread = filled->thread,
                            .array = smb_access_array(block, access, lane, offset),
                            .address = offset};
  gboolean is_found = block->check && !smb_inspect_counts(block, &found);
  gboolean is_told =
      block->sink->warn && smb_shadow_is_news(block, SMB_WARNING_PENDING, move->site, filled->site);
  if (block->check)
    block->check->pending |= (SmbLanes)1 << lane;
  if (!is_found && !is_told)
    return;
  g_autofree char *where = smb_site_place(smb_program_site(block->program, filled->site));
  g_autofree char *thread =
      smb_block_thread(block, filled->thread / block->lanes, filled->thread % block->lanes);
  gboolean is_own = filled->thread / block->lanes == access->warp;
  g_autofree char *advice = advise_wait(block->pending, filled, is_own);
  g_autofree char *message = g_strdup_printf(
      "the copy at %s may not be complete: this %s by warp %u %s '%s' (byte %u of shared memory) "
      "before %s, which made the copy, has waited for it%s (%s)",
      where, smb_op_class_name(move->op_class), access->warp, verbs[move->op_class],
      smb_access_array(block, access, lane, offset), offset, thread,
      is_own ? "" : " before a barrier", advice);
  if (is_found)
    smb_inspect_tell(block, &found, "%s", message);
  if (is_told)
    block->sink->warn(block->user, SMB_WARNING_PENDING, move->site, filled->site, message);
}

static void
check_word(SmbBlock *block, const Move *move, const Access *access, guint lane, guint32 offset) {
  Pending *pending = block->pending;
  const Filled *filled = find_open(pending, offset);
  if (!filled)
    return;
  gboolean is_own = filled->thread / block->lanes == access->warp;
  // Without a barrier since the copy, it is a race with that; what else orders warps is not followed, as in race.c.
  gboolean is_unseen = !is_own && filled->phase != smb_shadow_phase(block->shadow) &&
                       !block->program->reaches_reserved;
  if (is_unseen || is_pending(pending, filled))
    warn_pending(block, move, access, lane, offset, filled);
  else if (is_own && move->op_class != SMB_OP_CLASS_LOAD) // which others race with from here on
    close_word(pending, offset / LINE_BYTES, offset % LINE_BYTES / WORD_BYTES);
}

// Whether words are open in any line of an access.
static gboolean
is_near_open(const SmbBlock *block, const SmbRequest *request) {
  const guint8 *n_open = block->pending->n_open;
  guint8 any = 0;
  if (request->mask == block->all_lanes)
    EACH_LANE(block->lanes, any |= n_open[request->offset[lane] / LINE_BYTES];)
  else
    FOR_LANES(request->mask, lane) {
      any |= n_open[request->offset[lane] / LINE_BYTES];
    }
  return any != 0;
}

void
smb_pending_check(SmbBlock *block, const Move *move, const Access *access) {
  const SmbRequest *request = &access->request;
  const guint8 *n_open = block->pending->n_open;
  if (is_copy(move) || !is_near_open(block, request))
    return;
  FOR_LANES(request->mask, lane) {
    gsize line = request->offset[lane] / LINE_BYTES;
    if (n_open[line])
      close_seen(block, line);
    for (guint32 at = 0; n_open[line] && at < request->width; at += WORD_BYTES)
      check_word(block, move, access, (guint)lane, request->offset[lane] + at);
  }
}
