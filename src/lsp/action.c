// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Code actions: the layouts that advise found and tried, as edits. Asked where an access of the range conflicts.
#include <string.h>

#include "sim/arch/words.h"
#include "src/commands.h"
#include "src/lsp/server.h"
#include "src/out/json.h"

#define KIND "quickfix"

typedef struct {
  SmbLspText *text;
  guint launch;
  guint64 number; // of the call
} Advising;

typedef struct {
  gint64 first, last; // lines, from 1
  gboolean is_found;
  guint launch;
} Conflict;

static void
find_conflict(G_GNUC_UNUSED SmbLspText *text, guint launch, JsonObject *access, gpointer data) {
  Conflict *conflict = data;
  gint64 line = smb_json_get_number(access, "line");
  if (conflict->is_found || line < conflict->first || line > conflict->last ||
      smb_json_get_number(access, "excess_wavefronts") == 0)
    return;
  conflict->is_found = TRUE;
  conflict->launch = launch;
}

// Lines of a text.
static guint
count_text_lines(const char *text) {
  guint n = 1;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

// Whether the text still has what would be changed.
static gboolean
has_lines(const SmbDocument *document, guint line, const char *before) {
  gsize length;
  const char *at = smb_document_line(document, (gint64)line - 1, &length);
  return g_str_has_prefix(at, before) && strchr("\r\n", at[strlen(before)]);
}

// Writes a change as an edit. The range of changed lines ends before the end of the last one, of which CR is a part.
static void
write_edit(JsonBuilder *json, const SmbDocument *document, JsonObject *change) {
  guint line = (guint)smb_json_get_number(change, "line");
  const char *before = smb_json_get_text(change, "before");
  const char *after = smb_json_get_text(change, "after");
  gsize length = strlen(after);
  if (before && g_str_has_suffix(after, "\r"))
    length--;
  g_autofree char *text = g_strdup_printf("%.*s%s", (int)length, after, before ? "" : "\n");
  guint last = before ? line + count_text_lines(before) - 1 : line;
  smb_json_object(json, NULL);
  smb_lsp_write_range(json, "range", document, line, 1, last, before ? G_MAXUINT : 1);
  smb_json_text(json, "newText", text);
  json_builder_end_object(json);
}

static gboolean
can_apply(const SmbDocument *document, JsonArray *changes) {
  for (guint i = 0; i < json_array_get_length(changes); i++) {
    JsonObject *change = json_array_get_object_element(changes, i);
    const char *before = smb_json_get_text(change, "before");
    guint line = (guint)smb_json_get_number(change, "line");
    if (line == 0 || !smb_json_get_text(change, "after") ||
        (before && !has_lines(document, line, before)))
      return FALSE;
  }
  return json_array_get_length(changes) > 0;
}

// What a layout gains, in wavefronts, or what its vendor calls them: of the kernel as compiled, by which layouts are ranked, or else of the array in the text
// (transfer full).
static char *
describe_layout_gain(SmbVendor vendor, JsonObject *now, JsonObject *layout) {
  JsonObject *before = now ? smb_json_get_object(now, "as_compiled") : NULL;
  JsonObject *after = smb_json_get_object(layout, "as_compiled");
  gboolean is_compiled = before && after && !smb_json_get_text(before, "failure") &&
                         !smb_json_get_text(after, "failure");
  return g_strdup_printf(
      smb_vendor_say(vendor, "%" G_GINT64_FORMAT " -> %" G_GINT64_FORMAT " wavefronts%s"),
      now ? smb_json_get_number(is_compiled ? before : now, "wavefronts") : 0,
      smb_json_get_number(is_compiled ? after : layout, "wavefronts"),
      is_compiled ? " of the kernel as compiled" : "");
}

// Writes a layout that was run in the kernel's own text, and gave the same results.
static void
write_layout_action(JsonBuilder *json, const SmbDocument *document, SmbVendor vendor,
                    const char *array, JsonObject *now, JsonObject *layout) {
  JsonObject *rewritten = smb_json_get_object(layout, "rewritten");
  JsonArray *changes = rewritten ? smb_json_get_array(rewritten, "changes") : NULL;
  if (!changes || !json_object_get_boolean_member_with_default(rewritten, "holds", FALSE) ||
      !can_apply(document, changes))
    return;
  g_autofree char *gain = describe_layout_gain(vendor, now, layout);
  g_autofree char *title =
      g_strdup_printf("%s: %s (%s)", array, smb_json_get_text(layout, "name"), gain);
  smb_json_object(json, NULL);
  smb_json_text(json, "title", title);
  smb_json_text(json, "kind", KIND);
  smb_json_object(json, "edit");
  smb_json_object(json, "changes");
  smb_json_array(json, document->uri);
  for (guint i = 0; i < json_array_get_length(changes); i++)
    write_edit(json, document, json_array_get_object_element(changes, i));
  json_builder_end_array(json);
  json_builder_end_object(json);
  json_builder_end_object(json);
  json_builder_end_object(json);
}

static void
write_actions(SmbRpcCall *call, const SmbDocument *document, JsonObject *advice) {
  JsonArray *arrays = advice ? smb_json_get_array(advice, "arrays") : NULL;
  SmbVendor vendor = smb_lsp_vendor(advice);
  JsonBuilder *json = smb_rpc_begin_result(call);
  json_builder_begin_array(json);
  for (guint i = 0; arrays && i < json_array_get_length(arrays); i++) {
    JsonObject *array = json_array_get_object_element(arrays, i);
    JsonObject *now = smb_json_get_object(array, "now");
    JsonArray *layouts = smb_json_get_array(array, "layouts");
    for (guint j = 0; layouts && j < json_array_get_length(layouts); j++)
      write_layout_action(json, document, vendor, smb_json_get_text(array, "name"), now,
                          json_array_get_object_element(layouts, j));
  }
  json_builder_end_array(json);
  smb_rpc_reply(call, json);
}

static void
take_layouts(const SmbChild *child, gpointer data) {
  const Advising *advising = data;
  SmbLspText *text = advising->text;
  SmbLspResult *result = text->results->pdata[advising->launch];
  SmbRpcCall *call = smb_rpc_find_call(text->server->rpc, advising->number);
  g_clear_pointer(&result->advice, json_node_unref);
  result->advice = smb_child_json(child);
  if (call)
    write_actions(call, text->document,
                  result->advice ? json_node_get_object(result->advice) : NULL);
}

// Whether the editor wants actions of this kind: on saving, it asks for others only.
static gboolean
wants_fixes(JsonObject *params) {
  JsonObject *context = smb_json_get_object(params, "context");
  JsonArray *only = context ? smb_json_get_array(context, "only") : NULL;
  for (guint i = 0; only && i < json_array_get_length(only); i++) {
    JsonNode *kind = json_array_get_element(only, i);
    if (json_node_get_value_type(kind) == G_TYPE_STRING &&
        g_strcmp0(json_node_get_string(kind), KIND) == 0)
      return TRUE;
  }
  return !only;
}

void
smb_lsp_answer_actions(SmbLspText *text, SmbRpcCall *call, JsonObject *params) {
  static const SmbCommand advise = {"advise", smb_cmd_advise, NULL};
  static const char *const more[] = {"--format=json", NULL};
  JsonObject *range = smb_json_get_object(params, "range");
  SmbPosition start, end;
  if (!range || !smb_position_read(smb_json_get_object(range, "start"), &start) ||
      !smb_position_read(smb_json_get_object(range, "end"), &end)) {
    smb_rpc_refuse(call, SMB_RPC_INVALID_PARAMS, NULL, "expected a range");
    return;
  }
  Conflict conflict = {MIN(start.line, G_MAXINT32) + 1, MIN(end.line, G_MAXINT32) + 1, FALSE, 0};
  if (wants_fixes(params))
    smb_lsp_visit_counts(text, find_conflict, &conflict);
  const SmbLspResult *result = text->results->pdata[conflict.launch];
  if (!conflict.is_found || result->advice) {
    write_actions(call, text->document,
                  conflict.is_found ? json_node_get_object(result->advice) : NULL);
    return;
  }
  Advising *advising = g_new(Advising, 1);
  *advising = (Advising){text, conflict.launch, smb_rpc_call_number(call)};
  smb_lsp_text_ask(text, call, &advise, conflict.launch, more, take_layouts, advising, g_free);
}
