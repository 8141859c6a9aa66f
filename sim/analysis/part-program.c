// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The program of parts that were read: its sites, for whoever reports what was counted. It has no text and cannot be
// run.
#include "sim/analysis/impl.h"
#include "sim/base/error.h"
#include "sim/machine/front-end.h"

typedef struct {
  SmbProgram program;
  SmbFrontEnd front_end;
  char *name;
  char *level;
  GPtrArray *sites; // PartSite, by their number; NULL: no part has it
} PartProgram;

static void
free_part_program(SmbProgram *program) {
  PartProgram *made = (PartProgram *)program;
  smb_program_clear(program);
  g_free(made->name);
  g_free(made->level);
  g_ptr_array_unref(made->sites);
  g_free(made);
}

static const char *
find_data_source(const SmbProgram *program, G_GNUC_UNUSED const SmbLaunch *launch, guint site,
                 gboolean *address) {
  const PartSite *known = ((const PartProgram *)program)->sites->pdata[site];
  *address = known && known->data_address;
  return known ? known->data_source : NULL;
}

// Takes the sites of a part and its variants; FALSE: another part has something else there.
static gboolean
take_sites(PartProgram *made, const SmbPart *part) {
  for (guint i = 0; i < part->sites->len; i++) {
    PartSite *site = &g_array_index(part->sites, PartSite, i);
    if (site->site >= made->sites->len)
      g_ptr_array_set_size(made->sites, (gint)site->site + 1);
    const PartSite *known = made->sites->pdata[site->site];
    if (known && !smb_part_sites_equal(known, site))
      return FALSE;
    made->sites->pdata[site->site] = site;
  }
  for (guint i = 0; part->variants && i < part->variants->len; i++) {
    if (!take_sites(made, part->variants->pdata[i]))
      return FALSE;
  }
  return TRUE;
}

SmbProgram *
smb_parts_program(const GPtrArray *parts, const char *name, const char *level, const char *file,
                  gsize shared_bytes, GError **error) {
  static const SmbProgramOptions options = {0};
  const SmbPart *first = g_ptr_array_index(parts, 0);
  PartProgram *made = g_new0(PartProgram, 1);
  g_autoptr(SmbProgram) program = &made->program;
  made->name = g_strdup(name);
  made->level = g_strdup(level);
  made->front_end = (SmbFrontEnd){
      .level = made->level, .free = free_part_program, .data_source = find_data_source};
  smb_program_init(program, &made->front_end, NULL, file, &options);
  program->name = made->name;
  program->irregular = first->irregular;
  program->assumed = first->assumed;
  program->static_shared = shared_bytes;
  made->sites = g_ptr_array_new();
  for (guint i = 0; i < parts->len; i++) {
    if (!take_sites(made, g_ptr_array_index(parts, i))) {
      smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "the parts are of different kernels");
      return NULL;
    }
  }
  g_array_unref(program->sites);
  program->sites = g_array_new(FALSE, TRUE, sizeof(SmbSite));
  g_array_set_size(program->sites, made->sites->len);
  for (guint i = 0; i < made->sites->len; i++) {
    if (made->sites->pdata[i])
      g_array_index(program->sites, SmbSite, i) = ((const PartSite *)made->sites->pdata[i])->place;
  }
  for (guint i = 0; first->parameters[i]; i++) {
    const SmbParameter parameter = {.name = first->parameters[i]};
    g_array_append_val(program->parameters, parameter);
  }
  return g_steal_pointer(&program);
}
