// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The functions of a cubin, from its symbols, its code and their attributes (.nv.info). Private to sim/image.
#pragma once

#include "sim/image/cubin.h"

// Fills SmbCubin.functions; the other lists are there. @infos: sh_info (guint32) of each section; @others: st_other of
// each symbol.
gboolean smb_cubin_add_functions(SmbCubin *cubin, const GArray *infos, const GByteArray *others,
                                 GError **error);
