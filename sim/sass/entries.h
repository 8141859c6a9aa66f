// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The kernels of a cubin.
#pragma once

#include "sim/program/entry.h"

/** As smb_entries_read(), of a cubin; none is no error. */
SmbEntries *smb_sass_entries(SmbSource *source, GError **error);
