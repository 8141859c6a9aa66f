// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How places flow, and which contents, that a launch does not give, decide the requests of a site.
#include "sim/cuda/flow.h"

static guint
count_places(const SmbKernel *kernel) {
  return kernel->entry->n_parameters + kernel->objects->len + 1;
}

static gboolean
is_global(const Variable *object) {
  return object->storage == STORAGE_GLOBAL || object->storage == STORAGE_CONSTANT;
}

static Places
find_global(const SmbKernel *kernel) {
  Places global = 0;
  for (guint i = 0; i < kernel->entry->n_parameters; i++)
    global |= place_bit(i);
  for (guint i = 0; i < kernel->objects->len; i++) {
    const Variable *object = g_ptr_array_index(kernel->objects, i);
    if (is_global(object))
      global |= place_bit(smb_flow_object(kernel, object));
  }
  return global;
}

void
smb_flows_init(Flows *flows, SmbKernel *kernel) {
  const Function *entry = kernel->entry;
  *flows = (Flows){.kernel = kernel,
                   .global = find_global(kernel),
                   .locals = g_new0(Flow, kernel->locals->len + 1),
                   .memory = g_new0(Flow, count_places(kernel)),
                   .guides = g_hash_table_new_full(NULL, NULL, NULL, g_free),
                   .changed = TRUE};
  for (guint i = 0; i < entry->n_parameters; i++) {
    if (entry->parameters[i]->type->kind == KIND_POINTER)
      flows->locals[entry->parameters[i]->slot].targets = place_bit(i);
  }
  g_array_set_size(kernel->flows, kernel->program.sites->len);
}

void
smb_flows_clear(Flows *flows) {
  g_free(flows->locals);
  g_free(flows->memory);
  g_hash_table_unref(flows->guides);
}

void
smb_flows_finish(const Flows *flows) {
  for (guint i = 0; flows->changed && i < flows->kernel->flows->len; i++)
    g_array_index(flows->kernel->flows, SiteFlow, i).guide = flows->global | flows->order;
}

static void
widen(Flows *flows, Places *places, Places more) {
  if (!(more & ~*places))
    return;
  *places |= more;
  flows->changed = TRUE;
}

Places
smb_flows_guide_of(const Flows *flows, gconstpointer of) {
  const Places *guide = g_hash_table_lookup(flows->guides, of);
  return guide ? *guide : 0;
}

void
smb_flows_guide_by(Flows *flows, gconstpointer of, Places more) {
  Places *guide = g_hash_table_lookup(flows->guides, of);
  if (!guide) {
    guide = g_new0(Places, 1);
    g_hash_table_insert(flows->guides, (gpointer)of, guide);
  }
  widen(flows, guide, more);
}

void
smb_flows_into(Flows *flows, Flow *into, const Flow *from) {
  widen(flows, &into->sources, from->sources | smb_flows_guide(flows));
  widen(flows, &into->targets, from->targets);
}

Flow
smb_flows_load(const Flows *flows, const Flow *address) {
  Flow value = {address->sources | (address->targets & flows->global), 0};
  for (guint i = 0; i < count_places(flows->kernel); i++) {
    if (address->targets & place_bit(i))
      smb_flow_add(&value, &flows->memory[i]);
  }
  return value;
}

void
smb_flows_store(Flows *flows, const Flow *address, const Flow *value) {
  const Flow all = {value->sources | address->sources, value->targets};
  for (guint i = 0; i < count_places(flows->kernel); i++) {
    if (address->targets & place_bit(i))
      smb_flows_into(flows, &flows->memory[i], &all);
  }
}

Flow
smb_flows_exchange(Flows *flows, Builtin builtin, const Flow *address, Flow value) {
  if (builtin == BUILTIN_ATOMIC_EXCH || builtin == BUILTIN_ATOMIC_CAS)
    value.sources |= PLACE_ORDER;
  smb_flows_store(flows, address, &value);
  Flow returned = smb_flows_load(flows, address);
  returned.sources |= PLACE_ORDER;
  flows->order = PLACE_ORDER;
  return returned;
}

void
smb_flows_note_site(const Flows *flows, gint site, const Flow *address) {
  if (site < 0)
    return;
  SiteFlow *flow = &g_array_index(flows->kernel->flows, SiteFlow, site);
  flow->address |= address->sources;
  flow->guide |= smb_flows_guide(flows);
}

// The first pointer parameter or variable of @places whose contents the launch does not give, or NULL. A variable that
// the text gives a value has it.
static const char *
find_unknown(const SmbProgram *program, const SmbLaunch *launch, Places places) {
  const SmbKernel *kernel = smb_cuda_kernel(program);
  for (guint i = 0; places && i < program->parameters->len; i++) {
    SmbParameter parameter = smb_program_parameter(program, i);
    const SmbBuffer *given = smb_launch_buffer(launch, parameter.name, i);
    if ((places & place_bit(i)) && parameter.is_pointer && (!given || given->is_default))
      return parameter.name;
  }
  for (guint i = 0; places && i < kernel->objects->len; i++) {
    const Variable *object = g_ptr_array_index(kernel->objects, i);
    if (!is_global(object) || !(places & place_bit(smb_flow_object(kernel, object))))
      continue;
    const SmbBuffer *given = smb_launch_buffer(launch, object->name, G_MAXUINT);
    if (object->contents.fill != SMB_FILL_BYTES && (!given || given->is_default))
      return object->name;
  }
  return NULL;
}

const char *
smb_flow_data_source(const SmbProgram *program, const SmbLaunch *launch, guint site,
                     gboolean *address) {
  const SiteFlow *flow = &g_array_index(smb_cuda_kernel(program)->flows, SiteFlow, site);
  const char *name = find_unknown(program, launch, flow->address);
  *address = name != NULL;
  return name ? name : find_unknown(program, launch, flow->guide);
}

gboolean
smb_flow_by_order(const SmbProgram *program, guint site, gboolean *address) {
  const SiteFlow *flow = &g_array_index(smb_cuda_kernel(program)->flows, SiteFlow, site);
  *address = (flow->address & PLACE_ORDER) != 0;
  return ((flow->address | flow->guide) & PLACE_ORDER) != 0;
}
