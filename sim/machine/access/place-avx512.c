// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for processors that have AVX-512 (SMB_PROCESSOR_AVX512).
#include "sim/machine/access/place.h"

#if SMB_HAVE_X86
SMB_TARGET_BEGIN(SMB_TARGET_AVX512)
#  if !defined __clang__
#    pragma GCC target("prefer-vector-width=512")
#  endif
#  define PLACE_LOOPS smb_place_loops_avx512
#  include "sim/machine/access/place-impl.h"
SMB_TARGET_END
#endif
