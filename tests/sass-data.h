// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Files of tests/data/sass.
#pragma once

#include <glib.h>

// What NAME.gz holds, as it was before it was compressed (transfer full).
GBytes *sass_data_read(const char *name);
