// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for processors that have AVX2 (SMB_PROCESSOR_AVX2).
#include "sim/exec/product/sum-loop.h"

#if SMB_HAVE_X86
#  include "sim/exec/compute/real.h"

SMB_TARGET_BEGIN(SMB_TARGET_AVX2)
#  define PRODUCT_LOOPS smb_product_loops_avx2
#  include "sim/exec/product/sum-loop-impl.h"
SMB_TARGET_END
#endif
