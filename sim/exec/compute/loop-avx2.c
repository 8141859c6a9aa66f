// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for processors that have AVX2 (SMB_PROCESSOR_AVX2).
#include "sim/exec/compute/loop.h"

#if SMB_HAVE_X86
#  include <glib.h>
#  include <string.h>

SMB_TARGET_BEGIN(SMB_TARGET_AVX2)
#  define LOOPS smb_loops_avx2
#  include "sim/exec/compute/loop-impl.h"
SMB_TARGET_END
#endif
