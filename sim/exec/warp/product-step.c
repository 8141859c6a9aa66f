// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of matrices that a warp has in its registers (mma, HMMA and their like). All of its lanes have to take part (PTX
// ISA, "mma"): if they do not, nothing is known of the result. On a chip whose sums were not compared with a device, it is
// not known either what is only counted; of a launch that is run for its results it is computed, and if another rule of adding
// might have given something else, a user is told.
#include "sim/exec/warp/warp.h"
#include "sim/machine/device/runtime.h"

// Whether all lanes of the groups of 32 that take part do.
static gboolean
are_groups_whole(SmbLanes lanes) {
  for (guint first = 0; first < SMB_MAX_LANES; first += ROW_LANES) {
    guint32 group = (guint32)(lanes >> first);
    if (group != 0 && group != G_MAXUINT32)
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_step_product(Exec *exec, const Step *step, SmbLanes lanes) {
  const Product *product = step->product;
  SmbRuntime *runtime = exec->block->runtime;
  if (!lanes)
    return TRUE;
  if (!are_groups_whole(lanes) || (product->form.is_published && !runtime)) {
    smb_unknown_note(exec, step, (Cause){.kind = CAUSE_OPAQUE});
    smb_doubt_writes(exec, step, lanes, step_origin(exec, step));
    return TRUE;
  }
  if (!smb_product_make(product, exec->warp->registers, lanes) && runtime)
    smb_runtime_approximate(runtime, SMB_APPROXIMATE_PRODUCTS);
  return TRUE;
}
