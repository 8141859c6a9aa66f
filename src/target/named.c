// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Names for the parameters of PTX and machine code: of the text that their line table names, if that is at hand and declares the kernel
// alike. It is only read.
#include <string.h>

#include "sim/program/kernel-type.h"
#include "src/compile/naming.h"
#include "src/target/origin.h"

enum {
  MAX_FILES = 16 // that a kernel is in: the first one, but for code of macros and lambdas
};

// The files that the kernel itself stands in: what is inlined is further in (transfer full) (element-type utf8).
static GPtrArray *
find_kernel_files(const SmbProgram *program) {
  GPtrArray *files = g_ptr_array_new();
  for (guint i = 0; i < smb_program_n_sites(program) && files->len < MAX_FILES; i++) {
    const SmbSite *site = smb_program_site(program, i);
    const char *file = site->n_frames > 0 ? site->frames[site->n_frames - 1].file : site->file;
    if (file && !g_ptr_array_find_with_equal_func(files, file, g_str_equal, NULL))
      g_ptr_array_add(files, (gpointer)file);
  }
  return files;
}

static gboolean
take_names(SmbProgram *program, SmbSource *text, const SmbProgramOptions *reading) {
  SmbProgramOptions adapted = *reading;
  adapted.defines = NULL; // those are of what is read
  GArray *shared = NULL;
  GArray *prototype = text ? smb_naming_read(text, program, &adapted, &shared) : NULL;
  gboolean agrees = prototype && smb_program_has_prototype(program, prototype);
  if (agrees)
    smb_program_set_prototype(program, prototype);
  else if (prototype)
    g_array_unref(prototype);
  if (agrees && shared)
    smb_program_set_shared(program, shared);
  else if (shared)
    g_array_unref(shared);
  return agrees;
}

void
smb_origins_name_parameters(SmbProgram *program, const SmbProgramOptions *reading,
                            SmbFiles *files) {
  if (smb_program_n_parameters(program) + smb_program_n_arrays(program) == 0 ||
      strcmp(smb_program_level(program), "text") == 0)
    return;
  g_autoptr(SmbOrigins) origins = smb_origins_new(program, files);
  g_autoptr(GPtrArray) texts = find_kernel_files(program);
  for (guint i = 0; i < texts->len; i++) {
    if (take_names(program, smb_origins_find(origins, texts->pdata[i]), reading))
      return;
  }
  if (texts->len > 0)
    smb_program_miss_prototype(program, texts->pdata[0]);
}
