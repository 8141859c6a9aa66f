// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compare/changed-row.h"

#include "src/out/json.h"

JsonObject *
smb_compared_access_object(const SmbComparedAccess *access) {
  return access->new_access ? access->new_access : access->old_access;
}

char *
smb_compared_access_place(const SmbComparedAccess *access) {
  JsonObject *object = smb_compared_access_object(access);
  const char *file = smb_json_get_text(object, "file");
  gint64 line = smb_json_get_number(object, "line");
  g_autofree char *last = file && g_path_is_absolute(file) ? g_path_get_basename(file) : NULL;
  if (file && line > 0)
    return g_strdup_printf("%s:%" G_GINT64_FORMAT, last ? last : file, line);
  return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", smb_json_get_number(object, "pc"));
}

static void
clear_changed_row(gpointer data) {
  SmbChangedRow *row = data;
  g_free(row->place);
  g_free(row->name);
}

// @known: rows by what their accesses have in common
static void
add_changed_access(GArray *rows, GHashTable *known, const SmbComparedAccess *access) {
  JsonObject *object = smb_compared_access_object(access);
  SmbChangedRow row = {*access, smb_compared_access_place(access), smb_result_name(object), 1};
  const char *opcode = smb_json_get_text(object, "opcode");
  char *key =
      g_strdup_printf("%s\n%s\n%s\n%s\n%d", row.place, smb_result_lasting_name(object),
                      opcode ? opcode : "", smb_json_get_text(object, "op"), access->change);
  gpointer at = NULL;
  if (!g_hash_table_lookup_extended(known, key, NULL, &at)) {
    g_hash_table_insert(known, key, GUINT_TO_POINTER(rows->len));
    g_array_append_val(rows, row);
    return;
  }
  SmbChangedRow *old = &g_array_index(rows, SmbChangedRow, GPOINTER_TO_UINT(at));
  smb_compared_cost_add(&old->sum.old_cost, &access->old_cost);
  smb_compared_cost_add(&old->sum.new_cost, &access->new_cost);
  if (old->n++ == 1 && !smb_json_get_text(object, "written")) {
    g_free(old->name); // not with the registers of the first of them
    old->name = g_strdup(smb_result_lasting_name(object));
  }
  clear_changed_row(&row);
  g_free(key);
}

GArray *
smb_changed_rows_new(const SmbComparedCase *one) {
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(SmbChangedRow));
  g_array_set_clear_func(rows, clear_changed_row);
  g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < one->accesses->len; i++) {
    const SmbComparedAccess *access = &g_array_index(one->accesses, SmbComparedAccess, i);
    if (access->change != SMB_CHANGE_SAME)
      add_changed_access(rows, known, access);
  }
  return rows;
}
