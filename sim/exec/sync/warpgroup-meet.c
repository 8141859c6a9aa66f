// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Four warps that make a product together (PTX ISA, "wgmma.mma_async"): none has it before all of them have come. So whoever waits for it, and
// then has the operands replaced, does so after all four have read them. It is made when the last one comes. Where one has ended, the others do not wait
// for it.
#include "sim/exec/sync/sync.h"

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

// What those have come for that are held.
static gboolean
make_products(Exec *exec, guint first) {
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
  if (lanes == splits->living)
    make_products(exec, first);
  smb_group_product_make(exec, step, lanes);
  return TRUE;
}

gboolean
smb_products_release(Exec *exec) {
  gboolean any = FALSE;
  for (guint first = 0; first < exec->block->n_warps; first += GROUP_WARPS)
    any |= is_group_there(exec, first, G_MAXUINT) && make_products(exec, first);
  return any;
}
