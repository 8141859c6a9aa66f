// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From a source to a program: the languages that are known, each of which knows its own sources.
#include "sim/base/error.h"
#include "sim/cuda/front-end.h"
#include "sim/layout/front-end.h"
#include "sim/open/contained.h"
#include "sim/ptx/front-end.h"
#include "sim/sass/front-end.h"

// In the order in which they are asked; CUDA C takes every text, so it comes last.
static const SmbFrontEnd *const front_ends[] = {
    &smb_ptx_front_end,
    &smb_sass_front_end,
    &smb_layout_front_end,
    &smb_cuda_front_end,
};

// NULL of an object file that is no cubin.
static const SmbFrontEnd *
find_front_end(SmbSource *source) {
  for (guint i = 0; i < G_N_ELEMENTS(front_ends); i++) {
    if (front_ends[i]->recognizes(source))
      return front_ends[i];
  }
  return NULL;
}

const char *
smb_program_recognize(SmbSource *source) {
  const SmbFrontEnd *front_end = find_front_end(source);
  return front_end ? front_end->level : NULL;
}

static SmbEntries *
list_source_kernels(SmbSource *source, GError **error) {
  const SmbFrontEnd *front_end = find_front_end(source);
  if (front_end && front_end->entries)
    return front_end->entries(source, error);
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
           "%s: expected PTX or machine code: the kernels of compiled code are listed, those of "
           "CUDA C are in its source",
           smb_source_name(source));
  return NULL;
}

static SmbProgram *
read_source_program(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  SmbProgram *program = find_front_end(source)->read(source, options, error);
  if (program)
    smb_program_choose_frames(program);
  return program;
}

// Whether the chip may run it: PTX, machine code and object files with either are NVIDIA's.
static gboolean
check_vendor(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  const char *level = options->processor ? smb_program_recognize(source) : "text";
  if (g_strcmp0(level, "text") == 0 || g_strcmp0(level, smb_layout_front_end.level) == 0)
    return TRUE;
  // An object file of another kind says so itself.
  g_autoptr(SmbEntries) contained = level ? NULL : smb_entries_read(source, error);
  if (!level && !contained)
    return FALSE;
  return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                  "%s is compiled for chips of NVIDIA, which %s is not: expected HIP or CUDA C",
                  smb_source_name(source), options->processor);
}

// Machine code, or PTX beside it that is run as it is.
static SmbProgram *
read_contained_program(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  const guint chip = options->cuda_arch / 10;
  g_autoptr(GError) refused = NULL;
  g_autofree char *symbol = NULL;
  g_autoptr(SmbSource) image =
      smb_contained_choose(source, chip, options->entry, list_source_kernels, &symbol, error);
  SmbProgramOptions adapted = *options;
  adapted.entry = symbol;
  if (!image)
    return NULL;
  SmbProgram *program = read_source_program(image, &adapted, &refused);
  g_autoptr(SmbSource) text =
      program ? NULL : smb_contained_find_text(source, chip, symbol, list_source_kernels);
  if (text)
    program = read_source_program(text, &adapted, NULL);
  if (!program)
    g_propagate_error(error, g_steal_pointer(&refused));
  return program;
}

SmbProgram *
smb_program_read(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  if (!check_vendor(source, options, error))
    return NULL;
  return smb_contained_recognize(source) ? read_contained_program(source, options, error)
                                         : read_source_program(source, options, error);
}

SmbEntries *
smb_entries_read(SmbSource *source, GError **error) {
  g_autoptr(SmbEntries) entries = smb_contained_recognize(source)
                                      ? smb_contained_entries(source, list_source_kernels, error)
                                      : list_source_kernels(source, error);
  if (entries && entries->entries->len == 0) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no kernel", smb_source_name(source));
    return NULL;
  }
  return g_steal_pointer(&entries);
}
