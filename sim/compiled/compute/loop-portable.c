// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for every processor, and which ones run here.
#define LOOPS smb_loops_portable
#include "sim/compiled/compute/loop-impl.h"

const Loops *
smb_loops_choose(void) {
#if SMB_HAVE_AVX2_LOOPS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
    return &smb_loops_avx2;
#endif
  return &smb_loops_portable;
}
