// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where values come from, and what pointers point into: sets of places, each a pointer parameter's buffer, or a
// variable in memory (all dynamic ones are one). Private to the kernel language.
#pragma once

#include "sim/cuda/parse/parse.h"

// A bit for each of the first places; the others share one.
typedef guint64 Places;

// Beside the contents of places: in which order threads execute atomics.
#define PLACE_ORDER ((Places)1 << 63)

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
  return (Places)1 << MIN(place, 62);
}

// How they flow through a kernel, as far as it was walked through: sets only grow.
typedef struct {
  SmbKernel *kernel;
  Places global;      // those of global memory
  Flow *locals;       // by slot
  Flow *memory;       // by place: of what was stored there
  GHashTable *guides; // Places, by Function or Statement
  Places guide;       // what the conditions around come from
  Places returned;    // what decides which threads have left the function
  Places order;       // PLACE_ORDER, once an atomic was met
  gboolean changed;   // since whoever walks through the text has said that nothing did
} Flows;

// The kernel is given pointers to its buffers.
void smb_flows_init(Flows *flows, SmbKernel *kernel);
void smb_flows_clear(Flows *flows);
// The walk is over; if something changed to its end, it is not known what flows where.
void smb_flows_finish(const Flows *flows);

static inline void
smb_flow_add(Flow *flow, const Flow *more) {
  flow->sources |= more->sources;
  flow->targets |= more->targets;
}

// The place of a variable in memory; that of a parameter's buffer is its number.
static inline guint
smb_flow_object(const SmbKernel *kernel, const Variable *object) {
  guint slot = object->storage == STORAGE_DYNAMIC ? kernel->objects->len : object->slot;
  return kernel->entry->n_parameters + slot;
}

// What decides which threads are here.
static inline Places
smb_flows_guide(const Flows *flows) {
  return flows->guide | flows->returned;
}

// What decides, besides what is around it, which threads are in a function, a loop or a switch; and more of that.
Places smb_flows_guide_of(const Flows *flows, gconstpointer of);
void smb_flows_guide_by(Flows *flows, gconstpointer of, Places more);

// Something is assigned: where only some threads are, it tells which.
void smb_flows_into(Flows *flows, Flow *into, const Flow *from);

// What is loaded from an address, and what a store does to the memory there.
Flow smb_flows_load(const Flows *flows, const Flow *address);
void smb_flows_store(Flows *flows, const Flow *address, const Flow *value);

// What an atomic returns, and what it does to the memory there: who comes first decides what each is given; and what stays,
// unless that is a sum or its kin.
Flow smb_flows_exchange(Flows *flows, Builtin builtin, const Flow *address, Flow value);

// An access at a site (-1: none), at an address.
void smb_flows_note_site(const Flows *flows, gint site, const Flow *address);

// As SmbFrontEnd says.
gboolean smb_flow_by_order(const SmbProgram *program, guint site, gboolean *address);
const char *smb_flow_data_source(const SmbProgram *program, const SmbLaunch *launch, guint site,
                                 gboolean *address);
