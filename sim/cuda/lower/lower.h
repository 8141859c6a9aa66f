// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// CUDA C as steps of sim/exec.
//
// Order. All warps of a block go through the text in lockstep; what is counted, warned of and failed at is in that order. Steps stand in the code as in the text, only loops lead back, and the lowest step that any thread of the block is at is
// executed next, by all that are there (sim/exec/lockstep.h). Lanes meet where a statement ends, and no barriers of
// convergence are needed.
//
// What becomes of
//   variables      Rows, for good: a vector's components side by side, 64 bits in two rows, fewer than 32 sign- or zero-extended. Rows of
//                  expressions are free again where their statement ends. An alias (a reference to a variable) is that variable.
//   arrays, structures of each thread
//                  Rows, if all that is used is elements at places that are known, and set wherever they are read (array.c); else a
//                  region of the machine's private memory. Which is found out by passes: the first one hopes for rows.
//   loops          A branch at the head, a jump back. Those that go round a number of times that is known, with nobody leaving early, are
//                  unrolled (known.c), up to some hundred steps, or thousands if it depends on them where an array lies.
//   if, switch, ?:, &&, ||
//                  Branches; predicates alone where the operands neither fail nor are noticed. Labels of a switch are asked one
//                  after the other before any thread enters.
//   break, continue, return
//                  Jumps to the end of what they leave. Whoever gets there early waits, since what is above goes first.
//   functions      Lowered where they are called: none calls itself, and their variables are their own in the whole program.
//   pointers       Numbers of the machine, object above offset, in two rows; what is always added to them is the request's offset. So
//                  bounds are those of each array, and messages name it.
//   loads, stores, atomics
//                  READ, WRITE, UPDATE (sim/exec/memory/plain.c): of memory that does not track what is known of it. They make
//                  one request after the other where no instruction moves all of it. Constant, global,
//                  static and dynamic shared memory are regions and buffers: nothing is to be done for them.
//   __syncthreads  MEET. Fences are nothing: warps go in step.
//   shuffles, votes  TEXT_WARP (foreign.c, exchange.c).
//   halves, functions, conversions
//                  Operations of sim/exec/compute; of halves those that have none are done as doubles.
//   blockIdx       Preset rows. Signatures (sim/machine/signature.h): the nodes that sim/cuda/depend.c marks are watched, by TEXT_WATCH.
//   limits         COUNT: as many statements as begin, at the place of the loop around, or of the first statement; those that nothing can fail between at once.
//   "'x' is read before it was set"
//                  Where that is not plain from the text (Lower.is_set), a predicate goes with the variable, and TEXT_SET asks it.
//   "'n > 0' is false for all threads"
//                  Branches know whether nobody goes a way (note_idle() in lockstep.c), and LOOK whether nobody comes behind an if.
// printf, assert, textures and recursion are no part of the language that is read.
//
// What steps cannot do yet, and what each needs
//   1. Known bits, unknown values: registers have them (sim/exec/compute), memory of a text does not. SmbProgram.tracks means two
//      things, that memory is tracked and that all of shared memory is one object: it has to be split, and READ becomes LOAD. Then
//      checks of variables become "not known", with their origin, and depend, flow and watch are what ROW_AFFINE and Order are.
//   2. Races by word: come with 1.
//   3. Shuffles and votes as EXCHANGE, with an error where a lane is asked that does not run.
#pragma once

#include "sim/cuda/tree/ast.h"
#include "sim/exec/code.h"

/**
 * Lowered: a kernel of a text as steps
 * @rows: by slot of a local: its first row
 */
struct _Lowered {
  Code code;
  const SmbKernel *kernel;
  GPtrArray *foreign; // Foreign
  Row *rows;
};

// Of a kernel that is read; NULL with an error if it has too many steps.
Lowered *smb_lower(const SmbKernel *kernel, GError **error);
void smb_lowered_free(Lowered *lowered);
// What an atomic, of the node of its function, is to the counters.
SmbOp smb_lowered_atomic_op(const SmbArch *arch, const Node *node);
// The state of a block, for smb_lockstep_run(); NULL with an error of usage.
gpointer smb_lowered_new_state(const Lowered *lowered, SmbBlock *block, const SmbLaunch *launch,
                               GError **error);
