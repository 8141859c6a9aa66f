// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a program has: its reader fills it, and whoever launches, runs or counts it looks at it. Private to the library.
#pragma once

#include "sim/program/contents.h"
#include "sim/program/program.h"

typedef struct _SmbFrontEnd SmbFrontEnd; // sim/machine/front-end.h

typedef enum {
  SPACE_SHARED,
  SPACE_PRIVATE, // each thread has its own
  SPACE_GLOBAL,
  SPACE_CONSTANT, // is read only, and makes requests of neither shared nor global memory
} Space;

// Where what has no end ends: far enough for all offsets that a kernel means; of a process of 32 bits, at what it can address.
#define SMB_ENDLESS_BYTES ((gsize)MIN(G_GUINT64_CONSTANT(1) << 40, (guint64)G_MAXSSIZE))

// A piece of memory that pointers point into, besides the buffers of pointer parameters: what lies outside
// of it is out of bounds.
typedef struct {
  const char *name;
  Space space;
  gboolean is_dynamic; // has all dynamic shared memory
  gsize base;          // byte offset in shared memory
  gsize size;          // bytes; for a dynamic one 0: the launch says how many
  // for global and constant memory: what it holds unless the launch says otherwise
  SmbContents contents;
} Region;

// The first member of what a front end makes of a kernel. Names live as long as the program does.
struct _SmbProgram {
  gatomicrefcount references;
  const SmbFrontEnd *front_end;
  SmbSource *source; // NULL if it has no text
  SmbSource *origin; // what it was read from, if that is no text; else NULL
  char *file;        // what messages call it
  const char *name;
  const char *symbol; // the kernel's name in compiled code; NULL of a text
  GArray *sites;      // SmbSite: as the front end leaves them, at their leaves
  GArray *arrays;     // SmbArray, in the order of the text
  GArray *views;      // SmbArray: members of the unions among them, which overlap
  GArray *regions;    // Region; a pointer names one by its index, or a buffer after them
  GArray *parameters; // SmbParameter
  GArray *prototype;  // SmbDeclared: what a text says of them; NULL: no text does
  GArray *
      shared; // SmbDeclaredShared: what a text says of shared variables, whose strings the arrays have; or NULL
  char *names_file; // the file that would name them, if that is not at hand or differs; else NULL
  gsize static_shared;     // bytes
  gboolean may_be_dynamic; // static_shared may as well be dynamic memory, of which a block has more
  gsize dynamic_start;     // where dynamic shared memory begins, in bytes
  gboolean reaches_reserved; // its code asks where the system's part of shared memory lies
  // where in that part machine code keeps which columns of tensor memory the block has; 0: it keeps none
  guint32 tensor_partition;
  guint max_threads;     // of a block, as the kernel says itself; 0: it does not
  guint registers;       // of a thread; 0: not known
  guint entry_registers; // of a thread when it begins, that the block is given; 0: not known
  GArray *
      timings; // SmbTiming: of machine code: of the instruction at each SMB_TIMING_BYTES of its code; else empty
  guint required_block[3]; // the only block that it can be launched with; zeros: it does not say so
  guint required_cluster[3]; // the same
  gboolean is_serial;
  gboolean meets_cluster; // smb_program_meets_cluster()
  gboolean asks;          // smb_program_asks()
  gboolean polls;         // smb_program_polls()
  // Why where lanes that diverge reconverge is not well known, whatever its variants say (SmbFrontEnd.variant): what
  // the kernel has, in words; NULL: it is known.
  const char *irregular;
  // What it executes by the documents alone, since it was compared with no chip, in words; NULL: nothing.
  const char *assumed;
  // Whether the machine keeps what is known of memory, byte by byte (sim/machine/access/words.c). Nothing is known of a
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
