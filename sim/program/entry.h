// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The kernels that a file of compiled code holds, as far as can be seen without decoding them.
#pragma once

#include "sim/program/program.h"

G_BEGIN_DECLS

/**
 * SmbEntryItem: a parameter of a kernel, or an array in shared memory that it uses.
 * @name: its name, demangled
 * @type: as the code writes it: "u32", "b8[24]"
 * @bytes: its size; 0 of dynamic shared memory
 * @offset: for a parameter: where it is among the bytes of all
 * @is_pointer: for a parameter: whether it is a pointer to a buffer unless it is given a value
 */
typedef struct {
  const char *name;
  const char *type;
  guint64 bytes;
  guint64 offset;
  gboolean is_pointer;
} SmbEntryItem;

/**
 * SmbEntry: a kernel.
 * @name: its plain name, as SmbProgramOptions.entry takes it: "sgemm<128, 8>"
 * @symbol: its name in the file
 * @block: the block that it has to be launched with; zeros: it does not say
 * @max_threads: the most threads of its block; 0: it does not say
 * @parameters: (element-type SmbEntryItem): in their order
 * @arrays: (element-type SmbEntryItem): in shared memory, of the kernel and of what it calls, in the order of the text;
 *   none of machine code, which has @shared_bytes
 * @level: "ptx", or "sass" of machine code
 * @target: the architecture that it was compiled for: "sm_90a"
 * @registers: of a thread; 0 of PTX, as all that follow
 * @is_linked: whether the next two are known; those of what "nvcc -rdc=true" makes are once it is linked, with the
 *   functions that it calls
 * @shared_bytes: static shared memory
 * @local_bytes: of a thread
 */
typedef struct {
  const char *name;
  const char *symbol;
  guint block[3];
  guint64 max_threads;
  GArray *parameters;
  GArray *arrays;
  const char *level;
  const char *target;
  guint registers;
  gboolean is_linked;
  gsize shared_bytes;
  gsize local_bytes;
} SmbEntry;

/**
 * SmbEntries: what a file holds.
 * @level: what it is: "ptx", "sass", or "several" of a file with images of both
 * @target: the architecture that it was compiled for, as it says it: "sm_90a"; of several images theirs: "sm_75,
 *   sm_90a"
 * @entries: (element-type SmbEntry): in the order of the text; at least one
 * @strings: hold the texts
 */
typedef struct {
  const char *level;
  const char *target;
  GPtrArray *entries;
  GStringChunk *strings;
} SmbEntries;

/**
 * smb_entries_read:
 * @source: (transfer none): its contents tell what it is
 * @error: SMB_ERROR_INPUT: with the place, of what cannot be read; of what is not compiled, or holds no kernel
 *
 * Returns: (transfer full): its kernels
 */
SmbEntries *smb_entries_read(SmbSource *source, GError **error);
void smb_entries_free(SmbEntries *entries);

/** Adds a kernel without parameters and arrays, to be filled in; texts are put into SmbEntries.strings. */
SmbEntry *smb_entries_add(SmbEntries *entries, const char *name, const char *symbol);

/** Adds a copy of a kernel of another list. */
void smb_entries_copy(SmbEntries *all, const SmbEntry *entry);

/** smb_entries_new: Returns: (transfer full): an empty list; @level: (transfer none): static */
SmbEntries *smb_entries_new(const char *level, const char *target);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbEntries, smb_entries_free)

G_END_DECLS
