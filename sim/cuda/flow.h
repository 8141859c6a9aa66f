// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where values come from, and what pointers point into: sets of places, each a pointer parameter's buffer, or a
// variable in memory (all dynamic ones are one). Private to the kernel language.
#pragma once

#include "sim/cuda/parse/parse.h"

// A bit for each of the first places; the others share the last one.
typedef guint64 Places;

typedef struct {
  Places sources; // memory whose contents a value comes from
  Places targets; // what a pointer may point into
} Flow;

// What decides the requests of a site: the contents that its addresses come from, and those that the conditions
// around it come from.
typedef struct {
  Places address;
  Places guide;
} SiteFlow;

static inline Places
place_bit(guint place) {
  return (Places)1 << MIN(place, 63);
}

static inline guint
parameter_place(guint parameter) {
  return parameter;
}

static inline guint
object_place(const SmbKernel *kernel, const Variable *object) {
  guint slot = object->storage == STORAGE_DYNAMIC ? kernel->objects->len : object->slot;
  return kernel->entry->n_parameters + slot;
}

static inline guint
count_places(const SmbKernel *kernel) {
  return kernel->entry->n_parameters + kernel->objects->len + 1;
}

// Those that a launch could give contents.
Places smb_flow_global(const SmbKernel *kernel);

// As SmbFrontEnd says.
const char *smb_flow_data_source(const SmbProgram *program, const SmbLaunch *launch, guint site,
                                 gboolean *address);
