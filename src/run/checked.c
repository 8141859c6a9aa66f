// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/run/checked.h"

#include "sim/base/text.h"
#include "sim/program/symbol.h"
#include "src/out/markdown.h"

static void
clear_leak(gpointer data) {
  SmbLeak *leak = data;
  g_free(leak->function);
}

SmbChecked *
smb_checked_new(void) {
  SmbChecked *checked = g_new0(SmbChecked, 1);
  checked->defects = smb_defects_new();
  checked->leaks = g_array_new(FALSE, FALSE, sizeof(SmbLeak));
  g_array_set_clear_func(checked->leaks, clear_leak);
  return checked;
}

void
smb_checked_free(SmbChecked *checked) {
  if (!checked)
    return;
  smb_defects_free(checked->defects);
  g_array_unref(checked->leaks);
  g_free(checked);
}

void
smb_checked_add_launch(SmbChecked *checked, SmbDefects *defects) {
  checked->n_launches++;
  smb_defects_merge(checked->defects, defects, TRUE);
}

// What a call of the host did wrong (transfer full).
static SmbDefect *
make_host_defect(const SmbHostFound *found) {
  SmbDefect *defect = g_new0(SmbDefect, 1);
  gboolean is_call = found->kind == RUN_FOUND_CALL;
  defect->kind = is_call ? SMB_DEFECT_CALL : SMB_DEFECT_UNSET_COPY;
  defect->array = g_strdup(found->function);
  defect->address = is_call ? found->number : 0;
  defect->count = 1;
  defect->text =
      is_call ? smb_text_printf("%s() returned %s", found->function, found->text)
              : smb_text_printf("%s() copies %" G_GUINT64_FORMAT
                                " bytes to the host, but nothing was written to the byte at 0x%" //
                                G_GINT64_MODIFIER "x, which is one of them",
                                found->function, found->bytes, found->number);
  return defect;
}

void
smb_checked_add_host(SmbChecked *checked, const SmbHostFound *found) {
  const SmbLeak leak = {g_strdup(found->function), found->number, found->bytes};
  if (found->kind == RUN_FOUND_LEAK) {
    g_array_append_val(checked->leaks, leak);
    return;
  }
  g_free(leak.function);
  smb_defects_add(checked->defects, make_host_defect(found));
}

// --- text

static char *
describe_times(const SmbDefect *defect) {
  GString *text = g_string_new(NULL);
  if (defect->count > 1)
    g_string_append_printf(text, "%" G_GUINT64_FORMAT " times", defect->count);
  if (defect->launches > 1)
    g_string_append_printf(text, " in %" G_GUINT64_FORMAT " launches", defect->launches);
  return g_string_free(text, FALSE);
}

// Where it was found, and how often: "in kernel(int*), block (0,0,0), 12 times" (transfer full).
static char *
describe_defect_context(const SmbDefect *defect) {
  GString *text = g_string_new(NULL);
  g_autofree char *times = describe_times(defect);
  if (defect->kernel) {
    g_autofree char *name = smb_symbol_demangle(defect->kernel, FALSE);
    g_autofree char *calls = smb_defect_place_calls(&defect->place);
    g_string_append_printf(text, "in %s, %s%s%sblock (%u,%u,%u)", name, *calls ? "inlined at " : "",
                           calls, *calls ? ", " : "", defect->block[0], defect->block[1],
                           defect->block[2]);
    g_autofree char *others = smb_defect_place_calls(&defect->other);
    if (*others)
      g_string_append_printf(text, ", the other access inlined at %s", others);
  }
  if (*times)
    g_string_append_printf(text, "%s%s", text->len ? ", " : "", times);
  return g_string_free(text, FALSE);
}

static char *
describe_leaks(const SmbChecked *checked) {
  guint64 bytes = 0;
  for (guint i = 0; i < checked->leaks->len; i++)
    bytes += g_array_index(checked->leaks, SmbLeak, i).bytes;
  return g_strdup_printf("%u allocation%s not freed: %" G_GUINT64_FORMAT " bytes",
                         checked->leaks->len, smb_plural(checked->leaks->len), bytes);
}

static char *
summarize_checked(const SmbChecked *checked) {
  guint doubts = smb_defects_n_doubts(checked->defects);
  guint n = smb_defects_n(checked->defects) - doubts;
  GString *text = g_string_new(NULL);
  g_string_printf(text, "Checked %" G_GUINT64_FORMAT " launch%s: ", checked->n_launches,
                  checked->n_launches == 1 ? "" : "es");
  if (n > 0)
    g_string_append_printf(text, "%u finding%s", n, smb_plural(n));
  else
    g_string_append(text, doubts > 0 ? "no findings" : "nothing found");
  if (doubts > 0)
    g_string_append_printf(text, ", %u warning%s", doubts, smb_plural(doubts));
  return g_string_free(text, FALSE);
}

