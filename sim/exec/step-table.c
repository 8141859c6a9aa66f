// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The rows of steps.def with their functions. This file includes all rooms; what looks a step up includes step.h.
#include "sim/exec/memory/memory.h"
#include "sim/exec/service/service.h"
#include "sim/exec/sync/sync.h"
#include "sim/exec/unknown/unknown.h"
#include "sim/exec/warp/warp.h"

static const StepInfo table[N_STEPS] = {
#define STEP(name, handler, doubt, kind, flags)                                                    \
  [STEP_##name] = {#name, smb_step_##handler, smb_doubt_##doubt, KIND_##kind, flags},
#include "sim/exec/steps.def"
#undef STEP
};

const StepInfo *
smb_step_info(StepOpcode opcode) {
  return &table[opcode];
}

void
smb_step_bind(Step *step, StepOpcode opcode) {
  const StepInfo *info = &table[opcode];
  step->opcode = (guint8)opcode;
  step->run = info->run;
  step->kind = info->kind;
  step->flags = info->flags;
}
