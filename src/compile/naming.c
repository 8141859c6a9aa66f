// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compile/naming.h"

#include <string.h>

#include "sim/cuda/cuda.h"
#include "sim/cuda/text/host.h"

// The parameters of a kernel of this name, by the words of its text alone: names, and which are pointers (transfer full). NULL: there are
// several kernels of the name that differ, or none.
static GArray *
read_parameter_names(SmbSource *source, const char *kernel) {
  g_autoptr(SmbHost) host = smb_host_new();
  const SmbHostKernel *found = NULL;
  gsize length = strcspn(kernel, "<");
  if (!smb_host_read_raw(host, source, NULL))
    return NULL;
  for (guint i = 0; i < host->kernels->len; i++) {
    const SmbHostKernel *one = g_ptr_array_index(host->kernels, i);
    if (strncmp(one->name, kernel, length) != 0 || one->name[length] != '\0')
      continue;
    if (found && found->parameters->len != one->parameters->len)
      return NULL;
    found = one;
  }
  GArray *prototype = found ? smb_prototype_new() : NULL;
  for (guint i = 0; found && i < found->parameters->len; i++) {
    const SmbHostParameter *parameter = g_ptr_array_index(found->parameters, i);
    const SmbDeclared declared = {.name = g_strdup(parameter->name ? parameter->name : ""),
                                  .type = g_strdup(parameter->type)};
    g_array_append_val(prototype, declared);
  }
  return prototype;
}

GArray *
smb_naming_read(SmbSource *source, const SmbProgram *program, const SmbProgramOptions *reading,
                GArray **shared) {
  *shared = NULL;
  SmbProgramOptions adapted = *reading;
  const char *name = smb_program_name(program);
  const char *colons = g_strrstr_len(name, (gssize)strcspn(name, "<("), "::");
  const char *base = colons ? colons + 2 : name;
  g_autofree char *kernel = g_strndup(base, strcspn(base, "("));
  adapted.entry = kernel;
  GArray *prototype = smb_cuda_prototype(source, &adapted, shared);
  return prototype ? prototype : read_parameter_names(source, kernel);
}
