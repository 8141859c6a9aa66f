// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What threads of a block see of each other: a clock of the block, and for each pair of warps, and of lanes of a warp, up to which
// time one sees what the other did. Lanes that meet, barriers, mbarriers and flags move it on. Between warps all lanes of a warp are
// taken together: what one of them has waited for, the others may use as well.
#include <string.h>

#include "sim/machine/check/checking.h"

// What has arrived at a barrier, by warp, and what had when its last phase was complete.
typedef struct {
  guint32 *arrived;
  guint32 *complete;
} Post;

// Columns of a row: the warps, their agents, and what products see of each warp's stores.
guint
smb_inspect_columns(guint n_warps) {
  return n_warps * (1 + N_CHECK_AGENTS + 1);
}

// Of what products see of a warp's stores.
static guint
fence_column(const SmbBlock *block, guint warp) {
  return block->check->n_columns - block->n_warps + warp;
}

static guint32 *
seen_row(const Inspection *check, guint warp) {
  return check->seen + (gsize)warp * check->n_columns;
}

static guint32 *
lane_row(const SmbBlock *block, guint warp, guint lane) {
  return block->check->lane_seen + ((gsize)warp * block->lanes + lane) * block->lanes;
}

static void
raise_row(guint32 *row, const guint32 *by, guint n) {
  for (guint i = 0; i < n; i++)
    row[i] = MAX(row[i], by[i]);
}

void
smb_inspect_advance(SmbBlock *block) {
  block->check->now++;
}

void
smb_inspect_meet(SmbBlock *block, guint warp, SmbLanes lanes) {
  Inspection *check = block->check;
  guint32 joined[SMB_MAX_LANES] = {0};
  guint32 now = ++check->now;
  FOR_LANES(lanes, lane) {
    raise_row(joined, lane_row(block, warp, lane), block->lanes);
  }
  FOR_LANES(lanes, lane) {
    joined[lane] = now;
  }
  FOR_LANES(lanes, lane) {
    memcpy(lane_row(block, warp, lane), joined, block->lanes * sizeof *joined);
  }
}

static void
free_post(gpointer data) {
  Post *post = data;
  g_free(post->arrived);
  g_free(post->complete);
  g_free(post);
}

GHashTable *
smb_inspect_posts_new(void) {
  return g_hash_table_new_full(NULL, NULL, NULL, free_post);
}

static Post *
open_post(const Inspection *check, guint32 key) {
  Post *post = g_hash_table_lookup(check->posts, GUINT_TO_POINTER(key + 1));
  if (post)
    return post;
  post = g_new0(Post, 1);
  post->arrived = g_new0(guint32, check->n_columns);
  post->complete = g_new0(guint32, check->n_columns);
  g_hash_table_insert(check->posts, GUINT_TO_POINTER(key + 1), post);
  return post;
}

// Lanes of a warp see what all of @row says of their own warp.
static void
raise_lanes(const SmbBlock *block, guint warp, SmbLanes lanes, guint32 time) {
  FOR_LANES(lanes, lane) {
    guint32 *row = lane_row(block, warp, lane);
    for (guint other = 0; other < block->lanes; other++)
      row[other] = MAX(row[other], time);
  }
}

void
smb_inspect_barrier(SmbBlock *block, guint32 key, const Mask *mask, gboolean is_all) {
  Inspection *check = block->check;
  g_autofree guint32 *joined = g_new0(guint32, check->n_columns);
  const Post *post = g_hash_table_lookup(check->posts, GUINT_TO_POINTER(key + 1));
  guint32 now = ++check->now;
  if (post)
    raise_row(joined, post->arrived, check->n_columns);
  FOR_WARPS(block, mask, w) {
    raise_row(joined, seen_row(check, w), check->n_columns);
  }
  FOR_WARPS(block, mask, w) {
    joined[w] = now;
  }
  FOR_WARPS(block, mask, w) {
    guint first = is_all ? block->n_warps : 0; // of warps, all that was done
    raise_row(seen_row(check, w) + first, joined + first, check->n_columns - first);
  }
  if (is_all)
    check->floor = now;
  FOR_WARPS(block, mask, w) {
    if (is_all)
      break;
    FOR_LANES(mask->warp[w], lane) {
      FOR_LANES(mask->warp[w], other) {
        lane_row(block, w, lane)[other] = now;
      }
    }
  }
}

void
smb_inspect_arrive(SmbBlock *block, guint warp, guint32 key) {
  Inspection *check = block->check;
  Post *post = open_post(check, key);
  raise_row(post->arrived, seen_row(check, warp), check->n_columns);
  post->arrived[warp] = ++check->now;
}

void
smb_inspect_finish(SmbBlock *block, CheckAgent agent, guint warp, guint32 key) {
  Inspection *check = block->check;
  guint column = check_warp(check, check_agent(block, agent, warp));
  open_post(check, key)->arrived[column] = ++check->now;
}

void
smb_inspect_arrive_from_peer(SmbBlock *block, guint32 key) {
  const Inspection *check = block->check;
  raise_row(open_post(check, key)->arrived, open_post(check, CHECK_TOLD_PEERS)->arrived,
            check->n_columns);
  smb_inspect_finish(block, CHECK_PEERS, 0, key);
}

