// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which contents, that a launch does not give, decide the requests of a site. How they flow there is found once, by
// sim/cuda/depend.c.
#include "sim/cuda/flow.h"

static gboolean
is_global(const Variable *object) {
  return object->storage == STORAGE_GLOBAL || object->storage == STORAGE_CONSTANT;
}

Places
smb_flow_global(const SmbKernel *kernel) {
  Places global = 0;
  for (guint i = 0; i < kernel->entry->n_parameters; i++)
    global |= place_bit(parameter_place(i));
  for (guint i = 0; i < kernel->objects->len; i++) {
    const Variable *object = g_ptr_array_index(kernel->objects, i);
    if (is_global(object))
      global |= place_bit(object_place(kernel, object));
  }
  return global;
}

// The first pointer parameter or variable of @places whose contents the launch does not give, or NULL. A variable that
// the text gives a value has it.
static const char *
find_unknown(const SmbProgram *program, const SmbLaunch *launch, Places places) {
  const SmbKernel *kernel = smb_cuda_kernel(program);
  for (guint i = 0; places && i < program->parameters->len; i++) {
    SmbParameter parameter = smb_program_parameter(program, i);
    const SmbBuffer *given = smb_launch_buffer(launch, parameter.name, i);
    if ((places & place_bit(parameter_place(i))) && parameter.is_pointer &&
        (!given || given->is_default))
      return parameter.name;
  }
  for (guint i = 0; places && i < kernel->objects->len; i++) {
    const Variable *object = g_ptr_array_index(kernel->objects, i);
    if (!is_global(object) || !(places & place_bit(object_place(kernel, object))))
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
