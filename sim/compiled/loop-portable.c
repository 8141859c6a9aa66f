// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for every processor, and which ones run here.
#define LOOPS smb_loops_portable
#include "sim/compiled/loop-impl.h"

#if SMB_HAVE_AVX2_LOOPS
static const ComputeLoop *
choose_loops(void) {
  gboolean wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  return wide ? smb_loops_avx2 : smb_loops_portable;
}
#else
static const ComputeLoop *
choose_loops(void) {
  return smb_loops_portable;
}
#endif

ComputeLoop
smb_compute_loop(Operation operation) {
  return choose_loops()[operation];
}
