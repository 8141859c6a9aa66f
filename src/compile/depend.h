// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The rules of make that compilers write to say which files they read.
#pragma once

#include <glib.h>

/** smb_depend_parse: Returns: (transfer full) (element-type utf8): what the first rule of @text depends on */
GPtrArray *smb_depend_parse(const char *text);
