// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loops over the lanes of a warp, in the form that a compiler turns into vector code. Private to the
// arithmetic.
#pragma once

#include "sim/base/request.h"

enum {
  LANES = SMB_WARP_LANES
};

#define EACH_LANE(...)                                                                             \
  for (guint lane = 0; lane < LANES; lane++)                                                       \
  __VA_ARGS__

// out[lane] = expression of x; the function returns.
#define LOOP1(type, result, expression)                                                            \
  {                                                                                                \
    const type *pa = a;                                                                            \
    result *po = out;                                                                              \
    EACH_LANE({                                                                                    \
      type x = pa[lane];                                                                           \
      po[lane] = (result)(expression);                                                             \
    })                                                                                             \
    return;                                                                                        \
  }
