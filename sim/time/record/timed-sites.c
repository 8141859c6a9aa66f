// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/record/timed-sites.h"

#include "sim/program/inside.h"
#include "sim/program/timing.h"

gboolean
smb_is_texture(const SmbProgram *program, guint32 number) {
  return g_array_index(program->timings, SmbTiming, number).rate == SMB_RATE_TEXTURE;
}

guint32 *
smb_number_texture_sites(const SmbProgram *program) {
  guint32 n = smb_program_n_sites(program), *sites = g_new(guint32, program->timings->len + 1);
  for (guint32 i = 0; i < program->timings->len; i++) {
    sites[i] = n;
    n += smb_is_texture(program, i);
  }
  sites[program->timings->len] = n;
  return sites;
}

guint
smb_timed_sites(const SmbProgram *program) {
  g_autofree guint32 *sites = smb_number_texture_sites(program);
  return sites[program->timings->len];
}
