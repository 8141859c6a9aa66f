// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for every processor, and those of each kind.
#define LOOPS smb_loops_portable
#include "sim/exec/compute/loop-impl.h"

const Loops *
smb_loops(SmbProcessor processor) {
  static const Loops *const builds[SMB_N_PROCESSORS] = {
    [SMB_PROCESSOR_ANY] = &smb_loops_portable,
#if SMB_HAVE_X86
    [SMB_PROCESSOR_AVX2] = &smb_loops_avx2,
    [SMB_PROCESSOR_AVX512] = &smb_loops_avx512,
#endif
  };
  return builds[processor];
}
