// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the search shares with how it counts. Private to sim/advise/advise*.c.
#pragma once

#include "sim/advise/advise.h"

// A part of the space: one swizzle, or none, in rows of one length, with a range of paddings.
typedef struct {
  SmbLayout layout;
  guint64 first_pad;
  guint64 end_pad;
} Strip;

// The requests to one array, each distinct one once, in a form in which many layouts are counted fast
// (advise-count.c).
typedef struct _SmbDemand SmbDemand;

// Those of @use, which lies like @original. %NULL: a request asks for something else as well, or for
// padding, and cannot be made of another layout.
G_GNUC_INTERNAL SmbDemand *smb_demand_new(const SmbArch *arch, const SmbArrayUse *use,
                                          const SmbLayout *original, SmbCounter counter);
G_GNUC_INTERNAL void smb_demand_free(SmbDemand *demand);

// Lays all requests out like the layouts of @strip.
G_GNUC_INTERNAL void smb_demand_place(SmbDemand *demand, const Strip *strip);

// Whether every request can be made of the layout that was placed last, with @pad elements of padding.
G_GNUC_INTERNAL gboolean smb_demand_fits(const SmbDemand *demand, guint64 pad);

// Wavefronts of all requests in that layout, which fits; or any number above @limit, if they are more.
G_GNUC_INTERNAL guint64 smb_demand_count(SmbDemand *demand, guint64 pad, guint64 limit);

// Requests that were laid out or counted so far, once for each time.
G_GNUC_INTERNAL guint64 smb_demand_counted(const SmbDemand *demand);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbDemand, smb_demand_free)
