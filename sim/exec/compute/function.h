// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The functions of function.def: Compute.table of FUNCTION_F32 and FUNCTION_F64.
// Private to sim/exec and the front ends.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum {
#define FUNCTION(name, ...) FUNCTION_##name,
#include "sim/exec/compute/function.def"
  N_FUNCTIONS,
} LibraryFunction;

// @y: nothing of a function of one operand.
float smb_function_float(guint function, float x, float y);
double smb_function_double(guint function, double x, double y);

G_END_DECLS
