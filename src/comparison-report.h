// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A comparison in each format.
#pragma once

#include "src/comparison.h"

G_BEGIN_DECLS

/** @all: a row for each request; otherwise one for each operation and width, and each difference. */
void smb_comparison_write_text(SmbCli *cli, const SmbComparison *comparison, gboolean all);
void smb_comparison_write_json(SmbCli *cli, const SmbComparison *comparison);
void smb_comparison_write_csv(SmbCli *cli, const SmbComparison *comparison);

G_END_DECLS
