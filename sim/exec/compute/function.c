// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/compute/function.h"

#include <math.h>

static float
invert_rootf(float x) {
  return 1.0f / sqrtf(x);
}

static double
invert_root(double x) {
  return 1.0 / sqrt(x);
}

#define CALL_1(function) function(x)
#define CALL_2(function) function(x, y)

float
smb_function_float(guint function, float x, float y) {
  switch ((LibraryFunction)function) {
#define FUNCTION(name, operands, function)                                                         \
  case FUNCTION_##name:                                                                            \
    return CALL_##operands(function##f);
#include "sim/exec/compute/function.def"
  case N_FUNCTIONS:
    break;
  }
  g_assert_not_reached();
}

double
smb_function_double(guint function, double x, double y) {
  switch ((LibraryFunction)function) {
#define FUNCTION(name, operands, function)                                                         \
  case FUNCTION_##name:                                                                            \
    return CALL_##operands(function);
#include "sim/exec/compute/function.def"
  case N_FUNCTIONS:
    break;
  }
  g_assert_not_reached();
}
