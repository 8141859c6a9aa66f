// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Four warps that make a product together (PTX ISA, "wgmma.mma_async"): none has it before all of them have come. So whoever waits for it, and
// then has the operands replaced, does so after all four have read them. It is made when the last one comes. Where one has ended, the others do not wait
// for it, and a launch that is checked says so.
#include "sim/exec/sync/sync.h"
#include "sim/machine/check/checking.h"

static gboolean
is_held_whole(const Warp *warp) {
  const SmbSplits *splits = warp->splits;
  return splits->living && smb_splits_held(splits, HELD_BY_PRODUCT) == splits->living;
}

// Whether all warps of the group are there that have not ended, but for @coming.
static gboolean
is_group_there(const Exec *exec, guint first, guint coming) {
  for (guint w = first; w < MIN(first + GROUP_WARPS, exec->block->n_warps); w++)
    if (w != coming && exec->warps[w].splits->living && !is_held_whole(&exec->warps[w]))
      return FALSE;
  return TRUE;
}

// All threads of four warps in a row execute a product (PTX ISA, "wgmma.mma_async", .sync.aligned): others have undefined behaviour. @coming: the
// warp that runs, if it has come
static void
check_group_whole(Exec *exec, const Step *step, guint first, guint coming) {
  SmbBlock *block = exec->block;
  guint n = 0, absent = G_MAXUINT;
  for (guint w = first; w < first + GROUP_WARPS; w++) {
    gboolean is_there = w == coming || (w < block->n_warps && is_held_whole(&exec->warps[w]));
    n += is_there;
    absent = is_there ? absent : MIN(absent, w);
  }
  const CheckFound found = {.kind = SMB_DEFECT_WARPGROUP,
                            .site = step->product->site,
                            .other = G_MAXUINT,
                            .warp = first,
                            .lane = G_MAXUINT,
                            .other_thread = G_MAXUINT};
  if (n == GROUP_WARPS || smb_inspect_counts(block, &found))
    return;
  smb_inspect_tell(
      block, &found,
      "wgmma is executed by %u of the 4 warps of the warpgroup from warp %u on: warp %u %s", n,
      first, absent, absent < block->n_warps ? "never comes" : "is not in the block");
}

// Of a warp, some lanes.
static void
check_lanes(Exec *exec, const Step *step, SmbLanes lanes) {
  const CheckFound found = {.kind = SMB_DEFECT_WARPGROUP,
                            .site = step->product->site,
                            .other = G_MAXUINT,
                            .warp = exec->w,
                            .lane = smb_lanes_first(lanes),
                            .other_thread = G_MAXUINT};
  if (!smb_inspect_counts(exec->block, &found))
    smb_inspect_tell(exec->block, &found, "wgmma is executed by %u of the lanes of warp %u",
                     smb_lanes_count(lanes), exec->w);
}

// What those have come for that are held; @coming: as of check_group_whole()
static gboolean
make_products(Exec *exec, guint first, guint coming) {
  const guint running = exec->w;
  gboolean any = FALSE;
  for (guint w = first; w < MIN(first + GROUP_WARPS, exec->block->n_warps); w++) {
    Warp *warp = &exec->warps[w];
    guint32 pc;
    if (!is_held_whole(warp))
      continue;
    exec->w = w;
    exec->warp = warp;
    smb_splits_lane(warp->splits, smb_lanes_first(warp->splits->living), &pc);
    if (exec->block->check && coming == G_MAXUINT && !any)
      check_group_whole(exec, &exec->steps[pc - 1], first, G_MAXUINT);
    smb_group_product_make(exec, &exec->steps[pc - 1], warp->splits->living);
    smb_splits_release(warp->splits, HELD_BY_PRODUCT, TRUE);
    any = TRUE;
  }
  exec->w = running;
  exec->warp = &exec->warps[running];
  return any;
}

gboolean
smb_step_group_product(Exec *exec, const Step *step, SmbLanes lanes) {
  const guint first = exec->w / GROUP_WARPS * GROUP_WARPS;
  SmbSplits *splits = exec->warp->splits;
  if (!lanes)
    return TRUE;
  if (lanes == splits->living && !is_group_there(exec, first, exec->w)) {
    smb_splits_hold(splits, lanes, HELD_BY_PRODUCT);
    return TRUE;
  }
  if (exec->block->check && lanes == splits->living)
    check_group_whole(exec, step, first, exec->w);
  else if (exec->block->check)
    check_lanes(exec, step, lanes);
  if (lanes == splits->living)
    make_products(exec, first, exec->w);
  smb_group_product_make(exec, step, lanes);
  return TRUE;
}

gboolean
smb_products_release(Exec *exec) {
  gboolean any = FALSE;
  for (guint first = 0; first < exec->block->n_warps; first += GROUP_WARPS)
    any |= is_group_there(exec, first, G_MAXUINT) && make_products(exec, first, G_MAXUINT);
  return any;
}