void
smb_inspect_meet_peers(SmbBlock *block) {
  for (guint w = 0; w < block->n_warps; w++)
    smb_inspect_arrive(block, w, CHECK_TOLD_PEERS);
  smb_inspect_finish(block, CHECK_PEERS, 0, CHECK_TOLD_PEERS);
  smb_inspect_complete(block, CHECK_TOLD_PEERS);
  for (guint w = 0; w < block->n_warps; w++)
    smb_inspect_await(block, w, 0, CHECK_TOLD_PEERS);
}

void
smb_inspect_complete(SmbBlock *block, guint32 key) {
  const Post *post = open_post(block->check, key);
  memcpy(post->complete, post->arrived, block->check->n_columns * sizeof *post->complete);
}

void
smb_inspect_await(SmbBlock *block, guint warp, SmbLanes lanes, guint32 key) {
  const Inspection *check = block->check;
  const Post *post = open_post(check, key);
  guint32 own = seen_row(check, warp)[warp];
  raise_row(seen_row(check, warp), post->complete, check->n_columns);
  seen_row(check, warp)[warp] = own;
  raise_lanes(block, warp, lanes, post->complete[warp]);
}

void
smb_inspect_fence(SmbBlock *block, guint warp) {
  Inspection *check = block->check;
  check->fenced[warp] = ++check->now;
  check->has_fences = TRUE;
}

void
smb_inspect_fence_async(SmbBlock *block, guint warp) {
  Inspection *check = block->check;
  guint32 *seen = seen_row(check, warp), now = ++check->now;
  for (guint other = 0; other < block->n_warps; other++) {
    guint32 *fenced = &seen[fence_column(block, other)];
    *fenced = MAX(*fenced, other == warp ? now : MAX(seen[other], check->floor));
  }
}

void
smb_inspect_commit(SmbBlock *block, CheckAgent agent, guint warp) {
  Inspection *check = block->check;
  guint32 *ended = check->groups[agent][warp];
  memmove(ended + 1, ended, (CHECK_GROUPS - 1) * sizeof *ended);
  ended[0] = ++check->now;
}

void
smb_inspect_await_groups(SmbBlock *block, CheckAgent agent, guint warp, guint n) {
  const Inspection *check = block->check;
  guint column = check_warp(check, check_agent(block, agent, warp));
  guint32 *seen = &seen_row(check, warp)[column];
  if (n < CHECK_GROUPS)
    *seen = MAX(*seen, check->groups[agent][warp][n]);
}

void
smb_inspect_await_all(SmbBlock *block, CheckAgent agent, guint warp) {
  smb_inspect_commit(block, agent, warp);
  smb_inspect_await_groups(block, agent, warp, 0);
}

void
smb_inspect_release(SmbBlock *block, guint warp, guint32 offset) {
  const Inspection *check = block->check;
  guint32 fenced = check->fenced[warp];
  if (!check_is_current(check, fenced))
    return;
  Post *post = open_post(check, CHECK_COUNTERS + offset);
  if (post->arrived[warp] == fenced)
    return; // it has said so
  raise_row(post->arrived, seen_row(check, warp), check->n_columns);
  post->arrived[warp] = fenced;
}

void
smb_inspect_find_released(SmbBlock *block, guint thread, guint32 offset) {
  const Inspection *check = block->check;
  guint warp = check_warp(check, thread);
  const Post *post =
      check->has_fences
          ? g_hash_table_lookup(check->posts, GUINT_TO_POINTER(CHECK_COUNTERS + offset + 1))
          : NULL;
  if (!post)
    return;
  guint32 own = seen_row(check, warp)[warp];
  raise_row(seen_row(check, warp), post->arrived, check->n_columns);
  seen_row(check, warp)[warp] = own;
  raise_lanes(block, warp, (SmbLanes)1 << thread % block->lanes, post->arrived[warp]);
}

void
smb_inspect_acquire(SmbBlock *block, guint thread, guint writer, guint32 time) {
  const Inspection *check = block->check;
  guint warp = check_warp(check, thread), other = check_warp(check, writer);
  if (other >= block->n_warps)
    return;
  if (warp == other) {
    guint32 *seen = lane_row(block, warp, thread % block->lanes) + writer % block->lanes;
    *seen = MAX(*seen, time + 1);
    return;
  }
  guint32 *seen = seen_row(check, warp);
  raise_row(seen, seen_row(check, other), check->n_columns);
  seen[other] = MAX(seen[other], time + 1);
}

gboolean
smb_inspect_sees(const SmbBlock *block, guint thread, guint other, guint32 time) {
  const Inspection *check = block->check;
  guint warp = check_warp(check, thread), of = check_warp(check, other);
  if (thread == other)
    return TRUE;
  if (of >= block->n_warps)
    return time < seen_row(check, warp)[of];
  if (time < check->floor)
    return TRUE;
  if (warp == of)
    return time < lane_row(block, warp, thread % block->lanes)[other % block->lanes];
  return time < seen_row(check, warp)[of];
}

gboolean
smb_inspect_sees_begun(const SmbBlock *block, guint warp, guint agent, guint32 time) {
  const Inspection *check = block->check;
  guint of = check_warp(check, agent) % block->n_warps;
  return of == warp || time < check->floor || time < seen_row(check, warp)[of] ||
         check_agent_of(block, agent) == CHECK_PEERS;
}

gboolean
smb_inspect_is_fenced(const SmbBlock *block, guint warp, guint writer, guint32 time) {
  const Inspection *check = block->check;
  return time < seen_row(check, warp)[fence_column(block, check_warp(check, writer))];
}
