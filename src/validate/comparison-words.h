// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sentences that all writers of a comparison share. Private to src/validate/comparison*.c.
#pragma once

#include "src/validate/comparison.h"

/** smb_comparison_number: Returns: (transfer full): a count whole, else three digits; "" for no number */
char *smb_comparison_number(double value);

/** smb_comparison_provenance: Returns: (transfer full): where the measured values come from */
char *smb_comparison_provenance(const SmbComparison *comparison);

/** Name of a device without its maker: "RTX 3080" (transfer none). */
const char *smb_comparison_short_gpu(const char *gpu);

/** smb_comparison_published: Returns: (transfer full): "1024 (RTX 3080)", or "" */
char *smb_comparison_published(const SmbComparisonRow *row);

/** smb_comparison_metric: Returns: (transfer full): the metric, with the parameter of values */
char *smb_comparison_metric(const SmbComparisonRow *row);

/** smb_comparison_shape: Returns: (transfer full): the shape, or the block of a user's kernel */
char *smb_comparison_shape(const SmbComparisonRow *row);

/** Whether a row is a time, and whether it is one with cold caches. */
gboolean smb_comparison_is_time(const SmbComparisonRow *row);
gboolean smb_comparison_is_cold(const SmbComparisonRow *row);
