// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The kernels of PTX, with their parameters and the shared memory that they use.
#pragma once

#include "sim/program/entry.h"
#include "sim/ptx/read/module.h"

// SmbFrontEnd.entries of PTX.
SmbEntries *smb_ptx_entries(SmbSource *source, GError **error);

// Whether a parameter may be a pointer to a buffer: whatever has 8 bytes and is no real number.
gboolean smb_ptx_is_pointer(const PtxVariable *parameter);

// Where a parameter of a kernel is, after one that ends at @end: they lie one behind the other, each aligned (sim/ptx/decode/layout.c).
guint64 smb_ptx_parameter_offset(const PtxVariable *parameter, guint64 end);
