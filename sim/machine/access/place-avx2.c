// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for processors that have AVX2 (SMB_PROCESSOR_AVX2).
#include "sim/machine/access/place.h"

#if SMB_HAVE_X86
SMB_TARGET_BEGIN(SMB_TARGET_AVX2)
#  define PLACE_LOOPS smb_place_loops_avx2
#  include "sim/machine/access/place-impl.h"
SMB_TARGET_END
#endif
