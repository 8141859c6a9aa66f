// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the search shares with what it searches and with how that is counted. Private to sim/advise*.c.
#pragma once

#include "sim/advise.h"
#include "sim/wavefront.h"

// The requests to one array, each distinct one once, in a form in which many layouts are counted fast
// (advise-count.c).
typedef struct _Demand Demand;

// Of @analysis, those to @array, which lies like @original. %NULL: a request asks for something else as
// well, or for padding, and cannot be made of another layout.
G_GNUC_INTERNAL Demand *demand_new(const SmbProgram *kernel, const SmbArch *arch,
                                   const SmbAnalysis *analysis, const SmbArray *array,
                                   const SmbLayout *original, SmbCounter counter);
G_GNUC_INTERNAL void demand_free(Demand *demand);

// Lays all requests out like @layout, whose padding is left open.
G_GNUC_INTERNAL void demand_place(Demand *demand, const SmbLayout *layout);

// Whether every request can be made of the layout that was placed last, with @pad elements of padding.
G_GNUC_INTERNAL gboolean demand_fits(const Demand *demand, guint64 pad);

// Wavefronts of all requests in that layout, which fits; or any number above @limit, if they are more.
G_GNUC_INTERNAL guint64 demand_count(Demand *demand, guint64 pad, guint64 limit);

// Requests that were laid out or counted so far, once for each time.
G_GNUC_INTERNAL guint64 demand_counted(const Demand *demand);

// Elements of an array of @array_bytes that lies like @layout.
G_GNUC_INTERNAL guint64 advise_elements(const SmbLayout *layout, gsize array_bytes);

// Whether a request asks for @array: all of it does, or only some lanes.
typedef enum {
  ASKS_NOTHING,
  ASKS_ALL,
  ASKS_MIXED,
} Asks;
G_GNUC_INTERNAL Asks advise_asks(const SmbProgram *kernel, const SmbArray *array,
                                 const SmbRequest *request);

// A part of the space: one swizzle, or none, in rows of one length, with a range of paddings.
typedef struct {
  SmbLayout layout;
  guint64 first_pad;
  guint64 end_pad;
} Strip;

// All strips of the space for an array of @n elements (element-type Strip) (advise-space.c).
G_GNUC_INTERNAL GArray *space_new(const SmbArch *arch, const SmbLayout *original, guint64 n,
                                  SmbAdviseKinds kinds);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Demand, demand_free)
