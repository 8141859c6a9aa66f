// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a language has to give so that its kernels are programs like all others: a table of functions, and
// the program that its reader fills (sim/program/inside.h). Private to the front ends, the machine and what counts its
// blocks.
//
// The contract with the machine (sim/machine/machine.h). The machine owns a block: its threads, its memory, its
// races, its limits and its error. The front end owns how a kernel goes from one operation to the next: in
// what order warps run, which lanes are active, where they reconverge, and what registers hold. It may run
// all warps in step, or each warp to the next barrier, with a place of its own: the machine is told a warp,
// the lanes and their addresses at each access, and is told of a barrier once all that must arrive have.
#pragma once

#include "sim/launch/argument.h"
#include "sim/launch/launch.h"
#include "sim/program/entry.h"
#include "sim/program/inside.h"

typedef struct _SmbBlock SmbBlock;   // sim/machine/block.h
typedef struct _SmbProver SmbProver; // sim/proof/prover.h

struct _SmbFrontEnd {
  // What is read: "text".
  const char *level;
  // What smb_block_step() counts, in messages: "statements".
  const char *steps;
  // Whether a source is in this language; the first front end that says so reads it.
  gboolean (*recognizes)(SmbSource *source);
  SmbProgram *(*read)(SmbSource *source, const SmbProgramOptions *options, GError **error);
  // The kernels of a source of compiled code; NULL of a language whose text says it.
  SmbEntries *(*entries)(SmbSource *source, GError **error);
  // Frees what the front end made around the program, and calls smb_program_clear() on it.
  void (*free)(SmbProgram *program);

  // Registers and the like of a block, for its whole life (SmbBlock.state); NULL with an error of usage if
  // the launch's arguments do not do. The block is complete but for this.
  gpointer (*state_new)(SmbBlock *block, const SmbLaunch *launch, GError **error);
  void (*state_free)(gpointer state);
  // Runs the block from its start to its end; FALSE after smb_block_fail(). Nothing of the block before may
  // be left in the state.
  gboolean (*run)(gpointer state);
  // Of a block that may wait for others (SmbBlock.may_wait), and said so: continues; whether it is stuck
  // (smb_block_is_stuck()); fails where it waits. NULL of a language whose blocks never wait.
  gboolean (*resume)(gpointer state);
  gboolean (*is_stuck)(gpointer state);
  void (*fail_waiting)(gpointer state, const char *why);

  // The bytes of a scalar parameter's value.
  GBytes *(*argument)(const SmbProgram *program, guint parameter, const char *const *arguments,
                      GError **error);
  // These may be NULL where a language has no such thing.
  // Of what runs with contents that the launch does not give put in their place: the pointer parameter or variable
  // whose contents decide at which addresses a site accesses shared memory, or, without such, whether it does
  // (*@address: FALSE); NULL: there is none. Lives as long as the program.
  const char *(*data_source)(const SmbProgram *program, const SmbLaunch *launch, guint site,
                             gboolean *address);
  // Of what cannot tell as it runs: whether the order in which threads execute atomics decides at which addresses a
  // site accesses shared memory (*@address), or whether it does.
  gboolean (*by_order)(const SmbProgram *program, guint site, gboolean *address);
  // The same program, with lanes that diverge meeting elsewhere, as an assembler may decide: each a different one, with
  // the same sites, and without variants of its own; NULL: there are no more (transfer full).
  SmbProgram *(*variant)(const SmbProgram *program, guint index);
  GArray *(*carved_arrays)(const SmbProgram *program, const SmbLaunch *launch);
  gboolean (*evaluate)(const SmbProgram *program, const char *expression, gint64 *value,
                       GError **error);
  GBytes *(*device_code)(const SmbProgram *program);
  GStrv (*unused_defines)(const SmbProgram *program);
  GPtrArray *(*instructions)(const SmbProgram *program);
  // Of a text of compiled code, where the instruction at an offset was compiled from: appends SmbFrame, innermost first; none: it does not say.
  void (*locate)(const SmbProgram *program, guint32 offset, GArray *frames);
  // Walks through a kernel for all values of its parameters (sim/proof/kernel-proof.h).
  void (*prove)(SmbProver *prover);
};
