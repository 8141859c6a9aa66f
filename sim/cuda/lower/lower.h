// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// CUDA C as steps of sim/exec, beside its walker (sim/cuda/run) until all of it is equal; then the walker goes.
//
// Order. The walker takes all warps of a block through the text in lockstep; what it counts, warns of and fails at is in that order. So
// do steps: they stand in the code as in the text, only loops lead back, and the lowest step that any thread of the block is at is
// executed next, by all that are there (sim/exec/lockstep.h). Lanes meet where the walker lets them meet, and no barriers of
// convergence are needed. Once both are equal, the same steps can run warp by warp (sim/exec/loop.c), with a graph of branches.
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
//                  READ, WRITE, UPDATE (sim/exec/memory/plain.c): of memory that does not track what is known of it. They take what the
//                  walker gives the machine, one request after the other where no instruction moves all of it. Constant, global,
//                  static and dynamic shared memory are regions and buffers: nothing is to be done for them.
//   __syncthreads  MEET. Fences are nothing: warps go in step.
//   shuffles, votes, halves, functions of reals, conversions between reals and integers, 64-bit integers and reals
//                  FOREIGN: done with what the walker has (foreign.c).
//   blockIdx       Preset rows. Signatures (sim/machine/signature.h): the nodes that sim/cuda/depend.c marks are watched, by FOREIGN.
//   limits         COUNT: as many statements as begin, at the place that the walker names; those that nothing can fail between at once.
//   "'x' is read before it was set"
//                  Where that is not plain from the text (Lower.is_set), a predicate goes with the variable, and FOREIGN asks it.
//   "'n > 0' is false for all threads"
//                  Branches know whether nobody goes a way (note_idle() in lockstep.c), and LOOK whether nobody comes behind an if.
// printf, assert, textures and recursion are no part of the language that is read.
//
// What steps cannot do yet, and what each needs
//   1. Known bits, unknown values: registers have them (sim/exec/compute), memory of a text does not. SmbProgram.tracks means two
//      things, that memory is tracked and that all of shared memory is one object: it has to be split, and READ becomes LOAD. Then FOREIGN
//      checks of variables become "not known", with their origin, and depend, flow and watch are what ROW_AFFINE and Order are.
//   2. Races by word: come with 1.
//   3. A check of lanes: a step that fails where a predicate is false, with the lane named (today FOREIGN_SET, _DIVISOR, _RETURNED).
//   4. Functions of the mathematical library, and halves that are not made of the device's operations: rows of operations.def, with
//      the names of sim/machine/function.c; then arith, convert and function go.
//   5. Shuffles and votes as EXCHANGE, with an error where a lane is asked that does not run.
//   6. NaN: operations give those that the device does; the walker gives those of the host. It is the one known difference, of the bits
//      of a NaN that is stored as such.
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
// The state of a block, for smb_lockstep_run(); NULL with an error of usage.
gpointer smb_lowered_new_state(const Lowered *lowered, SmbBlock *block, const SmbLaunch *launch,
                               GError **error);
