// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for processors that have AVX2 and fused multiplication and addition.
#include "sim/compiled/compute/loop.h"

#if SMB_HAVE_AVX2_LOOPS
// Headers that define functions come before: those are for every processor.
#  include <glib.h>
#  include <string.h>
#  if defined __clang__
#    pragma clang attribute push(__attribute__((target("avx2,fma,bmi2,popcnt"))),                  \
                                 apply_to = function)
#  else
#    pragma GCC push_options
#    pragma GCC target("avx2,fma,bmi2,popcnt")
#  endif
#  define LOOPS smb_loops_avx2
#  include "sim/compiled/compute/loop-impl.h"
#  if defined __clang__
#    pragma clang attribute pop
#  else
#    pragma GCC pop_options
#  endif
#endif
