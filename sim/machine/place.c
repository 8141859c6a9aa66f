// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for every processor, and which ones run here.
#define PLACE_LOOPS smb_place_loops_portable
#include "sim/machine/place-impl.h"

const PlaceLoops *
smb_place_loops_choose(void) {
#if SMB_HAVE_AVX2_PLACES
  if (__builtin_cpu_supports("avx2"))
    return &smb_place_loops_avx2;
#endif
  return &smb_place_loops_portable;
}
