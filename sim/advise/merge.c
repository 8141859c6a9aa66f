// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/advise/merge.h"

static gboolean
is_merged_op(SmbOp op) {
  return op == SMB_OP_LD || op == SMB_OP_ST;
}

// Whether each lane goes on behind what it has read, or stored, before; @is_down: in front of it.
static gboolean
goes_on(const SmbArrayUse *use, const SmbArrayRequest *before, const SmbArrayRequest *next,
        gboolean is_down) {
  const GArray *accesses = use->analysis->accesses;
  const SmbRequest *first = &before->made->request, *then = &next->made->request;
  gboolean same = g_array_index(accesses, SmbAccess, before->made->access).site->is_unrolled &&
                  before->whole && next->whole && before->made->access == next->made->access &&
                  before->made->warp == next->made->warp &&
                  before->made->count == next->made->count && is_merged_op(first->op) &&
                  then->op == first->op && first->mask == then->mask && first->width == then->width;
  SmbLanes lanes = smb_request_lanes(first);
  for (same = same && lanes; same && lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    same = is_down ? then->offset[lane] + then->width == first->offset[lane]
                   : then->offset[lane] == first->offset[lane] + first->width;
  }
  return same;
}

static gboolean
is_aligned(const SmbRequest *request, guint width) {
  SmbLanes lanes = smb_request_lanes(request);
  while (lanes && request->offset[smb_lanes_first(lanes)] % width == 0)
    lanes &= lanes - 1;
  return !lanes;
}

// Requests of an array from one on.
typedef struct {
  const SmbArrayUse *use;
  const SmbArrayRequest *first;
  guint n;          // that are left
  guint run;        // that go on, at least 1
  gboolean is_down; // towards lower addresses
} Run;

static void
find_merged_run(Run *run) {
  run->is_down = run->n > 1 && goes_on(run->use, run->first, run->first + 1, TRUE);
  for (run->run = MAX(run->run, 1);
       run->run < run->n &&
       goes_on(run->use, &run->first[run->run - 1], &run->first[run->run], run->is_down);)
    run->run++;
}

// The widest access that replaces the first of those that go on; and how many it does, the lowest of which is @lowest.
static guint
find_merged_width(const Run *run, guint max_width, guint *step, const SmbArrayRequest **lowest) {
  guint own = run->first->made->request.width, width = own & (own - 1u) ? own : max_width;
  for (; width > own; width /= 2) {
    *step = width / own;
    *lowest = run->is_down ? run->first + MIN(*step, run->run) - 1 : run->first;
    if (*step <= run->run && is_aligned(&(*lowest)->made->request, width))
      return width;
  }
  *step = 1;
  *lowest = run->first;
  return own;
}

SmbMergedUse *
smb_array_use_merge(const SmbArrayUse *use, guint max_width) {
  g_autoptr(SmbMergedUse) merged = g_new0(SmbMergedUse, 1);
  guint n = use->requests->len, step;
  gboolean has_load = FALSE;
  const SmbArrayRequest *lowest;
  merged->use = *use;
  merged->use.requests = g_array_new(FALSE, FALSE, sizeof(SmbArrayRequest));
  merged->made = g_array_sized_new(FALSE, FALSE, sizeof(SmbAccessRequest), n); // never moves
  Run run = {.use = use, .first = (const SmbArrayRequest *)use->requests->data, .n = n};
  for (; run.n > 0; run.first += step, run.n -= step, run.run -= step) {
    find_merged_run(&run);
    guint width = find_merged_width(&run, max_width, &step, &lowest);
    SmbAccessRequest made = *lowest->made;
    gboolean is_load = made.request.op == SMB_OP_LD;
    if (step > 1 && (merged->width == 0 || (is_load && !has_load)))
      merged->access = made.access;
    has_load = has_load || (step > 1 && is_load);
    merged->width = step > 1 ? MAX(merged->width, width) : merged->width;
    made.request.width = (guint8)width;
    g_array_append_val(merged->made, made);
    const SmbArrayRequest entry = {
        &g_array_index(merged->made, SmbAccessRequest, merged->made->len - 1), lowest->whole};
    g_array_append_val(merged->use.requests, entry);
  }
  return merged->width ? g_steal_pointer(&merged) : NULL;
}

void
smb_merged_use_free(SmbMergedUse *merged) {
  if (!merged)
    return;
  g_array_unref(merged->use.requests);
  g_array_unref(merged->made);
  g_free(merged);
}
