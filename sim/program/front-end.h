// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a language has to give so that its kernels are programs like all others: a table of functions, and
// the program that its reader fills. Private to the front ends, the machine and sim/program/program.c.
//
// The contract with the machine (sim/machine/machine.h). The machine owns a block: its threads, its memory, its
// races, its limits and its error. The front end owns how a kernel goes from one operation to the next: in
// what order warps run, which lanes are active, where they meet again, and what registers hold. It may run
// all warps in step, or each warp to the next barrier, with a place of its own: the machine is told a warp,
// the lanes and their addresses at each access, and is told of a barrier once all that must arrive have.
#pragma once

#include "sim/program/argument.h"
#include "sim/program/entry.h"
#include "sim/program/launch.h"
#include "sim/program/program.h"

typedef struct _SmbBlock SmbBlock; // sim/machine/block.h

typedef enum {
  SPACE_SHARED,
  SPACE_PRIVATE, // each thread has its own
  SPACE_GLOBAL,
  SPACE_CONSTANT, // is read only, and makes requests of neither shared nor global memory
} Space;

// A piece of memory that pointers point into, besides the buffers of pointer parameters: what lies outside
// of it is out of bounds.
typedef struct {
  const char *name;
  Space space;
  gboolean is_dynamic; // has all dynamic shared memory
  gsize base;          // byte offset in shared memory
  gsize size;          // bytes; of a dynamic one 0: the launch says how many
  SmbContents
      contents; // of global and constant memory: what it holds unless the launch says otherwise
} Region;

typedef struct {
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
  // Of a block that may wait for others (SmbBlock.may_wait), and said so: goes on; whether it is stuck (smb_block_is_stuck());
  // fails where it waits. NULL of a language whose blocks never wait.
  gboolean (*resume)(gpointer state);
  gboolean (*is_stuck)(gpointer state);
  void (*fail_waiting)(gpointer state, const char *why);

  // The bytes of a scalar parameter's value.
  GBytes *(*argument)(const SmbProgram *program, guint parameter, const char *const *arguments,
                      GError **error);
  // These may be NULL where a language has no such thing.
  // Of what runs with contents that the launch does not give put in their place: the pointer parameter or variable
  // whose contents decide at which addresses a site asks for shared memory, or, without such, whether it does
  // (*@address: FALSE); NULL: there is none. Lives as long as the program.
  const char *(*data_source)(const SmbProgram *program, const SmbLaunch *launch, guint site,
                             gboolean *address);
  // Of what cannot tell as it runs: whether the order in which threads execute atomics decides at which addresses a site asks for
  // shared memory (*@address), or whether it does.
  gboolean (*by_order)(const SmbProgram *program, guint site, gboolean *address);
  // The same program, with lanes that diverge meeting elsewhere, as an assembler may decide: each a different one, with the
  // same sites, and without variants of its own; NULL: there are no more (transfer full).
  SmbProgram *(*variant)(const SmbProgram *program, guint index);
  GArray *(*carved_arrays)(const SmbProgram *program, const SmbLaunch *launch);
  gboolean (*evaluate)(const SmbProgram *program, const char *expression, gint64 *value,
                       GError **error);
  GBytes *(*device_code)(const SmbProgram *program);
  GStrv (*unused_defines)(const SmbProgram *program);
  GPtrArray *(*instructions)(const SmbProgram *program);
} SmbFrontEnd;

// The first member of what a front end makes of a kernel. Names live as long as the program does.
struct _SmbProgram {
  const SmbFrontEnd *front_end;
  SmbSource *source; // NULL if it has no text
  SmbSource *origin; // what it was read from, if that is no text; else NULL
  char *file;        // what messages call it
  const char *name;
  const char *symbol;        // the kernel's name in compiled code; NULL of a text
  GArray *sites;             // SmbSite: as the front end leaves them, at their leaves
  GArray *arrays;            // SmbArray, in the order of the text
  GArray *regions;           // Region; a pointer names one by its index, or a buffer behind them
  GArray *parameters;        // SmbParameter
  gsize static_shared;       // bytes
  gsize dynamic_start;       // where dynamic shared memory begins, in bytes
  gboolean reaches_reserved; // its code asks where the system's part of shared memory lies
  guint max_threads;         // of a block, as the kernel says itself; 0: it does not
  guint registers;           // of a thread; 0: not known
  guint required_block[3]; // the only block that it can be launched with; zeros: it does not say so
  guint required_cluster[3]; // likewise
  gboolean is_serial;
  // Why where lanes that diverge meet again is not well known, whatever its variants say (SmbFrontEnd.variant): what the
  // kernel has, in words; NULL: it is known.
  const char *irregular;
  // Whether the machine keeps what is known of memory, byte by byte (sim/machine/words.c). Nothing is known of a
  // buffer then unless the launch says what it holds.
  gboolean tracks;
  // Whether its blocks may repeat each other (sim/machine/signature.h): the front end vouches for all that is said
  // there, in each block that it does not refuse. FALSE: every block is run.
  gboolean may_repeat;
  guint guarded_steps; // most steps that a condition on data decides at once
  guint cuda_arch;
  const char *processor; // or NULL
  guint lanes;           // of the warps that run it
  GStrv defines;
  GStrv folders; // where included files are looked for
  SmbFrames frames;
  char *compiled_from;     // or NULL
  SmbProgramLimits limits; // with the defaults in place
};

// Makes the lists of a program empty, and keeps how it is read.
void smb_program_init(SmbProgram *program, const SmbFrontEnd *front_end, SmbSource *source,
                      const char *file, const SmbProgramOptions *options);
void smb_program_clear(SmbProgram *program);

// What a file is called that a line of compiled code names (transfer none).
const char *smb_program_name_path(const SmbProgram *program, const char *path);

// Gives a site the place that stands for it; its frames are those further out then.
void smb_program_place_site(const SmbProgram *program, SmbSite *site);

// Gives each site the place that stands for it; its frames are those further out then. Whoever has read a program calls
// it, once.
void smb_program_choose_frames(SmbProgram *program);
