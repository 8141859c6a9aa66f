// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/record/path.h"

SmbFlow
smb_path_flow(SmbPath *path, guint rate, guint32 next, SmbLanes active) {
  SmbLanes gone = path->scattered & active;
  path->scattered &= ~active;
  if (gone && !(path->active & active))
    return SMB_FLOW_OTHERS;
  if (!path->lanes)
    return SMB_FLOW_IDLE;
  if (rate == SMB_RATE_INDIRECT) {
    path->scattered |= path->active & ~active;
    return path->active & ~active ? SMB_FLOW_PARTS : SMB_FLOW_TAKEN;
  }
  if (rate == SMB_RATE_BRANCH) {
    gboolean parts = path->lanes != path->active;
    return parts ? SMB_FLOW_PARTS : next != path->number + 1 ? SMB_FLOW_TAKEN : SMB_FLOW_ON;
  }
  gboolean passes = next == path->number + 1 && path->active & active;
  return rate == SMB_RATE_MEETING && passes ? SMB_FLOW_MEETS : SMB_FLOW_ON;
}
