// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Published measurements of the built-in kernels (data/published/published.csv): what others read
// from their profilers. Read here, compared elsewhere.
#pragma once

#include <glib.h>

#include "sim/measured/metric.h"

G_BEGIN_DECLS

/**
 * SmbReference:
 * @line: line of the file, from 1
 * @source: the document that the number stands in
 * @gpu: the device, as the source calls it
 * @capability: compute capability, such as "8.6" or "3.x"; "" if the source does not say
 * @bank_mode: bytes of one bank: 4 or 8
 * @shape: shape of the kernel in the catalogue
 * @kernel: name of the kernel in the catalogue
 * @ipad: words of padding at the end of a row, or -1 if the source does not say
 * @metric: what was measured
 * @value: the number, in the unit of @metric
 * @arch: architecture whose rules are to give the number, or %NULL if the file has no such column
 */
typedef struct {
  guint line;
  char *source;
  char *gpu;
  char *capability;
  guint bank_mode;
  char *shape;
  char *kernel;
  int ipad;
  SmbMetric metric;
  double value;
  char *arch;
} SmbReference;

/**
 * smb_reference_load:
 * @error: as smb_reference_new_from_data(), or that of smb_data_load()
 *
 * Returns: (transfer full) (element-type SmbReference): the published measurements, in the order of
 *   the file; the array frees its rows
 */
GPtrArray *smb_reference_load(GError **error);

/**
 * smb_reference_new_from_data:
 * @name: how messages call the text
 * @text: lines of comma-separated fields below a line that names the columns; # starts a comment line
 * @length: its length in bytes
 * @error: SMB_ERROR_INPUT, naming the line and the column
 *
 * Returns: (transfer full) (element-type SmbReference): the rows of @text
 */
GPtrArray *smb_reference_new_from_data(const char *name, const char *text, gsize length,
                                       GError **error);

G_END_DECLS
