// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a module of PTX has for who loads it: its kernels with the places of their parameters, and its variables with what they hold at
// first.
#pragma once

#include "sim/base/source.h"

G_BEGIN_DECLS

/** SmbPtxKernel: @address: what a pointer to it is; @places: (element-type guint64): offset and bytes of each parameter; @max_threads: of a block; 0: it does not
 * say; @cluster: blocks of a cluster; zeros: the same; @names_references: whether its code, or that of a function of the module, names
 * textures or surfaces */
typedef struct {
  const char *symbol;
  guint64 address;
  guint64 max_threads;
  gboolean names_references;
  guint cluster[3];
  GArray *places;
  guint64 parameter_bytes;
} SmbPtxKernel;

/** SmbPtxPointer: the address of a variable, by its index, plus @addend, is put at @offset; as in sim/module/module.h. */
typedef struct {
  guint64 offset;
  guint variable;
  guint64 addend;
} SmbPtxPointer;

/** SmbPtxStored: a variable; @initial: (nullable): its bytes, with addresses of functions; @pointers: (element-type SmbPtxPointer) */
typedef struct {
  const char *name;
  guint64 bytes;
  gboolean is_constant;
  guint8 *initial;
  GArray *pointers;
} SmbPtxStored;

/** SmbPtxReference: a .texref or .surfref */
typedef struct {
  const char *name;
  gboolean is_surface;
} SmbPtxReference;

/** SmbPtxContents: names live as long as it; @allocates: whether it declares malloc, or cudaMalloc of the device */
typedef struct {
  GArray *kernels;    // SmbPtxKernel
  GArray *variables;  // SmbPtxStored
  GArray *references; // SmbPtxReference
  gboolean allocates;
  gpointer module;
} SmbPtxContents;

/** smb_ptx_contents_read: @error: as of reading a program. Returns: (transfer full) */
SmbPtxContents *smb_ptx_contents_read(SmbSource *source, GError **error);
void smb_ptx_contents_free(SmbPtxContents *contents);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbPtxContents, smb_ptx_contents_free)

G_END_DECLS
