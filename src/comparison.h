// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Predicted beside measured, row by row. A row never hides a difference: it matches to the last
// integer or it does not.
#pragma once

#include "src/target.h"

G_BEGIN_DECLS

/**
 * SmbComparisonRow:
 * @kernel: name of the kernel, or %NULL for a recorded request
 * @shape: shape of the kernel, or %NULL
 * @ipad: words of padding, or -1 if the kernel has none or the source does not say
 * @op: of a recorded request
 * @width: of a recorded request, in bytes; 0 for a kernel
 * @metric: what was measured, such as "wavefronts_ld"
 * @predicted: what the model says
 * @measured: what the source says
 * @gpu: the device, as the source calls it
 * @source: the document, or the file of the recording
 * @line: line of a recorded request in it, or 0
 * @arch: whose rules were used
 * @match: whether they are equal; never set if @informative
 * @informative: a published time, or a request without a count: shown, not compared
 */
typedef struct {
  const char *kernel;
  const char *shape;
  int ipad;
  SmbOp op;
  guint width;
  const char *metric;
  double predicted;
  double measured;
  const char *gpu;
  const char *source;
  guint64 line;
  const char *arch;
  gboolean match;
  gboolean informative;
} SmbComparisonRow;

/** Rows, and how they came out. @unmeasured: requests that carry no
 * count; published times are neither. */
typedef struct {
  GPtrArray *rows;       /* SmbComparisonRow */
  GStringChunk *strings; /* of the rows, each once */
  guint compared;
  guint matched;
  guint mismatched;
  guint unmeasured;
} SmbComparison;

SmbComparison *smb_comparison_new(void);
void smb_comparison_free(SmbComparison *comparison);

/**
 * smb_comparison_add_published:
 * @kernel: (nullable): only the rows of this kernel
 * @error: as smb_reference_load(), smb_catalog_load() and smb_analysis_run()
 *
 * Runs the catalogue's kernel of each published number on the architecture of its device.
 */
gboolean smb_comparison_add_published(SmbComparison *comparison, const char *kernel,
                                      GError **error);

/**
 * smb_comparison_add_requests:
 * @file: (nullable): a trace whose requests carry counts; %NULL for those in data/measured/
 * @arch: whose rules count those of @file; a built-in recording is counted by the rules of its device
 * @error: as smb_trace_reader_next()
 */
gboolean smb_comparison_add_requests(SmbComparison *comparison, const char *file, SmbArch *arch,
                                     GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbComparison, smb_comparison_free)

G_END_DECLS
