// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Markdown with tables, as GitHub and GitLab read it in comments (GitHub Flavored Markdown, "Tables (extension)").
#pragma once

#include "src/out/spool.h"

/** Adds a text that means itself, whatever it holds, on one line; also in a cell of a table. */
void smb_markdown_text(SmbSpool *out, const char *text);

/** As smb_markdown_text(), as code. */
void smb_markdown_code(SmbSpool *out, const char *code);
