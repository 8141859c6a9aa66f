// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What `smembank run --check` has found in all processes of a program, and its report.
#pragma once

#include "gpu/driver/protocol.h"
#include "sim/check/defect.h"
#include "src/cli/cli.h"
#include "src/out/json.h"

/**
 * SmbHostFound: what the library in a process tells (RunFound)
 * @function, @text: as of the frame
 */
typedef struct {
  RunFound kind;
  const char *function;
  const char *text;
  guint64 number;
  guint64 bytes;
} SmbHostFound;

/** SmbLeak: memory that was not freed. @function: that allocated it */
typedef struct {
  char *function;
  guint64 address;
  guint64 bytes;
} SmbLeak;

/** SmbChecked: @leaks: (element-type SmbLeak); @n_launches: that were checked */
typedef struct {
  SmbDefects *defects;
  GArray *leaks;
  guint64 n_launches;
} SmbChecked;

SmbChecked *smb_checked_new(void);
void smb_checked_free(SmbChecked *checked);

/** smb_checked_add_launch: @defects: (transfer full) (nullable): of one launch */
void smb_checked_add_launch(SmbChecked *checked, SmbDefects *defects);

void smb_checked_add_host(SmbChecked *checked, const SmbHostFound *found);

/** smb_checked_write_text: all of it, for a person */
void smb_checked_write_text(const SmbChecked *checked, SmbSpool *out);
void smb_checked_write_markdown(const SmbChecked *checked, SmbSpool *out);

/** smb_checked_write_json: adds "findings" and "leaks" */
void smb_checked_write_json(const SmbChecked *checked, JsonBuilder *json);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbChecked, smb_checked_free)
