// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for every processor, and those of each kind.
#define PLACE_LOOPS smb_place_loops_portable
#include "sim/machine/access/place-impl.h"

const PlaceLoops *
smb_place_loops(SmbProcessor processor) {
  static const PlaceLoops *const builds[SMB_N_PROCESSORS] = {
    [SMB_PROCESSOR_ANY] = &smb_place_loops_portable,
#if SMB_HAVE_X86
    [SMB_PROCESSOR_AVX2] = &smb_place_loops_avx2,
    [SMB_PROCESSOR_AVX512] = &smb_place_loops_avx512,
#endif
  };
  return builds[processor];
}
