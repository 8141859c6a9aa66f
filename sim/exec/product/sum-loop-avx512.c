// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for processors that have AVX-512 (SMB_PROCESSOR_AVX512).
#include "sim/exec/product/sum-loop.h"

#if SMB_HAVE_X86
#  include "sim/exec/compute/real.h"

SMB_TARGET_BEGIN(SMB_TARGET_AVX512)
#  if !defined __clang__
#    pragma GCC target("prefer-vector-width=512")
#  endif
#  define PRODUCT_LOOPS smb_product_loops_avx512
#  include "sim/exec/product/sum-loop-impl.h"
SMB_TARGET_END
#endif
