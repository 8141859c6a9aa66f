// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What was counted of single instructions on AMD's LDS (data/measured/*.csv): hardware counters of one wave whose lanes
// access addresses that are evenly apart. Lines of comma-separated fields below a line that names them; a comment
// "# gpu: …", "# arch: …" or "# source: …" holds for the lines below it, all three are needed, and other comments are
// ignored.
#pragma once

#include <glib.h>

#include "sim/base/request.h"
#include "sim/count/wavefront.h"

G_BEGIN_DECLS

/** What was counted; names begin with SQ_LDS_ on CDNA, with SQC_LDS_ on RDNA. */
typedef enum {
  SMB_LDS_IDX_ACTIVE,    /* cycles */
  SMB_LDS_BANK_CONFLICT, /* cycles more than without conflicts */
  SMB_LDS_HAS_CONFLICT,  /* whether there were any: 1 or 0 */
} SmbLdsCounter;

/**
 * SmbLdsCount:
 * @line: line of the file, from 1
 * @gpu: the device, as the source calls it
 * @arch: architecture whose rules are to give the number
 * @source: who measured it, and where that stands
 * @request: what the wave asked for
 * @counter: what was counted
 * @counter_name: as the file has it
 * @value: how many
 */
typedef struct {
  guint line;
  const char *gpu;
  const char *arch;
  const char *source;
  SmbRequest request;
  SmbLdsCounter counter;
  const char *counter_name;
  guint64 value;
} SmbLdsCount;

/** SmbLdsCounts: @rows: (element-type SmbLdsCount): in the order of the file; their strings live as long. */
typedef struct {
  GArray *rows;
  GStringChunk *strings;
} SmbLdsCounts;

/**
 * smb_lds_counts_new:
 * @name: how messages call the text
 * @text: the text, @length bytes
 * @error: SMB_ERROR_INPUT, naming the line
 *
 * Returns: (transfer full): the rows, which have been checked: each is a request of its architecture
 */
SmbLdsCounts *smb_lds_counts_new(const char *name, const char *text, gsize length, GError **error);
void smb_lds_counts_free(SmbLdsCounts *counts);

/** smb_lds_predict: Returns: what a counter shows of a request that costs @cost */
guint64 smb_lds_predict(SmbLdsCounter counter, const SmbWavefronts *cost);

/**
 * smb_lds_instruction:
 * @name: such as "ds_read_b128", "ds_store_b8" or "ds_read_u16"
 *
 * Returns: whether it is one; @op and @width are set to what it asks for
 */
gboolean smb_lds_instruction(const char *name, SmbOp *op, guint *width);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLdsCounts, smb_lds_counts_free)

G_END_DECLS
