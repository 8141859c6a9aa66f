// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A page of an application, of which a capture has the launches: their ranking, and a report of each of the costliest.
#pragma once

#include "src/rank/rank.h"

/** Launches that have a report of their own, unless --top says otherwise; and the most that may. */
#define SMB_APPLICATION_TOP     10
#define SMB_APPLICATION_MAX_TOP 1000

/**
 * smb_application_write:
 * @ranking: of the capture
 * @top: launches that have a report of their own
 * @error: a style or script that is missing from the data
 *
 * Adds the page. A launch that is counted for the ranking and cannot be counted again is left out with its reason.
 */
gboolean smb_application_write(SmbCli *cli, const SmbRanking *ranking, guint top, SmbSpool *page,
                               GError **error);
