// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Private to host*.c.
#pragma once

#include "sim/cuda/text/host.h"

// The key of a name of a scope in SmbHost.values (transfer full).
static inline char *
smb_host_key(guint scope, const char *name) {
  return g_strdup_printf("%u:%s", scope, name);
}
