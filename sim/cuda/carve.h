// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arrays that pointers carve out of dynamic shared memory: "float *k = &sram[n], *v = &sram[2 * n];". Each
// pointer that has one value, the same in all threads, names an array of its own, up to where the next one
// begins. Private to the front end of CUDA C.
#pragma once

#include "sim/cuda/tree/ast.h"
#include "sim/launch/launch.h"

// A pointer that names a part of dynamic shared memory.
typedef struct {
  const Variable *pointer;
  const Variable *from; // what its value is made of: the array, or another such pointer
  const Node *value;    // its only value
  const Node *assigned; // the assignment
  guint64 offset;       // bytes from the beginning of the array
} Carved;

// The pointers of a launch (element-type Carved), by offset; NULL if the array is used by its own name as
// well, or by a pointer whose value is not known.
GArray *smb_carve(const SmbKernel *kernel, const SmbLaunch *launch);

// The same as arrays (element-type SmbArray), or NULL.
GArray *smb_carved_arrays(const SmbProgram *program, const SmbLaunch *launch);
