// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The program of parts that were read: its sites, for whoever reports what was counted. It has no text and cannot be run.
#include "sim/analysis/part-row.h"
#include "sim/base/error.h"
#include "sim/machine/front-end.h"

typedef struct {
  SmbProgram program;
  SmbFrontEnd front_end;
  char *name;
  char *level;
  GPtrArray *frames; // of sites: arrays of SmbFrame
  GArray *sources;   // DataSource, by site
} PartProgram;

typedef struct {
  const char *name;
  gboolean address;
} DataSource;

static void
free_program(SmbProgram *program) {
  PartProgram *made = (PartProgram *)program;
  smb_program_clear(program);
  g_free(made->name);
  g_free(made->level);
  g_ptr_array_unref(made->frames);
  g_array_unref(made->sources);
  g_free(made);
}

static const char *
find_data_source(const SmbProgram *program, G_GNUC_UNUSED const SmbLaunch *launch, guint site,
                 gboolean *address) {
  const DataSource *source =
      &g_array_index(((const PartProgram *)program)->sources, DataSource, site);
  *address = source->address;
  return source->name;
}

static gboolean
is_same(const SmbSite *a, const SmbSite *b) {
  return a->line == b->line && a->column == b->column && a->offset == b->offset && a->pc == b->pc &&
         a->op_class == b->op_class && a->width == b->width &&
         g_str_equal(a->expression, b->expression) && g_strcmp0(a->opcode, b->opcode) == 0 &&
         g_strcmp0(a->file, b->file) == 0;
}

// Adds a site that a part lists; FALSE: another part has something else there.
static gboolean
take_site(PartProgram *made, const SiteRow *row) {
  SmbSite *known = &g_array_index(made->program.sites, SmbSite, row->site);
  SmbFrame *frames = g_new0(SmbFrame, row->frames->len + 1);
  g_ptr_array_add(made->frames, frames);
  for (guint i = 0; i < row->frames->len; i++) {
    const FrameRow *frame = row->frames->pdata[i];
    frames[i] = (SmbFrame){.file = frame->file, .line = (guint)frame->line};
  }
  const SmbSite site = {.file = row->file,
                        .line = (guint)row->line,
                        .column = (guint)row->column,
                        .offset = (guint32)row->offset,
                        .expression = row->expression,
                        .op_class = (SmbOpClass)row->op_class,
                        .width = (guint)row->width,
                        .no_rule = row->no_rule,
                        .may_merge = row->may_merge,
                        .opcode = row->opcode,
                        .pc = (guint32)row->pc,
                        .n_frames = row->frames->len,
                        .frames = frames};
  if (known->expression && !is_same(known, &site))
    return FALSE;
  *known = site;
  g_array_index(made->sources, DataSource, row->site) =
      (DataSource){row->data_source, row->data_address};
  return TRUE;
}

static guint
count_sites(const SmbPart *part) {
  guint n = part->sums->n_sites;
  for (guint i = 0; part->variants && i < part->variants->len; i++)
    n = MAX(n, count_sites(g_ptr_array_index(part->variants, i)));
  return n;
}

static gboolean
take_part(PartProgram *made, const PartRow *row) {
  for (guint i = 0; i < row->sites->len; i++) {
    if (!take_site(made, row->sites->pdata[i]))
      return FALSE;
  }
  for (guint i = 0; row->variants && i < row->variants->len; i++) {
    if (!take_part(made, row->variants->pdata[i]))
      return FALSE;
  }
  return TRUE;
}

static void
name_parameters(PartProgram *made, const PartRow *row) {
  for (guint i = 0; row->parameters[i]; i++) {
    const SmbParameter parameter = {.name = row->parameters[i]};
    g_array_append_val(made->program.parameters, parameter);
  }
}

SmbProgram *
smb_parts_program(const GPtrArray *parts, const char *name, const char *level, const char *file,
                  gsize shared_bytes, GError **error) {
  static const SmbProgramOptions options = {0};
  const PartRow *first = ((const SmbPart *)g_ptr_array_index(parts, 0))->row;
  PartProgram *made = g_new0(PartProgram, 1);
  g_autoptr(SmbProgram) program = &made->program;
  guint n_sites = 0;
  made->name = g_strdup(name);
  made->level = g_strdup(level);
  made->front_end =
      (SmbFrontEnd){.level = made->level, .free = free_program, .data_source = find_data_source};
  smb_program_init(program, &made->front_end, NULL, file, &options);
  program->name = made->name;
  program->irregular = first->irregular;
  program->static_shared = shared_bytes;
  made->frames = g_ptr_array_new_with_free_func(g_free);
  made->sources = g_array_new(FALSE, TRUE, sizeof(DataSource));
  for (guint i = 0; i < parts->len; i++)
    n_sites = MAX(n_sites, count_sites(g_ptr_array_index(parts, i)));
  g_array_unref(program->sites);
  program->sites = g_array_new(FALSE, TRUE, sizeof(SmbSite));
  g_array_set_size(program->sites, n_sites);
  g_array_set_size(made->sources, n_sites);
  name_parameters(made, first);
  for (guint i = 0; i < parts->len; i++) {
    if (!take_part(made, ((const SmbPart *)g_ptr_array_index(parts, i))->row)) {
      smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "the parts are of different kernels");
      return NULL;
    }
  }
  return g_steal_pointer(&program);
}
