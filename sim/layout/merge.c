// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/layout/merge.h"

// Whether each lane reads on behind what it has read before.
static gboolean
goes_on(const SmbArrayUse *use, const SmbArrayRequest *before, const SmbArrayRequest *next) {
  const GArray *accesses = use->analysis->accesses;
  const SmbRequest *first = &before->made->request, *then = &next->made->request;
  gboolean same = g_array_index(accesses, SmbAccess, before->made->access).site->is_unrolled &&
                  before->whole && next->whole && before->made->access == next->made->access &&
                  before->made->warp == next->made->warp &&
                  before->made->count == next->made->count && first->op == SMB_OP_LD &&
                  then->op == SMB_OP_LD && first->mask == then->mask && first->width == then->width;
  SmbLanes lanes = smb_request_lanes(first);
  for (same = same && lanes; same && lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    same = then->offset[lane] == first->offset[lane] + first->width;
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

// The widest load that replaces the first of @n that go on.
static guint
find_width(const SmbRequest *request, guint n, guint max_width) {
  guint width = max_width;
  gboolean power = (request->width & (request->width - 1u)) == 0;
  while (width > request->width && (width > n * request->width || !is_aligned(request, width)))
    width /= 2;
  return power && width > request->width ? width : request->width;
}

SmbMergedUse *
smb_array_use_merge(const SmbArrayUse *use, guint max_width) {
  const SmbArrayRequest *asked = (const SmbArrayRequest *)use->requests->data;
  g_autoptr(SmbMergedUse) merged = g_new0(SmbMergedUse, 1);
  guint n = use->requests->len, step;
  merged->use = *use;
  merged->use.requests = g_array_new(FALSE, FALSE, sizeof(SmbArrayRequest));
  merged->made = g_array_sized_new(FALSE, FALSE, sizeof(SmbAccessRequest), n); // never moves
  for (guint i = 0, run = 0; i < n; i += step, run -= step) {
    for (run = MAX(run, 1); i + run < n && goes_on(use, &asked[i + run - 1], &asked[i + run]);)
      run++;
    SmbAccessRequest made = *asked[i].made;
    guint width = find_width(&made.request, run, max_width);
    step = MAX(1, width / made.request.width);
    if (step > 1 && merged->width == 0)
      merged->access = made.access;
    merged->width = step > 1 ? MAX(merged->width, width) : merged->width;
    made.request.width = (guint8)width;
    g_array_append_val(merged->made, made);
    const SmbArrayRequest entry = {
        &g_array_index(merged->made, SmbAccessRequest, merged->made->len - 1), asked[i].whole};
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
