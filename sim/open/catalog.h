// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The built-in kernels: data/kernels/catalog.ini says which file, in which shape, launched how. The
// catalogue knows kernels as text; it neither reads nor runs them.
#pragma once

#include <glib.h>

#include "sim/base/source.h"

G_BEGIN_DECLS

/**
 * SmbCatalogEntry:
 * @name: name of the kernel; several entries share it, one for each shape
 * @shape: such as "square", "rect", "16x16"
 * @file: file below data/kernels/
 * @entry: its __global__ function
 * @shows: one sentence: what the kernel is there to show
 * @block: threads in x, y and z
 * @grid: blocks in x, y and z
 * @defines: macros that the shape sets, NAME=VALUE (never %NULL, may be empty)
 * @args: scalar kernel parameters, NAME=VALUE (never %NULL, may be empty)
 * @dynamic_bytes: bytes of dynamic shared memory, as an integer expression over the macros, or %NULL
 */
typedef struct {
  char *name;
  char *shape;
  char *file;
  char *entry;
  char *shows;
  guint block[3];
  guint grid[3];
  GStrv defines;
  GStrv args;
  char *dynamic_bytes;
} SmbCatalogEntry;

/**
 * smb_catalog_load:
 * @error: SMB_ERROR_INPUT if the catalogue breaks a rule, or that of smb_data_load()
 *
 * Returns: (transfer full) (element-type SmbCatalogEntry): the built-in kernels in the order of the
 *   file; the array frees its entries
 */
GPtrArray *smb_catalog_load(GError **error);

/**
 * smb_catalog_new_from_data:
 * @text: the text of a catalogue
 * @error: SMB_ERROR_INPUT, naming the group and the key
 *
 * Returns: (transfer full) (element-type SmbCatalogEntry): its entries, as smb_catalog_load()
 */
GPtrArray *smb_catalog_new_from_data(const char *text, GError **error);

/**
 * smb_catalog_find:
 * @catalog: (element-type SmbCatalogEntry): a catalogue
 * @name: name of a kernel
 * @shape: (nullable): one of its shapes
 * @block: (nullable) (array fixed-size=3): a block that the kernel is to be launched with
 * @error: SMB_ERROR_USAGE for an unknown name (the message has names like it) or shape
 *
 * Without a @shape the entry whose block is @block is taken, else the first of that name.
 *
 * Returns: (transfer none): an entry of @catalog
 */
const SmbCatalogEntry *smb_catalog_find(const GPtrArray *catalog, const char *name,
                                        const char *shape, const guint *block, GError **error);

/** smb_catalog_defines: Returns: whether the shape of @entry sets the macro @name */
gboolean smb_catalog_defines(const SmbCatalogEntry *entry, const char *name);

/**
 * smb_catalog_file:
 * @file: a file below data/kernels/: that of an entry, or "tile.cu", which no entry names
 * @error: the errors of smb_data_load() and smb_source_new()
 *
 * Returns: (transfer full): its text, named "data/kernels/FILE"
 */
SmbSource *smb_catalog_file(const char *file, GError **error);

G_END_DECLS
