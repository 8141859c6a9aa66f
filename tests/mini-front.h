// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A second front end, of the tests: a kernel is a list of operations on registers, and each warp goes its
// own way through it, lane by lane, from barrier to barrier. It shares nothing with CUDA C but what all
// front ends have: sim/machine/front-end.h and sim/machine/machine.h.
#pragma once

#include "sim/machine/front-end.h"

typedef enum {
  MINI_THREAD,  // d = threadIdx.x, .y or .z: a
  MINI_SET,     // d = the number a
  MINI_ARG,     // d = scalar parameter a, an int
  MINI_MAD,     // d = a * b + c
  MINI_LESS,    // d = a < b
  MINI_LOAD,    // d = the word at byte a of region b
  MINI_STORE,   // word d goes to byte a of region b
  MINI_ADD,     // atomic: word d is added at byte a of region b; nothing uses the result
  MINI_UNKNOWN, // d = what is not known, in lanes whose a is 0; b of the others
  MINI_BARRIER,
  MINI_SKIP, // lanes whose a is 0 go on at operation b, further down or further up
  MINI_END,
} MiniCode;

typedef struct {
  MiniCode code;
  guint d, a, b, c;   // registers, but where the code says otherwise
  const char *text;   // of an access: what it is shown as
  const char *opcode; // likewise; its pc is its line in the listing, or 16 times its number
  guint n_frames;     // it is inlined: the leaf, and the calls
  const SmbFrame *frames;
} MiniOperation;

enum {
  MINI_REGISTERS = 16,
  MINI_BUFFER = 100, // as a region: the buffer of parameter region - MINI_BUFFER
};

// Two regions of shared memory, "tile" and "rest", of @tile_bytes and @rest_bytes; a parameter "out" (int *)
// and, after it, "n" (int). Not %NULL @listing: a source with a line for each operation.
// @lanes: of a warp.
SmbProgram *mini_program_new(const MiniOperation *operations, gsize tile_bytes, gsize rest_bytes,
                             SmbSource *listing, guint lanes, SmbFrames frames);
