// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/check/defect.h"

struct _SmbDefects {
  GPtrArray *list;   // SmbDefect
  GHashTable *known; // key to SmbDefect, which the list has
};

static const struct {
  const char *name, *tool, *title;
} kinds[SMB_N_DEFECTS] = {
#define DEFECT(kind, name, tool, title) {name, tool, title},
#include "sim/check/defect.def"
#undef DEFECT
};

const char *
smb_defect_name(SmbDefectKind kind) {
  return kinds[kind].name;
}

const char *
smb_defect_tool(SmbDefectKind kind) {
  return kinds[kind].tool;
}

const char *
smb_defect_title(SmbDefectKind kind) {
  return kinds[kind].title;
}

gboolean
smb_defect_is_doubt(SmbDefectKind kind) {
  return kind == SMB_DEFECT_DOUBT;
}

static void
clear_defect_place(SmbDefectPlace *place) {
  g_free(place->file);
  g_free(place->text);
  g_clear_pointer(&place->calls, g_array_unref);
}

static void
clear_defect_call(gpointer call) {
  g_free(((SmbDefectCall *)call)->file);
}

void
smb_defect_place_add_call(SmbDefectPlace *place, const char *file, guint line) {
  const SmbDefectCall call = {g_strdup(file), line};
  if (!place->calls) {
    place->calls = g_array_new(FALSE, FALSE, sizeof call);
    g_array_set_clear_func(place->calls, clear_defect_call);
  }
  g_array_append_val(place->calls, call);
}

char *
smb_defect_place_calls(const SmbDefectPlace *place) {
  GString *text = g_string_new(NULL);
  for (guint i = 0; place->calls && i < place->calls->len; i++) {
    const SmbDefectCall *call = &g_array_index(place->calls, SmbDefectCall, i);
    g_string_append_printf(text, "%s%s:%u", i > 0 ? ", " : "", call->file, call->line);
  }
  return g_string_free(text, FALSE);
}

void
smb_defect_free(SmbDefect *defect) {
  if (!defect)
    return;
  g_free(defect->kernel);
  clear_defect_place(&defect->place);
  clear_defect_place(&defect->other);
  g_free(defect->array);
  g_free(defect->text);
  g_free(defect);
}

static void
free_defect(gpointer defect) {
  smb_defect_free(defect);
}

SmbDefects *
smb_defects_new(void) {
  SmbDefects *defects = g_new0(SmbDefects, 1);
  defects->list = g_ptr_array_new_with_free_func(free_defect);
  defects->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  return defects;
}

void
smb_defects_free(SmbDefects *defects) {
  if (!defects)
    return;
  g_ptr_array_unref(defects->list);
  g_hash_table_unref(defects->known);
  g_free(defects);
}

guint
smb_defects_n(const SmbDefects *defects) {
  return defects->list->len;
}

guint
smb_defects_n_doubts(const SmbDefects *defects) {
  guint n = 0;
  for (guint i = 0; i < defects->list->len; i++)
    n += smb_defect_is_doubt(smb_defects_get(defects, i)->kind);
  return n;
}

const SmbDefect *
smb_defects_get(const SmbDefects *defects, guint index) {
  return g_ptr_array_index(defects->list, index);
}

static const char *
text_or_empty(const char *text) {
  return text ? text : "";
}

// What defects that are one have in common (transfer full). Calls are told apart by the function and the error.
static char *
make_defect_key(const SmbDefect *defect) {
  g_autofree char *calls = smb_defect_place_calls(&defect->place);
  g_autofree char *other_calls = smb_defect_place_calls(&defect->other);
  return g_strdup_printf(
      "%d\n%s\n%s\n%s\n%s\n%s\n%s\n%" G_GUINT64_FORMAT, defect->kind, text_or_empty(defect->kernel),
      text_or_empty(defect->place.text), calls, text_or_empty(defect->other.text), other_calls,
      defect->kernel ? "" : text_or_empty(defect->array), defect->kernel ? 0 : defect->address);
}

static void
take_defect(SmbDefects *defects, SmbDefect *defect, gboolean is_launch) {
  g_autofree char *key = make_defect_key(defect);
  SmbDefect *known = g_hash_table_lookup(defects->known, key);
  if (!known) {
    g_ptr_array_add(defects->list, defect);
    g_hash_table_insert(defects->known, g_steal_pointer(&key), defect);
    return;
  }
  known->count += defect->count;
  known->launches =
      is_launch ? known->launches + defect->launches : MAX(known->launches, defect->launches);
  smb_defect_free(defect);
}

void
smb_defects_put(SmbDefects *defects, SmbDefect *defect) {
  g_ptr_array_add(defects->list, defect);
}

void
smb_defects_remove(SmbDefects *defects, SmbDefect *defect) {
  g_ptr_array_remove(defects->list, defect);
}

void
smb_defects_add(SmbDefects *defects, SmbDefect *defect) {
  take_defect(defects, defect, FALSE);
}

void
smb_defects_merge(SmbDefects *defects, SmbDefects *from, gboolean is_launch) {
  if (!from)
    return;
  g_ptr_array_set_free_func(from->list, NULL);
  for (guint i = 0; i < from->list->len; i++)
    take_defect(defects, g_ptr_array_index(from->list, i), is_launch);
  smb_defects_free(from);
}
