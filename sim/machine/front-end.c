// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What only a program's language knows is asked of its front end.
#include "sim/machine/front-end.h"

#include "sim/base/error.h"

SmbProgram *
smb_program_ref(SmbProgram *program) {
  g_atomic_ref_count_inc(&program->references);
  return program;
}

void
smb_program_free(SmbProgram *program) {
  if (program && g_atomic_ref_count_dec(&program->references))
    program->front_end->free(program);
}

SmbProgram *
smb_program_read_again(const SmbProgram *program, SmbSource *source, const char *const *defines,
                       GError **error) {
  const SmbProgramOptions options = {
      .entry = program->name,
      .defines = defines ? defines : (const char *const *)program->defines,
      .folders = (const char *const *)program->folders,
      .frames = program->frames,
      .compiled_from = program->compiled_from,
      .cuda_arch = program->cuda_arch,
      .processor = program->processor,
      .lanes = program->lanes,
      .limits = program->limits,
  };
  SmbProgram *again = program->front_end->read(source            ? source
                                               : program->source ? program->source
                                                                 : program->origin,
                                               &options, error);
  if (again)
    smb_program_choose_frames(again);
  // cppcheck-suppress returnDanglingLifetime ; the program keeps copies of the options
  return again;
}

const char *
smb_program_level(const SmbProgram *program) {
  return program->front_end->level;
}

GPtrArray *
smb_program_instructions(const SmbProgram *program) {
  return program->front_end->instructions ? program->front_end->instructions(program) : NULL;
}

gboolean
smb_program_evaluate(const SmbProgram *program, const char *expression, gint64 *value,
                     GError **error) {
  if (program->front_end->evaluate)
    return program->front_end->evaluate(program, expression, value, error);
  return g_ascii_string_to_signed(expression, 10, G_MININT64, G_MAXINT64, value, NULL) ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "'%s': expected a number", expression);
}

GBytes *
smb_program_device_code(const SmbProgram *program) {
  return program->front_end->device_code ? program->front_end->device_code(program) : NULL;
}

GBytes *
smb_program_argument(const SmbProgram *program, guint parameter, const char *const *arguments,
                     GError **error) {
  return program->front_end->argument(program, parameter, arguments, error);
}

GStrv
smb_program_unused_defines(const SmbProgram *program) {
  return program->front_end->unused_defines ? program->front_end->unused_defines(program)
                                            : g_new0(char *, 1);
}

const char *
smb_launch_data_source(const SmbLaunch *launch, const SmbProgram *program, guint site,
                       gboolean *address) {
  const SmbFrontEnd *front_end = program->front_end;
  return front_end->data_source ? front_end->data_source(program, launch, site, address) : NULL;
}

GArray *
smb_program_carved_arrays(const SmbProgram *program, const SmbLaunch *launch) {
  const SmbFrontEnd *front_end = program->front_end;
  return front_end->carved_arrays ? front_end->carved_arrays(program, launch) : NULL;
}