void
smb_checked_write_text(const SmbChecked *checked, SmbSpool *out) {
  g_autofree char *summary = summarize_checked(checked), *leaks = describe_leaks(checked);
  smb_spool_printf(out, "%s.\n", summary);
  for (guint i = 0; i < smb_defects_n(checked->defects); i++) {
    const SmbDefect *defect = smb_defects_get(checked->defects, i);
    g_autofree char *context = describe_defect_context(defect);
    smb_spool_printf(out, "%s%s%s: %s", defect->place.text ? defect->place.text : "",
                     defect->place.text ? ": " : "", smb_defect_title(defect->kind), defect->text);
    smb_spool_printf(out, "%s%s (%s)\n", *context ? "; " : "", context,
                     smb_defect_tool(defect->kind));
  }
  if (checked->leaks->len == 0)
    return;
  smb_spool_printf(out, "%s\n", leaks);
  for (guint i = 0; i < checked->leaks->len; i++) {
    const SmbLeak *leak = &g_array_index(checked->leaks, SmbLeak, i);
    smb_spool_printf(
        out, "leak: %" G_GUINT64_FORMAT " bytes at 0x%" G_GINT64_MODIFIER "x, of %s() (memcheck)\n",
        leak->bytes, leak->address, leak->function);
  }
}

// --- Markdown

void
smb_checked_write_markdown(const SmbChecked *checked, SmbSpool *out) {
  g_autofree char *summary = summarize_checked(checked), *leaks = describe_leaks(checked);
  smb_spool_puts(out, "\n**");
  smb_markdown_text(out, summary);
  smb_spool_puts(out, ".**\n");
  if (smb_defects_n(checked->defects) > 0)
    smb_spool_puts(out, "\n| place | kind | finding | where | count |\n|---|---|---|---|--:|\n");
  for (guint i = 0; i < smb_defects_n(checked->defects); i++) {
    const SmbDefect *defect = smb_defects_get(checked->defects, i);
    g_autofree char *context = describe_defect_context(defect);
    smb_spool_puts(out, "| ");
    smb_markdown_text(out, defect->place.text ? defect->place.text : "");
    smb_spool_printf(out, " | %s | ", smb_defect_name(defect->kind));
    smb_markdown_text(out, defect->text);
    smb_spool_puts(out, " | ");
    smb_markdown_text(out, context);
    smb_spool_printf(out, " | %" G_GUINT64_FORMAT " |\n", defect->count);
  }
  if (checked->leaks->len > 0)
    smb_spool_printf(out, "\n%s.\n", leaks);
}

// --- JSON

static void
write_defect_place(JsonBuilder *json, const char *key, const SmbDefectPlace *place) {
  if (!smb_json_object_if(json, key, place->text != NULL))
    return;
  smb_json_text(json, "file", place->file);
  smb_json_number_if(json, "line", place->line > 0, place->line);
  smb_json_text(json, "text", place->text);
  smb_json_array(json, "inlined_at");
  for (guint i = 0; place->calls && i < place->calls->len; i++) {
    const SmbDefectCall *call = &g_array_index(place->calls, SmbDefectCall, i);
    smb_json_object(json, NULL);
    smb_json_text(json, "file", call->file);
    smb_json_number(json, "line", call->line);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  json_builder_end_object(json);
}

static void
write_defect_extent(JsonBuilder *json, const char *key, gboolean known, const guint extent[3]) {
  if (known)
    smb_json_extent(json, key, extent);
  else
    smb_json_null(json, key);
}

static void
write_defect(JsonBuilder *json, const SmbDefect *defect) {
  g_autofree char *name = defect->kernel ? smb_symbol_demangle(defect->kernel, FALSE) : NULL;
  gboolean is_call = defect->kind == SMB_DEFECT_CALL;
  json_builder_begin_object(json);
  smb_json_text(json, "kind", smb_defect_name(defect->kind));
  smb_json_text(json, "tool", smb_defect_tool(defect->kind));
  smb_json_text(json, "kernel", name);
  smb_json_text(json, "symbol", defect->kernel);
  write_defect_place(json, "place", &defect->place);
  write_defect_place(json, "other_place", &defect->other);
  smb_json_text(json, "array", defect->kernel ? defect->array : NULL);
  smb_json_text(json, "function", defect->kernel ? NULL : defect->array);
  smb_json_number_if(json, "error", is_call, (gint64)defect->address);
  smb_json_number_if(json, "address", !is_call && defect->address, (gint64)defect->address);
  write_defect_extent(json, "block", defect->kernel != NULL, defect->block);
  write_defect_extent(json, "thread", defect->has_thread, defect->thread);
  write_defect_extent(json, "other_thread", defect->has_other, defect->other_thread);
  smb_json_number(json, "count", (gint64)defect->count);
  smb_json_number(json, "launches", (gint64)defect->launches);
  smb_json_text(json, "message", defect->text);
  json_builder_end_object(json);
}

void
smb_checked_write_json(const SmbChecked *checked, JsonBuilder *json) {
  smb_json_array(json, "findings");
  for (guint i = 0; i < smb_defects_n(checked->defects); i++)
    write_defect(json, smb_defects_get(checked->defects, i));
  json_builder_end_array(json);
  smb_json_array(json, "leaks");
  for (guint i = 0; i < checked->leaks->len; i++) {
    const SmbLeak *leak = &g_array_index(checked->leaks, SmbLeak, i);
    json_builder_begin_object(json);
    smb_json_text(json, "function", leak->function);
    smb_json_number(json, "address", (gint64)leak->address);
    smb_json_number(json, "bytes", (gint64)leak->bytes);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}
