// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// JSON as it is written: a member a line, lists of numbers on one line.
#pragma once

#include <json-glib/json-glib.h>

/** In place of a depth: everything on one line. */
#define SMB_JSON_COMPACT G_MAXUINT

/**
 * smb_json_append:
 * @text: takes the JSON text
 * @node: a value of any kind
 * @depth: how deep it stands in the document, or SMB_JSON_COMPACT
 *
 * Characters that a terminal would obey or not show are written by their numbers.
 */
void smb_json_append(GString *text, JsonNode *node, guint depth);
