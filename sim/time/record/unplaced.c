// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/record/unplaced.h"

static void
clear_unplaced(gpointer data) {
  SmbUnplaced *unplaced = data;
  g_free(unplaced->opcode);
  g_free(unplaced->file);
  g_free(unplaced->reason);
  smb_hint_clear(&unplaced->hint);
}

GArray *
smb_unplaced_new(void) {
  GArray *list = g_array_new(FALSE, FALSE, sizeof(SmbUnplaced));
  g_array_set_clear_func(list, clear_unplaced);
  return list;
}

void
smb_unplaced_note(GArray *list, const SmbProgram *program, guint site, const char *reason,
                  const SmbHint *hint) {
  const SmbSite *place = smb_program_site(program, site);
  for (guint i = 0; i < list->len; i++) {
    if (g_array_index(list, SmbUnplaced, i).site == site)
      return;
  }
  const SmbUnplaced unplaced = {.site = site,
                                .opcode = g_strdup(place->opcode),
                                .file = g_strdup(place->file),
                                .line = place->line,
                                .pc = place->pc,
                                .reason = g_strdup(reason),
                                .hint = smb_hint_copy(hint)};
  g_array_append_val(list, unplaced);
}

char *
smb_unplaced_place(const SmbUnplaced *unplaced) {
  const SmbSite site = {.file = unplaced->file,
                        .line = unplaced->line,
                        .opcode = unplaced->opcode,
                        .pc = unplaced->pc};
  return smb_site_place(&site);
}
