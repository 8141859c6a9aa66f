// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops for processors that have AVX2.
#include "sim/machine/place.h"

#if SMB_HAVE_AVX2_PLACES
// Headers that define functions come before: those are for every processor.
#  include <glib.h>
#  if defined __clang__
#    pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#  else
#    pragma GCC push_options
#    pragma GCC target("avx2")
#  endif
#  define PLACE_LOOPS smb_place_loops_avx2
#  include "sim/machine/place-impl.h"
#  if defined __clang__
#    pragma clang attribute pop
#  else
#    pragma GCC pop_options
#  endif
#endif
