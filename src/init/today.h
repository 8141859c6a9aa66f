// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the cases of a first project file cost today, as limits that check keeps from now on.
#pragma once

#include "src/cli/cli.h"
#include "src/init/section.h"

/**
 * SmbToday: how many sections
 * @n_limited: have a limit now
 * @n_failed: cannot be counted, or not for certain; a comment says why
 */
typedef struct {
  guint n_limited, n_failed;
} SmbToday;

/**
 * smb_today_add:
 * @path: a project file that has been written, with all @sections
 * @text: what it holds
 * @sections: those that are new and have nothing to be filled in are counted, as check does it, and get the key max-excess, unless they have it
 * @today: (out)
 * @error: as smb_project_new_from_data()
 */
gboolean smb_today_add(SmbCli *cli, const char *path, const char *text, SmbSections *sections,
                       SmbToday *today, GError **error);
