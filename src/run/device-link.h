// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a driver's linker makes of the inputs that a program gives it: the toolkit's does, where there is one.
#pragma once

#include <glib.h>

/** What is linked, as CUjitInputType counts. */
typedef enum {
  SMB_RUN_LINK_CUBIN,
  SMB_RUN_LINK_PTX,
  SMB_RUN_LINK_FATBIN,
  SMB_RUN_LINK_OBJECT,
  SMB_RUN_LINK_LIBRARY,
  SMB_RUN_LINK_KINDS,
} SmbRunLinkKind;

typedef struct {
  SmbRunLinkKind kind;
  GBytes *bytes;
} SmbRunLinkInput;

/**
 * smb_run_link:
 * @inputs: (element-type SmbRunLinkInput)
 * @chip: 90 of sm_90
 * @has_compiler: (out): whether there is a compiler
 * @message: (out) (transfer full) (nullable): what it said if it has failed
 *
 * Returns: (transfer full) (nullable): machine code
 */
GBytes *smb_run_link(const GArray *inputs, guint chip, gboolean *has_compiler, char **message);
