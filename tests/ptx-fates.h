// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What becomes of one instruction of PTX.
#pragma once

#include <glib.h>
#include <stdio.h>

#include "sim/ptx/isa/instruction.h"

// What instructions may name: predicates p0 to p11, registers b, h, r, d, q of 8 to 128 bits, likewise; memory s (shared),
// l (local), g (global), c (constant), a (a parameter); a label "end" and a function "f".
#define PTX_FATE_MODULE                                                                            \
  ".const .align 32 .b8 c[64]; .global .align 32 .b8 g[1024]; .func f() { ret; }\n"
#define PTX_FATE_ENTRY                                                                             \
  ".visible .entry k(.param .align 16 .b8 a[32]) { .reg .pred p<12>; .reg .b8 b<12>; "             \
  ".reg .b16 h<12>; .reg .b32 r<16>; .reg .b64 d<16>; .reg .b128 q<12>; "                          \
  ".shared .align 32 .b8 s[1024]; .local .align 32 .b8 l[64];\n"

/**
 * ptx_fate:
 * @message: (out) (nullable): where it is refused, why
 *
 * Returns: the name of what becomes of it
 */
const char *ptx_fate(const char *instruction, char **message);
const char *ptx_fate_name(PtxFate fate); // "exact", …
